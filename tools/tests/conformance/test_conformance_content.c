// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of moves and of content, with the driver: what the device was told, and what is left. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <quire/quire_hw.h>

#include "device_view.h"
#include "fixture.h"
#include "rules.h"

#define ANYWHERE	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)
#define COMBINED	DRM_QUIRE_CACHING_WRITE_COMBINED
#define SUB_TRANSFER	(16 * QUIRE_MIB)
#define RUNS_PAGES	600u
#define PERIOD_MS	300
#define PIECE		(8 * QUIRE_PAGE)	/* what one read of device_vram returns */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static int create(const struct fixture *fixture, struct object *object, uint64_t pages,
		  uint32_t caching)
{
	*object = (struct object){ .size = pages * QUIRE_PAGE, .key = pages + caching };
	return quire_bo_create_caching(fixture->fd, object->size, ANYWHERE, caching,
				       &object->handle) ?: object_fill(fixture, object);
}

/* All that was in VRAM has to leave it. */
static int squeeze(const struct fixture *fixture)
{
	struct object all = { .size = fixture_vram(fixture) };
	int ret = quire_bo_create(fixture->fd, all.size, &all.handle) ?:
		  object_place_and_wait(fixture, &all, &vram);

	object_close(fixture, &all);
	return ret;
}

/**
 * struct growth - how much more a counter has to be
 * @name: of it
 * @bytes: of operations, or of moves
 */
struct growth {
	const char *name;
	uint64_t bytes;
};

#define MOST_GROWTHS	4

/* What they are before, in the order of @growths. */
static void growths_begin(const struct fixture *fixture, const struct growth *growths, size_t nr,
			  struct debugfs_counter *before)
{
	for (size_t i = 0; i < nr; i++)
		if (debugfs_counter(fixture->debugfs, growths[i].name, &before[i]))
			tap_bail("no counter of %s", growths[i].name);
}

static bool growths_are(const struct fixture *fixture, const struct growth *growths, size_t nr,
			const struct debugfs_counter *before)
{
	struct debugfs_counter after[MOST_GROWTHS];
	bool ok = true;

	growths_begin(fixture, growths, nr, after);
	for (size_t i = 0; i < nr; i++) {
		uint64_t bytes = after[i].bytes - before[i].bytes;

		if (bytes == growths[i].bytes)
			continue;
		tap_diag("%s: %" PRIu64 " bytes", growths[i].name, bytes);
		ok = false;
	}
	return ok;
}

/* Who left it, or died there, has left before the place is free. */
static int empty(const struct fixture *fixture, uint32_t segment)
{
	int ret = debugfs_write(fixture->debugfs, "evict_all", "1");

	for (unsigned int i = 0; i < WAIT_MS / 10 && !ret; i++) {
		if (!fixture_usage(fixture, segment))
			return 0;
		test_sleep_ms(10);
	}
	return ret ?: -ETIME;
}

static int empty_aperture(const struct fixture *fixture)
{
	return empty(fixture, DRM_QUIRE_SEGMENT_APERTURE);
}

/* Of what is free, too. */
static int read_vram(const struct fixture *fixture, uint64_t offset, uint8_t *piece)
{
	char path[128];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/device_vram", fixture->debugfs);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = pread(fd, piece, PIECE, offset);
	close(fd);
	return got == (ssize_t)PIECE ? 0 : -EIO;
}

/* Where VRAM has @expected. The driver gives out its end first, so that it is soon found. */
static int find_in_vram(const struct fixture *fixture, const uint8_t *expected, uint64_t *offset)
{
	static uint8_t piece[PIECE];
	int ret = 0;

	for (*offset = fixture_vram(fixture); *offset && !ret;) {
		*offset -= PIECE;
		ret = read_vram(fixture, *offset, piece);
		if (!ret && !memcmp(piece, expected, PIECE))
			return 0;
	}
	return ret ?: -ENOENT;
}

/* It leaves VRAM, where its bytes stay behind: at @offset. */
static int leave_bytes(const struct fixture *fixture, struct object *object,
		       const uint8_t *expected, uint64_t *offset)
{
	return create(fixture, object, PIECE / QUIRE_PAGE, 0) ?:
	       object_place_and_wait(fixture, object, &vram) ?:
	       find_in_vram(fixture, expected, offset) ?:
	       object_place_and_wait(fixture, object, &system_memory);
}

