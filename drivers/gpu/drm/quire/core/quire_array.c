// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Arrays of programs
 *
 * Elements of &struct drm_quire_array may be shorter or longer than the driver knows them, so that
 * they can grow.
 */
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <uapi/drm/quire_drm.h>

#include "quire_array.h"
#include "quire_refuse.h"

/* Bounds the work for one element, as clone3() and openat2() do it. */
#define QUIRE_ARRAY_MAX_STRIDE	SZ_4K

/**
 * quire_array_check - check an array of a program, but not its elements
 * @drm: for messages
 * @array: the array
 * @type: of its elements
 *
 * Returns: 0; -EINVAL, -E2BIG as &struct drm_quire_array says.
 */
int quire_array_check(struct drm_device *drm, const struct drm_quire_array *array,
		      const struct quire_array_type *type)
{
	if (!array->count)
		return 0;
	if (array->stride % 8 || array->stride < type->min_stride)
		return quire_refuse(drm, -EINVAL, "%s: stride %u, not %u or a larger multiple of 8",
				    type->name, array->stride, type->min_stride);
	if (array->stride > QUIRE_ARRAY_MAX_STRIDE)
		return quire_refuse(drm, -E2BIG, "%s: stride %u is above %u", type->name,
				    array->stride, QUIRE_ARRAY_MAX_STRIDE);
	if (array->count > type->max_count)
		return quire_refuse(drm, -E2BIG, "%s: %u elements, at most %u are taken",
				    type->name, array->count, type->max_count);
	return 0;
}

static void __user *array_element(const struct drm_quire_array *array, u32 i)
{
	return u64_to_user_ptr(array->array + (u64)i * array->stride);
}

/**
 * quire_array_read - check an array of a program and copy it
 * @drm: for messages
 * @array: where it is
 * @type: of its elements
 *
 * Returns: the elements, &quire_array_type.size apart, for kvfree(); NULL if there are none; an
 * ERR_PTR: -EINVAL, -E2BIG, -EFAULT as &struct drm_quire_array says, -ENOMEM.
 */
void *quire_array_read(struct drm_device *drm, const struct drm_quire_array *array,
		       const struct quire_array_type *type)
{
	void *elements;
	int ret;
	u32 i;

	ret = quire_array_check(drm, array, type);
	if (ret || !array->count)
		return ERR_PTR(ret);

	elements = kvcalloc(array->count, type->size, GFP_KERNEL_ACCOUNT);
	if (!elements)
		return ERR_PTR(-ENOMEM);

	for (i = 0; i < array->count && !ret; i++)
		ret = copy_struct_from_user(elements + i * type->size, type->size,
					    array_element(array, i), array->stride);
	if (!ret)
		return elements;

	kvfree(elements);
	return ERR_PTR(quire_refuse(drm, ret, "%s: element %u: %s", type->name, i - 1,
				    ret == -E2BIG ? "its tail is not zero" : "bad pointer"));
}

/**
 * quire_array_write - write an array to a program
 * @drm: for messages
 * @array: where it goes, checked; its count is set to what was written; without a pointer, stride
 *         and count to what there is
 * @type: of its elements
 * @elements: the elements, &quire_array_type.size apart
 * @count: their number
 *
 * Returns: 0; -EFAULT.
 */
int quire_array_write(struct drm_device *drm, struct drm_quire_array *array,
		      const struct quire_array_type *type, const void *elements, u32 count)
{
	u32 i, room = min(array->count, count), bytes = min(array->stride, type->size);

	if (!array->array) {
		array->stride = type->size;
		array->count = count;
		return 0;
	}

	for (i = 0; i < room; i++) {
		void __user *to = array_element(array, i);

		if (copy_to_user(to, elements + i * type->size, bytes) ||
		    clear_user(to + bytes, array->stride - bytes))
			return quire_refuse(drm, -EFAULT, "%s: element %u: bad pointer",
					    type->name, i);
	}
	array->count = room;
	return 0;
}
