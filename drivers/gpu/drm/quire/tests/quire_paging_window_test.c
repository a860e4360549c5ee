// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "quire_paging_drive.h"

/*
 * DOC: what the builder's packets do to memory
 *
 * Every case is built with every window size and executed on the model. What
 * memory must hold afterwards is computed here from the arguments alone.
 */

#define V	QUIRE_MODEL_VRAM_BASE
#define S	QUIRE_MODEL_SYSTEM_BASE
#define PAGE	QUIRE_MODEL_PAGE

static const struct quire_page_run vram_one[] = { { V + 2, 20 } };
static const struct quire_page_run vram_low[] = { { V, 12 } };
static const struct quire_page_run vram_high[] = { { V + 5, 12 } };
static const struct quire_page_run vram_split[] = {
	{ V + 9, 3 }, { V + 1, 1 }, { V + 20, 7 }, { V + 12, 4 }, { V + 28, 1 },
};

static const struct quire_page_run vram_other[] = {
	{ V + 27, 1 }, { V + 2, 5 }, { V + 16, 4 }, { V + 29, 3 }, { V + 7, 2 }, { V, 1 },
};

/* Neighbours that nobody coalesced: still a boundary. */
static const struct quire_page_run vram_adjacent[] = {
	{ V + 4, 4 }, { V + 8, 4 }, { V + 12, 1 }, { V + 13, 7 },
};

static const struct quire_page_run list_one[] = { { S + 1, 20 } };
static const struct quire_page_run list_split[] = {
	{ S + 20, 2 }, { S, 5 }, { S + 10, 1 }, { S + 12, 6 }, { S + 5, 2 }, { S + 22, 2 },
};

static const struct quire_page_run list_pages[] = {
	{ S + 22, 1 }, { S + 3, 1 }, { S + 5, 1 }, { S + 1, 1 }, { S + 20, 1 }, { S + 7, 1 },
	{ S + 18, 1 }, { S + 9, 1 }, { S + 16, 1 }, { S + 11, 1 }, { S + 14, 1 }, { S + 13, 1 },
	{ S, 1 }, { S + 15, 1 }, { S + 12, 1 }, { S + 17, 1 }, { S + 10, 1 }, { S + 19, 1 },
};

static const struct quire_page_run aperture_split[] = {
	{ 3, 5 }, { 10, 2 }, { 0, 3 }, { 15, 9 },
};

static const struct quire_page_run aperture_one[] = { { 1, 18 } };

#define LOCATION(number, list) \
	{ .segment = QUIRE_SEGMENT_##number, .nr_runs = ARRAY_SIZE(list), .runs = list }

#define TRANSFER(from, from_list, to, to_list, bytes, offset, mdl)		\
	{ .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {			\
		.source = LOCATION(from, from_list),				\
		.destination = LOCATION(to, to_list),				\
		.transfer_size = bytes, .transfer_offset = offset,		\
		.mdl_offset = mdl,						\
		.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_END } }
#define FILL(list, bytes, value)						\
	{ .operation = QUIRE_PAGING_FILL, .u.fill = {				\
		.destination = LOCATION(VRAM, list),				\
		.fill_size = bytes, .fill_pattern = value } }
#define DISCARD(list)								\
	{ .operation = QUIRE_PAGING_DISCARD_CONTENT,				\
	  .u.discard.location = LOCATION(VRAM, list) }
#define PHYSICAL(what, number, where, bytes, data)				\
	{ .operation = QUIRE_PAGING_##what##_PHYSICAL, .u.physical = {		\
		.segment = QUIRE_SEGMENT_##number, .physical_address = where,	\
		.size = bytes, .value = data } }
#define MAP(first, pages, list, skip, coherent)					\
	{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .u.map = {		\
		.offset_in_pages = first, .number_of_pages = pages,		\
		.mdl = LOCATION(SYSTEM, list), .mdl_offset = skip,		\
		.flags = coherent } }
