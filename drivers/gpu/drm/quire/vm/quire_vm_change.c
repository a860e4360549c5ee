// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is bound changes: the steps that drm_gpuvm divides a bind into. All memory is there, and
 * none of them fails.
 */
#include <linux/slab.h>

#include <drm/drm_gpuvm.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "bo/quire_bo.h"
#include "quire_vm.h"
#include "quire_vm_bind.h"

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
	struct quire_vma *vma = quire_vm_bind_take(bind);

	vma->bits = quire_vm_bind_bits(&bind->binds[change->index]);
	drm_gpuva_map(&bind->attempt.vm->base, &vma->base, &op->map);
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
		prev = quire_vm_bind_take(change->bind);
		prev->bits = to_quire_vma(whole)->bits;
	}
	if (op->remap.next) {
		next = quire_vm_bind_take(change->bind);
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
	struct drm_gpuvm *gpuvm = &bind->attempt.vm->base;
	struct change change = { .bind = bind };
	int ret;

	for (; change.index < bind->count; change.index++) {
		const struct drm_quire_bind *arg = &bind->binds[change.index];
		struct quire_bo *bo = bind->objects[change.index];

		if (arg->operation == DRM_QUIRE_BIND_UNMAP)
			ret = drm_gpuvm_sm_unmap(gpuvm, &change, arg->address, arg->size);
		else if (arg->operation == DRM_QUIRE_BIND_COPY)
			ret = quire_vm_copy_bound(bind, arg, &change);
		else
			ret = quire_gpuvm_sm_map(gpuvm, &change, &(struct drm_gpuvm_map_req) {
				.map.va.addr = arg->address,
				.map.va.range = arg->size,
				.map.gem.obj = bo ? &bo->base.base : NULL,
				.map.gem.offset = arg->offset,
			});
		drm_WARN_ON(&bind->attempt.vm->qdev->drm, ret);
	}
}
