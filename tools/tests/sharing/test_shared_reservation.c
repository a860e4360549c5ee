// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Imported dma-bufs that share one reservation: lists that have two of them, and both in one
 * address space. For a guest with quire_exporter.ko; skips elsewhere.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#include "dmabuf.h"
#include "../exporter/quire_exporter.h"
#include "space.h"
#include "splitting.h"

#define EXPORTER	"/dev/" QUIRE_EXPORTER
#define REFERENCES	"/sys/module/" QUIRE_EXPORTER "/refcnt"

#define SIZE		(16 * QUIRE_PAGE)

/* Work that is queued before; a reservation has room for four fences in the beginning. */
#define MOST_BEFORE	8u

/* Virtual addresses. */
#define FIRST		UINT64_C(0x10000000)
#define SECOND		UINT64_C(0x20000000)
#define THIRD		UINT64_C(0x30000000)

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct scene - two dma-bufs that share their reservation, and who uses them
 * @work: the device
 * @dmabufs: the dma-bufs
 * @bytes: of them, as their exporter shows them
 * @objects: of the device, the same dma-bufs
 * @copies: what commands copy numbers to; its reservations are its own
 * @contexts: the first one waits at the gate, the second one comes after it
 * @gate: where commands wait
 */
struct scene {
	struct work work;
	int dmabufs[2];
	uint64_t *bytes[2];
	struct quire_object *objects[2];
	struct quire_object *copies[2];
	struct quire_context *contexts[2];
	struct gate gate;
};

/* Returns 0 or a negative errno. */
static int create(struct quire_exporter_create *arguments)
{
	int exporter = open(EXPORTER, O_RDWR | O_CLOEXEC);
	int ret = exporter < 0 || ioctl(exporter, QUIRE_EXPORTER_CREATE, arguments) ? -errno : 0;

	if (exporter >= 0)
		close(exporter);
	return ret;
}

static void scene_import(struct scene *scene, unsigned int i, int dmabuf)
{
	void *bytes = NULL;
	uint32_t handle;
	int ret;

	ret = dmabuf_import(scene->work.fixture.fd, dmabuf, &handle) ?:
	      quire_object_from_handle(scene->work.device, handle, &scene->objects[i]) ?:
	      dmabuf_map(dmabuf, SIZE, &bytes);
	if (ret)
		tap_bail("dma-buf %u: %s", i, strerror(-ret));
	scene->dmabufs[i] = dmabuf;
	scene->bytes[i] = bytes;
}

/* Nothing is at work. */
static void set_numbers(struct scene *scene)
{
	for (unsigned int i = 0; i < 2; i++) {
		scene->bytes[i][0] = i + 1;
		work_set_number(scene->copies[i], 0, 0);
	}
}

static void scene_open(struct scene *scene)
{
	struct quire_exporter_create arguments = { .size = SIZE, .count = 2 };
	int ret = create(&arguments);

	if (ret)
		tap_bail("no dma-bufs: %s", strerror(-ret));
	for (unsigned int i = 0; i < 2; i++) {
		scene_import(scene, i, arguments.fds[i]);
		scene->copies[i] = work_object(&scene->work, QUIRE_PAGE);
		scene->contexts[i] = work_context(&scene->work);
	}
	set_numbers(scene);
	/* What is evicted does not take it from where the CPU sees it. */
	work_gate_open_apart(&scene->work, &scene->gate);
}

/* One of the dma-bufs is not used any more. */
static void scene_drop(struct scene *scene, unsigned int i)
{
	if (!scene->objects[i])
		return;
	quire_object_close(scene->objects[i]);
	munmap(scene->bytes[i], SIZE);
	close(scene->dmabufs[i]);
	scene->objects[i] = NULL;
}

static void scene_close(struct scene *scene)
{
	work_gate_close(&scene->gate);
	for (unsigned int i = 0; i < 2; i++) {
		scene_drop(scene, i);
		quire_object_close(scene->copies[i]);
		quire_context_destroy(scene->contexts[i]);
	}
}

static void record_write(struct scene *scene, unsigned int i, uint64_t number)
{
	quire_recorder_write_value(scene->work.recorder, quire_at(scene->objects[i], 0), number);
}