#define UNMAP(first, pages)							\
	{ .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT, .u.unmap = {	\
		.offset_in_pages = first, .number_of_pages = pages,		\
		.dummy_page = (S + 4) * PAGE } }

struct window_case {
	const char *name;
	u32 max_packet_pages;
	struct quire_paging_args args;
};

static const struct window_case window_cases[] = {
	{ "list to VRAM", 1000,
	  TRANSFER(SYSTEM, list_one, VRAM, vram_one, 20 * PAGE, 0, 0) },
	{ "list to VRAM, largest packet", U32_MAX,
	  TRANSFER(SYSTEM, list_pages, VRAM, vram_one, 18 * PAGE, 0, 0) },
	{ "VRAM to list", 1000,
	  TRANSFER(VRAM, vram_one, SYSTEM, list_pages, 18 * PAGE, 0, 0) },
	{ "list to VRAM, runs on both sides", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 16 * PAGE, 0, 0) },
	{ "VRAM to list, runs on both sides", 1000,
	  TRANSFER(VRAM, vram_other, SYSTEM, list_split, 16 * PAGE, 0, 0) },
	{ "VRAM to list, neighbour runs", 1000,
	  TRANSFER(VRAM, vram_adjacent, SYSTEM, list_one, 16 * PAGE, 0, 0) },
	{ "list to VRAM, transfer offset", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 9 * PAGE, 5 * PAGE, 0) },
	{ "list to VRAM, MDL offset", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 9 * PAGE, 0, 4) },
	{ "list to VRAM, both offsets", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_one, 9 * PAGE, 5 * PAGE, 4) },
	{ "VRAM to list, both offsets, odd size", 3,
	  TRANSFER(VRAM, vram_split, SYSTEM, list_split, 8 * PAGE + 77, 4 * PAGE, 6) },
	{ "VRAM to list, both offsets, pages", 1000,
	  TRANSFER(VRAM, vram_split, SYSTEM, list_pages, 11 * PAGE, 2 * PAGE, 7) },
	{ "list to VRAM, one byte", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 1, 3 * PAGE, 7) },
	{ "list to VRAM, odd size", 1000,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_split, 15 * PAGE + 4095, 0, 0) },
	{ "VRAM to list, packets of 1 page", 1,
	  TRANSFER(VRAM, vram_one, SYSTEM, list_split, 6 * PAGE + 1, 0, 0) },
	{ "list to VRAM, packets of 2 pages", 2,
	  TRANSFER(SYSTEM, list_split, VRAM, vram_other, 9 * PAGE, 0, 1) },
	{ "VRAM to aperture", 1000,
	  TRANSFER(VRAM, vram_split, APERTURE, aperture_split, 12 * PAGE + 5, 3 * PAGE, 99) },
	{ "aperture to VRAM", 4,
	  TRANSFER(APERTURE, aperture_split, VRAM, vram_other, 14 * PAGE, 2 * PAGE, 0) },
	{ "list to aperture", 1000,
	  TRANSFER(SYSTEM, list_pages, APERTURE, aperture_split, 12 * PAGE, 3 * PAGE, 2) },
	{ "aperture to list", 5,
	  TRANSFER(APERTURE, aperture_one, SYSTEM, list_split, 12 * PAGE + 9, PAGE, 2) },
	{ "VRAM to VRAM, runs on both sides", 1000,
	  TRANSFER(VRAM, vram_split, VRAM, vram_other, 16 * PAGE, 0, 0) },
	{ "VRAM to VRAM, both offsets", 2,
	  TRANSFER(VRAM, vram_split, VRAM, vram_other, 9 * PAGE + 9, 4 * PAGE, 5) },
	{ "VRAM upwards, overlapping", 2,
	  TRANSFER(VRAM, vram_low, VRAM, vram_high, 11 * PAGE + 100, 0, 0) },
	{ "VRAM downwards, overlapping", 2,
	  TRANSFER(VRAM, vram_high, VRAM, vram_low, 11 * PAGE + 100, 0, 0) },
	{ "VRAM upwards, overlapping, offset", 3,
	  TRANSFER(VRAM, vram_low, VRAM, vram_high, 9 * PAGE + 1, 2 * PAGE, 8) },
	{ "VRAM upwards, one packet", 1000,
	  TRANSFER(VRAM, vram_low, VRAM, vram_high, 12 * PAGE, 0, 0) },
	{ "VRAM in place", 4, TRANSFER(VRAM, vram_one, VRAM, vram_one, 9 * PAGE, 0, 0) },
	{ "fill", 1000, FILL(vram_one, 20 * PAGE, 0x12345678) },
	{ "fill, runs, last word", 1000, FILL(vram_split, 15 * PAGE + 4092, 0xa1b2c3d4) },
	{ "fill, packets of 1 page", 1, FILL(vram_adjacent, 6 * PAGE + 4, 0x01020304) },
	{ "fill, one word", 3, FILL(vram_split, 4, 0xfffefdfc) },
	{ "discard", 1000, DISCARD(vram_one) },
	{ "discard, runs", 1000, DISCARD(vram_split) },
	{ "discard, packets of 3 pages", 3, DISCARD(vram_adjacent) },
	{ "read VRAM", 1, PHYSICAL(READ, VRAM, V * PAGE + 4088, 8, 0) },
	{ "write VRAM", 1, PHYSICAL(WRITE, VRAM, (V + 3) * PAGE + 4095, 1, 0x11223344aabbccddull) },
	{ "write aperture", 1, PHYSICAL(WRITE, APERTURE, 5 * PAGE + 1, 7, 0x1122334455667788ull) },
	{ "write system", 1,
	  PHYSICAL(WRITE, SYSTEM, (S + 3) * PAGE + 8, 8, 0x1122334455667788ull) },
	{ "map", 1000, MAP(2, 18, list_pages, 0, 0) },
	{ "map, coherent, offset", 1000,
	  MAP(1, 13, list_split, 4, QUIRE_MAPAPERTURE_CACHE_COHERENT) },
	{ "map, packets of 2 pages", 2, MAP(0, 17, list_one, 3, 0) },
	{ "unmap", 1000, UNMAP(0, QUIRE_MODEL_APERTURE) },
	{ "unmap, packets of 5 pages", 5, UNMAP(3, 17) },
};

