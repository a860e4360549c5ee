/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A run of "quire draw", and the two ways in which the device can be told what to draw. */
#ifndef QUIRE_DRAW_RUN_H
#define QUIRE_DRAW_RUN_H

#include "draw.h"
#include "progress.h"

/**
 * struct draw_run - one run of the command
 * @options: what is asked for
 * @scene: the picture
 * @progress: line on the screen
 * @device: that draws
 * @context: in which it does
 * @vram: bytes of video memory
 * @textures: objects, of @scene.textures elements
 * @layers: objects; the picture is in the first of them in the end
 */
struct draw_run {
	const struct draw_options *options;
	struct scene scene;
	struct progress progress;
	struct quire_device *device;
	struct quire_context *context;
	uint64_t vram;
	struct quire_object **textures;
	struct quire_object *layers[SCENE_LAYERS];
};

uint64_t draw_all_bytes(const struct draw_run *run);
uint64_t draw_drawn_bytes(const struct draw_run *run);
int draw_fail(struct draw_run *run, const char *what, int error);
int draw_check_context(struct draw_run *run);

int draw_recorded(struct draw_run *run);
int draw_virtual(struct draw_run *run);

#endif
