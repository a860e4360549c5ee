// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules of splitting (Documentation/gpu/quire/splitting.rst), with the driver: commands and
 * lists written by hand, and what became of their bytes. What slots hold, what is refused,
 * what is patched.
 */
#include <stddef.h>
#include <string.h>

#include "splitting.h"
#include "stream.h"
#include "world.h"

#define COMMANDS	80

/* What a submission leaves in its table is not in that of the next one. */
static bool starts_empty(void *context)
{
	struct world *world = world_begin(context);
	const uint32_t last = world->work.fixture.info.slots - 1;
	struct quire_object *left = world_make_large(world), *other = world_make_large(world);
	struct script first = { .size = 0 }, second = { .size = 0 };
	bool ok;

	script_fill(&first, bound(script_object(&first, left), last, 0), 1);
	script_fill(&second, bound(script_object(&second, other), 0, 0), 2);
	ok = world_runs(world, &first, 1, "one is left in the last slot");
	ok = world_runs(world, &second, 1, "there is room for all that fits") && ok;
	ok = rule_is(page_is(left, 0, 1) && page_is(other, 0, 2), "both are right") && ok;
	return world_end(world, ok);
}

/* One command for each slot, all bound from the first byte on; then one slot too many. */
static bool has_all_slots(void *context)
{
	struct world *world = world_begin(context);
	const uint32_t slots = world->work.fixture.info.slots;
	struct quire_object *object = world_make(world, (slots + 1) * QUIRE_PAGE);
	struct script script = { .size = 0 };
	bool ok;

	for (uint32_t i = 0; i < slots; i++)
		script_fill(&script, bound(script_allocation(&script, object, i * QUIRE_PAGE,
							     QUIRE_PAGE), i, 0), 1 + i);
	ok = world_runs(world, &script, 1, "all slots at once");
	for (uint32_t i = 0; i < slots; i++)
		ok = rule_is(page_is(object, i * QUIRE_PAGE, 1 + i), "each is right") && ok;
	script_fill(&script, bound(script_allocation(&script, object, slots * QUIRE_PAGE,
						     QUIRE_PAGE), slots, 0), 1);
	ok = world_refuses(world, &script, -ECHRNG, slots, "one more") && ok;
	ok = rule_is(page_is(object, slots * QUIRE_PAGE, 0), "its page is as it was") && ok;
	return world_end(world, ok);
}

static void swap_patches(struct script *script)
{
	const struct drm_quire_patch_location first = script->patches[0];

	script->patches[0] = script->patches[1];
	script->patches[1] = first;
}

static bool entries_are_in_order(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *object = world_make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t allocation = script_object(&script, object);
	bool ok;

	script_fill(&script, bound_here(&script, allocation, 0), 1);
	script_fill(&script, bound_here(&script, allocation, 1), 2);
	swap_patches(&script);
	ok = world_refuses(world, &script, -EILSEQ, 1, "split offsets that go back");
	ok = rule_is(page_is(object, 0, 0), "nothing has run") && ok;
	swap_patches(&script);
	ok = world_runs(world, &script, 1, "in their order") && ok;
	ok = rule_is(page_is(object, 0, 2), "2") && ok;
	return world_end(world, ok);
}

/* Two entries of one slot and one offset: there is no byte at which the first one holds. */
static bool last_of_one_offset_counts(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *object = world_make(world, 2 * QUIRE_PAGE);
	struct script twice = { .size = 0 }, unbound = { .size = 0 };
	bool ok;

	script_fill(&twice, bound(script_allocation(&twice, object, 0, QUIRE_PAGE), 0, 0), 1);
	script_fill(&twice, bound(script_allocation(&twice, object, QUIRE_PAGE, QUIRE_PAGE), 0, 0),
		    2);
	ok = world_refuses(world, &twice, -ESTALE, 0, "the slot is written twice");

	script_fill(&unbound, bound(script_object(&unbound, object), 0, 0), 3);
	unbound.patches[unbound.nr_patches++] = (struct drm_quire_patch_location){
		.allocation = script_none(&unbound),
	};
	ok = world_refuses(world, &unbound, -ESTALE, 0, "and unbound at once") && ok;
	swap_patches(&unbound);
	ok = world_runs(world, &unbound, 1, "the other way round it is bound") && ok;
	ok = rule_is(page_is(object, 0, 3) && page_is(object, QUIRE_PAGE, 0), "that ran") && ok;
	return world_end(world, ok);
}

