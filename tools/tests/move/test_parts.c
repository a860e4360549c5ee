// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Moves that are described in parts, since they are longer than one sub-transfer: content,
 * what they cost, and whoever moves something at the same time.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fixture.h"
#include "syncs.h"

#define PART		(16 * QUIRE_MIB)
#define PART_PAGES	(PART / QUIRE_PAGE)
#define MOST_PARTS	3

/* In pieces of a page: two parts, since there are no more runs in one than pages. */
#define PIECES		(PART_PAGES + 904)

/* Pieces of which one is left in its place: what is between goes to an object. */
#define SPARSE		6

#define NR_FILLERS	16
#define NR_LARGE	3
#define NR_SMALL	4
#define ROUNDS		4
#define MOST_ROUNDS	40	/* if the small ones are late */
#define NR_OBJECTS	16

/* Who does not wait does not take that long; the device stands still for longer. */
/* Time for a look at what others do meanwhile, also twice; less than the kernel complains about. */
#define HANG_MS		40000
#define TURN_MS		(HANG_MS / 2)

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place one_run = {
	"contiguous vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_CONTIGUOUS
};

static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/**
 * struct cost - what was handed to the device
 * @submissions: paging buffers
 * @transfers: packets
 * @maps: packets
 * @unmaps: packets
 */
struct cost {
	uint64_t submissions;
	uint64_t transfers;
	uint64_t maps;
	uint64_t unmaps;
};

static struct cost cost_read(const struct fixture *fixture)
{
	return (struct cost) {
		.submissions = fixture_count(fixture, "submissions"),
		.transfers = fixture_count(fixture, "TRANSFER"),
		.maps = fixture_count(fixture, "MAP_APERTURE_SEGMENT"),
		.unmaps = fixture_count(fixture, "UNMAP_APERTURE_SEGMENT"),
	};
}

/* Three parts and a page, or as many as VRAM has room for. */
static uint64_t large_size(const struct fixture *fixture)
{
	uint64_t parts = (fixture_vram(fixture) - QUIRE_PAGE) / PART;

	return (parts < MOST_PARTS ? parts : MOST_PARTS) * PART + QUIRE_PAGE;
}

/* The move, and that it costs what it should. */
static void test_move(const struct fixture *fixture, const struct object *object,
		      const struct place *place, struct cost cost)
{
	struct cost before = cost_read(fixture), after;

	tap_ret(object_place_and_wait(fixture, object, place), 0, "%" PRIu64 " KiB to %s",
		object->size / 1024, place->name);
	after = cost_read(fixture);
	after.submissions -= before.submissions;
	after.transfers -= before.transfers;
	after.maps -= before.maps;
	after.unmaps -= before.unmaps;
	if (!tap_ok(!memcmp(&after, &cost, sizeof(cost)), "each part is a submission of its own"))
		tap_diag("%" PRIu64 " submissions, %" PRIu64 " TRANSFER, %" PRIu64 " MAP, %" PRIu64
			 " UNMAP", after.submissions, after.transfers, after.maps, after.unmaps);
}

/* There and back, through all places; what is one run in VRAM is a packet for each part. */
static void test_places(const struct fixture *fixture, uint64_t size, uint64_t parts)
{
	const struct cost transfers = { parts, parts, 0, 0 };
	struct object object;

	tap_ret(object_create(fixture, &object, size, parts), 0, "an object of %" PRIu64 " parts",
		parts);
	test_move(fixture, &object, &one_run, transfers);
	test_move(fixture, &object, &system_memory, transfers);
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	test_move(fixture, &object, &one_run, transfers);
	test_move(fixture, &object, &aperture, (struct cost) { parts, parts, parts, 0 });
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	test_move(fixture, &object, &one_run, (struct cost) { parts, parts, 0, 1 });
	/* The CPU would take what it does not see from there. */
	test_move(fixture, &object, &aperture, (struct cost) { parts, parts, parts, 0 });
	test_move(fixture, &object, &system_memory, (struct cost) { 1, 0, 0, 1 });
	test_move(fixture, &object, &aperture, (struct cost) { 1, 0, 1, 0 });
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
	fixture_flush_discards(fixture);
}

