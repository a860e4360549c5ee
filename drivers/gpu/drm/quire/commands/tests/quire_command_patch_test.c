// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the patcher writes: the addresses, and else what the program wrote.
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "../quire_command_check.h"
#include "quire_command_scene.h"

#define GUARD_BYTE	0xa5

/* A buffer that is written, with what is around it. */
struct target {
	u64 before[2];
	struct quire_scene_buffer buffer;
	u64 behind[2];
};

struct patch_test {
	struct quire_scene scene;
	struct target target;
	struct target expected;
};

static const u64 good_addresses[NR_OBJECTS] = {
	[O_IMAGE] = QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, 0x340000),
	[O_DATA] = QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, 0xfffff0000ull),
	[O_SYSTEM] = QUIRE_ADDRESS(QUIRE_SEGMENT_APERTURE, 0),
};

static struct patch_test *create(struct kunit *test)
{
	struct patch_test *patch = kunit_kzalloc(test, sizeof(*patch), GFP_KERNEL);
	struct quire_scene *scene;

	KUNIT_ASSERT_NOT_NULL(test, patch);
	scene = &patch->scene;
	quire_scene_good(scene);
	KUNIT_ASSERT_EQ(test, quire_command_check(&scene->list, scene->fields, &scene->error), 0);
	memset(&patch->target, GUARD_BYTE, sizeof(patch->target));
	memset(&patch->expected, GUARD_BYTE, sizeof(patch->expected));
	return patch;
}

/* The addresses of the good submission, each by hand. */
static void write_expected(struct quire_scene_buffer *buffer, const u64 *at)
{
	buffer->copy.src = cpu_to_le64(at[O_DATA] + 0x1000);
	buffer->copy.dst = cpu_to_le64(at[O_DATA] + 0x9000);
	buffer->fill.dst = cpu_to_le64(at[O_DATA] + 0x8000);
	buffer->copy_2d.src.address = cpu_to_le64(at[O_SYSTEM] + 0x6000);
	buffer->copy_2d.dst.address = cpu_to_le64(at[O_IMAGE] + 0x20000);
	buffer->blend.src.address = cpu_to_le64(at[O_IMAGE] + 0x40000);
	buffer->blend.dst.address = cpu_to_le64(at[O_SYSTEM] + 0x79e4);
	buffer->arithmetic.src = cpu_to_le64(at[O_DATA] + 0x7f00);
	buffer->arithmetic.dst = cpu_to_le64(at[O_DATA] + 0xff00);
	buffer->checksum.src = cpu_to_le64(at[O_SYSTEM] + 0x20);
	buffer->checksum.result = cpu_to_le64(at[O_DATA] + 0xfff8);
	buffer->compare.src = cpu_to_le64(at[O_DATA] + 0x1001);
	buffer->compare.dst = cpu_to_le64(at[O_DATA] + 0x9001);
	buffer->compare.result = cpu_to_le64(at[O_SYSTEM] + 0x7ff0);
	buffer->write_value.dst = cpu_to_le64(at[O_SYSTEM] + 0x7ff8);
	buffer->wait_value.src = cpu_to_le64(at[O_SYSTEM] + 0x7ff8);
}

static void expect(struct patch_test *patch, const u64 *addresses)
{
	memcpy(&patch->expected.buffer, patch->scene.commands, sizeof(patch->expected.buffer));
	write_expected(&patch->expected.buffer, addresses);
}

static void write_part(struct patch_test *patch, u32 start, u32 end, const u64 *addresses)
{
	quire_command_patch((u8 *)&patch->target.buffer + start, &patch->scene.list,
			    patch->scene.fields, start, end, addresses);
}

static bool is_as_expected(const struct patch_test *patch)
{
	return !memcmp(&patch->target, &patch->expected, sizeof(patch->target));
}

/* All at once: each address, each other byte, and nothing around them. */
static void quire_patch_whole(struct kunit *test)
{
	struct patch_test *patch = create(test);

	expect(patch, good_addresses);
	write_part(patch, 0, sizeof(patch->target.buffer), good_addresses);
	KUNIT_EXPECT_TRUE(test, is_as_expected(patch));
}

/* To write it once more changes nothing, with other addresses only them. */
static void quire_patch_again(struct kunit *test)
{
	static const u64 others[NR_OBJECTS] = {
		[O_IMAGE] = QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, 0),
		[O_DATA] = QUIRE_ADDRESS(QUIRE_SEGMENT_APERTURE, 0x123000),
		[O_SYSTEM] = QUIRE_ADDRESS(QUIRE_SEGMENT_APERTURE, 0x7000),
	};
	struct patch_test *patch = create(test);

	write_part(patch, 0, sizeof(patch->target.buffer), others);
	write_part(patch, 0, sizeof(patch->target.buffer), good_addresses);
	write_part(patch, 0, sizeof(patch->target.buffer), good_addresses);
	expect(patch, good_addresses);
	KUNIT_EXPECT_TRUE(test, is_as_expected(patch));
	write_part(patch, 0, sizeof(patch->target.buffer), others);
	expect(patch, others);
	KUNIT_EXPECT_TRUE(test, is_as_expected(patch));
}

/* The submission stays as it is. */
static void quire_patch_source(struct kunit *test)
{
	struct patch_test *patch = create(test);
	struct quire_scene *before = kunit_kzalloc(test, sizeof(*before), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, before);
	memcpy(before, &patch->scene, sizeof(*before));
	write_part(patch, 0, sizeof(patch->target.buffer), good_addresses);
	KUNIT_EXPECT_EQ(test, memcmp(before, &patch->scene, sizeof(*before)), 0);
}

/* Each part from one split point to another one: its bytes and no other. */
static void quire_patch_parts(struct kunit *test)
{
	static const u32 points[] = {
		0, offsetof(struct quire_scene_buffer, copy),
		offsetof(struct quire_scene_buffer, copy_2d),
		offsetof(struct quire_scene_buffer, blend),
		offsetof(struct quire_scene_buffer, arithmetic),
		sizeof(struct quire_scene_buffer),
	};
	struct patch_test *patch = create(test);
	struct target all;
	u32 start, end;

	expect(patch, good_addresses);
	memcpy(&all, &patch->expected, sizeof(all));
	for (start = 0; start < ARRAY_SIZE(points); start++)
		for (end = start; end < ARRAY_SIZE(points); end++) {
			memset(&patch->target, GUARD_BYTE, sizeof(patch->target));
			memset(&patch->expected, GUARD_BYTE, sizeof(patch->expected));
			memcpy((u8 *)&patch->expected.buffer + points[start],
			       (u8 *)&all.buffer + points[start], points[end] - points[start]);
			write_part(patch, points[start], points[end], good_addresses);
			KUNIT_EXPECT_TRUE(test, is_as_expected(patch));
		}
}

static struct kunit_case quire_command_patch_cases[] = {
	KUNIT_CASE(quire_patch_whole),
	KUNIT_CASE(quire_patch_again),
	KUNIT_CASE(quire_patch_source),
	KUNIT_CASE(quire_patch_parts),
	{}
};

static struct kunit_suite quire_command_patch_suite = {
	.name = "quire_command_patch",
	.test_cases = quire_command_patch_cases,
};

kunit_test_suite(quire_command_patch_suite);
