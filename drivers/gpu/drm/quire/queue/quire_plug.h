/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PLUG_H
#define QUIRE_PLUG_H

#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/workqueue.h>

struct dma_fence;
struct quire_out_fence;
struct quire_paging_buffer;
struct quire_paging_job;
struct quire_paging_queue;
struct quire_usage;

/**
 * struct quire_batch - the paging work of one call
 * @queue: the paging queue
 * @usage: of the file that is charged for it, which lives as long as the batch; or NULL
 *
 * Lives as long as the call, on its stack. Those of all other work are &quire_paging_queue.unpaid
 * and &quire_paging_queue.evictions.
 */
struct quire_batch {
	struct quire_paging_queue *queue;
	struct quire_usage *usage;
};

/**
 * struct quire_plug - lists of one batch share paging buffers
 * @owner: the batch, or NULL
 * @size: bytes that the next buffer has at least
 * @job: whose buffer is open for the next list, or NULL; protected by &quire_paging_queue.lock
 * @waiters: tasks that wait for room in the pool
 * @wq: of @work
 * @work: pushes @job, because a task waits for a fence of it
 */
struct quire_plug {
	struct quire_batch *owner;
	u32 size;
	struct quire_paging_job *job;
	atomic_t waiters;
	struct workqueue_struct *wq;
	struct work_struct work;
};

/**
 * quire_plug_kick - push the open buffer soon: a task waits for a fence of it
 * @plug: of the queue
 *
 * Any context.
 */
static inline void quire_plug_kick(struct quire_plug *plug)
{
	queue_work(plug->wq, &plug->work);
}

int quire_plug_init(struct quire_plug *plug);
void quire_plug_fini(struct quire_plug *plug);
void quire_plug_begin(struct quire_batch *batch);
void quire_plug_end(struct quire_batch *batch);

DEFINE_GUARD(quire_plug, struct quire_batch *, quire_plug_begin(_T), quire_plug_end(_T))

void quire_plug_push(struct quire_batch *batch);
void quire_plug_push_all(struct quire_paging_queue *queue);

struct quire_paging_job *quire_plug_acquire(struct quire_batch *batch, u32 size, bool first,
					    bool interruptible);
struct dma_fence *quire_plug_submit(struct quire_paging_job *job,
				    const struct quire_paging_buffer *buffer,
				    struct quire_out_fence *out);
void quire_plug_release(struct quire_paging_job *job);

#endif
