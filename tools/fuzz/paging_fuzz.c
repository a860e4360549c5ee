// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Builder, list loop and engine together: an input becomes lists of operations
 * with run lists, buffers and slices; what the builder writes is executed by
 * the real engine, and memory is compared with a model that knows only the
 * arguments. Every call of the builder is checked on its way.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/errno.h>

#include "../../drivers/gpu/drm/quire/paging/quire_paging_list.h"

#include "host.h"

#define VRAM_PAGES	24u
#define LIST_PAGES	20u /* system pages that page lists name */
#define APERTURE_PAGES	16u
#define DUMMY_PAGE	(LIST_PAGES + APERTURE_PAGES)
#define SYSTEM_PAGES	(DUMMY_PAGE + 1)
#define SYSTEM_BASE	0x7000000000ull
#define CONTROL_BASE	0x10000ull

#define RING_ORDER	2u
#define SLOTS		BIT(RING_ORDER)
#define SLOT_SIZE	1024u
#define MAX_RUNS	6u
#define MAX_LISTS	4u
#define MAX_OPERATIONS	4u /* of a list */
#define MAX_RECORDS	32u

/* Pages at CONTROL_BASE. */
struct control {
	struct quire_ring_entry entries[FUZZ_PAGE / sizeof(struct quire_ring_entry)];
	struct quire_fence_page fence;
	uint8_t pad[FUZZ_PAGE - sizeof(struct quire_fence_page)];
	uint8_t slots[SLOTS][SLOT_SIZE];
};

struct memory {
	uint8_t vram[VRAM_PAGES * FUZZ_PAGE];
	uint8_t system[SYSTEM_PAGES * FUZZ_PAGE];
};

/*
 * One fuzzed world; @expected and @aperture are the model. @open: a buffer is
 * out. @fault: the error by which the loop may end, as something was refused to
 * it or the buffer is too small; else 0.
 */
struct world {
	struct fuzz_host host;
	struct control *control;
	struct memory *real;
	struct memory *expected;
	unsigned int aperture[APERTURE_PAGES]; /* page index in system */
	bool coherent[APERTURE_PAGES];
	uint32_t wptr;
	struct quire_paging_caps caps;
	struct quire_paging_list list;
	struct quire_paging_record records[MAX_RECORDS];
	uint32_t list_start; /* wptr before the list */
	bool open;
	int fault;
	struct fuzz_input input;
};

static struct memory *pristine;

static void put_le64(void *to, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		((uint8_t *)to)[i] = value >> 8 * i;
}

static uint64_t get_le64(const void *from)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 8; i++)
		value |= (uint64_t)((const uint8_t *)from)[i] << 8 * i;

	return value;
}

/* ---- model ---- */

static uint8_t *model_page(struct world *world, uint32_t segment, uint64_t page)
{
	if (segment == QUIRE_SEGMENT_VRAM)
		return page < VRAM_PAGES ? world->expected->vram + page * FUZZ_PAGE : NULL;
	if (segment == QUIRE_SEGMENT_APERTURE)
		return page < APERTURE_PAGES ?
			world->expected->system + world->aperture[page] * FUZZ_PAGE : NULL;
	page -= SYSTEM_BASE / FUZZ_PAGE;

	return page < SYSTEM_PAGES ? world->expected->system + page * FUZZ_PAGE : NULL;
}

/* Page number @nr of a location, counted through its runs. */
static uint64_t model_number(const struct quire_paging_location *location, uint64_t nr)
{
	uint32_t i = 0;

	while (nr >= location->runs[i].count)
		nr -= location->runs[i++].count;

	return location->runs[i].first + nr;
}

static uint8_t *model_nth(struct world *world, const struct quire_paging_location *location,
			  uint64_t nr)
{
	return model_page(world, location->segment, model_number(location, nr));
}

static bool model_has(uint8_t *const *pages, uint64_t count, const uint8_t *page)
{
	while (count--)
		if (pages[count] == page)
			return true;
	return false;
}

