/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_H
#define QUIRE_VM_H

/**
 * DOC: Layer vm
 *
 * Address spaces: what is bound (drm_gpuvm), page tables in VRAM, jobs that write entries in the
 * order of a bind queue, the way back of evicted objects before a submission, and the pages of
 * contexts.
 *
 * In: VM_BIND; objects that leave their place (quire_vm_bo_leaves()). Out: page table updates and
 * TLB flushes in the paging queue; a fence that says when the tables are written. May use: all
 * before it, up to bo.
 */

#include <linux/cleanup.h>
#include <linux/container_of.h>
#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_gpuvm.h>
#include <drm/gpu_scheduler.h>
#include <uapi/drm/quire_drm.h>

#include "paging/quire_paging_list.h"
#include "bo/quire_bulk.h"
#include "bo/quire_validation.h"
#include "quire_context_page.h"

struct drm_file;

/* Levels whose tables come and go: all but that of the root. */
#define QUIRE_VM_LEVELS		(QUIRE_PT_LEVELS - 1)

/* Of a table: no entry leads to it yet; in the place of that is or was one of a page of 2 MiB. */
#define QUIRE_VM_UNLINKED	XA_MARK_0
#define QUIRE_VM_LARGE		XA_MARK_1

/**
 * struct quire_vm_tables - page tables of an address space
 * @vm: whose they are
 * @root_cpu: the table of level 3, in system memory; NULL once the device is gone
 * @root_dma: DMA address of @root_cpu
 * @root: the entry that leads there, never changed
 * @lock: protects the rest, and the order in which the paging queue writes entries; inside of
 *        reservations, outside of paging buffers
 * @levels: struct quire_bo of each table of a level, by the addresses that it maps
 * @lost: one of them was evicted: all of them are worth nothing
 * @incomplete: entries of something that is bound may be missing
 * @half_linked: entries may lead to tables that are marked %QUIRE_VM_UNLINKED, after an error
 * @failed: something that was to be written was given up; set without @lock
 * @renewals: how often they were made anew; read without @lock
 * @unflushed: the device may remember what is not so any more
 * @written: fence of what the paging queue wrote last, or NULL
 * @entries: of the table that is described now
 */
struct quire_vm_tables {
	struct quire_vm *vm;
	void *root_cpu;
	dma_addr_t root_dma;
	struct quire_paging_pte root;
	struct mutex lock; /* of the rest */
	struct xarray levels[QUIRE_VM_LEVELS];
	bool lost;
	bool incomplete;
	bool half_linked;
	bool failed;
	unsigned long renewals;
	bool unflushed;
	struct dma_fence *written;
	struct quire_paging_pte entries[QUIRE_PT_ENTRIES];
};

/**
 * struct quire_vm_range - addresses, and what they shall lead to
 * @start: first address
 * @end: behind the last
 * @bo: an object; NULL: none
 * @offset: bytes from the start of the object
 * @bits: QUIRE_PTE_* of each entry, without segment; 0: it is not valid
 */
struct quire_vm_range {
	u64 start;
	u64 end;
	struct quire_bo *bo;
	u64 offset;
	u64 bits;
};

/* Entries in its tables, a table of each level, and the entry that leads to it. */
static inline u64 quire_vm_table_index(u64 address, u32 level)
{
	return address >> QUIRE_PT_SHIFT(level + 1);
}

/* What can be in one buffer in any case. */
#define QUIRE_BIND_WHOLE_MAX	SZ_4K

/**
 * struct quire_bind_queue - jobs that change entries, in order
 * @entity: of the scheduler of the paging ring
 * @fence_context: timeline of its fences
 * @fence_seqno: of the last one
 * @last: the last one, or NULL
 * @start: first address of all that changes until @last signals
 * @end: behind the last
 */
struct quire_bind_queue {
	struct drm_sched_entity entity;
	u64 fence_context;
	u64 fence_seqno;
	struct dma_fence *last;
	u64 start;
	u64 end;
};

