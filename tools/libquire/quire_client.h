/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What every program here needs of the quire driver: its render node and one
 * function per ioctl.
 *
 * Segments are named by their class here, and the client finds out their
 * instances: to place an object in a class is to place it in the largest segment
 * of that class.
 *
 * All functions that return int return 0 (or a descriptor) or a negative
 * errno.  They go on after a signal; who wants to see one calls
 * quire_ioctl_once().
 */
#ifndef QUIRE_CLIENT_H
#define QUIRE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <quire_drm.h>

#define QUIRE_SEGMENTS		3
/* Sets of segments have 32 bits. */
#define QUIRE_MAX_INSTANCES	32
#define QUIRE_NO_INSTANCE	UINT32_MAX
#define QUIRE_MIB		((uint64_t)1024 * 1024)
#define QUIRE_PAGE		((uint64_t)4096)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/**
 * struct quire_segments - the segments of a device
 * @count: how many
 * @list: of any class, also of classes that are not known here; a class may have several, or none
 */
struct quire_segments {
	uint32_t count;
	struct drm_quire_segment_info list[QUIRE_MAX_INSTANCES];
};

int quire_open(void);
int quire_open_path(char *path, size_t size);
int quire_open_node(const char *path);

int quire_ioctl(int fd, unsigned long request, void *arg);
int quire_ioctl_once(int fd, unsigned long request, void *arg);

int quire_query_device(int fd, struct drm_quire_device_info *info);
int quire_query_segments(int fd, struct drm_quire_segment_info segments[QUIRE_SEGMENTS]);
int quire_query_all_segments(int fd, struct quire_segments *segments);
const struct drm_quire_segment_info *quire_segments_largest(const struct quire_segments *segments,
							    uint32_t segment_class);
uint32_t quire_segments_set(const struct quire_segments *segments, uint32_t classes);
int quire_segments_class(const struct quire_segments *segments, uint32_t instance);
const char *quire_segment_name(uint32_t segment);
int quire_segment_set(int fd, uint32_t classes, uint32_t *set);
int quire_segment_instance(int fd, uint32_t segment, uint32_t *instance);

int quire_bo_create(int fd, uint64_t size, uint32_t *handle);
int quire_bo_create_in(int fd, uint64_t size, uint32_t segments, uint32_t *handle);
int quire_bo_create_caching(int fd, uint64_t size, uint32_t segments, uint32_t caching,
			    uint32_t *handle);
int quire_bo_create_window(int fd, uint64_t size, uint32_t caching, uint32_t *handle);
int quire_bo_close(int fd, uint32_t handle);
int quire_bo_info(int fd, uint32_t handle, struct drm_quire_bo_info *info);
int quire_bo_map(int fd, uint32_t handle, uint64_t size, void **map);
int quire_bo_wait(int fd, uint32_t handle, unsigned int milliseconds);
int quire_bo_place(int fd, uint32_t handle, uint32_t segment, uint32_t flags);
int quire_bo_place_syncs(int fd, uint32_t handle, uint32_t segment, uint32_t flags,
			 const struct drm_quire_sync *syncs, uint32_t count);
int quire_bo_madvise(int fd, uint32_t handle, uint32_t advice, bool *retained);

int64_t quire_now_ns(void);

#endif
