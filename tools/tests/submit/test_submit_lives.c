// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands are at work, and others wait for them, and a program has more memory used than fits,
 * while the machine sleeps or moves or the device is reset: all of it goes on, and the bytes are
 * those that the CPU computes.
 *
 * Usage: quire-test-submit-lives [COMMAND...]
 *   COMMAND  happens to the guest; else its devices are suspended (pm_test), and the function
 *            is reset
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "failing.h"
#include "power.h"
#include "run.h"
#include "stream.h"
#include "work.h"

/* Not so long that the machine does not wait for them, which it does for 20 seconds. */
#define DELAYS		12
#define DELAY_NS	250000000
#define LONG_NS		4000000000ull
#define ROUNDS		40	/* of commands in a submission that is divided */
#define PAUSE_NS	20000000
#define DIVIDED_MS	1000000	/* ends what hangs */

/**
 * struct divider - a process that divides submissions, one after the other
 * @pid: of it
 * @shared: what it sees, too: it is to end, one is under way, how many were executed, and right
 */
struct divider {
	pid_t pid;
	struct {
		atomic_bool stop;
		atomic_bool submits;
		atomic_uint submissions;
	} *shared;
};

/**
 * struct life - what is at work
 * @work: the device
 * @context: of what is at work on each ring
 * @waiting: of what waits for that
 * @fences: of both of the first, and of the last
 * @steps: how far the commands on the first ring are: they write it
 * @last: written when all else is done
 */
struct life {
	struct work work;
	struct quire_context *context;
	struct quire_context *waiting;
	struct quire_fence *fences[3];
	struct gate steps;
	struct quire_object *last;
};

/* One command that lasts. */
static void record_long(struct life *life)
{
	quire_recorder_delay(life->work.recorder, LONG_NS);
	quire_recorder_write_value(life->work.recorder, quire_at(life->last, 8), 2);
}

static void record_steps(struct life *life)
{
	for (unsigned int i = 0; i < DELAYS; i++) {
		quire_recorder_write_value(life->work.recorder, quire_at(life->steps.object, 0),
					   i + 1);
		quire_recorder_delay(life->work.recorder, DELAY_NS);
	}
}

static void queue(struct life *life, struct quire_context *context, unsigned int number,
		  uint32_t ring, const struct quire_fence *wait)
{
	life->fences[number] = work_fence(&life->work);
	tap_ret(work_submit(&life->work, context, ring, wait, life->fences[number]), 0,
		"commands for ring %u", ring);
}

static void begin(struct life *life)
{
	const uint32_t other = life->work.fixture.info.execution_rings - 1;
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	life->context = work_context(&life->work);
	life->waiting = work_context(&life->work);
	life->last = work_object(&life->work, QUIRE_PAGE);
	work_gate_open(&life->work, &life->steps);
	/* behind what is divided, which has that ring and makes no room */
	record_long(life);
	queue(life, life->context, 1, other, NULL);
	record_steps(life);
	queue(life, life->context, 0, 0, NULL);
	quire_recorder_write_value(life->work.recorder, quire_at(life->last, 0), 1);
	queue(life, life->waiting, 2, 0, life->fences[1]);
	while (!work_gate_number(&life->steps) && quire_now_ns() < end)
		test_sleep_ms(1);
	tap_ok(work_gate_number(&life->steps), "commands are at work");
}

static void finish(struct life *life)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(life->fences); i++) {
		tap_ret(work_fence_wait(life->fences[i]), 0, "commands have come to their end");
		quire_fence_close(life->fences[i]);
	}
	tap_ok(work_number(life->steps.object, 0) == DELAYS, "all steps were made");
	tap_ok(work_number(life->last, 0) == 1 && work_number(life->last, 8) == 2,
	       "and what comes after them");
	tap_ret(work_context_status(life->context), DRM_QUIRE_CONTEXT_GOOD, "the context is good");
	tap_ret(work_context_status(life->waiting), DRM_QUIRE_CONTEXT_GOOD, "the other one, too");
	quire_object_close(life->last);
	work_gate_close(&life->steps);
	quire_context_destroy(life->context);
	quire_context_destroy(life->waiting);
}

/* What can be executed twice: it goes on whatever happens to the device. */
static void record_two(struct stream *stream, struct mirror *from, struct mirror *to)
{
	struct mirror *result = &stream->mirrors[stream->nr - 1];

	mirror_fill(&stream->gpu, span(from, 0), QUIRE_PAGE, random_next(&stream->random));
	mirror_copy(&stream->gpu, span(from, 0), span(to, QUIRE_PAGE), 2 * QUIRE_PAGE);
	quire_recorder_delay(stream->gpu.recorder, PAUSE_NS);
	mirror_checksum(&stream->gpu, span(to, 0), 4 * QUIRE_PAGE, span(result, 0));
}

static int run_divided(const struct divider *divider, struct stream *stream)
{
	unsigned int objects = stream->nr - 1;
	int ret;

	for (unsigned int i = 0; i < ROUNDS; i++)
		record_two(stream, &stream->mirrors[i % objects],
			   &stream->mirrors[(i + objects / 2) % objects]);
	atomic_store(&divider->shared->submits, true);
	ret = gpu_run(&stream->gpu);
	atomic_store(&divider->shared->submits, false);
	if (!ret && stream->gpu.result.parts < 2)
		ret = -ERANGE;
	return ret ? ret : stream_is_right(stream) ? 0 : -EILSEQ;
}

