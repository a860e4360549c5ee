/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_EXEC_H
#define QUIRE_EXEC_H

struct drm_device;
struct drm_file;

int quire_exec_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