/* A page less than what was there is zero now, and that page is as it was. */
static bool is_filled(const uint8_t *piece, const uint8_t *old)
{
	static const uint8_t zero[QUIRE_PAGE];
	unsigned int filled = 0, kept = 0;

	for (uint64_t at = 0; at < PIECE; at += QUIRE_PAGE) {
		filled += !memcmp(piece + at, zero, QUIRE_PAGE);
		kept += !memcmp(piece + at, old + at, QUIRE_PAGE);
	}
	tap_diag("%u pages are zero, %u as they were", filled, kept);
	return filled == PIECE / QUIRE_PAGE - 1 && kept == 1;
}

/* Where another one was before; its own content is nowhere yet. */
static bool fill_at_first(void *data)
{
	static uint8_t old_bytes[PIECE], piece[PIECE];
	const struct fixture *fixture = data;
	struct object old = { 0 }, fresh = { .size = PIECE - QUIRE_PAGE };
	const struct growth told[] = { { "FILL", fresh.size }, { "TRANSFER", 0 } };
	struct debugfs_counter before[ARRAY_SIZE(told)];
	uint64_t offset = 0;
	bool ok;

	pattern_fill(old_bytes, PIECE, PIECE / QUIRE_PAGE);
	ok = rule_ret(empty(fixture, DRM_QUIRE_SEGMENT_VRAM) ?:
		      leave_bytes(fixture, &old, old_bytes, &offset), "bytes of another one");
	ok = ok && rule_ret(read_vram(fixture, offset, piece), "read VRAM") &&
	     rule_is(!memcmp(piece, old_bytes, PIECE), "they are there still");
	growths_begin(fixture, told, ARRAY_SIZE(told), before);
	ok = ok && rule_ret(quire_bo_create(fixture->fd, fresh.size, &fresh.handle) ?:
			    object_place_and_wait(fixture, &fresh, &vram), "a new one in VRAM");
	ok = growths_are(fixture, told, ARRAY_SIZE(told), before) && ok;
	ok = ok && rule_ret(read_vram(fixture, offset, piece), "read VRAM again");
	ok = ok && rule_is(is_filled(piece, old_bytes), "exactly its pages are filled");
	ok = ok && rule_ret(object_check_zero(fixture, &fresh), "it reads zero");
	object_close(fixture, &old);
	object_close(fixture, &fresh);
	return ok;
}

/* Longer than a sub-transfer: each byte arrives, there and back, and in several parts. */
static bool moves_whole(void *data)
{
	static const struct place *const way[] = { &vram, &aperture, &vram, &system_memory };
	const struct fixture *fixture = data;
	struct object object;
	bool ok;

	ok = rule_ret(create(fixture, &object, (SUB_TRANSFER + QUIRE_MIB) / QUIRE_PAGE + 1, 0),
		      "create");
	for (size_t i = 0; i < ARRAY_SIZE(way) && ok; i++) {
		uint64_t before = fixture_count(fixture, "TRANSFER");

		ok = rule_ret(object_place_and_wait(fixture, &object, way[i]), way[i]->name);
		ok = rule_is(fixture_count(fixture, "TRANSFER") >= before + 2,
			     "in several parts") && ok;
	}
	ok = rule_ret(object_check(fixture, &object), "its content") && ok;
	object_close(fixture, &object);
	return ok;
}

/* The last one with @opcode, and the one behind it. */
static bool find_packet(const struct fixture *fixture, uint32_t opcode,
			struct device_packet found[2])
{
	struct device_history history;
	bool ok = false;

	if (device_history_read(fixture->debugfs, &history))
		tap_bail("no device_packets");
	for (unsigned int i = 1; i < history.count; i++) {
		if ((history.packets[i - 1].header & 0xffff) != opcode)
			continue;
		memcpy(found, &history.packets[i - 1], 2 * sizeof(*found));
		ok = true;
	}
	return ok;
}

