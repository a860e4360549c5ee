// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * States of a ring, made by work of the engine: see states.h.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "notice.h"
#include "states.h"

#define ANY		(~0ull)
#define PAGES		(~0xfffull)

#define MAP_SIZE	32u	/* bytes of the packet that all submissions start with */
#define OPERAND		(8 * PAGE)
#define LOCK		(QUIRE_OP_SPECIAL_LOCK | QUIRE_TRANSFER_SWIZZLE << 16)

static struct packets p;

/* A slice that looks at the clock once, after so many bytes. */
static void slice(struct host *host, uint64_t bytes)
{
	host->memory.engine.slice_ns = 1;
	host->memory.engine.look_bytes = bytes;
	memory_host_run(&host->memory);
}

static struct quire_ring *ring_of(struct host *host)
{
	return &host->memory.engine.ring[0];
}

static void make_fresh(struct host *host, uint32_t arg)
{
	(void)host;
	(void)arg;
}

static void make_enabled(struct host *host, uint32_t order)
{
	host_ring_setup(host, order);
	host_ring_enable(host);
}

/* Idle; entry 0 is done. */
static void make_idle(struct host *host, uint32_t arg)
{
	make_enabled(host, 4);
	p.size = 0;
	host_submit(host, &p, 1);
	host_run(host);
	if (arg)
		host_ring_doorbell(host);
}

static void build(uint32_t opcode)
{
	/* As long as the other operands. */
	static const struct image image = { 1, 2, 128, 64, 1, 1, 0, 0, 0, 0, 128, 64 };
	static const uint64_t list[] = { 300, 256, 256, 261, 260, 259, 258, 257 };

	p.size = 0;
	packet_map(&p, 0, 8, 0);
	packet_run(&p, RAM_BASE, 8);
	packet_end(&p);
	if (opcode == LOCK) {
		packet_swizzle(&p, opcode >> 16, 0, 0, &image);
		packet_poke(&p, 0, 2, QUIRE_OP_SPECIAL_LOCK);
		packet_run(&p, RAM_BASE, OPERAND / PAGE);
		packet_run(&p, OPERAND, OPERAND / PAGE);
		packet_end(&p);
	} else if (opcode >> 16) {
		packet_swizzle(&p, opcode >> 16, 2, 0, &image);
		packet_run(&p, OPERAND, OPERAND / PAGE);
		packet_end(&p);
	} else if (opcode == QUIRE_OP_TRANSFER) {
		packet_transfer(&p, 2, 0, 1, 0, OPERAND);
	} else if (opcode == QUIRE_OP_FILL) {
		packet_fill(&p, 1, OPERAND, OPERAND, 0x01020304);
	} else if (opcode == QUIRE_OP_DISCARD_CONTENT) {
		packet_discard(&p, 1, OPERAND, OPERAND);
	} else if (opcode == QUIRE_OP_MAP_APERTURE) {
		packet_map(&p, 8, 8, QUIRE_MAP_CACHE_COHERENT);
		packet_run(&p, RAM_BASE, 8);
		packet_end(&p);
	} else if (opcode == QUIRE_OP_MAP_APERTURE2) {
		packet_map2_list(&p, BUFFER + MAP_SIZE, 0, QUIRE_MAP_CPU_VISIBLE, list,
				 ARRAY_SIZE(list));
	} else if (opcode == QUIRE_OP_NOTIFY_RESIDENCY) {
		packet_residency(&p, QUIRE_NOTIFY_RESIDENT, 5, 8, QUIRE_ADDRESS(1, OPERAND));
	} else if (opcode == QUIRE_OP_UNMAP_APERTURE) {
		packet_unmap(&p, 8, 8, RAM_BASE);
	} else {
		packet_physical(&p, QUIRE_OP_WRITE_PHYSICAL, 1, 0, 8, 1);
	}
}

