/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PRIME_H
#define QUIRE_PRIME_H

#include "core/quire_compat.h"
#include "quire_bo.h"

struct sg_table;

/**
 * struct quire_shares - objects that others hold on to
 * @lock: of @pinned
 * @pinned: objects whose pages others use for as long as they like
 * @imports: objects whose pages are others'; has &drm_device.object_name_lock
 */
struct quire_shares {
	spinlock_t lock; /* of pinned */
	struct list_head pinned;
	struct list_head imports;
};

static inline void quire_prime_init(struct quire_shares *shares)
{
	spin_lock_init(&shares->lock);
	INIT_LIST_HEAD(&shares->pinned);
	INIT_LIST_HEAD(&shares->imports);
}

/* Tell importers, which are dynamic, as it is not pinned, that its pages go. It is reserved. */
static inline void quire_prime_invalidate(struct quire_bo *bo)
{
	dma_resv_assert_held(bo->base.base.resv);

	if (bo->dma_buf && !quire_bo_is_imported(bo))
		dma_buf_invalidate_mappings(bo->dma_buf);
}

/* Take an object off the list of a device that is unplugged. With a reference; or NULL. */
static inline struct quire_bo *quire_prime_take_pinned(struct quire_shares *shares)
{
	struct quire_bo *bo;

	spin_lock(&shares->lock);
	bo = list_first_entry_or_null(&shares->pinned, struct quire_bo, share_link);
	if (bo) {
		list_del_init(&bo->share_link);
		drm_gem_object_get(&bo->base.base);
	}
	spin_unlock(&shares->lock);
	return bo;
}

struct dma_buf *quire_prime_export(struct drm_gem_object *obj, int flags);
struct sg_table *quire_prime_get_sg_table(struct drm_gem_object *obj);
bool quire_prime_is_ours(struct drm_device *drm, struct dma_buf *dma_buf);

#endif
