// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Builder, list loop and engine together: an input becomes lists of operations
 * with run lists, buffers and slices; what the builder writes is executed by
 * the real engine, and memory is compared with a model that knows only the
 * arguments. Every call of the builder is checked on its way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/array_size.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/errno.h>

#include "paging_world.h"

static struct memory *pristine;

/* ---- device ---- */

static uint8_t *world_slot(struct world *world)
{
	return world->control->slots[world->ring.wptr % FUZZ_RING_ENTRIES];
}

static uint64_t world_slot_address(struct world *world)
{
	return CONTROL_BASE + (world_slot(world) - (uint8_t *)world->control);
}

static void world_submit(struct world *world, uint32_t size)
{
	fuzz_ring_submit(&world->ring, world_slot_address(world), size);

	/* Now, or when the ring is full: then several submissions wait. */
	if (world->ring.wptr % FUZZ_RING_ENTRIES == 0 || fuzz_take(&world->input, 1) & 1)
		fuzz_ring_finish(&world->ring);
}

/* System memory as the device sees it: with what it has not written to memory yet. */
static const uint8_t *world_seen(const struct world *world)
{
	const struct quire_posted *posted = &world->host.engine.posted;
	static uint8_t seen[sizeof(world->real->system)];

	if (!posted->total)
		return world->real->system;
	memcpy(seen, world->real->system, sizeof(seen));
	for (unsigned int i = 0; i < QUIRE_POSTED_PAGES; i++) {
		const struct quire_posted_page *page = &posted->pages[i];

		if (page->len)
			memcpy(seen + (page->addr - SYSTEM_BASE),
			       posted->bytes[i] + page->addr % FUZZ_PAGE, page->len);
	}
	return seen;
}

static void world_compare(struct world *world)
{
	unsigned int i;

	FINDING_IF(memcmp(world->cpu_table, world->cpu_expected, sizeof(world->cpu_table)));
	FINDING_IF(memcmp(world->real->vram, world->expected->vram, sizeof(world->real->vram)));
	FINDING_IF(memcmp(world_seen(world), world->expected->system,
			  sizeof(world->real->system)));
	for (i = 0; i < APERTURE_PAGES; i++)
		FINDING_IF(world->host.engine.aperture[i] !=
			   ((SYSTEM_BASE + world->aperture[i] * FUZZ_PAGE) |
			    QUIRE_APERTURE_VALID |
			    (world->dummy[i] ? QUIRE_APERTURE_DUMMY : 0) |
			    (world->coherent[i] ? QUIRE_APERTURE_COHERENT : 0) |
			    (world->visible[i] ? QUIRE_APERTURE_CPU_VISIBLE : 0)));
}

/* ---- what the loop runs on ---- */

/* A fence is the number of its submission. */
#define SIGNALLED	UINT32_MAX

static int references;

static struct world *to_world(struct quire_paging_list *list)
{
	return container_of(list, struct world, list);
}

static struct dma_fence *get_fence(uint32_t number)
{
	references++;
	return (struct dma_fence *)(uintptr_t)number;
}

static void put_fence(struct dma_fence *fence)
{
	if (fence)
		references--;
}

static struct dma_fence *signalled_fence(void)
{
	return get_fence(SIGNALLED);
}

static int fail(struct world *world, int error)
{
	world->fault = error;
	return error;
}

/* Mostly buffers of a few packets, of any size; rarely one that may hold none. */
static uint32_t take_window(struct world *world)
{
	uint32_t choice = fuzz_take(&world->input, 1);

	if (choice < 2) {
		fail(world, -EIO);
		return choice * 16 + 15;
	}
	if (choice < 128)
		return 96 + choice / 4 * 3;

	return (choice - 114) * 7;
}

