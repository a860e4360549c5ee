// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Objects that the CPU sees through the device while they are in the aperture: the same bytes
 * at the same pointer before, during and after every move and every reset; by way of BAR 1
 * there and nowhere else; whatever form of address list they are mapped by.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dma-buf.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "device_view.h"
#include "dmabuf.h"
#include "fixture.h"

#define NR_OBJECTS	12
#define NR_WRITERS	2
#define NR_RESETS	3
#define QUIET_MS	2500	/* of the 3 seconds until the driver knows that a ring hangs */
#define NR_WORDS	4	/* of each object, that are written all the time */
#define NR_SCATTERED	64
#define NR_FULL		16	/* objects that fill the window */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct shown - an object for the window
 * @object: size and handle are set
 * @map: its mapping
 */
struct shown {
	struct object object;
	void *map;
};

static int shown_create(const struct fixture *fixture, struct shown *shown, uint64_t size,
			uint32_t caching)
{
	int ret;

	*shown = (struct shown){ .object.size = size };
	ret = quire_bo_create_window(fixture->fd, size, caching, &shown->object.handle);
	return ret ?: quire_bo_map(fixture->fd, shown->object.handle, size, &shown->map);
}

static void shown_close(const struct fixture *fixture, struct shown *shown)
{
	munmap(shown->map, shown->object.size);
	object_close(fixture, &shown->object);
}

/* How often the CPU got a mapping of BAR 1. */
static uint64_t looks(const struct fixture *fixture)
{
	return fixture_count(fixture, "window-faults");
}

/* To each place, written there, and looked at in the next one. */
static void test_content(const struct fixture *fixture, uint64_t size, uint32_t caching)
{
	static const struct place * const way[] = {
		&aperture, &vram, &aperture, &system_memory, &vram, &system_memory, &aperture,
		&vram, &aperture, &system_memory,
	};
	bool same = true, seen = true;
	struct shown shown;
	uint64_t before;
	int ret = 0;

	tap_ret(shown_create(fixture, &shown, size, caching), 0, "caching %u, %" PRIu64 " pages",
		caching, size / QUIRE_PAGE);
	for (size_t i = 0; i < ARRAY_SIZE(way) && !ret; i++) {
		pattern_fill(shown.map, size, i);
		ret = object_place_and_wait(fixture, &shown.object, way[i]);
		before = looks(fixture);
		same &= pattern_differs(shown.map, size, i) == PATTERN_SAME;
		seen &= (looks(fixture) > before) == (way[i] == &aperture);
	}
	tap_ret(ret, 0, "everywhere");
	tap_ok(same, "its pointer shows what was written");
	tap_ok(seen, "through BAR 1 in the aperture, and nowhere else");
	shown_close(fixture, &shown);
}

static int place_two(const struct fixture *fixture, const struct shown *two,
		     const struct place *place)
{
	return object_place_and_wait(fixture, &two[0].object, place) ?:
	       object_place_and_wait(fixture, &two[1].object, place);
}

/* The device shows what it maps so, as coherent as the pages are, and nothing of it later. */
static void test_entries(const struct fixture *fixture)
{
	uint64_t maps = fixture_count(fixture, "MAP_APERTURE_SEGMENT2");
	struct device_aperture before, now;
	struct shown two[2];

	tap_ret(device_aperture_read(fixture->debugfs, &before), 0, "ask the device");
	tap_ret(shown_create(fixture, &two[0], 9 * QUIRE_PAGE, DRM_QUIRE_CACHING_CACHED) ?:
		shown_create(fixture, &two[1], 5 * QUIRE_PAGE, DRM_QUIRE_CACHING_WRITE_COMBINED),
		0, "a cached object and a write-combined one");
	tap_ret(place_two(fixture, two, &aperture), 0, "to the aperture");
	tap_ok(fixture_count(fixture, "MAP_APERTURE_SEGMENT2") >= maps + 2,
	       "they are mapped by address lists");
	device_aperture_read(fixture->debugfs, &now);
	tap_ok(now.visible == before.visible + 14, "the CPU sees all of them");
	tap_ok(now.coherent == before.coherent + 9, "they are as coherent as they are cached");
	tap_ret(place_two(fixture, two, &system_memory), 0, "out of it");
	device_aperture_read(fixture->debugfs, &now);
	tap_ok(now.visible == before.visible && now.coherent == before.coherent,
	       "nothing of them is seen any more");
	shown_close(fixture, &two[0]);
	shown_close(fixture, &two[1]);
}

