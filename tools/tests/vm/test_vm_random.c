// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Thousands of binds of all kinds, at once and later, in all queues, over each other, while
 * objects are moved and copied: what the device finds at each address is what a model of the
 * address space says.
 *
 * Usage: quire-test-vm-random [SEED [ROUNDS]]
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "space.h"
#include "xxh64.h"

#define PAGES		768u
/* In tables of all levels that are side by side. */
#define BASE		((1ull << 39) - 300 * QUIRE_PAGE)
/* All objects are always bound, each here, too, so that they are brought back. */
#define ALWAYS		0x6000000000ull
#define OBJECTS		10u
#define OBJECT_PAGES	48u
#define MOST_BINDS	6u
#define BATCH		10u
#define FENCES		16u
#define ROUNDS		250u

/**
 * struct page - what one page of addresses leads to
 * @operation: enum drm_quire_bind_operation
 * @flags: of the bind
 * @object: with MAP
 * @number: of its page
 */
struct page {
	uint32_t operation;
	uint32_t flags;
	unsigned int object;
	unsigned int number;
};

/**
 * struct world - the device, and the model of it
 * @work: the device
 * @space: that is tested
 * @objects: that are bound
 * @bytes: what they hold
 * @pages: of the address space
 * @random: what comes next
 * @gate: what holds binds
 * @number: it opens at
 * @plain: of the work that waits there
 * @held: end of it
 * @fences: ends of binds
 * @nr_fences: number of them in use
 * @binds: so far
 */
struct world {
	struct work work;
	struct space space;
	struct quire_object *objects[OBJECTS];
	uint8_t bytes[OBJECTS][OBJECT_PAGES * 4096];
	struct page pages[PAGES];
	uint64_t random;
	struct gate gate;
	uint64_t number;
	struct quire_context *plain;
	struct quire_fence *held;
	struct quire_fence *fences[FENCES];
	unsigned int nr_fences;
	unsigned int binds;
};

static unsigned int below(struct world *world, unsigned int limit)
{
	return random_below(&world->random, limit);
}

static struct quire_object *make_object(struct world *world, unsigned int i)
{
	static const uint32_t classes[] = {
		0, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM),
		DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE), 0,
	};
	struct quire_object *object = space_object(&world->space, OBJECT_PAGES * QUIRE_PAGE,
						   classes[i % 4], i % 3 == 0);

	space_soil(object, i);
	space_map(&world->space, ALWAYS + i * OBJECT_PAGES * QUIRE_PAGE, object, 0,
		  OBJECT_PAGES * QUIRE_PAGE);
	pattern_fill(world->bytes[i], OBJECT_PAGES * QUIRE_PAGE, i);
	return object;
}

static void world_open(struct world *world)
{
	work_begin(&world->work);
	space_open(&world->space, &world->work);
	for (unsigned int i = 0; i < PAGES; i++)
		world->pages[i].operation = DRM_QUIRE_BIND_UNMAP;
	for (unsigned int i = 0; i < OBJECTS; i++)
		world->objects[i] = make_object(world, i);
	work_gate_open_apart(&world->work, &world->gate);
	world->plain = work_context(&world->work);
	world->held = work_fence(&world->work);
	for (unsigned int i = 0; i < FENCES; i++)
		world->fences[i] = work_fence(&world->work);
}

static void world_close(struct world *world)
{
	for (unsigned int i = 0; i < FENCES; i++)
		quire_fence_close(world->fences[i]);
	quire_fence_close(world->held);
	quire_context_destroy(world->plain);
	work_gate_close(&world->gate);
	for (unsigned int i = 0; i < OBJECTS; i++)
		quire_object_close(world->objects[i]);
	space_close(&world->space);
	work_end(&world->work);
}

/* From anywhere; half of them overlap, or nearly. */
static struct drm_quire_bind any_copy(struct world *world, unsigned int first, unsigned int count)
{
	unsigned int most = PAGES - count + 1, source = below(world, most);

	if (below(world, 2))
		source = (first + most - below(world, 20) + below(world, 20)) % most;
	return (struct drm_quire_bind){
		.operation = DRM_QUIRE_BIND_COPY,
		.address = BASE + first * QUIRE_PAGE,
		.size = count * QUIRE_PAGE,
		.offset = BASE + source * QUIRE_PAGE,
	};
}