/* The command at the offset has it, the one before has not. */
static bool holds_from_its_offset(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *object = world_make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t allocation = script_object(&script, object);
	bool ok;

	script_nop(&script, 8);
	script_fill(&script, bound_here(&script, allocation, 0), 1);
	ok = world_runs(world, &script, 1, "from its first command on");
	ok = rule_is(page_is(object, 0, 1), "it is right") && ok;

	memset(&script, 0, sizeof(script));
	allocation = script_object(&script, object);
	script_fill(&script, bound(allocation, 0, script.size + sizeof(struct quire_command_fill)),
		    2);
	script_fill(&script, bound_here(&script, allocation, 0), 3);
	ok = world_refuses(world, &script, -ESTALE, 0, "a command too early") && ok;
	ok = rule_is(page_is(object, 0, 1), "nothing has run") && ok;
	return world_end(world, ok);
}

/* One slot, two objects by turns. */
static bool slot_frees_its_former(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *objects[] = { world_make_large(world), world_make_large(world) };
	const struct quire_result *result = &world->gpu.result;
	const uint64_t size = quire_object_size(objects[0]);
	struct script script = { .size = 0 };
	bool ok;

	for (uint32_t i = 0; i < 2; i++)
		script_object(&script, objects[i]);
	for (uint32_t i = 0; i < 4; i++)
		script_fill(&script, bound_here(&script, i % 2, 9), i + 1);
	ok = world_runs(world, &script, 4, "by turns");
	ok = rule_is(result->bytes_in == 4 * size && result->bytes_out == 3 * size,
		     "each comes for its turn, and goes for the other's") && ok;
	ok = rule_is(page_is(objects[0], 0, 3) && page_is(objects[1], 0, 4), "both are right") &&
	     ok;
	return world_end(world, ok);
}

/* It leaves one of its two slots; of the two that come after, one has to go for the other. */
static bool freed_from_all_slots(void *context)
{
	struct world *world = world_begin(context);
	const uint64_t size = 3 * world_eighth(world);
	struct quire_object *twice = world_make(world, size), *others[2];
	const struct quire_result *result = &world->gpu.result;
	struct script script = { .size = 0 };
	uint32_t none = script_none(&script), allocation = script_object(&script, twice);
	bool ok;

	script_fill(&script, bound(allocation, 0, 0), 1);
	script_fill(&script, bound(allocation, 1, 0), 2);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t other;

		others[i] = world_make(world, size);
		other = script_object(&script, others[i]);
		script_fill(&script, script_bind_anew(&script, other, 0, none), 3 + i);
	}
	script_fill(&script, bound(allocation, 1, 0), 5);
	ok = world_runs(world, &script, 2, "bound twice, and unbound once");
	ok = rule_is(result->bytes_in == 3 * size && result->bytes_out == size,
		     "each comes once, and one goes") && ok;
	ok = rule_is(quire_object_class(twice) == DRM_QUIRE_SEGMENT_VRAM, "it stayed") && ok;
	ok = rule_is(page_is(twice, 0, 5) && page_is(others[0], 0, 3) && page_is(others[1], 0, 4),
		     "all are right") && ok;
	return world_end(world, ok);
}

static bool none_unbinds(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *one = world_make_large(world), *other = world_make_large(world);
	struct script script = { .size = 0 };
	uint32_t none = script_none(&script);
	bool ok;

	script_fill(&script, bound(script_object(&script, one), 0, 0), 1);
	script_unbind(&script, 0, none);
	script_nop(&script, 8);
	script_fill(&script, bound_here(&script, script_object(&script, other), 1), 2);
	ok = world_runs(world, &script, 2, "one is unbound before the other one is bound");
	ok = rule_is(page_is(one, 0, 1) && page_is(other, 0, 2), "both are right") && ok;
	return world_end(world, ok);
}

