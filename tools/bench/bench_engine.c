// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * bench-engine: how fast the engine copies what the builder wrote, against
 * memcpy() of the same runs of the same host memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine_host.h"
#include "measure.h"
#include "packets.h"

#define PAGE		4096ul
#define DATA_PAGES	(16384ul)	/* 64 MiB */
#define BUFFER_PAGES	1024ul
#define FIRST_BUFFER	16ul		/* page of system memory */
#define FIRST_DATA	(FIRST_BUFFER + BUFFER_PAGES)
#define SYSTEM_PAGES	(FIRST_DATA + 2 * DATA_PAGES)
#define LINE		64ul		/* bytes that keep together in a tile */
#define DATA_LINES	(DATA_PAGES * PAGE / LINE)

/* Of an image of DATA_PAGES that is as wide as high, of elements of 1 << @shift bytes. */
#define IMAGE_WIDTH(shift)	(8192ul >> (shift) / 2)

/**
 * struct job - one size of runs
 * @host: engine and memory
 * @run: pages of a run
 * @system: page of system memory, by page
 * @vram: page of VRAM, by page
 * @addresses: of the submissions, first those to VRAM, then those back
 * @sizes: of the submissions
 * @count: of the submissions
 */
struct job {
	struct engine_host *host;
	size_t run;
	uint64_t system[DATA_PAGES];
	uint64_t vram[DATA_PAGES];
	uint64_t addresses[BUFFER_PAGES];
	uint32_t sizes[BUFFER_PAGES];
	size_t count;
};

static void fail(const char *why)
{
	fprintf(stderr, "bench-engine: %s\n", why);
	exit(EXIT_FAILURE);
}

static uint8_t *system_page(const struct job *job, size_t i)
{
	return job->host->memory.regions[0].bytes + job->system[i] * PAGE;
}

static uint8_t *system_line(const struct job *job, size_t i)
{
	return system_page(job, i * LINE / PAGE) + i * LINE % PAGE;
}

static uint8_t *vram_page(const struct job *job, size_t i)
{
	return job->host->memory.vram + job->vram[i] * PAGE;
}

/* Runs in an order that no cache or prefetcher foresees, with gaps between. */
static void scatter(struct job *job)
{
	size_t runs = DATA_PAGES / job->run;

	for (size_t i = 0; i < DATA_PAGES; i++) {
		size_t place = i / job->run * 7919 % runs;
		size_t gap = job->run == 1 ? 2 : 1;

		job->system[i] = FIRST_DATA + gap * place * job->run + i % job->run;
		job->vram[i] = i;
	}
}

/* Puts what the builder writes into system memory, behind what is there. */
static void add_packets(struct job *job, bool to_vram)
{
	struct packets_shape shape = {
		.pages = DATA_PAGES,
		.system = job->system,
		.vram = job->vram,
		.vram_pages = DATA_PAGES,
		.to_vram = to_vram,
	};
	struct packets packets;

	if (!packets_prepare(&packets, &shape) || !packets_build(&packets, &shape))
		fail("the builder does not come to an end");
	for (size_t i = 0; i < packets.nr_buffers; i++) {
		uint64_t address = FIRST_BUFFER * PAGE + job->count * PACKETS_BUFFER;

		if (address + PACKETS_BUFFER > FIRST_DATA * PAGE)
			fail("too many packets");
		memcpy(job->host->memory.regions[0].bytes + address,
		       packets.memory + i * PACKETS_BUFFER, packets.sizes[i]);
		job->addresses[job->count] = address;
		job->sizes[job->count++] = packets.sizes[i];
	}
	packets_free(&packets);
}

static double time_engine(struct job *job)
{
	double start = measure_now();

	if (!engine_host_run(job->host, job->addresses, job->sizes, job->count))
		fail("the engine stopped");
	return measure_now() - start;
}

static double time_memcpy(struct job *job)
{
	double start = measure_now();

	for (size_t i = 0; i < DATA_PAGES; i += job->run)
		memcpy(vram_page(job, i), system_page(job, i), job->run * PAGE);
	for (size_t i = 0; i < DATA_PAGES; i += job->run)
		memcpy(system_page(job, i), vram_page(job, i), job->run * PAGE);
	return measure_now() - start;
}

/* Does the engine really copy?  Marks go there and back over a wiped VRAM. */
static void check(struct job *job)
{
	for (size_t i = 0; i < DATA_PAGES; i++)
		memset(system_page(job, i), i % 251, PAGE);
	memset(job->host->memory.vram, 0xff, DATA_PAGES * PAGE);
	time_engine(job);
	for (size_t i = 0; i < DATA_PAGES; i++) {
		if (vram_page(job, i)[77] != i % 251 || system_page(job, i)[99] != i % 251)
			fail("the engine does not copy");
	}
}

/* Behind the packets there are; returns them. */
static void *add_submission(struct job *job, uint32_t size)
{
	uint64_t address = FIRST_BUFFER * PAGE + job->count * PACKETS_BUFFER;

	job->addresses[job->count] = address;
	job->sizes[job->count++] = size;
	return job->host->memory.regions[0].bytes + address;
}

