// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules of splitting (Documentation/gpu/quire/splitting.rst), with the driver: commands and
 * lists written by hand, objects that do not fit together, and what became of their bytes.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rules.h"
#include "script.h"
#include "splitting.h"
#include "stream.h"
#include "vram.h"
#include "work.h"

/* Sizes are eighths of video memory: two of these do not fit together. */
#define LARGE		5

#define MOST_OBJECTS	8
#define NR_CHAIN	6
#define NR_GUESTS	4
#define MARK		0xc0ffee00u
#define COMMANDS	80

/**
 * struct world - what a rule is tested with
 * @work: the device
 * @gpu: the same device, with a context and a fence for one rule
 * @objects: for one rule
 * @nr_objects: number of @objects
 */
struct world {
	struct work work;
	struct gpu gpu;
	struct quire_object *objects[MOST_OBJECTS];
	unsigned int nr_objects;
};

static uint64_t eighth(const struct world *world)
{
	return fixture_vram(&world->work.fixture) / 8 & ~(QUIRE_PAGE - 1);
}

static struct world *world_begin(void *context)
{
	struct world *world = context;

	world->gpu = (struct gpu){
		.device = world->work.device,
		.context = work_context(&world->work),
		.recorder = world->work.recorder,
		.fence = work_fence(&world->work),
	};
	world->nr_objects = 0;
	return world;
}

/* Of @size bytes, all zero. */
static struct quire_object *make(struct world *world, uint64_t size)
{
	struct quire_object *object = work_object(&world->work, size);

	world->objects[world->nr_objects++] = object;
	return object;
}

static struct quire_object *make_large(struct world *world)
{
	return make(world, LARGE * eighth(world));
}

static bool world_end(struct world *world, bool ok)
{
	while (world->nr_objects)
		quire_object_close(world->objects[--world->nr_objects]);
	quire_fence_close(world->gpu.fence);
	quire_context_destroy(world->gpu.context);
	return rule_is(fixture_settles(&world->work.fixture, world->work.fixture.segments),
		       "nothing is left") && ok;
}

/* What the slot had is unbound right there. */
static struct binding bound_anew(struct script *script, uint32_t allocation, uint32_t slot,
				 uint32_t none)
{
	script_unbind(script, slot, none);
	return bound_here(script, allocation, slot);
}

static bool runs(struct world *world, const struct script *script, uint32_t parts,
		 const char *what)
{
	bool ok = rule_ret(script_run(script, &world->gpu), what);

	if (ok && world->gpu.result.parts != parts)
		tap_diag("%s: %u parts, not %u", what, world->gpu.result.parts, parts);
	return ok && world->gpu.result.parts == parts;
}

/* For the sake of element @entry of the patch-location list; nothing has become of it. */
static bool is_refused(struct world *world, const struct script *script, int error,
		       uint32_t entry, const char *what)
{
	const struct quire_result *result = &world->gpu.result;
	int ret = script_submit(script, &world->gpu);
	bool ok;

	if (ret != error)
		tap_diag("%s: %d, not %d: %s", what, ret, error, result->message);
	ok = rule_is(result->refused_where == DRM_QUIRE_REFUSAL_PATCHES &&
		     result->refused_entry == entry, "it says which element") &&
	     rule_is(!result->parts && !result->bytes_in && !result->bytes_out, "nothing ran");
	return rule_is(work_context_status(world->gpu.context) == DRM_QUIRE_CONTEXT_GOOD,
		       "the context is good") && ok && ret == error;
}

/* What a submission leaves in its table is not in that of the next one. */
static bool starts_empty(void *context)
{
	struct world *world = world_begin(context);
	const uint32_t last = world->work.fixture.info.slots - 1;
	struct quire_object *left = make_large(world), *other = make_large(world);
	struct script first = { .size = 0 }, second = { .size = 0 };
	bool ok;

	script_fill(&first, bound(script_object(&first, left), last, 0), 1);
	script_fill(&second, bound(script_object(&second, other), 0, 0), 2);
	ok = runs(world, &first, 1, "one is left in the last slot");
	ok = runs(world, &second, 1, "there is room for all that fits") && ok;
	ok = rule_is(page_is(left, 0, 1) && page_is(other, 0, 2), "both are right") && ok;
	return world_end(world, ok);
}

