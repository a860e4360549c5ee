// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/indirect_call_wrapper.h>
#include <linux/module.h>
#include <linux/overflow.h>

#include <kunit/visibility.h>

#include "quire_paging_internal.h"

/**
 * DOC: The builder
 *
 * The builder turns one paging operation into packets of the device. It is handed a window of a
 * paging buffer, writes as many packets as fit and, if that were not all, is called again with a
 * fresh window. Progress between those calls is &quire_paging_args.multipass_offset, at most
 * U32_MAX units: pages, or of a transfer that converts elements of the image, of page tables
 * entries or ranges of them, of a context words of 8 bytes.
 *
 * A packet covers pages that are contiguous on a segment side. A system side is a list of page runs
 * inside of the packet. Packets go upwards, except where a transfer inside one segment, or one of
 * virtual addresses that overlap, does: there they start at the last page, so that no packet
 * overwrites what a later one reads.
 *
 * Each operation is a row of the table in quire_paging_operations.c; what all share is here: the
 * window, the token, headers and records. quire_paging_check_caps() is called once,
 * quire_paging_check_args() once for an operation, then quire_build_paging_buffer() until it
 * answers %QUIRE_BUILD_DONE.
 *
 * Locking: none; all state is in the arguments. Any context.
 */

/**
 * quire_paging_check_caps - check that the builder can work within limits
 * @caps: limits, to be checked when the device is set up
 *
 * Returns: 0; -EINVAL a limit is zero, a fresh window would not hold one packet, or the CPU sees
 * more of the aperture than there is; -EOVERFLOW a segment or MMU is larger than 64 bits address.
 */
int quire_paging_check_caps(const struct quire_paging_caps *caps)
{
	if (!caps->max_packet_pages || caps->min_buffer_size < QUIRE_PAGING_MIN_BUFFER_SIZE ||
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
	    (args->private_data_size && !args->private_data) ||
	    !IS_ALIGNED((unsigned long)args->dma_buffer, sizeof(u64)) ||
	    !IS_ALIGNED((unsigned long)args->private_data, sizeof(u64)) ||
	    !IS_ALIGNED(args->dma_buffer_gpu_address, sizeof(u64)) ||
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
 * Before the first call of quire_build_paging_buffer(), which trusts its arguments. The window may
 * still be missing: a size of 0 allows a pointer of NULL. Not found out, because it would take a
 * sorted copy: long run lists of a transfer inside one segment that share a page, and page-table
 * entries that are read and written by the same copy.
 *
 * Returns: 0, or
 *
 * * -EINVAL: an unknown operation, flag, level, mode or MMU, a segment that the operation does not
 *   work on, misalignment, a missing pointer, or arguments that contradict each other
 * * -EOVERFLOW: an address or a sum does not fit 64 bits, or the window does not fit 32 bits
 * * -ERANGE: outside of where the operation may reach, a list that is too short, an unknown native
 *   fence, or a token behind the end
 * * -E2BIG: more units than &quire_paging_args.multipass_offset or a packet can count
 */
int quire_paging_check_args(const struct quire_paging_caps *caps,
			    const struct quire_paging_args *args)
{
	const struct quire_paging_operation_ops *ops = quire_paging_find_form(args);
	u64 units;
	int err;

	if (!ops)
		return -EINVAL;

	err = check_window(args) ?: ops->check(caps, args);
	if (err)
		return err;

	units = quire_paging_count_units(args);
	if (units > U32_MAX)
		return -E2BIG;

	return args->multipass_offset > units ? -ERANGE : 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_check_args);

/**
 * quire_paging_must_wait - tell whether the builder would answer %QUIRE_BUILD_BUSY
 * @args: only the operation itself, the allocation and the idle flag are looked at
 *
 * Returns: true if it would, if there are pages to describe.
 */
bool quire_paging_must_wait(const struct quire_paging_args *args)
{
	return quire_paging_find_operation(args->operation)->may_be_busy && args->allocation &&
	       args->allocation->needs_idle && !args->allocation_is_idle;
}

/* Write one packet with its record; false if the window has no room for them. */
static bool write_packet(const struct quire_paging_caps *caps, struct quire_paging_args *args,
			 const struct quire_paging_operation_ops *ops)
{
	u64 left = args->progress.pages - args->multipass_offset;
	struct quire_packet_header *header = args->dma_buffer;
	struct quire_paging_record *record = args->private_data;
	struct quire_paging_packet packet = {
		.at = header,
		.room = args->dma_size - ops->size,
		.max_pages = caps->max_packet_pages,
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
 * Writes packets to the window and one &struct quire_paging_record for each of them to the private
 * data, and advances both and &quire_paging_args.multipass_offset; an UPDATE_PAGE_TABLE of
 * %QUIRE_PAGE_TABLE_CPU_VIRTUAL writes the table instead. No other argument changes, but for
 * &quire_paging_args.progress. The caller may free @args and its lists after the last call.
 *
 * A fresh window of the sizes in @caps takes one packet at least. After %QUIRE_BUILD_DONE another
 * call writes nothing. The original is DXGKDDI_BUILDPAGINGBUFFER.
 *
 * Returns: one of enum quire_build_status.
 */
enum quire_build_status
quire_build_paging_buffer(const struct quire_paging_caps *caps,
			  struct quire_paging_args *args)
{
	const struct quire_paging_operation_ops *ops = quire_paging_find_form(args);
	struct quire_paging_progress *progress = &args->progress;

	if (!args->multipass_offset || !progress->pages)
		*progress = (struct quire_paging_progress) {
			.pages = quire_paging_count_units(args),
		};

	if (args->multipass_offset >= progress->pages)
		return QUIRE_BUILD_DONE;
	if (quire_paging_must_wait(args))
		return QUIRE_BUILD_BUSY;

	if (args->operation == QUIRE_PAGING_UPDATE_PAGE_TABLE && quire_paging_update_by_cpu(args))
		args->multipass_offset = progress->pages;
	while (args->multipass_offset < progress->pages)
		if (!write_packet(caps, args, ops))
			return QUIRE_BUILD_FULL;

	return QUIRE_BUILD_DONE;
}
EXPORT_SYMBOL_IF_KUNIT(quire_build_paging_buffer);
