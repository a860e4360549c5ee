// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/indirect_call_wrapper.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/overflow.h>

#include <asm/byteorder.h>
#include <kunit/visibility.h>

#include "quire_paging.h"
#include "quire_paging_internal.h"
#include "quire_paging_swizzle.h"

/**
 * DOC: The builder
 *
 * The builder turns one paging operation into packets of the device. It is
 * handed a window of a paging buffer, writes as many packets as fit and, if
 * that were not all, is called again with a fresh window.
 *
 * Progress between those calls is one 32-bit number,
 * &quire_paging_args.multipass_offset. It counts units that are described: pages, or
 * of a transfer that converts elements of the image, of page tables entries or ranges of
 * them, of a context words of 8 bytes. So one operation covers at most U32_MAX units. Where a
 * page stands in the run lists is remembered in &quire_paging_args.progress, and found again
 * by a walk if it is not.
 *
 * A packet covers pages that are contiguous on a segment side. A system side
 * is a list of page runs inside of the packet. Pages are counted from the
 * first page of the operation, except where a transfer inside one segment goes
 * upwards, or one of virtual addresses that overlap: there packets start at the last page,
 * so that no packet overwrites what a later one reads.
 *
 * Each operation is a row of the table below, &struct quire_paging_operation_ops: what its
 * packets look like, how its arguments are checked, how many units it has, and how one packet is
 * written. All else is here, once: the window, the token, headers and records.
 *
 * Locking: none; all state is in the arguments. The builder can be called in
 * any context.
 *
 * Life cycle: quire_paging_check_caps() once, quire_paging_check_args() once
 * for an operation, then quire_build_paging_buffer() until it answers
 * %QUIRE_BUILD_DONE.
 */

static u64 one_unit(const struct quire_paging_args *args)
{
	return 1;
}

#define PACKETS(op, type) \
	.opcode = QUIRE_OP_##op, .size = sizeof(struct quire_packet_##type)
#define PACKETS_WITH_LIST(op, type)	PACKETS(op, type), .has_list = true

/* quire_paging_NAME_check(), quire_paging_NAME_units() and quire_paging_NAME_emit() */
#define MANY_UNITS(name)						\
	.check = quire_paging_##name##_check,				\
	.units = quire_paging_##name##_units,				\
	.emit = quire_paging_##name##_emit
#define ONE_UNIT(name)							\
	.check = quire_paging_##name##_check, .units = one_unit,	\
	.emit = quire_paging_##name##_emit

