// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What it costs that ranges are few: one touch of each image in turn, when each has a range,
 * and when there is one image too many, so that each touch takes the range of another.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "debugfs.h"
#include "guest.h"
#include "image.h"
#include "measure.h"

#define MOST		32
#define TOUCHES		100

static const struct image picture = { DRM_QUIRE_LAYOUT_TILE_64K, 4, 128, 128, 1, 1 };

struct range_image {
	uint32_t handle;
	volatile uint32_t *map;
};

static void create(const struct guest *guest, struct range_image *image)
{
	void *map;

	guest_must(image_create(guest->fd, &picture, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
				&image->handle), "image");
	guest_must(quire_bo_map(guest->fd, image->handle, image_object_size(&picture), &map),
		   "map");
	image->map = map;
	guest_must(quire_bo_place(guest->fd, image->handle, DRM_QUIRE_SEGMENT_VRAM, 0), "place");
	guest_must(quire_bo_wait(guest->fd, image->handle, 10000), "wait");
}

/* Microseconds of one touch of each of @count images in turn. */
static double touch(struct range_image *images, unsigned int count)
{
	double times[MEASURE_RUNS];
	unsigned int next = 0;

	for (unsigned int run = 0; run < MEASURE_RUNS; run++) {
		double begin = measure_now();

		for (unsigned int i = 0; i < TOUCHES; i++)
			images[next++ % count].map[0] = i;
		times[run] = (measure_now() - begin) * 1e6 / TOUCHES;
	}
	return measure_median(times, MEASURE_RUNS);
}

static uint64_t count_steals(const struct guest *guest)
{
	struct debugfs_counter counter;

	guest_must(debugfs_counter(guest->debugfs, "ranges-stolen", &counter), "ranges-stolen");
	return counter.count;
}

/* The figure is true only if each touch had to steal a range, or none had to. */
static void measure(const struct guest *guest, struct range_image *images, unsigned int count,
		    const char *name, bool steals)
{
	double value;
	uint64_t seen;

	for (unsigned int i = 0; i < count; i++)
		images[i].map[0] = i;
	seen = count_steals(guest);
	value = touch(images, count);
	seen = count_steals(guest) - seen;
	if (steals ? seen < TOUCHES * MEASURE_RUNS : seen) {
		fprintf(stderr, "bench-guest: %s: %llu of %u touches stole a range\n", name,
			(unsigned long long)seen, TOUCHES * MEASURE_RUNS);
		exit(EXIT_FAILURE);
	}
	measure_print(name, value, "us");
}

void guest_ranges(struct guest *guest)
{
	struct range_image images[MOST];
	struct drm_quire_device_info info;
	unsigned int count;

	guest_must(quire_query_device(guest->fd, &info), "query");
	count = info.swizzling_ranges;
	guest_must(count && count < MOST ? 0 : -ENODEV, "ranges: there are none, or too many");
	for (unsigned int i = 0; i <= count; i++)
		create(guest, &images[i]);
	measure(guest, images, count, "range_touch_us", false);
	measure(guest, images, count + 1, "range_steal_us", true);
	for (unsigned int i = 0; i <= count; i++) {
		munmap((void *)images[i].map, image_object_size(&picture));
		quire_bo_close(guest->fd, images[i].handle);
	}
}
