// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Copies of what addresses lead to: what the device finds at the target is what was bound at the
 * source when its turn came, whatever happens to the source then, to objects, or to paging
 * buffers; and it is the device that copies the entries.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "refuse.h"
#include "space.h"

#define PAGES	64u
#define SIZE	(PAGES * QUIRE_PAGE)
#define REGION	(2ull << 20)	/* of a table of level 0 */
/* In two tables of all levels. */
#define BASE	((1ull << 39) - PAGES / 2 * QUIRE_PAGE)
#define OTHER	0x123456789000ull
#define COPY	DRM_QUIRE_BIND_COPY
#define APART	DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE)

static uint8_t first_bytes[SIZE], second_bytes[SIZE];

/**
 * struct stage - two objects with known bytes, the first of them bound at BASE
 * @work: the device
 * @space: where they are bound
 * @first: bound
 * @second: not yet
 */
struct stage {
	struct work *work;
	struct space space;
	struct quire_object *first;
	struct quire_object *second;
};

static void stage_open(struct stage *stage, struct work *work)
{
	*stage = (struct stage){ .work = work };
	space_open(&stage->space, work);
	stage->first = work_object(work, SIZE);
	stage->second = work_object(work, SIZE);
	space_soil(stage->first, 1);
	space_soil(stage->second, 2);
	space_map(&stage->space, BASE, stage->first, 0, SIZE);
}

static void stage_close(struct stage *stage)
{
	quire_object_close(stage->first);
	quire_object_close(stage->second);
	space_close(&stage->space);
}

static struct drm_quire_bind copy_of(uint64_t source, uint64_t address, uint64_t size)
{
	return (struct drm_quire_bind){
		.operation = COPY, .address = address, .size = size, .offset = source,
	};
}

static struct drm_quire_bind map_of(const struct quire_object *object, uint64_t address)
{
	return (struct drm_quire_bind){
		.operation = DRM_QUIRE_BIND_MAP, .address = address, .size = SIZE,
		.handle = quire_object_handle(object),
	};
}

static int copy(const struct stage *stage, uint64_t source, uint64_t address, uint64_t size)
{
	const struct drm_quire_bind bind = copy_of(source, address, size);

	return quire_vm_bind(stage->space.vm, &bind, 1, NULL, NULL);
}

/* @count pages at @address are those of @bytes from page @at on. */
static bool leads(struct stage *stage, uint64_t address, unsigned int count,
		  const uint8_t *bytes, unsigned int at)
{
	return space_has(&stage->space, address, bytes + at * QUIRE_PAGE, count * QUIRE_PAGE);
}

/* A write there ends a context, which is made anew. */
static bool faults(struct stage *stage, uint64_t address, uint32_t fault)
{
	struct drm_quire_context_state state = { 0 };
	int ret;

	quire_write_value(&stage->space.writer, address, 1);
	ret = space_run(&stage->space);
	quire_context_state(stage->space.context, &state);
	space_renew_context(&stage->space);
	if (ret != -EIO || state.fault != fault)
		tap_diag("%#" PRIx64 ": %d, fault %u", address, ret, state.fault);
	return ret == -EIO && state.fault == fault && state.address == address;
}

