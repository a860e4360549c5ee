// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Taking turns: who is next, whatever comes in between. */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/sched/signal.h>

#include "../quire_turn.h"

#define WAIT_MS		100000	/* ends only what hangs */
#define LONG_MS		600000	/* no test takes that long */

/* So long somebody may have the turn before others should. */
#define SLICE_MS	100

/* So long a place is kept. */
#define KEPT_MS		10000

/**
 * struct game - one turn, and who wants it
 * @turn: under test
 * @order: turns so far
 */
struct game {
	struct quire_turn turn;
	unsigned int order;
};

/**
 * struct player - one call that waits for its turn
 * @game: where
 * @ticket: of its object
 * @task: its thread
 * @ended: the call is over
 * @ret: what it returned
 * @interruptible: what it was told
 * @order: when it had its turn, from 1
 */
struct player {
	struct game *game;
	struct quire_ticket *ticket;
	struct task_struct *task;
	struct completion ended;
	int ret;
	bool interruptible;
	unsigned int order;
};

static int player_call(void *data)
{
	struct player *player = data;
	struct quire_turn *turn = &player->game->turn;

	allow_signal(SIGINT);
	player->ret = quire_turn_begin(turn, player->ticket, &player->interruptible);
	if (!player->ret) {
		player->order = ++player->game->order;
		quire_turn_end(turn, player->ticket, false);
	}
	complete(&player->ended);
	return 0;
}

static size_t game_waiters(struct game *game)
{
	size_t count;

	spin_lock(&game->turn.lock);
	count = list_count_nodes(&game->turn.queue);
	spin_unlock(&game->turn.lock);
	return count;
}

static void player_queued(struct kunit *test, struct player *player, size_t count)
{
	unsigned long end = jiffies + msecs_to_jiffies(WAIT_MS);

	while (game_waiters(player->game) != count && time_before(jiffies, end))
		fsleep(1000);
	KUNIT_ASSERT_EQ(test, game_waiters(player->game), count);
}

/* Returns when the player is in the queue as the @count-th one. */
static void player_start(struct kunit *test, struct player *player, size_t count)
{
	init_completion(&player->ended);
	player->order = 0;
	player->task = kthread_run(player_call, player, "quire-turn-test");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, player->task);
	player_queued(test, player, count);
}

static void player_end(struct kunit *test, struct player *player)
{
	KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(&player->ended,
							    msecs_to_jiffies(WAIT_MS)));
}

/* Its time begins between @before and now. From here on it is kept for longer than a test takes. */
static void expect_kept(struct kunit *test, struct quire_ticket *ticket, u64 before)
{
	u64 kept = msecs_to_jiffies(KEPT_MS);

	KUNIT_EXPECT_NE(test, ticket->number, 0);
	KUNIT_EXPECT_GE(test, ticket->until, before + kept);
	KUNIT_EXPECT_LE(test, ticket->until, get_jiffies_64() + kept);
	ticket->until += msecs_to_jiffies(LONG_MS);
}

static void player_interrupt(struct kunit *test, struct player *player)
{
	u64 before = get_jiffies_64();

	send_sig(SIGINT, player->task, 1);
	player_end(test, player);
	KUNIT_EXPECT_EQ(test, player->ret, -ERESTARTSYS);
	expect_kept(test, player->ticket, before);
}

/* The test itself has the turn, and @count players have tickets of their own. */
static void game_start(struct kunit *test, struct game *game, struct player *players,
		       struct quire_ticket *tickets, size_t count)
{
	struct quire_ticket ticket = { };
	bool interruptible;
	size_t i;

	*game = (struct game) { };
	quire_turn_init(&game->turn, true);
	for (i = 0; i < count; i++) {
		tickets[i] = (struct quire_ticket) { };
		players[i] = (struct player) { .game = game, .ticket = &tickets[i] };
	}
	KUNIT_ASSERT_EQ(test, quire_turn_begin(&game->turn, &ticket, &interruptible), 0);
	KUNIT_EXPECT_TRUE(test, interruptible);
}

static void game_go(struct game *game)
{
	struct quire_ticket ticket = { };

	quire_turn_end(&game->turn, &ticket, false);
}

