/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* How tests of the builder write its arguments down. */
#ifndef QUIRE_PAGING_ARGS_H
#define QUIRE_PAGING_ARGS_H

#include "../quire_paging.h"

#define PAGE	4096ull
#define TOP	(U64_MAX >> 12)	/* no run reaches this page number's end */

static const struct quire_paging_caps caps = {
	.vram_pages = 0x1000,
	.aperture_pages = 0x800,
	.window_pages = 0x700,
	.mmu_pages = 0x200,
	.max_packet_pages = 0x400,
	.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE,
	.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE,
};

#define RUNS(...)	(const struct quire_page_run[]) { __VA_ARGS__ }
#define LOCATION(number, nr, ...) \
	{ .segment = QUIRE_SEGMENT_##number, .nr_runs = nr, .runs = RUNS(__VA_ARGS__) }

#define NUMBERS(...)	(const u64[]) { __VA_ARGS__ }
#define FENCES(...)	(const struct quire_paging_fence_residency[]) { __VA_ARGS__ }

#define VRAM_8		LOCATION(VRAM, 1, { 0, 8 })
#define LIST_8		LOCATION(SYSTEM, 1, { 0, 8 })
#define CONTIGUOUS_8	{ .page_count = 8, .contiguous = true }

#endif