static void test_plain(struct work *work)
{
	struct stage stage;

	stage_open(&stage, work);
	tap_ret(copy(&stage, BASE, OTHER, SIZE), 0, "a copy");
	tap_ok(leads(&stage, OTHER, PAGES, first_bytes, 0) &&
	       leads(&stage, BASE, PAGES, first_bytes, 0), "leads where the source does");
	tap_ret(copy(&stage, BASE + 3 * QUIRE_PAGE, OTHER + 5 * QUIRE_PAGE, 7 * QUIRE_PAGE), 0,
		"a part of it, over another one");
	tap_ok(leads(&stage, OTHER, 5, first_bytes, 0) &&
	       leads(&stage, OTHER + 5 * QUIRE_PAGE, 7, first_bytes, 3) &&
	       leads(&stage, OTHER + 12 * QUIRE_PAGE, PAGES - 12, first_bytes, 12),
	       "and what lies beside it stays");
	space_map(&stage.space, BASE, stage.second, 0, SIZE);
	tap_ok(leads(&stage, BASE, PAGES, second_bytes, 0) &&
	       leads(&stage, OTHER, 5, first_bytes, 0), "it is no link");
	space_unmap(&stage.space, BASE, SIZE);
	quire_object_close(stage.first);
	stage.first = work_object(work, SIZE);
	tap_ok(leads(&stage, OTHER + 12 * QUIRE_PAGE, PAGES - 12, first_bytes, 12),
	       "the object lives as long as that");
	tap_ret(copy(&stage, OTHER, OTHER, SIZE), 0, "onto itself");
	tap_ret(copy(&stage, OTHER, BASE, DRM_QUIRE_VM_SIZE / 2), -ENOSPC,
		"more than there is room for tables");
	tap_ok(leads(&stage, OTHER, 5, first_bytes, 0), "both change nothing");
	stage_close(&stage);
}

/* All that can be said of a page goes with it, and nothing where nothing is. */
static void test_kinds(struct work *work)
{
	const uint64_t target = OTHER + 300 * QUIRE_PAGE;
	struct stage stage;

	stage_open(&stage, work);
	space_bind(&stage.space, DRM_QUIRE_BIND_MAP_ZERO, 0, BASE + 8 * QUIRE_PAGE,
		   8 * QUIRE_PAGE);
	space_unmap(&stage.space, BASE + 16 * QUIRE_PAGE, 8 * QUIRE_PAGE);
	quire_vm_map(stage.space.vm, BASE + 24 * QUIRE_PAGE, stage.second, 24 * QUIRE_PAGE,
		     8 * QUIRE_PAGE, DRM_QUIRE_BIND_READ_ONLY);
	space_map(&stage.space, target, stage.second, 0, SIZE);
	tap_ok(leads(&stage, target, PAGES, second_bytes, 0), "something is there");
	tap_ret(copy(&stage, BASE, target, SIZE), 0, "a copy of all kinds");
	tap_ok(leads(&stage, target, 8, first_bytes, 0) &&
	       leads(&stage, target + 32 * QUIRE_PAGE, PAGES - 32, first_bytes, 32), "objects");
	tap_ok(space_is_zero(&stage.space, target + 8 * QUIRE_PAGE, 8 * QUIRE_PAGE), "zero");
	tap_ok(faults(&stage, target + 16 * QUIRE_PAGE, QUIRE_FAULT_PAGE) &&
	       faults(&stage, target + 23 * QUIRE_PAGE, QUIRE_FAULT_PAGE), "nothing");
	tap_ok(leads(&stage, target + 24 * QUIRE_PAGE, 8, second_bytes, 24) &&
	       faults(&stage, target + 24 * QUIRE_PAGE, QUIRE_FAULT_PROTECTION), "flags");
	tap_ret(copy(&stage, 4 * OTHER / 7 / QUIRE_PAGE * QUIRE_PAGE, target, SIZE), 0,
		"from where there are no tables");
	tap_ok(faults(&stage, target, QUIRE_FAULT_PAGE) &&
	       faults(&stage, target + SIZE - QUIRE_PAGE, QUIRE_FAULT_PAGE), "nothing is left");
	stage_close(&stage);
}

/* Ranges that overlap by all distances, each up and down. */
static void test_overlap(struct work *work)
{
	bool right = true;

	for (unsigned int by = 1; by < PAGES && right; by += by < 4 ? 1 : 7) {
		struct stage stage;

		stage_open(&stage, work);
		right = !copy(&stage, BASE, BASE + by * QUIRE_PAGE, SIZE) &&
			leads(&stage, BASE, by, first_bytes, 0) &&
			leads(&stage, BASE + by * QUIRE_PAGE, PAGES, first_bytes, 0);
		right = right && !copy(&stage, BASE + by * QUIRE_PAGE, BASE, SIZE) &&
			leads(&stage, BASE, PAGES, first_bytes, 0) &&
			leads(&stage, BASE + SIZE, by, first_bytes, PAGES - by);
		if (!right)
			tap_diag("by %u pages", by);
		stage_close(&stage);
	}
	tap_ok(right, "ranges that overlap are moved");
}

