// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The same moves in both generations of the paging model, in turns: objects of 2 MiB between
 * system memory and VRAM, while VRAM is whole, and while its free pages are no neighbours.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "debugfs.h"
#include "guest.h"
#include "measure.h"

#define OBJECT_SIZE	(2 * QUIRE_MIB)
#define ROUNDS		40

static void choose(unsigned int generation)
{
	guest_must(sysfs_parameter_write("generation", generation == 1 ? "1" : "2"),
		   "generation");
}

/* There and back. */
static double seconds(const struct guest_set *set, unsigned int generation)
{
	double begin;

	choose(generation);
	begin = measure_now();
	guest_set_place(set, DRM_QUIRE_SEGMENT_VRAM);
	guest_set_wait(set);
	guest_set_place(set, DRM_QUIRE_SEGMENT_SYSTEM);
	guest_set_wait(set);
	return measure_now() - begin;
}

/* Of the least times: what else the machine does takes time, and gives none. */
static void compare(const struct guest_set *set, const char *name)
{
	double least[2] = { INFINITY, INFINITY }, now;
	char figure[64];

	for (unsigned int i = 0; i < 2 * ROUNDS; i++) {
		now = seconds(set, 1 + i % 2);
		if (now < least[i % 2])
			least[i % 2] = now;
	}
	choose(1);
	snprintf(figure, sizeof(figure), "generations_%s", name);
	measure_print(figure, least[0] / least[1], "ratio");
	snprintf(figure, sizeof(figure), "generations_rate_%s", name);
	measure_print(figure, 2.0 * set->count * set->size / QUIRE_MIB / least[1], "MiB/s");
}

/* Every second page of VRAM; they are without content. */
static void take_every_second_page(const struct guest *guest, struct guest_set *pages)
{
	size_t count = guest->vram / QUIRE_PAGE, kept = 0;

	*pages = (struct guest_set){ .fd = guest->fd, .size = QUIRE_PAGE };
	pages->handles = calloc(count, sizeof(*pages->handles));
	guest_must(pages->handles ? 0 : -ENOMEM, "objects");
	for (; pages->count < count; pages->count++) {
		guest_must(quire_bo_create(guest->fd, QUIRE_PAGE, &pages->handles[pages->count]),
			   "create");
		guest_must(quire_bo_place(guest->fd, pages->handles[pages->count],
					  DRM_QUIRE_SEGMENT_VRAM, 0), "place");
	}
	guest_set_wait(pages);
	for (size_t i = 0; i < count; i += 2) {
		guest_must(quire_bo_close(guest->fd, pages->handles[i]), "close");
		pages->handles[kept++] = pages->handles[i + 1];
	}
	pages->count = kept;
}

void guest_generations(struct guest *guest)
{
	size_t count = guest->vram / OBJECT_SIZE;
	struct guest_set set, pages;

	guest_set_create(&set, guest->fd, count / 2, OBJECT_SIZE);
	compare(&set, "2m");
	guest_set_close(&set);
	take_every_second_page(guest, &pages);
	guest_set_create(&set, guest->fd, count / 4, OBJECT_SIZE);
	compare(&set, "4k");
	guest_set_close(&set);
	guest_set_close(&pages);
}
