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

#define WAIT_NS		100000000000

/* An object that is new holds zeros. */
int object_create(struct soak_worker *worker, struct soak_object *object, enum soak_kind kind,
		  uint64_t size)
{
	int ret = kind_create(worker, object, kind, size);

	if (ret)
		return ret;
	ret = quire_object_from_handle(worker->gpu.device, object->handle, &object->object);
	if (ret) {
		quire_bo_close(worker->fd, object->handle);
		*object = (struct soak_object){ 0 };
		return ret;
	}
	object->model = calloc(1, object->size);
	if (object->model)
		return 0;
	object_close(worker, object);
	return -ENOMEM;
}

/* Nobody looks at it: it may move in other ways, until object_need() maps it again. */
static void unmap(struct soak_object *object)
{
	if (object->map)
		munmap(object->map, object->map_size);
	object->map = NULL;
}

static int map(struct soak_worker *worker, struct soak_object *object)
{
	void *map;
	int ret;

	if (object->map)
		return 0;
	ret = quire_bo_map(worker->fd, object->handle, object->map_size, &map);
	if (!ret)
		object->map = map;
	return ret;
}

void object_close(struct soak_worker *worker, struct soak_object *object)
{
	(void)worker;
	unmap(object);
	quire_object_close(object->object);
	free(object->model);
	*object = (struct soak_object){ 0 };
}

/* Have the content of an object that was given up, whole or zero. */
static int renew(struct soak_worker *worker, struct soak_object *object)
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

/* All commands are done, and the model has what they did. */
static int settle(struct soak_worker *worker, struct soak_object *object)
{
	int ret;

	if (!object->queued && !object->lost)
		return 0;
	ret = quire_object_wait(object->object, WAIT_NS);
	ret = ret ? ret : worker_look(worker);
	if (ret)
		return ret;
	object->queued = false;
	if (object->lost)
		memcpy(object->model, object->map, object->size);
	object->lost = false;
	return 0;
}

/**
 * object_need - have the content of an object, and a mapping that shows it
 * @worker: whose it is
 * @object: of it
 *
 * Returns 0 or a negative errno.
 */
int object_need(struct soak_worker *worker, struct soak_object *object)
{
	int ret = renew(worker, object);

	ret = ret ? ret : map(worker, object);
	return ret ? ret : settle(worker, object);
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
	fprintf(stderr, "soak: process %u: object %u (%s) of %" PRIu64 " bytes: a moment later %"
		PRIu64 " bytes differ, the first at %#" PRIx64 ": %#x, should be %#x\n",
		worker->number, object->handle, kind_name(object->kind), object->size, wrong, at,
		is, object->model[at]);
}

/* What differs is told once: the model follows. */
static void compare(struct soak_worker *worker, struct soak_object *object, uint64_t first,
		    uint64_t size)
{
	worker->counts->bytes += size;
	worker->counts->kinds[object->kind] += size;
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
	int ret = object_need(worker, object);

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
	int ret = object_need(worker, object);

	if (ret)
		return ret;
	size = random_range(worker, object, &first);
	compare(worker, object, first, size);
	return 0;
}

int object_check(struct soak_worker *worker, struct soak_object *object)
{
	int ret = object_need(worker, object);

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
		 const struct soak_object *object)
{
	const struct drm_quire_segment_info *vram = &worker->segments[DRM_QUIRE_SEGMENT_VRAM];

	if (!(object->segments & DRM_QUIRE_SEGMENT_BIT(segment)))
		return false;
	if (segment == DRM_QUIRE_SEGMENT_SYSTEM)
		return true;
	if (segment == DRM_QUIRE_SEGMENT_APERTURE)
		return object->map_size <= worker->segments[segment].size;
	if (flags & DRM_QUIRE_PLACE_VISIBLE)
		return object->vram_size <= vram->visible_size;
	if (flags & DRM_QUIRE_PLACE_INVISIBLE)
		return object->vram_size <= vram->size - vram->visible_size;
	return object->vram_size <= vram->size;
}

/* To any place that there is: a segment, and of VRAM any of its parts. */
int object_place(struct soak_worker *worker, struct soak_object *object)
{
	static const uint32_t parts[] = { 0, DRM_QUIRE_PLACE_VISIBLE, DRM_QUIRE_PLACE_INVISIBLE };
	uint32_t segment = random_below(&worker->random, QUIRE_SEGMENTS);
	uint32_t flags = 0;
	int ret = renew(worker, object);

	if (segment == DRM_QUIRE_SEGMENT_VRAM) {
		flags = parts[random_below(&worker->random, ARRAY_SIZE(parts))];
		if (!random_below(&worker->random, 4))
			flags |= DRM_QUIRE_PLACE_CONTIGUOUS;
	}
	if (ret || !fits(worker, segment, flags, object))
		return ret;
	if (!random_below(&worker->random, 3))
		unmap(object);
	return quire_bo_place(worker->fd, object->handle, segment, flags);
}