/* One command for each slot, all bound from the first byte on; then one slot too many. */
static bool has_all_slots(void *context)
{
	struct world *world = world_begin(context);
	const uint32_t slots = world->work.fixture.info.slots;
	struct quire_object *object = make(world, (slots + 1) * QUIRE_PAGE);
	struct script script = { .size = 0 };
	bool ok;

	for (uint32_t i = 0; i < slots; i++)
		script_fill(&script, bound(script_allocation(&script, object, i * QUIRE_PAGE,
							     QUIRE_PAGE), i, 0), 1 + i);
	ok = runs(world, &script, 1, "all slots at once");
	for (uint32_t i = 0; i < slots; i++)
		ok = rule_is(page_is(object, i * QUIRE_PAGE, 1 + i), "each is right") && ok;
	script_fill(&script, bound(script_allocation(&script, object, slots * QUIRE_PAGE,
						     QUIRE_PAGE), slots, 0), 1);
	ok = is_refused(world, &script, -ECHRNG, slots, "one more") && ok;
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
	struct quire_object *object = make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t allocation = script_object(&script, object);
	bool ok;

	script_fill(&script, bound_here(&script, allocation, 0), 1);
	script_fill(&script, bound_here(&script, allocation, 1), 2);
	swap_patches(&script);
	ok = is_refused(world, &script, -EILSEQ, 1, "split offsets that go back");
	ok = rule_is(page_is(object, 0, 0), "nothing has run") && ok;
	swap_patches(&script);
	ok = runs(world, &script, 1, "in their order") && rule_is(page_is(object, 0, 2), "2") && ok;
	return world_end(world, ok);
}

/* Two entries of one slot and one offset: there is no byte at which the first one holds. */
static bool last_of_one_offset_counts(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *object = make(world, 2 * QUIRE_PAGE);
	struct script twice = { .size = 0 }, unbound = { .size = 0 };
	bool ok;

	script_fill(&twice, bound(script_allocation(&twice, object, 0, QUIRE_PAGE), 0, 0), 1);
	script_fill(&twice, bound(script_allocation(&twice, object, QUIRE_PAGE, QUIRE_PAGE), 0, 0),
		    2);
	ok = is_refused(world, &twice, -ESTALE, 0, "the slot is written twice");

	script_fill(&unbound, bound(script_object(&unbound, object), 0, 0), 3);
	unbound.patches[unbound.nr_patches++] = (struct drm_quire_patch_location){
		.allocation = script_none(&unbound),
	};
	ok = is_refused(world, &unbound, -ESTALE, 0, "and unbound at once") && ok;
	swap_patches(&unbound);
	ok = runs(world, &unbound, 1, "the other way round it is bound") && ok;
	ok = rule_is(page_is(object, 0, 3) && page_is(object, QUIRE_PAGE, 0), "that ran") && ok;
	return world_end(world, ok);
}

/* The command at the offset has it, the one before has not. */
static bool holds_from_its_offset(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *object = make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t allocation = script_object(&script, object);
	bool ok;

	script_nop(&script, 8);
	script_fill(&script, bound_here(&script, allocation, 0), 1);
	ok = runs(world, &script, 1, "from its first command on");
	ok = rule_is(page_is(object, 0, 1), "it is right") && ok;

	memset(&script, 0, sizeof(script));
	allocation = script_object(&script, object);
	script_fill(&script, bound(allocation, 0, script.size + sizeof(struct quire_command_fill)),
		    2);
	script_fill(&script, bound_here(&script, allocation, 0), 3);
	ok = is_refused(world, &script, -ESTALE, 0, "a command too early") && ok;
	ok = rule_is(page_is(object, 0, 1), "nothing has run") && ok;
	return world_end(world, ok);
}

