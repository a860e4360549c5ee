// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver's trace events: each paging buffer that is handed over is done once, under its own
 * address, whatever it is for; each move begins and ends. Root only.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitored.h"
#include "space.h"

#define INSTANCE	"/sys/kernel/tracing/instances/quire-test-trace"
#define SIZE		(16 * QUIRE_PAGE)
#define BASE		0x100000000ull
#define NR_BUFFERS	256	/* at most in one of the tests */

/**
 * struct buffers - paging buffers, as the trace shows them
 * @submitted: how many were handed over
 * @pending: addresses of those that are not done
 * @nr_pending: how many
 * @done: how many others are; in the order in which they were handed over
 * @strange: done without having been handed over, handed over empty, or with an error
 */
struct buffers {
	unsigned int submitted;
	uint64_t pending[NR_BUFFERS];
	unsigned int nr_pending;
	unsigned int done;
	unsigned int strange;
};

/**
 * struct moves - of an object, as the trace shows them
 * @size: of it
 * @begun: how many
 * @last: what the last one that began says
 * @ended: how many ended without an error, with the same
 */
struct moves {
	uint64_t size;
	unsigned int begun;
	char last[128];
	unsigned int ended;
};

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static bool trace_begin(void)
{
	int fd;
	bool ok;

	if (mkdir(INSTANCE, 0700))
		return false;
	fd = open(INSTANCE "/events/quire/enable", O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, "1", 1) == 1;
	if (fd >= 0)
		close(fd);
	if (!ok)
		rmdir(INSTANCE);
	return ok;
}

static void see_submit(struct buffers *buffers, const char *text)
{
	unsigned int bytes, records;
	uint64_t address;

	if (sscanf(text, "gpu_address=%" SCNx64 " bytes=%u records=%u", &address, &bytes,
		   &records) != 3 || !address || !bytes || buffers->nr_pending == NR_BUFFERS) {
		buffers->strange++;
		return;
	}
	buffers->submitted++;
	buffers->pending[buffers->nr_pending++] = address;
}

static void see_done(struct buffers *buffers, const char *text)
{
	unsigned int i = 0;
	uint64_t address;
	int error;

	if (sscanf(text, "gpu_address=%" SCNx64 " error=%d", &address, &error) != 2 || error) {
		buffers->strange++;
		return;
	}
	while (i < buffers->nr_pending && buffers->pending[i] != address)
		i++;
	if (i < buffers->nr_pending) {
		buffers->pending[i] = buffers->pending[--buffers->nr_pending];
		buffers->done++;
	} else if (buffers->done) { /* or else of before the trace began */
		buffers->strange++;
	}
}

/* @line: of the trace, which has @event; its text from @field on, or NULL */
static const char *text_of(const char *line, const char *event, const char *field)
{
	const char *text = strstr(line, event);

	return text ? strstr(text, field) : NULL;
}

static void buffers_read(struct buffers *buffers)
{
	FILE *trace = fopen(INSTANCE "/trace", "re");
	char line[512];

	*buffers = (struct buffers){ 0 };
	while (trace && fgets(line, sizeof(line), trace)) {
		const char *text = text_of(line, "quire_paging_buffer_submit: ", "gpu_address=");

		if (text)
			see_submit(buffers, text);
		text = text_of(line, "quire_paging_buffer_done: ", "gpu_address=");
		if (text)
			see_done(buffers, text);
	}
	if (trace)
		fclose(trace);
}

static unsigned int buffers_submitted(void)
{
	struct buffers buffers;

	buffers_read(&buffers);
	return buffers.submitted;
}

/* @before: were handed over before. A worker tells of the end, some time after it. */
static void expect_buffers(unsigned int before, const char *what)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	struct buffers buffers;

	buffers_read(&buffers);
	while (buffers.nr_pending && !buffers.strange && quire_now_ns() < end) {
		test_sleep_ms(10);
		buffers_read(&buffers);
	}
	if (!tap_ok(buffers.submitted > before && !buffers.nr_pending && !buffers.strange,
		    "%s: each buffer is done once", what))
		tap_diag("%u buffers, %u not done, %u strange lines", buffers.submitted,
			 buffers.nr_pending, buffers.strange);
}

