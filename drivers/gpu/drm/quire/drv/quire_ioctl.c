// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Ioctls
 *
 * Checks arguments, finds objects, and calls the other parts of the driver. Everything is checked
 * and allocated before anything is changed. The order of the checks is part of the interface:
 *
 * 1. the answer can be written, if there is one (%EFAULT);
 * 2. the device is there (%ENODEV, of the DRM core; it can go later as well), and the structure can
 *    be read (%EFAULT);
 * 3. what the arguments say by themselves: pads, flags, values (%EINVAL), limits (%E2BIG);
 * 4. arrays can be read (%EFAULT), and their elements as in 3;
 * 5. the device works (%EIO);
 * 6. handles (%ENOENT): the object, then syncobjs;
 * 7. what the object can be: its set of segments (%EINVAL), its size (%ENOSPC), its content
 *    (%ENODATA);
 * 8. the work itself.
 *
 * Every refusal of 3 to 7 says its reason through quire_refuse().
 */
#include <linux/cleanup.h>
#include <linux/compat.h>
#include <linux/nospec.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>
#include <uapi/drm/drm_mode.h>
#include <uapi/drm/quire_drm.h>
#include <quire/quire_layout.h>

#include "commands/quire_command_check.h"
#include "core/quire_array.h"
#include "core/quire_device_types.h"
#include "core/quire_file_types.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "core/quire_regs.h"
#include "core/quire_sync.h"
#include "hw/quire_aperture.h"
#include "hw/quire_device_guard.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_budget.h"
#include "bo/quire_range.h"
#include "bo/quire_segment.h"
#include "bo/quire_window.h"
#include "fence/quire_fence.h"
#include "vm/quire_vm.h"
#include "access/quire_access.h"
#include "exec/quire_context.h"
#include "exec/quire_execution.h"
#include "submit/quire_submit.h"
#include "quire_drv.h"

#define QUIRE_BO_CREATE_FLAGS	(DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW | \
				 DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE | \
				 DRM_QUIRE_BO_CREATE_MMU)

static void bo_put(struct quire_bo *bo)
{
	if (!IS_ERR_OR_NULL(bo))
		drm_gem_object_put(&bo->base.base);
}

DEFINE_FREE(bo_put, struct quire_bo *, bo_put(_T))

static int check_pad(struct drm_device *drm, const char *what, u32 pad)
{
	return pad ? quire_refuse(drm, -EINVAL, "%s: pad is %u", what, pad) : 0;
}

/* With a reference, of a device that works; unplug does not wait for what is done with it. */
static struct quire_bo *bo_lookup(struct drm_device *drm, struct drm_file *file, u32 handle,
				  const char *what, u32 pad)
{
	int ret = check_pad(drm, what, pad) ?: quire_device_check(drm);
	struct drm_gem_object *obj;

	if (ret)
		return ERR_PTR(ret);
	obj = drm_gem_object_lookup(file, handle);
	if (!obj)
		return ERR_PTR(quire_refuse(drm, -ENOENT, "no object %u", handle));
	return gem_to_quire_bo(obj);
}

/* As bo_lookup(); fences stay as they are. */
static struct quire_bo *bo_lookup_to_change(struct drm_device *drm, struct drm_file *file,
					    u32 handle, const char *what, u32 pad)
{
	struct quire_bo *bo __free(bo_put) = bo_lookup(drm, file, handle, what, pad);

	if (!IS_ERR(bo) && quire_bo_fence_name(bo))
		return ERR_PTR(quire_refuse(drm, -EPERM, "object %u is a fence", handle));
	return_ptr(bo);
}

