// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A ring that hangs, and hangs again when it is restored: all waits end, and a new start works. */
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "kmsg.h"
#include "syncs.h"
#include "wedge.h"

#define BOUND_MS	30000

/* A hang of the work of programs is found soon, but a device that was reset has its time. */
#define RESTORE_MS	3000

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/* The move's fence says that the move failed. */
static void test_fence(const struct fixture *fixture, uint32_t syncobj)
{
	struct fence_state state = { 0 };
	int file = sync_export(fixture, syncobj);

	tap_ok(fd_is_ready(file, WAIT_MS), "the fence has signalled");
	tap_ret(fence_query(file, &state), 0, "it can be asked");
	tap_ret(state.status, -EIO, "it has the error of the move");
	close(file);
}

static void test_wedging(const struct fixture *fixture, const struct object *object)
{
	uint32_t syncobj = sync_create(fixture);
	int64_t start = quire_now_ns();
	long long milliseconds;

	wedge_begin(fixture);
	tap_ret(object_place_signal(fixture, object, &vram, syncobj, 0), 0, "a move");
	wedge_restore(fixture, "hang 1");
	tap_ret(quire_bo_wait(fixture->fd, object->handle, WAIT_MS), -EIO,
		"the wait ends with an error");
	milliseconds = (quire_now_ns() - start) / 1000000;
	wedge_end();
	tap_ok(milliseconds >= RESTORE_MS, "a device that was reset has %d ms", RESTORE_MS);
	tap_ok(milliseconds <= BOUND_MS, "in bounded time (%lld ms)", milliseconds);
	test_fence(fixture, syncobj);
}

static void test_wedged(const struct fixture *fixture, const struct object *object)
{
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	struct drm_quire_bo_info info;
	int64_t start = quire_now_ns();
	uint32_t other;
	char bytes[16];

	tap_ret(object_place(fixture, object, &vram), -EIO, "place");
	tap_ret(quire_bo_wait(fixture->fd, object->handle, 100), -EIO, "wait");
	tap_ret(quire_bo_create(fixture->fd, QUIRE_PAGE, &other), -EIO, "create");
	tap_ret(quire_bo_info(fixture->fd, object->handle, &info), -EIO, "info");
	tap_ret(quire_query_segments(fixture->fd, segments), -EIO, "query");
	tap_ret(debugfs_write(fixture->debugfs, "nop_submit", "4"), -EIO, "empty submissions");
	tap_ret(debugfs_read(fixture->debugfs, "device_vram", bytes, sizeof(bytes)), -EIO,
		"the bytes of VRAM");
	tap_ok(quire_now_ns() - start < 5000000000ll, "none of them waits");
}

/* What the arguments say by themselves is wrong whether the device works or not. */
static void test_order(const struct fixture *fixture, const struct object *object)
{
	struct drm_quire_bo_create create = {
		.size = fixture->info.max_bo_size + QUIRE_PAGE,
		.segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
	};
	struct drm_quire_bo_place place = {
		.handle = object->handle,
		.syncs = { sizeof(struct drm_quire_sync), DRM_QUIRE_MAX_SYNCS + 1, 8 },
	};
	struct drm_quire_query query = { .answer = { 4104, 1, (uintptr_t)&query } };
	struct drm_quire_bo_info info = { .handle = object->handle, .pad = 1 };

	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_CREATE, &create), -E2BIG,
		"create: too large comes before wedged");
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &place), -E2BIG,
		"place: too many syncs come before wedged");
	place.syncs.count = 1;
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &place), -EFAULT,
		"place: a bad pointer comes before wedged");
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_QUERY, &query), -E2BIG,
		"query: a long stride comes before wedged");
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_INFO, &info), -EINVAL,
		"info: a pad comes before wedged");
	info = (struct drm_quire_bo_info){ .handle = 0x7ffffff0u };
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_INFO, &info), -EIO,
		"info: an unknown handle comes after");
}

/*
 * Once more, but the device hangs further on, at what maps the aperture again: what was mapped
 * there is not forgotten. Who resets the function meanwhile waits, and makes nothing good.
 */
static void test_wedging_later(struct fixture *fixture)
{
	static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
	struct object object, mapped;
	int log = kmsg_open();
	char address[64];

	tap_ret(sysfs_pci_address(fixture->fd, address, sizeof(address)), 0, "find the device");
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 3), 0, "create");
	tap_ret(object_create(fixture, &mapped, QUIRE_MIB, 4), 0, "create another");
	tap_ret(object_place_and_wait(fixture, &mapped, &aperture), 0, "place it in the aperture");
	wedge_begin(fixture);
	tap_ret(object_place(fixture, &object, &vram), 0, "a move");
	wedge_restore(fixture, "hang 2");
	fixture_wait_hung(fixture);
	tap_ret(sysfs_reset(address), 0, "reset");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), -EIO,
		"the wait ends with an error");
	tap_ok(kmsg_wait(log, "the device is wedged", WAIT_MS), "it had been given up before");
	close(log);
	wedge_end();
	fixture_rebind(fixture);
	fixture_test_works(fixture);
}

/*
 * What was in VRAM is lost, wherever there. This does not fit into what the CPU sees, so that
 * a fault would bring it to system memory.
 */
static void *map_invisible(const struct fixture *fixture, struct object *object)
{
	static const struct place invisible = {
		"invisible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_INVISIBLE
	};
	uint64_t size = fixture_visible(fixture) + QUIRE_MIB;
	void *map;

	if (!fixture_has_place(fixture, &invisible, size))
		return NULL;
	tap_ret(object_create(fixture, object, size, 5), 0, "create a large one");
	tap_ret(object_place_and_wait(fixture, object, &invisible), 0, "place it");
	tap_ret(quire_bo_map(fixture->fd, object->handle, size, &map), 0, "map it");
	return map;
}

static void check_invisible(void *map)
{
	if (!map) {
		tap_skip("too little VRAM", "what was in invisible VRAM is lost");
		return;
	}
	tap_ok(sigbus_on_read(map), "what was in invisible VRAM is lost");
}

int main(void)
{
	struct object object, other, large = { 0 };
	struct fixture fixture;
	void *map, *kept, *lost;

	tap_start(120);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	tap_ret(object_create(&fixture, &object, QUIRE_MIB, 1), 0, "create");
	tap_ret(quire_bo_map(fixture.fd, object.handle, object.size, &map), 0, "map");
	tap_ret(object_create(&fixture, &other, QUIRE_MIB, 2), 0, "create another");
	tap_ret(quire_bo_map(fixture.fd, other.handle, other.size, &kept), 0, "map it");
	lost = map_invisible(&fixture, &large);
	test_wedging(&fixture, &object);
	test_wedged(&fixture, &object);
	test_order(&fixture, &object);
	tap_ok(sigbus_on_read(map), "what moved is lost: touching the mapping raises SIGBUS");
	check_invisible(lost);
	tap_ok(pattern_differs(kept, other.size, other.key) == PATTERN_SAME,
	       "what is in system memory is whole");
	if (lost)
		munmap(lost, large.size);
	munmap(kept, other.size);
	munmap(map, object.size);
	fixture_rebind(&fixture);
	fixture_test_works(&fixture);
	test_wedging_later(&fixture);
	return tap_done();
}
