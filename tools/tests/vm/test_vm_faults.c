// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Two programs whose contexts fault on both execution rings at a time, again and again: each
 * context is told of its own fault, what was tried there and the entry that it ended with, and the
 * work of other contexts is right. One context that faults on two rings is told of one of them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "space.h"
#include "xxh64.h"

#define PROGRAMS	2u
#define PROGRAM_S	150
#define ROUNDS		60u
#define RINGS		2u

#define PAGES		64u
#define REGION		(PAGES * QUIRE_PAGE)
#define BASE		0x4000000000ull
#define GOOD		0x4800000000ull
#define GATE		0x7000000000ull
#define ZERO		DRM_QUIRE_BIND_MAP_ZERO
#define READ_ONLY	DRM_QUIRE_BIND_READ_ONLY
#define NO_EXECUTE	DRM_QUIRE_BIND_NO_EXECUTE

/**
 * struct way - to end a context
 * @start: of the pages where it does
 * @flags: that they are bound with, if anything is there
 * @entry: that it ends with
 * @fault: enum quire_fault
 * @access: what is tried
 * @level: of the table with the entry
 */
struct way {
	uint64_t start;
	uint32_t flags;
	uint64_t entry;
	uint32_t fault;
	uint32_t access;
	uint32_t level;
};

static const struct way ways[] = {
	{ BASE, 0, 0, QUIRE_FAULT_PAGE, QUIRE_ACCESS_READ, 0 },
	{ BASE, 0, 0, QUIRE_FAULT_PAGE, QUIRE_ACCESS_WRITE, 0 },
	{ BASE, 0, 0, QUIRE_FAULT_PAGE, QUIRE_ACCESS_EXECUTE, 0 },
	{ 0x300000000000ull, 0, 0, QUIRE_FAULT_PAGE, QUIRE_ACCESS_WRITE, 3 },
	{ BASE + REGION, READ_ONLY, QUIRE_PTE_VALID | QUIRE_PTE_ZERO | QUIRE_PTE_READ_ONLY,
	  QUIRE_FAULT_PROTECTION, QUIRE_ACCESS_WRITE, 0 },
	{ BASE + 2 * REGION, NO_EXECUTE, QUIRE_PTE_VALID | QUIRE_PTE_ZERO | QUIRE_PTE_NO_EXECUTE,
	  QUIRE_FAULT_PROTECTION, QUIRE_ACCESS_EXECUTE, 0 },
	{ BASE + 3 * REGION, READ_ONLY | NO_EXECUTE,
	  QUIRE_PTE_VALID | QUIRE_PTE_ZERO | QUIRE_PTE_READ_ONLY | QUIRE_PTE_NO_EXECUTE,
	  QUIRE_FAULT_PROTECTION, QUIRE_ACCESS_WRITE, 0 },
	{ BASE + 3 * REGION, READ_ONLY | NO_EXECUTE,
	  QUIRE_PTE_VALID | QUIRE_PTE_ZERO | QUIRE_PTE_READ_ONLY | QUIRE_PTE_NO_EXECUTE,
	  QUIRE_FAULT_PROTECTION, QUIRE_ACCESS_EXECUTE, 0 },
};

/**
 * struct offence - commands that end a context
 * @way: in which
 * @address: where
 * @offset: byte of the command that does it
 * @ring: that executes it
 * @submission: number in the context
 * @fence: of its end
 */
struct offence {
	const struct way *way;
	uint64_t address;
	uint32_t offset;
	uint32_t ring;
	uint64_t submission;
	struct quire_fence *fence;
};

/**
 * struct program - one that faults
 * @work: the device
 * @space: its address space; its context is good all the time
 * @good: an object of it, bound at GOOD
 * @gate: bound at GATE: both rings go on at once
 * @fences: of offences
 * @random: what comes next
 */
struct program {
	struct work work;
	struct space space;
	struct quire_object *good;
	struct gate gate;
	struct quire_fence *fences[RINGS];
	uint64_t random;
};

