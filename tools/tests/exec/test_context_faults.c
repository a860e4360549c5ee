// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Registers of contexts when something goes wrong: others want all to be evicted while commands are
 * at work, there is no room in VRAM, the paging ring gives a buffer up, or hangs. Registers are
 * what the commands that were executed left.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "chain.h"
#include "fdinfo.h"
#include "space.h"

#define GATE		0x300000000ull
#define FILLED		0x400000000ull
#define WAITER_S	60
#define STILL_MS	300
#define MOST_FILLERS	64u
#define MOST_PACKETS	10u
#define VRAM		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)

static int evict_all(const struct work *work)
{
	return debugfs_write(work->fixture.debugfs, "evict_all", "1");
}

/* Everything that the paging ring had to do is done. */
static void settle(const struct work *work)
{
	tap_ret(debugfs_write(work->fixture.debugfs, "nop_submit", "1"), 0, "the ring is idle");
}

static void begin(struct space *space, struct chain *chain, struct work *work)
{
	space_open(space, work);
	chain_inputs(space, 7);
	*chain = (struct chain){ .space = space, .context = space->context, .number = 3 };
}

/* Somebody wants all to be evicted, in the middle of commands that use registers. */
static void test_at_work(struct work *work)
{
	struct space space;
	struct chain chain;
	struct gate gate;
	pid_t pid;

	begin(&space, &chain, work);
	work_gate_open_apart(work, &gate);
	space_map(&space, GATE, gate.object, 0, QUIRE_PAGE);
	tap_ok(chain_goes_on(&chain), "registers");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	chain_write(&chain);
	quire_write_wait(&space.writer, QUIRE_WAIT_EQUAL, GATE, 1);
	chain_write(&chain);
	tap_ret(chain_exec(&chain), 0, "commands that wait in the middle");
	pid = child_start(WAITER_S);
	if (!pid)
		_exit(evict_all(work) ? 1 : 0);
	test_sleep_ms(STILL_MS);
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(space.fence), 0, "they end well");
	tap_ret(child_status(pid), 0, "then all is evicted");
	test_parameter("hang_period", 3000);
	space_rewind(&space);
	tap_ok(chain_is_right(&chain), "they had registers");
	tap_ok(chain_goes_on(&chain), "which were kept");
	work_gate_close(&gate);
	space_close(&space);
}

static uint64_t free_vram(const struct work *work)
{
	const struct fixture *fixture = &work->fixture;

	return fixture_vram(fixture) - fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM);
}

/* All of VRAM is of the address space. */
static bool fill_vram(struct space *space)
{
	uint64_t size = free_vram(space->work), address = FILLED;
	unsigned int i;
	int ret;

	for (i = 0; i < MOST_FILLERS && size; i++) {
		struct quire_object *object = space_object(space, size, VRAM, true);

		/* to bind it takes room for tables, too */
		ret = quire_vm_map(space->vm, address, object, 0, size, 0);
		if (!ret) {
			quire_write_delay(&space->writer, 0);
			ret = space_run(space);
			if (ret)
				space_unmap(space, address, size);
		}
		quire_object_close(object);
		address += size;
		size = ret ? size / 2 & ~(uint64_t)(QUIRE_PAGE - 1) : free_vram(space->work);
	}
	return !free_vram(space->work);
}

static uint64_t in_aperture(const struct work *work)
{
	return fdinfo_region(work->fixture.fd, "resident", DRM_QUIRE_SEGMENT_APERTURE);
}

