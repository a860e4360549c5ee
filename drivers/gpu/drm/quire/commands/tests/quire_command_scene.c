// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A submission in which each command, each field and each kind of binding is at a boundary:
 * one byte further is too far.
 */
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "quire_command_model.h"
#include "quire_command_scene.h"

#define LE16(value)	cpu_to_le16(value)
#define LE32(value)	cpu_to_le32(value)
#define LE64(value)	cpu_to_le64(value)
#define HEADER(number, flag, type) \
	{ LE16(QUIRE_COMMAND_##number), LE16(flag), LE32(sizeof(struct quire_command_##type)) }
#define LINEAR(row, columns, rows) { 0, LE32(QUIRE_LAYOUT_LINEAR), LE32(row), LE32(columns), \
	LE32(rows), LE16(1), LE16(1), 0, 0 }
#define TILED(kind, columns, rows, nr_levels, slices, at_level, at_slice) \
	{ 0, LE32(QUIRE_LAYOUT_TILE_##kind), 0, LE32(columns), LE32(rows), LE16(nr_levels), \
	  LE16(slices), LE16(at_level), LE16(at_slice) }

static const struct quire_scene_buffer good_buffer = {
	.nop.header = { LE16(QUIRE_COMMAND_NOP), 0, LE32(24) },
	.ignored = { LE64(~0ull), LE64(0x100000021ull) },
	.copy = { HEADER(COPY, 0, copy), .size = LE64(0x7000) },
	.fill = { HEADER(FILL, 0, fill), .size = LE64(0x8000), .pattern = LE32(0x12345678) },
	.copy_2d = {
		HEADER(COPY_2D, 0, 2d), LINEAR(256, 64, 32), TILED(4K, 64, 64, 3, 2, 1, 1),
		.element_shift = LE32(2), .src_x = LE32(-5), .src_y = LE32(1 << 30),
		.columns = LE32(~0u), .rows = LE32(7),
	},
	.blend = {
		HEADER(BLEND, 0, 2d), TILED(64K, 200, 100, 1, 1, 0, 0), LINEAR(100, 16, 16),
		.element_shift = LE32(2), .dst_x = LE32(3), .columns = LE32(4), .rows = LE32(5),
	},
	.arithmetic = { HEADER(ARITHMETIC, QUIRE_ARITHMETIC_XOR, arithmetic), .size = LE64(0x100) },
	.checksum = { HEADER(CHECKSUM, 0, checksum), .size = LE64(0x7fe0) },
	.compare = { HEADER(COMPARE, 0, compare), .size = LE64(0x6fff) },
	.write_value = { HEADER(WRITE_VALUE, 0, write_value), .value = LE64(42) },
	.wait_value = { HEADER(WAIT_VALUE, QUIRE_WAIT_EQUAL, wait_value), .value = LE64(42) },
	.delay = { HEADER(DELAY, 0, delay), .ns = LE64(1000) },
};

static const struct quire_command_object good_objects[NR_OBJECTS] = {
	[O_IMAGE] = { 0x60000, QUIRE_SEGMENT_VRAM, 0x10000, false },
	[O_DATA] = { 0x10000, QUIRE_SEGMENT_VRAM, 0x1000, false },
	[O_SYSTEM] = { 0x8000, QUIRE_SEGMENT_APERTURE, 0x1000, false },
};

static const struct quire_command_allocation good_allocations[NR_ALLOCATIONS] = {
	[A_SOURCE] = { O_DATA, false, 0x1000, 0x7000 },
	[A_TARGET] = { O_DATA, true, 0x8000, 0x8000 },
	[A_SYSTEM] = { O_SYSTEM, true, 0, 0x8000 },
	[A_TILES] = { O_IMAGE, true, 0x2a000, 0x1000 },
	[A_IMAGE] = { O_IMAGE, false, 0, 0x60000 },
	[A_NONE] = { QUIRE_NO_OBJECT, false, 0, 0 },
};

#define ENTRY(allocation, slot, field, split, offset, at) { A_##allocation, slot, \
	QUIRE_PATCH_##field, offsetof(struct quire_scene_buffer, split), offset, \
	offsetof(struct quire_scene_buffer, at) }
#define UNBIND(slot, split) \
	{ A_NONE, slot, 0, offsetof(struct quire_scene_buffer, split), 0, 0 }

static const struct quire_patch_location good_patches[NR_ENTRIES] = {
	[E_COPY_SRC] = ENTRY(SOURCE, 0, SRC, copy, 0x1000, copy.src),
	[E_COPY_DST] = ENTRY(TARGET, 1, DST, copy, 0x9000, copy.dst),
	[E_FILL_DST] = ENTRY(TARGET, 1, DST, copy, 0x8000, fill.dst),
	[E_UNBIND_0] = UNBIND(0, copy_2d),
	[E_2D_SRC] = ENTRY(SYSTEM, 2, SRC, copy_2d, 0x6000, copy_2d.src.address),
	[E_BLEND_DST] = ENTRY(SYSTEM, 2, DST, copy_2d, 0x79e4, blend.dst.address),
	[E_CHECKSUM_SRC] = ENTRY(SYSTEM, 2, SRC, copy_2d, 0x20, checksum.src),
	[E_COMPARE_RESULT] = ENTRY(SYSTEM, 2, RESULT, copy_2d, 0x7ff0, compare.result),
	[E_WRITE_DST] = ENTRY(SYSTEM, 2, DST, copy_2d, 0x7ff8, write_value.dst),
	[E_WAIT_SRC] = ENTRY(SYSTEM, 2, SRC, copy_2d, 0x7ff8, wait_value.src),
	[E_2D_DST] = ENTRY(TILES, 3, DST, copy_2d, 0x20000, copy_2d.dst.address),
	[E_BLEND_SRC] = ENTRY(IMAGE, 63, SRC, blend, 0x40000, blend.src.address),
	[E_ARITHMETIC_SRC] = ENTRY(SOURCE, 3, SRC, arithmetic, 0x7f00, arithmetic.src),
	[E_COMPARE_SRC] = ENTRY(SOURCE, 3, SRC, arithmetic, 0x1001, compare.src),
	[E_ARITHMETIC_DST] = ENTRY(TARGET, 1, DST, arithmetic, 0xff00, arithmetic.dst),
	[E_CHECKSUM_RESULT] = ENTRY(TARGET, 1, RESULT, arithmetic, 0xfff8, checksum.result),
	[E_COMPARE_DST] = ENTRY(TARGET, 1, DST, arithmetic, 0x9001, compare.dst),
	[E_UNBIND_63] = UNBIND(63, arithmetic),
};

static_assert(sizeof(good_buffer) <= QUIRE_SCENE_WORDS * sizeof(u64));

/**
 * quire_scene_good - the submission that has all commands
 * @scene: filled in
 */
void quire_scene_good(struct quire_scene *scene)
{
	memcpy(scene->objects, good_objects, sizeof(good_objects));
	memcpy(scene->allocations, good_allocations, sizeof(good_allocations));
	memcpy(scene->patches, good_patches, sizeof(good_patches));
	memcpy(scene->commands, &good_buffer, sizeof(good_buffer));
	scene->list = (struct quire_command_list) {
		.commands = scene->commands,
		.size = sizeof(good_buffer),
		.nr_objects = NR_OBJECTS,
		.nr_allocations = NR_ALLOCATIONS,
		.nr_patches = NR_ENTRIES,
		.objects = scene->objects,
		.allocations = scene->allocations,
		.patches = scene->patches,
	};
}

/* After a good check: does each word say which entry it has? */
static bool fields_are_right(struct quire_scene *scene)
{
	const struct quire_command_list *list = &scene->list;
	u32 i;

	memset(scene->expected, 0, sizeof(scene->expected));
	for (i = 0; i < list->nr_patches; i++)
		if (quire_patch_object(list, i) != QUIRE_NO_OBJECT)
			scene->expected[list->patches[i].patch_offset / 8] = 1 + i;
	return !memcmp(scene->expected, scene->fields, list->size / 8 * sizeof(u32));
}

/**
 * quire_scene_check - check a submission, and compare with the model
 * @scene: the submission
 * @err: set to what the check returns
 *
 * Returns: NULL if the check is right, else what is not.
 */
const char *quire_scene_check(struct quire_scene *scene, int *err)
{
	const char *model = quire_command_model(&scene->list);
	u32 words = scene->list.size / 8;
	u32 i;

	for (i = 0; i < QUIRE_SCENE_WORDS + 1; i++)
		scene->fields[i] = QUIRE_SCENE_GUARD;
	scene->error = (struct quire_command_error) { ~0u, ~0u, ~0u, NULL };
	*err = quire_command_check(&scene->list, scene->fields, &scene->error);
	for (i = words; i < QUIRE_SCENE_WORDS + 1; i++)
		if (scene->fields[i] != QUIRE_SCENE_GUARD)
			return "a word behind those of the buffer was written";
	if (*err && !model)
		return "a submission that may run is refused";
	if (*err)
		return scene->error.why ? NULL : "nothing is said to be wrong";
	if (model)
		return model;
	return fields_are_right(scene) ? NULL : "a word does not say which entry it has";
}
