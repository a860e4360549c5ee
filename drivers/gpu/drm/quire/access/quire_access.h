/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_ACCESS_H
#define QUIRE_ACCESS_H

/**
 * DOC: Layer access
 *
 * Calls of programs about objects: creation and import, BO_PLACE, MAKE_RESIDENT and EVICT. They
 * wait for other users of an object with nothing held, take their turn, and then move it.
 *
 * In: ioctls. Out: quire_bo_validate(). May use: all before it, up to vm.
 */

#include <linux/types.h>

struct dma_buf;
struct dma_fence;
struct drm_device;
struct drm_file;
struct drm_gem_object;
struct quire_bo;
struct quire_bo_kind;
struct quire_device;
struct quire_usage;

/* quire_bo_place.c */
int quire_bo_place(struct quire_bo *bo, u32 mem_type, u32 flags, struct quire_usage *usage,
		   struct dma_fence **moved);

/* quire_gem.c */
extern const struct quire_bo_kind quire_gem_kind; /* objects of our own */
struct drm_gem_object *quire_import(struct drm_device *drm, struct dma_buf *dma_buf);
void quire_import_remove(struct quire_device *qdev);

/* quire_resident.c */
int quire_make_resident_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int quire_evict_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
