// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Swizzling ranges
 *
 * The device has a few windows through which the CPU sees an image in VRAM as if it were linear. An
 * image gets one when its mapping is touched, and keeps it until it leaves VRAM or another image
 * takes it over, together with its mappings: the least recently used one, which only the device
 * knows. An image that can have none, because the device has less than two or it is too large,
 * leaves VRAM instead.
 *
 * Locking: &quire_ranges.lock, inside of the reservation and of &quire_device.vram_access, held
 * from quire_range_acquire() until the mapping is there, so that a thief takes that away.
 *
 * Source: DXGKDDI_ACQUIRESWIZZLINGRANGE, DXGKDDI_RELEASESWIZZLINGRANGE.
 */
#include <linux/pci.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_vma_manager.h>

#include "core/quire_regs.h"
#include "queue/quire_paging_queue.h"
#include "quire_range.h"

/* One instruction may copy from an image to another one, and would never have both. */
#define RANGES_LEAST	2

static void range_write(struct quire_device *qdev, const struct quire_range *range, u32 reg,
			u32 value)
{
	quire_write32(qdev->regs, QUIRE_RANGE(range - qdev->ranges->ranges, reg), value);
}

static void range_disable(struct quire_device *qdev, struct quire_range *range)
{
	range_write(qdev, range, QUIRE_RANGE_CONTROL, 0);
	range->enabled = false;
}

static void range_enable(struct quire_device *qdev, struct quire_range *range)
{
	const struct quire_layout *layout = &range->bo->allocation.layout;
	u64 address = (u64)range->bo->base.resource->start << PAGE_SHIFT;

	range_write(qdev, range, QUIRE_RANGE_ADDR_LO, lower_32_bits(address));
	range_write(qdev, range, QUIRE_RANGE_ADDR_HI, upper_32_bits(address));
	range_write(qdev, range, QUIRE_RANGE_LAYOUT,
		    QUIRE_RANGE_LAYOUT_OF(layout->kind, layout->element_shift));
	range_write(qdev, range, QUIRE_RANGE_WIDTH, layout->width);
	range_write(qdev, range, QUIRE_RANGE_HEIGHT, layout->height);
	range_write(qdev, range, QUIRE_RANGE_LEVELS,
		    QUIRE_RANGE_LEVELS_OF(layout->levels, layout->array_size));
	range_write(qdev, range, QUIRE_RANGE_CONTROL, QUIRE_RANGE_CONTROL_ENABLE);
	range->data = quire_read32(qdev->regs, QUIRE_RANGE(range - qdev->ranges->ranges,
							   QUIRE_RANGE_DATA));
	range->enabled = true;
}

static void range_clear(struct quire_ranges *ranges, struct quire_range *range)
{
	WRITE_ONCE(range->bo->range, NULL);
	range->bo = NULL;
	WRITE_ONCE(ranges->free, ranges->free + 1);
}

/**
 * quire_ranges_init - find out which ranges there are, and disable them
 * @qdev: the device, its registers are there; it was reset
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_ranges_init(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	struct quire_ranges *ranges = qdev->ranges;
	u32 i;
	int ret;

	ret = drmm_mutex_init(&qdev->drm, &ranges->lock);
	if (ret)
		return ret;

	ranges->size = quire_read32(qdev->regs, QUIRE_REG_RANGE_SIZE);
	ranges->count = quire_read32(qdev->regs, QUIRE_REG_RANGE_COUNT);
	ranges->count = min(ranges->count, QUIRE_RANGE_MAX);
	if (!ranges->size || ranges->count < RANGES_LEAST ||
	    pci_resource_len(pdev, QUIRE_BAR_RANGES) < ranges->count * ranges->size) {
		ranges->count = 0;
		ranges->size = 0;
	}
	ranges->free = ranges->count;
	ranges->base = pci_resource_start(pdev, QUIRE_BAR_RANGES);
	for (i = 0; i < ranges->count; i++)
		range_write(qdev, &ranges->ranges[i], QUIRE_RANGE_CONTROL, 0);
	return 0;
}

/**
 * quire_ranges_forget - take all ranges from their images
 * @qdev: the device; no program has a mapping of VRAM, and the device forgets them, too
 */
void quire_ranges_forget(struct quire_device *qdev)
{
	struct quire_ranges *ranges = qdev->ranges;
	u32 i;

	guard(mutex)(&ranges->lock);
	for (i = 0; i < ranges->count; i++) {
		ranges->ranges[i].enabled = false;
		if (ranges->ranges[i].bo)
			range_clear(ranges, &ranges->ranges[i]);
	}
}

/**
 * quire_range_acquire - get a range, or keep the one that it has
 * @bo: the object, reserved; quire_range_can_have()
 *
 * &quire_ranges.lock is held until the mapping is there. The caller is inside of drm_dev_enter().
 *
 * Returns: true; false if it has an alternate view, and no range is free.
 */
