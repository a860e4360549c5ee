// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Offered content (DONTNEED) when memory is short, not VRAM: it is dropped and not swapped out,
 * what is needed stays, and "retained" never lies. Root only.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device_view.h"
#include "dmabuf.h"
#include "fixture.h"
#include "vgem.h"

#define VM		"/proc/sys/vm"
#define SIZE		QUIRE_MIB
#define NR_SMALL	256
#define NR_OFFERED	8
#define NR_RACERS	3
#define RACE_MS		1500
#define PAUSE_US	3000

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Every shrinker of the kernel is asked for all that it has. */
static int drop_caches(void)
{
	return debugfs_write(VM, "drop_caches", "2");
}

static int offer(const struct fixture *fixture, const struct object *object)
{
	return quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_DONTNEED, NULL);
}

static bool is_purged(const struct fixture *fixture, const struct object *object)
{
	return object_flags(fixture, object) & DRM_QUIRE_BO_PURGED;
}

/* Repeated: BO_INFO locks the object, and the shrinker passes over a locked one. */
static bool drop_until_purged(const struct fixture *fixture, const struct object *object)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (!is_purged(fixture, object)) {
		if (drop_caches() || quire_now_ns() > end)
			return false;
		test_sleep_ms(5);
	}
	return true;
}

static struct debugfs_counter counter_of(const struct fixture *fixture, const char *name)
{
	struct debugfs_counter counter;

	if (debugfs_counter(fixture->debugfs, name, &counter))
		tap_bail("no counter %s", name);
	return counter;
}

/* KiB of a line of /proc/meminfo. */
static uint64_t meminfo(const char *name)
{
	char text[4096];
	const char *line;
	uint64_t kib;

	if (debugfs_read("/proc", "meminfo", text, sizeof(text)) < 0)
		tap_bail("no answer from /proc");
	line = strstr(text, name);
	if (!line || sscanf(line + strlen(name), ": %" SCNu64, &kib) != 1)
		tap_bail("no line %s", name);
	return kib;
}

static void create_at(const struct fixture *fixture, struct object *object,
		      const struct place *place, uint64_t key)
{
	int ret = object_create(fixture, object, SIZE, key);

	if (!ret)
		ret = object_place_and_wait(fixture, object, place);
	tap_ret(ret, 0, "an object with content in %s", place->name);
}

/* Takes it back: 1 it is gone and zero, 0 it is whole, negative it is neither. */
static int reclaim(const struct fixture *fixture, const struct object *object)
{
	bool retained;
	int ret = quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED,
				   &retained);

	if (ret)
		return ret;
	ret = retained ? object_check(fixture, object) : object_check_zero(fixture, object);
	return ret ? ret : !retained;
}

/* Offered, and memory gets short: its pages are free while it is still open. */
static void test_dropped(const struct fixture *fixture, const struct place *place)
{
	struct debugfs_counter before = counter_of(fixture, "purged-shrunk"), after;
	struct object object;
	uint64_t used;
	void *map;

	create_at(fixture, &object, place, 1);
	used = fixture_usage(fixture, place->segment);
	if (quire_bo_map(fixture->fd, object.handle, SIZE, &map))
		tap_bail("mmap");
	tap_ok(!sigbus_on_read(map), "it is mapped");
	tap_ret(offer(fixture, &object), 0, "it is offered");
	tap_ok(!is_purged(fixture, &object), "nothing happens");
	tap_ok(drop_until_purged(fixture, &object), "memory gets short: it is purged");
	tap_ok(sigbus_on_read(map), "touching it raises SIGBUS");
	tap_ok(used - fixture_usage(fixture, place->segment) == SIZE, "its place is free");
	tap_ret(object_place(fixture, &object, &vram), -ENODATA, "it can not be placed");
	after = counter_of(fixture, "purged-shrunk");
	tap_ok(after.count - before.count == 1 && after.bytes - before.bytes == SIZE,
	       "the purge is counted");
	tap_ret(reclaim(fixture, &object), 1, "taken back, it is gone and reads as zero");
	tap_ok(!sigbus_on_write(map), "it can be touched again");
	tap_ret(object_fill(fixture, &object), 0, "it takes content");
	tap_ret(drop_caches(), 0, "memory gets short again");
	tap_ret(object_check(fixture, &object), 0, "it is needed now, and whole");
	munmap(map, SIZE);
	object_close(fixture, &object);
}

static bool device_has_none(const struct fixture *fixture)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	struct device_aperture seen = { 0 };

	do {
		if (!device_aperture_read(fixture->debugfs, &seen) && !seen.mapped)
			return true;
		test_sleep_ms(10);
	} while (quire_now_ns() < end);
	return false;
}

