// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Registers of contexts: running numbers of several contexts are exact, whoever is executed in
 * between, when the save area was evicted, after resets, sleep and faults of others, and when the
 * paging ring gives up what tells of it. They are the context's own, and of each ring.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "chain.h"
#include "failing.h"
#include "fdinfo.h"
#include "power.h"

#define SPACES	2u
#define CHAINS	8u	/* two contexts of each space, on two rings */
#define ROUNDS	40u
#define ROUNDS_EVICTED	3u
#define CHILD_S		60
#define BASE	0x100000000ull
#define VRAM	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)

/**
 * struct scene - spaces, contexts and their running numbers
 * @work: the device
 * @spaces: address spaces
 * @others: a second context of each
 * @chains: running numbers of all of them
 */
struct scene {
	struct work *work;
	struct space spaces[SPACES];
	struct quire_context *others[SPACES];
	struct chain chains[CHAINS];
};

static void scene_open(struct scene *scene, struct work *work)
{
	scene->work = work;
	for (unsigned int i = 0; i < SPACES; i++) {
		space_open(&scene->spaces[i], work);
		scene->others[i] = space_context(&scene->spaces[i]);
		chain_inputs(&scene->spaces[i], i + 1);
	}
	for (unsigned int i = 0; i < CHAINS; i++) {
		struct space *space = &scene->spaces[i % SPACES];

		scene->chains[i] = (struct chain){
			.space = space,
			.context = i / SPACES % 2 ? scene->others[i % SPACES] : space->context,
			.ring = i / (2 * SPACES) % work->fixture.info.execution_rings,
			/* the same of all contexts, but where there is one ring only */
			.number = work->fixture.info.execution_rings > 1 ? 15 : i / (2 * SPACES),
			.result = i,
		};
	}
}

static void scene_close(struct scene *scene)
{
	for (unsigned int i = 0; i < SPACES; i++) {
		quire_context_destroy(scene->others[i]);
		space_close(&scene->spaces[i]);
	}
}

static bool all_go_on(struct scene *scene)
{
	bool right = true;

	for (unsigned int i = 0; i < CHAINS; i++)
		right &= chain_goes_on(&scene->chains[i]);
	return right;
}

/* All queued, so that the device switches from one to the next by itself. */
static void test_interleaved(struct scene *scene)
{
	bool right = true;

	tap_ok(all_go_on(scene), "registers begin with zero");
	for (unsigned int round = 0; round < ROUNDS; round++)
		for (unsigned int i = 0; i < CHAINS; i++) {
			struct chain *chain = &scene->chains[(i * 3 + round) % CHAINS];

			chain_write(chain);
			right &= !chain_exec(chain);
		}
	for (unsigned int i = 0; i < SPACES; i++) {
		for (uint32_t ring = 0; ring < scene->work->fixture.info.execution_rings; ring++) {
			scene->spaces[i].ring = ring;
			quire_write_delay(&scene->spaces[i].writer, 0);
			right &= !space_exec(&scene->spaces[i], NULL, scene->spaces[i].fence) &&
				 !work_fence_wait(scene->spaces[i].fence);
		}
		scene->spaces[i].ring = 0;
		space_rewind(&scene->spaces[i]);
	}
	tap_ok(right, "%u steps of each of %u numbers", ROUNDS, CHAINS);
	for (unsigned int i = 0; i < CHAINS; i++)
		right &= chain_is_right(&scene->chains[i]);
	tap_ok(right && all_go_on(scene), "none is lost, none is another one's");
}

static uint64_t counted(const struct work *work, const char *name)
{
	struct debugfs_counter counter;

	if (debugfs_counter(work->fixture.debugfs, name, &counter))
		tap_bail("no counter of %s", name);
	return counter.count;
}

static uint64_t in_vram(const struct scene *scene)
{
	return fdinfo_region(scene->work->fixture.fd, "resident", DRM_QUIRE_SEGMENT_VRAM);
}

