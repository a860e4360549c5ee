/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_TABLE_H
#define QUIRE_VM_TABLE_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <quire/quire_hw.h>

#include "paging/quire_paging.h"

struct dma_fence;
struct drm_gpuvm_bo;
struct drm_quire_bind;
struct quire_batch;
struct quire_bind_list;
struct quire_bo;
struct quire_paging_list;
struct quire_paging_work;
struct quire_vm;
struct quire_vm_validation;

/* Levels whose tables come and go: all but that of the root. */
#define QUIRE_VM_LEVELS		(QUIRE_PT_LEVELS - 1)

/**
 * struct quire_vm_tables - page tables of an address space
 * @vm: whose they are
 * @root_cpu: the table of level 3, in system memory; NULL once the device is gone
 * @root_dma: DMA address of @root_cpu
 * @root: the entry that leads there, never changed
 * @lock: protects the rest, and the order in which entries are written by the paging queue;
 *        taken inside of reservations; paging buffers are taken inside of it
 * @levels: struct quire_bo of each table of a level, by the addresses that it maps; those with
 *          the mark %QUIRE_VM_UNLINKED have no entry that leads to them yet, and in the place
 *          of the entry of those with %QUIRE_VM_LARGE is or was one of a page of 2 MiB
 * @lost: one of them was given up, since its room was needed; then all of them are worth
 *        nothing
 * @incomplete: entries of something that is bound may be missing
 * @half_linked: entries may lead to tables with the mark %QUIRE_VM_UNLINKED, since a list of them
 *               ended before its end
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

#define QUIRE_VM_UNLINKED	XA_MARK_0
#define QUIRE_VM_LARGE		XA_MARK_1

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

int quire_vm_tables_init(struct quire_vm_tables *tables, struct quire_vm *vm);
void quire_vm_tables_fini(struct quire_vm_tables *tables);
void quire_vm_tables_free(struct quire_vm_tables *tables);
void quire_vm_tables_lose(struct quire_vm_tables *tables);
int quire_vm_tables_ensure(struct quire_vm_tables *tables, u64 start, u64 end,
			   struct quire_vm_validation *validation);
void quire_vm_tables_drop(struct quire_vm_tables *tables);
bool quire_vm_tables_are_whole(struct quire_vm_tables *tables);
struct dma_fence *quire_vm_tables_written(struct quire_vm_tables *tables);
struct quire_bo *quire_vm_tables_next(struct quire_vm_tables *tables, u32 level,
				      unsigned long *index);
bool quire_bo_is_page_table(const struct quire_bo *bo);

/* quire_vm_entry.c */
int quire_vm_renew_tables(struct quire_vm_tables *tables, struct quire_batch *batch);
int quire_vm_write_before(struct quire_vm_tables *tables, struct quire_batch *batch,
			  const struct drm_quire_bind *binds, u32 count);
int quire_vm_write_object(struct quire_vm_tables *tables, struct quire_batch *batch,
			  struct drm_gpuvm_bo *vm_bo, bool valid);
int quire_vm_write_all(struct quire_vm_tables *tables, struct quire_batch *batch);
void quire_vm_forget(struct quire_vm_tables *tables);
int quire_vm_write_small(struct quire_vm_tables *tables, struct quire_paging_list *list,
			 u64 address);
int quire_vm_write_range(struct quire_vm_tables *tables, struct quire_paging_list *list,
			 const struct quire_vm_range *range, u32 flags);

/* quire_vm_notice.c */
bool quire_vm_is_noticed(struct quire_bo *bo);
int quire_vm_notice(struct quire_vm_tables *tables, struct quire_paging_work *work,
		    struct quire_bo *bo, u64 offset, u64 size);

/* quire_vm_copy_entry.c */
u64 quire_vm_copy_bytes(u64 size);
int quire_vm_copy_entries(struct quire_vm_tables *tables, struct quire_bind_list *bind,
			  u64 source, u64 target, u64 size);

#endif
