/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_LEAVING_H
#define QUIRE_LEAVING_H

#include <linux/list.h>
#include <linux/spinlock.h>

struct quire_batch;
struct quire_leaving;
struct quire_paging_work;

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
 * @lock: protects @list
 * @list: by their links
 */
struct quire_leaving {
	const struct quire_leaving_ops *ops;
	spinlock_t *lock; /* of list */
	struct list_head list;
};

void quire_leaving_init(struct quire_leaving *leaving, spinlock_t *lock,
			const struct quire_leaving_ops *ops);
int quire_leaving_submit(struct quire_leaving *leaving, struct quire_batch *batch,
			 bool interruptible);

#endif
