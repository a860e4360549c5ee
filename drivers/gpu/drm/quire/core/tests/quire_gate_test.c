// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A gate: several callers at once, or one alone, and a signal ends each wait. */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>

#include "../quire_gate.h"

#define WAIT_MS		100000	/* ends only what hangs */
#define LOOK_MS		20	/* so long a caller that must wait is watched */

/**
 * struct caller - a thread that comes to a gate, and leaves it when it is told to
 * @gate: under test
 * @alone: it wants to be alone
 * @task: its thread
 * @entered: it is inside, or was not let in
 * @leave: it is told to leave
 * @ended: it has left
 * @ret: what it got when it came
 */
struct caller {
	struct quire_gate *gate;
	bool alone;
	struct task_struct *task;
	struct completion entered;
	struct completion leave;
	struct completion ended;
	int ret;
};

static int caller_run(void *data)
{
	struct caller *caller = data;

	allow_signal(SIGINT);
	caller->ret = caller->alone ? quire_gate_enter_alone(caller->gate) :
				      quire_gate_enter(caller->gate);
	complete(&caller->entered);
	if (!caller->ret) {
		wait_for_completion(&caller->leave);
		if (caller->alone)
			quire_gate_leave_alone(caller->gate);
		else
			quire_gate_leave(caller->gate);
	}
	complete(&caller->ended);
	return 0;
}

static void caller_start(struct kunit *test, struct caller *caller, struct quire_gate *gate,
			 bool alone)
{
	*caller = (struct caller) { .gate = gate, .alone = alone };
	init_completion(&caller->entered);
	init_completion(&caller->leave);
	init_completion(&caller->ended);
	caller->task = kthread_run(caller_run, caller, "quire-gate-test");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, caller->task);
}

static void comes(struct kunit *test, struct completion *what)
{
	KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(what, msecs_to_jiffies(WAIT_MS)));
}

static void caller_enters(struct kunit *test, struct caller *caller)
{
	comes(test, &caller->entered);
	KUNIT_EXPECT_EQ(test, caller->ret, 0);
}

/* It waits: looked at once it has come to the gate, which is when it sleeps. */
static void caller_waits(struct kunit *test, struct caller *caller)
{
	unsigned long end = jiffies + msecs_to_jiffies(WAIT_MS);

	while (READ_ONCE(caller->task->__state) == TASK_RUNNING && time_before(jiffies, end))
		fsleep(1000);
	fsleep(LOOK_MS * 1000);
	KUNIT_EXPECT_FALSE(test, completion_done(&caller->entered));
}

static void caller_leaves(struct kunit *test, struct caller *caller)
{
	complete(&caller->leave);
	comes(test, &caller->ended);
}

static void caller_interrupted(struct kunit *test, struct caller *caller)
{
	send_sig(SIGINT, caller->task, 1);
	comes(test, &caller->ended);
	KUNIT_EXPECT_EQ(test, caller->ret, -ERESTARTSYS);
}

static void gate_together(struct kunit *test)
{
	struct caller callers[3];
	struct quire_gate gate;
	unsigned int i;

	quire_gate_init(&gate);
	for (i = 0; i < ARRAY_SIZE(callers); i++) {
		caller_start(test, &callers[i], &gate, false);
		caller_enters(test, &callers[i]);
	}
	for (i = 0; i < ARRAY_SIZE(callers); i++)
		caller_leaves(test, &callers[i]);
}

/* It comes in behind those that are inside, and before those that come later. */
static void gate_alone(struct kunit *test)
{
	struct caller first[2], alone, later;
	struct quire_gate gate;

	quire_gate_init(&gate);
	caller_start(test, &first[0], &gate, false);
	caller_start(test, &first[1], &gate, false);
	caller_enters(test, &first[0]);
	caller_enters(test, &first[1]);
	caller_start(test, &alone, &gate, true);
	caller_waits(test, &alone);
	caller_leaves(test, &first[0]);
	caller_waits(test, &alone);
	caller_start(test, &later, &gate, false);
	caller_waits(test, &later);
	caller_leaves(test, &first[1]);
	caller_enters(test, &alone);
	caller_waits(test, &later);
	caller_leaves(test, &alone);
	caller_enters(test, &later);
	caller_leaves(test, &later);
}

static void gate_two_alone(struct kunit *test)
{
	struct caller first, second;
	struct quire_gate gate;

	quire_gate_init(&gate);
	caller_start(test, &first, &gate, true);
	caller_enters(test, &first);
	caller_start(test, &second, &gate, true);
	caller_waits(test, &second);
	caller_leaves(test, &first);
	caller_enters(test, &second);
	caller_leaves(test, &second);
}

/* Nothing is left of a caller that was interrupted. */
static void gate_signals(struct kunit *test)
{
	struct caller inside, alone, later;
	struct quire_gate gate;

	quire_gate_init(&gate);
	caller_start(test, &inside, &gate, false);
	caller_enters(test, &inside);
	caller_start(test, &alone, &gate, true);
	caller_waits(test, &alone);
	caller_start(test, &later, &gate, false);
	caller_waits(test, &later);
	caller_interrupted(test, &later);
	caller_interrupted(test, &alone);
	caller_start(test, &later, &gate, false);
	caller_enters(test, &later);
	caller_leaves(test, &later);
	caller_leaves(test, &inside);
	caller_start(test, &alone, &gate, true);
	caller_enters(test, &alone);
	caller_leaves(test, &alone);
}

static struct kunit_case gate_cases[] = {
	KUNIT_CASE(gate_together),
	KUNIT_CASE(gate_alone),
	KUNIT_CASE(gate_two_alone),
	KUNIT_CASE(gate_signals),
	{ }
};

static struct kunit_suite gate_suite = {
	.name = "quire_gate",
	.test_cases = gate_cases,
};

kunit_test_suite(gate_suite);