/* Where there is no room in VRAM, and others of the address space are at work all the time. */
static void test_apart(struct work *work)
{
	struct quire_context *holder;
	struct space space;
	struct chain chain;
	struct gate gate;
	uint64_t before;
	bool right;

	begin(&space, &chain, work);
	work_gate_open_apart(work, &gate);
	space_map(&space, GATE, gate.object, 0, QUIRE_PAGE);
	holder = space.context;
	tap_ok(fill_vram(&space), "VRAM is full");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	quire_write_wait(&space.writer, QUIRE_WAIT_EQUAL, GATE, 1);
	space.ring = 1;
	tap_ret(space_exec(&space, NULL, NULL), 0, "commands that keep it so");
	space.ring = 0;
	before = in_aperture(work);
	chain.context = space_context(&space);
	chain_write(&chain);
	right = !chain_exec(&chain) && !work_fence_wait(space.fence) && chain_is_right(&chain);
	tap_ok(right, "another context has registers");
	tap_ok(in_aperture(work) == before + QUIRE_PAGE, "in the aperture");
	for (unsigned int i = 0; i < 5 && right; i++) {
		chain_write(&chain);
		right = !chain_exec(&chain) && !work_fence_wait(space.fence) &&
			chain_is_right(&chain);
	}
	tap_ok(right && in_aperture(work) == before + QUIRE_PAGE, "where they stay");
	work_gate_raise(&gate, 1);
	settle(work);
	test_parameter("hang_period", 3000);
	space.context = holder;
	space.ring = 1;
	quire_write_delay(&space.writer, 0);
	tap_ret(space_run(&space), 0, "the others end");
	space.ring = 0;
	tap_ret(evict_all(work), 0, "all is evicted");
	tap_ok(chain_goes_on(&chain), "registers are what they were");
	work_gate_close(&gate);
	quire_context_destroy(chain.context);
	space_close(&space);
}

/* The step was not executed. */
static void take_back(struct chain *chain, const struct chain *before)
{
	chain->steps = before->steps;
	chain->value = before->value;
}

/*
 * What was given up is made anew for others, which hangs. Who waited for it first comes to the
 * ring meanwhile: and is not executed.
 */
static void test_anew(struct work *work)
{
	struct quire_context *holder = work_context(work);
	struct quire_fence *held = work_fence(work), *early = work_fence(work);
	struct chain chain, late, before;
	struct space space;
	struct gate gate;
	int ret;

	begin(&space, &chain, work);
	late = chain;
	late.ring = 1;
	late.result = 1;
	work_gate_open_apart(work, &gate);
	tap_ok(chain_goes_on(&chain) && chain_goes_on(&late), "registers on two rings");
	tap_ret(evict_all(work), 0, "all is evicted");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	work_wait_at(work, &gate, 1);
	tap_ret(work_submit(work, holder, 0, NULL, held), 0, "others are at work on one of them");
	settle(work);

	before = chain;
	chain_write(&chain);
	test_option("patch_refuse", 1);
	ret = space_exec(&space, held, early);
	settle(work);
	test_option("patch_refuse", 0);
	tap_ret(ret, 0, "a step that will be refused waits for them");

	fixture_inject(&work->fixture, "hang 1");
	chain_write(&late);
	tap_ret(chain_exec(&late), 0, "one on the other ring has all of it made anew");
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(early), -EIO, "before that the first one is refused");
	test_parameter("hang_period", 3000);
	take_back(&chain, &before);
	tap_ret(work_fence_wait(space.fence), 0, "the other one is executed");
	space_rewind(&space);
	tap_ok(chain_is_right(&late) && chain_goes_on(&late) && chain_goes_on(&chain),
	       "and all registers are what they were");
	quire_fence_close(early);
	quire_fence_close(held);
	work_gate_close(&gate);
	quire_context_destroy(holder);
	space_close(&space);
}

/* The paging ring hangs before a new context has a save area, at one packet after the other. */
static void test_hung(struct work *work)
{
	struct space space;
	struct chain chain;
	bool right = true;

	begin(&space, &chain, work);
	tap_ok(chain_goes_on(&chain), "registers");
	for (unsigned int i = 1; i <= MOST_PACKETS && right; i++) {
		struct chain late = chain;
		char hang[16];

		late.context = space_context(&space);
		late.result = 1;
		late.steps = 0;
		late.value = 0;
		snprintf(hang, sizeof(hang), "hang %u", i);
		fixture_inject(&work->fixture, hang);
		right = chain_goes_on(&late) && chain_goes_on(&late);
		if (!right)
			tap_diag("packet %u hangs", i);
		fixture_inject(&work->fixture, "hang 0");
		quire_context_destroy(late.context);
	}
	tap_ok(right, "a context begins with registers, wherever the paging ring hangs");
	space_close(&space);
}

int main(void)
{
	struct work work;

	tap_start(250);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (work.fixture.info.execution_rings < 2)
		tap_skip_all("there is one ring");
	test_at_work(&work);
	test_apart(&work);
	if (work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES)
		test_anew(&work);
	test_hung(&work);
	work_end(&work);
	return tap_done();
}
