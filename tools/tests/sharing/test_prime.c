// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Objects in the hands of others: dma-bufs of ours, with vgem as importer. */
#include <linux/dma-buf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "vgem.h"
#include "work.h"

#define SIZE	(2 * QUIRE_MIB + 3 * QUIRE_PAGE)

/* What nobody else frees at the same time. */
#define LARGE	(32 * QUIRE_MIB)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place invisible = {
	"invisible", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
};

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct share - an object of ours and its dma-buf
 * @object: the object
 * @dmabuf: its dma-buf
 */
struct share {
	struct object object;
	int dmabuf;
};

static void share_create(const struct fixture *fixture, struct share *share,
			 const struct place *place)
{
	tap_ret(object_create(fixture, &share->object, SIZE, 3), 0, "an object with content");
	tap_ret(object_place_and_wait(fixture, &share->object, place), 0, "place it in %s",
		place->name);
	share->dmabuf = dmabuf_export(fixture->fd, share->object.handle);
	tap_ok(share->dmabuf >= 0, "export it");
}

static void share_close(const struct fixture *fixture, struct share *share)
{
	close(share->dmabuf);
	object_close(fixture, &share->object);
}

static int purge(const struct fixture *fixture, const struct object *object)
{
	int ret = object_place_and_wait(fixture, object, &vram);

	if (!ret)
		ret = quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_DONTNEED, NULL);
	return ret ? ret : debugfs_write(fixture->debugfs, "evict_all", "1");
}

/* In VRAM, where the CPU does not see it if there is such a part. */
static const struct place *far_away(const struct fixture *fixture)
{
	return fixture_has_place(fixture, &invisible, SIZE) ? &invisible : &vram;
}

/* Every place, and every move while it is mapped: the dma-buf shows the same bytes. */
static void test_map(const struct fixture *fixture)
{
	const struct place *const way[] = {
		&system_memory, &vram, &aperture, far_away(fixture), &system_memory, &aperture,
		&vram,
	};
	struct share share;
	void *map;

	share_create(fixture, &share, far_away(fixture));
	tap_ok(lseek(share.dmabuf, 0, SEEK_END) == SIZE, "it is as large as the object");
	tap_ret(dmabuf_map(share.dmabuf, SIZE, &map), 0, "map the dma-buf");
	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		uint64_t key = 10 + i;

		tap_ok(pattern_differs(map, SIZE, share.object.key) == PATTERN_SAME,
		       "it shows the content");
		tap_ret(dmabuf_sync(share.dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW), 0,
			"begin CPU access");
		pattern_fill(map, SIZE, key);
		tap_ret(dmabuf_sync(share.dmabuf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW), 0,
			"end CPU access");
		share.object.key = key;
		tap_ret(object_check(fixture, &share.object), 0, "the object has what was written");
		tap_ret(object_place_and_wait(fixture, &share.object, way[i]), 0,
			"place it in %s", way[i]->name);
	}
	close(share.dmabuf);
	object_close(fixture, &share.object);
	tap_ok(pattern_differs(map, SIZE, share.object.key) == PATTERN_SAME,
	       "the mapping keeps object and content");
	munmap(map, SIZE);
}

static void test_identity(const struct fixture *fixture)
{
	int other = quire_open(), again;
	uint32_t handle = 0, theirs = 0;
	struct share share;
	void *map;

	share_create(fixture, &share, &vram);
	again = dmabuf_export(fixture->fd, share.object.handle);
	tap_ret(dmabuf_import(fixture->fd, share.dmabuf, &handle), 0, "import it where it is from");
	tap_ok(handle == share.object.handle, "it is the same handle");
	tap_ret(dmabuf_import(other, again, &theirs), 0, "import it in another file");
	tap_ok(object_is_at(fixture, &share.object, &vram), "that moved nothing");
	tap_ret(quire_bo_place(other, theirs, DRM_QUIRE_SEGMENT_APERTURE, 0), 0, "place it there");
	tap_ok(object_is_at(fixture, &share.object, &aperture), "it is the same object");
	close(again);
	share_close(fixture, &share);
	tap_ret(quire_bo_map(other, theirs, SIZE, &map), 0, "map it there");
	tap_ok(pattern_differs(map, SIZE, share.object.key) == PATTERN_SAME,
	       "it outlives its first handle");
	munmap(map, SIZE);
	close(other);
}

