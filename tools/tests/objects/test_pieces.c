// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commands use an object where it is one run of VRAM. One that lies there in pieces, as a placement
 * without CONTIGUOUS makes it, may be in its own way, or in that of another object of the same
 * submission: all of them are executed all the same, as long as each fits, and nothing is refused
 * for the shape of memory alone.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "work.h"

#define FILLED		4096u
#define FILL_PATTERN	0x5a17ed00u

/* Objects of one test, at most. */
#define MOST_OBJECTS	6u

/* Of the random test. */
#define ROUNDS		150u
#define RANDOM_OBJECTS	24u
#define USED_AT_ONCE	5u

/* Beside what a test is about: all fits with room to spare. */
#define PIECE		(512 * 1024ull)

/**
 * struct pieces - objects that lie in pieces
 * @work: the device
 * @context: of the submissions
 */
struct pieces {
	struct work work;
	struct quire_context *context;
};

static void pieces_open(struct pieces *pieces)
{
	work_open(&pieces->work);
	pieces->context = work_context(&pieces->work);
}

static void pieces_close(struct pieces *pieces)
{
	quire_context_destroy(pieces->context);
	work_close(&pieces->work);
}

static uint64_t part_of_vram(const struct pieces *pieces, unsigned int part)
{
	return (fixture_vram(&pieces->work.fixture) / part) & ~(uint64_t)(QUIRE_PAGE - 1);
}

static void place_in_vram(const struct pieces *pieces, struct quire_object *object)
{
	int ret = quire_bo_place(pieces->work.fixture.fd, quire_object_handle(object),
				 DRM_QUIRE_SEGMENT_VRAM, 0) ?:
		  quire_object_wait(object, WAIT_MS * 1000000ll);

	if (ret)
		tap_bail("place: %s", strerror(-ret));
}

static struct quire_object *placed(const struct pieces *pieces, uint64_t size)
{
	struct quire_object *object = work_object(&pieces->work, size);

	place_in_vram(pieces, object);
	return object;
}

/* Also before fillers come: what is dying where one of them shall be would divide it. */
static void wait_for_usage(const struct pieces *pieces, uint64_t usage)
{
	if (!fixture_comes_down(&pieces->work.fixture, DRM_QUIRE_SEGMENT_VRAM, usage))
		tap_bail("what was closed keeps its place");
}

static void write_key(struct quire_object *object, uint64_t key)
{
	void *bytes;

	if (quire_object_map(object, &bytes))
		tap_bail("map");
	pattern_fill(bytes, quire_object_size(object), key);
	quire_object_unmap(object);
}

/* All but what the device has filled. */
static bool has_key(struct quire_object *object, uint64_t key, bool filled)
{
	uint64_t size = quire_object_size(object), begin = filled ? FILLED : 0, i;
	uint8_t *bytes, *expected = malloc(size);
	const uint32_t pattern = FILL_PATTERN;
	bool right;

	if (!expected || quire_object_wait(object, WAIT_MS * 1000000ll) ||
	    quire_object_map(object, (void **)&bytes))
		tap_bail("map");
	pattern_fill(expected, size, key);
	right = !memcmp(bytes + begin, expected + begin, size - begin);
	for (i = 0; i < begin; i += sizeof(pattern))
		right = right && !memcmp(bytes + i, &pattern, sizeof(pattern));
	quire_object_unmap(object);
	free(expected);
	return right;
}

/*
 * @size bytes in two pieces: of four fillers of @size / 2, which are all of a part of VRAM, two
 * that do not touch leave, and after the object is placed the other two.
 */
static void lay_in_two(const struct pieces *pieces, struct quire_object *object)
{
	uint64_t size = quire_object_size(object) / 2;
	uint64_t rest = fixture_vram(&pieces->work.fixture) - 4 * size;
	struct quire_object *fillers[4], *all = NULL;
	unsigned int i;

	wait_for_usage(pieces, 0);
	for (i = 0; i < 4; i++)
		fillers[i] = placed(pieces, size);
	if (rest)
		all = placed(pieces, rest);
	quire_object_close(fillers[0]);
	quire_object_close(fillers[2]);
	wait_for_usage(pieces, 2 * size + rest);
	place_in_vram(pieces, object);
	quire_object_close(fillers[1]);
	quire_object_close(fillers[3]);
	quire_object_close(all);
	wait_for_usage(pieces, 2 * size);
}

/* What was one run stays where it is. */
static void expect_moved(const struct pieces *pieces, uint64_t size)
{
	tap_ok(pieces->work.result.bytes_in >= size, "it did lie in pieces");
}

