/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DEVICE_GUARD_H
#define QUIRE_DEVICE_GUARD_H

#include <linux/types.h>

struct drm_device;
struct quire_device;

bool quire_device_is_wedged(struct quire_device *qdev);
int quire_device_enter(struct drm_device *drm, int *idx);
void quire_device_exit(int idx);

#endif
