// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the kernel does by itself with a driver of objects: uapi.rst, "Sharing", has a line
 * for each of these.
 */
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "fixture.h"
#include "syncs.h"

#define SIZE	QUIRE_MIB

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

static int drm_ioctl(int fd, unsigned long request, void *argument)
{
	return drmIoctl(fd, request, argument) ? -errno : 0;
}

static uint64_t capability(int fd, uint64_t name)
{
	uint64_t value = UINT64_MAX;

	return drmGetCap(fd, name, &value) ? UINT64_MAX : value;
}

static void test_capabilities(int fd)
{
	tap_ok(capability(fd, DRM_CAP_PRIME) == (DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT),
	       "PRIME goes both ways");
	tap_ok(capability(fd, DRM_CAP_SYNCOBJ) == 1, "there are syncobjs");
	tap_ok(capability(fd, DRM_CAP_SYNCOBJ_TIMELINE) == 1, "and timelines");
}

static void test_handle_to_fd(const struct fixture *fixture, uint32_t handle)
{
	struct drm_prime_handle export = { .handle = handle, .flags = ~0u };

	tap_ret(drm_ioctl(fixture->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export), -EINVAL,
		"flags of an export that nobody knows");
	export = (struct drm_prime_handle) { .handle = handle + 1000 };
	tap_ret(drm_ioctl(fixture->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &export), -ENOENT,
		"a handle that is not there");
}

/* Names are for nodes where one has to be let in: the primary one. */
static void test_flink(const struct fixture *fixture, const struct object *object)
{
	char *path = drmGetPrimaryDeviceNameFromFd(fixture->fd);
	struct drm_gem_flink flink = { .handle = object->handle };
	struct drm_gem_open open_name = { 0 };
	int first, second, dmabuf;

	tap_ret(drm_ioctl(fixture->fd, DRM_IOCTL_GEM_FLINK, &flink), -EACCES,
		"no name on the render node");
	tap_ret(drm_ioctl(fixture->fd, DRM_IOCTL_GEM_OPEN, &open_name), -EACCES,
		"nor an object of a name");
	first = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	second = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	free(path);
	dmabuf = dmabuf_export(fixture->fd, object->handle);
	tap_ret(dmabuf_import(first, dmabuf, &flink.handle), 0, "the object on the primary node");
	close(dmabuf);
	tap_ret(drm_ioctl(first, DRM_IOCTL_GEM_FLINK, &flink), 0, "a name there");
	open_name.name = flink.name;
	tap_ret(drm_ioctl(second, DRM_IOCTL_GEM_OPEN, &open_name), 0, "the object of the name");
	tap_ok(open_name.size == SIZE, "it has its size");
	tap_ret(quire_bo_place(second, open_name.handle, DRM_QUIRE_SEGMENT_APERTURE, 0), 0,
		"place it there");
	tap_ok(object_segment(fixture, object) == DRM_QUIRE_SEGMENT_APERTURE,
	       "it is the same object");
	close(first);
	close(second);
}

/* What one can do with the file of a dma-buf, beside what test_prime.c does. */
static void test_file(const struct fixture *fixture, const struct object *object)
{
	int dmabuf = dmabuf_export(fixture->fd, object->handle), readable = -1;
	struct object other;
	char byte;
	void *map;

	tap_ret(ioctl(dmabuf, DMA_BUF_SET_NAME, "quire-test") ? -errno : 0, 0, "give it a name");
	tap_ok(lseek(dmabuf, 0, SEEK_END) == (off_t)SIZE, "its end is its size");
	tap_ok(read(dmabuf, &byte, 1) < 0 && errno == EINVAL, "it is not read");
	tap_ok(fd_is_ready(dmabuf, WAIT_MS), "it can be polled");
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, dmabuf, 0);
	tap_ok(map == MAP_FAILED && errno == EINVAL, "it has no private mapping");
	map = mmap(NULL, SIZE + QUIRE_PAGE, PROT_READ, MAP_SHARED, dmabuf, 0);
	tap_ok(map == MAP_FAILED && errno == EINVAL, "nor one beyond its end");
	tap_ret(dmabuf_sync(dmabuf, ~0ull), -EINVAL, "CPU access that nobody knows");
	close(dmabuf);

	tap_ret(object_create(fixture, &other, SIZE, 2), 0, "another object");
	tap_ok(!drmPrimeHandleToFD(fixture->fd, other.handle, DRM_CLOEXEC, &readable),
	       "export it to be read");
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, readable, 0);
	tap_ok(map == MAP_FAILED && errno == EACCES, "it is not mapped for writing");
	close(readable);
	object_close(fixture, &other);
}

/* Fences go out of and into a dma-buf as sync_files, and from syncobj to syncobj. */
static void test_fences(const struct fixture *fixture, const struct object *object)
{
	uint32_t binary = sync_create(fixture), timeline = sync_create(fixture);
	int dmabuf = dmabuf_export(fixture->fd, object->handle), file, event;

	tap_ret(object_place_signal(fixture, object, &vram, binary, 0), 0, "place it in VRAM");
	file = dmabuf_export_sync_file(dmabuf);
	tap_ok(file >= 0, "its fences as a sync_file");
	tap_ok(fd_is_ready(file, WAIT_MS), "they signal");
	tap_ret(dmabuf_import_sync_file(dmabuf, file), 0, "and go back into it");
	close(file);
	tap_ret(drmSyncobjTransfer(fixture->fd, timeline, 7, binary, 0, 0) ? -errno : 0, 0,
		"from one syncobj to a point of another");
	event = sync_eventfd(fixture, timeline, 7);
	tap_ok(event < 0 || fd_is_ready(event, WAIT_MS), "an eventfd tells of it");
	tap_ret(sync_wait(fixture, timeline, 7, WAIT_MS), 0, "and a wait");
	close(event);
	close(dmabuf);
	drmSyncobjDestroy(fixture->fd, timeline);
	drmSyncobjDestroy(fixture->fd, binary);
}

int main(void)
{
	struct fixture fixture;
	struct object object;

	tap_start(60);
	fixture_open(&fixture);
	if (getuid())
		tap_skip_all("not root");
	tap_ret(object_create(&fixture, &object, SIZE, 1), 0, "an object with content");
	test_capabilities(fixture.fd);
	test_handle_to_fd(&fixture, object.handle);
	test_flink(&fixture, &object);
	test_file(&fixture, &object);
	test_fences(&fixture, &object);
	tap_ret(object_check(&fixture, &object), 0, "its content is whole");
	object_close(&fixture, &object);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
