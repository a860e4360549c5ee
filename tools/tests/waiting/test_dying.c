// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Objects that somebody is at work with die while memory is short: where TTM would be given a
 * fence, there is no slot for it, so who frees them waits. Needs a kernel with fault injection,
 * as the debug guest has it.
 */
#include <unistd.h>

#include "device_view.h"
#include "dmabuf.h"
#include "failing.h"
#include "fixture.h"
#include "vgem.h"

#define SIZE		(16 * QUIRE_PAGE)
#define MOST_FENCES	16
#define NR_SMALL	64

/* Time for the worker that frees objects. */
#define WORKER_MS	500

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };

static int vgem;

/**
 * struct busy - an object, and others at work with it
 * @object: the object
 * @fences: of others
 * @nr_fences: how many
 */
struct busy {
	struct object object;
	uint32_t fences[MOST_FENCES];
	unsigned int nr_fences;
};

static void without_slots(bool on)
{
	if (!(on ? failing_all(0, 0) : failing_none()))
		tap_bail("failslab");
}

/* Nobody can add a fence any more. */
static bool is_full(int dmabuf, int file)
{
	int ret;

	without_slots(true);
	ret = dmabuf_import_sync_file(dmabuf, file);
	without_slots(false);
	return ret == -ENOMEM;
}

/* Until no slot is left; what has signalled leaves one, and moves of ours are over. */
static bool busy_fill(const struct fixture *fixture, struct busy *busy, int dmabuf)
{
	bool full = false;
	int file;

	if (vgem_attach_fence(vgem, fixture->fd, busy->object.handle, &busy->fences[0]))
		tap_bail("vgem");
	file = dmabuf_export_sync_file(dmabuf);
	for (busy->nr_fences = 1; busy->nr_fences < MOST_FENCES; busy->nr_fences++) {
		full = is_full(dmabuf, file);
		if (full || vgem_attach_fence(vgem, fixture->fd, busy->object.handle,
					      &busy->fences[busy->nr_fences]))
			break;
	}
	close(file);
	return full;
}

static void busy_create(const struct fixture *fixture, struct busy *busy,
			const struct place *place)
{
	int dmabuf;

	tap_ret(object_create(fixture, &busy->object, SIZE, 1), 0, "an object");
	tap_ret(object_place_and_wait(fixture, &busy->object, place), 0, "in the %s",
		place->name);
	dmabuf = dmabuf_export(fixture->fd, busy->object.handle);
	tap_ok(busy_fill(fixture, busy, dmabuf), "others are at work with it, no slot is left");
	close(dmabuf);
}

static int busy_end(struct busy *busy)
{
	int ret = 0;

	while (busy->nr_fences && !ret)
		ret = vgem_signal_fence(vgem, busy->fences[--busy->nr_fences]);
	return ret;
}

/* The device hangs at what it is told of the death: the place is kept until that is over. */
static void test_waits(const struct fixture *fixture, const struct place *place)
{
	struct busy busy;
	uint64_t usage;

	busy_create(fixture, &busy, place);
	usage = fixture_usage(fixture, place->segment);
	test_parameter("hang_period", 600000);
	fixture_inject(fixture, "hang 1");
	without_slots(true);
	object_close(fixture, &busy.object);
	fixture_wait_hung(fixture);
	without_slots(false);
	tap_ret(busy_end(&busy), 0, "the others are done");
	test_sleep_ms(WORKER_MS);
	tap_ok(fixture_usage(fixture, place->segment) == usage,
	       "its place in the %s is kept while the device hangs", place->name);
	test_parameter("hang_period", 3000);
	tap_ok(fixture_settles(fixture, fixture->segments), "and free when that is over");
}

static uint64_t count_mapped(const struct fixture *fixture)
{
	struct device_aperture view;

	if (device_aperture_read(fixture->debugfs, &view))
		tap_bail("device_aperture");
	return view.mapped;
}

/* Does the device let go of all pages of the dead in bounded time? */
static bool device_lets_go(const struct fixture *fixture, uint64_t mapped)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	do {
		if (count_mapped(fixture) == mapped)
			return true;
		test_sleep_ms(10);
	} while (quire_now_ns() < end);
	return false;
}

