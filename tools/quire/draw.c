// SPDX-License-Identifier: GPL-2.0 OR MIT
/* "quire draw": a picture of textures that are larger together than video memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw_run.h"
#include "memory.h"
#include "paint.h"
#include "png_file.h"
#include "quire_client.h"

int draw_fail(struct draw_run *run, const char *what, int error)
{
	progress_clear(&run->progress);
	return quire_say_errno(what, error);
}

/* Of all textures. */
uint64_t draw_all_bytes(const struct draw_run *run)
{
	return run->scene.textures * scene_texture_size(&run->scene);
}

/* Of textures, each as often as it is drawn. */
uint64_t draw_drawn_bytes(const struct draw_run *run)
{
	return scene_steps(&run->scene) * scene_texture_size(&run->scene);
}

static int check_memory(const struct draw_run *run)
{
	uint64_t needed = draw_all_bytes(run) + (SCENE_LAYERS + 2) * scene_layer_size(&run->scene);
	uint64_t available = memory_available();
	char why[128];

	if (needed <= available)
		return 0;
	snprintf(why, sizeof(why), "textures and layers need %" PRIu64 " MiB, free are %" PRIu64,
		 needed / QUIRE_MIB, available / QUIRE_MIB);
	return quire_say("draw", why, "give the guest more memory (tools/guest/guest --mem)");
}

static int open_device(struct draw_run *run)
{
	struct drm_quire_segment_info segments[QUIRE_CLASSES];
	int ret = quire_device_open(NULL, &run->device);

	if (ret)
		return draw_fail(run, "device", ret);
	if (!quire_device_info(run->device)->execution_rings)
		return quire_say("draw", "the device executes no commands",
				 "give it execution rings");
	if (run->options->is_virtual && !quire_device_info(run->device)->max_exec)
		return quire_say("draw", "the driver has no address spaces",
				 "load the one of this checkout, or draw without --virtual");
	ret = quire_device_segments(run->device, segments);
	if (ret)
		return draw_fail(run, "draw", ret);
	run->vram = segments[DRM_QUIRE_SEGMENT_VRAM].size;
	if (!run->vram)
		return quire_say("draw", "the device has no video memory", "use one that has some");
	return 0;
}

static int create(struct draw_run *run, uint64_t size, struct quire_object **object)
{
	const struct quire_object_options options = { .size = size };

	return quire_object_create(run->device, &options, object);
}

static int make_texture(struct draw_run *run, uint32_t number)
{
	const struct scene *scene = &run->scene;
	struct texture texture;
	void *bytes;
	int ret = create(run, scene_texture_size(scene), &run->textures[number]);

	if (!ret)
		ret = quire_object_map(run->textures[number], &bytes);
	if (ret)
		return ret;
	texture_init(&texture, scene, number);
	for (uint32_t y = 0; y < scene->height; y++)
		texture_row(&texture, y, 0, scene->width, (uint32_t *)bytes + y * scene->width);
	quire_object_unmap(run->textures[number]);
	progress_add(&run->progress, scene_texture_size(scene));
	return 0;
}

static int make_objects(struct draw_run *run)
{
	const struct scene *scene = &run->scene;
	int ret = 0;

	run->textures = calloc(scene->textures, sizeof(*run->textures));
	if (!run->textures)
		ret = -ENOMEM;
	for (int i = 0; i < SCENE_LAYERS && !ret; i++)
		ret = create(run, scene_layer_size(scene), &run->layers[i]);
	progress_start(&run->progress, draw_all_bytes(run), "making textures");
	for (uint32_t i = 0; i < scene->textures && !ret; i++)
		ret = make_texture(run, i);
	return ret ? draw_fail(run, "making textures", ret) : 0;
}

/* Returns 0 if it executed all, or the exit status after a message. */
int draw_check_context(struct draw_run *run)
{
	static const char * const kinds[] = {
		[DRM_QUIRE_CONTEXT_GOOD] = "is good",
		[DRM_QUIRE_CONTEXT_FAULTED] = "faulted",
		[DRM_QUIRE_CONTEXT_HUNG] = "hung",
		[DRM_QUIRE_CONTEXT_LOST] = "was lost",
		[DRM_QUIRE_CONTEXT_INCOMPLETE] = "was not queued",
	};
	struct drm_quire_context_state state;
	char why[128];

	if (quire_context_state(run->context, &state) || !state.status ||
	    state.status >= ARRAY_SIZE(kinds))
		return 0;
	progress_clear(&run->progress);
	snprintf(why, sizeof(why), "the command at byte %u %s, in part %u of submission %" PRIu64,
		 state.offset, kinds[state.status], state.part, (uint64_t)state.submission);
	return quire_say("draw", why, "see dmesg");
}

/* How many pixels differ; the first of them is returned. */
static uint32_t count_different(const uint32_t *pixels, const uint32_t *expected, uint32_t count,
				uint32_t *first)
{
	uint32_t differ = 0;

	for (uint32_t i = count; i-- > 0;) {
		if (pixels[i] == expected[i])
			continue;
		differ++;
		*first = i;
	}
	return differ;
}

/* @pixels: as the device has them */
static int compare(struct draw_run *run, const uint32_t *pixels)
{
	uint32_t side = run->scene.side, differ, first = 0;
	uint32_t *expected;
	char why[160];

	progress_start(&run->progress, draw_drawn_bytes(run), "comparing");
	expected = paint_scene(&run->scene, &run->progress);
	if (!expected)
		return draw_fail(run, "comparing", -ENOMEM);
	progress_clear(&run->progress);
	differ = count_different(pixels, expected, side * side, &first);
	free(expected);
	if (!differ)
		return 0;
	snprintf(why, sizeof(why),
		 "%u of %u pixels are not as the CPU draws them, the first in row %u, column %u",
		 differ, side * side, first / side, first % side);
	return quire_say("draw", why, "see dmesg");
}

static int finish(struct draw_run *run)
{
	const char *output = run->options->output;
	void *pixels;
	char why[128];
	int ret = quire_object_map(run->layers[0], &pixels);

	if (ret)
		return draw_fail(run, "draw", ret);
	if (png_file_write(output, pixels, run->scene.side, why, sizeof(why)))
		return quire_say(output, why, "name a file that can be written");
	ret = compare(run, pixels);
	if (!ret)
		printf("quire: %s: %u x %u pixels, each byte as the CPU draws it\n", output,
		       run->scene.side, run->scene.side);
	return ret;
}

/* What is allocated goes away with the process. */
int quire_draw(const struct draw_options *options)
{
	static struct draw_run run;
	int ret;

	run.options = options;
	run.scene = draw_scene(options);
	run.progress.enabled = options->progress;
	memory_catch_lost();
	ret = open_device(&run);
	if (!ret)
		ret = check_memory(&run);
	if (!ret)
		ret = make_objects(&run);
	if (!ret)
		ret = options->is_virtual ? draw_virtual(&run) : draw_recorded(&run);
	return ret ? ret : finish(&run);
}
