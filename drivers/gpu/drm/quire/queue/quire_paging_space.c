// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The paging address space
 *
 * What the paging ring executes has an address space of its own, the original's paging
 * process: scratch windows, through which a move sees a part of what it reads and of what it
 * writes, and the page tables themselves, so that the device can write what leads to what the
 * windows show::
 *
 *     virtual address        table of level 1            memory
 *     BASE             +---> 0: table of level 0 ------> context, tables
 *     BASE +  2 MiB    +---> 1: table of level 0 ------> what a move reads
 *     BASE +  4 MiB    +---> 2: table of level 0 ------> what a move writes
 *     BASE +  6 MiB    +---> 3: page of 2 MiB ---------> the same, where it makes
 *     BASE +  8 MiB    +---> 4: page of 2 MiB ---------> such a page
 *     BASE + 10 MiB    +---> 5: 8 tables --------------> pages of monitored fences
 *
 * It is made by the CPU, before there is anything that could be executed in it: the builder
 * writes the tables in its mode %QUIRE_PAGE_TABLE_CPU_VIRTUAL. From then on the device writes what
 * the windows show, in the order of the paging ring, and nobody else does: the tables of small
 * pages, and entries 3 and 4 of level 1. So a window is whose packets are at work: who maps one
 * and uses it does both in one paging buffer (quire_paging_work_begin_whole()). So it is with a
 * spare table to which nothing leads, for entries on their way from one table to another
 * (quire_vm_copy_entry.c).
 *
 * A reset of the device leaves it as it is, in memory. Before the ring goes on after a fault,
 * or anything else that stopped it, the context is made anew: a fault may be latched there,
 * and then it would be refused. So is what does not change of the tables. What the windows show
 * stays: the packet at work may be one that goes on with it. And so do the tables of fences.
 *
 * Entries of fences are written by the CPU, as a whole: one that becomes valid needs no flush,
 * and while one does nothing is executed that uses its address. What the device may remember of
 * a page that was there before is flushed by whoever uses the address (quire_fence_signal.c).
 *
 * Locking: &quire_paging_queue.runs_lock for @entries; the rest does not change.
 *
 * Source: "GPU virtual memory in WDDM 2.0", the paging process.
 */
#include <linux/dma-mapping.h>
#include <linux/string.h>

#include <drm/drm_device.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include <quire/quire_hw.h>

#include "paging/quire_paging.h"
#include "quire_paging_space.h"

/* Not 0: an address that nobody has set is in no page. */
#define PAGING_BASE		BIT_ULL(QUIRE_PT_SHIFT(3))
#define PAGING_REGION_SIZE	BIT_ULL(QUIRE_PT_SHIFT(1))

/*
 * enum paging_page - pages of the memory
 */
enum paging_page {
	PAGING_CONTEXT,
	PAGING_TABLE_3,
	PAGING_TABLE_2,
	PAGING_TABLE_1,
	PAGING_TABLE_SPARE,
	PAGING_TABLE_SELF,
	PAGING_TABLE_WINDOW,
	PAGING_TABLE_FENCE = PAGING_TABLE_WINDOW + QUIRE_PAGING_WINDOWS,
	PAGING_PAGES = PAGING_TABLE_FENCE + QUIRE_PAGING_FENCE_TABLES,
};

/*
 * enum paging_region - entries of level 1, each of which has a table of level 0, but for windows
 * of a large page
 */
enum paging_region {
	PAGING_REGION_SELF,
	PAGING_REGION_WINDOW,
	PAGING_REGION_LARGE = PAGING_REGION_WINDOW + QUIRE_PAGING_WINDOWS,
	PAGING_REGION_FENCE = PAGING_REGION_LARGE + QUIRE_PAGING_WINDOWS,
};

static void *page_cpu(const struct quire_paging_space *space, u32 page)
{
	return space->memory + page * QUIRE_PAGE_SIZE;
}

/* An entry that leads to one of the pages. */
static struct quire_paging_pte page_entry(const struct quire_paging_space *space, u32 page,
					  u64 flags)
{
	return (struct quire_paging_pte) {
		.flags = QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, 0, QUIRE_PTE_VALID | flags),
		.page = (space->dma >> QUIRE_PAGE_SHIFT) + page,
	};
}

static u64 page_va(u32 page)
{
	return PAGING_BASE + page * QUIRE_PAGE_SIZE;
}

static u64 region_va(u32 region)
{
	return PAGING_BASE + region * PAGING_REGION_SIZE;
}

/* By the CPU: nothing is executed there. Other entries stay: at first there are none. */
static int write_table(struct quire_paging_space *space, u32 table, u32 level, u32 start,
		       const struct quire_paging_pte *entries, u32 count)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.page_table_level = level,
			.update_mode = QUIRE_PAGE_TABLE_CPU_VIRTUAL,
			.page_table_address.cpu_virtual = page_cpu(space, table),
			.page_table_entries = entries,
			.start_index = start,
			.num_page_table_entries = count,
		},
	};
	int ret = quire_paging_check_args(space->caps, &args);

	if (!ret && quire_build_paging_buffer(space->caps, &args) != QUIRE_BUILD_DONE)
		ret = -EIO;
	return ret;
}

