// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/err.h>
#include <linux/module.h>

#include <kunit/visibility.h>

#include "quire_paging_internal.h"
#include "quire_paging_list.h"

/**
 * DOC: Sub-transfers
 *
 * An allocation always moves entirely: in one TRANSFER or SPECIAL_LOCK_TRANSFER, or in
 * sub-transfers A to N of which the first has START and the last has END. The builder sees one at a
 * time, so the list checks that each one continues where the last one ended::
 *
 *     START                                      END
 *   |---- A ----|---- B ----| ... |---- N ----|
 *   0           |           |                 &quire_paging_allocation.size
 *               transfer_offset of B: bytes   (segment sides)
 *               mdl_offset of B: pages        (page lists)
 *
 * Operations of other kinds may stand between, but not the START of another transfer. Parts of
 * other lists may reach the device between those of this one.
 */

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

/*
 * Parts go upwards, so one that overlaps its own source would overwrite what the next one reads.
 * In one transfer the builder sees to that, as long as each side is one run.
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
 * Returns: 0; of a TRANSFER or a SPECIAL_LOCK_TRANSFER also
 *
 * * -EINVAL: a START inside of a pending transfer, a part without START or of another kind than its
 *   START, one that does not end at a page, or one of several whose sides overlap
 * * -ERANGE: it does not begin where the part before it ended, the first one not with the
 *   allocation, or the last one does not end with it
 */