KUNIT_ARRAY_PARAM_DESC(window, window_cases, name);

/* What tests of one case share. */
struct window_test {
	struct quire_drive *drive;
	struct quire_model *model;
	struct quire_model *expected;
	u8 *scratch;
};

static int window_init(struct kunit *test)
{
	struct window_test *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->drive = quire_drive_create(test);
	w->model = kunit_kzalloc(test, sizeof(*w->model), GFP_KERNEL);
	w->expected = kunit_kzalloc(test, sizeof(*w->expected), GFP_KERNEL);
	w->scratch = kunit_kzalloc(test, sizeof(w->model->vram), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->model);
	KUNIT_ASSERT_NOT_NULL(test, w->expected);
	KUNIT_ASSERT_NOT_NULL(test, w->scratch);
	test->priv = w;

	return 0;
}

/* Page @nr of an operation on one side of it. */
static u8 *expect_page(struct quire_model *model, const struct quire_paging_location *location,
		       u64 nr)
{
	return quire_model_page(model, location->segment,
				quire_drive_page(location, nr, NULL));
}

static u64 expect_offset(const struct quire_paging_transfer *t,
			 const struct quire_paging_location *location)
{
	return location->segment ? t->transfer_offset / PAGE : t->mdl_offset;
}

/* Reads all before it writes any: memmove, whatever overlaps. */
static void expect_transfer(struct quire_model *model, u8 *scratch,
			    const struct quire_paging_transfer *t)
{
	u64 i;

	for (i = 0; i < t->transfer_size; i++)
		scratch[i] = expect_page(model, &t->source,
					 expect_offset(t, &t->source) + i / PAGE)[i % PAGE];
	for (i = 0; i < t->transfer_size; i++)
		expect_page(model, &t->destination,
			    expect_offset(t, &t->destination) + i / PAGE)[i % PAGE] = scratch[i];
}

