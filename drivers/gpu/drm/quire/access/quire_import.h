/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_IMPORT_H
#define QUIRE_IMPORT_H

struct dma_buf;
struct drm_device;
struct drm_gem_object;
struct quire_bo;
struct quire_device;

struct drm_gem_object *quire_import(struct drm_device *drm, struct dma_buf *dma_buf);
void quire_import_leave(struct quire_bo *bo);
void quire_import_remove(struct quire_device *qdev);

#endif
