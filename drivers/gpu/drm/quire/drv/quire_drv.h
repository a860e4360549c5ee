/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DRV_H
#define QUIRE_DRV_H

/**
 * DOC: Layer drv
 *
 * The module: PCI probe and removal, sleep (quire_drv.c), resets and recovery of the paging ring
 * (quire_reset.c), the table of ioctls, queries, statistics and debugfs.
 *
 * In: what the kernel calls. Out: nothing calls it. May use: all others.
 */

#include <drm/drm_ioctl.h>

#include "hw/quire_ring.h"

struct dentry;
struct drm_minor;
struct drm_mode_create_dumb;
struct drm_printer;
struct inode;
struct quire_device;
struct quire_watchdog;

/* quire_reset.c */
int quire_reset_init(struct quire_device *qdev);
void quire_device_reset(struct quire_device *qdev);
void quire_device_halt(struct quire_device *qdev);
int quire_device_revive(struct quire_device *qdev);
void quire_device_give_up(struct quire_device *qdev, const char *why);
void quire_recovery_stuck(struct quire_watchdog *watchdog, bool faulted);

/* quire_ioctl.c */
#define QUIRE_NUM_IOCTLS	20

extern const struct drm_ioctl_desc quire_ioctls[QUIRE_NUM_IOCTLS];

int quire_dumb_create(struct drm_file *file, struct drm_device *drm,
		      struct drm_mode_create_dumb *args);
long quire_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);
long quire_ioctl_compat(struct file *filp, unsigned int cmd, unsigned long arg);

/* quire_file.c */
int quire_file_open(struct drm_device *drm, struct drm_file *file);
void quire_file_postclose(struct drm_device *drm, struct drm_file *file);
int quire_file_release(struct inode *inode, struct file *filp);
void quire_file_show_fdinfo(struct drm_printer *p, struct drm_file *file);

/* quire_debugfs.c, quire_debugfs_device.c */
void quire_debugfs_init(struct drm_minor *minor);
void quire_debugfs_device_init(struct dentry *root, struct quire_device *qdev);

#endif
