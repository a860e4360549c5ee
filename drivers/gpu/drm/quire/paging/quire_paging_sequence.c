// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Sub-transfers
 *
 * An allocation always moves entirely: in one TRANSFER or SPECIAL_LOCK_TRANSFER, or in
 * sub-transfers A to N of which the first has START and the last has END. The builder sees
 * one at a time, so its caller keeps here what was described, and checks before the next call
 * that this one continues where the last one ended::
 *
 *     START                                      END
 *   |---- A ----|---- B ----| ... |---- N ----|
 *   0           |           |                 &quire_paging_allocation.size
 *               transfer_offset of B: bytes   (segment sides)
 *               mdl_offset of B: pages        (page lists)
 *
 * The end of a pending transfer comes before the start of another one in the same list.
 * Operations of other kinds may stand between. Other lists have sequences of their own, and
 * their parts may reach the device between those of this one.
 *
 * Locking: none; a sequence belongs to one list.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer.TransferOffset; DXGK_TRANSFERFLAGS,
 * TransferStart and TransferEnd.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/module.h>

#include <kunit/visibility.h>

#include "quire_paging_internal.h"
#include "quire_paging_sequence.h"
#include "quire_paging_swizzle.h"

static bool sequence_is_transfer(const struct quire_paging_args *args)
{
	return args->operation == QUIRE_PAGING_TRANSFER ||
	       args->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER;
}

/* A START without bytes begins nothing that could go on. */
static bool sequence_is_nothing(const struct quire_paging_transfer *transfer)
{
	return transfer->flags & QUIRE_TRANSFER_START && !transfer->transfer_size;
}

/* Page @page of the part in the page list; that of a special lock begins with the part. */
static u64 sequence_mdl_page(const struct quire_paging_args *args, u64 page)
{
	return args->operation == QUIRE_PAGING_TRANSFER ? args->u.transfer.mdl_offset + page : 0;
}

/* Does it go on where the last one ended, with the same sides? */
static int sequence_check_next(const struct quire_paging_sequence *sequence,
			       const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;

	if (args->operation != sequence->operation || args->allocation != sequence->allocation ||
	    quire_paging_converts(transfer) != sequence->converts ||
	    transfer->source.segment != sequence->source ||
	    transfer->destination.segment != sequence->destination)
		return -EINVAL;
	if (transfer->transfer_offset != sequence->transfer_offset ||
	    sequence_mdl_page(args, 0) != sequence->mdl_offset)
		return -ERANGE;

	return 0;
}

/* A part ends where a page ends, the last one where the allocation ends. */
static int sequence_check_end(const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_allocation *allocation = args->allocation;
	u64 end = transfer->transfer_offset + transfer->transfer_size;

	if (!(transfer->flags & QUIRE_TRANSFER_END))
		return IS_ALIGNED(end, QUIRE_PAGE_SIZE) ? 0 : -EINVAL;
	if (!allocation)
		return 0;

	/* What is converted has the size of the backing. */
	return end == (quire_paging_converts(transfer) ? allocation->size :
							 allocation->pitch_aligned_size) ?
	       0 : -ERANGE;
}

/*
 * Parts go upwards, so one that overlaps its own source would overwrite what the next one
 * reads. In one transfer the builder sees to that, as long as each side is one run.
 */
static bool sequence_is_overwritten(const struct quire_paging_transfer *transfer)
{
	const struct quire_paging_location *source = &transfer->source;
	const struct quire_paging_location *destination = &transfer->destination;
	const u32 one_shot = QUIRE_TRANSFER_START | QUIRE_TRANSFER_END;
	u64 page = transfer->transfer_offset >> QUIRE_PAGE_SHIFT;
	u64 pages = quire_paging_bytes_to_pages(transfer->transfer_size);
	u64 from, to;

	if ((transfer->flags & one_shot) == one_shot ||
	    source->segment != destination->segment ||
	    source->nr_runs != 1 || destination->nr_runs != 1)
		return false;

	from = source->runs->first + page - source->start;
	to = destination->runs->first + page - destination->start;
	return from < to + pages && to < from + pages;
}

/**
 * quire_paging_sequence_check - may this operation come now?
 * @sequence: what was described before
 * @args: what comes next; passed quire_paging_check_args()
 *
 * Returns: 0, also for all operations but TRANSFER and SPECIAL_LOCK_TRANSFER; else
 *
 * * -EINVAL: a START inside of a pending transfer, an END or a part without START, a part
 *   of another allocation, between other segments, in another form or of another operation
 *   than its START, a part
 *   that does not end at a page, or one of several whose source and destination overlap
 * * -ERANGE: the part leaves a hole or overlaps the one before, the first does not begin
 *   with the allocation, or the last does not end with it
 */
int quire_paging_sequence_check(const struct quire_paging_sequence *sequence,
				const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	bool start = transfer->flags & QUIRE_TRANSFER_START;
	int err = 0;

	if (!sequence_is_transfer(args))
		return 0;
	if (start == sequence->pending || sequence_is_overwritten(transfer))
		return -EINVAL;
	if (sequence_is_nothing(transfer))
		return 0;

	if (!start)
		err = sequence_check_next(sequence, args);
	else if (transfer->transfer_offset)
		err = -ERANGE;
	return err ?: sequence_check_end(args);
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_sequence_check);

/**
 * quire_paging_sequence_note - an operation is described
 * @sequence: what was described before; brought up to date
 * @args: the operation; passed quire_paging_sequence_check(), and is done
 */
void quire_paging_sequence_note(struct quire_paging_sequence *sequence,
				const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	u64 size = transfer->transfer_size;

	if (!sequence_is_transfer(args) || sequence_is_nothing(transfer))
		return;

	*sequence = (struct quire_paging_sequence) {
		.pending = !(transfer->flags & QUIRE_TRANSFER_END),
		.idle = args->allocation_is_idle,
		.operation = args->operation,
		.converts = quire_paging_converts(transfer),
		.allocation = args->allocation,
		.source = transfer->source.segment,
		.destination = transfer->destination.segment,
		.transfer_offset = transfer->transfer_offset + size,
		.mdl_offset = sequence_mdl_page(args, size >> QUIRE_PAGE_SHIFT),
	};
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_sequence_note);
