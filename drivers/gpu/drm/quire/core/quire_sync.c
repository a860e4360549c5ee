// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Syncobjs
 *
 * The array of &struct drm_quire_sync of an ioctl. Everything that can fail is done before the
 * work, in quire_syncs_init() and quire_syncs_lookup(). When the work is queued,
 * quire_syncs_signal() only hands out.
 */
#include <linux/cleanup.h>
#include <linux/dma-fence-chain.h>
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include <drm/drm_syncobj.h>
#include <uapi/drm/quire_drm.h>

#include "quire_array.h"
#include "quire_refuse.h"
#include "quire_sync.h"

static const struct quire_array_type sync_type = {
	.name = "syncs",
	.size = sizeof(struct drm_quire_sync),
	.min_stride = offsetofend(struct drm_quire_sync, point),
	.max_count = DRM_QUIRE_MAX_SYNCS,
};

/**
 * quire_syncs_init - read, check and allocate
 * @syncs: to initialise; for quire_syncs_fini() if 0 is returned
 * @drm: for messages
 * @array: of &struct drm_quire_sync, in the memory of the program
 * @flags: DRM_QUIRE_SYNC_* of which each has exactly one
 *
 * Returns: 0; -EINVAL, -E2BIG, -EFAULT as &struct drm_quire_array and &struct drm_quire_bo_place
 * say; -ENOMEM.
 */
int quire_syncs_init(struct quire_syncs *syncs, struct drm_device *drm,
		     const struct drm_quire_array *array, u32 flags)
{
	struct drm_quire_sync *args __free(kvfree) = quire_array_read(drm, array, &sync_type);
	int ret = 0;
	u32 i;

	*syncs = (struct quire_syncs) { .refused = QUIRE_SYNCS_NONE };
	if (IS_ERR_OR_NULL(args))
		return PTR_ERR_OR_ZERO(args);

	syncs->count = array->count;
	syncs->items = kcalloc(syncs->count, sizeof(*syncs->items), GFP_KERNEL_ACCOUNT);
	if (!syncs->items)
		return -ENOMEM;

	for (i = 0; i < syncs->count && !ret; i++) {
		struct quire_sync *sync = &syncs->items[i];

		sync->flags = args[i].flags;
		sync->handle = args[i].handle;
		sync->point = args[i].point;
		if (!is_power_of_2(sync->flags) || sync->flags & ~flags) {
			syncs->refused = i;
			ret = quire_refuse(drm, -EINVAL,
					   "syncs: element %u: flags %#x of handle %u, not one of %#x",
					   i, sync->flags, sync->handle, flags);
		} else if (sync->point && sync->flags == DRM_QUIRE_SYNC_SIGNAL) {
			sync->chain = dma_fence_chain_alloc();
			ret = sync->chain ? 0 : -ENOMEM;
		}
	}
	if (ret)
		quire_syncs_fini(syncs);
	return ret;
}

/**
 * quire_syncs_fini - free what quire_syncs_init() made
 * @syncs: signalled or not; zero, or after an error there is nothing to free
 */
void quire_syncs_fini(struct quire_syncs *syncs)
{
	u32 i;

	for (i = 0; syncs->items && i < syncs->count; i++) {
		if (syncs->items[i].syncobj)
			drm_syncobj_put(syncs->items[i].syncobj);
		dma_fence_chain_free(syncs->items[i].chain);
		dma_fence_put(syncs->items[i].fence);
	}
	kfree(syncs->items);
	syncs->items = NULL;
}

/**
 * quire_syncs_lookup - find the syncobjs, and the fences to be waited for
 * @syncs: from quire_syncs_init()
 * @drm: for messages
 * @file: whose handles they are
 *
 * Returns: 0; -ENOENT a handle is not of a syncobj, or one to be waited for has no fence.
 */
int quire_syncs_lookup(struct quire_syncs *syncs, struct drm_device *drm,
		       struct drm_file *file)
{
	struct dma_fence *fence;
	int ret = 0;
	u32 i;

	for (i = 0; i < syncs->count && !ret; i++) {
		struct quire_sync *sync = &syncs->items[i];

		if (sync->flags != DRM_QUIRE_SYNC_WAIT) {
			sync->syncobj = drm_syncobj_find(file, sync->handle);
			if (!sync->syncobj)
				ret = quire_refuse(drm, -ENOENT, "syncs: element %u: no syncobj %u",
						   i, sync->handle);
		} else if (drm_syncobj_find_fence(file, sync->handle, sync->point, 0, &fence)) {
			/* It leaves a fence behind that is not ours. */
			ret = quire_refuse(drm, -ENOENT,
					   "syncs: element %u: syncobj %u: no fence at %llu", i,
					   sync->handle, sync->point);
		} else {
			sync->fence = fence;
		}
	}
	if (ret)
		syncs->refused = i - 1;
	return ret;
}

/**
 * quire_syncs_signal - let all syncobjs that shall be signalled end with some work
 * @syncs: found by quire_syncs_lookup(); called once, if there are any
 * @work: fence of the work, consumed; NULL if it is done
 */
void quire_syncs_signal(struct quire_syncs *syncs, struct dma_fence *work)
{
	struct dma_fence *fence = work ?: dma_fence_get_stub();
	u32 i;

	for (i = 0; i < syncs->count; i++) {
		struct quire_sync *sync = &syncs->items[i];

		if (!sync->syncobj)
			continue;
		if (sync->chain)
			drm_syncobj_add_point(sync->syncobj, sync->chain, fence, sync->point);
		else
			drm_syncobj_replace_fence(sync->syncobj, fence);
		sync->chain = NULL; /* belongs to the syncobj now */
	}
	dma_fence_put(fence);
}