/* Idle; a part of a page is in the write buffer. */
static void make_posted(struct host *host, uint32_t arg)
{
	make_idle(host, 0);
	p.size = 0;
	packet_map(&p, 0, 8, 0);
	packet_run(&p, RAM_BASE, 8);
	packet_end(&p);
	packet_transfer(&p, 1, 0, 2, 0x100, arg);
	host_submit(host, &p, 2);
	host_run(host);
}

/* Entry 1 is at work; its first packet is the next to begin. */
static void make_fetched(struct host *host, uint32_t opcode)
{
	make_idle(host, 0);
	build(opcode);
	host_submit(host, &p, 0x200000001);
	slice(host, PAGE);
}

static void make_between(struct host *host, uint32_t opcode)
{
	make_fetched(host, opcode);
	slice(host, PAGE);
}

static void make_middle(struct host *host, uint32_t opcode)
{
	bool maps = opcode == QUIRE_OP_MAP_APERTURE || opcode == QUIRE_OP_UNMAP_APERTURE ||
		    opcode == QUIRE_OP_MAP_APERTURE2 || opcode == QUIRE_OP_NOTIFY_RESIDENCY;

	make_between(host, opcode);
	slice(host, maps ? 4 * 8 : 4 * PAGE);
}

static void make_finished(struct host *host, uint32_t opcode)
{
	make_between(host, opcode);
	slice(host, OPERAND);
}

static void make_hung(struct host *host, uint32_t opcode)
{
	make_between(host, opcode);
	host_set_reg(host, 0x1060, 1);
	host_run(host);
}

static void make_off(struct host *host, uint32_t opcode)
{
	make_middle(host, opcode);
	host_ring_disable(host);
}

/* Which of the causes of a fault make_fault() brings about, for those that have several. */
#define BAD_ORDER	(0x100 | QUIRE_FAULT_BAD_RING)
#define BAD_FENCE_PAGE	(0x200 | QUIRE_FAULT_BAD_RING)
#define ENTRY_DMA	(0x100 | QUIRE_FAULT_RING_DMA)
#define EVENT_DMA	(0x100 | QUIRE_FAULT_FENCE_DMA)
#define SIGNAL_DMA	(0x200 | QUIRE_FAULT_FENCE_DMA)

/* At enable, or when the ring is looked at for the first time. */
static bool make_ring_fault(struct host *host, uint32_t fault)
{
	host_ring_setup(host, fault == BAD_ORDER ? 13 : 4);
	switch (fault) {
	case QUIRE_FAULT_BAD_RING:
		host_set_reg64(host, 0x1000, ENTRIES + 8);
		break;
	case BAD_FENCE_PAGE:
		host_set_reg64(host, 0x1008, FENCE_PAGE + 8);
		break;
	case QUIRE_FAULT_RING_DMA:
		host_set_reg64(host, 0x1008, HOLE);
		break;
	case ENTRY_DMA:
		host_set_reg64(host, 0x1000, HOLE);
		break;
	case EVENT_DMA:
		host_set_reg64(host, 0x1008, ROM_BASE);
		break;
	case BAD_ORDER:
		break;
	default:
		return false;
	}
	host_ring_enable(host);
	if (fault == ENTRY_DMA)
		host_put32(host, FENCE_PAGE + 64, 1);
	return true;
}

