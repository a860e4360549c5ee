// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Reading a submission
 *
 * Copies the command buffer and its lists, finds the objects of the allocation list, and has all of
 * it checked (commands/quire_command_check.c). What the program does to its memory after that does
 * not matter.
 */
#include <linux/cleanup.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include <drm/drm_gem.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_hw.h>

#include "core/quire_array.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_window.h"
#include "quire_submit.h"

static const struct quire_array_type allocation_type = {
	.name = "allocations",
	.size = sizeof(struct drm_quire_allocation),
	.min_stride = offsetofend(struct drm_quire_allocation, size),
	.max_count = DRM_QUIRE_MAX_ALLOCATIONS,
};

static const struct quire_array_type patch_type = {
	.name = "patches",
	.size = sizeof(struct drm_quire_patch_location),
	.min_stride = offsetofend(struct drm_quire_patch_location, pad),
	.max_count = DRM_QUIRE_MAX_PATCHES,
};

/* An element of the allocation list, and its object, with a reference; NULL: none */
struct found_object {
	struct quire_bo *bo;
	u32 allocation;
};

static int submit_refuse(const struct quire_submit *submit, int error)
{
	return quire_refuse(&submit->qdev->drm, error, "submit: list %u, element %u, byte %#x: %s",
			    submit->error.where, submit->error.entry, submit->error.offset,
			    submit->error.why);
}

static int refuse_allocation(struct quire_submit *submit, u32 allocation, int error,
			     const char *why)
{
	submit->error = (struct quire_command_error) {
		.where = QUIRE_COMMAND_ALLOCATIONS,
		.entry = allocation,
		.why = why,
	};
	return submit_refuse(submit, error);
}

/**
 * quire_submit_refuse_object - fail, as an object is the reason
 * @submit: the submission; @error of it says that, then
 * @index: of the object
 * @error: negative errno
 * @why: for messages, constant
 * Returns: @error.
 */
int quire_submit_refuse_object(struct quire_submit *submit, u32 index, int error,
			       const char *why)
{
	u32 i = 0;

	while (submit->list.allocations[i].object != index)
		i++;
	return refuse_allocation(submit, i, error, why);
}

static int read_commands(struct quire_submit *submit, const struct drm_quire_submit *args)
{
	struct drm_device *drm = &submit->qdev->drm;
	void *commands;

	if (!args->commands_size || args->commands_size % 8)
		return quire_refuse(drm, -EINVAL, "submit: %u bytes of commands",
				    args->commands_size);
	if (args->commands_size > QUIRE_MAX_COMMANDS)
		return quire_refuse(drm, -E2BIG, "submit: %u bytes of commands, at most %u",
				    args->commands_size, QUIRE_MAX_COMMANDS);

	commands = kvmalloc(args->commands_size, GFP_KERNEL_ACCOUNT);
	submit->fields = kvmalloc_array(args->commands_size / 8, sizeof(*submit->fields),
					GFP_KERNEL_ACCOUNT);
	submit->list.commands = commands;
	submit->list.size = args->commands_size;
	if (!commands || !submit->fields)
		return -ENOMEM;
	if (copy_from_user(commands, u64_to_user_ptr(args->commands), args->commands_size))
		return quire_refuse(drm, -EFAULT, "submit: commands: bad pointer");
	return 0;
}

static int read_patches(struct quire_submit *submit, const struct drm_quire_array *array)
{
	struct drm_quire_patch_location *args __free(kvfree) =
		quire_array_read(&submit->qdev->drm, array, &patch_type);
	struct quire_patch_location *patches;
	u32 i;

	if (IS_ERR_OR_NULL(args))
		return PTR_ERR_OR_ZERO(args);
	patches = kvmalloc_array(array->count, sizeof(*patches), GFP_KERNEL_ACCOUNT);
	if (!patches)
		return -ENOMEM;

	submit->list.patches = patches;
	submit->list.nr_patches = array->count;
	for (i = 0; i < array->count && !args[i].pad; i++)
		patches[i] = (struct quire_patch_location) {
			.allocation = args[i].allocation,
			.slot = args[i].slot,
			.driver_id = args[i].driver_id,
			.split_offset = args[i].split_offset,
			.allocation_offset = args[i].allocation_offset,
			.patch_offset = args[i].patch_offset,
		};
	if (i == array->count)
		return 0;
	submit->error = (struct quire_command_error) {
		.where = QUIRE_COMMAND_PATCHES, .entry = i, .why = "its pad is not zero",
	};
	return submit_refuse(submit, -EINVAL);
}

