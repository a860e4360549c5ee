// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions
 *
 * What a paging buffer does on its way through the ring. It is patched
 * (paging/quire_paging_patch.c) each time that the ring hands it to the device. One that patching
 * refuses is not executed, except for its residency notices, on which other work relies. Its fence
 * ends in order, with -EIO, and the content that it moves is lost, as when recovery gives it up;
 * but what it should have mapped or unmapped is not known.
 *
 * Several lists may share a buffer (quire_plug.c): its error is the error of all of them.
 *
 * Mappings are noted (quire_aperture.c, quire_mmu_table.c) when they are executed, or never will
 * be; residency notices when they never will be (quire_residency_table.c); native fences before
 * execution (quire_natives.c).
 *
 * Locking: &quire_ring.lock, but for init and ready.
 */
#include <drm/drm_device.h>
#include <drm/drm_print.h>

#include "paging/quire_paging_patch.h"
#include "core/quire_options.h"
#include "hw/quire_aperture.h"
#include "hw/quire_mmu_table.h"
#include "hw/quire_natives.h"
#include "hw/quire_residency_table.h"
#include "quire_mark.h"
#include "quire_out_fence.h"
#include "quire_paging_queue.h"
#include "quire_paging_submission.h"

static struct quire_paging_submission *to_submission(struct quire_ring_fence *fence)
{
	return container_of(fence, struct quire_paging_submission, base);
}

static void submission_count(struct quire_paging_submission *submission)
{
	u32 i;

	for (i = 0; i < submission->buffer.nr_records && !submission->counted; i++) {
		const struct quire_paging_record *record = &submission->buffer.records[i];
		struct quire_paging_counter *counter =
			&submission->queue->counters[record->operation];

		atomic64_inc(&counter->count);
		atomic64_add(record->bytes, &counter->bytes);
	}
	submission->counted = true;
}

static bool record_is_notice(const struct quire_paging_record *record)
{
	return record->operation == QUIRE_PAGING_NOTIFY_RESIDENCY ||
	       record->operation == QUIRE_PAGING_NOTIFY_RESIDENCY2 ||
	       record->operation == QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY;
}

/* Makes a record point at no packet, if a test asks for it. */
static void submission_break(struct quire_paging_submission *submission)
{
	struct quire_paging_record *record = submission->buffer.records;
	struct quire_paging_record *end = record + submission->buffer.nr_records;
	u32 left = READ_ONCE(quire_options.patch_refuse);

	if (!left || submission->counted)
		return;
	while (record < end && record_is_notice(record))
		record++;
	if (record == end)
		return;
	WRITE_ONCE(quire_options.patch_refuse, left - 1);
	if (left == 1)
		record->offset += submission->buffer.size;
}

/* Moves the notices of a refused buffer to its start. */
static u32 submission_keep(struct quire_ring_fence *fence)
{
	struct quire_paging_buffer *buffer = &to_submission(fence)->buffer;
	void *left = buffer->cpu + fence->executed;
	u32 i, size, bytes = 0;

	for (i = 0; i < buffer->nr_records; i++) {
		struct quire_paging_record *record = &buffer->records[i];
		struct quire_packet_header *header = buffer->cpu + record->offset;

		if (!record_is_notice(record) || record->offset < fence->executed)
			continue;
		size = le32_to_cpu(header->size);
		memmove(left + bytes, header, size);
		bytes += size;
	}
	return bytes;
}

/* With @fence 0 the ring has no value for it yet. */
static int submission_patch(struct quire_paging_submission *submission, u64 fence)
{
	struct quire_paging_queue *queue = submission->queue;
	struct quire_paging_patch values = {
		.dummy_page = queue->dummy_page,
		.mark = queue->mark->dma,
		.fence = fence,
	};
	int ret;

	atomic64_inc(&queue->patches);
	ret = quire_paging_patch(&submission->buffer, &values);
	if (values.marks && fence)
		WRITE_ONCE(queue->mark->asked, fence);
	return ret;
}

static int submission_prepare(struct quire_ring_fence *fence)
{
	struct quire_paging_submission *submission = to_submission(fence);
	const struct quire_paging_buffer *buffer = &submission->buffer;
	int ret;
	u32 i;

	/* Also if all else of it is refused: notices are executed in any case. */
	for (i = 0; i < buffer->nr_records; i++)
		if (buffer->records[i].operation == QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY)
			quire_natives_note(submission->queue->natives,
					   buffer->cpu + buffer->records[i].offset);

	submission_break(submission);
	ret = submission_patch(submission, fence->base.seqno);
	if (!ret && READ_ONCE(quire_options.patch_twice))
		ret = submission_patch(submission, fence->base.seqno);
	if (ret) {
		drm_err(submission->queue->drm,
			"fence %llu: its paging buffer is broken and is not executed\n",
			fence->base.seqno);
		return -EIO;
	}
	submission_count(submission);
	return 0;
}