static int create_check(struct drm_device *drm, const struct drm_quire_bo_create *args)
{
	u64 most = quire_bo_max_size(to_quire_device(drm));

	if (args->flags & ~QUIRE_BO_CREATE_FLAGS)
		return quire_refuse(drm, -EINVAL, "create: flags %#x", args->flags);
	if (args->pad)
		return check_pad(drm, "create", args->pad);
	if (args->segments & ~QUIRE_SEGMENT_ALL)
		return quire_refuse(drm, -EINVAL, "create: segments %#x, there are only %#lx",
				    args->segments, QUIRE_SEGMENT_ALL);
	if (!(args->segments & BIT(QUIRE_SEGMENT_SYSTEM)))
		return quire_refuse(drm, -EINVAL, "create: segments %#x lack system memory, %#lx",
				    args->segments, BIT(QUIRE_SEGMENT_SYSTEM));
	if (args->caching > DRM_QUIRE_CACHING_WRITE_COMBINED)
		return quire_refuse(drm, -EINVAL, "create: no caching %u", args->caching);
	if (!args->size || !PAGE_ALIGNED(args->size))
		return quire_refuse(drm, -EINVAL, "create: size %llu is no multiple of %lu",
				    args->size, PAGE_SIZE);
	if (args->size > most)
		return quire_refuse(drm, -E2BIG, "create: size %llu is above %llu", args->size,
				    most);
	return 0;
}

/* @layout is set if the object is an image. */
static int create_check_layout(struct drm_device *drm, const struct drm_quire_bo_create *args,
			       struct quire_layout *layout)
{
	u64 size;

	if (args->layout == DRM_QUIRE_LAYOUT_LINEAR) {
		if (args->element_size || args->width || args->height || args->levels ||
		    args->array_size)
			return quire_refuse(drm, -EINVAL, "create: an image without a layout");
		return 0;
	}
	if (args->layout > DRM_QUIRE_LAYOUT_TILE_64K)
		return quire_refuse(drm, -EINVAL, "create: no layout %u", args->layout);
	if (!is_power_of_2(args->element_size))
		return quire_refuse(drm, -EINVAL, "create: elements of %u bytes",
				    args->element_size);

	*layout = (struct quire_layout) {
		.kind = args->layout,
		.element_shift = ilog2(args->element_size),
		.width = args->width,
		.height = args->height,
		.levels = args->levels,
		.array_size = args->array_size,
	};
	if (!quire_layout_valid(layout))
		return quire_refuse(drm, -EINVAL,
				    "create: no image of %u x %u, %u levels, %u slices, elements of %u",
				    args->width, args->height, args->levels, args->array_size,
				    args->element_size);

	size = PAGE_ALIGN(quire_layout_linear_size(layout));
	if (args->size != size)
		return quire_refuse(drm, -EINVAL, "create: size %llu, the image has %llu",
				    args->size, size);
	return 0;
}

static int create_check_flags(struct drm_device *drm, const struct drm_quire_bo_create *args)
{
	const u32 view_segments = BIT(QUIRE_SEGMENT_SYSTEM) | BIT(QUIRE_SEGMENT_VRAM);
	bool linear = args->layout == DRM_QUIRE_LAYOUT_LINEAR;
	u64 room = to_quire_device(drm)->window->size;

	/* An alternate view is for places between which an image is converted, and for no other. */
	if (args->flags & DRM_QUIRE_BO_CREATE_ALTERNATE_VIEW) {
		if (linear)
			return quire_refuse(drm, -EINVAL,
					    "create: an alternate view without a layout");
		if (args->segments != view_segments)
			return quire_refuse(drm, -EINVAL,
					    "create: an alternate view in segments %#x, may only be in %#x",
					    args->segments, view_segments);
	}
	/* The window shows pages as they are: no images. */
	if (args->flags & DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE) {
		if (!(args->segments & BIT(QUIRE_SEGMENT_APERTURE)))
			return quire_refuse(drm, -EINVAL,
					    "create: segments %#x lack the aperture, %#lx",
					    args->segments, BIT(QUIRE_SEGMENT_APERTURE));
		if (!linear)
			return quire_refuse(drm, -EINVAL, "create: an image for the window");
		if (!room)
			return quire_refuse(drm, -EOPNOTSUPP, "create: the aperture has no window");
		if (args->size > room)
			return quire_refuse(drm, -E2BIG, "create: size %llu, the window has %llu",
					    args->size, room);
	}
	/* An MMU shows no tiles, and objects of an address space are shown by that. */
	if (args->flags & DRM_QUIRE_BO_CREATE_MMU) {
		if (!(args->segments & BIT(QUIRE_SEGMENT_VRAM)))
			return quire_refuse(drm, -EINVAL, "create: segments %#x lack VRAM, %#lx",
					    args->segments, BIT(QUIRE_SEGMENT_VRAM));
		if (!linear)
			return quire_refuse(drm, -EINVAL, "create: an image for an MMU");
		if (args->vm)
			return quire_refuse(drm, -EINVAL, "create: of VM %u and for an MMU",
					    args->vm);
		if (!to_quire_device(drm)->mmu_table->pages)
			return quire_refuse(drm, -EOPNOTSUPP, "create: the device has no MMU");
	}
	return 0;
}

