/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RANGE_H
#define QUIRE_RANGE_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include <quire/quire_hw.h>

struct dma_fence;
struct quire_bo;
struct quire_device;
struct ttm_operation_ctx;

/**
 * struct quire_range - a window through which the CPU sees an image in VRAM
 * @bo: the image, or NULL
 * @data: which use of it this is, or was: %QUIRE_RANGE_DATA
 * @enabled: the device may show something through it: without an image, one that has left,
 *           until the device has seen that
 */
struct quire_range {
	struct quire_bo *bo;
	u32 data;
	bool enabled;
};

/**
 * struct quire_range_use - what a range was used for, as the device knows it
 * @id: its number, or %QUIRE_PAGING_NO_RANGE
 * @data: %QUIRE_RANGE_DATA; 0 without a range
 */
struct quire_range_use {
	u32 id;
	u32 data;
};

/**
 * struct quire_ranges - the swizzling ranges of a device
 * @lock: who has which; held while the CPU gets mappings of one
 * @ranges: by their number
 * @count: how many there are
 * @left: special locks that name a use may be queued
 * @free: how many no image has; read without the lock as well
 * @size: bytes that each of them shows
 * @base: CPU physical address of the first
 * @acquired: how often one was taken
 * @stolen: how often from an image that had it
 */
struct quire_ranges {
	struct mutex lock; /* protects all that follows, and quire_bo.range */
	struct quire_range ranges[QUIRE_RANGE_MAX];
	u32 count;
	u32 free;
	bool left;
	u64 size;
	resource_size_t base;
	atomic64_t acquired;
	atomic64_t stolen;
};

int quire_ranges_init(struct quire_device *qdev);
void quire_ranges_forget(struct quire_device *qdev);
void quire_ranges_wait_left(struct quire_device *qdev);
bool quire_range_suits(const struct quire_bo *bo);
bool quire_range_can_have(struct quire_bo *bo);
bool quire_range_acquire(struct quire_bo *bo);
bool quire_range_is_owned(struct quire_bo *bo);
int quire_range_leave(struct quire_bo *bo, const struct ttm_operation_ctx *ctx,
		      struct quire_range_use *use);
void quire_range_left(struct quire_bo *bo, const struct quire_range_use *use,
		      struct dma_fence *fence);
void quire_range_release(struct quire_bo *bo);
unsigned long quire_range_pfn(struct quire_bo *bo, unsigned long page);

#endif