static void see_move(struct moves *moves, const char *line)
{
	char size[32], *ret;
	const char *text;

	snprintf(size, sizeof(size), " size=%" PRIu64 " ", moves->size);
	if (!strstr(line, size))
		return;
	text = text_of(line, "quire_bo_move_begin: ", "bo=");
	if (text) {
		snprintf(moves->last, sizeof(moves->last), "%s", text);
		moves->last[strcspn(moves->last, "\n")] = 0;
		moves->begun++;
	}
	text = text_of(line, "quire_bo_move_end: ", "bo=");
	ret = text ? strstr(text, " ret=0") : NULL;
	if (ret && !strncmp(text, moves->last, ret - text) && !moves->last[ret - text])
		moves->ended++;
}

static void moves_read(struct moves *moves, uint64_t size)
{
	FILE *trace = fopen(INSTANCE "/trace", "re");
	char line[512];

	*moves = (struct moves){ .size = size };
	while (trace && fgets(line, sizeof(line), trace))
		see_move(moves, line);
	if (trace)
		fclose(trace);
}

/**
 * struct step - what a move is expected to look like
 * @name: of it
 * @from: place
 * @to: place
 * @evict: does another one want its place?
 * @moves: of the object, before
 * @submitted: paging buffers, before
 */
struct step {
	char name[64];
	const char *from;
	const char *to;
	bool evict;
	struct moves moves;
	unsigned int submitted;
};

static void step_begin(struct step *step, const struct object *object, const char *from,
		       const char *to, bool evict)
{
	*step = (struct step){ .from = from, .to = to, .evict = evict };
	snprintf(step->name, sizeof(step->name), "%s to %s%s", from, to,
		 evict ? ", evicted" : "");
	moves_read(&step->moves, object->size);
	step->submitted = buffers_submitted();
}

static void step_end(const struct step *step)
{
	const uint64_t size = step->moves.size;
	struct moves moves;
	char expected[64];

	expect_buffers(step->submitted, step->name);
	moves_read(&moves, size);
	snprintf(expected, sizeof(expected), " src=%s dst=%s size=%" PRIu64 " evict=%u",
		 step->from, step->to, size, step->evict);
	if (!tap_ok(moves.begun == step->moves.begun + 1 &&
		    moves.ended == step->moves.ended + 1 && strstr(moves.last, expected),
		    "%s is one move, which begins and ends", step->name))
		tap_diag("%u began, %u ended; '%s', not '%s'", moves.begun, moves.ended,
			 moves.last, expected);
}

static void test_place(const struct fixture *fixture, const struct object *object,
		       const struct place *from, const struct place *to)
{
	struct step step;

	step_begin(&step, object, from->name, to->name, false);
	tap_ret(object_place_and_wait(fixture, object, to), 0, "%s", step.name);
	step_end(&step);
}

/* No other object has its size. */
static void test_moves(const struct fixture *fixture)
{
	struct object object;
	struct step step;

	tap_ret(object_create(fixture, &object, 123 * QUIRE_PAGE, 1), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &object, &system_memory), 0, "in system memory");
	test_place(fixture, &object, &system_memory, &vram);
	test_place(fixture, &object, &vram, &aperture);
	test_place(fixture, &object, &aperture, &vram);
	test_place(fixture, &object, &vram, &system_memory);
	test_place(fixture, &object, &system_memory, &aperture);
	test_place(fixture, &object, &aperture, &system_memory);
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "once more there");
	step_begin(&step, &object, "aperture", "system", true);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict it");
	step_end(&step);
	object_close(fixture, &object);
}

static void test_binds(struct work *work)
{
	struct quire_object *object = work_object(work, SIZE);
	unsigned int before;
	struct space space;

	space_open(&space, work);
	before = buffers_submitted();
	space_map(&space, BASE, object, 0, SIZE);
	expect_buffers(before, "a bind");
	space_close(&space);
	quire_object_close(object);
}

static void test_signals(const struct work *work)
{
	unsigned int before = buffers_submitted();
	struct monitored fence;

	monitored_open(&fence, work->fixture.fd, 0);
	tap_ret(monitored_signal(&fence, 5) ?: monitored_wait(&fence, 5, WAIT_MS), 0,
		"a monitored fence is signalled");
	expect_buffers(before, "a signal");
	monitored_close(&fence);
}

int main(void)
{
	struct work work;

	tap_start(60);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	if (!trace_begin())
		tap_skip_all("no trace of the driver");
	test_moves(&work.fixture);
	test_binds(&work);
	test_signals(&work);
	rmdir(INSTANCE);
	work_end(&work);
	return tap_done();
}
