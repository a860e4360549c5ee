// SPDX-License-Identifier: GPL-2.0 OR MIT
/* debugfs: operations are counted as they are made, and all can be evicted. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dmabuf.h"
#include "failing.h"
#include "fixture.h"

#define SIZE	QUIRE_MIB
#define LARGEST	(64ull << 10)	/* paging buffer; those are more than half of the pool */
#define CHILD_S	60
#define LOOK_MS	300	/* so long nothing happens */
#define TRACE	"/sys/kernel/tracing/trace"
#define EVENTS	"/sys/kernel/tracing/events/dma_fence/enable"

static const struct place contiguous = {
	"contiguous vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS
};

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static const char * const names[] = {
	"TRANSFER", "FILL", "DISCARD_CONTENT", "READ_PHYSICAL", "WRITE_PHYSICAL",
	"MAP_APERTURE_SEGMENT", "UNMAP_APERTURE_SEGMENT",
};

enum { TRANSFER, FILL, DISCARD, READ, WRITE, MAP, UNMAP, NR_OPERATIONS };

/**
 * struct counters - all of them at one time
 * @operations: in the order of @names
 */
struct counters {
	struct debugfs_counter operations[NR_OPERATIONS];
};

static struct counters read_counters(const struct fixture *fixture)
{
	struct counters counters;

	for (int i = 0; i < NR_OPERATIONS; i++) {
		int ret = debugfs_counter(fixture->debugfs, names[i], &counters.operations[i]);

		if (ret)
			tap_bail("no counter %s: %s", names[i], strerror(-ret));
	}
	return counters;
}

/* What was added since @before. */
static struct counters added(const struct fixture *fixture, const struct counters *before)
{
	struct counters now = read_counters(fixture);

	for (int i = 0; i < NR_OPERATIONS; i++) {
		now.operations[i].count -= before->operations[i].count;
		now.operations[i].bytes -= before->operations[i].bytes;
	}
	return now;
}

/* @most: operations that may be made for it */
static void expect(const struct counters *delta, int operation, uint64_t bytes, uint64_t most)
{
	const struct debugfs_counter *counter = &delta->operations[operation];
	bool ok = counter->bytes == bytes && counter->count <= most && !counter->count == !bytes;

	if (!tap_ok(ok, "%s of %" PRIu64 " bytes", names[operation], bytes))
		tap_diag("%" PRIu64 " of %" PRIu64 " bytes, at most %" PRIu64 " expected",
			 counter->count, counter->bytes, most);
}

static struct counters move(const struct fixture *fixture, const struct object *object,
			    const struct place *place)
{
	struct counters before = read_counters(fixture);

	tap_ret(object_place_and_wait(fixture, object, place), 0, "place it in %s", place->name);
	return added(fixture, &before);
}

static void test_fill(const struct fixture *fixture)
{
	struct object object = { .size = SIZE };
	struct counters delta;

	tap_ret(quire_bo_create(fixture->fd, SIZE, &object.handle), 0, "a fresh object");
	delta = move(fixture, &object, &contiguous);
	expect(&delta, FILL, SIZE, 1);
	expect(&delta, TRANSFER, 0, 0);
	object_close(fixture, &object);
}

static void test_moves(const struct fixture *fixture)
{
	struct counters delta;
	struct object object;

	tap_ret(object_create(fixture, &object, SIZE, 1), 0, "an object with content");
	delta = move(fixture, &object, &contiguous);
	expect(&delta, TRANSFER, SIZE, SIZE / QUIRE_PAGE);
	expect(&delta, FILL, 0, 0);
	expect(&delta, MAP, 0, 0);
	delta = move(fixture, &object, &aperture);
	expect(&delta, MAP, SIZE, SIZE / QUIRE_PAGE);
	expect(&delta, TRANSFER, SIZE, 1);
	expect(&delta, UNMAP, 0, 0);
	delta = move(fixture, &object, &contiguous);
	expect(&delta, TRANSFER, SIZE, 1);
	expect(&delta, UNMAP, SIZE, 1);
	delta = move(fixture, &object, &system_memory);
	expect(&delta, TRANSFER, SIZE, SIZE / QUIRE_PAGE);
	expect(&delta, MAP, 0, 0);
	delta = move(fixture, &object, &aperture);
	expect(&delta, MAP, SIZE, SIZE / QUIRE_PAGE);
	expect(&delta, TRANSFER, 0, 0);
	delta = move(fixture, &object, &system_memory);
	expect(&delta, UNMAP, SIZE, 1);
	expect(&delta, TRANSFER, 0, 0);
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

/* What was closed before is discarded beside. */
static void settle(const struct fixture *fixture)
{
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing else is there");
}

static void test_discard(const struct fixture *fixture)
{
	struct counters before, delta;
	struct object object;

	settle(fixture);
	fixture_flush_discards(fixture);
	tap_ret(object_create(fixture, &object, SIZE, 2), 0, "an object with content");
	tap_ret(object_place_and_wait(fixture, &object, &contiguous), 0, "place it in VRAM");
	before = read_counters(fixture);
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	delta = added(fixture, &before);
	expect(&delta, DISCARD, SIZE, 1);
	expect(&delta, TRANSFER, 0, 0);
	tap_ok(object_flags(fixture, &object) & DRM_QUIRE_BO_PURGED, "it is purged");
	object_close(fixture, &object);
}

static void test_evict_all(const struct fixture *fixture)
{
	struct object objects[8];
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(objects) && !ret; i++) {
		ret = object_create(fixture, &objects[i], (i + 1) * 64 * QUIRE_PAGE, i);
		if (!ret)
			ret = object_place(fixture, &objects[i], &vram);
	}
	tap_ret(ret, 0, "eight objects in VRAM");
	tap_ok(fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM), "VRAM is in use");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	tap_ok(!fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM), "VRAM is not in use");
	for (size_t i = 0; i < ARRAY_SIZE(objects) && !ret; i++)
		ret = object_check(fixture, &objects[i]);
	tap_ret(ret, 0, "the content of all is whole");
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		object_close(fixture, &objects[i]);
}