static void turn_is_first_come_first_served(struct kunit *test)
{
	struct quire_ticket tickets[4];
	struct player players[4];
	struct game game;
	size_t i;

	game_start(test, &game, players, tickets, ARRAY_SIZE(players));
	for (i = 0; i < ARRAY_SIZE(players); i++)
		player_start(test, &players[i], i + 1);
	game_go(&game);
	for (i = 0; i < ARRAY_SIZE(players); i++) {
		player_end(test, &players[i]);
		KUNIT_EXPECT_EQ(test, players[i].ret, 0);
		KUNIT_EXPECT_EQ(test, players[i].order, i + 1);
	}
}

static void turn_is_had_alone(struct kunit *test)
{
	struct quire_ticket tickets[1], other = { };
	struct player player;
	struct game game;

	game_start(test, &game, &player, tickets, 1);
	KUNIT_EXPECT_FALSE(test, quire_turn_enter(&game.turn, &other));
	KUNIT_EXPECT_FALSE(test, quire_turn_enter(&game.turn, NULL));
	game_go(&game);

	/* Side by side, and who wants the turn waits for all of them. */
	KUNIT_EXPECT_TRUE(test, quire_turn_enter(&game.turn, &other));
	KUNIT_EXPECT_TRUE(test, quire_turn_enter(&game.turn, NULL));
	player_start(test, &player, 1);
	KUNIT_EXPECT_FALSE(test, quire_turn_enter(&game.turn, NULL));
	quire_turn_exit(&game.turn, &other, false);
	msleep(20);
	KUNIT_EXPECT_EQ(test, game_waiters(&game), 1);
	quire_turn_exit(&game.turn, NULL, false);
	player_end(test, &player);
	KUNIT_EXPECT_EQ(test, player.ret, 0);
	KUNIT_EXPECT_TRUE(test, quire_turn_enter(&game.turn, &other));
	quire_turn_exit(&game.turn, &other, false);
}

static void turn_keeps_the_place_over_signals(struct kunit *test)
{
	struct quire_ticket tickets[2];
	struct player players[2];
	struct game game;
	int i;

	game_start(test, &game, players, tickets, 2);
	player_start(test, &players[0], 1);
	player_start(test, &players[1], 2);
	for (i = 0; i < 3; i++) {
		player_interrupt(test, &players[0]);
		KUNIT_EXPECT_EQ(test, game_waiters(&game), 1);
		player_start(test, &players[0], 2);
	}
	game_go(&game);
	player_end(test, &players[0]);
	player_end(test, &players[1]);
	KUNIT_EXPECT_EQ(test, players[0].order, 1);
	KUNIT_EXPECT_EQ(test, players[1].order, 2);
	/* The wait was interrupted, no attempt was. */
	KUNIT_EXPECT_TRUE(test, players[0].interruptible);
}

/* The place is that of a call, too: others for the same object neither take it nor end it. */
static void turn_serves_calls_for_one_object_in_order(struct kunit *test)
{
	struct quire_ticket tickets[3];
	struct player players[3];
	struct game game;
	int i;

	game_start(test, &game, players, tickets, 3);
	players[1].ticket = &tickets[0];
	for (i = 0; i < 3; i++)
		player_start(test, &players[i], i + 1);
	game_go(&game);
	for (i = 0; i < 3; i++) {
		player_end(test, &players[i]);
		KUNIT_EXPECT_EQ(test, players[i].order, i + 1);
	}
}

static void turn_keeps_the_place_when_another_call_ends(struct kunit *test)
{
	struct quire_ticket tickets[2];
	struct player players[2];
	struct game game;

	game_start(test, &game, players, tickets, 2);
	game_go(&game);
	KUNIT_ASSERT_TRUE(test, quire_turn_enter(&game.turn, &tickets[0]));
	KUNIT_ASSERT_TRUE(test, quire_turn_enter(&game.turn, NULL));
	player_start(test, &players[0], 1);
	player_start(test, &players[1], 2);
	quire_turn_exit(&game.turn, &tickets[0], false);
	player_interrupt(test, &players[0]);
	player_start(test, &players[0], 2);
	quire_turn_exit(&game.turn, NULL, false);
	player_end(test, &players[0]);
	player_end(test, &players[1]);
	KUNIT_EXPECT_EQ(test, players[0].order, 1);
	KUNIT_EXPECT_EQ(test, players[1].order, 2);
}

