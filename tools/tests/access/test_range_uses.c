// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A special lock ends the use of a range that it names, and no other: not the one that has the
 * same name after a reset of the function, whenever the lock was queued; and it does end it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "image.h"

#define NR_LARGE_MOVES	40
#define NR_FILLERS	16	/* objects whose moves fill the pool of paging buffers */
#define HOG_MS		2500
#define PERIOD_MS	2000
#define PATIENCE_MS	600000

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Fills its pages, and its tiles. */
static const struct image small = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 64, 64, 1, 2 };

static struct fixture fixture;
static char address[64];

/**
 * struct picture - an image with an alternate view
 * @object: size, handle and key are set
 * @map: its mapping
 */
struct picture {
	struct object object;
	void *map;
};

static int picture_create(struct picture *p, uint64_t key)
{
	struct object *object = &p->object;
	int ret;

	*p = (struct picture) { .object = { .size = image_object_size(&small), .key = key } };
	ret = image_create_view(fixture.fd, &small, &object->handle) ?:
	      quire_bo_map(fixture.fd, object->handle, object->size, &p->map);
	if (!ret)
		pattern_fill(p->map, object->size, key);
	return ret;
}

static void picture_close(struct picture *p)
{
	munmap(p->map, p->object.size);
	object_close(&fixture, &p->object);
}

static bool is_whole(const struct picture *p)
{
	return pattern_differs(p->map, p->object.size, p->object.key) == PATTERN_SAME;
}

static bool is_in_vram(const struct object *object)
{
	return object_segment(&fixture, object) == DRM_QUIRE_SEGMENT_VRAM;
}

/*
 * Both in VRAM. The device counts from 0; the first one has the first use of a range, and the
 * second one will have the next.
 */
static void begin(struct picture *first, struct picture *second)
{
	tap_ret(picture_create(first, 1) ?: picture_create(second, 2), 0, "two images");
	tap_ret(debugfs_write(fixture.debugfs, "evict_all", "1") ?: sysfs_reset(address), 0,
		"nobody has a range, and the device has counted none");
	tap_ret(object_place_and_wait(&fixture, &first->object, &vram) ?:
		object_place_and_wait(&fixture, &second->object, &vram), 0, "both in VRAM");
	tap_ok(!sigbus_on_read(first->map) && is_in_vram(&first->object), "the first is seen");
}

/* The second one was seen through the same range since the reset. */
static void finish(struct picture *first, struct picture *second)
{
	tap_ret(quire_bo_wait(fixture.fd, first->object.handle, WAIT_MS), 0, "the first has left");
	tap_ok(is_in_vram(&second->object) && is_whole(second), "the second is seen as it is");
	tap_ok(is_whole(first), "and so is the first");
	picture_close(first);
	picture_close(second);
}

/* The lock stands behind much work when the function is reset. */
static void test_queued(void)
{
	struct picture first, second;
	uint64_t size = fixture_vram(&fixture) / 4 / QUIRE_PAGE * QUIRE_PAGE;
	struct object large;
	int ret = 0;

	tap_ret(object_create(&fixture, &large, size, 3), 0, "a large object");
	begin(&first, &second);
	fixture_inject(&fixture, "hang 1");
	for (unsigned int i = 0; i < NR_LARGE_MOVES && !ret; i++)
		ret = object_place(&fixture, &large, i % 2 ? &system_memory : &vram);
	tap_ret(ret ?: object_place(&fixture, &first.object, &system_memory), 0,
		"it goes and comes, and then the first leaves");
	tap_ret(sysfs_reset(address), 0, "a reset");
	tap_ok(!sigbus_on_read(second.map), "the second is seen");
	finish(&first, &second);
	object_close(&fixture, &large);
}

/**
 * struct filler - who fills the pool of paging buffers while the device hangs
 * @objects: that move
 * @thread: that moves them
 * @stop: it is over
 */
struct filler {
	struct object objects[NR_FILLERS];
	atomic_int thread;
	bool stop;
};

static void *fill_pool(void *data)
{
	struct filler *filler = data;

	filler->thread = gettid();
	for (unsigned int i = 0; !__atomic_load_n(&filler->stop, __ATOMIC_RELAXED); i++)
		object_place(&fixture, &filler->objects[i % NR_FILLERS],
			     i / NR_FILLERS % 2 ? &system_memory : &aperture);
	return NULL;
}

static bool gets_within(const atomic_int *thread, const char *function)
{
	while (!*thread)
		test_sleep_ms(1);
	return child_gets_within(*thread, function, WAIT_MS);
}

static void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		tap_bail("affinity");
}

static atomic_int leaver;

static void *leave(void *data)
{
	const struct picture *p = data;

	pin_to(1);
	leaver = gettid();
	return (void *)(intptr_t)object_place(&fixture, &p->object, &system_memory);
}

static bool hog_stop;

