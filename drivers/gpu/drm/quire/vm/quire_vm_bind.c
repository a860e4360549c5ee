// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Binding
 *
 * %DRM_IOCTL_QUIRE_VM_BIND changes what addresses lead to: in drm_gpuvm immediately, and in page
 * tables by jobs of a bind queue, after whatever fences the program names. All that can fail is
 * done before anything changes::
 *
 *     1. arguments, objects, syncobjs, memory
 *     2. reserve the address space, objects that are mapped, and those that are bound there now
 *     3. objects to where they can be accessed, tables where there are none
 *     4. have entries written that must be there before: of new tables, and of evicted objects;
 *        write the packets of the entries: where they lead is known
 *     --- nothing fails from here on ---
 *     5. drm_gpuvm splits, removes and inserts what is bound, also copies of it
 *     6. push the jobs, their fence to all objects
 *
 * A copy has as its source what the earlier elements of the call leave. Before 5. only an upper
 * limit of its ranges is known. The device copies its entries (quire_vm_copy_entry.c).
 *
 * The fence keeps all objects where they are, also those that are unbound, until page tables match
 * drm_gpuvm.
 *
 * Locking: quire_validation.c; nothing is held while waiting for other tasks.
 *
 * Source: D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION; drm_gpuvm_sm_map().
 */
#include <linux/completion.h>
#include <linux/slab.h>

#include "core/quire_array.h"
#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "quire_vm.h"
#include "quire_vm_bind.h"

#define BIND_FLAGS	(DRM_QUIRE_BIND_READ_ONLY | DRM_QUIRE_BIND_NO_EXECUTE)

static const struct quire_array_type bind_type = {
	.name = "binds",
	.size = sizeof(struct drm_quire_bind),
	.min_stride = offsetofend(struct drm_quire_bind, pad),
	.max_count = DRM_QUIRE_MAX_BINDS,
};

static struct drm_device *bind_drm(const struct quire_vm_bind *bind)
{
	return &bind->validation.vm->qdev->drm;
}

static int check_bind(struct drm_device *drm, const struct drm_quire_bind *arg, u32 i)
{
	bool maps = arg->operation == DRM_QUIRE_BIND_MAP;
	bool copies = arg->operation == DRM_QUIRE_BIND_COPY;
	u32 flags = copies || arg->operation == DRM_QUIRE_BIND_UNMAP ? 0 : BIND_FLAGS;

	if (arg->operation > DRM_QUIRE_BIND_COPY)
		return quire_refuse(drm, -EINVAL, "bind %u: no operation %u", i, arg->operation);
	if (arg->flags & ~flags || arg->pad)
		return quire_refuse(drm, -EINVAL, "bind %u: flags %#x, pad %u", i, arg->flags,
				    arg->pad);
	if (!maps && (arg->handle || (arg->offset && !copies)))
		return quire_refuse(drm, -EINVAL, "bind %u: handle %u, offset %#llx without MAP",
				    i, arg->handle, arg->offset);
	if (!PAGE_ALIGNED(arg->address) || !PAGE_ALIGNED(arg->size) || !PAGE_ALIGNED(arg->offset))
		return quire_refuse(drm, -EINVAL,
				    "bind %u: address %#llx, size %#llx, offset %#llx: not all of pages",
				    i, arg->address, arg->size, arg->offset);
	if (!arg->size || arg->size > DRM_QUIRE_VM_SIZE ||
	    arg->address > DRM_QUIRE_VM_SIZE - arg->size ||
	    (copies && arg->offset > DRM_QUIRE_VM_SIZE - arg->size))
		return quire_refuse(drm, -ERANGE,
				    "bind %u: address %#llx, size %#llx, offset %#llx", i,
				    arg->address, arg->size, arg->offset);
	return 0;
}

/* The range includes sources of copies: they must not change before. */
static void extend(struct quire_vm_bind *bind, u64 start, u64 size)
{
	bind->start = min(bind->start, start);
	bind->end = max(bind->end, start + size);
}