static const struct quire_paging_operation_ops operations[QUIRE_PAGING_OPERATIONS] = {
	[QUIRE_PAGING_TRANSFER] = {
		.name = "TRANSFER", PACKETS_WITH_LIST(TRANSFER, transfer), MANY_UNITS(transfer),
		.may_be_busy = true,
	},
	[QUIRE_PAGING_FILL] = {
		.name = "FILL", PACKETS(FILL, fill), MANY_UNITS(fill),
	},
	[QUIRE_PAGING_DISCARD_CONTENT] = {
		.name = "DISCARD_CONTENT", PACKETS(DISCARD_CONTENT, discard), MANY_UNITS(discard),
		.may_be_busy = true,
	},
	[QUIRE_PAGING_READ_PHYSICAL] = {
		.name = "READ_PHYSICAL", PACKETS(READ_PHYSICAL, physical), ONE_UNIT(physical),
	},
	[QUIRE_PAGING_WRITE_PHYSICAL] = {
		.name = "WRITE_PHYSICAL", PACKETS(WRITE_PHYSICAL, physical), ONE_UNIT(physical),
	},
	[QUIRE_PAGING_MAP_APERTURE_SEGMENT] = {
		.name = "MAP_APERTURE_SEGMENT", PACKETS_WITH_LIST(MAP_APERTURE, map),
		MANY_UNITS(map),
	},
	[QUIRE_PAGING_UNMAP_APERTURE_SEGMENT] = {
		.name = "UNMAP_APERTURE_SEGMENT", PACKETS(UNMAP_APERTURE, unmap), MANY_UNITS(unmap),
	},
	[QUIRE_PAGING_SPECIAL_LOCK_TRANSFER] = {
		.name = "SPECIAL_LOCK_TRANSFER", PACKETS_WITH_LIST(SPECIAL_LOCK, special_lock),
		.check = quire_paging_special_lock_check, .units = quire_paging_conversion_units,
		.emit = quire_paging_conversion_emit, .may_be_busy = true, .unlimited = true,
	},
	[QUIRE_PAGING_VIRTUAL_TRANSFER] = {
		.name = "VIRTUAL_TRANSFER", PACKETS(TRANSFER_VIRTUAL, transfer_virtual),
		MANY_UNITS(transfer_virtual),
	},
	[QUIRE_PAGING_VIRTUAL_FILL] = {
		.name = "VIRTUAL_FILL", PACKETS(FILL_VIRTUAL, fill_virtual),
		MANY_UNITS(fill_virtual),
	},
	[QUIRE_PAGING_INIT_CONTEXT_RESOURCE] = {
		.name = "INIT_CONTEXT_RESOURCE", PACKETS(INIT_CONTEXT, init_context),
		ONE_UNIT(init_context),
	},
	[QUIRE_PAGING_UPDATE_PAGE_TABLE] = {
		.name = "UPDATE_PAGE_TABLE",
		PACKETS_WITH_LIST(UPDATE_PAGE_TABLE, update_page_table), MANY_UNITS(update),
		.by_cpu = quire_paging_update_by_cpu,
	},
	[QUIRE_PAGING_FLUSH_TLB] = {
		.name = "FLUSH_TLB", PACKETS(FLUSH_TLB, flush_tlb), ONE_UNIT(flush_tlb),
	},
	[QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION] = {
		.name = "UPDATE_CONTEXT_ALLOCATION",
		PACKETS_WITH_LIST(UPDATE_CONTEXT, update_context), MANY_UNITS(update_context),
		.unlimited = true,
	},
	[QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES] = {
		.name = "COPY_PAGE_TABLE_ENTRIES",
		PACKETS_WITH_LIST(COPY_PAGE_TABLE, copy_page_table), MANY_UNITS(copy_entries),
	},
	[QUIRE_PAGING_NOTIFY_RESIDENCY] = {
		.name = "NOTIFY_RESIDENCY", PACKETS(NOTIFY_RESIDENCY, notify_residency),
		ONE_UNIT(notify_residency),
	},
	[QUIRE_PAGING_SIGNAL_MONITORED_FENCE] = {
		.name = "SIGNAL_MONITORED_FENCE", PACKETS(SIGNAL_MONITORED, signal_monitored),
		ONE_UNIT(signal_fence),
	},
	[QUIRE_PAGING_MAP_APERTURE_SEGMENT2] = {
		.name = "MAP_APERTURE_SEGMENT2", PACKETS_WITH_LIST(MAP_APERTURE2, map2),
		MANY_UNITS(map2),
	},
	[QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY] = {
		.name = "NOTIFY_FENCE_RESIDENCY", PACKETS_WITH_LIST(NOTIFY_FENCES, notify_fences),
		MANY_UNITS(notify_fences),
	},
	[QUIRE_PAGING_MAP_MMU] = {
		.name = "MAP_MMU", PACKETS_WITH_LIST(MAP_MMU, map_mmu), MANY_UNITS(map_mmu),
	},
	[QUIRE_PAGING_UNMAP_MMU] = {
		.name = "UNMAP_MMU", PACKETS(UNMAP_MMU, unmap_mmu), MANY_UNITS(unmap_mmu),
		.unlimited = true,
	},
	[QUIRE_PAGING_NOTIFY_RESIDENCY2] = {
		.name = "NOTIFY_RESIDENCY2",
		PACKETS_WITH_LIST(NOTIFY_RESIDENCY2, notify_residency2),
		MANY_UNITS(notify_residency2),
	},
	[QUIRE_PAGING_NOTIFY_ALLOC] = {
		.name = "NOTIFY_ALLOC", PACKETS(NOTIFY_ALLOCATION, notify_allocation),
		MANY_UNITS(notify_alloc),
	},
};

