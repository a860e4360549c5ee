// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The paging address space
 *
 * What the paging ring executes has an address space of its own, the original's paging process:
 * windows, through which a move sees parts of its source and destination, and the page tables
 * themselves, so that the device can write the entries of the windows::
 *
 *     virtual address        table of level 1            memory
 *     BASE             +---> 0: table of level 0 ------> context, tables
 *     BASE +  2 MiB    +---> 1: table of level 0 ------> what a move reads
 *     BASE +  4 MiB    +---> 2: table of level 0 ------> what a move writes
 *     BASE +  6 MiB    +---> 3: page of 2 MiB ---------> the same, where it makes
 *     BASE +  8 MiB    +---> 4: page of 2 MiB ---------> such a page
 *     BASE + 10 MiB    +---> 5: 8 tables --------------> pages of monitored fences
 *
 * The CPU makes it before anything is executed in it: the builder writes the tables in its mode
 * %QUIRE_PAGE_TABLE_CPU_VIRTUAL. From then on only the device writes the tables of small pages and
 * entries 3 and 4 of level 1, in the order of the paging ring. A window belongs to the packets at
 * work, so it is mapped and used in one paging buffer (quire_paging_work_begin_whole()). The same
 * holds for a spare table to which nothing leads, for entries on their way from one table to
 * another (quire_vm_copy_entry.c).
 *
 * A reset of the device leaves it as it is, in memory. Before a stopped ring goes on, the context
 * is made anew, since a latched fault would refuse it, and so are the tables that do not change.
 * Entries of windows stay, because the packet at work may use them, and so do the tables of fences.
 *
 * The CPU writes entries of fences as a whole. One that becomes valid needs no flush, and while it
 * is written nothing uses its address. A page that the device may remember is flushed by the next
 * user of the address (quire_fence_signal.c).
 *
 * Locking: &quire_paging_queue.runs_lock for @entries; the rest does not change.
 *
 * Source: "GPU virtual memory in WDDM 2.0", the paging process.
 */
#include <linux/dma-mapping.h>

#include <drm/drm_device.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "quire_paging_space.h"

/* Not 0: an address that was not set is in no page. */
#define PAGING_BASE		BIT_ULL(QUIRE_PT_SHIFT(3))
#define PAGING_REGION_SIZE	BIT_ULL(QUIRE_PT_SHIFT(1))

/* Pages of the memory. */
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

/* Entries of level 1: tables of level 0, but for the windows of a large page. */
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
 * @space: to initialise (devres)
 * @drm: the device
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
 * quire_paging_space_renew - make the context of the paging ring anew, and its fixed tables
 * @space: the address space; nothing is executed in it
 *
 * Called before the ring is started again, whatever stopped it. Allocates nothing.
 *
 * Source: Documentation/gpu/quire/device.rst, contexts.
 */
void quire_paging_space_renew(struct quire_paging_space *space)
{
	write_context(space);
	WARN_ON_ONCE(write_tables(space));
}

/**
 * quire_paging_space_fault - read the fault that is latched in the context
 * @space: the address space; the ring is stopped, or at fault
 *
 * Returns: what the device wrote since quire_paging_space_renew().
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
 * quire_paging_fault_print - print the fault of the context
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
 * quire_paging_space_spoils - check whether a test wants the next window to lack its last entry
 * @space: the address space
 *
 * Returns: true once.
 */
bool quire_paging_space_spoils(struct quire_paging_space *space)
{
	return atomic_read(&space->spoil) && !atomic_dec_if_positive(&space->spoil);
}

/**
 * quire_paging_space_spoil_table - for tests: cut the tables of windows off
 * @space: the address space
 *
 * Lasts until quire_paging_space_renew().
 */
void quire_paging_space_spoil_table(struct quire_paging_space *space)
{
	__le64 *table = page_cpu(space, PAGING_TABLE_1);
	u32 i;

	for (i = 0; i < QUIRE_PAGING_WINDOWS; i++)
		WRITE_ONCE(table[PAGING_REGION_WINDOW + i], 0);
}

/**
 * quire_paging_window_entries - memory for the entries of a window
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
 * quire_paging_window_address - address of a window of small pages
 * @window: which
 *
 * Returns: the virtual address of its first page.
 */
u64 quire_paging_window_address(enum quire_paging_window window)
{
	return region_va(PAGING_REGION_WINDOW + window);
}

/**
 * quire_paging_window_table - address of the table of level 0 of a window
 * @window: which
 *
 * Returns: its virtual address.
 */
u64 quire_paging_window_table(enum quire_paging_window window)
{
	return page_va(PAGING_TABLE_WINDOW + window);
}

/**
 * quire_paging_window_update - start to describe what a window will show
 * @window: which
 * @large: a page of 2 MiB: the entry of level 1, not those of its table of level 0
 *
 * Returns: an update of its page table that lacks the entries.
 */
struct quire_paging_update_page_table quire_paging_window_update(enum quire_paging_window window,
								 bool large)
{
	struct quire_paging_update_page_table update = {
		.update_mode = QUIRE_PAGE_TABLE_GPU_VIRTUAL,
		.page_table_address.gpu_virtual = quire_paging_window_table(window),
		.first_pte_virtual_address = quire_paging_window_address(window),
	};

	if (large) {
		update.page_table_level = 1;
		update.page_table_address.gpu_virtual = page_va(PAGING_TABLE_1);
		update.start_index = PAGING_REGION_LARGE + window;
		update.first_pte_virtual_address = region_va(PAGING_REGION_LARGE + window);
	}
	return update;
}

/**
 * quire_paging_windows_end - end of all windows
 *
 * Returns: the virtual address behind the last one, also of those of large pages.
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
 * @slot: below %QUIRE_PAGING_FENCES, unused
 * @page: DMA address of the page
 */
void quire_paging_space_map_fence(struct quire_paging_space *space, u32 slot, dma_addr_t page)
{
	write_fence(space, slot,
		    QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, page,
			      QUIRE_PTE_VALID | QUIRE_PTE_CACHE_COHERENT | QUIRE_PTE_NO_EXECUTE));
}

/**
 * quire_paging_space_unmap_fence - undo quire_paging_space_map_fence()
 * @space: the address space
 * @slot: from there; nothing that is executed uses it
 *
 * The device may remember the page until the address is flushed.
 */
void quire_paging_space_unmap_fence(struct quire_paging_space *space, u32 slot)
{
	write_fence(space, slot, 0);
}

/**
 * quire_paging_fence_address - address of the page of a monitored fence
 * @slot: of the fence
 *
 * Returns: its virtual address.
 */
u64 quire_paging_fence_address(u32 slot)
{
	return region_va(PAGING_REGION_FENCE) + slot * QUIRE_PAGE_SIZE;
}

/**
 * quire_paging_spare_table - address of the table to which nothing leads
 *
 * Returns: its virtual address.
 */
u64 quire_paging_spare_table(void)
{
	return page_va(PAGING_TABLE_SPARE);
}
