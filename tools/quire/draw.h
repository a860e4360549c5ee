/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The submission of "quire draw", for whoever executes it. */
#ifndef QUIRE_DRAW_H
#define QUIRE_DRAW_H

#include "quire.h"
#include "scene.h"

#define DRAW_PIXEL	4	/* bytes */

struct scene draw_scene(const struct draw_options *options);
struct quire_image draw_image(struct quire_location at, uint32_t width, uint32_t height);
void draw_record(const struct scene *scene, struct quire_recorder *recorder,
		 struct quire_object *const *textures,
		 struct quire_object *const layers[SCENE_LAYERS]);
int64_t draw_least_bytes(const struct scene *scene, uint64_t vram);

#endif
