// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Using the device
 *
 * A call that needs the device has a variable of CLASS(quire_device, ...) while it uses it. An
 * unplug waits for these scopes to end.
 */
#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "quire_device_guard.h"

/**
 * quire_device_use - begin to use the device: constructor of CLASS(quire_device, ...)
 * @drm: the device
 *
 * Returns: what drm_dev_exit() wants, not negative; -ENODEV unplugged; -EIO wedged.
 */
int quire_device_use(struct drm_device *drm)
{
	int idx;

	if (!drm_dev_enter(drm, &idx))
		return quire_refuse(drm, -ENODEV, "the device is unplugged");
	if (quire_device_is_wedged(to_quire_device(drm))) {
		drm_dev_exit(idx);
		return quire_refuse(drm, -EIO, "the device is wedged");
	}
	return idx;
}

/**
 * quire_device_check - does the device work?
 * @drm: the device
 *
 * For a call that may take long: an unplug does not wait for it.
 *
 * Returns: 0; -ENODEV unplugged; -EIO wedged.
 */
int quire_device_check(struct drm_device *drm)
{
	CLASS(quire_device, device)(drm);

	return min(device, 0);
}
