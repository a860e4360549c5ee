// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Pages of 2 MiB in address spaces: what is bound in one run of memory, aligned, has one entry,
 * and is whatever it was when parts of it are bound otherwise, copied, moved, or put into pieces.
 * An entry shows itself by the fault of a write to what is read-only.
 */
#include <stdlib.h>
#include <string.h>

#include "holes.h"
#include "space.h"
#include "xxh64.h"

#define LARGE		(2ull << 20)
#define LARGE_PAGES	((unsigned int)(LARGE / QUIRE_PAGE))
#define PAGES		(2 * LARGE_PAGES)
#define SMALL_PAGES	16u
#define ROUNDS		60u
#define BINDS		5u

/* In tables of all levels that are side by side, as two pages of 2 MiB are. */
#define BASE		((1ull << 39) - LARGE)
/* All objects are always bound, here, so that they are brought back. */
#define ALWAYS		0x6000000000ull
#define UNMAP		DRM_QUIRE_BIND_UNMAP
#define ZERO		DRM_QUIRE_BIND_MAP_ZERO

/**
 * struct scene - an address space, and what it should be
 * @work: the device
 * @space: that is tested
 * @large: two pages of 2 MiB
 * @small: less
 * @large_bytes: what it holds
 * @small_bytes: what that holds
 * @pages: what each page leads to; NULL: it is not bound
 * @random: what comes next
 */
struct scene {
	struct work work;
	struct space space;
	struct quire_object *large;
	struct quire_object *small;
	uint8_t large_bytes[2 * LARGE];
	uint8_t small_bytes[SMALL_PAGES * 4096];
	const uint8_t *pages[PAGES];
	uint64_t random;
};

static const uint8_t zero[4096];

static uint64_t page(unsigned int number)
{
	return BASE + number * QUIRE_PAGE;
}

static void scene_open(struct scene *scene)
{
	work_begin(&scene->work);
	space_open(&scene->space, &scene->work);
	scene->large = work_object(&scene->work, 2 * LARGE);
	scene->small = work_object(&scene->work, sizeof(scene->small_bytes));
	space_soil(scene->large, 1);
	space_soil(scene->small, 2);
	pattern_fill(scene->large_bytes, 2 * LARGE, 1);
	pattern_fill(scene->small_bytes, sizeof(scene->small_bytes), 2);
	space_map(&scene->space, ALWAYS, scene->large, 0, 2 * LARGE);
	space_map(&scene->space, ALWAYS + 2 * LARGE, scene->small, 0,
		  sizeof(scene->small_bytes));
}

static void scene_close(struct scene *scene)
{
	quire_object_close(scene->large);
	quire_object_close(scene->small);
	space_close(&scene->space);
	work_end(&scene->work);
}

static void lead(struct scene *scene, uint32_t operation, unsigned int first, unsigned int count,
		 const struct quire_object *object, unsigned int from)
{
	struct drm_quire_bind bind = {
		.operation = operation,
		.address = page(first),
		.size = count * QUIRE_PAGE,
		.offset = from * QUIRE_PAGE,
	};
	int ret;

	if (object)
		bind.handle = quire_object_handle(object);
	if (operation == DRM_QUIRE_BIND_COPY)
		bind.offset += BASE;
	ret = quire_vm_bind(scene->space.vm, &bind, 1, NULL, NULL);
	if (ret)
		tap_bail("bind %u pages: %s", count, strerror(-ret));
}

static void map_large(struct scene *scene, unsigned int first, unsigned int from,
		      unsigned int count)
{
	lead(scene, DRM_QUIRE_BIND_MAP, first, count, scene->large, from);
	for (unsigned int i = 0; i < count; i++)
		scene->pages[first + i] = scene->large_bytes + (from + i) * QUIRE_PAGE;
}

static void map_small(struct scene *scene, unsigned int first, unsigned int from,
		      unsigned int count)
{
	lead(scene, DRM_QUIRE_BIND_MAP, first, count, scene->small, from);
	for (unsigned int i = 0; i < count; i++)
		scene->pages[first + i] = scene->small_bytes + (from + i) * QUIRE_PAGE;
}