/* Order of pages matters where they are reachable twice: left to nobody. */
static bool model_ambiguous(const struct quire_paging_transfer *t, uint64_t count,
			    uint8_t *const *from, uint8_t *const *to)
{
	bool ranges = t->source.segment == t->destination.segment &&
		      t->source.nr_runs == 1 && t->destination.nr_runs == 1;
	bool shared = false, twice = false;
	uint64_t i;

	for (i = 0; i < count; i++) {
		shared |= model_has(from, count, to[i]);
		twice |= model_has(to, i, to[i]) || model_has(from, i, from[i]);
	}
	if (!shared && !(twice && ranges))
		return false;
	if (!ranges || twice)
		return true;

	/* An overlap of two ranges: shared pages have to be the same pages of it. */
	for (i = 0; i < count; i++) {
		uint64_t at = t->destination.runs->first + i - t->source.runs->first;

		if (model_has(from, count, to[i]) && (at >= count || from[at] != to[i]))
			return true;
	}

	return false;
}

/* False if there is nothing to compare with. */
static bool model_transfer(struct world *world, const struct quire_paging_transfer *t)
{
	static uint8_t bytes[(VRAM_PAGES + 1) * FUZZ_PAGE];
	uint8_t *from[VRAM_PAGES + 1], *to[VRAM_PAGES + 1];
	uint64_t first_from = t->source.segment ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	uint64_t first_to = t->destination.segment ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	uint64_t i, part, pages = t->transfer_size / FUZZ_PAGE + !!(t->transfer_size % FUZZ_PAGE);

	if (pages > VRAM_PAGES)
		return false;
	for (i = 0; i < pages; i++) {
		from[i] = model_nth(world, &t->source, first_from + i);
		to[i] = model_nth(world, &t->destination, first_to + i);
		if (!from[i] || !to[i])
			return false;
	}
	if (model_ambiguous(t, pages, from, to))
		return false;

	for (i = 0; i < pages; i++)
		memcpy(bytes + i * FUZZ_PAGE, from[i], FUZZ_PAGE);
	for (i = 0; i < pages; i++) {
		part = t->transfer_size - i * FUZZ_PAGE;
		memcpy(to[i], bytes + i * FUZZ_PAGE, part < FUZZ_PAGE ? part : FUZZ_PAGE);
	}

	return true;
}

static bool model_set(struct world *world, const struct quire_paging_location *location,
		      uint64_t size, uint32_t pattern)
{
	uint64_t done, i;

	for (done = 0; done < size; done += FUZZ_PAGE) {
		uint8_t *page = model_nth(world, location, done / FUZZ_PAGE);

		for (i = 0; i < FUZZ_PAGE && done + i < size; i++)
			page[i] = pattern >> i % 4 * 8;
	}

	return true;
}

static bool model_physical(struct world *world, const struct quire_paging_physical *p, bool write)
{
	uint8_t *page = model_page(world, p->segment, p->physical_address / FUZZ_PAGE);
	uint32_t i;

	for (i = 0; page && write && i < p->size; i++)
		page[p->physical_address % FUZZ_PAGE + i] = p->value >> 8 * i;

	return page;
}

static bool model_map(struct world *world, const struct quire_paging_map *map)
{
	uint64_t i;

	for (i = 0; i < map->number_of_pages; i++)
		if (!model_nth(world, &map->mdl, map->mdl_offset + i))
			return false;
	for (i = 0; i < map->number_of_pages; i++) {
		world->aperture[map->offset_in_pages + i] =
			model_number(&map->mdl, map->mdl_offset + i) - SYSTEM_BASE / FUZZ_PAGE;
		world->coherent[map->offset_in_pages + i] = map->flags;
	}

	return true;
}

static bool model_unmap(struct world *world, const struct quire_paging_unmap *unmap)
{
	uint64_t i;

	for (i = 0; i < unmap->number_of_pages; i++) {
		world->aperture[unmap->offset_in_pages + i] = DUMMY_PAGE;
		world->coherent[unmap->offset_in_pages + i] = false;
	}

	return true;
}

static uint64_t location_pages(const struct quire_paging_location *location)
{
	uint64_t pages = 0;
	uint32_t i;

	for (i = 0; i < location->nr_runs; i++)
		pages += location->runs[i].count;

	return pages;
}

static bool model(struct world *world, const struct quire_paging_args *args)
{
	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		return model_transfer(world, &args->u.transfer);
	case QUIRE_PAGING_FILL:
		return model_set(world, &args->u.fill.destination, args->u.fill.fill_size,
				 args->u.fill.fill_pattern);
	case QUIRE_PAGING_DISCARD_CONTENT:
		return location_pages(&args->u.discard.location) <= 4 * VRAM_PAGES &&
		       model_set(world, &args->u.discard.location,
				 location_pages(&args->u.discard.location) * FUZZ_PAGE, 0);
	case QUIRE_PAGING_READ_PHYSICAL:
	case QUIRE_PAGING_WRITE_PHYSICAL:
		return model_physical(world, &args->u.physical,
				      args->operation == QUIRE_PAGING_WRITE_PHYSICAL);
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		return model_map(world, &args->u.map);
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		return model_unmap(world, &args->u.unmap);
	}

	return false;
}

