// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Contexts and page tables of a hostile guest: sane at first, then with entries of any kind at any
 * place, and the packets about them. Nobody keeps tables and contexts from being written while
 * packets run.
 */
#include <stdio.h>
#include <string.h>

#include <linux/array_size.h>

#include "device_guest.h"

/* Tables by level, in RAM and in VRAM; contexts are pages of both. */
#define TABLE_RAM(level)	((96u + (level)) * FUZZ_PAGE)
#define TABLE_VRAM(level)	((8u + (level)) * FUZZ_PAGE)
#define CONTEXT_RAM(n)		((104u + (n)) * FUZZ_PAGE)
#define CONTEXT_VRAM		(7u * FUZZ_PAGE)
#define CONTEXTS		2u
#define SAVE_RAM		(106u * FUZZ_PAGE)

/* What is mapped at first: pages of 4 KiB, one of 64 KiB, and one of 2 MiB. */
#define SPACE_BASE		0x7fffffe00000ull
#define SPACE_PAGES		48u

/* The entry that leads to the table of a level; of level 3 the root. */
uint64_t table_entry(bool vram, unsigned int level)
{
	return vram ? QUIRE_PTE(QUIRE_SEGMENT_VRAM, TABLE_VRAM(level), QUIRE_PTE_VALID) :
		      QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, RAM_BASE + TABLE_RAM(level),
				QUIRE_PTE_VALID);
}

static uint8_t *table_bytes(struct guest *guest, bool vram, unsigned int level)
{
	return vram ? guest->host.vram + TABLE_VRAM(level) : guest->ram + TABLE_RAM(level);
}

/* A page of 4 KiB of memory that there is. */
static uint64_t take_page(struct fuzz_input *input)
{
	uint32_t choice = fuzz_take(input, 1), page = fuzz_take(input, 1);
	uint64_t bits = QUIRE_PTE_VALID;

	if (choice & 1 && choice < 64)
		bits |= QUIRE_PTE_READ_ONLY;
	if (choice & 2 && choice < 64)
		bits |= QUIRE_PTE_NO_EXECUTE;
	if (choice < 100)
		return QUIRE_PTE(QUIRE_SEGMENT_VRAM, page % 16 * FUZZ_PAGE, bits);
	if (choice < 150)
		return QUIRE_PTE(QUIRE_SEGMENT_APERTURE, page % APERTURE_PAGES * FUZZ_PAGE, bits);
	if (choice & 4)
		bits |= QUIRE_PTE_CACHE_COHERENT;
	return QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, RAM_BASE + page % 128 * FUZZ_PAGE, bits);
}

/* An entry of a table: a page of any size, a table, which may be on the way already, or less. */
static uint64_t take_entry(struct fuzz_input *input)
{
	uint32_t choice = fuzz_take(input, 1), level = choice % QUIRE_PT_LEVELS;

	if (choice < 96)
		return take_page(input);
	if (choice < 150)
		return table_entry(choice & 4, level);
	if (choice < 170)
		return QUIRE_PTE(QUIRE_SEGMENT_VRAM, 0, QUIRE_PTE_VALID | QUIRE_PTE_64K);
	if (choice < 190)
		return QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, RAM_BASE + level % 2 * 0x10000,
				 QUIRE_PTE_VALID | QUIRE_PTE_64K);
	if (choice < 215)
		return QUIRE_PTE(choice & 1, (choice & 2) << 20,
				 QUIRE_PTE_VALID | QUIRE_PTE_LARGE);
	if (choice < 225)
		return QUIRE_PTE_VALID | QUIRE_PTE_ZERO;
	if (choice < 240)
		return 0;
	return choice < 250 ? take_edge(input) | fuzz_take(input, 2) % 4096 : fuzz_take(input, 8);
}

/* Virtual addresses of what is mapped, or was, and sometimes others. */
uint64_t take_va(struct fuzz_input *input, uint32_t align)
{
	uint32_t choice = fuzz_take(input, 1);
	uint64_t va = SPACE_BASE + fuzz_below(input, SPACE_PAGES + 2) * FUZZ_PAGE;

	if (choice < 4)
		return take_edge(input);
	if (choice < 8)
		return QUIRE_VA_END - fuzz_take(input, 2) / align * align;
	if (choice < 16)
		va += (2u << 20) - SPACE_PAGES / 2 * FUZZ_PAGE; /* across the end of a table */
	return va + fuzz_below(input, FUZZ_PAGE / align) * align;
}

