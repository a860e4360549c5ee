// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A submission fits, and another caller has the turn to take room. The submission waits for its own
 * turn, and is queued then, as it is without contention: it is not divided, for which it would
 * have to wait for what it comes after. Commands with virtual addresses that find all in place need
 * no turn, and do not wait for the submission, though they go to the same ring.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "gated.h"
#include "space.h"

#define ADDRESS		0x100000000ull

/**
 * struct call - a submission that fits
 * @work: the device, and what is submitted
 * @context: of it
 * @after: what it comes after
 * @thread: that submits
 * @ret: what came of it
 * @done: it has returned
 */
struct call {
	struct work work;
	struct quire_context *context;
	struct quire_fence *after;
	atomic_int thread;
	int ret;
	atomic_bool done;
};

static void *submit(void *data)
{
	struct call *call = data;

	call->thread = gettid();
	call->ret = work_submit(&call->work, call->context, 0, call->after, NULL);
	call->done = true;
	return NULL;
}

static bool gets_within(const struct call *call, const char *function)
{
	while (!call->thread)
		test_sleep_ms(1);
	return child_gets_within(call->thread, function, WAIT_MS);
}

/* Has the turn until the first object that commands will write can go, or for 15 seconds. */
static pid_t evict_all(const struct work *work)
{
	pid_t pid = child_start(WAIT_MS / 1000);

	if (!pid)
		_exit(-debugfs_write(work->fixture.debugfs, "evict_all", "1"));
	tap_ok(child_gets_within(pid, "dma_fence_default_wait", WAIT_MS),
	       "another caller has the turn");
	return pid;
}

/* The commands before wait for the gate: nothing that the address space has bound is evicted. */
static void test_in_place(struct space *space, pid_t evictor)
{
	tap_ret(space_exec(space, NULL, space->fence), 0, "commands are queued");
	tap_ok(child_is_running(evictor), "while the other caller has the turn");
}

static void test_turn(struct call *call)
{
	struct quire_object *first = work_object_in(&call->work, QUIRE_PAGE,
				DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM));
	struct quire_object *target = work_object_in(&call->work, QUIRE_PAGE,
				DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM));
	struct space space;
	struct gate before;
	pthread_t thread;
	pid_t evictor;

	work_gate_open_apart(&call->work, &before);
	work_wait_at(&call->work, &before, 1);
	quire_recorder_write_value(call->work.recorder, quire_at(first, 0), 1);
	tap_ret(work_submit(&call->work, call->context, 1, NULL, call->after), 0, "work");
	space_open(&space, &call->work);
	space_map(&space, ADDRESS, before.object, 0, QUIRE_PAGE);
	quire_write_wait(&space.writer, QUIRE_WAIT_EQUAL, ADDRESS, 1);
	tap_ret(space_exec(&space, NULL, NULL), 0, "commands with virtual addresses");
	quire_write_checksum(&space.writer, ADDRESS, QUIRE_PAGE, SPACE_RESULTS);
	evictor = evict_all(&call->work);
	quire_recorder_write_value(call->work.recorder, quire_at(target, 0), 7);
	thread = gated_start(submit, call);
	tap_ok(gets_within(call, "quire_turn_begin"), "a submission after it waits for its turn");
	test_in_place(&space, evictor);
	tap_ok(child_is_within(call->thread, "quire_turn_begin"), "the submission still waits");
	tap_ret(-child_status(evictor), -EBUSY, "the other caller gives up");
	tap_ok(gated_comes_true(&call->done, WAIT_MS / 10), "the submission is queued");
	tap_ok(!work_gate_number(&before), "before the work is done");
	work_gate_raise(&before, 1);
	pthread_join(thread, NULL);
	tap_ret(call->ret, 0, "it is submitted");
	tap_ok(call->work.result.parts == 1, "in one part");
	tap_ret(quire_object_wait(target, WAIT_MS * 1000000ll), 0, "it is executed");
	tap_ok(work_number(target, 0) == 7, "and has written");
	tap_ret(work_fence_wait(space.fence), 0, "so are the commands");
	quire_object_close(first);
	quire_object_close(target);
	work_gate_close(&before);
	space_close(&space);
}

int main(void)
{
	struct call call = { };

	tap_start(WAIT_MS / 1000);
	work_begin(&call.work);
	if (getuid() || call.work.fixture.info.execution_rings < 2)
		tap_skip_all("not root, or there is one execution ring");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	call.context = work_context(&call.work);
	call.after = work_fence(&call.work);
	test_turn(&call);
	quire_fence_close(call.after);
	quire_context_destroy(call.context);
	test_parameter("hang_period", 3000);
	work_end(&call.work);
	return tap_done();
}
