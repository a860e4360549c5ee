// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The kernel asks for the memory of offered objects (DONTNEED): it is told how much there is,
 * gets as much as it asks for, and passes over what is in use. Root only.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"

#define VM		"/proc/sys/vm"
#define INSTANCE	"/sys/kernel/tracing/instances/quire-shrinker"
#define NR_OBJECTS	64
#define NR_BESIDE	8
#define PAGES		32
#define SIZE		(PAGES * QUIRE_PAGE)
#define LOOK_MS		400
#define HANG_MS		600000	/* more than it takes to look */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct asked - how the kernel asked the driver since asked_begin()
 * @passes: how often, while it had any
 * @had: pages that it had the first time
 * @freed: pages that were free after that
 */
struct asked {
	unsigned int passes;
	long had;
	long freed;
};

/* Every shrinker of the kernel is asked for all that it has, some at a time. */
static int drop_caches(void)
{
	return debugfs_write(VM, "drop_caches", "2");
}

static void asked_begin(void)
{
	/* to open it so empties it */
	int trace = open(INSTANCE "/trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (trace < 0 ||
	    debugfs_write(INSTANCE, "events/vmscan/mm_shrink_slab_start/enable", "1") ||
	    debugfs_write(INSTANCE, "events/vmscan/mm_shrink_slab_end/enable", "1"))
		tap_bail("tracefs");
	close(trace);
}

static long number_behind(const char *line, const char *name)
{
	const char *at = strstr(line, name);
	long number;

	if (!at || sscanf(at + strlen(name), "%ld", &number) != 1)
		tap_bail("no '%s' in: %s", name, line);
	return number;
}

static struct asked asked_end(void)
{
	struct asked asked = { 0 };
	FILE *trace;
	char line[512];

	debugfs_write(INSTANCE, "events/enable", "0");
	trace = fopen(INSTANCE "/trace", "re");
	if (!trace)
		tap_bail("no trace");
	while (fgets(line, sizeof(line), trace)) {
		if (!strstr(line, "quire_shrinker_scan"))
			continue;
		if (strstr(line, "mm_shrink_slab_start") && !asked.passes++)
			asked.had = number_behind(line, "cache items ");
		else if (strstr(line, "mm_shrink_slab_end") && asked.passes == 1)
			asked.freed = number_behind(line, "return val ");
	}
	fclose(trace);
	return asked;
}

static int offer_at(const struct fixture *fixture, struct object *object,
		    const struct place *place, uint64_t key)
{
	int ret = object_create(fixture, object, SIZE, key);

	if (!ret)
		ret = object_place_and_wait(fixture, object, place);
	if (!ret)
		ret = quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_DONTNEED,
				       NULL);
	return ret;
}

static int offer_all(const struct fixture *fixture, struct object *objects, unsigned int count)
{
	int ret = 0;

	for (unsigned int i = 0; i < count && !ret; i++)
		ret = offer_at(fixture, &objects[i], &system_memory, 100 + i);
	return ret;
}

static void close_all(const struct fixture *fixture, struct object *objects,
		      unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		object_close(fixture, &objects[i]);
}

static bool is_purged(const struct fixture *fixture, const struct object *object)
{
	return object_flags(fixture, object) & DRM_QUIRE_BO_PURGED;
}

/* Returns 1 if it is gone, 0 if it is whole, negative if it is neither. */
static int reclaim(const struct fixture *fixture, const struct object *object)
{
	bool retained;
	int ret = quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED,
				   &retained);

	if (!ret)
		ret = retained ? object_check(fixture, object) :
				 object_check_zero(fixture, object);
	return ret ? ret : !retained;
}

/* Until all are gone; the kernel does not ask for the last few pages at once. */
static bool drop_all(const struct fixture *fixture, const struct object *objects,
		     unsigned int count)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	unsigned int gone;

	do {
		gone = 0;
		drop_caches();
		for (unsigned int i = 0; i < count; i++)
			gone += is_purged(fixture, &objects[i]);
	} while (gone < count && quire_now_ns() < end);
	return gone == count;
}

