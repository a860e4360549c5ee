// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A submission that is divided is planned for the memory that there is. */
#include <inttypes.h>
#include <unistd.h>

#include "fixture.h"
#include "mirror.h"
#include "splitting.h"

/* What objects have of their segment, a page more for each: all together they do not fit. */
static const unsigned int eighths[] = { 1, 3, 1, 3 };

/* In their turns. */
static const unsigned int turns[] = { 3, 0, 3, 2, 3, 0, 1, 3, 1, 3, 1, 3 };

static int record(struct gpu *gpu, struct quire_object **objects,
		  enum drm_quire_segment_class segment, uint64_t eighth)
{
	int ret = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(eighths) && !ret; i++) {
		const struct quire_object_options options = {
			.size = eighths[i] * eighth,
			.classes = DRM_QUIRE_SEGMENT_BIT(segment) |
				   DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM),
		};

		ret = quire_object_create(gpu->device, &options, &objects[i]);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(turns) && !ret; i++)
		quire_recorder_fill(gpu->recorder, quire_at(objects[turns[i]], 0), QUIRE_PAGE, i);
	return ret;
}

/*
 * Once there is no room, for the second object. Who believes that there is more memory takes the
 * fourth one away for it, and so on in turns: for each byte that it has too many, it is needed
 * furthest ahead.
 */
static void test_planned(const struct fixture *fixture, enum drm_quire_segment_class segment,
			 unsigned int most, const char *name)
{
	const uint64_t eighth = fixture->segments[segment].size / 8 / QUIRE_PAGE * QUIRE_PAGE +
				QUIRE_PAGE;
	struct quire_object *objects[ARRAY_SIZE(eighths)] = { NULL };
	struct gpu gpu;
	int ret = gpu_open(&gpu);

	if (!ret)
		ret = record(&gpu, objects, segment, eighth);
	tap_ret(ret ? ret : gpu_run(&gpu), 0, "%s: objects of several sizes take turns", name);
	tap_ok(gpu.result.bytes_in <= most * eighth, "at most %u eighths are brought in: %" PRIu64,
	       most, gpu.result.bytes_in / eighth);
	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		quire_object_close(objects[i]);
	gpu_close(&gpu);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

int main(void)
{
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	if (!splitting_begin())
		tap_skip_all("options can not be set");
	splitting_usual();
	/* VRAM may be in pieces: one of them comes twice */
	test_planned(&fixture, DRM_QUIRE_SEGMENT_VRAM, 11, "VRAM");
	test_planned(&fixture, DRM_QUIRE_SEGMENT_APERTURE, 8, "aperture");
	splitting_end();
	close(fixture.fd);
	return tap_done();
}
