// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Rules of virtual addresses: the driver's moves in them, and what is bound in address spaces. */
#include <errno.h>
#include <string.h>

#include "chain.h"
#include "monitored.h"
#include "refuse.h"
#include "rules.h"
#include "space.h"

#define SIZE	(16 * QUIRE_PAGE)
#define BASE	0x100000000ull
#define OTHER	0x123456789000ull
#define LARGE	(3 * QUIRE_MIB + 5 * QUIRE_PAGE)	/* two windows of the paging ring */

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

static uint64_t count(const struct work *work, const char *name)
{
	return fixture_count(&work->fixture, name);
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

	ok = rule_ret(object_create(&work->fixture, &object, LARGE, 1), "an object") &&
	     rule_ret(choose("2"), "the second generation") &&
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

	/* What it gets has had other content, which has left: what dies may be discarded. */
	ok = rule_ret(object_create(&work->fixture, &soil, LARGE, 3) ?:
		      object_place_and_wait(&work->fixture, &soil, &vram) ?:
		      object_place_and_wait(&work->fixture, &soil, &system_memory), "soil VRAM");
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

static bool has(struct space *space, uint64_t address, uint64_t key)
{
	static uint8_t bytes[SIZE];

	pattern_fill(bytes, SIZE, key);
	return space_has(space, address, bytes, SIZE);
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
	ok = rule_is(has(&space, BASE, 1), "it is where it is bound");
	ok = rule_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), "evict it") && ok;
	ok = rule_is(has(&space, BASE, 1), "wherever it goes") && ok;
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
	ok = rule_is(has(&space, BASE, 1), "one is bound");
	space_map(&space, BASE, second, 0, SIZE);
	ok = rule_is(has(&space, BASE, 2), "then another one") && ok;
	ok = rule_is(count(work, "FLUSH_TLB") > before, "translations are forgotten") && ok;
	quire_object_close(first);
	quire_object_close(second);
	space_close(&space);
	return ok;
}

/* The device makes what it keeps of a context, with the root of its address space. */
static bool context_made(void *data)
{
	struct work *work = data;
	uint64_t inits = count(work, "INIT_CONTEXT_RESOURCE");
	uint64_t updates = count(work, "UPDATE_CONTEXT_ALLOCATION");
	struct quire_object *objects[2];
	struct space spaces[2];
	bool ok = true;

	for (unsigned int i = 0; i < 2; i++) {
		space_open(&spaces[i], work);
		objects[i] = work_object(work, SIZE);
		space_soil(objects[i], i);
		space_map(&spaces[i], BASE, objects[i], 0, SIZE);
	}
	for (unsigned int i = 0; i < 2; i++) {
		space_renew_context(&spaces[i]);
		ok = rule_is(has(&spaces[i], BASE, i), "it has its address space") && ok;
	}
	/* four contexts, and save areas of the two that execute something */
	ok = rule_is(count(work, "INIT_CONTEXT_RESOURCE") == inits + 6 &&
		     count(work, "UPDATE_CONTEXT_ALLOCATION") == updates + 6,
		     "each by an operation") && ok;
	for (unsigned int i = 0; i < 2; i++) {
		quire_object_close(objects[i]);
		space_close(&spaces[i]);
	}
	return ok;
}

/* What is copied stays when its source goes. */
static bool copy_same(void *data)
{
	struct work *work = data;
	uint64_t before = count(work, "COPY_PAGE_TABLE_ENTRIES");
	struct quire_object *object = work_object(work, SIZE);
	struct drm_quire_bind copy = {
		.operation = DRM_QUIRE_BIND_COPY, .address = OTHER, .size = SIZE, .offset = BASE,
	};
	struct space space;
	bool ok;

	space_open(&space, work);
	space_soil(object, 1);
	space_map(&space, BASE, object, 0, SIZE);
	ok = rule_ret(quire_vm_bind(space.vm, &copy, 1, NULL, NULL), "copy it");
	space_unmap(&space, BASE, SIZE);
	ok = rule_is(has(&space, OTHER, 1), "it leads to the same") && ok;
	ok = rule_is(count(work, "COPY_PAGE_TABLE_ENTRIES") > before, "entries are copied") && ok;
	quire_object_close(object);
	space_close(&space);
	return ok;
}

/* Pages of the aperture go: nothing that the device remembers leads there. */
static bool alloc_goes(void *data)
{
	struct work *work = data;
	struct quire_object *object =
		work_object_in(work, SIZE, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE));
	const uint32_t handle = quire_object_handle(object);
	const int fd = work->fixture.fd;
	struct space space;
	uint64_t before;
	bool ok;

	space_open(&space, work);
	space_soil(object, 1);
	space_map(&space, BASE, object, 0, SIZE);
	ok = rule_is(has(&space, BASE, 1), "it is bound in the aperture");
	before = count(work, "NOTIFY_ALLOC");
	ok = rule_ret(quire_bo_place(fd, handle, DRM_QUIRE_SEGMENT_SYSTEM, 0) ?:
		      quire_bo_wait(fd, handle, WAIT_MS), "it leaves") && ok;
	ok = rule_is(count(work, "NOTIFY_ALLOC") > before, "the device hears of it") && ok;
	ok = rule_is(has(&space, BASE, 1), "it comes back") && ok;
	quire_object_close(object);
	space_close(&space);
	return ok;
}

