/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PRIME_H
#define QUIRE_PRIME_H

#include <linux/list.h>
#include <linux/spinlock.h>

struct dma_buf;
struct drm_device;
struct drm_gem_object;
struct quire_bo;
struct quire_device;
struct sg_table;

/**
 * struct quire_shares - objects that others hold on to
 * @lock: of @pinned
 * @pinned: objects whose pages others use for as long as they like
 * @imports: objects whose pages are others'; protected by
 *           &drm_device.object_name_lock
 */
struct quire_shares {
	spinlock_t lock; /* of pinned */
	struct list_head pinned;
	struct list_head imports;
};

/* quire_prime.c */
struct dma_buf *quire_prime_export(struct drm_gem_object *obj, int flags);
struct sg_table *quire_prime_get_sg_table(struct drm_gem_object *obj);
bool quire_prime_is_ours(struct drm_device *drm, struct dma_buf *dma_buf);
void quire_prime_invalidate(struct quire_bo *bo);
void quire_prime_init(struct quire_device *qdev);
struct quire_bo *quire_prime_take_pinned(struct quire_device *qdev);

#endif
