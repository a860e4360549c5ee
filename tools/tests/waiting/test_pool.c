// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Others keep all paging buffers in use: who needs many of them gets his turn. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "device_view.h"
#include "fixture.h"
#include "kmsg.h"
#include "syncs.h"
#include "ticks.h"

/* Packets for each of as many pages: more than two buffers of 64 KiB. */
#define NR_SMALL	2816
#define NR_OTHERS	16
#define NR_ROUNDS	10
#define NR_SIGNALS	20
#define SIGNAL_MS	5

/* Time for a second fault to be asked for; an idle machine does not wait for it. */
#define PERIOD_MS	20000

/*
 * Buffers of 256 bytes, one for each MAP of a page. They leave twice 64 KiB of the pool but
 * one of them: wherever the hole is, at its end or around it, there is room for the first
 * buffer of a large move, which has 64 KiB, and not for two of that size.
 */
#define NR_FILLING	((512 - 2 * 64) * 1024 / 256 + 1)
#define LET_GO_S	300	/* ends a process that waits for what does not come */

/* Somebody with little comes when the large move waits, and gives up before that does. */
#define WAITS_MS	400

/* The device stands still until it is let go: the pool takes its time to fill. */
#define HANG_MS		"120000"

/* Twice as many as there are buffers. */
#define ENOUGH_MOVES	4096

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct others - processes that flood the queue with small moves
 * @moves: that all of them have queued, shared with them
 * @pids: of them
 */
struct others {
	uint64_t *moves;
	pid_t pids[NR_OTHERS];
};

/* MAP and UNMAP, of an object that nobody waits for, for ever. */
static void flood(uint64_t *moves)
{
	struct object objects[16];
	struct fixture fixture;

	fixture_open(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		if (object_create(&fixture, &objects[i], QUIRE_PAGE, i))
			_exit(1);
	}
	for (;;) {
		for (size_t i = 0; i < 2 * ARRAY_SIZE(objects); i++) {
			object_place(&fixture, &objects[i % ARRAY_SIZE(objects)],
				     i < ARRAY_SIZE(objects) ? &aperture : &system_memory);
			__atomic_add_fetch(moves, 1, __ATOMIC_RELAXED);
		}
	}
}

static void start_others(struct others *others)
{
	others->moves = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (others->moves == MAP_FAILED)
		tap_bail("mmap");
	for (size_t i = 0; i < NR_OTHERS; i++) {
		others->pids[i] = child_start(400);
		if (!others->pids[i])
			flood(others->moves);
	}
	while (__atomic_load_n(others->moves, __ATOMIC_RELAXED) < ENOUGH_MOVES)
		test_sleep_ms(10);
}

static void stop_others(struct others *others)
{
	for (size_t i = 0; i < NR_OTHERS; i++)
		child_kill(others->pids[i]);
	munmap(others->moves, QUIRE_PAGE);
}

/* Every second page of what is left of VRAM: a packet for each page of @object. */
static int create_in_pieces(const struct fixture *fixture, struct object *object)
{
	uint64_t size = NR_SMALL * QUIRE_PAGE;
	struct object filler = { .size = fixture_vram(fixture) - 2 * size };
	static struct object small[2 * NR_SMALL];
	int ret;

	ret = quire_bo_create(fixture->fd, filler.size, &filler.handle);
	if (!ret)
		ret = object_place_and_wait(fixture, &filler, &vram);
	for (size_t i = 0; i < ARRAY_SIZE(small) && !ret; i++) {
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &small[i].handle);
		if (!ret)
			ret = object_place(fixture, &small[i], &vram);
	}
	for (size_t i = 0; i < ARRAY_SIZE(small); i += 2)
		object_close(fixture, &small[i]);
	/* Only then there are holes, and nothing else. */
	if (!ret && !fixture_comes_down(fixture, vram.segment, filler.size + size))
		ret = -ETIME;
	if (!ret)
		ret = object_create(fixture, object, size, 1);
	return ret ? ret : object_place_and_wait(fixture, object, &vram);
}

