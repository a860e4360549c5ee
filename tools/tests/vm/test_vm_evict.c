// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is bound is evicted and comes back when something is executed: by programs that need more
 * than fits, by everything being evicted, by being placed elsewhere; so do page tables. What
 * lost its content is refused until that is known.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dmabuf.h"
#include "kprobe.h"
#include "refuse.h"
#include "space.h"
#include "vgem.h"
#include "xxh64.h"

#define SIZE	(64 * QUIRE_PAGE)

/* Together more than the 2,048 paging buffers of 256 bytes; those alone leave some of them. */
#define NR_MAPPED	1900u
#define NR_DEAD		200u

#define FEW_TRIES	20u	/* to find room, where nothing changes */
#define NR_REFUSED	600u	/* a page of memory for each would be more than may be queued */
#define BASE	0x100000000ull
#define VRAM	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_VRAM)
#define APART	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

static uint8_t pattern[SIZE];

static uint64_t hash_of(uint64_t key)
{
	pattern_fill(pattern, SIZE, key);
	return xxh64(pattern, SIZE);
}

/* What a bind leaves of an object on both sides is evicted with it, and comes back with it. */
static void test_rest(struct work *work)
{
	struct quire_object *object, *other = work_object_in(work, SIZE, VRAM);
	struct space space;
	uint32_t segment;

	space_open(&space, work);
	object = space_object(&space, SIZE, 0, false);
	space_soil(object, 1);
	space_map(&space, BASE, object, 0, SIZE);
	space_unmap(&space, BASE + 8 * QUIRE_PAGE, 8 * QUIRE_PAGE);
	hash_of(1);
	tap_ok(space_has(&space, BASE, pattern, 8 * QUIRE_PAGE) &&
	       space_has(&space, BASE + 16 * QUIRE_PAGE, pattern + 16 * QUIRE_PAGE,
			 SIZE - 16 * QUIRE_PAGE), "what is left on both sides");
	quire_segment_instance(work->fixture.fd, DRM_QUIRE_SEGMENT_SYSTEM, &segment);
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(object), segment, 0) ?:
		quire_bo_wait(work->fixture.fd, quire_object_handle(object), WAIT_MS), 0,
		"it leaves, and gets other content");
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(other),
			       DRM_QUIRE_SEGMENT_VRAM, 0), 0, "another one gets its place");
	space_soil(object, 2);
	hash_of(2);
	tap_ok(space_has(&space, BASE, pattern, 8 * QUIRE_PAGE), "found in front of the hole");
	tap_ok(space_has(&space, BASE + 16 * QUIRE_PAGE, pattern + 16 * QUIRE_PAGE,
			 SIZE - 16 * QUIRE_PAGE), "and behind it");
	quire_object_close(other);
	quire_object_close(object);
	space_close(&space);
}

/* To every place, by the program, and back by what is executed. */
static void test_places(struct work *work, bool is_private)
{
	struct quire_object *object;
	struct space space;

	space_open(&space, work);
	object = space_object(&space, SIZE, 0, is_private);
	space_soil(object, 1);
	space_map(&space, BASE, object, 0, SIZE);
	space_map(&space, 3 * BASE, object, QUIRE_PAGE, 5 * QUIRE_PAGE);
	hash_of(1);
	for (unsigned int i = 0; i < 3 * NR_PLACES; i++) {
		const struct place *place = &places[i * 5 % NR_PLACES];

		if (!fixture_has_place(&work->fixture, place, SIZE))
			continue;
		tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(object),
				       place->segment, place->flags), 0, "to %s", place->name);
		tap_ok(space_has(&space, BASE, pattern, SIZE) &&
		       space_has(&space, 3 * BASE, pattern + QUIRE_PAGE, 5 * QUIRE_PAGE),
		       "all of it is found");
		memset(pattern + i * QUIRE_PAGE, i, QUIRE_PAGE);
		quire_write_fill(&space.writer, BASE + i * QUIRE_PAGE, QUIRE_PAGE, i * 0x01010101);
		tap_ret(space_run(&space), 0, "and written");
	}
	tap_ok(!memcmp(space_bytes(object), pattern, SIZE), "the CPU finds the same");
	quire_object_close(object);
	space_close(&space);
}

/* They leave VRAM, and come back. */
static int to_and_fro(struct work *work, struct quire_object **objects)
{
	static const uint32_t segments[] = { DRM_QUIRE_SEGMENT_SYSTEM, DRM_QUIRE_SEGMENT_VRAM };
	int fd = work->fixture.fd;
	int ret = 0;

	for (unsigned int i = 0; i < 2; i++)
		for (unsigned int j = 0; j < 2 && !ret; j++)
			ret = quire_bo_place(fd, quire_object_handle(objects[i]), segments[j], 0) ?:
			      quire_bo_wait(fd, quire_object_handle(objects[i]), WAIT_MS);
	return ret;
}