/* People look for the device, not for the number of one of its nodes. */
static void test_name(const struct fixture *fixture)
{
	char address[64] = "?";

	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "PCI name");
	tap_ok(strstr(fixture->debugfs, address), "%s has the PCI name %s", fixture->debugfs,
	       address);
}

/* The number behind "@key: " in @file; UINT64_MAX if it is not there. */
static uint64_t read_number(const struct fixture *fixture, const char *file, const char *key)
{
	static char text[65536];
	size_t length = strlen(key);

	if (debugfs_read(fixture->debugfs, file, text, sizeof(text)) < 0)
		return UINT64_MAX;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		line += strspn(line, " ");
		if (!strncmp(line, key, length) && line[length] == ':')
			return strtoull(line + length + 1, NULL, 10);
	}
	return UINT64_MAX;
}

static void expect_number(const struct fixture *fixture, const char *file, const char *key,
			  uint64_t expected)
{
	uint64_t got = read_number(fixture, file, key);

	if (!tap_ok(got == expected, "%s: %s is %" PRIu64, file, key, expected))
		tap_diag("it is %" PRId64, (int64_t)got);
}

/* What the managers say: on an empty device, and with an object in each place. */
static void test_managers(const struct fixture *fixture)
{
	static const struct place visible = {
		"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
	};
	struct object in_vram, in_aperture;

	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict all");
	expect_number(fixture, "vram_mm", "usage", 0);
	tap_ret(object_create(fixture, &in_vram, 3 * QUIRE_PAGE, 3), 0, "create");
	tap_ret(object_place_and_wait(fixture, &in_vram, &visible), 0, "place it visibly");
	tap_ret(object_create(fixture, &in_aperture, 5 * QUIRE_PAGE, 4), 0, "create another");
	tap_ret(object_place_and_wait(fixture, &in_aperture, &aperture), 0, "in the aperture");
	expect_number(fixture, "vram_mm", "size", fixture_vram(fixture));
	expect_number(fixture, "vram_mm", "usage", in_vram.size);
	expect_number(fixture, "vram_mm", "visible size", fixture_visible(fixture));
	expect_number(fixture, "vram_mm", "visible used", in_vram.size);
	expect_number(fixture, "aperture_mm", "usage", in_aperture.size);
	object_close(fixture, &in_vram);
	object_close(fixture, &in_aperture);
}

static const char * const move_names[] = {
	"system->vram", "vram->system", "vram->aperture", "aperture->system", "aperture->vram",
};

#define NR_MOVE_NAMES	ARRAY_SIZE(move_names)

static void read_moves(const struct fixture *fixture, struct debugfs_counter *moves)
{
	for (size_t i = 0; i < NR_MOVE_NAMES; i++) {
		if (debugfs_counter(fixture->debugfs, move_names[i], &moves[i]))
			tap_bail("no counter of %s", move_names[i]);
	}
}

/* @name is counted once more than in @before, an eviction or not, and no other is. */
static void expect_move(const struct fixture *fixture, const struct debugfs_counter *before,
			const char *name, bool eviction)
{
	struct debugfs_counter now[NR_MOVE_NAMES];
	bool ok = true;

	read_moves(fixture, now);
	for (size_t i = 0; i < NR_MOVE_NAMES; i++) {
		uint64_t moves = !strcmp(move_names[i], name);

		ok &= now[i].count == before[i].count + moves &&
		      now[i].bytes == before[i].bytes + moves * SIZE &&
		      now[i].evictions == before[i].evictions + (moves && eviction);
	}
	tap_ok(ok, "one move %s, %s", name, eviction ? "an eviction" : "no eviction");
}

