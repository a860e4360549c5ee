// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What loses its content in VRAM: the device hears of it, in order, and nobody waits. */
#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include "fixture.h"
#include "vgem.h"

#define NR_SMALL	256
#define NR_BESIDE	16
#define NR_REUSES	64

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place contiguous = {
	"contiguous", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS
};

static struct debugfs_counter count_discards(const struct fixture *fixture)
{
	struct debugfs_counter counter = { 0 };

	if (debugfs_counter(fixture->debugfs, "DISCARD_CONTENT", &counter))
		tap_bail("no counter of discards");
	return counter;
}

static bool device_copies(const struct fixture *fixture)
{
	return fixture->info.caps & DRM_QUIRE_CAP_DEVICE_COPIES;
}

/* Until @bytes were discarded since @before; returns the packets, 0 if they were not. */
static uint64_t wait_discards(const struct fixture *fixture, struct debugfs_counter before,
			      uint64_t bytes)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	struct debugfs_counter now;

	do {
		now = count_discards(fixture);
		if (now.bytes - before.bytes >= bytes)
			break;
		test_sleep_ms(5);
	} while (quire_now_ns() < end);
	return now.bytes - before.bytes == bytes ? now.count - before.count : 0;
}

/* Objects of a page in VRAM, in order, with content. */
static int create_small(const struct fixture *fixture, struct object *objects, size_t count)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		ret = object_create(fixture, &objects[i], QUIRE_PAGE, i);
		if (!ret)
			ret = object_place_and_wait(fixture, &objects[i], &vram);
	}
	return ret;
}

/*
 * Nothing else happens: it goes out by itself, and neighbours go out together. Those before
 * and behind them stay.
 */
static void test_batch(const struct fixture *fixture, bool backwards)
{
	struct object all[NR_BESIDE + NR_SMALL + NR_BESIDE], *objects = all + NR_BESIDE;
	struct debugfs_counter before;
	uint64_t packets;
	int ret = create_small(fixture, all, ARRAY_SIZE(all));

	tap_ret(ret, 0, "%zu objects of a page in VRAM", ARRAY_SIZE(all));
	before = count_discards(fixture);
	for (size_t i = 0; i < NR_SMALL; i++)
		object_close(fixture, &objects[backwards ? NR_SMALL - 1 - i : i]);
	packets = wait_discards(fixture, before, NR_SMALL * QUIRE_PAGE);
	tap_ok(packets, "%d closed%s, all of them are discarded", NR_SMALL,
	       backwards ? " backwards" : "");
	if (!tap_ok(packets && packets <= NR_SMALL / 4, "neighbours in one packet"))
		tap_diag("%" PRIu64 " packets", packets);
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "1"), 0, "the device has done it");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!all[i].handle)
			continue;
		if (!ret)
			ret = object_check(fixture, &all[i]);
		object_close(fixture, &all[i]);
	}
	tap_ret(ret, 0, "the others are whole");
	tap_ok(wait_discards(fixture, before, ARRAY_SIZE(all) * QUIRE_PAGE),
	       "closed, they are discarded too");
}

/* More places than a batch has room for: every second object stays. */
static void test_many_places(const struct fixture *fixture)
{
	static struct object objects[4 * NR_SMALL];
	struct debugfs_counter before;
	size_t count = ARRAY_SIZE(objects);
	int ret = create_small(fixture, objects, count);

	tap_ret(ret, 0, "%zu objects of a page in VRAM", count);
	before = count_discards(fixture);
	for (size_t i = 0; i < count; i += 2)
		object_close(fixture, &objects[i]);
	tap_ok(wait_discards(fixture, before, count / 2 * QUIRE_PAGE),
	       "every second closed, each of them is discarded");
	for (size_t i = 1; i < count && !ret; i += 2)
		ret = object_check(fixture, &objects[i]);
	tap_ret(ret, 0, "the others are whole");
	before = count_discards(fixture);
	for (size_t i = 1; i < count; i += 2)
		object_close(fixture, &objects[i]);
	tap_ok(wait_discards(fixture, before, count / 2 * QUIRE_PAGE),
	       "closed, they are discarded too");
}