bool quire_range_acquire(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_ranges *ranges = qdev->ranges;
	struct quire_range *range;
	u32 i;

	lockdep_assert_held(&ranges->lock);

	if (bo->range || (quire_bo_has_view(bo) && !ranges->free))
		return bo->range;

	for (i = 0; i < ranges->count && ranges->ranges[i].bo; i++)
		;
	if (i == ranges->count) {
		i = quire_read32(qdev->regs, QUIRE_REG_RANGE_OLDEST);
		/* A device that is gone reads as all ones. */
		i = i < ranges->count ? i : 0;
	}
	range = &ranges->ranges[i];

	if (range->bo) {
		/* Without the reservation: mappings go, and the lock keeps new ones away. */
		drm_vma_node_unmap(&range->bo->base.base.vma_node,
				   range->bo->base.bdev->dev_mapping);
		range_disable(qdev, range);
		range_clear(ranges, range);
		atomic64_inc(&ranges->stolen);
	} else if (range->enabled) {
		range_disable(qdev, range);
	}
	range->bo = bo;
	WRITE_ONCE(bo->range, range);
	WRITE_ONCE(ranges->free, ranges->free - 1);
	range_enable(qdev, range);
	atomic64_inc(&ranges->acquired);
	return true;
}

/**
 * quire_range_leave - give a range up that the device disables
 * @bo: the object, reserved; no program has a mapping of it, and none can get one
 * @ctx: how to wait
 * @use: returned, for the special lock; %QUIRE_PAGING_NO_RANGE if it has none
 *
 * The special lock ends the use, if another image has not taken the range before. Without one the
 * range stays enabled, unseen. After a reset of the function another use may have the same name: so
 * with 0 none comes before quire_range_left(), as &quire_device.vram_access is held.
 *
 * Returns: 0; -ERESTARTSYS; -EBUSY the function is being reset, and @ctx lets nobody wait.
 */
int quire_range_leave(struct quire_bo *bo, const struct ttm_operation_ctx *ctx,
		      struct quire_range_use *use)
{
	struct rw_semaphore *access = &quire_bo_device(bo)->vram_access;
	struct quire_ranges *ranges = quire_bo_device(bo)->ranges;

	if (ctx->no_wait_gpu) {
		if (!down_read_trylock(access))
			return -EBUSY;
	} else if (ctx->interruptible) {
		if (down_read_interruptible(access))
			return -ERESTARTSYS;
	} else {
		down_read(access);
	}
	*use = (struct quire_range_use) { .id = QUIRE_PAGING_NO_RANGE };

	guard(mutex)(&ranges->lock);
	if (bo->range) {
		use->id = bo->range - ranges->ranges;
		use->data = bo->range->data;
		range_clear(ranges, bo->range);
	}
	return 0;
}

/**
 * quire_range_left - a special lock is queued, or failed
 * @bo: the object, after quire_range_leave()
 * @use: what that returned
 * @fence: of the queue, end of the special lock; or an ERR_PTR
 */
void quire_range_left(struct quire_bo *bo, const struct quire_range_use *use,
		      struct dma_fence *fence)
{
	struct quire_device *qdev = quire_bo_device(bo);

	if (use->id != QUIRE_PAGING_NO_RANGE && !IS_ERR(fence)) {
		/* @fence itself is not kept: if programs have seen it, it pins the module. */
		guard(mutex)(&qdev->ranges->lock);
		qdev->ranges->left = true;
	}
	up_read(&qdev->vram_access);
}

/**
 * quire_ranges_wait_left - wait for all special locks that name a use
 * @qdev: the device; &quire_device.vram_access is held for writing, so no range is left meanwhile
 *
 * The device counts uses anew after a reset of the function, and a special lock that was queued
 * before must not end one of the same name. Allocates nothing; the watchdog ends it.
 */
void quire_ranges_wait_left(struct quire_device *qdev)
{
	lockdep_assert_held_write(&qdev->vram_access);

	if (qdev->ranges->left)
		quire_paging_queue_wait(qdev->paging_queue);
	qdev->ranges->left = false;
}

/**
 * quire_range_release - give a range up, if it has one
 * @bo: the object; no program has a mapping of it, and none can get one
 *
 * While the device goes it stays enabled: the next owner disables it first.
 */
void quire_range_release(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	int idx;

	if (!quire_bo_is_tiled(bo))
		return;

	guard(mutex)(&qdev->ranges->lock);
	if (!bo->range)
		return;
	if (drm_dev_enter(&qdev->drm, &idx)) {
		range_disable(qdev, bo->range);
		drm_dev_exit(idx);
	}
	range_clear(qdev->ranges, bo->range);
}