static void test_lets_go(const struct fixture *fixture)
{
	uint64_t mapped = count_mapped(fixture);
	struct busy busy;

	busy_create(fixture, &busy, &aperture);
	tap_ok(count_mapped(fixture) == mapped + SIZE / QUIRE_PAGE, "the device sees its pages");
	without_slots(true);
	object_close(fixture, &busy.object);
	tap_ok(device_lets_go(fixture, mapped), "without a slot, it lets go of them");
	without_slots(false);
	tap_ret(busy_end(&busy), 0, "the others are done");
	tap_ok(fixture_settles(fixture, fixture->segments), "its place is free");
}

/* In as many pieces as there are holes. */
static int place_in_pieces(const struct fixture *fixture, struct object *object)
{
	struct object small[NR_SMALL], large = { 0 };
	int ret = 0;

	for (unsigned int i = 0; i < NR_SMALL && !ret; i++) {
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &small[i].handle);
		if (!ret)
			ret = object_place(fixture, &small[i], &vram);
	}
	large.size = fixture_vram(fixture) - NR_SMALL * QUIRE_PAGE;
	if (!ret)
		ret = quire_bo_create(fixture->fd, large.size, &large.handle);
	if (!ret)
		ret = object_place_and_wait(fixture, &large, &vram);
	for (unsigned int i = 0; i < NR_SMALL && !ret; i += 2)
		ret = object_place(fixture, &small[i], &places[0]);
	if (!ret)
		ret = object_create(fixture, object, NR_SMALL / 2 * QUIRE_PAGE, 3);
	if (!ret)
		ret = object_place_and_wait(fixture, object, &vram);
	for (unsigned int i = 0; i < NR_SMALL; i++)
		object_close(fixture, &small[i]);
	object_close(fixture, &large);
	return ret;
}

static uint64_t count_discards(const struct fixture *fixture)
{
	return fixture_count(fixture, "DISCARD_CONTENT");
}

/*
 * A discard is a hint: without memory for the list of its pages there is none. Objects die in the
 * order in which they are closed: when the last one has, the device was told of the one before, or
 * was not.
 */
static void test_no_hint(const struct fixture *fixture)
{
	struct object object, last;
	uint64_t discards;
	uint32_t fence;

	tap_ret(place_in_pieces(fixture, &object), 0, "an object in %u pieces", NR_SMALL / 2);
	tap_ok(fixture_comes_down(fixture, DRM_QUIRE_SEGMENT_VRAM, object.size),
	       "and alone in VRAM");
	tap_ret(object_create(fixture, &last, QUIRE_PAGE, 4), 0, "another one");
	/* The device is told of all that has left VRAM before. */
	tap_ret(object_place_and_wait(fixture, &last, &vram), 0, "comes there");
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "1"), 0, "all else is done");
	discards = count_discards(fixture);
	/* This takes long. vgem's fence ends by itself in ten seconds. */
	if (!failing_below("quire"))
		tap_bail("failing_below");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
		"others are at work with it");
	without_slots(true);
	object_close(fixture, &object);
	object_close(fixture, &last);
	tap_ok(fixture_comes_down(fixture, DRM_QUIRE_SEGMENT_VRAM, object.size),
	       "both die, without memory");
	without_slots(false);
	fixture_flush_discards(fixture);
	tap_ok(count_discards(fixture) == discards + 1, "no discard but that of the other one");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the others are done");
	tap_ok(fixture_settles(fixture, fixture->segments), "it is freed all the same");
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	vgem = vgem_open();
	if (vgem < 0 || !*fixture.debugfs)
		tap_skip_all("no vgem, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("the device is not told of discards");
	if (!failing_begin() || !failing_within("dma_resv_reserve_fences"))
		tap_skip_all("a kernel without fault injection");
	test_lets_go(&fixture);
	test_waits(&fixture, &aperture);
	test_waits(&fixture, &vram);
	test_no_hint(&fixture);
	failing_end();
	close(vgem);
	fixture_test_works(&fixture);
	return tap_done();
}