/* They are bound in each other's place, in a while, and then their first bytes are summed. */
static int exchange(struct space *space, struct quire_object **objects, unsigned int first)
{
	const struct quire_fence_point after = { .fence = space->fence };
	const struct quire_binding how = { .nr_signals = 1, .signals = &after };
	struct drm_quire_bind binds[2];

	for (unsigned int i = 0; i < 2; i++) {
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = BASE + i * SIZE, .size = SIZE,
			.handle = quire_object_handle(objects[(first + i) % 2]),
		};
		quire_write_checksum(&space->writer, BASE + i * SIZE, SIZE, SPACE_RESULTS + 8 * i);
		space->results[i] = SPACE_NO_HASH;
	}
	return quire_vm_bind(space->vm, binds, 2, &how, NULL) ?:
	       space_exec(space, space->fence, space->fence) ?: work_fence_wait(space->fence);
}

#define EXCHANGES	8u

/*
 * What is bound has no entries, though it is where it was, as nothing was executed since it came
 * back; a bind has the old ones written before its own.
 */
static void test_exchange(struct work *work, bool is_private)
{
	struct quire_object *objects[2];
	unsigned int right = 0;
	struct space space;
	int ret = 0;

	space_open(&space, work);
	for (unsigned int i = 0; i < 2; i++) {
		objects[i] = space_object(&space, SIZE, 0, is_private);
		space_soil(objects[i], i);
		space_map(&space, BASE + i * SIZE, objects[i], 0, SIZE);
	}
	for (unsigned int i = 1; i <= EXCHANGES && !ret; i++) {
		ret = to_and_fro(work, objects) ?: exchange(&space, objects, i);
		right += space.results[0] == hash_of(i % 2) &&
			 space.results[1] == hash_of((i + 1) % 2);
		space_rewind(&space);
	}
	tap_ret(ret, 0, "%s objects leave, come back, and change places",
		is_private ? "private" : "external");
	tap_ok(right == EXCHANGES, "each is found where it is bound (%u of %u)", right, EXCHANGES);
	for (unsigned int i = 0; i < 2; i++)
		quire_object_close(objects[i]);
	space_close(&space);
}

#define SPACES	4u

/* Working sets of several address spaces that do not fit together, each of which does. */
static void test_working_sets(struct work *work)
{
	const unsigned int count = fixture_vram(&work->fixture) / 2 / SIZE;
	struct quire_object **objects = calloc(SPACES * count, sizeof(*objects));
	struct space spaces[SPACES];
	bool right = true;

	for (unsigned int i = 0; i < SPACES; i++) {
		space_open(&spaces[i], work);
		spaces[i].ring = i % work->fixture.info.execution_rings;
		for (unsigned int j = 0; j < count; j++) {
			struct quire_object *object = space_object(&spaces[i], SIZE, VRAM, j % 2);

			objects[i * count + j] = object;
			space_map(&spaces[i], BASE + j * SIZE, object, 0, SIZE);
			quire_write_fill(&spaces[i].writer, BASE + j * SIZE, SIZE, i << 16 | j);
		}
		right &= !space_run(&spaces[i]);
	}
	tap_ok(right, "%u spaces with half of VRAM each", SPACES);
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < SPACES; i++) {
			struct space *space = &spaces[(i + round) % SPACES];
			const uint32_t number = (i + round) % SPACES << 16;

			for (unsigned int j = 0; j < count; j++)
				quire_write_checksum(&space->writer, BASE + j * SIZE, SIZE,
						     SPACE_RESULTS + 8 * j);
			right &= !space_run(space);
			for (unsigned int j = 0; j < count; j++) {
				for (size_t n = 0; n < SIZE / 4; n++)
					((uint32_t *)pattern)[n] = number | j;
				right &= space->results[j] == xxh64(pattern, SIZE);
			}
		}
	}
	tap_ok(right, "each finds its own, by turns");
	for (unsigned int i = 0; i < SPACES * count; i++)
		quire_object_close(objects[i]);
	for (unsigned int i = 0; i < SPACES; i++)
		space_close(&spaces[i]);
	free(objects);
}

/* Makes room for objects of its own, for ever. */
static pid_t start_rival(const struct work *work)
{
	const unsigned int count = fixture_vram(&work->fixture) / QUIRE_MIB;
	pid_t pid = child_start(60);
	struct fixture fixture;
	uint32_t handles[256];

	if (pid)
		return pid;
	fixture_open(&fixture);
	for (unsigned int i = 0; i < count && i < ARRAY_SIZE(handles); i++)
		if (quire_bo_create(fixture.fd, QUIRE_MIB, &handles[i]))
			_exit(1);
	for (unsigned int i = 0;; i++)
		if (quire_bo_place(fixture.fd, handles[i % count], DRM_QUIRE_SEGMENT_VRAM, 0))
			_exit(2);
}

