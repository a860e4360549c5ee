// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules 9 and 11 of splitting, on commands that are written with their addresses, part by part,
 * as the driver does it, and looked at as if they were executed. The numbers are those of "The
 * rules" in Documentation/gpu/quire/splitting.rst. The cases of all the others:
 *
 * 1   split_table_starts_empty
 * 2   split_entry_counts_from_its_offset_on, split_entries_of_one_offset_are_one
 * 3   split_slot_frees_what_it_had, split_object_in_two_slots_stays
 * 4   split_none_unbinds
 * 5   split_bytes_before_need_nothing
 * 6   paged_in_in_order, part_ends_where_nothing_fits, split_what_is_bound_stays_in_place,
 *     table_is_held_over_splits
 * 7   split_what_is_written_there_may_move, rewritten_slot_may_move
 * 8   split_pages_between_parts
 * 10  split_refuses_what_alone_cannot_fit, split_refuses_what_together_cannot_fit, and those of
 *     quire_command_rule with ESTALE
 */
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "../quire_command_check.h"
#include "quire_split_fake.h"

#define MOST_COMMANDS	12u
#define MOST_OBJECTS	8u
#define VRAM_PAGES	8u

/* Bytes of a command. */
#define STEP		((u32)sizeof(struct quire_command_fill))

/* Nothing is in a page, and no object has that address. */
#define NOTHING		(~0u)
#define NOWHERE		(~0ull)

/**
 * struct use - a command fills the first bytes of an object
 * @from: command at whose first byte the object is bound
 * @command: which one it is, this or a later one
 * @slot: that the object is bound to
 * @object: index
 */
struct use {
	u32 from;
	u32 command;
	u32 slot;
	u32 object;
};

/**
 * struct program - commands, and what has become of them
 * @stream: with their list
 * @fake: the memory
 * @options: of the planner
 * @commands: as a program writes them
 * @fields: of them
 * @uses: what they do, in the order of the list
 * @nr: number of commands, and of @uses
 * @executed: the commands as they were written for the device
 * @done: so many were executed
 * @pages: of VRAM: index of the object that has it, or %NOTHING
 * @error: what was wrong at first; NULL nothing was
 * @memory: of the planner
 */
struct program {
	struct quire_split_stream stream;
	struct quire_split_fake fake;
	struct quire_split_options options;
	struct quire_command_fill commands[MOST_COMMANDS];
	u32 fields[MOST_COMMANDS * sizeof(struct quire_command_fill) / sizeof(u64)];
	const struct use *uses;
	u32 nr;
	struct quire_command_fill executed[MOST_COMMANDS];
	u32 done;
	u32 pages[VRAM_PAGES];
	const char *error;
	u64 memory[512];
};

static int program_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct program), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static struct program *to_program(struct quire_split_fake *fake)
{
	return container_of(fake, struct program, fake);
}

static void program_expect(struct program *program, bool condition, const char *error)
{
	if (!condition && !program->error)
		program->error = error;
}

static void pages_set(struct quire_split_fake *fake, u32 object, u32 to)
{
	u64 first = fake->objects[object].address / QUIRE_PAGE_SIZE;
	u64 i, nr = fake->list->objects[object].size / QUIRE_PAGE_SIZE;

	for (i = 0; i < nr; i++)
		to_program(fake)->pages[first + i] = to;
}

static void object_came(struct quire_split_fake *fake, u32 object)
{
	pages_set(fake, object, object);
}

static void object_goes(struct quire_split_fake *fake, u32 object)
{
	pages_set(fake, object, NOTHING);
}

/* Only of what the part uses. */
static void part_addresses(const struct quire_split_fake *fake,
			   const struct quire_split_part *part, u64 *addresses)
{
	u32 i;

	for (i = 0; i < MOST_OBJECTS; i++)
		addresses[i] = NOWHERE;
	for (i = 0; i < part->nr_objects; i++)
		addresses[part->objects[i]] =
			QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM,
				      fake->objects[part->objects[i]].address);
}

static const struct use *command_use(const struct program *program, u32 command)
{
	const struct use *use = program->uses;

	while (use->command != command)
		use++;
	return use;
}

/* The next one, with the address of what it fills. */
static void command_execute(struct program *program, u32 command)
{
	u64 dst = le64_to_cpu(program->executed[command].dst);
	u64 page = QUIRE_ADDRESS_OFFSET(dst) / QUIRE_PAGE_SIZE;

	program_expect(program, command == program->done, "a command again, or too early");
	program->done = command + 1;
	program_expect(program, QUIRE_ADDRESS_SEGMENT(dst) == QUIRE_SEGMENT_VRAM &&
		       page < VRAM_PAGES, "it has no address");
	program_expect(program, page < VRAM_PAGES &&
		       program->pages[page] == command_use(program, command)->object,
		       "it has the address of something else");
}

static bool is_split_point(const struct program *program, u32 byte)
{
	u32 i;

	for (i = 0; i < program->nr; i++)
		if (program->uses[i].from * STEP == byte)
			return true;
	return byte == program->nr * STEP;
}

