/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PATIENCE_H
#define QUIRE_PATIENCE_H

#include <linux/types.h>

/* Who waits until an object is idle is as patient as TTM: ttm_bo_wait_ctx(). */
#define QUIRE_BUSY_TIMEOUT		(15 * HZ)

/**
 * struct quire_patience - how long to wait for others, over calls that signals end
 * @waits: the wait has begun
 * @end: then: jiffies when that was enough
 * @kept: of an object: jiffies until which another call goes on with it
 * @pid: of an object: the thread that may make that call
 */
struct quire_patience {
	bool waits;
	unsigned long end;
	unsigned long kept;
	pid_t pid;
};

long quire_patience_left(struct quire_patience *patience);
void quire_patience_tried(struct quire_patience *patience, unsigned long begin);
void quire_take_patience(struct quire_patience *kept, struct quire_patience *patience);
void quire_keep_patience(struct quire_patience *kept, const struct quire_patience *patience);

#endif
