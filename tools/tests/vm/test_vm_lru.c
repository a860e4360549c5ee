// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each EXEC uses all that is bound, which is evicted last: what is private to the address space
 * is moved in TTM's lists as one piece, however much it is, but for what is offered or held.
 */
#include <string.h>
#include <unistd.h>

#include "kprobe.h"
#include "resident.h"
#include "space.h"

#define SIZE		(16 * QUIRE_PAGE)
#define BASE		0x100000000ull
#define APART		0x100000000ull	/* each object has tables of its own */
#define MANY		100u
#define VRAM		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)

/* The object with the commands, and what comes of a fence. */
#define FEW		10u

#define CHURNED		12u
#define CHURN_STEPS	600u

static int run_nothing(struct space *space)
{
	quire_write_delay(&space->writer, 0);
	return space_run(space);
}

static int place_in_vram(const struct work *work, const struct quire_object *object)
{
	return quire_bo_place(work->fixture.fd, quire_object_handle(object),
			      DRM_QUIRE_SEGMENT_VRAM, 0);
}

static bool is_in_vram(const struct quire_object *object)
{
	return quire_object_class(object) == DRM_QUIRE_SEGMENT_VRAM;
}

/* By calls of the function that moves one object, in the thread that calls EXEC. */
static void test_many(struct work *work)
{
	struct quire_object *objects[MANY];
	struct space space;
	unsigned int i;

	space_open(&space, work);
	for (i = 0; i < MANY; i++) {
		objects[i] = space_object(&space, QUIRE_PAGE, VRAM, true);
		space_map(&space, BASE + i * APART, objects[i], 0, QUIRE_PAGE);
	}
	tap_ret(run_nothing(&space), 0, "all are bound, and used");
	if (kprobe_start("lru", "ttm_bo_move_to_lru_tail")) {
		tap_ret(run_nothing(&space), 0, "all are used again");
		tap_ok(kprobe_count("lru", gettid()) <= FEW,
		       "of %u objects %u are moved alone", MANY,
		       kprobe_count("lru", gettid()));
		tap_ret(place_in_vram(work, objects[0]), 0, "one is placed");
		tap_ok(kprobe_count("lru", gettid()), "which shows in the trace");
		kprobe_stop("lru");
	} else {
		tap_skip("no kprobes", "none is moved alone");
	}
	for (i = 0; i < MANY; i++)
		quire_object_close(objects[i]);
	space_close(&space);
}

static uint64_t free_vram(const struct work *work)
{
	return fixture_vram(&work->fixture) -
	       fixture_usage(&work->fixture, DRM_QUIRE_SEGMENT_VRAM);
}

/* What leaves if there has to be room for so many objects; @private: of the address space. */
static void test_order(struct work *work, bool private)
{
	struct quire_object *used, *offered, *held, *idle, *full, *others[2];
	struct object resident;
	struct space space;

	tap_ok(fixture_comes_down(&work->fixture, DRM_QUIRE_SEGMENT_VRAM, 0),
	       "nothing is in VRAM");
	space_open(&space, work);
	used = space_object(&space, SIZE, 0, private);
	offered = space_object(&space, SIZE, 0, private);
	held = space_object(&space, SIZE, 0, private);
	space_soil(used, 1);
	space_map(&space, BASE, used, 0, SIZE);
	space_map(&space, BASE + APART, offered, 0, SIZE);
	space_map(&space, BASE + 2 * APART, held, 0, SIZE);
	resident = (struct object) { .handle = quire_object_handle(held), .size = SIZE };
	tap_ret(resident_make(work->fixture.fd, &resident, 1), 0, "one is held");
	tap_ret(run_nothing(&space), 0, "all are used");
	idle = work_object(work, SIZE);
	tap_ret(place_in_vram(work, idle), 0, "another one comes after them");
	tap_ret(quire_bo_madvise(work->fixture.fd, quire_object_handle(offered),
				 DRM_QUIRE_MADV_DONTNEED, NULL), 0, "one is offered");
	tap_ret(run_nothing(&space), 0, "all are used again");

	full = work_object_in(work, free_vram(work), VRAM);
	tap_ret(place_in_vram(work, full), 0, "VRAM is full");
	others[0] = work_object_in(work, SIZE, VRAM);
	tap_ret(place_in_vram(work, others[0]), 0, "one needs room");
	tap_ok(!is_in_vram(offered) && is_in_vram(idle), "what is offered leaves");
	others[1] = work_object_in(work, SIZE, VRAM);
	tap_ret(place_in_vram(work, others[1]), 0, "another one needs room");
	tap_ok(!is_in_vram(idle), "what is idle leaves");
	tap_ok(is_in_vram(used) && is_in_vram(held), "what is used and what is held stay");
	tap_ret(resident_evict(work->fixture.fd, &resident, 1), 0, "it is held no longer");

	quire_object_close(others[1]);
	quire_object_close(others[0]);
	quire_object_close(full);
	quire_object_close(idle);
	quire_object_close(held);
	quire_object_close(offered);
	quire_object_close(used);
	space_close(&space);
}

