/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_HANDLE_H
#define QUIRE_HANDLE_H

struct drm_file;
struct drm_gem_object;

int quire_handle_open(struct drm_gem_object *obj, struct drm_file *file);
void quire_handle_close(struct drm_gem_object *obj, struct drm_file *file);

#endif