/* Calls for one object that come and go, some of them with signals, are not always the next. */
static void turn_gives_a_place_to_one_call(struct kunit *test)
{
	struct quire_ticket tickets[4];
	struct player players[4];
	struct game game;
	int i;

	game_start(test, &game, players, tickets, 4);
	players[2].ticket = &tickets[0];
	players[3].ticket = &tickets[0];
	player_start(test, &players[0], 1);
	player_start(test, &players[1], 2);
	player_interrupt(test, &players[0]);
	player_start(test, &players[2], 2);
	player_start(test, &players[3], 3);
	player_start(test, &players[0], 4);
	game_go(&game);
	for (i = 0; i < 4; i++)
		player_end(test, &players[i]);
	/* The first one for the object has the place, and the others new ones. */
	KUNIT_EXPECT_EQ(test, players[2].order, 1);
	KUNIT_EXPECT_EQ(test, players[1].order, 2);
	KUNIT_EXPECT_EQ(test, players[3].order, 3);
	KUNIT_EXPECT_EQ(test, players[0].order, 4);
}

static void turn_keeps_the_better_of_two_places(struct kunit *test)
{
	struct quire_ticket tickets[3];
	struct player players[3];
	struct game game;

	game_start(test, &game, players, tickets, 3);
	players[2].ticket = &tickets[0];
	player_start(test, &players[0], 1);
	player_start(test, &players[1], 2);
	player_start(test, &players[2], 3);
	player_interrupt(test, &players[0]);
	player_interrupt(test, &players[2]);
	player_start(test, &players[0], 2);
	player_start(test, &players[2], 3);
	game_go(&game);
	player_end(test, &players[0]);
	player_end(test, &players[1]);
	player_end(test, &players[2]);
	KUNIT_EXPECT_EQ(test, players[0].order, 1);
	KUNIT_EXPECT_EQ(test, players[1].order, 2);
	KUNIT_EXPECT_EQ(test, players[2].order, 3);
}

static void turn_waits_for_nobody_who_left(struct kunit *test)
{
	struct quire_ticket tickets[2];
	struct player players[2];
	struct game game;

	game_start(test, &game, players, tickets, 2);
	player_start(test, &players[0], 1);
	player_start(test, &players[1], 2);
	player_interrupt(test, &players[0]);
	game_go(&game);
	player_end(test, &players[1]);
	KUNIT_EXPECT_EQ(test, players[1].order, 1);
	KUNIT_EXPECT_TRUE(test, quire_turn_enter(&game.turn, NULL));
	/* It goes on from its place: not side by side. */
	KUNIT_EXPECT_FALSE(test, quire_turn_enter(&game.turn, &tickets[0]));
	quire_turn_exit(&game.turn, NULL, false);
}

static void turn_forgets_a_place_that_is_not_used(struct kunit *test)
{
	struct quire_ticket tickets[2];
	struct player players[2];
	struct game game;

	game_start(test, &game, players, tickets, 2);
	player_start(test, &players[0], 1);
	player_start(test, &players[1], 2);
	/* Who waits with it has it; the time begins when nobody does any more. */
	KUNIT_EXPECT_EQ(test, tickets[0].number, 0);
	player_interrupt(test, &players[0]);
	tickets[0].until = get_jiffies_64() - 1;
	player_start(test, &players[0], 2);
	game_go(&game);
	player_end(test, &players[0]);
	player_end(test, &players[1]);
	KUNIT_EXPECT_EQ(test, players[1].order, 1);
	KUNIT_EXPECT_EQ(test, players[0].order, 2);
}