/* Through many tables, most of which nobody else has: more than the windows show at a time. */
static void test_large(struct work *work, int64_t by)
{
	const unsigned int tables = 70;
	const uint64_t size = tables * REGION, start = 512 * REGION, target = start + by;
	struct stage stage;
	bool right = true;

	stage_open(&stage, work);
	for (unsigned int i = 0; i < tables; i += 3)
		space_map(&stage.space, start + i * REGION + (i % 2 ? 0 : REGION - SIZE),
			  i % 2 ? stage.first : stage.second, 0, SIZE);
	tap_ret(copy(&stage, start, target, size), 0, "%u tables by %lld bytes", tables,
		(long long)by);
	for (unsigned int i = 0; i < tables && right; i += 3)
		right = leads(&stage, target + i * REGION + (i % 2 ? 0 : REGION - SIZE), PAGES,
			      i % 2 ? first_bytes : second_bytes, 0);
	tap_ok(right, "all of it is there");
	for (unsigned int i = 1; i < tables && right; i += 6)
		right = faults(&stage, target + i * REGION + REGION / 2, QUIRE_FAULT_PAGE);
	tap_ok(right, "and nothing else");
	stage_close(&stage);
}

/* Elements of a call are done one after the other: a copy is of what those before it have left. */
static void test_chain(struct work *work)
{
	const uint64_t third = OTHER + 16 * REGION, fourth = third + 7 * REGION;
	struct stage stage;

	stage_open(&stage, work);

	const struct drm_quire_bind binds[] = {
		copy_of(BASE, OTHER, SIZE),
		map_of(stage.second, BASE),
		copy_of(BASE + SIZE / 2, third, SIZE),
		copy_of(OTHER, OTHER + SIZE / 2, SIZE),
		{ .operation = DRM_QUIRE_BIND_UNMAP, .address = OTHER, .size = QUIRE_PAGE },
		copy_of(OTHER, fourth, SIZE),
		copy_of(third, fourth + SIZE, SIZE / 2),
	};

	tap_ret(quire_vm_bind(stage.space.vm, binds, ARRAY_SIZE(binds), NULL, NULL), 0,
		"copies of copies");
	tap_ok(leads(&stage, BASE, PAGES, second_bytes, 0), "what was bound then");
	tap_ok(leads(&stage, third, PAGES / 2, second_bytes, PAGES / 2) &&
	       faults(&stage, third + SIZE / 2, QUIRE_FAULT_PAGE), "what was bound between them");
	tap_ok(leads(&stage, fourth + QUIRE_PAGE, PAGES / 2 - 1, first_bytes, 1) &&
	       leads(&stage, fourth + SIZE / 2, PAGES / 2, first_bytes, 0) &&
	       faults(&stage, fourth, QUIRE_FAULT_PAGE), "what was copied and unbound");
	tap_ok(leads(&stage, fourth + SIZE, PAGES / 2, second_bytes, PAGES / 2),
	       "what was copied twice");
	stage_close(&stage);
}

