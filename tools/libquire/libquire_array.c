// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Arrays that grow. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libquire_private.h"

#define FIRST_ROOM	64

/* New elements are zero, if they were never in use. Returns 0, -ENOMEM, or -ERANGE. */
int libquire_array_grow(struct libquire_array *array, uint32_t size, uint32_t count)
{
	uint64_t room = array->room ? array->room : FIRST_ROOM;
	void *data;

	while (room < count)
		room *= 2;
	if (room > UINT32_MAX)
		return -ERANGE;
	if (room > array->room) {
		data = realloc(array->data, room * size);
		if (!data)
			return -ENOMEM;
		memset((char *)data + (size_t)array->room * size, 0,
		       (room - array->room) * size);
		array->data = data;
		array->room = room;
	}
	if (array->count < count)
		array->count = count;
	return 0;
}

int libquire_array_add(struct libquire_array *array, uint32_t size, const void *element)
{
	uint32_t index = array->count;
	int ret = libquire_array_grow(array, size, index + 1);

	if (!ret)
		memcpy((char *)array->data + (size_t)index * size, element, size);
	return ret;
}
