// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The same commands in an address space. What is bound there has to be where the device can access
 * it, all at a time, and textures do not fit: they are bound a batch at a time, to two windows by
 * turns, and what was there before is bound no more and may leave::
 *
 *     bind queue   bind 0   bind 1        bind 2        bind 3      a bind waits until the commands
 *                      |        |        ^      |      ^      |     are done that use its window,
 *     ring             exec 0   exec 1   |      exec 2 |      ..    commands wait for their bind
 *                           +--- done ---+
 *                                    +------- done ----+
 *
 * Who calls is ahead of the device by one batch more, for its textures are brought in when they
 * are bound: three batches are in use, and room is left for a fourth.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "counters.h"
#include "draw_run.h"
#include "quire_client.h"

#define WINDOWS		2
#define AHEAD		3	/* batches that are bound and not done */

/* Where what is bound; objects of a picture have less than 2^40 bytes. */
#define COMMANDS	0x10000000000ull
#define LAYERS		0x20000000000ull
#define TEXTURES	0x100000000000ull

/**
 * struct space - an address space in which a picture is drawn
 * @run: the picture
 * @vm: the address space
 * @writer: of all commands
 * @fence: a timeline: each bind and each submission has a point, in this order
 * @batch: textures that are bound at a time
 * @binds: room for as many
 */
struct space {
	struct draw_run *run;
	struct quire_vm *vm;
	struct quire_writer writer;
	struct quire_fence *fence;
	uint32_t batch;
	struct drm_quire_bind *binds;
};

static uint64_t bound(uint32_t batch)
{
	return 2ull * batch + 1;
}

static uint64_t done(uint32_t batch)
{
	return 2ull * batch + 2;
}

static uint32_t count_batches(const struct space *space)
{
	return (scene_steps(&space->run->scene) + space->batch - 1) / space->batch;
}

/* The first step of a batch, or behind the last of all. */
static uint32_t first_step(const struct space *space, uint32_t batch)
{
	uint64_t step = (uint64_t)batch * space->batch;
	uint32_t steps = scene_steps(&space->run->scene);

	return step < steps ? step : steps;
}

static uint64_t texture_address(const struct space *space, uint32_t step)
{
	return TEXTURES + step % (WINDOWS * space->batch) * scene_texture_size(&space->run->scene);
}

static uint64_t layer_address(const struct space *space, uint32_t layer)
{
	return LAYERS + layer * scene_layer_size(&space->run->scene);
}

static struct quire_image layer_image(const struct space *space, uint32_t layer)
{
	uint32_t side = space->run->scene.side;

	return draw_image(quire_at(NULL, layer_address(space, layer)), side, side);
}

/* What VRAM has room for beside the layers; but some textures are larger than that. */
static uint32_t choose_batch(const struct draw_run *run)
{
	const struct scene *scene = &run->scene;
	uint64_t layers = SCENE_LAYERS * scene_layer_size(scene);
	uint64_t room = run->vram > layers ? run->vram - layers : 0;
	uint64_t batch = room / (AHEAD + 1) / scene_texture_size(scene);
	uint64_t most = quire_device_info(run->device)->max_exec /
			sizeof(struct quire_command_2d) - SCENE_LAYERS - 1;

	if (most > DRM_QUIRE_MAX_BINDS)
		most = DRM_QUIRE_MAX_BINDS;
	if (batch > most)
		batch = most;
	return batch ? batch : 1;
}

/* No command is larger than that, and there is one for each step and layer, and one more. */
static int make_commands(struct space *space)
{
	uint64_t count = scene_steps(&space->run->scene) + SCENE_LAYERS + 1;
	uint64_t size = count * sizeof(struct quire_command_2d) + QUIRE_PAGE - 1;
	const struct quire_object_options options = {
		.size = size - size % QUIRE_PAGE,
		.classes = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE),
		.vm = space->vm,
	};
	struct quire_object *object;
	int ret = quire_object_create(space->run->device, &options, &object);

	if (!ret)
		ret = quire_object_map(object, &space->writer.bytes);
	space->writer.size = options.size;
	return ret ? ret : quire_vm_map(space->vm, COMMANDS, object, 0, options.size,
					DRM_QUIRE_BIND_READ_ONLY);
}

static int bind_layers(struct space *space)
{
	uint64_t size = scene_layer_size(&space->run->scene);
	int ret = 0;

	for (int i = 0; i < SCENE_LAYERS && !ret; i++)
		ret = quire_vm_map(space->vm, layer_address(space, i), space->run->layers[i], 0,
				   size, DRM_QUIRE_BIND_NO_EXECUTE);
	return ret;
}

static int open_space(struct space *space)
{
	struct draw_run *run = space->run;
	int ret = quire_vm_create(run->device, &space->vm);

	if (!ret)
		ret = quire_context_create_in(space->vm, DRM_QUIRE_PRIORITY_NORMAL, &run->context);
	if (!ret)
		ret = quire_fence_create(run->device, &space->fence);
	if (!ret)
		ret = make_commands(space);
	if (!ret)
		ret = bind_layers(space);
	space->batch = choose_batch(run);
	space->binds = calloc(space->batch, sizeof(*space->binds));
	return !ret && !space->binds ? -ENOMEM : ret;
}

