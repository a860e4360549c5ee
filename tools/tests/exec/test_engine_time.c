// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /proc/self/fdinfo says how long the device was at work for each file: no less than it took, no
 * more than has passed, never less than before, and nothing of what others did. It also has what
 * page tables take.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "fdinfo.h"
#include "monitored.h"
#include "space.h"

#define DELAY_MS	60
#define LONG_MS		1200
#define FOR_GOOD_MS	30000
#define LOST_MS		2000	/* a device that hangs in a reset is given up later than that */
#define NR_TRIES	20u
#define MS		1000000ull
#define BASE		0x100000000ull
#define FAR		(1024 * QUIRE_MIB)	/* has tables of its own */
#define MOVED		(8 * QUIRE_MIB)
#define VRAM		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct span - what engines did for a file since span_begin()
 * @fd: the file
 * @paging: engine time, ns
 * @execution: engine time, ns
 * @begin: time of day
 * @passed: ns since then
 */
struct span {
	int fd;
	uint64_t paging;
	uint64_t execution;
	int64_t begin;
	uint64_t passed;
};

static struct span span_begin(int fd)
{
	return (struct span) {
		.fd = fd,
		.begin = quire_now_ns(),
		.paging = fdinfo_statistic(fd, "drm-engine-paging"),
		.execution = fdinfo_statistic(fd, "drm-engine-execution"),
	};
}

static void span_end(struct span *span)
{
	span->paging = fdinfo_statistic(span->fd, "drm-engine-paging") - span->paging;
	span->execution = fdinfo_statistic(span->fd, "drm-engine-execution") - span->execution;
	span->passed = quire_now_ns() - span->begin;
}

/* Of @engines that may all be at work. */
static void expect_within(uint64_t ns, uint64_t least, const struct span *span,
			  uint32_t engines, const char *what)
{
	if (!tap_ok(ns >= least && ns <= engines * span->passed, "%s", what))
		tap_diag("%" PRIu64 " ns, at least %" PRIu64 ", %" PRIu64 " passed", ns, least,
			 span->passed);
}

static void test_keys(const struct work *work)
{
	static const char *const keys[] = { "drm-driver", "drm-client-id", "drm-pdev" };
	const int fd = work->fixture.fd;
	char text[4096] = "";

	tap_ok(fdinfo_read(fd, text, sizeof(text)), "fdinfo can be read");
	for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++)
		tap_ok(fdinfo_find(text, keys[i]), "%s is there", keys[i]);
	tap_ok(fdinfo_statistic(fd, "drm-engine-capacity-execution") ==
	       work->fixture.info.execution_rings, "capacity is the number of rings");
	tap_ok(!strncmp(strchr(fdinfo_find(text, "drm-engine-paging"), ' ') ?: "", " ns\n", 4) &&
	       !strncmp(strchr(fdinfo_find(text, "drm-engine-execution"), ' ') ?: "", " ns\n", 4),
	       "engine times are in ns");
}

static void queue_delay(struct work *work, struct quire_context *context, uint32_t ring,
			unsigned int milliseconds, const struct quire_fence *fence)
{
	quire_recorder_delay(work->recorder, milliseconds * MS);
	if (work_submit(work, context, ring, NULL, fence))
		tap_bail("submit");
}

/* One, and several that follow each other. */
static void test_delays(struct work *work, struct work *other)
{
	struct quire_context *context = work_context(work);
	struct quire_fence *fences[3];

	for (unsigned int count = 1; count <= ARRAY_SIZE(fences); count += 2) {
		struct span ours = span_begin(work->fixture.fd);
		struct span others = span_begin(other->fixture.fd);

		for (unsigned int i = 0; i < count; i++) {
			fences[i] = work_fence(work);
			queue_delay(work, context, 0, DELAY_MS, fences[i]);
		}
		for (unsigned int i = 0; i < count; i++) {
			tap_ret(work_fence_wait(fences[i]), 0, "a delay ends");
			quire_fence_close(fences[i]);
		}
		span_end(&ours);
		span_end(&others);
		expect_within(ours.execution, count * DELAY_MS * MS, &ours, 1,
			      "a ring counts once for what follows each other");
		tap_ok(!others.execution && !others.paging, "nothing counts for another file");
	}
	quire_context_destroy(context);
}

static void test_rings(struct work *work)
{
	const uint32_t rings = work->fixture.info.execution_rings;
	struct quire_context *context = work_context(work);
	struct span span = span_begin(work->fixture.fd);
	struct quire_fence *fences[8];

	for (uint32_t i = 0; i < rings; i++) {
		fences[i] = work_fence(work);
		queue_delay(work, context, i, DELAY_MS, fences[i]);
	}
	for (uint32_t i = 0; i < rings; i++) {
		tap_ret(work_fence_wait(fences[i]), 0, "the delay of ring %u ends", i);
		quire_fence_close(fences[i]);
	}
	span_end(&span);
	expect_within(span.execution, rings * DELAY_MS * MS, &span, rings, "all rings count");
	quire_context_destroy(context);
}

