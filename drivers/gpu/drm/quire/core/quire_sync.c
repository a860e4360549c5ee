// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Syncobjs
 *
 * The array of &struct drm_quire_sync of an ioctl. Everything that can fail is done before the
 * work: quire_syncs_init() reads, checks and allocates, quire_syncs_lookup() finds the syncobjs.
 * When the work is queued, quire_syncs_signal() only hands out.
 */
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

static int sync_init(struct quire_syncs *syncs, u32 i, struct drm_device *drm,
		     const struct drm_quire_sync *arg, u32 flags)
{
	struct quire_sync *sync = &syncs->items[i];

	if (!is_power_of_2(arg->flags) || arg->flags & ~flags)
		return quire_refuse(drm, -EINVAL,
				    "syncs: element %u: flags %#x of handle %u, not one of %#x",
				    i, arg->flags, arg->handle, flags);

	sync->flags = arg->flags;
	sync->handle = arg->handle;
	sync->point = arg->point;
	if (!arg->point || arg->flags != DRM_QUIRE_SYNC_SIGNAL)
		return 0;
	sync->chain = dma_fence_chain_alloc();
	return sync->chain ? 0 : -ENOMEM;
}

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
	struct drm_quire_sync *args;
	int ret;
	u32 i;

	*syncs = (struct quire_syncs) { .refused = QUIRE_SYNCS_NONE };
	args = quire_array_read(drm, array, &sync_type);
	if (IS_ERR_OR_NULL(args))
		return PTR_ERR_OR_ZERO(args);

	syncs->count = array->count;
	syncs->items = kcalloc(syncs->count, sizeof(*syncs->items), GFP_KERNEL_ACCOUNT);
	ret = syncs->items ? 0 : -ENOMEM;
	for (i = 0; i < syncs->count && !ret; i++)
		ret = sync_init(syncs, i, drm, &args[i], flags);
	if (ret == -EINVAL)
		syncs->refused = i - 1;

	kvfree(args);
	if (ret)
		quire_syncs_fini(syncs);
	return ret;
}

/**
 * quire_syncs_fini - free what quire_syncs_init() made
 * @syncs: whether they were signalled or not; zero, or after an error there is nothing to free
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

static int sync_lookup(struct quire_syncs *syncs, u32 i, struct drm_device *drm,
		       struct drm_file *file)
{
	struct quire_sync *sync = &syncs->items[i];
	struct dma_fence *fence;

	if (sync->flags != DRM_QUIRE_SYNC_WAIT) {
		sync->syncobj = drm_syncobj_find(file, sync->handle);
		if (!sync->syncobj)
			return quire_refuse(drm, -ENOENT, "syncs: element %u: no syncobj %u", i,
					    sync->handle);
		return 0;
	}
	/* With an error it leaves a fence behind that is not ours. */
	if (drm_syncobj_find_fence(file, sync->handle, sync->point, 0, &fence))
		return quire_refuse(drm, -ENOENT, "syncs: element %u: syncobj %u: no fence at %llu",
				    i, sync->handle, sync->point);
	sync->fence = fence;
	return 0;
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
	int ret = 0;
	u32 i;

	for (i = 0; i < syncs->count && !ret; i++)
		ret = sync_lookup(syncs, i, drm, file);
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
			drm_syncobj_add_point(sync->syncobj, sync->chain, fence,
					      sync->point);
		else
			drm_syncobj_replace_fence(sync->syncobj, fence);
		sync->chain = NULL; /* belongs to the syncobj now */
	}
	dma_fence_put(fence);
}
