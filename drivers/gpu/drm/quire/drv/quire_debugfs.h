/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DEBUGFS_H
#define QUIRE_DEBUGFS_H

struct dentry;
struct drm_minor;
struct quire_device;

void quire_debugfs_init(struct drm_minor *minor);

/* quire_debugfs_device.c */
void quire_debugfs_device_init(struct dentry *root, struct quire_device *qdev);

#endif