/* The whole of the aperture, whose pages follow each other. */
static void add_map(struct job *job)
{
	size_t runs = DATA_PAGES / QUIRE_RUN_MAX_PAGES;
	struct quire_packet_map *map = add_submission(job, sizeof(*map) + 8 * runs);

	*map = (struct quire_packet_map){
		.header = { QUIRE_OP_MAP_APERTURE, QUIRE_MAP_CACHE_COHERENT,
			    sizeof(*map) + 8 * runs },
		.segment = QUIRE_SEGMENT_APERTURE,
		.pages = DATA_PAGES,
	};
	for (size_t i = 0; i < runs; i++)
		map->runs[i] = QUIRE_RUN(FIRST_DATA + i * QUIRE_RUN_MAX_PAGES,
					 QUIRE_RUN_MAX_PAGES);
}

static void add_transfer(struct job *job, uint32_t from, uint32_t to)
{
	struct quire_packet_transfer *transfer = add_submission(job, sizeof(*transfer));

	*transfer = (struct quire_packet_transfer){
		.header = { QUIRE_OP_TRANSFER, 0, sizeof(*transfer) },
		.src_segment = from,
		.dst_segment = to,
		.size = DATA_PAGES * PAGE,
	};
}

static void compare(struct job *job, const char *name)
{
	double ratios[MEASURE_RUNS], rates[MEASURE_RUNS];
	char figure[64];

	check(job);
	for (int i = 0; i < MEASURE_RUNS; i++) {
		double copy = time_memcpy(job), engine = time_engine(job);

		ratios[i] = copy / engine;
		rates[i] = 2.0 * DATA_PAGES * PAGE / engine / (1 << 20);
	}
	snprintf(figure, sizeof(figure), "engine_per_memcpy_%s", name);
	measure_print(figure, measure_median(ratios, MEASURE_RUNS), "ratio");
	snprintf(figure, sizeof(figure), "engine_rate_%s", name);
	measure_print(figure, measure_median(rates, MEASURE_RUNS), "MiB/s");
}

static void measure(struct job *job, size_t run, const char *name)
{
	job->run = run;
	job->count = 0;
	scatter(job);
	add_packets(job, true);
	add_packets(job, false);
	compare(job, name);
}

/* Through the aperture, and an IOMMU that knows nothing but pages. */
static void measure_by_page(struct job *job)
{
	job->run = DATA_PAGES;
	job->count = 0;
	scatter(job);
	add_map(job);
	add_transfer(job, QUIRE_SEGMENT_APERTURE, QUIRE_SEGMENT_VRAM);
	add_transfer(job, QUIRE_SEGMENT_VRAM, QUIRE_SEGMENT_APERTURE);
	job->host->memory.granule = PAGE;
	job->host->memory.parts = 0;
	memory_host_share(&job->host->memory);
	compare(job, "by_page");
	job->host->memory.granule = 0;
	job->host->memory.parts = 1;
	memory_host_share(&job->host->memory);
}

/* An image in both forms: rows, and tiles; see IMAGE_WIDTH(). */
static void add_swizzle(struct job *job, uint16_t flag, uint16_t layout, uint16_t shift)
{
	bool to_tiles = flag == QUIRE_TRANSFER_SWIZZLE;
	uint32_t width = IMAGE_WIDTH(shift), tile_runs = DATA_PAGES / QUIRE_RUN_MAX_PAGES;
	size_t runs = DATA_PAGES / job->run < tile_runs ? tile_runs : DATA_PAGES / job->run;
	size_t pages = DATA_PAGES / runs;
	uint32_t size = sizeof(struct quire_packet_swizzle) + 8 * (runs + tile_runs);
	struct quire_packet_swizzle *swizzle = add_submission(job, size);

	*swizzle = (struct quire_packet_swizzle){
		.header = { QUIRE_OP_TRANSFER, flag, size },
		.src_segment = to_tiles ? QUIRE_SEGMENT_SYSTEM : QUIRE_SEGMENT_VRAM,
		.dst_segment = to_tiles ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_SYSTEM,
		.size = DATA_PAGES * PAGE,
		.layout = layout,
		.element_shift = shift,
		.width = width,
		.height = width,
		.levels = 1,
		.array_size = 1,
		.columns = width,
		.rows = width,
	};
	for (size_t i = 0; i < runs; i++)
		swizzle->runs[i] = QUIRE_RUN(job->system[i * pages], pages);
	for (size_t i = 0; i < tile_runs; i++)
		swizzle->runs[runs + i] = QUIRE_RUN(i * QUIRE_RUN_MAX_PAGES, QUIRE_RUN_MAX_PAGES);
}

static double time_memcpy_one_way(struct job *job, bool to_vram)
{
	double start = measure_now();

	for (size_t i = 0; i < DATA_PAGES; i += job->run)
		memcpy(to_vram ? vram_page(job, i) : system_page(job, i),
		       to_vram ? system_page(job, i) : vram_page(job, i), job->run * PAGE);
	return measure_now() - start;
}

