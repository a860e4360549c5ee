// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <drm/drm_drv.h>

#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_bo_visible.h"
#include "quire_range.h"
#include "quire_validation.h"
#include "quire_vram_mgr.h"
#include "quire_window.h"

/*
 * Into the visible part of VRAM if that has room, unless it is an image, else out of VRAM, to the
 * aperture if the object may be there; nothing is evicted for it. While a placement waits for its
 * turn or has it, to system memory: the room is for that one. -EBUSY: it has to move, and has
 * foreign fences; the caller waits for those before, or placements would wait with it.
 */
static int bo_make_visible(struct quire_bo *bo, bool interruptible)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_validation validation = {
		.qdev = qdev,
		.ctx.base.interruptible = interruptible,
	};
	unsigned int first = quire_bo_is_tiled(bo) ? 1 : 0;
	struct ttm_place places[] = {
		{
			.mem_type = QUIRE_PL_VRAM,
			.lpfn = qdev->vram_visible >> PAGE_SHIFT,
			.flags = TTM_PL_FLAG_DESIRED,
		},
		quire_system_place,
		quire_system_place,
	};
	int ret;

	if (!bo->base.resource)
		return quire_bo_validate(bo, &quire_system_place, 1, &validation.ctx.base);
	if (quire_bo_is_visible(bo))
		return 0;
	if (quire_bo_has_others(bo))
		return -EBUSY;
	if (quire_bo_allows(bo, QUIRE_PL_APERTURE)) {
		quire_bo_aperture_place(bo, &places[1]);
		places[1].flags |= TTM_PL_FLAG_DESIRED;
	}
	quire_validation_enter(&validation);
	ret = quire_validation_place(&validation, bo, places + first, ARRAY_SIZE(places) - first);
	quire_validation_leave(&validation, ret);
	if (validation.mode == QUIRE_VALIDATION_STAYS)
		ret = quire_bo_validate(bo, &quire_system_place, 1, &validation.ctx.base);
	return ret;
}

/**
 * quire_bo_io_mem_pfn - &ttm_device_funcs.io_mem_pfn
 * @tbo: an object in visible VRAM, reserved, or one that the window shows; an image has a range,
 *       which can not be stolen
 * @page_offset: pages from its start, inside of the object
 *
 * Returns: the page frame number for the CPU.
 */
unsigned long quire_bo_io_mem_pfn(struct ttm_buffer_object *tbo, unsigned long page_offset)
{
	struct quire_device *qdev = ttm_to_quire(tbo->bdev);

	if (tbo->resource->mem_type == QUIRE_PL_APERTURE)
		return PHYS_PFN(quire_window_address(qdev, tbo->resource)) + page_offset;
	if (quire_bo_is_tiled(ttm_to_quire_bo(tbo)))
		return quire_range_pfn(ttm_to_quire_bo(tbo), page_offset);
	return PHYS_PFN(qdev->vram_base + quire_vram_page_offset(tbo->resource, page_offset));
}

/**
 * quire_bo_vm_make_visible - queue the move that brings an object in reach of the CPU
 * @bo: the object, reserved; not inside of drm_dev_enter()
 * @interruptible: whether the waits end with a signal
 *
 * Waits for foreign fences of an object that has to move. None are added meanwhile, but the lock
 * is held: callers wait before, if they can.
 *
 * Returns: 0, also where no move is needed; -EBUSY foreign fences did not end in 15 seconds;
 * -ENOMEM; -ERESTARTSYS; -ENODEV the device is gone.
 */
int quire_bo_vm_make_visible(struct quire_bo *bo, bool interruptible)
{
	int ret = 0, idx;

	if (!quire_bo_is_visible(bo))
		ret = quire_bo_wait_patiently(bo, interruptible);
	if (ret)
		return ret;
	if (!drm_dev_enter(&quire_bo_device(bo)->drm, &idx))
		return -ENODEV;
	ret = bo_make_visible(bo, interruptible);
	drm_dev_exit(idx);
	return ret;
}

/**
 * quire_bo_vm_wait_moved - wait for the moves of an object
 * @bo: the object, reserved; inside of drm_dev_enter() an unplug waits as well
 * @interruptible: whether a signal ends the wait
 *
 * If they failed, quire_bo_is_purged() says so.
 *
 * Returns: 0; -ERESTARTSYS a signal.
 */
int quire_bo_vm_wait_moved(struct quire_bo *bo, bool interruptible)
{
	long ret = dma_resv_wait_timeout(bo->base.base.resv, DMA_RESV_USAGE_KERNEL, interruptible,
					 MAX_SCHEDULE_TIMEOUT);

	return min(ret, 0);
}
