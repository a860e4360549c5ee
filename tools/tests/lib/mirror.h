/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Objects and, beside each, the bytes that it should have: commands are recorded and done by
 * the CPU as well. Nothing of the driver's or the device's is used for that.
 */
#ifndef QUIRE_TEST_MIRROR_H
#define QUIRE_TEST_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "libquire.h"

/**
 * struct gpu - who executes commands
 * @device: an open device of its own
 * @context: of it
 * @recorder: what is to be executed next
 * @fence: of what was executed last
 * @ring: that executes
 * @result: of what was submitted last
 */
struct gpu {
	struct quire_device *device;
	struct quire_context *context;
	struct quire_recorder *recorder;
	struct quire_fence *fence;
	uint32_t ring;
	struct quire_result result;
};

/**
 * struct mirror - an object that commands use
 * @object: of any kind
 * @bytes: that it should have when all is executed that was recorded; of an image: its linear
 *         form
 * @size: number of @bytes
 */
struct mirror {
	struct quire_object *object;
	uint8_t *bytes;
	uint64_t size;
};

/**
 * struct span - bytes of a mirror
 * @mirror: the mirror
 * @offset: of the first one
 */
struct span {
	struct mirror *mirror;
	uint64_t offset;
};

static inline struct span span(struct mirror *mirror, uint64_t offset)
{
	return (struct span){ mirror, offset };
}

int gpu_open(struct gpu *gpu);
void gpu_close(struct gpu *gpu);
uint32_t gpu_split_points(struct gpu *gpu);
int gpu_submit(struct gpu *gpu);
int gpu_run(struct gpu *gpu);

int mirror_create(struct gpu *gpu, struct mirror *mirror,
		  const struct quire_object_options *options, uint64_t key);
void mirror_close(struct mirror *mirror);
bool mirror_is_right(const struct mirror *mirror);

void mirror_copy(struct gpu *gpu, struct span src, struct span dst, uint64_t size);
void mirror_fill(struct gpu *gpu, struct span dst, uint64_t size, uint32_t pattern);
void mirror_arithmetic(struct gpu *gpu, uint16_t operation, struct span src, struct span dst,
		       uint64_t size);
void mirror_checksum(struct gpu *gpu, struct span src, uint64_t size, struct span result);
void mirror_compare(struct gpu *gpu, struct span src, struct span dst, uint64_t size,
		    struct span result);
void mirror_write_value(struct gpu *gpu, struct span dst, uint64_t value);

/**
 * struct picture - an image in a mirror, and what of it is used
 * @mirror: the mirror; with a layout it is all of the image
 * @image: as the recorder wants it
 * @element_size: bytes
 */
struct picture {
	struct mirror *mirror;
	struct quire_image image;
	uint32_t element_size;
};

void mirror_copy_2d(struct gpu *gpu, const struct picture *src, const struct picture *dst,
		    const struct quire_rectangle *rectangle);
void mirror_blend(struct gpu *gpu, const struct picture *src, const struct picture *dst,
		  const struct quire_rectangle *rectangle);

#endif