static void turn_goes_on_to_the_end_after_an_interruption(struct kunit *test)
{
	struct quire_ticket ticket = { };
	u64 before = get_jiffies_64();
	struct quire_turn turn;
	bool interruptible;

	quire_turn_init(&turn, true);
	KUNIT_ASSERT_TRUE(test, quire_turn_enter(&turn, &ticket));
	quire_turn_exit(&turn, &ticket, true);
	expect_kept(test, &ticket, before);
	KUNIT_EXPECT_FALSE(test, quire_turn_enter(&turn, &ticket));
	KUNIT_ASSERT_EQ(test, quire_turn_begin(&turn, &ticket, &interruptible), 0);
	KUNIT_EXPECT_FALSE(test, interruptible);
	before = get_jiffies_64();
	quire_turn_end(&turn, &ticket, true);
	expect_kept(test, &ticket, before);
	KUNIT_ASSERT_EQ(test, quire_turn_begin(&turn, &ticket, &interruptible), 0);
	KUNIT_EXPECT_FALSE(test, interruptible);
	quire_turn_end(&turn, &ticket, false);
	KUNIT_ASSERT_TRUE(test, quire_turn_enter(&turn, &ticket));
	quire_turn_exit(&turn, &ticket, false);
}

static void turn_forgets_an_interruption_with_the_place(struct kunit *test)
{
	struct quire_ticket ticket = { };
	struct quire_turn turn;
	bool interruptible;

	quire_turn_init(&turn, true);
	KUNIT_ASSERT_TRUE(test, quire_turn_enter(&turn, &ticket));
	quire_turn_exit(&turn, &ticket, true);
	ticket.until = get_jiffies_64() - 1;
	KUNIT_ASSERT_EQ(test, quire_turn_begin(&turn, &ticket, &interruptible), 0);
	KUNIT_EXPECT_TRUE(test, interruptible);
	quire_turn_end(&turn, &ticket, false);
}

/* Who asks for the turn all the same has it at once, and holds up nobody. */
static void turn_is_nothing_when_unfair(struct kunit *test)
{
	struct quire_ticket tickets[1], ticket = { };
	struct player player;
	struct game game;

	game_start(test, &game, &player, tickets, 1);
	game_go(&game);
	quire_turn_init(&game.turn, false);
	KUNIT_EXPECT_TRUE(test, quire_turn_enter(&game.turn, &ticket));
	quire_turn_exit(&game.turn, &ticket, true);
	KUNIT_EXPECT_TRUE(test, quire_turn_enter(&game.turn, &ticket));
	player_start(test, &player, 0);
	player_end(test, &player);
	KUNIT_EXPECT_EQ(test, player.order, 1);
	quire_turn_exit(&game.turn, &ticket, true);
	KUNIT_EXPECT_TRUE(test, quire_turn_enter(&game.turn, &ticket));
}

