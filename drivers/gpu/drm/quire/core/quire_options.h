/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_OPTIONS_H
#define QUIRE_OPTIONS_H

#include <linux/types.h>

/**
 * struct quire_options - what tests ask of the driver
 * @check_dummy_page: look for writes to the dummy page (hw/quire_aperture.c)
 * @mmu_pages: pages of each MMU that are used; 0: all
 * @patch_early: also patch paging buffers when they are pushed
 * @patch_twice: patch paging buffers twice each time
 * @patch_refuse: break the first record that is no notice, in the N-th paging buffer that has one;
 *                counts down, under &quire_ring.lock; 0: none
 * @patch_commands_twice: patch each part of a command buffer twice
 * @split_every_point: split command buffers at every split point
 * @split_lru: evict what a split submission used least recently, to compare the planner with
 * @split_seed: split command buffers at points that this number chooses; 0: do not
 * @split_max_bytes: bytes of each segment that a submission may use; 0: all
 *
 * Of all devices, off by default: files of the same name in /sys/kernel/debug/quire
 * (drv/quire_drv.c). Read them with READ_ONCE().
 */
struct quire_options {
	bool check_dummy_page;
	u32 mmu_pages;
	bool patch_early;
	bool patch_twice;
	u32 patch_refuse;
	bool patch_commands_twice;
	bool split_every_point;
	bool split_lru;
	u32 split_seed;
	unsigned long split_max_bytes;
};

extern struct quire_options quire_options;

#endif
