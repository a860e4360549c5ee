// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Nothing that was true before is found again: the same addresses of two address spaces are bound
 * and unbound thousands of times, with all of them in the TLB, and looked at by both rings; and
 * page tables and what is bound leave VRAM and come back, under pressure, while commands of others
 * and of the same address space are at work.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "space.h"
#include "xxh64.h"

#define OBJECTS		4u
#define OBJECT_PAGES	32u
#define OBJECT_SIZE	(OBJECT_PAGES * QUIRE_PAGE)
#define UNBOUND		UINT64_MAX

/**
 * struct world - an address space, and what is bound there
 * @space: the address space
 * @objects: that are bound; the odd ones are private
 * @hashes: of their pages
 * @bound: hash of what is at each address; UNBOUND: nothing is
 * @after: of the bind that commands wait for
 */
struct world {
	struct space space;
	struct quire_object *objects[OBJECTS];
	uint64_t hashes[OBJECTS][OBJECT_PAGES];
	uint64_t *bound;
	struct quire_fence *after;
};

/* @classes: of all objects; each space has other bytes. */
static void world_open(struct world *world, struct work *work, unsigned int number,
		       uint32_t classes, unsigned int addresses)
{
	static uint8_t bytes[OBJECT_SIZE];

	space_open(&world->space, work);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		uint64_t key = number * OBJECTS + i;

		world->objects[i] = space_object(&world->space, OBJECT_SIZE, classes, i % 2);
		space_soil(world->objects[i], key);
		pattern_fill(bytes, OBJECT_SIZE, key);
		for (unsigned int j = 0; j < OBJECT_PAGES; j++)
			world->hashes[i][j] = xxh64(bytes + j * QUIRE_PAGE, QUIRE_PAGE);
	}
	world->bound = malloc(addresses * sizeof(*world->bound));
	for (unsigned int i = 0; i < addresses; i++)
		world->bound[i] = UNBOUND;
	world->after = work_fence(work);
}

static void world_close(struct world *world)
{
	quire_fence_close(world->after);
	free(world->bound);
	for (unsigned int i = 0; i < OBJECTS; i++)
		quire_object_close(world->objects[i]);
	space_close(&world->space);
}

/* Pages of an object or nothing, in any queue; what is executed next waits for it. */
static int bind_any(struct world *world, struct drm_quire_bind bind, uint64_t *bound,
		    uint64_t *random)
{
	const struct quire_fence_point end = { .fence = world->after };
	const struct quire_binding how = {
		.queue = random_below(random, DRM_QUIRE_BIND_QUEUES),
		.nr_signals = 1, .signals = &end,
	};
	unsigned int object = random_below(random, OBJECTS);
	unsigned int pages = bind.size / QUIRE_PAGE;
	unsigned int first = random_below(random, OBJECT_PAGES - pages + 1);

	bind.operation = random_below(random, 3) ? DRM_QUIRE_BIND_MAP : DRM_QUIRE_BIND_UNMAP;
	if (bind.operation == DRM_QUIRE_BIND_MAP) {
		bind.handle = quire_object_handle(world->objects[object]);
		bind.offset = first * QUIRE_PAGE;
	}
	for (unsigned int i = 0; i < pages; i++)
		bound[i] = bind.handle ? world->hashes[object][first + i] : UNBOUND;
	return quire_vm_bind(world->space.vm, &bind, 1, &how, NULL);
}

/* A checksum of each page that is bound, result I of address I. */
static void write_look(struct world *world, uint64_t (*address)(unsigned int i),
		       unsigned int addresses)
{
	struct space *space = &world->space;

	for (unsigned int i = 0; i < addresses; i++) {
		space->results[i] = SPACE_NO_HASH;
		if (world->bound[i] != UNBOUND)
			quire_write_checksum(&space->writer, address(i), QUIRE_PAGE,
					     SPACE_RESULTS + 8 * i);
	}
	quire_write_delay(&space->writer, 0);
}

/* How many are not what they should be? */
static unsigned int count_wrong(const struct world *world, unsigned int addresses)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < addresses; i++)
		if (world->bound[i] != UNBOUND && world->space.results[i] != world->bound[i]) {
			tap_diag("address %u: %#" PRIx64 " is not %#" PRIx64, i,
				 world->space.results[i], world->bound[i]);
			wrong++;
		}
	return wrong;
}

/* Of both address spaces, with their commands, all of these are in the TLB at a time. */
#define ADDRESSES	96u
#define BASE		((1ull << 39) - 40 * QUIRE_PAGE)
#define MOST_PAGES	12u
#define ROUNDS		2400u

static uint64_t near(unsigned int i)
{
	return BASE + i * QUIRE_PAGE;
}

/* What is bound no more is not there. */
static bool faults_at(struct world *world, unsigned int i)
{
	struct drm_quire_context_state state = { 0 };
	struct space *space = &world->space;
	int ret;

	quire_write_checksum(&space->writer, near(i), QUIRE_PAGE, SPACE_RESULTS);
	ret = space_exec(space, world->after, space->fence) ?: work_fence_wait(space->fence);
	space_rewind(space);
	quire_context_state(space->context, &state);
	space_renew_context(space);
	if (ret != -EIO || state.address != near(i))
		tap_diag("address %u: %d at %#llx", i, ret, (unsigned long long)state.address);
	return ret == -EIO && state.fault == QUIRE_FAULT_PAGE && state.address == near(i);
}

static bool look_again(struct world *world)
{
	struct space *space = &world->space;
	int ret;

	write_look(world, near, ADDRESSES);
	ret = space_exec(space, world->after, space->fence) ?: work_fence_wait(space->fence);
	space_rewind(space);
	return !ret && !count_wrong(world, ADDRESSES);
}

