// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * States of an execution ring, made by work of the engine: see states.h.
 */
#include <stdlib.h>

#include "runner.h"
#include "states.h"

#define ANY		(~0ull)
#define OPERAND		(8 * PAGE)

static struct packets p;

/* A slice that looks at the clock once, after so many bytes. */
static void slice(struct host *host, uint64_t bytes)
{
	host->memory.engine.slice_ns = 1;
	host->memory.engine.look_bytes = bytes;
	memory_host_run(&host->memory);
}

static void build(uint32_t opcode)
{
	static const struct area src = { IN_VRAM(0), 0, 256, 64, 128, 1, 1, 0, 0 };
	static const struct area dst = { IN_VRAM(OPERAND), 1, 0, 64, 128, 1, 1, 0, 0 };
	static const struct place all = { 0, 0, 0, 0, 64, 128 };
	uint64_t a = IN_VRAM(0), b = IN_VRAM(OPERAND), result = IN_VRAM(2 * OPERAND);

	switch (opcode) {
	case QUIRE_COMMAND_COPY:
		command_copy(&p, a, b, OPERAND);
		break;
	case QUIRE_COMMAND_FILL:
		command_fill(&p, b, OPERAND, 0x01020304);
		break;
	case QUIRE_COMMAND_COPY_2D:
	case QUIRE_COMMAND_BLEND:
		command_2d(&p, opcode, &src, &dst, 2, &all);
		break;
	case QUIRE_COMMAND_ARITHMETIC:
		command_arithmetic(&p, QUIRE_ARITHMETIC_ADD, a, b, OPERAND);
		break;
	case QUIRE_COMMAND_CHECKSUM:
		command_checksum(&p, a, result, OPERAND);
		break;
	case QUIRE_COMMAND_COMPARE:
		command_compare(&p, a, b, result, OPERAND);
		break;
	case QUIRE_COMMAND_WAIT_VALUE:
		command_wait_value(&p, QUIRE_WAIT_EQUAL, b, 1);
		break;
	default:
		command_delay(&p, 0x8000);
		break;
	}
}

/* Entry 1 is at work, and its second packet. */
static void make_command(struct host *host, uint32_t opcode)
{
	struct runner r;

	host->memory.engine.vram[5] = 1;
	host->memory.engine.vram[4 * PAGE] = 1;
	runner_start(&r, host, STATES_RING);
	p.size = 0;
	runner_submit(&r, &p, 1);
	host_run(host);
	command_nop(&p, 1);
	build(opcode);
	runner_submit(&r, &p, 0x200000001);
	slice(host, PAGE); /* fetched */
	slice(host, PAGE); /* the first packet */
	do {
		slice(host, 1);
	} while (runner_ring(&r)->done < OPERAND / 2 && !host->memory.alarm);
	host->memory.time += OPERAND / 2;
	quire_engine_settle(&host->memory.engine);
}

static void build_bad(uint32_t fault)
{
	switch (fault) {
	case QUIRE_FAULT_BAD_OPCODE:
		packet_fill(&p, 1, 0, PAGE, 0);
		break;
	case QUIRE_FAULT_BAD_SEGMENT:
		command_copy(&p, IN_VRAM(0), 5ull << 56, 8);
		break;
	case QUIRE_FAULT_BAD_RANGE:
		command_copy(&p, IN_VRAM(0), IN_VRAM(STATES_VRAM), 8);
		break;
	case QUIRE_FAULT_DMA:
		command_write_value(&p, IN_APERTURE(0), 8);
		break;
	default:
		command_write_value(&p, IN_APERTURE(9 * PAGE), 8);
		break;
	}
}

static void make_fault(struct host *host, uint32_t fault)
{
	struct runner r;

	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_map(&p, 0, 1, 1);
	packet_run(&p, ROM_BASE, 1);
	packet_end(&p);
	host_submit(host, &p, 1);
	runner_start(&r, host, STATES_RING);
	p.size = 0;
	command_nop(&p, 1);
	build_bad(fault);
	runner_submit(&r, &p, 0x200000001);
	host_run(host);
	if (runner_ring(&r)->fault_code != fault)
		abort();
}

