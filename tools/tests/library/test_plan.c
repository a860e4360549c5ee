// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What "quire draw" and "quire split" compute: the least that has to be moved, against an
 * exhaustive search, and plans, in which nothing is missing and nothing lies on something else.
 */
#include <errno.h>
#include <stdlib.h>

#include "draw.h"
#include "least.h"
#include "libquire_private.h"
#include "plan.h"
#include "quire_client.h"
#include "random.h"
#include "tap.h"

#define KINDS		5
#define USES		10
#define SEQUENCES	2000
#define TEXTURES	96

/* @here: set of kinds. Tries each that may go. */
static uint32_t search(const uint32_t *uses, uint32_t count, uint32_t here, uint32_t room)
{
	uint32_t best = UINT32_MAX, bit;

	if (!count)
		return 0;
	bit = 1u << uses[0];
	if (here & bit)
		return search(uses + 1, count - 1, here, room);
	if ((uint32_t)__builtin_popcount(here) < room)
		return 1 + search(uses + 1, count - 1, here | bit, room);
	for (uint32_t i = 0; i < KINDS; i++) {
		uint32_t moves;

		if (!(here & 1u << i))
			continue;
		moves = 1 + search(uses + 1, count - 1, (here & ~(1u << i)) | bit, room);
		best = moves < best ? moves : best;
	}
	return best;
}

static void test_least(void)
{
	uint32_t uses[USES], wrong = 0;
	uint64_t random = 1;

	for (uint32_t i = 0; i < SEQUENCES; i++) {
		uint32_t room = 1 + random_below(&random, KINDS);

		for (uint32_t j = 0; j < USES; j++)
			uses[j] = random_below(&random, KINDS);
		wrong += least_moves(uses, USES, KINDS, room) != search(uses, USES, 0, room);
	}
	tap_ok(!wrong, "the least is what trying everything finds, %u times", SEQUENCES);
}

static bool overlap(const struct command_lists *lists, const struct plan_stay *a,
		    const struct plan_stay *b)
{
	return a->first < b->end && b->first < a->end &&
	       a->address < b->address + lists->objects[b->object].size &&
	       b->address < a->address + lists->objects[a->object].size;
}

static bool is_apart(const struct command_lists *lists, const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->nr_stays; i++)
		for (uint32_t j = 0; j < i; j++)
			if (overlap(lists, &plan->stays[i], &plan->stays[j]))
				return false;
	return true;
}

static bool is_there(const struct plan *plan, uint32_t object, uint32_t part)
{
	for (uint32_t i = 0; i < plan->nr_stays; i++)
		if (plan->stays[i].object == object && plan->stays[i].first <= part &&
		    part < plan->stays[i].end)
			return true;
	return false;
}

/* Where each address field is, its object is in memory. */
static bool is_whole(const struct command_lists *lists, const struct plan *plan)
{
	uint32_t part = 0;

	for (uint32_t i = 0; i < lists->list.nr_patches; i++) {
		const struct quire_patch_location *patch = &lists->patches[i];

		while (part < plan->nr_parts && patch->split_offset >= plan->parts[part].end)
			part++;
		if (part == plan->nr_parts)
			return false;
		if (quire_patch_object(&lists->list, i) != QUIRE_NO_OBJECT &&
		    !is_there(plan, quire_patch_object(&lists->list, i), part))
			return false;
	}
	return plan->parts[plan->nr_parts - 1].end == lists->list.size;
}

static void make_lists(const struct scene *scene, struct quire_recorder *recorder,
		       struct command_lists *lists)
{
	static struct quire_object objects[TEXTURES + SCENE_LAYERS];
	struct quire_object *pointers[TEXTURES + SCENE_LAYERS];
	struct quire_lists recorded;

	for (uint32_t i = 0; i < ARRAY_SIZE(objects); i++) {
		objects[i].info.handle = i + 1;
		pointers[i] = &objects[i];
	}
	draw_record(scene, recorder, pointers, pointers + TEXTURES);
	if (quire_recorder_finish(recorder, &recorded) ||
	    command_lists_init(lists, &recorded, ARRAY_SIZE(objects)))
		tap_bail("no lists");
	for (uint32_t i = 0; i < ARRAY_SIZE(objects); i++)
		lists->objects[i].size = i < TEXTURES ? scene_texture_size(scene) :
							scene_layer_size(scene);
}

static uint64_t plan_once(const struct scene *scene, const struct command_lists *lists,
			  uint64_t vram, bool lru)
{
	const char *how = lru ? "LRU" : "knowing the future";
	struct plan plan;

	if (!tap_ret(plan_make(&plan, lists, vram, lru), 0, "a plan, %s", how))
		return 0;
	tap_ok(plan.nr_parts > 1, "in %u parts, %s", plan.nr_parts, how);
	tap_ok(is_apart(lists, &plan), "nothing lies on something else, %s", how);
	tap_ok(is_whole(lists, &plan), "what is used is there, %s", how);
	tap_ok((int64_t)plan.bytes_in >= draw_least_bytes(scene, vram),
	       "no less than has to be, %s", how);
	free(plan.stays);
	free(plan.parts);
	return plan.bytes_in;
}

static void test_plans(uint32_t passes)
{
	const struct draw_options options = {
		.textures = TEXTURES, .passes = passes, .texture_size = QUIRE_MIB / 4, .side = 256,
	};
	struct quire_device device = { .info.slots = QUIRE_SLOTS };
	const struct scene scene = draw_scene(&options);
	struct quire_recorder *recorder;
	struct command_lists lists;
	uint64_t bytes, lru;

	if (quire_recorder_create(&device, &recorder))
		tap_bail("no memory");
	make_lists(&scene, recorder, &lists);
	bytes = plan_once(&scene, &lists, 5 * QUIRE_MIB, false);
	lru = plan_once(&scene, &lists, 5 * QUIRE_MIB, true);
	tap_ok(bytes <= lru, "no more than by LRU");
	tap_ok(bytes <= draw_least_bytes(&scene, 5 * QUIRE_MIB) * 1.1,
	       "a tenth more than has to be at most: %.3f times",
	       (double)bytes / draw_least_bytes(&scene, 5 * QUIRE_MIB));
	command_lists_free(&lists);
	quire_recorder_destroy(recorder);
}

int main(void)
{
	tap_start(60);
	test_least();
	test_plans(1);
	test_plans(3);
	return tap_done();
}