/* One slot, two objects by turns. */
static bool slot_frees_its_former(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *objects[] = { make_large(world), make_large(world) };
	const struct quire_result *result = &world->gpu.result;
	const uint64_t size = quire_object_size(objects[0]);
	struct script script = { .size = 0 };
	bool ok;

	for (uint32_t i = 0; i < 2; i++)
		script_object(&script, objects[i]);
	for (uint32_t i = 0; i < 4; i++)
		script_fill(&script, bound_here(&script, i % 2, 9), i + 1);
	ok = runs(world, &script, 4, "by turns");
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
	const uint64_t size = 3 * eighth(world);
	struct quire_object *twice = make(world, size), *others[2];
	const struct quire_result *result = &world->gpu.result;
	struct script script = { .size = 0 };
	uint32_t none = script_none(&script), allocation = script_object(&script, twice);
	bool ok;

	script_fill(&script, bound(allocation, 0, 0), 1);
	script_fill(&script, bound(allocation, 1, 0), 2);
	for (uint32_t i = 0; i < 2; i++) {
		others[i] = make(world, size);
		script_fill(&script, bound_anew(&script, script_object(&script, others[i]), 0,
						none), 3 + i);
	}
	script_fill(&script, bound(allocation, 1, 0), 5);
	ok = runs(world, &script, 2, "bound twice, and unbound once");
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
	struct quire_object *one = make_large(world), *other = make_large(world);
	struct script script = { .size = 0 };
	uint32_t none = script_none(&script);
	bool ok;

	script_fill(&script, bound(script_object(&script, one), 0, 0), 1);
	script_unbind(&script, 0, none);
	script_nop(&script, 8);
	script_fill(&script, bound_here(&script, script_object(&script, other), 1), 2);
	ok = runs(world, &script, 2, "the first one is unbound before the second one is bound");
	ok = rule_is(page_is(one, 0, 1) && page_is(other, 0, 2), "both are right") && ok;
	return world_end(world, ok);
}

/**
 * struct held - a submission of another process, whose commands wait at a gate
 * @gate: where
 * @here: how far they are
 * @pid: of the process, which ends with 0 if all is well; 0: it is this one
 */
struct held {
	struct gate gate;
	struct gate here;
	pid_t pid;
};

/* The objects that follow are bound behind these, in slots 60 and 61. */
static void held_begin(struct world *world, struct held *held, struct script *script)
{
	held->pid = 0;
	work_gate_open_apart(&world->work, &held->gate);
	work_gate_open_apart(&world->work, &held->here);
	script_object(script, held->gate.object);
	script_object(script, held->here.object);
}

/* It says that it has come so far, and goes on when the gate has that number. */
static void held_stop(struct script *script, uint64_t number)
{
	script_write(script, bound(1, 61, 0), number);
	script_wait(script, bound(0, 60, 0), number);
}

static void held_start(struct world *world, struct held *held, const struct script *script)
{
	held->pid = child_start(100);
	if (!held->pid)
		_exit(script_run(script, &world->gpu) ? 1 : world->gpu.result.parts != 2);
}

/* Or it ends before. */
static bool gets_to(const struct held *held, uint64_t number)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (work_gate_number(&held->here) < number && quire_now_ns() < end &&
	       (!held->pid || child_is_running(held->pid)))
		test_sleep_ms(1);
	return rule_is(work_gate_number(&held->here) >= number, "its commands come so far");
}

/* In its second part @other gets @pattern, when slot 0 is left. The first one stops once. */
static void held_divide(struct world *world, struct held *held, struct script *script,
			const struct quire_object *other, uint32_t pattern)
{
	script_unbind(script, 0, script_none(script));
	script_fill(script, bound_here(script, script_object(script, other), 1), pattern);
	held_start(world, held, script);
}

static bool held_end(struct held *held)
{
	int status;

	work_gate_raise(&held->gate, UINT64_MAX);
	status = child_status(held->pid);
	work_gate_close(&held->gate);
	work_gate_close(&held->here);
	return rule_is(!status, "it is executed, in as many parts as it takes");
}