/* What it asks for first is a part: the rest stays, for a while. */
static void test_amount(const struct fixture *fixture)
{
	struct object objects[NR_OBJECTS];
	struct asked asked;

	tap_ret(offer_all(fixture, objects, NR_OBJECTS), 0, "%d offered objects", NR_OBJECTS);
	asked_begin();
	tap_ret(drop_caches(), 0, "memory gets short");
	asked = asked_end();
	tap_ok(asked.had == NR_OBJECTS * PAGES, "the kernel is told of %ld pages", asked.had);
	tap_ok(asked.freed > 0 && asked.freed < NR_OBJECTS * PAGES,
	       "and gets %ld of them, as it asked for a part", asked.freed);
	tap_ok(drop_all(fixture, objects, NR_OBJECTS), "in the end all are gone");
	asked_begin();
	tap_ret(drop_caches(), 0, "memory gets short again");
	asked = asked_end();
	tap_ok(!asked.passes, "nothing is left to be asked for");
	close_all(fixture, objects, NR_OBJECTS);
}

/* Taken back, or closed: nobody asks for it. */
static void test_not_offered(const struct fixture *fixture)
{
	struct object back, closed, offered;
	struct asked asked;

	tap_ret(offer_at(fixture, &closed, &system_memory, 1), 0, "one is offered");
	object_close(fixture, &closed);
	tap_ret(offer_at(fixture, &closed, &aperture, 2), 0, "one is offered, in the aperture");
	object_close(fixture, &closed);
	tap_ok(fixture_settles(fixture, fixture->segments), "both are closed");
	tap_ret(offer_at(fixture, &back, &system_memory, 3), 0, "one is offered");
	tap_ret(reclaim(fixture, &back), 0, "and taken back");
	tap_ret(offer_at(fixture, &offered, &system_memory, 4), 0, "one is offered");
	asked_begin();
	tap_ret(drop_caches(), 0, "memory gets short");
	asked = asked_end();
	tap_ok(asked.had == PAGES, "the kernel is told of the last one: %ld pages", asked.had);
	tap_ret(object_check(fixture, &back), 0, "what was taken back is whole");
	object_close(fixture, &back);
	object_close(fixture, &offered);
}

static long pages_told(void)
{
	struct asked asked;

	asked_begin();
	if (drop_caches())
		tap_bail("drop_caches");
	asked = asked_end();
	return asked.passes ? asked.had : 0;
}

/*
 * What importers may have the pages of is not told; when nothing but a mapping is left, which is
 * no import, it is told again.
 */
static void test_exported(const struct fixture *fixture)
{
	struct object object;
	int dmabuf;
	void *map;

	tap_ret(offer_at(fixture, &object, &system_memory, 6), 0, "one is offered");
	dmabuf = dmabuf_export(fixture->fd, object.handle);
	if (dmabuf < 0 || quire_bo_map(fixture->fd, object.handle, SIZE, &map))
		tap_bail("export and mapping");
	tap_ok(pages_told() == 0, "exported, it is not told");
	object_close(fixture, &object);
	tap_ok(pages_told() == 0, "nor when its handle is closed");
	close(dmabuf);
	tap_ok(pages_told() == PAGES, "it is when the dma-buf is closed");
	munmap(map, SIZE);
}

enum touch { LOAD, STORE, DEBUGGER_READS, DEBUGGER_WRITES, NR_TOUCHES };

static const char * const touches[NR_TOUCHES] = {
	"a load", "a store", "a debugger that reads", "a debugger that writes",
};

/* As a debugger does it: not through the page tables. */
static bool debugger_touches(void *map, enum touch touch)
{
	int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	off_t at = (uintptr_t)map;
	char byte = 1;
	bool ok;

	ok = (touch == DEBUGGER_READS ? pread(memory, &byte, 1, at) :
	      pwrite(memory, &byte, 1, at)) == 1;
	close(memory);
	return ok;
}