/* Some range, anything. The model is not asked, and is changed by model_bind(). */
static struct drm_quire_bind any_bind(struct world *world, unsigned int *object)
{
	unsigned int kind = below(world, 12), first = below(world, PAGES);
	unsigned int most = kind < 7 ? OBJECT_PAGES : 200;
	unsigned int count = 1 + below(world, below(world, 2) ? 4 : most);
	struct drm_quire_bind bind = { .operation = DRM_QUIRE_BIND_MAP };

	count = count > PAGES - first ? PAGES - first : count;
	bind.address = BASE + first * QUIRE_PAGE;
	bind.size = count * QUIRE_PAGE;
	*object = below(world, OBJECTS);
	if (kind > 9)
		return any_copy(world, first, count);
	if (kind == 9)
		bind.operation = DRM_QUIRE_BIND_MAP_ZERO;
	else if (kind > 6)
		bind.operation = DRM_QUIRE_BIND_UNMAP;
	if (bind.operation != DRM_QUIRE_BIND_UNMAP)
		bind.flags = below(world, 4) ? 0 : 1 + below(world, 3);
	if (bind.operation == DRM_QUIRE_BIND_MAP) {
		bind.handle = quire_object_handle(world->objects[*object]);
		bind.offset = below(world, OBJECT_PAGES - count + 1) * QUIRE_PAGE;
	}
	return bind;
}

static void model_bind(struct world *world, const struct drm_quire_bind *bind,
		       unsigned int object)
{
	struct page *page = &world->pages[(bind->address - BASE) / QUIRE_PAGE];

	if (bind->operation == DRM_QUIRE_BIND_COPY) {
		memmove(page, &world->pages[(bind->offset - BASE) / QUIRE_PAGE],
			bind->size / QUIRE_PAGE * sizeof(*page));
		return;
	}
	for (unsigned int i = 0; i < bind->size / QUIRE_PAGE; i++)
		page[i] = (struct page){
			bind->operation, bind->flags, object, bind->offset / QUIRE_PAGE + i,
		};
}

/* Returns false if the driver does not say what it should. */
static bool bind_some(struct world *world, bool later, bool held)
{
	unsigned int objects[MOST_BINDS], count = 1 + below(world, MOST_BINDS - 1);
	struct drm_quire_bind binds[MOST_BINDS];
	struct quire_fence_point before = { .fence = world->held }, after = { 0 };
	struct quire_binding how = {
		.queue = below(world, DRM_QUIRE_BIND_QUEUES), .waits = &before,
		.signals = &after,
	};
	bool bad = !below(world, 12);
	int ret;

	for (unsigned int i = 0; i < count; i++)
		binds[i] = any_bind(world, &objects[i]);
	if (bad)
		binds[count++] = (struct drm_quire_bind){ .size = QUIRE_PAGE };
	if (later) {
		how.nr_waits = held && below(world, 2);
		how.nr_signals = 1;
		after.fence = world->fences[world->nr_fences];
	}
	ret = quire_vm_bind(world->space.vm, binds, count, &how, NULL);
	if (bad)
		return ret == -ENOENT;
	for (unsigned int i = 0; i < count; i++)
		model_bind(world, &binds[i], objects[i]);
	world->nr_fences += later;
	world->binds += count;
	if (ret)
		tap_diag("%u binds: %s", count, strerror(-ret));
	return !ret;
}

/*
 * Many of them are on their way at once, and some are held. Nothing that is bound can be moved
 * then: it is brought back before.
 */
static bool bind_later(struct world *world)
{
	bool right = true, held = below(world, 2);

	if (held) {
		quire_write_delay(&world->space.writer, 0);
		if (space_run(&world->space))
			return false;
		work_wait_at(&world->work, &world->gate, ++world->number);
		right = !work_submit(&world->work, world->plain, 1, NULL, world->held);
	}
	world->nr_fences = 0;
	for (unsigned int i = 0; i < BATCH && right; i++)
		right = bind_some(world, true, held);
	work_gate_raise(&world->gate, world->number);
	for (unsigned int i = 0; i < world->nr_fences && right; i++)
		right = !work_fence_wait(world->fences[i]);
	return right;
}

static const void *page_bytes(const struct world *world, const struct page *page)
{
	static const uint8_t zero[4096];

	if (page->operation == DRM_QUIRE_BIND_MAP_ZERO)
		return zero;
	return world->bytes[page->object] + page->number * QUIRE_PAGE;
}

/* How many from there on can be read? */
static unsigned int readable(const struct world *world, unsigned int first)
{
	unsigned int count = 0;

	while (first + count < PAGES &&
	       world->pages[first + count].operation != DRM_QUIRE_BIND_UNMAP)
		count++;
	return count;
}