/* In the kernel; or it has gone on. */
static bool gets_within(pid_t pid, const char *function)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (!child_is_within(pid, function)) {
		if (child_is_within(pid, "drm_syncobj") || !child_is_running(pid) ||
		    quire_now_ns() >= end)
			return false;
		test_sleep_ms(1);
	}
	return true;
}

/* What comes behind the split offset is not there yet, and would have no room. */
static bool bytes_before_run_without(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *one = make_large(world), *other = make_large(world);
	struct script script = { .size = 0 };
	struct held held;
	bool ok;

	held_begin(world, &held, &script);
	script_fill(&script, bound(script_object(&script, one), 0, 0), 1);
	held_stop(&script, 1);
	held_divide(world, &held, &script, other, 2);
	ok = gets_to(&held, 1);
	ok = rule_is(quire_object_class(one) == DRM_QUIRE_SEGMENT_VRAM &&
		     quire_object_class(other) != DRM_QUIRE_SEGMENT_VRAM,
		     "the bytes before run without it") && ok;
	ok = held_end(&held) && ok;
	ok = rule_is(quire_object_class(other) == DRM_QUIRE_SEGMENT_VRAM, "then it is there") && ok;
	ok = rule_is(page_is(one, 0, 1) && page_is(other, 0, 2), "both are right") && ok;
	return world_end(world, ok);
}

/*
 * Each part doubles the sum, and adds a number of its own: one that is executed twice, not at
 * all or out of order makes another sum.
 */
static bool parts_make_the_buffer(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *sum = make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t none = script_none(&script), total = script_object(&script, sum);
	uint32_t expected = 0;
	bool ok;

	for (uint32_t i = 0; i < NR_CHAIN; i++) {
		struct quire_object *object = make_large(world);
		struct binding number = bound_anew(&script, script_object(&script, object), 1,
						   none);

		script_fill(&script, number, 3 + i);
		script_add(&script, bound(total, 0, 0), bound(total, 0, 0));
		script_add(&script, number, bound(total, 0, 0));
		expected = 2 * expected + 3 + i;
	}
	ok = runs(world, &script, NR_CHAIN, "as often as it takes");
	ok = rule_is(page_is(sum, 0, expected), "each command once, in order") && ok;
	return world_end(world, ok);
}

/* A page of what stays, where each guest leaves another mark. */
static void mark_page(uint32_t *page, uint32_t guest)
{
	for (unsigned int i = 0; i < QUIRE_PAGE / sizeof(*page); i++)
		page[i] = MARK + guest;
}

/* The first guest's mark is looked for; those of all others have to be at the same place. */
static bool mark_stays(int fd, uint32_t guest, off_t *at)
{
	uint32_t mark[QUIRE_PAGE / sizeof(uint32_t)], page[QUIRE_PAGE / sizeof(uint32_t)];

	mark_page(mark, guest);
	if (!guest)
		*at = vram_find(fd, mark);
	return *at >= 0 && pread(fd, page, sizeof(page), *at) == sizeof(page) &&
	       !memcmp(page, mark, sizeof(page));
}

/*
 * Guests come one after the other. Each is added to the first page of what stays, leaves its mark
 * in the second one, and stops.
 */
static uint32_t keep_with_guests(struct world *world, struct script *script,
				 const struct quire_object *kept, uint64_t size)
{
	uint32_t none = script_none(script), sum = script_object(script, kept), expected = 0;
	uint32_t mark = script_allocation(script, kept, QUIRE_PAGE, QUIRE_PAGE);

	for (uint32_t i = 0; i < NR_GUESTS; i++) {
		struct binding guest = bound_anew(script,
						  script_object(script, make(world, size)), 1,
						  none);

		script_fill(script, guest, 1 + i);
		script_add(script, guest, bound(sum, 0, 0));
		script_fill(script, bound(mark, 2, 0), MARK + i);
		held_stop(script, 1 + i);
		expected += 1 + i;
	}
	return expected;
}

