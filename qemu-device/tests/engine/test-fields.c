// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: each state that a ring can be in, with each bit of each field
 * turned over. A table says which of them make another state that can be; all
 * others are refused. What is accepted runs to its end.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "tap.h"

#define VRAM		(1024 * PAGE)
#define APERTURE	(16 * PAGE)

#define ANY		(~0ull)
#define PAGES		(~0xfffull)

/**
 * struct field - a member of struct quire_ring or of struct quire_engine
 * @name: its name
 * @offset: where it is
 * @bits: how many it has; a bool has 1
 */
struct field {
	const char *name;
	size_t offset;
	unsigned int bits;
};

#define RING(name, bits) { #name, offsetof(struct quire_engine, ring[0].name), bits }
#define GLOBAL(name, bits) { #name, offsetof(struct quire_engine, name), bits }

static const struct field fields[] = {
	RING(entries, 64), RING(fence_page, 64), RING(order, 32), RING(control, 32),
	RING(rptr, 32), RING(offset, 32), RING(fault_code, 32), RING(fault_offset, 32),
	RING(fault_opcode, 32), RING(fault_addr, 64), RING(fault_fence, 64), RING(progress, 64),
	RING(wptr, 32), RING(pending, 1), RING(active, 1), RING(started, 1), RING(hung, 1),
	RING(addr, 64), RING(fence, 64), RING(size, 32), RING(flags, 32), RING(done, 64),
	RING(executed[0], 64), RING(executed[5], 64), RING(history[0].addr, 64),
	RING(history[0].header, 32), RING(history[1].addr, 64), RING(history_index, 32),
	GLOBAL(int_status, 32), GLOBAL(int_enable, 32),
	GLOBAL(aperture_index, 32),
};

/**
 * struct state - a state that the engine reaches
 * @name: for the test point
 * @make: brings a fresh host to it
 * @arg: for @make
 * @loads: fields, and their bits that may be turned over; PROGRESS, INT_STATUS,
 *         INT_ENABLE and the indices always have theirs
 */
struct state {
	const char *name;
	void (*make)(struct host *host, uint32_t arg);
	uint32_t arg;
	struct {
		const char *field;
		uint64_t bits;
	} loads[20];
};

#define MAP_SIZE	32u	/* bytes of the packet that all submissions start with */
#define OPERAND		(8 * PAGE)

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

static void build(uint16_t opcode)
{
	p.size = 0;
	packet_map(&p, 0, 8, 0);
	packet_run(&p, RAM_BASE, 8);
	packet_end(&p);
	if (opcode == QUIRE_OP_TRANSFER) {
		packet_transfer(&p, 2, 0, 1, 0, OPERAND);
	} else if (opcode == QUIRE_OP_FILL) {
		packet_fill(&p, 1, OPERAND, OPERAND, 0x01020304);
	} else if (opcode == QUIRE_OP_DISCARD_CONTENT) {
		packet_discard(&p, 1, OPERAND, OPERAND);
	} else if (opcode == QUIRE_OP_MAP_APERTURE) {
		packet_map(&p, 8, 8, QUIRE_MAP_CACHE_COHERENT);
		packet_run(&p, RAM_BASE, 8);
		packet_end(&p);
	} else if (opcode == QUIRE_OP_UNMAP_APERTURE) {
		packet_unmap(&p, 8, 8, RAM_BASE);
	} else {
		packet_physical(&p, QUIRE_OP_WRITE_PHYSICAL, 1, 0, 8, 1);
	}
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
	make_between(host, opcode);
	slice(host, opcode == QUIRE_OP_MAP_APERTURE || opcode == QUIRE_OP_UNMAP_APERTURE ?
		    4 * 8 : 4 * PAGE);
}

static void make_finished(struct host *host, uint32_t opcode)
{
	make_between(host, opcode);
	slice(host, OPERAND);
}