/* The number is written after what was queued before, and not earlier. */
static bool signalled_after(void *data)
{
	struct work *work = data;
	const struct fixture *fixture = &work->fixture;
	uint64_t before = count(work, "SIGNAL_MONITORED_FENCE");
	struct monitored fence;
	struct object object;
	bool ok;

	monitored_open(&fence, fixture->fd, 7);
	ok = rule_ret(sysfs_parameter_write("hang_period", "600000") ?:
		      object_create(fixture, &object, SIZE, 1) ?:
		      debugfs_write(fixture->debugfs, "inject", "hang 1") ?:
		      object_place(fixture, &object, &vram) ?:
		      monitored_signal(&fence, 8), "a move that hangs, and a signal") &&
	     rule_is(fixture_hangs(fixture, WAIT_MS), "it hangs") &&
	     rule_is(monitored_wait(&fence, 8, 200) == -ETIME &&
		     monitored_value(&fence) == 7, "it is not signalled yet");
	ok = rule_ret(sysfs_parameter_write("hang_period", "300") ?:
		      monitored_wait(&fence, 8, WAIT_MS), "the ring goes on") && ok;
	ok = rule_is(monitored_value(&fence) == 8, "it is signalled") && ok;
	ok = rule_ret(quire_bo_wait(fixture->fd, object.handle, INTERRUPT_MS),
		      "the move is done") && ok;
	ok = rule_is(count(work, "SIGNAL_MONITORED_FENCE") == before + 1, "by the device") && ok;
	ok = rule_ret(sysfs_parameter_write("hang_period", "3000"), "afterwards") && ok;
	object_close(fixture, &object);
	monitored_close(&fence);
	return ok;
}

/* A number in a register goes on after all was evicted, to where others have been meanwhile. */
static bool context_resumes(void *data)
{
	struct work *work = data;
	struct quire_context *other;
	struct chain chain, next;
	struct space space;
	uint64_t moved;
	bool ok;

	space_open(&space, work);
	chain_inputs(&space, 2);
	other = space_context(&space);
	chain = (struct chain){ .space = &space, .context = space.context, .number = 5 };
	next = (struct chain){ .space = &space, .context = other, .result = 1 };
	ok = rule_is(chain_goes_on(&chain) && chain_goes_on(&chain), "a running number") &&
	     rule_is(chain_goes_on(&next), "another one has the ring");
	moved = count(work, "TRANSFER");
	ok = ok && rule_ret(debugfs_write(work->fixture.debugfs, "evict_all", "1"), "evict all") &&
	     rule_is(count(work, "TRANSFER") > moved, "content has moved") &&
	     rule_is(chain_goes_on(&chain), "it goes on");
	quire_context_destroy(other);
	space_close(&space);
	return ok;
}

/* Two contexts of one address space by turns, then one that has the page of the first. */
static bool context_is_its_own(void *data)
{
	struct work *work = data;
	struct quire_context *other;
	struct chain chains[2];
	struct space space;
	bool ok = true;

	space_open(&space, work);
	chain_inputs(&space, 2);
	other = space_context(&space);
	for (unsigned int i = 0; i < ARRAY_SIZE(chains); i++)
		chains[i] = (struct chain){
			.space = &space, .context = i ? other : space.context, .result = i,
		};
	for (unsigned int i = 0; i < 10 && ok; i++)
		ok = rule_is(chain_goes_on(&chains[i % 2]), "a running number of each");
	quire_context_destroy(other);
	other = space_context(&space);
	chains[1] = (struct chain){ .space = &space, .context = other, .result = 1 };
	ok = ok && rule_is(chain_goes_on(&chains[1]), "a new context begins with zero") &&
	     rule_is(chain_goes_on(&chains[0]), "and the other one goes on");
	quire_context_destroy(other);
	space_close(&space);
	return ok;
}

static const struct rule rules[] = {
	{ "virtual-transfer-same-bytes", virtual_transfer },
	{ "virtual-fill-zero", virtual_fill },
	{ "update-page-table-leads", update_leads },
	{ "flush-tlb-before-next-use", flush_before },
	{ "init-context-with-root", context_made },
	{ "context-resumes-after-eviction", context_resumes },
	{ "context-state-is-its-own", context_is_its_own },
	{ "copy-entries-same", copy_same },
	{ "notify-alloc-before-pages-go", alloc_goes },
	{ "signal-monitored-after-work", signalled_after },
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
