// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * After a reset of the function the aperture is what it was: each page that is mapped, in the
 * same way, and the dummy page at all others. Root only.
 */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "device_view.h"
#include "dmabuf.h"
#include "fixture.h"

#define SIZE		(9 * QUIRE_PAGE)

/* Each a run of its own: more than one packet of the driver restores. */
#define NR_SCATTERED	2000

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };

enum { CACHED, COMBINED, SHOWN, SHOWN_COMBINED, NR_OBJECTS };

static int create(const struct fixture *fixture, struct object *object, unsigned int i)
{
	const uint32_t caching = i == COMBINED || i == SHOWN_COMBINED ?
				 DRM_QUIRE_CACHING_WRITE_COMBINED : DRM_QUIRE_CACHING_CACHED;
	int ret;

	*object = (struct object){ .size = SIZE, .key = i };
	if (i >= SHOWN && fixture->info.aperture_window_size)
		ret = quire_bo_create_window(fixture->fd, SIZE, caching, &object->handle);
	else
		ret = quire_bo_create_caching(fixture->fd, SIZE,
					      DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1, caching,
					      &object->handle);
	return ret ?: object_fill(fixture, object) ?:
	       object_place_and_wait(fixture, object, &aperture);
}

/* Returns how many pages, which are somebody else's. */
static uint64_t import_scattered(const struct fixture *fixture, struct object *object)
{
	int dmabuf = udmabuf_create_scattered(NR_SCATTERED, NULL);

	if (dmabuf == -ENOENT) {
		tap_skip("no udmabuf here", "scattered pages");
		return 0;
	}
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &object->handle) ?:
		object_place_and_wait(fixture, object, &aperture), 0,
		"scattered pages in the aperture");
	close(dmabuf);
	return NR_SCATTERED;
}

static void look(const struct fixture *fixture, struct device_aperture *seen)
{
	tap_ret(device_aperture_read(fixture->debugfs, seen), 0, "ask the device");
	tap_diag("%" PRIu64 " mapped, %" PRIu64 " dummy, %" PRIu64 " coherent, %" PRIu64
		 " visible", seen->mapped, seen->dummy, seen->coherent, seen->visible);
}

int main(void)
{
	struct device_aperture before, after;
	struct object objects[NR_OBJECTS], imported = { .size = NR_SCATTERED * QUIRE_PAGE };
	const uint64_t own = NR_OBJECTS * SIZE / QUIRE_PAGE;
	uint64_t pages, scattered;
	struct fixture fixture;
	char address[64];
	int ret = 0;

	tap_start(60);
	fixture_open(&fixture);
	if (!fixture.debugfs[0] ||
	    sysfs_pci_address(fixture.fd, address, sizeof(address)) || sysfs_reset(address))
		tap_skip_all("the device can not be reset, or not root");
	pages = fixture.segments[DRM_QUIRE_SEGMENT_APERTURE].size / QUIRE_PAGE;
	for (unsigned int i = 0; i < NR_OBJECTS && !ret; i++)
		ret = create(&fixture, &objects[i], i);
	tap_ret(ret, 0, "objects of all kinds in the aperture");
	scattered = import_scattered(&fixture, &imported);
	look(&fixture, &before);
	tap_ok(before.mapped == own + scattered, "all of their pages are mapped");
	tap_ok(before.coherent == own / 2 + scattered, "one half of our own is coherent");
	tap_ok(before.mapped + before.dummy == pages, "the dummy page is behind the others");
	tap_ret(sysfs_reset(address), 0, "the function is reset");
	look(&fixture, &after);
	tap_ok(after.mapped == before.mapped, "as many are mapped");
	tap_ok(after.dummy == before.dummy, "as many show the dummy page");
	tap_ok(after.coherent == before.coherent, "as many are coherent");
	tap_ok(after.visible == before.visible, "the CPU sees as many");
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		tap_ret(object_check(&fixture, &objects[i]), 0, "it is whole");
		object_close(&fixture, &objects[i]);
	}
	if (scattered)
		object_close(&fixture, &imported);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