static bool touch_it(volatile char *map, enum touch touch)
{
	if (touch == LOAD)
		return !*map;
	if (touch == STORE)
		*map = 1;
	return touch == STORE || debugger_touches((void *)map, touch);
}

/* What gets its pages after it was offered is told then. */
static void test_fresh(const struct fixture *fixture, enum touch touch)
{
	struct object object = { .size = SIZE };
	void *map;

	if (quire_bo_create(fixture->fd, SIZE, &object.handle) ||
	    quire_bo_map(fixture->fd, object.handle, SIZE, &map))
		tap_bail("object and mapping");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"one without pages is offered");
	tap_ok(pages_told() == 0, "it is not told");
	tap_ok(touch_it(map, touch), "%s", touches[touch]);
	tap_ok(pages_told() == PAGES, "then it is");
	munmap(map, SIZE);
	object_close(fixture, &object);
}

/**
 * struct looker - asks for an object all the time, and so has its lock
 * @fixture: the device
 * @object: the object
 * @end: when to stop
 */
struct looker {
	const struct fixture *fixture;
	const struct object *object;
	int64_t end;
};

static void *look(void *arg)
{
	struct looker *looker = arg;

	while (quire_now_ns() < looker->end)
		object_flags(looker->fixture, looker->object);
	return NULL;
}

/* All the time somebody has its lock. Returns 0 or a negative errno. */
static int drop_looked_at(const struct fixture *fixture, const struct object *object)
{
	struct looker looker = { fixture, object, quire_now_ns() + LOOK_MS * 1000000ll };
	pthread_t thread;
	int ret = 0;

	if (pthread_create(&thread, NULL, look, &looker))
		tap_bail("no thread");
	while (!ret && quire_now_ns() < looker.end)
		ret = drop_caches();
	pthread_join(thread, NULL);
	return ret;
}

/*
 * The device stands still while the first one leaves VRAM: it is passed over, the others are
 * not, and nothing is kept of what is locked.
 */
static void test_busy(const struct fixture *fixture)
{
	struct object busy, objects[NR_BESIDE];

	tap_ret(object_create(fixture, &busy, SIZE, 5), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &busy, &vram), 0, "in VRAM");
	test_parameter("hang_period", HANG_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &busy, &system_memory), 0, "it leaves, and that hangs");
	tap_ret(quire_bo_madvise(fixture->fd, busy.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"it is offered");
	tap_ret(offer_all(fixture, objects, NR_BESIDE), 0, "%d other ones", NR_BESIDE);
	tap_ok(drop_all(fixture, objects, NR_BESIDE), "memory gets short: these are gone");
	tap_ret(drop_looked_at(fixture, &busy), 0, "and that one is locked now and then");
	tap_ok(!is_purged(fixture, &busy), "it is not gone");
	tap_ret(quire_bo_wait(fixture->fd, busy.handle, 0), -ETIME, "it was at work all the time");
	test_parameter("hang_period", 3000);
	tap_ret(quire_bo_wait(fixture->fd, busy.handle, WAIT_MS), 0, "it has left VRAM");
	tap_ret(reclaim(fixture, &busy), 0, "it is whole");
	object_close(fixture, &busy);
	close_all(fixture, objects, NR_BESIDE);
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!fixture.debugfs[0] || access(VM "/drop_caches", W_OK))
		tap_skip_all("not root, or no debugfs");
	rmdir(INSTANCE);
	if (mkdir(INSTANCE, 0700))
		tap_skip_all("no tracefs");
	test_amount(&fixture);
	test_not_offered(&fixture);
	test_exported(&fixture);
	for (enum touch touch = 0; touch < NR_TOUCHES; touch++)
		test_fresh(&fixture, touch);
	if (fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_busy(&fixture);
	rmdir(INSTANCE);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
