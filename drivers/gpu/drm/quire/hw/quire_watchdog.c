// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The watchdog
 *
 * While a ring has work, the watchdog checks from time to time whether there was progress. If there
 * was none for the time of the module parameter hang_period, or the ring stands at a fault,
 * recovery follows (quire_reset.c). So every fence of a ring signals in bounded time.
 *
 * It watches a ring, not a job, which is why it is not the timeout of drm_sched: slow work is no
 * hang, a restarted ring goes on under the same fences, and a submission to a busy ring costs no
 * timer.
 */
#include <linux/module.h>

#include "quire_watchdog.h"

/* Checks in a hang period. */
#define QUIRE_WATCHDOG_LOOKS	8

#define QUIRE_HANG_PERIOD_MIN	100
#define QUIRE_HANG_PERIOD_MAX	3600000

static unsigned int quire_hang_period = 3000;

static int hang_period_set(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, QUIRE_HANG_PERIOD_MIN, QUIRE_HANG_PERIOD_MAX);
}

static const struct kernel_param_ops hang_period_ops = {
	.set = hang_period_set,
	.get = param_get_uint,
};

module_param_cb(hang_period, &hang_period_ops, &quire_hang_period, 0644);
MODULE_PARM_DESC(hang_period,
		 "Milliseconds that the device may stand still before it is taken for hung (100 to 3600000, default: 3000)");

/**
 * quire_watchdog_patience - how long a ring may stand still
 *
 * Returns: jiffies, at least 1.
 */
unsigned long quire_watchdog_patience(void)
{
	return msecs_to_jiffies(READ_ONCE(quire_hang_period));
}

static void watchdog_look(struct work_struct *work)
{
	struct quire_watchdog *watchdog = container_of(to_delayed_work(work),
						       struct quire_watchdog, work);
	struct quire_ring *ring = watchdog->ring;
	enum quire_ring_state state;

	quire_ring_process(ring); /* an interrupt may have been lost */
	state = quire_ring_look(ring, quire_watchdog_patience());
	if (state == QUIRE_RING_STUCK || state == QUIRE_RING_FAULTED)
		watchdog->stuck(watchdog, state);
	if (state != QUIRE_RING_IDLE)
		quire_watchdog_arm(watchdog);
}

/**
 * quire_watchdog_init - make the watchdog of a ring
 * @watchdog: to initialise
 * @ring: what it watches; lives longer
 * @wq: as &quire_watchdog.wq; lives longer
 * @stuck: called when the ring does not work any more
 */
void quire_watchdog_init(struct quire_watchdog *watchdog, struct quire_ring *ring,
			 struct workqueue_struct *wq, quire_watchdog_stuck_t stuck)
{
	watchdog->ring = ring;
	watchdog->stuck = stuck;
	INIT_DELAYED_WORK(&watchdog->work, watchdog_look);
	watchdog->wq = wq;
}

/**
 * quire_watchdog_fini - end the watchdog
 * @watchdog: the watchdog; its ring is killed and not armed any more
 */
void quire_watchdog_fini(struct quire_watchdog *watchdog)
{
	cancel_delayed_work_sync(&watchdog->work);
}

/**
 * quire_watchdog_arm - watch the ring, which was given work
 * @watchdog: the watchdog
 *
 * Cheap while it is armed. Any context.
 */
void quire_watchdog_arm(struct quire_watchdog *watchdog)
{
	/* At least once a second: a shorter period may be set meanwhile. */
	queue_delayed_work(watchdog->wq, &watchdog->work,
			   clamp(quire_watchdog_patience() / QUIRE_WATCHDOG_LOOKS, 1, HZ));
}

/**
 * quire_watchdog_look_now - check the ring without delay
 * @watchdog: the watchdog
 *
 * Any context, also hard interrupt.
 */
void quire_watchdog_look_now(struct quire_watchdog *watchdog)
{
	mod_delayed_work(watchdog->wq, &watchdog->work, 0);
}

/**
 * quire_watchdog_pause - suspend the checks
 * @watchdog: the watchdog
 *
 * Waits for a check and a recovery in progress. Pauses nest.
 */
void quire_watchdog_pause(struct quire_watchdog *watchdog)
{
	disable_delayed_work_sync(&watchdog->work);
}

/**
 * quire_watchdog_resume - end a pause
 * @watchdog: the watchdog
 */
void quire_watchdog_resume(struct quire_watchdog *watchdog)
{
	if (enable_delayed_work(&watchdog->work))
		quire_watchdog_arm(watchdog);
}