/* In a process of its own, whose status is 0 if all is well. Two guests fit beside what stays. */
static void keep_start(struct world *world, struct held *held, const struct script *script,
		       uint64_t kept, uint64_t guest)
{
	const struct quire_result *result = &world->gpu.result;
	bool ok;

	held->pid = child_start(100);
	if (held->pid)
		return;
	ok = rule_ret(script_run(script, &world->gpu), "one is bound all the time");
	ok = rule_is(result->parts > 1, "in parts") && ok;
	ok = rule_is(result->bytes_in == kept + NR_GUESTS * guest, "each is brought in once") && ok;
	ok = rule_is(result->bytes_out == (NR_GUESTS - 2) * guest, "only guests go") && ok;
	fflush(stdout);
	_exit(!ok);
}

/* It stays at its address, with its content, while others come and go. */
static bool table_keeps_its_places(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *kept = make(world, eighth(world));
	const uint64_t size = 3 * eighth(world);
	int fd = vram_open(&world->work.fixture, O_RDONLY);
	struct script script = { .size = 0 };
	struct held held;
	uint32_t expected;
	off_t at = -1;
	bool ok;

	held_begin(world, &held, &script);
	expected = keep_with_guests(world, &script, kept, size);
	keep_start(world, &held, &script, eighth(world), size);
	ok = rule_is(fd >= 0, "VRAM can be read");
	for (uint32_t i = 0; i < NR_GUESTS && ok; i++) {
		ok = gets_to(&held, 1 + i) &&
		     rule_is(mark_stays(fd, i, &at), "it is where it was");
		work_gate_raise(&held.gate, 1 + i);
	}
	close(fd);
	ok = held_end(&held) && ok;
	ok = rule_is(quire_object_class(kept) == DRM_QUIRE_SEGMENT_VRAM, "it is there") && ok;
	ok = rule_is(page_is(kept, 0, expected), "it has the sum of the others") && ok;
	return world_end(world, ok);
}

/* The part writes at its end, when the driver has long wanted to take the object away. */
static bool moves_out_behind_the_part(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *one = make_large(world), *other = make_large(world);
	struct script script = { .size = 0 };
	struct held held;
	bool ok;

	held_begin(world, &held, &script);
	held_stop(&script, 1);
	script_fill(&script, bound(script_object(&script, one), 0, 0), 7);
	held_divide(world, &held, &script, other, 8);
	ok = gets_to(&held, 1);
	ok = rule_is(gets_within(held.pid, "quire_bo_wait_others"),
		     "it waits before it takes away what is in use") && ok;
	ok = held_end(&held) && ok;
	ok = rule_is(page_is(one, 0, 7) && page_is(other, 0, 8), "both are right") && ok;
	return world_end(world, ok);
}

/* The last bytes that are moved in are the first ones that the next part reads. */
static bool moves_in_before_the_part(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *one = make_large(world), *other = make_large(world);
	struct quire_object *sum = make(world, QUIRE_PAGE);
	const uint64_t end = quire_object_size(other) - QUIRE_PAGE;
	struct script script = { .size = 0 };
	uint32_t none = script_none(&script), total = script_object(&script, sum), last;
	void *map;
	bool ok;

	ok = rule_ret(quire_object_map(other, &map), "map");
	if (ok)
		memset((char *)map + end, 9, QUIRE_PAGE);
	last = script_allocation(&script, other, end, QUIRE_PAGE);
	script_fill(&script, bound(script_object(&script, one), 0, 0), 1);
	script_unbind(&script, 0, none);
	script_add(&script, bound_here(&script, last, 1), bound(total, 2, 0));
	ok = runs(world, &script, 2, "the second part reads what is moved in for it") && ok;
	ok = rule_is(page_is(sum, 0, 0x09090909), "it read what was there before") && ok;
	ok = rule_is(page_is(other, end, 0x09090909) && page_is(one, 0, 1), "all is right") && ok;
	return world_end(world, ok);
}