static void expect_fill(struct quire_model *model, const struct quire_paging_location *location,
			u64 size, u32 pattern)
{
	u64 i;

	for (i = 0; i < size; i++)
		expect_page(model, location, i / PAGE)[i % PAGE] = pattern >> (i & 3) * 8;
}

static void expect_physical(struct quire_model *model, const struct quire_paging_physical *p)
{
	u8 *page = quire_model_page(model, p->segment, p->physical_address / PAGE);
	u32 i;

	model->writes++;
	for (i = 0; i < p->size; i++)
		page[p->physical_address % PAGE + i] = p->value >> 8 * i;
}

static void expect_map(struct quire_model *model, const struct quire_paging_map *map)
{
	u64 i;

	for (i = 0; i < map->number_of_pages; i++) {
		model->aperture[map->offset_in_pages + i] =
			quire_drive_page(&map->mdl, map->mdl_offset + i, NULL);
		model->coherent[map->offset_in_pages + i] = map->flags != 0;
	}
}

static void expect_unmap(struct quire_model *model, const struct quire_paging_unmap *unmap)
{
	u64 i;

	for (i = 0; i < unmap->number_of_pages; i++)
		model->aperture[unmap->offset_in_pages + i] = unmap->dummy_page / PAGE;
}

static u64 location_pages(const struct quire_paging_location *location)
{
	u64 pages = 0;
	u32 i;

	for (i = 0; i < location->nr_runs; i++)
		pages += location->runs[i].count;

	return pages;
}

/* The operation as one step. */
static void expect(struct quire_model *model, u8 *scratch, const struct quire_paging_args *args)
{
	quire_model_reset(model);
	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		expect_transfer(model, scratch, &args->u.transfer);
		break;
	case QUIRE_PAGING_FILL:
		expect_fill(model, &args->u.fill.destination, args->u.fill.fill_size,
			    args->u.fill.fill_pattern);
		break;
	case QUIRE_PAGING_DISCARD_CONTENT:
		expect_fill(model, &args->u.discard.location,
			    location_pages(&args->u.discard.location) * PAGE, 0);
		break;
	case QUIRE_PAGING_READ_PHYSICAL:
		model->reads++;
		break;
	case QUIRE_PAGING_WRITE_PHYSICAL:
		expect_physical(model, &args->u.physical);
		break;
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		expect_map(model, &args->u.map);
		break;
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		expect_unmap(model, &args->u.unmap);
		break;
	}
}

/* Executes the log of the drive and compares with what is expected. */
static void window_execute(struct kunit *test, struct window_test *w)
{
	const char *wrong;

	quire_model_reset(w->model);
	wrong = quire_model_execute(w->model, w->scratch, w->drive->log, w->drive->log_size);
	KUNIT_ASSERT_TRUE_MSG(test, !wrong, "%s, window %u/%u: %s", w->drive->name,
			      w->drive->window, w->drive->private_window, wrong);
	KUNIT_ASSERT_TRUE_MSG(test, !memcmp(w->model, w->expected, sizeof(*w->model)),
			      "%s, window %u/%u: memory differs", w->drive->name,
			      w->drive->window, w->drive->private_window);
}

static struct window_test *window_start(struct kunit *test, const struct window_case *c)
{
	struct window_test *w = test->priv;

	quire_drive_set(w->drive, c->name, &c->args, c->max_packet_pages);
	KUNIT_ASSERT_EQ_MSG(test, quire_paging_check_caps(&w->drive->caps), 0, "%s", c->name);
	KUNIT_ASSERT_EQ_MSG(test, quire_paging_check_args(&w->drive->caps, &c->args), 0,
			    "%s", c->name);
	expect(w->expected, w->scratch, &c->args);
	KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "%s: stuck", c->name);
	KUNIT_ASSERT_EQ_MSG(test, w->drive->passes, 1u, "%s", c->name);
	window_execute(test, w);

	return w;
}

