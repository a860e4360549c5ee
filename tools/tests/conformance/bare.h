/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The device without its driver: this process has its registers, its ring and memory that it
 * reads and writes, and the builder, so that each operation can be seen by itself.
 */
#ifndef QUIRE_TEST_BARE_H
#define QUIRE_TEST_BARE_H

#include "quire_paging_list.h"

#define BARE_PAGE	4096u
#define BARE_VRAM	64u	/* pages of VRAM that are looked at, from its start */
#define BARE_PAGES	32u	/* pages of this process for page lists */

/**
 * struct bare_memory - what should be in memory
 * @vram: the first pages of VRAM
 * @pages: of this process
 */
struct bare_memory {
	u8 vram[BARE_VRAM][BARE_PAGE];
	u8 pages[BARE_PAGES][BARE_PAGE];
};

/**
 * struct bare - the device
 * @address: of it, for its driver
 * @regs: BAR 0
 * @vram: BAR 2
 * @visible: bytes of it
 * @window_bar: BAR 1; NULL if there is none
 * @window_address: where it is
 * @memory: pages for page lists, then ring, fence page and buffer
 * @frames: page numbers of these
 * @caps: for the builder; a test may lower the limits
 * @window: bytes of each buffer, at most a page
 * @records: private data of the buffer
 * @written: entries of the ring
 * @submissions: since the device was opened; the fence value of the last one
 * @passes: calls of the builder in the last bare_run()
 * @expected: what is compared with memory
 */
struct bare {
	char address[64];
	volatile u8 *regs;
	u8 *vram;
	u64 visible;
	u8 *window_bar;
	u64 window_address;
	u8 *memory;
	u64 frames[BARE_PAGES + 3];
	struct quire_paging_caps caps;
	u32 window;
	struct quire_paging_record records[128];
	u32 written;
	u64 submissions;
	u32 passes;
	struct bare_memory expected;
};

void bare_open(struct bare *bare);
void bare_close(struct bare *bare);

void bare_write32(struct bare *bare, u32 reg, u32 value);
u32 bare_read32(const struct bare *bare, u32 reg);
u64 bare_read64(const struct bare *bare, u32 reg);
u64 bare_packets(const struct bare *bare);
u64 bare_progress(const struct bare *bare);
u64 bare_aperture(const struct bare *bare, u32 page);

u8 *bare_page(const struct bare *bare, u32 page);
struct quire_page_run bare_run_of(const struct bare *bare, u32 page);
u64 bare_dma(const struct bare *bare, u32 page);
u8 *bare_buffer(const struct bare *bare);

void bare_start(struct bare *bare, u32 size);
bool bare_is_done(const struct bare *bare);
int bare_submit(struct bare *bare, u32 size);
u32 bare_fault(struct bare *bare);
int bare_run(struct bare *bare, struct quire_paging_args *args);

void bare_fill(struct bare *bare, u64 key);
bool bare_is_expected(const struct bare *bare);

#endif
