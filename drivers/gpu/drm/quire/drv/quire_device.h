/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DEVICE_H
#define QUIRE_DEVICE_H

#include <linux/types.h>

#include "hw/quire_watchdog.h"

struct device;
struct drm_driver;
struct quire_device;

struct quire_device *quire_device_alloc(struct device *dev, const struct drm_driver *driver);
int quire_device_init(struct quire_device *qdev, quire_watchdog_stuck_t stuck);
void quire_device_halt(struct quire_device *qdev);
int quire_device_revive(struct quire_device *qdev);
void quire_device_suspend(struct quire_device *qdev);
int quire_device_resume(struct quire_device *qdev);
void quire_device_stop(struct quire_device *qdev);
void quire_device_fini(struct quire_device *qdev);

#endif
