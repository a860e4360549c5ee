// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Objects in VRAM that are in their own way: they slide onto room that overlaps their place,
 * whole, without a way through system memory, whatever comes in between.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "failing.h"
#include "straddle.h"
#include "work.h"

#define NR_RESETS	5
#define NR_DISTURBED	3
#define FIRST_US	900
#define LAST_US		900000

static int create_at(const struct fixture *fixture, struct object *object, uint64_t size,
		     uint64_t key, const struct place *place)
{
	int ret = object_create(fixture, object, size, key);

	return ret ? ret : object_place_and_wait(fixture, object, place);
}

static void expect_slide(const struct fixture *fixture, const struct straddler *s,
			 struct straddle_counts before, const struct place *to)
{
	struct straddle_counts now = straddle_count(fixture);
	bool is_visible = object_flags(fixture, &s->object) & DRM_QUIRE_BO_VISIBLE;

	tap_ok(is_visible == (to == &straddle_visible), "it is in %s", to->name);
	tap_ok(object_is_at(fixture, &s->object, &straddle_any), "in VRAM");
	if (!tap_ok(now.slides - before.slides == 1 && now.ways == before.ways,
		    "it slid there"))
		tap_diag("%" PRIu64 " slides, %" PRIu64 " ways", now.slides - before.slides,
			 now.ways - before.ways);
	tap_ret(object_check(fixture, &s->object), 0, "it is whole");
	tap_ret(object_check(fixture, &s->low), 0, "so is what was below");
}

/* It takes as much as it did, and no more: all of the rest can be had. */
static void test_room(const struct fixture *fixture, const struct straddler *s,
		      const struct place *to)
{
	uint64_t used = fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM);
	uint64_t rest = to == &straddle_visible ? fixture_visible(fixture) :
					 fixture_vram(fixture) - fixture_visible(fixture);
	struct straddle_counts before = straddle_count(fixture);
	struct place any = *to;
	struct object object;

	rest -= s->object.size;
	tap_ok(used == s->object.size, "it takes its size");
	if (rest) {
		/* it is no run: what slides may go further than it has to */
		any.flags &= ~DRM_QUIRE_PLACE_CONTIGUOUS;
		tap_ret(create_at(fixture, &object, rest, 4, &any), 0, "the rest can be had");
		tap_ok(straddle_count(fixture).ways == before.ways, "and nobody leaves for it");
		tap_ret(object_check(fixture, &object), 0, "it is whole");
		object_close(fixture, &object);
	}
	tap_ret(object_check(fixture, &s->object), 0, "what slid is whole, still");
}

