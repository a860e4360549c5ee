// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "mirror.h"
#include "xxh64.h"

#define CHANNELS	4

/**
 * gpu_open - open the device once more
 * @gpu: to fill; for gpu_close()
 *
 * Returns 0 or a negative errno.
 */
int gpu_open(struct gpu *gpu)
{
	int ret;

	memset(gpu, 0, sizeof(*gpu));
	ret = quire_device_open(NULL, &gpu->device);
	if (!ret)
		ret = quire_context_create(gpu->device, DRM_QUIRE_PRIORITY_NORMAL, &gpu->context);
	if (!ret)
		ret = quire_recorder_create(gpu->device, &gpu->recorder);
	if (!ret)
		ret = quire_fence_create(gpu->device, &gpu->fence);
	return ret;
}

void gpu_close(struct gpu *gpu)
{
	quire_fence_close(gpu->fence);
	quire_recorder_destroy(gpu->recorder);
	quire_context_destroy(gpu->context);
	quire_device_close(gpu->device);
}

/* Where what is recorded can be divided: behind its first byte, each place once. */
uint32_t gpu_split_points(struct gpu *gpu)
{
	struct quire_lists lists;
	uint32_t count = 0, last = 0;

	if (quire_recorder_finish(gpu->recorder, &lists))
		return 0;
	for (uint32_t i = 0; i < lists.nr_patches; i++) {
		count += lists.patches[i].split_offset != last;
		last = lists.patches[i].split_offset;
	}
	return count;
}

/* Hand in what was recorded; another recording may begin. */
int gpu_submit(struct gpu *gpu)
{
	const struct quire_fence_point point = { .fence = gpu->fence };
	const struct quire_submission how = {
		.ring = gpu->ring, .nr_signals = 1, .signals = &point,
	};
	int ret = quire_recorder_submit(gpu->recorder, gpu->context, &how, &gpu->result);

	if (ret)
		tap_diag("submit: %d: %s", ret, gpu->result.message);
	quire_recorder_reset(gpu->recorder);
	return ret;
}

/* And wait for its end. */
int gpu_run(struct gpu *gpu)
{
	int ret = gpu_submit(gpu);

	return ret ? ret : quire_fence_wait(gpu->fence, 0, WAIT_MS * 1000000ll);
}

/**
 * mirror_create - create an object and what it should be
 * @gpu: whose device has it
 * @mirror: to fill; for mirror_close()
 * @options: of the object
 * @key: of its first content
 *
 * Returns 0 or a negative errno.
 */
int mirror_create(struct gpu *gpu, struct mirror *mirror,
		  const struct quire_object_options *options, uint64_t key)
{
	void *map;
	int ret;

	*mirror = (struct mirror) { .size = options->size, .bytes = malloc(options->size) };
	if (!mirror->bytes)
		return -ENOMEM;
	ret = quire_object_create(gpu->device, options, &mirror->object);
	if (!ret)
		ret = quire_object_map(mirror->object, &map);
	if (ret)
		return ret;
	pattern_fill(mirror->bytes, mirror->size, key);
	memcpy(map, mirror->bytes, mirror->size);
	return 0;
}

void mirror_close(struct mirror *mirror)
{
	quire_object_close(mirror->object);
	free(mirror->bytes);
}