/* With the reservation of the address space, if it is private to one. */
static struct quire_bo *create_in_vm(struct drm_device *drm, struct drm_file *file, u32 id,
				     struct quire_bo_config *config)
{
	struct quire_bo *bo;
	struct quire_vm *vm;
	int ret;

	if (!id)
		return quire_bo_create(to_quire_device(drm), config, &quire_gem_kind, NULL);
	vm = quire_vm_lookup(file, id);
	if (!vm)
		return ERR_PTR(quire_refuse(drm, -ENOENT, "create: no VM %u", id));

	config->gpuvm = &vm->base;
	config->bulk = &vm->bulk;
	ret = dma_resv_lock_interruptible(drm_gpuvm_resv(&vm->base), NULL);
	bo = ERR_PTR(ret);
	if (!ret) {
		bo = quire_bo_create(to_quire_device(drm), config, &quire_gem_kind, NULL);
		dma_resv_unlock(drm_gpuvm_resv(&vm->base));
	}
	quire_vm_put(vm);
	return bo;
}

static int ioctl_bo_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_create *args = data;
	struct quire_bo_config config;
	struct quire_layout layout;
	int ret;

	ret = create_check(drm, args) ?: create_check_layout(drm, args, &layout) ?:
	      create_check_flags(drm, args) ?: quire_free_list_wait(to_quire_device(drm));
	if (ret)
		return ret;
	CLASS(quire_device, device)(drm);
	if (device < 0)
		return device;

	config = (struct quire_bo_config) {
		.size = args->size,
		.segments = args->segments,
		.flags = args->flags,
		.caching = args->caching == DRM_QUIRE_CACHING_WRITE_COMBINED ?
			   ttm_write_combined : ttm_cached,
		.layout = args->layout == DRM_QUIRE_LAYOUT_LINEAR ? NULL : &layout,
	};
	struct quire_bo *bo __free(bo_put) = create_in_vm(drm, file, args->vm, &config);

	if (bo == ERR_PTR(-ENOSPC))
		return quire_refuse(drm, -ENOSPC, "create: %llu bytes more can not be mapped",
				    args->size);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = drm_gem_handle_create(file, &bo->base.base, &args->handle);
	if (ret == -ENOSPC)
		quire_refuse(drm, ret, "create: the file has no handle left");
	return ret;
}

/* Rows begin at multiples of it: a cache line. */
#define QUIRE_DUMB_PITCH_ALIGN	64

/**
 * quire_dumb_create - &drm_driver.dumb_create: make an object for width * height pixels
 * @file: its owner
 * @drm: the device
 * @args: the pixels; gets handle, pitch and size
 *
 * The DRM core checks less, and in 32 bits. Products of two u32 fit into 64.
 *
 * Returns: 0; -EINVAL no pixels, or a pitch above 32 bits; otherwise as for DRM_QUIRE_BO_CREATE.
 */
int quire_dumb_create(struct drm_file *file, struct drm_device *drm,
		      struct drm_mode_create_dumb *args)
{
	struct drm_quire_bo_create create = {
		.segments = QUIRE_SEGMENT_ALL,
		.caching = DRM_QUIRE_CACHING_CACHED,
	};
	u64 pitch = ALIGN(DIV_ROUND_UP_ULL((u64)args->width * args->bpp, 8),
			  QUIRE_DUMB_PITCH_ALIGN);
	int ret;

	if (!args->width || !args->height || !args->bpp || pitch > U32_MAX)
		return quire_refuse(drm, -EINVAL, "dumb: %u x %u pixels of %u bits", args->width,
				    args->height, args->bpp);
	create.size = PAGE_ALIGN(pitch * args->height);
	ret = ioctl_bo_create(drm, &create, file);
	if (ret)
		return ret;

