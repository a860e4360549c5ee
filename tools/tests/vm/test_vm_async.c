// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Binds that wait: for work, for fences of others, for each other. What a bind waits for is held
 * by the test, at a gate of commands on another ring or with a fence of vgem, so that before
 * and after are certain.
 */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "space.h"
#include "vgem.h"

#define SIZE	(16 * QUIRE_PAGE)
#define BASE	0x100000000ull
#define MAP	DRM_QUIRE_BIND_MAP

static uint8_t first_bytes[SIZE], second_bytes[SIZE];

/**
 * struct stage - two objects, and what holds binds
 * @work: the device
 * @space: where they are bound
 * @first: bound at BASE
 * @second: to be bound
 * @gate: where work waits
 * @number: that it waits for
 * @plain: context of that work
 * @held: its end
 * @fences: of binds
 */
struct stage {
	struct work *work;
	struct space space;
	struct quire_object *first;
	struct quire_object *second;
	struct gate gate;
	uint64_t number;
	struct quire_context *plain;
	struct quire_fence *held;
	struct quire_fence *fences[4];
};

static uint64_t page(unsigned int number)
{
	return BASE + number * QUIRE_PAGE;
}

static void stage_open(struct stage *stage, struct work *work)
{
	*stage = (struct stage){ .work = work };
	space_open(&stage->space, work);
	stage->first = work_object(work, SIZE);
	stage->second = work_object(work, SIZE);
	space_soil(stage->first, 1);
	space_soil(stage->second, 2);
	pattern_fill(first_bytes, SIZE, 1);
	pattern_fill(second_bytes, SIZE, 2);
	space_map(&stage->space, BASE, stage->first, 0, SIZE);
	work_gate_open_apart(work, &stage->gate);
	stage->plain = work_context(work);
	stage->held = work_fence(work);
	for (unsigned int i = 0; i < ARRAY_SIZE(stage->fences); i++)
		stage->fences[i] = work_fence(work);
}

static void stage_close(struct stage *stage)
{
	work_gate_raise(&stage->gate, UINT64_MAX);
	for (unsigned int i = 0; i < ARRAY_SIZE(stage->fences); i++)
		quire_fence_close(stage->fences[i]);
	quire_fence_close(stage->held);
	quire_context_destroy(stage->plain);
	work_gate_close(&stage->gate);
	quire_object_close(stage->first);
	quire_object_close(stage->second);
	space_close(&stage->space);
}

/* Work that does not end before stage_let_go(). */
static void stage_hold(struct stage *stage)
{
	work_wait_at(stage->work, &stage->gate, ++stage->number);
	if (work_submit(stage->work, stage->plain, 1, NULL, stage->held))
		tap_bail("hold");
}

static void stage_let_go(struct stage *stage)
{
	work_gate_raise(&stage->gate, stage->number);
}

static bool leads(struct stage *stage, unsigned int from, unsigned int to, const uint8_t *bytes,
		  unsigned int at)
{
	return space_has(&stage->space, page(from), bytes + at * QUIRE_PAGE,
			 (to - from) * QUIRE_PAGE);
}

/* @count pages of @object, from the first on, at page @at, in @queue. */
static int map_later(struct stage *stage, const struct quire_object *object, unsigned int at,
		     unsigned int count, uint32_t queue, const struct quire_fence *wait,
		     const struct quire_fence *signal)
{
	const struct drm_quire_bind bind = {
		.operation = MAP, .address = page(at), .size = count * QUIRE_PAGE,
		.handle = quire_object_handle(object),
	};

	return space_bind_queued(stage->space.vm, &bind, queue, wait, signal);
}

/* It had the time for it. */
static bool is_pending(const struct quire_fence *fence)
{
	return quire_fence_wait(fence, 0, 100000000) == -ETIME;
}