static int read_binds(struct quire_vm_bind *bind, struct drm_device *drm,
		      const struct drm_quire_array *array)
{
	void *binds;
	int ret = 0;
	u32 i;

	if (!array->count)
		return quire_refuse(drm, -EINVAL, "bind: no binds");
	binds = quire_array_read(drm, array, &bind_type);
	if (IS_ERR(binds))
		return PTR_ERR(binds);
	bind->binds = binds;
	bind->count = array->count;
	bind->start = U64_MAX;
	for (i = 0; i < bind->count && !ret; i++) {
		ret = check_bind(drm, &bind->binds[i], i);
		if (ret)
			bind->refused = i;
		extend(bind, bind->binds[i].address, bind->binds[i].size);
		if (bind->binds[i].operation == DRM_QUIRE_BIND_COPY)
			extend(bind, bind->binds[i].offset, bind->binds[i].size);
	}
	return ret;
}

static int check_object(struct quire_vm_bind *bind, u32 i)
{
	const struct drm_quire_bind *arg = &bind->binds[i];
	struct quire_bo *bo = bind->objects[i];
	const char *fence = quire_bo_fence_name(bo);
	u64 size = quire_bo_size_in(bo, quire_bo_is_tiled(bo) ? QUIRE_PL_VRAM : QUIRE_PL_SYSTEM);

	if (quire_bo_is_private(bo) && bo->gpuvm != &bind->validation.vm->base)
		return quire_refuse(bind_drm(bind), -EPERM,
				    "bind %u: object %u is private to another VM", i, arg->handle);
	if (fence && !(arg->flags & DRM_QUIRE_BIND_READ_ONLY))
		return quire_refuse(bind_drm(bind), -EACCES,
				    "bind %u: object %u is a %s fence, and read-only", i,
				    arg->handle, fence);
	if (!quire_vm_can_place(bo))
		return quire_refuse(bind_drm(bind), -ENOMEDIUM,
				    "bind %u: object %u in segments %#x", i, arg->handle,
				    bo->segments);
	if (arg->offset > size || arg->size > size - arg->offset)
		return quire_refuse(bind_drm(bind), -ERANGE,
				    "bind %u: offset %#llx, size %#llx, object %u has %#llx", i,
				    arg->offset, arg->size, arg->handle, size);
	return 0;
}

static int lookup_objects(struct quire_vm_bind *bind, struct drm_file *file)
{
	struct drm_gem_object *obj;
	int ret = 0;
	u32 i;

	for (i = 0; i < bind->count && !ret; i++) {
		bind->refused = i;
		if (bind->binds[i].operation != DRM_QUIRE_BIND_MAP)
			continue;
		obj = drm_gem_object_lookup(file, bind->binds[i].handle);
		if (!obj)
			return quire_refuse(bind_drm(bind), -ENOENT, "bind %u: no object %u", i,
					    bind->binds[i].handle);
		bind->objects[i] = gem_to_quire_bo(obj);
		ret = check_object(bind, i);
	}
	if (!ret)
		bind->refused = bind->count;
	return ret;
}

static int alloc_all(struct quire_vm_bind *bind)
{
	bind->objects = kvcalloc(bind->count, sizeof(*bind->objects), GFP_KERNEL_ACCOUNT);
	bind->vm_bos = kvcalloc(bind->count, sizeof(*bind->vm_bos), GFP_KERNEL_ACCOUNT);
	bind->copied = kvcalloc(bind->count, sizeof(*bind->copied), GFP_KERNEL_ACCOUNT);
	if (!bind->objects || !bind->vm_bos || !bind->copied)
		return -ENOMEM;
	return quire_vm_bind_reserve(bind, 0);
}

static void free_all(struct quire_vm_bind *bind)
{
	u32 i;

	quire_vm_bind_free_spare(bind);
	for (i = 0; i < bind->count && bind->objects; i++)
		if (bind->objects[i])
			drm_gem_object_put(&bind->objects[i]->base.base);
	dma_fence_put(bind->fence);
	kvfree(bind->copied);
	kvfree(bind->vm_bos);
	kvfree(bind->objects);
	kvfree(bind->binds);
}

/*
 * At most: each page an entry, a packet for each table and one for the entry above it; and no job
 * has less than a page.
 */