/* Alone: half of VRAM in two pieces, and no free run as long. */
static void test_own_way(struct pieces *pieces)
{
	struct quire_object *object = work_object(&pieces->work, 2 * part_of_vram(pieces, 4));

	write_key(object, 1);
	lay_in_two(pieces, object);
	tap_ok(quire_object_class(object) == DRM_QUIRE_SEGMENT_VRAM, "half of VRAM, in two pieces");
	quire_recorder_fill(pieces->work.recorder, quire_at(object, 0), FILLED, FILL_PATTERN);
	tap_ret(work_submit(&pieces->work, pieces->context, 1, NULL, NULL), 0,
		"in its own way: it is submitted");
	expect_moved(pieces, quire_object_size(object));
	tap_ok(pieces->work.result.parts == 1, "in one part (%u)", pieces->work.result.parts);
	tap_ret(quire_object_wait(object, WAIT_MS * 1000000ll), 0, "it is executed");
	tap_ok(quire_object_class(object) == DRM_QUIRE_SEGMENT_VRAM, "it is in VRAM again");
	tap_ok(has_key(object, 1, true), "with its content");
	quire_object_close(object);
}

/* So small that it could be anywhere, in an otherwise empty VRAM. */
static void test_small(struct pieces *pieces)
{
	uint64_t vram = fixture_vram(&pieces->work.fixture);
	unsigned int count = vram / PIECE, i, kept = 0;
	struct quire_object *object = work_object(&pieces->work, 16 * PIECE);
	struct quire_object **fillers = calloc(count, sizeof(*fillers));

	if (!fillers)
		tap_bail("no memory");
	write_key(object, 2);
	wait_for_usage(pieces, 0);
	for (i = 0; i < count; i++)
		fillers[i] = placed(pieces, PIECE);
	/* Of each fourth one its place is free then. */
	for (i = 0; i < count && kept < 16; i += 4, kept++) {
		quire_object_close(fillers[i]);
		fillers[i] = NULL;
	}
	wait_for_usage(pieces, vram - 16 * PIECE);
	place_in_vram(pieces, object);
	for (i = 0; i < count; i++)
		quire_object_close(fillers[i]);
	free(fillers);
	quire_recorder_fill(pieces->work.recorder, quire_at(object, 0), FILLED, FILL_PATTERN);
	tap_ret(work_submit(&pieces->work, pieces->context, 1, NULL, NULL), 0,
		"16 small pieces in an empty VRAM: it is submitted");
	expect_moved(pieces, quire_object_size(object));
	tap_ret(quire_object_wait(object, WAIT_MS * 1000000ll), 0, "it is executed");
	tap_ok(has_key(object, 2, true), "with its content");
	quire_object_close(object);
}

/* Tiles have no place but VRAM to be used in. */
static void test_image(struct pieces *pieces)
{
	struct quire_object_options options = {
		.layout = DRM_QUIRE_LAYOUT_TILE_4K, .element_size = 4, .levels = 1,
		.array_size = 1, .width = 1024, .height = 1024,
	};
	struct quire_object *object;

	/* 4 KiB a row: half of VRAM. */
	options.height = 2 * part_of_vram(pieces, 4) / (4 * options.width);
	options.size = 4ull * options.width * options.height;
	if (options.size <= pieces->work.fixture.info.swizzling_range_size) {
		tap_skip("what a swizzling range can show lies in one run",
			 "an image in its own way");
		return;
	}
	if (quire_object_create(pieces->work.device, &options, &object))
		tap_bail("image");
	write_key(object, 3);
	lay_in_two(pieces, object);
	quire_recorder_fill(pieces->work.recorder, quire_at(object, 0), FILLED, FILL_PATTERN);
	tap_ret(work_submit(&pieces->work, pieces->context, 1, NULL, NULL), 0,
		"an image in its own way: it is submitted");
	expect_moved(pieces, quire_object_size(object));
	tap_ret(quire_object_wait(object, WAIT_MS * 1000000ll), 0, "it is executed");
	tap_ok(quire_object_class(object) == DRM_QUIRE_SEGMENT_VRAM, "it is in VRAM again");
	quire_object_close(object);
}