/* One base where the pages follow each other, else an array of them. */
static void test_forms(const struct fixture *fixture)
{
	struct device_packets before, now;
	unsigned int listed = 0, i;
	struct shown shown;

	tap_ret(device_packets_read(fixture->debugfs, &before), 0, "ask the device");
	tap_ret(shown_create(fixture, &shown, QUIRE_PAGE, 0) ?:
		object_place_and_wait(fixture, &shown.object, &aperture), 0, "one page");
	device_packets_read(fixture->debugfs, &now);
	tap_ok(now.contiguous > before.contiguous, "is mapped by its number");
	shown_close(fixture, &shown);
	for (i = 0; i < NR_SCATTERED && !listed; i++) {
		if (shown_create(fixture, &shown, 7 * QUIRE_PAGE, 0) ||
		    object_place_and_wait(fixture, &shown.object, &aperture))
			tap_bail("no object");
		device_packets_read(fixture->debugfs, &now);
		listed = now.listed;
		pattern_fill(shown.map, 7 * QUIRE_PAGE, i);
		if (object_place_and_wait(fixture, &shown.object, &vram) ||
		    pattern_differs(shown.map, 7 * QUIRE_PAGE, i) != PATTERN_SAME)
			tap_bail("content");
		shown_close(fixture, &shown);
	}
	tap_ok(listed, "pages that are anywhere are mapped by an array");
}

/* What does not ask for the window is not in the way, and stays. */
static void test_full(const struct fixture *fixture)
{
	const uint64_t size = fixture->info.aperture_window_size / NR_FULL;
	static struct shown shown[NR_FULL + 1];
	struct object other;
	bool same = true;
	unsigned int i, there = 0;
	int ret = 0;

	tap_ret(object_create(fixture, &other, 5 * QUIRE_PAGE, 77) ?:
		object_place_and_wait(fixture, &other, &aperture), 0, "another object");
	for (i = 0; i <= NR_FULL && !ret; i++)
		ret = shown_create(fixture, &shown[i], size, i & 1);
	for (i = 0; i <= NR_FULL && !ret; i++) {
		*(volatile uint64_t *)(shown[i].map + size - 8) = i;
		ret = object_place_and_wait(fixture, &shown[i].object, &aperture);
		if (!ret && i == NR_FULL - 1)
			tap_ok(object_segment(fixture, &shown[0].object) == aperture.segment,
			       "%u objects fill the window", NR_FULL);
	}
	tap_ret(ret, 0, "one more comes in");
	for (i = 0; i <= NR_FULL; i++) {
		same &= *(volatile uint64_t *)(shown[i].map + size - 8) == i;
		there += object_segment(fixture, &shown[i].object) == aperture.segment;
	}
	tap_ok(there == NR_FULL, "one of them has left it");
	tap_ok(same, "all of them are whole");
	tap_ok(object_is_at(fixture, &other, &aperture), "the other one has stayed");
	tap_ret(object_check(fixture, &other), 0, "and is whole");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	for (i = 0; i <= NR_FULL; i++) {
		same &= *(volatile uint64_t *)(shown[i].map + size - 8) == i;
		shown_close(fixture, &shown[i]);
	}
	tap_ok(same, "all of them are whole");
	object_close(fixture, &other);
}

/* What leaves VRAM for others does not go where it would be in the way of the window's. */
static void test_evicted(const struct fixture *fixture)
{
	struct object other, filler = { .size = fixture_vram(fixture) };
	struct shown shown;

	tap_ret(object_create(fixture, &other, 5 * QUIRE_PAGE, 78) ?:
		object_place_and_wait(fixture, &other, &vram), 0, "another object, in VRAM");
	tap_ret(quire_bo_create(fixture->fd, filler.size, &filler.handle) ?:
		object_place_and_wait(fixture, &filler, &vram), 0, "somebody wants all of VRAM");
	tap_ok(object_is_at(fixture, &other, &aperture), "it has gone to the aperture");
	tap_ret(shown_create(fixture, &shown, fixture->info.aperture_window_size, 0) ?:
		object_place_and_wait(fixture, &shown.object, &aperture), 0, "fill the window");
	tap_ok(object_is_at(fixture, &other, &aperture), "the other one has stayed");
	tap_ret(object_check(fixture, &other), 0, "and is whole");
	shown_close(fixture, &shown);
	object_close(fixture, &filler);
	object_close(fixture, &other);
}