int quire_paging_sequence_check(const struct quire_paging_sequence *sequence,
				const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_allocation *allocation = args->allocation;
	u64 end = transfer->transfer_offset + transfer->transfer_size;
	bool start = transfer->flags & QUIRE_TRANSFER_START;

	if (!sequence_is_transfer(args))
		return 0;
	if (start == sequence->pending || sequence_is_overwritten(transfer))
		return -EINVAL;
	if (sequence_is_nothing(transfer))
		return 0;

	if (start && transfer->transfer_offset)
		return -ERANGE;
	if (!start &&
	    (args->operation != sequence->operation || allocation != sequence->allocation ||
	     quire_paging_converts(transfer) != sequence->converts ||
	     transfer->source.segment != sequence->source ||
	     transfer->destination.segment != sequence->destination))
		return -EINVAL;
	if (!start && (transfer->transfer_offset != sequence->transfer_offset ||
		       sequence_mdl_page(args, 0) != sequence->mdl_offset))
		return -ERANGE;

	/* A part ends where a page ends, the last one where the allocation ends. */
	if (!(transfer->flags & QUIRE_TRANSFER_END))
		return IS_ALIGNED(end, QUIRE_PAGE_SIZE) ? 0 : -EINVAL;
	if (!allocation)
		return 0;

	/* What is converted has the size of the backing. */
	return end == (quire_paging_converts(transfer) ? allocation->size :
							 allocation->pitch_aligned_size) ?
	       0 : -ERANGE;
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

/**
 * DOC: The loop that drives the builder
 *
 * The operations of one move share paging buffers: DONE leaves the buffer open for the next
 * operation, FULL submits it and continues in a fresh one, BUSY waits until the allocation is idle
 * and asks again. The fence of the last buffer is that of the move: paging work is executed in
 * order.
 *
 * What has been submitted before a wait is waited for as well. So a list that begins with other
 * operations asks before them (quire_paging_list_ask()): then a wait that a signal ends, or that
 * may not be, has changed nothing.
 *
 * After an error of any function a list is passed to quire_paging_list_finish(), which waits for
 * what was submitted, as that can not be taken back. The source still owns the data then.
 *
 * Locking: none; a list belongs to one thread. What sleeps is in the list's ops.
 */

static int list_submit(struct quire_paging_list *list)
{
	struct dma_fence *fence = list->ops->submit(list, &list->buffer);

	list->buffer.cpu = NULL;
	if (IS_ERR(fence))
		return PTR_ERR(fence);

	list->ops->put(list->fence);
	list->fence = fence;
	return 0;
}

static void list_release(struct quire_paging_list *list)
{
	list->ops->release(list, &list->buffer);
	list->buffer.cpu = NULL;
}

static int list_open(struct quire_paging_list *list)
{
	return list->buffer.cpu ? 0 : list->ops->acquire(list, &list->buffer);
}

/* Packets of the list itself are executed in order: they need no wait. */
static int list_wait_others(struct quire_paging_list *list)
{
	if (list->no_wait)
		return list->ops->is_idle(list) ? 0 : -EBUSY;
	return list->ops->wait_idle(list);
}

static int list_next_pass(struct quire_paging_list *list, struct quire_paging_args *args,
			  enum quire_build_status status)
{
	int ret = 0;

	/* A fresh buffer that holds nothing would be offered for ever. */
	if (status == QUIRE_BUILD_FULL)
		return list->buffer.used ? list_submit(list) : -EIO;

	if (args->allocation_is_idle)
		return -EIO;
	/*
	 * What is built so far may use the allocation, too: it has to run first. No buffer is
	 * open during a wait, since other lists may need it.
	 */
	if (!list->no_wait)
		ret = quire_paging_list_submit(list);
	if (!ret && !list->no_wait && list->fence)
		ret = list->ops->wait(list, list->fence);
	if (!ret)
		ret = list_wait_others(list);
	args->allocation_is_idle = !ret;
	return ret;
}

/**
 * quire_paging_list_ask - wait until an operation can be described
 * @list: the list, to which nothing was added yet
 * @operation: the operation
 * @allocation: of the operation; no other client begins to use it while the list lasts
 *
 * Then no operation of @allocation waits any more in this list.
 *
 * Returns: 0; -EBUSY the list may not wait; what &quire_paging_list_ops.wait_idle returns.
 */
int quire_paging_list_ask(struct quire_paging_list *list, enum quire_paging_operation operation,
			  const struct quire_paging_allocation *allocation)
{
	const struct quire_paging_args args = {
		.operation = operation,
		.allocation = allocation,
	};
	int ret;

	if (!quire_paging_must_wait(&args))
		return 0;

	ret = list_wait_others(list);
	if (!ret)
		list->idle = allocation;
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_ask);

/**
 * quire_paging_list_add - describe one operation in as many buffers as it takes
 * @list: the list
 * @args: operation, allocation and u are set; the rest is the loop's
 *
 * Returns: 0; what quire_paging_check_args() or quire_paging_sequence_check() refuses (nothing is
 * done then); -EIO the builder makes no progress; what the list's ops return.
 */
int quire_paging_list_add(struct quire_paging_list *list, struct quire_paging_args *args)
{
	struct quire_paging_buffer *buffer = &list->buffer;
	u32 record_size = sizeof(*buffer->records);
	enum quire_build_status status;
	int ret;

	args->multipass_offset = 0;
	/* A wait for the first sub-transfer was one for all of them. */
	args->allocation_is_idle = (list->sequence.pending && list->sequence.idle) ||
				   (args->allocation && args->allocation == list->idle);
	ret = quire_paging_check_args(list->caps, args) ?:
	      quire_paging_sequence_check(&list->sequence, args);
	if (ret)
		return ret;

	for (;;) {
		ret = list_open(list);
		if (ret)
			return ret;

		args->dma_buffer = buffer->cpu + buffer->used;
		args->dma_size = buffer->size - buffer->used;
		args->private_data = buffer->records + buffer->nr_records;
		args->private_data_size = (buffer->max_records - buffer->nr_records) * record_size;
		args->dma_buffer_gpu_address = buffer->gpu_address;
		args->dma_buffer_write_offset = buffer->used;
		status = quire_build_paging_buffer(list->caps, args);
		buffer->used = buffer->size - args->dma_size;
		buffer->nr_records = buffer->max_records - args->private_data_size / record_size;

		if (status == QUIRE_BUILD_DONE)
			break;
		ret = list_next_pass(list, args, status);
		if (ret)
			return ret;
	}

	quire_paging_sequence_note(&list->sequence, args);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_add);

/**
 * quire_paging_list_submit - submit what is described so far
 * @list: the list; no buffer is open afterwards
 *
 * Returns: 0, or what the list's ops return.
 */
int quire_paging_list_submit(struct quire_paging_list *list)
{
	if (list->buffer.cpu && list->buffer.used)
		return list_submit(list);

	if (list->buffer.cpu)
		list_release(list);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_submit);

/**
 * quire_paging_list_submit_empty - submit a buffer in which nothing is
 * @list: the list
 *
 * After all that was added before. The device executes nothing for it, but its fence signals in
 * order.
 *
 * Returns: 0, or what the list's ops return.
 */
int quire_paging_list_submit_empty(struct quire_paging_list *list)
{
	int ret = 0;

	if (list->buffer.cpu && list->buffer.used)
		ret = list_submit(list);
	return ret ?: list_open(list) ?: list_submit(list);
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_submit_empty);

/**
 * quire_paging_list_is_empty - was nothing described?
 * @list: the list
 *
 * Returns: true if quire_paging_list_finish() has nothing to submit, and had not: its fence says
 * nothing of what others submitted before.
 */
bool quire_paging_list_is_empty(const struct quire_paging_list *list)
{
	return !list->fence && !list->buffer.used;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_is_empty);

/**
 * quire_paging_list_finish - submit what is open and return the list's fence
 * @list: the list; not usable afterwards
 * @error: 0, or an error of another function of the list: then the open buffer is dropped
 *
 * Returns: the fence of the last buffer with a reference for the caller, a signalled one if nothing
 * had to be done, or an ERR_PTR after all that was submitted has been executed: @error, -EINVAL a
 * transfer has not ended, or what the list's ops return.
 */
struct dma_fence *quire_paging_list_finish(struct quire_paging_list *list, int error)
{
	if (!error && list->sequence.pending)
		error = -EINVAL;
	if (!error)
		error = quire_paging_list_submit(list);
	else if (list->buffer.cpu)
		list_release(list);

	if (error) {
		if (list->fence)
			list->ops->wait(list, list->fence);
		list->ops->put(list->fence);
		return ERR_PTR(error);
	}

	return list->fence ?: list->ops->signalled();
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_finish);
