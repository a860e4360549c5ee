// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Objects of others: dma-bufs of udmabuf and vgem in the aperture. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "fixture.h"
#include "vgem.h"

#define SIZE	(QUIRE_MIB + 5 * QUIRE_PAGE)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* Returns a dma-buf of an object of vgem, and its handle there. */
static int vgem_create(int vgem, uint64_t size, uint32_t *handle)
{
	struct drm_mode_create_dumb dumb = {
		.width = size / QUIRE_PAGE, .height = QUIRE_PAGE / 4, .bpp = 32,
	};

	if (drmIoctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		return -errno;
	*handle = dumb.handle;
	return dmabuf_export(vgem, dumb.handle);
}

static int vgem_dmabuf(uint64_t size)
{
	int vgem = vgem_open(), ret;
	uint32_t handle;

	if (vgem < 0)
		return -ENOENT;
	ret = vgem_create(vgem, size, &handle);
	close(vgem);
	return ret;
}

static const struct exporter {
	const char *name;
	int (*create)(uint64_t size);
} exporters[] = {
	{ "udmabuf", udmabuf_create },
	{ "vgem", vgem_dmabuf },
};

static uint64_t counted(const struct fixture *fixture, const char *operation)
{
	struct debugfs_counter counter = { 0 };

	debugfs_counter(fixture->debugfs, operation, &counter);
	return counter.bytes;
}

static void test_info(const struct fixture *fixture, const struct object *object)
{
	struct drm_quire_bo_info info = { 0 };

	tap_ret(quire_bo_info(fixture->fd, object->handle, &info), 0, "info");
	tap_ok(info.size == SIZE, "it is as large as the dma-buf");
	tap_ok(info.segments == (DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
				 DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)),
	       "it may be in system memory and the aperture");
	tap_ok(object_is_at(fixture, object, &system_memory), "it is in system memory");
}

/* The pages are behind the aperture, and the device is told when they are not any more. */
static void test_places(const struct fixture *fixture, const struct object *object)
{
	uint64_t mapped = counted(fixture, "MAP_APERTURE_SEGMENT");
	uint64_t unmapped = counted(fixture, "UNMAP_APERTURE_SEGMENT");

	tap_ret(object_place(fixture, object, &vram), -EINVAL, "it may not be in VRAM");
	tap_ret(object_place_and_wait(fixture, object, &aperture), 0, "place it in the aperture");
	tap_ok(object_is_at(fixture, object, &aperture), "it is there");
	tap_ok(counted(fixture, "MAP_APERTURE_SEGMENT") == mapped + SIZE, "its pages are mapped");
	tap_ret(object_place_and_wait(fixture, object, &system_memory), 0, "and back");
	tap_ok(counted(fixture, "UNMAP_APERTURE_SEGMENT") == unmapped + SIZE,
	       "they are not any more");
	tap_ret(object_place_and_wait(fixture, object, &aperture), 0, "and there again");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ok(object_is_at(fixture, object, &system_memory), "it is in system memory");
	tap_ret(object_place_and_wait(fixture, object, &aperture), 0, "and there again");
}

static void test_maps(const struct fixture *fixture, const struct object *object, int dmabuf)
{
	void *theirs, *ours;

	tap_ret(dmabuf_map(dmabuf, SIZE, &theirs), 0, "map the dma-buf");
	tap_ret(quire_bo_map(fixture->fd, object->handle, SIZE, &ours), 0, "map the object");
	pattern_fill(theirs, SIZE, 4);
	tap_ok(pattern_differs(ours, SIZE, 4) == PATTERN_SAME, "it shows what they wrote");
	pattern_fill(ours, SIZE, 5);
	tap_ok(pattern_differs(theirs, SIZE, 5) == PATTERN_SAME, "they see what we wrote");
	munmap(ours, SIZE);
	munmap(theirs, SIZE);
}

static void test_import(const struct fixture *fixture, const struct exporter *exporter)
{
	uint64_t unmapped = counted(fixture, "UNMAP_APERTURE_SEGMENT");
	struct object object = { .size = SIZE };
	int dmabuf = exporter->create(SIZE), again;
	uint32_t handle = 0;
	bool retained = false;
	void *map;

	if (dmabuf == -ENOENT) {
		tap_skip("the kernel does not have it", "%s", exporter->name);
		return;
	}
	tap_ok(dmabuf >= 0, "a dma-buf of %s", exporter->name);
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &object.handle), 0, "import it");
	test_info(fixture, &object);
	test_places(fixture, &object);
	test_maps(fixture, &object, dmabuf);
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &handle), 0, "import it again");
	tap_ok(handle == object.handle, "it is the same object");
	again = dmabuf_export(fixture->fd, object.handle);
	tap_ok(again >= 0, "export it");
	close(again);
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ret(quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_WILLNEED, &retained),
		0, "WILLNEED");
	tap_ok(retained, "the content is not ours to purge");
	tap_ret(object_place_and_wait(fixture, &object, &aperture), 0, "place it in the aperture");
	tap_ret(quire_bo_map(fixture->fd, object.handle, SIZE, &map), 0, "map the object");
	close(dmabuf);
	object_close(fixture, &object);
	tap_ok(pattern_differs(map, SIZE, 5) == PATTERN_SAME, "the mapping outlives the object");
	munmap(map, SIZE);
	for (unsigned int i = 0; i < WAIT_MS / 20 &&
	     counted(fixture, "UNMAP_APERTURE_SEGMENT") < unmapped + 4 * SIZE; i++)
		test_sleep_ms(20);
	tap_ok(counted(fixture, "UNMAP_APERTURE_SEGMENT") == unmapped + 4 * SIZE,
	       "the aperture has let it go");
}