/* Every window from 0 to just enough does what one large window does. */
static void quire_paging_every_window(struct kunit *test)
{
	const struct window_case *c = test->param_value;
	struct window_test *w = window_start(test, c);
	u32 enough = w->drive->emitted;
	u32 smallest = quire_drive_smallest(&c->args);
	u64 bytes = w->drive->bytes;
	u32 size;

	for (size = 0; size <= enough + 8; size++) {
		w->drive->window = size;
		if (size < smallest) {
			KUNIT_ASSERT_TRUE_MSG(test, !quire_drive_run(w->drive),
					      "%s: packet in %u bytes", c->name, size);
			KUNIT_ASSERT_EQ(test, w->drive->packets, 0u);
			continue;
		}
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "%s: stuck with %u bytes",
				      c->name, size);
		KUNIT_ASSERT_EQ_MSG(test, w->drive->bytes, bytes, "%s: bytes", c->name);
		KUNIT_ASSERT_EQ_MSG(test, w->drive->passes == 1, size >= enough,
				    "%s: %u passes with %u of %u bytes", c->name,
				    w->drive->passes, size, enough);
		window_execute(test, w);
	}
}

/* The same for private data. */
static void quire_paging_every_private_window(struct kunit *test)
{
	const struct window_case *c = test->param_value;
	struct window_test *w = window_start(test, c);
	u32 packets = w->drive->packets;
	u32 size;

	for (size = 0; size <= packets * 16 + 8; size++) {
		w->drive->private_window = size;
		if (size < 16) {
			KUNIT_ASSERT_TRUE_MSG(test, !quire_drive_run(w->drive),
					      "%s: record in %u bytes", c->name, size);
			continue;
		}
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "%s: stuck with %u bytes",
				      c->name, size);
		KUNIT_ASSERT_EQ_MSG(test, w->drive->packets, packets, "%s: packets", c->name);
		KUNIT_ASSERT_EQ_MSG(test, w->drive->passes,
				    packets / (size / 16) + !!(packets % (size / 16)),
				    "%s: passes with %u bytes", c->name, size);
		window_execute(test, w);
	}
}

/* Windows of changing size, some too small for anything. */
static void quire_paging_mixed_windows(struct kunit *test)
{
	const struct window_case *c = test->param_value;
	struct window_test *w = window_start(test, c);
	u32 round;

	for (round = 1; round <= 100; round++) {
		w->drive->seed = round;
		w->drive->window = 48 + round * 2;
		w->drive->private_window = 64;
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "%s: stuck", c->name);
		window_execute(test, w);
	}
}

/* The same arguments give the same bytes, and no byte refers to them. */
static void quire_paging_deterministic(struct kunit *test)
{
	const struct window_case *c = test->param_value;
	struct window_test *w = window_start(test, c);
	struct quire_paging_args args;
	u32 size = w->drive->log_size;

	memcpy(w->scratch, w->drive->log, size);
	memcpy(&args, &c->args, sizeof(args));
	w->drive->args = &args;
	KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "%s: stuck", c->name);
	KUNIT_ASSERT_EQ(test, w->drive->log_size, size);
	KUNIT_EXPECT_MEMEQ(test, w->drive->log, w->scratch, size);

	memset(&args, 0xff, sizeof(args));
	window_execute(test, w);
}

/* Both directions, every distance, with packets and windows that split. */
static void quire_paging_overlap(struct kunit *test)
{
	struct window_test *w = test->priv;
	struct quire_page_run from = { V + 8, 9 }, to = { V, 9 };
	struct window_case c = {
		.name = "overlap",
		.args = { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = { QUIRE_SEGMENT_VRAM, 1, &from },
			.destination = { QUIRE_SEGMENT_VRAM, 1, &to },
		} },
	};
	struct quire_paging_transfer *t = &c.args.u.transfer;

	for (to.first = V; to.first <= V + 18; to.first++) {
		for (c.max_packet_pages = 1; c.max_packet_pages <= 9; c.max_packet_pages++) {
			t->transfer_offset = to.first % 3 * PAGE;
			t->transfer_size = 7 * PAGE - c.max_packet_pages % 2 * 1000;
			window_start(test, &c);
			w->drive->window = 40 + c.max_packet_pages / 3 * 40;
			KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "stuck");
			window_execute(test, w);
		}
	}
}

