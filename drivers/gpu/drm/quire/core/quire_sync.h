/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SYNC_H
#define QUIRE_SYNC_H

#include <linux/limits.h>

struct drm_device;
struct drm_file;
struct drm_quire_array;

/**
 * struct quire_sync - one syncobj that gets a fence, or has one to be waited for
 * @flags: DRM_QUIRE_SYNC_*, one of them
 * @handle: of the syncobj
 * @point: of a timeline; 0 for a binary syncobj
 * @syncobj: the syncobj; NULL until it was looked up
 * @chain: link for a timeline that gets a fence; else NULL
 * @fence: to be waited for, after it was looked up; else NULL
 */
struct quire_sync {
	u32 flags;
	u32 handle;
	u64 point;
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	struct dma_fence *fence;
};

#define QUIRE_SYNCS_NONE	U32_MAX

/**
 * struct quire_syncs - all syncobjs of one ioctl
 * @items: the syncobjs; NULL if there are none
 * @count: number of @items
 * @refused: after an error: index of the element that is wrong; %QUIRE_SYNCS_NONE: none is
 */
struct quire_syncs {
	struct quire_sync *items;
	u32 count;
	u32 refused;
};

int quire_syncs_init(struct quire_syncs *syncs, struct drm_device *drm,
		     const struct drm_quire_array *array, u32 flags);
void quire_syncs_fini(struct quire_syncs *syncs);
int quire_syncs_lookup(struct quire_syncs *syncs, struct drm_device *drm,
		       struct drm_file *file);
void quire_syncs_signal(struct quire_syncs *syncs, struct dma_fence *work);

#endif