/* A long delay, which begins when the gate is at 1. */
static void begin_at_gate(struct work *work, struct quire_context *context, struct gate *gate,
			  const struct quire_fence *fence)
{
	work_gate_open_apart(work, gate);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	work_wait_at(work, gate, 1);
	queue_delay(work, context, 0, LONG_MS, fence);
}

static void end_at_gate(struct gate *gate)
{
	test_parameter("hang_period", 3000);
	work_gate_close(gate);
}

/* What is at work counts before it has ended, and what is behind it does not. */
static void test_at_work(struct work *work, struct work *other)
{
	struct quire_context *context = work_context(work), *behind = work_context(other);
	struct quire_fence *fence = work_fence(work), *last = work_fence(other);
	struct span ours = span_begin(work->fixture.fd), others;
	uint64_t before = 0, now;
	struct gate gate;
	bool grows = true;

	begin_at_gate(work, context, &gate, fence);
	test_sleep_ms(LONG_MS / 4);
	others = span_begin(other->fixture.fd);
	queue_delay(other, behind, 0, DELAY_MS, last);
	for (unsigned int i = 0; i < 5; i++, before = now) {
		test_sleep_ms(5);
		now = fdinfo_statistic(work->fixture.fd, "drm-engine-execution") - ours.execution;
		grows &= now >= before + 5 * MS;
	}
	tap_ret(quire_fence_wait(fence, 0, 0), -ETIME, "it is at work yet");
	span_end(&others);
	work_gate_raise(&gate, 1);
	tap_ok(grows, "it grows meanwhile");
	tap_ok(!others.execution, "what waits behind it does not");
	tap_ret(work_fence_wait(fence) ?: work_fence_wait(last), 0, "both end");
	span_end(&ours);
	end_at_gate(&gate);
	expect_within(ours.execution, LONG_MS * MS, &ours, 1, "all of it counts");
	quire_fence_close(fence);
	quire_fence_close(last);
	quire_context_destroy(behind);
	quire_context_destroy(context);
}

#define FILLS	64u
#define MOMENTS	512u

/* How long FILLS take, beside @moments of a nanosecond for which another ring waits. */
static uint64_t fill_ns(struct work *work, struct quire_context *context,
			struct quire_object *object, unsigned int moments)
{
	struct quire_fence *filled = work_fence(work), *waited = work_fence(work);
	int64_t begin = quire_now_ns(), end;

	for (unsigned int i = 0; i < FILLS; i++)
		quire_recorder_fill(work->recorder, quire_at(object, 0), quire_object_size(object),
				    i);
	if (work_submit(work, context, 0, NULL, filled))
		tap_bail("submit");
	for (unsigned int i = 0; i < moments; i++)
		quire_recorder_delay(work->recorder, 1);
	quire_recorder_nop(work->recorder, 8);
	if (work_submit(work, context, 1, NULL, waited) || work_fence_wait(filled))
		tap_bail("fill");
	end = quire_now_ns();
	if (work_fence_wait(waited))
		tap_bail("wait");
	quire_fence_close(filled);
	quire_fence_close(waited);
	return end - begin;
}

/*
 * What a ring does is not done sooner because another one waits: in virtual time the end of each
 * wait is no reason to take up the next work early. In real time a machine may be slow just when
 * the ring is alone, so that this is tried again.
 */
static void test_not_sooner(struct work *work)
{
	struct quire_context *context;
	struct quire_object *object;
	uint64_t alone, beside;

	if (work->fixture.info.execution_rings == 1) {
		tap_skip("there is one ring", "fills beside waits");
		return;
	}
	context = work_context(work);
	object = work_object(work, MOVED);
	for (unsigned int i = 0; i < 10; i++) {
		alone = fill_ns(work, context, object, 0);
		beside = fill_ns(work, context, object, MOMENTS);
		if (beside >= alone / 2)
			break;
	}
	if (!tap_ok(beside >= alone / 2, "fills take as long beside waits as alone"))
		tap_diag("%" PRIu64 " ns, alone %" PRIu64, beside, alone);
	quire_object_close(object);
	quire_context_destroy(context);
}

static void test_idle(struct work *work)
{
	struct span span = span_begin(work->fixture.fd);

	test_sleep_ms(DELAY_MS);
	span_end(&span);
	tap_ok(!span.paging && !span.execution, "nothing counts while nothing is done");
}