static int list_acquire(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct world *world = to_world(list);
	uint8_t *slot = world_slot(world);

	FINDING_IF(world->open);
	world->fault = 0;
	if (fuzz_take(&world->input, 1) == 255)
		return fail(world, -ERESTARTSYS);

	world->open = true;
	memset(slot, GUARD, SLOT_SIZE);
	*buffer = (struct quire_paging_buffer) {
		.cpu = slot,
		/* Perhaps not where it will be. */
		.gpu_address = world_slot_address(world) + fuzz_below(&world->input, 2) * 8,
		.size = take_window(world),
		.records = world->records,
		.max_records = 1 + fuzz_below(&world->input, MAX_RECORDS),
	};
	return 0;
}

static void list_release(struct quire_paging_list *list, struct quire_paging_buffer *buffer)
{
	struct world *world = to_world(list);

	FINDING_IF(!world->open);
	FINDING_IF(buffer->used && !world->fault);
	world->open = false;
}

/* A record that is none of a packet: the buffer is refused, and stays as it is. */
static void patch_refused(struct world *world, struct quire_paging_buffer *buffer)
{
	struct quire_paging_patch values = { .dummy_page = CONTROL_BASE };
	struct quire_paging_record *record, good;
	uint8_t before[SLOT_SIZE];

	record = &world->records[fuzz_below(&world->input, buffer->nr_records)];
	good = *record;
	if (fuzz_take(&world->input, 1) & 1)
		record->offset += 8;
	else
		record->operation ^= 1;
	memcpy(before, buffer->cpu, buffer->used);
	FINDING_IF(quire_paging_patch(buffer, &values) != -EINVAL);
	FINDING_IF(memcmp(before, buffer->cpu, buffer->used));
	*record = good;
}

/* What was not known when it was built; to patch again changes nothing. */
static void patch(struct world *world, struct quire_paging_buffer *buffer)
{
	struct quire_paging_patch values = {
		.dummy_page = SYSTEM_BASE + DUMMY_PAGE * FUZZ_PAGE,
		.fence = world->ring.wptr + 1,
	};
	uint8_t before[SLOT_SIZE];

	buffer->gpu_address = world_slot_address(world);
	if (buffer->nr_records)
		patch_refused(world, buffer);
	FINDING_IF(quire_paging_patch(buffer, &values) || values.marks);
	memcpy(before, buffer->cpu, buffer->used);
	FINDING_IF(quire_paging_patch(buffer, &values));
	FINDING_IF(memcmp(before, buffer->cpu, buffer->used));
}

static struct dma_fence *list_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct world *world = to_world(list);

	FINDING_IF(!world->open);
	FINDING_IF(!buffer->used && !world->empty);
	world->open = false;
	world->submitted = buffer->used;
	if (fuzz_take(&world->input, 1) == 255)
		return ERR_PTR(fail(world, -ENOMEM));

	patch(world, buffer);
	world_submit(world, buffer->used);
	return get_fence(world->ring.wptr);
}

static int list_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	struct world *world = to_world(list);

	FINDING_IF(world->open);
	fuzz_ring_finish(&world->ring);
	FINDING_IF(fuzz_ring_fence(&world->ring) < (uintptr_t)fence);
	return 0;
}

/* What the list submitted has been executed: it does not wait for itself. */
static int list_wait_idle(struct quire_paging_list *list)
{
	struct world *world = to_world(list);

	FINDING_IF(world->open);
	FINDING_IF(world->ring.wptr != world->list_start &&
		   fuzz_ring_fence(&world->ring) != world->ring.wptr);
	fuzz_ring_finish(&world->ring);
	return 0;
}

static const struct quire_paging_list_ops list_ops = {
	.acquire = list_acquire,
	.submit = list_submit,
	.release = list_release,
	.wait_idle = list_wait_idle,
	.wait = list_wait,
	.signalled = signalled_fence,
	.put = put_fence,
};

static void list_start(struct world *world)
{
	world->list = (struct quire_paging_list) { .ops = &list_ops, .caps = &world->caps };
	world->list_start = world->ring.wptr;
}

