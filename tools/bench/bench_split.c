// SPDX-License-Identifier: GPL-2.0 OR MIT
/* bench-split: how fast the split planner is, and how much it pages. */
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

/* The median of all lists, one after the other. */
static double ns_per_entry(struct stream *streams, u32 count)
{
	static const struct quire_split_options options;
	double times[MEASURE_RUNS];

	for (int i = -1; i < MEASURE_RUNS; i++) {
		double start = measure_now();

		for (u32 j = 0; j < count; j++)
			if (!stream_run(&streams[j], &options))
				die("the planner does not come to an end");
		if (i >= 0)
			times[i] = measure_now() - start;
	}
	return measure_median(times, MEASURE_RUNS) * 1e9 / ENTRIES;
}

/* Each list is another one, or the processor knows it by heart when it is short. */
static double measure_time(const char *name, u32 entries)
{
	u32 count = ENTRIES / entries;
	struct stream *streams = calloc(count, sizeof(*streams));
	double ns;

	for (u32 i = 0; i < count; i++)
		if (!streams || !stream_prepare(&streams[i], entries, i + 1))
			die("no memory");
	ns = ns_per_entry(streams, count);
	measure_print(name, ns, "ns");
	for (u32 i = 0; i < count; i++)
		stream_free(&streams[i]);
	free(streams);
	return ns;
}

/* Objects of one size: against what is evicted with full knowledge. */
static void measure_equal(void)
{
	static const struct quire_split_options options, lru = { .lru = true };
	struct stream stream;
	double belady;

	if (!stream_prepare(&stream, 10000, 1))
		die("no memory");
	belady = stream_belady(&stream);
	if (!stream_run(&stream, &options))
		die("the planner does not come to an end");
	measure_print("split_per_belady", stream.split.page_ins / belady, "ratio");
	measure_print("split_parts_per_page_in",
		      (double)stream.split.parts / stream.split.page_ins, "parts");
	if (!stream_run(&stream, &lru))
		die("the planner does not come to an end");
	measure_print("split_lru_per_belady", stream.split.page_ins / belady, "ratio");
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

static double fake_bytes(const struct quire_split_stream *stream, u64 capacity, bool lru)
{
	const struct quire_split_options options = { .lru = lru };
	static struct quire_split_fake fake;
	static u64 memory[2048];

	quire_fake_init(&fake, &stream->list, capacity, 0);
	if (quire_fake_run(&fake, &options, memory) || fake.error)
		die(fake.error ?: "the planner fails");
	return fake.bytes_in;
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
	double planner = 0, lru = 0, least = 0;
	u32 random = 1;

	for (u32 i = 0; i < STREAMS; i++) {
		u64 capacity[QUIRE_SPLIT_SEGMENTS] = { 0 };
		struct quire_command_error error;

		quire_stream_fill(&stream, &shape, &random);
		for (u32 j = 0; j < stream.list.nr_objects; j++)
			capacity[0] += stream.objects[j].size;
		capacity[0] /= 2;
		if (quire_split_check(&stream.list, capacity, &error))
			continue;
		planner += fake_bytes(&stream, capacity[0], false);
		lru += fake_bytes(&stream, capacity[0], true);
		least += quire_split_optimum(&optimum, &stream.list, capacity[0]);
	}
	measure_print("split_per_optimum", planner / least, "ratio");
	measure_print("split_lru_per_optimum", lru / least, "ratio");
}

int main(void)
{
	double few = measure_time("split_ns_100", 100);
	double more = measure_time("split_ns_10000", 10000);
	double many = measure_time("split_ns_100000", 100000);

	measure_print("split_growth_10000", more / few, "ratio");
	measure_print("split_growth_100000", many / few, "ratio");
	measure_equal();
	measure_hidden();
	measure_mixed();
	return 0;
}
