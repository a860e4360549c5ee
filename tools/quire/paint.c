// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdlib.h>

#include "paint.h"

/* One channel: what is above, and what shines through, to the nearest. */
static uint32_t over(uint32_t above, uint32_t below, uint32_t alpha)
{
	uint32_t sum = above + (2 * below * (255 - alpha) + 255) / 510;

	return sum > 255 ? 255 : sum;
}

static void paint_pixel(uint8_t *to, const uint8_t *from)
{
	uint32_t alpha = from[3];

	for (int i = 0; i < 4; i++)
		to[i] = over(from[i], to[i], alpha);
}

static void paint_pixels(uint32_t *to, const uint32_t *from, uint32_t count, bool blend)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!blend)
			to[i] = from[i];
		else if (from[i])
			paint_pixel((uint8_t *)&to[i], (const uint8_t *)&from[i]);
	}
}

/* From @first on, @count of them; what is outside of 0 to @limit goes, and @from moves along. */
static int64_t clip(int64_t *first, int64_t *from, int64_t count, int64_t limit)
{
	if (*first < 0) {
		*from -= *first;
		count += *first;
		*first = 0;
	}
	return count > limit - *first ? limit - *first : count;
}

static void paint_step(const struct scene *scene, uint32_t *layer, const struct scene_step *step,
		       uint32_t *row)
{
	const struct quire_rectangle *where = &step->where;
	int64_t x = where->dst_x, y = where->dst_y, src_x = where->src_x, src_y = where->src_y;
	int64_t columns = clip(&x, &src_x, where->columns, scene->side);
	int64_t rows = clip(&y, &src_y, where->rows, scene->side);
	struct texture texture;

	columns = clip(&src_x, &x, columns, scene->width);
	rows = clip(&src_y, &y, rows, scene->height);
	texture_init(&texture, scene, step->texture);
	for (int64_t i = 0; i < rows && columns > 0; i++) {
		texture_row(&texture, src_y + i, src_x, columns, row);
		paint_pixels(layer + (y + i) * scene->side + x, row, columns, step->blend);
	}
}

static void paint_steps(const struct scene *scene, uint32_t *layers[SCENE_LAYERS], uint32_t *row,
			struct progress *progress)
{
	uint64_t pixels = (uint64_t)scene->side * scene->side;

	for (uint64_t i = 0; i < pixels; i++) {
		layers[0][i] = SCENE_GROUND;
		layers[1][i] = SCENE_NOTHING;
	}
	for (uint32_t i = 0; i < scene_steps(scene); i++) {
		struct scene_step step = scene_step(scene, i);

		paint_step(scene, layers[step.layer], &step, row);
		progress_add(progress, scene_texture_size(scene));
	}
	paint_pixels(layers[0], layers[1], pixels, true);
}

/**
 * paint_scene - draw all of it
 * @scene: the picture
 * @progress: of the textures
 *
 * Returns its pixels, for free(), or NULL: there is no memory.
 */
uint32_t *paint_scene(const struct scene *scene, struct progress *progress)
{
	uint32_t *layers[SCENE_LAYERS], *row;

	for (int i = 0; i < SCENE_LAYERS; i++)
		layers[i] = malloc(scene_layer_size(scene));
	row = malloc(scene->width * sizeof(*row));
	if (layers[0] && layers[1] && row) {
		paint_steps(scene, layers, row, progress);
	} else {
		free(layers[0]);
		layers[0] = NULL;
	}
	free(layers[1]);
	free(row);
	return layers[0];
}
