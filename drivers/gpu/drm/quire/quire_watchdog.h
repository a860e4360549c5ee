/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_WATCHDOG_H
#define QUIRE_WATCHDOG_H

#include <linux/workqueue.h>

struct quire_ring;

/**
 * struct quire_watchdog - ends what a ring does not end by itself
 * @ring: what it watches
 * @work: the next look; pending or running while the ring has work
 * @wq: runs @work, also while memory is short
 */
struct quire_watchdog {
	struct quire_ring *ring;
	struct delayed_work work;
	struct workqueue_struct *wq;
};

int quire_watchdog_init(struct quire_watchdog *watchdog, struct quire_ring *ring);
void quire_watchdog_fini(struct quire_watchdog *watchdog);
void quire_watchdog_arm(struct quire_watchdog *watchdog);
void quire_watchdog_look_now(struct quire_watchdog *watchdog);

#endif
