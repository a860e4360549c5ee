// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Seeds with an address space: its tables and its context are in VRAM, where packets make them, for
 * the guest's memory is whatever the fuzzer has.
 */
#include "address-space.h"
#include "core/quire_numbers.h"
#include "seeds.h"

#define CONTEXT		(8 * PAGE)
#define TABLE(level)	((9 + (level)) * PAGE)
#define DATA		(16 * PAGE)	/* where the first pages lead to */
#define VA		0x7f0000000000ull
#define IN_TABLE(level)	(VA >> QUIRE_PT_SHIFT(level) & (QUIRE_PT_ENTRIES - 1))

static struct packets packets;

/* The packets, in the context or without one; the ring was not used, or is to begin anew. */
static void submit(struct seed *seed, uint64_t addr, uint32_t size, uint32_t flags)
{
	seed_forget(seed);
	seed_disable(seed);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_entry(seed, addr, size, flags, flags ? IN_VRAM(CONTEXT) : 0);
	if (!(flags & QUIRE_ENTRY_VIRTUAL))
		seed_pattern(seed, packets.bytes, packets.size);
	seed_idle(seed, 1);
	seed_enable(seed);
	packets.size = 0;
}

/* Pages of 4 KiB, and a page of tables behind them. */
static void make_space(struct seed *seed)
{
	uint64_t entry = PTE_VALID | PTE_SEGMENT(1);
	unsigned int level;

	packets.size = 0;
	packet_init_context(&packets, 0, QUIRE_SEGMENT_VRAM, CONTEXT);
	packet_physical(&packets, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM,
			CONTEXT + CONTEXT_ROOT, 8, entry | TABLE(3));
	for (level = 0; level < QUIRE_PT_LEVELS; level++) {
		uint64_t first = entry | (level ? TABLE(level - 1) : CONTEXT);

		packet_update_table(&packets, QUIRE_UPDATE_INITIAL |
				    (level ? 0 : QUIRE_UPDATE_CONTIGUOUS), QUIRE_SEGMENT_VRAM,
				    level, TABLE(level), IN_TABLE(level), level ? 1 : 32, &first,
				    1);
	}
	submit(seed, BUFFER, packets.size, 0);
}

static void packets_of_all(void)
{
	static const uint64_t words[] = { 1, 2, 3 };
	const uint64_t page = PTE_VALID | PTE_SEGMENT(1) | PTE_READ_ONLY | DATA;
	const uint64_t table = VA + TABLE(0) - CONTEXT;

	packet_fill_virtual(&packets, VA + DATA - CONTEXT, PAGE, 0x11223344);
	packet_transfer_virtual(&packets, 0, QUIRE_DIRECTION_LOCAL_TO_LOCAL, VA + DATA - CONTEXT,
				VA + DATA - CONTEXT + 24, 2 * PAGE);
	packet_init_context(&packets, QUIRE_ADDRESS_VIRTUAL, 0, VA + DATA - CONTEXT);
	packet_update_context(&packets, VA + DATA - CONTEXT, 16, words, sizeof(words));
	packet_update_table(&packets, QUIRE_ADDRESS_VIRTUAL | QUIRE_UPDATE_REPEAT, 0, 0, table, 40,
			    8, &page, 1);
	packet_copied(&packets, table, VA + DATA - CONTEXT, 64);
	packet_flush_tlb(&packets, PTE_VALID | PTE_SEGMENT(1) | TABLE(3), VA, VA + 8 * PAGE);
}

static void space_packets(struct seed *seed)
{
	make_space(seed);
	packets_of_all();
	submit(seed, BUFFER, packets.size, QUIRE_ENTRY_CONTEXT);
	seed_reach(seed, "quire_packet ring 0 opcode 0x%x ", QUIRE_OP_FLUSH_TLB);
}

static void space_commands(struct seed *seed)
{
	make_space(seed);
	seed->ring = 1;
	command_fill(&packets, VA + DATA - CONTEXT, PAGE, 0x11223344);
	command_copy(&packets, VA + DATA - CONTEXT, VA + DATA - CONTEXT + 8, PAGE);
	command_write_value(&packets, VA + DATA - CONTEXT, 5);
	submit(seed, BUFFER, packets.size, QUIRE_ENTRY_CONTEXT);
	seed_reach_done(seed);
}

static void space_fault(struct seed *seed)
{
	make_space(seed);
	packet_fill_virtual(&packets, VA + 31 * PAGE, 2 * PAGE, 1);
	submit(seed, BUFFER, packets.size, QUIRE_ENTRY_CONTEXT);
	seed_reach_fault(seed, QUIRE_FAULT_PAGE);
}

/* A context that has a fault already. */
static void space_refused(struct seed *seed)
{
	space_fault(seed);
	packet_fill_virtual(&packets, VA, 8, 1);
	submit(seed, BUFFER, packets.size, QUIRE_ENTRY_CONTEXT);
	seed_reach_fault(seed, QUIRE_FAULT_BAD_CONTEXT);
}

/* Packets that are read where a virtual address leads to: what another packet has put there. */
static void space_fetch(struct seed *seed)
{
	static struct packets inner;
	unsigned int i;

	make_space(seed);
	inner.size = 0;
	packet_fill_virtual(&inner, VA + DATA - CONTEXT + PAGE, PAGE, 1);
	for (i = 0; i < inner.size; i += 8)
		packet_physical(&packets, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_VRAM, DATA + i, 8,
				quire_get_le64(inner.bytes + i));
	submit(seed, BUFFER, packets.size, 0);
	submit(seed, VA + DATA - CONTEXT, inner.size, QUIRE_ENTRY_CONTEXT | QUIRE_ENTRY_VIRTUAL);
	seed_reach(seed, "quire_packet ring 0 opcode 0x%x ", QUIRE_OP_FILL_VIRTUAL);
}

static void reset_space(struct seed *seed)
{
	make_space(seed);
	packets_of_all();
	submit(seed, BUFFER, packets.size, QUIRE_ENTRY_CONTEXT);
	seed_register(seed, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	packet_fill_virtual(&packets, VA + 32 * PAGE, 8, 1);
	submit(seed, BUFFER, packets.size, QUIRE_ENTRY_CONTEXT);
	seed_reach_fault(seed, QUIRE_FAULT_PAGE);
}

const struct scene seeds_space[] = {
	{ "space_packets", space_packets },
	{ "space_commands", space_commands },
	{ "space_fault", space_fault },
	{ "space_refused", space_refused },
	{ "space_fetch", space_fetch },
	{ "space_reset", reset_space },
	{ 0 },
};
