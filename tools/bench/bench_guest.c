// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * bench-guest: what the driver makes of the device, measured in the guest.
 *
 * A set four times as large as VRAM is placed there object by object, in the
 * order in which the last round left: every placement evicts one object and
 * pages another in.  Prints figures, one a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debugfs.h"
#include "measure.h"
#include "quire_client.h"

#define OBJECT_SIZE	(2 * QUIRE_MIB)
#define MAX_OBJECTS	4096
#define SETS_PER_VRAM	4
#define ROUNDS		5	/* of which the median is taken */
#define NOPS		"2000"
#define WAIT_MS		600000

/**
 * struct bench - what is measured
 * @fd: render node
 * @vram: bytes
 * @handles: of the objects
 * @count: of them
 * @debugfs: the driver's directory
 */
struct bench {
	int fd;
	uint64_t vram;
	uint32_t handles[MAX_OBJECTS];
	size_t count;
	char debugfs[64];
};

static void must(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "bench-guest: %s: %s\n", what, strerror(-ret));
	exit(EXIT_FAILURE);
}

static void start(struct bench *bench)
{
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];

	bench->fd = quire_open();
	must(bench->fd, "no device of the quire driver");
	must(quire_query_segments(bench->fd, segments), "query");
	bench->vram = segments[DRM_QUIRE_SEGMENT_VRAM].size;
	bench->count = SETS_PER_VRAM * bench->vram / OBJECT_SIZE;
	if (bench->count > MAX_OBJECTS)
		bench->count = MAX_OBJECTS;
	must(debugfs_find(bench->fd, bench->debugfs, sizeof(bench->debugfs)), "debugfs");
}

/* Content that is not zero, so that all of it has to be moved. */
static void create(struct bench *bench)
{
	for (size_t i = 0; i < bench->count; i++) {
		void *map;

		must(quire_bo_create(bench->fd, OBJECT_SIZE, &bench->handles[i]), "create");
		must(quire_bo_map(bench->fd, bench->handles[i], OBJECT_SIZE, &map), "map");
		memset(map, i + 1, OBJECT_SIZE);
	}
}

static double round_seconds(struct bench *bench)
{
	double begin = measure_now();

	for (size_t i = 0; i < bench->count; i++)
		must(quire_bo_place(bench->fd, bench->handles[i], DRM_QUIRE_SEGMENT_VRAM, 0),
		     "place");
	for (size_t i = 0; i < bench->count; i++)
		must(quire_bo_wait(bench->fd, bench->handles[i], WAIT_MS), "wait");
	return measure_now() - begin;
}

/* Bytes go both ways: as much is evicted as comes in. */
static void measure_paging(struct bench *bench)
{
	double rates[ROUNDS];

	round_seconds(bench);
	for (int i = 0; i < ROUNDS; i++)
		rates[i] = 2.0 * bench->count * OBJECT_SIZE / QUIRE_MIB / round_seconds(bench);
	measure_print("set", bench->count * OBJECT_SIZE / QUIRE_MIB, "MiB");
	measure_print("paging", measure_median(rates, ROUNDS), "MiB/s");
}

static void measure_nops(struct bench *bench)
{
	double rates[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double begin = measure_now();

		must(debugfs_write(bench->debugfs, "nop_submit", NOPS), "nop_submit");
		rates[i] = strtod(NOPS, NULL) / (measure_now() - begin);
	}
	measure_print("submissions", measure_median(rates, ROUNDS), "1/s");
}

static void measure_pool(struct bench *bench)
{
	char text[256];
	char *number;

	must(debugfs_read(bench->debugfs, "paging_pool", text, sizeof(text)), "paging_pool");
	number = strpbrk(text, "0123456789");
	must(number ? 0 : -1, "paging_pool has no number");
	measure_print("paging_pool", strtod(number, NULL), "bytes");
}

int main(void)
{
	static struct bench bench;

	start(&bench);
	create(&bench);
	measure_paging(&bench);
	measure_nops(&bench);
	measure_pool(&bench);
	return 0;
}