	args->handle = create.handle;
	args->pitch = pitch;
	args->size = create.size;
	return 0;
}

static int ioctl_dumb_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	return quire_dumb_create(file, drm, data);
}

static int ioctl_bo_info(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_info *args = data;
	struct quire_bo *bo __free(bo_put) = bo_lookup(drm, file, args->handle, "info", args->pad);
	const struct quire_layout *layout;
	int ret;

	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = ttm_bo_reserve(&bo->base, true, false, NULL);
	if (ret)
		return ret;

	layout = &bo->allocation.layout;
	args->segment = quire_segment_instance(quire_bo_mem_type(&bo->base));
	args->size = bo->base.base.size;
	args->segments = bo->segments;
	args->caching = bo->caching == ttm_write_combined ? DRM_QUIRE_CACHING_WRITE_COMBINED :
							    DRM_QUIRE_CACHING_CACHED;
	args->flags = (quire_bo_is_visible(bo) ? DRM_QUIRE_BO_VISIBLE : 0) |
		      (quire_bo_is_unneeded(bo) ? DRM_QUIRE_BO_DONTNEED : 0) |
		      (quire_bo_is_purged(bo) ? DRM_QUIRE_BO_PURGED : 0) |
		      (bo->swizzled ? DRM_QUIRE_BO_SWIZZLED : 0) |
		      (bo->alternate ? DRM_QUIRE_BO_ALTERNATE : 0);
	args->vram_size = quire_bo_size_in(bo, QUIRE_PL_VRAM);
	args->layout = layout->kind;
	args->element_size = quire_bo_is_tiled(bo) ? BIT(layout->element_shift) : 0;
	args->width = layout->width;
	args->height = layout->height;
	args->levels = layout->levels;
	args->array_size = layout->array_size;
	dma_resv_unlock(bo->base.base.resv);
	return 0;
}

static int ioctl_bo_mmap_offset(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_mmap_offset *args = data;
	struct quire_bo *bo __free(bo_put) = bo_lookup(drm, file, args->handle, "mmap offset",
						       args->pad);

	if (IS_ERR(bo))
		return PTR_ERR(bo);
	args->offset = drm_vma_node_offset_addr(&bo->base.base.vma_node);
	return 0;
}

/*
 * All fences signal when the device is unplugged. One that was given up meanwhile has not done what
 * was waited for.
 */
static int ioctl_bo_wait(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_wait *args = data;
	struct quire_bo *bo __free(bo_put) = bo_lookup(drm, file, args->handle, "wait", args->pad);

	if (IS_ERR(bo))
		return PTR_ERR(bo);
	return quire_bo_wait(bo, args->timeout_ns) ?: quire_device_check(drm);
}

static int place_check(struct drm_device *drm, const struct drm_quire_bo_place *args)
{
	const struct quire_segment *segment = quire_segment_find(args->segment);
	const u32 contradiction = DRM_QUIRE_PLACE_VISIBLE | DRM_QUIRE_PLACE_INVISIBLE;
	const u32 known = contradiction | DRM_QUIRE_PLACE_CONTIGUOUS;

	if (!segment)
		return quire_refuse(drm, -EINVAL, "place: no segment %u", args->segment);
	if (args->flags & ~known)
		return quire_refuse(drm, -EINVAL, "place: flags %#x, only %#x are known",
				    args->flags, known);
	if ((args->flags & contradiction) == contradiction)
		return quire_refuse(drm, -EINVAL, "place: flags %#x, visible and invisible",
				    args->flags);
	if (args->flags && segment->segment_class != DRM_QUIRE_SEGMENT_VRAM)
		return quire_refuse(drm, -EINVAL, "place: flags %#x are not for segment %u, %s",
				    args->flags, args->segment, segment->name);
	return check_pad(drm, "place", args->pad);
}