/* ---- device ---- */

static void world_write32(struct world *world, uint32_t reg, uint32_t value)
{
	quire_regs_write(&world->host.engine, QUIRE_REG_RING(QUIRE_RING_PAGING, reg), 4, value);
}

static void world_start_ring(struct world *world)
{
	memset(world->control, 0, sizeof(*world->control));
	world->wptr = 0;
	world_write32(world, QUIRE_RING_ENTRIES_LO, CONTROL_BASE);
	world_write32(world, QUIRE_RING_FENCE_PAGE_LO, CONTROL_BASE + FUZZ_PAGE);
	world_write32(world, QUIRE_RING_ORDER, RING_ORDER);
	world_write32(world, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
}

/* Runs all that was submitted: nothing the builder wrote may be a fault. */
static void world_run(struct world *world)
{
	const struct quire_ring *ring = &world->host.engine.ring[QUIRE_RING_PAGING];
	unsigned int slices = 0;

	while (fuzz_host_run(&world->host))
		FINDING_IF(slices++ > 1000000);
	FINDING_IF(ring->fault_code);
	FINDING_IF(ring->rptr != world->wptr);
	FINDING_IF(get_le64(&world->control->fence.fence) != world->wptr);
}

static uint8_t *world_slot(struct world *world)
{
	return world->control->slots[world->wptr % SLOTS];
}

static void world_submit(struct world *world, uint32_t size)
{
	struct quire_ring_entry *entry = &world->control->entries[world->wptr % SLOTS];
	uint64_t addr = CONTROL_BASE + (world_slot(world) - (uint8_t *)world->control);

	world->wptr++;
	put_le64(&entry->addr, addr);
	put_le64(&entry->size, size);
	put_le64(&entry->fence, world->wptr);
	put_le64(&entry->reserved, 0);
	put_le64(&world->control->fence.wptr, world->wptr);
	quire_regs_write(&world->host.engine, QUIRE_DOORBELL(QUIRE_RING_PAGING), 4, 0);
	FINDING_IF(!world->host.scheduled);

	/* Now, or when the ring is full: then several submissions wait. */
	if (world->wptr % SLOTS == 0 || fuzz_take(&world->input, 1) & 1)
		world_run(world);
}

static void world_compare(struct world *world)
{
	unsigned int i;

	FINDING_IF(memcmp(world->real->vram, world->expected->vram, sizeof(world->real->vram)));
	FINDING_IF(memcmp(world->real->system, world->expected->system,
			  sizeof(world->real->system)));
	for (i = 0; i < APERTURE_PAGES; i++)
		FINDING_IF(world->host.engine.aperture[i] !=
			   ((SYSTEM_BASE + world->aperture[i] * FUZZ_PAGE) |
			    QUIRE_APERTURE_VALID |
			    (world->coherent[i] ? QUIRE_APERTURE_COHERENT : 0)));
}

/* ---- each call of the builder ---- */

#define GUARD	0x5au

enum quire_build_status __real_quire_build_paging_buffer(const struct quire_paging_caps *caps,
							 struct quire_paging_args *args);
enum quire_build_status __wrap_quire_build_paging_buffer(const struct quire_paging_caps *caps,
							 struct quire_paging_args *args);

static bool may_wait(const struct quire_paging_args *args)
{
	return args->allocation && args->allocation->needs_idle && !args->allocation_is_idle &&
	       (args->operation == QUIRE_PAGING_TRANSFER ||
		args->operation == QUIRE_PAGING_DISCARD_CONTENT);
}

static void check_records(const struct quire_paging_args *before,
			  const struct quire_paging_args *args)
{
	const struct quire_paging_record *record = before->private_data;
	uint32_t offset = before->dma_buffer_write_offset;
	const uint8_t *packet = before->dma_buffer;

	for (; packet < (uint8_t *)args->dma_buffer; record++) {
		uint32_t size = get_le64(packet) >> 32;

		FINDING_IF(record->offset != offset || !record->bytes);
		FINDING_IF(record->operation != args->operation || record->reserved);
		FINDING_IF(size < 32);
		packet += size;
		offset += size;
	}
	FINDING_IF(packet != args->dma_buffer || record != args->private_data);
}

/* Nothing but the window, the token and the builder's own has changed. */
static void check_args(const struct quire_paging_args *before,
		       const struct quire_paging_args *args)
{
	uint32_t used = before->dma_size - args->dma_size;
	struct quire_paging_args same;
	uint32_t i;

	FINDING_IF(used > before->dma_size || used % 8);
	FINDING_IF((uint8_t *)args->dma_buffer != (uint8_t *)before->dma_buffer + used);
	FINDING_IF(args->dma_buffer_write_offset != before->dma_buffer_write_offset + used);
	for (i = args->dma_buffer_write_offset; i < SLOT_SIZE; i++)
		FINDING_IF(((uint8_t *)args->dma_buffer - args->dma_buffer_write_offset)[i] != GUARD);

	memcpy(&same, args, sizeof(same));
	same.dma_buffer = before->dma_buffer;
	same.dma_size = before->dma_size;
	same.private_data = before->private_data;
	same.private_data_size = before->private_data_size;
	same.dma_buffer_write_offset = before->dma_buffer_write_offset;
	same.multipass_offset = before->multipass_offset;
	same.progress = before->progress;
	FINDING_IF(memcmp(&same, before, sizeof(same)));
}

/* The linker lets the loop call this instead of the builder. */
enum quire_build_status __wrap_quire_build_paging_buffer(const struct quire_paging_caps *caps,
							 struct quire_paging_args *args)
{
	struct quire_paging_args before;
	enum quire_build_status status;
	bool wrote;

	memcpy(&before, args, sizeof(before));
	status = __real_quire_build_paging_buffer(caps, args);
	check_args(&before, args);
	check_records(&before, args);

	wrote = args->dma_size != before.dma_size;
	FINDING_IF((args->multipass_offset > before.multipass_offset) != wrote);
	FINDING_IF(status == QUIRE_BUILD_FULL && !wrote && before.dma_size >= 48 &&
		   before.private_data_size >= 16);
	FINDING_IF(status == QUIRE_BUILD_BUSY && (wrote || !may_wait(&before)));

	return status;
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
		return 48 + choice / 4 * 3;

	return (choice - 120) * 7;
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
		.gpu_address = CONTROL_BASE + (slot - (uint8_t *)world->control),
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

static struct dma_fence *list_submit(struct quire_paging_list *list,
				     struct quire_paging_buffer *buffer)
{
	struct world *world = to_world(list);

	FINDING_IF(!world->open);
	world->open = false;
	if (fuzz_take(&world->input, 1) == 255)
		return ERR_PTR(fail(world, -ENOMEM));

	world_submit(world, buffer->used);
	return get_fence(world->wptr);
}

static int list_wait(struct quire_paging_list *list, struct dma_fence *fence)
{
	struct world *world = to_world(list);

	FINDING_IF(world->open);
	world_run(world);
	FINDING_IF(get_le64(&world->control->fence.fence) < (uintptr_t)fence);
	return 0;
}

/* What the list submitted has been executed: it does not wait for itself. */
static int list_wait_idle(struct quire_paging_list *list)
{
	struct world *world = to_world(list);

	FINDING_IF(world->open);
	FINDING_IF(world->wptr != world->list_start &&
		   get_le64(&world->control->fence.fence) != world->wptr);
	world_run(world);
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
	world->list_start = world->wptr;
}

/* False if a fault ended the list: memory is anywhere between two states then. */
static bool list_end(struct world *world, int error)
{
	struct dma_fence *fence = quire_paging_list_finish(&world->list, error);
	uint32_t last = world->wptr == world->list_start ? SIGNALLED : world->wptr;

	FINDING_IF(world->open);
	FINDING_IF(error && fence != ERR_PTR(error));
	if (IS_ERR(fence)) {
		FINDING_IF(fence != ERR_PTR(world->fault));
	} else {
		FINDING_IF((uintptr_t)fence != last);
		put_fence(fence);
	}
	FINDING_IF(references);
	world_run(world);

	return !IS_ERR(fence);
}

/* ---- arguments ---- */

static uint64_t take_wild(struct fuzz_input *input)
{
	uint64_t value = fuzz_take(input, 2);

	switch (fuzz_below(input, 4)) {
	case 0:
		return value;
	case 1:
		return 0 - value;
	case 2:
		return value << fuzz_below(input, 64);
	default:
		return fuzz_take(input, 8);
	}
}

static void take_location(struct fuzz_input *input, uint32_t segment, bool disjoint,
			  struct quire_page_run *runs, struct quire_paging_location *location)
{
	static const struct { uint64_t first, pages; } segments[] = {
		{ SYSTEM_BASE / FUZZ_PAGE, LIST_PAGES }, { 0, VRAM_PAGES }, { 0, APERTURE_PAGES },
	};
	uint64_t first = segments[segment].first, pages = segments[segment].pages;
	uint32_t i;

	location->segment = segment;
	location->runs = runs;
	location->nr_runs = disjoint ? 1 : fuzz_below(input, MAX_RUNS + 1);
	for (i = 0; i < location->nr_runs; i++) {
		uint64_t at = fuzz_below(input, pages);

		runs[i].first = first + at;
		runs[i].count = 1 + fuzz_below(input, disjoint ? pages - at : pages - at > 5 ?
					       5 : pages - at);
	}
	if (fuzz_take(input, 1) == 255 && location->nr_runs) {
		runs[0].first = take_wild(input);
		runs[0].count = take_wild(input);
	}
}

/* Up to all pages from @skip on, and sometimes more. */
static uint64_t take_pages(struct fuzz_input *input, uint64_t pages, uint64_t skip)
{
	if (fuzz_take(input, 1) == 255)
		return take_wild(input);

	return pages > skip && pages - skip < UINT64_MAX ?
	       fuzz_below(input, pages - skip + 1) : 0;
}

static void take_transfer(struct fuzz_input *input, struct quire_paging_transfer *t,
			  struct quire_page_run (*runs)[MAX_RUNS])
{
	uint32_t shape = fuzz_take(input, 1);
	uint64_t skip_from, skip_to, from, to;

	take_location(input, shape % 3, shape & 64, runs[0], &t->source);
	take_location(input, shape / 3 % 3, shape & 128, runs[1], &t->destination);
	t->transfer_offset = fuzz_below(input, 4) * FUZZ_PAGE;
	t->mdl_offset = fuzz_below(input, 4);
	if (fuzz_take(input, 1) == 255)
		t->transfer_offset = take_wild(input);
	t->flags = fuzz_below(input, 4) * QUIRE_TRANSFER_START;
	skip_from = t->source.segment ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	skip_to = t->destination.segment ? t->transfer_offset / FUZZ_PAGE : t->mdl_offset;
	from = location_pages(&t->source);
	to = location_pages(&t->destination);
	from = from > skip_from ? from - skip_from : 0;
	to = to > skip_to ? to - skip_to : 0;
	t->transfer_size = take_pages(input, from < to ? from : to, 0) * FUZZ_PAGE;
	if (t->transfer_size && fuzz_take(input, 1) & 1)
		t->transfer_size -= fuzz_below(input, FUZZ_PAGE);
}

static void take_physical(struct fuzz_input *input, struct quire_paging_physical *p, bool write)
{
	p->segment = fuzz_below(input, 4);
	p->size = fuzz_below(input, 10);
	p->physical_address = fuzz_below(input, VRAM_PAGES * 16) * 256 + fuzz_below(input, 16) +
			      (p->segment ? 0 : SYSTEM_BASE);
	p->value = write ? fuzz_take(input, 8) : 0;
}

static void take_args(struct fuzz_input *input, struct quire_paging_args *args,
		      struct quire_page_run (*runs)[MAX_RUNS])
{
	memset(args, 0, sizeof(*args));
	args->operation = fuzz_below(input, 10);
	if (args->operation >= QUIRE_PAGING_OPERATIONS)
		args->operation = QUIRE_PAGING_TRANSFER;

	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		take_transfer(input, &args->u.transfer, runs);
		break;
	case QUIRE_PAGING_FILL:
		take_location(input, QUIRE_SEGMENT_VRAM, false, runs[0],
			      &args->u.fill.destination);
		args->u.fill.fill_size = take_pages(input,
						    location_pages(&args->u.fill.destination), 0) *
					 FUZZ_PAGE;
		if (args->u.fill.fill_size)
			args->u.fill.fill_size -= fuzz_below(input, 1024) * 4;
		args->u.fill.fill_pattern = fuzz_take(input, 4);
		break;
	case QUIRE_PAGING_DISCARD_CONTENT:
		take_location(input, QUIRE_SEGMENT_VRAM, false, runs[0],
			      &args->u.discard.location);
		break;
	case QUIRE_PAGING_READ_PHYSICAL:
	case QUIRE_PAGING_WRITE_PHYSICAL:
		take_physical(input, &args->u.physical,
			      args->operation == QUIRE_PAGING_WRITE_PHYSICAL);
		break;
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		take_location(input, QUIRE_SEGMENT_SYSTEM, false, runs[0], &args->u.map.mdl);
		args->u.map.offset_in_pages = fuzz_below(input, APERTURE_PAGES);
		args->u.map.mdl_offset = fuzz_below(input, 4);
		args->u.map.number_of_pages = take_pages(input,
							 location_pages(&args->u.map.mdl),
							 args->u.map.mdl_offset);
		args->u.map.flags = fuzz_below(input, 2);
		break;
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		args->u.unmap.offset_in_pages = fuzz_below(input, APERTURE_PAGES);
		args->u.unmap.number_of_pages = take_pages(input, APERTURE_PAGES,
							   args->u.unmap.offset_in_pages);
		args->u.unmap.dummy_page = SYSTEM_BASE + DUMMY_PAGE * FUZZ_PAGE;
		break;
	}
}

/* ---- one input ---- */

/* Refused arguments change nothing; others are described in full. */
static int add(struct world *world, struct quire_paging_args *args)
{
	struct quire_paging_args before;
	int refused, error;

	memcpy(&before, args, sizeof(before));
	refused = quire_paging_check_args(&world->caps, args);
	FINDING_IF(memcmp(&before, args, sizeof(before)));
	if (!refused && !model(world, args))
		return 0;

	error = quire_paging_list_add(&world->list, args);
	if (refused) {
		FINDING_IF(error != refused);
		return 0;
	}
	FINDING_IF(error && error != world->fault);

	return error;
}

static int operation(struct world *world)
{
	static const struct quire_paging_allocation allocations[] = { { false }, { true } };
	struct quire_page_run runs[2][MAX_RUNS];
	struct quire_paging_args args;
	uint32_t choice = fuzz_below(&world->input, 16);
	int error;

	if (!choice) {
		error = quire_paging_list_submit_empty(&world->list);
		FINDING_IF(error && error != world->fault);
		return error;
	}

	take_args(&world->input, &args, runs);
	args.allocation = choice % 3 < 2 ? &allocations[choice % 3] : NULL;
	error = add(world, &args);

	/* What is built does not depend on the arguments any more. */
	memset(runs, 0xff, sizeof(runs));
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
			.mdl = { QUIRE_SEGMENT_SYSTEM, 1, &run },
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
	world->host.regions[0] = (struct fuzz_region) {
		SYSTEM_BASE, sizeof(world->real->system), world->real->system,
	};
	world->host.regions[1] = (struct fuzz_region) {
		CONTROL_BASE, sizeof(*world->control), (uint8_t *)world->control,
	};

	return world;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct world *world;
	unsigned int lists;
	bool good;

	if (!world)
		world = world_create();
	memcpy(world->real, pristine, sizeof(*pristine));
	memcpy(world->expected, pristine, sizeof(*pristine));
	fuzz_input_start(&world->input, data, size);
	lists = 1 + fuzz_below(&world->input, MAX_LISTS);
	world->host.granule = 64u << fuzz_below(&world->input, 9);
	world->caps = (struct quire_paging_caps) {
		.vram_pages = VRAM_PAGES,
		.aperture_pages = APERTURE_PAGES,
		.max_packet_pages = 1 + fuzz_below(&world->input, 20),
		.min_buffer_size = QUIRE_PAGING_MIN_BUFFER_SIZE,
		.min_private_data_size = QUIRE_PAGING_MIN_PRIVATE_SIZE,
	};
	world->open = false;
	world->fault = 0;
	references = 0;
	FINDING_IF(quire_paging_check_caps(&world->caps));
	fuzz_host_start(&world->host, APERTURE_PAGES * FUZZ_PAGE,
			1 + fuzz_below(&world->input, 8),
			64 + fuzz_below(&world->input, 3 * FUZZ_PAGE));
	world_start_ring(world);
	for (good = map_all(world); good && lists; lists--)
		good = operations(world, 1 + fuzz_below(&world->input, MAX_OPERATIONS));
	fuzz_host_stop(&world->host);

	return 0;
}