/**
 * struct strangers - work of others on the ring
 * @contexts: in the order in which the driver looks at them: one that comes between, one that is
 *            at work, one of another ring
 * @gate: what is at work ends when its number is 1
 * @far: what comes between waits for another ring, where this is waited for
 * @first: the number that it writes
 * @before: the fence of the other ring
 * @end: its own fence
 */
struct strangers {
	struct quire_context *contexts[3];
	struct gate gate;
	struct gate far;
	struct gate first;
	struct quire_fence *before;
	struct quire_fence *end;
};

static bool strangers_begin(struct strangers *strangers, struct work *work)
{
	bool ok;

	for (unsigned int i = 0; i < ARRAY_SIZE(strangers->contexts); i++)
		strangers->contexts[i] = work_context(work);
	work_gate_open_apart(work, &strangers->gate);
	work_gate_open_apart(work, &strangers->far);
	work_gate_open_apart(work, &strangers->first);
	strangers->before = work_fence(work);
	strangers->end = work_fence(work);

	work_wait_at(work, &strangers->gate, 1);
	ok = rule_ret(work_submit(work, strangers->contexts[1], 0, NULL, NULL), "one at work");
	work_wait_at(work, &strangers->far, 1);
	return rule_ret(work_submit(work, strangers->contexts[2], 1, NULL, strangers->before),
			"one on another ring") && ok;
}

static bool strangers_come_between(struct strangers *strangers, struct work *work)
{
	quire_recorder_write_value(work->recorder, quire_at(strangers->first.object, 0), 1);
	return rule_ret(work_submit(work, strangers->contexts[0], 0, strangers->before,
				    strangers->end), "one that comes between");
}

static void strangers_end(struct strangers *strangers)
{
	work_gate_close(&strangers->gate);
	work_gate_close(&strangers->far);
	work_gate_close(&strangers->first);
	quire_fence_close(strangers->before);
	quire_fence_close(strangers->end);
	for (unsigned int i = 0; i < ARRAY_SIZE(strangers->contexts); i++)
		quire_context_destroy(strangers->contexts[i]);
}

/*
 * Work of another context comes to the ring first, and has to wait for another ring: it would be
 * executed between two parts. But they begin when it is done.
 */
static bool is_not_interleaved(struct world *world)
{
	struct quire_object *one = make_large(world), *other = make_large(world);
	struct script script = { .size = 0 };
	struct strangers strangers;
	struct held held;
	bool ok;

	held_begin(world, &held, &script);
	ok = strangers_begin(&strangers, &world->work);
	held_stop(&script, 1);
	script_fill(&script, bound(script_object(&script, one), 0, 0), 7);
	held_divide(world, &held, &script, other, 8);
	ok = rule_is(gets_within(held.pid, "quire_execution_wait"),
		     "it waits for what is at work") && ok;
	ok = strangers_come_between(&strangers, &world->work) && ok;
	work_gate_raise(&strangers.gate, 1);
	ok = rule_is(gets_within(held.pid, "quire_submit_evict"), "its first part is queued") && ok;
	test_sleep_ms(300);
	ok = rule_is(!work_gate_number(&held.here), "it has not begun") && ok;
	work_gate_raise(&strangers.far, 1);
	ok = gets_to(&held, 1) && ok;
	ok = rule_is(work_gate_number(&strangers.first) == 1, "what came before is done") && ok;
	ok = held_end(&held) && ok;
	ok = rule_ret(work_fence_wait(strangers.end), "so is the other one") && ok;
	strangers_end(&strangers);
	return rule_is(page_is(one, 0, 7) && page_is(other, 0, 8), "both are right") && ok;
}

static bool not_interleaved(void *context)
{
	struct world *world = world_begin(context);
	bool ok;

	if (world->work.fixture.info.execution_rings < 2)
		ok = rule_skip("there is one execution ring");
	else
		ok = is_not_interleaved(world);
	return world_end(world, ok);
}

