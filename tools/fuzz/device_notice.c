// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Packets of the paging ring about residency, MMUs and allocations: good or nearly so. */
#include <linux/array_size.h>

#include "device_guest.h"

#define SEGMENT_PAGES	(VRAM_SIZE / FUZZ_PAGE)

static uint32_t put_residency(struct fuzz_input *input, uint8_t *packet, uint32_t *flags)
{
	uint32_t segment = QUIRE_SEGMENT_VRAM + fuzz_below(input, 2);

	*flags = fuzz_below(input, 2);
	put(packet + 8, 1 + fuzz_below(input, 3), 4);
	put(packet + 12, *flags ? 1 + fuzz_below(input, SEGMENT_PAGES) : 0, 4);
	put(packet + 16, *flags ? QUIRE_ADDRESS(segment, fuzz_below(input, 4) * FUZZ_PAGE) : 0, 8);
	return sizeof(struct quire_packet_notify_residency);
}

static uint32_t put_residency2(struct fuzz_input *input, uint8_t *packet, uint32_t *flags)
{
	uint32_t runs, size = sizeof(struct quire_packet_notify_residency2), i;

	*flags = fuzz_below(input, 2);
	runs = 1 + fuzz_below(input, 4);
	put(packet + 8, 1 + fuzz_below(input, 3), 4);
	put(packet + 12, QUIRE_SEGMENT_VRAM + fuzz_below(input, 2), 4);
	put(packet + 16, fuzz_below(input, 4), 4);
	put(packet + 20, runs, 4);
	for (i = 0; *flags && i < runs; i++, size += 8)
		put(packet + size, fuzz_below(input, SEGMENT_PAGES) << QUIRE_RUN_COUNT_BITS, 8);
	return size;
}

static uint32_t put_map_mmu(struct fuzz_input *input, uint8_t *packet, uint32_t *flags)
{
	uint32_t segment = fuzz_below(input, 2), pages = 1 + fuzz_below(input, 6), i;
	uint32_t size = sizeof(struct quire_packet_map_mmu), numbers;

	*flags = fuzz_below(input, 4);
	numbers = *flags & QUIRE_MAP_CONTIGUOUS ? 1 : pages;
	put(packet + 8, fuzz_below(input, QUIRE_MMU_COUNT), 4);
	put(packet + 12, segment, 4);
	put(packet + 16, fuzz_below(input, MMU_SIZE / FUZZ_PAGE) * FUZZ_PAGE, 8);
	put(packet + 24, pages, 4);
	put(packet + 28, 0, 4);
	for (i = 0; i < numbers; i++, size += 8)
		put(packet + size, segment ? fuzz_below(input, SEGMENT_PAGES) :
		    take_run(input) >> QUIRE_RUN_COUNT_BITS, 8);
	return size;
}

static uint32_t put_unmap_mmu(struct fuzz_input *input, uint8_t *packet, uint32_t *flags)
{
	*flags = 0;
	put(packet + 8, fuzz_below(input, QUIRE_MMU_COUNT), 4);
	put(packet + 12, 1 + fuzz_below(input, 6), 4);
	put(packet + 16, fuzz_below(input, MMU_SIZE / FUZZ_PAGE) * FUZZ_PAGE, 8);
	return sizeof(struct quire_packet_unmap_mmu);
}

/* Some fences, mostly in VRAM and of the address space of a context. */
static uint32_t put_fences(struct fuzz_input *input, uint8_t *packet, uint32_t *flags)
{
	uint32_t fences = 1 + fuzz_below(input, 3), size = 8, i;

	*flags = 0;
	for (i = 0; i < fences; i++, size += sizeof(struct quire_fence_place)) {
		uint32_t segment = fuzz_below(input, 4) ? QUIRE_SEGMENT_VRAM :
							  fuzz_below(input, 3);
		uint64_t at = segment == QUIRE_SEGMENT_SYSTEM ? RAM_BASE : 0;
		bool nowhere = !fuzz_below(input, 8);

		put(packet + size, fuzz_below(input, 4), 4);
		put(packet + size + 4, 0, 4);
		put(packet + size + 8, nowhere ? 0 : table_entry(fuzz_below(input, 2), 3), 8);
		put(packet + size + 16, nowhere ? 0 :
		    QUIRE_ADDRESS(segment, at + 8 + 8 * fuzz_below(input, 4 * FUZZ_PAGE / 8)), 8);
		put(packet + size + 24, nowhere ? 0 :
		    QUIRE_ADDRESS(segment, at + 8 + 8 * fuzz_below(input, 4 * FUZZ_PAGE / 8)), 8);
	}
	return size;
}

/* A copy with an MMU on one side, or on both. */
static uint32_t put_mmu_copy(struct fuzz_input *input, uint8_t *packet, uint32_t *flags)
{
	*flags = 0;
	put(packet + 8, QUIRE_SEGMENT_VRAM + fuzz_below(input, 4), 4);
	put(packet + 12, QUIRE_SEGMENT_VRAM + fuzz_below(input, 4), 4);
	put(packet + 16, fuzz_below(input, 6 * FUZZ_PAGE), 8);
	put(packet + 24, fuzz_below(input, 6 * FUZZ_PAGE), 8);
	put(packet + 32, 1 + fuzz_below(input, 4 * FUZZ_PAGE), 8);
	return sizeof(struct quire_packet_transfer);
}

static const struct {
	uint32_t opcode;
	uint32_t (*fill)(struct fuzz_input *input, uint8_t *packet, uint32_t *flags);
} notices[] = {
	{ QUIRE_OP_NOTIFY_RESIDENCY, put_residency },
	{ QUIRE_OP_NOTIFY_RESIDENCY2, put_residency2 },
	{ QUIRE_OP_MAP_MMU, put_map_mmu },
	{ QUIRE_OP_UNMAP_MMU, put_unmap_mmu },
	{ QUIRE_OP_NOTIFY_FENCES, put_fences },
	{ QUIRE_OP_TRANSFER, put_mmu_copy },
};

/* One of them; seldom a word is another one. */
uint32_t make_notice(struct fuzz_input *input, uint8_t *packet)
{
	uint32_t which = fuzz_below(input, ARRAY_SIZE(notices)), flags, size;
	uint32_t odd = fuzz_take(input, 1);

	size = notices[which].fill(input, packet, &flags);
	if (odd < 16)
		put(packet + 8 + (odd & 12), take_edge(input), 4);
	if (odd == 16)
		size += 8;
	if (odd == 17)
		flags = fuzz_take(input, 2);
	put(packet, notices[which].opcode | flags << 16, 4);
	put(packet + 4, size, 4);
	return size;
}
