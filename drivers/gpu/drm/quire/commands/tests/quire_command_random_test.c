// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Submissions that nobody thought of: good ones and bad ones by chance, and all that differ
 * from a good one in a byte. What the check says of each is what the model says.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/container_of.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "quire_command_scene.h"

#define SUBMISSIONS	20000u
#define CORRUPTED	12u /* submissions, each byte of which is changed */

struct chance {
	struct quire_choices choices;
	u64 state;
};

static u32 chance_below(struct quire_choices *choices, u32 limit)
{
	struct chance *chance = container_of(choices, struct chance, choices);

	chance->state = chance->state * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(chance->state >> 33) % limit;
}

static struct quire_scene *create_scene(struct kunit *test)
{
	struct quire_scene *scene = kunit_kzalloc(test, sizeof(*scene), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, scene);
	return scene;
}

/* Whatever is written with care is accepted; each command and binding is in some of them. */
static void quire_command_random_good(struct kunit *test)
{
	struct chance chance = { .choices.below = chance_below, .state = 1 };
	struct quire_scene *scene = create_scene(test);
	const char *wrong;
	u32 i, patches = 0;
	int err;

	for (i = 0; i < SUBMISSIONS; i++) {
		quire_scene_random(scene, &chance.choices);
		wrong = quire_scene_check(scene, &err);
		KUNIT_ASSERT_TRUE_MSG(test, !wrong, "%u: %s", i, wrong);
		KUNIT_ASSERT_EQ_MSG(test, err, 0, "%u: %s", i, scene->error.why);
		patches += scene->list.nr_patches;
	}
	KUNIT_EXPECT_GT(test, patches, 8 * SUBMISSIONS);
}

/* What is spoiled is refused if it has to be, and only then; both happens often. */
static void quire_command_random_spoiled(struct kunit *test)
{
	struct chance chance = { .choices.below = chance_below, .state = 2 };
	struct quire_scene *scene = create_scene(test);
	u32 i, times, refused = 0;
	const char *wrong;
	int err;

	for (i = 0; i < SUBMISSIONS; i++) {
		quire_scene_random(scene, &chance.choices);
		for (times = 1 + i % 2; times; times--)
			quire_scene_spoil(scene, &chance.choices);
		wrong = quire_scene_check(scene, &err);
		KUNIT_ASSERT_TRUE_MSG(test, !wrong, "%u: %s", i, wrong);
		refused += !!err;
	}
	KUNIT_EXPECT_GT(test, refused, SUBMISSIONS / 3);
	KUNIT_EXPECT_GT(test, SUBMISSIONS - refused, SUBMISSIONS / 6);
}

/**
 * struct corruption - how often a corrupted submission was looked at
 * @scene: the submission
 * @tried: how often
 * @harmless: how often it was accepted
 */
struct corruption {
	struct quire_scene *scene;
	u32 tried;
	u32 harmless;
};

static void try_corrupted(struct kunit *test, struct corruption *corruption, const u8 *byte)
{
	const char *wrong;
	int err;

	wrong = quire_scene_check(corruption->scene, &err);
	KUNIT_ASSERT_TRUE_MSG(test, !wrong, "byte %ld is 0x%x: %s",
			      (long)(byte - (u8 *)corruption->scene), *byte, wrong);
	corruption->tried++;
	corruption->harmless += !err;
}

/* Each byte gets all values that it has not. */
static void corrupt(struct kunit *test, struct corruption *corruption, void *bytes, u32 size)
{
	u8 *byte, good;
	u32 change;

	for (byte = bytes; byte < (u8 *)bytes + size; byte++) {
		good = *byte;
		for (change = 1; change < 256; change++) {
			*byte = good ^ change;
			try_corrupted(test, corruption, byte);
		}
		*byte = good;
	}
}

/* Handles become indices that are right: another object, or none. */
static void corrupt_allocation(struct kunit *test, struct corruption *corruption, u32 index)
{
	struct quire_command_allocation *allocation = &corruption->scene->allocations[index];
	const struct quire_command_allocation good = *allocation;
	u32 i;

	corrupt(test, corruption, &allocation->offset, sizeof(allocation->offset));
	corrupt(test, corruption, &allocation->size, sizeof(allocation->size));
	allocation->writable = !good.writable;
	try_corrupted(test, corruption, (u8 *)&allocation->writable);
	allocation->writable = good.writable;
	for (i = 0; i < corruption->scene->list.nr_objects; i++) {
		allocation->object = i;
		try_corrupted(test, corruption, (u8 *)&allocation->object);
	}
	allocation->object = QUIRE_NO_OBJECT;
	try_corrupted(test, corruption, (u8 *)&allocation->object);
	*allocation = good;
}

static void corrupt_all(struct kunit *test, struct corruption *corruption)
{
	struct quire_scene *scene = corruption->scene;
	const struct quire_command_list good = scene->list;
	u32 i;

	corrupt(test, corruption, scene->commands, scene->list.size);
	for (i = 0; i < scene->list.nr_patches; i++)
		corrupt(test, corruption, &scene->patches[i],
			offsetof(struct quire_patch_location, patch_offset) + sizeof(u32));
	for (i = 0; i < scene->list.nr_allocations; i++)
		corrupt_allocation(test, corruption, i);
	for (scene->list.size = 0; scene->list.size < good.size; scene->list.size++)
		try_corrupted(test, corruption, (u8 *)&scene->list.size);
	scene->list = good;
	for (scene->list.nr_patches = 0; scene->list.nr_patches < good.nr_patches;
	     scene->list.nr_patches++)
		try_corrupted(test, corruption, (u8 *)&scene->list.nr_patches);
	scene->list = good;
}

/* Every single byte of good submissions: the one that has all commands, and some others. */
static void quire_command_corrupted(struct kunit *test)
{
	struct chance chance = { .choices.below = chance_below, .state = 3 };
	struct corruption corruption = { .scene = create_scene(test) };
	u32 i;

	quire_scene_good(corruption.scene);
	corrupt_all(test, &corruption);
	for (i = 0; i < CORRUPTED; i++) {
		quire_scene_random(corruption.scene, &chance.choices);
		corrupt_all(test, &corruption);
	}
	KUNIT_EXPECT_GT(test, corruption.harmless, corruption.tried / 20);
	KUNIT_EXPECT_GT(test, corruption.tried - corruption.harmless, corruption.tried / 3);
}

static struct kunit_case quire_command_random_cases[] = {
	KUNIT_CASE(quire_command_random_good),
	KUNIT_CASE(quire_command_random_spoiled),
	KUNIT_CASE(quire_command_corrupted),
	{}
};

static struct kunit_suite quire_command_random_suite = {
	.name = "quire_command_random",
	.test_cases = quire_command_random_cases,
};

kunit_test_suite(quire_command_random_suite);