static void build_bad(uint32_t fault)
{
	build(0);
	p.size -= 32;
	switch (fault) {
	case QUIRE_FAULT_BAD_PACKET:
		packet_fill(&p, 1, 0, PAGE, 0);
		p.bytes[MAP_SIZE + 4] = 40;
		break;
	case QUIRE_FAULT_BAD_OPCODE:
		packet_fill(&p, 1, 0, PAGE, 0);
		p.bytes[MAP_SIZE] = 0x40;
		break;
	case QUIRE_FAULT_BAD_SEGMENT:
		packet_fill(&p, 2, 0, PAGE, 0);
		break;
	case QUIRE_FAULT_BAD_RANGE:
		packet_discard(&p, 1, STATES_VRAM, PAGE);
		break;
	case QUIRE_FAULT_BAD_RUNS:
		packet_transfer(&p, 0, 0, 1, 0, PAGE);
		break;
	case QUIRE_FAULT_DMA:
		packet_physical(&p, QUIRE_OP_WRITE_PHYSICAL, 0, HOLE, 8, 1);
		break;
	case QUIRE_FAULT_APERTURE:
		packet_physical(&p, QUIRE_OP_READ_PHYSICAL, 2, 9 * PAGE, 8, 0);
		break;
	case SIGNAL_DMA:
		packet_signal(&p, HOLE, 1);
		break;
	case QUIRE_FAULT_RESIDENCY:
		packet_residency(&p, 0, 0x100, 0, 0);
		break;
	default:
		packet_fill(&p, 1, 0, PAGE, 0);
		break;
	}
}

/* In entry 1, if not before there is one; packets are refused at MAP_SIZE. */
static void make_fault(struct host *host, uint32_t fault)
{
	if (!make_ring_fault(host, fault)) {
		make_idle(host, 0);
		build_bad(fault);
		if (fault == QUIRE_FAULT_INJECTED)
			host_set_reg(host, 0x1064, 2);
		host_queue(host, &p, 0x200000001, QUIRE_ENTRY_IRQ);
		if (fault == QUIRE_FAULT_BAD_WPTR)
			host_put32(host, FENCE_PAGE + 64, 99);
		if (fault == QUIRE_FAULT_BAD_ENTRY)
			host_put32(host, ENTRIES + 32 + 12, 8);
		if (fault == QUIRE_FAULT_BUFFER_DMA)
			host_put64(host, ENTRIES + 32, HOLE);
		if (fault == QUIRE_FAULT_FENCE_DMA) {
			slice(host, PAGE);
			host->memory.regions[0].read_only = true;
		}
		host_ring_doorbell(host);
	}
	host_run(host);
	host->memory.regions[0].read_only = false;
	if (ring_of(host)->fault_code != (fault & 0xff))
		abort();
}

static void make_fault_off(struct host *host, uint32_t fault)
{
	make_fault(host, fault);
	host_ring_disable(host);
}

/*
 * What states have in common: they are on, off, at work, or at a fault of a packet; and the
 * packet that all begin with was executed, or that and a fill.
 */
enum { ON = STATES_ON, OFF = 2, AT_WORK = STATES_AT_WORK, AT_FAULT = STATES_AT_FAULT,
	MAPPED = STATES_MAPPED, FILLED = 32, COMMAND = STATES_COMMAND };

static const struct {
	unsigned int groups;
	struct mask mask;
} common[] = {
	{ ON, { "entries", PAGES } },
	{ ON, { "fence_page", PAGES } },
	{ ON, { "order", 0xf } },
	{ OFF, { "entries", ANY } },
	{ OFF, { "fence_page", ANY } },
	{ OFF, { "order", UINT32_MAX } },
	{ AT_WORK, { "rptr", 0x1 } },
	{ AT_WORK, { "wptr", 0xd } },
	{ AT_WORK, { "pending", 0x1 } },
	{ AT_WORK, { "addr", ~0x7ull } },
	{ AT_WORK, { "fence", ANY } },
	/* of a context, which may be that at address 0, without an address space */
	{ AT_WORK, { "flags", 0x3 } },
	{ AT_FAULT, { "control", 0x1 } },
	{ AT_FAULT, { "fault_fence", ANY } },
	{ MAPPED | FILLED, { "history[0].addr", ~0x7ull } },
	{ MAPPED, { "history[0].header", 0x10000 } },
	{ FILLED, { "history[0].header", 0x10004 } },
	{ FILLED, { "history[1].addr", ~0x7ull } },
	{ COMMAND, { "history[0].addr", ~0x7ull } },
};

