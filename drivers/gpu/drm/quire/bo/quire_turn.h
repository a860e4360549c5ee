/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_TURN_H
#define QUIRE_TURN_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct quire_ticket - an object's or context's place in the queue; has &quire_turn.lock
 * @number: who has the lowest is next; 0: none, or a call has it
 * @until: jiffies, 64 bit, when @number is forgotten
 * @interrupted: a signal ended an attempt, the next one goes on to its end
 */
struct quire_ticket {
	u64 number;
	u64 until;
	bool interrupted;
};

/**
 * struct quire_turn - who may take room in the segments
 * @lock: protects the rest, and all tickets; nothing is taken inside of it
 * @fair: there are turns (module parameter fair_placement), never changed
 * @held: somebody has the turn
 * @number: of who has the turn
 * @since: jiffies when that one got it
 * @users: those between quire_turn_enter() and _exit()
 * @queue: who waits for the turn, by the numbers of their tickets
 * @last: number given out last
 */
struct quire_turn {
	spinlock_t lock; /* protects the rest, and all tickets */
	bool fair;
	bool held;
	u64 number;
	unsigned long since;
	unsigned int users;
	struct list_head queue;
	u64 last;
};

void quire_turn_init(struct quire_turn *turn, bool fair);
bool quire_turn_enter(struct quire_turn *turn, struct quire_ticket *ticket);
void quire_turn_exit(struct quire_turn *turn, struct quire_ticket *ticket, bool interrupted);
int quire_turn_begin(struct quire_turn *turn, struct quire_ticket *ticket, bool *interruptible);
bool quire_turn_is_due(struct quire_turn *turn);
int quire_turn_again(struct quire_turn *turn, struct quire_ticket *ticket);
void quire_turn_end(struct quire_turn *turn, struct quire_ticket *ticket, bool interrupted);

#endif