static u64 packet_bytes(const struct quire_vm_bind *bind)
{
	const u64 packet = sizeof(struct quire_packet_update_page_table) + sizeof(__le64);
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		u64 pages = bind->binds[i].size >> QUIRE_PAGE_SHIFT;

		bytes += 2 * packet * (2 + pages / QUIRE_PT_ENTRIES);
		if (bind->binds[i].operation == DRM_QUIRE_BIND_COPY)
			bytes += quire_vm_copy_bytes(bind->binds[i].size);
		if (bind->objects[i])
			bytes += pages * sizeof(__le64);
	}
	return PAGE_ALIGN(bytes);
}

/* Jobs take what is charged over. */
static int run(struct quire_vm_bind *bind)
{
	struct quire_bind_queues *queues = &bind->validation.vm->queues;
	u64 bytes = packet_bytes(bind);
	int ret;

	ret = quire_bind_charge(queues, bytes);
	if (ret)
		return ret;
	bind->list.charge = bytes;
	ret = quire_validation_run(&bind->validation.base);
	quire_validation_forget(&bind->validation.base);
	if (ret)
		quire_bind_uncharge(queues, bytes);
	return ret;
}

/**
 * struct bind_end - a wait for the end of a bind
 * @cb: on its fence
 * @done: it has ended
 */
struct bind_end {
	struct dma_fence_cb cb;
	struct completion done;
};

static void bind_ended(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	complete(&container_of(cb, struct bind_end, cb)->done);
}

/* It may be behind foreign fences; the call has succeeded, also if the caller is killed. */
static void wait_killable(struct dma_fence *fence)
{
	struct bind_end end;

	init_completion(&end.done);
	if (dma_fence_add_callback(fence, &end.cb, bind_ended))
		return;
	if (wait_for_completion_killable(&end.done))
		dma_fence_remove_callback(fence, &end.cb);
}

static int bind_with_vm(struct quire_vm_bind *bind, struct drm_device *drm, struct drm_file *file,
			const struct drm_quire_vm_bind *args)
{
	int ret = quire_device_check(drm);
	struct quire_vm *vm;

	if (ret)
		return ret;
	vm = quire_vm_lookup(file, args->vm);
	if (!vm)
		return quire_refuse(drm, -ENOENT, "bind: no VM %u", args->vm);
	quire_vm_validation_init(&bind->validation, vm, quire_vm_bind_try);
	ret = alloc_all(bind) ?: lookup_objects(bind, file) ?:
	      quire_syncs_lookup(&bind->syncs, drm, file) ?: run(bind);
	/* Without syncobjs only the return of the call tells that it is done. */
	if (!ret && bind->syncs.count)
		quire_syncs_signal(&bind->syncs, dma_fence_get(bind->fence));
	else if (!ret)
		wait_killable(bind->fence);
	quire_vm_put(vm);
	return ret;
}

/**
 * quire_vm_bind_ioctl - %DRM_IOCTL_QUIRE_VM_BIND
 * @drm: the device
 * @data: &struct drm_quire_vm_bind
 * @file: who asks
 * Returns: 0, or an error as documented there.
 */
int quire_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_quire_vm_bind *args = data;
	struct quire_vm_bind bind = { .queue = args->queue, .refused = args->binds.count };
	int ret;

	INIT_LIST_HEAD(&bind.spare);
	if (args->queue >= DRM_QUIRE_BIND_QUEUES)
		ret = quire_refuse(drm, -EINVAL, "bind: no queue %u", args->queue);
	else if (args->flags)
		ret = quire_refuse(drm, -EINVAL, "bind: flags %#x", args->flags);
	else
		ret = quire_syncs_init(&bind.syncs, drm, &args->syncs,
				       DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT);
	if (!ret) {
		ret = read_binds(&bind, drm, &args->binds) ?:
		      bind_with_vm(&bind, drm, file, args);
		quire_syncs_fini(&bind.syncs);
	}
	args->refused_bind = quire_error_names_none(ret) ? args->binds.count : bind.refused;
	free_all(&bind);
	return ret;
}
