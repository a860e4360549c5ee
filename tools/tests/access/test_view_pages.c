// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Pages that an alternate view has kept are given back: when the image leaves VRAM and comes
 * back without being mapped, when its content is lost, when it dies, and when the device goes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fdinfo.h"
#include "fixture.h"
#include "image.h"
#include "ticks.h"
#include "work.h"

#define NR_LARGE	3	/* at a time */
#define NR_ROUNDS	4
#define NR_FRESH	20	/* images that may get pages which are not clear */
#define NR_RANGES	16	/* that a device may have */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Both fill their pages. */
static const struct image small = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 64, 64, 1, 2 };
static const struct image large = { DRM_QUIRE_LAYOUT_TILE_64K, 4, 2048, 1024, 1, 1 };

/**
 * struct picture - an image with an alternate view
 * @object: size, handle and key are set
 * @map: its mapping
 */
struct picture {
	struct object object;
	void *map;
};

static int picture_create(const struct fixture *fixture, struct picture *p,
			  const struct image *image, uint64_t key)
{
	struct object *object = &p->object;

	*p = (struct picture) { .object = { .size = image_object_size(image), .key = key } };
	return image_create_view(fixture->fd, image, &object->handle) ?:
	       quire_bo_map(fixture->fd, object->handle, object->size, &p->map);
}

static void picture_close(const struct fixture *fixture, struct picture *p)
{
	if (p->map)
		munmap(p->map, p->object.size);
	object_close(fixture, &p->object);
}

static void fill(const struct picture *p)
{
	pattern_fill(p->map, p->object.size, p->object.key);
}

static bool is_whole(const struct picture *p)
{
	return pattern_differs(p->map, p->object.size, p->object.key) == PATTERN_SAME;
}

static bool is_alternate(const struct fixture *fixture, const struct picture *p)
{
	return object_flags(fixture, &p->object) & DRM_QUIRE_BO_ALTERNATE;
}

/* To the view, which keeps its pages when it comes back. */
static int keep(const struct fixture *fixture, const struct picture *p)
{
	*(volatile uint32_t *)p->map = 1;
	return object_place_and_wait(fixture, &p->object, &vram) ?:
	       object_place_and_wait(fixture, &p->object, &system_memory) ?:
	       object_place_and_wait(fixture, &p->object, &vram);
}

/* In all, of what is here alone. */
static uint64_t resident(const struct fixture *fixture)
{
	return fdinfo_region(fixture->fd, "resident", DRM_QUIRE_SEGMENT_SYSTEM);
}

/* Bytes that programs could have. */
static uint64_t available(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "MemAvailable: %" SCNu64, &kib);
	if (file)
		fclose(file);
	return kib * 1024;
}

/* Some of it takes a moment to come back. */
static bool becomes_available(uint64_t bytes)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (available() < bytes && quire_now_ns() < end)
		test_sleep_ms(20);
	tap_diag("%" PRIu64 " of %" PRIu64 " KiB", available() / 1024, bytes / 1024);
	return available() >= bytes;
}

/* It comes back when nobody would look at the pages. */
static void test_unmapped(const struct fixture *fixture)
{
	struct picture p;

	tap_ret(picture_create(fixture, &p, &small, 1), 0, "create");
	fill(&p);
	tap_ret(object_place_and_wait(fixture, &p.object, &vram) ?:
		object_place_and_wait(fixture, &p.object, &system_memory), 0, "to the view");
	tap_ok(is_alternate(fixture, &p), "which has it");
	munmap(p.map, p.object.size);
	p.map = NULL;
	tap_ret(object_place_and_wait(fixture, &p.object, &vram), 0, "back, not mapped any more");
	tap_ok(!resident(fixture), "no pages are kept");
	tap_ret(object_check(fixture, &p.object), 0, "the content is there");
	picture_close(fixture, &p);
}

/* Never written: nothing of others is in the pages of the view, nor behind the image. */
static void test_fresh(const struct fixture *fixture)
{
	static const struct image image = { DRM_QUIRE_LAYOUT_TILE_4K, 4, 30, 30, 1, 1 };
	struct picture p;
	int ret = 0;

	for (unsigned int i = 0; i < NR_FRESH && !ret; i++) {
		ret = picture_create(fixture, &p, &image, 0) ?:
		      object_place_and_wait(fixture, &p.object, &vram);
		test_soil_pages();
		ret = ret ?: object_place_and_wait(fixture, &p.object, &system_memory);
		if (!ret && pattern_not_zero(p.map, p.object.size) != PATTERN_SAME)
			ret = -EILSEQ;
		picture_close(fixture, &p);
	}
	tap_ret(ret, 0, "fresh images read as zero in their view, to the end");
}