static uint64_t halved(uint64_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

/* Bytes of the first @levels of a slice in the linear form, which has nothing between them. */
static uint64_t levels_size(uint64_t width, uint64_t height, uint32_t levels,
			    uint32_t element_size)
{
	uint64_t size = 0;

	for (uint32_t level = 0; level < levels; level++)
		size += halved(width, level) * halved(height, level) * element_size;
	return size;
}

/* Of the last page of an image only what belongs to it is kept. */
static uint64_t kept_size(const struct mirror *mirror)
{
	struct drm_quire_bo_info info;

	if (quire_object_info(mirror->object, &info) || !info.layout)
		return mirror->size;
	return levels_size(info.width, info.height, info.levels, info.element_size) *
	       info.array_size;
}

/* What uses it is done. */
bool mirror_is_right(const struct mirror *mirror)
{
	uint64_t size = kept_size(mirror), at = 0;
	void *map;

	if (quire_object_map(mirror->object, &map))
		return false;
	if (!memcmp(map, mirror->bytes, size))
		return true;
	while (((uint8_t *)map)[at] == mirror->bytes[at])
		at++;
	tap_diag("byte %" PRIu64 " of %" PRIu64 " is %#x, not %#x", at, size,
		 ((uint8_t *)map)[at], mirror->bytes[at]);
	return false;
}

static struct quire_location location(struct span span)
{
	return quire_at(span.mirror->object, span.offset);
}

static uint8_t *bytes_at(struct span span)
{
	return span.mirror->bytes + span.offset;
}

static void put64(uint8_t *bytes, uint64_t value)
{
	value = htole64(value);
	memcpy(bytes, &value, sizeof(value));
}

static uint32_t get32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static void put32(uint8_t *bytes, uint32_t value)
{
	value = htole32(value);
	memcpy(bytes, &value, sizeof(value));
}

void mirror_copy(struct gpu *gpu, struct span src, struct span dst, uint64_t size)
{
	quire_recorder_copy(gpu->recorder, location(src), location(dst), size);
	memmove(bytes_at(dst), bytes_at(src), size);
}

void mirror_fill(struct gpu *gpu, struct span dst, uint64_t size, uint32_t pattern)
{
	quire_recorder_fill(gpu->recorder, location(dst), size, pattern);
	for (uint64_t i = 0; i < size; i += sizeof(pattern))
		put32(bytes_at(dst) + i, pattern);
}

void mirror_arithmetic(struct gpu *gpu, uint16_t operation, struct span src, struct span dst,
		       uint64_t size)
{
	quire_recorder_arithmetic(gpu->recorder, operation, location(src), location(dst), size);
	for (uint64_t i = 0; i < size; i += sizeof(uint32_t)) {
		uint32_t a = get32(bytes_at(src) + i), b = get32(bytes_at(dst) + i);

		put32(bytes_at(dst) + i, operation == QUIRE_ARITHMETIC_ADD ? a + b : a ^ b);
	}
}

void mirror_checksum(struct gpu *gpu, struct span src, uint64_t size, struct span result)
{
	quire_recorder_checksum(gpu->recorder, location(src), size, location(result));
	put64(bytes_at(result), xxh64(bytes_at(src), size));
}

void mirror_compare(struct gpu *gpu, struct span src, struct span dst, uint64_t size,
		    struct span result)
{
	uint64_t first = size, count = 0;

	quire_recorder_compare(gpu->recorder, location(src), location(dst), size,
			       location(result));
	for (uint64_t i = 0; i < size; i++) {
		if (bytes_at(src)[i] == bytes_at(dst)[i])
			continue;
		first = count++ ? first : i;
	}
	put64(bytes_at(result), first);
	put64(bytes_at(result) + sizeof(first), count);
}

void mirror_write_value(struct gpu *gpu, struct span dst, uint64_t value)
{
	quire_recorder_write_value(gpu->recorder, location(dst), value);
	put64(bytes_at(dst), value);
}

/**
 * struct plane - one level of one slice, as the CPU sees it
 * @bytes: of its first element
 * @pitch: from one row to the next
 * @width: elements
 * @height: rows
 */
struct plane {
	uint8_t *bytes;
	uint64_t pitch;
	int64_t width;
	int64_t height;
};

static struct plane plane_of(const struct picture *picture)
{
	const struct quire_image *image = &picture->image;
	const uint32_t size = picture->element_size;
	struct plane plane = {
		.bytes = picture->mirror->bytes + image->at.offset,
		.pitch = image->pitch,
		.width = halved(image->width, image->level),
		.height = halved(image->height, image->level),
	};

	if (image->layout == DRM_QUIRE_LAYOUT_LINEAR)
		return plane;
	plane.bytes += image->slice * levels_size(image->width, image->height, image->levels,
						  size) +
		       levels_size(image->width, image->height, image->level, size);
	plane.pitch = plane.width * size;
	return plane;
}

static uint8_t *element_at(const struct plane *plane, int64_t x, int64_t y, uint32_t size)
{
	if (x < 0 || y < 0 || x >= plane->width || y >= plane->height)
		return NULL;
	return plane->bytes + y * plane->pitch + x * size;
}

static void copy_element(const uint8_t *src, uint8_t *dst, uint32_t size)
{
	memmove(dst, src, size);
}

static void blend_element(const uint8_t *src, uint8_t *dst, uint32_t size)
{
	const unsigned int alpha = src[CHANNELS - 1];

	for (uint32_t i = 0; i < size; i++) {
		/* to the nearest: no tie is possible, 255 is odd */
		unsigned int sum = src[i] + (2 * dst[i] * (255 - alpha) + 255) / 510;

		dst[i] = sum < 255 ? sum : 255;
	}
}

static void each_element(const struct picture *src, const struct picture *dst,
			 const struct quire_rectangle *rectangle,
			 void (*element)(const uint8_t *src, uint8_t *dst, uint32_t size))
{
	const struct plane from = plane_of(src), to = plane_of(dst);

	for (int64_t y = 0; y < rectangle->rows; y++) {
		for (int64_t x = 0; x < rectangle->columns; x++) {
			const uint8_t *a = element_at(&from, rectangle->src_x + x,
						      rectangle->src_y + y, src->element_size);
			uint8_t *b = element_at(&to, rectangle->dst_x + x, rectangle->dst_y + y,
						dst->element_size);

			if (a && b)
				element(a, b, dst->element_size);
		}
	}
}

/* The source and the destination share no bytes. */
void mirror_copy_2d(struct gpu *gpu, const struct picture *src, const struct picture *dst,
		    const struct quire_rectangle *rectangle)
{
	quire_recorder_copy_2d(gpu->recorder, &src->image, &dst->image, rectangle,
			       src->element_size);
	each_element(src, dst, rectangle, copy_element);
}

void mirror_blend(struct gpu *gpu, const struct picture *src, const struct picture *dst,
		  const struct quire_rectangle *rectangle)
{
	quire_recorder_blend(gpu->recorder, &src->image, &dst->image, rectangle);
	each_element(src, dst, rectangle, blend_element);
}
