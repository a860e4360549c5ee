// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Taking turns
 *
 * TTM says "no room" to a placement if another one was faster, and small ones always are. So
 * placements run side by side, between quire_turn_enter() and quire_turn_exit(), and one that found
 * no room waits for its turn, quire_turn_begin(): first come, first served. It has the turn alone:
 * later placements queue up, those that have entered are waited for. A long one ends its turn when
 * others wait. CPU faults hold locks, and never wait: they enter, or take no room.
 *
 * A signal ends the wait, and an attempt, but not the place in the queue: that is a number in the
 * object or context, good for the call that is made again soon, which goes on to its end. It holds
 * up no other call. (A rw_semaphore would let a call with a periodic signal begin at the end each
 * time.)
 *
 * Locking: no call waits with a reservation held, or inside of drm_dev_enter().
 */
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>

#include <kunit/visibility.h>

#include "quire_turn.h"

/* So long a turn lasts that its holder could give to the next one: moving is work, too. */
#define QUIRE_TURN_SLICE	(HZ / 10)

/* Calls are made again at once; a number that is kept longer is a stock of privileges. */
#define QUIRE_TICKET_KEPT	(10 * HZ)

/* A thread in the queue, no more in it once it has the turn. */
struct quire_turn_waiter {
	struct list_head link;
	struct quire_ticket place;
	struct completion granted;
};

/**
 * quire_turn_init - nobody has the turn
 * @turn: to initialise; there is nothing to undo
 * @fair: there are turns; else quire_turn_enter() always succeeds
 */
void quire_turn_init(struct quire_turn *turn, bool fair)
{
	*turn = (struct quire_turn) { .fair = fair };
	spin_lock_init(&turn->lock);
	INIT_LIST_HEAD(&turn->queue);
}
EXPORT_SYMBOL_IF_KUNIT(quire_turn_init);

static bool ticket_is_good(struct quire_ticket *ticket)
{
	if (ticket->number && time_after64(get_jiffies_64(), ticket->until))
		*ticket = (struct quire_ticket) { };
	return ticket->number;
}

/* A signal ended a call. An object keeps one place for a while: of two, the better one. */
static void ticket_keep(struct quire_ticket *ticket, u64 number, bool interrupted)
{
	if (!ticket_is_good(ticket) || number < ticket->number)
		ticket->number = number;
	ticket->until = get_jiffies_64() + QUIRE_TICKET_KEPT;
	ticket->interrupted |= interrupted;
}

/* The next one gets the turn as soon as nobody is inside. */
static void turn_grant(struct quire_turn *turn)
{
	struct quire_turn_waiter *waiter;

	lockdep_assert_held(&turn->lock);

	waiter = list_first_entry_or_null(&turn->queue, struct quire_turn_waiter, link);
	if (!waiter || turn->held || turn->users)
		return;
	turn->held = true;
	turn->number = waiter->place.number;
	turn->since = jiffies;
	list_del_init(&waiter->link);
	complete(&waiter->granted);
}

/**
 * quire_turn_enter - take room side by side with others, if nobody waits for a turn
 * @turn: of the device
 * @ticket: of the object; NULL for who never has one
 * Returns: true, then quire_turn_exit() is to follow; false if somebody has the turn or waits for
 * it, or the object has a place in the queue.
 */
