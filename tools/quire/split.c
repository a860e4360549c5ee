// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * "quire split": what the driver's planner makes of the submission of "quire draw", as a
 * picture. There is no device in it: memory is pretended.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "libquire_private.h"
#include "quire_client.h"
#include "split_svg.h"

/**
 * struct split_run - one run of the command
 * @options: what is asked for
 * @scene: the picture that would be drawn
 * @nr_objects: number of @objects
 * @objects: textures, then layers, which have only handles
 * @pointers: to them
 * @recorder: of the commands
 */
struct split_run {
	const struct split_options *options;
	struct scene scene;
	uint32_t nr_objects;
	struct quire_object *objects;
	struct quire_object **pointers;
	struct quire_recorder *recorder;
};

static int record(struct split_run *run)
{
	static struct quire_device device = { .info.slots = QUIRE_SLOTS };

	run->nr_objects = run->scene.textures + SCENE_LAYERS;
	run->objects = calloc(run->nr_objects, sizeof(*run->objects));
	run->pointers = calloc(run->nr_objects, sizeof(*run->pointers));
	if (!run->objects || !run->pointers || quire_recorder_create(&device, &run->recorder))
		return -ENOMEM;
	for (uint32_t i = 0; i < run->nr_objects; i++) {
		run->objects[i].info.handle = i + 1;
		run->pointers[i] = &run->objects[i];
	}
	draw_record(&run->scene, run->recorder, run->pointers,
		    run->pointers + run->scene.textures);
	return 0;
}

static int make_lists(struct split_run *run, struct command_lists *lists)
{
	struct quire_lists recorded;
	int ret = quire_recorder_finish(run->recorder, &recorded);

	if (!ret)
		ret = command_lists_init(lists, &recorded, run->nr_objects);
	for (uint32_t i = 0; i < run->nr_objects && !ret; i++)
		lists->objects[i].size = i < run->scene.textures ?
					 scene_texture_size(&run->scene) :
					 scene_layer_size(&run->scene);
	return ret;
}

static void write_title(const struct split_run *run, const struct plan *plan, char *title,
			size_t size)
{
	int64_t least = draw_least_bytes(&run->scene, plan->vram);

	snprintf(title, size, "%u textures of %" PRIu64 " KiB in %" PRIu64
		 " MiB of video memory%s: %u parts, %.1f MiB in (%.3f times what has to be), %.1f MiB out",
		 run->scene.textures, scene_texture_size(&run->scene) / 1024,
		 plan->vram / QUIRE_MIB, run->options->lru ? ", by LRU" : "", plan->nr_parts,
		 (double)plan->bytes_in / QUIRE_MIB,
		 least > 0 ? (double)plan->bytes_in / least : 0.0,
		 (double)plan->bytes_out / QUIRE_MIB);
}

static int write_picture(const struct split_run *run, const struct split_picture *picture)
{
	const char *output = run->options->draw.output;
	FILE *file = fopen(output, "we");
	int error;

	if (file) {
		split_svg_write(file, picture);
		error = ferror(file);
		if (!fclose(file) && !error) {
			printf("quire: %s: %s\n", output, picture->title);
			return 0;
		}
	}
	return quire_say(output, strerror(errno), "name a file that can be written");
}

/* What is allocated goes away with the process. */
int quire_split(const struct split_options *options)
{
	struct split_run run = { .options = options, .scene = draw_scene(&options->draw) };
	struct command_lists lists;
	struct plan plan;
	char title[256];
	int ret = record(&run);

	if (!ret)
		ret = make_lists(&run, &lists);
	if (!ret)
		ret = plan_make(&plan, &lists, options->vram, options->lru);
	if (ret == -EFBIG || ret == -EXFULL)
		return quire_say("split", "layers and a texture do not fit into video memory",
				 "give more with --vram, or a smaller --side");
	if (ret)
		return quire_say_errno("split", ret);
	write_title(&run, &plan, title, sizeof(title));
	return write_picture(&run, &(struct split_picture){
		.title = title, .lists = &lists, .plan = &plan,
		.nr_textures = run.scene.textures,
	});
}
