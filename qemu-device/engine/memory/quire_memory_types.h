/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: places in memory, and mappings of them.
 *
 * Layer of memory: segments, the aperture and the flat MMUs, the write buffer, and mappings of
 * the host. A segment and an offset come in, places and mapped bytes go out. It uses core, and
 * knows neither virtual addresses nor packets.
 */
#ifndef QUIRE_MEMORY_TYPES_H
#define QUIRE_MEMORY_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct quire_section;

/* Segments that no packet names; entries of page tables have five bits for theirs. */
#define QUIRE_SEGMENT_VIRTUAL	32u /* virtual addresses */
#define QUIRE_SEGMENT_NOWHERE	33u /* no memory: reads as zero, what is written is lost */

/**
 * struct quire_place - bytes that are contiguous
 * @segment: %QUIRE_SEGMENT_VRAM, %QUIRE_SEGMENT_SYSTEM or %QUIRE_SEGMENT_NOWHERE
 * @addr: VRAM offset or DMA address of the first
 * @len: how many
 * @posted: what is written there goes through the write buffer
 */
struct quire_place {
	uint32_t segment;
	uint64_t addr;
	uint64_t len;
	bool posted;
};

/**
 * struct quire_mapping - memory of one piece of one side
 * @ptr: first byte; NULL if what is written is lost
 * @len: bytes
 * @dma: it is in system memory
 * @section: of that: where; NULL if the host has mapped it, and has to unmap it
 * @posted: of a source: it is in the write buffer, where its place may be taken by others later; of
 *          a destination: what is written has to go there
 */
struct quire_mapping {
	void *ptr;
	uint64_t len;
	bool dma;
	bool posted;
	const struct quire_section *section;
};

#endif