static int ioctl_bo_place(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_place *args = data;
	struct quire_syncs syncs;
	struct dma_fence *moved;
	int ret;

	ret = place_check(drm, args) ?:
	      quire_syncs_init(&syncs, drm, &args->syncs, DRM_QUIRE_SYNC_SIGNAL);
	if (ret)
		return ret;

	struct quire_bo *bo __free(bo_put) = bo_lookup_to_change(drm, file, args->handle, "place",
								 args->pad);

	ret = PTR_ERR_OR_ZERO(bo) ?: quire_syncs_lookup(&syncs, drm, file) ?:
	      quire_bo_place(bo, quire_segment_find(args->segment)->mem_type, args->flags,
			     to_quire_file(file)->usage, syncs.count ? &moved : NULL);
	if (!ret && syncs.count)
		quire_syncs_signal(&syncs, moved);
	quire_syncs_fini(&syncs);
	return ret;
}

static int ioctl_bo_madvise(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_bo_madvise *args = data;
	bool retained;
	int ret;

	ret = check_pad(drm, "madvise", args->pad);
	if (ret)
		return ret;
	if (args->advice > DRM_QUIRE_MADV_DONTNEED)
		return quire_refuse(drm, -EINVAL, "madvise: no advice %u", args->advice);

	struct quire_bo *bo __free(bo_put) = bo_lookup_to_change(drm, file, args->handle,
								 "madvise", args->pad);

	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = quire_bo_madvise(bo, args->advice == DRM_QUIRE_MADV_DONTNEED,
			       to_quire_file(file)->usage, &retained);
	if (!ret)
		args->retained = retained;
	return ret;
}

/*
 * Queries: every answer is an array of a structure that only grows at its end; a program made for a
 * shorter one gets the part it knows.
 */
union query_answer {
	struct drm_quire_device_info device;
	struct drm_quire_segment_info segments[QUIRE_SEGMENT_COUNT];
	struct drm_quire_budget_info budgets[QUIRE_SEGMENT_COUNT];
};

static const struct quire_array_type queries[] = {
	[DRM_QUIRE_QUERY_DEVICE] = {
		"query of the device", sizeof(struct drm_quire_device_info),
		offsetofend(struct drm_quire_device_info, caps), U32_MAX,
	},
	[DRM_QUIRE_QUERY_SEGMENTS] = {
		"query of the segments", sizeof(struct drm_quire_segment_info),
		offsetofend(struct drm_quire_segment_info, usage), U32_MAX,
	},
	[DRM_QUIRE_QUERY_BUDGETS] = {
		"query of the budgets", sizeof(struct drm_quire_budget_info),
		offsetofend(struct drm_quire_budget_info, to_trim), U32_MAX,
	},
};

/* Returns the number of elements of the answer, or an error. */
static int query_ask(struct drm_device *drm, struct drm_file *file, u32 type,
		     union query_answer *answer)
{
	struct quire_device *qdev = to_quire_device(drm);
	u32 i;

	CLASS(quire_device, device)(drm);
	if (device < 0)
		return device;
	switch (type) {
	case DRM_QUIRE_QUERY_DEVICE:
		answer->device = (struct drm_quire_device_info) {
			.version = quire_read32(qdev->regs, QUIRE_REG_VERSION),
			.page_size = PAGE_SIZE,
			.max_bo_size = quire_bo_max_size(qdev),
			.caps = qdev->device_copies ? DRM_QUIRE_CAP_DEVICE_COPIES : 0,
			.swizzling_ranges = qdev->ranges->count,
			.swizzling_range_size = qdev->ranges->size,
			.aperture_window_size = qdev->window->size,
			.execution_rings = qdev->nr_executions,
			.slots = QUIRE_SLOTS,
			.max_commands = QUIRE_MAX_COMMANDS,
			.max_exec = qdev->max_submission,
			.max_file_fences = QUIRE_FILE_FENCES,
			.max_file_native_fences = QUIRE_FILE_NATIVE_FENCES,
		};
		return 1;
	case DRM_QUIRE_QUERY_SEGMENTS:
		for (i = 0; i < QUIRE_SEGMENT_COUNT; i++)
			quire_segment_describe(qdev, i, &answer->segments[i]);
		return QUIRE_SEGMENT_COUNT;
	default:
		return quire_budgets_describe(qdev, to_quire_file(file)->account,
					      answer->budgets) ?: QUIRE_SEGMENT_COUNT;
	}
}