static int found_compare(const void *a, const void *b)
{
	const struct found_object *left = a, *right = b;

	if (left->bo != right->bo)
		return left->bo < right->bo ? -1 : 1;
	return left->allocation < right->allocation ? -1 : 1;
}

static int find_objects(struct quire_submit *submit, struct drm_file *file,
			const struct drm_quire_allocation *args, struct found_object *found)
{
	struct drm_gem_object *obj;
	u32 i;

	for (i = 0; i < submit->list.nr_allocations; i++) {
		found[i].allocation = i;
		if (args[i].flags & ~DRM_QUIRE_ALLOCATION_WRITE)
			return refuse_allocation(submit, i, -EINVAL, "unknown flags");
		if (!args[i].handle)
			continue;
		obj = drm_gem_object_lookup(file, args[i].handle);
		if (!obj)
			return refuse_allocation(submit, i, -ENOENT, "no such object");
		found[i].bo = gem_to_quire_bo(obj);
		if (quire_bo_is_private(found[i].bo))
			return refuse_allocation(submit, i, -EPERM, "private to an address space");
	}
	return 0;
}

/* What commands use of it, and where; if they can. */
static bool describe_object(struct quire_bo *bo, struct quire_command_object *object)
{
	bool vram = quire_bo_allows(bo, QUIRE_PL_VRAM);

	if (!vram && (quire_bo_is_tiled(bo) || !quire_bo_allows(bo, QUIRE_PL_APERTURE)))
		return false;
	object->segment = vram ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_APERTURE;
	object->size = quire_bo_size_in(bo, vram ? QUIRE_PL_VRAM : QUIRE_PL_APERTURE);
	object->linear = quire_bo_has_mmu(bo);
	object->align = bo->base.page_alignment << PAGE_SHIFT;
	return true;
}

/* Allocations of one object stand together: takes their references over, keeps one. */
static int number_objects(struct quire_submit *submit, struct found_object *found,
			  const struct drm_quire_allocation *args,
			  struct quire_command_object *objects,
			  struct quire_command_allocation *allocations)
{
	u32 i, nr = submit->list.nr_allocations;
	u32 count = 0;

	for (i = 0; i < nr; i++) {
		struct quire_bo *bo = found[i].bo;
		u32 at = found[i].allocation;
		bool writes = args[at].flags & DRM_QUIRE_ALLOCATION_WRITE;

		allocations[at] = (struct quire_command_allocation) {
			.object = QUIRE_NO_OBJECT,
			.writable = writes,
			.offset = args[at].offset,
			.size = args[at].size,
		};
		if (!bo)
			continue;
		if (!count || submit->objects[count - 1].bo != bo) {
			if (!describe_object(bo, &objects[count]))
				return refuse_allocation(submit, at, -ENOMEDIUM,
							 "an object that commands can not use");
			submit->objects[count++].bo = bo;
			submit->list.nr_objects = count;
			found[i].bo = NULL;
		}
		submit->objects[count - 1].writes |= writes;
		allocations[at].object = count - 1;
	}
	return 0;
}