/* A place is given to the next object while its discard is on the way. */
static void test_reuse(const struct fixture *fixture)
{
	struct object dead, object;
	struct debugfs_counter before = count_discards(fixture);
	uint64_t size = QUIRE_MIB;
	int ret = 0;

	for (unsigned int i = 0; i < NR_REUSES && !ret; i++) {
		ret = object_create(fixture, &dead, size, i);
		if (!ret)
			ret = object_create(fixture, &object, size, NR_REUSES + i);
		if (!ret)
			ret = object_place_and_wait(fixture, &dead, &contiguous);
		if (ret)
			break;
		object_close(fixture, &dead);
		ret = object_place_and_wait(fixture, &object, &contiguous);
		/* Longer than a discard waits for others. */
		if (!ret && i % 16 == 0)
			test_sleep_ms(300);
		if (!ret)
			ret = object_check(fixture, &object);
		object_close(fixture, &object);
	}
	tap_ret(ret, 0, "%d objects where another one has just died are whole", NR_REUSES);
	/* What the CPU writes is in no order with the device, so it hears nothing. */
	if (device_copies(fixture))
		tap_ok(wait_discards(fixture, before, 2 * NR_REUSES * size),
		       "and every dead one was discarded, once");
	else
		tap_ok(count_discards(fixture).count == before.count, "and none was discarded");
}

struct eviction {
	const struct fixture *fixture;
	bool done;
	int ret;
};

static void *evict_all(void *arg)
{
	struct eviction *eviction = arg;

	eviction->ret = debugfs_write(eviction->fixture->debugfs, "evict_all", "1");
	__atomic_store_n(&eviction->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* BUSY: what somebody else uses is discarded when he is done, not before. */
static void test_busy(const struct fixture *fixture)
{
	struct eviction eviction = { .fixture = fixture };
	struct debugfs_counter before;
	struct object object;
	pthread_t thread;
	uint32_t fence;
	int vgem = vgem_open();

	if (vgem < 0) {
		tap_skip("no vgem here", "a busy object is discarded when it is idle");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 7), 0, "an object with content");
	tap_ret(object_place_and_wait(fixture, &object, &contiguous), 0, "place it in VRAM");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
		"somebody else uses it");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	before = count_discards(fixture);
	if (pthread_create(&thread, NULL, evict_all, &eviction))
		tap_bail("no thread");
	test_sleep_ms(500);
	tap_ok(!__atomic_load_n(&eviction.done, __ATOMIC_ACQUIRE), "its eviction waits");
	tap_ok(count_discards(fixture).count == before.count, "it is not discarded yet");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	pthread_join(thread, NULL);
	tap_ret(eviction.ret, 0, "it is evicted");
	tap_ok(wait_discards(fixture, before, QUIRE_MIB) == 1, "and discarded");
	tap_ok(object_flags(fixture, &object) & DRM_QUIRE_BO_PURGED, "it is purged");
	object_close(fixture, &object);
	close(vgem);
}

/* Who closes it does not wait for the other one, who has no business in VRAM. */
static void test_dying(const struct fixture *fixture)
{
	struct debugfs_counter before;
	struct object object;
	uint32_t fence;
	int vgem = vgem_open();

	if (vgem < 0) {
		tap_skip("no vgem here", "a busy object that dies is discarded");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 8), 0, "an object with content");
	tap_ret(object_place_and_wait(fixture, &object, &contiguous), 0, "place it in VRAM");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
		"somebody else uses it");
	before = count_discards(fixture);
	object_close(fixture, &object);
	tap_ok(wait_discards(fixture, before, QUIRE_MIB) == 1, "closed, it is discarded");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done later");
	close(vgem);
}

int main(void)
{
	struct fixture fixture;

	tap_start(280);
	fixture_open(&fixture);
	if (!fixture.debugfs[0])
		tap_skip_all("no debugfs");
	tap_ret(debugfs_write(fixture.debugfs, "evict_all", "1"), 0,
		"what an earlier program left is discarded");
	test_reuse(&fixture);
	if (device_copies(&fixture)) {
		test_batch(&fixture, false);
		test_batch(&fixture, true);
		test_many_places(&fixture);
		test_busy(&fixture);
		test_dying(&fixture);
	}
	return tap_done();
}