static void turn_is_had_again_behind_all_who_wait(struct kunit *test)
{
	struct quire_ticket tickets[3];
	struct player players[3];
	unsigned long since;
	struct game game;
	size_t i;

	game_start(test, &game, players, tickets, ARRAY_SIZE(players));
	/* nobody wants it */
	game.turn.since = jiffies - msecs_to_jiffies(SLICE_MS);
	KUNIT_EXPECT_FALSE(test, quire_turn_is_due(&game.turn));
	game_go(&game);
	KUNIT_EXPECT_EQ(test, quire_turn_again(&game.turn, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(players) - 1; i++)
		player_start(test, &players[i], i + 1);
	/* just begun, or not */
	game.turn.since = jiffies + msecs_to_jiffies(LONG_MS);
	KUNIT_EXPECT_FALSE(test, quire_turn_is_due(&game.turn));
	game.turn.since = jiffies - msecs_to_jiffies(SLICE_MS);
	KUNIT_EXPECT_TRUE(test, quire_turn_is_due(&game.turn));
	since = game.turn.since;
	game_go(&game);
	KUNIT_EXPECT_EQ(test, quire_turn_again(&game.turn, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(players) - 1; i++) {
		player_end(test, &players[i]);
		KUNIT_EXPECT_EQ(test, players[i].order, i + 1);
	}

	/* the slice begins anew, and who comes later waits */
	KUNIT_EXPECT_TRUE(test, time_after(game.turn.since, since));
	player_start(test, &players[2], 1);
	KUNIT_EXPECT_FALSE(test, quire_turn_enter(&game.turn, NULL));
	game_go(&game);
	player_end(test, &players[2]);
	KUNIT_EXPECT_EQ(test, players[2].order, 3);
}

static int player_wait_again(void *data)
{
	struct player *player = data;

	allow_signal(SIGINT);
	allow_signal(SIGKILL);
	player->ret = quire_turn_again(&player->game->turn, player->ticket);
	complete(&player->ended);
	return 0;
}

/* Returns when the player, who had the turn before, is in the queue as the @count-th one. */
static void player_start_again(struct kunit *test, struct player *player, size_t count)
{
	init_completion(&player->ended);
	player->task = kthread_run(player_wait_again, player, "quire-turn-test");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, player->task);
	player_queued(test, player, count);
}

static void turn_is_not_had_again_by_who_is_killed(struct kunit *test)
{
	struct quire_ticket tickets[2];
	struct player players[2];
	struct game game;

	game_start(test, &game, players, tickets, 2);
	players[0].ticket = NULL;
	player_start_again(test, &players[0], 1);
	send_sig(SIGKILL, players[0].task, 1);
	player_end(test, &players[0]);
	KUNIT_EXPECT_EQ(test, players[0].ret, -ERESTARTSYS);

	/* nobody holds it up */
	player_start(test, &players[1], 1);
	game_go(&game);
	player_end(test, &players[1]);
	KUNIT_EXPECT_EQ(test, players[1].ret, 0);
}

/* It is past the point where it could begin anew. */
static void turn_is_had_again_whatever_signal_comes(struct kunit *test)
{
	struct quire_ticket tickets[1];
	struct player players[1];
	struct game game;

	game_start(test, &game, players, tickets, 1);
	players[0].ticket = NULL;
	player_start_again(test, &players[0], 1);
	send_sig(SIGINT, players[0].task, 1);
	KUNIT_EXPECT_FALSE(test, wait_for_completion_timeout(&players[0].ended,
							     msecs_to_jiffies(SLICE_MS)));
	game_go(&game);
	player_end(test, &players[0]);
	KUNIT_EXPECT_EQ(test, players[0].ret, 0);
}

/* It can: its place is kept, and the next attempt goes on to its end. */
static void turn_keeps_the_place_of_who_waits_again(struct kunit *test)
{
	struct quire_ticket tickets[3];
	struct player players[3];
	struct game game;

	game_start(test, &game, players, tickets, 3);
	player_start(test, &players[0], 1);
	player_start_again(test, &players[1], 2);
	player_interrupt(test, &players[1]);
	player_start(test, &players[2], 2);
	player_start(test, &players[1], 3);
	game_go(&game);
	player_end(test, &players[2]);
	KUNIT_EXPECT_EQ(test, players[0].order, 1);
	KUNIT_EXPECT_EQ(test, players[1].order, 2);
	KUNIT_EXPECT_EQ(test, players[2].order, 3);
	KUNIT_EXPECT_FALSE(test, players[1].interruptible);
	KUNIT_EXPECT_TRUE(test, players[2].interruptible);
}

static struct kunit_case quire_turn_cases[] = {
	KUNIT_CASE(turn_is_first_come_first_served),
	KUNIT_CASE(turn_is_had_alone),
	KUNIT_CASE(turn_keeps_the_place_over_signals),
	KUNIT_CASE(turn_serves_calls_for_one_object_in_order),
	KUNIT_CASE(turn_keeps_the_place_when_another_call_ends),
	KUNIT_CASE(turn_gives_a_place_to_one_call),
	KUNIT_CASE(turn_keeps_the_better_of_two_places),
	KUNIT_CASE(turn_waits_for_nobody_who_left),
	KUNIT_CASE(turn_forgets_a_place_that_is_not_used),
	KUNIT_CASE(turn_goes_on_to_the_end_after_an_interruption),
	KUNIT_CASE(turn_forgets_an_interruption_with_the_place),
	KUNIT_CASE(turn_is_nothing_when_unfair),
	KUNIT_CASE(turn_is_had_again_behind_all_who_wait),
	KUNIT_CASE(turn_is_not_had_again_by_who_is_killed),
	KUNIT_CASE(turn_is_had_again_whatever_signal_comes),
	KUNIT_CASE(turn_keeps_the_place_of_who_waits_again),
	{}
};

static struct kunit_suite quire_turn_suite = {
	.name = "quire_turn",
	.test_cases = quire_turn_cases,
};

kunit_test_suite(quire_turn_suite);