/* Exactly the window, of which the first and the last page are written. */
static void test_largest(const struct fixture *fixture)
{
	const uint64_t size = fixture->info.aperture_window_size;
	struct shown shown;
	volatile uint64_t *first, *last;

	tap_ret(shown_create(fixture, &shown, size, 0), 0, "as large as the window");
	first = shown.map;
	last = shown.map + size - 8;
	*first = 1;
	*last = 2;
	tap_ret(object_place_and_wait(fixture, &shown.object, &aperture), 0, "to the aperture");
	tap_ok(*first == 1 && *last == 2, "its ends are there");
	*first = 3;
	*last = 4;
	tap_ret(object_place_and_wait(fixture, &shown.object, &system_memory), 0, "out of it");
	tap_ok(*first == 3 && *last == 4, "its ends are there");
	shown_close(fixture, &shown);
}

/* As a debugger, and as others that map its dma-buf. */
static void test_others(const struct fixture *fixture)
{
	int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	uint64_t word = 0x1122334455667788, read = 0;
	volatile uint64_t *at;
	struct shown shown;
	int dmabuf;
	void *map;

	tap_ret(shown_create(fixture, &shown, 3 * QUIRE_PAGE, 0) ?:
		object_place_and_wait(fixture, &shown.object, &aperture), 0, "to the aperture");
	at = shown.map + 2 * QUIRE_PAGE - 8;
	tap_ok(pwrite(file, &word, 8, (uintptr_t)at) == 8 && *at == word,
	       "the program sees what a debugger writes");
	*at = ~word;
	tap_ok(pread(file, &read, 8, (uintptr_t)at) == 8 && read == ~word,
	       "a debugger sees what the program writes");
	close(file);

	dmabuf = dmabuf_export(fixture->fd, shown.object.handle);
	tap_ret(dmabuf_map(dmabuf, shown.object.size, &map), 0, "map it as a dma-buf");
	dmabuf_sync(dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	tap_ok(*(volatile uint64_t *)(map + 2 * QUIRE_PAGE - 8) == ~word, "it shows the same");
	*(volatile uint64_t *)map = word;
	dmabuf_sync(dmabuf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	tap_ok(*(volatile uint64_t *)shown.map == word, "and is seen");
	munmap(map, shown.object.size);
	close(dmabuf);
	shown_close(fixture, &shown);
}

/**
 * struct writer - who writes all the time
 * @shown: where, some words of each object
 * @first: of them, then every NR_WRITERS-th
 * @count: how often each was written
 * @wrong: what was read was not what was written
 * @stop: it is over
 */
struct writer {
	const struct shown *shown;
	unsigned int first;
	uint32_t count;
	unsigned int wrong;
	bool stop;
};

/* Until then a ring hangs, and nothing moves: the threads that write sleep after each round. */
static int64_t quiet_until;

static volatile uint32_t *word_of(const struct shown *shown, unsigned int i)
{
	return (volatile uint32_t *)shown->map + i * 1237 % (shown->object.size / 4);
}

static void *write_words(void *data)
{
	struct writer *w = data;

	do {
		for (unsigned int i = w->first; i < NR_OBJECTS; i += NR_WRITERS)
			for (unsigned int n = 0; n < NR_WORDS; n++) {
				volatile uint32_t *word = word_of(&w->shown[i], n);

				w->wrong += w->count && *word != w->count;
				*word = w->count + 1;
			}
		__atomic_store_n(&w->count, w->count + 1, __ATOMIC_RELAXED);
		if (quire_now_ns() < __atomic_load_n(&quiet_until, __ATOMIC_RELAXED))
			test_sleep_ms(1);
	} while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED));
	return NULL;
}

static int place_all(const struct fixture *fixture, const struct shown *shown,
		     const struct place *place)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = object_place_and_wait(fixture, &shown[i].object, place);
	return ret;
}

static int stir(const struct fixture *fixture, const struct shown *shown)
{
	static const struct place * const ways[] = { &vram, &aperture, &system_memory, &aperture };
	uint64_t random = 7;
	int ret = 0;

	for (unsigned int i = 0; i < 150 && !ret; i++)
		ret = object_place(fixture, &shown[random_below(&random, NR_OBJECTS)].object,
				   ways[random_below(&random, ARRAY_SIZE(ways))]);
	return ret;
}

static int reset_function(const struct fixture *fixture, const struct shown *shown)
{
	char address[64];
	int ret = sysfs_pci_address(fixture->fd, address, sizeof(address)) ?:
		  place_all(fixture, shown, &aperture);

	for (unsigned int i = 0; i < NR_RESETS && !ret; i++) {
		test_sleep_ms(20);
		ret = sysfs_reset(address);
	}
	test_sleep_ms(20);
	return ret;
}