static void map_nothing(struct scene *scene, uint32_t operation, unsigned int first,
			unsigned int count)
{
	lead(scene, operation, first, count, NULL, 0);
	for (unsigned int i = 0; i < count; i++)
		scene->pages[first + i] = operation == ZERO ? zero : NULL;
}

static void copy(struct scene *scene, unsigned int first, unsigned int from, unsigned int count)
{
	lead(scene, DRM_QUIRE_BIND_COPY, first, count, NULL, from);
	memmove(scene->pages + first, scene->pages + from, count * sizeof(*scene->pages));
}

/* Returns: pages from there on that are bound. */
static unsigned int bound(const struct scene *scene, unsigned int first)
{
	unsigned int count = 0;

	while (first + count < PAGES && scene->pages[first + count])
		count++;
	return count;
}

/* All that is bound, in runs, at once. */
static bool leads_right(struct scene *scene)
{
	static uint8_t bytes[2 * LARGE];
	unsigned int count, nr = 0;
	uint64_t sums[PAGES];
	bool right = true;

	for (unsigned int i = 0; i < PAGES; i += count ? count : 1) {
		count = bound(scene, i);
		if (!count)
			continue;
		for (unsigned int j = 0; j < count; j++)
			memcpy(bytes + j * QUIRE_PAGE, scene->pages[i + j], QUIRE_PAGE);
		quire_write_checksum(&scene->space.writer, page(i), count * QUIRE_PAGE,
				     SPACE_RESULTS + 8 * nr);
		sums[nr++] = xxh64(bytes, count * QUIRE_PAGE);
	}
	right = !nr || !space_run(&scene->space);
	for (unsigned int i = 0; i < nr; i++)
		right &= scene->space.results[i] == sums[i];
	return right;
}

/* What a write to a page ends with. */
static struct drm_quire_context_state fault_at(struct scene *scene, unsigned int number)
{
	struct drm_quire_context_state state = { 0 };

	quire_write_value(&scene->space.writer, page(number) + 8, 1);
	if (space_run(&scene->space) == -EIO)
		quire_context_state(scene->space.context, &state);
	space_renew_context(&scene->space);
	return state;
}

/* A write fails by an entry of 2 MiB, or of a page. */
static bool is_read_only(struct scene *scene, unsigned int number, bool large)
{
	struct drm_quire_context_state state = fault_at(scene, number);
	bool right = state.fault == QUIRE_FAULT_PROTECTION && state.level == large &&
		     !(state.entry & QUIRE_PTE_LARGE) == !large &&
		     state.address == page(number) + 8;

	if (!right)
		tap_diag("fault %u, level %u, entry %#llx, address %#llx", state.fault, state.level,
			 (unsigned long long)state.entry, (unsigned long long)state.address);
	return right;
}

static bool is_unbound(struct scene *scene, unsigned int number)
{
	return fault_at(scene, number).fault == QUIRE_FAULT_PAGE;
}

static void map_read_only(struct scene *scene, unsigned int first, unsigned int from,
			  unsigned int count)
{
	int ret = quire_vm_map(scene->space.vm, page(first), scene->large, from * QUIRE_PAGE,
			       count * QUIRE_PAGE, DRM_QUIRE_BIND_READ_ONLY);

	if (ret)
		tap_bail("bind read-only: %s", strerror(-ret));
	for (unsigned int i = 0; i < count; i++)
		scene->pages[first + i] = scene->large_bytes + (from + i) * QUIRE_PAGE;
}

static void test_when(struct scene *scene)
{
	map_read_only(scene, 0, 0, PAGES);
	tap_ok(is_read_only(scene, 3, true) && is_read_only(scene, LARGE_PAGES + 500, true),
	       "4 MiB are two pages of 2 MiB");
	tap_ok(leads_right(scene), "and are read");
	map_nothing(scene, UNMAP, 0, PAGES);
	tap_ok(is_unbound(scene, 0) && is_unbound(scene, PAGES - 1), "they are bound no more");

	map_read_only(scene, 0, LARGE_PAGES, LARGE_PAGES);
	tap_ok(is_read_only(scene, 0, true) && is_unbound(scene, LARGE_PAGES),
	       "one of them, elsewhere");
	tap_ok(leads_right(scene), "is read");
	map_nothing(scene, UNMAP, 0, PAGES);

	map_read_only(scene, 0, 0, LARGE_PAGES - 1);
	tap_ok(is_read_only(scene, 3, false) && is_unbound(scene, LARGE_PAGES - 1),
	       "a page less has entries of its pages");
	map_read_only(scene, 0, 1, PAGES - 1);
	tap_ok(is_read_only(scene, 3, false), "and what is not aligned in its segment");
	map_nothing(scene, UNMAP, 0, PAGES);
	map_read_only(scene, 1, 0, PAGES - 1);
	tap_ok(is_read_only(scene, 3, false) && is_read_only(scene, LARGE_PAGES, false),
	       "and what is not aligned in the address space");
	tap_ok(leads_right(scene), "which is read");
}

