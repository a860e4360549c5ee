/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_GATE_H
#define QUIRE_GATE_H

#include <linux/atomic.h>
#include <linux/mutex.h>
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

void quire_gate_init(struct quire_gate *gate);
int quire_gate_enter(struct quire_gate *gate);
void quire_gate_leave(struct quire_gate *gate);
int quire_gate_enter_alone(struct quire_gate *gate);
void quire_gate_leave_alone(struct quire_gate *gate);

#endif
