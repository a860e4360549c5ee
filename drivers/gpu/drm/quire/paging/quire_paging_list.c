// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The loop that drives the builder
 *
 * The operations of one move share paging buffers: DONE leaves the buffer open
 * for the next operation, FULL submits it and continues in a fresh one, BUSY
 * waits until the allocation is idle and asks again. The fence of the last
 * buffer is the fence of the move, because paging work is executed in order.
 *
 * What has been submitted before a wait is waited for as well. So a list that begins with
 * other operations asks before them (quire_paging_list_ask()): then a wait that a signal
 * ends, or that may not be, has changed nothing.
 *
 * If a buffer can not be had or submitted, what was submitted before can not
 * be taken back: the loop waits for it and returns the error. The source still
 * owns the data then.
 *
 * Locking: none; a list belongs to one thread. What sleeps is in the list's
 * ops.
 *
 * Source: DXGKDDI_BUILDPAGINGBUFFER, what the caller does with each of its
 * return values.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/module.h>

#include <kunit/visibility.h>

#include "quire_paging_list.h"

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

static enum quire_build_status list_build(struct quire_paging_list *list,
					  struct quire_paging_args *args)
{
	struct quire_paging_buffer *buffer = &list->buffer;
	u32 record_size = sizeof(*buffer->records);
	enum quire_build_status status;

	args->dma_buffer = buffer->cpu + buffer->used;
	args->dma_size = buffer->size - buffer->used;
	args->private_data = buffer->records + buffer->nr_records;
	args->private_data_size = (buffer->max_records - buffer->nr_records) * record_size;
	args->dma_buffer_gpu_address = buffer->gpu_address;
	args->dma_buffer_write_offset = buffer->used;

	status = quire_build_paging_buffer(list->caps, args);

	buffer->used = buffer->size - args->dma_size;
	buffer->nr_records = buffer->max_records - args->private_data_size / record_size;
	return status;
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
 * If the builder will answer BUSY. Then no operation of @allocation waits any more in this
 * list.
 *
 * Returns: 0; -EBUSY the list may not wait; what &quire_paging_list_ops.wait_idle returns.
 * After an error pass it to quire_paging_list_finish().
 *
 * Source: DXGKDDI_BUILDPAGINGBUFFER, STATUS_GRAPHICS_ALLOCATION_BUSY.
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
 * Returns: 0; what quire_paging_check_args() or quire_paging_sequence_check() refuses
 * (nothing is done then); -EIO if the builder makes no progress; what the list's ops return.
 * After an error pass it to quire_paging_list_finish().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MultipassOffset.
 */
int quire_paging_list_add(struct quire_paging_list *list, struct quire_paging_args *args)
{
	enum quire_build_status status;
	int ret;

	args->multipass_offset = 0;
	/* A wait for the first sub-transfer was one for all of them. */
	args->allocation_is_idle = (list->sequence.pending && list->sequence.idle) ||
				   (args->allocation && args->allocation == list->idle);
	ret = quire_paging_check_args(list->caps, args);
	if (!ret)
		ret = quire_paging_sequence_check(&list->sequence, args);
	if (ret)
		return ret;

	for (;;) {
		ret = list_open(list);
		if (ret)
			return ret;

		status = list_build(list, args);
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
 * @list: the list
 *
 * What is added later goes into another buffer. No buffer is open afterwards.
 *
 * Returns: 0, or what the list's ops return. After an error pass it to
 * quire_paging_list_finish().
 */
int quire_paging_list_submit(struct quire_paging_list *list)
{
	int ret = 0;

	if (list->buffer.cpu && list->buffer.used)
		ret = list_submit(list);
	else if (list->buffer.cpu)
		list_release(list);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_submit);

/**
 * quire_paging_list_submit_empty - submit a buffer in which nothing is
 * @list: the list
 *
 * After all that was added to the list before. The device executes nothing for
 * it, but its fence signals in order.
 *
 * Returns: 0, or what the list's ops return. After an error pass it to
 * quire_paging_list_finish().
 *
 * Source: DXGKARG_SUBMITCOMMAND, a paging submission whose start offset is its
 * end offset.
 */
int quire_paging_list_submit_empty(struct quire_paging_list *list)
{
	int ret = 0;

	if (list->buffer.cpu && list->buffer.used)
		ret = list_submit(list);
	if (!ret)
		ret = list_open(list);
	if (!ret)
		ret = list_submit(list);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_submit_empty);

/**
 * quire_paging_list_is_empty - was nothing described?
 * @list: the list
 *
 * Returns: true if quire_paging_list_finish() has nothing to submit, and had not: its fence says
 * nothing of what others have submitted before.
 */
bool quire_paging_list_is_empty(const struct quire_paging_list *list)
{
	return !list->fence && !list->buffer.used;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_list_is_empty);

/**
 * quire_paging_list_finish - submit what is open and return the list's fence
 * @list: the list; not usable afterwards
 * @error: 0, or what quire_paging_list_add() returned: then the open buffer is
 *         dropped
 *
 * Returns: the fence of the last buffer with a reference for the caller, an
 * already signalled one if nothing had to be done, or an ERR_PTR after all
 * that was submitted has been executed: @error, -EINVAL if a transfer has not ended, or
 * what the list's ops return.
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