static void on_signal(int signal)
{
	(void)signal;
}

/* It can not leave again before it has come, and a signal ends that wait. */
static void test_interrupted(const struct fixture *fixture)
{
	struct drm_quire_bo_place out = {
		.segment = fixture->segments[DRM_QUIRE_SEGMENT_SYSTEM].instance,
	};
	struct picture p;
	uint64_t before;
	pid_t pid;

	tap_ret(picture_create(fixture, &p, &large, 4), 0, "create");
	fill(&p);
	tap_ret(keep(fixture, &p) ?:
		object_place_and_wait(fixture, &p.object, &system_memory), 0, "to the view");
	fill(&p);
	tap_ok(fixture_settles_with(fixture, p.object.size), "it has nothing else");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(object_place(fixture, &p.object, &vram), 0, "back to VRAM");
	fixture_wait_hung(fixture);
	before = available();
	out.handle = p.object.handle;
	pid = tick_within(on_signal, "dma_resv_wait_timeout");
	tap_ret(quire_ioctl_once(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &out), -EINTR,
		"a signal ends the wait");
	tap_ok(available() < before + p.object.size / 2,
	       "the pages that the device still reads are kept");
	tap_ret(child_status(pid), 0, "the wait had begun");
	test_parameter("hang_period", 3000);
	tap_ret(quire_bo_wait(fixture->fd, p.object.handle, WAIT_MS), 0, "it has come");
	tap_ok(is_whole(&p), "the content is there");
	picture_close(fixture, &p);
}

/* What the view had was dropped. */
static void test_dropped(const struct fixture *fixture)
{
	struct picture p;

	tap_ret(picture_create(fixture, &p, &small, 5), 0, "create");
	tap_ret(keep(fixture, &p) ?:
		object_place_and_wait(fixture, &p.object, &system_memory) ?:
		quire_bo_madvise(fixture->fd, p.object.handle, DRM_QUIRE_MADV_DONTNEED, NULL) ?:
		debugfs_write("/proc/sys/vm", "drop_caches", "2"), 0,
		"offered in the view, and memory gets short");
	tap_ok(object_flags(fixture, &p.object) & DRM_QUIRE_BO_PURGED, "it is purged");
	tap_ok(!is_alternate(fixture, &p), "the view has nothing");
	picture_close(fixture, &p);
}

/* The next move is given up. */
static void give_up_next(const struct fixture *fixture)
{
	char fault[32];

	/* The move; after a reset the dummy page, what is where, and the move again. */
	snprintf(fault, sizeof(fault), "fault %u", 3 + fixture_resident_runs(fixture));
	test_parameter("hang_restarts", 0);
	fixture_inject(fixture, "hang 1");
	fixture_inject(fixture, fault);
}

static void lose(const struct fixture *fixture, const struct picture *p, const struct place *to)
{
	give_up_next(fixture);
	tap_ret(object_place(fixture, &p->object, to), 0, "to %s", to->name);
	tap_ret(quire_bo_wait(fixture->fd, p->object.handle, WAIT_MS), 0, "the move ends");
	test_parameter("hang_restarts", 1);
	tap_ok(object_flags(fixture, &p->object) & DRM_QUIRE_BO_PURGED, "its content is lost");
}

/* New content, as of an object that was just made. */
static void renew(const struct fixture *fixture, struct picture *p)
{
	bool retained = true;

	tap_ret(quire_bo_madvise(fixture->fd, p->object.handle, DRM_QUIRE_MADV_WILLNEED,
				 &retained), 0, "WILLNEED");
	tap_ok(!retained, "nothing is kept");
	tap_ok(!resident(fixture), "no pages either");
	tap_ok(!is_alternate(fixture, p), "the view has nothing");
	tap_ok(pattern_not_zero(p->map, p->object.size) == PATTERN_SAME, "it reads as zero");
	p->object.key++;
	fill(p);
	tap_ret(object_place_and_wait(fixture, &p->object, &vram), 0, "into VRAM");
	tap_ok(is_whole(p), "with the new content");
	tap_ret(object_place_and_wait(fixture, &p->object, &system_memory), 0, "out of it");
	tap_ok(is_alternate(fixture, p) && is_whole(p), "the view has it");
	tap_ok(resident(fixture) == p->object.size, "and there is nothing else");
}

