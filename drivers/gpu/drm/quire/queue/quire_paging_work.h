/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_WORK_H
#define QUIRE_PAGING_WORK_H

#include "paging/quire_paging_list.h"
#include "quire_page_runs.h"

struct dma_resv;
struct quire_batch;
struct quire_out_fence;
struct quire_paging_queue;

/**
 * struct quire_paging_work - a list on its way to the queue
 * @list: the operations; pass it to quire_paging_list_add() and _finish()
 * @batch: of the call
 * @queue: where it goes
 * @resv: waited for by BUSY; held by the caller; NULL if that is no answer
 * @bytes: of packets that are still expected: how large buffers are asked for
 * @tail: of those that follow the last part
 * @interruptible: waits end with -ERESTARTSYS on a signal
 * @whole: what is added is in one buffer, which is not submitted meanwhile
 * @part: what is described now
 * @lost: as &quire_out_fence.lost
 * @out: fence of the open buffer
 * @unplug_index: of drm_dev_enter(), while a buffer is open
 */
struct quire_paging_work {
	struct quire_paging_list list;
	struct quire_batch *batch;
	struct quire_paging_queue *queue;
	struct dma_resv *resv;
	u64 bytes;
	u32 tail;
	bool interruptible;
	bool whole;
	struct quire_paging_part part;
	bool *lost;
	struct quire_out_fence *out;
	int unplug_index;
};

void quire_paging_work_init(struct quire_paging_work *work, struct quire_batch *batch,
			    struct dma_resv *resv, u64 bytes, bool interruptible);
int quire_paging_work_next_part(struct quire_paging_work *work, u64 pages);
int quire_paging_work_begin_whole(struct quire_paging_work *work, u32 bytes);
int quire_paging_work_run(struct quire_paging_work *work, int error);
int quire_paging_work_nop(struct quire_paging_queue *queue, unsigned int count, u32 bytes);

/* Ends quire_paging_work_begin_whole(). */
static inline void quire_paging_work_end_whole(struct quire_paging_work *work)
{
	work->whole = false;
}

#endif