/*
 * Of each state: registers of a ring that is on, and what is executed. The addresses are none of
 * a context, but those that are out of range may be.
 */
#define AT_WORK		(STATES_ON | STATES_AT_WORK | STATES_COMMAND)
#define AT_FAULT	(STATES_ON | STATES_AT_FAULT | STATES_COMMAND)

const struct state command_states[] = {
	{ "in a copy command", make_command, QUIRE_COMMAND_COPY, AT_WORK,
	  { { "flags", 0x1 }, { "size", 0x3ffc8 }, { "done", 0x3fff } } },
	{ "in a fill command", make_command, QUIRE_COMMAND_FILL, AT_WORK,
	  { { "flags", 0x1 }, { "size", 0x3ffc8 }, { "done", 0x3ffc } } },
	{ "in a 2D copy", make_command, QUIRE_COMMAND_COPY_2D, AT_WORK,
	  { { "flags", 0x1 }, { "size", 0x3ff80 }, { "done", 0x3ffc } } },
	{ "in a blend", make_command, QUIRE_COMMAND_BLEND, AT_WORK,
	  { { "flags", 0x1 }, { "size", 0x3ff80 }, { "done", 0x3ffc } } },
	{ "in arithmetic", make_command, QUIRE_COMMAND_ARITHMETIC, AT_WORK,
	  { { "flags", 0x1 }, { "size", 0x3ffc8 }, { "done", 0x3ffc } } },
	{ "in a checksum", make_command, QUIRE_COMMAND_CHECKSUM, AT_WORK,
	  { { "flags", 0x1 }, { "size", 0x3ffc8 }, { "done", 0x3fe0 }, { "kept[0]", ANY },
	    { "kept[1]", ANY }, { "kept[2]", ANY }, { "kept[3]", ANY } } },
	{ "in a comparison", make_command, QUIRE_COMMAND_COMPARE, AT_WORK,
	  { { "flags", 0x1 }, { "size", 0x3ffc0 }, { "done", 0x3fff }, { "kept[0]", 0x3fff },
	    { "kept[1]", 0x3ffe } } },
	{ "in a wait", make_command, QUIRE_COMMAND_WAIT_VALUE, AT_WORK,
	  { { "flags", 0x1 }, { "started", 0x1 }, { "size", 0x3ffd0 } } },
	{ "in a delay", make_command, QUIRE_COMMAND_DELAY, AT_WORK,
	  { { "size", 0x3ffd8 }, { "done", 0x7fff } } },
	{ "paging operation", make_fault, QUIRE_FAULT_BAD_OPCODE, AT_FAULT,
	  { { "fault_code", 0x1 }, { "fault_opcode", 0xffffffdf }, { "fault_addr", ~0x7ull } } },
	{ "bad segment of a command", make_fault, QUIRE_FAULT_BAD_SEGMENT, AT_FAULT,
	  { { "fault_code", 0x1 }, { "fault_opcode", 0x2 }, { "fault_addr", ~(5ull << 56) } } },
	{ "bad range of a command", make_fault, QUIRE_FAULT_BAD_RANGE, AT_FAULT,
	  { { "fault_code", 0x2 }, { "fault_opcode", 0x2 }, { "fault_addr", ANY } } },
	{ "command into no memory", make_fault, QUIRE_FAULT_DMA, AT_FAULT,
	  { { "fault_code", 0x2 }, { "fault_addr", ANY } } },
	{ "command into an invalid page", make_fault, QUIRE_FAULT_APERTURE, AT_FAULT,
	  { { "fault_code", 0x4 }, { "fault_addr", 0xf000 } } },
};

const unsigned int command_state_count = ARRAY_SIZE(command_states);
