/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_NATIVE_H
#define QUIRE_NATIVE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <drm/ttm/ttm_bo.h>
#include <uapi/drm/quire_drm.h>

struct drm_device;
struct drm_file;
struct drm_quire_fence_create;
struct quire_bo;
struct quire_vm;
struct quire_fence_quota;
struct quire_vm_validation;

#define QUIRE_FILE_FENCES		(DRM_QUIRE_MAX_FENCES / 4)
#define QUIRE_FILE_NATIVE_FENCES	(DRM_QUIRE_MAX_NATIVE_FENCES / 4)

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

/**
 * struct quire_native - a native fence
 * @bo: its object, which has it; private to its address space
 * @quota: of the file that created it, with a reference
 * @link: in &quire_vm.natives while a file has a handle; has the reservation
 * @handles: how many, of all files; has the reservation
 * @lock: protects @waiters
 * @waiters: &struct quire_native_waiter, who sleeps until the current value is large enough
 */
struct quire_native {
	struct quire_bo *bo;
	struct quire_fence_quota *quota;
	struct list_head link;
	u32 handles;
	spinlock_t lock; /* of the waiters */
	struct list_head waiters;
};

/* A value in its page, which is in system memory or in VRAM. */
static inline u64 quire_native_read(struct ttm_bo_kmap_obj *map, u32 at)
{
	bool is_iomem;
	void *page = ttm_kmap_obj_virtual(map, &is_iomem);

	if (is_iomem)
		return le64_to_cpu((__force __le64)__raw_readq((void __iomem *)page + at));
	return le64_to_cpu(READ_ONCE(*(__le64 *)(page + at)));
}

static inline void quire_native_write(struct ttm_bo_kmap_obj *map, u32 at, u64 value)
{
	bool is_iomem;
	void *page = ttm_kmap_obj_virtual(map, &is_iomem);

	if (is_iomem)
		__raw_writeq((__force u64)cpu_to_le64(value), (void __iomem *)page + at);
	else
		WRITE_ONCE(*(__le64 *)(page + at), cpu_to_le64(value));
}

int quire_native_create(struct drm_device *drm, struct drm_file *file,
			struct drm_quire_fence_create *args);
int quire_natives_validate(struct quire_vm_validation *validation);
void quire_natives_forget(struct quire_vm *vm);

#endif