/* False if a fault ended the list: memory is anywhere between two states then. */
static bool list_end(struct world *world, int error)
{
	int expected = error ?: world->list.sequence.pending ? fail(world, -EINVAL) : 0;
	struct dma_fence *fence = quire_paging_list_finish(&world->list, error);
	uint32_t last = world->ring.wptr == world->list_start ? SIGNALLED : world->ring.wptr;

	FINDING_IF(world->open);
	FINDING_IF(expected && fence != ERR_PTR(expected));
	if (IS_ERR(fence)) {
		FINDING_IF(fence != ERR_PTR(world->fault));
	} else {
		FINDING_IF((uintptr_t)fence != last);
		put_fence(fence);
	}
	FINDING_IF(references);
	fuzz_ring_finish(&world->ring);

	return !IS_ERR(fence);
}

/* ---- one input ---- */

/* What was built of each kind, with nothing but pages that are there. */
static const char *const built_names[] = {
	"TRANSFER", "FILL", "DISCARD_CONTENT", "READ_PHYSICAL", "WRITE_PHYSICAL",
	"MAP_APERTURE_SEGMENT", "UNMAP_APERTURE_SEGMENT", "SPECIAL_LOCK_TRANSFER that swizzles",
	"SPECIAL_LOCK_TRANSFER that unswizzles", "TRANSFER that swizzles",
	"TRANSFER that unswizzles", "MAP_APERTURE_SEGMENT2", "VIRTUAL_TRANSFER", "VIRTUAL_FILL",
	"INIT_CONTEXT_RESOURCE", "UPDATE_PAGE_TABLE", "FLUSH_TLB", "UPDATE_CONTEXT_ALLOCATION",
	"COPY_PAGE_TABLE_ENTRIES", "UPDATE_PAGE_TABLE by the CPU",
	"UPDATE_PAGE_TABLE at a virtual address", "UPDATE_PAGE_TABLE in a segment",
	"UPDATE_PAGE_TABLE that repeats", "UPDATE_PAGE_TABLE that is initial",
	"UPDATE_PAGE_TABLE of what is evicted", "UPDATE_PAGE_TABLE of 64 KiB",
};

enum {
	BUILT_MAP2 = 11, BUILT_VIRTUAL, BUILT_MODES = BUILT_VIRTUAL + 7,
	BUILT_FLAGS = BUILT_MODES + 3,
};

static unsigned long built_of[ARRAY_SIZE(built_names)];
static uint8_t built_now[ARRAY_SIZE(built_names)] FUZZ_EXTRA_COUNTERS;

static uint32_t what_is_built(const struct quire_paging_args *args)
{
	uint32_t converts = args->u.transfer.flags & (QUIRE_TRANSFER_SWIZZLE |
						      QUIRE_TRANSFER_UNSWIZZLE);

	switch (args->operation) {
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		return BUILT_MAP2;
	case QUIRE_PAGING_SPECIAL_LOCK_TRANSFER:
		return QUIRE_PAGING_SPECIAL_LOCK_TRANSFER + converts - 1;
	case QUIRE_PAGING_TRANSFER:
		return converts ? QUIRE_PAGING_SPECIAL_LOCK_TRANSFER + 1 + converts : 0;
	default:
		return args->operation >= QUIRE_PAGING_VIRTUAL_TRANSFER ?
		       BUILT_VIRTUAL + args->operation - QUIRE_PAGING_VIRTUAL_TRANSFER :
		       (uint32_t)args->operation;
	}
}

static void note(uint32_t what)
{
	built_of[what]++;
	built_now[what] = 1;
}

static void note_built(const struct quire_paging_args *args)
{
	uint32_t i;

	note(what_is_built(args));
	if (args->operation != QUIRE_PAGING_UPDATE_PAGE_TABLE)
		return;
	note(BUILT_MODES + args->u.update_page_table.update_mode);
	for (i = 0; i < 4; i++)
		if (args->u.update_page_table.flags & 1u << i)
			note(BUILT_FLAGS + i);
}

