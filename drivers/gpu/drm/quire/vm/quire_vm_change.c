// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A bind in drm_gpuvm: memory for the ranges that it adds, the steps that drm_gpuvm divides it
 * into, which never fail, and %DRM_QUIRE_BIND_COPY: what is bound at the source is also bound at
 * the target.
 */
#include <linux/slab.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_refuse.h"
#include "bo/quire_bo.h"
#include "quire_vm.h"
#include "quire_vm_bind.h"

/* What one element may split: it is new itself, and what was there stays on both sides. */
#define VMAS_OF_BIND	3

/**
 * quire_vm_bind_reserve - allocate ranges, for what will be bound
 * @bind: the call
 * @copied: ranges that are copied, beside what each element may need
 * Returns: 0 or -ENOMEM.
 */
int quire_vm_bind_reserve(struct quire_vm_bind *bind, u64 copied)
{
	struct quire_vma *vma;

	for (; bind->nr_spare < bind->count * VMAS_OF_BIND + copied; bind->nr_spare++) {
		vma = kzalloc(sizeof(*vma), GFP_KERNEL_ACCOUNT);
		if (!vma)
			return -ENOMEM;
		list_add(&vma->base.gem.entry, &bind->spare);
	}
	return 0;
}

static struct quire_vma *take_spare(struct quire_vm_bind *bind)
{
	struct quire_vma *vma = list_first_entry(&bind->spare, struct quire_vma,
						 base.gem.entry);

	list_del_init(&vma->base.gem.entry);
	return vma;
}

/**
 * quire_vm_bind_free_spare - free the ranges that were not bound
 * @bind: the call
 */
void quire_vm_bind_free_spare(struct quire_vm_bind *bind)
{
	struct quire_vma *vma, *next;

	list_for_each_entry_safe(vma, next, &bind->spare, base.gem.entry)
		kfree(vma);
}

/* So many new ranges at most; an earlier element also leaves one on each side of what it splits. */
static u64 count_copied(struct quire_vm_bind *bind, u32 index)
{
	const struct drm_quire_bind *arg = &bind->binds[index];
	struct drm_gpuva *va;
	u64 count = 0;
	u32 i;

	drm_gpuvm_for_each_va_range(va, &bind->validation.vm->base, arg->offset,
				    arg->offset + arg->size)
		count++;
	for (i = 0; i < index; i++) {
		const struct drm_quire_bind *other = &bind->binds[i];

		if (arg->offset < other->address + other->size &&
		    other->address < arg->offset + arg->size)
			count += bind->copied[i] + 2;
	}
	return min(count, arg->size >> PAGE_SHIFT);
}

/**
 * quire_vm_copy_prepare - have all memory that copies can need
 * @bind: the call; the address space is reserved
 * Returns: 0; -ENOMEM; -E2BIG of one of them, which is refused, there may be too many ranges.
 */
int quire_vm_copy_prepare(struct quire_vm_bind *bind)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		u64 count;

		if (bind->binds[i].operation != DRM_QUIRE_BIND_COPY)
			continue;
		count = count_copied(bind, i);
		total += count;
		if (total > DRM_QUIRE_MAX_COPIED) {
			bind->refused = i;
			return quire_refuse(&bind->validation.vm->qdev->drm, -E2BIG,
					    "bind %u: %llu ranges are copied, or more", i, total);
		}
		bind->copied[i] = count;
	}
	return quire_vm_bind_reserve(bind, total);
}

/* The part of a range that is in the source, as it will be; not bound yet. */
static struct quire_vma *copy_vma(struct quire_vm_bind *bind, const struct drm_quire_bind *arg,
				  struct drm_gpuva *va)
{
	u64 start = max(va->va.addr, arg->offset);
	u64 end = min(va->va.addr + va->va.range, arg->offset + arg->size);
	struct quire_vma *vma = take_spare(bind);

	vma->bits = to_quire_vma(va)->bits;
	vma->base.va.addr = arg->address + (start - arg->offset);
	vma->base.va.range = end - start;
	vma->base.gem.obj = va->gem.obj;
	vma->base.gem.offset = va->gem.obj ? va->gem.offset + (start - va->va.addr) : 0;
	/* The unmap may remove the last range that holds it. */
	vma->base.vm_bo = va->vm_bo ? drm_gpuvm_bo_get(va->vm_bo) : NULL;
	return vma;
}

static int copy_bound(struct quire_vm_bind *bind, const struct drm_quire_bind *arg, void *data)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	struct drm_gpuvm_bo *vm_bo;
	struct quire_vma *vma, *next;
	struct drm_gpuva *va;
	LIST_HEAD(copies);
	int ret;

	/* All of it before anything changes: ranges may overlap. */
	drm_gpuvm_for_each_va_range(va, gpuvm, arg->offset, arg->offset + arg->size)
		list_add_tail(&copy_vma(bind, arg, va)->base.gem.entry, &copies);
	ret = drm_gpuvm_sm_unmap(gpuvm, data, arg->address, arg->size);
	list_for_each_entry_safe(vma, next, &copies, base.gem.entry) {
		list_del_init(&vma->base.gem.entry);
		vm_bo = vma->base.vm_bo;
		vma->base.vm_bo = NULL;
		ret = drm_gpuva_insert(gpuvm, &vma->base) ?: ret;
		if (vm_bo) {
			drm_gpuva_link(&vma->base, vm_bo);
			drm_gpuvm_bo_put(vm_bo);
		}
	}
	return ret;
}