/* TRANSFER with SWIZZLE or UNSWIZZLE: it counts elements, and its packets are others. */
static const struct quire_paging_operation_ops conversion = {
	PACKETS_WITH_LIST(TRANSFER, swizzle),
	MANY_UNITS(conversion),
	.unlimited = true,
};

static const struct quire_paging_operation_ops *operation_of(const struct quire_paging_args *args)
{
	if (args->operation == QUIRE_PAGING_TRANSFER && quire_paging_converts(&args->u.transfer))
		return &conversion;

	return &operations[args->operation];
}

/**
 * quire_paging_find_operation - look an operation up
 * @operation: any number
 *
 * Returns: the operation, or NULL if there is none of that number.
 */
const struct quire_paging_operation_ops *
quire_paging_find_operation(enum quire_paging_operation operation)
{
	return (u32)operation < QUIRE_PAGING_OPERATIONS ? &operations[operation] : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_find_operation);

/**
 * quire_paging_operation_name - name an operation
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
 * quire_paging_check_caps - check that the builder can work within limits
 * @caps: limits, to be checked when the device is set up
 *
 * A fresh window of @caps.min_buffer_size with private data of
 * @caps.min_private_data_size has to hold any one packet, else an operation
 * could make no progress for ever.
 *
 * Source: DXGK_QUERYSEGMENTOUT, PagingBufferSize and PagingBufferPrivateDataSize:
 * there too it is the driver that says how large they have to be.
 *
 * Returns: 0, -EINVAL where a limit is zero or smaller than one packet, or the CPU sees more
 * of the aperture than there is, or -EOVERFLOW where a segment or an MMU is larger than 64 bits
 * address.
 */
int quire_paging_check_caps(const struct quire_paging_caps *caps)
{
	if (!caps->max_packet_pages)
		return -EINVAL;
	if (caps->min_buffer_size < QUIRE_PAGING_MIN_BUFFER_SIZE ||
	    caps->min_private_data_size < QUIRE_PAGING_MIN_PRIVATE_SIZE)
		return -EINVAL;
	if (caps->vram_pages > QUIRE_PAGING_MAX_PAGES ||
	    caps->aperture_pages > QUIRE_PAGING_MAX_PAGES ||
	    caps->mmu_pages > QUIRE_PAGING_MAX_PAGES)
		return -EOVERFLOW;
	if (caps->window_pages > caps->aperture_pages)
		return -EINVAL;

	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_check_caps);

static int check_window(const struct quire_paging_args *args)
{
	u64 end = (u64)args->dma_buffer_write_offset + args->dma_size;

	if ((args->dma_size && !args->dma_buffer) ||
	    (args->private_data_size && !args->private_data))
		return -EINVAL;
	if (!IS_ALIGNED((unsigned long)args->dma_buffer, sizeof(u64)) ||
	    !IS_ALIGNED((unsigned long)args->private_data, sizeof(u64)))
		return -EINVAL;
	if (!IS_ALIGNED(args->dma_buffer_gpu_address, sizeof(u64)) ||
	    !IS_ALIGNED(args->dma_buffer_write_offset, sizeof(u64)))
		return -EINVAL;
	if (end > U32_MAX || check_add_overflow(args->dma_buffer_gpu_address, end, &end))
		return -EOVERFLOW;

	return 0;
}

/**
 * quire_paging_check_args - check that the builder understands arguments
 * @caps: what the device can do
 * @args: arguments for the first call of an operation; not changed
 *
 * To be called before the first call of quire_build_paging_buffer(), which
 * trusts its arguments. Walks each run list once. The window may still be
 * missing: a size of 0 allows a pointer of NULL.
 *
 * Not found out, because it would take a sorted copy: long run lists of a
 * transfer inside one segment that share a page, and page-table entries that are read and
 * written by the same copy.
 *
 * The original has no such check: there the caller is the operating system.
 *
 * Returns: 0, or
 *
 * * -EINVAL: unknown operation, flag or segment, a segment that the operation
 *   does not work on, both sides of a transfer in system memory, misalignment,
 *   a run of no pages, a physical access that is not 1 to 8 bytes of one page,
 *   a missing pointer, a page-table entry that the level has no use for, an unknown level,
 *   mode or MMU, a notice without an allocation or of one without a number, or that places
 *   what leaves, a fence of which a part is 0, or whose owner is not valid
 * * -EOVERFLOW: an address or a sum does not fit 64 bits, or the window does
 *   not fit 32 bits
 * * -ERANGE: outside of the segment or of what the CPU can see of it, of the address space,
 *   of an MMU, of a page table, of a context or of an allocation, a list that is too short, an
 *   unknown native fence, or a token behind the end
 * * -E2BIG: more pages than &quire_paging_args.multipass_offset or a packet can count
 */
