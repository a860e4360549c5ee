// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <string.h>

#include "holes.h"

/* In VRAM; whoever is in its way leaves. */
static struct quire_object *filler(const struct work *work, uint64_t size)
{
	struct quire_object *object = work_object(work, size);
	int ret = quire_bo_place(work->fixture.fd, quire_object_handle(object),
				 DRM_QUIRE_SEGMENT_VRAM, 0) ?:
		  quire_object_wait(object, WAIT_MS * 1000000ll);

	if (ret)
		tap_bail("fill VRAM: %s", strerror(-ret));
	return object;
}

/**
 * holes_wait - wait until the holes are free
 * @work: the device
 *
 * What was closed is freed beside.
 */
void holes_wait(const struct work *work)
{
	const uint64_t usage = fixture_vram(&work->fixture) / 2;

	for (unsigned int i = 0; i < WAIT_MS / 10; i++) {
		if (fixture_usage(&work->fixture, DRM_QUIRE_SEGMENT_VRAM) <= usage)
			return;
		test_sleep_ms(10);
	}
	tap_bail("VRAM is not free");
}

/**
 * holes_make - fill VRAM, and let every second one leave
 * @holes: those that there were are closed first
 * @work: the device; all that is in VRAM leaves it
 */
void holes_make(struct holes *holes, const struct work *work)
{
	const uint64_t vram = fixture_vram(&work->fixture);
	struct quire_object *leave[HOLES];

	holes_close(holes);
	holes->size = vram / (2 * HOLES);
	for (unsigned int i = 0; i < HOLES; i++) {
		leave[i] = filler(work, holes->size);
		holes->between[i] = filler(work, holes->size);
	}
	for (unsigned int i = 0; i < HOLES; i++)
		quire_object_close(leave[i]);
	holes_wait(work);
}

void holes_close(struct holes *holes)
{
	for (unsigned int i = 0; i < HOLES; i++) {
		quire_object_close(holes->between[i]);
		holes->between[i] = NULL;
	}
}

/* An object that may be in several of them. */
struct quire_object *holes_object(const struct work *work, uint64_t size)
{
	const struct quire_object_options options = {
		.size = size, .flags = DRM_QUIRE_BO_CREATE_MMU,
	};
	struct quire_object *object;
	int ret = quire_object_create(work->device, &options, &object);

	if (ret)
		tap_bail("object: %s", strerror(-ret));
	return object;
}