/* Status 0 if it is executed. */
static pid_t start_urgent(struct world *world, const struct gate *urgent)
{
	struct quire_fence *end = work_fence(&world->work);
	struct quire_context *context;
	pid_t pid;

	if (quire_context_create(world->work.device, DRM_QUIRE_PRIORITY_HIGH, &context))
		tap_bail("no context of a high priority");
	pid = child_start(100);
	if (!pid) {
		quire_recorder_write_value(world->work.recorder, quire_at(urgent->object, 0), 1);
		_exit(work_submit(&world->work, context, 0, NULL, end) || work_fence_wait(end));
	}
	return pid;
}

static bool urgent_waits(struct world *world, const struct held *held, const struct gate *urgent)
{
	pid_t pid = start_urgent(world, urgent);
	bool ok;

	ok = rule_is(gets_within(pid, "quire_submit_ioctl"), "it is handed in");
	work_gate_raise(&held->gate, 1);
	ok = gets_to(held, 2) && ok;
	ok = rule_is(!work_gate_number(urgent), "it has to wait for the second part") && ok;
	work_gate_raise(&held->gate, UINT64_MAX);
	ok = rule_is(!child_status(pid), "then it is executed") && ok;
	return rule_is(work_gate_number(urgent) == 1, "it is right") && ok;
}

/* Nothing can be taken from the ring; it is divided all the same. */
static bool needs_no_preemption(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *one = make_large(world), *other = make_large(world);
	struct script script = { .size = 0 };
	struct gate urgent;
	struct held held;
	uint32_t none;
	bool ok;

	held_begin(world, &held, &script);
	work_gate_open_apart(&world->work, &urgent);
	none = script_none(&script);
	script_fill(&script, bound(script_object(&script, one), 0, 0), 1);
	held_stop(&script, 1);
	script_unbind(&script, 0, none);
	script_fill(&script, bound_here(&script, script_object(&script, other), 1), 2);
	held_stop(&script, 2);
	held_start(world, &held, &script);
	ok = gets_to(&held, 1);
	ok = urgent_waits(world, &held, &urgent) && ok;
	ok = held_end(&held) && ok;
	work_gate_close(&urgent);
	ok = rule_is(page_is(one, 0, 1) && page_is(other, 0, 2), "both are right") && ok;
	return world_end(world, ok);
}

/* Behind what would fit. */
static bool alone_too_large(void *context)
{
	struct world *world = world_begin(context);
	const uint64_t size = fixture_vram(&world->work.fixture) + QUIRE_PAGE;
	struct quire_object *small = make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	bool ok;

	if (size > world->work.fixture.info.max_bo_size)
		return world_end(world, rule_skip("VRAM is the largest segment"));
	script_fill(&script, bound(script_object(&script, small), 0, 0), 1);
	script_fill(&script, bound_here(&script, script_object(&script, make(world, size)), 0), 2);
	ok = is_refused(world, &script, -EFBIG, 1, "an object that is too large");
	ok = rule_is(page_is(small, 0, 0), "nothing has run") && ok;
	return world_end(world, ok);
}

/* Behind what would fit, and does if the one before is unbound. */
static bool together_too_large(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *small = make(world, QUIRE_PAGE);
	struct quire_object *one = make_large(world), *other = make_large(world);
	struct script script = { .size = 0 };
	bool ok;

	script_fill(&script, bound(script_object(&script, small), 0, 0), 1);
	script_fill(&script, bound_here(&script, script_object(&script, one), 1), 2);
	script_fill(&script, bound_here(&script, script_object(&script, other), 2), 3);
	ok = is_refused(world, &script, -EXFULL, 2, "both bound at once");
	ok = rule_is(page_is(small, 0, 0) && page_is(one, 0, 0) && page_is(other, 0, 0),
		     "nothing has run") && ok;
	return world_end(world, ok);
}