/* Each of a quarter of VRAM: both are of the same submission, and each is in the way of both. */
static void test_interleaved(struct pieces *pieces, unsigned int others)
{
	uint64_t piece = part_of_vram(pieces, 16);
	struct quire_object *objects[MOST_OBJECTS], *fillers[16];
	unsigned int i;

	for (i = 0; i < 2 + others; i++) {
		objects[i] = work_object(&pieces->work, 4 * piece);
		write_key(objects[i], 10 + i);
	}
	wait_for_usage(pieces, 0);
	for (i = 0; i < 16; i++)
		fillers[i] = placed(pieces, piece);
	/* The first one takes each fourth place, the second one those behind them. */
	for (i = 0; i < 16; i += 4)
		quire_object_close(fillers[i]);
	wait_for_usage(pieces, 12 * piece);
	place_in_vram(pieces, objects[0]);
	for (i = 2; i < 16; i += 4)
		quire_object_close(fillers[i]);
	wait_for_usage(pieces, 12 * piece);
	place_in_vram(pieces, objects[1]);
	for (i = 1; i < 16; i += 2)
		quire_object_close(fillers[i]);
	wait_for_usage(pieces, 8 * piece);

	for (i = 0; i < 2 + others; i++)
		quire_recorder_fill(pieces->work.recorder, quire_at(objects[i], 0), FILLED,
				    FILL_PATTERN);
	/* At the end both are needed once more. */
	quire_recorder_copy(pieces->work.recorder, quire_at(objects[0], 0), quire_at(objects[1], 0),
			    FILLED);
	tap_ret(work_submit(&pieces->work, pieces->context, 1, NULL, NULL), 0,
		"two in the way of each other, and %u others: they are submitted", others);
	expect_moved(pieces, quire_object_size(objects[0]) + quire_object_size(objects[1]));
	tap_ok(others < 3 || pieces->work.result.parts > 1, "in parts if they do not fit");
	for (i = 0; i < 2 + others; i++) {
		tap_ret(quire_object_wait(objects[i], WAIT_MS * 1000000ll), 0, "it is executed");
		tap_ok(has_key(objects[i], 10 + i, true), "with its content");
		quire_object_close(objects[i]);
	}
	tap_ret(work_context_status(pieces->context), DRM_QUIRE_CONTEXT_GOOD,
		"and no part is missing");
}

/**
 * struct model - an object of the random test
 * @object: it
 * @key: of its content
 * @filled: the device has filled its beginning
 */
struct model {
	struct quire_object *object;
	uint64_t key;
	bool filled;
};

static void model_renew(const struct pieces *pieces, struct model *model, uint64_t *random)
{
	uint64_t most = fixture_vram(&pieces->work.fixture) / 4 / QUIRE_PAGE;
	uint64_t pages = 1 + random_below(random, 1 + random_below(random, most));

	quire_object_close(model->object);
	*model = (struct model) {
		.object = work_object(&pieces->work, pages * QUIRE_PAGE),
		.key = random_next(random),
	};
	write_key(model->object, model->key);
}

/* Placements without CONTIGUOUS, of odd sizes: VRAM is full of pieces soon. */
static int model_place(const struct pieces *pieces, const struct model *model)
{
	return quire_bo_place(pieces->work.fixture.fd, quire_object_handle(model->object),
			      DRM_QUIRE_SEGMENT_VRAM, 0);
}

static int submit_some(struct pieces *pieces, struct model *models, uint64_t *random)
{
	unsigned int count = 1 + random_below(random, USED_AT_ONCE), i;

	for (i = 0; i < count; i++) {
		struct model *model = &models[random_below(random, RANDOM_OBJECTS)];

		quire_recorder_fill(pieces->work.recorder, quire_at(model->object, 0), FILLED,
				    FILL_PATTERN);
		model->filled = true;
	}
	return work_submit(&pieces->work, pieces->context, 1, NULL, NULL);
}

static void test_random(struct pieces *pieces)
{
	struct model models[RANDOM_OBJECTS] = { };
	unsigned int placed_wrong = 0, refused = 0, wrong = 0, i, round;
	uint64_t random = 35;

	for (i = 0; i < RANDOM_OBJECTS; i++)
		model_renew(pieces, &models[i], &random);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < 4; i++)
			if (model_place(pieces, &models[random_below(&random, RANDOM_OBJECTS)]))
				placed_wrong++;
		if (submit_some(pieces, models, &random))
			refused++;
		i = random_below(&random, RANDOM_OBJECTS);
		if (!has_key(models[i].object, models[i].key, models[i].filled))
			wrong++;
		model_renew(pieces, &models[i], &random);
	}
	for (i = 0; i < RANDOM_OBJECTS; i++) {
		if (!has_key(models[i].object, models[i].key, models[i].filled))
			wrong++;
		quire_object_close(models[i].object);
	}
	tap_ok(!placed_wrong, "random sizes: all are placed (%u are not)", placed_wrong);
	tap_ok(!refused, "all is submitted (%u are refused)", refused);
	tap_ok(!wrong, "and all contents are right (%u are not)", wrong);
}

int main(void)
{
	struct pieces pieces;

	tap_start(150);
	pieces_open(&pieces);
	test_own_way(&pieces);
	test_small(&pieces);
	test_image(&pieces);
	test_interleaved(&pieces, 0);
	test_interleaved(&pieces, 3);
	test_random(&pieces);
	pieces_close(&pieces);
	return tap_done();
}