/* QUIRE_ADDRESS() of a context, mostly of one that there is. */
uint64_t take_context(struct fuzz_input *input)
{
	uint32_t choice = fuzz_take(input, 1);

	if (choice < 160)
		return QUIRE_ADDRESS(QUIRE_SEGMENT_SYSTEM,
				     RAM_BASE + CONTEXT_RAM(choice % CONTEXTS));
	if (choice < 240)
		return QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, CONTEXT_VRAM);
	return QUIRE_ADDRESS(choice % 4, choice < 250 ? take_edge(input) :
			     fuzz_below(input, APERTURE_PAGES) * FUZZ_PAGE);
}

static void make_context(uint8_t *context, uint64_t root, bool saves)
{
	memset(context, 0, FUZZ_PAGE);
	put(context, QUIRE_CONTEXT_MAGIC, 4);
	put(context + 8, root, 8);
	if (saves)
		put(context + 40, RAM_BASE + SAVE_RAM, 8);
}

static void make_tables(struct guest *guest, bool vram)
{
	uint32_t level, i, index;

	for (level = 0; level < QUIRE_PT_LEVELS; level++) {
		uint8_t *table = table_bytes(guest, vram, level);

		memset(table, 0, FUZZ_PAGE);
		index = SPACE_BASE >> QUIRE_PT_SHIFT(level) & (QUIRE_PT_ENTRIES - 1);
		for (i = 0; !level && i < SPACE_PAGES; i++)
			put(table + (index + i) * 8, take_page(&guest->input), 8);
		for (i = 32; !level && i < SPACE_PAGES; i++)
			put(table + (index + i) * 8,
			    QUIRE_PTE(QUIRE_SEGMENT_VRAM, 0, QUIRE_PTE_VALID | QUIRE_PTE_64K), 8);
		if (level)
			put(table + index * 8, table_entry(guest->input.random & 1, level - 1), 8);
	}
}

/* An address space in either memory, and contexts that have one. */
void make_spaces(struct guest *guest)
{
	make_tables(guest, false);
	make_tables(guest, true);
	make_context(guest->ram + CONTEXT_RAM(0), table_entry(false, 3), true);
	make_context(guest->ram + CONTEXT_RAM(1), table_entry(true, 3), false);
	make_context(guest->host.vram + CONTEXT_VRAM, table_entry(true, 3), true);
	put(guest->ram + SAVE_RAM, QUIRE_SAVE_MAGIC, 4);
}

/* What a processor does: an entry, or a context, changes at any time. */
void change_space(struct guest *guest)
{
	struct fuzz_input *input = &guest->input;
	uint32_t choice = fuzz_take(input, 1), level = choice / 2 % QUIRE_PT_LEVELS;
	uint8_t *table = table_bytes(guest, choice & 1, level);
	uint32_t index = SPACE_BASE >> QUIRE_PT_SHIFT(level) & (QUIRE_PT_ENTRIES - 1);

	if (choice >= 250) {
		make_spaces(guest);
	} else if (choice >= 225) {
		make_context(guest->ram + CONTEXT_RAM(choice % CONTEXTS),
			     choice & 2 ? table_entry(choice & 4, 3) : take_entry(input),
			     choice & 8);
	} else {
		if (!level)
			index = (index + fuzz_below(input, SPACE_PAGES)) % QUIRE_PT_ENTRIES;
		put(table + index * 8, take_entry(input), 8);
	}
}

/* Where an INIT_CONTEXT or an UPDATE_PAGE_TABLE writes; returns the flag that says so. */
static uint32_t put_place(struct fuzz_input *input, uint8_t *packet)
{
	uint32_t choice = fuzz_take(input, 1), level = choice / 4 % QUIRE_PT_LEVELS;

	put(packet + 8, choice & 1, 4);
	if (choice < 100) {
		put(packet + 16, choice & 1 ? TABLE_VRAM(level) : RAM_BASE + TABLE_RAM(level), 8);
		return 0;
	}
	put(packet + 16, choice < 200 ? take_va(input, FUZZ_PAGE) : take_edge(input), 8);
	if (choice & 2)
		put(packet + 8, 0, 4);
	return choice & 2 ? QUIRE_ADDRESS_VIRTUAL : 0;
}