/* A part of one that is elsewhere is brought back for it, and goes and comes afterwards as ever. */
static void test_evicted(struct work *work)
{
	const char *debugfs = work->fixture.debugfs;
	struct stage stage;

	stage_open(&stage, work);
	quire_vm_map(stage.space.vm, BASE + 20 * QUIRE_PAGE, stage.first, 20 * QUIRE_PAGE,
		     QUIRE_PAGE, DRM_QUIRE_BIND_READ_ONLY);
	tap_ret(debugfs_write(debugfs, "evict_all", "1"), 0, "all is evicted");
	tap_ret(copy(&stage, BASE + 3 * QUIRE_PAGE, OTHER, 50 * QUIRE_PAGE), 0, "a copy");
	tap_ok(leads(&stage, OTHER, 50, first_bytes, 3), "leads there");
	tap_ret(debugfs_write(debugfs, "evict_all", "1"), 0, "all is evicted again");
	space_soil(stage.first, 2);
	tap_ok(leads(&stage, OTHER, 50, second_bytes, 3) &&
	       leads(&stage, BASE, PAGES, second_bytes, 0), "both come back");
	tap_ok(faults(&stage, OTHER + 17 * QUIRE_PAGE, QUIRE_FAULT_PROTECTION), "with flags");
	tap_ok(faults(&stage, OTHER + 50 * QUIRE_PAGE, QUIRE_FAULT_PAGE), "and no more");
	space_soil(stage.first, 1);
	tap_ret(debugfs_write(debugfs, "evict_all", "1"), 0, "once more");
	space_unmap(&stage.space, BASE, SIZE);
	tap_ok(leads(&stage, OTHER, 50, first_bytes, 3), "the copy alone, too");
	stage_close(&stage);
}

/* What is known of ranges that overlap is what the device knows of them. */
static void test_evicted_overlap(struct work *work, unsigned int by)
{
	const uint64_t moved = BASE + by * QUIRE_PAGE;
	struct stage stage;

	stage_open(&stage, work);
	space_map(&stage.space, BASE + SIZE, stage.second, 0, SIZE);
	tap_ret(copy(&stage, BASE, moved, SIZE), 0, "a copy %u pages on", by);
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0, "all is evicted");
	tap_ok(leads(&stage, BASE, by, first_bytes, 0) &&
	       leads(&stage, moved, PAGES, first_bytes, 0) &&
	       leads(&stage, moved + SIZE, PAGES - by, second_bytes, by), "it comes back there");
	tap_ret(copy(&stage, moved, BASE, 2 * SIZE), 0, "and a copy back");
	tap_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), 0, "all is evicted");
	tap_ok(leads(&stage, BASE, PAGES, first_bytes, 0) &&
	       leads(&stage, BASE + SIZE, PAGES - by, second_bytes, by) &&
	       faults(&stage, BASE + 2 * SIZE - QUIRE_PAGE, QUIRE_FAULT_PAGE),
	       "it comes back there");
	stage_close(&stage);
}

static void bind_later(struct stage *stage, const struct drm_quire_bind *bind, uint32_t queue,
		       const struct quire_fence *wait, const struct quire_fence *signal)
{
	tap_ret(space_bind_queued(stage->space.vm, bind, queue, wait, signal), 0, "in queue %u",
		queue);
}

/* A copy that waits, and binds of its source before and after it in other queues. */
static void test_order(struct work *work)
{
	struct quire_fence *held = work_fence(work), *fences[3];
	struct quire_context *plain = work_context(work);
	struct drm_quire_bind binds[3];
	struct stage stage;
	struct gate gate;

	stage_open(&stage, work);
	space_map(&stage.space, OTHER, stage.first, 0, SIZE);
	binds[0] = map_of(stage.second, BASE);
	binds[1] = copy_of(BASE, OTHER, SIZE);
	binds[2] = map_of(stage.first, BASE);
	for (unsigned int i = 0; i < 3; i++)
		fences[i] = work_fence(work);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	work_gate_open_apart(work, &gate);
	work_wait_at(work, &gate, 1);
	tap_ret(work_submit(work, plain, 1, NULL, held), 0, "work that does not end");
	bind_later(&stage, &binds[0], 0, held, fences[0]);
	bind_later(&stage, &binds[1], 1, NULL, fences[1]);
	bind_later(&stage, &binds[2], 2, NULL, fences[2]);
	tap_ok(leads(&stage, OTHER, PAGES, first_bytes, 0) &&
	       leads(&stage, BASE, PAGES, first_bytes, 0), "nothing has changed");
	work_gate_raise(&gate, 1);
	for (unsigned int i = 0; i < 3; i++)
		tap_ret(work_fence_wait(fences[i]), 0, "done");
	test_parameter("hang_period", 3000);
	tap_ok(leads(&stage, OTHER, PAGES, second_bytes, 0), "what was bound when its turn came");
	tap_ok(leads(&stage, BASE, PAGES, first_bytes, 0), "and not later");
	stage_close(&stage);
	work_gate_close(&gate);
	for (unsigned int i = 0; i < 3; i++)
		quire_fence_close(fences[i]);
	quire_fence_close(held);
	quire_context_destroy(plain);
}