/* The answer is written when the device is let go: a program's memory may take long. */
static int ioctl_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_query *args = data;
	const struct quire_array_type *array;
	union query_answer answer;
	int ret;

	ret = check_pad(drm, "query", args->pad);
	if (ret)
		return ret;
	if (args->type >= ARRAY_SIZE(queries))
		return quire_refuse(drm, -EINVAL, "query: no type %u", args->type);
	array = &queries[array_index_nospec(args->type, ARRAY_SIZE(queries))];
	if (args->answer.array)
		ret = quire_array_check(drm, &args->answer, array);
	ret = ret ?: query_ask(drm, file, args->type, &answer);
	return ret < 0 ? ret : quire_array_write(drm, &args->answer, array, &answer, ret);
}

#define QUIRE_IOCTL(name, func)	DRM_IOCTL_DEF_DRV(QUIRE_##name, func, DRM_RENDER_ALLOW)

const struct drm_ioctl_desc quire_ioctls[QUIRE_NUM_IOCTLS] = {
	QUIRE_IOCTL(QUERY, ioctl_query),
	QUIRE_IOCTL(BO_CREATE, ioctl_bo_create),
	QUIRE_IOCTL(BO_INFO, ioctl_bo_info),
	QUIRE_IOCTL(BO_MMAP_OFFSET, ioctl_bo_mmap_offset),
	QUIRE_IOCTL(BO_WAIT, ioctl_bo_wait),
	QUIRE_IOCTL(BO_PLACE, ioctl_bo_place),
	QUIRE_IOCTL(BO_MADVISE, ioctl_bo_madvise),
	QUIRE_IOCTL(CONTEXT_CREATE, quire_context_create_ioctl),
	QUIRE_IOCTL(CONTEXT_DESTROY, quire_context_destroy_ioctl),
	QUIRE_IOCTL(CONTEXT_STATE, quire_context_state_ioctl),
	QUIRE_IOCTL(SUBMIT, quire_submit_ioctl),
	QUIRE_IOCTL(VM_CREATE, quire_vm_create_ioctl),
	QUIRE_IOCTL(VM_DESTROY, quire_vm_destroy_ioctl),
	QUIRE_IOCTL(VM_BIND, quire_vm_bind_ioctl),
	QUIRE_IOCTL(EXEC, quire_exec_ioctl),
	QUIRE_IOCTL(FENCE_CREATE, quire_fence_create_ioctl),
	QUIRE_IOCTL(FENCE_SIGNAL, quire_fence_signal_ioctl),
	QUIRE_IOCTL(FENCE_WAIT, quire_fence_wait_ioctl),
	QUIRE_IOCTL(MAKE_RESIDENT, quire_make_resident_ioctl),
	QUIRE_IOCTL(EVICT, quire_evict_ioctl),
};

/* Argument and answer of what makes something. */
union creation_args {
	struct drm_quire_bo_create bo;
	struct drm_mode_create_dumb dumb;
	struct drm_quire_context_create context;
	struct drm_quire_vm_create vm;
	struct drm_quire_fence_create fence;
};

/* An ioctl that makes something, and returns its name, for which @told bytes are needed. */
struct creation {
	unsigned int cmd;
	size_t name; /* its place in the structure */
	size_t told;
	u32 flags; /* enum drm_ioctl_flags */
	int (*create)(struct drm_device *drm, void *data, struct drm_file *file);
	int (*undo)(struct drm_file *file, u32 name);
};