static pid_t start_evicting(const struct work *work)
{
	pid_t pid = child_start(60);

	if (pid)
		return pid;
	for (;;) {
		if (debugfs_write(work->fixture.debugfs, "evict_all", "1"))
			_exit(1);
		test_sleep_ms(5);
	}
}

#define OBJECTS	32u
#define ROUNDS	20u

/* Each round adds one page of each object to the next one's. */
static void test_against(struct work *work, pid_t (*start)(const struct work *work),
			 const char *name)
{
	static uint8_t model[OBJECTS][SIZE];
	struct quire_object *objects[OBJECTS];
	struct space space;
	bool right = true;
	pid_t pid;

	space_open(&space, work);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		objects[i] = space_object(&space, SIZE, i % 4 ? 0 : VRAM, i % 2);
		space_soil(objects[i], i);
		pattern_fill(model[i], SIZE, i);
		space_map(&space, BASE + i * SIZE, objects[i], 0, SIZE);
	}
	pid = start(work);
	for (unsigned int round = 0; round < ROUNDS && right; round++) {
		for (unsigned int i = 0; i < OBJECTS; i++) {
			unsigned int next = (i + 1) % OBJECTS;
			uint64_t from = (round * 3 + i) % 63 * QUIRE_PAGE + 5;
			uint64_t to = (round + 7 * i) % 63 * QUIRE_PAGE + 1000;

			quire_write_copy(&space.writer, BASE + i * SIZE + from,
					 BASE + next * SIZE + to, QUIRE_PAGE);
			memcpy(model[next] + to, model[i] + from, QUIRE_PAGE);
			quire_write_checksum(&space.writer, BASE + next * SIZE, SIZE,
					     SPACE_RESULTS + 8 * next);
		}
		right &= !space_run(&space);
		for (unsigned int i = 1; i < OBJECTS; i++)
			right &= space.results[i] == xxh64(model[i], SIZE);
		if (!right)
			tap_diag("round %u", round);
	}
	tap_ok(right, "%s: what is found is right, %u rounds", name, ROUNDS);
	tap_ok(child_is_running(pid), "%s: the other one goes on", name);
	child_kill(pid);
	for (unsigned int i = 0; i < OBJECTS; i++) {
		right &= !memcmp(space_bytes(objects[i]), model[i], SIZE);
		quire_object_close(objects[i]);
	}
	tap_ok(right, "%s: and so does the CPU", name);
	space_close(&space);
}

/* Queued and at work while everything is to be evicted: it waits. */
static void test_at_work(struct work *work)
{
	struct quire_object *object;
	struct space space;

	space_open(&space, work);
	object = space_object(&space, SIZE, 0, true);
	space_soil(object, 1);
	space_map(&space, BASE, object, 0, SIZE);
	quire_write_delay(&space.writer, 300000000);
	quire_write_fill(&space.writer, BASE, SIZE, 0x22222222);
	tap_ret(space_exec(&space, NULL, space.fence), 0, "something takes a while");
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ret(quire_fence_wait(space.fence, 0, 0), 0, "that waited for it");
	space_rewind(&space);
	memset(pattern, 0x22, SIZE);
	tap_ok(!memcmp(space_bytes(object), pattern, SIZE), "it was executed where it should");
	tap_ok(space_has(&space, BASE, pattern, SIZE), "and comes back");
	quire_object_close(object);
	space_close(&space);
}

static int madvise_object(const struct work *work, const struct quire_object *object,
			  uint32_t advice, bool *retained)
{
	return quire_bo_madvise(work->fixture.fd, quire_object_handle(object), advice, retained);
}

static int run_nothing(struct space *space)
{
	quire_write_delay(&space->writer, 0);
	return space_run(space);
}

/* What is refused takes nothing of what an address space, or a context, may have queued. */
static void refuse_often(struct space *space, const struct drm_quire_bind *bind)
{
	int bound = -ENODATA, ran = -ENODATA;

	for (unsigned int i = 0; i < NR_REFUSED && bound == -ENODATA; i++)
		bound = quire_vm_bind(space->vm, bind, 1, NULL, NULL);
	tap_ret(bound, -ENODATA, "%u times", NR_REFUSED);
	for (unsigned int i = 0; i < NR_REFUSED && ran == -ENODATA; i++)
		ran = run_nothing(space);
	tap_ret(ran, -ENODATA, "so often is nothing executed");
}