/* Who is on this processor does not go on. */
static void *hog(void *unused)
{
	const struct sched_param param = { .sched_priority = 50 };
	int64_t end = quire_now_ns() + HOG_MS * 1000000ll;

	(void)unused;
	pin_to(1);
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
		tap_bail("no real-time priority");
	while (!__atomic_load_n(&hog_stop, __ATOMIC_RELAXED) && quire_now_ns() < end)
		;
	return NULL;
}

/* The lock has a name, but no buffer yet, when the function is reset; and gets one late. */
static void test_late(void)
{
	pthread_t threads[3];
	struct picture first, second;
	static struct filler filler;
	void *result;
	int ret = 0;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		tap_skip("one processor", "a lock that is late");
		return;
	}
	pin_to(0);
	for (unsigned int i = 0; i < NR_FILLERS && !ret; i++)
		ret = object_create(&fixture, &filler.objects[i], QUIRE_PAGE, i);
	tap_ret(ret, 0, "small objects");
	begin(&first, &second);
	test_parameter("hang_period", PATIENCE_MS);
	fixture_inject(&fixture, "hang 1");
	pthread_create(&threads[0], NULL, fill_pool, &filler);
	tap_ok(gets_within(&filler.thread, "drm_suballoc_new"), "the pool is full");
	pthread_create(&threads[1], NULL, leave, &first);
	tap_ok(gets_within(&leaver, "quire_move_submit"), "the first can not be told to leave");
	/* the reset ends when the ring is restarted: soon, and while the leaver can not go on */
	test_parameter("hang_period", PERIOD_MS);
	pthread_create(&threads[2], NULL, hog, NULL);
	__atomic_store_n(&filler.stop, true, __ATOMIC_RELAXED);
	tap_ret(sysfs_reset(address), 0, "a reset");
	tap_ok(!sigbus_on_read(second.map), "the second is seen");
	__atomic_store_n(&hog_stop, true, __ATOMIC_RELAXED);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], i == 1 ? &result : NULL);
	test_parameter("hang_period", 3000);
	tap_ret((int)(intptr_t)result, 0, "the first leaves");
	finish(&first, &second);
	for (unsigned int i = 0; i < NR_FILLERS; i++)
		object_close(&fixture, &filler.objects[i]);
}

/* Exactly as much as a range shows. */
static void test_largest(void)
{
	const struct image image = {
		DRM_QUIRE_LAYOUT_TILE_64K, 4, 2048, fixture.info.swizzling_range_size / 8192, 1, 1,
	};
	struct object object = { .size = image_object_size(&image) };
	volatile uint32_t *last;
	void *map;

	tap_ret(image_create(fixture.fd, &image, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
			     &object.handle) ?:
		quire_bo_map(fixture.fd, object.handle, object.size, &map), 0,
		"an image as large as a range");
	last = map + object.size - 4;
	*last = 5;
	tap_ret(object_place_and_wait(&fixture, &object, &vram), 0, "into VRAM");
	tap_ok(*last == 5 && is_in_vram(&object), "it is seen there");
	*last = 6;
	tap_ret(object_place_and_wait(&fixture, &object, &system_memory), 0, "out of VRAM");
	tap_ok(*last == 6, "what was written is there");
	munmap(map, object.size);
	object_close(&fixture, &object);
}

/* What the device shows through its ranges, while nobody drives it. */
static bool ranges_are_dark(void)
{
	uint64_t size = fixture.info.swizzling_range_size;
	bool dark = true;
	char path[128];
	uint8_t *map;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource5", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	map = mmap(NULL, fixture.info.swizzling_ranges * size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		tap_bail("resource5");
	for (uint32_t i = 0; i < fixture.info.swizzling_ranges; i++)
		for (uint64_t at = 0; at < image_object_size(&small); at += 8)
			dark &= !*(volatile uint64_t *)(map + i * size + at);
	munmap(map, fixture.info.swizzling_ranges * size);
	return dark;
}

/* One that is left when it is unbound has left its range to a special lock. */
static void test_dark(void)
{
	struct picture p;

	tap_ret(picture_create(&p, 8) ?: object_place_and_wait(&fixture, &p.object, &vram), 0,
		"an image in VRAM");
	tap_ok(is_whole(&p) && is_in_vram(&p.object), "it is seen");
	tap_ret(object_place_and_wait(&fixture, &p.object, &system_memory), 0, "it leaves");
	close(fixture.fd);
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	tap_ok(ranges_are_dark(), "nothing is seen through any range");
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
	munmap(p.map, p.object.size);
	fixture_reopen(&fixture);
	fixture_test_works(&fixture);
}

int main(void)
{
	tap_start(120);
	fixture_open(&fixture);
	if (!fixture.info.swizzling_ranges || !*fixture.debugfs || getuid() ||
	    !(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES) ||
	    sysfs_pci_address(fixture.fd, address, sizeof(address)) ||
	    fixture.info.swizzling_range_size / 8192 > 16384 ||
	    fixture.info.swizzling_range_size > fixture_vram(&fixture) / 2)
		tap_skip_all("no ranges that VRAM has room for, no debugfs, or the CPU copies");
	test_largest();
	test_queued();
	test_late();
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	test_dark();
	return tap_done();
}
