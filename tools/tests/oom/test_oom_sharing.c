// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Out of memory while objects are shared: as test_oom.c, with vgem as importer and udmabuf
 * as exporter. Needs a kernel with fault injection, as the debug guest has it.
 */
#include <linux/dma-buf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "failing.h"
#include "fixture.h"
#include "steps.h"
#include "vgem.h"

/* More runs of pages than can be described without memory. */
#define PAGES	32u
#define SIZE	(PAGES * QUIRE_PAGE)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place invisible = {
	"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static int vgem, ours, theirs; /* the importer, a dma-buf of the object, one of udmabuf */

static int to_vram(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &vram);
}

static int to_invisible(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &invisible);
}

static int run_export(const struct fixture *fixture, struct object *object)
{
	uint32_t handle;
	int ret = quire_bo_create(fixture->fd, SIZE, &handle), dmabuf;

	(void)object;
	if (ret)
		return ret;
	dmabuf = dmabuf_export(fixture->fd, handle);
	quire_bo_close(fixture->fd, handle);
	if (dmabuf >= 0)
		close(dmabuf);
	return dmabuf < 0 ? dmabuf : 0;
}

/* From VRAM: the pages are made, and stay while vgem has them. */
static int run_attach(const struct fixture *fixture, struct object *object)
{
	uint32_t handle;
	int ret = dmabuf_import(vgem, ours, &handle);

	(void)fixture;
	(void)object;
	if (!ret)
		drmCloseBufferHandle(vgem, handle);
	return ret;
}

/* Nothing has stayed pinned. */
static int finish_attach(const struct fixture *fixture, struct object *object, int ret)
{
	ret = to_vram(fixture, object);
	return ret ? ret : step_finish_whole(fixture, object, ret);
}

static int run_map(const struct fixture *fixture, struct object *object)
{
	void *map;
	int ret = dmabuf_map(ours, SIZE, &map);

	(void)fixture;
	(void)object;
	if (ret)
		return ret;
	ret = sigbus_on_read(map) ? -ENOMEM : 0;
	munmap(map, SIZE);
	return ret;
}

static int run_cpu_access(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	return dmabuf_sync(ours, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
}

static int finish_cpu_access(const struct fixture *fixture, struct object *object, int ret)
{
	if (!ret)
		ret = dmabuf_sync(ours, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	return step_finish_whole(fixture, object, ret);
}

static int run_fences(const struct fixture *fixture, struct object *object)
{
	int file = dmabuf_export_sync_file(ours), ret;

	(void)fixture;
	(void)object;
	if (file < 0)
		return file;
	ret = dmabuf_import_sync_file(ours, file);
	close(file);
	return ret;
}

/* Of other pages each time: udmabuf does not map the same ones twice without a complaint. */
static int renew_theirs(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	close(theirs);
	theirs = udmabuf_create_scattered(PAGES, NULL);
	return theirs < 0 ? theirs : 0;
}

static int run_import(const struct fixture *fixture, struct object *object)
{
	uint32_t handle;
	int ret = dmabuf_import(fixture->fd, theirs, &handle);

	(void)object;
	if (!ret)
		quire_bo_close(fixture->fd, handle);
	return ret;
}

static const struct step steps[] = {
	{ "export", NULL, run_export, step_finish_whole },
	{ "attach", to_vram, run_attach, finish_attach },
	{ "map a dma-buf", to_invisible, run_map, step_finish_whole },
	{ "CPU access", to_invisible, run_cpu_access, finish_cpu_access },
	{ "fences", to_vram, run_fences, step_finish_whole },
	{ "import", renew_theirs, run_import, step_finish_whole },
};

/* Has none of the exporter's pages yet. */
static int import_again(const struct fixture *fixture, struct object *import)
{
	int ret;

	object_close(fixture, import);
	ret = renew_theirs(fixture, import);
	if (!ret)
		ret = dmabuf_import(fixture->fd, theirs, &import->handle);
	return ret ? ret : object_fill(fixture, import);
}

static int to_aperture(const struct fixture *fixture, struct object *object)
{
	return object_place_and_wait(fixture, object, &aperture);
}

static const struct step place_import = {
	"place an import", import_again, to_aperture, step_finish_whole
};

static void test_place_import(const struct fixture *fixture)
{
	struct object import = { .size = SIZE, .key = 2 };

	tap_ret(dmabuf_import(fixture->fd, theirs, &import.handle), 0, "import a dma-buf");
	/* beside ours, which is in system memory, too */
	tap_ok(fixture_settles_with(fixture, 2 * SIZE), "no other one is left");
	step_test(fixture, &import, &place_import);
	object_close(fixture, &import);
}

int main(void)
{
	struct fixture fixture;
	struct object object;

	tap_start(280);
	fixture_open(&fixture);
	vgem = vgem_open();
	theirs = udmabuf_create_scattered(PAGES, NULL);
	if (vgem < 0 || theirs < 0)
		tap_skip_all("no vgem or udmabuf here");
	if (!failing_begin())
		tap_skip_all("a kernel without fault injection, or not root");
	tap_ret(object_create(&fixture, &object, SIZE, 1), 0, "create");
	ours = dmabuf_export(fixture.fd, object.handle);
	tap_ok(ours >= 0, "export it");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		step_test(&fixture, &object, &steps[i]);
	test_place_import(&fixture);
	failing_end();
	close(theirs);
	close(ours);
	close(vgem);
	object_close(&fixture, &object);
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left");
	return tap_done();
}
