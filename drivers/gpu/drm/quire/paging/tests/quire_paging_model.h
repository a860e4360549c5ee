/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_MODEL_H
#define QUIRE_PAGING_MODEL_H

#include <linux/types.h>

#define QUIRE_MODEL_PAGE	4096
#define QUIRE_MODEL_VRAM	32 /* pages */
#define QUIRE_MODEL_APERTURE	24
#define QUIRE_MODEL_WINDOW	20 /* aperture pages that the CPU can see */
#define QUIRE_MODEL_MMU		16 /* pages of each */
#define QUIRE_MODEL_LIST	24 /* system pages that page lists name */
#define QUIRE_MODEL_SYSTEM	(QUIRE_MODEL_LIST + QUIRE_MODEL_APERTURE)

/* First page numbers: VRAM lies across 4 GiB, system memory far above. */
#define QUIRE_MODEL_VRAM_BASE	0xffff0ull
#define QUIRE_MODEL_SYSTEM_BASE	0x400000000ull

/**
 * struct quire_model - memory that packets are executed on
 * @vram: bytes of VRAM from QUIRE_MODEL_VRAM_BASE on
 * @system: bytes of system memory from QUIRE_MODEL_SYSTEM_BASE on
 * @aperture: system page number of each aperture page
 * @coherent: aperture page was mapped so
 * @visible: aperture page is seen by the CPU
 * @reads: physical reads
 * @writes: physical writes
 *
 * The first QUIRE_MODEL_LIST system pages are for page lists, the others stand
 * behind the aperture.
 */
struct quire_model {
	u8 vram[QUIRE_MODEL_VRAM * QUIRE_MODEL_PAGE];
	u8 system[QUIRE_MODEL_SYSTEM * QUIRE_MODEL_PAGE];
	u64 aperture[QUIRE_MODEL_APERTURE];
	u8 coherent[QUIRE_MODEL_APERTURE];
	u8 visible[QUIRE_MODEL_APERTURE];
	u32 reads;
	u32 writes;
};

/**
 * struct quire_model_packet - fields of a packet, whatever its operation
 * @opcode: of the header
 * @flags: of the header
 * @size: of the header, bytes
 * @src_segment: of a transfer, else 0
 * @segment: destination of a transfer, else the only segment
 * @src_address: of a transfer, bytes
 * @address: bytes; for aperture operations the first page's, of a transfer that converts
 *           the linear side's
 * @bytes: moved, filled, dropped, read, written, mapped or unmapped
 * @value: pattern, value, dummy page, what says where an address list is, range of a
 *         special lock, direction, root, first entry of a page table, or allocation
 * @converts: between the two forms of an image
 * @runs: first page run; first page-table entry, range of these, byte of a context, or page
 *        number that an MMU gets
 * @nr_runs: number of page runs, of entries in the packet, or of ranges
 * @count: of page-table entries that are written, or of pages that a notice is of
 * @numbers: first page number of an address list
 */
struct quire_model_packet {
	u32 opcode;
	u32 flags;
	u32 size;
	u32 src_segment;
	u32 segment;
	u64 src_address;
	u64 address;
	u64 bytes;
	u64 value;
	bool converts;
	const u8 *runs;
	u32 nr_runs;
	u32 count;
	const u8 *numbers;
};

void quire_model_reset(struct quire_model *model);
u8 *quire_model_page(struct quire_model *model, u32 segment, u64 page);
const char *quire_model_decode(const u8 *bytes, u32 left, struct quire_model_packet *packet);
u64 quire_model_run_first(const struct quire_model_packet *packet, u32 nr);
u64 quire_model_run_pages(const struct quire_model_packet *packet, u32 nr);
u64 quire_model_adl_page(const struct quire_model_packet *packet, u64 nr);
const char *quire_model_execute(struct quire_model *model, u8 *scratch,
				const u8 *bytes, u32 size);

#endif