/* A map of 600 pages that the kernel gave out together takes a few runs: its size says so. */
static bool runs_are_coalesced(void *data)
{
	const struct fixture *fixture = data;
	struct device_packet map[2];
	struct object object;
	uint64_t bytes;
	bool ok;

	ok = rule_ret(create(fixture, &object, RUNS_PAGES, 0) ?:
		      object_place_and_wait(fixture, &object, &vram) ?:
		      object_place_and_wait(fixture, &object, &aperture), "VRAM to aperture");
	ok = ok && rule_is(find_packet(fixture, QUIRE_OP_MAP_APERTURE, map), "there is a map");
	bytes = ok ? map[1].address - map[0].address : 0;
	tap_diag("%u pages, %" PRIu64 " bytes", RUNS_PAGES, bytes);
	ok = ok && rule_is(bytes > sizeof(struct quire_packet_map) &&
			   bytes < RUNS_PAGES / 2 * sizeof(uint64_t), "it has few runs");
	object_close(fixture, &object);
	return ok;
}

/* Somebody else needs all of VRAM: it is mapped first, and copied to where it is mapped. */
static bool leaves_vram(const struct fixture *fixture, const struct object *object)
{
	const struct growth told[] = {
		{ "MAP_APERTURE_SEGMENT", object->size }, { "TRANSFER", object->size },
		{ "UNMAP_APERTURE_SEGMENT", 0 }, { "vram->aperture", object->size },
	};
	struct debugfs_counter before[ARRAY_SIZE(told)];
	struct device_packet map[2];
	bool ok;

	growths_begin(fixture, told, ARRAY_SIZE(told), before);
	ok = rule_ret(squeeze(fixture), "all of VRAM is needed");
	ok = growths_are(fixture, told, ARRAY_SIZE(told), before) && ok;
	ok = ok && rule_is(find_packet(fixture, QUIRE_OP_MAP_APERTURE, map), "there is a map");
	return ok && rule_is((map[1].header & 0xffff) == QUIRE_OP_TRANSFER,
			     "the transfer is behind it");
}

/* The pages that it has already are all that it needs. */
static bool leaves_aperture(const struct fixture *fixture, const struct object *object)
{
	const struct growth told[] = {
		{ "MAP_APERTURE_SEGMENT", 0 }, { "TRANSFER", 0 },
		{ "UNMAP_APERTURE_SEGMENT", object->size }, { "aperture->system", object->size },
	};
	struct debugfs_counter before[ARRAY_SIZE(told)];
	bool ok;

	growths_begin(fixture, told, ARRAY_SIZE(told), before);
	ok = rule_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), "evict again");
	return growths_are(fixture, told, ARRAY_SIZE(told), before) && ok;
}

static bool evicts_by_aperture(void *data)
{
	const struct fixture *fixture = data;
	struct object object = { 0 };
	bool ok;

	ok = rule_ret(empty(fixture, DRM_QUIRE_SEGMENT_VRAM) ?: empty_aperture(fixture) ?:
		      create(fixture, &object, 13, 0) ?:
		      object_place_and_wait(fixture, &object, &vram), "in VRAM");
	ok = ok && leaves_vram(fixture, &object);
	ok = ok && leaves_aperture(fixture, &object);
	ok = ok && rule_ret(object_check(fixture, &object), "its content");
	object_close(fixture, &object);
	return ok;
}

/* From VRAM to the aperture: was it flushed, and is it what the CPU sees then? */
static bool is_flushed(const struct fixture *fixture, uint32_t caching, uint64_t expected)
{
	struct object object;
	uint64_t before = 0;
	bool ok;

	ok = rule_ret(create(fixture, &object, 9, caching) ?:
		      object_place_and_wait(fixture, &object, &vram), "in VRAM");
	object.key++;
	ok = ok && rule_ret(object_fill(fixture, &object), "write there");
	before = fixture_count(fixture, "READ_PHYSICAL");
	ok = ok && rule_ret(object_place_and_wait(fixture, &object, &aperture), "evict it");
	ok = rule_is(fixture_count(fixture, "READ_PHYSICAL") - before == expected, "flushes") && ok;
	ok = rule_ret(object_check(fixture, &object), "the CPU sees it") && ok;
	object_close(fixture, &object);
	return ok;
}

static bool flush_after_last_write(void *data)
{
	return is_flushed(data, COMBINED, 1) && is_flushed(data, DRM_QUIRE_CACHING_CACHED, 0);
}

/* What the map packet says. */
static bool is_mapped_coherent(const struct fixture *fixture, uint32_t caching, bool expected)
{
	struct device_packet map[2];
	struct object object;
	bool ok;

	ok = rule_ret(create(fixture, &object, 5, caching) ?:
		      object_place_and_wait(fixture, &object, &vram) ?:
		      object_place_and_wait(fixture, &object, &aperture), "VRAM to aperture");
	ok = ok && rule_is(find_packet(fixture, QUIRE_OP_MAP_APERTURE, map), "there is a map");
	ok = ok && rule_is(!!(map[0].header >> 16 & QUIRE_MAP_CACHE_COHERENT) == expected,
			   expected ? "cached pages are coherent" : "others are not");
	object_close(fixture, &object);
	return ok;
}

