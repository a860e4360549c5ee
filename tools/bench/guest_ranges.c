// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What it costs that ranges are few: one touch of each image in turn, when each has a range,
 * and when there is one image too many, so that each touch takes the range of another.
 */
#include <sys/mman.h>

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

	for (unsigned int i = 0; i < count; i++)
		images[i].map[0] = i;
	for (unsigned int run = 0; run < MEASURE_RUNS; run++) {
		double begin = measure_now();

		for (unsigned int i = 0; i < TOUCHES; i++)
			images[i % count].map[0] = i;
		times[run] = (measure_now() - begin) * 1e6 / TOUCHES;
	}
	return measure_median(times, MEASURE_RUNS);
}

void guest_ranges(struct guest *guest)
{
	struct range_image images[MOST];
	struct drm_quire_device_info info;
	unsigned int count;

	guest_must(quire_query_device(guest->fd, &info), "query");
	count = info.swizzling_ranges;
	if (!count || count >= MOST)
		return;
	for (unsigned int i = 0; i <= count; i++)
		create(guest, &images[i]);
	measure_print("range_touch_us", touch(images, count), "us");
	measure_print("range_steal_us", touch(images, count + 1), "us");
	for (unsigned int i = 0; i <= count; i++) {
		munmap((void *)images[i].map, image_object_size(&picture));
		quire_bo_close(guest->fd, images[i].handle);
	}
}