/* Moves are counted under where they come from and where they go. */
static void test_move_counters(const struct fixture *fixture)
{
	struct debugfs_counter before[NR_MOVE_NAMES];
	struct object object;

	tap_ret(object_create(fixture, &object, SIZE, 5), 0, "an object with content");
	read_moves(fixture, before);
	move(fixture, &object, &vram);
	expect_move(fixture, before, "system->vram", false);
	read_moves(fixture, before);
	move(fixture, &object, &aperture);
	expect_move(fixture, before, "vram->aperture", false);
	read_moves(fixture, before);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict it");
	expect_move(fixture, before, "aperture->system", true);
	object_close(fixture, &object);
}

static void test_pool(const struct fixture *fixture)
{
	char text[256];
	int ret = debugfs_read(fixture->debugfs, "paging_pool", text, sizeof(text));
	char *number = ret > 0 ? strpbrk(text, "0123456789") : NULL;
	unsigned long long bytes = number ? strtoull(number, NULL, 10) : 0;
	uint64_t submissions;

	tap_ok(bytes && bytes <= QUIRE_MIB, "paging_pool pins at most a MiB (%llu)", bytes);
	submissions = fixture_count(fixture, "submissions");
	tap_ret(debugfs_write(fixture->debugfs, "paging_pool", "1"), 0, "it goes round");
	submissions = fixture_count(fixture, "submissions") - submissions;
	tap_ok(submissions * LARGEST > bytes / 2 && submissions < 100,
	       "with a few submissions (%" PRIu64 ")", submissions);
	tap_ret(debugfs_write(fixture->debugfs, "paging_pool", "x"), -EINVAL, "told by a number");
}

/* An object is locked until the process is told to end, and what is not a dma-buf is refused. */
static void test_lock(const struct fixture *fixture)
{
	struct object object;
	pid_t holder, waiter;
	int dmabuf;

	tap_ret(debugfs_lock(fixture->debugfs, fixture->fd), -EINVAL, "the device is no dma-buf");
	tap_ret(debugfs_lock(fixture->debugfs, 1000), -EBADF, "a descriptor that is not open");
	tap_ret(debugfs_write(fixture->debugfs, "lock", "0x100000000"), -EBADF, "and too large");
	tap_ret(object_create(fixture, &object, SIZE, 6), 0, "an object with content");
	dmabuf = dmabuf_export(fixture->fd, object.handle);
	holder = child_start(CHILD_S);
	if (!holder)
		_exit(-debugfs_lock(fixture->debugfs, dmabuf));
	tap_ok(child_gets_within(holder, "quire_lock_set", WAIT_MS), "it is locked");
	waiter = child_start(CHILD_S);
	if (!waiter)
		_exit(-object_place(fixture, &object, &vram));
	test_sleep_ms(LOOK_MS);
	tap_ok(child_is_running(waiter) && child_is_running(holder), "placing it waits");
	child_kill(holder);
	tap_ret(-child_status(waiter), 0, "and is done when the lock is free");
	close(dmabuf);
	object_close(fixture, &object);
}

static void test_nop(const struct fixture *fixture)
{
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "200"), 0, "200 empty submissions");
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "x"), -EINVAL,
		"nop_submit takes numbers");
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "0x100000000"), -EINVAL,
		"of 32 bits");
}

/* What "inject" does not know changes nothing. */
static void test_bad_injections(const struct fixture *fixture)
{
	static const char * const bad[] = {
		"hang", "hang x", "hang 0x100000000", "fold 1",
		"drop-irq 0000000000000000000000000000000000000000",
	};
	char before[256], after[256], path[128];
	int fd;

	debugfs_read(fixture->debugfs, "inject", before, sizeof(before));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		tap_ok(debugfs_write(fixture->debugfs, "inject", bad[i]) < 0,
		       "inject does not take '%s'", bad[i]);
	snprintf(path, sizeof(path), "%s/inject", fixture->debugfs);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	tap_ok(write(fd, "hang 0", 6) == 6, "it takes one");
	tap_ok(write(fd, "hang 1", 6) < 0 && errno == EINVAL, "and no other behind it");
	close(fd);
	debugfs_read(fixture->debugfs, "inject", after, sizeof(after));
	tap_ok(!strcmp(before, after), "and nothing is injected");
}

static const char * const events[] = { "submissions", "doorbells", "interrupts" };

#define NR_EVENTS	ARRAY_SIZE(events)
#define NR_TRIES	5