static void test_signal(struct work *work)
{
	const struct quire_fence_point points[2] = { { NULL, 3 }, { NULL, 7 } };
	struct quire_fence_point after[2];
	struct quire_binding how = { .nr_signals = 2, .signals = after };
	struct drm_quire_bind bind = { .operation = MAP, .address = page(16), .size = SIZE };
	struct stage stage;

	stage_open(&stage, work);
	tap_ret(map_later(&stage, stage.second, 4, 4, 0, NULL, stage.fences[0]), 0,
		"a bind with a binary fence");
	tap_ret(work_fence_wait(stage.fences[0]), 0, "has an end");
	tap_ok(leads(&stage, 0, 4, first_bytes, 0) && leads(&stage, 4, 8, second_bytes, 0) &&
	       leads(&stage, 8, 16, first_bytes, 8), "and leads there");
	memcpy(after, points, sizeof(after));
	after[0].fence = stage.fences[1];
	after[1].fence = stage.fences[2];
	bind.handle = quire_object_handle(stage.second);
	tap_ret(quire_vm_bind(stage.space.vm, &bind, 1, &how, NULL), 0, "one with two timelines");
	tap_ret(quire_fence_wait(stage.fences[1], 3, WAIT_MS * 1000000ll), 0, "one point");
	tap_ret(quire_fence_wait(stage.fences[2], 7, WAIT_MS * 1000000ll), 0, "the other one");
	tap_ok(leads(&stage, 16, 32, second_bytes, 0), "it leads there");
	stage_close(&stage);
}

static void test_wait(struct work *work)
{
	struct stage stage;

	stage_open(&stage, work);
	stage_hold(&stage);
	tap_ret(map_later(&stage, stage.second, 0, 16, 0, stage.held, stage.fences[0]), 0,
		"a bind that waits for work");
	tap_ok(is_pending(stage.fences[0]), "is not done");
	tap_ok(leads(&stage, 0, 16, first_bytes, 0), "commands find what was there");
	quire_write_checksum(&stage.space.writer, BASE, SIZE, SPACE_RESULTS + 64);
	tap_ret(space_exec(&stage.space, stage.fences[0], stage.fences[1]), 0,
		"others wait for it");
	stage_let_go(&stage);
	tap_ret(work_fence_wait(stage.fences[0]), 0, "the work ends, and it does");
	tap_ret(work_fence_wait(stage.fences[1]), 0, "and who waited for it");
	space_rewind(&stage.space);
	tap_ok(stage.space.results[8] == space_hash(&stage.space, BASE, SIZE) &&
	       leads(&stage, 0, 16, second_bytes, 0), "both find what is bound now");
	stage_close(&stage);
}

/* It waits for a point of a timeline, and for a fence of another device. */
static void test_foreign(struct work *work)
{
	struct quire_fence_point before[2], after = { 0 };
	struct quire_binding how = {
		.nr_waits = 2, .waits = before, .nr_signals = 1, .signals = &after, .queue = 3,
	};
	struct drm_quire_bind bind = { .operation = MAP, .address = BASE, .size = SIZE };
	struct quire_fence *foreign;
	int vgem = vgem_open(), file;
	struct stage stage;
	uint32_t number;

	if (vgem < 0) {
		tap_skip("no vgem here", "a bind that waits for another device");
		return;
	}
	stage_open(&stage, work);
	file = vgem_create_fence(vgem, &number);
	if (file < 0 || quire_fence_from_file(work->device, file, &foreign))
		tap_bail("a fence of vgem");
	quire_fence_signal(stage.fences[1], 5);
	before[0] = (struct quire_fence_point){ stage.fences[1], 5 };
	before[1] = (struct quire_fence_point){ foreign, 0 };
	after.fence = stage.fences[0];
	bind.handle = quire_object_handle(stage.second);
	tap_ret(quire_vm_bind(stage.space.vm, &bind, 1, &how, NULL), 0,
		"a bind that waits for another device");
	tap_ok(is_pending(stage.fences[0]) && leads(&stage, 0, 16, first_bytes, 0),
	       "is not done");
	tap_ret(vgem_signal_fence(vgem, number), 0, "the other device is done");
	tap_ret(work_fence_wait(stage.fences[0]), 0, "and so is the bind");
	tap_ok(leads(&stage, 0, 16, second_bytes, 0), "it leads there");
	quire_fence_close(foreign);
	close(file);
	close(vgem);
	stage_close(&stage);
}

static void test_order(struct work *work)
{
	struct stage stage;

	stage_open(&stage, work);
	stage_hold(&stage);
	tap_ret(map_later(&stage, stage.second, 0, 8, 0, stage.held, stage.fences[0]), 0,
		"a bind that waits");
	tap_ret(map_later(&stage, stage.second, 32, 8, 0, NULL, stage.fences[1]), 0,
		"one elsewhere, in the same queue");
	tap_ret(map_later(&stage, stage.first, 4, 8, 1, NULL, stage.fences[2]), 0,
		"one that overlaps, in another queue");
	tap_ret(map_later(&stage, stage.second, 64, 8, 2, NULL, stage.fences[3]), 0,
		"one elsewhere, in a third queue");
	tap_ret(work_fence_wait(stage.fences[3]), 0, "that waits for nobody");
	tap_ok(leads(&stage, 64, 72, second_bytes, 0), "it leads there");
	tap_ret(map_later(&stage, stage.first, 96, 16, 3, NULL, NULL), 0,
		"one without fences, in a queue of its own, is done at once");
	tap_ok(leads(&stage, 96, 112, first_bytes, 0), "it leads there");
	stage_let_go(&stage);
	stage_close(&stage);
}

