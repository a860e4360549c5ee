/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_ARRAY_H
#define QUIRE_ARRAY_H

#include <linux/types.h>

struct drm_device;
struct drm_quire_array;

/**
 * struct quire_array_type - what an array of a program is made of
 * @name: of the field, for messages
 * @size: bytes of an element as the driver knows it
 * @min_stride: bytes of an element in its first version
 * @max_count: most elements of an array
 */
struct quire_array_type {
	const char *name;
	u32 size;
	u32 min_stride;
	u32 max_count;
};

int quire_array_check(struct drm_device *drm, const struct drm_quire_array *array,
		      const struct quire_array_type *type);
void *quire_array_read(struct drm_device *drm, const struct drm_quire_array *array,
		       const struct quire_array_type *type);
int quire_array_write(struct drm_device *drm, struct drm_quire_array *array,
		      const struct quire_array_type *type, const void *elements, u32 count);

#endif