/* Where every second piece of VRAM is somebody else's, it is in pieces; then it is not. */
static void test_within_vram(const struct fixture *fixture)
{
	struct object fillers[NR_FILLERS], object;
	struct debugfs_counter before = { 0 }, after = { 0 };
	int ret = 0;

	if (fixture_vram(fixture) < 4 * PART) {
		tap_skip("too little VRAM", "inside of VRAM");
		return;
	}
	tap_ret(object_create(fixture, &object, PART + QUIRE_PAGE, 5), 0, "create");
	for (unsigned int i = 0; i < NR_FILLERS && !ret; i++) {
		ret = quire_bo_create(fixture->fd, fixture_vram(fixture) / NR_FILLERS,
				      &fillers[i].handle);
		if (!ret)
			ret = object_place_and_wait(fixture, &fillers[i], &vram);
	}
	for (unsigned int i = 0; i < NR_FILLERS; i += 2)
		object_close(fixture, &fillers[i]);
	tap_ok(fixture_comes_down(fixture, vram.segment, fixture_vram(fixture) / 2),
	       "every second piece is free");
	if (!ret)
		ret = object_place_and_wait(fixture, &object, &vram);
	for (unsigned int i = 1; i < NR_FILLERS; i += 2)
		object_close(fixture, &fillers[i]);
	tap_ret(ret, 0, "it is in pieces");
	debugfs_counter(fixture->debugfs, "vram->vram", &before);
	tap_ret(object_place_and_wait(fixture, &object, &one_run), 0, "now it is one run");
	debugfs_counter(fixture->debugfs, "vram->vram", &after);
	tap_ok(after.count == before.count + 1, "it has moved inside of VRAM");
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

static void test_fresh(const struct fixture *fixture, uint64_t size)
{
	uint64_t used = fixture_usage(fixture, vram.segment);
	struct object object = { .size = size };

	tap_ret(quire_bo_create(fixture->fd, size, &object.handle), 0, "a fresh object");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(object_check_zero(fixture, &object), 0, "it reads as zero");
	object_close(fixture, &object);
	tap_ok(fixture_comes_down(fixture, vram.segment, used), "that is gone");
}

/* Takes its place, whether or not he has to wait for it, says so and keeps it. */
static pid_t start_evictor(uint64_t size, int said)
{
	struct object object = { .size = size };
	struct fixture fixture;
	pid_t pid = child_start(60);
	int ret;

	if (pid)
		return pid;
	fixture_open(&fixture);
	ret = quire_bo_create(fixture.fd, size, &object.handle);
	if (!ret)
		ret = object_place_and_wait(&fixture, &object, &vram);
	if (write(said, &ret, sizeof(ret)) == sizeof(ret))
		pause();
	_exit(1);
}

/* The device stands still, and somebody waits for it: others go on all the same. */
static void test_beside(const struct fixture *fixture, const struct object *small,
			const struct place *place)
{
	int64_t start = quire_now_ns();

	tap_ret(object_place(fixture, small, place), 0, "a small object to %s", place->name);
	tap_ok(quire_now_ns() - start < TURN_MS * 1000000ll, "does not wait for who waits");
}

/* The device stands still in a move of @small, and @object is in use until that has ended. */
static void make_busy(const struct fixture *fixture, const struct object *object,
		      const struct object *small)
{
	int dmabuf = dmabuf_export(fixture->fd, object->handle), file;
	uint32_t syncobj = sync_create(fixture);

	fixture_inject(fixture, "hang 1");
	tap_ret(object_place_signal(fixture, small, &vram, syncobj, 0), 0,
		"a small object to VRAM");
	fixture_wait_hung(fixture);
	file = sync_export(fixture, syncobj);
	tap_ret(dmabuf_import_sync_file(dmabuf, file), 0, "a large one is in use for as long");
	close(file);
	close(dmabuf);
}

/*
 * Content that nobody needs goes while it is in use: who waits for that does not keep others
 * from moving, and drops what he should and nothing else. If it is in more @runs than a part
 * has, the device stands still again in the first one.
 */
static void test_purge(const struct fixture *fixture, const struct object *object, uint64_t runs)
{
	struct debugfs_counter before = { 0 }, after = { 0 };
	struct object small;
	int said[2], ret = -EIO;
	pid_t evictor;

	if (pipe(said))
		tap_bail("pipe");
	tap_ret(object_create(fixture, &small, QUIRE_PAGE, 7), 0, "create a small object");
	fixture_flush_discards(fixture);
	tap_ret(quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"nobody needs the large one");
	/* what was used last is evicted last: the small one is still there */
	make_busy(fixture, object, &small);
	debugfs_counter(fixture->debugfs, "DISCARD_CONTENT", &before);
	evictor = start_evictor(fixture_vram(fixture), said[1]);
	tap_ok(child_gets_within(evictor, "dma_fence_default_wait", WAIT_MS), "another waits");
	tap_ok(object_is_at(fixture, &small, &vram), "it is in VRAM");
	test_beside(fixture, &small, &system_memory);
	if (runs) {
		/* the small object there and back, and half of the first part */
		fixture_inject(fixture, "hang 2050");
		fixture_wait_hung(fixture);
		test_sleep_ms(200);
		test_beside(fixture, &small, &aperture);
	}
	tap_ok(read(said[0], &ret, sizeof(ret)) == sizeof(ret) && !ret, "its place is taken");
	debugfs_counter(fixture->debugfs, "DISCARD_CONTENT", &after);
	if (!tap_ok(after.bytes - before.bytes == object->size, "just its place is discarded"))
		tap_diag("%" PRIu64 " bytes", after.bytes - before.bytes);
	tap_ok(after.count - before.count >= runs, "run by run");
	tap_ok(object_flags(fixture, object) & DRM_QUIRE_BO_PURGED, "its content is gone");
	tap_ret(object_check(fixture, &small), 0, "that of the small one is whole");
	child_kill(evictor);
	object_close(fixture, &small);
	close(said[0]);
	close(said[1]);
}

static void test_purge_large(const struct fixture *fixture)
{
	struct object object;

	tap_ret(object_create(fixture, &object, large_size(fixture), 6), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &one_run), 0, "place it in VRAM");
	test_purge(fixture, &object, 0);
	object_close(fixture, &object);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
	fixture_flush_discards(fixture);
}

