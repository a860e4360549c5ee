// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * States of a ring with a submission of a context, made by work of the engine: see states.h.
 */
#include <stdlib.h>

#include "address-space.h"
#include "states.h"

#define ANY		(~0ull)
#define OPERAND		(8 * PAGE)
#define TABLES		(512 * PAGE)	/* in VRAM */
#define CONTEXT		(RAM_BASE + 5 * MIB)
#define SAVE		(CONTEXT + PAGE)
#define VA		0x7f0000000000ull

static struct packets p;

/* A slice that looks at the clock once, after so many bytes. */
static void slice(struct host *host, uint64_t bytes)
{
	host->memory.engine.slice_ns = 1;
	host->memory.engine.look_bytes = bytes;
	memory_host_run(&host->memory);
}

/* Entry 0 is done, entry 1 has a packet that maps, and then a virtual one. */
static void submit(struct host *host, uint32_t opcode, uint64_t context)
{
	struct pool pools[2] = { [1] = { TABLES, TABLES + 16 * PAGE } };
	struct space space;

	space_init(&space, host, pools, 1);
	space_pages(&space, VA, PTE_VALID | PTE_SEGMENT(1), 2 * OPERAND / PAGE);
	context_make(host, CONTEXT, space.root);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	host_submit(host, &p, 1);
	host_run(host);
	packet_map(&p, 0, 8, 0);
	packet_run(&p, RAM_BASE, 8);
	packet_end(&p);
	if (opcode == QUIRE_OP_TRANSFER_VIRTUAL)
		packet_transfer_virtual(&p, 0, QUIRE_DIRECTION_LOCAL_TO_LOCAL, VA, VA + OPERAND,
					OPERAND);
	else
		packet_fill_virtual(&p, VA, OPERAND, 0x01020304);
	host_submit_in(host, &p, 0x200000001, context);
}

static void make_middle(struct host *host, uint32_t opcode)
{
	submit(host, opcode, CONTEXT);
	slice(host, PAGE); /* fetched */
	slice(host, PAGE); /* the first packet */
	while (host->memory.engine.ring[0].done < OPERAND / 2)
		slice(host, PAGE);
	if (host->memory.engine.ring[0].done != OPERAND / 2)
		abort();
}

/* Of an execution ring, whose context has a save area: it waits, and a register is set. */
static void make_registers(struct host *host, uint32_t arg)
{
	struct pool pools[2] = { [1] = { TABLES, TABLES + 16 * PAGE } };
	struct space space;
	struct runner r;

	(void)arg;
	space_init(&space, host, pools, 1);
	context_make(host, CONTEXT, space.root);
	place_put(host, 0, CONTEXT + 40, SAVE);
	place_put(host, 0, SAVE, 0x56415351);
	runner_start(&r, host, STATES_RING);
	p.size = 0;
	runner_submit(&r, &p, 1);
	host_run(host);
	command_set_register(&p, QUIRE_REGISTER_SET, 0, 5);
	command_delay(&p, 0x8000);
	runner_submit_in(&r, &p, 0x200000001, CONTEXT);
	do {
		slice(host, PAGE);
	} while (!host->memory.alarm);
	host->memory.time += OPERAND / 2;
	quire_engine_settle(&host->memory.engine);
	if (runner_ring(&r)->registers[0] != 5)
		abort();
}

static void make_no_context(struct host *host, uint32_t arg)
{
	(void)arg;
	submit(host, QUIRE_OP_FILL_VIRTUAL, HOLE);
	host_run(host);
	if (host->memory.engine.ring[0].fault_code != QUIRE_FAULT_BAD_CONTEXT)
		abort();
}

/* A context may be anywhere in system memory; what is VIRTUAL as well may be so. */
#define AT_WORK		(STATES_ON | STATES_AT_WORK | STATES_MAPPED)
#define ANY_CONTEXT	0x00fffffffffff000ull

const struct state virtual_states[] = {
	{ "in a virtual fill", make_middle, QUIRE_OP_FILL_VIRTUAL, AT_WORK,
	  { { "size", 0x3ffb8 }, { "done", 0x3fff }, { "flags", 0x5 }, { "context", ANY_CONTEXT },
	    { "root", ANY } } },
	{ "in a virtual transfer", make_middle, QUIRE_OP_TRANSFER_VIRTUAL, AT_WORK,
	  { { "size", 0x3ffb0 }, { "done", 0x3fff }, { "flags", 0x5 }, { "context", ANY_CONTEXT },
	    { "root", ANY } } },
	{ "with registers", make_registers, 0, STATES_ON | STATES_AT_WORK | STATES_COMMAND,
	  { { "size", 0x3ffd0 }, { "done", 0x7fff }, { "flags", 0x5 }, { "context", ANY_CONTEXT },
	    { "root", ANY }, { "save", ANY_CONTEXT }, { "registers[0]", ANY } } },
	{ "no context", make_no_context, 0, STATES_ON | STATES_AT_FAULT,
	  { { "fault_code", 0x8 }, { "fault_addr", ~0xfffull } } },
};

const unsigned int virtual_state_count = ARRAY_SIZE(virtual_states);