static void test_refused(const struct fixture *fixture)
{
	int small = udmabuf_create(QUIRE_PAGE), large;
	uint32_t handle;

	if (small == -ENOENT) {
		tap_skip("no udmabuf here", "what can not be imported");
		return;
	}
	tap_ret(dmabuf_import(fixture->fd, fixture->fd, &handle), -EINVAL, "what is no dma-buf");
	tap_ret(dmabuf_import(fixture->fd, -1, &handle), -EBADF, "no descriptor");
	close(small);
	large = vgem_dmabuf(fixture->info.max_bo_size + QUIRE_PAGE);
	if (large < 0) {
		tap_skip("no vgem here", "what is too large");
		return;
	}
	tap_ret(dmabuf_import(fixture->fd, large, &handle), -E2BIG, "what is too large");
	close(large);
}

/* A dma-buf of max_bo_size is accepted. vgem allocates its pages only when they are mapped. */
static void test_largest(const struct fixture *fixture)
{
	struct object object = { .size = fixture->info.max_bo_size };
	struct drm_quire_bo_info info = { 0 };
	int dmabuf = vgem_dmabuf(object.size);

	if (dmabuf < 0) {
		tap_skip("no vgem here", "the largest");
		return;
	}
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &object.handle), 0, "import the largest");
	tap_ret(quire_bo_info(fixture->fd, object.handle, &info), 0, "info");
	tap_ok(info.size == object.size, "it has %" PRIu64 " bytes", object.size);
	object_close(fixture, &object);
	close(dmabuf);
}

/* What others are at work with is imported at once: who imports holds up all others. */
static void test_busy(const struct fixture *fixture)
{
	struct object object = { .size = SIZE };
	int vgem = vgem_open(), dmabuf;
	uint32_t handle, fence;

	if (vgem < 0) {
		tap_skip("no vgem here", "what others are at work with");
		return;
	}
	dmabuf = vgem_create(vgem, SIZE, &handle);
	tap_ret(vgem_attach_fence(vgem, vgem, handle, &fence), 0, "vgem is at work with it");
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &object.handle), 0, "import it");
	tap_ret(object_place(fixture, &object, &aperture), 0, "place it in the aperture");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, 0), -ETIME, "vgem still is");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "it is done");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "it is");
	object_close(fixture, &object);
	close(dmabuf);
	close(vgem);
}

/* The device goes with imports in the aperture, mapped, dead and alive. */
static void test_unbind(const char *address, const struct exporter *exporter)
{
	int dmabuf = exporter->create(SIZE);
	struct object object = { .size = SIZE }, unused = { .size = SIZE };
	struct fixture fixture;
	void *map;

	if (dmabuf < 0)
		return;
	fixture_reopen(&fixture);
	tap_ret(dmabuf_import(fixture.fd, dmabuf, &object.handle), 0, "import from %s",
		exporter->name);
	tap_ret(quire_bo_map(fixture.fd, object.handle, SIZE, &map), 0, "map it");
	pattern_fill(map, SIZE, 6);
	tap_ret(object_place(&fixture, &object, &aperture), 0, "place it in the aperture");
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	tap_ok(pattern_differs(map, SIZE, 6) == PATTERN_SAME, "the content is where it was");
	tap_ret(dmabuf_import(fixture.fd, dmabuf, &unused.handle), -ENODEV, "no import");
	close(dmabuf);
	close(fixture.fd);
	munmap(map, SIZE);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
}

int main(void)
{
	struct fixture fixture;
	char address[64];

	tap_start(120);
	fixture_open(&fixture);
	if (!*fixture.debugfs || sysfs_pci_address(fixture.fd, address, sizeof(address)))
		tap_skip_all("no debugfs, or not root");
	for (size_t i = 0; i < ARRAY_SIZE(exporters); i++)
		test_import(&fixture, &exporters[i]);
	test_refused(&fixture);
	test_largest(&fixture);
	test_busy(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	close(fixture.fd);
	for (size_t i = 0; i < ARRAY_SIZE(exporters); i++)
		test_unbind(address, &exporters[i]);
	return tap_done();
}