static void test_held_order(struct work *work)
{
	struct stage stage;

	stage_open(&stage, work);
	stage_hold(&stage);
	map_later(&stage, stage.second, 0, 8, 0, stage.held, stage.fences[0]);
	map_later(&stage, stage.second, 32, 8, 0, NULL, stage.fences[1]);
	map_later(&stage, stage.first, 4, 8, 1, NULL, stage.fences[2]);
	map_later(&stage, stage.second, 5, 1, 2, NULL, stage.fences[3]);
	tap_ok(is_pending(stage.fences[0]), "it is held");
	tap_ok(is_pending(stage.fences[1]), "what follows in the queue, too");
	tap_ok(is_pending(stage.fences[2]), "what overlaps in another queue, too");
	tap_ok(is_pending(stage.fences[3]), "and what overlaps that");
	tap_ok(leads(&stage, 0, 16, first_bytes, 0), "nothing is done");
	stage_let_go(&stage);
	for (unsigned int i = 0; i < 4; i++)
		tap_ret(work_fence_wait(stage.fences[i]), 0, "bind %u ends", i);
	tap_ok(leads(&stage, 0, 4, second_bytes, 0) && leads(&stage, 4, 5, first_bytes, 0) &&
	       leads(&stage, 5, 6, second_bytes, 0) && leads(&stage, 6, 12, first_bytes, 2) &&
	       leads(&stage, 12, 16, first_bytes, 12) && leads(&stage, 32, 40, second_bytes, 0),
	       "all in their order");
	stage_close(&stage);
}

/* The highest address of what is held in a queue is not that of its last bind. */
static void test_held_downwards(struct work *work)
{
	struct stage stage;

	stage_open(&stage, work);
	stage_hold(&stage);
	tap_ret(map_later(&stage, stage.second, 32, 8, 0, stage.held, stage.fences[0]), 0,
		"a bind that waits");
	tap_ret(map_later(&stage, stage.second, 0, 8, 0, NULL, stage.fences[1]), 0,
		"one below, in the same queue");
	tap_ret(map_later(&stage, stage.first, 39, 8, 1, NULL, stage.fences[2]), 0,
		"one that overlaps the end of the upper one, in another queue");
	tap_ret(map_later(&stage, stage.first, 7, 4, 2, NULL, stage.fences[3]), 0,
		"one that overlaps the end of the lower one, in a third queue");
	tap_ok(is_pending(stage.fences[0]) && is_pending(stage.fences[1]), "the queue is held");
	tap_ok(is_pending(stage.fences[2]), "what overlaps the upper one does not overtake it");
	tap_ok(is_pending(stage.fences[3]), "what overlaps the lower one does not, either");
	stage_let_go(&stage);
	for (unsigned int i = 0; i < 4; i++)
		tap_ret(work_fence_wait(stage.fences[i]), 0, "bind %u ends", i);
	tap_ok(leads(&stage, 32, 39, second_bytes, 0) && leads(&stage, 39, 47, first_bytes, 0),
	       "the upper ones are done in their order");
	tap_ok(leads(&stage, 0, 7, second_bytes, 0) && leads(&stage, 7, 11, first_bytes, 0) &&
	       leads(&stage, 11, 16, first_bytes, 11), "the lower ones, too");
	stage_close(&stage);
}

/* What is bound meanwhile is evicted, and comes back, in spite of a bind that waits. */
static void test_evicted(struct work *work)
{
	const uint32_t apart = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE);
	struct quire_object *object;
	struct stage stage;

	stage_open(&stage, work);
	object = work_object_in(work, SIZE, apart);
	space_soil(object, 2);
	stage_hold(&stage);
	tap_ret(map_later(&stage, object, 4, 4, 0, stage.held, stage.fences[0]), 0,
		"a bind over an object waits");
	stage_let_go(&stage);
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(stage.first),
			       DRM_QUIRE_SEGMENT_SYSTEM, 0), 0, "that leaves VRAM");
	tap_ret(work_fence_wait(stage.fences[0]), 0, "it is done");
	tap_ok(leads(&stage, 0, 4, first_bytes, 0) && leads(&stage, 4, 8, second_bytes, 0) &&
	       leads(&stage, 8, 16, first_bytes, 8), "all of it is right");
	quire_object_close(object);
	stage_close(&stage);
}

