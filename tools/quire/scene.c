// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Discs in a spiral, as the seeds of a sunflower: each turns by the golden angle and is a
 * little nearer to the middle, and smaller. Some textures are the ground below them. Numbers
 * are computed the same way for the device and for the CPU that checks it.
 */
#include <endian.h>
#include <math.h>

#include "scene.h"

#define PIXEL		4
#define GOLDEN_ANGLE	2.39996322972865332
#define GROUND_PER	32	/* one of so many textures */
#define LAYER_PER	4	/* one of so many discs is on the upper layer */

uint64_t scene_texture_size(const struct scene *scene)
{
	return (uint64_t)scene->width * scene->height * PIXEL;
}

uint64_t scene_layer_size(const struct scene *scene)
{
	return (uint64_t)scene->side * scene->side * PIXEL;
}

uint32_t scene_steps(const struct scene *scene)
{
	return scene->textures * scene->passes;
}

static uint32_t ground_textures(const struct scene *scene)
{
	return (scene->textures + GROUND_PER - 1) / GROUND_PER;
}

/* A strip of the ground. */
static struct quire_rectangle strip(const struct scene *scene, uint32_t number)
{
	uint32_t strips = ground_textures(scene);
	uint32_t first = (uint64_t)scene->side * number / strips;

	return (struct quire_rectangle){
		.dst_y = first,
		.columns = scene->side,
		.rows = (uint64_t)scene->side * (number + 1) / strips - first,
	};
}

/* A whole texture around the place of its disc; what is outside of the picture is clipped. */
static struct quire_rectangle around(const struct scene *scene, uint32_t index)
{
	double along = (double)(scene_steps(scene) - index) / scene_steps(scene);
	double distance = scene->side * 0.52 * sqrt(along);
	double angle = index * GOLDEN_ANGLE;

	return (struct quire_rectangle){
		.dst_x = lrint(scene->side / 2.0 + distance * cos(angle) - scene->width / 2.0),
		.dst_y = lrint(scene->side / 2.0 + distance * sin(angle) - scene->height / 2.0),
		.columns = scene->width,
		.rows = scene->height,
	};
}

/**
 * scene_step - what is drawn?
 * @scene: the picture
 * @index: below scene_steps(); steps are drawn in their order
 *
 * Returns it.
 */
struct scene_step scene_step(const struct scene *scene, uint32_t index)
{
	struct scene_step step = { .texture = index % scene->textures };

	if (index < ground_textures(scene)) {
		step.where = strip(scene, index);
		return step;
	}
	step.blend = true;
	step.layer = index % LAYER_PER == 0;
	step.where = around(scene, index);
	return step;
}

static uint32_t pixel(double red, double green, double blue, double alpha)
{
	return htole32((uint32_t)lrint(255 * red * alpha) |
		       (uint32_t)lrint(255 * green * alpha) << 8 |
		       (uint32_t)lrint(255 * blue * alpha) << 16 |
		       (uint32_t)lrint(255 * alpha) << 24);
}

/* @shade: from 0 in the middle to 1 at the rim */
static uint32_t disc_pixel(double hue, double shade)
{
	double light = 0.72 + 0.28 * cos(22 * shade) * (1 - shade);
	double alpha = shade > 0.97 ? (1 - shade) / 0.03 * 0.9 : 0.9;

	return pixel(light * (0.5 + 0.5 * cos(hue)), light * (0.5 + 0.5 * cos(hue - 2.1)),
		     light * (0.5 + 0.5 * cos(hue - 4.2)), alpha);
}

static uint32_t mixed(uint32_t value)
{
	value *= 0x9e3779b1u;
	value ^= value >> 15;
	value *= 0x85ebca77u;
	return value ^ value >> 13;
}

/* The ground is opaque; dust adds to what is below it, and hides nothing. */
static uint32_t dust_pixel(bool ground, uint32_t random)
{
	if (ground)
		return htole32(0xff000000u | (24 + random % 16) << 16 |
			       (12 + random / 16 % 12) << 8 | (8 + random / 256 % 8));
	return random % 64 ? 0 : htole32(random >> 8 & 0x010101u);
}

/**
 * texture_init - get to know a texture
 * @texture: to be filled in
 * @scene: whose it is
 * @number: of it
 */
void texture_init(struct texture *texture, const struct scene *scene, uint32_t number)
{
	double along = (double)(scene->textures - number) / scene->textures;
	double radius = scene->side / 36.0 * (1 + 1.6 * along);
	uint32_t least = scene->width < scene->height ? scene->width : scene->height;
	bool ground = number < ground_textures(scene);

	if (radius > least / 2.0 - 1)
		radius = least / 2.0 - 1;
	texture->width = scene->width;
	texture->height = scene->height;
	texture->number = number;
	texture->scale = ldexp(TEXTURE_SHADES, 20) / (radius * radius);
	for (uint32_t i = 0; i < TEXTURE_SHADES; i++) {
		texture->dust[i] = dust_pixel(ground, mixed(number * TEXTURE_SHADES + i));
		texture->shades[i] = ground ? texture->dust[i] :
				     disc_pixel(6.3 * along, sqrt((i + 0.5) / TEXTURE_SHADES));
	}
}

/**
 * texture_row - a part of a row of a texture
 * @texture: the texture
 * @y: the row
 * @x: first column
 * @count: of columns
 * @pixels: where they go
 */
void texture_row(const struct texture *texture, uint32_t y, uint32_t x, uint32_t count,
		 uint32_t *pixels)
{
	int64_t dy = (int64_t)y - texture->height / 2;
	uint32_t dust = y * 167 + texture->number;

	for (uint32_t i = x; i < x + count; i++) {
		int64_t dx = (int64_t)i - texture->width / 2;
		uint64_t shade = (dx * dx + dy * dy) * texture->scale >> 20;

		*pixels++ = shade < TEXTURE_SHADES ? texture->shades[shade] :
			    texture->dust[(i * 13 + dust) % TEXTURE_SHADES];
	}
}