static void record_read(struct scene *scene, unsigned int i)
{
	quire_recorder_copy(scene->work.recorder, quire_at(scene->objects[i], 0),
			    quire_at(scene->copies[i], 0), 8);
}

static int submit(struct scene *scene, unsigned int context, uint32_t ring)
{
	return work_submit(&scene->work, scene->contexts[context], ring, NULL, NULL);
}

static void clear_device(const struct scene *scene)
{
	tap_ret(debugfs_write(scene->work.fixture.debugfs, "evict_all", "1"), 0,
		"evict everything");
}

/* Both are where commands use them: or else others wait for a move, too. */
static void bring(const struct scene *scene)
{
	int ret = 0;

	for (unsigned int i = 0; i < 2 && !ret; i++)
		ret = quire_bo_place(scene->work.fixture.fd, quire_object_handle(scene->objects[i]),
				     DRM_QUIRE_SEGMENT_APERTURE, 0);
	tap_ret(ret ?: quire_object_wait(scene->objects[0], WAIT_MS * 1000000ll), 0,
		"place both");
}

/* The number of a dma-buf, as the CPU reads it: when all that writes has ended. */
static uint64_t number_of(const struct scene *scene, unsigned int i)
{
	uint64_t number;

	if (dmabuf_sync(scene->dmabufs[i], DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ))
		tap_bail("no access by the CPU");
	number = __atomic_load_n(scene->bytes[i], __ATOMIC_SEQ_CST);
	dmabuf_sync(scene->dmabufs[i], DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	return number;
}

/* Both become what is polled for: POLLIN may be read, POLLOUT may be written. */
static bool both_get(const struct scene *scene, short event)
{
	struct pollfd polls[2] = {
		{ .fd = scene->dmabufs[0], .events = event },
		{ .fd = scene->dmabufs[1], .events = event },
	};

	return poll(&polls[0], 1, WAIT_MS) == 1 && poll(&polls[1], 1, WAIT_MS) == 1;
}

static short state_of(const struct scene *scene, unsigned int i)
{
	struct pollfd poll_fd = { .fd = scene->dmabufs[i], .events = POLLIN | POLLOUT };

	return poll(&poll_fd, 1, 0) == 1 ? poll_fd.revents : 0;
}

/* What may be done with each while commands wait; a move ends before. */
static void expect_states(const struct scene *scene, short expected, const char *name)
{
	if (expected)
		both_get(scene, expected & POLLOUT ?: POLLIN);
	for (unsigned int i = 0; i < 2; i++) {
		short state = state_of(scene, i);

		tap_ok(state == expected, "%s: dma-buf %u may %sbe read, may %sbe written (%#x)",
		       name, i, expected & POLLIN ? "" : "not ", expected & POLLOUT ? "" : "not ",
		       state);
	}
}

static void record_read_and_write(struct scene *scene)
{
	record_read(scene, 0);
	record_write(scene, 1, 6);
}

static void record_write_and_read(struct scene *scene)
{
	record_write(scene, 0, 5);
	record_read(scene, 1);
}

static void record_copy(struct scene *scene)
{
	quire_recorder_copy(scene->work.recorder, quire_at(scene->objects[0], 0),
			    quire_at(scene->objects[1], 0), SIZE);
	record_read(scene, 1);
}

static void record_writes(struct scene *scene)
{
	record_write(scene, 0, 5);
	record_write(scene, 1, 6);
}

static void record_reads(struct scene *scene)
{
	record_read(scene, 0);
	record_read(scene, 1);
}

/**
 * struct use - a list that has both
 * @name: for messages
 * @record: its commands
 * @numbers: of the dma-bufs then, which are 1 and 2 in the beginning
 * @copies: the numbers that were read, 0: none
 * @state: what others may do meanwhile, as of state_of()
 */
static const struct use {
	const char *name;
	void (*record)(struct scene *scene);
	uint64_t numbers[2];
	uint64_t copies[2];
	short state;
} uses[] = {
	{ "one read, one written", record_read_and_write, { 1, 6 }, { 1, 0 }, 0 },
	{ "one written, one read", record_write_and_read, { 5, 2 }, { 0, 2 }, 0 },
	{ "one copied to the other", record_copy, { 1, 1 }, { 0, 1 }, 0 },
	{ "both written", record_writes, { 5, 6 }, { 0, 0 }, 0 },
	{ "both read", record_reads, { 1, 2 }, { 1, 2 }, POLLIN },
};

static void expect(const struct scene *scene, const struct use *use)
{
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t number = number_of(scene, i), copy = work_number(scene->copies[i], 0);

		tap_ok(number == use->numbers[i] && copy == use->copies[i],
		       "%s: dma-buf %u has %llu, %llu was read", use->name, i,
		       (unsigned long long)number, (unsigned long long)copy);
	}
}

