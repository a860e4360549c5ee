// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Ioctls
 *
 * Checks what programs hand in, finds the object, calls quire_bo.c. Everything
 * is checked before anything is changed. The order of the checks is part of
 * the interface: pads, flags and values (%EINVAL), then the device (%ENODEV,
 * %EIO), then the handle (%ENOENT), then the rest.
 */
#include <linux/mm.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <uapi/drm/quire_drm.h>

#include "quire_bo.h"
#include "quire_device.h"
#include "quire_ioctl.h"

/**
 * quire_ioctl_enter - begin to use the device
 * @drm: the device
 * @idx: for quire_ioctl_exit()
 *
 * Returns: 0; -ENODEV it is unplugged; -EIO it is wedged.
 */
int quire_ioctl_enter(struct drm_device *drm, int *idx)
{
	if (!drm_dev_enter(drm, idx))
		return -ENODEV;
	if (quire_device_is_wedged(to_quire_device(drm))) {
		drm_dev_exit(*idx);
		return -EIO;
	}
	return 0;
}

/**
 * quire_ioctl_exit - end what quire_ioctl_enter() began
 * @idx: from there
 */
void quire_ioctl_exit(int idx)
{
	drm_dev_exit(idx);
}

/* The object of a handle, with a reference, or -ENOENT. */
static struct quire_bo *bo_lookup(struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);

	return obj ? gem_to_quire_bo(obj) : ERR_PTR(-ENOENT);
}

static void bo_put(struct quire_bo *bo)
{
	drm_gem_object_put(&bo->base.base);
}

/* Begins to use the device and an object: to be ended by bo_exit(). */
static struct quire_bo *bo_enter(struct drm_device *drm, struct drm_file *file, u32 handle,
				 int *idx)
{
	struct quire_bo *bo;
	int ret = quire_ioctl_enter(drm, idx);

	if (ret)
		return ERR_PTR(ret);

	bo = bo_lookup(file, handle);
	if (IS_ERR(bo))
		quire_ioctl_exit(*idx);
	return bo;
}

static void bo_exit(struct quire_bo *bo, int idx)
{
	bo_put(bo);
	quire_ioctl_exit(idx);
}

static int ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct quire_device *qdev = to_quire_device(drm);
	struct drm_quire_bo_create *args = data;
	struct quire_bo *bo;
	int ret, idx;

	if (args->flags || !args->size || !PAGE_ALIGNED(args->size))
		return -EINVAL;
	if (args->size > quire_bo_max_size(qdev))
		return -E2BIG;

	ret = quire_ioctl_enter(drm, &idx);
	if (ret)
		return ret;

	bo = quire_bo_create(qdev, args->size);
	if (IS_ERR(bo)) {
		ret = PTR_ERR(bo);
	} else {
		ret = drm_gem_handle_create(file, &bo->base.base, &args->handle);
		bo_put(bo);
	}
	quire_ioctl_exit(idx);
	return ret;
}

static u32 bo_info_segment(struct quire_bo *bo)
{
	switch (quire_bo_mem_type(&bo->base)) {
	case QUIRE_PL_VRAM:
		return DRM_QUIRE_SEGMENT_VRAM;
	case QUIRE_PL_APERTURE:
		return DRM_QUIRE_SEGMENT_APERTURE;
	default:
		return DRM_QUIRE_SEGMENT_SYSTEM;
	}
}

static u32 bo_info_flags(struct quire_bo *bo)
{
	u32 flags = 0;

	if (quire_bo_is_visible(bo))
		flags |= DRM_QUIRE_BO_VISIBLE;
	if (bo->dontneed)
		flags |= DRM_QUIRE_BO_DONTNEED;
	if (quire_bo_is_purged(bo))
		flags |= DRM_QUIRE_BO_PURGED;
	return flags;
}

static int bo_info(struct quire_bo *bo, struct drm_quire_bo_info *args)
{
	int ret = ttm_bo_reserve(&bo->base, true, false, NULL);

	if (ret)
		return ret;

	args->size = bo->base.base.size;
	args->segment = bo_info_segment(bo);
	args->flags = bo_info_flags(bo);
	dma_resv_unlock(bo->base.base.resv);
	return 0;
}