const struct state states[] = {
	{ "never enabled", make_fresh, 0, OFF,
	  { { "control", 0x1 }, { "fault_code", 0x16 } } },
	{ "just enabled", make_enabled, 4, ON,
	  { { "wptr", 0x1f }, { "pending", 0x1 } } },
	{ "idle", make_idle, false, ON,
	  { { "control", 0x1 }, { "rptr", 0x1 }, { "wptr", 0x1e }, { "pending", 0x1 },
	    { "fault_code", 0x10 } } },
	{ "doorbell rung", make_idle, true, ON,
	  { { "rptr", 0x1 }, { "wptr", 0x1e }, { "pending", 0x1 } } },
	{ "bytes in the write buffer", make_posted, 0x100, ON | MAPPED,
	  { { "control", 0x1 }, { "rptr", 0x2 }, { "wptr", 0x1d }, { "pending", 0x1 },
	    { "history[1].addr", ~0x7ull }, { "posted.pages[0].addr", ANY },
	    { "posted.pages[0].len", 0xeff }, { "fault_code", 0x10 } } },
	{ "fetched", make_fetched, QUIRE_OP_FILL, ON | AT_WORK,
	  { { "hung", 0x1 }, { "size", 0x3fff8 } } },
	{ "between packets", make_between, QUIRE_OP_FILL, ON | AT_WORK | MAPPED,
	  { { "offset", 0x20 }, { "hung", 0x1 }, { "size", 0x3ffb8 } } },
	{ "in a transfer", make_middle, QUIRE_OP_TRANSFER, ON | AT_WORK | MAPPED,
	  { { "size", 0x3ffb0 }, { "done", 0x3fff } } },
	{ "in a swizzle", make_middle, QUIRE_OP_TRANSFER | QUIRE_TRANSFER_SWIZZLE << 16,
	  ON | AT_WORK | MAPPED,
	  { { "size", 0x3ff80 }, { "done", 0x3fff } } },
	{ "in a special lock", make_middle, LOCK, ON | AT_WORK | MAPPED,
	  { { "size", 0x3ff78 }, { "done", 0x3fff } } },
	{ "in a fill", make_middle, QUIRE_OP_FILL, ON | AT_WORK | MAPPED,
	  { { "size", 0x3ffb8 }, { "done", 0x3ffc } } },
	{ "in a discard", make_middle, QUIRE_OP_DISCARD_CONTENT, ON | AT_WORK | MAPPED,
	  { { "size", 0x3ffb8 }, { "done", 0x3000 } } },
	{ "in a map", make_middle, QUIRE_OP_MAP_APERTURE, ON | AT_WORK | MAPPED,
	  { { "offset", 0x20 }, { "size", 0x3ffb8 }, { "done", 0x3 } } },
	{ "in a map by a list", make_middle, QUIRE_OP_MAP_APERTURE2, ON | AT_WORK | MAPPED,
	  { { "addr", 0 }, { "offset", 0x20 }, { "size", 0x3ff78 }, { "done", 0x3 } } },
	{ "in an unmap", make_middle, QUIRE_OP_UNMAP_APERTURE, ON | AT_WORK | MAPPED,
	  { { "offset", 0x20 }, { "size", 0x3ffb8 }, { "done", 0x3 } } },
	{ "in a notice", make_middle, QUIRE_OP_NOTIFY_RESIDENCY, ON | AT_WORK | MAPPED,
	  { { "offset", 0x20 }, { "size", 0x3ffc0 }, { "done", 0x3 } } },
	{ "finished", make_finished, QUIRE_OP_FILL, ON | AT_WORK | FILLED,
	  { { "offset", 0x40 }, { "size", 0x3ffb8 } } },
	{ "hung", make_hung, QUIRE_OP_FILL, ON | AT_WORK | MAPPED,
	  { { "offset", 0x20 }, { "hung", 0x1 }, { "size", 0x3ffb8 } } },
	{ "off in a packet", make_off, QUIRE_OP_FILL, OFF | MAPPED,
	  { { "offset", 0x3fff8 } } },
	{ "bad entries", make_fault, QUIRE_FAULT_BAD_RING, 0,
	  { { "fence_page", ANY }, { "order", 0xf }, { "control", 0x1 } } },
	{ "bad fence page", make_fault, BAD_FENCE_PAGE, 0,
	  { { "entries", PAGES }, { "order", 0xf }, { "control", 0x1 } } },
	{ "bad order", make_fault, BAD_ORDER, 0,
	  { { "entries", ANY }, { "fence_page", ANY }, { "control", 0x1 } } },
	{ "wptr in no memory", make_fault, QUIRE_FAULT_RING_DMA, 0,
	  { { "entries", PAGES }, { "order", 0xf }, { "control", 0x1 }, { "fault_code", 0x15 } } },
	{ "entries in no memory", make_fault, ENTRY_DMA, 0,
	  { { "fence_page", PAGES }, { "order", 0xf }, { "control", 0x1 },
	    { "fault_code", 0x15 } } },
	{ "doorbell_event in no memory", make_fault, EVENT_DMA, 0,
	  { { "entries", PAGES }, { "order", 0xf }, { "control", 0x1 }, { "fault_code", 0x8 },
	    { "fault_opcode", 0x8 }, { "fault_addr", 0x10 } } },
	{ "bad wptr", make_fault, QUIRE_FAULT_BAD_WPTR, 0,
	  { { "entries", PAGES }, { "fence_page", PAGES }, { "order", 0x7 }, { "control", 0x1 },
	    { "fault_addr", 0xffffffff } } },
	{ "bad entry", make_fault, QUIRE_FAULT_BAD_ENTRY, 0,
	  { { "fence_page", PAGES }, { "order", 0xb }, { "control", 0x1 }, { "fault_code", 0x3 },
	    { "fault_fence", ANY } } },
	{ "submission in no memory", make_fault, QUIRE_FAULT_BUFFER_DMA, ON | AT_FAULT,
	  { { "fault_code", 0x2 }, { "fault_addr", ANY } } },
	{ "bad packet", make_fault, QUIRE_FAULT_BAD_PACKET, ON | AT_FAULT | MAPPED,
	  { { "fault_opcode", 0xffffffff }, { "fault_addr", ~0x7ull } } },
	{ "bad opcode", make_fault, QUIRE_FAULT_BAD_OPCODE, ON | AT_FAULT | MAPPED,
	  { { "fault_code", 0x1 }, { "fault_opcode", 0xffffffff }, { "fault_addr", ~0x7ull } } },
	{ "bad segment", make_fault, QUIRE_FAULT_BAD_SEGMENT, ON | AT_FAULT | MAPPED,
	  { { "fault_code", 0x1 }, { "fault_opcode", 0x1 }, { "fault_addr", 0xffffffff } } },
	{ "bad range", make_fault, QUIRE_FAULT_BAD_RANGE, ON | AT_FAULT | MAPPED,
	  { { "fault_code", 0x1 }, { "fault_opcode", 0xf }, { "fault_addr", ANY } } },
	{ "bad runs", make_fault, QUIRE_FAULT_BAD_RUNS, ON | AT_FAULT | MAPPED,
	  { { "fault_code", 0x3 }, { "fault_opcode", 0x30008 }, { "fault_addr", ~0x7ull } } },
	{ "page in no memory", make_fault, QUIRE_FAULT_DMA, ON | AT_FAULT | MAPPED,
	  { { "fault_code", 0x2 }, { "fault_opcode", 0xd }, { "fault_addr", ANY } } },
	{ "invalid aperture page", make_fault, QUIRE_FAULT_APERTURE, ON | AT_FAULT | MAPPED,
	  { { "fault_code", 0x4 }, { "fault_opcode", 0x9 }, { "fault_addr", 0xf000 } } },
	{ "signal in no memory", make_fault, SIGNAL_DMA, ON | AT_FAULT | MAPPED,
	  { { "fault_addr", ~0x7ull } } },
	{ "fence in no memory", make_fault, QUIRE_FAULT_FENCE_DMA, FILLED,
	  { { "entries", PAGES }, { "order", 0xf }, { "control", 0x1 }, { "fault_opcode", 0x8 },
	    { "fault_addr", 0x8 }, { "fault_fence", ANY } } },
	{ "nowhere", make_fault, QUIRE_FAULT_RESIDENCY, ON | AT_FAULT | MAPPED,
	  { { "fault_opcode", 0 }, { "fault_addr", 0xfffffeff } } },
	{ "injected", make_fault, QUIRE_FAULT_INJECTED, ON | AT_FAULT | MAPPED,
	  { { "fault_opcode", 0xffffffff } } },
	{ "off, bad entries", make_fault_off, QUIRE_FAULT_BAD_RING, OFF,
	  { { "control", 0x1 }, { "fault_code", 0x16 }, { "fault_addr", ANY } } },
	{ "off, wptr in no memory", make_fault_off, QUIRE_FAULT_RING_DMA, OFF,
	  { { "control", 0x1 }, { "fault_code", 0x15 }, { "fault_addr", ~0x1full } } },
	{ "off, doorbell_event in no memory", make_fault_off, EVENT_DMA, OFF,
	  { { "control", 0x1 }, { "fault_code", 0x8 }, { "fault_opcode", 0x8 },
	    { "fault_addr", ~0xfefull } } },
	{ "off, bad wptr", make_fault_off, QUIRE_FAULT_BAD_WPTR, OFF,
	  { { "control", 0x1 }, { "fault_addr", 0xffffffff } } },
	{ "off, bad entry", make_fault_off, QUIRE_FAULT_BAD_ENTRY, OFF,
	  { { "control", 0x1 }, { "fault_code", 0x3 }, { "fault_addr", ~0x1full },
	    { "fault_fence", ANY } } },
	{ "off, fence in no memory", make_fault_off, QUIRE_FAULT_FENCE_DMA, OFF | FILLED,
	  { { "control", 0x1 }, { "fault_opcode", 0x8 }, { "fault_addr", ~0xff7ull },
	    { "fault_fence", ANY } } },
	{ "off, injected", make_fault_off, QUIRE_FAULT_INJECTED, OFF | MAPPED,
	  { { "control", 0x1 }, { "fault_opcode", 0xffffffff }, { "fault_fence", ANY } } },
};