static void place_large(const struct work *work, const struct quire_object *large)
{
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(large),
			       DRM_QUIRE_SEGMENT_VRAM, 0) ?:
		quire_bo_wait(work->fixture.fd, quire_object_handle(large), WAIT_MS), 0,
		"all of VRAM is needed");
}

/* Others come to the places that were left, more each time. */
static void take_places(struct space *space, unsigned int round)
{
	uint64_t size = (round + 1) * 16 * QUIRE_PAGE;
	struct quire_object *object = space_object(space, size, VRAM, true);

	space_map(space, BASE + round * QUIRE_MIB, object, 0, size);
	quire_write_fill(&space->writer, BASE + round * QUIRE_MIB, size, ~0u);
	tap_ret(space_run(space), 0, "others come to VRAM");
	quire_object_close(object);
}

/* What needs all of VRAM is there: nothing else is. What comes back is elsewhere then. */
static void test_pressure(struct scene *scene)
{
	const uint64_t vram = fixture_vram(&scene->work->fixture);
	struct quire_object *large = work_object_in(scene->work, vram, VRAM);
	uint64_t inits, updates;
	struct space others;

	space_open(&others, scene->work);
	take_places(&others, 0);
	inits = counted(scene->work, "INIT_CONTEXT_RESOURCE");
	updates = counted(scene->work, "UPDATE_CONTEXT_ALLOCATION");
	tap_ok(in_vram(scene) >= 2 * SPACES * QUIRE_PAGE, "save areas are in VRAM");
	for (unsigned int round = 1; round <= ROUNDS_EVICTED; round++) {
		place_large(scene->work, large);
		tap_ok(in_vram(scene) == vram, "save areas have left it");
		take_places(&others, round);
		tap_ok(all_go_on(scene), "evicted, and resumed");
	}
	tap_ok(counted(scene->work, "UPDATE_CONTEXT_ALLOCATION") >=
	       updates + ROUNDS_EVICTED * 2 * SPACES, "the device was told where they are");
	for (unsigned int round = 0; round < ROUNDS_EVICTED; round++) {
		tap_ret(debugfs_write(scene->work->fixture.debugfs, "evict_all", "1"), 0,
			"evict everything");
		tap_ok(!in_vram(scene), "save areas have left VRAM");
		tap_ok(all_go_on(scene), "evicted, and resumed");
	}
	tap_ok(counted(scene->work, "INIT_CONTEXT_RESOURCE") == inits, "none was made anew");
	quire_object_close(large);
	space_close(&others);
	tap_ok(all_go_on(scene), "nobody needs VRAM any more");
}

/* While commands of a context run, its save area stays: a placement that needs the room waits. */
static void test_at_work(struct scene *scene)
{
	const struct fixture *fixture = &scene->work->fixture;
	struct quire_object *large = work_object_in(scene->work, fixture_vram(fixture), VRAM);
	struct chain *chain = &scene->chains[0];
	struct space *space = chain->space;
	struct gate gate;
	uint64_t before;
	pid_t pid;

	work_gate_open_apart(scene->work, &gate);
	space_map(space, BASE, gate.object, 0, QUIRE_PAGE);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ok(chain_goes_on(chain), "one context has its registers in VRAM");
	before = in_vram(scene);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	chain_write(chain);
	quire_write_wait(&space->writer, QUIRE_WAIT_EQUAL, BASE, 1);
	chain_write(chain);
	tap_ret(chain_exec(chain), 0, "its commands wait between two steps");
	pid = child_start(CHILD_S);
	if (!pid)
		_exit(-quire_bo_place(fixture->fd, quire_object_handle(large),
				      DRM_QUIRE_SEGMENT_VRAM, 0));
	tap_ok(child_gets_within(pid, "quire_validation_wait", WAIT_MS),
	       "a placement that needs all of VRAM waits");
	if (!tap_ok(in_vram(scene) == before, "the save area has not moved"))
		tap_diag("%" PRIu64 " bytes were in VRAM, and now %" PRIu64, before,
			 in_vram(scene));
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(space->fence), 0, "the commands end");
	tap_ok(chain_is_right(chain), "both steps are right");
	space_rewind(space);
	tap_ret(-child_status(pid), 0, "then there is room");
	test_parameter("hang_period", 3000);
	tap_ok(chain_goes_on(chain), "evicted then, and resumed");
	space_unmap(space, BASE, QUIRE_PAGE);
	work_gate_close(&gate);
	quire_object_close(large);
}

