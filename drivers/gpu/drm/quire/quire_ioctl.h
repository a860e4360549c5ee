/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_IOCTL_H
#define QUIRE_IOCTL_H

#include <drm/drm_ioctl.h>

struct drm_device;
struct drm_file;

#define QUIRE_NUM_IOCTLS	7

extern const struct drm_ioctl_desc quire_ioctls[QUIRE_NUM_IOCTLS];

/* quire_query.c */
int quire_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* Every ioctl that touches the device is between these two. */
int quire_ioctl_enter(struct drm_device *drm, int *idx);
void quire_ioctl_exit(int idx);

#endif
