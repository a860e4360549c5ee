// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Submissions whose objects are larger together than video memory: whatever parts they are
 * executed in, the bytes are those that the CPU computes.
 */
#include <inttypes.h>
#include <string.h>

#include "fixture.h"
#include "splitting.h"
#include "stream.h"

#define COMMANDS	150

#define NR_CYCLIC	20
#define NR_LEFT_OUT	4
#define ROUNDS		3

/**
 * struct way - a way to divide submissions
 * @name: for messages
 * @options: of the driver
 * @values: of them
 */
struct way {
	const char *name;
	const char *options[2];
	uint64_t values[2];
};

static const struct way ways[] = {
	{ "as usual", { 0 }, { 0 } },
	{ "at every point", { "split_every_point" }, { 1 } },
	{ "at points of seed 1", { "split_seed" }, { 1 } },
	{ "at points of seed 77", { "split_seed" }, { 77 } },
	{ "at points of seed 4000000000", { "split_seed" }, { 4000000000u } },
	{ "with what was used least recently out first", { "split_lru" }, { 1 } },
	{ "patched twice", { "patch_commands_twice" }, { 1 } },
	{ "at every point, patched twice", { "split_every_point", "patch_commands_twice" },
	  { 1, 1 } },
	{ "at points of seed 5, the least recent out first", { "split_seed", "split_lru" },
	  { 5, 1 } },
};

static bool choose(const struct way *way)
{
	bool ok = true;

	splitting_usual();
	for (unsigned int i = 0; i < ARRAY_SIZE(way->options) && way->options[i]; i++)
		ok = ok && splitting_set(way->options[i], way->values[i]);
	return ok;
}

static void test_way(struct stream *stream, const struct way *way)
{
	const struct quire_result *result = &stream->gpu.result;
	uint32_t points;

	tap_ok(choose(way), "divided %s", way->name);
	stream_record(stream, COMMANDS);
	points = gpu_split_points(&stream->gpu);
	tap_ret(gpu_run(&stream->gpu), 0, "it is executed");
	tap_diag("%u parts, %u points, %" PRIu64 " MiB in, %" PRIu64 " out", result->parts, points,
		 result->bytes_in / QUIRE_MIB, result->bytes_out / QUIRE_MIB);
	if (!strcmp(way->options[0] ? way->options[0] : "", "split_every_point"))
		tap_ok(result->parts == points + 1, "there are as many parts as can be");
	else
		tap_ok(result->parts > 1 && result->parts <= points + 1, "there are parts");
	tap_ok(result->bytes_in && result->bytes_out, "objects came and went");
	tap_ok(stream_is_right(stream), "all objects are right");
}

/* New objects are in system memory, so that what is in VRAM afterwards is what was allowed. */
static void test_max_bytes(const struct fixture *fixture, uint64_t max_bytes)
{
	struct stream stream;
	uint64_t usage;

	splitting_usual();
	tap_ok(splitting_set("split_max_bytes", max_bytes), "divided, with %" PRIu64 " MiB",
	       max_bytes / QUIRE_MIB);
	tap_ret(stream_open(&stream, fixture_vram(fixture) / 2, fixture_vram(fixture) / 32, 3), 0,
		"create what has room in VRAM");
	usage = fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM);
	stream_record(&stream, COMMANDS);
	tap_ret(gpu_run(&stream.gpu), 0, "it is executed");
	tap_diag("%u parts, %" PRIu64 " MiB in, %" PRIu64 " out", stream.gpu.result.parts,
		 stream.gpu.result.bytes_in / QUIRE_MIB, stream.gpu.result.bytes_out / QUIRE_MIB);
	tap_ok(stream.gpu.result.parts > 1, "there are parts");
	tap_ok(fixture_usage(fixture, DRM_QUIRE_SEGMENT_VRAM) <= usage + max_bytes,
	       "not more than that is in VRAM");
	tap_ok(stream_is_right(&stream), "all objects are right");
	stream_close(&stream);
}

