// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each allocation of the calls of an address space fails once, as in test_oom.c: what is refused
 * changed nothing, and succeeds with memory. What an address space leaves is given back also when
 * there is no memory for that. Needs a kernel with fault injection, as the debug guest has it.
 */
#include <string.h>

#include "failing.h"
#include "space.h"
#include "steps.h"

#define PAGES		16u
#define SIZE		(PAGES * QUIRE_PAGE)
/* In the table that leads to the commands, or in one more: each takes its allocations. */
#define KEPT		(SPACE_COMMANDS + QUIRE_MIB / 2)
#define CHANGED		(SPACE_COMMANDS + QUIRE_MIB)
#define NEW		(SPACE_COMMANDS + 2 * QUIRE_MIB)
#define WITHOUT_MS	500u
#define SPACES		8u

/**
 * struct scene - an address space, made anew for each call
 * @work: the device
 * @space: the address space
 * @objects: bound at KEPT and CHANGED; the second one is private
 * @bytes: content of each
 * @vm: of a call that makes one
 */
static struct scene {
	struct work work;
	struct space space;
	struct quire_object *objects[2];
	uint8_t bytes[2][SIZE];
	struct quire_vm *vm;
} scene;

static void scene_open(void)
{
	space_open(&scene.space, &scene.work);
	for (unsigned int i = 0; i < 2; i++) {
		scene.objects[i] = space_object(&scene.space, SIZE, 0, i);
		space_soil(scene.objects[i], i);
		pattern_fill(scene.bytes[i], SIZE, i);
	}
	space_map(&scene.space, KEPT, scene.objects[0], 0, SIZE);
	space_map(&scene.space, CHANGED, scene.objects[1], 0, SIZE);
}

static void scene_close(void)
{
	for (unsigned int i = 0; i < 2; i++)
		quire_object_close(scene.objects[i]);
	space_close(&scene.space);
}

/* All is evicted, page tables and registers too, and has to come back. */
static int evict(void)
{
	return debugfs_write(scene.work.fixture.debugfs, "evict_all", "1");
}

static int prepare(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	scene_open();
	return evict();
}

static int prepare_nothing(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	scene.vm = NULL;
	return 0;
}

static int run_create(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	return quire_vm_create(scene.work.device, &scene.vm);
}

static int finish_create(const struct fixture *fixture, struct object *object, int ret)
{
	ret = ret ? run_create(fixture, object) : 0;
	if (!ret)
		quire_vm_destroy(scene.vm);
	return ret;
}

static int run_context(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	quire_context_destroy(scene.space.context);
	scene.space.context = NULL;
	return quire_context_create_in(scene.space.vm, DRM_QUIRE_PRIORITY_NORMAL,
				       &scene.space.context);
}

/* With a context all is there. */
static int finish_context(const struct fixture *fixture, struct object *object, int ret)
{
	ret = ret ? run_context(fixture, object) : 0;
	if (!ret && !space_has(&scene.space, KEPT, scene.bytes[0], SIZE))
		ret = -EILSEQ;
	scene_close();
	return ret;
}

/* Of all kinds, with new tables, and over what is there. */
static int run_bind(const struct fixture *fixture, struct object *object)
{
	const struct drm_quire_bind binds[] = {
		{ .operation = DRM_QUIRE_BIND_MAP, .address = NEW, .size = SIZE,
		  .handle = quire_object_handle(scene.objects[1]) },
		{ .operation = DRM_QUIRE_BIND_UNMAP, .address = CHANGED + 4 * QUIRE_PAGE,
		  .size = 4 * QUIRE_PAGE },
		{ .operation = DRM_QUIRE_BIND_COPY, .address = CHANGED + 8 * QUIRE_PAGE,
		  .size = 2 * QUIRE_PAGE, .offset = KEPT },
		{ .operation = DRM_QUIRE_BIND_MAP_ZERO, .address = NEW + SIZE, .size = SIZE },
	};
	const struct quire_fence_point after = { .fence = scene.space.fence };
	const struct quire_binding how = { .queue = 1, .nr_signals = 1, .signals = &after };

	(void)fixture;
	(void)object;
	return quire_vm_bind(scene.space.vm, binds, ARRAY_SIZE(binds), &how, NULL);
}

static bool is_as_before(void)
{
	struct space *space = &scene.space;

	return space_has(space, KEPT, scene.bytes[0], SIZE) &&
	       space_has(space, CHANGED, scene.bytes[1], SIZE) && space_faults(space, NEW) &&
	       space_faults(space, NEW + SIZE);
}

static bool is_bound(void)
{
	const uint8_t *bytes = scene.bytes[1];
	struct space *space = &scene.space;

	return space_has(space, KEPT, scene.bytes[0], SIZE) &&
	       space_has(space, NEW, bytes, SIZE) && space_is_zero(space, NEW + SIZE, SIZE) &&
	       space_has(space, CHANGED, bytes, 4 * QUIRE_PAGE) &&
	       space_faults(space, CHANGED + 4 * QUIRE_PAGE) &&
	       space_has(space, CHANGED + 8 * QUIRE_PAGE, scene.bytes[0], 2 * QUIRE_PAGE) &&
	       space_has(space, CHANGED + 10 * QUIRE_PAGE, bytes + 10 * QUIRE_PAGE,
			 6 * QUIRE_PAGE);
}

static int finish_bind(const struct fixture *fixture, struct object *object, int ret)
{
	if (ret)
		ret = is_as_before() ? run_bind(fixture, object) : -EPROTO;
	ret = ret ?: work_fence_wait(scene.space.fence);
	if (!ret && !is_bound())
		ret = -EILSEQ;
	scene_close();
	return ret;
}

