// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Taking turns
 *
 * TTM makes room by evicting what it can lock, and says "no room" when others were
 * faster: they took what became free, or held the victims at that moment. Who is small
 * and quick wins each time. So:
 *
 * - Placements run side by side, as TTM does it, between quire_turn_enter() and
 *   quire_turn_exit().
 * - One that found no room waits for its turn, quire_turn_begin(): first come, first
 *   served. It has it alone: who comes later queues up behind, who is still inside is
 *   waited for. What fits finds room then.
 * - Who needs long ends it when others wait, quire_turn_is_due(), and queues up behind them,
 *   quire_turn_again().
 * - CPU faults never wait for a turn, for they hold locks. They enter, too, and take no
 *   room where that is refused.
 * - Who evicts everything has the turn meanwhile: nobody places anything behind it.
 *
 * A signal ends the wait, and an attempt, but not the place in the queue: that is a
 * number in the object, or in the context that submits, good for the call that is restarted
 * or made again soon. An attempt that was interrupted goes on to its end the next time. A
 * number whose owner is not there holds up nobody. One call has it at a time: others with the
 * same one, which come meanwhile, queue up behind all who came before them.
 *
 * A rw_semaphore (trylock for those side by side, write for the turn) would do all this, but for
 * signals: only one that kills ends the wait of its writer, and with waits that any signal ends a
 * call with a periodic signal would come to the end of the queue each time, and never get its turn
 * (quire-test-turns).
 *
 * Locking: nobody waits with a reservation held, or inside of drm_dev_enter(), and so
 * whoever has the turn or is inside can always go on. After drm_dev_unplug() turns are
 * short: each finds out, and ends.
 */
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>

#include <kunit/visibility.h>

#include "quire_turn.h"

/* So long somebody has the turn who could let others have it: moving is work, too. */
#define QUIRE_TURN_SLICE	(HZ / 10)

/* Calls are made again at once; a number that is kept longer is a stock of privileges. */
#define QUIRE_TICKET_KEPT	(10 * HZ)

/**
 * struct quire_turn_waiter - one thread in the queue
 * @link: in &quire_turn.queue; empty once it has the turn
 * @place: what it took from the ticket of its object, or a new one
 * @granted: completed when it has the turn
 */
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

/*
 * The place of the object, if it has one. It is taken away: with one place in the queue for
 * several calls, some of them could wait there while others have the turn, and keep it for ever.
 */
static struct quire_ticket ticket_take(struct quire_turn *turn, struct quire_ticket *ticket)
{
	struct quire_ticket place = { };

	if (ticket_is_good(ticket))
		place = *ticket;
	else
		place.number = ++turn->last;
	*ticket = (struct quire_ticket) { };
	return place;
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
 *
 * Never sleeps.
 *
 * Returns: true, then quire_turn_exit() is to follow; false if somebody has the turn or
 * waits for it, or the object has its place in the queue already.
 */
bool quire_turn_enter(struct quire_turn *turn, struct quire_ticket *ticket)
{
	bool free;

	if (!turn->fair)
		return true;

	spin_lock(&turn->lock);
	free = !turn->held && list_empty(&turn->queue) && !(ticket && ticket_is_good(ticket));
	turn->users += free;
	spin_unlock(&turn->lock);
	return free;
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

static void turn_queue(struct quire_turn *turn, struct quire_turn_waiter *waiter)
{
	struct quire_turn_waiter *before;

	list_for_each_entry_reverse(before, &turn->queue, link)
		if (before->place.number <= waiter->place.number)
			break;
	list_add(&waiter->link, &before->link);
}

/* Returns false if it got the turn meanwhile. */
static bool turn_leave_queue(struct quire_turn *turn, struct quire_turn_waiter *waiter,
			     struct quire_ticket *ticket)
{
	bool waits;

	spin_lock(&turn->lock);
	waits = !list_empty(&waiter->link);
	if (waits) {
		list_del(&waiter->link);
		ticket_keep(ticket, waiter->place.number, waiter->place.interrupted);
	}
	spin_unlock(&turn->lock);
	return waits;
}

/**
 * quire_turn_begin - wait for the turn
 * @turn: of the device
 * @ticket: of the object
 * @interruptible: returned if 0 is: signals may end the attempt; false after one did
 *
 * Waits behind all who came before, outside of drm_dev_enter() and with no lock held that
 * they need to end.
 *
 * Returns: 0, then quire_turn_end() is to follow; -ERESTARTSYS a signal came first, the
 * place in the queue is kept.
 */
int quire_turn_begin(struct quire_turn *turn, struct quire_ticket *ticket, bool *interruptible)
{
	struct quire_turn_waiter waiter;

	might_sleep();

	init_completion(&waiter.granted);
	spin_lock(&turn->lock);
	waiter.place = ticket_take(turn, ticket);
	*interruptible = !waiter.place.interrupted;
	turn_queue(turn, &waiter);
	turn_grant(turn);
	spin_unlock(&turn->lock);

	if (wait_for_completion_interruptible(&waiter.granted) &&
	    turn_leave_queue(turn, &waiter, ticket))
		return -ERESTARTSYS;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_turn_begin);

/**
 * quire_turn_is_due - should others have it now?
 * @turn: of the device, got by quire_turn_begin()
 *
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
 * quire_turn_again - wait for the turn once more
 * @turn: of the device, got by quire_turn_begin() and ended by quire_turn_end()
 * @ticket: as there, if the attempt can begin anew: a signal ends the wait, and the place in the
 *          queue is kept, as of an attempt that a signal has ended. NULL: it is past that point,
 *          and only a signal that kills ends the wait
 *
 * Behind all who wait.
 *
 * Returns: 0, then quire_turn_end() is to follow; -ERESTARTSYS a signal came first.
 */
int quire_turn_again(struct quire_turn *turn, struct quire_ticket *ticket)
{
	struct quire_turn_waiter waiter;
	struct quire_ticket none = { };
	int ret;

	might_sleep();

	init_completion(&waiter.granted);
	spin_lock(&turn->lock);
	waiter.place = ticket_take(turn, &none);
	waiter.place.interrupted = true;
	turn_queue(turn, &waiter);
	turn_grant(turn);
	spin_unlock(&turn->lock);

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
 * @interrupted: a signal ended the attempt; the object keeps its place in the queue
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
