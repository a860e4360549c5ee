// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * CONTIGUOUS: a run of every size finds its place in the part of VRAM that it names, on
 * an empty device and on a full one, and what is larger than that part is refused at once.
 */
#include <inttypes.h>

#include "fixture.h"

/* Of those that are CONTIGUOUS. */
#define FIRST_PLACE	5
#define VISIBLE_RUN	6
#define INVISIBLE_RUN	7

#define NR_FILLERS	96

/*
 * Of this many pieces, which fill VRAM in order, a third leaves: a hole that holds no block of
 * the allocator with room for the run, and that is neither where its part of VRAM begins nor
 * where that ends.
 */
#define NR_PIECES	64
#define HOLE_FIRST	21
#define HOLE_PIECES	21
#define HOLE_RUN	12
#define MOST_SIZES	128

/* A refusal that waits for room takes 15 s. */
#define REFUSED_MS	10000

static uint64_t part_size(const struct fixture *fixture, const struct place *place)
{
	uint64_t vram = fixture_vram(fixture), visible = fixture_visible(fixture);

	if (place->flags & DRM_QUIRE_PLACE_VISIBLE)
		return visible;
	return place->flags & DRM_QUIRE_PLACE_INVISIBLE ? vram - visible : vram;
}

static size_t add_size(uint64_t *sizes, size_t count, uint64_t size, uint64_t most)
{
	if (size < QUIRE_PAGE || size > most || count == MOST_SIZES)
		return count;
	sizes[count] = size;
	return count + 1;
}

/* Each power of two with its neighbours, the odd ones between, and up to all of it. */
static size_t list_sizes(uint64_t *sizes, uint64_t most)
{
	size_t count = 0;

	for (uint64_t power = QUIRE_PAGE; power <= most; power *= 2) {
		count = add_size(sizes, count, power - QUIRE_PAGE, most);
		count = add_size(sizes, count, power, most);
		count = add_size(sizes, count, power + QUIRE_PAGE, most);
		count = add_size(sizes, count, power / 4 * 5 / QUIRE_PAGE * QUIRE_PAGE, most);
	}
	count = add_size(sizes, count, most / 8 * 7 / QUIRE_PAGE * QUIRE_PAGE, most);
	count = add_size(sizes, count, most - QUIRE_PAGE, most);
	return add_size(sizes, count, most, most);
}

static int place_new(const struct fixture *fixture, const struct place *place, uint64_t size)
{
	struct object object = { .size = size };
	int ret = quire_bo_create(fixture->fd, size, &object.handle);

	if (!ret)
		ret = object_place_and_wait(fixture, &object, place);
	if (!ret && !object_is_at(fixture, &object, place))
		ret = -EXDEV;
	if (!ret)
		ret = quire_bo_madvise(fixture->fd, object.handle, DRM_QUIRE_MADV_DONTNEED, NULL);
	object_close(fixture, &object);
	return ret;
}

static int place_all(const struct fixture *fixture, const struct place *place,
		     const uint64_t *sizes, size_t count)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		ret = place_new(fixture, place, sizes[i]);
		if (ret)
			tap_diag("size %" PRIu64, sizes[i]);
	}
	return ret;
}

static void test_too_large(const struct fixture *fixture, const struct place *place,
			   uint64_t most)
{
	int64_t begin;
	struct object object = { .size = most + QUIRE_PAGE };
	int ret = quire_bo_create(fixture->fd, object.size, &object.handle);

	if (ret == -E2BIG) {
		tap_skip("no object is that large", "%s: refused at once", place->name);
		return;
	}
	begin = quire_now_ns();
	if (!ret)
		ret = object_place(fixture, &object, place);
	tap_ret(ret, -ENOSPC, "%s: a page more than there is", place->name);
	tap_ok(quire_now_ns() - begin < REFUSED_MS * 1000000ll, "refused at once");
	object_close(fixture, &object);
}

/* Odd sizes all over VRAM: no hole is a block of the allocator. */
static int fill_vram(const struct fixture *fixture, struct object *fillers)
{
	uint64_t size = fixture_vram(fixture) / NR_FILLERS / QUIRE_PAGE;
	int ret = 0;

	for (unsigned int i = 0; i < NR_FILLERS && !ret; i++) {
		ret = object_create(fixture, &fillers[i], (size - 2 + i % 4) * QUIRE_PAGE, i);
		if (!ret)
			ret = object_place(fixture, &fillers[i], &places[2]);
	}
	return ret;
}

static int place_fillers(const struct fixture *fixture, const struct object *fillers)
{
	int ret = 0;

	for (unsigned int i = 0; i < NR_FILLERS && !ret; i++)
		ret = object_place(fixture, &fillers[i], &places[2]);
	return ret;
}

static void test_full(const struct fixture *fixture, const struct object *fillers,
		      const struct place *place, uint64_t most)
{
	uint64_t sizes[] = {
		QUIRE_PAGE, most / 3 / QUIRE_PAGE * QUIRE_PAGE,
		most / 4 * 3 / QUIRE_PAGE * QUIRE_PAGE, most,
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sizes) && !ret; i++) {
		ret = place_fillers(fixture, fillers);
		if (!ret)
			ret = place_new(fixture, place, sizes[i]);
		if (ret)
			tap_diag("size %" PRIu64, sizes[i]);
	}
	tap_ret(ret, 0, "%s: %zu sizes where others are in the way", place->name,
		ARRAY_SIZE(sizes));
}