static void tell_reach(void)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(built_names); i++)
		fprintf(stderr, "reach: %lu built: %s\n", built_of[i], built_names[i]);
	spoiled_tell();
}

/* Refused arguments change nothing; others are described in full. */
static int add(struct world *world, struct quire_paging_args *args)
{
	struct quire_paging_args before;
	int refused, error;

	memcpy(&before, args, sizeof(before));
	refused = quire_paging_check_args(&world->caps, args);
	FINDING_IF(!refused != good_args(&world->caps, args));
	if (!refused)
		refused = quire_paging_sequence_check(&world->list.sequence, args);
	FINDING_IF(memcmp(&before, args, sizeof(before)));
	if (!refused && !model(world, args))
		return 0;

	error = quire_paging_list_add(&world->list, args);
	if (refused) {
		FINDING_IF(error != refused);
		return 0;
	}
	FINDING_IF(error && error != world->fault);
	if (!error)
		note_built(args);

	return error;
}

static int submit_empty(struct world *world)
{
	int error;

	world->empty = true;
	error = quire_paging_list_submit_empty(&world->list);
	world->empty = false;
	FINDING_IF(error ? error != world->fault : world->submitted);

	return error;
}

/* Of the size that the last sub-transfer makes it. */
static void take_object(struct world *world, struct quire_paging_args *args, uint32_t choice)
{
	const struct quire_paging_transfer *t = &args->u.transfer;

	args->allocation = choice % 3 < 2 ? &world->objects[choice % 3] : NULL;
	if (args->operation != QUIRE_PAGING_TRANSFER)
		return;
	if (world->list.sequence.pending && choice < 11)
		args->allocation = world->list.sequence.allocation;
	if (args->allocation && args->allocation != &world->image && choice < 13)
		world->objects[args->allocation - world->objects].pitch_aligned_size =
			t->transfer_offset + t->transfer_size;
}

static int operation(struct world *world)
{
	static struct lists lists;
	struct quire_paging_args args;
	uint32_t choice = fuzz_below(&world->input, 16);
	bool converts = choice > 13 || world->list.sequence.converts;
	bool spoils = choice > 11;
	int error;

	if (!choice)
		return submit_empty(world);

	memset(&lists, 0, sizeof(lists));
	if (choice > 7 && choice < 13 && !world->list.sequence.pending) {
		take_virtual(world, &args, &lists);
	} else if (converts) {
		spoils = !fuzz_below(&world->input, 4);
		if (!world->list.sequence.pending)
			take_image(&world->input, &world->image);
		take_conversion(&world->input, &world->list.sequence, &world->image, &args,
				lists.runs);
	} else {
		take_args(&world->input, &world->list.sequence, &args, lists.runs, lists.numbers);
		take_object(world, &args, choice);
	}
	if (spoils)
		spoil_args(world, &args, converts && !world->list.sequence.pending);
	memset(&args.progress, GUARD, sizeof(args.progress)); /* of another operation */
	error = add(world, &args);

	/* What is built does not depend on the arguments any more. */
	memset(&lists, 0xff, sizeof(lists));
	memset(&args, 0xff, sizeof(args));

	return error;
}

/* One list. False if a fault ended it. */
static bool operations(struct world *world, unsigned int count)
{
	int error = 0;

	list_start(world);
	while (count-- && !error)
		error = operation(world);
	if (!list_end(world, error))
		return false;
	world_compare(world);

	return true;
}

/* The aperture starts as one range of pages, mapped by the builder as well. */
static bool map_all(struct world *world)
{
	const struct quire_page_run run = { SYSTEM_BASE / FUZZ_PAGE + LIST_PAGES, APERTURE_PAGES };
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
		.u.map = {
			.number_of_pages = APERTURE_PAGES,
			.mdl = { QUIRE_SEGMENT_SYSTEM, 1, 0, &run },
		},
	};

	FINDING_IF(quire_paging_check_args(&world->caps, &args));
	list_start(world);
	if (!list_end(world, add(world, &args)))
		return false;
	world_compare(world);

	return true;
}