/* Notes which mappings the first @bytes of a buffer make, which are executed or never will be. */
static void submission_note_mapped(struct quire_paging_submission *submission, u32 bytes)
{
	const struct quire_paging_buffer *buffer = &submission->buffer;
	struct quire_paging_queue *queue = submission->queue;
	const struct quire_packet_unmap *unmap;
	u32 i;

	for (i = 0; i < buffer->nr_records && buffer->records[i].offset < bytes; i++) {
		const void *packet = buffer->cpu + buffer->records[i].offset;

		switch (buffer->records[i].operation) {
		case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
			quire_aperture_map(queue->aperture, packet);
			break;
		case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
			quire_aperture_map2(queue->aperture, packet);
			break;
		case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
			unmap = packet;
			quire_aperture_unmap(queue->aperture, le64_to_cpu(unmap->first_page),
					     le32_to_cpu(unmap->pages));
			break;
		case QUIRE_PAGING_MAP_MMU:
			quire_mmu_table_map(queue->mmus, packet);
			break;
		case QUIRE_PAGING_UNMAP_MMU:
			quire_mmu_table_unmap(queue->mmus, packet);
			break;
		default:
			break;
		}
	}
}

/*
 * Notes where the driver thinks that objects are, of a buffer that is given up. What the device was
 * told before is noted once more, which changes nothing.
 */
static void submission_note_residency(struct quire_paging_submission *submission)
{
	struct quire_residency_table *table = submission->queue->residency;
	const struct quire_paging_buffer *buffer = &submission->buffer;
	u32 i;

	for (i = 0; i < buffer->nr_records; i++) {
		const void *packet = buffer->cpu + buffer->records[i].offset;

		if (buffer->records[i].operation == QUIRE_PAGING_NOTIFY_RESIDENCY)
			quire_residency_table_note(table, packet);
		else if (buffer->records[i].operation == QUIRE_PAGING_NOTIFY_RESIDENCY2)
			quire_residency_table_note2(table, packet);
	}
}

static void submission_stopped(struct quire_ring_fence *fence)
{
	if (!fence->refused)
		submission_note_mapped(to_submission(fence), fence->executed);
}

/*
 * Each move in the buffer loses its content with it. One whose content was lost before, by another
 * buffer of it or by an earlier move, has failed, too, alone.
 */
static void submission_end_moves(struct quire_paging_submission *submission, int error)
{
	struct quire_out_fence *out;

	list_for_each_entry(out, &submission->outs, link) {
		if (error && out->lost)
			WRITE_ONCE(*out->lost, true);
		else if (out->lost && READ_ONCE(*out->lost))
			dma_fence_set_error(&out->base, -EIO);
	}
}

/* The buffer is still ours, its fence has not signalled. */
static void submission_retire(struct quire_ring_fence *fence, int error)
{
	struct quire_paging_submission *submission = to_submission(fence);

	if (!fence->refused)
		submission_note_mapped(submission, fence->size);
	if (error && !fence->refused)
		submission_note_residency(submission);
	if (error && submission->failed)
		WRITE_ONCE(*submission->failed, true);
	submission_end_moves(submission, error);
}

static const struct quire_ring_fence_ops submission_ops = {
	.prepare = submission_prepare,
	.keep = submission_keep,
	.stopped = submission_stopped,
	.retire = submission_retire,
};

/**
 * quire_paging_submission_init - set up the submission of an open buffer
 * @submission: zeroed
 * @queue: its queue
 * @buffer: the buffer
 */
void quire_paging_submission_init(struct quire_paging_submission *submission,
				  struct quire_paging_queue *queue,
				  const struct quire_paging_buffer *buffer)
{
	submission->base.ops = &submission_ops;
	submission->base.context = queue->space.context;
	submission->queue = queue;
	submission->buffer = *buffer;
	INIT_LIST_HEAD(&submission->outs);
}

/**
 * quire_paging_submission_ready - its buffer is written
 * @submission: to be handed to quire_ring_submit() later
 */
void quire_paging_submission_ready(struct quire_paging_submission *submission)
{
	submission->base.addr = submission->buffer.gpu_address;
	submission->base.size = submission->buffer.used;
	if (READ_ONCE(quire_options.patch_early))
		submission_patch(submission, 0);
}
