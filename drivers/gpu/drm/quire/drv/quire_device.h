/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DEVICE_H
#define QUIRE_DEVICE_H

/**
 * DOC: Layer drv
 *
 * The module: PCI probe and removal, sleep (quire_drv.c), bringing the device up and down, recovery
 * of the paging ring (quire_device.c), the table of ioctls, queries, statistics and debugfs.
 *
 * In: what the kernel calls. Out: nothing calls it. May use: all others.
 */

struct device;
struct drm_driver;
struct quire_device;

struct quire_device *quire_device_alloc(struct device *dev, const struct drm_driver *driver);
int quire_device_init(struct quire_device *qdev);
void quire_device_suspend(struct quire_device *qdev);
int quire_device_resume(struct quire_device *qdev);
void quire_device_stop(struct quire_device *qdev);
void quire_device_fini(struct quire_device *qdev);

#endif