static void program_open(struct program *program, uint64_t seed)
{
	struct space *space = &program->space;

	program->random = seed;
	work_open(&program->work);
	space_open(space, &program->work);
	program->good = space_object(space, REGION, 0, false);
	space_map(space, GOOD, program->good, 0, REGION);
	work_gate_open_apart(&program->work, &program->gate);
	space_map(space, GATE, program->gate.object, 0, QUIRE_PAGE);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		if (ways[i].flags && space_bind(space, ZERO, ways[i].flags, ways[i].start, REGION))
			tap_bail("bind");
	for (unsigned int i = 0; i < RINGS; i++)
		program->fences[i] = work_fence(&program->work);
}

static void program_close(struct program *program)
{
	for (unsigned int i = 0; i < RINGS; i++)
		quire_fence_close(program->fences[i]);
	work_gate_close(&program->gate);
	quire_object_close(program->good);
	space_close(&program->space);
	work_close(&program->work);
}

static int exec(struct quire_context *context, uint32_t ring, uint64_t address, uint32_t size,
		const struct quire_fence *fence)
{
	const struct quire_fence_point after = { .fence = fence };
	const struct quire_submission how = {
		.ring = ring, .nr_signals = 1, .signals = &after,
	};

	return quire_exec(context, address, size, &how, NULL);
}

static struct offence offence_of(struct program *program, uint32_t ring, const struct way *way)
{
	return (struct offence){
		.way = way,
		.address = way->start + random_below(&program->random, PAGES) * QUIRE_PAGE,
		.ring = ring,
		.submission = 1,
		.fence = program->fences[ring],
	};
}

static struct offence any_offence(struct program *program, uint32_t ring)
{
	return offence_of(program, ring,
			  &ways[random_below(&program->random, ARRAY_SIZE(ways))]);
}

/* One that waits at the gate: what is no command is found out at once. */
static struct offence any_later_offence(struct program *program, uint32_t ring)
{
	const struct way *way;

	do
		way = &ways[random_below(&program->random, ARRAY_SIZE(ways))];
	while (way->access == QUIRE_ACCESS_EXECUTE);
	return offence_of(program, ring, way);
}

/* Behind the gate, that is not open yet. */
static int commit(struct program *program, struct quire_context *context, uint64_t number,
		  struct offence *offence)
{
	struct quire_writer *writer = &program->space.writer;
	uint32_t begin = writer->used;

	if (offence->way->access == QUIRE_ACCESS_EXECUTE)
		return exec(context, offence->ring, offence->address, 32, offence->fence);
	quire_write_wait(writer, QUIRE_WAIT_GREATER_EQUAL, GATE, number);
	offence->offset = writer->used - begin;
	if (offence->way->access == QUIRE_ACCESS_WRITE)
		quire_write_value(writer, offence->address, 1);
	else
		quire_write_checksum(writer, offence->address, 8, SPACE_RESULTS);
	return exec(context, offence->ring, SPACE_COMMANDS + begin, writer->used - begin,
		    offence->fence);
}

/* What is told is that it was this one. */
static bool is_told(const struct drm_quire_context_state *state, const struct offence *offence)
{
	return state->status == DRM_QUIRE_CONTEXT_FAULTED && state->ring == offence->ring &&
	       state->submission == offence->submission && state->offset == offence->offset &&
	       state->fault == offence->way->fault && state->address == offence->address &&
	       state->entry == offence->way->entry && state->access == offence->way->access &&
	       state->level == offence->way->level;
}

static void complain(const struct drm_quire_context_state *state, const struct offence *offence)
{
	tap_diag("status %u, ring %u, submission %llu, offset %u, fault %u at %#llx",
		 state->status, state->ring, (unsigned long long)state->submission, state->offset,
		 state->fault, (unsigned long long)state->address);
	tap_diag("access %u, level %u, entry %#llx", state->access, state->level,
		 (unsigned long long)state->entry);
	tap_diag("expected on ring %u fault %u, access %u at %#llx", offence->ring,
		 offence->way->fault, offence->way->access, (unsigned long long)offence->address);
}

/* On any ring, beside them: to be looked at by good_is_right(). */
static int do_good(struct program *program, uint32_t number)
{
	struct space *space = &program->space;
	uint32_t begin = space->writer.used;

	space->results[1] = SPACE_NO_HASH;
	quire_write_fill(&space->writer, GOOD, REGION, number);
	quire_write_checksum(&space->writer, GOOD, REGION, SPACE_RESULTS + 8);
	return exec(space->context, number % RINGS, SPACE_COMMANDS + begin,
		    space->writer.used - begin, space->fence);
}