/* Content that may go does, and the program is told. */
static void test_purged(struct work *work)
{
	struct quire_object *object, *other;
	struct drm_quire_bind bind = { .address = 5 * BASE, .size = SIZE };
	struct space space;
	uint32_t refused = 7;
	bool retained;

	space_open(&space, work);
	object = space_object(&space, SIZE, 0, false);
	other = space_object(&space, SIZE, 0, false);
	space_soil(object, 1);
	space_soil(other, 2);
	space_map(&space, BASE, object, 0, SIZE);
	space_map(&space, 2 * BASE, other, 0, SIZE);
	tap_ret(madvise_object(work, object, DRM_QUIRE_MADV_DONTNEED, NULL), 0, "not needed");
	tap_ok(space_hash(&space, BASE, SIZE) == hash_of(1), "it is there yet");
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ret(run_nothing(&space), -ENODATA, "nothing is executed with what is purged");
	tap_ok(space.refused == BASE, "it is bound at %#" PRIx64, space.refused);
	tap_ret(work_context_status(space.context), DRM_QUIRE_CONTEXT_GOOD, "the context is good");
	bind.handle = quire_object_handle(object);
	tap_ret(quire_vm_bind(space.vm, &bind, 1, NULL, &refused), -ENODATA, "nor bound");
	tap_ok(refused == 0, "it is element %u", refused);
	refuse_often(&space, &bind);
	tap_ret(madvise_object(work, object, DRM_QUIRE_MADV_WILLNEED, &retained), 0, "needed");
	tap_ok(!retained, "its content is gone");
	tap_ret(quire_vm_bind(space.vm, &bind, 1, NULL, NULL), 0, "it is bound, without a wait");
	tap_ret(quire_vm_unmap(space.vm, bind.address, SIZE), 0, "and unbound");
	tap_ok(space_is_zero(&space, BASE, SIZE), "it is executed with zero");
	tap_ok(space_hash(&space, 2 * BASE, SIZE) == hash_of(2), "the other one is whole");
	/* what is purged and bound no more is in nobody's way */
	tap_ret(madvise_object(work, object, DRM_QUIRE_MADV_DONTNEED, NULL), 0, "not needed");
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ret(run_nothing(&space), -ENODATA, "purged again");
	tap_ret(quire_vm_unmap(space.vm, BASE, SIZE), 0, "unbind it");
	tap_ok(space_hash(&space, 2 * BASE, SIZE) == hash_of(2), "others execute");
	quire_object_close(object);
	quire_object_close(other);
	space_close(&space);
}

static uint64_t free_vram(const struct work *work)
{
	struct drm_quire_segment_info segments[QUIRE_CLASSES];

	if (quire_device_segments(work->device, segments))
		tap_bail("segments");
	return segments[DRM_QUIRE_SEGMENT_VRAM].size - segments[DRM_QUIRE_SEGMENT_VRAM].usage;
}

/* Room that is free, all of it. */
static struct quire_object *fill_vram(struct work *work)
{
	struct quire_object *object = work_object_in(work, free_vram(work), VRAM);

	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(object),
			       DRM_QUIRE_SEGMENT_VRAM, 0), 0, "VRAM is full");
	return object;
}

/*
 * An object is bound at BASE and seen there, and is purged, as @other needs its place. Returns what
 * fills the rest of VRAM.
 */
static struct quire_object *purge_bound(struct space *space, struct quire_object *object,
					struct quire_object *other)
{
	struct work *work = space->work;
	struct quire_object *full;

	space_soil(object, 1);
	space_soil(other, 2);
	space_map(space, BASE, object, 0, SIZE);
	tap_ok(space_hash(space, BASE, SIZE) == hash_of(1), "it is in VRAM");
	tap_ret(madvise_object(work, object, DRM_QUIRE_MADV_DONTNEED, NULL), 0, "not needed");
	full = fill_vram(work);
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(other),
			       DRM_QUIRE_SEGMENT_VRAM, 0), 0, "another one gets its place");
	return full;
}

/*
 * What is purged is bound until a bind takes its place. While that bind waits nobody is refused any
 * more, and nobody finds who came to the place that it had.
 */
