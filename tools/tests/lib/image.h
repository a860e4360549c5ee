/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Images: where each byte is in VRAM, as Documentation/gpu/quire/device.rst has it. */
#ifndef QUIRE_IMAGE_H
#define QUIRE_IMAGE_H

#include <stdint.h>

/**
 * struct image - an image
 * @layout: enum drm_quire_layout, with tiles
 * @element_size: bytes
 * @width: of level 0
 * @height: of level 0
 * @levels: number of levels
 * @array_size: number of slices
 */
struct image {
	uint32_t layout;
	uint32_t element_size;
	uint32_t width;
	uint32_t height;
	uint32_t levels;
	uint32_t array_size;
};

uint64_t image_linear_size(const struct image *image);
uint64_t image_tiled_size(const struct image *image);
uint64_t image_object_size(const struct image *image);
void image_tile(const struct image *image, const uint8_t *linear, uint8_t *tiled);
int image_create(int fd, const struct image *image, uint32_t segments, uint32_t *handle);
int image_create_view(int fd, const struct image *image, uint32_t *handle);
int image_create_caching(int fd, const struct image *image, uint32_t segments, uint32_t caching,
			 uint32_t *handle);

#endif