/**
 * struct change - a bind at work
 * @bind: the call
 * @index: of its element
 */
struct change {
	struct quire_vm_bind *bind;
	u32 index;
};

/**
 * quire_vm_bind_bits - what entries of a range say
 * @arg: the range
 * Returns: QUIRE_PTE_*, without those that say where a page is; 0: they are not valid.
 */
u64 quire_vm_bind_bits(const struct drm_quire_bind *arg)
{
	u64 bits = arg->operation == DRM_QUIRE_BIND_UNMAP ? 0 : QUIRE_PTE_VALID;

	if (arg->operation == DRM_QUIRE_BIND_MAP_ZERO)
		bits |= QUIRE_PTE_ZERO;
	if (arg->flags & DRM_QUIRE_BIND_READ_ONLY)
		bits |= QUIRE_PTE_READ_ONLY;
	if (arg->flags & DRM_QUIRE_BIND_NO_EXECUTE)
		bits |= QUIRE_PTE_NO_EXECUTE;
	return bits;
}

static void drop_va(struct drm_gpuva *va)
{
	drm_gpuva_unlink(va);
	kfree(to_quire_vma(va));
}

/**
 * quire_vm_step_map - &drm_gpuvm_ops.sm_step_map
 * @op: what is bound
 * @data: a bind at work
 * Returns: 0.
 */
int quire_vm_step_map(struct drm_gpuva_op *op, void *data)
{
	struct change *change = data;
	struct quire_vm_bind *bind = change->bind;
	struct quire_vma *vma = take_spare(bind);

	vma->bits = quire_vm_bind_bits(&bind->binds[change->index]);
	drm_gpuva_map(&bind->validation.vm->base, &vma->base, &op->map);
	if (op->map.gem.obj)
		drm_gpuva_link(&vma->base, bind->vm_bos[change->index]);
	return 0;
}

/**
 * quire_vm_step_remap - &drm_gpuvm_ops.sm_step_remap
 * @op: what stays on one side, or on both
 * @data: a bind at work
 * Returns: 0.
 */
int quire_vm_step_remap(struct drm_gpuva_op *op, void *data)
{
	struct drm_gpuva *whole = op->remap.unmap->va;
	struct change *change = data;
	struct quire_vma *prev = NULL, *next = NULL;

	if (op->remap.prev) {
		prev = take_spare(change->bind);
		prev->bits = to_quire_vma(whole)->bits;
	}
	if (op->remap.next) {
		next = take_spare(change->bind);
		next->bits = to_quire_vma(whole)->bits;
	}
	drm_gpuva_remap(prev ? &prev->base : NULL, next ? &next->base : NULL, &op->remap);
	if (prev && whole->vm_bo)
		drm_gpuva_link(&prev->base, whole->vm_bo);
	if (next && whole->vm_bo)
		drm_gpuva_link(&next->base, whole->vm_bo);
	drop_va(whole);
	return 0;
}

/**
 * quire_vm_step_unmap - &drm_gpuvm_ops.sm_step_unmap
 * @op: what is bound no more
 * @data: a bind at work
 * Returns: 0.
 */
int quire_vm_step_unmap(struct drm_gpuva_op *op, void *data)
{
	drm_gpuva_unmap(&op->unmap);
	drop_va(op->unmap.va);
	return 0;
}

/**
 * quire_vm_change - have drm_gpuvm make the changes of a bind
 * @bind: the call; the address space is reserved, and all objects that it is about
 */
void quire_vm_change(struct quire_vm_bind *bind)
{
	struct drm_gpuvm *gpuvm = &bind->validation.vm->base;
	struct change change = { .bind = bind };
	int ret;

	for (; change.index < bind->count; change.index++) {
		const struct drm_quire_bind *arg = &bind->binds[change.index];
		struct quire_bo *bo = bind->objects[change.index];

		if (arg->operation == DRM_QUIRE_BIND_UNMAP)
			ret = drm_gpuvm_sm_unmap(gpuvm, &change, arg->address, arg->size);
		else if (arg->operation == DRM_QUIRE_BIND_COPY)
			ret = copy_bound(bind, arg, &change);
		else
			ret = quire_gpuvm_sm_map(gpuvm, &change, &(struct drm_gpuvm_map_req) {
				.map.va.addr = arg->address,
				.map.va.range = arg->size,
				.map.gem.obj = bo ? &bo->base.base : NULL,
				.map.gem.offset = arg->offset,
			});
		drm_WARN_ON(&bind->validation.vm->qdev->drm, ret);
	}
}