static void test_left_behind(struct work *work, bool is_private)
{
	struct quire_object *object, *full, *other = work_object_in(work, SIZE, VRAM);
	struct quire_context *context = work_context(work);
	struct quire_fence *held = work_fence(work);
	const struct quire_fence_point before = { .fence = held };
	const struct quire_binding how = { .nr_waits = 1, .waits = &before };
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_UNMAP, .address = BASE, .size = SIZE,
	};
	struct space space;
	struct gate gate;

	/* Or else more is free when that has died. */
	tap_ok(fixture_comes_down(&work->fixture, DRM_QUIRE_SEGMENT_VRAM, 0), "nothing is dying");
	space_open(&space, work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	work_gate_open_apart(work, &gate);
	object = space_object(&space, SIZE, VRAM, is_private);
	full = purge_bound(&space, object, other);
	tap_ret(run_nothing(&space), -ENODATA, "nothing is executed with what is purged");
	work_wait_at(work, &gate, 1);
	tap_ret(work_submit(work, context, 1, NULL, held), 0, "work that is held");
	tap_ret(quire_vm_bind(space.vm, &bind, 1, &how, NULL), 0, "it is unbound behind that");
	tap_ok(space_faults(&space, BASE), "nobody finds the other one");
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(held), 0, "the work goes on");
	test_parameter("hang_period", 3000);
	tap_ok(space_faults(&space, BASE), "nor when it is done");
	work_gate_close(&gate);
	quire_object_close(full);
	quire_object_close(other);
	quire_object_close(object);
	quire_fence_close(held);
	quire_context_destroy(context);
	space_close(&space);
}

/* What was purged comes back elsewhere, and the device knows where it was. */
static void test_anew(struct work *work)
{
	struct quire_object *object, *full, *other = work_object_in(work, SIZE, VRAM);
	struct space space;
	bool retained;

	/* Or else more is free when that has died. */
	tap_ok(fixture_comes_down(&work->fixture, DRM_QUIRE_SEGMENT_VRAM, 0), "nothing is dying");
	space_open(&space, work);
	object = space_object(&space, SIZE, VRAM, false);
	full = purge_bound(&space, object, other);
	tap_ret(madvise_object(work, object, DRM_QUIRE_MADV_WILLNEED, &retained), 0, "needed");
	tap_ok(!retained, "its content is gone");
	quire_object_close(full);
	tap_ok(space_is_zero(&space, BASE, SIZE), "it is zero where it is now");
	quire_object_close(other);
	quire_object_close(object);
	space_close(&space);
}

static uint32_t segment_of(const struct quire_object *object)
{
	struct drm_quire_bo_info info = { 0 };

	if (quire_object_info(object, &info))
		tap_bail("info");
	return info.segment;
}

/* What is bound was used when something was executed, whatever that was. */
static void test_recent(struct work *work)
{
	struct quire_object *used, *idle = work_object_in(work, SIZE, 0), *full;
	struct quire_object *other = work_object_in(work, SIZE, VRAM);
	struct space space;

	/* Or else more is free when that has died. */
	tap_ok(fixture_comes_down(&work->fixture, DRM_QUIRE_SEGMENT_VRAM, 0), "nothing is dying");
	space_open(&space, work);
	used = space_object(&space, SIZE, 0, false);
	space_soil(used, 1);
	space_map(&space, BASE, used, 0, SIZE);
	tap_ok(space_hash(&space, BASE, SIZE) == hash_of(1), "one is used");
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(idle),
			       DRM_QUIRE_SEGMENT_VRAM, 0), 0, "another one comes after it");
	tap_ret(run_nothing(&space), 0, "something is executed");
	full = fill_vram(work);
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(other),
			       DRM_QUIRE_SEGMENT_VRAM, 0), 0, "a third one needs room");
	tap_ok(segment_of(idle) != DRM_QUIRE_SEGMENT_VRAM, "the idle one leaves");
	tap_ok(segment_of(used) == DRM_QUIRE_SEGMENT_VRAM, "the one in use stays");
	quire_object_close(full);
	quire_object_close(other);
	quire_object_close(idle);
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(used),
			       DRM_QUIRE_SEGMENT_APERTURE, 0), 0, "it goes to the aperture");
	tap_ok(space_hash(&space, BASE, SIZE) == hash_of(1), "and is used again");
	tap_ok(segment_of(used) == DRM_QUIRE_SEGMENT_VRAM, "in VRAM");
	quire_object_close(used);
	space_close(&space);
}

