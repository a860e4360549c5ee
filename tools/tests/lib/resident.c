// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdlib.h>
#include <string.h>

#include "resident.h"

static struct drm_quire_resident *elements(const struct object *objects, uint32_t count)
{
	struct drm_quire_resident *list = calloc(count, sizeof(*list));

	if (!list)
		tap_bail("no memory");
	for (uint32_t i = 0; i < count; i++)
		list[i].handle = objects[i].handle;
	return list;
}

int resident_make_syncs(int fd, const struct object *objects, uint32_t count,
			const struct drm_quire_sync *syncs, uint32_t nr_syncs)
{
	struct drm_quire_resident *list = elements(objects, count);
	struct drm_quire_make_resident make = {
		.objects = DRM_QUIRE_ARRAY(count, list),
		.syncs = DRM_QUIRE_ARRAY(nr_syncs, syncs),
	};
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &make);

	free(list);
	return ret;
}

int resident_make(int fd, const struct object *objects, uint32_t count)
{
	return resident_make_syncs(fd, objects, count, NULL, 0);
}

int resident_evict(int fd, const struct object *objects, uint32_t count)
{
	struct drm_quire_resident *list = elements(objects, count);
	struct drm_quire_evict evict = { .objects = DRM_QUIRE_ARRAY(count, list) };
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_EVICT, &evict);

	free(list);
	return ret;
}

/**
 * resident_count - how often a file holds an object; it does no more then
 * @fd: the file
 * @object: the object
 *
 * Returns: the count, up to %RESIDENT_MOST; or why the object cannot be evicted: a negative error,
 *          -%ERANGE if it is held more often.
 */
int resident_count(int fd, const struct object *object)
{
	for (int count = 0; count <= RESIDENT_MOST; count++) {
		int ret = resident_evict(fd, object, 1);

		if (ret)
			return ret == -EINVAL ? count : ret;
	}
	return -ERANGE;
}

/**
 * resident_flood - all of VRAM is needed, twice
 * @fixture: the device
 *
 * By small objects, one after the other, which are gone then: who is in VRAM yet was no victim.
 */
void resident_flood(const struct fixture *fixture)
{
	const unsigned int count = 2 * fixture_vram(fixture) / QUIRE_MIB;
	struct object *objects = calloc(count, sizeof(*objects));
	int ret = objects ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < count && !ret; i++) {
		ret = quire_bo_create(fixture->fd, QUIRE_MIB, &objects[i].handle);
		if (!ret)
			ret = object_place(fixture, &objects[i], &places[2]);
	}
	if (ret)
		tap_bail("flood: %s", strerror(-ret));
	for (unsigned int i = 0; i < count; i++)
		object_close(fixture, &objects[i]);
	free(objects);
}
