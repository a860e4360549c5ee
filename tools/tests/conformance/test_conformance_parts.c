// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Rules of splitting (Documentation/gpu/quire/splitting.rst), with the driver: what parts are,
 * and what is moved, looked at while they are executed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vram.h"
#include "world.h"

#define NR_CHAIN	6
#define NR_GUESTS	4
#define MARK		0xc0ffee00u

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
	struct quire_object *one = world_make_large(world), *other = world_make_large(world);
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
	struct quire_object *sum = world_make(world, QUIRE_PAGE);
	struct script script = { .size = 0 };
	uint32_t none = script_none(&script), total = script_object(&script, sum);
	uint32_t expected = 0;
	bool ok;

	for (uint32_t i = 0; i < NR_CHAIN; i++) {
		struct quire_object *object = world_make_large(world);
		uint32_t allocation = script_object(&script, object);
		struct binding number = script_bind_anew(&script, allocation, 1, none);

		script_fill(&script, number, 3 + i);
		script_add(&script, bound(total, 0, 0), bound(total, 0, 0));
		script_add(&script, number, bound(total, 0, 0));
		expected = 2 * expected + 3 + i;
	}
	ok = world_runs(world, &script, NR_CHAIN, "as often as it takes");
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
		uint32_t allocation = script_object(script, world_make(world, size));
		struct binding guest = script_bind_anew(script, allocation, 1, none);

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
	struct quire_object *kept = world_make(world, world_eighth(world));
	const uint64_t size = 3 * world_eighth(world);
	int fd = vram_open(&world->work.fixture, O_RDONLY);
	struct script script = { .size = 0 };
	struct held held;
	uint32_t expected;
	off_t at = -1;
	bool ok;

	held_begin(world, &held, &script);
	expected = keep_with_guests(world, &script, kept, size);
	keep_start(world, &held, &script, world_eighth(world), size);
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
	struct quire_object *one = world_make_large(world), *other = world_make_large(world);
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
	struct quire_object *one = world_make_large(world), *other = world_make_large(world);
	struct quire_object *sum = world_make(world, QUIRE_PAGE);
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
	ok = world_runs(world, &script, 2, "the second part reads what is moved in for it") && ok;
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
	struct quire_object *one = world_make_large(world), *other = world_make_large(world);
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
	struct quire_object *one = world_make_large(world), *other = world_make_large(world);
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

static const struct rule rules[] = {
	{ "bytes-before-run-without", bytes_before_run_without },
	{ "parts-make-the-buffer", parts_make_the_buffer },
	{ "table-keeps-its-places", table_keeps_its_places },
	{ "moves-out-behind-the-part", moves_out_behind_the_part },
	{ "moves-in-before-the-part", moves_in_before_the_part },
	{ "parts-not-interleaved", not_interleaved },
	{ "split-needs-no-preemption", needs_no_preemption },
};

int main(void)
{
	return world_check(rules, ARRAY_SIZE(rules));
}