static int part_execute(struct quire_split_fake *fake, const struct quire_split_part *part)
{
	struct program *program = to_program(fake);
	u64 addresses[MOST_OBJECTS];
	u32 i;

	program_expect(program, is_split_point(program, part->start) &&
		       is_split_point(program, part->end), "a part that is no whole one");
	part_addresses(fake, part, addresses);
	quire_command_patch(&program->executed[part->start / STEP], &program->stream.list,
			    program->fields, part->start, part->end, addresses);
	for (i = part->start / STEP; i < part->end / STEP; i++)
		command_execute(program, i);
	return 0;
}

static const struct quire_fake_watch watch = {
	.came = object_came,
	.goes = object_goes,
	.submit = part_execute,
};

/* Each command has a byte of its own in the object, so that no two addresses are the same. */
static void program_use(struct program *program, const struct use *use)
{
	struct quire_command_fill *command = &program->commands[use->command];
	struct quire_patch_location *patch;

	command->header.opcode = cpu_to_le16(QUIRE_COMMAND_FILL);
	command->header.size = cpu_to_le32(STEP);
	command->size = cpu_to_le64(sizeof(u32));
	quire_stream_write(&program->stream, use->from * STEP, use->slot, use->object);
	patch = &program->stream.patches[program->stream.list.nr_patches - 1];
	patch->driver_id = QUIRE_PATCH_DST;
	patch->allocation_offset = use->command * sizeof(u32);
	patch->patch_offset = use->command * STEP + offsetof(struct quire_command_fill, dst);
}

/* Empty memory. */
static struct quire_split_fake *program_memory(struct program *program)
{
	u32 i;

	quire_fake_init(&program->fake, &program->stream.list, VRAM_PAGES * QUIRE_PAGE_SIZE, 0);
	program->fake.pieces = true;
	program->fake.watch = &watch;
	for (i = 0; i < VRAM_PAGES; i++)
		program->pages[i] = NOTHING;
	return &program->fake;
}

/* @uses: a command each; @pages: of each object, up to a 0 */
static struct program *program_begin(struct kunit *test, const struct use *uses, u32 nr,
				     const u32 *pages)
{
	struct program *program = test->priv;
	struct quire_command_error error;
	u32 i;

	program->uses = uses;
	program->nr = nr;
	quire_stream_init(&program->stream, nr * STEP);
	program->stream.list.commands = program->commands;
	while (*pages)
		quire_stream_object(&program->stream, *pages++ * QUIRE_PAGE_SIZE,
				    QUIRE_SEGMENT_VRAM);
	program->stream.list.nr_allocations = 2 * program->stream.list.nr_objects;
	for (i = 0; i < nr; i++)
		program_use(program, &uses[i]);
	KUNIT_ASSERT_EQ(test, quire_command_check(&program->stream.list, program->fields, &error),
			0);
	program_memory(program);
	return program;
}

static void program_run(struct kunit *test)
{
	struct program *program = test->priv;

	KUNIT_ASSERT_LE(test, quire_split_memory(&program->stream.list), sizeof(program->memory));
	program->done = 0;
	KUNIT_ASSERT_EQ(test, quire_fake_run(&program->fake, &program->options, program->memory),
			0);
	KUNIT_ASSERT_TRUE_MSG(test, !program->error, "%s", program->error);
	KUNIT_ASSERT_TRUE_MSG(test, !program->fake.error, "%s", program->fake.error);
	KUNIT_ASSERT_EQ(test, program->done, program->nr);
}

/* Where the command has found the first byte of its object, in pages. */
static u64 page_of(const struct program *program, u32 command)
{
	u64 dst = le64_to_cpu(program->executed[command].dst);

	return (QUIRE_ADDRESS_OFFSET(dst) - command * sizeof(u32)) / QUIRE_PAGE_SIZE;
}

/*
 * A canvas, object 0, is bound all the time, and drawn to by every second command, where no part
 * can end; beside it there is room for two of the others.
 */
static const struct use canvas_uses[] = {
	{ 0, 1, 1, 0 }, { 0, 3, 1, 0 }, { 0, 5, 1, 0 }, { 0, 7, 1, 0 }, { 0, 9, 1, 0 },
	{ 0, 11, 1, 0 }, { 0, 0, 0, 1 }, { 2, 2, 0, 2 }, { 4, 4, 0, 3 }, { 6, 6, 0, 1 },
	{ 8, 8, 0, 2 }, { 10, 10, 0, 4 },
};

static struct program *canvas_begin(struct kunit *test)
{
	static const u32 pages[] = { 2, 3, 3, 3, 3, 0 };

	return program_begin(test, canvas_uses, ARRAY_SIZE(canvas_uses), pages);
}

static void rule_9_each_command_is_in_one_part(struct kunit *test)
{
	struct program *program = canvas_begin(test);

	program_run(test);
	KUNIT_EXPECT_GT(test, program->fake.split.parts, 2);
	program_memory(program);
	program->options.every_point = true;
	program_run(test);
	KUNIT_EXPECT_EQ(test, program->fake.split.parts, program->nr / 2);
}