static bool coherent_only_cached(void *data)
{
	return is_mapped_coherent(data, DRM_QUIRE_CACHING_CACHED, true) &&
	       is_mapped_coherent(data, COMBINED, false);
}

/* The builder does not know the page: right before it is submitted, the packet gets it. */
static bool patch_fills_dummy(void *data)
{
	const struct fixture *fixture = data;
	struct device_aperture in, out;
	struct object object;
	bool ok;

	ok = rule_ret(empty_aperture(fixture) ?: create(fixture, &object, 11, 0) ?:
		      object_place_and_wait(fixture, &object, &aperture) ?:
		      device_aperture_read(fixture->debugfs, &in) ?:
		      object_place_and_wait(fixture, &object, &system_memory) ?:
		      device_aperture_read(fixture->debugfs, &out), "into the aperture and out");
	ok = ok && rule_is(in.mapped == out.mapped + 11 && out.dummy == in.dummy + 11,
			   "11 pages show the driver's dummy page");
	object_close(fixture, &object);
	return ok;
}

/* Into the aperture, where the CPU sees it: what the device says of its pages. */
static bool is_listed_coherent(const struct fixture *fixture, struct object *object,
			       uint32_t caching, uint64_t expected)
{
	struct device_aperture before, after;
	bool ok;

	ok = rule_ret(quire_bo_create_window(fixture->fd, object->size, caching,
					     &object->handle) ?:
		      object_fill(fixture, object) ?:
		      device_aperture_read(fixture->debugfs, &before) ?:
		      object_place_and_wait(fixture, object, &aperture) ?:
		      device_aperture_read(fixture->debugfs, &after), "into the aperture");
	ok = ok && rule_is(after.visible - before.visible == object->size / QUIRE_PAGE,
			   "the CPU sees its pages");
	return ok && rule_is(after.coherent - before.coherent == expected,
			     expected ? "cached pages are coherent" : "others are not");
}

/* Beside each other, so that each has its own part of the aperture. */
static bool listed_coherent_only_cached(void *data)
{
	struct object combined = { .size = 5 * QUIRE_PAGE, .key = 5 };
	struct object cached = { .size = 9 * QUIRE_PAGE, .key = 9 };
	bool ok;

	ok = rule_ret(empty_aperture(data), "the aperture is empty") &&
	     is_listed_coherent(data, &combined, COMBINED, 0);
	ok = is_listed_coherent(data, &cached, DRM_QUIRE_CACHING_CACHED, 9) && ok;
	object_close(data, &combined);
	object_close(data, &cached);
	return ok;
}

/**
 * struct seen - what a program sees of objects that were everywhere
 * @whole: their content
 * @mapped: pages that are still behind the aperture
 * @dummy: pages that show the dummy page instead
 * @listed: how often the device was given an address list
 */
struct seen {
	bool whole;
	uint64_t mapped;
	uint64_t dummy;
	uint64_t listed;
};

#define NR_TRAVELLERS	2

/* One that is mapped by runs, and one that the CPU sees in the aperture, by an address list. */
static int create_travellers(const struct fixture *fixture, struct object *objects)
{
	int ret = create(fixture, &objects[0], 33, COMBINED);

	objects[1] = (struct object){ .size = 21 * QUIRE_PAGE, .key = 21 };
	return ret ?: quire_bo_create_window(fixture->fd, objects[1].size, 0,
					     &objects[1].handle) ?:
	       object_fill(fixture, &objects[1]);
}

/* To all places and back. */
static int travel(const struct fixture *fixture, const struct object *objects)
{
	static const struct place *const way[] = {
		&vram, &aperture, &vram, &system_memory, &aperture, &system_memory,
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(way) * NR_TRAVELLERS && !ret; i++)
		ret = object_place_and_wait(fixture, &objects[i % NR_TRAVELLERS],
					    way[i / NR_TRAVELLERS]);
	return ret;
}

