// SPDX-License-Identifier: GPL-2.0 OR MIT
/* bench-builder: how fast the builder is, and how much it writes. */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "packets.h"

#define PAGES		0x40000ul	/* one GiB */
#define MIB_PAGES	256ul

/*
 * Page numbers in runs of @run pages that do not touch each other, and in an
 * order that does not let them.
 */
static uint64_t *scatter(size_t run)
{
	uint64_t *pages = calloc(PAGES, sizeof(*pages));
	size_t runs = PAGES / run;

	for (size_t i = 0; pages && i < PAGES; i++) {
		size_t place = i / run * 7919 % runs;

		pages[i] = place * (run + 1) + i % run;
	}
	return pages;
}

/**
 * struct result - what one GiB came to
 * @bytes: written
 * @buffers: of 64 KiB
 * @check_ns_per_run: checking, median, over the runs of the side that has more
 * @ns_per_run: building, likewise
 */
struct result {
	double bytes;
	double buffers;
	double check_ns_per_run;
	double ns_per_run;
};

static void build(const struct packets_shape *shape, struct result *result)
{
	double checks[MEASURE_RUNS], times[MEASURE_RUNS];
	struct packets packets;
	size_t runs;

	if (!packets_prepare(&packets, shape))
		exit(EXIT_FAILURE);
	runs = packets.nr_system_runs > packets.nr_vram_runs ? packets.nr_system_runs :
							       packets.nr_vram_runs;
	for (int i = -1; i < MEASURE_RUNS; i++) {
		double start = measure_now(), checked;
		bool good = packets_check(&packets, shape);

		checked = measure_now();
		if (!good || !packets_build(&packets, shape)) {
			fputs("bench-builder: the builder does not come to an end\n", stderr);
			exit(EXIT_FAILURE);
		}
		if (i < 0)
			continue;
		times[i] = measure_now() - checked;
		checks[i] = checked - start;
	}
	result->bytes = packets_bytes(&packets);
	result->buffers = packets.nr_buffers;
	result->check_ns_per_run = measure_median(checks, MEASURE_RUNS) * 1e9 / runs;
	result->ns_per_run = measure_median(times, MEASURE_RUNS) * 1e9 / runs;
	packets_free(&packets);
}

/* @system_run, @vram_run: pages */
static struct result measure(size_t system_run, size_t vram_run)
{
	uint64_t *system = scatter(system_run), *vram = scatter(vram_run);
	struct packets_shape shape = {
		.pages = PAGES,
		.system = system,
		.vram = vram,
		.vram_pages = 4 * PAGES,
		.to_vram = true,
	};
	struct result result;

	if (!system || !vram)
		exit(EXIT_FAILURE);
	build(&shape, &result);
	free(system);
	free(vram);
	return result;
}

int main(void)
{
	const size_t large = 2 * MIB_PAGES;
	struct result contiguous = measure(large, large);
	struct result paged = measure(1, large);
	struct result scattered = measure(1, 1);

	measure_print("builder_ns_per_2m_run", contiguous.ns_per_run, "ns");
	measure_print("builder_ns_per_4k_run", paged.ns_per_run, "ns");
	measure_print("builder_ns_per_4k_run_both_sides", scattered.ns_per_run, "ns");
	measure_print("builder_check_ns_per_4k_run", paged.check_ns_per_run, "ns");
	measure_print("builder_bytes_per_2m_run", contiguous.bytes * large / PAGES, "bytes");
	measure_print("builder_bytes_per_mib_2m", contiguous.bytes * MIB_PAGES / PAGES, "bytes");
	measure_print("builder_bytes_per_4k_page", paged.bytes / PAGES, "bytes");
	measure_print("builder_bytes_per_mib_4k", paged.bytes * MIB_PAGES / PAGES, "bytes");
	measure_print("builder_bytes_per_4k_page_both_sides", scattered.bytes / PAGES, "bytes");
	measure_print("builder_buffers_per_gib_2m", contiguous.buffers, "buffers");
	measure_print("builder_buffers_per_gib_4k", paged.buffers, "buffers");
	return 0;
}
