/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_H
#define QUIRE_VM_H

/**
 * DOC: Layer vm
 *
 * Address spaces: what is bound (drm_gpuvm), page tables in VRAM, jobs that write entries in the
 * order of a bind queue, the way back of evicted objects before a submission, the pages of
 * contexts, native fences.
 *
 * In: VM_BIND; objects that leave their place (quire_vm_bo_leaves()). Out: page table updates and
 * TLB flushes in the paging queue; a fence that says when the tables are written. May use: all
 * before it, up to bo.
 */

#include <linux/container_of.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/drm_gpuvm.h>
#include <drm/ttm/ttm_resource.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_hw.h>

#include "bo/quire_bulk.h"
#include "bo/quire_validation.h"
#include "quire_bind_job.h"
#include "quire_context_page.h"
#include "quire_vm_table.h"

struct drm_device;
struct drm_file;
struct quire_device;
struct quire_usage;
struct quire_vm_validation;

/**
 * struct quire_vma - a range of addresses that is bound
 * @base: base; without an object it is zero
 * @bits: QUIRE_PTE_* of its entries, but those that say where a page is
 */
struct quire_vma {
	struct drm_gpuva base;
	u64 bits;
};

/**
 * struct quire_vm - an address space
 * @base: what is bound in it; protected by its reservation
 * @users: of the file that has it, of contexts, calls and jobs; without one nothing is
 *         bound any more
 * @qdev: the device
 * @link: in &quire_vms.list
 * @usage: of the file that made it; charged for paging work of calls that use it
 * @work: takes it down, when @users are none, and frees it, when nobody has it
 * @position: of a call that was interrupted
 * @validation: of the call that brings evicted objects back now, or NULL; has the reservation
 * @pages: its page tables
 * @queues: work that changes entries
 * @context_pages: of contexts that have it
 * @natives: &struct quire_native of it that have handles; has the reservation
 * @bulk: what moves in the LRU lists with it
 * @had_natives: there was one, which may live longer than its handles; has the reservation
 */
struct quire_vm {
	struct drm_gpuvm base;
	struct kref users;
	struct quire_device *qdev;
	struct list_head link;
	struct quire_usage *usage;
	struct work_struct work;
	struct quire_position position;
	struct quire_vm_validation *validation;
	struct quire_vm_tables pages;
	struct quire_bind_queues queues;
	struct quire_context_pages context_pages;
	struct list_head natives;
	struct quire_bulk bulk;
	bool had_natives;
};

/**
 * struct quire_vms - all address spaces of a device
 * @lock: protects the list
 * @list: those that the device knows of
 * @gone: the device is: there will be no more
 * @wq_lock: protects @wq; taken in the work of schedulers
 * @wq: takes them down; NULL: the device knows of none any more
 */
struct quire_vms {
	struct mutex lock; /* of the list */
	struct list_head list;
	bool gone;
	spinlock_t wq_lock; /* of the work queue */
	struct workqueue_struct *wq;
};

static inline struct quire_vm *to_quire_vm(struct drm_gpuvm *gpuvm)
{
	return container_of(gpuvm, struct quire_vm, base);
}

static inline struct quire_vma *to_quire_vma(struct drm_gpuva *va)
{
	return container_of(va, struct quire_vma, base);
}

int quire_vms_init_module(void);
void quire_vms_exit_module(void);
int quire_vms_init(struct quire_device *qdev);
void quire_vms_fini(struct quire_device *qdev);

struct quire_vm *quire_vm_lookup(struct drm_file *file, u32 id);
struct quire_vm *quire_vm_next(struct drm_file *file, unsigned long *id);
struct quire_vm *quire_vm_get(struct quire_vm *vm);
void quire_vm_put(struct quire_vm *vm);
u64 quire_vm_root(const struct quire_vm *vm);

int quire_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int quire_vm_delete(struct drm_file *file, u32 number);
int quire_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* quire_vm_bind.c */
int quire_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