const unsigned int state_count = ARRAY_SIZE(states);

/* The bits of a field that may be turned over in a state. */
uint64_t state_loads(const struct state *state, const char *name)
{
	unsigned int i;

	if (!strcmp(name, "progress") || !strcmp(name, "walks") ||
	    !strcmp(name, "residency_page") || !strcmp(name, "native_interrupts"))
		return ANY;
	if (!strcmp(name, "native_fence"))
		return UINT32_MAX;
	if (strstr(name, "_index") || !strncmp(name, "inject_", 7))
		return UINT32_MAX;
	if (!strncmp(name, "int_", 4))
		return QUIRE_INT_ALL;
	if (!strcmp(name, "posted.next"))
		return QUIRE_POSTED_PAGES - 1;
	for (i = 0; i < ARRAY_SIZE(state->loads) && state->loads[i].field; i++)
		if (!strcmp(state->loads[i].field, name))
			return state->loads[i].bits;
	for (i = 0; i < ARRAY_SIZE(common); i++)
		if (common[i].groups & state->groups && !strcmp(common[i].mask.field, name))
			return common[i].mask.bits;
	/* Where nothing is posted, bytes at address 0 may be. */
	return strcmp(name, "posted.pages[0].len") ? 0 : 2 * QUIRE_PAGE_SIZE - 1;
}