/* Returns the size; @flags are of the header. */
static uint32_t put_update(struct fuzz_input *input, uint8_t *packet, uint32_t *flags)
{
	uint32_t level = fuzz_below(input, QUIRE_PT_LEVELS), size = 32, count, i;
	uint32_t index = SPACE_BASE >> QUIRE_PT_SHIFT(level) & (QUIRE_PT_ENTRIES - 1);
	bool one;

	*flags = put_place(input, packet) | (fuzz_below(input, 4) ? 0 : fuzz_below(input, 32));
	one = *flags & (QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_CONTIGUOUS);
	if (*flags & QUIRE_UPDATE_64K)
		index /= QUIRE_PT_ENTRIES_64K;
	count = 1 + fuzz_below(input, one ? 33 : 8);
	put(packet + 12, level, 4);
	put(packet + 24, fuzz_below(input, 4) ? index : fuzz_take(input, 2) % 514, 4);
	put(packet + 28, count, 4);
	for (i = 0; i < (one ? 1 : count); i++, size += 8)
		put(packet + size, *flags & QUIRE_UPDATE_NOTIFY_EVICTION ? 0 : take_entry(input),
		    8);
	return size;
}

static uint32_t put_update_context(struct fuzz_input *input, uint8_t *packet)
{
	uint32_t words = 1 + fuzz_below(input, 5), i;

	put(packet + 8, take_va(input, FUZZ_PAGE), 8);
	put(packet + 16, fuzz_below(input, 6) * 8, 4);
	put(packet + 20, words * 8, 4);
	for (i = 0; i < words; i++)
		put(packet + 24 + 8 * i, i ? take_entry(input) : QUIRE_CONTEXT_MAGIC, 8);
	return 24 + words * 8;
}

static uint32_t put_copies(struct fuzz_input *input, uint8_t *packet)
{
	uint32_t ranges = 1 + fuzz_below(input, 4), size = 8;

	for (; ranges; ranges--, size += 32) {
		put(packet + size, take_va(input, FUZZ_PAGE), 8);
		put(packet + size + 8, take_va(input, FUZZ_PAGE), 8);
		put(packet + size + 16, fuzz_below(input, 480), 4);
		put(packet + size + 20, fuzz_below(input, 480), 4);
		put(packet + size + 24, 1 + fuzz_below(input, 32), 4);
		put(packet + size + 28, 0, 4);
	}
	return size;
}

static uint32_t put_flush(struct fuzz_input *input, uint8_t *packet)
{
	uint32_t choice = fuzz_take(input, 1);

	put(packet + 8, choice < 16 ? take_entry(input) : table_entry(choice & 1, 3), 8);
	put(packet + 16, choice & 2 ? take_va(input, FUZZ_PAGE) : 0, 8);
	put(packet + 24, choice & 2 ? QUIRE_VA_END : 0, 8);
	return 32;
}

static uint32_t put_virtual(struct fuzz_input *input, uint8_t *packet, uint32_t opcode,
			    uint32_t *flags)
{
	switch (opcode) {
	case QUIRE_OP_TRANSFER_VIRTUAL:
		put(packet + 8, fuzz_below(input, 3), 8);
		put(packet + 16, take_va(input, 1), 8);
		put(packet + 24, take_va(input, 1), 8);
		put(packet + 32, 1 + fuzz_below(input, 8 * FUZZ_PAGE), 8);
		*flags = fuzz_below(input, 4) ? 0 : fuzz_below(input, 4);
		return 40;
	case QUIRE_OP_FILL_VIRTUAL:
		put(packet + 8, take_va(input, 4), 8);
		put(packet + 16, (1 + fuzz_below(input, 2 * FUZZ_PAGE)) * 4, 8);
		put(packet + 24, fuzz_take(input, 4), 8);
		return 32;
	case QUIRE_OP_INIT_CONTEXT:
		*flags = put_place(input, packet);
		put(packet + 12, 0, 4);
		return 24;
	case QUIRE_OP_UPDATE_PAGE_TABLE:
		return put_update(input, packet, flags);
	case QUIRE_OP_FLUSH_TLB:
		return put_flush(input, packet);
	case QUIRE_OP_UPDATE_CONTEXT:
		return put_update_context(input, packet);
	default:
		return put_copies(input, packet);
	}
}

