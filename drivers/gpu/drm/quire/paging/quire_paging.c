// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/array_size.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include <asm/byteorder.h>
#include <kunit/visibility.h>

#include "quire_paging.h"
#include "quire_paging_internal.h"

/**
 * DOC: The builder
 *
 * The builder turns one paging operation into packets of the device. It is
 * handed a window of a paging buffer, writes as many packets as fit and, if
 * that were not all, is called again with a fresh window.
 *
 * Progress between those calls is one 32-bit number,
 * &quire_paging_args.multipass_offset. It counts pages that are described, so
 * one operation covers at most U32_MAX pages. Where that page stands in the run
 * lists is remembered in &quire_paging_args.progress, and found again by a walk
 * if it is not. Of page tables it counts entries, or ranges to copy, of a context words of
 * 8 bytes.
 *
 * A packet covers pages that are contiguous on a segment side. A system side
 * is a list of page runs inside of the packet. Pages are counted from the
 * first page of the operation, except where a transfer inside one segment goes
 * upwards, or one of virtual addresses that overlap: there packets start at the last page,
 * so that no packet overwrites what a later one reads.
 *
 * The operations stand in a file a family: quire_paging_transfer.c, _fill.c,
 * _discard.c, _physical.c, _aperture.c, _adl.c, _special_lock.c, _virtual.c, _page_table.c,
 * _copy_entries.c, _tlb.c, _context.c, _residency.c, _notify.c, _fence.c, _native.c and _mmu.c.
 * They are found through one table and meet the window in quire_paging_fits(),
 * quire_paging_write_runs() and quire_paging_commit() only.
 *
 * Locking: none; all state is in the arguments. The builder can be called in
 * any context.
 *
 * Life cycle: quire_paging_check_caps() once, quire_paging_check_args() once
 * for an operation, then quire_build_paging_buffer() until it answers
 * %QUIRE_BUILD_DONE.
 */

static const struct quire_paging_operation_ops * const
quire_paging_operations[QUIRE_PAGING_OPERATIONS] = {
	[QUIRE_PAGING_TRANSFER] = &quire_paging_transfer_ops,
	[QUIRE_PAGING_FILL] = &quire_paging_fill_ops,
	[QUIRE_PAGING_DISCARD_CONTENT] = &quire_paging_discard_ops,
	[QUIRE_PAGING_READ_PHYSICAL] = &quire_paging_read_ops,
	[QUIRE_PAGING_WRITE_PHYSICAL] = &quire_paging_write_ops,
	[QUIRE_PAGING_MAP_APERTURE_SEGMENT] = &quire_paging_map_ops,
	[QUIRE_PAGING_UNMAP_APERTURE_SEGMENT] = &quire_paging_unmap_ops,
	[QUIRE_PAGING_SPECIAL_LOCK_TRANSFER] = &quire_paging_special_lock_ops,
	[QUIRE_PAGING_VIRTUAL_TRANSFER] = &quire_paging_transfer_virtual_ops,
	[QUIRE_PAGING_VIRTUAL_FILL] = &quire_paging_fill_virtual_ops,
	[QUIRE_PAGING_INIT_CONTEXT_RESOURCE] = &quire_paging_init_context_ops,
	[QUIRE_PAGING_UPDATE_PAGE_TABLE] = &quire_paging_update_page_table_ops,
	[QUIRE_PAGING_FLUSH_TLB] = &quire_paging_flush_tlb_ops,
	[QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION] = &quire_paging_update_context_ops,
	[QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES] = &quire_paging_copy_entries_ops,
	[QUIRE_PAGING_NOTIFY_RESIDENCY] = &quire_paging_notify_residency_ops,
	[QUIRE_PAGING_SIGNAL_MONITORED_FENCE] = &quire_paging_signal_fence_ops,
	[QUIRE_PAGING_MAP_APERTURE_SEGMENT2] = &quire_paging_map2_ops,
	[QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY] = &quire_paging_notify_fences_ops,
	[QUIRE_PAGING_MAP_MMU] = &quire_paging_map_mmu_ops,
	[QUIRE_PAGING_UNMAP_MMU] = &quire_paging_unmap_mmu_ops,
	[QUIRE_PAGING_NOTIFY_RESIDENCY2] = &quire_paging_notify_residency2_ops,
	[QUIRE_PAGING_NOTIFY_ALLOC] = &quire_paging_notify_alloc_ops,
};

/**
 * quire_paging_find_operation - look an operation up
 * @operation: any number
 *
 * Returns: the operation, or NULL if there is none of that number.
 */
const struct quire_paging_operation_ops *
quire_paging_find_operation(enum quire_paging_operation operation)
{
	if ((u32)operation >= ARRAY_SIZE(quire_paging_operations))
		return NULL;

	return quire_paging_operations[operation];
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_find_operation);

/**
 * quire_paging_operation_name - what people call an operation
 * @operation: any number
 *
 * Returns: a name in capitals, such as "FILL", or NULL if there is no operation
 * of that number.
 */
