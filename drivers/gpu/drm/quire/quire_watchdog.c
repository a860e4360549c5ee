// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The watchdog
 *
 * Every fence of a ring signals in bounded time because of it. While the ring
 * has work it looks from time to time whether there was progress. A ring that
 * made none, or stands at a fault, is restarted once; if that does not help it
 * is given up, and all its fences signal with an error.
 *
 * It watches a ring, not a job, which is why it is not the timeout of
 * drm_sched: slow work is no hang, a restarted ring goes on under the same
 * fences, and a submission to a busy ring costs no timer.
 *
 * Locking: none of its own; see &quire_ring.lock.
 */
#include <drm/drm_device.h>
#include <drm/drm_print.h>

#include "quire_ring.h"
#include "quire_watchdog.h"

/* How long a ring may stand still. */
#define QUIRE_WATCHDOG_PERIOD	msecs_to_jiffies(3000)

static void watchdog_unstick(struct quire_ring *ring, enum quire_ring_state state)
{
	if (state == QUIRE_RING_FAULTED)
		quire_ring_report_fault(ring);
	drm_warn(ring->drm, "ring %u is stuck, restarting it\n", ring->index);
	/* Given up meanwhile, for another reason: not stuck again. */
	if (quire_ring_restart(ring) != -EIO)
		return;

	drm_err(ring->drm,
		"ring %u is stuck again, the device is wedged; unbind and bind it\n", ring->index);
	quire_ring_kill(ring, -EIO);
}

static void watchdog_look(struct work_struct *work)
{
	struct quire_watchdog *watchdog = container_of(to_delayed_work(work),
						       struct quire_watchdog, work);
	struct quire_ring *ring = watchdog->ring;
	enum quire_ring_state state;

	quire_ring_process(ring); /* an interrupt may have been lost */
	state = quire_ring_look(ring, QUIRE_WATCHDOG_PERIOD);
	if (state == QUIRE_RING_STUCK || state == QUIRE_RING_FAULTED)
		watchdog_unstick(ring, state);
	if (state != QUIRE_RING_IDLE)
		quire_watchdog_arm(watchdog);
}

/**
 * quire_watchdog_init - make the watchdog of a ring
 * @watchdog: to initialise
 * @ring: what it watches; lives longer
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_watchdog_init(struct quire_watchdog *watchdog, struct quire_ring *ring)
{
	watchdog->ring = ring;
	INIT_DELAYED_WORK(&watchdog->work, watchdog_look);
	watchdog->wq = alloc_ordered_workqueue("quire-watchdog", WQ_MEM_RECLAIM);
	return watchdog->wq ? 0 : -ENOMEM;
}

/**
 * quire_watchdog_fini - end the watchdog
 * @watchdog: the watchdog; its ring is killed, nobody arms it any more
 */
void quire_watchdog_fini(struct quire_watchdog *watchdog)
{
	cancel_delayed_work_sync(&watchdog->work);
	destroy_workqueue(watchdog->wq);
}

/**
 * quire_watchdog_arm - the ring was given work
 * @watchdog: the watchdog
 *
 * Costs next to nothing while it is armed. Any context.
 */
void quire_watchdog_arm(struct quire_watchdog *watchdog)
{
	queue_delayed_work(watchdog->wq, &watchdog->work, QUIRE_WATCHDOG_PERIOD);
}

/**
 * quire_watchdog_look_now - there is reason to look, do not wait
 * @watchdog: the watchdog
 *
 * Any context, also hard interrupt.
 */
void quire_watchdog_look_now(struct quire_watchdog *watchdog)
{
	mod_delayed_work(watchdog->wq, &watchdog->work, 0);
}
