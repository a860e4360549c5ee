// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Content survives the move between every pair of places, for odd sizes too. */
#include <stdlib.h>

#include "fixture.h"

/* From one place to another; the content is looked at in the second one. */
static int move(const struct fixture *fixture, const struct object *object,
		const struct place *from, const struct place *to)
{
	int ret = object_place_and_wait(fixture, object, from);

	if (!ret && !object_is_at(fixture, object, from))
		return -EXDEV;
	if (!ret)
		ret = object_place_and_wait(fixture, object, to);
	if (!ret && !object_is_at(fixture, object, to))
		return -EXDEV;
	return ret ? ret : object_check(fixture, object);
}

/* One check per pair: all sizes go through it. */
static void test_pair(const struct fixture *fixture, const struct object *objects, size_t count,
		      const struct place *from, const struct place *to)
{
	unsigned int moved = 0;
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		if (!fixture_has_place(fixture, from, objects[i].size) ||
		    !fixture_has_place(fixture, to, objects[i].size))
			continue;
		ret = move(fixture, &objects[i], from, to);
		if (ret)
			tap_diag("size %llu", (unsigned long long)objects[i].size);
		moved++;
	}
	if (moved || ret)
		tap_ret(ret, 0, "%s to %s", from->name, to->name);
	else
		tap_skip("the device has no such place", "%s to %s", from->name, to->name);
}

/* A fresh object reads as zero wherever it is placed first. */
static void test_fresh(const struct fixture *fixture, const struct place *place)
{
	struct object object = { .size = 33 * QUIRE_PAGE };
	int ret;

	if (!fixture_has_place(fixture, place, object.size)) {
		tap_skip("the device has no such place", "fresh object in %s", place->name);
		return;
	}
	ret = quire_bo_create(fixture->fd, object.size, &object.handle);
	if (!ret)
		ret = object_place_and_wait(fixture, &object, place);
	if (!ret)
		ret = object_check_zero(fixture, &object);
	tap_ret(ret, 0, "fresh object in %s reads as zero", place->name);
	object_close(fixture, &object);
}

/* Many moves without a wait in between: only the last place counts. */
static void test_queued(const struct fixture *fixture, const struct object *object)
{
	uint64_t random = 42;
	int ret = 0;

	for (int i = 0; i < 100 && !ret; i++) {
		const struct place *place = &places[random_below(&random, NR_PLACES)];

		if (fixture_has_place(fixture, place, object->size))
			ret = object_place(fixture, object, place);
	}
	tap_ret(ret, 0, "a hundred moves in a row are taken");
	tap_ret(object_check(fixture, object), 0, "and the content is whole");
}

int main(void)
{
	uint64_t sizes[] = {
		QUIRE_PAGE, 3 * QUIRE_PAGE, 257 * QUIRE_PAGE, 3 * QUIRE_MIB + QUIRE_PAGE,
	};
	struct object objects[ARRAY_SIZE(sizes)];
	const size_t count = ARRAY_SIZE(sizes);
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	for (size_t i = 0; i < count; i++)
		tap_ret(object_create(&fixture, &objects[i], sizes[i], i + 1), 0,
			"create %llu bytes", (unsigned long long)sizes[i]);
	for (size_t from = 0; from < NR_PLACES; from++) {
		for (size_t to = 0; to < NR_PLACES; to++)
			test_pair(&fixture, objects, count, &places[from], &places[to]);
	}
	for (size_t i = 0; i < NR_PLACES; i++)
		test_fresh(&fixture, &places[i]);
	test_queued(&fixture, &objects[count - 1]);
	for (size_t i = 0; i < count; i++)
		object_close(&fixture, &objects[i]);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