/* What a static importer has stays in system memory. */
static void test_pinned(const struct fixture *fixture, const struct place *from)
{
	const uint64_t used = fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM);
	struct share share;
	int vgem = vgem_open_static();
	uint32_t handle;

	if (vgem < 0) {
		tap_skip("no vgem here, or one that pins nothing", "an importer that pins");
		return;
	}
	share_create(fixture, &share, from);
	tap_ret(dmabuf_import(vgem, share.dmabuf, &handle), 0, "vgem imports it from %s",
		from->name);
	tap_ok(object_is_at(fixture, &share.object, &system_memory), "it is in system memory");
	tap_ret(object_place(fixture, &share.object, &vram), -EBUSY, "VRAM is refused");
	tap_ret(object_place(fixture, &share.object, &aperture), -EBUSY, "the aperture is refused");
	tap_ret(object_place(fixture, &share.object, &system_memory), 0, "it may be where it is");
	tap_ok(fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM) <= used, "no room in VRAM is taken");
	tap_ret(quire_bo_madvise(fixture->fd, share.object.handle, DRM_QUIRE_MADV_DONTNEED, NULL),
		0, "DONTNEED");
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ok(!(object_flags(fixture, &share.object) & DRM_QUIRE_BO_PURGED), "it is not purged");
	tap_ret(object_check(fixture, &share.object), 0, "its content is whole");
	drmCloseBufferHandle(vgem, handle);
	tap_ret(object_place_and_wait(fixture, &share.object, &vram), 0,
		"vgem lets go: it can be in VRAM");
	tap_ret(object_check(fixture, &share.object), 0, "its content is whole");
	share_close(fixture, &share);
	close(vgem);
}

/* Two importers, each of them once and twice: the last one counts. */
static void test_pins(const struct fixture *fixture)
{
	int first = vgem_open_static(), second = vgem_open();
	uint32_t handle[3];
	struct share share;

	if (first < 0) {
		tap_skip("no vgem here, or one that pins nothing", "importers that pin");
		close(second);
		return;
	}
	share_create(fixture, &share, &vram);
	tap_ret(dmabuf_import(first, share.dmabuf, &handle[0]), 0, "one imports it");
	tap_ret(dmabuf_import(first, share.dmabuf, &handle[1]), 0, "and again");
	tap_ret(dmabuf_import(second, share.dmabuf, &handle[2]), 0, "another one");
	drmCloseBufferHandle(first, handle[0]);
	tap_ret(object_place(fixture, &share.object, &vram), -EBUSY, "one lets go: still pinned");
	close(second);
	close(first);
	tap_ret(object_place(fixture, &share.object, &vram), 0, "all let go: it is not");
	share_close(fixture, &share);
}

static void test_purged(const struct fixture *fixture)
{
	int vgem = vgem_open();
	struct object object;
	struct share share;
	uint32_t handle;
	void *map;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 1), 0, "create");
	tap_ret(purge(fixture, &object), 0, "purge it");
	tap_ret(dmabuf_export(fixture->fd, object.handle), -ENODATA, "it is not exported");
	object_close(fixture, &object);

	share_create(fixture, &share, &vram);
	tap_ret(dmabuf_map(share.dmabuf, SIZE, &map), 0, "map the dma-buf");
	tap_ret(purge(fixture, &share.object), 0, "purge what is exported");
	tap_ret(dmabuf_sync(share.dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW), -ENODATA,
		"no CPU access");
	tap_ok(sigbus_on_read(map), "its mapping raises SIGBUS");
	if (vgem >= 0)
		tap_ret(dmabuf_import(vgem, share.dmabuf, &handle), -ENODATA,
			"vgem can not attach");
	tap_ret(quire_bo_madvise(fixture->fd, share.object.handle, DRM_QUIRE_MADV_WILLNEED, NULL),
		0, "WILLNEED");
	tap_ok(pattern_not_zero(map, SIZE) == PATTERN_SAME, "it reads as zero");
	if (vgem >= 0)
		tap_ret(dmabuf_import(vgem, share.dmabuf, &handle), 0, "vgem attaches");
	munmap(map, SIZE);
	close(vgem);
	share_close(fixture, &share);
}

/* A process that has vgem import a dma-buf; its status is the errno. */
static pid_t start_import(int vgem, int dmabuf)
{
	uint32_t handle;
	pid_t pid = child_start(WAIT_MS / 1000);

	if (pid)
		return pid;
	_exit(-dmabuf_import(vgem, dmabuf, &handle));
}

