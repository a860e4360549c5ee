// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Submissions from the check to the bytes: an input becomes command buffers with their lists
 * and objects, of which something is spoiled, perhaps. What the check accepts, the planner
 * splits, in memory that has hardly room; objects go in and out by what the builder writes, and
 * parts run with the addresses that they have then, all of it by the real engine. Whatever was
 * split, each byte is what the commands make of objects that never move.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/align.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include "../../drivers/gpu/drm/quire/commands/quire_split_internal.h"

#include "submit_world.h"

#define MOST_SPOILED	3u
#define MOST_RUNS	3u

/* ---- the allocator ---- */

static struct world *to_world(struct quire_split_fake *fake)
{
	return container_of(fake, struct world, fake);
}

static void no_error(const struct quire_split_fake *fake)
{
	if (fake->error)
		fuzz_finding(__FILE__, __LINE__, fake->error);
}

static void object_came(struct quire_split_fake *fake, uint32_t object)
{
	no_error(fake);
	paging_in(to_world(fake), object);
}

static void object_goes(struct quire_split_fake *fake, uint32_t object)
{
	no_error(fake);
	paging_out(to_world(fake), object);
	to_world(fake)->gone++;
}

static int part_comes(struct quire_split_fake *fake, const struct quire_split_part *part)
{
	no_error(fake);
	return part_submit(to_world(fake), part);
}

static const struct quire_fake_watch watch = {
	.came = object_came,
	.goes = object_goes,
	.submit = part_comes,
};

/* ---- one submission ---- */

/* Objects have whole pages, as those of the driver have. */
static void make_scene(struct world *world)
{
	struct quire_scene *scene = &world->scene;
	uint32_t times = world_below(world, 2) ? 0 : world_below(world, MOST_SPOILED + 1), i;

	quire_scene_random(scene, &world->choices.choices);
	while (times--)
		quire_scene_spoil(scene, &world->choices.choices);
	if (!world_below(world, 8))
		scene->allocations[world_below(world, scene->list.nr_allocations)].writable = false;
	for (i = 0; i < scene->list.nr_objects; i++)
		scene->objects[i].size = ALIGN(scene->objects[i].size,
					       max(scene->objects[i].align, FUZZ_PAGE));
}

/* What is bound at once has room, mostly, and all objects have not. */
static u64 choose_capacity(struct world *world, u64 bound)
{
	uint32_t pages = bound / FUZZ_PAGE, choice = world_below(world, 16);

	if (!choice)
		pages = world_below(world, pages + 1);
	else if (choice < 12)
		pages += world_below(world, 1 + pages / 2);
	return min(max(pages, 1u), OBJECTS * OBJECT_PAGES) * FUZZ_PAGE;
}

static void choose_capacities(struct world *world, u64 *capacity)
{
	u64 bound[QUIRE_SPLIT_SEGMENTS];

	quire_split_largest(&world->scene.list, bound);
	capacity[0] = choose_capacity(world, bound[0]);
	capacity[1] = choose_capacity(world, bound[1]);
}

/* Sets @capacity to bytes of the segments. */
static int check_scene(struct world *world, u64 *capacity)
{
	struct quire_scene *scene = &world->scene;
	int err = quire_command_check(&scene->list, scene->fields, &scene->error);

	if (err) {
		reached(REACH_REFUSED);
		return err;
	}
	choose_capacities(world, capacity);
	err = quire_split_check(&scene->list, capacity, &scene->error);
	FINDING_IF(err != room_answer(world, capacity));
	if (err)
		reached(err == -EFBIG ? REACH_LARGE : REACH_TOGETHER);
	return err;
}

/* What is refused has changed nothing. */
static bool is_accepted(struct world *world, u64 *capacity)
{
	static struct quire_scene before;
	struct quire_scene *scene = &world->scene;
	int err;

	before = *scene;
	err = check_scene(world, capacity);
	memcpy(before.fields, scene->fields, sizeof(before.fields));
	before.error = scene->error;
	FINDING_IF(memcmp(&before, scene, sizeof(before)));
	return !err;
}

/* Others have some of VRAM, perhaps. */
static void place_obstacle(struct world *world)
{
	struct quire_split_fake *fake = &world->fake;

	if (world_below(world, 6))
		return;
	fake->obstacle = world_below(world, fake->capacity[0] / FUZZ_PAGE + 1) * FUZZ_PAGE;
	fake->obstacle_size = (1 + world_below(world, OBSTACLE_PAGES)) * FUZZ_PAGE;
	fake->capacity[0] += fake->obstacle_size;
}

