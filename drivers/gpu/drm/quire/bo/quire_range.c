// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Swizzling ranges
 *
 * The device has a few windows through which the CPU sees an image in VRAM as if it were linear.
 * An image gets one when its mapping is touched, and keeps it until it leaves VRAM or another image
 * takes it over: from the least recently used one, together with its mappings. The driver does not
 * see uses of a mapping, but the device does (%QUIRE_REG_RANGE_OLDEST)::
 *
 *     touch --> has a range? --yes--------------------------> mapping through it
 *                   | no                                        ^
 *                   +--> a free one, else steal: take away     |
 *                        mappings of its image, program it ----+
 *
 * An image that can have none, because the device has less than two or it is too large, leaves VRAM
 * instead, with UNSWIZZLE; VRAM has any other in one run (quire_vram_mgr.c). An image with an
 * alternate view (quire_view.c) takes a free range, or leaves.
 *
 * Locking: &quire_ranges.lock, inside of the reservation and of &quire_device.vram_access, held
 * from quire_range_acquire() until the mapping is there, so that a thief takes that away.
 *
 * Source: DXGKDDI_ACQUIRESWIZZLINGRANGE, DXGKDDI_RELEASESWIZZLINGRANGE;
 * Documentation/gpu/quire/device.rst, swizzling ranges.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/pci.h>
#include <linux/rwsem.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_vma_manager.h>
#include <drm/ttm/ttm_resource.h>

#include <quire/quire_hw.h>
#include <quire/quire_layout.h>

#include "core/quire_regs.h"
#include "queue/quire_paging_queue.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_range.h"
#include "quire_view.h"

/* One instruction may copy from an image to another one, and would never have both. */
#define RANGES_LEAST	2

static struct quire_ranges *bo_ranges(struct quire_bo *bo)
{
	return quire_bo_device(bo)->ranges;
}

static u32 range_number(const struct quire_ranges *ranges, const struct quire_range *range)
{
	return range - ranges->ranges;
}

