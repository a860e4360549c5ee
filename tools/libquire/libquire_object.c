// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "libquire_private.h"
#include "quire_client.h"

/* A set of instances of a set of classes. */
static uint32_t instances(const struct quire_device *device, uint32_t classes)
{
	if (!classes)
		classes = DRM_QUIRE_SEGMENT_BIT(QUIRE_CLASSES) - 1;
	return quire_segments_set(&device->segments,
				  classes | DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM));
}

int quire_object_create(struct quire_device *device, const struct quire_object_options *options,
			struct quire_object **object)
{
	struct drm_quire_bo_create create = {
		.size = options->size,
		.segments = instances(device, options->classes),
		.caching = options->caching,
		.flags = options->flags,
		.layout = options->layout,
		.element_size = options->element_size,
		.width = options->width,
		.height = options->height,
		.levels = options->levels,
		.array_size = options->array_size,
		.vm = options->vm ? options->vm->id : 0,
	};
	int ret = quire_ioctl(device->fd, DRM_IOCTL_QUIRE_BO_CREATE, &create);

	if (ret)
		return ret;
	ret = quire_object_from_handle(device, create.handle, object);
	if (ret)
		quire_bo_close(device->fd, create.handle);
	return ret;
}

int quire_object_from_handle(struct quire_device *device, uint32_t handle,
			     struct quire_object **object)
{
	struct quire_object *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	new->device = device;
	ret = quire_bo_info(device->fd, handle, &new->info);
	if (ret)
		free(new);
	else
		*object = new;
	return ret;
}

void quire_object_close(struct quire_object *object)
{
	if (!object)
		return;
	quire_object_unmap(object);
	quire_bo_close(object->device->fd, object->info.handle);
	free(object);
}

uint32_t quire_object_handle(const struct quire_object *object)
{
	return object->info.handle;
}

uint64_t quire_object_size(const struct quire_object *object)
{
	return object->info.size;
}

int quire_object_map(struct quire_object *object, void **bytes)
{
	void *map = object->bytes;
	int ret = map ? 0 : quire_bo_map(object->device->fd, object->info.handle,
					 object->info.size, &map);

	if (ret)
		return ret;
	object->bytes = map;
	*bytes = map;
	return 0;
}

void quire_object_unmap(struct quire_object *object)
{
	if (object->bytes)
		munmap(object->bytes, object->info.size);
	object->bytes = NULL;
}

/* Absolute, as the kernel wants it, of what a caller says: 0 and what is past only asks. */
int64_t libquire_deadline(int64_t timeout)
{
	int64_t now = quire_now_ns();

	if (timeout <= 0)
		return 0;
	return timeout > INT64_MAX - now ? INT64_MAX : now + timeout;
}

int quire_object_wait(const struct quire_object *object, int64_t timeout)
{
	struct drm_quire_bo_wait wait = {
		.handle = object->info.handle, .timeout_ns = libquire_deadline(timeout),
	};

	return quire_ioctl(object->device->fd, DRM_IOCTL_QUIRE_BO_WAIT, &wait);
}

int quire_object_info(const struct quire_object *object, struct drm_quire_bo_info *info)
{
	struct drm_quire_bo_info now;
	int ret = quire_bo_info(object->device->fd, object->info.handle, &now);

	if (!ret)
		*info = now;
	return ret;
}

int quire_object_class(const struct quire_object *object)
{
	struct drm_quire_bo_info info;
	int ret = quire_object_info(object, &info);

	return ret ? ret : quire_segments_class(&object->device->segments, info.segment);
}

struct quire_image quire_object_image(struct quire_object *object, uint16_t level, uint16_t slice)
{
	return (struct quire_image){
		.at = { object, 0 },
		.layout = object->info.layout,
		.width = object->info.width,
		.height = object->info.height,
		.levels = object->info.levels,
		.array_size = object->info.array_size,
		.level = level,
		.slice = slice,
	};
}
