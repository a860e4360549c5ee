// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A set four times as large as VRAM goes through it. */
#include <inttypes.h>
#include <stdlib.h>

#include "fixture.h"

#define LARGEST	(2 * QUIRE_MIB)
#define ROUNDS	2

/**
 * struct working_set - the objects
 * @objects: the objects
 * @count: number of @objects
 * @bytes: of all of them
 * @random: state
 */
struct working_set {
	struct object *objects;
	size_t count;
	uint64_t bytes;
	uint64_t random;
};

static const struct place vram_place = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };

/* Sizes of a real set: many small ones, some large ones. */
static uint64_t random_size(uint64_t *random)
{
	uint64_t limit = LARGEST / QUIRE_PAGE;

	if (random_below(random, 2))
		limit /= 32;
	return (1 + random_below(random, limit)) * QUIRE_PAGE;
}

static int set_create(const struct fixture *fixture, struct working_set *set, uint64_t bytes)
{
	size_t most = bytes / QUIRE_PAGE;
	int ret = 0;

	set->objects = calloc(most, sizeof(*set->objects));
	if (!set->objects)
		return -ENOMEM;
	while (set->bytes < bytes && !ret) {
		uint64_t size = random_size(&set->random);

		ret = object_create(fixture, &set->objects[set->count], size, set->count);
		set->count++;
		set->bytes += size;
	}
	return ret;
}

static int set_round(const struct fixture *fixture, struct working_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct object *object = &set->objects[random_below(&set->random, set->count)];
		uint32_t flags = random_below(&set->random, 4) ? 0 : DRM_QUIRE_PLACE_CONTIGUOUS;
		int ret = quire_bo_place(fixture->fd, object->handle, DRM_QUIRE_SEGMENT_VRAM,
					 flags);

		if (!ret && !random_below(&set->random, 16))
			ret = object_check(fixture, object);
		if (ret)
			return ret;
	}
	return 0;
}

/* Every object once, so that all of VRAM's content is replaced several times. */
static int set_sweep(const struct fixture *fixture, struct working_set *set)
{
	int ret = 0;

	for (size_t i = 0; i < set->count && !ret; i++)
		ret = object_place(fixture, &set->objects[i], &vram_place);
	return ret;
}

static uint64_t bytes_in_vram(const struct fixture *fixture, const struct working_set *set)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (object_segment(fixture, &set->objects[i]) == DRM_QUIRE_SEGMENT_VRAM)
			bytes += set->objects[i].size;
	}
	return bytes;
}

static void test_residency(const struct fixture *fixture, const struct working_set *set)
{
	uint64_t resident = bytes_in_vram(fixture, set);
	uint64_t vram = fixture_vram(fixture);

	tap_diag("%" PRIu64 " of %" PRIu64 " bytes are in VRAM", resident, set->bytes);
	tap_ok(resident <= vram, "no more is in VRAM than it has");
	tap_ok(resident >= vram / 2, "VRAM is used");
}

static void test_content(const struct fixture *fixture, const struct working_set *set)
{
	size_t wrong = 0;

	for (size_t i = 0; i < set->count; i++)
		wrong += !!object_check(fixture, &set->objects[i]);
	tap_ok(!wrong, "content of all %zu objects is whole (%zu are not)", set->count, wrong);
}

int main(void)
{
	struct working_set set = { .random = 1 };
	struct fixture fixture;
	uint64_t vram, bytes;

	tap_start(180);
	fixture_open(&fixture);
	vram = fixture_vram(&fixture);
	bytes = 4 * vram;
	tap_ret(set_create(&fixture, &set, bytes), 0, "create %" PRIu64 " MiB for %" PRIu64
		" MiB of VRAM", bytes / QUIRE_MIB, vram / QUIRE_MIB);
	tap_ret(set_sweep(&fixture, &set), 0, "all of it once into VRAM");
	test_residency(&fixture, &set);
	for (int i = 0; i < ROUNDS; i++)
		tap_ret(set_round(&fixture, &set), 0, "random round %d", i + 1);
	test_content(&fixture, &set);
	for (size_t i = 0; i < set.count; i++)
		object_close(&fixture, &set.objects[i]);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
