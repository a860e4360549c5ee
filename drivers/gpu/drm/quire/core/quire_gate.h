/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_GATE_H
#define QUIRE_GATE_H

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

/**
 * struct quire_gate - lets several callers in at once, or one alone
 * @lock: of the one alone; of the others while they come in
 * @inside: number of those that came in at once
 * @empty: woken when it becomes 0
 *
 * A rw_semaphore would do, but a signal can not end the wait of its writer, unless it kills.
 */
struct quire_gate {
	struct mutex lock; /* of the one alone */
	atomic_t inside;
	wait_queue_head_t empty;
};

static inline void quire_gate_init(struct quire_gate *gate)
{
	mutex_init(&gate->lock);
	atomic_set(&gate->inside, 0);
	init_waitqueue_head(&gate->empty);
}

/**
 * quire_gate_enter - come in, with others; behind all that want to be alone and came before
 * @gate: the gate
 *
 * Returns: 0, then quire_gate_leave() is to follow; -ERESTARTSYS.
 */
static inline int quire_gate_enter(struct quire_gate *gate)
{
	if (mutex_lock_interruptible(&gate->lock))
		return -ERESTARTSYS;
	atomic_inc(&gate->inside);
	mutex_unlock(&gate->lock);
	return 0;
}

static inline void quire_gate_leave(struct quire_gate *gate)
{
	if (atomic_dec_and_test(&gate->inside) && wq_has_sleeper(&gate->empty))
		wake_up(&gate->empty);
}

/**
 * quire_gate_enter_alone - come in when all others have left; callers that come later wait
 * @gate: the gate
 *
 * Returns: 0, then quire_gate_leave_alone() is to follow; -ERESTARTSYS.
 */
static inline int quire_gate_enter_alone(struct quire_gate *gate)
{
	if (mutex_lock_interruptible(&gate->lock))
		return -ERESTARTSYS;
	if (!wait_event_interruptible(gate->empty, !atomic_read(&gate->inside)))
		return 0;
	mutex_unlock(&gate->lock);
	return -ERESTARTSYS;
}

static inline void quire_gate_leave_alone(struct quire_gate *gate)
{
	mutex_unlock(&gate->lock);
}

#endif