static bool near_round(struct world *world, uint64_t *random)
{
	unsigned int first = random_below(random, ADDRESSES);
	unsigned int pages = 1 + random_below(random, MOST_PAGES);
	struct drm_quire_bind bind = { .address = near(first) };
	bool gone;

	if (pages > ADDRESSES - first)
		pages = ADDRESSES - first;
	bind.size = pages * QUIRE_PAGE;
	gone = world->bound[first] != UNBOUND;
	if (bind_any(world, bind, world->bound + first, random))
		return false;
	gone &= world->bound[first] == UNBOUND;
	world->space.ring = random_below(random, world->space.work->fixture.info.execution_rings);
	if (gone && !random_below(random, 4) && !faults_at(world, first))
		return false;
	return look_again(world);
}

static void test_tlb(struct work *work)
{
	struct world worlds[2];
	uint64_t random = 1;
	unsigned int i;
	bool right = true;

	for (i = 0; i < 2; i++)
		world_open(&worlds[i], work, i, 0, ADDRESSES);
	for (i = 0; i < ROUNDS && right; i++)
		right = near_round(&worlds[i % 2], &random);
	tap_ok(right, "%u binds, and what is there then", i);
	for (i = 0; i < 2; i++)
		world_close(&worlds[i]);
}

/* Each address has a table of its own, and one above it. */
#define FAR		(1024 * QUIRE_MIB)
#define TABLES		40u
#define WORLDS		6u
#define TURNS		240u
#define MOST_TURNS	(20 * TURNS)	/* until others had a chance */
#define PAUSE_NS	300000ull

static uint64_t far(unsigned int i)
{
	return i * FAR;
}

/* How much room others have made for themselves, in MiB. */
static struct rivals {
	atomic_uint mib;
} *rivals;

/* Needs all of VRAM, for ever. */
static pid_t start_rival(const struct work *work)
{
	const unsigned int count = fixture_vram(&work->fixture) / QUIRE_MIB;
	uint32_t *handles = calloc(count, sizeof(*handles));
	pid_t pid = child_start(200);
	struct fixture fixture;

	if (pid) {
		free(handles);
		return pid;
	}
	fixture_open(&fixture);
	for (unsigned int i = 0; i < count; i++)
		if (quire_bo_create(fixture.fd, QUIRE_MIB, &handles[i]))
			_exit(1);
	for (unsigned int i = 0;; i++) {
		int ret = quire_bo_place(fixture.fd, handles[i % count], DRM_QUIRE_SEGMENT_VRAM, 0);

		if (ret && ret != -ENOSPC)
			_exit(2);
		atomic_fetch_add(&rivals->mib, !ret);
	}
}

/* Commands that take a while, and look at all tables. */
static int far_exec(struct world *world, uint64_t *random)
{
	struct space *space = &world->space;

	space_rewind(space);
	for (unsigned int i = 0; i < 4; i++)
		quire_write_delay(&space->writer, PAUSE_NS);
	write_look(world, far, TABLES);
	space->ring = random_below(random, space->work->fixture.info.execution_rings);
	return space_exec(space, world->after, space->fence);
}

/* What was begun the last time, and something new. */
static bool far_turn(struct world *world, uint64_t *random)
{
	unsigned int i = random_below(random, TABLES);
	int ret = work_fence_wait(world->space.fence);

	if (ret || count_wrong(world, TABLES)) {
		tap_diag("commands end with %d", ret);
		return false;
	}
	ret = bind_any(world, (struct drm_quire_bind){ .address = far(i), .size = QUIRE_PAGE },
		       world->bound + i, random);
	if (!ret)
		ret = far_exec(world, random);
	if (ret)
		tap_diag("refused: %d at %#" PRIx64, ret, world->space.refused);
	return !ret;
}

static void far_open(struct world *world, struct work *work, unsigned int number,
		     uint64_t *random)
{
	int ret = 0;

	world_open(world, work, number, 0, TABLES);
	for (unsigned int i = 0; i < TABLES && !ret; i++)
		ret = bind_any(world, (struct drm_quire_bind){
				.address = far(i), .size = QUIRE_PAGE,
			       }, world->bound + i, random) ?: work_fence_wait(world->after);
	tap_ret(ret ?: far_exec(world, random), 0, "an address space with %u tables", 2 * TABLES);
}

static bool all_needed(const struct work *work)
{
	return atomic_load(&rivals->mib) > fixture_vram(&work->fixture) / QUIRE_MIB;
}

static void test_tables(struct work *work)
{
	struct world worlds[WORLDS];
	uint64_t random = 2;
	unsigned int turns;
	bool right = true;
	pid_t rival;

	rivals = mmap(NULL, sizeof(*rivals), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rivals == MAP_FAILED)
		tap_bail("mmap");
	for (unsigned int i = 0; i < WORLDS; i++)
		far_open(&worlds[i], work, i, &random);
	rival = start_rival(work);
	for (turns = 0; right && turns < (all_needed(work) ? TURNS : MOST_TURNS); turns++)
		right = far_turn(&worlds[random_below(&random, WORLDS)], &random);
	tap_ok(right, "%u turns with tables that go and come", turns);
	tap_ok(all_needed(work), "others have needed all of VRAM: %u MiB",
	       atomic_load(&rivals->mib));
	tap_ok(child_is_running(rival), "and go on");
	child_kill(rival);
	for (unsigned int i = 0; i < WORLDS; i++)
		world_close(&worlds[i]);
	munmap(rivals, sizeof(*rivals));
}

int main(void)
{
	struct work work;

	tap_start(280);
	work_begin(&work);
	test_tlb(&work);
	test_tables(&work);
	work_end(&work);
	return tap_done();
}