/* The fences of a list are those of both, and go; the second time commands bring both. */
static void test_whole(struct scene *scene, const struct use *use)
{
	scene_open(scene);
	expect_states(scene, POLLIN | POLLOUT, "unused");
	bring(scene);
	for (unsigned int times = 1; times <= 2; times++) {
		work_wait_at(&scene->work, &scene->gate, times);
		use->record(scene);
		tap_ret(submit(scene, 0, 0), 0, "%s: queue commands", use->name);
		tap_ok(scene->work.result.parts == 1, "%s: as a whole", use->name);
		expect_states(scene, use->state, use->name);
		work_gate_raise(&scene->gate, times);
		tap_ok(both_get(scene, POLLOUT), "%s: they end", use->name);
		expect(scene, use);
		clear_device(scene);
		set_numbers(scene);
	}
	scene_close(scene);
}

static void test_divided(struct scene *scene, const struct use *use)
{
	scene_open(scene);
	for (unsigned int times = 1; times <= 2; times++) {
		use->record(scene);
		use->record(scene);
		tap_ret(submit(scene, 0, 0), 0, "%s: queue commands", use->name);
		tap_ok(scene->work.result.parts > 1, "%s: in %u parts", use->name,
		       scene->work.result.parts);
		expect(scene, use);
		clear_device(scene);
		set_numbers(scene);
	}
	scene_close(scene);
}

/* A fence of its own for each way to use the reservation, however many others it has. */
static void test_many(struct scene *scene, const struct use *use, unsigned int before)
{
	struct quire_context *contexts[MOST_BEFORE];
	int ret = 0;

	scene_open(scene);
	bring(scene);
	for (unsigned int i = 0; i < before; i++) {
		contexts[i] = work_context(&scene->work);
		work_wait_at(&scene->work, &scene->gate, 1);
		record_read(scene, 0);
		ret = ret ?: work_submit(&scene->work, contexts[i], 0, NULL, NULL);
	}
	use->record(scene);
	ret = ret ?: submit(scene, 0, 0);
	tap_ret(ret, 0, "%s, and %u are at work before it", use->name, before);
	work_gate_raise(&scene->gate, 1);
	tap_ok(both_get(scene, POLLOUT), "they end");
	for (unsigned int i = 0; i < before; i++)
		quire_context_destroy(contexts[i]);
	scene_close(scene);
}

/* What commands of the other ring do not wait for has been executed. */
static void settle(struct scene *scene)
{
	struct quire_context *context = work_context(&scene->work);
	struct quire_fence *fence = work_fence(&scene->work);

	quire_recorder_nop(scene->work.recorder, 8);
	tap_ret(work_submit(&scene->work, context, 1, NULL, fence) ?: work_fence_wait(fence), 0,
		"what uses neither is executed");
	quire_fence_close(fence);
	quire_context_destroy(context);
}

