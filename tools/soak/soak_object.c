// SPDX-License-Identifier: GPL-2.0 OR MIT
/* One object and its model: each function does the same to both. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "random.h"
#include "soak.h"

/* An object that is new holds zeros. */
int object_create(struct soak_worker *worker, struct soak_object *object, uint64_t size)
{
	void *map = NULL;
	int ret;

	*object = (struct soak_object){ .size = size };
	ret = quire_bo_create(worker->fd, size, &object->handle);
	if (ret)
		return ret;
	ret = quire_bo_map(worker->fd, object->handle, size, &map);
	object->model = calloc(1, size);
	if (!ret && !object->model)
		ret = -ENOMEM;
	object->map = map;
	if (ret)
		object_close(worker, object);
	return ret;
}

void object_close(struct soak_worker *worker, struct soak_object *object)
{
	if (object->map)
		munmap(object->map, object->size);
	if (object->handle)
		quire_bo_close(worker->fd, object->handle);
	free(object->model);
	*object = (struct soak_object){ 0 };
}

/* Have the content of an object that was given up, whole or zero. */
static int need(struct soak_worker *worker, struct soak_object *object)
{
	bool retained;
	int ret;

	if (!object->unneeded)
		return 0;
	ret = quire_bo_madvise(worker->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, &retained);
	if (ret)
		return ret;
	object->unneeded = false;
	if (!retained)
		memset(object->model, 0, object->size);
	return 0;
}

/* It may be right by now: what was read in the middle of something. */
static void report(struct soak_worker *worker, const struct soak_object *object, uint64_t first,
		   uint64_t end)
{
	uint64_t wrong = 0, at = first;
	uint8_t is = object->map[first];

	for (uint64_t i = end; i-- > first;) {
		uint8_t byte = object->map[i];

		if (byte == object->model[i])
			continue;
		wrong++;
		at = i;
		is = byte;
	}
	fprintf(stderr, "soak: process %u: object %u of %" PRIu64 " bytes: a moment later %" PRIu64
		" bytes differ, the first at %#" PRIx64 ": %#x, should be %#x\n", worker->number,
		object->handle, object->size, wrong, at, is, object->model[at]);
}

/* What differs is told once: the model follows. */
static void compare(struct soak_worker *worker, struct soak_object *object, uint64_t first,
		    uint64_t size)
{
	worker->counts->bytes += size;
	if (!memcmp(object->map + first, object->model + first, size))
		return;
	worker->counts->differ++;
	report(worker, object, first, first + size);
	memcpy(object->model + first, object->map + first, size);
}

/* A range of it: of any size, also over page boundaries. */
static uint64_t random_range(struct soak_worker *worker, const struct soak_object *object,
			     uint64_t *first)
{
	uint64_t limit = object->size;

	*first = random_below(&worker->random, object->size);
	if (random_below(&worker->random, 4))
		limit = 3 * QUIRE_PAGE;
	if (limit > object->size - *first)
		limit = object->size - *first;
	return 1 + random_below(&worker->random, limit);
}

int object_write(struct soak_worker *worker, struct soak_object *object)
{
	uint64_t first, size, i, value;
	int ret = need(worker, object);

	if (ret)
		return ret;
	size = random_range(worker, object, &first);
	for (i = 0; i + sizeof(value) <= size; i += sizeof(value)) {
		value = random_next(&worker->random);
		memcpy(object->model + first + i, &value, sizeof(value));
	}
	memset(object->model + first + i, random_next(&worker->random), size - i);
	memcpy(object->map + first, object->model + first, size);
	return 0;
}

int object_read(struct soak_worker *worker, struct soak_object *object)
{
	uint64_t first, size;
	int ret = need(worker, object);

	if (ret)
		return ret;
	size = random_range(worker, object, &first);
	compare(worker, object, first, size);
	return 0;
}

int object_check(struct soak_worker *worker, struct soak_object *object)
{
	int ret = need(worker, object);

	if (!ret)
		compare(worker, object, 0, object->size);
	return ret;
}

/* Give it up; whoever needs it next takes that back. */
int object_advise(struct soak_worker *worker, struct soak_object *object)
{
	int ret = quire_bo_madvise(worker->fd, object->handle, DRM_QUIRE_MADV_DONTNEED, NULL);

	if (!ret)
		object->unneeded = true;
	return ret;
}

static bool fits(const struct soak_worker *worker, uint32_t segment, uint32_t flags,
		 uint64_t size)
{
	const struct drm_quire_segment_info *vram = &worker->segments[DRM_QUIRE_SEGMENT_VRAM];

	if (segment == DRM_QUIRE_SEGMENT_SYSTEM)
		return true;
	if (segment == DRM_QUIRE_SEGMENT_VRAM && flags & DRM_QUIRE_PLACE_VISIBLE)
		return size <= vram->visible_size;
	if (segment == DRM_QUIRE_SEGMENT_VRAM && flags & DRM_QUIRE_PLACE_INVISIBLE)
		return size <= vram->size - vram->visible_size;
	return size <= worker->segments[segment].size;
}

/* To any place that there is: a segment, and of VRAM any of its parts. */
int object_place(struct soak_worker *worker, struct soak_object *object)
{
	static const uint32_t parts[] = { 0, DRM_QUIRE_PLACE_VISIBLE, DRM_QUIRE_PLACE_INVISIBLE };
	uint32_t segment = random_below(&worker->random, QUIRE_SEGMENTS);
	uint32_t flags = 0;
	int ret = need(worker, object);

	if (segment == DRM_QUIRE_SEGMENT_VRAM) {
		flags = parts[random_below(&worker->random, ARRAY_SIZE(parts))];
		if (!random_below(&worker->random, 4))
			flags |= DRM_QUIRE_PLACE_CONTIGUOUS;
	}
	if (ret || !fits(worker, segment, flags, object->size))
		return ret;
	return quire_bo_place(worker->fd, object->handle, segment, flags);
}