/* Needed, or offered and taken back, or somebody else's business: it is whole. */
static void test_kept(const struct fixture *fixture, const struct place *place)
{
	struct object needed, back;

	create_at(fixture, &needed, place, 2);
	create_at(fixture, &back, place, 3);
	tap_ret(offer(fixture, &back), 0, "one is offered");
	tap_ret(reclaim(fixture, &back), 0, "and taken back: it is whole");
	tap_ret(drop_caches(), 0, "memory gets short");
	test_sleep_ms(50);
	tap_ok(!is_purged(fixture, &needed) && !is_purged(fixture, &back), "none is purged");
	tap_ok(object_is_at(fixture, &needed, place) && object_is_at(fixture, &back, place),
	       "they are where they were");
	tap_ret(object_check(fixture, &needed), 0, "the needed one is whole");
	tap_ret(object_check(fixture, &back), 0, "that which was taken back, too");
	object_close(fixture, &needed);
	object_close(fixture, &back);
}

/* The pages of what is in VRAM are no memory that the kernel could have. */
static void test_in_vram(const struct fixture *fixture)
{
	struct object object;

	create_at(fixture, &object, &vram, 4);
	tap_ret(offer(fixture, &object), 0, "it is offered");
	tap_ret(drop_caches(), 0, "memory gets short");
	test_sleep_ms(50);
	tap_ret(reclaim(fixture, &object), 0, "it is whole");
	object_close(fixture, &object);
}

/* Offered first, it gets pages later: by a move, or when it is touched. */
static void test_offered_before(const struct fixture *fixture)
{
	struct object moved, touched = { .size = SIZE };
	void *map;

	create_at(fixture, &moved, &vram, 8);
	tap_ret(offer(fixture, &moved), 0, "it is offered in VRAM");
	tap_ret(object_place_and_wait(fixture, &moved, &system_memory), 0, "and leaves it");
	tap_ret(quire_bo_create(fixture->fd, SIZE, &touched.handle), 0, "one without pages");
	tap_ret(offer(fixture, &touched), 0, "it is offered");
	if (quire_bo_map(fixture->fd, touched.handle, SIZE, &map))
		tap_bail("mmap");
	tap_ok(!sigbus_on_write(map), "and written to");
	tap_ret(drop_caches(), 0, "memory gets short");
	tap_ok(is_purged(fixture, &moved), "the one that was in VRAM is purged");
	tap_ok(is_purged(fixture, &touched), "the other one, too");
	munmap(map, SIZE);
	object_close(fixture, &moved);
	object_close(fixture, &touched);
}

/* Others may have the pages of what is exported, and have those of what is pinned. */
static void test_shared(const struct fixture *fixture, bool pinned)
{
	int vgem = pinned ? vgem_open() : -1, dmabuf;
	struct object object;
	uint32_t handle;

	if (pinned && vgem < 0) {
		tap_skip("no vgem here", "what is pinned is not dropped");
		return;
	}
	create_at(fixture, &object, &system_memory, 5);
	tap_ret(offer(fixture, &object), 0, "it is offered");
	dmabuf = dmabuf_export(fixture->fd, object.handle);
	tap_ok(dmabuf >= 0, "and exported");
	if (pinned)
		tap_ret(dmabuf_import(vgem, dmabuf, &handle), 0, "and vgem imports it");
	tap_ret(drop_caches(), 0, "memory gets short");
	tap_ok(!is_purged(fixture, &object), "it is not purged");
	tap_ok(fixture_settles_with(fixture, SIZE), "it is alone");
	if (!pinned)
		tap_ok(debugfs_swap_out() == SIZE / QUIRE_PAGE, "it is swapped out");
	tap_ok(!is_purged(fixture, &object), "it is not purged then");
	tap_ret(reclaim(fixture, &object), 0, "it is whole");
	if (vgem >= 0)
		close(vgem);
	close(dmabuf);
	object_close(fixture, &object);
}

/*
 * One that is needed is swapped out, though it was used earlier than those that are offered;
 * these take nothing of what pages are swapped to.
 */