/* On its way back with the pages that it keeps, and on its way out to them. */
static void test_lost(const struct fixture *fixture)
{
	struct picture p;

	tap_ret(picture_create(fixture, &p, &small, 2), 0, "create");
	tap_ret(keep(fixture, &p) ?:
		object_place_and_wait(fixture, &p.object, &system_memory), 0, "to the view");
	lose(fixture, &p, &vram);
	renew(fixture, &p);
	tap_ret(object_place_and_wait(fixture, &p.object, &vram), 0, "into VRAM");
	lose(fixture, &p, &system_memory);
	renew(fixture, &p);
	picture_close(fixture, &p);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

/* Purged, it does not keep the range by which it was seen. */
static void test_range(const struct fixture *fixture)
{
	const unsigned int ranges = fixture->info.swizzling_ranges;
	struct picture first, p[NR_RANGES];
	bool there = true;
	int ret = 0;

	if (!ranges || ranges > ARRAY_SIZE(p)) {
		tap_skip("no ranges, or many", "who is purged gives its range back");
		return;
	}
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "all ranges are free");
	for (unsigned int i = 0; i < ranges && !ret; i++) {
		ret = picture_create(fixture, &p[i], &small, i) ?:
		      object_place_and_wait(fixture, &p[i].object, &vram);
		if (!ret)
			fill(&p[i]);
	}
	tap_ret(ret, 0, "%u images have all ranges", ranges);
	for (unsigned int i = 0; i < ranges; i++)
		ret = ret ?: quire_bo_madvise(fixture->fd, p[i].object.handle,
					      DRM_QUIRE_MADV_DONTNEED, NULL);
	tap_ret(ret ?: debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "all are purged");
	tap_ret(picture_create(fixture, &first, &small, 3) ?:
		object_place_and_wait(fixture, &first.object, &vram), 0, "one more");
	fill(&first);
	there = object_segment(fixture, &first.object) == DRM_QUIRE_SEGMENT_VRAM;
	tap_ok(there && is_whole(&first), "it gets one of them, and stays");
	picture_close(fixture, &first);
	for (unsigned int i = 0; i < ranges; i++)
		picture_close(fixture, &p[i]);
}

static int create_large(const struct fixture *fixture, struct picture *p)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_LARGE && !ret; i++)
		ret = picture_create(fixture, &p[i], &large, i) ?: keep(fixture, &p[i]);
	return ret;
}

static void test_death(const struct fixture *fixture)
{
	uint64_t before = available(), one = image_object_size(&large);
	struct picture p[NR_LARGE];
	int ret = 0;

	for (unsigned int n = 0; n < NR_ROUNDS && !ret; n++) {
		ret = create_large(fixture, p);
		for (unsigned int i = 0; i < NR_LARGE && !ret; i++)
			picture_close(fixture, &p[i]);
	}
	tap_ret(ret, 0, "%u images with pages of %" PRIu64 " MiB that are kept",
		NR_ROUNDS * NR_LARGE, one / QUIRE_MIB);
	tap_ok(fixture_settles(fixture, fixture->segments) &&
	       becomes_available(before - NR_ROUNDS * NR_LARGE * one / 2), "dead, they leave none");
}

/* The object is held still. */
static void test_gone(struct fixture *fixture)
{
	struct fixture other = *fixture;
	struct picture p[NR_LARGE];
	uint64_t before;

	other.fd = quire_open();
	tap_ret(create_large(&other, p), 0, "images with pages that are kept");
	before = available();
	fixture_rebind(fixture);
	tap_ok(becomes_available(before + NR_LARGE * image_object_size(&large) / 2),
	       "the pages go with the device");
	for (unsigned int i = 0; i < NR_LARGE; i++) {
		tap_ok(sigbus_on_read(p[i].map), "and so does the content of %u", i);
		munmap(p[i].map, p[i].object.size);
	}
	close(other.fd);
	fixture_test_works(fixture);
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!*fixture.debugfs || !(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES) ||
	    fixture_vram(&fixture) < 5 * image_object_size(&large))
		tap_skip_all("no debugfs, the CPU copies, or VRAM is small");
	test_unmapped(&fixture);
	test_fresh(&fixture);
	test_interrupted(&fixture);
	test_dropped(&fixture);
	test_lost(&fixture);
	test_range(&fixture);
	test_death(&fixture);
	test_gone(&fixture);
	return tap_done();
}