/* Each line says its number, wherever it goes. */
static void mark_lines(struct job *job)
{
	for (size_t i = 0; i < DATA_LINES; i++) {
		uint32_t *line = (uint32_t *)system_line(job, i);

		for (size_t word = 0; word < LINE / sizeof(*line); word++)
			line[word] = i;
	}
}

static bool has_mark(const uint8_t *bytes, uint32_t mark)
{
	const uint32_t *line = (const uint32_t *)bytes;

	for (size_t word = 0; word < LINE / sizeof(*line); word++)
		if (line[word] != mark)
			return false;
	return true;
}

/* The tile of a line of linear memory. */
static size_t tile_of(size_t line, uint16_t layout, uint16_t shift)
{
	unsigned int tile_shift = layout == QUIRE_LAYOUT_TILE_4K ? 12 : 16;
	size_t pitch = IMAGE_WIDTH(shift) << shift, side = 1ul << (tile_shift - shift) / 2;
	size_t row = line * LINE / pitch, byte = line * LINE % pitch;

	return row / side * (pitch / (side << shift)) + byte / (side << shift);
}

/* Is each line there, once, and in its tile? */
static void check_tiles(const struct job *job, uint16_t layout, uint16_t shift)
{
	size_t tile_lines = (layout == QUIRE_LAYOUT_TILE_4K ? PAGE : 16 * PAGE) / LINE;
	static uint8_t seen[DATA_LINES];

	memset(seen, 0, sizeof(seen));
	for (size_t i = 0; i < DATA_LINES; i++) {
		const uint8_t *bytes = job->host->memory.vram + i * LINE;
		uint32_t mark = *(const uint32_t *)bytes;

		if (mark >= DATA_LINES || seen[mark]++ || !has_mark(bytes, mark) ||
		    tile_of(mark, layout, shift) != i / tile_lines)
			fail("the engine does not swizzle");
	}
}

/* Does the engine really swizzle?  Lines go there and back over wiped memory. */
static void check_swizzle(struct job *job, uint16_t layout, uint16_t shift)
{
	mark_lines(job);
	memset(job->host->memory.vram, 0xff, DATA_PAGES * PAGE);
	job->count = 0;
	add_swizzle(job, QUIRE_TRANSFER_SWIZZLE, layout, shift);
	time_engine(job);
	check_tiles(job, layout, shift);
	for (size_t i = 0; i < DATA_PAGES; i++)
		memset(system_page(job, i), 0xff, PAGE);
	job->count = 0;
	add_swizzle(job, QUIRE_TRANSFER_UNSWIZZLE, layout, shift);
	time_engine(job);
	for (size_t i = 0; i < DATA_LINES; i++)
		if (!has_mark(system_line(job, i), i))
			fail("the engine does not unswizzle");
}

static void compare_swizzle(struct job *job, const char *name, uint16_t flag, uint16_t layout,
			    uint16_t shift)
{
	double ratios[MEASURE_RUNS];
	char figure[64];

	job->count = 0;
	add_swizzle(job, flag, layout, shift);
	time_engine(job);
	for (int i = 0; i < MEASURE_RUNS; i++) {
		double copy = time_memcpy_one_way(job, flag == QUIRE_TRANSFER_SWIZZLE);

		ratios[i] = copy / time_engine(job);
	}
	snprintf(figure, sizeof(figure), "engine_%s_%s_%u%s",
		 flag == QUIRE_TRANSFER_SWIZZLE ? "swizzle" : "unswizzle",
		 layout == QUIRE_LAYOUT_TILE_4K ? "4k" : "64k", 1u << shift, name);
	measure_print(figure, measure_median(ratios, MEASURE_RUNS), "ratio");
}

/* Both directions, both tiles; linear memory in runs of so many pages. */
static void measure_swizzle(struct job *job, size_t run, const char *name)
{
	job->run = run;
	scatter(job);
	for (uint16_t layout = QUIRE_LAYOUT_TILE_4K; layout <= QUIRE_LAYOUT_TILE_64K; layout++) {
		for (uint16_t shift = 0; shift <= 4; shift += 2) {
			check_swizzle(job, layout, shift);
			compare_swizzle(job, name, QUIRE_TRANSFER_SWIZZLE, layout, shift);
			compare_swizzle(job, name, QUIRE_TRANSFER_UNSWIZZLE, layout, shift);
		}
	}
}

static uint8_t *allocate(size_t pages)
{
	void *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		fail("no memory; free 200 MiB");
	return memory;
}

int main(void)
{
	static struct engine_host host;
	static struct job job = { .host = &host };

	host.memory.regions[0].size = SYSTEM_PAGES * PAGE;
	host.memory.regions[0].bytes = allocate(SYSTEM_PAGES);
	host.memory.vram_size = DATA_PAGES * PAGE;
	host.memory.vram_visible = DATA_PAGES * PAGE;
	host.memory.vram = allocate(DATA_PAGES);
	engine_host_start(&host);
	measure(&job, 1, "4k");
	measure(&job, 16, "64k");
	measure(&job, 512, "2m");
	measure_by_page(&job);
	measure_swizzle(&job, DATA_PAGES, "");
	measure_swizzle(&job, 1, "_scattered");
	memory_host_stop(&host.memory);
	return 0;
}