static void test_swap(const struct fixture *fixture)
{
	struct debugfs_counter before = counter_of(fixture, "purged-swapped"), after;
	struct object needed, offered[NR_OFFERED];
	uint64_t kib;
	int gone = 0;

	create_at(fixture, &needed, &system_memory, 6);
	for (unsigned int i = 0; i < NR_OFFERED; i++) {
		create_at(fixture, &offered[i], i % 2 ? &system_memory : &aperture, 10 + i);
		tap_ret(offer(fixture, &offered[i]), 0, "it is offered");
	}
	/* what is in the aperture comes after what is not */
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "all in system memory");
	tap_ok(fixture_settles_with(fixture, (1 + NR_OFFERED) * SIZE), "and nothing else");
	kib = meminfo("Shmem");
	tap_ok(debugfs_swap_out() == SIZE / QUIRE_PAGE, "one object is swapped out");
	kib = meminfo("Shmem") > kib ? meminfo("Shmem") - kib : 0;
	/* the kernel's count lags behind a little */
	if (!tap_ok(kib < 2 * SIZE / 1024, "and no other"))
		tap_diag("%" PRIu64 " KiB", kib);
	for (unsigned int i = 0; i < NR_OFFERED; i++)
		gone += is_purged(fixture, &offered[i]);
	tap_ok(gone == NR_OFFERED, "%d of %d offered ones are gone", gone, NR_OFFERED);
	after = counter_of(fixture, "purged-swapped");
	tap_ok(after.count - before.count == NR_OFFERED &&
	       after.bytes - before.bytes == NR_OFFERED * SIZE, "the purges are counted");
	tap_ret(object_check(fixture, &needed), 0, "the needed one comes back whole");
	for (unsigned int i = 0; i < NR_OFFERED; i++) {
		tap_ret(reclaim(fixture, &offered[i]), 1, "an offered one reads as zero");
		object_close(fixture, &offered[i]);
	}
	object_close(fixture, &needed);
}

/*
 * Many leave VRAM at once: the device hears of it in few submissions, not in two for each object.
 * How many depends on the machine: the driver makes two of what has waited for 100 ms.
 */
static void test_batch(const struct fixture *fixture)
{
	struct debugfs_counter submissions, discards, purges;
	struct object objects[NR_SMALL];
	int ret = 0;

	for (unsigned int i = 0; i < NR_SMALL && !ret; i++) {
		ret = object_create(fixture, &objects[i], QUIRE_PAGE, i);
		if (!ret)
			ret = object_place_and_wait(fixture, &objects[i], &vram);
		if (!ret)
			ret = offer(fixture, &objects[i]);
	}
	tap_ret(ret, 0, "%d offered objects in VRAM", NR_SMALL);
	submissions = counter_of(fixture, "submissions");
	discards = counter_of(fixture, "DISCARD_CONTENT");
	purges = counter_of(fixture, "purged-evicted");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	submissions.count = counter_of(fixture, "submissions").count - submissions.count;
	discards.bytes = counter_of(fixture, "DISCARD_CONTENT").bytes - discards.bytes;
	purges.count = counter_of(fixture, "purged-evicted").count - purges.count;
	tap_ok(purges.count == NR_SMALL, "all are purged by that");
	tap_ok(discards.bytes == NR_SMALL * QUIRE_PAGE, "all are discarded");
	if (!tap_ok(submissions.count <= NR_SMALL / 2, "in few submissions"))
		tap_diag("%" PRIu64 " submissions", submissions.count);
	for (unsigned int i = 0; i < NR_SMALL; i++)
		object_close(fixture, &objects[i]);
}

/*
 * The kernel runs out of free memory: those that it has to keep free are raised above what is
 * free, so that it looks for more, but not so far that it would kill.
 */
static void test_free_memory(const struct fixture *fixture)
{
	struct object needed, objects[NR_OFFERED];
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	char before[24], wanted[24];
	unsigned int gone;
	void *memory;

	create_at(fixture, &needed, &system_memory, 7);
	for (unsigned int i = 0; i < NR_OFFERED; i++) {
		create_at(fixture, &objects[i], i % 2 ? &system_memory : &aperture, 20 + i);
		tap_ret(offer(fixture, &objects[i]), 0, "it is offered");
	}
	if (debugfs_read(VM, "min_free_kbytes", before, sizeof(before)) < 0)
		tap_bail("min_free_kbytes");
	snprintf(wanted, sizeof(wanted), "%" PRIu64, meminfo("MemFree") * 17 / 20);
	tap_ret(debugfs_write(VM, "min_free_kbytes", wanted), 0, "more has to be kept free");
	do {
		memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		munmap(memory, SIZE);
		gone = 0;
		for (unsigned int i = 0; i < NR_OFFERED; i++)
			gone += is_purged(fixture, &objects[i]);
		test_sleep_ms(5);
	} while (gone < NR_OFFERED && quire_now_ns() < end);
	tap_ret(debugfs_write(VM, "min_free_kbytes", before), 0, "as before");
	tap_ok(gone == NR_OFFERED, "%u of %d offered ones are gone", gone, NR_OFFERED);
	tap_ret(object_check(fixture, &needed), 0, "the needed one is whole");
	for (unsigned int i = 0; i < NR_OFFERED; i++) {
		tap_ret(reclaim(fixture, &objects[i]), 1, "an offered one reads as zero");
		object_close(fixture, &objects[i]);
	}
	object_close(fixture, &needed);
}