static int ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_info *args = data;
	struct quire_bo *bo;
	int ret, idx;

	if (args->pad)
		return -EINVAL;

	bo = bo_enter(drm, file, args->handle, &idx);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	ret = bo_info(bo, args);
	bo_exit(bo, idx);
	return ret;
}

static int ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_mmap_offset *args = data;
	struct quire_bo *bo;
	int idx;

	if (args->pad)
		return -EINVAL;

	bo = bo_enter(drm, file, args->handle, &idx);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	args->offset = drm_vma_node_offset_addr(&bo->base.base.vma_node);
	bo_exit(bo, idx);
	return 0;
}

/*
 * May wait for long, so unplug does not wait for it: all fences signal then.
 * A device that was given up meanwhile has not done what was waited for.
 */
static int ioctl_bo_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_wait *args = data;
	struct quire_bo *bo;
	int ret, idx;

	if (args->pad)
		return -EINVAL;
	ret = quire_ioctl_enter(drm, &idx);
	if (ret)
		return ret;
	quire_ioctl_exit(idx);

	bo = bo_lookup(file, args->handle);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = quire_bo_wait(bo, args->timeout_ns);
	bo_put(bo);
	if (ret)
		return ret;

	ret = quire_ioctl_enter(drm, &idx);
	if (!ret)
		quire_ioctl_exit(idx);
	return ret;
}

static bool place_args_valid(const struct drm_quire_bo_place *args)
{
	const u32 contradiction = DRM_QUIRE_PLACE_VISIBLE | DRM_QUIRE_PLACE_INVISIBLE;
	const u32 known = contradiction | DRM_QUIRE_PLACE_CONTIGUOUS;

	if (args->pad || args->flags & ~known)
		return false;
	if ((args->flags & contradiction) == contradiction)
		return false;

	switch (args->segment) {
	case DRM_QUIRE_SEGMENT_VRAM:
		return true;
	case DRM_QUIRE_SEGMENT_SYSTEM:
	case DRM_QUIRE_SEGMENT_APERTURE:
		return !args->flags;
	default:
		return false;
	}
}

static int ioctl_bo_place(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_place *args = data;
	struct quire_bo *bo;
	int ret, idx;

	if (!place_args_valid(args))
		return -EINVAL;

	bo = bo_enter(drm, file, args->handle, &idx);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	ret = quire_bo_place(bo, args->segment, args->flags);
	bo_exit(bo, idx);
	return ret;
}

static int ioctl_bo_madvise(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_madvise *args = data;
	struct quire_bo *bo;
	bool retained;
	int ret, idx;

	if (args->pad || args->advice > DRM_QUIRE_MADV_DONTNEED)
		return -EINVAL;

	bo = bo_enter(drm, file, args->handle, &idx);
	if (IS_ERR(bo))
		return PTR_ERR(bo);

	ret = quire_bo_madvise(bo, args->advice == DRM_QUIRE_MADV_DONTNEED, &retained);
	if (!ret)
		args->retained = retained;
	bo_exit(bo, idx);
	return ret;
}

#define QUIRE_IOCTL(name, func)	DRM_IOCTL_DEF_DRV(QUIRE_##name, func, DRM_RENDER_ALLOW)

const struct drm_ioctl_desc quire_ioctls[QUIRE_NUM_IOCTLS] = {
	QUIRE_IOCTL(QUERY, quire_query_ioctl),
	QUIRE_IOCTL(BO_CREATE, ioctl_bo_create),
	QUIRE_IOCTL(BO_INFO, ioctl_bo_info),
	QUIRE_IOCTL(BO_MMAP_OFFSET, ioctl_bo_mmap_offset),
	QUIRE_IOCTL(BO_WAIT, ioctl_bo_wait),
	QUIRE_IOCTL(BO_PLACE, ioctl_bo_place),
	QUIRE_IOCTL(BO_MADVISE, ioctl_bo_madvise),
};
