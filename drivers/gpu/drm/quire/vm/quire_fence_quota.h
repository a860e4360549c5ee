/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FENCE_QUOTA_H
#define QUIRE_FENCE_QUOTA_H

#include <linux/types.h>

#include <uapi/drm/quire_drm.h>

#define QUIRE_FILE_FENCES		(DRM_QUIRE_MAX_FENCES / 4)
#define QUIRE_FILE_NATIVE_FENCES	(DRM_QUIRE_MAX_NATIVE_FENCES / 4)

struct quire_fence_quota;

/**
 * enum quire_fence_kind - what is counted apart
 * @QUIRE_FENCE_MONITORED: &struct quire_fence
 * @QUIRE_FENCE_NATIVE: &struct quire_native
 */
enum quire_fence_kind {
	QUIRE_FENCE_MONITORED,
	QUIRE_FENCE_NATIVE,
};

struct quire_fence_quota *quire_fence_quota_create(void);
void quire_fence_quota_put(struct quire_fence_quota *quota);
bool quire_fence_quota_take(struct quire_fence_quota *quota, enum quire_fence_kind kind);
void quire_fence_quota_give(struct quire_fence_quota *quota, enum quire_fence_kind kind);

#endif