int quire_paging_check_args(const struct quire_paging_caps *caps,
			    const struct quire_paging_args *args)
{
	const struct quire_paging_operation_ops *ops;
	u64 units;
	int err;

	if (!quire_paging_find_operation(args->operation))
		return -EINVAL;

	ops = operation_of(args);
	err = check_window(args);
	if (!err)
		err = ops->check(caps, args);
	if (err)
		return err;

	units = ops->units(args);
	if (units > U32_MAX)
		return -E2BIG;

	return args->multipass_offset > units ? -ERANGE : 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_check_args);

/**
 * quire_paging_must_wait - tell whether the builder would answer %QUIRE_BUILD_BUSY
 * @args: the operation, of which nothing is described yet; only the operation itself, the
 *        allocation and the idle flag are looked at
 *
 * For callers that have something to do before the first call which had better not be done
 * before a wait.
 *
 * Returns: true if it would, if there are pages to describe.
 *
 * Source: DXGKDDI_BUILDPAGINGBUFFER, STATUS_GRAPHICS_ALLOCATION_BUSY.
 */
bool quire_paging_must_wait(const struct quire_paging_args *args)
{
	return operations[args->operation].may_be_busy && args->allocation &&
	       args->allocation->needs_idle && !args->allocation_is_idle;
}

/* Write one packet with its record; false if the window has no room for them. */
static bool write_packet(const struct quire_paging_caps *caps, struct quire_paging_args *args,
			 const struct quire_paging_operation_ops *ops, bool seek)
{
	u64 left = args->progress.pages - args->multipass_offset;
	struct quire_packet_header *header = args->dma_buffer;
	struct quire_paging_record *record = args->private_data;
	struct quire_paging_packet packet = {
		.at = header,
		.room = args->dma_size - ops->size,
		.max_pages = caps->max_packet_pages,
		.seek = seek,
		.first = args->multipass_offset,
		.count = ops->unlimited ? left : min(left, caps->max_packet_pages),
	};
	u32 size;

	if (args->dma_size < ops->size || args->private_data_size < sizeof(*record))
		return false;

	INDIRECT_CALL_1(ops->emit, quire_paging_transfer_emit, args, &packet);
	if (!packet.count)
		return false;

	size = ops->size + packet.list;
	header->opcode = cpu_to_le16(ops->opcode);
	header->flags = cpu_to_le16(packet.flags);
	header->size = cpu_to_le32(size);

	record->offset = args->dma_buffer_write_offset;
	record->operation = args->operation;
	record->reserved = 0;
	record->bytes = packet.bytes;

	args->dma_buffer += size;
	args->dma_size -= size;
	args->dma_buffer_write_offset += size;
	args->private_data += sizeof(*record);
	args->private_data_size -= sizeof(*record);
	args->multipass_offset += packet.count;

	return true;
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
	const struct quire_paging_operation_ops *ops = operation_of(args);
	struct quire_paging_progress *progress = &args->progress;
	bool seek = true;

	if (!args->multipass_offset || !progress->pages)
		*progress = (struct quire_paging_progress) { .pages = ops->units(args) };

	if (args->multipass_offset >= progress->pages)
		return QUIRE_BUILD_DONE;
	if (quire_paging_must_wait(args))
		return QUIRE_BUILD_BUSY;

	if (ops->by_cpu && ops->by_cpu(args))
		args->multipass_offset = progress->pages;
	for (; args->multipass_offset < progress->pages; seek = false)
		if (!write_packet(caps, args, ops, seek))
			return QUIRE_BUILD_FULL;

	return QUIRE_BUILD_DONE;
}
EXPORT_SYMBOL_IF_KUNIT(quire_build_paging_buffer);
