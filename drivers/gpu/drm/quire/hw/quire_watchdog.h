/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_WATCHDOG_H
#define QUIRE_WATCHDOG_H

#include <linux/workqueue.h>

#include "quire_ring.h"

struct quire_watchdog;

/**
 * typedef quire_watchdog_stuck_t - recover a ring that does not work
 * @watchdog: of the ring
 * @state: %QUIRE_RING_STUCK or %QUIRE_RING_FAULTED
 *
 * Runs in the watchdog's queue: may sleep, but must not wait for memory.
 */
typedef void (*quire_watchdog_stuck_t)(struct quire_watchdog *watchdog,
				       enum quire_ring_state state);

/**
 * struct quire_watchdog - finds out that a ring does not work
 * @ring: what it watches
 * @stuck: called then
 * @work: the next check; pending or running while the ring has work
 * @wq: runs @work, with WQ_MEM_RECLAIM; one for all rings of the device, ordered
 */
struct quire_watchdog {
	struct quire_ring *ring;
	quire_watchdog_stuck_t stuck;
	struct delayed_work work;
	struct workqueue_struct *wq;
};

void quire_watchdog_init(struct quire_watchdog *watchdog, struct quire_ring *ring,
			 struct workqueue_struct *wq, quire_watchdog_stuck_t stuck);
void quire_watchdog_fini(struct quire_watchdog *watchdog);
void quire_watchdog_arm(struct quire_watchdog *watchdog);
void quire_watchdog_look_now(struct quire_watchdog *watchdog);
void quire_watchdog_pause(struct quire_watchdog *watchdog);
void quire_watchdog_resume(struct quire_watchdog *watchdog);
unsigned long quire_watchdog_patience(void);

#endif