static void write_begin(struct space *space)
{
	uint64_t size = scene_layer_size(&space->run->scene);

	quire_write_fill(&space->writer, layer_address(space, 0), size, SCENE_GROUND);
	quire_write_fill(&space->writer, layer_address(space, 1), size, SCENE_NOTHING);
}

static void write_step(struct space *space, uint32_t index)
{
	const struct scene *scene = &space->run->scene;
	struct scene_step step = scene_step(scene, index);
	struct quire_image from = draw_image(quire_at(NULL, texture_address(space, index)),
					     scene->width, scene->height);
	struct quire_image to = layer_image(space, step.layer);

	if (step.blend)
		quire_write_blend(&space->writer, &from, &to, &step.where);
	else
		quire_write_copy_2d(&space->writer, &from, &to, &step.where, DRAW_PIXEL);
}

static void write_end(struct space *space)
{
	uint32_t side = space->run->scene.side;
	const struct quire_rectangle all = { .columns = side, .rows = side };
	struct quire_image above = layer_image(space, 1), below = layer_image(space, 0);

	quire_write_blend(&space->writer, &above, &below, &all);
}

static int bind_textures(struct space *space, uint32_t batch)
{
	const struct draw_run *run = space->run;
	const struct quire_fence_point unused = {
		.fence = space->fence, .point = batch < WINDOWS ? 0 : done(batch - WINDOWS),
	};
	const struct quire_fence_point end = { .fence = space->fence, .point = bound(batch) };
	const struct quire_binding how = {
		.nr_waits = batch >= WINDOWS, .waits = &unused, .nr_signals = 1, .signals = &end,
	};
	uint32_t count = 0;

	for (uint32_t i = first_step(space, batch); i < first_step(space, batch + 1); i++)
		space->binds[count++] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.flags = DRM_QUIRE_BIND_READ_ONLY | DRM_QUIRE_BIND_NO_EXECUTE,
			.address = texture_address(space, i),
			.size = scene_texture_size(&run->scene),
			.handle = quire_object_handle(run->textures[scene_step(&run->scene,
									       i).texture]),
		};
	return quire_vm_bind(space->vm, space->binds, count, &how, NULL);
}

static int execute(struct space *space, uint32_t batch)
{
	const struct quire_fence_point begin = { .fence = space->fence, .point = bound(batch) };
	const struct quire_fence_point end = { .fence = space->fence, .point = done(batch) };
	const struct quire_submission how = {
		.nr_waits = 1, .waits = &begin, .nr_signals = 1, .signals = &end,
	};
	uint32_t from = space->writer.used;

	if (!batch)
		write_begin(space);
	for (uint32_t i = first_step(space, batch); i < first_step(space, batch + 1); i++)
		write_step(space, i);
	if (batch + 1 == count_batches(space))
		write_end(space);
	return quire_exec(space->run->context, COMMANDS + from, space->writer.used - from, &how,
			  NULL);
}

static int wait_for(struct space *space, uint32_t batch)
{
	uint64_t steps = first_step(space, batch + 1) - first_step(space, batch);
	int ret = quire_fence_wait(space->fence, done(batch), QUIRE_FOREVER);

	progress_add(&space->run->progress, steps * scene_texture_size(&space->run->scene));
	return ret;
}

static int draw_batches(struct space *space)
{
	uint32_t count = count_batches(space);
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++) {
		if (i >= AHEAD)
			ret = wait_for(space, i - AHEAD);
		if (!ret)
			ret = bind_textures(space, i);
		if (!ret)
			ret = execute(space, i);
	}
	return ret ? ret : wait_for(space, count - 1);
}

static void report(const struct space *space, const struct counters *before)
{
	const struct draw_run *run = space->run;
	struct counters after;

	counters_read(quire_device_fd(run->device), &after);
	printf("quire: drew %u textures, %" PRIu64 " bytes, through %" PRIu64
	       " bytes of VRAM in %u submissions, %u bound at a time\n", run->scene.textures,
	       draw_all_bytes(run), run->vram, count_batches(space), WINDOWS * space->batch);
	counters_print(before, &after);
}

int draw_virtual(struct draw_run *run)
{
	struct space space = { .run = run };
	struct counters before;
	int ret = open_space(&space), context;

	if (ret)
		return draw_fail(run, "address space", ret);
	counters_read(quire_device_fd(run->device), &before);
	progress_start(&run->progress, draw_drawn_bytes(run), "drawing");
	ret = draw_batches(&space);
	context = draw_check_context(run);
	if (context)
		return context;
	if (ret)
		return draw_fail(run, "draw", ret);
	progress_clear(&run->progress);
	report(&space, &before);
	return 0;
}
