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

int quire_query_all_segments(int fd, struct quire_segments *segments)
{
	int count = query(fd, DRM_QUIRE_QUERY_SEGMENTS, segments->list, sizeof(segments->list[0]),
			  QUIRE_MAX_INSTANCES);

	if (count < 0)
		return count;
	segments->count = count < QUIRE_MAX_INSTANCES ? count : QUIRE_MAX_INSTANCES;
	return 0;
}

/* Of several segments of a class, the largest is what one asks for by the class. */
const struct drm_quire_segment_info *quire_segments_largest(const struct quire_segments *segments,
							    uint32_t segment_class)
{
	const struct drm_quire_segment_info *largest = NULL;

	for (uint32_t i = 0; i < segments->count; i++) {
		const struct drm_quire_segment_info *one = &segments->list[i];

		if (one->segment_class == segment_class && (!largest || one->size > largest->size))
			largest = one;
	}
	return largest;
}

uint32_t quire_segments_set(const struct quire_segments *segments, uint32_t classes)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < segments->count; i++) {
		const struct drm_quire_segment_info *one = &segments->list[i];

		if (one->segment_class < QUIRE_SEGMENTS &&
		    classes & DRM_QUIRE_SEGMENT_BIT(one->segment_class))
			set |= DRM_QUIRE_SEGMENT_BIT(one->instance);
	}
	return set;
}

int quire_segments_class(const struct quire_segments *segments, uint32_t instance)
{
	for (uint32_t i = 0; i < segments->count; i++)
		if (segments->list[i].instance == instance)
			return segments->list[i].segment_class;
	return -EPROTO;
}

/*
 * @segments is indexed by enum drm_quire_segment_class afterwards: the largest of each class, or,
 * where there is none, one of no bytes.
 */
int quire_query_segments(int fd, struct drm_quire_segment_info segments[QUIRE_SEGMENTS])
{
	struct quire_segments all;
	int ret = quire_query_all_segments(fd, &all);

	for (uint32_t i = 0; i < QUIRE_SEGMENTS && !ret; i++) {
		const struct drm_quire_segment_info *largest = quire_segments_largest(&all, i);

		segments[i] = largest ? *largest : (struct drm_quire_segment_info){
			.instance = QUIRE_NO_INSTANCE, .segment_class = i,
		};
	}
	return ret;
}

/* The segments of a device do not change: the driver is asked once, not at every move. */
static int known_segments(int fd, const struct quire_segments **segments)
{
	static struct quire_segments known;
	int ret = known.count ? 0 : quire_query_all_segments(fd, &known);

	*segments = &known;
	return ret;
}

/**
 * quire_segment_set - what the driver calls some segments
 * @fd: render node
 * @classes: set of classes, DRM_QUIRE_SEGMENT_BIT(enum drm_quire_segment_class)
 * @set: returned: the instances of all of these classes
 *
 * Returns 0, or the error of the query.
 */
int quire_segment_set(int fd, uint32_t classes, uint32_t *set)
{
	const struct quire_segments *segments;
	int ret = known_segments(fd, &segments);

	if (!ret)
		*set = quire_segments_set(segments, classes);
	return ret;
}

/**
 * quire_segment_instance - what the driver calls a segment
 * @fd: render node
 * @segment: enum drm_quire_segment_class
 * @instance: returned, the largest segment of the class; @segment itself if it is no class, so
 *            that programs can see what the driver says to that
 *
 * Returns 0; -ENODEV the device has none of this class; or the error of the query.
 */
int quire_segment_instance(int fd, uint32_t segment, uint32_t *instance)
{
	const struct drm_quire_segment_info *largest;
	const struct quire_segments *segments;
	int ret = known_segments(fd, &segments);

	if (ret)
		return ret;
	largest = quire_segments_largest(segments, segment);
	if (!largest && segment < QUIRE_SEGMENTS)
		return -ENODEV;
	*instance = largest ? largest->instance : segment;
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
	int ret = quire_segment_set(fd, segments, &create.segments);

	*handle = 0;
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
		.size = size,
		.caching = caching, .flags = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE,
	};
	int ret = quire_segment_set(fd, DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1,
				    &create.segments);

	if (!ret)
		ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);
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