static int purge(const struct stage *stage, const struct quire_object *object)
{
	int fd = stage->work->fixture.fd;

	return quire_bo_madvise(fd, quire_object_handle(object), DRM_QUIRE_MADV_DONTNEED, NULL) ?:
	       debugfs_write(stage->work->fixture.debugfs, "evict_all", "1");
}

/* All or none. */
static void test_refused(struct work *work)
{
	struct drm_quire_bind binds[2];
	struct stage stage;
	uint32_t refused = 9;

	stage_open(&stage, work);
	space_map(&stage.space, OTHER, stage.second, 0, SIZE);
	tap_ret(purge(&stage, stage.second), 0, "an object is purged");
	binds[0] = copy_of(BASE, OTHER + SIZE, SIZE);
	binds[1] = copy_of(OTHER, BASE, SIZE);
	tap_ret(quire_vm_bind(stage.space.vm, binds, 2, NULL, &refused), -ENODATA,
		"a copy of what is purged");
	tap_ok(refused == 1, "it is the second element");
	space_unmap(&stage.space, OTHER, SIZE);
	tap_ok(leads(&stage, BASE, PAGES, first_bytes, 0) &&
	       faults(&stage, OTHER + SIZE, QUIRE_FAULT_PAGE), "nothing was copied");
	stage_close(&stage);
}

/* A chain each element of which doubles what is bound. */
static void test_many(struct work *work)
{
	struct drm_quire_bind binds[20];
	struct stage stage;
	uint32_t refused = 99;

	stage_open(&stage, work);
	space_unmap(&stage.space, BASE, SIZE);
	space_map(&stage.space, OTHER, stage.first, 0, QUIRE_PAGE);
	for (unsigned int i = 0; i < ARRAY_SIZE(binds); i++)
		binds[i] = copy_of(OTHER, OTHER + (QUIRE_PAGE << i), QUIRE_PAGE << i);
	tap_ret(quire_vm_bind(stage.space.vm, binds, ARRAY_SIZE(binds), NULL, &refused), -E2BIG,
		"more ranges than there may be");
	tap_ok(refused == 16, "65535 may be (%u)", refused);
	tap_ok(faults(&stage, OTHER + QUIRE_PAGE, QUIRE_FAULT_PAGE), "nothing was copied");
	tap_ret(quire_vm_bind(stage.space.vm, binds, 8, NULL, NULL), 0, "fewer");
	for (unsigned int i = 0; i < 256; i += 51)
		tap_ok(leads(&stage, OTHER + i * QUIRE_PAGE, 1, first_bytes, 0), "page %u", i);
	tap_ok(faults(&stage, OTHER + 256 * QUIRE_PAGE, QUIRE_FAULT_PAGE), "and no more");
	stage_close(&stage);
}

static uint64_t counted(const struct work *work, const char *name)
{
	return fixture_count(&work->fixture, name);
}