/* Behind what would fit. */
static bool alone_too_large(void *context)
{
	struct world *world = world_begin(context);
	const uint64_t size = fixture_vram(&world->work.fixture) + QUIRE_PAGE;
	struct quire_object *small = world_make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t large;
	bool ok;

	if (size > world->work.fixture.info.max_bo_size)
		return world_end(world, rule_skip("VRAM is the largest segment"));
	script_fill(&script, bound(script_object(&script, small), 0, 0), 1);
	large = script_object(&script, world_make(world, size));
	script_fill(&script, bound_here(&script, large, 0), 2);
	ok = world_refuses(world, &script, -EFBIG, 1, "an object that is too large");
	ok = rule_is(page_is(small, 0, 0), "nothing has run") && ok;
	return world_end(world, ok);
}

/* Behind what would fit, and does if the one before is unbound. */
static bool together_too_large(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *small = world_make(world, QUIRE_PAGE);
	struct quire_object *one = world_make_large(world), *other = world_make_large(world);
	struct script script = { .size = 0 };
	bool ok;

	script_fill(&script, bound(script_object(&script, small), 0, 0), 1);
	script_fill(&script, bound_here(&script, script_object(&script, one), 1), 2);
	script_fill(&script, bound_here(&script, script_object(&script, other), 2), 3);
	ok = world_refuses(world, &script, -EXFULL, 2, "both bound at once");
	ok = rule_is(page_is(small, 0, 0) && page_is(one, 0, 0) && page_is(other, 0, 0),
		     "nothing has run") && ok;
	return world_end(world, ok);
}

/* A command uses what its slot had before the split point. */
static bool stale_is_refused(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *one = world_make(world, QUIRE_PAGE);
	struct quire_object *other = world_make(world, QUIRE_PAGE);
	struct script taken = { .size = 0 }, unbound = { .size = 0 };
	struct binding leak;
	bool ok;

	leak = bound(script_object(&taken, one), 0, 0);
	script_fill(&taken, leak, 1);
	script_fill(&taken, bound_here(&taken, script_object(&taken, other), 0), 2);
	script_fill(&taken, leak, 3);
	ok = world_refuses(world, &taken, -ESTALE, 1, "another one has the slot");

	leak = bound(script_object(&unbound, one), 0, 0);
	script_fill(&unbound, leak, 1);
	script_unbind(&unbound, 0, script_none(&unbound));
	script_fill(&unbound, leak, 3);
	ok = world_refuses(world, &unbound, -ESTALE, 1, "nobody has it") && ok;
	ok = rule_is(page_is(one, 0, 0) && page_is(other, 0, 0), "nothing has run") && ok;
	return world_end(world, ok);
}

/* It goes, and comes back to another place, for one of another size was there first. */
static bool patched_part_by_part(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *moved = world_make(world, 3 * world_eighth(world));
	struct quire_object *most = world_make(world, 6 * world_eighth(world));
	struct quire_object *first = world_make(world, 2 * world_eighth(world));
	struct script script = { .size = 0 };
	uint32_t none = script_none(&script), second;
	bool ok;

	script_fill(&script, bound(script_object(&script, moved), 0, 0), 1);
	script_unbind(&script, 0, none);
	script_fill(&script, bound_here(&script, script_object(&script, most), 1), 2);
	script_unbind(&script, 1, none);
	script_fill(&script, bound_here(&script, script_object(&script, first), 2), 3);
	second = script_allocation(&script, moved, QUIRE_PAGE, QUIRE_PAGE);
	script_fill(&script, bound_here(&script, second, 0), 4);
	ok = world_runs(world, &script, 3, "one that comes back");
	ok = rule_is(page_is(moved, 0, 1) && page_is(moved, QUIRE_PAGE, 4), "it is right") && ok;
	ok = rule_is(page_is(most, 0, 2) && page_is(first, 0, 3) && page_is(first, QUIRE_PAGE, 0),
		     "and the others") && ok;
	return world_end(world, ok);
}

