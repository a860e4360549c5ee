// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of virtual addresses: the driver's moves in them, and what is bound in address spaces. */
#include <string.h>

#include "refuse.h"
#include "rules.h"
#include "space.h"

#define SIZE	(16 * QUIRE_PAGE)
#define BASE	0x100000000ull
#define LARGE	(3 * QUIRE_MIB + 5 * QUIRE_PAGE)	/* two windows of the paging ring */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static uint64_t count(const struct work *work, const char *name)
{
	struct debugfs_counter counter = { 0 };

	debugfs_counter(work->fixture.debugfs, name, &counter);
	return counter.count;
}

static int choose(const char *generation)
{
	return sysfs_parameter_write("generation", generation);
}

/* To each place, and the bytes are the same. */
static int move_around(const struct fixture *fixture, const struct object *object)
{
	static const struct place *const way[] = { &vram, &aperture, &vram, &system_memory };
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(way) && !ret; i++)
		ret = object_place_and_wait(fixture, object, way[i]) ?:
		      object_check(fixture, object);
	return ret;
}

static bool virtual_transfer(void *data)
{
	const struct work *work = data;
	uint64_t before = count(work, "VIRTUAL_TRANSFER"), other = count(work, "TRANSFER");
	struct object object;
	bool ok;

	ok = rule_ret(object_create(&work->fixture, &object, LARGE, 1) ?: choose("2"),
	     "the second generation") &&
	     rule_ret(move_around(&work->fixture, &object), "it is whole everywhere") &&
	     rule_is(count(work, "VIRTUAL_TRANSFER") >= before + 8, "window by window") &&
	     rule_is(count(work, "TRANSFER") == other, "and in no other way");
	ok = rule_ret(choose("1"), "the first generation") && ok;
	object_close(&work->fixture, &object);
	return ok;
}

static bool virtual_fill(void *data)
{
	const struct work *work = data;
	uint64_t before = count(work, "VIRTUAL_FILL"), other = count(work, "FILL");
	struct object soil, object = { .size = LARGE };
	bool ok;

	/* what it gets has had other content */
	ok = rule_ret(object_create(&work->fixture, &soil, LARGE, 3) ?:
		      object_place_and_wait(&work->fixture, &soil, &vram), "soil VRAM");
	object_close(&work->fixture, &soil);
	ok = ok && rule_ret(quire_bo_create(work->fixture.fd, LARGE, &object.handle) ?:
			    choose("2"), "the second generation") &&
	     rule_ret(object_place_and_wait(&work->fixture, &object, &vram), "to VRAM") &&
	     rule_ret(object_check_zero(&work->fixture, &object), "it is zero") &&
	     rule_is(count(work, "VIRTUAL_FILL") == before + 2, "window by window") &&
	     rule_is(count(work, "FILL") == other, "and in no other way");
	ok = rule_ret(choose("1"), "the first generation") && ok;
	object_close(&work->fixture, &object);
	return ok;
}

static bool has(struct space *space, uint64_t key)
{
	static uint8_t bytes[SIZE];

	pattern_fill(bytes, SIZE, key);
	return space_has(space, BASE, bytes, SIZE);
}

/* What is bound is found by the device, in whatever segment, before and after it is evicted. */
static bool update_leads(void *data)
{
	struct work *work = data;
	uint64_t before = count(work, "UPDATE_PAGE_TABLE");
	struct quire_object *object = work_object(work, SIZE);
	struct space space;
	bool ok;

	space_open(&space, work);
	space_soil(object, 1);
	space_map(&space, BASE, object, 0, SIZE);
	ok = rule_is(has(&space, 1), "it is where it is bound");
	ok = rule_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), "evict it") && ok;
	ok = rule_is(has(&space, 1), "wherever it goes") && ok;
	ok = rule_is(count(work, "UPDATE_PAGE_TABLE") > before, "entries are written") && ok;
	quire_object_close(object);
	space_close(&space);
	return ok;
}

/* An address that was used leads to what is bound there now. */
static bool flush_before(void *data)
{
	struct work *work = data;
	uint64_t before = count(work, "FLUSH_TLB");
	struct quire_object *first = work_object(work, SIZE), *second = work_object(work, SIZE);
	struct space space;
	bool ok;

	space_open(&space, work);
	space_soil(first, 1);
	space_soil(second, 2);
	space_map(&space, BASE, first, 0, SIZE);
	ok = rule_is(has(&space, 1), "one is bound");
	space_map(&space, BASE, second, 0, SIZE);
	ok = rule_is(has(&space, 2), "then another one") && ok;
	ok = rule_is(count(work, "FLUSH_TLB") > before, "translations are forgotten") && ok;
	quire_object_close(first);
	quire_object_close(second);
	space_close(&space);
	return ok;
}

static const struct rule rules[] = {
	{ "virtual-transfer-same-bytes", virtual_transfer },
	{ "virtual-fill-zero", virtual_fill },
	{ "update-page-table-leads", update_leads },
	{ "flush-tlb-before-next-use", flush_before },
};

int main(void)
{
	struct work work;

	tap_start(110);
	work_begin(&work);
	if (!*work.fixture.debugfs)
		tap_skip_all("no debugfs, or not root");
	if (!(work.fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip_all("moves are made by the CPU");
	rules_check(rules, ARRAY_SIZE(rules), &work);
	work_end(&work);
	return tap_done();
}