/* Another device has its pages, in system memory. */
static void test_pinned(struct work *work)
{
	int vgem = vgem_open_static(), dmabuf;
	struct quire_object *object;
	struct drm_quire_bind bind = { .address = 5 * BASE, .size = SIZE };
	struct quire_fence_point after = { };
	struct quire_binding how = { .nr_signals = 1, .signals = &after };
	struct space space;
	uint32_t handle, refused = 7;

	if (vgem < 0) {
		tap_skip("no vgem here, or one that pins nothing", "pinned");
		return;
	}
	space_open(&space, work);
	object = space_object(&space, SIZE, 0, false);
	space_soil(object, 1);
	space_map(&space, BASE, object, 0, SIZE);
	space_map(&space, 2 * BASE, object, 0, SIZE);
	after.fence = space.fence;
	tap_ok(space_hash(&space, BASE, SIZE) == hash_of(1), "all is well");
	dmabuf = dmabuf_export(work->fixture.fd, quire_object_handle(object));
	tap_ret(dmabuf_import(vgem, dmabuf, &handle), 0, "another device pins it");
	tap_ret(run_nothing(&space), -EBUSY, "nothing is executed with it");
	tap_ok(space.refused == BASE, "it is bound at %#" PRIx64, space.refused);
	bind.handle = quire_object_handle(object);
	tap_ret(quire_vm_bind(space.vm, &bind, 1, NULL, &refused), -EBUSY, "nor bound");
	tap_ok(refused == 0, "it is element %u", refused);
	bind = (struct drm_quire_bind){
		.operation = DRM_QUIRE_BIND_UNMAP, .address = 2 * BASE, .size = SIZE,
	};
	tap_ret(quire_vm_bind(space.vm, &bind, 1, &how, NULL) ?: work_fence_wait(space.fence), 0,
		"it can be unbound, also when others wait for that");
	close(dmabuf);
	close(vgem);
	tap_ok(space_hash(&space, BASE, SIZE) == hash_of(1), "it is executed when that is over");
	quire_object_close(object);
	space_close(&space);
}

/* Both are needed when something is executed. */
static void test_halves(struct space *space, uint64_t size)
{
	struct quire_object *half = space_object(space, size, VRAM, false);
	int ret = quire_vm_map(space->vm, 32 * BASE, half, 0, size, 0);

	/* the other one was evicted, or could not be */
	tap_ok(ret == 0 || ret == -ENOSPC, "another half: %d", ret);
	if (!ret) {
		tap_ret(run_nothing(space), -ENOSPC, "both do not fit");
		tap_ok(space->refused == 16 * BASE || space->refused == 32 * BASE,
		       "it is one of them: %#" PRIx64, space->refused);
	}
	space_unmap(space, 32 * BASE, size);
	quire_object_close(half);
	tap_ok(space_is_zero(space, 16 * BASE, SIZE), "one of them fits");
}

/* What can never fit is refused at once. */
static void test_too_much(struct work *work)
{
	const uint64_t vram = fixture_vram(&work->fixture);
	const uint64_t half = vram / 2 + QUIRE_MIB;
	struct drm_quire_bind bind = { .address = 16 * BASE, .size = vram + QUIRE_MIB };
	int64_t begin = quire_now_ns();
	struct quire_object *object;
	struct space space;
	uint32_t refused = 7;

	space_open(&space, work);
	object = space_object(&space, vram + QUIRE_MIB, VRAM, false);
	bind.handle = quire_object_handle(object);
	tap_ret(quire_vm_bind(space.vm, &bind, 1, NULL, &refused), -ENOSPC, "more than VRAM");
	tap_ok(refused == 0, "it is element %u", refused);
	quire_object_close(object);
	tap_ret(space_bind(&space, DRM_QUIRE_BIND_MAP_ZERO, 0, 1ull << 44, 1ull << 44), -ENOSPC,
		"tables that do not fit");
	tap_ok(quire_now_ns() - begin < 5000000000ll, "neither is tried for long");
	object = space_object(&space, half, VRAM, false);
	tap_ret(quire_vm_map(space.vm, 16 * BASE, object, 0, half, 0), 0, "half of it");
	test_halves(&space, half);
	quire_object_close(object);
	space_close(&space);
}

#define IDLE	24u
#define FAR	(1024 * QUIRE_MIB)	/* each has a table of its own */
#define TABLES	40u

/* Tables of address spaces that are idle go, and are made anew. */
static void test_tables(struct work *work)
{
	const uint64_t vram = fixture_vram(&work->fixture);
	struct quire_object *object = work_object_in(work, SIZE, APART);
	struct quire_object *large = work_object_in(work, vram, VRAM);
	struct space spaces[IDLE];
	unsigned int right = 0;

	space_soil(object, 1);
	for (unsigned int i = 0; i < IDLE; i++) {
		space_open(&spaces[i], work);
		for (unsigned int j = 0; j < TABLES; j++)
			space_map(&spaces[i], j * FAR, object, j * QUIRE_PAGE, QUIRE_PAGE);
	}
	hash_of(1);
	for (unsigned int round = 0; round < 3; round++) {
		tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(large),
				       DRM_QUIRE_SEGMENT_VRAM, 0), 0, "all of VRAM is needed");
		for (unsigned int i = 0; i < IDLE; i++) {
			unsigned int j = (i + round) % TABLES;

			right += space_has(&spaces[i], j * FAR, pattern + j * QUIRE_PAGE,
					   QUIRE_PAGE);
		}
	}
	tap_ok(right == 3 * IDLE, "tables are made anew (%u of %u)", right, 3 * IDLE);
	tap_ret(quire_bo_place(work->fixture.fd, quire_object_handle(large),
			       DRM_QUIRE_SEGMENT_VRAM, 0), 0, "all of VRAM is needed");
	space_unmap(&spaces[0], FAR, FAR);
	space_map(&spaces[0], FAR + SIZE, object, 0, SIZE);
	tap_ok(space_has(&spaces[0], FAR + SIZE, pattern, SIZE) &&
	       space_has(&spaces[0], 2 * FAR, pattern + 2 * QUIRE_PAGE, QUIRE_PAGE),
	       "a bind makes them anew, too");
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0, "evict everything");
	tap_ok(space_has(&spaces[1], FAR, pattern + QUIRE_PAGE, QUIRE_PAGE), "and again");
	quire_object_close(large);
	quire_object_close(object);
	for (unsigned int i = 0; i < IDLE; i++)
		space_close(&spaces[i]);
}

