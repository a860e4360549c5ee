// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Many programs with native fences and contexts, which need more room than there is in VRAM, are
 * interrupted by signals again and again, and killed whatever they are at: those that are left
 * find all values and registers as they should be, and nothing is left of the others.
 *
 * Usage: quire-test-native-storm [PROCESSES [SECONDS]]
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "native.h"
#include "storm.h"
#include "ticks.h"

#define PROCESSES	12u
#define SECONDS		12u
#define NATIVES		8u
#define CHAINS		4u
#define TURNS		40u
#define DELAY_NS	3000000u
#define TICK_NS		1700000l

/**
 * struct program - one of them
 * @space: its address space
 * @natives: its fences
 * @values: what they have
 * @chains: running numbers, each of a context
 * @large: a part of VRAM that is wanted now and then
 * @random: its dice
 */
struct program {
	struct space space;
	struct native natives[NATIVES];
	uint64_t values[NATIVES];
	struct chain chains[CHAINS];
	struct quire_object *large;
	uint64_t random;
};

static void on_tick(int signal)
{
	(void)signal;
}

/* It sleeps until commands that last a moment let the fence grow. */
static bool wait_for_value(struct program *program)
{
	unsigned int i = random_below(&program->random, NATIVES);
	struct space *space = &program->space;
	uint64_t value = program->values[i] + 2;
	bool right;

	quire_write_delay(&space->writer, DELAY_NS);
	native_write_signal(space, program->natives[i].number, value - 1);
	quire_write_delay(&space->writer, DELAY_NS);
	native_write_signal(space, program->natives[i].number, value);
	right = !space_exec(space, NULL, space->fence) &&
		!monitored_wait(&program->natives[i].base, value, WAIT_MS) &&
		native_value(&program->natives[i]) == value && !work_fence_wait(space->fence);
	program->values[i] = value;
	space_rewind(space);
	return right;
}

static bool wait_in_vain(struct program *program)
{
	unsigned int i = random_below(&program->random, NATIVES);

	return monitored_wait(&program->natives[i].base, program->values[i] + 1, 2) == -ETIME;
}

/* There may be no room: others hold it. */
static bool want_room(struct program *program)
{
	int ret = quire_bo_place(program->space.work->fixture.fd,
				 quire_object_handle(program->large), DRM_QUIRE_SEGMENT_VRAM, 0);

	return !ret || ret == -ENOSPC || ret == -EBUSY;
}

/* It goes with commands that signal a fence, which goes, too. */
static bool forget_another(struct program *program)
{
	struct space *space = &program->space;
	struct quire_context *old = space->context;
	struct native native;
	int ret;

	space->context = space_context(space);
	native_open(&native, space, 0);
	quire_write_set_register(&space->writer, 1, QUIRE_REGISTER_ADD, 5);
	native_write_signal(space, native.number, 1);
	quire_write_delay(&space->writer, DELAY_NS);
	ret = space_exec(space, NULL, space->fence);
	quire_context_destroy(space->context);
	space->context = old;
	if (!ret)
		ret = monitored_wait(&native.base, 1, WAIT_MS);
	monitored_close(&native.base);
	ret = ret ?: work_fence_wait(space->fence);
	space_rewind(space);
	return !ret;
}

static bool one_turn(struct program *program)
{
	switch (random_below(&program->random, 6)) {
	case 0:
		return want_room(program);
	case 1:
		return wait_for_value(program);
	case 2:
		return wait_in_vain(program);
	case 3:
		return forget_another(program);
	default:
		return chain_goes_on(&program->chains[random_below(&program->random, CHAINS)]);
	}
}

static void program_open(struct program *program, struct work *work, uint64_t seed)
{
	const struct fixture *fixture = &work->fixture;
	struct space *space = &program->space;

	program->random = seed;
	space_open(space, work);
	chain_inputs(space, seed);
	for (unsigned int i = 0; i < NATIVES; i++) {
		program->values[i] = i;
		native_open(&program->natives[i], space, i);
	}
	for (unsigned int i = 0; i < CHAINS; i++)
		program->chains[i] = (struct chain){
			.space = space, .context = space_context(space), .number = i,
			.ring = i % fixture->info.execution_rings, .result = i,
		};
	program->large = work_object_in(work, fixture_vram(fixture) / 4,
					DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM));
}

static void program_close(struct program *program)
{
	quire_object_close(program->large);
	for (unsigned int i = 0; i < CHAINS; i++)
		quire_context_destroy(program->chains[i].context);
	for (unsigned int i = 0; i < NATIVES; i++)
		monitored_close(&program->natives[i].base);
	space_close(&program->space);
}

static int run(uint64_t seed)
{
	struct program program;
	struct work work;
	bool right = true;
	unsigned int turn;

	work_open(&work);
	program_open(&program, &work, seed);
	ticks_start(on_tick, SA_RESTART, TICK_NS);
	for (turn = 0; turn < TURNS && right; turn++)
		right = one_turn(&program);
	for (unsigned int i = 0; i < NATIVES && right; i++)
		right = native_value(&program.natives[i]) == program.values[i];
	for (unsigned int i = 0; i < CHAINS && right; i++)
		right = chain_goes_on(&program.chains[i]);
	if (!right)
		tap_diag("turn %u", turn);
	program_close(&program);
	work_close(&work);
	return right ? 0 : 1;
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : PROCESSES;
	unsigned int seconds = argc > 2 ? strtoul(argv[2], NULL, 0) : SECONDS;
	struct work work;

	tap_start(200);
	work_begin(&work);
	storm_blow(run, count, seconds);
	work_end(&work);
	return tap_done();
}
