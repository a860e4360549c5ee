/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The picture that "quire draw" composes: which texture goes where, and what is in it. */
#ifndef QUIRE_SCENE_H
#define QUIRE_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "libquire.h"

/* Layers: discs are put on either, the upper one on the lower one in the end. */
#define SCENE_LAYERS	2

/* Pixels are red, green, blue and alpha, premultiplied; what layers are at first. */
#define SCENE_GROUND	0xff100808u
#define SCENE_NOTHING	0u

#define TEXTURE_SHADES	1024

/**
 * struct scene - the picture
 * @textures: number of textures
 * @passes: how often each of them is drawn
 * @width: of a texture
 * @height: of a texture
 * @side: of the picture, which is square
 */
struct scene {
	uint32_t textures;
	uint32_t passes;
	uint32_t width;
	uint32_t height;
	uint32_t side;
};

/**
 * struct scene_step - a texture that is drawn
 * @texture: its number
 * @layer: on which layer
 * @blend: over what is there; else in place of it
 * @where: of the texture, and of the layer
 */
struct scene_step {
	uint32_t texture;
	uint32_t layer;
	bool blend;
	struct quire_rectangle where;
};

/**
 * struct texture - what a texture has in it
 * @width: in pixels
 * @height: in pixels
 * @number: of it
 * @scale: from the square of a distance to a shade, with 20 bits behind the point
 * @shades: from the middle to the rim of its disc
 * @dust: what is around the disc, in no order
 */
struct texture {
	uint32_t width;
	uint32_t height;
	uint32_t number;
	uint64_t scale;
	uint32_t shades[TEXTURE_SHADES];
	uint32_t dust[TEXTURE_SHADES];
};

uint32_t scene_steps(const struct scene *scene);
struct scene_step scene_step(const struct scene *scene, uint32_t index);
uint64_t scene_texture_size(const struct scene *scene);
uint64_t scene_layer_size(const struct scene *scene);

void texture_init(struct texture *texture, const struct scene *scene, uint32_t number);
void texture_row(const struct texture *texture, uint32_t y, uint32_t x, uint32_t count,
		 uint32_t *pixels);

#endif