bool quire_turn_enter(struct quire_turn *turn, struct quire_ticket *ticket)
{
	if (!turn->fair)
		return true;

	scoped_guard(spinlock, &turn->lock) {
		if (turn->held || !list_empty(&turn->queue) || (ticket && ticket_is_good(ticket)))
			return false;
		turn->users++;
	}
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(quire_turn_enter);

/**
 * quire_turn_exit - end what quire_turn_enter() began
 * @turn: of the device
 * @ticket: as there
 * @interrupted: a signal ended the attempt; the object gets a place in the queue
 */
void quire_turn_exit(struct quire_turn *turn, struct quire_ticket *ticket, bool interrupted)
{
	if (!turn->fair)
		return;

	spin_lock(&turn->lock);
	if (ticket && interrupted)
		ticket_keep(ticket, ++turn->last, true);
	turn->users--;
	turn_grant(turn);
	spin_unlock(&turn->lock);
}
EXPORT_SYMBOL_IF_KUNIT(quire_turn_exit);

static void turn_queue(struct quire_turn *turn, struct quire_turn_waiter *waiter,
		       struct quire_ticket *ticket)
{
	struct quire_turn_waiter *before;

	might_sleep();

	init_completion(&waiter->granted);
	spin_lock(&turn->lock);
	if (!ticket_is_good(ticket))
		ticket->number = ++turn->last;
	waiter->place = *ticket;
	/* Of several calls with one place some could wait there while others have the turn. */
	*ticket = (struct quire_ticket) { };
	list_for_each_entry_reverse(before, &turn->queue, link)
		if (before->place.number <= waiter->place.number)
			break;
	list_add(&waiter->link, &before->link);
	turn_grant(turn);
	spin_unlock(&turn->lock);
}

/* Returns false if it got the turn meanwhile. */
static bool turn_leave_queue(struct quire_turn *turn, struct quire_turn_waiter *waiter,
			     struct quire_ticket *ticket)
{
	scoped_guard(spinlock, &turn->lock) {
		if (list_empty(&waiter->link))
			return false;
		list_del(&waiter->link);
		ticket_keep(ticket, waiter->place.number, waiter->place.interrupted);
	}
	return true;
}

/**
 * quire_turn_begin - wait for the turn
 * @turn: of the device
 * @ticket: of the object
 * @interruptible: returned if 0 is: signals may end the attempt; false after one did
 *
 * Outside of drm_dev_enter(), with no lock held that those who came before need to end.
 * Returns: 0, then quire_turn_end() is to follow; -ERESTARTSYS, the place in the queue is kept.
 */
int quire_turn_begin(struct quire_turn *turn, struct quire_ticket *ticket, bool *interruptible)
{
	struct quire_turn_waiter waiter;

	turn_queue(turn, &waiter, ticket);
	*interruptible = !waiter.place.interrupted;
	if (wait_for_completion_interruptible(&waiter.granted) &&
	    turn_leave_queue(turn, &waiter, ticket))
		return -ERESTARTSYS;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_turn_begin);

/**
 * quire_turn_is_due - should others have it now?
 * @turn: of the device, got by quire_turn_begin()
 * Returns: true if somebody waits, and the caller has had it for a while.
 */
bool quire_turn_is_due(struct quire_turn *turn)
{
	bool due;

	spin_lock(&turn->lock);
	due = !list_empty(&turn->queue) &&
	      time_after_eq(jiffies, turn->since + QUIRE_TURN_SLICE);
	spin_unlock(&turn->lock);
	return due;
}
EXPORT_SYMBOL_IF_KUNIT(quire_turn_is_due);

/**
 * quire_turn_again - wait for the turn once more, behind all who wait
 * @turn: of the device, ended by quire_turn_end()
 * @ticket: as there, kept if a signal ends the wait; NULL: only one that kills does
 * Returns: 0, then quire_turn_end() is to follow; -ERESTARTSYS.
 */
int quire_turn_again(struct quire_turn *turn, struct quire_ticket *ticket)
{
	struct quire_turn_waiter waiter;
	struct quire_ticket none = { };
	int ret;

	turn_queue(turn, &waiter, &none);
	waiter.place.interrupted = true;
	if (ticket)
		ret = wait_for_completion_interruptible(&waiter.granted);
	else
		ret = wait_for_completion_killable(&waiter.granted);
	if (ret && turn_leave_queue(turn, &waiter, ticket ?: &none))
		return -ERESTARTSYS;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_turn_again);

/**
 * quire_turn_end - let the next one have it
 * @turn: of the device, got by quire_turn_begin()
 * @ticket: as there
 * @interrupted: a signal ended the attempt; the place in the queue is kept
 */
void quire_turn_end(struct quire_turn *turn, struct quire_ticket *ticket, bool interrupted)
{
	spin_lock(&turn->lock);
	WARN_ON_ONCE(!turn->held);
	if (interrupted)
		ticket_keep(ticket, turn->number, true);
	turn->held = false;
	turn_grant(turn);
	spin_unlock(&turn->lock);
}
EXPORT_SYMBOL_IF_KUNIT(quire_turn_end);
