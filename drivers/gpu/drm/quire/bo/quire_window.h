/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_WINDOW_H
#define QUIRE_WINDOW_H

#include <linux/rwsem.h>

#include "quire_bo.h"

/**
 * struct quire_window - through which the CPU sees pages of the aperture
 * @base: CPU physical address of BAR 1
 * @size: bytes of it, which are those of the aperture from its start; 0: there is none
 * @access: read while the CPU gets mappings of it or looks through it, inside of reservations and
 *          of &quire_device.vram_access; written while the device has no aperture
 * @evicted: where objects that it may show go when they leave VRAM, the best first
 * @faults: how often the CPU got mappings of it, for debugfs
 */
struct quire_window {
	resource_size_t base;
	u64 size;
	struct rw_semaphore access;
	struct ttm_place evicted[2];
	atomic64_t faults;
};

/* While it is in the aperture, the CPU sees it through the window. */
static inline bool quire_window_is_for(const struct quire_bo *bo)
{
	return bo->flags & DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE;
}

/* CPU physical address of a range of the aperture that the window shows. */
static inline u64 quire_window_address(const struct quire_device *qdev,
				       const struct ttm_resource *res)
{
	return qdev->window->base + ((u64)res->start << PAGE_SHIFT);
}

/* It is about to lose its aperture: no mappings until quire_window_open(), by the same task. */
static inline void quire_window_close(struct quire_device *qdev)
{
	down_write(&qdev->window->access);
	unmap_mapping_range(qdev->ttm.dev_mapping, 0, 0, 1);
}

/* The device has its aperture again, or was given up: allow mappings of the window. */
static inline void quire_window_open(struct quire_device *qdev)
{
	up_write(&qdev->window->access);
}

int quire_window_init(struct quire_device *qdev);

#endif