static bool good_is_right(struct program *program, uint32_t number)
{
	static uint32_t words[REGION / 4];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = number;
	return !work_fence_wait(program->space.fence) &&
	       program->space.results[1] == xxh64(words, sizeof(words)) &&
	       work_context_status(program->space.context) == DRM_QUIRE_CONTEXT_GOOD;
}

/* A context for each ring. */
static bool one_round(struct program *program, uint32_t number)
{
	struct quire_context *contexts[RINGS];
	struct offence offences[RINGS];
	bool right = true;

	for (unsigned int i = 0; i < RINGS; i++) {
		contexts[i] = space_context(&program->space);
		offences[i] = any_offence(program, i);
		right &= !commit(program, contexts[i], number, &offences[i]);
	}
	right &= !do_good(program, number);
	work_gate_raise(&program->gate, number);
	for (unsigned int i = 0; i < RINGS; i++) {
		struct drm_quire_context_state state = { 0 };

		right &= work_fence_wait(offences[i].fence) == -EIO;
		quire_context_state(contexts[i], &state);
		if (!is_told(&state, &offences[i])) {
			complain(&state, &offences[i]);
			right = false;
		}
		quire_context_destroy(contexts[i]);
	}
	right &= good_is_right(program, number);
	space_rewind(&program->space);
	return right;
}

static int run_program(uint64_t seed)
{
	static struct program program;
	bool right = true;

	program_open(&program, seed);
	for (unsigned int i = 1; i <= ROUNDS && right; i++)
		right = one_round(&program, i);
	program_close(&program);
	return right ? 0 : 1;
}

static void test_programs(void)
{
	pid_t pids[PROGRAMS];

	for (unsigned int i = 0; i < PROGRAMS; i++) {
		pids[i] = child_start(PROGRAM_S);
		if (!pids[i])
			_exit(run_program(i + 1));
	}
	for (unsigned int i = 0; i < PROGRAMS; i++)
		tap_ret(child_status(pids[i]), 0, "program %u is told of each of its faults", i);
}

/* Of any; the entry of one may be lost to the other one's. */
static bool is_told_of_one(struct drm_quire_context_state *state, const struct offence *offences)
{
	const struct offence *offence = &offences[state->ring % RINGS];

	if (!state->access && !state->entry && !state->level) {
		state->access = offence->way->access;
		state->entry = offence->way->entry;
		state->level = offence->way->level;
	}
	return is_told(state, offence);
}

static bool one_context_round(struct program *program, uint32_t number)
{
	struct quire_context *context = space_context(&program->space);
	struct drm_quire_context_state state = { 0 };
	struct offence offences[RINGS];
	bool right = true;
	int ret;

	for (unsigned int i = 0; i < RINGS; i++) {
		offences[i] = any_later_offence(program, i);
		offences[i].submission = i + 1;
		right &= !commit(program, context, number, &offences[i]);
	}
	work_gate_raise(&program->gate, number);
	for (unsigned int i = 0; i < RINGS; i++) {
		ret = work_fence_wait(offences[i].fence);
		right &= ret == -EIO || ret == -ECANCELED;
	}
	quire_context_state(context, &state);
	if (!is_told_of_one(&state, offences)) {
		complain(&state, &offences[state.ring % RINGS]);
		right = false;
	}
	quire_context_destroy(context);
	space_rewind(&program->space);
	return right;
}

static void test_one_context(void)
{
	static struct program program;
	unsigned int i;
	bool right = true;

	program_open(&program, 7);
	for (i = 1; i <= ROUNDS && right; i++)
		right = one_context_round(&program, i);
	tap_ok(right, "a context that faults on both rings is told of one, %u times", i - 1);
	program_close(&program);
}

int main(void)
{
	struct work work;

	tap_start(200);
	work_begin(&work);
	if (work.fixture.info.execution_rings < RINGS)
		tap_skip_all("too few rings");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_programs();
	test_one_context();
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