static void test_moves(struct work *work, struct work *other)
{
	struct span ours = span_begin(work->fixture.fd), others = span_begin(other->fixture.fd);
	struct object object;
	uint64_t before = 0;

	if (!(work->fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("the CPU copies", "moves");
		return;
	}
	tap_ret(object_create(&work->fixture, &object, MOVED, 1), 0, "an object");
	for (unsigned int i = 0; i < 4; i++) {
		struct span now = ours;

		tap_ret(object_place_and_wait(&work->fixture, &object,
					      i % 2 ? &system_memory : &vram), 0, "it moves");
		span_end(&now);
		tap_ok(now.paging > before, "that takes the paging engine some time");
		before = now.paging;
	}
	span_end(&ours);
	span_end(&others);
	expect_within(ours.paging, 1, &ours, 1, "less than has passed");
	tap_ok(!ours.execution, "no execution ring was at work");
	tap_ok(!others.paging, "nor anything for another file");
	object_close(&work->fixture, &object);
}

/* Four times as many as the driver's hash of tasks has buckets. */
#define WAITERS	256u

/* Many others are in a call of another file meanwhile. */
static void test_waiters(struct work *work, struct work *other)
{
	struct monitored fence;
	pid_t pids[WAITERS];
	bool right = true;

	monitored_open(&fence, other->fixture.fd, 0);
	for (unsigned int i = 0; i < WAITERS; i++)
		pids[i] = monitored_start_waiter(&fence, 1);
	test_moves(work, other);
	tap_ret(monitored_signal(&fence, 1), 0, "signal");
	for (unsigned int i = 0; i < WAITERS; i++)
		right &= !child_status(pids[i]);
	tap_ok(right, "%u have waited for it", WAITERS);
	monitored_close(&fence);
}

/* Who needs room pays for what leaves. */
static void test_eviction(struct work *work, struct work *other)
{
	const uint64_t size = fixture_vram(&work->fixture) / 2 + QUIRE_MIB;
	struct object victim, object;
	struct span ours, others;

	if (!(work->fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("the CPU copies", "eviction");
		return;
	}
	tap_ret(object_create(&other->fixture, &victim, size, 1), 0, "half of VRAM");
	tap_ret(object_place_and_wait(&other->fixture, &victim, &vram), 0, "is another file's");
	tap_ret(object_create(&work->fixture, &object, size, 2), 0, "half of VRAM");
	ours = span_begin(work->fixture.fd);
	others = span_begin(other->fixture.fd);
	tap_ret(object_place_and_wait(&work->fixture, &object, &vram), 0, "is needed");
	span_end(&ours);
	span_end(&others);
	tap_ok(object_segment(&other->fixture, &victim) != DRM_QUIRE_SEGMENT_VRAM,
	       "the other one has left");
	tap_ok(ours.paging, "that counts for who needs the room");
	tap_ok(!others.paging, "and not for who has left");
	object_close(&work->fixture, &object);
	object_close(&other->fixture, &victim);
}

/* Binds and tables are paging, and commands with addresses are execution. */
static void test_space(struct work *work, struct work *other)
{
	struct span others = span_begin(other->fixture.fd);
	const int fd = work->fixture.fd;
	struct quire_object *object;
	struct space space;
	struct span span;

	space_open(&space, work);
	object = space_object(&space, QUIRE_MIB, VRAM, false);
	space_map(&space, BASE, object, 0, QUIRE_MIB);
	span = span_begin(fd);
	tap_ret(space_bind(&space, DRM_QUIRE_BIND_MAP_ZERO, 0, BASE + QUIRE_MIB, QUIRE_MIB), 0,
		"bind where there is a table");
	span_end(&span);
	expect_within(span.paging, 1, &span, 1, "a bind counts");
	span = span_begin(fd);
	quire_write_delay(&space.writer, DELAY_MS * MS);
	tap_ret(space_run(&space), 0, "execute a delay");
	span_end(&span);
	expect_within(span.execution, DELAY_MS * MS, &span, 1, "so does the delay");
	quire_object_close(object);
	space_close(&space);
	span_end(&others);
	tap_ok(!others.paging && !others.execution, "nothing of it counts for another file");
}

#define TABLES	20u

static uint64_t total_everywhere(int fd)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < QUIRE_SEGMENTS; i++)
		total += fdinfo_region(fd, "total", i);
	return total;
}