/* From entry @region of level 1 on: what leads to tables that follow each other. */
static int write_regions(struct quire_paging_space *space, u32 region, u32 table, u32 count)
{
	struct quire_paging_pte entries[PAGING_PAGES];
	u32 i;

	for (i = 0; i < count; i++)
		entries[i] = page_entry(space, table + i, 0);
	return write_table(space, PAGING_TABLE_1, 1, region, entries, count);
}

static int write_tables(struct quire_paging_space *space)
{
	const struct quire_paging_pte level_2 = page_entry(space, PAGING_TABLE_2, 0);
	const struct quire_paging_pte level_1 = page_entry(space, PAGING_TABLE_1, 0);
	struct quire_paging_pte self[PAGING_TABLE_FENCE];
	const u32 first = PAGING_BASE >> QUIRE_PT_SHIFT(3);
	u32 i;

	for (i = 0; i < PAGING_TABLE_FENCE; i++)
		self[i] = page_entry(space, i, QUIRE_PTE_CACHE_COHERENT | QUIRE_PTE_NO_EXECUTE);

	return write_table(space, PAGING_TABLE_3, 3, first, &level_2, 1) ?:
	       write_table(space, PAGING_TABLE_2, 2, 0, &level_1, 1) ?:
	       write_regions(space, PAGING_REGION_SELF, PAGING_TABLE_SELF,
			     1 + QUIRE_PAGING_WINDOWS) ?:
	       write_regions(space, PAGING_REGION_FENCE, PAGING_TABLE_FENCE,
			     QUIRE_PAGING_FENCE_TABLES) ?:
	       write_table(space, PAGING_TABLE_SELF, 0, 0, self, ARRAY_SIZE(self));
}

static void write_context(struct quire_paging_space *space)
{
	struct quire_context_area *context = page_cpu(space, PAGING_CONTEXT);

	memset(context, 0, sizeof(*context));
	context->magic = cpu_to_le32(QUIRE_CONTEXT_MAGIC);
	context->root = cpu_to_le64(space->root.page << QUIRE_PAGE_SHIFT | space->root.flags);
}

/**
 * quire_paging_space_init - make the address space of the paging ring
 * @space: to initialise
 * @drm: whose it is; bound to its parent device
 * @caps: what the device can do
 *
 * Returns: 0 or -ENOMEM.
 */
int quire_paging_space_init(struct quire_paging_space *space, struct drm_device *drm,
			    const struct quire_paging_caps *caps)
{
	space->memory = dmam_alloc_coherent(drm->dev, PAGING_PAGES * QUIRE_PAGE_SIZE,
					    &space->dma, GFP_KERNEL);
	space->entries = drmm_kmalloc_array(drm, QUIRE_PAGING_WINDOWS * QUIRE_PAGING_WINDOW_PAGES,
					    sizeof(*space->entries), GFP_KERNEL);
	if (!space->memory || !space->entries)
		return -ENOMEM;

	space->context = QUIRE_ADDRESS(QUIRE_SEGMENT_SYSTEM,
				       space->dma + PAGING_CONTEXT * QUIRE_PAGE_SIZE);
	space->root = page_entry(space, PAGING_TABLE_3, 0);
	space->caps = caps;
	write_context(space);
	return write_tables(space);
}

/**
 * quire_paging_space_renew - make the context of the paging ring anew
 * @space: the address space; nothing is executed in it
 *
 * And the tables, but for what the windows show. Nothing is allocated. To be called before the
 * ring is started again, whatever stopped it.
 *
 * Source: Documentation/gpu/quire/device.rst, contexts.
 */
void quire_paging_space_renew(struct quire_paging_space *space)
{
	write_context(space);
	/* They were good before. */
	WARN_ON_ONCE(write_tables(space));
}

/**
 * quire_paging_space_fault - which fault is latched in the context?
 * @space: the address space; the ring is stopped, or at fault
 *
 * Returns: what the device wrote there, until quire_paging_space_renew().
 */
struct quire_paging_fault quire_paging_space_fault(const struct quire_paging_space *space)
{
	const struct quire_context_area *context = page_cpu(space, PAGING_CONTEXT);

	return (struct quire_paging_fault) {
		.status = le32_to_cpu(READ_ONCE(context->status)),
		.code = le32_to_cpu(READ_ONCE(context->fault_code)),
		.access = le32_to_cpu(READ_ONCE(context->fault_access)),
		.address = le64_to_cpu(READ_ONCE(context->fault_address)),
		.entry = le64_to_cpu(READ_ONCE(context->fault_entry)),
	};
}

/**
 * quire_paging_fault_print - say what is latched in the context
 * @fault: of quire_paging_space_fault()
 * @p: where to
 */
