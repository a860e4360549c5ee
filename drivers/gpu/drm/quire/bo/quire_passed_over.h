/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PASSED_OVER_H
#define QUIRE_PASSED_OVER_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct dma_fence;

/**
 * struct quire_passed_over - why an object was not evicted
 * @lock: protects the rest; nothing is taken inside of it
 * @placements: those who want to know
 * @count: how often an object was passed over
 * @fence: of others, who were at work with the last one; NULL while nobody wants to know
 */
struct quire_passed_over {
	spinlock_t lock; /* protects the rest */
	unsigned int placements;
	u64 count;
	struct dma_fence *fence;
};

void quire_passed_over_init(struct quire_passed_over *passed_over);
void quire_passed_over_begin(struct quire_passed_over *passed_over);
void quire_passed_over_end(struct quire_passed_over *passed_over);
void quire_passed_over_note(struct quire_passed_over *passed_over, struct dma_fence *fence);
u64 quire_passed_over_count(struct quire_passed_over *passed_over);
long quire_passed_over_wait(struct quire_passed_over *passed_over, u64 since, bool interruptible,
			    long timeout);

#endif
