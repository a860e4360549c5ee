// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Patience
 *
 * How long a call waits for others: 15 seconds, from its first wait on, but for tries in between
 * that take long, as they wait for their turn. If a signal ends it, and the same thread makes it
 * again at once, it goes on with what was left: its arguments have no absolute time.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "quire_patience.h"

#define QUIRE_PATIENCE_KEPT	HZ /* calls are made again at once */
#define QUIRE_PATIENCE_TRY	(HZ / 10) /* so long a try counts at most */

/* Of all objects: it is held for a moment, by callers that wait or have waited. */
static DEFINE_SPINLOCK(patience_lock);

/**
 * quire_patience_left - how long may a call wait for others now?
 * @patience: of the call; the first time, the wait begins
 *
 * Returns: jiffies; 0 it has waited for long enough.
 */
long quire_patience_left(struct quire_patience *patience)
{
	if (!patience->waits) {
		patience->waits = true;
		patience->end = jiffies + QUIRE_BUSY_TIMEOUT;
	}
	return max((long)(patience->end - jiffies), 0l);
}

/**
 * quire_patience_tried - a call that waits for others has made another try
 * @patience: of the call; the wait has begun
 * @begin: jiffies, when the try began
 *
 * A long try waits for its turn, not for others. A short one counts, or else a victim that is busy
 * again each time would be waited for without end.
 */
void quire_patience_tried(struct quire_patience *patience, unsigned long begin)
{
	unsigned long took = jiffies - begin;

	if (took > QUIRE_PATIENCE_TRY)
		patience->end += took - QUIRE_PATIENCE_TRY;
}

static bool is_kept(const struct quire_patience *patience)
{
	return patience->waits && time_before_eq(jiffies, patience->kept);
}

/**
 * quire_take_patience - go on with the wait of the call before
 * @kept: of the object, for calls of that kind
 * @patience: returned: what was kept for this thread just now, or a new one
 */
void quire_take_patience(struct quire_patience *kept, struct quire_patience *patience)
{
	*patience = (struct quire_patience) { };
	/* Rarely any: only what this thread has kept itself counts. */
	if (!READ_ONCE(kept->waits))
		return;

	spin_lock(&patience_lock);
	if (is_kept(kept) && kept->pid == task_pid_nr(current)) {
		*patience = *kept;
		kept->waits = false;
	}
	spin_unlock(&patience_lock);
}

/**
 * quire_keep_patience - the next call goes on with the wait of this one
 * @kept: of the object, for calls of that kind
 * @patience: of the call
 *
 * Or else periodic signals would let a call wait for ever; and a debugger that reads page by page
 * waits once. One wait is kept: of two threads that of the one that has waited longer, so that it
 * gives up in time, and then the other one does.
 */
void quire_keep_patience(struct quire_patience *kept, const struct quire_patience *patience)
{
	if (!patience->waits)
		return;

	spin_lock(&patience_lock);
	if (!is_kept(kept) || time_before(patience->end, kept->end)) {
		*kept = *patience;
		kept->kept = jiffies + QUIRE_PATIENCE_KEPT;
		kept->pid = task_pid_nr(current);
	}
	spin_unlock(&patience_lock);
}