/* A packet on virtual addresses, page tables or contexts, one field of it sometimes wrong. */
uint32_t make_virtual(struct guest *guest, uint8_t *packet)
{
	struct fuzz_input *input = &guest->input;
	uint32_t opcode = QUIRE_OP_TRANSFER_VIRTUAL + fuzz_below(input, 7), flags = 0, size;
	uint32_t odd = fuzz_take(input, 1);

	size = put_virtual(input, packet, opcode, &flags);
	if (odd < 8)
		put(packet + 8 + odd % ((size - 8) / 4) * 4, fuzz_take(input, 4), 4);
	else if (odd < 16)
		put(packet + 8 + odd % ((size - 8) / 8) * 8, take_edge(input), 8);
	if (odd == 16)
		flags = fuzz_take(input, 2);
	put(packet, opcode | flags << 16, 4);
	put(packet + 4, odd == 17 ? fuzz_take(input, 2) : size, 4);
	return size;
}

/* ---- what is latched ---- */

static unsigned long latches;

/* check.sh wants some. */
void latches_tell(void)
{
	fprintf(stderr, "reach: %lu latched\n", latches);
}

static bool is_latched(uint32_t code)
{
	return code == QUIRE_FAULT_PAGE || code == QUIRE_FAULT_PROTECTION ||
	       code == QUIRE_FAULT_BAD_PTE;
}

/* Has any other ring done something? It may have written where the context is. */
static bool others_moved(const struct guest *guest, const struct moment *before, unsigned int ring)
{
	const struct quire_ring *other = guest->host.engine.ring;
	unsigned int i;

	for (i = 0; i < RINGS; i++, other++)
		if (i != ring && (other->progress != before->progress[i] ||
				  other->rptr != before->rptr[i] || other->active ||
				  other->fault_code != before->fault[i]))
			return true;

	return false;
}

static uint32_t get32(const uint8_t *from)
{
	return from[0] | from[1] << 8 | from[2] << 16 | (uint32_t)from[3] << 24;
}

/*
 * Of the entry at which a ring has stopped; 0 if that is in no memory. A processor may have
 * changed it since it was fetched, but not if it was in this slice.
 */
static uint64_t context_at(struct guest *guest, const struct moment *before, unsigned int i)
{
	const struct quire_ring *ring = &guest->host.engine.ring[i];
	uint64_t at = ring->entries + (ring->rptr & ((1u << ring->order) - 1)) * 32, len = 32;
	const uint8_t *entry;

	if (before->active[i] && before->rptr[i] == ring->rptr)
		return before->context[i];
	entry = memory_host_find(&guest->host, at, &len, false);
	return entry && len >= 32 ? get32(entry + 24) | (uint64_t)get32(entry + 28) << 32 : 0;
}

/* The page, if it is one of make_spaces(); else NULL. */
static const uint8_t *context_of(struct guest *guest, uint64_t at)
{
	uint32_t i;

	if (at == QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, CONTEXT_VRAM))
		return guest->host.vram + CONTEXT_VRAM;
	for (i = 0; i < CONTEXTS; i++)
		if (at == RAM_BASE + CONTEXT_RAM(i) && guest->host.regions[0].size)
			return guest->ram + CONTEXT_RAM(i);
	return NULL;
}

static void check_latch(struct guest *guest, const struct moment *before, unsigned int i)
{
	const uint8_t *context = context_of(guest, context_at(guest, before, i));
	const struct quire_ring *ring = &guest->host.engine.ring[i];
	uint64_t addr;

	if (!context)
		return;
	latches++;
	addr = get32(context + 16) | (uint64_t)get32(context + 20) << 32;
	FINDING_IF(get32(context + 4) != QUIRE_CONTEXT_FAULT);
	FINDING_IF(addr != ring->fault_addr || addr >= QUIRE_VA_END);
	FINDING_IF(get32(context + 32) != ring->fault_code);
	FINDING_IF(!(get32(context + 36) & 7) || get32(context + 36) >> 8 > QUIRE_PT_LEVELS);
}

void moment_take(const struct guest *guest, struct moment *moment)
{
	unsigned int i;

	for (i = 0; i < RINGS; i++) {
		moment->progress[i] = guest->host.engine.ring[i].progress;
		moment->rptr[i] = guest->host.engine.ring[i].rptr;
		moment->fault[i] = guest->host.engine.ring[i].fault_code;
		moment->context[i] = guest->host.engine.ring[i].context;
		moment->active[i] = guest->host.engine.ring[i].active;
	}
}

/* After a slice: faults of address spaces are in their contexts. */
void check_latches(struct guest *guest, const struct moment *before)
{
	const struct quire_ring *ring = guest->host.engine.ring;
	unsigned int i;

	for (i = 0; i < RINGS; i++, ring++) {
		if (before->fault[i] || !is_latched(ring->fault_code))
			continue;
		if (!others_moved(guest, before, i))
			check_latch(guest, before, i);
	}
}
