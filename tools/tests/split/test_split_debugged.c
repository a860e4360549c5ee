// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A debugger wants what all parts of a submission need, where only the device sees it: he waits,
 * as long as others are waited for, and then he takes it.
 */
#include <unistd.h>

#include "child.h"
#include "gated.h"
#include "peek.h"
#include "vgem.h"

#define PROMPT_MS	10000	/* well below the 15 s that others are waited for */
#define MOMENT_MS	500
#define MIDDLE_MS	8000	/* the debugger begins so much earlier than the submission */

/**
 * struct debugger - who reads what a part has written to the canvas
 * @gated: whose canvas
 * @part: number, which it wrote
 * @thread: of his
 * @ret: 0, or what was wrong
 * @done: he has read it
 */
struct debugger {
	struct gated gated;
	uint64_t part;
	atomic_int thread;
	int ret;
	atomic_bool done;
};

static void *debug(void *data)
{
	struct debugger *debugger = data;
	uint64_t *numbers = gated_map(debugger->gated.canvas), number;

	debugger->thread = gettid();
	debugger->ret = peek(getpid(), &numbers[debugger->part], &number);
	if (!debugger->ret && number != debugger->part)
		debugger->ret = -EILSEQ;
	debugger->done = true;
	return NULL;
}

/* Half of VRAM is the canvas, one of the others fits beside it. */
static pthread_t submit(struct gated *gated)
{
	pthread_t submitting;

	gated_open(gated, 4, 3);
	gated_record(gated);
	submitting = gated_start(gated_submit, gated);
	tap_ok(gated_settles(gated->large[0], true) && gated_settles(gated->canvas, true),
	       "two objects are in VRAM");
	return submitting;
}

static void test_waits(void)
{
	struct debugger debugger = { .part = GATED_PARTS };
	struct gated *gated = &debugger.gated;
	pthread_t submitting = submit(gated), debugging;

	debugging = gated_start(debug, &debugger);
	tap_ok(!gated_comes_true(&debugger.done, MOMENT_MS), "a debugger waits");
	gated_raise_to(gated, 1);
	tap_ok(gated_settles(gated->large[0], false), "the next part is made");
	tap_ok(quire_object_class(gated->canvas) == DRM_QUIRE_SEGMENT_VRAM,
	       "what all parts need stays");
	gated_expect_done(gated, submitting);
	pthread_join(debugging, NULL);
	tap_ret(debugger.ret, 0, "the debugger sees what they wrote");
	gated_close(gated);
}

static void test_killed(void)
{
	struct gated gated;
	pthread_t submitting = submit(&gated);
	void *address = gated_map(gated.canvas);
	uint64_t number;
	int64_t begin;
	pid_t pid;

	pid = child_start(WAIT_MS / 1000);
	if (!pid)
		_exit(!!peek(getppid(), address, &number));
	tap_ok(child_gets_within(pid, "quire_bo_wait_planned_killable", WAIT_MS),
	       "another process waits for what it reads");
	begin = quire_now_ns();
	child_kill(pid);
	tap_ok(quire_now_ns() - begin < PROMPT_MS * 1000000ll, "it can be killed");
	tap_ok(quire_object_class(gated.canvas) == DRM_QUIRE_SEGMENT_VRAM, "it took nothing");
	gated_expect_done(&gated, submitting);
	gated_close(&gated);
}

/* While the submission waits for an object that somebody else works with. */
static void test_gives_up(void)
{
	struct debugger debugger = { .part = 1 };
	struct gated *gated = &debugger.gated;
	pthread_t submitting, debugging, working;
	struct busy busy = { .vgem = vgem_open() };

	if (busy.vgem < 0) {
		tap_skip("no vgem here", "a debugger gives up");
		return;
	}
	submitting = submit(gated);
	tap_ok(gated_gets_within(gated, "quire_submit_evict"), "a part is queued, one has to go");
	busy.fd = gated->work.fixture.fd;
	busy.handle = quire_object_handle(gated->large[1]);
	working = gated_start(gated_keep_busy, &busy);
	tap_ok(gated_comes_true(&busy.begun, WAIT_MS), "somebody is at work with the next object");
	/* It holds mmap_lock: no thread can be started meanwhile. */
	debugging = gated_start(debug, &debugger);
	tap_ok(gated_thread_gets_within(&debugger.thread, "quire_bo_wait_planned_killable"),
	       "a debugger waits");
	test_sleep_ms(MIDDLE_MS);
	gated_raise_to(gated, 1);
	tap_ok(gated_settles(gated->large[0], false), "which is wanted");
	tap_ok(!gated_comes_true(&debugger.done, MOMENT_MS), "the debugger still waits");
	tap_ok(gated_comes_true(&debugger.done, PROMPT_MS), "but not for ever");
	tap_ret(debugger.ret, 0, "he sees what was written");
	tap_ok(quire_object_class(gated->canvas) != DRM_QUIRE_SEGMENT_VRAM,
	       "and took what all parts need");
	busy.ends = true;
	pthread_join(working, NULL);
	tap_ret(busy.ret, 0, "the next object is to be had");
	pthread_join(debugging, NULL);
	gated_expect_done(gated, submitting);
	gated_close(gated);
	close(busy.vgem);
}

int main(void)
{
	struct fixture fixture;

	tap_start(200);
	fixture_open(&fixture);
	if (getuid() || !*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (fixture_visible(&fixture) == fixture_vram(&fixture))
		tap_skip_all("all of VRAM can be seen");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_waits();
	test_killed();
	test_gives_up();
	test_parameter("hang_period", 3000);
	close(fixture.fd);
	return tap_done();
}