/*
 * Private objects share the reservation that a bind holds, so that nothing can be evicted for its
 * tables: some of those find room, others do not, and all are given back.
 */
static void test_no_tables(struct work *work)
{
	const struct drm_quire_bind far = {
		.operation = DRM_QUIRE_BIND_MAP, .address = BASE << 4, .size = QUIRE_PAGE,
	};
	struct quire_object *small, *large;
	struct drm_quire_bind bind = far;
	struct space space;
	unsigned int tries;
	bool traced;

	/* Or else more is free when that has died. */
	tap_ok(fixture_settles(&work->fixture, work->fixture.segments), "nothing is dying");
	space_open(&space, work);
	small = space_object(&space, QUIRE_PAGE, VRAM, true);
	space_map(&space, BASE, small, 0, QUIRE_PAGE);
	tap_ret(run_nothing(&space), 0, "one is bound");
	large = space_object(&space, free_vram(work) - QUIRE_PAGE, VRAM, true);
	space_map(&space, BASE + QUIRE_PAGE, large, 0, QUIRE_PAGE);
	tap_ret(run_nothing(&space), 0, "a page of VRAM is left");
	bind.handle = quire_object_handle(small);
	traced = kprobe_start("room", "ttm_bo_mem_space");
	tap_ret(quire_vm_bind(space.vm, &bind, 1, NULL, NULL), -ENOSPC,
		"which is too little for two tables");
	if (traced) {
		tries = kprobe_count("room", gettid());
		tap_ok(tries && tries <= FEW_TRIES, "it is refused after few tries (%u)", tries);
		kprobe_stop("room");
	} else {
		tap_skip("no kprobes", "it is refused after few tries");
	}
	space_unmap(&space, BASE + QUIRE_PAGE, QUIRE_PAGE);
	quire_object_close(large);
	tap_ret(quire_vm_bind(space.vm, &bind, 1, NULL, NULL), 0, "then there is room");
	quire_object_close(small);
	space_close(&space);
}

static int create_pages(int fd, uint32_t *handles, unsigned int count)
{
	int ret = 0;

	for (unsigned int i = 0; i < count && !ret; i++)
		ret = quire_bo_create(fd, QUIRE_PAGE, &handles[i]);
	return ret;
}

static int place_pages(int fd, const uint32_t *handles, unsigned int count)
{
	int ret = 0;

	for (unsigned int i = 0; i < count && !ret; i++)
		ret = quire_bo_place(fd, handles[i], DRM_QUIRE_SEGMENT_APERTURE, 0);
	return ret;
}

static int close_pages(int fd, const uint32_t *handles, unsigned int count)
{
	int ret = 0;

	for (unsigned int i = 0; i < count && !ret; i++)
		ret = quire_bo_close(fd, handles[i]);
	return ret;
}

/*
 * The device hangs, @mapped and some of the dead need all paging buffers, and the other dead wait
 * for one: what dies from now on is behind them.
 */
static void hang_with_dead(const struct fixture *fixture, uint32_t mapped[NR_MAPPED])
{
	uint32_t dead[NR_DEAD];

	tap_ret(create_pages(fixture->fd, mapped, NR_MAPPED), 0, "small objects");
	tap_ret(create_pages(fixture->fd, dead, NR_DEAD), 0, "and some more");
	tap_ret(place_pages(fixture->fd, dead, NR_DEAD) ?:
		quire_bo_wait(fixture->fd, dead[NR_DEAD - 1], WAIT_MS), 0,
		"these are in the aperture");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	fixture_inject(fixture, "hang 1");
	tap_ret(place_pages(fixture->fd, mapped, NR_MAPPED), 0, "the others are behind a hang");
	tap_ret(close_pages(fixture->fd, dead, NR_DEAD), 0, "and behind that are dead ones");
}