/* Follows packets through an operation without memory. */
struct cover {
	const struct quire_paging_location *source; /* or NULL */
	const struct quire_paging_location *destination;
	u64 source_offset; /* pages */
	u64 destination_offset;
	u64 size; /* bytes */
	u64 pages;
	u64 done; /* pages */
	u64 emitted;
	bool from_end;
};

/* Pages of one side: at the place in the list, and never across runs. */
static void cover_side(struct quire_drive *drive, const struct quire_model_packet *packet,
		       const struct quire_paging_location *location, u64 nr,
		       u64 address, u64 pages)
{
	u64 left;
	u32 i;

	if (location->segment) {
		KUNIT_ASSERT_EQ_MSG(drive->test, address,
				    quire_drive_page(location, nr, &left) * PAGE,
				    "%s: address of page %llu", drive->name, nr);
		KUNIT_ASSERT_TRUE_MSG(drive->test, pages <= left, "%s: packet crosses a run",
				      drive->name);
		return;
	}

	for (i = 0; i < packet->nr_runs; i++) {
		u64 count = quire_model_run_pages(packet, i);

		KUNIT_ASSERT_EQ_MSG(drive->test, quire_model_run_first(packet, i),
				    quire_drive_page(location, nr, &left),
				    "%s: page %llu of the list", drive->name, nr);
		KUNIT_ASSERT_TRUE_MSG(drive->test, count <= left, "%s: run crosses a run",
				      drive->name);
		nr += count;
	}
}

static void cover_packet(struct quire_drive *drive, struct cover *cover,
			 const struct quire_model_packet *packet)
{
	u64 pages = packet->bytes / PAGE + !!(packet->bytes % PAGE);
	u64 first = cover->from_end ? cover->pages - cover->done - pages : cover->done;
	u64 rest = cover->size - first * PAGE;

	KUNIT_ASSERT_TRUE_MSG(drive->test, pages <= cover->pages - cover->done,
			      "%s: too many pages", drive->name);
	KUNIT_ASSERT_TRUE_MSG(drive->test, pages <= drive->caps.max_packet_pages,
			      "%s: packet of %llu pages", drive->name, pages);
	KUNIT_ASSERT_EQ_MSG(drive->test, packet->bytes, rest < pages * PAGE ? rest : pages * PAGE,
			    "%s: bytes of a packet", drive->name);
	if (cover->source)
		cover_side(drive, packet, cover->source, cover->source_offset + first,
			   packet->src_address, pages);
	cover_side(drive, packet, cover->destination, cover->destination_offset + first,
		   packet->address, pages);
	cover->done += pages;
	cover->emitted += packet->size;
}

static void cover_pass(struct quire_drive *drive, const u8 *bytes, u32 size)
{
	struct quire_model_packet packet;

	for (; size; size -= packet.size, bytes += packet.size) {
		const char *wrong = quire_model_decode(bytes, size, &packet);

		KUNIT_ASSERT_TRUE_MSG(drive->test, !wrong, "%s: %s", drive->name, wrong);
		cover_packet(drive, drive->pass_data, &packet);
	}
}

static void cover_set(struct cover *cover, const struct quire_paging_args *args,
		      struct quire_paging_location *aperture, struct quire_page_run *run)
{
	const struct quire_paging_transfer *t = &args->u.transfer;