/* All that can be read, in runs. */
static bool check_all(struct world *world)
{
	static uint8_t bytes[PAGES * 4096];
	uint64_t sums[PAGES];
	unsigned int count, nr = 0;
	bool right = true;

	for (unsigned int i = 0; i < PAGES; i += count ? count : 1) {
		count = readable(world, i);
		if (!count)
			continue;
		for (unsigned int j = 0; j < count; j++)
			memcpy(bytes + j * QUIRE_PAGE, page_bytes(world, &world->pages[i + j]),
			       QUIRE_PAGE);
		quire_write_checksum(&world->space.writer, BASE + i * QUIRE_PAGE,
				     count * QUIRE_PAGE, SPACE_RESULTS + 8 * nr);
		sums[nr++] = xxh64(bytes, count * QUIRE_PAGE);
	}
	if (!nr)
		return true;
	right = !space_run(&world->space);
	for (unsigned int i = 0; i < nr; i++)
		right &= world->space.results[i] == sums[i];
	return right;
}

/* One page to another one, which may be the same one by another address. */
static void copy_one(struct world *world)
{
	unsigned int from = below(world, PAGES), to = below(world, PAGES);
	const struct page *source = &world->pages[from], *target = &world->pages[to];

	if (source->operation == DRM_QUIRE_BIND_UNMAP ||
	    target->operation == DRM_QUIRE_BIND_UNMAP ||
	    target->flags & DRM_QUIRE_BIND_READ_ONLY)
		return;
	quire_write_copy(&world->space.writer, BASE + from * QUIRE_PAGE,
			 BASE + to * QUIRE_PAGE, QUIRE_PAGE);
	if (target->operation == DRM_QUIRE_BIND_MAP)
		memmove(world->bytes[target->object] + target->number * QUIRE_PAGE,
			page_bytes(world, source), QUIRE_PAGE);
}

/* What must not be accessed is not. */
static bool check_fault(struct world *world)
{
	struct drm_quire_context_state state = { 0 };
	unsigned int i = below(world, PAGES);
	const struct page *page = &world->pages[i];
	uint32_t fault = page->operation == DRM_QUIRE_BIND_UNMAP ? QUIRE_FAULT_PAGE :
			 page->flags & DRM_QUIRE_BIND_READ_ONLY ? QUIRE_FAULT_PROTECTION : 0;

	if (!fault)
		return true;
	quire_write_value(&world->space.writer, BASE + i * QUIRE_PAGE + 8, 1);
	if (space_run(&world->space) != -EIO)
		return false;
	quire_context_state(world->space.context, &state);
	space_renew_context(&world->space);
	return state.fault == fault && state.address == BASE + i * QUIRE_PAGE + 8;
}

static void move_one(struct world *world)
{
	struct quire_object *object = world->objects[below(world, OBJECTS)];
	const struct place *place = &places[below(world, NR_PLACES)];

	if (!below(world, 4) && *world->work.fixture.debugfs)
		debugfs_write(world->work.fixture.debugfs, "evict_all", "1");
	else
		quire_bo_place(world->work.fixture.fd, quire_object_handle(object),
			       place->segment, place->flags);
}

static bool one_round(struct world *world)
{
	bool right = true;

	if (below(world, 3))
		right = bind_later(world);
	else
		for (unsigned int i = 0; i < BATCH && right; i++)
			right = bind_some(world, false, false);
	if (!below(world, 3))
		move_one(world);
	for (unsigned int i = 0; i < 8; i++)
		copy_one(world);
	return right && check_all(world) && (below(world, 4) || check_fault(world));
}

static bool contents_are_right(struct world *world)
{
	bool right = true;

	for (unsigned int i = 0; i < OBJECTS; i++)
		right &= !memcmp(space_bytes(world->objects[i]), world->bytes[i],
				 OBJECT_PAGES * QUIRE_PAGE);
	return right;
}

int main(int argc, char **argv)
{
	static struct world world;
	unsigned int rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : ROUNDS, round;
	bool right = true;

	world.random = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	tap_start(argc > 2 ? 600 : 240);
	world_open(&world);
	if (world.work.fixture.info.execution_rings < 2)
		tap_skip_all("there is one ring");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	for (round = 0; round < rounds && right; round++)
		right = one_round(&world);
	tap_ok(right, "%u binds in %u rounds lead where they should", world.binds, round);
	if (!right)
		tap_diag("seed %s, round %u", argc > 1 ? argv[1] : "1", round);
	tap_ok(contents_are_right(&world), "what was written is in the objects");
	test_parameter("hang_period", 3000);
	world_close(&world);
	return tap_done();
}