/* The driver resets the device, at a hang that no restart is to mend. */
static int recover(const struct fixture *fixture, const struct shown *shown)
{
	struct object object;
	int ret = place_all(fixture, shown, &aperture) ?:
		  object_create(fixture, &object, QUIRE_PAGE, 1);

	test_parameter("hang_restarts", 0);
	for (unsigned int i = 0; i < NR_RESETS && !ret; i++) {
		fixture_inject(fixture, "hang 1");
		__atomic_store_n(&quiet_until, quire_now_ns() + QUIET_MS * 1000000ll,
				 __ATOMIC_RELAXED);
		ret = object_place_and_wait(fixture, &object, i % 2 ? &system_memory : &aperture);
	}
	test_parameter("hang_restarts", 1);
	object_close(fixture, &object);
	return ret;
}

typedef int (*disturb_fn)(const struct fixture *fixture, const struct shown *shown);

static void test_writers(const struct fixture *fixture, const struct shown *shown,
			 disturb_fn disturb, const char *what)
{
	struct writer writers[NR_WRITERS];
	pthread_t threads[NR_WRITERS];
	unsigned int wrong = 0, lost = 0;

	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		writers[i] = (struct writer){ .shown = shown, .first = i };
		pthread_create(&threads[i], NULL, write_words, &writers[i]);
	}
	tap_ret(disturb(fixture, shown), 0, "%s while objects are written", what);
	for (unsigned int i = 0; i < NR_WRITERS; i++)
		__atomic_store_n(&writers[i].stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < NR_WRITERS; i++) {
		pthread_join(threads[i], NULL);
		wrong += writers[i].wrong;
		for (unsigned int n = i; n < NR_OBJECTS; n += NR_WRITERS)
			for (unsigned int k = 0; k < NR_WORDS; k++)
				lost += *word_of(&shown[n], k) != writers[i].count;
	}
	tap_ok(!wrong && !lost, "no word was lost, %u and %u were wrong", wrong, lost);
}

/* By their pages, from then on. */
static void test_given_up(struct fixture *fixture, struct shown *shown)
{
	uint64_t before;
	bool same = true;
	pid_t pid;
	int ret;

	tap_ret(place_all(fixture, shown, &aperture), 0, "to the aperture");
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		pattern_fill(shown[i].map, shown[i].object.size, i);
	test_parameter("hang_period", 100);
	pid = fixture_start_hanging(fixture, 0);
	do {
		ret = object_place_and_wait(fixture, &shown[0].object, &vram) ?:
		      object_place_and_wait(fixture, &shown[0].object, &aperture);
	} while (!ret);
	child_kill(pid);
	test_parameter("hang_period", 3000);
	tap_ret(ret, -EIO, "the device is given up");
	before = looks(fixture);
	for (unsigned int i = 1; i < NR_OBJECTS; i++)
		same &= pattern_differs(shown[i].map, shown[i].object.size, i) == PATTERN_SAME;
	tap_ok(same, "what was in the aperture is whole");
	tap_ok(looks(fixture) == before, "nobody looks through BAR 1");
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		shown_close(fixture, &shown[i]);
	fixture_rebind(fixture);
	fixture_test_works(fixture);
}

static void test_all_writers(struct fixture *fixture)
{
	static struct shown shown[NR_OBJECTS];
	int ret = 0;

	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = shown_create(fixture, &shown[i], (1 + i * 5 % 7) * QUIRE_PAGE, i & 1);
	tap_ret(ret, 0, "create %u objects", NR_OBJECTS);
	test_writers(fixture, shown, stir, "they go and come");
	test_writers(fixture, shown, reset_function, "the function is reset");
	test_writers(fixture, shown, recover, "the device is reset");
	tap_ret(place_all(fixture, shown, &vram), 0, "to VRAM");
	test_given_up(fixture, shown);
}

int main(void)
{
	static const uint64_t sizes[] = { QUIRE_PAGE, 7 * QUIRE_PAGE, 31 * QUIRE_PAGE };
	struct fixture fixture;

	tap_start(240);
	fixture_open(&fixture);
	if (!fixture.info.aperture_window_size)
		tap_skip_all("the aperture has no window");
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (uint32_t caching = 0; caching <= DRM_QUIRE_CACHING_WRITE_COMBINED; caching++)
			test_content(&fixture, sizes[i], caching);
	test_entries(&fixture);
	test_forms(&fixture);
	test_largest(&fixture);
	test_full(&fixture);
	if (fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_evicted(&fixture);
	test_others(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	test_all_writers(&fixture);
	return tap_done();
}
