// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The window of the aperture
 *
 * The device may show the first pages of its aperture to the CPU, in BAR 1. An object that asks for
 * it is placed there, and then programs see it through the device, whatever its pages are, and not
 * by its pages. Both show the same bytes, so a mapping goes and comes as with every move::
 *
 *     system memory --MAP_APERTURE_SEGMENT2--> aperture --UNMAP_APERTURE_SEGMENT--> ...
 *     mapping: pages                           mapping: BAR 1
 *
 * Where an aperture page is not mapped, BAR 1 shows nothing that a program may see, and loses
 * writes. So mappings are taken away before a reset takes the aperture from the device, and come
 * back with it. Of a device that was given up the pages are mapped.
 *
 * Locking: &quire_window.access. Closing waits for tasks that get a mapping, and these do not wait
 * for the device, so recovery can do that.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment2.CpuVisibleAddress;
 * DXGK_ALLOCATIONINFOFLAGS, MapApertureCpuVisible.
 */
#include <linux/math.h>
#include <linux/pci.h>

#include <drm/drm_print.h>
#include <drm/ttm/ttm_resource.h>

#include <quire/quire_hw.h>

#include "core/quire_regs.h"
#include "hw/quire_device_guard.h"
#include "quire_bo.h"
#include "quire_window.h"

/**
 * quire_window_init - find out if there is a window
 * @qdev: the device, its registers are there, and the size of its aperture is known
 *
 * Returns: 0, or -ENODEV if the device says nonsense.
 */
int quire_window_init(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	struct quire_window *window = qdev->window;

	init_rwsem(&window->access);
	window->base = pci_resource_start(pdev, QUIRE_BAR_WINDOW);
	window->size = round_down(quire_read64(qdev->regs, QUIRE_REG_WINDOW_SIZE_LO), PAGE_SIZE);
	if (window->size > qdev->aperture_size ||
	    window->size > pci_resource_len(pdev, QUIRE_BAR_WINDOW)) {
		drm_err(&qdev->drm, "window makes no sense: %#llx of %#llx, BAR %#llx\n",
			window->size, qdev->aperture_size,
			(u64)pci_resource_len(pdev, QUIRE_BAR_WINDOW));
		return -ENODEV;
	}
	window->evicted[0] = (struct ttm_place) {
		.mem_type = QUIRE_PL_APERTURE,
		.lpfn = window->size >> PAGE_SHIFT,
		.flags = TTM_PL_FLAG_DESIRED,
	};
	window->evicted[1] = quire_system_place;
	return 0;
}

/**
 * quire_window_close - take the mappings of the window away
 * @qdev: the device; it is about to lose its aperture
 *
 * Writes before are in the pages; accesses from now on wait for quire_window_open(), which the
 * same task calls. Does not wait for the device.
 */
void quire_window_close(struct quire_device *qdev)
{
	down_write(&qdev->window->access);
	unmap_mapping_range(qdev->ttm.dev_mapping, 0, 0, 1);
}

/**
 * quire_window_shows - does the window show it now?
 * @bo: the object, reserved; &quire_window.access is held, and its moves are over
 *
 * Returns: false if the CPU has to use its pages or VRAM.
 */
bool quire_window_shows(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);

	lockdep_assert_held(&qdev->window->access);

	return quire_window_is_for(bo) && quire_bo_mem_type(&bo->base) == QUIRE_PL_APERTURE &&
	       !bo->unmapped && !quire_device_is_wedged(qdev);
}