/* All of VRAM in objects of a page. */
static int create_pieces(const struct fixture *fixture, struct object *pieces, size_t count)
{
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		ret = quire_bo_create(fixture->fd, QUIRE_PAGE, &pieces[i].handle);
		if (!ret)
			ret = object_place(fixture, &pieces[i], &vram);
	}
	return ret;
}

/* All but each @keep-th one go; all of them if that is 0. Returns how many stay. */
static size_t close_pieces(const struct fixture *fixture, struct object *pieces, size_t count,
			   size_t keep)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		if (keep && i % keep == 0)
			left++;
		else if (pieces[i].handle)
			object_close(fixture, &pieces[i]);
	}
	return left;
}

static void make_holes(const struct fixture *fixture, struct object *pieces, size_t count,
		       size_t keep)
{
	size_t left;

	tap_ret(create_pieces(fixture, pieces, count), 0, "VRAM is full of small objects");
	left = close_pieces(fixture, pieces, count, keep);
	tap_ok(fixture_comes_down(fixture, vram.segment, left * QUIRE_PAGE),
	       "only each %zuth one stays", keep);
}

/* Its place in VRAM is where others are not. */
static void test_among_pieces(const struct fixture *fixture, struct object *object, uint64_t size)
{
	tap_ret(object_create(fixture, object, size, 8), 0, "an object of %" PRIu64 " KiB",
		size / 1024);
	for (unsigned int i = 0; i < 2; i++) {
		const struct place *other = i ? &aperture : &system_memory;

		tap_ret(object_place_and_wait(fixture, object, &vram), 0, "to VRAM");
		tap_ret(object_place_and_wait(fixture, object, other), 0, "to %s", other->name);
		tap_ret(object_check(fixture, object), 0, "its content is whole");
	}
	tap_ret(object_place_and_wait(fixture, object, &vram), 0, "to VRAM");
	tap_ret(object_check(fixture, object), 0, "its content is whole");
}