/**
 * struct quire_bind_queues - bind queues of an address space
 * @count: number of @items that are initialised
 * @items: the queues; protected by the reservation of the address space
 * @lock: protects @queued
 * @room: callers that wait until less is queued
 * @queued: bytes that jobs take which are not freed yet
 */
struct quire_bind_queues {
	u32 count;
	struct quire_bind_queue items[DRM_QUIRE_BIND_QUEUES];
	spinlock_t lock; /* of queued */
	wait_queue_head_t room;
	u64 queued;
};

/**
 * struct quire_native - a native fence (quire_fence.c)
 * @bo: its object, which has it; private to its address space
 * @usage: of the file that created it, with a reference
 * @link: in &quire_vm.natives while a file has a handle; has the reservation
 * @handles: how many, of all files; has the reservation
 * @lock: protects @waiters
 * @waiters: struct native_waiter, who sleeps until the current value is large enough
 */
struct quire_native {
	struct quire_bo *bo;
	struct quire_usage *usage;
	struct list_head link;
	u32 handles;
	spinlock_t lock; /* of the waiters */
	struct list_head waiters;
};

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
 * @users: of the file, contexts, calls and jobs; without one nothing is bound any more
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

static inline struct quire_vm *quire_vm_get(struct quire_vm *vm)
{
	kref_get(&vm->users);
	return vm;
}

/* The entry that leads to the page tables, as contexts have it. */
static inline u64 quire_vm_root(const struct quire_vm *vm)
{
	return vm->pages.root.page << QUIRE_PAGE_SHIFT | vm->pages.root.flags;
}

/* One of them is evicted, with the address space reserved and idle: nothing is written there. */
static inline void quire_vm_tables_lose(struct quire_vm_tables *tables)
{
	guard(mutex)(&tables->lock);
	tables->lost = true;
}

/* When are they what was asked for? With a reference, or NULL. */
static inline struct dma_fence *quire_vm_tables_written(struct quire_vm_tables *tables)
{
	guard(mutex)(&tables->lock);
	return dma_fence_get(tables->written);
}

/* quire_vm_table.c */
void quire_vm_put(struct quire_vm *vm);
struct quire_vm *quire_vm_next(struct drm_file *file, unsigned long *id, unsigned long last);
struct quire_bo *quire_vm_next_bo(struct xarray *bos, unsigned long *index);
void quire_vm_tables_drop(struct quire_vm_tables *tables, xa_mark_t mark);
int quire_vm_write_range(struct quire_vm_tables *tables, struct quire_paging_list *list,
			 const struct quire_vm_range *range, u32 flags);
int quire_vm_write_before(struct quire_vm_tables *tables, struct quire_batch *batch,
			  const struct drm_quire_bind *binds, u32 count);
int quire_vm_write_object(struct quire_vm_tables *tables, struct quire_batch *batch,
			  struct drm_gpuvm_bo *vm_bo, bool valid);
int quire_vm_write_all(struct quire_vm_tables *tables, struct quire_batch *batch);
int quire_vm_renew_tables(struct quire_vm_tables *tables, struct quire_batch *batch);
void quire_vm_forget(struct quire_vm_tables *tables);
u64 quire_vm_copy_bytes(u64 size);
int quire_vm_copy_entries(struct quire_vm_tables *tables, struct quire_paging_list *list,
			  u64 source, u64 target, u64 size);

/* With a reference, or NULL. */
static inline struct quire_vm *quire_vm_lookup(struct drm_file *file, unsigned long id)
{
	return quire_vm_next(file, &id, id);
}

DEFINE_FREE(quire_vm, struct quire_vm *, quire_vm_put(_T))

/* quire_vm_bind.c */
int quire_vm_step_map(struct drm_gpuva_op *op, void *data);
int quire_vm_step_remap(struct drm_gpuva_op *op, void *data);
int quire_vm_step_unmap(struct drm_gpuva_op *op, void *data);
int quire_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* quire_vm_life.c */
int quire_vms_init_module(void);
void quire_vms_exit_module(void);
int quire_vms_init(struct quire_device *qdev);
void quire_vms_fini(struct quire_device *qdev);
int quire_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int quire_vm_delete(struct drm_file *file, u32 number);
int quire_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