/* The first of the buffers of one move is given up, the others are executed. */
static void test_part_lost(const struct fixture *fixture, const struct object *object)
{
	uint32_t syncobj = sync_create(fixture);
	struct fence_state state = { 0 };
	char fault[32];
	int file;

	snprintf(fault, sizeof(fault), "fault %u", 2 + fixture_resident_runs(fixture));
	test_parameter("hang_restarts", 0);
	test_parameter("hang_period", PERIOD_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place_signal(fixture, object, &system_memory, syncobj, 0), 0,
		"a large move");
	fixture_wait_hung(fixture);
	/* The reset restores an empty aperture with one packet, then what is where. */
	fixture_inject(fixture, fault);
	tap_ret(quire_bo_wait(fixture->fd, object->handle, WAIT_MS), 0, "it ends");
	file = sync_export(fixture, syncobj);
	tap_ret(fence_query(file, &state), 0, "ask its fence");
	tap_ret(state.status, -EIO, "it says that a part of it is lost");
	close(file);
	tap_ok(object_flags(fixture, object) & DRM_QUIRE_BO_PURGED, "so does the object");
	test_parameter("hang_period", 3000);
	test_parameter("hang_restarts", 1);
	tap_ret(quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"WILLNEED");
	tap_ret(object_fill(fixture, object), 0, "new content");
	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "in pieces again");
}

static void test_among_small(const struct fixture *fixture, const struct object *object)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_ROUNDS && !ret; i++) {
		ret = object_place(fixture, object, &system_memory);
		if (!ret)
			ret = object_place(fixture, object, &vram);
	}
	tap_ret(ret, 0, "%d large moves among small ones", 2 * NR_ROUNDS);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* To the aperture; a signal ends it. */
static int place_once(const struct fixture *fixture, const struct object *object)
{
	struct drm_quire_bo_place argument = {
		.handle = object->handle,
		.segment = fixture->segments[aperture.segment].instance,
	};

	return quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &argument);
}

/* A signal comes while the move waits for a buffer, and once more if that began late. */
static int place_interrupted(const struct fixture *fixture, const struct object *object,
			     unsigned int milliseconds, unsigned int *interrupted)
{
	timer_t timer = ticks_start(on_signal, 0, milliseconds * 1000000l);
	int ret = place_once(fixture, object);

	*interrupted += ret == -EINTR;
	timer_delete(timer);
	return ret == -EINTR ? 0 : ret;
}

static void test_interrupted(const struct fixture *fixture, const struct object *object)
{
	unsigned int interrupted = 0;
	int ret = 0;

	for (unsigned int i = 0; i < NR_SIGNALS && !ret; i++) {
		ret = place_interrupted(fixture, object, SIGNAL_MS, &interrupted);
		if (!ret)
			ret = object_place(fixture, object, &vram);
	}
	tap_ret(ret, 0, "large moves that a signal ends");
	tap_diag("%u of %d were interrupted", interrupted, NR_SIGNALS);
}

/*
 * Starts a process that wants less when its parent waits for room: there would be room for that,
 * but the parent came before.  A signal ends that wait, and then the parent's.
 */
static pid_t start_behind(const struct fixture *fixture, const struct object *small,
			  const char *period)
{
	unsigned int interrupted = 0;
	pid_t pid = child_start(LET_GO_S);

	if (pid)
		return pid;
	if (!child_gets_within(getppid(), "drm_suballoc_new", WAIT_MS))
		_exit(2);
	if (place_interrupted(fixture, small, WAITS_MS, &interrupted) || !interrupted)
		_exit(3);
	_exit(!fixture_interrupt_half_way(getppid(), period));
}

static uint64_t count_mapped(const struct fixture *fixture)
{
	struct device_aperture view;

	if (device_aperture_read(fixture->debugfs, &view))
		tap_bail("device_aperture");
	return view.mapped;
}

/* However many were queued at once; @mapped: pages before; @log: what was said since. */
static void expect_mapped(const struct fixture *fixture, const struct object *filling,
			  uint64_t mapped, int log)
{
	int ret = 0;

	for (size_t i = 0; i < NR_FILLING && !ret; i++)
		ret = quire_bo_wait(fixture->fd, filling[i].handle, WAIT_MS);
	tap_ret(ret, 0, "what was queued meanwhile ends");
	mapped = count_mapped(fixture) - mapped;
	if (!tap_ok(mapped == NR_FILLING, "the device has executed all of it"))
		tap_diag("%" PRIu64 " pages were mapped", mapped);
	tap_ok(!kmsg_count(log, "ring 0 fault"), "and found no more than its ring has room for");
}

