// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Many programs with address spaces of their own, which bind, execute, go where they must not,
 * and are killed whatever they are at: those that are left find what they wrote, and nothing is
 * left of the others.
 *
 * Usage: quire-test-vm-storm [PROCESSES [SECONDS]]
 */
#include <stdlib.h>
#include <string.h>

#include "space.h"
#include "storm.h"
#include "xxh64.h"

#define PROCESSES	16u
#define SECONDS		12u
#define OBJECTS		8u
#define SIZE		(64 * QUIRE_PAGE)
#define BASE		0x4000000000ull
#define TURNS		40u

static const struct drm_quire_bind unbind_all = {
	.operation = DRM_QUIRE_BIND_UNMAP, .address = BASE, .size = OBJECTS * SIZE,
};

/* Returns false if it is not as it should be. */
static bool write_and_look(struct space *space, uint64_t *random)
{
	static uint32_t bytes[SIZE / 4];
	unsigned int from = random_below(random, OBJECTS), to = random_below(random, OBJECTS);
	uint32_t number = random_next(random);

	quire_write_fill(&space->writer, BASE + from * SIZE, SIZE, number);
	quire_write_copy(&space->writer, BASE + from * SIZE, BASE + to * SIZE, SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++)
		bytes[i] = number;
	return space_has(space, BASE + to * SIZE, bytes, SIZE);
}

static bool go_wrong(struct space *space)
{
	bool right;

	quire_write_fill(&space->writer, BASE + OBJECTS * SIZE - QUIRE_PAGE, 2 * QUIRE_PAGE, 1);
	right = space_run(space) == -EIO &&
		work_context_status(space->context) == DRM_QUIRE_CONTEXT_FAULTED;
	space_renew_context(space);
	return right;
}

/* In pieces, later, in any queue; the commands that follow wait for it. */
static bool bind_anew(struct space *space, struct quire_object *const *objects, uint64_t *random)
{
	struct drm_quire_bind binds[OBJECTS + 1] = { unbind_all };
	const struct quire_fence_point after = { .fence = space->fence };
	const struct quire_binding how = {
		.queue = random_below(random, DRM_QUIRE_BIND_QUEUES),
		.nr_signals = 1, .signals = &after,
	};

	for (unsigned int i = 0; i < OBJECTS; i++)
		binds[i + 1] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP, .address = BASE + i * SIZE, .size = SIZE,
			.handle = quire_object_handle(objects[i]),
		};
	if (quire_vm_bind(space->vm, binds, ARRAY_SIZE(binds), &how, NULL))
		return false;
	quire_write_fill(&space->writer, BASE, SIZE, 7);
	return !space_exec(space, space->fence, space->fence) && !work_fence_wait(space->fence);
}

/* Another address space is made, and destroyed with its work. */
static bool forget_another(struct space *space, struct quire_object *object)
{
	struct space other;
	int ret;

	space_open(&other, space->work);
	space_map(&other, BASE, object, 0, SIZE);
	quire_write_checksum(&other.writer, BASE, SIZE, SPACE_RESULTS);
	ret = space_exec(&other, NULL, NULL);
	space_close(&other);
	return !ret;
}

static bool one_turn(struct space *space, struct quire_object *const *objects, uint64_t *random)
{
	switch (random_below(random, 6)) {
	case 0:
		return go_wrong(space);
	case 1:
		return bind_anew(space, objects, random);
	case 2:
		return forget_another(space, objects[OBJECTS - 1]);
	default:
		return write_and_look(space, random);
	}
}

static int run(uint64_t seed)
{
	struct quire_object *objects[OBJECTS];
	struct space space;
	struct work work;
	bool right = true;

	work_open(&work);
	space_open(&space, &work);
	space.ring = seed % work.fixture.info.execution_rings;
	for (unsigned int i = 0; i < OBJECTS; i++) {
		/* the last one is bound elsewhere, too */
		objects[i] = space_object(&space, SIZE, 0, i % 2 && i != OBJECTS - 1);
		space_map(&space, BASE + i * SIZE, objects[i], 0, SIZE);
	}
	for (unsigned int i = 0; i < TURNS && right; i++)
		right = one_turn(&space, objects, &seed);
	for (unsigned int i = 0; i < OBJECTS; i++)
		quire_object_close(objects[i]);
	space_close(&space);
	work_close(&work);
	return right ? 0 : 1;
}

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? strtoul(argv[1], NULL, 0) : PROCESSES;
	unsigned int seconds = argc > 2 ? strtoul(argv[2], NULL, 0) : SECONDS;
	struct work work;

	tap_start(380);
	work_begin(&work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	storm_blow(run, count, seconds);
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