const char *quire_paging_operation_name(enum quire_paging_operation operation)
{
	const struct quire_paging_operation_ops *ops = quire_paging_find_operation(operation);

	return ops ? ops->name : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_operation_name);

/**
 * quire_paging_write_runs - fill a packet's page list
 * @args: the window, with room for at least one run at @runs
 * @runs: behind the fixed part of the packet in the window
 * @location: system pages
 * @cursor: first page of the list; moved behind the last one
 * @pages: how many are wanted; set to how many there was room for, at least one
 *
 * Returns: number of runs.
 */
u32 quire_paging_write_runs(const struct quire_paging_args *args, __le64 *runs,
			    const struct quire_paging_location *location,
			    struct quire_page_cursor *cursor, u64 *pages)
{
	u32 max_runs = (args->dma_size - ((void *)runs - args->dma_buffer)) / sizeof(*runs);
	struct quire_page_cursor at = *cursor;
	u64 left = *pages;
	u32 nr;

	for (nr = 0; left && nr < max_runs; nr++) {
		u64 count = min3(quire_page_cursor_left(&at, location), left, QUIRE_RUN_MAX_PAGES);

		runs[nr] = cpu_to_le64(QUIRE_RUN(quire_page_cursor_number(&at, location), count));
		quire_page_cursor_advance(&at, location, count);
		left -= count;
	}
	*pages -= left;
	*cursor = at;

	return nr;
}

/**
 * quire_paging_commit - complete the packet in the window and step past it
 * @args: the window; behind the header the packet is written, and it fits
 * @flags: for the packet's header
 * @size: bytes of the packet
 * @bytes: for the record
 * @pages: what the packet covers, for the token
 */
void quire_paging_commit(struct quire_paging_args *args, u16 flags, u32 size,
			 u64 bytes, u32 pages)
{
	struct quire_packet_header *header = args->dma_buffer;
	struct quire_paging_record *record = args->private_data;

	header->opcode = cpu_to_le16(quire_paging_operations[args->operation]->opcode);
	header->flags = cpu_to_le16(flags);
	header->size = cpu_to_le32(size);

	record->offset = args->dma_buffer_write_offset;
	record->operation = args->operation;
	record->reserved = 0;
	record->bytes = bytes;

	args->dma_buffer += size;
	args->dma_size -= size;
	args->dma_buffer_write_offset += size;
	args->private_data += sizeof(*record);
	args->private_data_size -= sizeof(*record);
	args->multipass_offset += pages;
}

/**
 * quire_paging_must_wait - is BUSY the answer?
 * @args: the operation, of which nothing is described yet; only the operation itself, the
 *        allocation and the idle flag are looked at
 *
 * For who has something to do before the first call that had better not be done if
 * he has to wait.
 *
 * Returns: true if quire_build_paging_buffer() would answer %QUIRE_BUILD_BUSY, if there are
 * pages to describe.
 *
 * Source: DXGKDDI_BUILDPAGINGBUFFER, STATUS_GRAPHICS_ALLOCATION_BUSY.
 */
bool quire_paging_must_wait(const struct quire_paging_args *args)
{
	return quire_paging_operations[args->operation]->may_be_busy && args->allocation &&
	       args->allocation->needs_idle && !args->allocation_is_idle;
}

/**
 * quire_build_paging_buffer - describe one paging operation in packets
 * @caps: what the device can do; passed quire_paging_check_caps()
 * @args: the operation and the window; passed quire_paging_check_args()
 *
 * Writes packets to the window and one &struct quire_paging_record for each of
 * them to the private data, advances both, and counts the pages that are
 * described in &quire_paging_args.multipass_offset. But for
 * &quire_paging_args.progress no other argument changes. An UPDATE_PAGE_TABLE of
 * %QUIRE_PAGE_TABLE_CPU_VIRTUAL writes the table instead. What is written refers
 * to nothing but memory of the operation itself: the caller may free @args and
 * its run lists after the last call.
 *
 * %QUIRE_BUILD_FULL with nothing written says that not even the smallest
 * packet fits: in a fresh window of the sizes in @caps this can not happen.
 *
 * An operation of no pages is done without a packet. To be called again after
 * %QUIRE_BUILD_DONE with the same arguments writes nothing.
 *
 * Source: DXGKDDI_BUILDPAGINGBUFFER.
 *
 * Returns: one of enum quire_build_status.
 */
enum quire_build_status
quire_build_paging_buffer(const struct quire_paging_caps *caps,
			  struct quire_paging_args *args)
{
	const struct quire_paging_operation_ops *ops = quire_paging_operations[args->operation];
	struct quire_paging_progress *progress = &args->progress;

	if (!args->multipass_offset || !progress->pages)
		*progress = (struct quire_paging_progress) { .pages = ops->pages(args) };

	if (args->multipass_offset >= progress->pages)
		return QUIRE_BUILD_DONE;
	if (quire_paging_must_wait(args))
		return QUIRE_BUILD_BUSY;

	return ops->build(caps, args, progress->pages);
}
EXPORT_SYMBOL_IF_KUNIT(quire_build_paging_buffer);