	memset(cover, 0, sizeof(*cover));
	if (args->operation == QUIRE_PAGING_TRANSFER) {
		cover->source = &t->source;
		cover->destination = &t->destination;
		cover->source_offset = expect_offset(t, &t->source);
		cover->destination_offset = expect_offset(t, &t->destination);
		cover->size = t->transfer_size;
		cover->from_end = t->source.segment == t->destination.segment &&
				  t->source.nr_runs == 1 && t->destination.nr_runs == 1 &&
				  t->source.runs->first < t->destination.runs->first;
	} else if (args->operation == QUIRE_PAGING_FILL) {
		cover->destination = &args->u.fill.destination;
		cover->size = args->u.fill.fill_size;
	} else if (args->operation == QUIRE_PAGING_DISCARD_CONTENT) {
		cover->destination = &args->u.discard.location;
		cover->size = location_pages(cover->destination) * PAGE;
	} else if (args->operation == QUIRE_PAGING_MAP_APERTURE_SEGMENT) {
		cover->destination = &args->u.map.mdl;
		cover->destination_offset = args->u.map.mdl_offset;
		cover->size = args->u.map.number_of_pages * PAGE;
	} else {
		run->first = args->u.unmap.offset_in_pages;
		run->count = args->u.unmap.number_of_pages;
		aperture->segment = QUIRE_SEGMENT_APERTURE;
		aperture->nr_runs = 1;
		aperture->runs = run;
		cover->destination = aperture;
		cover->size = run->count * PAGE;
	}
	cover->pages = cover->size / PAGE + !!(cover->size % PAGE);
}

static u64 cover_run(struct quire_drive *drive)
{
	struct quire_paging_location aperture;
	struct quire_page_run run;
	struct cover cover;

	cover_set(&cover, drive->args, &aperture, &run);
	drive->pass = cover_pass;
	drive->pass_data = &cover;
	KUNIT_ASSERT_TRUE_MSG(drive->test, quire_drive_run(drive), "%s: stuck", drive->name);
	KUNIT_ASSERT_EQ_MSG(drive->test, cover.done, cover.pages, "%s: pages", drive->name);
	KUNIT_ASSERT_EQ_MSG(drive->test, drive->bytes, cover.size, "%s: bytes", drive->name);

	return cover.emitted;
}

/* No packet crosses a run, even where the next run is its neighbour. */
static void quire_paging_run_boundaries(struct kunit *test)
{
	const struct window_case *c = test->param_value;
	struct window_test *w = test->priv;
	u32 size;

	if (c->args.operation == QUIRE_PAGING_READ_PHYSICAL ||
	    c->args.operation == QUIRE_PAGING_WRITE_PHYSICAL)
		return;

	quire_drive_set(w->drive, c->name, &c->args, c->max_packet_pages);
	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&w->drive->caps, &c->args), 0);
	for (size = 48; size < 400; size += 8) {
		w->drive->window = size;
		cover_run(w->drive);
	}
}

#define HUGE_PAGES	(BIT_ULL(32) - 1)
#define HUGE_SYSTEM	BIT_ULL(50)

static const struct quire_page_run huge_one[] = { { 7, HUGE_PAGES } };
static const struct quire_page_run huge_up[] = { { 1ull << 20, HUGE_PAGES } };
static const struct quire_page_run huge_far[] = { { 1ull << 40, HUGE_PAGES } };
static const struct quire_page_run huge_system[] = { { HUGE_SYSTEM, 1ull << 34 } };
static const struct quire_page_run huge_split[] = {
	{ 1ull << 33, 1ull << 30 }, { 3, (1ull << 31) + 5 }, { 1ull << 36, 1ull << 31 },
};