static int read_allocations(struct quire_submit *submit, struct drm_file *file,
			    const struct drm_quire_array *array)
{
	struct drm_quire_allocation *args __free(kvfree) =
		quire_array_read(&submit->qdev->drm, array, &allocation_type);
	struct quire_command_allocation *allocations;
	struct quire_command_object *objects;
	struct found_object *found;
	u32 i, count = array->count;
	int ret = -ENOMEM;

	if (IS_ERR_OR_NULL(args))
		return PTR_ERR_OR_ZERO(args);
	submit->list.nr_allocations = count;
	found = kvcalloc(count, sizeof(*found), GFP_KERNEL_ACCOUNT);
	allocations = kvmalloc_array(count, sizeof(*allocations), GFP_KERNEL_ACCOUNT);
	objects = kvmalloc_array(count, sizeof(*objects), GFP_KERNEL_ACCOUNT);
	submit->objects = kvcalloc(count, sizeof(*submit->objects), GFP_KERNEL_ACCOUNT);
	submit->addresses = kvmalloc_array(count, sizeof(*submit->addresses),
					   GFP_KERNEL_ACCOUNT);
	submit->list.allocations = allocations;
	submit->list.objects = objects;
	if (found && allocations && objects && submit->objects && submit->addresses)
		ret = find_objects(submit, file, args, found);
	if (!ret) {
		sort(found, count, sizeof(*found), found_compare, NULL);
		ret = number_objects(submit, found, args, objects, allocations);
	}

	for (i = 0; found && i < count; i++)
		if (found[i].bo)
			drm_gem_object_put(&found[i].bo->base.base);
	kvfree(found);
	return ret;
}

/* Objects of the aperture that the CPU maps through the aperture BAR have only that part of it. */
static int check_window(struct quire_submit *submit)
{
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = { U64_MAX, submit->qdev->window->size };
	struct quire_command_list list = submit->list;
	struct quire_command_object *objects;
	bool any = false;
	int ret;
	u32 i;

	for (i = 0; i < list.nr_objects; i++)
		any |= quire_window_is_for(submit->objects[i].bo) &&
		       list.objects[i].segment == QUIRE_SEGMENT_APERTURE;
	if (!any)
		return 0;
	objects = kvmalloc_array(list.nr_objects, sizeof(*objects), GFP_KERNEL_ACCOUNT);
	if (!objects)
		return -ENOMEM;
	for (i = 0; i < list.nr_objects; i++) {
		objects[i] = list.objects[i];
		if (!quire_window_is_for(submit->objects[i].bo))
			objects[i].size = 0;
	}
	list.objects = objects;
	ret = quire_split_check(&list, capacity, &submit->error);
	kvfree(objects);
	return ret;
}

/**
 * quire_submit_read - copy and check a submission
 * @submit: zero but for @qdev; to be freed by quire_submit_free() whatever is returned
 * @file: whose handles they are
 * @args: of the program
 * Returns: 0, or an error as of &struct drm_quire_submit; @error of @submit says more.
 */
int quire_submit_read(struct quire_submit *submit, struct drm_file *file,
		      const struct drm_quire_submit *args)
{
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = {
		submit->qdev->vram_mgr->manager.size, submit->qdev->aperture_size,
	};
	int ret = read_commands(submit, args) ?: read_patches(submit, &args->patches) ?:
		  read_allocations(submit, file, &args->allocations);

	if (ret)
		return ret;
	submit->commands.packets = submit->list.commands;
	ret = quire_command_check(&submit->list, submit->fields, &submit->error) ?:
	      quire_split_check(&submit->list, capacity, &submit->error) ?: check_window(submit);
	if (ret && ret != -ENOMEM)
		return submit_refuse(submit, ret);
	return ret;
}

/**
 * quire_submit_free - free what quire_submit_read() made
 * @submit: the submission
 */
void quire_submit_free(struct quire_submit *submit)
{
	u32 i;

	for (i = 0; i < submit->list.nr_objects; i++)
		drm_gem_object_put(&submit->objects[i].bo->base.base);
	kvfree(submit->addresses);
	kvfree(submit->objects);
	kvfree(submit->list.objects);
	kvfree(submit->list.allocations);
	kvfree(submit->list.patches);
	kvfree(submit->fields);
	kvfree(submit->list.commands);
}