/* What tells the device of a place is given up, once it was told before. */
static void test_given_up(struct scene *scene)
{
	struct chain *chain = &scene->chains[0];
	int ret;

	tap_ret(debugfs_write(scene->work->fixture.debugfs, "evict_all", "1"), 0,
		"evict everything");
	/* page tables and objects come back first, in a buffer that all share or in others */
	quire_write_store_register(&chain->space->writer, chain->number,
				   SPACE_RESULTS + 8 * chain->result);
	test_option("patch_refuse", 1);
	ret = chain_exec(chain) ?: work_fence_wait(chain->space->fence);
	test_option("patch_refuse", 0);
	space_rewind(chain->space);
	tap_ok(ret == -EIO, "commands end with it: %d", ret);
	tap_ret(work_context_status(chain->context), DRM_QUIRE_CONTEXT_GOOD, "the context is good");
}

/* So that all which was queued is executed, or given up. */
static void drain_paging(const struct scene *scene)
{
	tap_ret(debugfs_write(scene->work->fixture.debugfs, "nop_submit", "1"), 0,
		"nothing is queued any more");
}

/* Commands wait for others while it is given up, and those that come after them tell it again. */
static void test_given_up_before(struct scene *scene)
{
	struct quire_fence *held = work_fence(scene->work), *first = work_fence(scene->work);
	struct quire_context *other = work_context(scene->work);
	struct space *space = &scene->spaces[0];
	struct quire_context *context = space_context(space), *old = space->context;
	struct gate gate;

	work_gate_open_apart(scene->work, &gate);
	work_wait_at(scene->work, &gate, 1);
	tap_ret(work_submit(scene->work, other, 1, NULL, held), 0, "work that is held");
	space->context = context;
	space->results[CHAINS] = 1;
	space->results[CHAINS + 1] = 1;
	fixture_flush_discards(&scene->work->fixture);
	/* the save area comes to VRAM in the first one */
	test_option("patch_refuse", 2);
	quire_write_store_register(&space->writer, 0, SPACE_RESULTS + 8 * CHAINS);
	tap_ret(space_exec(space, held, first), 0, "commands that wait");
	drain_paging(scene);
	test_option("patch_refuse", 0);
	quire_write_store_register(&space->writer, 0, SPACE_RESULTS + 8 * CHAINS + 8);
	tap_ret(space_exec(space, NULL, space->fence), 0, "others behind them");
	drain_paging(scene);
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(first), -EIO, "the first ones are refused");
	tap_ret(work_fence_wait(space->fence), 0, "the others are executed");
	tap_ok(space->results[CHAINS] == 1 && !space->results[CHAINS + 1],
	       "they alone, and with registers of zero");
	space_rewind(space);
	space->context = old;
	work_gate_close(&gate);
	quire_fence_close(first);
	quire_fence_close(held);
	quire_context_destroy(context);
	quire_context_destroy(other);
}

