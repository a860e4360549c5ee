// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/errno.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include <kunit/visibility.h>

#include "quire_gate.h"

/**
 * quire_gate_init - initialise a gate, with no caller inside
 * @gate: to initialise; there is nothing to undo
 */
void quire_gate_init(struct quire_gate *gate)
{
	mutex_init(&gate->lock);
	atomic_set(&gate->inside, 0);
	init_waitqueue_head(&gate->empty);
}
EXPORT_SYMBOL_IF_KUNIT(quire_gate_init);

/**
 * quire_gate_enter - come in, with others
 * @gate: the gate
 *
 * Waits behind all that came before and want to be alone.
 *
 * Returns: 0, then quire_gate_leave() is to follow; -ERESTARTSYS.
 */
int quire_gate_enter(struct quire_gate *gate)
{
	if (mutex_lock_interruptible(&gate->lock))
		return -ERESTARTSYS;
	atomic_inc(&gate->inside);
	mutex_unlock(&gate->lock);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_gate_enter);

/**
 * quire_gate_leave - end what quire_gate_enter() began
 * @gate: the gate
 */
void quire_gate_leave(struct quire_gate *gate)
{
	if (atomic_dec_and_test(&gate->inside) && wq_has_sleeper(&gate->empty))
		wake_up(&gate->empty);
}
EXPORT_SYMBOL_IF_KUNIT(quire_gate_leave);

/**
 * quire_gate_enter_alone - come in when all others have left
 * @gate: the gate
 *
 * Callers that come later wait.
 *
 * Returns: 0, then quire_gate_leave_alone() is to follow; -ERESTARTSYS.
 */
int quire_gate_enter_alone(struct quire_gate *gate)
{
	if (mutex_lock_interruptible(&gate->lock))
		return -ERESTARTSYS;
	if (!wait_event_interruptible(gate->empty, !atomic_read(&gate->inside)))
		return 0;
	mutex_unlock(&gate->lock);
	return -ERESTARTSYS;
}
EXPORT_SYMBOL_IF_KUNIT(quire_gate_enter_alone);

/**
 * quire_gate_leave_alone - end what quire_gate_enter_alone() began
 * @gate: the gate
 */
void quire_gate_leave_alone(struct quire_gate *gate)
{
	mutex_unlock(&gate->lock);
}
EXPORT_SYMBOL_IF_KUNIT(quire_gate_leave_alone);
