/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DEVICE_GUARD_H
#define QUIRE_DEVICE_GUARD_H

#include <linux/cleanup.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "quire_ring.h"

int quire_device_use(struct drm_device *drm);
int quire_device_check(struct drm_device *drm);

/* Recovery gave the device up: nothing is executed any more, content of VRAM is lost. */
static inline bool quire_device_is_wedged(struct quire_device *qdev)
{
	return quire_ring_error(qdev->paging_ring) == -EIO;
}

/* The device is used until the end of the scope, unless the variable is negative: an error. */
DEFINE_CLASS(quire_device, int, if (_T >= 0) drm_dev_exit(_T), quire_device_use(drm),
	     struct drm_device *drm)

#endif