/* Nothing is behind its mappings any more. */
static void on_sigbus(int number)
{
	(void)number;
	_exit(ENODEV);
}

static void divide(const struct divider *divider, const struct fixture *fixture)
{
	const uint64_t vram = fixture_vram(fixture);
	struct stream stream;
	int ret = stream_open(&stream, vram + vram / 4, vram / 16, 7);

	signal(SIGBUS, on_sigbus);
	stream.gpu.ring = fixture->info.execution_rings - 1;
	while (!ret && !atomic_load(&divider->shared->stop)) {
		ret = run_divided(divider, &stream);
		atomic_fetch_add(&divider->shared->submissions, !ret);
	}
	_exit(-ret);
}

static void divider_start(struct divider *divider, const struct fixture *fixture)
{
	divider->shared = mmap(NULL, sizeof(*divider->shared), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (divider->shared == MAP_FAILED)
		tap_bail("mmap");
	divider->pid = child_start(240);
	if (!divider->pid)
		divide(divider, fixture);
}

/* Has it executed @count submissions more? */
static bool divider_goes_on(const struct divider *divider, unsigned int count)
{
	unsigned int enough = atomic_load(&divider->shared->submissions) + count;
	int64_t end = quire_now_ns() + DIVIDED_MS * 1000000ll;

	while (atomic_load(&divider->shared->submissions) < enough &&
	       child_is_running(divider->pid) && quire_now_ns() < end)
		test_sleep_ms(1);
	return atomic_load(&divider->shared->submissions) >= enough;
}

static bool divider_submits(const struct divider *divider)
{
	int64_t end = quire_now_ns() + DIVIDED_MS * 1000000ll;

	while (!atomic_load(&divider->shared->submits) && child_is_running(divider->pid) &&
	       quire_now_ns() < end)
		test_sleep_ms(1);
	return atomic_load(&divider->shared->submits);
}

static void divider_is_at_work(const struct divider *divider)
{
	tap_ok(divider_goes_on(divider, 1), "submissions are executed");
	tap_ok(divider_submits(divider), "one is being divided");
}

static void divider_end(struct divider *divider, int expected, const char *name)
{
	atomic_store(&divider->shared->stop, true);
	tap_ret(-child_status(divider->pid), expected, "%s", name);
	munmap(divider->shared, sizeof(*divider->shared));
}

/**
 * struct event - something that happens to the device
 * @happen: makes it happen, returns 0 if it did
 * @what: for @happen, and for messages
 */
struct event {
	int (*happen)(const char *what);
	const char *what;
};

static int suspend(const char *what)
{
	return power_state(what);
}

static int run_command(const char *what)
{
	char text[1024];

	return run_program(what, text, sizeof(text));
}

static void test_event(struct life *life, const struct divider *divider, const struct event *event)
{
	divider_is_at_work(divider);
	begin(life);
	tap_ret(event->happen(event->what), 0, "it happens: %s", event->what);
	finish(life);
	tap_ok(divider_goes_on(divider, 2), "what is divided goes on");
}

static void test_events(const struct event *events, unsigned int count)
{
	struct divider divider;
	struct life life;

	work_begin(&life.work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	divider_start(&divider, &life.work.fixture);
	for (unsigned int i = 0; i < count; i++)
		test_event(&life, &divider, &events[i]);
	divider_end(&divider, 0, "all that was divided is right");
	test_parameter("hang_period", 3000);
	work_end(&life.work);
}

/* The device is pulled out, and comes back. */
static void test_unplugged(void)
{
	struct divider divider;
	struct fixture fixture;
	char path[128], address[64];

	fixture_open(&fixture);
	tap_ret(sysfs_pci_address(fixture.fd, address, sizeof(address)), 0, "find the device");
	close(fixture.fd);
	divider_start(&divider, &fixture);
	divider_is_at_work(&divider);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", address);
	tap_ok(failing_write(path, "1"), "the device is gone");
	divider_end(&divider, -ENODEV, "so is what was divided");
	tap_ok(failing_write("/sys/bus/pci/rescan", "1"), "it comes back");
	fixture_reopen(&fixture);
	fixture_test_works(&fixture);
	close(fixture.fd);
}

static void test_command(int argc, char **argv)
{
	struct event event = { .happen = run_command };
	char command[256] = "";

	for (int i = 1; i < argc; i++) {
		size_t end = strlen(command);

		snprintf(command + end, sizeof(command) - end, "%s%s", end ? " " : "", argv[i]);
	}
	event.what = command;
	test_events(&event, 1);
}

int main(int argc, char **argv)
{
	char address[64] = "";
	struct fixture fixture;
	const struct event events[] = { { sysfs_reset, address }, { suspend, "mem" } };
	bool sleeps;

	tap_start(280);
	if (argc > 1) {
		test_command(argc, argv);
		return tap_done();
	}
	fixture_open(&fixture);
	if (sysfs_pci_address(fixture.fd, address, sizeof(address)))
		tap_skip_all("the device is not of the PCI");
	close(fixture.fd);
	sleeps = power_begin();
	test_events(events, sleeps ? 2 : 1);
	power_end();
	test_unplugged();
	return tap_done();
}
