// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How the cost of a move grows: with the number of objects, which should not
 * matter, and with their size, which should cost the same for every page.
 * Everything fits in VRAM: nothing is evicted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "guest.h"
#include "measure.h"

#define SAMPLE		100	/* objects that move */
#define REPEAT		10
#define STRIDE		7919	/* a prime: neighbours in time are none in memory */
#define FIRST_COUNT	100	/* of objects; ten times as many at each step */
#define STEPS		4
#define CLIMBS		3
#define PAGES_BYTES	(1024 * QUIRE_MIB)

/* Some of @all, far from each other. */
static void take_sample(const struct guest_set *all, struct guest_set *sample, uint32_t *handles,
			size_t number)
{
	for (size_t i = 0; i < SAMPLE; i++)
		handles[i] = all->handles[(number * SAMPLE + i) * STRIDE % all->count];
	*sample = (struct guest_set){
		.fd = all->fd, .size = all->size, .count = SAMPLE, .handles = handles,
	};
}

/* Microseconds of one move, out of VRAM or back. */
static double move_time(const struct guest_set *all)
{
	uint32_t handles[SAMPLE];
	struct guest_set sample;
	double begin = measure_now();

	for (size_t i = 0; i < REPEAT; i++) {
		take_sample(all, &sample, handles, i);
		guest_set_place(&sample, DRM_QUIRE_SEGMENT_SYSTEM);
		guest_set_place(&sample, DRM_QUIRE_SEGMENT_VRAM);
		guest_set_wait(&sample);
	}
	return (measure_now() - begin) * 1e6 / (2 * SAMPLE * REPEAT);
}

/* The median of some rounds. */
static double measure_moves(const struct guest_set *all)
{
	double times[GUEST_ROUNDS];

	guest_set_place(all, DRM_QUIRE_SEGMENT_VRAM);
	guest_set_wait(all);
	move_time(all);
	for (int i = 0; i < GUEST_ROUNDS; i++)
		times[i] = move_time(all);
	return measure_median(times, GUEST_ROUNDS);
}

/* Beside more and more objects of a page. */
static void climb(struct guest *guest, double times[STEPS])
{
	struct guest_set all = { .fd = guest->fd, .size = QUIRE_PAGE };
	size_t count = FIRST_COUNT;

	for (size_t step = 0; step < STEPS; step++, count *= 10) {
		guest_set_grow(&all, count);
		times[step] = measure_moves(&all);
	}
	guest_set_close(&all);
}

/*
 * Between the first step and the last there are many seconds, in which the machine may
 * have become another one: so the whole climb is made several times.
 */
void guest_objects(struct guest *guest)
{
	double times[CLIMBS][STEPS], values[CLIMBS];
	size_t count = FIRST_COUNT;
	char name[32];

	for (size_t i = 0; i < CLIMBS; i++)
		climb(guest, times[i]);
	for (size_t step = 0; step < STEPS; step++, count *= 10) {
		for (size_t i = 0; i < CLIMBS; i++)
			values[i] = times[i][step];
		snprintf(name, sizeof(name), "move_us_%zu", count);
		measure_print(name, measure_median(values, CLIMBS), "us");
	}
	for (size_t i = 0; i < CLIMBS; i++)
		values[i] = times[i][STEPS - 1] / times[i][0];
	measure_print("move_growth", measure_median(values, CLIMBS), "ratio");
}

/* Nanoseconds of one page, into VRAM and back. */
static double page_time(const struct guest_set *set)
{
	double begin = measure_now();

	guest_set_place(set, DRM_QUIRE_SEGMENT_VRAM);
	guest_set_wait(set);
	guest_set_place(set, DRM_QUIRE_SEGMENT_SYSTEM);
	guest_set_wait(set);
	return (measure_now() - begin) * 1e9 / (2 * PAGES_BYTES / QUIRE_PAGE);
}

static double measure_pages(struct guest *guest, uint64_t size)
{
	double times[GUEST_ROUNDS], median;
	struct guest_set set;
	char name[32];

	guest_set_create(&set, guest->fd, PAGES_BYTES / size, size);
	page_time(&set);
	for (int i = 0; i < GUEST_ROUNDS; i++)
		times[i] = page_time(&set);
	guest_set_close(&set);
	median = measure_median(times, GUEST_ROUNDS);
	snprintf(name, sizeof(name), "page_ns_%um", (unsigned int)(size / QUIRE_MIB));
	measure_print(name, median, "ns");
	return median;
}

/* The same GiB in fewer and larger objects. */
void guest_pages(struct guest *guest)
{
	static const unsigned int mib[] = { 1, 16, 256, 1024 };
	double medians[ARRAY_SIZE(mib)];

	for (size_t i = 0; i < ARRAY_SIZE(mib); i++)
		medians[i] = measure_pages(guest, mib[i] * QUIRE_MIB);
	measure_print("page_growth", medians[ARRAY_SIZE(mib) - 1] / medians[0], "ratio");
}