static void start_memory(struct world *world, const u64 *capacity)
{
	struct quire_split_fake *fake = &world->fake;
	uint32_t i;

	quire_fake_init(fake, &world->scene.list, capacity[0], capacity[1]);
	fake->watch = &watch;
	fake->pieces = true;
	place_obstacle(world);
	world->host.vram_size = fake->capacity[0];
	world->caps = (struct quire_paging_caps) {
		.vram_pages = fake->capacity[0] / FUZZ_PAGE,
		.aperture_pages = fake->capacity[1] / FUZZ_PAGE,
		.max_packet_pages = 1 + world_below(world, 20),
		.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE,
		.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE,
	};
	memory_start(world);
	world_start(world);
	for (i = 0; i < world->scene.list.nr_objects; i++)
		if (!world_below(world, 4))
			quire_fake_place(fake, i);
	fake->follows = !!world_below(world, 4);
}

/* ---- one run of it ---- */

static void choose_options(struct world *world, struct quire_split_options *options)
{
	*options = (struct quire_split_options) {
		.every_point = !world_below(world, 8),
		.lru = !world_below(world, 8),
		.seed = world_below(world, 8) ? 0 : world_take(world, 4),
		.max_bytes = world_below(world, 8) ? 0 : world_below(world, 64) * FUZZ_PAGE,
	};
}

/* The same memory, for the next run. */
static void renew_fake(struct world *world)
{
	struct quire_split_fake before = world->fake, *fake = &world->fake;
	uint32_t i;

	quire_fake_init(fake, before.list, before.capacity[0], before.capacity[1]);
	fake->watch = before.watch;
	fake->pieces = before.pieces;
	fake->follows = before.follows;
	fake->obstacle = before.obstacle;
	fake->obstacle_size = before.obstacle_size;
	fake->thief = world_below(world, 4) ? 0 : 1 + world_below(world, 16);
	fake->random = 1 + world_take(world, 2);
	world->gone = 0;
	for (i = 0; i < before.list->nr_objects; i++) {
		fake->objects[i].address = before.objects[i].address;
		fake->objects[i].resident = before.objects[i].resident;
		if (fake->objects[i].resident)
			reached(REACH_AGAIN);
	}
}

static void judge(const struct world *world, int ret)
{
	const struct quire_split *split = &world->fake.split;

	no_error(&world->fake);
	FINDING_IF((ret == -EIO) != world->hangs);
	FINDING_IF(ret && ret != -EIO && ret != -ENOSPC);
	FINDING_IF(ret == -ENOSPC && room_is_there(world, split->group.offset));
	if (ret == -ENOSPC)
		reached(REACH_PIECES);
	if (!ret)
		reached(split->parts > 1 ? REACH_SPLIT : REACH_WHOLE);
	if (world->gone > split->evictions)
		reached(REACH_STOLEN);
	if (split->repacks)
		reached(REACH_REPACK);
}

static void run(struct world *world)
{
	void *memory = fuzz_alloc(quire_split_memory(&world->scene.list));
	struct quire_split_options options;
	int ret;

	renew_fake(world);
	choose_options(world, &options);
	ret = quire_fake_run(&world->fake, &options, memory);
	free(memory);
	judge(world, ret);
	fuzz_ring_finish(&world->paging);
	fuzz_ring_finish(&world->execution);
	memory_compare(world);
}

/* In the end all of it is in system memory. */
static void evict_all(struct world *world)
{
	uint32_t i;

	for (i = 0; i < world->scene.list.nr_objects; i++)
		if (world->fake.objects[i].resident)
			paging_out(world, i);
	fuzz_ring_finish(&world->paging);
	memory_compare(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world *world;
	u64 capacity[QUIRE_SPLIT_SEGMENTS];
	uint32_t runs;

	if (!world) {
		world = world_create();
		atexit(reach_tell);
	}
	fuzz_choices_start(&world->choices, data, size);
	make_scene(world);
	if (!is_accepted(world, capacity))
		return 0;
	start_memory(world, capacity);
	values_choose(world);
	for (runs = 1 + world_below(world, MOST_RUNS); runs && !world->hangs; runs--)
		run(world);
	evict_all(world);
	world_stop(world);

	return 0;
}
