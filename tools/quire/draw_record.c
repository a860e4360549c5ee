// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <stdlib.h>

#include "draw.h"
#include "least.h"

/* The size of a texture is a power of two: it is as wide as high, or twice. */
struct scene draw_scene(const struct draw_options *options)
{
	struct scene scene = {
		.textures = options->textures,
		.passes = options->passes,
		.width = 1,
		.height = 1,
		.side = options->side,
	};

	while (scene_texture_size(&scene) < options->texture_size) {
		if (scene.width > scene.height)
			scene.height *= 2;
		else
			scene.width *= 2;
	}
	return scene;
}

struct quire_image draw_image(struct quire_location at, uint32_t width, uint32_t height)
{
	return (struct quire_image){
		.at = at, .pitch = DRAW_PIXEL * width, .width = width, .height = height,
	};
}

/* One submission: both layers are begun, all textures are put on them, one goes on the other. */
void draw_record(const struct scene *scene, struct quire_recorder *recorder,
		 struct quire_object *const *textures,
		 struct quire_object *const layers[SCENE_LAYERS])
{
	const struct quire_rectangle all = { .columns = scene->side, .rows = scene->side };
	const uint64_t size = scene_layer_size(scene);
	struct quire_image targets[SCENE_LAYERS];

	for (int i = 0; i < SCENE_LAYERS; i++)
		targets[i] = draw_image(quire_at(layers[i], 0), scene->side, scene->side);
	quire_recorder_fill(recorder, targets[0].at, size, SCENE_GROUND);
	quire_recorder_fill(recorder, targets[1].at, size, SCENE_NOTHING);
	for (uint32_t i = 0; i < scene_steps(scene); i++) {
		struct scene_step step = scene_step(scene, i);
		struct quire_image from = draw_image(quire_at(textures[step.texture], 0),
						     scene->width, scene->height);

		if (step.blend)
			quire_recorder_blend(recorder, &from, &targets[step.layer], &step.where);
		else
			quire_recorder_copy_2d(recorder, &from, &targets[step.layer],
					       &step.where, DRAW_PIXEL);
	}
	quire_recorder_blend(recorder, &targets[1], &targets[0], &all);
}

/*
 * What has to be paged in whatever is done: the layers once, and textures by Belady's rule in
 * the room that one layer leaves, for one is always in use. Returns -ENOMEM, too.
 */
int64_t draw_least_bytes(const struct scene *scene, uint64_t vram)
{
	uint64_t layer = scene_layer_size(scene);
	uint32_t count = scene_steps(scene);
	uint32_t *uses = calloc(count, sizeof(*uses));
	uint64_t room = vram > layer ? (vram - layer) / scene_texture_size(scene) : 0;
	int64_t moves = -ENOMEM;

	if (uses) {
		for (uint32_t i = 0; i < count; i++)
			uses[i] = scene_step(scene, i).texture;
		moves = least_moves(uses, count, scene->textures, room ? room : 1);
	}
	free(uses);
	return moves < 0 ? moves : moves * (int64_t)scene_texture_size(scene) +
				   (int64_t)(SCENE_LAYERS * layer);
}