static pid_t start_bind(const struct space *space, uint32_t handle)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .address = BASE << 4, .size = QUIRE_PAGE,
		.handle = handle,
	};
	pid_t pid = child_start(WAIT_MS / 1000);

	if (pid)
		return pid;
	_exit(-quire_vm_bind(space->vm, &bind, 1, NULL, NULL));
}

static pid_t start_place(int fd, uint32_t handle)
{
	pid_t pid = child_start(WAIT_MS / 1000);

	if (pid)
		return pid;
	_exit(-quire_bo_place(fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0));
}

/*
 * A private object that was closed shares the reservation of its address space until it is freed;
 * other closed objects come before it. Nothing else in VRAM could make room for a call that holds
 * that reservation: the call waits until the object is freed.
 */
static void test_closed(struct work *work)
{
	const int fd = work->fixture.fd;
	struct quire_object *small, *large, *next;
	static uint32_t mapped[NR_MAPPED];
	pid_t binder, placer;
	struct space space;

	tap_ok(fixture_settles(&work->fixture, work->fixture.segments), "nothing is dying");
	space_open(&space, work);
	small = space_object(&space, QUIRE_PAGE, VRAM, true);
	space_map(&space, BASE, small, 0, QUIRE_PAGE);
	next = space_object(&space, fixture_vram(&work->fixture) / 2, VRAM, true);
	tap_ret(run_nothing(&space), 0, "one is bound");
	large = space_object(&space, free_vram(work), VRAM, true);
	tap_ret(quire_bo_place(fd, quire_object_handle(large), DRM_QUIRE_SEGMENT_VRAM, 0), 0,
		"nothing of VRAM is left");
	hang_with_dead(&work->fixture, mapped);
	quire_object_close(large);
	binder = start_bind(&space, quire_object_handle(small));
	placer = start_place(fd, quire_object_handle(next));
	tap_ok(child_gets_within(binder, "quire_free_list_wait_freed", WAIT_MS),
	       "a bind waits until what was closed is freed");
	tap_ok(child_gets_within(placer, "quire_free_list_wait_freed", WAIT_MS),
	       "and so does a placement");
	test_parameter("hang_period", 3000);
	tap_ret(-child_status(binder), 0, "then there is room for the one");
	tap_ret(-child_status(placer), 0, "and for the other");
	tap_ret(close_pages(fd, mapped, NR_MAPPED), 0, "close the small ones");
	quire_object_close(next);
	quire_object_close(small);
	space_close(&space);
	tap_ok(fixture_settles(&work->fixture, work->fixture.segments), "and all is freed");
}

/* What moves while an address space has no tables has no entries there that could be flushed. */
static void test_elsewhere(struct work *work)
{
	const uint64_t vram = fixture_vram(&work->fixture);
	struct quire_object *object = work_object_in(work, SIZE, APART);
	struct quire_object *other = work_object_in(work, SIZE, APART);
	struct quire_object *large = work_object_in(work, vram, VRAM);
	const int fd = work->fixture.fd;
	struct space space;

	space_open(&space, work);
	space_soil(object, 1);
	space_soil(other, 2);
	space_map(&space, BASE, object, 0, SIZE);
	tap_ok(space_hash(&space, BASE, SIZE) == hash_of(1), "it is in the aperture");
	tap_ret(quire_bo_place(fd, quire_object_handle(large), DRM_QUIRE_SEGMENT_VRAM, 0), 0,
		"all of VRAM is needed");
	tap_ret(quire_bo_place(fd, quire_object_handle(object), DRM_QUIRE_SEGMENT_SYSTEM, 0) ?:
		quire_bo_wait(fd, quire_object_handle(object), WAIT_MS), 0, "it leaves");
	tap_ret(quire_bo_place(fd, quire_object_handle(other), DRM_QUIRE_SEGMENT_APERTURE, 0), 0,
		"another one gets its place");
	tap_ok(space_hash(&space, BASE, SIZE) == hash_of(1), "it is found where it is");
	quire_object_close(large);
	quire_object_close(other);
	quire_object_close(object);
	space_close(&space);
}

int main(void)
{
	struct work work;

	tap_start(280);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	test_rest(&work);
	test_places(&work, false);
	test_places(&work, true);
	test_exchange(&work, false);
	test_exchange(&work, true);
	test_working_sets(&work);
	test_against(&work, start_rival, "who makes room");
	test_against(&work, start_evicting, "who evicts everything");
	test_at_work(&work);
	test_purged(&work);
	test_left_behind(&work, false);
	test_left_behind(&work, true);
	test_anew(&work);
	test_recent(&work);
	test_pinned(&work);
	test_too_much(&work);
	test_tables(&work);
	test_no_tables(&work);
	test_closed(&work);
	test_elsewhere(&work);
	work_end(&work);
	return tap_done();
}
