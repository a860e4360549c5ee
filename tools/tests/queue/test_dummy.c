// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Nothing writes through pages of the aperture that were unmapped. With the test option
 * check_dummy_page the driver would say so; without it this finds nothing.
 */
#include <unistd.h>

#include "fixture.h"
#include "kmsg.h"

#define SIZE		(40 * QUIRE_PAGE)
#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/* Into a range that somebody was in before, and out of it. */
static void test_moves(const struct fixture *fixture, uint32_t caching)
{
	static const struct place *const way[] = { &vram, &aperture, &vram, &aperture };
	struct object object = { .size = SIZE, .key = 1 };
	int ret;

	ret = quire_bo_create_caching(fixture->fd, SIZE, ANYWHERE, caching, &object.handle) ?:
	      object_fill(fixture, &object);
	for (size_t i = 0; i < ARRAY_SIZE(way) && !ret; i++)
		ret = object_place_and_wait(fixture, &object, way[i]);
	tap_ret(ret, 0, "caching %u: moves by the aperture", caching);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ret(object_check(fixture, &object), 0, "the content is whole");
	object_close(fixture, &object);
}

int main(void)
{
	struct fixture fixture;
	char text[8] = "";
	int log;

	tap_start(60);
	fixture_open(&fixture);
	log = kmsg_open();
	tap_ok(debugfs_option_read("check_dummy_page", text, sizeof(text)) > 0 &&
	       (text[0] == 'Y' || text[0] == 'N'), "the option is there");
	for (unsigned int i = 0; i < 3; i++)
		test_moves(&fixture, i % 2);
	fixture_rebind(&fixture);
	tap_ret(kmsg_count(log, "wrote to the dummy page"), 0, "nothing writes to the dummy page");
	close(log);
	return tap_done();
}