/* What fits is executed at once, and when it is there nothing is brought any more. */
static void test_whole(const struct fixture *fixture)
{
	struct stream stream;
	const struct quire_result *result = &stream.gpu.result;

	splitting_usual();
	tap_ret(stream_open(&stream, fixture_vram(fixture) / 4, fixture_vram(fixture) / 16, 4), 0,
		"create what has room in VRAM");
	stream_record(&stream, COMMANDS);
	tap_ret(gpu_run(&stream.gpu), 0, "it is executed");
	tap_ok(result->parts == 1 && result->submission == 1, "in one part");
	tap_ok(result->bytes_in == stream.bytes && !result->bytes_out, "all is brought in");
	stream_record(&stream, COMMANDS);
	tap_ret(gpu_run(&stream.gpu), 0, "once more");
	tap_ok(result->parts == 1 && result->submission == 2, "in one part");
	tap_ok(!result->bytes_in && !result->bytes_out, "all is there already");
	tap_ok(stream_is_right(&stream), "all objects are right");
	stream_close(&stream);
}

static int record_cyclic(struct gpu *gpu, struct quire_object **objects, uint64_t size)
{
	const struct quire_object_options options = { .size = size };
	int ret = 0;

	for (unsigned int i = 0; i < NR_CYCLIC && !ret; i++)
		ret = quire_object_create(gpu->device, &options, &objects[i]);
	for (unsigned int i = 0; i < ROUNDS * NR_CYCLIC && !ret; i++)
		quire_recorder_fill(gpu->recorder, quire_at(objects[i % NR_CYCLIC], 0), QUIRE_PAGE,
				    i);
	return ret;
}

/* Objects brought in when they are used in turns, and some have no room. */
static uint64_t cyclic_objects(const struct fixture *fixture, bool lru)
{
	const uint64_t size = fixture_vram(fixture) / (NR_CYCLIC - NR_LEFT_OUT) & ~(QUIRE_PAGE - 1);
	struct quire_object *objects[NR_CYCLIC] = { NULL };
	struct gpu gpu;
	int ret;

	splitting_usual();
	tap_ok(splitting_set("split_lru", lru), "split_lru=%u", lru);
	ret = gpu_open(&gpu);
	if (!ret)
		ret = record_cyclic(&gpu, objects, size);
	tap_ret(ret ? ret : gpu_run(&gpu), 0, "objects are used in turns");
	for (unsigned int i = 0; i < NR_CYCLIC; i++)
		quire_object_close(objects[i]);
	gpu_close(&gpu);
	tap_ok(fixture_settles(fixture, fixture->segments), "nothing is left");
	return gpu.result.bytes_in / size;
}

/*
 * What was used least recently is just what is needed next. What has no room at the end of a
 * round has to come back in the next one, whoever chooses.
 */
static void test_cyclic(const struct fixture *fixture)
{
	const uint64_t least = NR_CYCLIC + (ROUNDS - 1) * NR_LEFT_OUT;
	uint64_t planned = cyclic_objects(fixture, false);
	uint64_t lru = cyclic_objects(fixture, true);

	tap_diag("%" PRIu64 " objects brought in, %" PRIu64 " with split_lru", planned, lru);
	tap_ok(lru == ROUNDS * NR_CYCLIC, "the least recent out first: each one, every time");
	tap_ok(planned >= least && planned * 10 <= least * 11,
	       "who knows the future brings in hardly more than has to be");
}

static void test_ways(const struct fixture *fixture)
{
	const uint64_t vram = fixture_vram(fixture);
	struct stream stream;

	tap_ret(stream_open(&stream, vram + vram / 4, vram / 16, 1), 0,
		"create more than there is VRAM");
	for (unsigned int i = 0; i < ARRAY_SIZE(ways); i++) {
		stream.gpu.ring = i % fixture->info.execution_rings;
		test_way(&stream, &ways[i]);
	}
	stream_close(&stream);
}

int main(void)
{
	struct fixture fixture;

	tap_start(250);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	if (!splitting_begin())
		tap_skip_all("options can not be set");
	test_whole(&fixture);
	test_ways(&fixture);
	test_max_bytes(&fixture, fixture_vram(&fixture) / 8);
	test_cyclic(&fixture);
	splitting_end();
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
