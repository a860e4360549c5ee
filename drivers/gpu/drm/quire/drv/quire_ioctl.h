/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_IOCTL_H
#define QUIRE_IOCTL_H

#include <drm/drm_ioctl.h>

struct drm_device;
struct drm_file;
struct drm_mode_create_dumb;
struct file;

#define QUIRE_NUM_IOCTLS	20

extern const struct drm_ioctl_desc quire_ioctls[QUIRE_NUM_IOCTLS];

int quire_dumb_create(struct drm_file *file, struct drm_device *drm,
		      struct drm_mode_create_dumb *args);

long quire_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
#ifdef CONFIG_COMPAT
long quire_ioctl_compat(struct file *filp, unsigned int cmd, unsigned long arg);
#else
#define quire_ioctl_compat	NULL
#endif

#endif
