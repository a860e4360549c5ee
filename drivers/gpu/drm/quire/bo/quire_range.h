/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RANGE_H
#define QUIRE_RANGE_H

#include <linux/mutex.h>

#include <quire/quire_hw.h>

#include "quire_bo_layout.h"

struct dma_fence;

/**
 * struct quire_range - a window through which the CPU sees an image in VRAM
 * @bo: the image, or NULL
 * @data: which use of it this is, or was: %QUIRE_RANGE_DATA
 * @enabled: the device may show something through it, also one that has left, until the device saw
 *           that
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
 * @lock: of what follows, and &quire_bo.range; held while the CPU gets mappings of one
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
	struct mutex lock; /* of what follows */
	struct quire_range ranges[QUIRE_RANGE_MAX];
	u32 count;
	u32 free;
	bool left;
	u64 size;
	resource_size_t base;
	atomic64_t acquired;
	atomic64_t stolen;
};

/* May it ever have a range: is it an image that one can show, were it in VRAM in one run? */
static inline bool quire_range_suits(const struct quire_bo *bo)
{
	const struct quire_ranges *ranges = ttm_to_quire(bo->base.bdev)->ranges;

	return quire_bo_is_tiled(bo) && ranges->count &&
	       quire_layout_linear_size(&bo->allocation.layout) <= ranges->size;
}

/* In VRAM and reserved; another image may lose its range for it, unless it has a view. */
static inline bool quire_range_can_have(struct quire_bo *bo)
{
	return quire_range_suits(bo) && (!quire_bo_has_view(bo) || READ_ONCE(bo->range) ||
					 READ_ONCE(quire_bo_device(bo)->ranges->free));
}

/* Has it a range now? That may be stolen while a program has a mapping. */
static inline bool quire_range_is_owned(struct quire_bo *bo)
{
	if (!quire_bo_is_tiled(bo))
		return false;

	guard(mutex)(&quire_bo_device(bo)->ranges->lock);
	return bo->range;
}

int quire_ranges_init(struct quire_device *qdev);
void quire_ranges_forget(struct quire_device *qdev);
void quire_ranges_wait_left(struct quire_device *qdev);
bool quire_range_acquire(struct quire_bo *bo);
int quire_range_leave(struct quire_bo *bo, const struct ttm_operation_ctx *ctx,
		      struct quire_range_use *use);
void quire_range_left(struct quire_bo *bo, const struct quire_range_use *use,
		      struct dma_fence *fence);
void quire_range_release(struct quire_bo *bo);

#endif