/* The entries are not written: a window each, where they would take a packet for each table. */
static void test_counters(struct work *work)
{
	uint64_t copies, updates, target;
	struct stage stage;

	stage_open(&stage, work);
	space_map(&stage.space, OTHER, stage.second, 0, SIZE);
	for (unsigned int overlaps = 0; overlaps < 2; overlaps++) {
		target = overlaps ? BASE + SIZE / 2 : OTHER;
		copies = counted(work, "COPY_PAGE_TABLE_ENTRIES");
		updates = counted(work, "UPDATE_PAGE_TABLE");
		tap_ret(copy(&stage, BASE, target, SIZE / 2 + QUIRE_PAGE), 0, "a copy");
		copies = counted(work, "COPY_PAGE_TABLE_ENTRIES") - copies;
		updates = counted(work, "UPDATE_PAGE_TABLE") - updates;
		/* The source is in two tables. */
		tap_ok(copies == (overlaps ? 4 : 1) && updates >= 2 && updates <= 4,
		       "%" PRIu64 " packets copy, %" PRIu64 " write", copies, updates);
	}
	tap_ok(leads(&stage, OTHER, PAGES / 2 + 1, first_bytes, 0), "as they should");
	stage_close(&stage);
}

/* A ring that hangs at each packet of a copy goes on as if nothing was. */
static void test_hang(struct work *work, unsigned int packet)
{
	struct stage stage;
	char text[32];

	stage_open(&stage, work);
	space_map(&stage.space, BASE + SIZE, stage.second, 0, SIZE);
	snprintf(text, sizeof(text), "hang %u", packet);
	tap_ret(debugfs_write(work->fixture.debugfs, "inject", text), 0, "packet %u hangs", packet);
	tap_ret(copy(&stage, BASE, BASE + QUIRE_PAGE, SIZE), 0, "a copy");
	tap_ok(leads(&stage, BASE + QUIRE_PAGE, PAGES, first_bytes, 0) &&
	       leads(&stage, BASE + QUIRE_PAGE + SIZE, PAGES - 1, second_bytes, 1),
	       "leads there all the same");
	debugfs_write(work->fixture.debugfs, "inject", "hang 0");
	stage_close(&stage);
}

/* A buffer of a copy is given up: tables are made anew before anything is executed. */
static void test_given_up(struct work *work, unsigned int buffer)
{
	struct stage stage;

	stage_open(&stage, work);
	/* So that what follows writes no table, and moves nothing. */
	space_map(&stage.space, OTHER, stage.second, 0, SIZE);
	tap_ok(leads(&stage, BASE, PAGES, first_bytes, 0), "all is there");
	test_option("patch_refuse", buffer);
	tap_ret(copy(&stage, BASE, OTHER, SIZE), 0, "a copy, buffer %u is given up", buffer);
	test_option("patch_refuse", 0);
	/* What is executed before anybody knows may be refused once. */
	tap_ok(leads(&stage, OTHER, PAGES, first_bytes, 0) ||
	       leads(&stage, OTHER, PAGES, first_bytes, 0), "leads where it should");
	stage_close(&stage);
}

static void test_device(struct work *work)
{
	if (!*work->fixture.debugfs) {
		tap_skip("not root", "what becomes of buffers");
		return;
	}
	test_evicted(work);
	test_evicted_overlap(work, 1);
	test_evicted_overlap(work, 40);
	test_refused(work);
	if (!(work->fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		return;
	test_counters(work);
	test_parameter("hang_period", 500);
	for (unsigned int packet = 1; packet <= 8; packet++)
		test_hang(work, packet);
	test_parameter("hang_period", 3000);
	test_given_up(work, 1);
	test_given_up(work, 2);
}

int main(void)
{
	struct work work;

	tap_start(150);
	work_begin(&work);
	pattern_fill(first_bytes, SIZE, 1);
	pattern_fill(second_bytes, SIZE, 2);
	test_plain(&work);
	test_kinds(&work);
	test_overlap(&work);
	test_large(&work, 128 * (int64_t)REGION);
	test_large(&work, -200 * (int64_t)REGION - 5 * 4096);
	test_large(&work, REGION + 3 * 4096);
	test_large(&work, -7 * 4096);
	test_chain(&work);
	test_many(&work);
	if (work.fixture.info.execution_rings > 1)
		test_order(&work);
	else
		tap_skip("there is one ring", "order");
	test_device(&work);
	work_end(&work);
	return tap_done();
}
