/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_BIND_H
#define QUIRE_VM_BIND_H

#include <linux/list.h>
#include <linux/types.h>

#include <drm/drm_exec.h>
#include <uapi/drm/quire_drm.h>

#include "core/quire_sync.h"
#include "quire_bind_job.h"
#include "quire_vm_place.h"

struct dma_fence;
struct drm_gpuva_op;
struct drm_gpuvm_bo;
struct quire_bo;

/**
 * struct quire_vm_bind - one call that changes what is bound
 * @validation: base
 * @binds: elements, in memory of the kernel
 * @count: how many
 * @objects: of each, with a reference, or NULL
 * @vm_bos: of each, while they are reserved, or NULL
 * @copied: of each: ranges that it binds at most, if it is a copy; else 0
 * @spare: struct quire_vma, as many as can be needed, by &drm_gpuva.gem
 * @nr_spare: how many
 * @exec: what is reserved
 * @list: the entries that change
 * @queue: number of the bind queue
 * @start: first address of all that changes, or is copied
 * @end: behind the last
 * @syncs: fences in and out
 * @refused: index of the element that is the reason of an error
 * @fence: of the bind, once it was pushed
 */
struct quire_vm_bind {
	struct quire_vm_validation validation;
	struct drm_quire_bind *binds;
	u32 count;
	struct quire_bo **objects;
	struct drm_gpuvm_bo **vm_bos;
	u32 *copied;
	struct list_head spare;
	u64 nr_spare;
	struct drm_exec exec;
	struct quire_bind_list list;
	u32 queue;
	u64 start;
	u64 end;
	struct quire_syncs syncs;
	u32 refused;
	struct dma_fence *fence;
};

/* quire_vm_bind_try.c */
int quire_vm_bind_try(struct quire_validation *base);

/* quire_vm_change.c */
int quire_vm_step_map(struct drm_gpuva_op *op, void *data);
int quire_vm_step_remap(struct drm_gpuva_op *op, void *data);
int quire_vm_step_unmap(struct drm_gpuva_op *op, void *data);
void quire_vm_change(struct quire_vm_bind *bind);
u64 quire_vm_bind_bits(const struct drm_quire_bind *arg);
int quire_vm_bind_reserve(struct quire_vm_bind *bind, u64 copied);
void quire_vm_bind_free_spare(struct quire_vm_bind *bind);
int quire_vm_copy_prepare(struct quire_vm_bind *bind);

#endif