static void test_slide(const struct fixture *fixture, uint64_t size, uint64_t inside,
		       const struct place *to)
{
	struct straddler s = { 0 };
	struct straddle_counts before;

	if (straddle(fixture, &s, size, inside)) {
		tap_ret(straddle_make_room(fixture, &s), 0, "the others leave");
		before = straddle_settled(fixture);
		tap_ret(object_place_and_wait(fixture, &s.object, to), 0, "place it in %s",
			to->name);
		tap_ok(straddle_count(fixture).submissions == before.submissions + 1,
		       "the device gets all of it, or nothing");
		expect_slide(fixture, &s, before, to);
		test_room(fixture, &s, to);
	}
	straddle_close(fixture, &s);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

/* What is in its way is evicted, and it slides all the same. */
static void test_others(const struct fixture *fixture, uint64_t size, uint64_t inside)
{
	struct straddler s = { 0 };
	struct straddle_counts before;

	if (straddle(fixture, &s, size, inside)) {
		before = straddle_count(fixture);
		tap_ret(object_place_and_wait(fixture, &s.object, &straddle_visible), 0,
			"place it");
		before.ways++;
		expect_slide(fixture, &s, before, &straddle_visible);
	}
	straddle_close(fixture, &s);
}

/* The ring stands still at packet @nth of the slide, and is restarted; or the device is reset. */
static void test_hang(const struct fixture *fixture, uint64_t size, uint64_t inside,
		      unsigned int nth)
{
	struct straddler s = { 0 };
	struct straddle_counts before;
	char command[32];

	snprintf(command, sizeof(command), "hang %u", nth);
	if (straddle(fixture, &s, size, inside)) {
		tap_ret(straddle_make_room(fixture, &s), 0, "the others leave");
		before = straddle_settled(fixture);
		fixture_inject(fixture, command);
		tap_ret(object_place_and_wait(fixture, &s.object, &straddle_visible), 0,
			"it slides, and hangs at packet %u", nth);
		expect_slide(fixture, &s, before, &straddle_visible);
	}
	straddle_close(fixture, &s);
}

/* The packets that can not be executed are given up: that is said, half of it is not shown. */
static void test_given_up(const struct fixture *fixture, uint64_t size, uint64_t inside)
{
	struct straddler s = { 0 };
	bool retained = true;
	char fault[32];

	if (straddle(fixture, &s, size, inside)) {
		tap_ret(straddle_make_room(fixture, &s), 0, "the others leave");
		straddle_settled(fixture);
		snprintf(fault, sizeof(fault), "fault %u", 2 + fixture_resident_runs(fixture));
		test_parameter("hang_restarts", 0);
		test_parameter("hang_period", WORK_PATIENCE_MS);
		fixture_inject(fixture, "hang 2");
		tap_ret(object_place(fixture, &s.object, &straddle_visible), 0,
			"it slides, and hangs");
		fixture_wait_hung(fixture);
		/* the aperture, which is empty, takes one packet to be restored */
		fixture_inject(fixture, fault);
		test_parameter("hang_period", 3000);
		tap_ret(quire_bo_wait(fixture->fd, s.object.handle, WAIT_MS), 0, "it ends");
		fixture_inject(fixture, "fault 0");
		test_parameter("hang_restarts", 1);
		tap_ok(object_flags(fixture, &s.object) & DRM_QUIRE_BO_PURGED, "it is lost");
		tap_ret(quire_bo_madvise(fixture->fd, s.object.handle, DRM_QUIRE_MADV_WILLNEED,
					 &retained), 0, "WILLNEED");
		tap_ok(!retained, "says so");
		tap_ret(object_check_zero(fixture, &s.object), 0, "it reads as zero");
	}
	straddle_close(fixture, &s);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

/* The function is reset while it slides: what is executed twice finds what it did. */
static void test_reset(const struct fixture *fixture, uint64_t size, uint64_t inside)
{
	struct straddler s = { 0 };
	char address[64];
	int ret = sysfs_pci_address(fixture->fd, address, sizeof(address));

	for (unsigned int i = 0; i < NR_RESETS && !ret; i++) {
		ret = straddle(fixture, &s, size, inside) ? 0 : -EXDEV;
		if (!ret)
			ret = straddle_make_room(fixture, &s);
		if (!ret)
			ret = object_place(fixture, &s.object, &straddle_visible);
		usleep(i * 700);
		if (!ret)
			ret = sysfs_reset(address);
		if (!ret)
			ret = object_check(fixture, &s.object);
		straddle_close(fixture, &s);
	}
	tap_ret(ret, 0, "%d resets, it is whole", NR_RESETS);
}

/* The buffer can not be had: it is where it was, and slides when there is memory again. */
static void test_no_buffer(const struct fixture *fixture, uint64_t size, uint64_t inside)
{
	struct straddler s = { 0 };
	struct straddle_counts before;

	if (straddle(fixture, &s, size, inside)) {
		tap_ret(straddle_make_room(fixture, &s), 0, "the others leave");
		before = straddle_count(fixture);
		tap_ok(failing_within("quire_paging_job_create") && failing_all(0, 0),
		       "no memory for its move");
		tap_ret(object_place(fixture, &s.object, &straddle_visible), -ENOMEM,
			"the call says so");
		failing_none();
		tap_ok(!(object_flags(fixture, &s.object) & DRM_QUIRE_BO_VISIBLE) &&
		       object_is_at(fixture, &s.object, &straddle_any), "it is where it was");
		tap_ret(object_place_and_wait(fixture, &s.object, &straddle_visible), 0, "again");
		expect_slide(fixture, &s, before, &straddle_visible);
		test_room(fixture, &s, &straddle_visible);
	}
	straddle_close(fixture, &s);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

static volatile sig_atomic_t delay_us;

static void set_alarm(void)
{
	const struct itimerval time = { .it_value.tv_usec = delay_us };

	setitimer(ITIMER_REAL, &time, NULL);
}

/* Each one comes later than the one before, so that a slow machine gets anything done. */
static void on_alarm(int number)
{
	(void)number;
	if (delay_us < LAST_US / 2)
		delay_us *= 2;
	set_alarm();
}

/* Small objects come and go, in VRAM. */
static pid_t start_others(void)
{
	pid_t pid = child_start(60);
	uint32_t handle;
	int fd;

	if (pid)
		return pid;
	fd = quire_open();
	for (;;) {
		if (quire_bo_create(fd, 16 * QUIRE_PAGE, &handle))
			continue;
		quire_bo_place(fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0);
		quire_bo_close(fd, handle);
	}
}

/* Signals, often in the beginning, and others who take room: it is there, and whole. */
static void test_disturbed(const struct fixture *fixture, uint64_t size, uint64_t inside)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct straddler s = { 0 };
	int ret = 0;
	pid_t pid;

	sigaction(SIGALRM, &action, NULL);
	for (unsigned int i = 0; i < NR_DISTURBED && !ret; i++) {
		ret = straddle(fixture, &s, size, inside) ? 0 : -EXDEV;
		pid = start_others();
		delay_us = FIRST_US;
		set_alarm();
		if (!ret)
			ret = object_place(fixture, &s.object, &straddle_visible);
		delay_us = 0; /* which ends them */
		set_alarm();
		child_kill(pid);
		if (!ret && !(object_flags(fixture, &s.object) & DRM_QUIRE_BO_VISIBLE))
			ret = -EXDEV;
		if (!ret)
			ret = object_check(fixture, &s.object);
		if (!ret)
			ret = object_check(fixture, &s.low);
		straddle_close(fixture, &s);
	}
	tap_ret(ret, 0, "disturbed %d times, it is whole", NR_DISTURBED);
}

/* Into the visible part: by as little as there can be, by more, and by half of the size. */
static void test_down(const struct fixture *fixture, uint64_t limit)
{
	uint64_t inside = limit / 2, size = inside + QUIRE_PAGE;

	test_slide(fixture, size, inside, &straddle_visible);
	test_slide(fixture, inside + QUIRE_MIB, inside, &straddle_visible);
	test_slide(fixture, limit, inside, &straddle_visible);
	test_others(fixture, size, inside);
	test_hang(fixture, size, inside, 1);
	test_hang(fixture, size, inside, 100);
	test_given_up(fixture, size, inside);
	test_reset(fixture, size, inside);
	test_disturbed(fixture, size, inside);
	if (failing_begin()) {
		test_no_buffer(fixture, size, inside);
		failing_end();
	}
}

int main(void)
{
	uint64_t limit, above, half;
	struct fixture fixture;

	tap_start(240);
	straddle_start(&fixture);
	limit = fixture_visible(&fixture);
	above = fixture_vram(&fixture) - limit;
	half = limit / 2;
	if (limit > STRADDLE_MOST || above < limit)
		tap_skip_all("VRAM of another kind");
	if (above == limit)
		test_slide(&fixture, half + half / 2, limit / 8, &straddle_invisible);
	else
		test_down(&fixture, limit);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