void quire_paging_fault_print(const struct quire_paging_fault *fault, struct drm_printer *p)
{
	if (!(fault->status & QUIRE_CONTEXT_FAULT)) {
		drm_printf(p, "paging context: no fault\n");
		return;
	}
	drm_printf(p,
		   "paging context: code %u, address %#llx, access%s%s%s, entry %#llx of level %u\n",
		   fault->code, fault->address,
		   fault->access & QUIRE_ACCESS_READ ? " read" : "",
		   fault->access & QUIRE_ACCESS_WRITE ? " write" : "",
		   fault->access & QUIRE_ACCESS_EXECUTE ? " execute" : "", fault->entry,
		   QUIRE_ACCESS_LEVEL(fault->access));
}

/**
 * quire_paging_space_spoils - is it the window that is to have no last entry?
 * @space: the address space; a window is about to be mapped
 *
 * Returns: true once, if somebody has asked for it.
 */
bool quire_paging_space_spoils(struct quire_paging_space *space)
{
	return atomic_read(&space->spoil) && !atomic_dec_if_positive(&space->spoil);
}

/**
 * quire_paging_space_spoil_table - nothing leads to the tables of windows any more, for tests
 * @space: the address space
 *
 * Until quire_paging_space_renew().
 */
void quire_paging_space_spoil_table(struct quire_paging_space *space)
{
	__le64 *table = page_cpu(space, PAGING_TABLE_1);
	u32 i;

	for (i = 0; i < QUIRE_PAGING_WINDOWS; i++)
		WRITE_ONCE(table[PAGING_REGION_WINDOW + i], 0);
}

/**
 * quire_paging_window_entries - where the entries of a window can be described
 * @space: the address space
 * @window: which
 *
 * Returns: room for %QUIRE_PAGING_WINDOW_PAGES, under &quire_paging_queue.runs_lock.
 */
struct quire_paging_pte *quire_paging_window_entries(const struct quire_paging_space *space,
						     enum quire_paging_window window)
{
	return space->entries + window * QUIRE_PAGING_WINDOW_PAGES;
}

/**
 * quire_paging_window_address - where a window is
 * @window: which
 *
 * Returns: the virtual address of its first page.
 */
u64 quire_paging_window_address(enum quire_paging_window window)
{
	return region_va(PAGING_REGION_WINDOW + window);
}

/**
 * quire_paging_window_table - where the table of a window is
 * @window: which
 *
 * Returns: the virtual address of the table of level 0.
 */
u64 quire_paging_window_table(enum quire_paging_window window)
{
	return page_va(PAGING_TABLE_WINDOW + window);
}

/**
 * quire_paging_large_window - where a window of a large page is
 * @window: which
 *
 * Returns: its entry of level 1, and addresses of both.
 */
struct quire_paging_large_window quire_paging_large_window(enum quire_paging_window window)
{
	return (struct quire_paging_large_window) {
		.address = region_va(PAGING_REGION_LARGE + window),
		.table = page_va(PAGING_TABLE_1),
		.index = PAGING_REGION_LARGE + window,
	};
}

/**
 * quire_paging_windows_end - where the windows end
 *
 * Returns: the virtual address behind the last one, also of those of large pages. The first one
 * is that of %QUIRE_PAGING_WINDOW_SOURCE.
 */
u64 quire_paging_windows_end(void)
{
	return region_va(PAGING_REGION_FENCE);
}

/* All tables of fences follow each other. */
static void write_fence(struct quire_paging_space *space, u32 slot, u64 entry)
{
	__le64 *tables = page_cpu(space, PAGING_TABLE_FENCE);

	WRITE_ONCE(tables[slot], cpu_to_le64(entry));
}

/**
 * quire_paging_space_map_fence - let the paging ring reach the page of a monitored fence
 * @space: the address space
 * @slot: below %QUIRE_PAGING_FENCES, which nobody else has
 * @page: DMA address of the page
 */
void quire_paging_space_map_fence(struct quire_paging_space *space, u32 slot, dma_addr_t page)
{
	write_fence(space, slot,
		    QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, page,
			      QUIRE_PTE_VALID | QUIRE_PTE_CACHE_COHERENT | QUIRE_PTE_NO_EXECUTE));
}

/**
 * quire_paging_space_unmap_fence - nothing is there any more
 * @space: the address space
 * @slot: of quire_paging_space_map_fence(); nothing is executed that uses it
 *
 * The device may remember the page until somebody flushes the address.
 */
void quire_paging_space_unmap_fence(struct quire_paging_space *space, u32 slot)
{
	write_fence(space, slot, 0);
}

/**
 * quire_paging_fence_address - where the page of a monitored fence is
 * @slot: of the fence
 *
 * Returns: its virtual address.
 */
u64 quire_paging_fence_address(u32 slot)
{
	return region_va(PAGING_REGION_FENCE) + slot * QUIRE_PAGE_SIZE;
}

/**
 * quire_paging_spare_table - where the table is to which nothing leads
 *
 * Returns: its virtual address.
 */
u64 quire_paging_spare_table(void)
{
	return page_va(PAGING_TABLE_SPARE);
}