/* Others have all memory in each pause, and there are pauses wherever there can be. */
static void rule_9_no_part_ends_for_others(struct kunit *test)
{
	struct program *program = canvas_begin(test);

	program->fake.guests = 1;
	program->fake.loss = 8;
	program->fake.busy = 2;
	program->fake.crowded = 2;
	program_run(test);
	KUNIT_EXPECT_GT(test, program->fake.waits, 2);
	KUNIT_EXPECT_GT(test, program->fake.pauses, program->fake.waits);
}

/* The same with each object that others can take, whenever they can: by then none has run. */
static void rule_9_no_part_is_left_for_robbers(struct kunit *test)
{
	struct program *program = canvas_begin(test);
	u32 object, call, robberies = 0;

	for (object = 0; object < program->stream.list.nr_objects; object++)
		for (call = 1; call < 3 * program->nr; call++) {
			program_memory(program)->rob_after = call;
			program->fake.robbed = object;
			program_run(test);
			robberies += program->fake.robberies;
		}
	KUNIT_EXPECT_GT(test, robberies, program->nr);
}

/* One that has all memory comes between, then a small one before the first one comes back. */
static void rule_11_each_part_has_its_own_addresses(struct kunit *test)
{
	static const struct use uses[] = {
		{ 0, 0, 0, 0 }, { 1, 1, 0, 1 }, { 2, 2, 0, 2 }, { 3, 3, 1, 0 },
	};
	static const u32 pages[] = { 3, VRAM_PAGES, 2, 0 };
	struct program *program = program_begin(test, uses, ARRAY_SIZE(uses), pages);

	program_run(test);
	KUNIT_EXPECT_EQ(test, program->fake.split.parts, 3);
	KUNIT_EXPECT_EQ(test, page_of(program, 0), 0);
	KUNIT_EXPECT_EQ(test, page_of(program, 1), 0);
	KUNIT_EXPECT_EQ(test, page_of(program, 2), 0);
	KUNIT_EXPECT_EQ(test, page_of(program, 3), 2);
}

/*
 * Two are bound from the first byte on. Others took them before the second part, which has no
 * entry of them: they come again behind what is in slot 0 by then.
 */
static void rule_11_what_was_bound_before_has_its_new_address(struct kunit *test)
{
	static const struct use uses[] = {
		{ 0, 0, 2, 0 }, { 0, 1, 1, 1 }, { 0, 3, 2, 0 }, { 0, 4, 1, 1 }, { 0, 2, 0, 2 },
		{ 3, 5, 0, 3 },
	};
	static const u32 pages[] = { 1, 2, 5, 5, 0 };
	struct program *program = program_begin(test, uses, ARRAY_SIZE(uses), pages);

	program->fake.lost_in = 1;
	program_run(test);
	KUNIT_EXPECT_EQ(test, program->fake.split.parts, 2);
	KUNIT_EXPECT_EQ(test, program->fake.split.repacks, 1);
	KUNIT_EXPECT_EQ(test, page_of(program, 0), 0);
	KUNIT_EXPECT_EQ(test, page_of(program, 1), 1);
	KUNIT_EXPECT_EQ(test, page_of(program, 3), 7);
	KUNIT_EXPECT_EQ(test, page_of(program, 4), 5);
}

/* What others took comes back, now and then to another place than it would have had. */
static void rule_11_part_that_is_planned_again_has_new_addresses(struct kunit *test)
{
	struct program *program = canvas_begin(test);
	u64 pages[MOST_COMMANDS];
	u32 object, call, i, moved = 0;

	program_run(test);
	for (i = 0; i < program->nr; i++)
		pages[i] = page_of(program, i);
	for (object = 0; object < program->stream.list.nr_objects; object++)
		for (call = 1; call < 3 * program->nr; call++) {
			program_memory(program)->rob_after = call;
			program->fake.robbed = object;
			program_run(test);
			for (i = 0; i < program->nr && program->fake.robberies; i++)
				moved += page_of(program, i) != pages[i];
		}
	KUNIT_EXPECT_GT(test, moved, program->nr);
}

static struct kunit_case quire_split_rules_cases[] = {
	KUNIT_CASE(rule_9_each_command_is_in_one_part),
	KUNIT_CASE(rule_9_no_part_ends_for_others),
	KUNIT_CASE(rule_9_no_part_is_left_for_robbers),
	KUNIT_CASE(rule_11_each_part_has_its_own_addresses),
	KUNIT_CASE(rule_11_what_was_bound_before_has_its_new_address),
	KUNIT_CASE(rule_11_part_that_is_planned_again_has_new_addresses),
	{}
};

static struct kunit_suite quire_split_rules_suite = {
	.name = "quire_split_rules",
	.init = program_init,
	.test_cases = quire_split_rules_cases,
};

kunit_test_suite(quire_split_rules_suite);
