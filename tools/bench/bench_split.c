// SPDX-License-Identifier: GPL-2.0 OR MIT
/* bench-split: how fast the split planner is, and how much it pages. */
#include <linux/array_size.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "overlap.h"
#include "quire_split_fake.h"
#include "quire_split_optimum.h"

/* All runs of one measurement have that many entries together. */
#define ENTRIES		100000u

/* Of the small streams, whose optimum is known. */
#define STREAMS		1000u

static void die(const char *what)
{
	fprintf(stderr, "bench-split: %s\n", what);
	exit(EXIT_FAILURE);
}

/**
 * struct lists - lists of one length, and how long it takes to plan them
 * @streams: each another one, or the processor knows it by heart when it is short
 * @count: of them
 * @ns: per entry, run by run
 */
struct lists {
	struct stream *streams;
	u32 count;
	double ns[MEASURE_RUNS];
};

static void lists_prepare(struct lists *lists, u32 entries, u32 largest)
{
	lists->count = ENTRIES / entries;
	lists->streams = calloc(lists->count, sizeof(*lists->streams));
	for (u32 i = 0; i < lists->count; i++)
		if (!lists->streams || !stream_prepare(&lists->streams[i], entries, largest, i + 1))
			die("no memory");
}

static void lists_free(struct lists *lists)
{
	for (u32 i = 0; i < lists->count; i++)
		stream_free(&lists->streams[i]);
	free(lists->streams);
}

/* Nanoseconds per entry, one list after the other. */
static double lists_run(struct lists *lists)
{
	static const struct quire_split_options options;
	double start = measure_now();

	for (u32 i = 0; i < lists->count; i++)
		if (!stream_run(&lists->streams[i], &options))
			die("the planner does not come to an end");
	return (measure_now() - start) * 1e9 / ENTRIES;
}

/* Of each run, so that a machine that becomes slower makes no difference. */
static double growth(const struct lists *few, const struct lists *many)
{
	double ratios[MEASURE_RUNS];

	for (int i = 0; i < MEASURE_RUNS; i++)
		ratios[i] = many->ns[i] / few->ns[i];
	return measure_median(ratios, MEASURE_RUNS);
}

static void print_time(const char *what, const char *sizes, double value, const char *unit)
{
	char name[64];

	snprintf(name, sizeof(name), "split_%s%s", sizes, what);
	measure_print(name, value, unit);
}

/* Objects of 1 to @largest bytes. */
static void measure_time(u32 largest, const char *sizes)
{
	struct lists few, more, many, *all[] = { &few, &more, &many };

	lists_prepare(&few, 100, largest);
	lists_prepare(&more, 10000, largest);
	lists_prepare(&many, 100000, largest);
	for (u32 j = 0; j < ARRAY_SIZE(all); j++)
		lists_run(all[j]);
	for (int i = 0; i < MEASURE_RUNS; i++)
		for (u32 j = 0; j < ARRAY_SIZE(all); j++)
			all[j]->ns[i] = lists_run(all[j]);
	/* before the medians, which sort */
	print_time("growth_10000", sizes, growth(&few, &more), "ratio");
	print_time("growth_100000", sizes, growth(&few, &many), "ratio");
	print_time("ns_100", sizes, measure_median(few.ns, MEASURE_RUNS), "ns");
	print_time("ns_10000", sizes, measure_median(more.ns, MEASURE_RUNS), "ns");
	print_time("ns_100000", sizes, measure_median(many.ns, MEASURE_RUNS), "ns");
	for (u32 j = 0; j < ARRAY_SIZE(all); j++)
		lists_free(all[j]);
}

/* Objects of one size: against what is evicted with full knowledge. */
static void measure_equal(void)
{
	static const struct quire_split_options options, lru = { .lru = true };
	struct stream stream;
	double belady, planner;

	if (!stream_prepare(&stream, 10000, 1, 1))
		die("no memory");
	belady = stream_belady(&stream);
	if (!stream_run(&stream, &options))
		die("the planner does not come to an end");
	planner = stream.split.page_ins;
	measure_print("split_per_belady", planner / belady, "ratio");
	measure_print("split_parts_per_page_in",
		      (double)stream.split.parts / stream.split.page_ins, "parts");
	if (!stream_run(&stream, &lru))
		die("the planner does not come to an end");
	measure_print("split_lru_per_belady", stream.split.page_ins / belady, "ratio");
	measure_print("split_per_lru_equal", planner / stream.split.page_ins, "ratio");
	stream_free(&stream);
}