static void whole(struct scene *scene)
{
	map_large(scene, 0, 0, PAGES);
	if (!leads_right(scene))
		tap_bail("4 MiB do not lead where they should");
}

static void test_divided(struct scene *scene)
{
	whole(scene);
	map_nothing(scene, UNMAP, 7, 1);
	tap_ok(is_unbound(scene, 7) && leads_right(scene), "a page of it goes, the others stay");
	map_large(scene, 7, 7, 1);
	tap_ok(leads_right(scene), "and comes back");
	whole(scene);
	map_small(scene, LARGE_PAGES - 5, 2, 10);
	tap_ok(leads_right(scene), "something else, over the border of two");
	whole(scene);
	map_nothing(scene, ZERO, 0, LARGE_PAGES + 1);
	tap_ok(leads_right(scene), "zero, over all of the one");
	whole(scene);
	copy(scene, 5, LARGE_PAGES + 100, 300);
	tap_ok(leads_right(scene), "entries of the one are copied into the other");
	whole(scene);
	copy(scene, 100, 90, LARGE_PAGES);
	tap_ok(leads_right(scene), "within it, over itself");
	map_nothing(scene, UNMAP, 0, PAGES);
	tap_ok(is_unbound(scene, 0) && is_unbound(scene, 200), "all of it goes");
}

static void place(struct scene *scene, const struct place *place)
{
	quire_bo_place(scene->work.fixture.fd, quire_object_handle(scene->large), place->segment,
		       place->flags);
}

static void test_moved(struct scene *scene)
{
	map_read_only(scene, 0, 0, PAGES);
	for (unsigned int i = 0; i < NR_PLACES; i++) {
		place(scene, &places[i]);
		tap_ok(leads_right(scene), "moved to %s, and used", places[i].name);
	}
	place(scene, &places[2]);
	tap_ok(is_read_only(scene, 9, true), "it is of 2 MiB in VRAM again");
}

/* Each piece begins where a page of 2 MiB could. */
static void test_pieces(struct scene *scene)
{
	struct quire_object *object = work_object(&scene->work, LARGE);
	static struct holes holes;

	map_nothing(scene, UNMAP, 0, PAGES);
	space_soil(object, 1);
	holes_make(&holes, &scene->work);
	lead(scene, DRM_QUIRE_BIND_MAP, 0, LARGE_PAGES, object, 0);
	for (unsigned int i = 0; i < LARGE_PAGES; i++)
		scene->pages[i] = scene->large_bytes + i * QUIRE_PAGE;
	tap_ok(leads_right(scene), "an object in pieces is read");
	map_nothing(scene, UNMAP, 0, LARGE_PAGES);
	holes_close(&holes);
	quire_object_close(object);
}

static int bind_behind(struct scene *scene, uint32_t queue, const struct drm_quire_bind *bind,
		       struct quire_fence *wait, struct quire_fence *signal)
{
	const struct quire_fence_point before = { .fence = wait }, after = { .fence = signal };
	const struct quire_binding how = {
		.queue = queue, .nr_waits = !!wait, .waits = &before, .nr_signals = 1,
		.signals = &after,
	};

	return quire_vm_bind(scene->space.vm, bind, 1, &how, NULL);
}