/* By their numbers: every ioctl looks here. */
static const struct creation creations[] = {
	[_IOC_NR(DRM_IOCTL_QUIRE_BO_CREATE)] = {
		DRM_IOCTL_QUIRE_BO_CREATE, offsetof(struct drm_quire_bo_create, handle),
		offsetofend(struct drm_quire_bo_create, handle), DRM_RENDER_ALLOW,
		ioctl_bo_create, drm_gem_handle_delete,
	},
	[_IOC_NR(DRM_IOCTL_MODE_CREATE_DUMB)] = {
		DRM_IOCTL_MODE_CREATE_DUMB, offsetof(struct drm_mode_create_dumb, handle),
		sizeof(struct drm_mode_create_dumb), 0,
		ioctl_dumb_create, drm_gem_handle_delete,
	},
	[_IOC_NR(DRM_IOCTL_QUIRE_CONTEXT_CREATE)] = {
		DRM_IOCTL_QUIRE_CONTEXT_CREATE, offsetof(struct drm_quire_context_create, context),
		offsetofend(struct drm_quire_context_create, context), DRM_RENDER_ALLOW,
		quire_context_create_ioctl, quire_context_delete,
	},
	[_IOC_NR(DRM_IOCTL_QUIRE_VM_CREATE)] = {
		DRM_IOCTL_QUIRE_VM_CREATE, offsetof(struct drm_quire_vm_create, vm),
		offsetofend(struct drm_quire_vm_create, vm), DRM_RENDER_ALLOW,
		quire_vm_create_ioctl, quire_vm_delete,
	},
	[_IOC_NR(DRM_IOCTL_QUIRE_FENCE_CREATE)] = {
		DRM_IOCTL_QUIRE_FENCE_CREATE, offsetof(struct drm_quire_fence_create, handle),
		offsetofend(struct drm_quire_fence_create, handle), DRM_RENDER_ALLOW,
		quire_fence_create_ioctl, drm_gem_handle_delete,
	},
};

/*
 * As drm_ioctl(), but what cannot be named to the program does not stay: the memory of the answer
 * can go meanwhile. Only a program that closes names that it was not told can be hurt by that.
 */
static long ioctl_create_and_tell(struct file *filp, unsigned int cmd, void __user *user,
				  const struct creation *creation)
{
	struct drm_file *file = filp->private_data;
	struct drm_device *drm = file->minor->dev;
	union creation_args args = { };
	long ret;

	if (drm_dev_is_unplugged(drm))
		return -ENODEV;
	if (_IOC_DIR(cmd) != _IOC_DIR(creation->cmd) || _IOC_SIZE(cmd) < creation->told)
		return quire_refuse(drm, -EINVAL, "create: no place for the answer in %#x", cmd);
	if (copy_from_user(&args, user, _IOC_SIZE(cmd)))
		return -EFAULT;

	ret = drm_ioctl_kernel(filp, creation->create, &args, creation->flags);
	if (!ret && copy_to_user(user, &args, _IOC_SIZE(cmd))) {
		creation->undo(file, *(u32 *)((void *)&args + creation->name));
		ret = -EFAULT;
	}
	return ret;
}

/* @others: of the DRM core, for its own ioctls and numbers that are none, too */
static long ioctl_dispatch(struct file *filp, unsigned int cmd, unsigned long arg,
			   void __user *user,
			   long (*others)(struct file *filp, unsigned int cmd, unsigned long arg))
{
	const struct creation *creation = NULL;
	unsigned int nr = _IOC_NR(cmd);

	if (_IOC_TYPE(cmd) != DRM_IOCTL_BASE)
		return others(filp, cmd, arg);
	/*
	 * DRM writes the answer when the ioctl is over. Without a place for it the handle of an
	 * object would be lost, or that its content is gone.
	 */
	if (nr - DRM_COMMAND_BASE < ARRAY_SIZE(quire_ioctls) && (_IOC_DIR(cmd) & _IOC_READ) &&
	    fault_in_safe_writeable((char __user *)arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	if (nr < ARRAY_SIZE(creations))
		creation = &creations[array_index_nospec(nr, ARRAY_SIZE(creations))];
	/* Whatever its size: a program may know a shorter structure. */
	if (creation && creation->create && _IOC_SIZE(cmd) <= _IOC_SIZE(creation->cmd))
		return ioctl_create_and_tell(filp, cmd, user, creation);
	return others(filp, cmd, arg);
}

/**
 * quire_ioctl - &file_operations.unlocked_ioctl
 * @filp: an open file of the device
 * @cmd: number of the ioctl
 * @arg: address of its structure
 *
 * Returns: what the ioctl returns; -EFAULT the structure can not be written.
 */
long quire_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return ioctl_dispatch(filp, cmd, arg, (void __user *)arg, drm_ioctl);
}

/**
 * quire_ioctl_compat - &file_operations.compat_ioctl
 * @filp: an open file of the device
 * @cmd: number of the ioctl
 * @arg: address of its structure
 *
 * Returns: as quire_ioctl().
 */
long quire_ioctl_compat(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return ioctl_dispatch(filp, cmd, arg, compat_ptr(arg), drm_compat_ioctl);
}