/*
 * Every second one has left: there is more room than is needed, but no hole is as large. What
 * is one run is one FILL.
 */
static void test_holes(const struct fixture *fixture, const struct object *fillers)
{
	struct object object = { .size = fillers[0].size * 2 };
	struct debugfs_counter before, after;
	int ret;

	if (!*fixture->debugfs) {
		tap_skip("no debugfs, or not root", "a run where there are holes");
		return;
	}
	ret = place_fillers(fixture, fillers);
	for (unsigned int i = 0; i < NR_FILLERS && !ret; i += 2)
		ret = object_place_and_wait(fixture, &fillers[i], &places[0]);
	tap_ret(ret, 0, "every second one leaves VRAM");
	tap_ret(quire_bo_create(fixture->fd, object.size, &object.handle), 0, "create");
	if (debugfs_counter(fixture->debugfs, "FILL", &before))
		tap_bail("no counter of FILL");
	tap_ret(object_place_and_wait(fixture, &object, &places[FIRST_PLACE]), 0,
		"place it in %s", places[FIRST_PLACE].name);
	debugfs_counter(fixture->debugfs, "FILL", &after);
	tap_ok(after.count == before.count + 1 && after.bytes == before.bytes + object.size,
	       "it is one run (%" PRIu64 ")", after.count - before.count);
	object_close(fixture, &object);
}

static uint64_t evictions(const struct fixture *fixture)
{
	struct debugfs_counter to_aperture = { 0 }, to_system = { 0 };

	debugfs_counter(fixture->debugfs, "vram->aperture", &to_aperture);
	debugfs_counter(fixture->debugfs, "vram->system", &to_system);
	return to_aperture.evictions + to_system.evictions;
}

/* There is a hole in the middle: who fits into it evicts nobody. */
static void test_middle(const struct fixture *fixture)
{
	uint64_t piece = fixture_vram(fixture) / NR_PIECES, before;
	struct object pieces[NR_PIECES], object;
	int ret = 0;

	/* Other pieces than blocks of the allocator are all over VRAM. */
	if (!*fixture->debugfs || piece & (piece - 1) || fixture_visible(fixture) > 16 * piece) {
		tap_skip("no debugfs, or VRAM of another kind", "a hole in the middle");
		return;
	}
	tap_ok(fixture_settles(fixture, fixture->segments), "VRAM is empty");
	for (unsigned int i = 0; i < NR_PIECES && !ret; i++) {
		ret = quire_bo_create(fixture->fd, piece, &pieces[i].handle);
		if (!ret)
			ret = object_place(fixture, &pieces[i], &places[2]);
	}
	for (unsigned int i = 0; i < HOLE_PIECES && !ret; i++)
		ret = object_place_and_wait(fixture, &pieces[HOLE_FIRST + i], &places[0]);
	tap_ret(ret, 0, "a hole in the middle of VRAM");
	before = evictions(fixture);
	tap_ret(quire_bo_create(fixture->fd, HOLE_RUN * piece, &object.handle), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &places[INVISIBLE_RUN]), 0,
		"place it in %s", places[INVISIBLE_RUN].name);
	if (!tap_ok(evictions(fixture) == before, "it evicts nobody"))
		tap_diag("%" PRIu64 " evictions", evictions(fixture) - before);
	object_close(fixture, &object);
	for (unsigned int i = 0; i < NR_PIECES; i++)
		object_close(fixture, &pieces[i]);
	tap_ok(fixture_settles(fixture, fixture->segments), "usage is what it was");
}

/* What has left the visible part is not counted there any more. */
static void test_again(const struct fixture *fixture)
{
	uint64_t size = fixture_visible(fixture) / 4 * 3;
	int ret = place_new(fixture, &places[VISIBLE_RUN], size);

	if (!ret)
		ret = place_new(fixture, &places[VISIBLE_RUN], size);
	tap_ret(ret, 0, "%s: most of it, twice", places[VISIBLE_RUN].name);
}

static void test_empty(const struct fixture *fixture, const struct place *place, uint64_t most)
{
	uint64_t sizes[MOST_SIZES];
	size_t count = list_sizes(sizes, most);

	tap_ret(place_all(fixture, place, sizes, count), 0, "%s: %zu sizes up to %" PRIu64,
		place->name, count, most);
	test_too_large(fixture, place, most);
}

int main(void)
{
	struct object fillers[NR_FILLERS];
	struct fixture fixture;
	unsigned int wrong = 0;

	tap_start(250);
	fixture_open(&fixture);
	test_again(&fixture);
	for (size_t i = FIRST_PLACE; i < NR_PLACES; i++) {
		if (part_size(&fixture, &places[i]))
			test_empty(&fixture, &places[i], part_size(&fixture, &places[i]));
		else
			tap_skip("the device has no such place", "%s", places[i].name);
	}
	test_middle(&fixture);
	tap_ret(fill_vram(&fixture, fillers), 0, "fill VRAM");
	for (size_t i = FIRST_PLACE; i < NR_PLACES; i++) {
		if (part_size(&fixture, &places[i]))
			test_full(&fixture, fillers, &places[i],
				  part_size(&fixture, &places[i]));
	}
	test_holes(&fixture, fillers);
	for (unsigned int i = 0; i < NR_FILLERS; i++) {
		wrong += !!object_check(&fixture, &fillers[i]);
		object_close(&fixture, &fillers[i]);
	}
	tap_ok(!wrong, "the content of all that was in the way is whole");
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
