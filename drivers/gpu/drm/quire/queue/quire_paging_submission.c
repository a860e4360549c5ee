// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Submissions
 *
 * A job of the scheduler is a paging buffer with its submission to the ring, and the fences that
 * end with it. The buffer is patched (paging/quire_paging_patch.c) each time that the ring hands it
 * to the device. One that patching refuses is not executed, except for its residency notices, on
 * which other work relies. Its fence ends in order, with -EIO, and the content that it moves is
 * lost, as when recovery gives it up; but what it should have mapped or unmapped is not known.
 *
 * Several lists may share a buffer (quire_paging_work.c): its error is the error of all of them.
 * Mappings are noted when they are executed, or never will be; residency notices when they never
 * will be; native fences before execution.
 *
 * Locking: &quire_ring.lock for the callbacks of the ring.
 */

#include <drm/drm_print.h>

#include "core/quire_device_types.h"
#include "core/quire_options.h"
#include "hw/quire_aperture.h"
#include "hw/quire_residency_table.h"
#include "hw/quire_usage.h"
#include "quire_out_fence.h"
#include "quire_paging_queue.h"

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

/* For tests: a record points at no packet. */
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
	struct quire_device *qdev = to_quire_device(submission->queue->drm);
	struct quire_paging_patch values = {
		.dummy_page = qdev->dummy_dma,
		.mark = qdev->mark->dma,
		.fence = fence,
	};
	int ret;

	atomic64_inc(&submission->queue->patches);
	ret = quire_paging_patch(&submission->buffer, &values);
	if (values.marks && fence)
		WRITE_ONCE(qdev->mark->asked, fence);
	return ret;
}

static int submission_prepare(struct quire_ring_fence *fence)
{
	struct quire_paging_submission *submission = to_submission(fence);
	const struct quire_paging_buffer *buffer = &submission->buffer;
	struct drm_device *drm = submission->queue->drm;
	int ret;
	u32 i;

	/* Also if all else of it is refused: notices are executed in any case. */
	for (i = 0; i < buffer->nr_records; i++)
		if (buffer->records[i].operation == QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY)
			quire_natives_note(to_quire_device(drm)->natives,
					   buffer->cpu + buffer->records[i].offset);

	submission_break(submission);
	ret = submission_patch(submission, fence->base.seqno);
	if (!ret && READ_ONCE(quire_options.patch_twice))
		ret = submission_patch(submission, fence->base.seqno);
	if (ret) {
		drm_err(drm, "fence %llu: its paging buffer is broken and is not executed\n",
			fence->base.seqno);
		return -EIO;
	}
	submission_count(submission);
	return 0;
}

/*
 * Notes which mappings the first @bytes of a buffer make, which are executed or never will be; with
 * @given_up also where the driver thinks that objects are. What was noted before is noted once
 * more, which changes nothing.
 */
static void submission_note(struct quire_paging_submission *submission, u32 bytes, bool given_up)
{
	struct quire_device *qdev = to_quire_device(submission->queue->drm);
	const struct quire_paging_buffer *buffer = &submission->buffer;
	const struct quire_packet_unmap *unmap;
	u32 i;

	for (i = 0; i < buffer->nr_records && buffer->records[i].offset < bytes; i++) {
		const void *packet = buffer->cpu + buffer->records[i].offset;

		switch (buffer->records[i].operation) {
		case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
			quire_aperture_map(qdev->aperture, packet);
			break;
		case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
			quire_aperture_map2(qdev->aperture, packet);
			break;
		case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
			unmap = packet;
			quire_aperture_unmap(qdev->aperture, le64_to_cpu(unmap->first_page),
					     le32_to_cpu(unmap->pages));
			break;
		case QUIRE_PAGING_MAP_MMU:
			quire_mmu_table_map(qdev->mmu_table, packet);
			break;
		case QUIRE_PAGING_UNMAP_MMU:
			quire_mmu_table_unmap(qdev->mmu_table, packet);
			break;
		case QUIRE_PAGING_NOTIFY_RESIDENCY:
			if (given_up)
				quire_residency_table_note(qdev->residency_table, packet);
			break;
		case QUIRE_PAGING_NOTIFY_RESIDENCY2:
			if (given_up)
				quire_residency_table_note2(qdev->residency_table, packet);
			break;
		default:
			break;
		}
	}
}

static void submission_stopped(struct quire_ring_fence *fence)
{
	if (!fence->refused)
		submission_note(to_submission(fence), fence->executed, false);
}

/* The buffer is still ours, its fence has not signalled. */
static void submission_retire(struct quire_ring_fence *fence, int error)
{
	struct quire_paging_submission *submission = to_submission(fence);
	struct quire_out_fence *out;

	if (!fence->refused)
		submission_note(submission, fence->size, error);
	if (error && submission->failed)
		WRITE_ONCE(*submission->failed, true);
	/*
	 * Each move in the buffer loses its content with it. One whose content was lost before, by
	 * another buffer of it or by an earlier move, has failed, too, alone.
	 */
	list_for_each_entry(out, &submission->outs, link) {
		if (error && out->lost)
			WRITE_ONCE(*out->lost, true);
		else if (out->lost && READ_ONCE(*out->lost))
			dma_fence_set_error(&out->base, -EIO);
	}
}

static const struct quire_ring_fence_ops submission_ops = {
	.prepare = submission_prepare,
	.keep = submission_keep,
	.stopped = submission_stopped,
	.retire = submission_retire,
};

/**
 * quire_paging_job_open - set up the submission of a job for an open buffer
 * @job: its queue is set, its submission zeroed
 * @buffer: the buffer
 * @usage: of the file that is charged for its time, or NULL
 */
void quire_paging_job_open(struct quire_paging_job *job, const struct quire_paging_buffer *buffer,
			   struct quire_usage *usage)
{
	struct quire_paging_submission *submission = job->submission;

	submission->base.ops = &submission_ops;
	submission->base.context = job->queue->space.context;
	submission->base.usage = usage;
	submission->queue = job->queue;
	submission->buffer = *buffer;
	INIT_LIST_HEAD(&submission->outs);
	job->usage = quire_usage_get(usage);
	job->gpu_address = buffer->gpu_address;
}

/**
 * quire_paging_job_push - hand a job to the scheduler; never fails
 * @job: the job, its buffer written, its dependencies added; consumed
 *
 * The caller keeps the order of the entity. The fences in &quire_paging_submission.outs end with
 * it.
 * Returns: the scheduler's fence of its end, with a reference.
 */
struct dma_fence *quire_paging_job_push(struct quire_paging_job *job)
{
	struct quire_paging_submission *submission = job->submission;
	struct dma_fence *finished;
	struct quire_out_fence *out;

	submission->base.addr = submission->buffer.gpu_address;
	submission->base.size = submission->buffer.used;
	if (READ_ONCE(quire_options.patch_early))
		submission_patch(submission, 0);
	drm_sched_job_arm(&job->base);
	finished = dma_fence_get(&job->base.s_fence->finished);
	list_for_each_entry(out, &submission->outs, link)
		quire_out_fence_follow(out, dma_fence_get(finished));
	refcount_inc(&job->queue->jobs);
	drm_sched_entity_push_job(&job->base); /* from here on it may be freed */
	return finished;
}

/**
 * quire_paging_job_free - free a job
 * @job: not known to the scheduler, or not any more
 */
void quire_paging_job_free(struct quire_paging_job *job)
{
	if (job->release)
		job->release(job);
	quire_usage_put(job->usage);
	kfree(job->submission);
	kfree(job);
}
