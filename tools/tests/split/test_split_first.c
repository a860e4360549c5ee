// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A submission in parts has waited for all others before its turn, but somebody begins with what
 * it has to page in for its first part, or to evict: it waits again, and can be interrupted.
 */
#include <signal.h>
#include <unistd.h>

#include "child.h"
#include "gated.h"
#include "splitting.h"
#include "vgem.h"

/**
 * struct second - who wants the turn of another submission
 * @work: the device
 * @context: of the submission
 * @all: half of VRAM, used all the time
 * @first: a quarter, used beside it at first
 * @last: three eighths of VRAM, used beside it at last, so that not all of them fit
 * @met: the one that somebody begins with; it is in VRAM before
 * @thread: that submits
 * @ret: what the submission returned
 * @done: it did
 */
struct second {
	struct work work;
	struct quire_context *context;
	struct quire_object *all;
	struct quire_object *first;
	struct quire_object *last;
	struct quire_object *met;
	atomic_int thread;
	int ret;
	atomic_bool done;
};

static void on_signal(int number)
{
	(void)number;
}

/* libdrm makes the call again. */
static void install_handler(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	if (sigaction(SIGUSR1, &action, NULL))
		tap_bail("sigaction");
}

static struct quire_object *part_of_vram(const struct second *second, unsigned int eighths)
{
	uint64_t size = fixture_vram(&second->work.fixture) / 8 * eighths;

	return work_object(&second->work, size & ~(QUIRE_PAGE - 1));
}

/* @last: it is the one that somebody begins with, not the first */
static void second_open(struct second *second, bool last)
{
	struct quire_recorder *recorder;

	work_open(&second->work);
	second->context = work_context(&second->work);
	second->all = part_of_vram(second, 4);
	second->first = part_of_vram(second, 2);
	second->last = part_of_vram(second, 3);
	second->met = last ? second->last : second->first;
	recorder = second->work.recorder;
	quire_recorder_write_value(recorder, quire_at(second->met, 8), 7);
	tap_ret(work_submit(&second->work, second->context, 1, NULL, NULL), 0, "it is written");
	tap_ret(quire_object_wait(second->met, WAIT_MS * 1000000ll), 0, "by the device");
}

static void second_close(struct second *second)
{
	quire_object_close(second->last);
	quire_object_close(second->first);
	quire_object_close(second->all);
	quire_context_destroy(second->context);
	work_close(&second->work);
}

static void second_record(struct second *second)
{
	struct quire_recorder *recorder = second->work.recorder;

	quire_recorder_bind(recorder, 0, quire_at(second->all, 0), quire_object_size(second->all),
			    true);
	/* Both are needed at once, and so is the room of the last one. */
	quire_recorder_copy(recorder, quire_at(second->all, 16), quire_at(second->first, 16), 8);
	quire_recorder_write_value(recorder, quire_at(second->first, 0), 1);
	quire_recorder_write_value(recorder, quire_at(second->all, 0), 2);
	quire_recorder_write_value(recorder, quire_at(second->last, 0), 3);
	quire_recorder_write_value(recorder, quire_at(second->all, 8), 4);
}

static void *second_submit(void *data)
{
	struct second *second = data;

	second->thread = gettid();
	second->ret = work_submit(&second->work, second->context, 1, NULL, NULL);
	second->done = true;
	return NULL;
}

static bool second_gets_within(const struct second *second, const char *function)
{
	return gated_thread_gets_within(&second->thread, function);
}

static pthread_t second_start(struct second *second)
{
	second_record(second);
	return gated_start(second_submit, second);
}

static void second_expect_done(struct second *second, pthread_t thread)
{
	pthread_join(thread, NULL);
	tap_ret(second->ret, 0, "it is queued");
	tap_ok(second->work.result.parts > 1, "in %u parts", second->work.result.parts);
	tap_ok(work_number(second->first, 0) == 1 && work_number(second->all, 0) == 2 &&
	       work_number(second->last, 0) == 3 && work_number(second->all, 8) == 4,
	       "all of it was executed");
	tap_ok(work_number(second->met, 8) == 7, "what was written before is there");
}

/* @evicts: it needs the room, or else the object; @interrupted: while it waits */
static void test_met(int vgem, bool evicts, bool interrupted)
{
	const char *function = evicts ? "quire_submit_evict" : "quire_submit_page_in";
	struct second second = { };
	struct busy busy = { .vgem = vgem };
	pthread_t submitting, waiting, working;
	struct gated gated;

	gated_open(&gated, 0, evicts ? 0 : 5);
	second_open(&second, evicts);
	gated_record(&gated);
	/* Its objects have to go, but those of nobody else. */
	if (evicts)
		tap_ok(splitting_set("split_max_bytes", QUIRE_PAGE), "a page is all it may use");
	submitting = gated_start(gated_submit, &gated);
	tap_ok(gated_gets_within(&gated, "quire_submit_evict"), "a part is queued, one has to go");
	splitting_usual();
	waiting = second_start(&second);
	tap_ok(second_gets_within(&second, "quire_turn_begin"), "another one waits for its turn");
	busy.fd = second.work.fixture.fd;
	busy.handle = quire_object_handle(second.met);
	working = gated_start(gated_keep_busy, &busy);
	tap_ok(gated_comes_true(&busy.begun, WAIT_MS), "somebody begins with one of its objects");
	gated_raise_to(&gated, UINT64_MAX);
	tap_ok(gated_comes_true(&gated.done, WAIT_MS), "the first one has had its turn");
	/*
	 * It does so for 15 seconds: to look at what the first one did would take too long. Ten
	 * times a second it looks itself, so that it may not be seen asleep for long enough.
	 */
	tap_ok(child_stops_within(second.thread, function, WAIT_MS),
	       "which is in its way, or which it needs");
	if (interrupted) {
		pthread_kill(waiting, SIGUSR1);
		tap_ok(second_gets_within(&second, "quire_submit_wait_before"),
		       "a signal ends that, and it begins anew");
	}
	tap_ok(!second.done, "he is waited for");
	busy.ends = true;
	pthread_join(working, NULL);
	tap_ret(busy.ret, 0, "until he ends");
	second_expect_done(&second, waiting);
	gated_expect_done(&gated, submitting);
	second_close(&second);
	gated_close(&gated);
}

int main(void)
{
	int vgem = vgem_open();
	struct fixture fixture;

	tap_start(150);
	fixture_open(&fixture);
	if (getuid() || !*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (vgem < 0 || fixture.info.execution_rings < 2)
		tap_skip_all("no vgem here, or one execution ring");
	install_handler();
	test_parameter("hang_period", WORK_PATIENCE_MS);
	for (unsigned int i = 0; i < 4; i++)
		test_met(vgem, i & 2, i & 1);
	test_parameter("hang_period", 3000);
	close(fixture.fd);
	close(vgem);
	return tap_done();
}
