// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "debugfs.h"
#include "guest.h"

/* @ret: 0, or a negative errno, which ends the program. */
void guest_must(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(-ret));
	exit(EXIT_FAILURE);
}

void guest_open(struct guest *guest)
{
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];

	guest->fd = quire_open();
	guest_must(guest->fd, "no device of the quire driver");
	guest_must(quire_query_segments(guest->fd, segments), "query");
	guest->vram = segments[DRM_QUIRE_SEGMENT_VRAM].size;
	guest_must(debugfs_find(guest->fd, guest->debugfs, sizeof(guest->debugfs)), "debugfs");
}

/* Bytes in use now, of all programs. */
uint64_t guest_usage(const struct guest *guest, uint32_t segment)
{
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];

	guest_must(quire_query_segments(guest->fd, segments), "query");
	return segments[segment].usage;
}

/* Content that is not zero, so that all of it has to be moved. */
static void create_object(int fd, uint64_t size, uint32_t *handle)
{
	void *map;

	guest_must(quire_bo_create(fd, size, handle), "create");
	guest_must(quire_bo_map(fd, *handle, size, &map), "map");
	memset(map, (*handle & 0xff) | 1, size);
	munmap(map, size);
}

/**
 * guest_set_create - make objects with content, in system memory
 * @set: to fill
 * @fd: render node
 * @count: of objects
 * @size: bytes of each
 */
void guest_set_create(struct guest_set *set, int fd, size_t count, uint64_t size)
{
	*set = (struct guest_set){ .fd = fd, .size = size };
	guest_set_grow(set, count);
}

/* Adds objects until there are @count. */
void guest_set_grow(struct guest_set *set, size_t count)
{
	set->handles = reallocarray(set->handles, count, sizeof(*set->handles));
	if (!set->handles)
		guest_must(-ENOMEM, "objects");
	for (; set->count < count; set->count++)
		create_object(set->fd, set->size, &set->handles[set->count]);
}

/* Queues the moves of all; guest_set_wait() waits for them. */
void guest_set_place(const struct guest_set *set, uint32_t segment)
{
	for (size_t i = 0; i < set->count; i++)
		guest_must(quire_bo_place(set->fd, set->handles[i], segment, 0), "place");
}

void guest_set_wait(const struct guest_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		guest_must(quire_bo_wait(set->fd, set->handles[i], GUEST_WAIT_MS), "wait");
}

void guest_set_close(struct guest_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		guest_must(quire_bo_close(set->fd, set->handles[i]), "close");
	free(set->handles);
	*set = (struct guest_set){ .fd = set->fd };
}