static int go_round(const struct fixture *fixture, struct seen *seen)
{
	struct object objects[NR_TRAVELLERS] = { };
	struct device_aperture before, after;
	uint64_t listed = fixture_count(fixture, "MAP_APERTURE_SEGMENT2");
	int ret;

	ret = empty_aperture(fixture) ?: device_aperture_read(fixture->debugfs, &before) ?:
	      create_travellers(fixture, objects) ?: travel(fixture, objects) ?:
	      device_aperture_read(fixture->debugfs, &after);
	if (!ret)
		*seen = (struct seen){
			.whole = !object_check(fixture, &objects[0]) &&
				 !object_check(fixture, &objects[1]),
			.mapped = after.mapped - before.mapped,
			.dummy = after.dummy - before.dummy,
			.listed = fixture_count(fixture, "MAP_APERTURE_SEGMENT2") - listed,
		};
	for (size_t i = 0; i < NR_TRAVELLERS; i++)
		if (objects[i].handle)
			object_close(fixture, &objects[i]);
	return ret;
}

/* Patched as often as anybody likes, and before all is known: no program sees it. */
static bool patch_again(void *data)
{
	static const char *const options[] = { "patch_twice", "patch_early" };
	struct seen once, again = { };
	bool ok;

	/* The second time, as the first one has left its pages of the aperture behind. */
	ok = rule_ret(go_round(data, &once) ?: go_round(data, &once), "all places");
	ok = ok && rule_is(once.whole, "the content is whole") &&
	     rule_is(once.listed, "there are address lists");
	for (size_t i = 0; i < ARRAY_SIZE(options) && ok; i++) {
		ok = rule_ret(debugfs_option_write(options[i], "1"), options[i]);
		ok = rule_ret(go_round(data, &again), "all places again") && ok;
		ok = rule_is(again.whole && again.mapped == once.mapped &&
			     again.dummy == once.dummy && again.listed == once.listed,
			     "the same is seen") && ok;
		ok = rule_ret(debugfs_option_write(options[i], "0"), "as ever") && ok;
	}
	return ok;
}

/* In VRAM with content, and nobody needs that. */
static int offer(const struct fixture *fixture, struct object *object)
{
	return create(fixture, object, 40, 0) ?: object_place_and_wait(fixture, object, &vram) ?:
	       quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_DONTNEED, NULL);
}

static int reclaim(const struct fixture *fixture, const struct object *object, bool *retained)
{
	return quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, retained);
}

/* Whole if it is said to be, else nothing; and under pressure it is what goes. */
static bool offer_and_reclaim(void *data)
{
	const struct fixture *fixture = data;
	bool retained = false, ok;
	struct object object;

	ok = rule_ret(offer(fixture, &object) ?: reclaim(fixture, &object, &retained), "offer");
	ok = rule_is(retained, "without pressure it is retained") && ok;
	ok = rule_ret(object_check(fixture, &object), "and whole") && ok;
	object_close(fixture, &object);
	ok = rule_ret(offer(fixture, &object) ?: squeeze(fixture) ?:
		      reclaim(fixture, &object, &retained), "offer, and pressure") && ok;
	ok = rule_is(!retained, "it is not retained") && ok;
	ok = rule_ret(object_check_zero(fixture, &object), "and reads as zero") && ok;
	object_close(fixture, &object);
	return ok;
}

/* Dropped where it is: no byte of it is moved, and the device is told. */
static bool discard_moves_nothing(void *data)
{
	const struct fixture *fixture = data;
	uint64_t transfers, discards;
	struct object object;
	bool ok;

	ok = rule_ret(offer(fixture, &object), "offer");
	transfers = fixture_count(fixture, "TRANSFER");
	discards = fixture_count(fixture, "DISCARD_CONTENT");
	ok = rule_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), "evict") && ok;
	for (unsigned int i = 0; i < WAIT_MS / 10; i++) {
		if (fixture_count(fixture, "DISCARD_CONTENT") > discards)
			break;
		test_sleep_ms(10);
	}
	ok = rule_is(fixture_count(fixture, "DISCARD_CONTENT") > discards, "it is discarded") && ok;
	ok = rule_is(fixture_count(fixture, "TRANSFER") == transfers, "it is not moved") && ok;
	object_close(fixture, &object);
	return ok;
}

static int set_watchdog(const char *restarts, const char *period)
{
	return sysfs_parameter_write("hang_restarts", restarts) ?:
	       sysfs_parameter_write("hang_period", period);
}