static const struct window_case huge_cases[] = {
	{ "5 GiB to VRAM", 1 << 18,
	  TRANSFER(SYSTEM, huge_system, VRAM, huge_split, 5ull << 30, 0, 0) },
	{ "5 GiB from VRAM, offsets above 4 GiB", 1 << 18,
	  TRANSFER(VRAM, huge_split, SYSTEM, huge_system, (5ull << 30) + 1, 6ull << 30,
		   1ull << 33) },
	{ "16 TiB from a list, less a page", U32_MAX,
	  TRANSFER(SYSTEM, huge_system, VRAM, huge_one, HUGE_PAGES * PAGE, 0, 0) },
	{ "16 TiB inside VRAM", U32_MAX,
	  TRANSFER(VRAM, huge_split, VRAM, huge_far, HUGE_PAGES * PAGE - 1, 0, 0) },
	{ "16 TiB upwards", 1 << 24,
	  TRANSFER(VRAM, huge_one, VRAM, huge_up, HUGE_PAGES * PAGE - 5, 0, 0) },
	{ "16 TiB downwards", 1 << 24,
	  TRANSFER(VRAM, huge_up, VRAM, huge_one, HUGE_PAGES * PAGE, 0, 0) },
	{ "fill of 16 TiB", 1 << 22, FILL(huge_split, HUGE_PAGES * PAGE - 4, 0x89abcdef) },
	{ "discard of 16 TiB", 1 << 26, DISCARD(huge_one) },
	{ "map of 4 TiB", U32_MAX, MAP(1ull << 33, 1ull << 30, huge_system, 1ull << 33, 0) },
	{ "unmap of 16 TiB", 1 << 20, UNMAP(1ull << 40, HUGE_PAGES) },
};

KUNIT_ARRAY_PARAM_DESC(huge, huge_cases, name);

/* Beyond 32 bits of bytes, up to all that the token counts. */
static void quire_paging_huge(struct kunit *test)
{
	const struct window_case *c = test->param_value;
	struct window_test *w = test->priv;

	quire_drive_set(w->drive, c->name, &c->args, c->max_packet_pages);
	w->drive->caps.vram_pages = 1ull << 51;
	w->drive->caps.aperture_pages = 1ull << 51;
	KUNIT_ASSERT_EQ(test, quire_paging_check_args(&w->drive->caps, &c->args), 0);
	w->drive->window = QUIRE_DRIVE_MAX_WINDOW - 40;
	cover_run(w->drive);
	w->drive->window = 4096 + 8;
	cover_run(w->drive);
}

/* At most 64 bytes for a run of 2 MiB, 16 bytes for a page of its own. */
static void quire_paging_density(struct kunit *test)
{
	struct quire_page_run *runs = kunit_kzalloc(test, 4096 * sizeof(*runs), GFP_KERNEL);
	struct quire_page_run vram = { 5, 4096 };
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = { QUIRE_SEGMENT_SYSTEM, 4096, runs },
			.destination = { QUIRE_SEGMENT_VRAM, 1, &vram },
			.transfer_size = 4096 * PAGE,
		},
	};
	struct window_test *w = test->priv;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, runs);
	for (i = 0; i < 4096; i++) {
		runs[i].first = S + 2 * i;
		runs[i].count = 1;
	}
	quire_drive_set(w->drive, "density", &args, U32_MAX);
	KUNIT_EXPECT_LE(test, cover_run(w->drive), 16ull * 4096);

	/* 8 runs of 2 MiB, and as many packets. */
	for (i = 0; i < 8; i++) {
		runs[i].first = S + 1024 * i;
		runs[i].count = 512;
	}
	args.u.transfer.source.nr_runs = 8;
	quire_drive_set(w->drive, "density", &args, 512);
	KUNIT_EXPECT_LE(test, cover_run(w->drive), 64ull * 8);
}

static struct kunit_case quire_paging_window_cases[] = {
	KUNIT_CASE_PARAM(quire_paging_every_window, window_gen_params),
	KUNIT_CASE_PARAM(quire_paging_every_private_window, window_gen_params),
	KUNIT_CASE_PARAM(quire_paging_mixed_windows, window_gen_params),
	KUNIT_CASE_PARAM(quire_paging_deterministic, window_gen_params),
	KUNIT_CASE_PARAM(quire_paging_run_boundaries, window_gen_params),
	KUNIT_CASE(quire_paging_overlap),
	KUNIT_CASE_PARAM(quire_paging_huge, huge_gen_params),
	KUNIT_CASE(quire_paging_density),
	{}
};

static struct kunit_suite quire_paging_window_suite = {
	.name = "quire_paging_window",
	.init = window_init,
	.test_cases = quire_paging_window_cases,
};

kunit_test_suite(quire_paging_window_suite);