static void test_pieces(const struct fixture *fixture)
{
	size_t count = fixture_vram(fixture) / QUIRE_PAGE;
	struct object *pieces = calloc(count, sizeof(*pieces)), object;
	uint64_t large = large_size(fixture);

	if (count / 2 < PIECES || count - count / SPARSE - 1 < large / QUIRE_PAGE || !pieces) {
		tap_skip("too little VRAM", "objects in pieces");
		free(pieces);
		return;
	}
	make_holes(fixture, pieces, count, 2);
	test_fresh(fixture, PIECES * QUIRE_PAGE);
	test_among_pieces(fixture, &object, PIECES * QUIRE_PAGE);
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "to VRAM again");
	close_pieces(fixture, pieces, count, 0);
	tap_ok(fixture_comes_down(fixture, vram.segment, object.size), "and nothing else is there");
	test_purge(fixture, &object, PIECES);
	object_close(fixture, &object);
	make_holes(fixture, pieces, count, SPARSE);
	test_among_pieces(fixture, &object, large);
	object_close(fixture, &object);
	close_pieces(fixture, pieces, count, 0);
	free(pieces);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

/* Which page of the aperture shows which page of memory: as the device has it. */
static int read_view(const struct fixture *fixture, uint64_t *shown, size_t count)
{
	static char text[1024 * 1024];
	char *state = NULL;
	uint64_t first, pages, address, begin = UINT64_MAX;
	int ret = debugfs_read(fixture->debugfs, "device_aperture", text, sizeof(text));

	for (char *at = strtok_r(text, "\n", &state); ret >= 0 && at;
	     at = strtok_r(NULL, "\n", &state)) {
		if (sscanf(at, "mapped %" SCNu64 " %" SCNu64 " %" SCNx64, &first, &pages,
			   &address) != 3)
			continue;
		if (begin == UINT64_MAX)
			begin = first;
		for (uint64_t i = 0; i < pages && first - begin + i < count; i++)
			shown[first - begin + i] = address / QUIRE_PAGE + i;
	}
	return ret < 0 ? ret : 0;
}

