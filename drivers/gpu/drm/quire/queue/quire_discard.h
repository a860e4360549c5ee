/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_DISCARD_H
#define QUIRE_DISCARD_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "paging/quire_paging.h"

struct quire_batch;
struct quire_leaving;
struct quire_paging_queue;
struct quire_paging_work;
struct ttm_resource;

#define QUIRE_DISCARD_RUNS	256

/**
 * struct quire_leaving_ops - how the device hears of entries of a list
 * @bytes: packets of one entry
 * @describe: adds the operations of one, by its link; returns 0, or errors of
 *            quire_paging_list_add()
 * @gone: the entries of @told are submitted, and their links free
 */
struct quire_leaving_ops {
	u32 bytes;
	int (*describe)(struct quire_leaving *leaving, struct quire_paging_work *work,
			struct list_head *link);
	void (*gone)(struct quire_leaving *leaving, struct list_head *told);
};

/**
 * struct quire_leaving - notices that the device has yet to hear
 * @ops: how
 * @lock: protects @list; not held over submissions
 * @list: by their links
 */
struct quire_leaving {
	const struct quire_leaving_ops *ops;
	spinlock_t *lock; /* of list */
	struct list_head list;
};

/**
 * struct quire_discard_batch - VRAM without content that the device is to hear of
 * @queue: where discards are executed
 * @residency: notices of objects that left, submitted before
 * @mmu: notices of free places that MMUs show, submitted before
 * @submit_lock: held from taking runs until they are submitted
 * @lock: protects @nr and @runs
 * @nr: number of @runs
 * @runs: runs that wait
 * @nr_taken: runs in @taken; protected by @submit_lock
 * @taken: being submitted, or were when a signal came; protected by @submit_lock
 * @work: submits after a delay
 */
struct quire_discard_batch {
	struct quire_paging_queue *queue;
	struct quire_leaving *residency;
	struct quire_leaving *mmu;
	struct mutex submit_lock; /* from taking runs until they are submitted */
	spinlock_t lock; /* protects nr, runs */
	unsigned int nr;
	struct quire_page_run runs[QUIRE_DISCARD_RUNS];
	u32 nr_taken;
	struct quire_page_run taken[QUIRE_DISCARD_RUNS];
	struct delayed_work work;
};

void quire_discard_init(struct quire_discard_batch *batch, struct quire_paging_queue *queue,
			struct quire_leaving *residency, struct quire_leaving *mmu);
void quire_discard_add(struct quire_discard_batch *batch, struct ttm_resource *res);
void quire_discard_later(struct quire_discard_batch *batch);
int quire_discard_submit(struct quire_discard_batch *batch, struct quire_batch *caller,
			 bool interruptible);

/* The device is unplugged, nothing is added any more. */
static inline void quire_discard_fini(struct quire_discard_batch *batch)
{
	cancel_delayed_work_sync(&batch->work);
	mutex_destroy(&batch->submit_lock);
}

static inline void quire_leaving_init(struct quire_leaving *leaving, spinlock_t *lock,
				      const struct quire_leaving_ops *ops)
{
	leaving->ops = ops;
	leaving->lock = lock;
	INIT_LIST_HEAD(&leaving->list);
}

#endif