static struct world *world_create(void)
{
	struct world *world = fuzz_alloc(sizeof(*world));
	uint32_t seed = 1;
	size_t i;

	world->control = fuzz_alloc(sizeof(*world->control));
	world->real = fuzz_alloc(sizeof(*world->real));
	world->expected = fuzz_alloc(sizeof(*world->expected));
	pristine = fuzz_alloc(sizeof(*pristine));
	for (i = 0; i < sizeof(*pristine); i++) {
		seed = seed * 1664525 + 1013904223;
		((uint8_t *)pristine)[i] = seed >> 24;
	}
	world->host.vram = world->real->vram;
	world->host.vram_size = sizeof(world->real->vram);
	world->host.vram_visible = sizeof(world->real->vram) / 2 & ~(FUZZ_PAGE - 1ull);
	world->host.range_count = NR_RANGES;
	world->host.range_size = FUZZ_PAGE;
	world->host.window_size = WINDOW_PAGES * FUZZ_PAGE;
	world->host.tlb_entries = QUIRE_TLB_ENTRIES_MIN;
	world->host.regions[0] = (struct memory_region) {
		SYSTEM_BASE, sizeof(world->real->system), world->real->system, false,
	};
	world->host.regions[1] = (struct memory_region) {
		CONTROL_BASE, sizeof(*world->control), (uint8_t *)world->control, false,
	};
	world->ring = (struct fuzz_ring) {
		.host = &world->host,
		.number = QUIRE_RING_PAGING,
		.memory = &world->control->ring,
		.address = CONTROL_BASE,
	};

	return world;
}

/* Some lists, from the same state each time. */
static void one_round(struct world *world)
{
	unsigned int lists;
	bool good;

	memcpy(world->real, pristine, sizeof(*pristine));
	memcpy(world->expected, pristine, sizeof(*pristine));
	memcpy(world->cpu_table, pristine, sizeof(world->cpu_table));
	memcpy(world->cpu_expected, pristine, sizeof(world->cpu_expected));
	lists = 1 + fuzz_below(&world->input, MAX_LISTS);
	world->host.granule = 64u << fuzz_below(&world->input, 9);
	world->host.parts = world->host.granule / FUZZ_PAGE;
	world->caps = (struct quire_paging_caps) {
		.vram_pages = VRAM_PAGES,
		.aperture_pages = APERTURE_PAGES,
		.window_pages = WINDOW_PAGES,
		.max_packet_pages = 1 + fuzz_below(&world->input, 20),
		.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE,
		.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE,
	};
	world->open = false;
	world->empty = false;
	world->fault = 0;
	references = 0;
	world->objects[0] = (struct quire_paging_allocation) { .needs_idle = false };
	world->objects[1] = (struct quire_paging_allocation) { .needs_idle = true };
	FINDING_IF(quire_paging_check_caps(&world->caps));
	world->host.work_least = fuzz_below(&world->input, 3) * 1000;
	world->host.work_slices = fuzz_below(&world->input, 3);
	memory_host_start(&world->host, APERTURE_PAGES * FUZZ_PAGE,
			  1 + fuzz_below(&world->input, 8),
			  64 + fuzz_below(&world->input, 3 * FUZZ_PAGE));
	space_start(world);
	fuzz_ring_start(&world->ring);
	for (good = map_all(world); good && lists; lists--)
		good = operations(world, 1 + fuzz_below(&world->input, MAX_OPERATIONS));
	memory_host_stop(&world->host);
}

/* An input is a sequence of rounds, each by itself. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world *world;
	unsigned int rounds;

	if (!world) {
		world = world_create();
		atexit(tell_reach);
	}
	fuzz_input_start(&world->input, data, size);
	for (rounds = 0; !rounds || (world->input.left && rounds < MAX_ROUNDS); rounds++)
		one_round(world);

	return 0;
}