/* At the transfer the device hangs; after the reset it faults there, and the move is given up. */
static int lose(const struct fixture *fixture, const struct object *object)
{
	unsigned int runs = fixture_resident_runs(fixture);
	int ret = debugfs_write(fixture->debugfs, "inject", "hang 2") ?:
		  object_place(fixture, object, &aperture);
	char fault[32];

	snprintf(fault, sizeof(fault), "fault %u", 3 + runs);
	if (!ret && !fixture_hangs(fixture, WAIT_MS))
		ret = -ETIME;
	/* It is reset when both are asked for, and not before. */
	return ret ?: debugfs_write(fixture->debugfs, "inject", fault) ?:
	       sysfs_parameter_write("hang_period", "300") ?:
	       quire_bo_wait(fixture->fd, object->handle, WAIT_MS);
}

static bool lost_is_reported(void *data)
{
	const struct fixture *fixture = data;
	struct object object;
	bool retained = true, ok;

	ok = rule_ret(debugfs_write(fixture->debugfs, "evict_all", "1") ?:
		      create(fixture, &object, 7, 0) ?:
		      object_place_and_wait(fixture, &object, &vram), "in VRAM");
	test_sleep_ms(PERIOD_MS);
	ok = ok && rule_ret(set_watchdog("0", "600000") ?: lose(fixture, &object), "lose it");
	ok = rule_ret(set_watchdog("1", "3000") ?:
		      debugfs_write(fixture->debugfs, "inject", "fault 0"), "afterwards") && ok;
	ok = rule_is(object_flags(fixture, &object) & DRM_QUIRE_BO_PURGED, "it is lost") && ok;
	ok = rule_ret(reclaim(fixture, &object, &retained), "ask") && ok;
	ok = rule_is(!retained, "it is not retained") && ok;
	ok = rule_ret(object_check_zero(fixture, &object), "no stale bytes") && ok;
	object_close(fixture, &object);
	return ok;
}

/* In the aperture the CPU sees it through the device, elsewhere as ever: one pointer. */
static bool map2_same_pointer(void *data)
{
	static const struct place *const way[] = { &aperture, &vram, &aperture, &system_memory };
	const struct fixture *fixture = data;
	struct drm_quire_bo_create create = {
		.size = 5 * QUIRE_PAGE, .segments = ANYWHERE,
		.flags = DRM_QUIRE_BO_CREATE_APERTURE_CPU_VISIBLE,
	};
	uint64_t before = fixture_count(fixture, "MAP_APERTURE_SEGMENT2");
	struct object object = { .size = create.size };
	void *map;
	bool ok;

	ok = rule_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_CREATE, &create) ?:
		      quire_bo_map(fixture->fd, create.handle, create.size, &map), "create");
	object.handle = create.handle;
	for (size_t i = 0; i < ARRAY_SIZE(way) && ok; i++) {
		pattern_fill(map, create.size, i);
		ok = rule_ret(object_place_and_wait(fixture, &object, way[i]), way[i]->name);
		ok = rule_is(pattern_differs(map, create.size, i) == PATTERN_SAME, "same") && ok;
	}
	ok = rule_is(fixture_count(fixture, "MAP_APERTURE_SEGMENT2") >= before + 2,
		     "mapped so") && ok;
	munmap(map, create.size);
	object_close(fixture, &object);
	return ok;
}

static const struct rule rules[] = {
	{ "allocation-moves-whole", moves_whole },
	{ "page-runs-coalesced", runs_are_coalesced },
	{ "fill-at-first-page-in", fill_at_first },
	{ "eviction-by-aperture", evicts_by_aperture },
	{ "flush-after-last-write", flush_after_last_write },
	{ "cache-coherent-only-cached", coherent_only_cached },
	{ "map2-cache-coherent", listed_coherent_only_cached },
	{ "map2-same-pointer", map2_same_pointer },
	{ "patch-fills-dummy-page", patch_fills_dummy },
	{ "patch-again-changes-nothing", patch_again },
	{ "offer-and-reclaim", offer_and_reclaim },
	{ "discard-moves-nothing", discard_moves_nothing },
	{ "lost-never-success", lost_is_reported },
};

int main(void)
{
	struct fixture fixture;

	tap_start(110);
	fixture_open(&fixture);
	if (!*fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	rules_check(rules, ARRAY_SIZE(rules), &fixture);
	return tap_done();
}