static void range_write(struct quire_device *qdev, const struct quire_range *range, u32 reg,
			u32 value)
{
	quire_write32(qdev->regs, QUIRE_RANGE(range_number(qdev->ranges, range), reg), value);
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
	range->data = quire_read32(qdev->regs, QUIRE_RANGE(range_number(qdev->ranges, range),
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
	u64 bytes = pci_resource_len(pdev, QUIRE_BAR_RANGES);
	u32 i;
	int ret;

	ret = drmm_mutex_init(&qdev->drm, &ranges->lock);
	if (ret)
		return ret;

	ranges->size = quire_read32(qdev->regs, QUIRE_REG_RANGE_SIZE);
	ranges->count = quire_read32(qdev->regs, QUIRE_REG_RANGE_COUNT);
	ranges->count = min(ranges->count, QUIRE_RANGE_MAX);
	if (!ranges->size || bytes < ranges->count * ranges->size ||
	    ranges->count < RANGES_LEAST)
		ranges->count = 0;
	if (!ranges->count)
		ranges->size = 0;
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

	mutex_lock(&ranges->lock);
	for (i = 0; i < ranges->count; i++) {
		ranges->ranges[i].enabled = false;
		if (ranges->ranges[i].bo)
			range_clear(ranges, &ranges->ranges[i]);
	}
	mutex_unlock(&ranges->lock);
}

/**
 * quire_range_suits - may it ever have a range?
 * @bo: the object
 *
 * Returns: true if it is an image that a range can show, were it in VRAM in one run.
 */
bool quire_range_suits(const struct quire_bo *bo)
{
	const struct quire_ranges *ranges = ttm_to_quire(bo->base.bdev)->ranges;

	return quire_bo_is_tiled(bo) && ranges->count &&
	       quire_layout_linear_size(&bo->allocation.layout) <= ranges->size;
}

/**
 * quire_range_can_have - can it have a range where it is?
 * @bo: the object, in VRAM, reserved
 *
 * Returns: true if so; another image may lose its range for that, unless @bo has an alternate
 * view.
 */
bool quire_range_can_have(struct quire_bo *bo)
{
	return quire_range_suits(bo) &&
	       (!quire_bo_has_view(bo) || READ_ONCE(bo->range) || READ_ONCE(bo_ranges(bo)->free));
}

static void range_take(struct quire_device *qdev, struct quire_bo *bo)
{
	struct quire_ranges *ranges = qdev->ranges;
	struct quire_range *range;
	u32 i;

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
}

/**
 * quire_range_acquire - get a range, or keep the one that it has
 * @bo: the object, reserved; quire_range_can_have()
 *
 * &quire_ranges.lock is held until the mapping is there. The caller is inside of drm_dev_enter().
 *
 * Returns: true; false if it has an alternate view, and no range is free.
 *
 * Source: DXGKDDI_ACQUIRESWIZZLINGRANGE.
 */
bool quire_range_acquire(struct quire_bo *bo)
{
	struct quire_ranges *ranges = bo_ranges(bo);

	lockdep_assert_held(&ranges->lock);

	if (!bo->range && (!quire_bo_has_view(bo) || ranges->free))
		range_take(quire_bo_device(bo), bo);
	return bo->range;
}

static int range_lock_uses(struct rw_semaphore *access, const struct ttm_operation_ctx *ctx)
{
	if (ctx->no_wait_gpu)
		return down_read_trylock(access) ? 0 : -EBUSY;
	if (ctx->interruptible)
		return down_read_interruptible(access) ? -ERESTARTSYS : 0;
	down_read(access);
	return 0;
}

/**
 * quire_range_leave - give a range up that the device disables
 * @bo: the object, reserved; no program has a mapping of it, and none can get one
 * @ctx: how to wait
 * @use: returned, for the special lock; %QUIRE_PAGING_NO_RANGE if it has none
 *
 * The special lock ends the use, if another image has not taken the range before. Without one the
 * range stays enabled, unseen.
 *
 * After a reset of the function another use may have the same name. So with 0 none comes before
 * quire_range_left(): &quire_device.vram_access is held.
 *
 * Returns: 0; -ERESTARTSYS; -EBUSY the function is being reset, and @ctx lets nobody wait.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, SpecialLockTransfer.SwizzlingRangeId and
 * SwizzlingRangeData.
 */
int quire_range_leave(struct quire_bo *bo, const struct ttm_operation_ctx *ctx,
		      struct quire_range_use *use)
{
	struct quire_ranges *ranges = bo_ranges(bo);
	int ret;

	ret = range_lock_uses(&quire_bo_device(bo)->vram_access, ctx);
	if (ret)
		return ret;

	*use = (struct quire_range_use) { .id = QUIRE_PAGING_NO_RANGE };

	mutex_lock(&ranges->lock);
	if (bo->range) {
		use->id = range_number(ranges, bo->range);
		use->data = bo->range->data;
		range_clear(ranges, bo->range);
	}
	mutex_unlock(&ranges->lock);
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
	struct quire_ranges *ranges = bo_ranges(bo);

	if (use->id != QUIRE_PAGING_NO_RANGE && !IS_ERR(fence)) {
		/* @fence itself is not kept: if programs have seen it, it pins the module. */
		mutex_lock(&ranges->lock);
		ranges->left = true;
		mutex_unlock(&ranges->lock);
	}
	up_read(&quire_bo_device(bo)->vram_access);
}

/**
 * quire_ranges_wait_left - wait for all special locks that name a use
 * @qdev: the device; &quire_device.vram_access is held for writing, so no range is left meanwhile
 *
 * The device counts uses anew after a reset of the function, and a special lock that was queued
 * before must not end one of the same name. Waits for all that is queued if there may be any.
 * Allocates nothing. Not interrupted; the watchdog ends it.
 */
void quire_ranges_wait_left(struct quire_device *qdev)
{
	lockdep_assert_held_write(&qdev->vram_access);

	if (qdev->ranges->left)
		quire_paging_queue_wait(qdev->paging_queue);
	qdev->ranges->left = false;
}

/**
 * quire_range_is_owned - has it a range?
 * @bo: the object
 *
 * It may be stolen at any time, unless no program has a mapping of the object.
 *
 * Returns: true if it has one now.
 */
bool quire_range_is_owned(struct quire_bo *bo)
{
	struct quire_ranges *ranges = bo_ranges(bo);
	bool owned;

	if (!quire_bo_is_tiled(bo))
		return false;

	mutex_lock(&ranges->lock);
	owned = bo->range;
	mutex_unlock(&ranges->lock);
	return owned;
}

/**
 * quire_range_release - give a range up, if it has one
 * @bo: the object; no program has a mapping of it, and none can get one
 *
 * While the device goes it stays enabled: the next owner, still inside of drm_dev_enter(),
 * disables it first.
 *
 * Source: DXGKDDI_RELEASESWIZZLINGRANGE.
 */
void quire_range_release(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	int idx;

	if (!quire_bo_is_tiled(bo))
		return;

	mutex_lock(&qdev->ranges->lock);
	if (bo->range) {
		if (drm_dev_enter(&qdev->drm, &idx)) {
			range_disable(qdev, bo->range);
			drm_dev_exit(idx);
		}
		range_clear(qdev->ranges, bo->range);
	}
	mutex_unlock(&qdev->ranges->lock);
}

/**
 * quire_range_pfn - where the CPU sees a page of it
 * @bo: the object, with a range; &quire_ranges.lock is held
 * @page: PAGE_SIZE units from the start of its linear form
 *
 * Returns: the page frame number.
 */
unsigned long quire_range_pfn(struct quire_bo *bo, unsigned long page)
{
	struct quire_ranges *ranges = bo_ranges(bo);

	lockdep_assert_held(&ranges->lock);

	return PHYS_PFN(ranges->base + range_number(ranges, bo->range) * ranges->size) + page;
}
