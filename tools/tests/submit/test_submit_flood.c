// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A context that queues more than it may, behind work that does not end: it waits for itself, and
 * nobody else waits with it.
 */
#include <signal.h>
#include <unistd.h>

#include "child.h"
#include "work.h"

/* Of a submission; more of them than a context may have on a ring. */
#define LONG_BYTES	65536u
#define NR_LONG		48u

/* More than are on a ring at once; none waits for another one, as each has an object. */
#define NR_SHORT	200u

#define SECONDS		120

/**
 * struct flood - a context with too much to do
 * @work: the device
 * @context: the context
 * @before: what its work on ring 0 waits for
 * @gate: what that waits for, on the last ring
 * @numbers: what its submissions write, each one number
 */
struct flood {
	struct work *work;
	struct quire_context *context;
	struct quire_fence *before;
	struct gate gate;
	struct quire_object *numbers;
};

static void make_long(struct quire_recorder *recorder)
{
	const uint32_t each = 4096, bytes = LONG_BYTES;

	while (quire_recorder_offset(recorder) + each <= bytes)
		quire_recorder_nop(recorder, each);
}

static void record_long(struct flood *flood, uint32_t index, uint64_t number)
{
	struct quire_recorder *recorder = flood->work->recorder;

	quire_recorder_write_value(recorder, quire_at(flood->numbers, 8ull * index), number);
	make_long(recorder);
}

static void expect_long(const struct flood *flood, uint64_t first)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < NR_LONG; i++)
		wrong += work_number(flood->numbers, 8ull * i) != first + i;
	tap_ok(!wrong, "each of %u was executed as it is (%u were not)", NR_LONG, wrong);
}

/* Returns how many were queued, all behind @before if that is not NULL. */
static uint32_t queue_long(struct flood *flood, const struct quire_fence *before, uint64_t first)
{
	uint32_t i;

	for (i = 0; i < NR_LONG; i++) {
		record_long(flood, i, first + i);
		if (work_submit(flood->work, flood->context, 0, before, NULL))
			break;
	}
	return i;
}

static pid_t start_long(struct flood *flood, const struct quire_fence *before, uint64_t first)
{
	pid_t pid = child_start(SECONDS);

	if (!pid)
		_exit(queue_long(flood, before, first) != NR_LONG);
	return pid;
}

static void on_alarm(int signal)
{
	(void)signal;
	_exit(0);
}

/* A child that waits until SIGALRM comes, which has a handler. */
static pid_t start_until_alarm(struct flood *flood)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	pid_t pid = child_start(SECONDS);

	if (pid)
		return pid;
	sigaction(SIGALRM, &action, NULL);
	queue_long(flood, flood->before, 0);
	_exit(1);
}

static bool gets_to_wait(pid_t pid)
{
	return child_gets_within(pid, "quire_command_memory_create", WAIT_MS);
}

/* A number is written by somebody, and not behind the gate. */
static void expect_others_go_on(struct flood *flood)
{
	struct quire_context *other = work_context(flood->work);
	struct quire_object *object = work_object(flood->work, QUIRE_PAGE);

	quire_recorder_write_value(flood->work->recorder, quire_at(object, 0), 5);
	tap_ret(work_submit(flood->work, other, 0, NULL, NULL), 0, "another context is taken");
	tap_ok(work_number(object, 0) == 5, "and executed");
	quire_object_close(object);
	quire_context_destroy(other);
}

/* The same context, on a ring of which it has nothing. */
static void expect_other_ring(struct flood *flood)
{
	pid_t pid = child_start(SECONDS);

	if (!pid) {
		make_long(flood->work->recorder);
		_exit(!!work_submit(flood->work, flood->context,
				    flood->work->fixture.info.execution_rings - 1, NULL, NULL));
	}
	tap_ret(child_status(pid), 0, "it may queue on another ring");
}

static void flood_open(struct flood *flood, struct work *work)
{
	*flood = (struct flood){
		.work = work,
		.context = work_context(work),
		.before = work_fence(work),
		.numbers = work_object(work, QUIRE_PAGE),
	};
	work_gate_open(work, &flood->gate);
}

static void flood_close(struct flood *flood)
{
	work_gate_close(&flood->gate);
	quire_object_close(flood->numbers);
	quire_fence_close(flood->before);
	quire_context_destroy(flood->context);
}

/* What it has queued waits for the last ring, and takes no room on the first one. */
static void test_waits(struct work *work)
{
	struct quire_context *behind = work_context(work);
	struct flood flood;
	pid_t many, more;

	flood_open(&flood, work);
	work_wait_at(work, &flood.gate, 1);
	tap_ret(work_submit(work, behind, work->fixture.info.execution_rings - 1, NULL,
			    flood.before), 0, "work that does not end");
	many = start_long(&flood, flood.before, 1);
	tap_ok(gets_to_wait(many), "who queues too much behind it waits");
	expect_others_go_on(&flood);
	expect_other_ring(&flood);
	more = start_until_alarm(&flood);
	tap_ok(gets_to_wait(more), "one more waits");
	kill(more, SIGALRM);
	tap_ret(child_status(more), 0, "a signal ends the wait");
	more = start_long(&flood, flood.before, 0);
	tap_ok(gets_to_wait(more), "another one waits");
	child_kill(more);
	tap_ok(child_is_running(many), "the first one waits still");

	work_gate_raise(&flood.gate, 1);
	tap_ret(child_status(many), 0, "in the end all of it is taken");
	expect_long(&flood, 1);
	many = start_long(&flood, NULL, 1000);
	tap_ret(child_status(many), 0, "the same again, with nothing before it");
	expect_long(&flood, 1000);
	flood_close(&flood);
	quire_context_destroy(behind);
}

/* The ring is full, and more than that is queued: each has its own commands when it is its turn. */
static void test_full_ring(struct work *work)
{
	struct quire_object *objects[NR_SHORT];
	uint32_t queued = 0, wrong = 0;
	struct flood flood;

	flood_open(&flood, work);
	for (uint32_t i = 0; i < NR_SHORT; i++)
		objects[i] = work_object(work, QUIRE_PAGE);
	work_wait_at(work, &flood.gate, 1);
	tap_ret(work_submit(work, flood.context, 0, NULL, NULL), 0, "work that does not end");
	for (uint32_t i = 0; i < NR_SHORT; i++) {
		quire_recorder_write_value(work->recorder, quire_at(objects[i], 0), 7 + i);
		queued += !work_submit(work, flood.context, 0, NULL, NULL);
	}
	tap_ok(queued == NR_SHORT, "%u submissions behind it", queued);
	work_gate_raise(&flood.gate, 1);
	for (uint32_t i = 0; i < NR_SHORT; i++) {
		wrong += work_number(objects[i], 0) != 7 + i;
		quire_object_close(objects[i]);
	}
	tap_ok(!wrong, "each of %u was executed as it is (%u were not)", NR_SHORT, wrong);
	flood_close(&flood);
}

int main(void)
{
	struct work work;

	tap_start(120);
	work_begin(&work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	if (work.fixture.info.execution_rings < 2)
		tap_skip("a single execution ring", "who queues too much waits");
	else
		test_waits(&work);
	test_full_ring(&work);
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
