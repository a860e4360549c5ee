/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_IMAGE_H
#define QUIRE_PAGING_IMAGE_H

#include <linux/types.h>

struct quire_model;

/**
 * struct quire_model_image - an image, as device.rst describes it
 * @tile: bytes of a tile
 * @element: bytes of an element
 * @width: elements
 * @height: elements
 * @levels: number of levels
 * @slices: number of slices
 */
struct quire_model_image {
	u32 tile;
	u32 element;
	u32 width;
	u32 height;
	u32 levels;
	u32 slices;
};

u64 quire_model_image_size(const struct quire_model_image *image);
u64 quire_model_image_tiled(const struct quire_model_image *image, u64 byte);
const char *quire_model_swizzle_check(const u8 *bytes, u32 size);
const char *quire_model_swizzle(struct quire_model *model, const u8 *bytes, u32 size);

#endif
