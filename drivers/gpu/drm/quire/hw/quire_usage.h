/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_USAGE_H
#define QUIRE_USAGE_H

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/spinlock.h>
#include <quire/quire_hw.h>

struct task_struct;

/**
 * struct quire_usage - how long the device was at work for a file
 * @refs: of the file, its contexts, and paging buffers charged to it
 * @ns: nanoseconds, by the number of the ring, whose &quire_ring.lock protects them
 */
struct quire_usage {
	struct kref refs;
	u64 ns[QUIRE_RING_MAX];
};

/**
 * struct quire_payer - a task that does something for a file
 * @link: in &quire_payers.tasks
 * @task: the task
 * @usage: of the file
 */
struct quire_payer {
	struct hlist_node link;
	struct task_struct *task;
	struct quire_usage *usage;
};

/**
 * struct quire_payers - all tasks that do something for files of a device
 * @lock: protects @tasks; nothing is taken inside
 * @tasks: struct quire_payer, by their task
 */
struct quire_payers {
	spinlock_t lock; /* of tasks */
	DECLARE_HASHTABLE(tasks, 6);
};

struct quire_usage *quire_usage_create(void);
struct quire_usage *quire_usage_get(struct quire_usage *usage);
void quire_usage_put(struct quire_usage *usage);

void quire_payers_init(struct quire_payers *payers);
void quire_payer_begin(struct quire_payers *payers, struct quire_payer *payer,
		       struct quire_usage *usage);
void quire_payer_end(struct quire_payers *payers, struct quire_payer *payer);
struct quire_usage *quire_payers_find(struct quire_payers *payers);

#endif