/* Pages of somebody else's, of which no two are neighbours: four parts of runs. */
static void test_scattered(const struct fixture *fixture)
{
	uint64_t size = large_size(fixture), parts = size / PART + 1, wrong = 0;
	size_t count = size / QUIRE_PAGE;
	uint64_t *frames = calloc(2 * count, sizeof(*frames)), *shown = frames + count;
	struct object object = { .size = size, .key = 9 };
	int dmabuf = frames ? udmabuf_create_scattered(count, frames) : -ENOMEM;

	if (dmabuf == -ENOENT) {
		tap_skip("no udmabuf here", "scattered pages");
		free(frames);
		return;
	}
	tap_ret(dmabuf < 0 ? dmabuf : 0, 0, "scattered pages");
	tap_ret(dmabuf_import(fixture->fd, dmabuf, &object.handle), 0, "import them");
	test_move(fixture, &object, &aperture, (struct cost) { parts, 0, parts, 0 });
	tap_ret(read_view(fixture, shown, count), 0, "ask the device what it shows there");
	for (size_t i = 0; i < count; i++)
		wrong += frames[i] != shown[i];
	tap_ok(!wrong, "each page in its place (%" PRIu64 " of %zu wrong)", wrong, count);
	test_move(fixture, &object, &system_memory, (struct cost) { 1, 0, 0, 1 });
	object_close(fixture, &object);
	close(dmabuf);
	free(frames);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

/* Have all small ones made their moves since @before? */
static bool had_turns(const uint64_t *moves, const uint64_t before[NR_SMALL])
{
	unsigned int had = 0;

	for (unsigned int i = 0; i < NR_SMALL; i++)
		had += __atomic_load_n(&moves[i], __ATOMIC_RELAXED) - before[i] > NR_OBJECTS;
	return had == NR_SMALL;
}

/* The status is 0 if the content was whole all the time. */
static pid_t start_large(unsigned int number, const uint64_t *moves,
			 const uint64_t before[NR_SMALL])
{
	struct fixture fixture;
	struct object object;
	pid_t pid = child_start(150);
	int ret;

	if (pid)
		return pid;
	fixture_open(&fixture);
	ret = object_create(&fixture, &object, number ? PART + QUIRE_PAGE : large_size(&fixture),
			    20 + number);
	for (unsigned int i = 0; i < MOST_ROUNDS && !ret; i++) {
		if (i >= ROUNDS && had_turns(moves, before))
			break;
		ret = object_place(&fixture, &object, &vram);
		if (!ret)
			ret = object_place_and_wait(&fixture, &object,
						    i % 2 ? &aperture : &system_memory);
		if (!ret)
			ret = object_check(&fixture, &object);
	}
	_exit(-ret);
}

static pid_t start_small(uint64_t *moves)
{
	struct object objects[NR_OBJECTS];
	struct fixture fixture;
	pid_t pid = child_start(200);

	if (pid)
		return pid;
	fixture_open(&fixture);
	for (size_t i = 0; i < NR_OBJECTS; i++)
		if (object_create(&fixture, &objects[i], QUIRE_PAGE, i))
			_exit(1);
	for (size_t i = 0;; i++) {
		if (object_place(&fixture, &objects[i % NR_OBJECTS],
				 i / NR_OBJECTS % 2 ? &system_memory : &aperture))
			_exit(2);
		__atomic_add_fetch(moves, 1, __ATOMIC_RELAXED);
	}
}

/* Large movers beside small ones: all of them come to their end, and each has its turn. */
static void test_together(const struct fixture *fixture)
{
	uint64_t *moves = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t before[NR_SMALL], least = UINT64_MAX;
	pid_t large[NR_LARGE], small[NR_SMALL];
	unsigned int bad = 0, running = 0;

	if (moves == MAP_FAILED)
		tap_bail("mmap");
	for (unsigned int i = 0; i < NR_SMALL; i++)
		small[i] = start_small(&moves[i]);
	for (unsigned int i = 0; i < NR_SMALL; i++)
		while (!__atomic_load_n(&moves[i], __ATOMIC_RELAXED) && child_is_running(small[i]))
			test_sleep_ms(10);
	memcpy(before, moves, sizeof(before));
	for (unsigned int i = 0; i < NR_LARGE; i++)
		large[i] = start_large(i, moves, before);
	for (unsigned int i = 0; i < NR_LARGE; i++)
		bad += !!child_status(large[i]);
	for (unsigned int i = 0; i < NR_SMALL; i++) {
		uint64_t made = __atomic_load_n(&moves[i], __ATOMIC_RELAXED) - before[i];

		least = made < least ? made : least;
		running += child_is_running(small[i]);
		child_kill(small[i]);
	}
	tap_ok(!bad, "large movers come to their end, their content is whole");
	tap_ok(running == NR_SMALL && least > NR_OBJECTS, "small ones had their turn (%" PRIu64
	       " times at least)", least);
	munmap(moves, QUIRE_PAGE);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
}

int main(void)
{
	struct fixture fixture;

	tap_start(250);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	if (fixture_vram(&fixture) < PART + QUIRE_PAGE)
		tap_skip_all("too little VRAM for more than one part");
	fixture_flush_discards(&fixture);
	test_parameter("hang_period", HANG_MS);
	test_places(&fixture, QUIRE_PAGE, 1);
	test_places(&fixture, PART, 1);
	test_places(&fixture, PART + QUIRE_PAGE, 2);
	test_places(&fixture, large_size(&fixture), large_size(&fixture) / PART + 1);
	test_within_vram(&fixture);
	test_fresh(&fixture, large_size(&fixture));
	test_purge_large(&fixture);
	test_scattered(&fixture);
	test_pieces(&fixture);
	test_parameter("hang_period", 3000);
	test_together(&fixture);
	return tap_done();
}