/* A command uses what its slot had before the split point. */
static bool stale_is_refused(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *one = make(world, QUIRE_PAGE), *other = make(world, QUIRE_PAGE);
	struct script taken = { .size = 0 }, unbound = { .size = 0 };
	struct binding leak;
	bool ok;

	leak = bound(script_object(&taken, one), 0, 0);
	script_fill(&taken, leak, 1);
	script_fill(&taken, bound_here(&taken, script_object(&taken, other), 0), 2);
	script_fill(&taken, leak, 3);
	ok = is_refused(world, &taken, -ESTALE, 1, "another one has the slot");

	leak = bound(script_object(&unbound, one), 0, 0);
	script_fill(&unbound, leak, 1);
	script_unbind(&unbound, 0, script_none(&unbound));
	script_fill(&unbound, leak, 3);
	ok = is_refused(world, &unbound, -ESTALE, 1, "nobody has it") && ok;
	ok = rule_is(page_is(one, 0, 0) && page_is(other, 0, 0), "nothing has run") && ok;
	return world_end(world, ok);
}

/* It goes, and comes back to another place, for one of another size was there first. */
static bool patched_part_by_part(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *moved = make(world, 3 * eighth(world));
	struct quire_object *most = make(world, 6 * eighth(world));
	struct quire_object *first = make(world, 2 * eighth(world));
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
	ok = runs(world, &script, 3, "one that comes back");
	ok = rule_is(page_is(moved, 0, 1) && page_is(moved, QUIRE_PAGE, 4), "it is right") && ok;
	ok = rule_is(page_is(most, 0, 2) && page_is(first, 0, 3) && page_is(first, QUIRE_PAGE, 0),
		     "and the others") && ok;
	return world_end(world, ok);
}

static bool driver_id_names_the_field(void *context)
{
	struct world *world = world_begin(context);
	struct quire_object *object = make(world, 2 * QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t src = script_allocation(&script, object, 0, QUIRE_PAGE);
	uint32_t dst = script_allocation(&script, object, QUIRE_PAGE, QUIRE_PAGE);
	bool ok;

	script_fill(&script, bound(src, 0, 0), 5);
	script_add(&script, bound(src, 0, 0), bound(dst, 1, 0));
	script.patches[1].driver_id = DRM_QUIRE_PATCH_DST;
	ok = is_refused(world, &script, -EPROTOTYPE, 1, "the id of another field");
	script.patches[1].driver_id = DRM_QUIRE_PATCH_SRC;
	ok = runs(world, &script, 1, "its own") && ok;
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
	struct quire_object *object = make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	bool ok = true;

	script_fill(&script, bound(script_object(&script, object), 0, 0), 1);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		script.patches[0].patch_offset = others[i];
		ok = is_refused(world, &script, -ENXIO, 0, "what is no field") && ok;
	}
	script.patches[0].patch_offset = offsetof(struct quire_command_fill, dst);
	ok = runs(world, &script, 1, "the field") && rule_is(page_is(object, 0, 1), "1") && ok;
	return world_end(world, ok);
}

/* Commands in an order of chance, with less memory than they need, as @parameter says. */
static bool stream_is_the_same(struct world *world, const char *parameter, bool each_point)
{
	const uint64_t vram = fixture_vram(&world->work.fixture);
	struct stream stream;
	uint32_t points;
	bool ok;

	ok = rule_is(splitting_set("split_max_bytes", vram / 8) && splitting_set(parameter, 1),
		     parameter);
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
	{ "bytes-before-run-without", bytes_before_run_without },
	{ "parts-make-the-buffer", parts_make_the_buffer },
	{ "table-keeps-its-places", table_keeps_its_places },
	{ "moves-out-behind-the-part", moves_out_behind_the_part },
	{ "moves-in-before-the-part", moves_in_before_the_part },
	{ "parts-not-interleaved", not_interleaved },
	{ "split-needs-no-preemption", needs_no_preemption },
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
	static struct world world;

	tap_start(118);
	work_begin(&world.work);
	if (!splitting_begin())
		tap_skip_all("parameters can not be set");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	rules_check(rules, ARRAY_SIZE(rules), &world);
	test_parameter("hang_period", 3000);
	splitting_end();
	work_end(&world.work);
	return tap_done();
}