/* As it is planned, and if each split point were used. */
static void measure_hidden(void)
{
	static const struct quire_split_options options, points = { .every_point = true };
	double hidden, hidden_points;
	struct overlap overlap;

	if (!overlap_prepare(&overlap, 10000, 1))
		die("no memory");
	if (!overlap_run(&overlap, &options, &hidden) ||
	    !overlap_run(&overlap, &points, &hidden_points))
		die("the planner does not come to an end");
	measure_print("split_hidden", hidden, "ratio");
	measure_print("split_hidden_points", hidden_points, "ratio");
	overlap_free(&overlap);
}

/**
 * enum memory - what objects of all sizes come into
 * @BYTES: it has room wherever there are bytes
 * @PLACES: objects need runs of addresses
 * @OTHERS: and others have a quarter of it
 * @MEMORIES: number of them
 */
enum memory {
	BYTES,
	PLACES,
	OTHERS,
	MEMORIES,
};

static double fake_bytes(const struct quire_split_stream *stream, u64 capacity,
			 enum memory memory, bool lru)
{
	const struct quire_split_options options = { .lru = lru };
	static struct quire_split_fake fake;
	static u64 planner[2048];

	quire_fake_init(&fake, &stream->list, capacity, 0);
	fake.pieces = memory != BYTES;
	fake.follows = memory != BYTES;
	fake.obstacle_size = memory == OTHERS ? capacity / 4 : 0;
	if (quire_fake_run(&fake, &options, planner) || fake.error)
		die(fake.error ?: "the planner fails");
	return fake.bytes_in;
}

/**
 * struct compared - what was paged in by all streams
 * @planner: by the planner
 * @lru: by LRU
 * @worst: of one stream: by the planner / by LRU
 */
struct compared {
	double planner;
	double lru;
	double worst;
};

static void compare(struct compared *sum, const struct quire_split_stream *stream, u64 capacity,
		    enum memory memory)
{
	double planner = fake_bytes(stream, capacity, memory, false);
	double lru = fake_bytes(stream, capacity, memory, true);

	sum->planner += planner;
	sum->lru += lru;
	if (planner / lru > sum->worst)
		sum->worst = planner / lru;
}

static void print_mixed(const struct compared sums[MEMORIES], double least)
{
	measure_print("split_per_optimum", sums[BYTES].planner / least, "ratio");
	measure_print("split_lru_per_optimum", sums[BYTES].lru / least, "ratio");
	measure_print("split_per_lru", sums[BYTES].planner / sums[BYTES].lru, "ratio");
	measure_print("split_per_lru_worst", sums[BYTES].worst, "ratio");
	measure_print("split_places_per_lru", sums[PLACES].planner / sums[PLACES].lru, "ratio");
	measure_print("split_places_per_lru_worst", sums[PLACES].worst, "ratio");
	measure_print("split_others_per_lru", sums[OTHERS].planner / sums[OTHERS].lru, "ratio");
	measure_print("split_others_per_lru_worst", sums[OTHERS].worst, "ratio");
}

static bool stream_fits(const struct quire_split_stream *stream, u64 vram)
{
	const u64 capacity[QUIRE_SPLIT_SEGMENTS] = { vram };
	struct quire_command_error error;

	return !quire_split_check(&stream->list, capacity, &error);
}

/* Objects of all sizes, few of them: against all that can be done. */
static void measure_mixed(void)
{
	static const struct quire_split_shape shape = {
		.objects = QUIRE_OPTIMUM_OBJECTS,
		.points = 20,
		.slots = 2,
		.sizes = 1000,
		.segments = 1,
		.locality = 12,
		.plain = true,
	};
	static struct quire_split_optimum optimum;
	static struct quire_split_stream stream;
	struct compared sums[MEMORIES] = { };
	double least = 0;
	u32 random = 1;

	for (u32 i = 0; i < STREAMS; i++) {
		u64 capacity = 0;

		quire_stream_fill(&stream, &shape, &random);
		for (u32 j = 0; j < stream.list.nr_objects; j++)
			capacity += stream.objects[j].size;
		capacity /= 2;
		if (!stream_fits(&stream, capacity))
			continue;
		compare(&sums[BYTES], &stream, capacity, BYTES);
		compare(&sums[PLACES], &stream, capacity, PLACES);
		least += quire_split_optimum(&optimum, &stream.list, capacity, 0);
		if (stream_fits(&stream, capacity - capacity / 4))
			compare(&sums[OTHERS], &stream, capacity, OTHERS);
	}
	print_mixed(sums, least);
}

int main(void)
{
	measure_time(1, "");
	measure_time(16, "mixed_");
	measure_equal();
	measure_hidden();
	measure_mixed();
	return 0;
}