static void write_commands(void)
{
	struct quire_writer *writer = &scene.space.writer;

	space_rewind(&scene.space);
	scene.space.results[0] = SPACE_NO_HASH;
	quire_write_copy(writer, KEPT, CHANGED, QUIRE_PAGE);
	quire_write_value(writer, SPACE_RESULTS, 5);
}

static int prepare_exec(const struct fixture *fixture, struct object *object)
{
	int ret = prepare(fixture, object);

	write_commands();
	return ret;
}

/* Nothing here but the call allocates. */
static int run_exec(const struct fixture *fixture, struct object *object)
{
	(void)fixture;
	(void)object;
	scene.space.begin = 0;
	return space_exec(&scene.space, NULL, scene.space.fence);
}

/* Refused: nothing was executed, and the context is good. */
static int finish_exec(const struct fixture *fixture, struct object *object, int ret)
{
	if (ret && (scene.space.results[0] != SPACE_NO_HASH ||
		    work_context_status(scene.space.context) != DRM_QUIRE_CONTEXT_GOOD))
		return -EPROTO;
	if (ret)
		ret = run_exec(fixture, object);
	ret = ret ?: work_fence_wait(scene.space.fence);
	space_rewind(&scene.space);
	memcpy(scene.bytes[1], scene.bytes[0], QUIRE_PAGE);
	if (!ret && (scene.space.results[0] != 5 ||
		     !space_has(&scene.space, CHANGED, scene.bytes[1], SIZE)))
		ret = -EILSEQ;
	scene_close();
	return ret;
}

static const struct step steps[] = {
	{ "an address space", prepare_nothing, run_create, finish_create },
	{ "a context", prepare, run_context, finish_context },
	{ "binds", prepare, run_bind, finish_bind },
	{ "commands", prepare_exec, run_exec, finish_exec },
};

/* The same addresses of others lead nowhere, though their root may be the page that it had. */
static bool is_forgotten(void)
{
	struct space spaces[SPACES];
	bool right = true;

	for (unsigned int i = 0; i < SPACES; i++) {
		space_open(&spaces[i], &scene.work);
		right &= space_faults(&spaces[i], KEPT) && space_faults(&spaces[i], CHANGED);
	}
	for (unsigned int i = 0; i < SPACES; i++)
		space_close(&spaces[i]);
	return right;
}

static void open_at_work(void)
{
	scene_open();
	tap_ok(space_has(&scene.space, KEPT, scene.bytes[0], SIZE) &&
	       space_has(&scene.space, CHANGED, scene.bytes[1], SIZE), "an address space at work");
}

/* Nobody is there any more who could be told. */
static void test_destroyed(const char *function, const char *what)
{
	const struct fixture *fixture = &scene.work.fixture;
	uint64_t flushed;

	/* Or else more than one is forgotten. */
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is dying");
	open_at_work();
	fixture_flush_discards(fixture);
	flushed = spaces_executed(fixture, QUIRE_OP_FLUSH_TLB);
	if (!failing_within(function))
		tap_bail("failing_within");
	tap_ok(failing_all(0, 0), "there is no memory to %s", what);
	scene_close();
	test_sleep_ms(WITHOUT_MS);
	tap_ok(spaces_executed(fixture, QUIRE_OP_FLUSH_TLB) == flushed,
	       "so the device remembers it");
	tap_ok(failing_none(), "there is memory again");
	tap_ok(fixture_settles(fixture, fixture->segments), "it is given back");
	tap_ok(spaces_executed(fixture, QUIRE_OP_FLUSH_TLB) == flushed + 1,
	       "and the device has forgotten it");
	tap_ok(is_forgotten(), "and nobody finds what was bound there");
}

/* What leaves without that its entries are taken away is found where it is then. */
static void test_evicted(void)
{
	struct quire_object *other = work_object(&scene.work, SIZE);
	const int fd = scene.work.fixture.fd;

	open_at_work();
	if (!failing_within("quire_vm_bo_leaves"))
		tap_bail("failing_within");
	tap_ok(failing_all(0, 0), "there is no memory to have its entries written");
	tap_ret(quire_bo_place(fd, quire_object_handle(scene.objects[0]),
			       DRM_QUIRE_SEGMENT_APERTURE, 0), 0, "it leaves");
	tap_ok(failing_none(), "there is memory again");
	space_soil(other, 7);
	tap_ret(quire_bo_place(fd, quire_object_handle(other), DRM_QUIRE_SEGMENT_VRAM, 0), 0,
		"another one comes to its place");
	tap_ok(space_has(&scene.space, KEPT, scene.bytes[0], SIZE) &&
	       space_has(&scene.space, CHANGED, scene.bytes[1], SIZE), "it is found where it is");
	scene_close();
	quire_object_close(other);
}

int main(void)
{
	struct object object;

	tap_start(450);
	work_begin(&scene.work);
	if (!*scene.work.fixture.debugfs || !failing_begin())
		tap_skip_all("a kernel without fault injection, or not root");
	tap_ret(object_create(&scene.work.fixture, &object, QUIRE_PAGE, 1), 0, "create");
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		step_test(&scene.work.fixture, &object, &steps[i]);
	object_close(&scene.work.fixture, &object);
	test_evicted();
	test_destroyed("vm_release_work", "take it down");
	test_destroyed("quire_vm_forget", "have the device forget it");
	failing_end();
	work_end(&scene.work);
	return tap_done();
}