/* What was there before was evicted before: it is brought back, as it is there yet. */
static void test_evicted_before(struct work *work)
{
	struct stage stage;

	stage_open(&stage, work);
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(stage.first),
			       DRM_QUIRE_SEGMENT_SYSTEM, 0), 0, "what is bound leaves VRAM");
	stage_hold(&stage);
	tap_ret(map_later(&stage, stage.second, 4, 4, 0, stage.held, stage.fences[0]), 0,
		"a bind over it waits");
	tap_ok(leads(&stage, 0, 16, first_bytes, 0), "commands find what was there");
	stage_let_go(&stage);
	tap_ret(work_fence_wait(stage.fences[0]), 0, "it is done");
	tap_ok(leads(&stage, 4, 8, second_bytes, 0), "and find what is there now");
	stage_close(&stage);
}

/* The address space goes while a bind waits. */
static void test_destroyed(struct work *work)
{
	struct stage stage;

	stage_open(&stage, work);
	stage_hold(&stage);
	tap_ret(map_later(&stage, stage.second, 0, 8, 0, stage.held, stage.fences[0]), 0,
		"a bind waits");
	quire_vm_destroy(stage.space.vm);
	stage.space.vm = NULL;
	quire_context_destroy(stage.space.context);
	stage.space.context = NULL;
	tap_ok(is_pending(stage.fences[0]), "its address space is destroyed, it waits");
	stage_let_go(&stage);
	tap_ret(work_fence_wait(stage.fences[0]), 0, "it ends");
	stage_close(&stage);
}

#define FLOOD_PAGES	1024u

static void on_alarm(int number)
{
	(void)number;
}

/* Binds that wait take memory, and have a limit. Returns errno of the one that waits. */
static int flood(struct stage *stage)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	struct quire_object *object = work_object(stage->work, FLOOD_PAGES * QUIRE_PAGE);
	struct drm_quire_bind bind = {
		.operation = MAP, .address = page(1000), .size = FLOOD_PAGES * QUIRE_PAGE,
		.handle = quire_object_handle(object),
	};
	struct drm_quire_sync syncs[2] = {
		{ quire_fence_syncobj(stage->held), DRM_QUIRE_SYNC_WAIT, 0 },
		{ quire_fence_syncobj(stage->fences[0]), DRM_QUIRE_SYNC_SIGNAL, 0 },
	};
	struct drm_quire_vm_bind argument = {
		.vm = quire_vm_id(stage->space.vm),
		.binds = DRM_QUIRE_ARRAY(1, &bind),
		.syncs = DRM_QUIRE_ARRAY(2, syncs),
	};
	/* Again and again: the first one may come before there is anything to wait for. */
	const struct itimerval alarms = {
		.it_value.tv_sec = 3, .it_interval.tv_usec = 100000,
	};
	const struct itimerval none = { 0 };
	unsigned int count = 0;
	int ret = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &alarms, NULL);
	while (!ret && count < 2000) {
		ret = quire_ioctl_once(stage->work->fixture.fd, DRM_IOCTL_QUIRE_VM_BIND, &argument);
		count++;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	tap_diag("%u binds of %u pages: %d", count, FLOOD_PAGES, ret);
	stage_let_go(stage);
	if (ret == -EINTR && work_fence_wait(stage->fences[0]))
		ret = -EIO;
	argument.syncs.count = 0;
	if (ret == -EINTR &&
	    quire_ioctl(stage->work->fixture.fd, DRM_IOCTL_QUIRE_VM_BIND, &argument))
		ret = -EBUSY;
	return ret;
}

static void test_flood(void)
{
	pid_t pid = child_start(60);

	if (!pid) {
		struct stage stage;
		struct work other;

		work_open(&other);
		stage_open(&stage, &other);
		stage_hold(&stage);
		_exit(-flood(&stage));
	}
	tap_ret(child_status(pid), EINTR, "who has too much queued waits, until a signal");
}

int main(void)
{
	struct work work;

	tap_start(100);
	work_begin(&work);
	if (work.fixture.info.execution_rings < 2)
		tap_skip_all("there is one ring");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_signal(&work);
	test_wait(&work);
	test_foreign(&work);
	test_order(&work);
	test_held_order(&work);
	test_held_downwards(&work);
	test_evicted(&work);
	test_evicted_before(&work);
	test_destroyed(&work);
	test_flood();
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
