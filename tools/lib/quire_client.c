// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "quire_client.h"

#define MAX_DEVICES	64

/* Sets of segments have 32 bits. */
#define MAX_INSTANCES	32

static bool is_quire(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool match = version && !strcmp(version->name, "quire");

	drmFreeVersion(version);
	return match;
}

/* Returns a descriptor, -ENODEV if @path is none of the driver's, or why it can not be opened. */
int quire_open_node(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (is_quire(fd))
		return fd;
	close(fd);
	return -ENODEV;
}

static int open_device(const drmDevice *device)
{
	if (!(device->available_nodes & (1 << DRM_NODE_RENDER)))
		return -ENODEV;
	return quire_open_node(device->nodes[DRM_NODE_RENDER]);
}

/**
 * quire_open_path - open the first render node of the quire driver
 * @path: gets its name; may be NULL
 * @size: bytes at @path
 *
 * Returns a descriptor, -ENODEV if there is none, or why it can not be opened.
 */
int quire_open_path(char *path, size_t size)
{
	drmDevicePtr devices[MAX_DEVICES];
	int count = drmGetDevices2(0, devices, MAX_DEVICES);
	int fd = -ENODEV;

	for (int i = 0; i < count && fd < 0; i++) {
		int ret = open_device(devices[i]);

		if (ret >= 0 && path)
			snprintf(path, size, "%s", devices[i]->nodes[DRM_NODE_RENDER]);
		if (ret >= 0 || ret != -ENODEV)
			fd = ret;
	}
	if (count > 0)
		drmFreeDevices(devices, count);
	return fd;
}

int quire_open(void)
{
	return quire_open_path(NULL, 0);
}

int quire_ioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

/* As quire_ioctl(), but a signal ends it with -EINTR. */
int quire_ioctl_once(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

/* Asks for at most @count elements; returns how many there were, or a negative errno. */
static int query(int fd, uint32_t type, void *elements, uint32_t stride, uint32_t count)
{
	struct drm_quire_query query = {
		.type = type,
		.answer = { .stride = stride, .count = count, .array = (uintptr_t)elements },
	};
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_QUERY, &query);

	return ret ? ret : (int)query.answer.count;
}

int quire_query_device(int fd, struct drm_quire_device_info *info)
{
	int ret;

	memset(info, 0, sizeof(*info));
	ret = query(fd, DRM_QUIRE_QUERY_DEVICE, info, sizeof(*info), 1);
	if (ret < 0)
		return ret;
	return ret == 1 ? 0 : -EPROTO;
}

/* @segments is indexed by enum drm_quire_segment_class afterwards. */
int quire_query_segments(int fd, struct drm_quire_segment_info segments[QUIRE_SEGMENTS])
{
	struct drm_quire_segment_info answer[MAX_INSTANCES];
	int count = query(fd, DRM_QUIRE_QUERY_SEGMENTS, answer, sizeof(answer[0]), MAX_INSTANCES);

	if (count < 0)
		return count;
	if (count != QUIRE_SEGMENTS)
		return -EPROTO;
	for (int i = 0; i < count; i++) {
		if (answer[i].segment_class >= QUIRE_SEGMENTS)
			return -EPROTO;
		segments[answer[i].segment_class] = answer[i];
	}
	return 0;
}

/**
 * quire_segment_instance - what the driver calls a segment
 * @fd: render node
 * @segment: enum drm_quire_segment_class
 * @instance: returned; @segment itself if it is no class, so that programs can
 *            see what the driver says to that
 *
 * Asks the driver once, not at every move.
 *
 * Returns 0, or the error of the query.
 */
int quire_segment_instance(int fd, uint32_t segment, uint32_t *instance)
{
	static struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	static bool known;
	int ret = known ? 0 : quire_query_segments(fd, segments);

	if (ret)
		return ret;
	known = true;
	*instance = segment < QUIRE_SEGMENTS ? segments[segment].instance : segment;
	return 0;
}