/* A page of 2 MiB is bound later, and behind it two parts of it, of which the second is ready. */
static void test_order(struct scene *scene)
{
	const struct drm_quire_bind binds[] = {
		{ .operation = DRM_QUIRE_BIND_MAP, .handle = quire_object_handle(scene->large),
		  .address = page(0), .size = LARGE },
		{ .operation = UNMAP, .address = page(5), .size = QUIRE_PAGE },
		{ .operation = DRM_QUIRE_BIND_MAP, .handle = quire_object_handle(scene->small),
		  .address = page(9), .size = QUIRE_PAGE },
	};
	struct quire_context *plain = work_context(&scene->work);
	struct quire_fence *held[2], *done[3];
	struct gate gate;

	work_gate_open_apart(&scene->work, &gate);
	map_nothing(scene, UNMAP, 0, PAGES);
	quire_write_delay(&scene->space.writer, 0);
	tap_ret(space_run(&scene->space), 0, "all is brought back");
	for (unsigned int i = 0; i < 3; i++)
		done[i] = work_fence(&scene->work);
	for (unsigned int i = 0; i < 2; i++) {
		held[i] = work_fence(&scene->work);
		work_wait_at(&scene->work, &gate, i + 1);
		tap_ret(work_submit(&scene->work, plain, 1, NULL, held[i]), 0, "held");
	}
	tap_ret(bind_behind(scene, 0, &binds[0], held[0], done[0]), 0, "2 MiB, later");
	tap_ret(bind_behind(scene, 1, &binds[1], held[1], done[1]), 0, "a page goes, later still");
	tap_ret(bind_behind(scene, 2, &binds[2], NULL, done[2]), 0, "another one, at once");
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(done[2]), 0, "which is done behind the first");
	for (unsigned int i = 0; i < LARGE_PAGES; i++)
		scene->pages[i] = scene->large_bytes + i * QUIRE_PAGE;
	scene->pages[9] = scene->small_bytes;
	tap_ok(leads_right(scene), "it leads where it should");
	work_gate_raise(&gate, 2);
	tap_ret(work_fence_wait(done[1]), 0, "the other one is done");
	scene->pages[5] = NULL;
	tap_ok(leads_right(scene) && is_unbound(scene, 5), "so does that, nowhere");
	for (unsigned int i = 0; i < 3; i++)
		quire_fence_close(done[i]);
	for (unsigned int i = 0; i < 2; i++)
		quire_fence_close(held[i]);
	quire_context_destroy(plain);
	work_gate_close(&gate);
}

static unsigned int below(struct scene *scene, unsigned int limit)
{
	return random_below(&scene->random, limit);
}

static void bind_any(struct scene *scene)
{
	unsigned int first = below(scene, PAGES), count = 1 + below(scene, PAGES - first);

	switch (below(scene, 8)) {
	case 0:
		map_large(scene, below(scene, 2) * LARGE_PAGES, below(scene, 2) * LARGE_PAGES,
			  LARGE_PAGES);
		break;
	case 1:
		map_large(scene, 0, 0, PAGES);
		break;
	case 2:
		map_large(scene, first, below(scene, PAGES - count + 1), count);
		break;
	case 3:
		first = below(scene, PAGES - SMALL_PAGES);
		map_small(scene, first, 0, 1 + below(scene, SMALL_PAGES));
		break;
	case 4:
		map_nothing(scene, UNMAP, first, 1 + below(scene, count < 40 ? count : 40));
		break;
	case 5:
		map_nothing(scene, ZERO, first, 1 + below(scene, count < 40 ? count : 40));
		break;
	default:
		copy(scene, first, below(scene, PAGES - count + 1), count);
	}
}

static void test_random(struct scene *scene)
{
	unsigned int round;
	bool right = true;

	for (round = 0; round < ROUNDS && right; round++) {
		for (unsigned int i = 0; i < BINDS; i++)
			bind_any(scene);
		if (!below(scene, 4))
			place(scene, &places[below(scene, NR_PLACES)]);
		right = leads_right(scene);
	}
	tap_ok(right, "%u rounds of binds lead where they should", round);
	tap_ok(!memcmp(space_bytes(scene->large), scene->large_bytes, 2 * LARGE),
	       "nobody has written the object");
}

int main(void)
{
	static struct scene scene;

	tap_start(200);
	scene.random = 1;
	scene_open(&scene);
	if (scene.work.fixture.info.execution_rings < 2)
		tap_skip_all("there is one ring");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_when(&scene);
	test_divided(&scene);
	test_moved(&scene);
	test_order(&scene);
	test_random(&scene);
	test_pieces(&scene);
	test_parameter("hang_period", 3000);
	scene_close(&scene);
	return tap_done();
}