/* Who uses one comes after who uses the other: nobody can tell whose fence it is. */
static void test_order(struct scene *scene, bool first_writes, bool second_writes)
{
	struct quire_fence *fence;
	bool waits = first_writes || second_writes;

	if (scene->work.fixture.info.execution_rings < 2) {
		tap_skip("there is one ring", "order");
		return;
	}
	scene_open(scene);
	fence = work_fence(&scene->work);
	bring(scene);
	work_wait_at(&scene->work, &scene->gate, 1);
	if (first_writes)
		record_write(scene, 0, 5);
	else
		record_read(scene, 0);
	tap_ret(submit(scene, 0, 0), 0, "one is %s", first_writes ? "written" : "read");
	if (second_writes)
		record_write(scene, 1, 6);
	else
		record_read(scene, 1);
	tap_ret(work_submit(&scene->work, scene->contexts[1], 1, NULL, fence), 0, "the other is %s",
		second_writes ? "written" : "read");
	settle(scene);
	tap_ret(quire_fence_wait(fence, 0, waits ? 0 : WAIT_MS * 1000000ll), waits ? -ETIME : 0,
		"it %s", waits ? "waits" : "does not wait");
	work_gate_raise(&scene->gate, 1);
	tap_ret(work_fence_wait(fence), 0, "it ends");
	tap_ok(number_of(scene, 0) == (first_writes ? 5 : 1) &&
	       number_of(scene, 1) == (second_writes ? 6 : 2), "the numbers are those");
	quire_fence_close(fence);
	scene_close(scene);
}

/* One goes while both are at work. */
static void test_closed(struct scene *scene)
{
	scene_open(scene);
	work_wait_at(&scene->work, &scene->gate, 1);
	record_writes(scene);
	tap_ret(submit(scene, 0, 0), 0, "both are written");
	scene_drop(scene, 0);
	tap_ok(!state_of(scene, 1), "one is closed, the other one is in use");
	work_gate_raise(&scene->gate, 1);
	tap_ok(number_of(scene, 1) == 6, "it is written");
	record_write(scene, 1, 7);
	tap_ret(submit(scene, 0, 0), 0, "it is written again");
	tap_ok(number_of(scene, 1) == 7, "it has that number");
	scene_close(scene);
}

static void test_place(struct scene *scene)
{
	const struct place * const ways[] = { &aperture, &system_memory, &aperture };
	const struct fixture *fixture = &scene->work.fixture;
	struct object objects[2];
	bool are_there = true;

	scene_open(scene);
	for (unsigned int i = 0; i < 2; i++)
		objects[i] = (struct object){
			.handle = quire_object_handle(scene->objects[i]), .size = SIZE,
		};
	for (unsigned int way = 0; way < ARRAY_SIZE(ways); way++)
		for (unsigned int i = 0; i < 2; i++)
			tap_ret(object_place_and_wait(fixture, &objects[i], ways[way]), 0,
				"place dma-buf %u: %s", i, ways[way]->name);
	clear_device(scene);
	for (unsigned int i = 0; i < 2; i++) {
		are_there = are_there && object_is_at(fixture, &objects[i], &system_memory);
		tap_ret(object_place(fixture, &objects[i], &aperture), 0,
			"and dma-buf %u, before it has ended", i);
	}
	tap_ok(are_there, "both were evicted");
	record_copy(scene);
	tap_ret(submit(scene, 0, 0), 0, "copy one to the other");
	tap_ok(number_of(scene, 1) == 1, "it is copied");
	scene_close(scene);
}

/* The first is copied to the second; who looks at the dma-bufs waits for nothing. */
static void test_exec(struct scene *scene, struct space *space, uint64_t key)
{
	pattern_fill(scene->bytes[0], SIZE, key);
	space->results[0] = 0;
	quire_write_wait(&space->writer, QUIRE_WAIT_GREATER_EQUAL, SPACE_RESULTS, 1);
	quire_write_copy(&space->writer, FIRST, SECOND, SIZE);
	tap_ret(space_exec(space, NULL, space->fence), 0, "execute with both");
	expect_states(scene, POLLIN | POLLOUT, "by address");
	work_gate_raise(&(struct gate){ .number = space->results }, 1);
	tap_ret(work_fence_wait(space->fence), 0, "it ends");
	space_rewind(space);
	tap_ok(pattern_differs(scene->bytes[1], SIZE, key) == PATTERN_SAME, "it is copied");
}