/**
 * struct racer - offers one object and takes it back, again and again
 * @fixture: the device
 * @place: where it is offered
 * @thread: that does it
 * @end: when to stop
 * @pause_us: it is offered for less than that
 * @whole: how often it was whole
 * @gone: how often it was gone
 * @ret: what went wrong
 */
struct racer {
	const struct fixture *fixture;
	const struct place *place;
	pthread_t thread;
	int64_t end;
	unsigned int pause_us;
	unsigned int whole;
	unsigned int gone;
	int ret;
};

static int race_once(struct racer *racer, const struct object *object, uint64_t *random)
{
	int ret = object_place_and_wait(racer->fixture, object, racer->place);

	if (!ret)
		ret = offer(racer->fixture, object);
	if (ret)
		return ret;
	usleep(random_below(random, racer->pause_us));
	ret = reclaim(racer->fixture, object);
	if (ret < 0)
		return ret;
	racer->whole += !ret;
	racer->gone += ret;
	return ret ? object_fill(racer->fixture, object) : 0;
}

static void *race(void *arg)
{
	struct racer *racer = arg;
	uint64_t random = racer->place->segment + 1;
	struct object object;

	racer->ret = object_create(racer->fixture, &object, 16 * QUIRE_PAGE, random);
	while (!racer->ret && quire_now_ns() < racer->end)
		racer->ret = race_once(racer, &object, &random);
	object_close(racer->fixture, &object);
	return NULL;
}

/* All the time pages are dropped and swapped out. */
static int run_race(struct racer racers[NR_RACERS], unsigned int pause_us)
{
	int64_t end = quire_now_ns() + RACE_MS * 1000000ll;
	int ret = 0;

	for (unsigned int i = 0; i < NR_RACERS; i++) {
		racers[i].end = end;
		racers[i].pause_us = pause_us;
		if (pthread_create(&racers[i].thread, NULL, race, &racers[i]))
			tap_bail("no thread");
	}
	while (!ret && quire_now_ns() < end) {
		ret = drop_caches();
		usleep(1500);
		if (!ret)
			ret = debugfs_swap_out() < 0 ? -EIO : 0;
		usleep(1500);
	}
	for (unsigned int i = 0; i < NR_RACERS; i++) {
		pthread_join(racers[i].thread, NULL);
		ret = ret ? ret : racers[i].ret;
	}
	return ret;
}

/*
 * Says that it is whole: it is. While nothing goes, because this machine takes longer to look for
 * pages than they are offered, it is done again with longer pauses.
 */
static void test_race(const struct fixture *fixture)
{
	const struct place *const where[NR_RACERS] = { &system_memory, &aperture, &vram };
	struct racer racers[NR_RACERS];
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	unsigned int pause_us = PAUSE_US;
	int ret;

	for (unsigned int i = 0; i < NR_RACERS; i++)
		racers[i] = (struct racer){ .fixture = fixture, .place = where[i] };
	do {
		ret = run_race(racers, pause_us);
		if (pause_us < RACE_MS * 1000 / 2)
			pause_us *= 2;
	} while (!ret && !(racers[0].gone && racers[1].gone) && quire_now_ns() < end);
	tap_ret(ret, 0, "memory is short all the time");
	for (unsigned int i = 0; i < NR_RACERS; i++) {
		tap_ret(racers[i].ret, 0, "race in %s: it is whole, or said to be gone and zero",
			where[i]->name);
		tap_diag("whole %u times, gone %u times", racers[i].whole, racers[i].gone);
	}
	tap_ok(racers[0].gone && racers[1].gone, "some were gone");
	tap_ok(racers[0].whole + racers[1].whole + racers[2].whole, "some were whole");
}

int main(void)
{
	struct fixture fixture;

	tap_start(180);
	fixture_open(&fixture);
	if (!fixture.debugfs[0] || access(VM "/drop_caches", W_OK) || access(DEBUGFS_TTM, R_OK))
		tap_skip_all("not root, or no debugfs");
	debugfs_write(fixture.debugfs, "evict_all", "1");
	test_dropped(&fixture, &system_memory);
	test_dropped(&fixture, &aperture);
	tap_ok(device_has_none(&fixture), "the aperture shows no page");
	test_kept(&fixture, &system_memory);
	test_kept(&fixture, &aperture);
	test_in_vram(&fixture);
	test_offered_before(&fixture);
	test_shared(&fixture, false);
	test_shared(&fixture, true);
	test_swap(&fixture);
	if (fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_batch(&fixture);
	test_free_memory(&fixture);
	test_race(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