/* Each bind is far from the others, so that at least its table of level 0 is new. */
static void test_tables(struct work *work)
{
	const uint32_t segment = DRM_QUIRE_SEGMENT_VRAM;
	const int fd = work->fixture.fd;
	struct quire_object *object;
	uint64_t before, total;
	struct space space;

	space_open(&space, work);
	object = space_object(&space, QUIRE_PAGE, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE),
			      false);
	before = fdinfo_region(fd, "total", segment);
	tap_ok(before >= 3 * QUIRE_PAGE, "an address space has tables in VRAM");
	for (unsigned int i = 1; i <= TABLES; i++)
		space_map(&space, i * FAR, object, 0, QUIRE_PAGE);
	total = fdinfo_region(fd, "total", segment);
	tap_ok(total >= before + TABLES * QUIRE_PAGE && total <= before + 3 * TABLES * QUIRE_PAGE,
	       "those of %u binds are %" PRIu64 " bytes", TABLES, total - before);
	tap_ok(fdinfo_region(fd, "resident", segment) == total, "all of them resident");
	tap_ok(!fdinfo_region(fd, "purgeable", segment), "none to be dropped");
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0, "evict all");
	tap_ok(!fdinfo_region(fd, "total", segment) && !fdinfo_region(fd, "resident", segment),
	       "given up, they are not in VRAM");
	tap_ok(total_everywhere(fd) == SPACE_COMMANDS_SIZE + SPACE_RESULTS_SIZE + QUIRE_PAGE,
	       "nor anywhere else");
	quire_object_close(object);
	space_close(&space);
	tap_ok(!fdinfo_region(fd, "total", segment), "and gone with the address space");
}

/* It begins anew, and what it had taken before stays counted. */
static void test_reset(struct work *work)
{
	struct quire_context *context = work_context(work);
	const char *address = strrchr(work->fixture.debugfs, '/') + 1;
	struct span span = span_begin(work->fixture.fd), before, after;
	struct quire_fence *fence = work_fence(work);
	struct gate gate;

	begin_at_gate(work, context, &gate, fence);
	test_sleep_ms(LONG_MS / 2);
	before = span;
	span_end(&before);
	tap_ret(sysfs_reset(address), 0, "reset the function");
	after = span;
	span_end(&after);
	tap_ok(before.execution >= LONG_MS / 4 * MS, "it was at work for a while");
	tap_ok(after.execution >= before.execution && after.paging >= before.paging,
	       "nothing is less after a reset");
	expect_within(after.execution, 1, &after, 1, "nor more than has passed");
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(fence), 0, "it ends");
	span_end(&span);
	end_at_gate(&gate);
	expect_within(span.execution, before.execution + LONG_MS * MS, &span, 1,
		      "both times count, once each");
	quire_fence_close(fence);
	quire_context_destroy(context);
}

/*
 * The function is reset, and the device hangs at what gives it its aperture back, for which it has
 * seconds. The hang may come too early or too late; then the driver goes on, and it is tried again.
 */
static bool give_up_late(const struct fixture *fixture)
{
	const char *address = strrchr(fixture->debugfs, '/') + 1;
	struct object object;
	int ret = object_create(fixture, &object, QUIRE_MIB, 1);

	for (unsigned int i = 0; i < NR_TRIES && !ret; i++) {
		pid_t pid;

		ret = object_place_and_wait(fixture, &object, &aperture);
		pid = fixture_start_hanging(fixture, 0);
		ret = ret ?: sysfs_reset(address);
		child_kill(pid);
		ret = ret ?: debugfs_write(fixture->debugfs, "inject", "hang 0") ?:
		      object_place_and_wait(fixture, &object, &vram);
	}
	return ret == -EIO;
}

/* Commands are at work all the time: the seconds in which their ring stood still do not count. */
static void test_given_up(void)
{
	struct quire_context *context;
	struct quire_fence *fence;
	struct fixture fixture;
	struct span span;
	struct work work;

	fixture_open(&fixture);
	work_open(&work);
	context = work_context(&work);
	fence = work_fence(&work);
	span = span_begin(work.fixture.fd);
	queue_delay(&work, context, 0, FOR_GOOD_MS, fence);
	test_sleep_ms(LONG_MS);
	tap_ok(give_up_late(&fixture), "a device that hangs in a reset is given up");
	tap_ret(work_fence_wait(fence), -EIO, "and so are its commands");
	span_end(&span);
	tap_ok(span.execution >= LONG_MS / 2 * MS, "what was executed before counts");
	if (!tap_ok(span.execution + LOST_MS * MS <= span.passed,
		    "the time until the device is given up does not"))
		tap_diag("%" PRIu64 " of %" PRIu64 " ns", span.execution, span.passed);
	quire_fence_close(fence);
	quire_context_destroy(context);
	work_close(&work);
	fixture_rebind(&fixture);
	fixture_test_works(&fixture);
	close(fixture.fd);
}

int main(void)
{
	struct work work, other;

	tap_start(120);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	work_open(&other);
	test_keys(&work);
	test_delays(&work, &other);
	test_rings(&work);
	test_at_work(&work, &other);
	test_not_sooner(&work);
	test_idle(&work);
	test_moves(&work, &other);
	test_waiters(&work, &other);
	test_eviction(&work, &other);
	test_space(&work, &other);
	test_tables(&work);
	test_reset(&work);
	test_idle(&work);
	work_close(&other);
	work_end(&work);
	test_given_up();
	return tap_done();
}