/* Both are bound once more, by one call, which waits. */
static void test_queued(struct scene *scene, struct space *space)
{
	struct quire_fence *held = work_fence(&scene->work), *bound = work_fence(&scene->work);
	const struct quire_fence_point before = { .fence = held }, after = { .fence = bound };
	const struct quire_binding how = {
		.queue = 1, .nr_waits = 1, .waits = &before, .nr_signals = 1, .signals = &after,
	};
	struct drm_quire_bind binds[2];

	for (unsigned int i = 0; i < 2; i++)
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP, .address = THIRD + i * SIZE, .size = SIZE,
			.handle = quire_object_handle(scene->objects[i]),
		};
	work_wait_at(&scene->work, &scene->gate, 1);
	tap_ret(work_submit(&scene->work, scene->contexts[0], 0, NULL, held), 0,
		"what binds wait for");
	tap_ret(quire_vm_bind(space->vm, binds, 2, &how, NULL), 0, "bind both in a queue");
	quire_write_copy(&space->writer, THIRD, THIRD + SIZE, SIZE);
	pattern_fill(scene->bytes[0], SIZE, 9);
	tap_ret(space_exec(space, bound, space->fence), 0, "execute behind it");
	tap_ret(quire_fence_wait(space->fence, 0, 0), -ETIME, "it waits");
	work_gate_raise(&scene->gate, 1);
	tap_ret(work_fence_wait(space->fence), 0, "it ends");
	space_rewind(space);
	tap_ok(pattern_differs(scene->bytes[1], SIZE, 9) == PATTERN_SAME, "it is copied");
	quire_fence_close(held);
	quire_fence_close(bound);
}

static void test_space(struct scene *scene)
{
	struct space space;

	scene_open(scene);
	space_open(&space, &scene->work);
	space_map(&space, FIRST, scene->objects[0], 0, SIZE);
	space_map(&space, SECOND, scene->objects[1], 0, SIZE);
	test_exec(scene, &space, 7);
	clear_device(scene);
	test_exec(scene, &space, 8);
	test_queued(scene, &space);
	space_unmap(&space, SECOND, SIZE);
	tap_ok(space_has(&space, FIRST, scene->bytes[0], SIZE), "one is bound yet");
	/* The others are bound until the address space goes. */
	space_close(&space);
	scene_close(scene);
}

static void test_refused(void)
{
	static const struct quire_exporter_create refused[] = {
		{ .size = SIZE },
		{ .size = SIZE, .count = QUIRE_EXPORTER_MAX + 1 },
		{ .size = SIZE, .count = 1, .pad = 1 },
		{ .size = 0, .count = 1 },
		{ .size = SIZE + 1, .count = 1 },
		{ .size = QUIRE_EXPORTER_MAX_SIZE + QUIRE_PAGE, .count = 1 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(refused); i++) {
		struct quire_exporter_create arguments = refused[i];

		tap_ret(create(&arguments), -EINVAL, "the exporter refuses: number %u", i);
	}
}

static bool exporter_is_unused(void)
{
	unsigned int uses = 1;

	for (unsigned int i = 0; i < WAIT_MS / 20 && uses; i++) {
		FILE *file = fopen(REFERENCES, "re");

		if (!file || fscanf(file, "%u", &uses) != 1)
			tap_bail("no %s", REFERENCES);
		fclose(file);
		test_sleep_ms(20);
	}
	return !uses;
}

static void test_submit(struct scene *scene)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(uses); i++)
		test_whole(scene, &uses[i]);
	tap_ok(splitting_begin() && splitting_set("split_every_point", 1), "divide submissions");
	for (unsigned int i = 0; i < ARRAY_SIZE(uses); i++)
		test_divided(scene, &uses[i]);
	splitting_end();
	for (unsigned int before = 0; before <= MOST_BEFORE; before++)
		for (unsigned int i = 0; i < ARRAY_SIZE(uses); i++)
			test_many(scene, &uses[i], before);
	for (unsigned int i = 0; i < 4; i++)
		test_order(scene, i & 1, i & 2);
	test_closed(scene);
}

int main(void)
{
	struct scene scene;

	tap_start(120);
	if (access(EXPORTER, R_OK | W_OK))
		tap_skip_all("no " EXPORTER ", or not root: see guest --exporter");
	work_begin(&scene.work);
	test_refused();
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_submit(&scene);
	test_place(&scene);
	test_space(&scene);
	test_parameter("hang_period", 3000);
	tap_ok(exporter_is_unused(), "the exporter has all of it back");
	work_end(&scene.work);
	return tap_done();
}
