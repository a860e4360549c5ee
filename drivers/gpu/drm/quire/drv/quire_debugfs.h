/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DEBUGFS_H
#define QUIRE_DEBUGFS_H

struct dentry;
struct drm_minor;
struct quire_device;

void quire_debugfs_init(struct drm_minor *minor);
void quire_debugfs_device_init(struct dentry *root, struct quire_device *qdev);
void quire_debugfs_options_init(void);
void quire_debugfs_options_fini(void);
void quire_debugfs_inject_init(struct dentry *root, struct quire_device *qdev);
void quire_debugfs_residency_init(struct dentry *root, struct quire_device *qdev);
void quire_debugfs_vram_init(struct dentry *root, struct quire_device *qdev);

#endif
