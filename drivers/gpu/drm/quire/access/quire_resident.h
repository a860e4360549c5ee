/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RESIDENT_H
#define QUIRE_RESIDENT_H

struct drm_device;
struct drm_file;

int quire_make_resident_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int quire_evict_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
