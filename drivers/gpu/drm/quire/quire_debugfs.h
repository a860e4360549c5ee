/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DEBUGFS_H
#define QUIRE_DEBUGFS_H

struct drm_minor;

void quire_debugfs_init(struct drm_minor *minor);

#endif