static void read_events(const struct fixture *fixture, uint64_t *counts)
{
	for (size_t i = 0; i < NR_EVENTS; i++)
		counts[i] = fixture_count(fixture, events[i]);
}

/* Of each event there is one when an object goes to VRAM. */
static bool is_told_once(const struct fixture *fixture, const struct object *object)
{
	uint64_t before[NR_EVENTS];
	bool once = true;

	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "nothing else is to be done");
	read_events(fixture, before);
	tap_ret(object_place_and_wait(fixture, object, &contiguous), 0, "place it in VRAM");
	for (size_t i = 0; i < NR_EVENTS; i++)
		once &= fixture_count_reaches(fixture, events[i], before[i] + 1, INTERRUPT_MS) &&
			fixture_count(fixture, events[i]) == before[i] + 1;
	return once;
}

/*
 * An idle device is told by one doorbell, and answers with one interrupt. It may not be idle yet
 * when evict_all returns, or its interrupt may come after that: then it is tried again.
 */
static void test_events(const struct fixture *fixture)
{
	struct object object = { .size = QUIRE_PAGE };
	uint64_t before[NR_EVENTS];
	bool once = false;

	settle(fixture);
	tap_ret(quire_bo_create(fixture->fd, object.size, &object.handle), 0, "an object");
	for (unsigned int i = 0; i < NR_TRIES && !once; i++)
		once = is_told_once(fixture, &object);
	tap_ok(once, "one submission, one doorbell, one interrupt");
	read_events(fixture, before);
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "1000"), 0, "submit 1000 times");
	tap_ok(fixture_count(fixture, events[0]) == before[0] + 1000, "1000 submissions");
	for (size_t i = 1; i < NR_EVENTS; i++)
		tap_ok(fixture_count(fixture, events[i]) <= before[i] + 1000, "at most as many %s",
		       events[i]);
	object_close(fixture, &object);
}

#define NR_BEHIND	20

/* A device at work finds by itself what comes behind; it hangs, so that it is. */
static void test_doorbells(const struct fixture *fixture)
{
	struct object objects[1 + NR_BEHIND];
	uint64_t submissions, doorbells, rung;
	int ret = 0;

	settle(fixture);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "nothing else is to be done");
	submissions = fixture_count(fixture, "submissions");
	doorbells = fixture_count(fixture, "doorbells");
	test_parameter("hang_period", 60000);
	fixture_inject(fixture, "hang 1");
	for (size_t i = 0; i < ARRAY_SIZE(objects) && !ret; i++) {
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &objects[i].handle);
		if (!ret)
			ret = object_place(fixture, &objects[i], &contiguous);
		if (!ret && !i)
			fixture_wait_hung(fixture);
	}
	tap_ret(ret, 0, "one move, and %d behind it", NR_BEHIND);
	tap_ok(fixture_count_reaches(fixture, "submissions", submissions + ARRAY_SIZE(objects),
				     WAIT_MS),
	       "all of them are handed over");
	rung = fixture_count(fixture, "doorbells") - doorbells;
	/* none, if it was not idle yet when the first one came */
	if (!tap_ok(rung <= 1, "one doorbell"))
		tap_diag("%" PRIu64 " doorbells", rung);
	test_parameter("hang_period", 200);
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
		if (!ret)
			ret = quire_bo_wait(fixture->fd, objects[i].handle, WAIT_MS);
		object_close(fixture, &objects[i]);
	}
	tap_ret(ret, 0, "all of them end");
	test_parameter("hang_period", 3000);
}

/* Who looks at the fences of all drivers finds out whose they are. */
static void test_fence_names(const struct fixture *fixture)
{
	struct object object = { .size = QUIRE_PAGE };
	bool found = false;
	char line[512];
	FILE *trace;

	if (!failing_write(EVENTS, "1")) {
		tap_skip("no trace of fences", "names of a fence");
		return;
	}
	tap_ret(quire_bo_create(fixture->fd, object.size, &object.handle), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	failing_write(EVENTS, "0");
	trace = fopen(TRACE, "re");
	while (trace && !found && fgets(line, sizeof(line), trace))
		found = strstr(line, "driver=quire timeline=ring ");
	tap_ok(found, "its fence is of the driver quire, and of a ring");
	if (trace)
		fclose(trace);
	object_close(fixture, &object);
}

int main(void)
{
	struct fixture fixture;

	tap_start(80);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	test_name(&fixture);
	test_fill(&fixture);
	test_moves(&fixture);
	test_discard(&fixture);
	test_evict_all(&fixture);
	test_managers(&fixture);
	test_move_counters(&fixture);
	test_pool(&fixture);
	test_lock(&fixture);
	test_nop(&fixture);
	test_bad_injections(&fixture);
	test_events(&fixture);
	test_doorbells(&fixture);
	test_fence_names(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