const char *quire_segment_name(uint32_t segment)
{
	static const char * const names[QUIRE_SEGMENTS] = {
		[DRM_QUIRE_SEGMENT_SYSTEM] = "system",
		[DRM_QUIRE_SEGMENT_VRAM] = "vram",
		[DRM_QUIRE_SEGMENT_APERTURE] = "aperture",
	};

	return segment < QUIRE_SEGMENTS ? names[segment] : "unknown";
}

/* @segments: set of classes, DRM_QUIRE_SEGMENT_BIT(enum drm_quire_segment_class) */
int quire_bo_create_in(int fd, uint64_t size, uint32_t segments, uint32_t *handle)
{
	return quire_bo_create_caching(fd, size, segments, DRM_QUIRE_CACHING_CACHED, handle);
}

/* The same, with a caching: enum drm_quire_caching. */
int quire_bo_create_caching(int fd, uint64_t size, uint32_t segments, uint32_t caching,
			    uint32_t *handle)
{
	struct drm_quire_bo_create create = { .size = size, .caching = caching };
	uint32_t instance;
	int ret = 0;

	*handle = 0;
	for (uint32_t i = 0; i < QUIRE_SEGMENTS && !ret; i++) {
		ret = quire_segment_instance(fd, i, &instance);
		if (!ret && segments & DRM_QUIRE_SEGMENT_BIT(i))
			create.segments |= DRM_QUIRE_SEGMENT_BIT(instance);
	}
	if (!ret)
		ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);
	if (!ret)
		*handle = create.handle;
	return ret;
}

/* An object that may be anywhere. */
int quire_bo_create(int fd, uint64_t size, uint32_t *handle)
{
	return quire_bo_create_in(fd, size, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1, handle);
}

/* The same, seen through the device while it is in the aperture. */
int quire_bo_create_window(int fd, uint64_t size, uint32_t caching, uint32_t *handle)
{
	struct drm_quire_bo_create create = {
		.size = size, .segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
		.caching = caching, .flags = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE,
	};
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);

	*handle = ret ? 0 : create.handle;
	return ret;
}

int quire_bo_close(int fd, uint32_t handle)
{
	return drmCloseBufferHandle(fd, handle) ? -errno : 0;
}

int quire_bo_info(int fd, uint32_t handle, struct drm_quire_bo_info *info)
{
	*info = (struct drm_quire_bo_info){ .handle = handle };
	return quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_INFO, info);
}

int quire_bo_map(int fd, uint32_t handle, uint64_t size, void **map)
{
	struct drm_quire_bo_mmap_offset offset = { .handle = handle };
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_MMAP_OFFSET, &offset);

	if (ret)
		return ret;
	*map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset.offset);
	return *map == MAP_FAILED ? -errno : 0;
}

int64_t quire_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int quire_bo_wait(int fd, uint32_t handle, unsigned int milliseconds)
{
	struct drm_quire_bo_wait wait = { .handle = handle };

	if (milliseconds)
		wait.timeout_ns = quire_now_ns() + milliseconds * 1000000ll;
	return quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_WAIT, &wait);
}

int quire_bo_place_syncs(int fd, uint32_t handle, uint32_t segment, uint32_t flags,
			 const struct drm_quire_sync *syncs, uint32_t count)
{
	struct drm_quire_bo_place place = {
		.handle = handle,
		.flags = flags,
		.syncs = DRM_QUIRE_ARRAY(count, syncs),
	};
	int ret = quire_segment_instance(fd, segment, &place.segment);

	return ret ? ret : quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_PLACE, &place);
}

int quire_bo_place(int fd, uint32_t handle, uint32_t segment, uint32_t flags)
{
	return quire_bo_place_syncs(fd, handle, segment, flags, NULL, 0);
}

int quire_bo_madvise(int fd, uint32_t handle, uint32_t advice, bool *retained)
{
	struct drm_quire_bo_madvise madvise = { .handle = handle, .advice = advice };
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_MADVISE, &madvise);

	if (retained)
		*retained = madvise.retained;
	return ret;
}