/* Idle contexts, and one that faults. */
static void test_faults(struct scene *scene)
{
	struct space *space = &scene->spaces[0];
	struct quire_context *bad = space_context(space);
	struct quire_context *context = space->context;
	struct drm_quire_context_state state = { 0 };

	space->context = bad;
	quire_write_set_register(&space->writer, 0, QUIRE_REGISTER_SET, 5);
	quire_write_store_register(&space->writer, 0, BASE);
	tap_ret(space_run(space), -EIO, "a register goes nowhere");
	quire_context_state(bad, &state);
	tap_ok(state.fault == QUIRE_FAULT_PAGE && state.address == BASE, "it is a page fault");
	quire_context_destroy(bad);
	bad = space_context(space);
	space->context = bad;
	quire_write_store_register(&space->writer, 0, SPACE_RESULTS + 8 * CHAINS);
	tap_ok(!space_run(space) && !space->results[CHAINS], "the next context begins with zero");
	quire_write_set_register(&space->writer, QUIRE_CONTEXT_REGISTERS, QUIRE_REGISTER_SET, 5);
	tap_ret(space_run(space), -EIO, "there is no register 16");
	quire_context_state(bad, &state);
	tap_ok(state.fault == QUIRE_FAULT_BAD_RANGE && state.address == QUIRE_CONTEXT_REGISTERS,
	       "it is told which");
	quire_context_destroy(bad);
	space->context = context;
	tap_ok(all_go_on(scene), "others resume after faults");
}

/* Commands on registers where there are none are refused, and nothing is executed. */
static void test_without(struct scene *scene)
{
	struct quire_command_set_register set = {
		.header = { htole16(QUIRE_COMMAND_SET_REGISTER), htole16(QUIRE_REGISTER_SET),
			    htole32(sizeof(set)) },
	};
	struct quire_context *context = work_context(scene->work);
	const struct quire_lists lists = { .commands = &set, .commands_size = sizeof(set) };

	tap_ret(quire_submit(context, &lists, NULL, NULL), -EOPNOTSUPP,
		"a context without an address space has none");
	quire_context_destroy(context);
}

static void test_reset(struct scene *scene)
{
	char address[32];

	if (sysfs_pci_address(scene->work->fixture.fd, address, sizeof(address)) ||
	    sysfs_reset(address)) {
		tap_skip("no reset", "registers after a reset");
		return;
	}
	tap_ok(all_go_on(scene), "resumed after a reset of the function");
	if (debugfs_write(scene->work->fixture.debugfs, "inject", "hang 0")) {
		tap_skip("no faults on demand", "registers after a hang");
		return;
	}
	fixture_hang_and_reset(&scene->work->fixture);
	tap_ok(all_go_on(scene), "resumed after a hang");
}

static void test_sleep(struct scene *scene)
{
	if (!power_begin()) {
		tap_skip("no pm_test", "registers after sleep");
		return;
	}
	tap_ret(power_state("mem"), 0, "sleep");
	power_end();
	tap_ok(all_go_on(scene), "resumed after sleep");
}

static void test_counts(struct scene *scene)
{
	struct space *space = &scene->spaces[0];
	struct quire_context *context = space_context(space), *old = space->context;
	uint64_t before;

	quire_write_delay(&space->writer, 0);
	tap_ret(space_run(space), 0, "all is there");
	before = in_vram(scene);
	space->context = context;
	quire_write_delay(&space->writer, 0);
	tap_ret(space_run(space), 0, "a context executes something");
	space->context = old;
	tap_ok(in_vram(scene) == before + QUIRE_PAGE, "its save area is the program's memory");
	quire_context_destroy(context);
	/* with its last job, which the scheduler frees when it comes to it */
	for (unsigned int i = 0; i < WAIT_MS && in_vram(scene) != before; i++)
		test_sleep_ms(1);
	tap_ok(in_vram(scene) == before, "until it goes");
}

int main(void)
{
	struct scene scene;
	struct work work;

	tap_start(200);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	scene_open(&scene, &work);
	test_interleaved(&scene);
	test_pressure(&scene);
	test_at_work(&scene);
	test_faults(&scene);
	test_without(&scene);
	test_counts(&scene);
	test_given_up(&scene);
	tap_ok(all_go_on(&scene), "resumed after that");
	test_given_up_before(&scene);
	test_reset(&scene);
	test_sleep(&scene);
	scene_close(&scene);
	work_end(&work);
	return tap_done();
}