static bool driver_id_names_the_field(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *object = world_make(world, 2 * QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t src = script_allocation(&script, object, 0, QUIRE_PAGE);
	uint32_t dst = script_allocation(&script, object, QUIRE_PAGE, QUIRE_PAGE);
	bool ok;

	script_fill(&script, bound(src, 0, 0), 5);
	script_add(&script, bound(src, 0, 0), bound(dst, 1, 0));
	script.patches[1].driver_id = DRM_QUIRE_PATCH_DST;
	ok = world_refuses(world, &script, -EPROTOTYPE, 1, "the id of another field");
	script.patches[1].driver_id = DRM_QUIRE_PATCH_SRC;
	ok = world_runs(world, &script, 1, "its own") && ok;
	ok = rule_is(page_is(object, 0, 5) && page_is(object, QUIRE_PAGE, 5), "it is right") && ok;
	return world_end(world, ok);
}

/* Everything else in the command buffer is the program's. */
static bool patch_offset_is_a_field(void *context)
{
	static const uint32_t others[] = {
		0, 4, offsetof(struct quire_command_fill, dst) + 4,
		offsetof(struct quire_command_fill, size), sizeof(struct quire_command_fill),
	};
	struct world *world = world_begin(context);
	struct quire_object *object = world_make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	bool ok = true;

	script_fill(&script, bound(script_object(&script, object), 0, 0), 1);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		script.patches[0].patch_offset = others[i];
		ok = world_refuses(world, &script, -ENXIO, 0, "what is no field") && ok;
	}
	script.patches[0].patch_offset = offsetof(struct quire_command_fill, dst);
	ok = world_runs(world, &script, 1, "the field") && ok;
	ok = rule_is(page_is(object, 0, 1), "1") && ok;
	return world_end(world, ok);
}

/* Commands in an order of chance, with less memory than they need, as @option says. */
static bool stream_is_the_same(struct world *world, const char *option, bool each_point)
{
	const uint64_t vram = fixture_vram(&world->work.fixture);
	struct stream stream;
	uint32_t points;
	bool ok;

	ok = rule_is(splitting_set("split_max_bytes", vram / 8) && splitting_set(option, 1),
		     option);
	ok = rule_ret(stream_open(&stream, vram / 4, vram / 32, 11), "create") && ok;
	stream_record(&stream, COMMANDS);
	points = gpu_split_points(&stream.gpu);
	ok = rule_ret(gpu_run(&stream.gpu), "it is executed") && ok;
	ok = rule_is(stream.gpu.result.parts > 1 && stream.gpu.result.bytes_out,
		     "in parts, and objects came and went") && ok;
	ok = rule_is(!each_point || stream.gpu.result.parts == points + 1,
		     "in as many parts as can be") && ok;
	ok = rule_is(stream_is_right(&stream), "all bytes are those that the CPU computes") && ok;
	stream_close(&stream);
	splitting_usual();
	return ok;
}

static bool forced_splits_same_bytes(void *context)
{
	struct world *world = world_begin(context);

	return world_end(world, stream_is_the_same(world, "split_every_point", true));
}

static bool patched_again_same_bytes(void *context)
{
	struct world *world = world_begin(context);

	return world_end(world, stream_is_the_same(world, "patch_commands_twice", false));
}

static const struct rule rules[] = {
	{ "table-starts-empty", starts_empty },
	{ "table-has-all-slots", has_all_slots },
	{ "entries-in-order", entries_are_in_order },
	{ "last-of-one-offset-counts", last_of_one_offset_counts },
	{ "entry-holds-from-its-offset", holds_from_its_offset },
	{ "written-slot-frees-its-former", slot_frees_its_former },
	{ "freed-from-all-slots", freed_from_all_slots },
	{ "none-unbinds", none_unbinds },
	{ "alone-too-large-refused", alone_too_large },
	{ "together-too-large-refused", together_too_large },
	{ "stale-binding-refused", stale_is_refused },
	{ "patched-for-each-part", patched_part_by_part },
	{ "driver-id-names-the-field", driver_id_names_the_field },
	{ "patch-offset-is-a-field", patch_offset_is_a_field },
	{ "forced-splits-same-bytes", forced_splits_same_bytes },
	{ "patched-again-same-bytes", patched_again_same_bytes },
};

int main(void)
{
	return world_check(rules, ARRAY_SIZE(rules));
}