static void make_hung(struct host *host, uint32_t opcode)
{
	make_between(host, opcode);
	host_set_reg(host, QUIRE_REG_INJECT_HANG, 1);
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
		packet_discard(&p, 1, VRAM, PAGE);
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
			host_set_reg(host, QUIRE_REG_INJECT_FAULT, 2);
		host_queue(host, &p, 0x200000001, QUIRE_ENTRY_IRQ);
		if (fault == QUIRE_FAULT_BAD_WPTR)
			host_put32(host, FENCE_PAGE + 64, 99);
		if (fault == QUIRE_FAULT_BAD_ENTRY)
			host_put32(host, ENTRIES + 32 + 12, 2);
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

/* The bits of most states that are on, off, at work, or at a fault of a packet. */
#define ON	{ "entries", PAGES }, { "fence_page", PAGES }, { "order", 0xf }
#define OFF	{ "entries", ANY }, { "fence_page", ANY }, { "order", UINT32_MAX }
#define WORK	ON, { "rptr", 0x1 }, { "wptr", 0xd }, { "pending", 0x1 }, { "addr", ~0x7ull }, \
		{ "fence", ANY }, { "flags", 0x1 }
#define PACKET	ON, { "control", 0x1 }, { "fault_fence", ANY }
/* The packet that all begin with was executed, or that and a fill. */
#define MAPPED	{ "history[0].addr", ~0x7ull }, { "history[0].header", 0x10000 }
#define FILLED	{ "history[0].addr", ~0x7ull }, { "history[0].header", 0x10004 }, \
		{ "history[1].addr", ~0x7ull }

static const struct state states[] = {
	{ "never enabled", make_fresh, 0,
	  { OFF, { "control", 0x1 }, { "fault_code", 0x6 } } },
	{ "just enabled", make_enabled, 4,
	  { ON, { "wptr", 0x1f }, { "pending", 0x1 } } },
	{ "idle", make_idle, false,
	  { ON, { "control", 0x1 }, { "rptr", 0x1 }, { "wptr", 0x1e }, { "pending", 0x1 } } },
	{ "doorbell rung", make_idle, true,
	  { ON, { "rptr", 0x1 }, { "wptr", 0x1e }, { "pending", 0x1 } } },
	{ "fetched", make_fetched, QUIRE_OP_FILL,
	  { WORK, { "hung", 0x1 }, { "size", 0x3fff8 } } },
	{ "between packets", make_between, QUIRE_OP_FILL,
	  { WORK, { "offset", 0x20 }, { "hung", 0x1 }, { "size", 0x3ffb8 }, MAPPED } },
	{ "in a transfer", make_middle, QUIRE_OP_TRANSFER,
	  { WORK, { "size", 0x3ffb0 }, { "done", 0x3fff }, MAPPED } },
	{ "in a fill", make_middle, QUIRE_OP_FILL,
	  { WORK, { "size", 0x3ffb8 }, { "done", 0x3ffc }, MAPPED } },
	{ "in a discard", make_middle, QUIRE_OP_DISCARD_CONTENT,
	  { WORK, { "size", 0x3ffb8 }, { "done", 0x3000 }, MAPPED } },
	{ "in a map", make_middle, QUIRE_OP_MAP_APERTURE,
	  { WORK, { "offset", 0x20 }, { "size", 0x3ffb8 }, { "done", 0x3 }, MAPPED } },
	{ "in an unmap", make_middle, QUIRE_OP_UNMAP_APERTURE,
	  { WORK, { "offset", 0x20 }, { "size", 0x3ffb8 }, { "done", 0x3 }, MAPPED } },
	{ "finished", make_finished, QUIRE_OP_FILL,
	  { WORK, { "offset", 0x40 }, { "size", 0x3ffb8 }, FILLED } },
	{ "hung", make_hung, QUIRE_OP_FILL,
	  { WORK, { "offset", 0x20 }, { "hung", 0x1 }, { "size", 0x3ffb8 }, MAPPED } },
	{ "off in a packet", make_off, QUIRE_OP_FILL,
	  { OFF, { "offset", 0x3fff8 }, MAPPED } },
	{ "bad entries", make_fault, QUIRE_FAULT_BAD_RING,
	  { { "fence_page", ANY }, { "order", 0xf }, { "control", 0x1 } } },
	{ "bad fence page", make_fault, BAD_FENCE_PAGE,
	  { { "entries", PAGES }, { "order", 0xf }, { "control", 0x1 } } },
	{ "bad order", make_fault, BAD_ORDER,
	  { { "entries", ANY }, { "fence_page", ANY }, { "control", 0x1 } } },
	{ "wptr in no memory", make_fault, QUIRE_FAULT_RING_DMA,
	  { { "entries", PAGES }, { "order", 0xf }, { "control", 0x1 }, { "fault_code", 0x5 } } },
	{ "entries in no memory", make_fault, ENTRY_DMA,
	  { { "fence_page", PAGES }, { "order", 0xf }, { "control", 0x1 },
	    { "fault_code", 0x5 } } },
	{ "doorbell_event in no memory", make_fault, EVENT_DMA,
	  { { "entries", PAGES }, { "order", 0xf }, { "control", 0x1 }, { "fault_code", 0x8 },
	    { "fault_opcode", 0x8 }, { "fault_addr", 0x10 } } },
	{ "bad wptr", make_fault, QUIRE_FAULT_BAD_WPTR,
	  { { "entries", PAGES }, { "fence_page", PAGES }, { "order", 0x7 }, { "control", 0x1 },
	    { "fault_addr", 0xffffffff } } },
	{ "bad entry", make_fault, QUIRE_FAULT_BAD_ENTRY,
	  { { "fence_page", PAGES }, { "order", 0xb }, { "control", 0x1 }, { "fault_code", 0x3 },
	    { "fault_fence", ANY } } },
	{ "submission in no memory", make_fault, QUIRE_FAULT_BUFFER_DMA,
	  { PACKET, { "fault_code", 0x2 }, { "fault_addr", ANY } } },
	{ "bad packet", make_fault, QUIRE_FAULT_BAD_PACKET,
	  { PACKET, { "fault_opcode", 0xffffffff }, { "fault_addr", ~0x7ull }, MAPPED } },
	{ "bad opcode", make_fault, QUIRE_FAULT_BAD_OPCODE,
	  { PACKET, { "fault_code", 0x1 }, { "fault_opcode", 0xffffffff },
	    { "fault_addr", ~0x7ull }, MAPPED } },
	{ "bad segment", make_fault, QUIRE_FAULT_BAD_SEGMENT,
	  { PACKET, { "fault_code", 0x1 }, { "fault_opcode", 0x1 },
	    { "fault_addr", 0xffffffff }, MAPPED } },
	{ "bad range", make_fault, QUIRE_FAULT_BAD_RANGE,
	  { PACKET, { "fault_code", 0x1 }, { "fault_opcode", 0x7 }, { "fault_addr", ANY },
	    MAPPED } },
	{ "bad runs", make_fault, QUIRE_FAULT_BAD_RUNS,
	  { PACKET, { "fault_code", 0x3 }, { "fault_addr", ~0x7ull }, MAPPED } },
	{ "page in no memory", make_fault, QUIRE_FAULT_DMA,
	  { PACKET, { "fault_code", 0x2 }, { "fault_opcode", 0x5 }, { "fault_addr", ANY },
	    MAPPED } },
	{ "invalid aperture page", make_fault, QUIRE_FAULT_APERTURE,
	  { PACKET, { "fault_code", 0x4 }, { "fault_opcode", 0x1 }, { "fault_addr", 0xf000 },
	    MAPPED } },
	{ "signal in no memory", make_fault, SIGNAL_DMA,
	  { PACKET, { "fault_addr", ~0x7ull }, MAPPED } },
	{ "fence in no memory", make_fault, QUIRE_FAULT_FENCE_DMA,
	  { { "entries", PAGES }, { "order", 0xf }, { "control", 0x1 }, { "fault_opcode", 0x8 },
	    { "fault_addr", 0x8 }, { "fault_fence", ANY }, FILLED } },
	{ "injected", make_fault, QUIRE_FAULT_INJECTED,
	  { PACKET, { "fault_opcode", 0xffffffff }, MAPPED } },
	{ "off, bad entries", make_fault_off, QUIRE_FAULT_BAD_RING,
	  { OFF, { "control", 0x1 }, { "fault_code", 0x6 }, { "fault_addr", ANY } } },
	{ "off, wptr in no memory", make_fault_off, QUIRE_FAULT_RING_DMA,
	  { OFF, { "control", 0x1 }, { "fault_code", 0x5 }, { "fault_addr", ~0x1full } } },
	{ "off, doorbell_event in no memory", make_fault_off, EVENT_DMA,
	  { OFF, { "control", 0x1 }, { "fault_code", 0x8 }, { "fault_opcode", 0x8 },
	    { "fault_addr", ~0xfefull } } },
	{ "off, bad wptr", make_fault_off, QUIRE_FAULT_BAD_WPTR,
	  { OFF, { "control", 0x1 }, { "fault_addr", 0xffffffff } } },
	{ "off, bad entry", make_fault_off, QUIRE_FAULT_BAD_ENTRY,
	  { OFF, { "control", 0x1 }, { "fault_code", 0x3 }, { "fault_addr", ~0x1full },
	    { "fault_fence", ANY } } },
	{ "off, fence in no memory", make_fault_off, QUIRE_FAULT_FENCE_DMA,
	  { OFF, { "control", 0x1 }, { "fault_opcode", 0x8 }, { "fault_addr", ~0xff7ull },
	    { "fault_fence", ANY }, FILLED } },
	{ "off, injected", make_fault_off, QUIRE_FAULT_INJECTED,
	  { OFF, { "control", 0x1 }, { "fault_opcode", 0xffffffff }, { "fault_fence", ANY },
	    MAPPED } },
};

static uint64_t expected(const struct state *state, const char *name)
{
	unsigned int i;

	if (!strcmp(name, "progress"))
		return ANY;
	if (strstr(name, "_index"))
		return UINT32_MAX;
	if (!strncmp(name, "int_", 4))
		return QUIRE_INT_ALL;
	for (i = 0; i < ARRAY_SIZE(state->loads) && state->loads[i].field; i++)
		if (!strcmp(state->loads[i].field, name))
			return state->loads[i].bits;
	return 0;
}

/* What a stream brings; the rest of the engine is its own. */
static void restore(struct quire_engine *engine, const struct quire_engine *saved,
		    const uint64_t *aperture)
{
	memcpy(engine->ring, saved->ring, sizeof(engine->ring));
	memcpy(quire_engine_load_entries(engine, 0, APERTURE / PAGE), aperture,
	       APERTURE / PAGE * sizeof(*aperture));
	engine->int_status = saved->int_status;
	engine->int_enable = saved->int_enable;
	engine->aperture_index = saved->aperture_index;
	engine->messages = 0;
}

/* Turn one bit over; what loads must run to an end. */
static bool try_bit(struct host *host, const struct field *field, unsigned int bit)
{
	struct quire_engine *engine = &host->memory.engine;
	uint8_t *bytes = (uint8_t *)engine + field->offset;
	const char *why;

	bytes[bit / 8] ^= 1u << bit % 8;
	if (!quire_engine_post_load(engine, &why))
		return false;
	if (!host_run(host))
		ok(false, "%s, bit %u: ends", field->name, bit);
	return true;
}

static void test_field(struct host *host, const struct state *state, const struct field *field,
		       const struct quire_engine *saved, const uint64_t *aperture)
{
	uint64_t loads = 0, wanted = expected(state, field->name);
	unsigned int bit;

	for (bit = 0; bit < field->bits; bit++) {
		restore(&host->memory.engine, saved, aperture);
		if (try_bit(host, field, bit))
			loads |= 1ull << bit;
	}
	if (loads != wanted)
		printf("#   %s: 0x%llx load, not 0x%llx\n", field->name,
		       (unsigned long long)loads, (unsigned long long)wanted);
	ok(loads == wanted, "%s: %s", state->name, field->name);
}

static void test_state(const struct state *state)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	struct quire_engine *saved = malloc(sizeof(*saved));
	uint64_t aperture[APERTURE / PAGE];
	unsigned int i;

	state->make(host, state->arg);
	memcpy(saved, &host->memory.engine, sizeof(*saved));
	memcpy(aperture, host->memory.engine.aperture, sizeof(aperture));
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		test_field(host, state, &fields[i], saved, aperture);
	free(saved);
	host_free(host);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(states); i++)
		test_state(&states[i]);
	return tap_done();
}
