// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <kunit/test.h>

#include <linux/slab.h>
#include <linux/string.h>

#include "quire_paging_cases.h"
#include "quire_paging_drive.h"
#include "quire_paging_image.h"

/*
 * DOC: what the builder's packets do to memory
 *
 * Every case is built with every window size and executed on the model. What
 * memory must hold afterwards is computed here from the arguments alone.
 */

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

static struct quire_model_image expect_image(const struct quire_layout *layout)
{
	return (struct quire_model_image) {
		.tile = layout->kind == 1 ? 4096 : 65536,
		.element = 1u << layout->element_shift,
		.width = layout->width,
		.height = layout->height,
		.levels = layout->levels,
		.slices = layout->array_size,
	};
}

/* Each byte of the image that is in the part, between its two forms. */
static void expect_swizzle(struct quire_model *model, const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *t = &args->u.transfer;
	struct quire_model_image image = expect_image(&args->allocation->layout);
	bool swizzles = t->flags & 1;
	const struct quire_paging_location *linear = swizzles ? &t->source : &t->destination;
	const struct quire_paging_location *tiled = swizzles ? &t->destination : &t->source;
	u64 from = quire_drive_offset(args, linear) - linear->start;
	u64 i;

	for (i = 0; i < t->transfer_size; i++) {
		u8 *pixel = expect_page(model, linear, from + i / PAGE) + i % PAGE;
		u8 *texel;
		u64 at;

		if (t->transfer_offset + i >= quire_model_image_size(&image))
			break;
		at = quire_model_image_tiled(&image, t->transfer_offset + i);
		texel = expect_page(model, tiled, at / PAGE - tiled->start) + at % PAGE;
		if (swizzles)
			*texel = *pixel;
		else
			*pixel = *texel;
	}
}

/* Reads all before it writes any: memmove, whatever overlaps. */
static void expect_transfer(struct quire_model *model, u8 *scratch,
			    const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *t = &args->u.transfer;
	u64 from = quire_drive_offset(args, &t->source);
	u64 to = quire_drive_offset(args, &t->destination);
	u64 i;

	for (i = 0; i < t->transfer_size; i++)
		scratch[i] = expect_page(model, &t->source, from + i / PAGE)[i % PAGE];
	for (i = 0; i < t->transfer_size; i++)
		expect_page(model, &t->destination, to + i / PAGE)[i % PAGE] = scratch[i];
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

static void expect_map2(struct quire_model *model, const struct quire_paging_map2 *map)
{
	const struct quire_paging_adl *adl = &map->adl;
	u64 i, at;

	for (i = 0; i < map->number_of_pages; i++) {
		at = map->adl_offset - adl->start + i;
		model->aperture[map->offset_in_pages + i] =
			adl->contiguous ? adl->base_page_number + at : adl->pages[at];
		model->coherent[map->offset_in_pages + i] = map->flags != 0;
		model->visible[map->offset_in_pages + i] = map->cpu_visible_address != 0;
	}
}

static void expect_unmap(struct quire_model *model, const struct quire_paging_unmap *unmap)
{
	u64 i;

	for (i = 0; i < unmap->number_of_pages; i++)
		model->aperture[unmap->offset_in_pages + i] = unmap->dummy_page / PAGE;
}

/* The operation as one step. */
static void expect(struct quire_model *model, u8 *scratch, const struct quire_paging_args *args)
{
	quire_model_reset(model);
	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		if (args->allocation)
			expect_swizzle(model, args);
		else
			expect_transfer(model, scratch, args);
		break;
	case QUIRE_PAGING_SPECIAL_LOCK_TRANSFER:
		expect_swizzle(model, args);
		break;
	case QUIRE_PAGING_FILL:
		expect_fill(model, &args->u.fill.destination, args->u.fill.fill_size,
			    args->u.fill.fill_pattern);
		break;
	case QUIRE_PAGING_DISCARD_CONTENT:
		expect_fill(model, &args->u.discard.location,
			    quire_drive_pages(&args->u.discard.location) * PAGE, 0);
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
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		expect_map2(model, &args->u.map2);
		break;
	default: /* those of quire_paging_space_test.c */
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

static struct window_test *window_start(struct kunit *test, const struct quire_paging_case *c)
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
	const struct quire_paging_case *c = test->param_value;
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
	const struct quire_paging_case *c = test->param_value;
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
	const struct quire_paging_case *c = test->param_value;
	struct window_test *w = window_start(test, c);
	u32 round;

	for (round = 1; round <= 100; round++) {
		w->drive->seed = round;
		w->drive->window = quire_drive_smallest(&c->args) + round * 2;
		w->drive->private_window = 64;
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "%s: stuck", c->name);
		window_execute(test, w);
	}
}

/* The same arguments give the same bytes, and no byte refers to them. */
static void quire_paging_deterministic(struct kunit *test)
{
	const struct quire_paging_case *c = test->param_value;
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

/* What is built does not depend on what the builder remembers. */
static void quire_paging_forgotten(struct kunit *test)
{
	const struct quire_paging_case *c = test->param_value;
	struct window_test *w = window_start(test, c);
	u32 enough = w->drive->emitted;
	u32 window, size;

	for (window = quire_drive_smallest(&c->args); window <= enough; window += 8) {
		w->drive->window = window;
		w->drive->forget = false;
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "%s: stuck", c->name);
		size = w->drive->log_size;
		memcpy(w->scratch, w->drive->log, size);
		w->drive->forget = true;
		KUNIT_ASSERT_TRUE_MSG(test, quire_drive_run(w->drive), "%s: stuck", c->name);
		KUNIT_ASSERT_EQ(test, w->drive->log_size, size);
		KUNIT_EXPECT_MEMEQ(test, w->drive->log, w->scratch, size);
	}
}

/* Both directions, every distance, with packets and windows that split. */
static void quire_paging_overlap(struct kunit *test)
{
	struct window_test *w = test->priv;
	struct quire_page_run from = { V + 8, 9 }, to = { V, 9 };
	struct quire_paging_case c = {
		.name = "overlap",
		.args = { .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {
			.source = { QUIRE_SEGMENT_VRAM, 1, 0, &from },
			.destination = { QUIRE_SEGMENT_VRAM, 1, 0, &to },
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

KUNIT_ARRAY_PARAM_DESC(operation, quire_paging_operation_cases, name);

static struct kunit_case quire_paging_window_cases[] = {
	KUNIT_CASE_PARAM(quire_paging_every_window, operation_gen_params),
	KUNIT_CASE_PARAM(quire_paging_every_private_window, operation_gen_params),
	KUNIT_CASE_PARAM(quire_paging_mixed_windows, operation_gen_params),
	KUNIT_CASE_PARAM(quire_paging_deterministic, operation_gen_params),
	KUNIT_CASE_PARAM(quire_paging_forgotten, operation_gen_params),
	KUNIT_CASE(quire_paging_overlap),
	{}
};

static struct kunit_suite quire_paging_window_suite = {
	.name = "quire_paging_window",
	.init = window_init,
	.test_cases = quire_paging_window_cases,
};

kunit_test_suite(quire_paging_window_suite);