/* The content is lost on its way to the pages: nobody gets them. */
static void test_lost(const struct fixture *fixture)
{
	int vgem = vgem_open_static();
	struct share share;
	char fault[32];
	pid_t pid;

	if (vgem < 0 || !(fixture->info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)) {
		tap_skip("no vgem that pins here, or the CPU copies", "content that is lost");
		return;
	}
	/* An empty aperture takes one packet to be restored, and what is where some. */
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	share_create(fixture, &share, &vram);
	snprintf(fault, sizeof(fault), "fault %u", 2 + fixture_resident_runs(fixture));
	test_parameter("hang_restarts", 0);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	pid = start_import(vgem, share.dmabuf);
	fixture_wait_hung(fixture);
	fixture_inject(fixture, fault);
	test_parameter("hang_period", 3000);
	tap_ret(-child_status(pid), -ENODATA, "vgem can not attach");
	fixture_inject(fixture, "fault 0");
	test_parameter("hang_restarts", 1);
	tap_ok(object_flags(fixture, &share.object) & DRM_QUIRE_BO_PURGED, "it is purged");
	tap_ret(quire_bo_madvise(fixture->fd, share.object.handle, DRM_QUIRE_MADV_WILLNEED, NULL),
		0, "WILLNEED");
	tap_ret(object_place_and_wait(fixture, &share.object, &vram), 0, "nothing is pinned");
	share_close(fixture, &share);
	close(vgem);
}

/* The device goes while vgem has the pages: they leave its reach, and nothing breaks. */
static void test_unbind(const char *address)
{
	struct fixture fixture;
	struct share share;
	int vgem = vgem_open();
	uint32_t handle;
	void *map;

	fixture_reopen(&fixture);
	share_create(&fixture, &share, &vram);
	tap_ret(dmabuf_map(share.dmabuf, SIZE, &map), 0, "map the dma-buf");
	if (vgem >= 0)
		tap_ret(dmabuf_import(vgem, share.dmabuf, &handle), 0, "vgem imports it");
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	tap_ok(sigbus_on_read(map), "the mapping raises SIGBUS");
	tap_ret(dmabuf_sync(share.dmabuf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW), -ENODEV,
		"no CPU access");
	tap_ret(dmabuf_export(fixture.fd, share.object.handle), -ENODEV, "no export");
	close(fixture.fd);
	if (vgem >= 0) {
		close(vgem);
		vgem = vgem_open();
		tap_ret(dmabuf_import(vgem, share.dmabuf, &handle), -ENODEV,
			"who let go can not attach any more");
		close(vgem);
	}
	munmap(map, SIZE);
	close(share.dmabuf);
	tap_ret(sysfs_driver_write("bind", address), 0, "bind");
}

static uint64_t free_memory(void)
{
	struct sysinfo info;

	if (sysinfo(&info))
		tap_bail("sysinfo");
	return (uint64_t)info.freeram * info.mem_unit;
}

/* Are the pages of a large object free, which were in use @before? */
static bool is_freed(uint64_t before)
{
	return free_memory() >= before + LARGE / 2;
}

static bool is_freed_soon(uint64_t before)
{
	for (unsigned int i = 0; i < WAIT_MS / 20 && !is_freed(before); i++)
		test_sleep_ms(20);
	return is_freed(before);
}

/* The device goes: what vgem has pinned stays until it lets go, and nothing else does. */
static void test_unbind_memory(const char *address, bool pinned)
{
	struct fixture fixture;
	struct object object;
	int vgem = vgem_open_static(), dmabuf;
	uint64_t before;
	uint32_t handle;

	if (vgem < 0) {
		tap_skip("no vgem here, or one that pins nothing", "pages of a device that goes");
		return;
	}
	fixture_reopen(&fixture);
	tap_ret(object_create(&fixture, &object, LARGE, 1), 0, "a large object");
	dmabuf = dmabuf_export(fixture.fd, object.handle);
	tap_ret(dmabuf_import(vgem, dmabuf, &handle), 0, "vgem imports it");
	if (!pinned) {
		tap_ret(object_place(&fixture, &object, &vram), -EBUSY, "it is pinned");
		close(vgem);
	}
	before = free_memory();
	tap_ret(sysfs_driver_write("unbind", address), 0, "unbind");
	if (pinned)
		tap_ok(!is_freed(before), "its pages are not free");
	else
		tap_ok(is_freed_soon(before), "vgem has let go: its pages are free");
	close(fixture.fd);
	close(dmabuf);
	if (pinned) {
		tap_ok(!is_freed(before), "they are vgem's now");
		close(vgem);
		tap_ok(is_freed_soon(before), "it lets go: they are free");
	}
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
	test_map(&fixture);
	test_identity(&fixture);
	test_pinned(&fixture, far_away(&fixture));
	test_pinned(&fixture, &aperture);
	test_pinned(&fixture, &system_memory);
	test_pins(&fixture);
	test_purged(&fixture);
	test_lost(&fixture);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	close(fixture.fd);
	test_unbind(address);
	test_unbind(address);
	test_unbind_memory(address, true);
	test_unbind_memory(address, false);
	return tap_done();
}