/* What was offered or held is used like all others again: what is idle leaves first. */
static void test_returned(struct work *work)
{
	struct quire_object *returned[2], *idle, *full, *other;
	struct object resident;
	struct space space;

	tap_ok(fixture_comes_down(&work->fixture, DRM_QUIRE_SEGMENT_VRAM, 0),
	       "nothing is in VRAM");
	space_open(&space, work);
	for (unsigned int i = 0; i < ARRAY_SIZE(returned); i++) {
		returned[i] = space_object(&space, SIZE, 0, true);
		space_map(&space, BASE + i * APART, returned[i], 0, SIZE);
	}
	resident = (struct object) { .handle = quire_object_handle(returned[1]), .size = SIZE };
	tap_ret(run_nothing(&space), 0, "two are used");
	tap_ret(quire_bo_madvise(work->fixture.fd, quire_object_handle(returned[0]),
				 DRM_QUIRE_MADV_DONTNEED, NULL) ?:
		quire_bo_madvise(work->fixture.fd, quire_object_handle(returned[0]),
				 DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"one is offered, and needed again");
	tap_ret(resident_make(work->fixture.fd, &resident, 1) ?:
		resident_evict(work->fixture.fd, &resident, 1), 0,
		"the other one is held, and no longer");
	idle = work_object(work, SIZE);
	tap_ret(place_in_vram(work, idle), 0, "another one comes after them");
	tap_ret(run_nothing(&space), 0, "both are used again");

	full = work_object_in(work, free_vram(work), VRAM);
	tap_ret(place_in_vram(work, full), 0, "VRAM is full");
	other = work_object_in(work, SIZE, VRAM);
	tap_ret(place_in_vram(work, other), 0, "one needs room");
	tap_ok(!is_in_vram(idle), "what is idle leaves");
	tap_ok(is_in_vram(returned[0]), "what was offered stays");
	tap_ok(is_in_vram(returned[1]), "what was held stays");

	quire_object_close(other);
	quire_object_close(full);
	quire_object_close(idle);
	for (unsigned int i = 0; i < ARRAY_SIZE(returned); i++)
		quire_object_close(returned[i]);
	space_close(&space);
}

/**
 * struct churned - an object of the random test
 * @object: it, private
 * @address: where it is bound, if it is
 * @bound: it is
 * @offered: it is
 * @held: so often
 */
struct churned {
	struct quire_object *object;
	uint64_t address;
	bool bound;
	bool offered;
	unsigned int held;
};

static void churn_hold(const struct work *work, struct churned *churned, bool more)
{
	const struct object object = {
		.handle = quire_object_handle(churned->object), .size = SIZE,
	};
	int ret = 0;

	if (more)
		ret = resident_make(work->fixture.fd, &object, 1);
	else if (churned->held)
		ret = resident_evict(work->fixture.fd, &object, 1);
	/* It was offered, and is gone. */
	if (ret == -ENODATA)
		return;
	if (ret)
		tap_bail("hold: %s", strerror(-ret));
	churned->held += more ? 1 : churned->held ? -1 : 0;
}

static void churn_offer(const struct work *work, struct churned *churned)
{
	if (quire_bo_madvise(work->fixture.fd, quire_object_handle(churned->object),
			     churned->offered ? DRM_QUIRE_MADV_WILLNEED : DRM_QUIRE_MADV_DONTNEED,
			     NULL))
		tap_bail("madvise");
	churned->offered = !churned->offered;
}

static void churn_bind(struct space *space, struct churned *churned)
{
	if (churned->bound) {
		space_unmap(space, churned->address, SIZE);
	} else {
		/* What is gone can not be bound. */
		if (churned->offered)
			churn_offer(space->work, churned);
		space_map(space, churned->address, churned->object, 0, SIZE);
	}
	churned->bound = !churned->bound;
}

static void churn_renew(struct space *space, struct churned *churned, unsigned int i)
{
	quire_object_close(churned->object);
	if (churned->bound)
		space_unmap(space, churned->address, SIZE);
	*churned = (struct churned) {
		.object = space_object(space, SIZE, 0, true), .address = BASE + i * APART,
	};
}

static void churn_step(struct space *space, struct churned *churned, unsigned int i,
		       uint64_t random)
{
	int ret;

	switch (random % 8) {
	case 0:
	case 1:
		return churn_bind(space, churned);
	case 2:
		return churn_hold(space->work, churned, true);
	case 3:
		return churn_hold(space->work, churned, false);
	case 4:
		return churn_offer(space->work, churned);
	case 5:
		return churn_renew(space, churned, i);
	default:
		/* What was offered may be gone. */
		ret = run_nothing(space);
		if (ret && ret != -ENODATA)
			tap_bail("execute: %s", strerror(-ret));
	}
}

/* The kernel tells in its log if its lists are wrong; a list that lost its end hangs. */
static void test_churn(struct work *work)
{
	struct churned churned[CHURNED] = { };
	unsigned int step, i, right = 0, bound = 0;
	uint64_t random = 1;
	struct space space;

	space_open(&space, work);
	for (i = 0; i < CHURNED; i++)
		churn_renew(&space, &churned[i], i);
	for (step = 0; step < CHURN_STEPS; step++) {
		i = random_below(&random, CHURNED);
		churn_step(&space, &churned[i], i, random_next(&random));
		if (step % 50 == 0)
			debugfs_write(work->fixture.debugfs, "evict_all", "1");
	}
	for (i = 0; i < CHURNED; i++) {
		if (churned[i].offered)
			churn_offer(work, &churned[i]);
		space_soil(churned[i].object, i);
	}
	tap_ret(run_nothing(&space), 0, "all is bound and unbound, held and offered");
	for (i = 0; i < CHURNED; i++) {
		static uint8_t pattern[SIZE];

		if (!churned[i].bound)
			continue;
		bound++;
		pattern_fill(pattern, SIZE, i);
		right += space_has(&space, churned[i].address, pattern, SIZE);
	}
	tap_ok(bound && right == bound, "contents are right (%u of %u)", right, bound);
	for (i = 0; i < CHURNED; i++)
		quire_object_close(churned[i].object);
	space_close(&space);
}

int main(void)
{
	struct work work;

	tap_start(150);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_many(&work);
	test_order(&work, false);
	test_order(&work, true);
	test_returned(&work);
	test_churn(&work);
	work_end(&work);
	return tap_done();
}