/*
 * The device stands still until the watchdog finds out, and the pool is almost full: a
 * large move has handed in its first buffer when the signal comes, and has to take back
 * what that maps. While it waits for the next one, nobody takes what is left.
 */
static void test_half_way(const struct fixture *fixture, const struct object *object)
{
	static struct object filling[NR_FILLING];
	struct debugfs_counter before = { 0 }, after = { 0 };
	struct object small = { 0 };
	uint64_t mapped;
	char period[16];
	int log;
	int ret = 0;
	pid_t pid;

	if (sysfs_parameter_read("hang_period", period, sizeof(period)) <= 0 ||
	    sysfs_parameter_write("hang_period", HANG_MS)) {
		tap_skip("no parameters", "a move that ends half way");
		return;
	}
	log = kmsg_open();
	mapped = count_mapped(fixture);
	for (size_t i = 0; i < NR_FILLING && !ret; i++)
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &filling[i].handle);
	if (!ret)
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &small.handle);
	if (!ret)
		ret = debugfs_write(fixture->debugfs, "inject", "hang 1");
	for (size_t i = 0; i < NR_FILLING && !ret; i++)
		ret = object_place(fixture, &filling[i], &aperture);
	tap_ret(ret, 0, "the pool is almost full");
	debugfs_counter(fixture->debugfs, "UNMAP_APERTURE_SEGMENT", &before);
	pid = start_behind(fixture, &small, period);
	tap_ret(place_once(fixture, object), -EINTR, "a signal ends a large move half way");
	debugfs_counter(fixture->debugfs, "UNMAP_APERTURE_SEGMENT", &after);
	tap_ok(after.bytes - before.bytes == object->size, "what it has mapped is unmapped");
	tap_ok(object_is_at(fixture, object, &vram), "it is where it was");
	tap_ret(child_status(pid), 0, "a small one that came later waited behind it");
	expect_mapped(fixture, filling, mapped, log);
	close(log);
	object_close(fixture, &small);
	for (size_t i = 0; i < NR_FILLING; i++)
		object_close(fixture, &filling[i]);
}

/* Everything that was put behind the aperture was taken from there, and nothing else. */
static void test_nothing_mapped(const struct fixture *fixture,
				const struct debugfs_counter before[2])
{
	struct debugfs_counter map = { 0 }, unmap = { 0 };

	debugfs_counter(fixture->debugfs, "MAP_APERTURE_SEGMENT", &map);
	debugfs_counter(fixture->debugfs, "UNMAP_APERTURE_SEGMENT", &unmap);
	map.bytes -= before[0].bytes;
	unmap.bytes -= before[1].bytes;
	if (!tap_ok(unmap.bytes == map.bytes, "as much was unmapped as mapped"))
		tap_diag("%" PRIu64 " mapped, %" PRIu64 " unmapped", map.bytes, unmap.bytes);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct debugfs_counter before[2] = { 0 };
	struct fixture fixture;
	struct others others;
	struct object object;

	tap_start(400);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (fixture_vram(&fixture) < 4 * NR_SMALL * QUIRE_PAGE)
		tap_skip_all("too little VRAM");
	debugfs_counter(fixture.debugfs, "MAP_APERTURE_SEGMENT", &before[0]);
	debugfs_counter(fixture.debugfs, "UNMAP_APERTURE_SEGMENT", &before[1]);
	tap_ret(create_in_pieces(&fixture, &object), 0, "an object in %d pieces", NR_SMALL);
	sigaction(SIGUSR1, &action, NULL);
	test_part_lost(&fixture, &object);
	test_half_way(&fixture, &object);
	start_others(&others);
	test_among_small(&fixture, &object);
	test_interrupted(&fixture, &object);
	stop_others(&others);
	tap_ret(object_check(&fixture, &object), 0, "its content is whole");
	close(fixture.fd);
	fixture.fd = quire_open();
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	test_nothing_mapped(&fixture, before);
	return tap_done();
}
