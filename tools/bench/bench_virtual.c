// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * bench-virtual: what virtual addresses cost the engine. The same moves by segments and through
 * windows, as the driver makes them, in turns; page tables that are written; and flushes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine_host.h"
#include "measure.h"
#include "packets.h"

#define PAGE		4096ul
#define DATA_PAGES	16384ul		/* 64 MiB */
#define BUFFER_PAGES	1024ul
#define FIRST_BUFFER	16ul		/* page of system memory */
#define FIRST_DATA	1536ul		/* pages of 2 MiB, too, begin there */
#define SYSTEM_PAGES	(FIRST_DATA + 2 * DATA_PAGES)
#define ENTRIES		512ul
#define WINDOW		0x8000000000ull	/* virtual address of the first */
#define TLB_ENTRIES	256u
#define TABLES		200ul		/* that are written at a time */
#define FLUSHES		1000ul

/* Pages of system memory, before the buffers. */
enum { CONTEXT = 2, TABLE_3, TABLE_2, TABLE_1, SOURCE, DESTINATION };

/**
 * struct list - submissions
 * @addresses: of each
 * @sizes: of each
 * @count: of them
 */
struct list {
	uint64_t addresses[BUFFER_PAGES];
	uint32_t sizes[BUFFER_PAGES];
	size_t count;
};

static struct engine_host host;
static uint64_t system_pages[DATA_PAGES], vram_pages[DATA_PAGES];
static size_t nr_buffers;	/* in use, of all lists */

static const struct packets_windows windows = {
	.root = TABLE_3 * PAGE | QUIRE_PTE_VALID,
	.table = TABLE_1,
	.tables = { SOURCE, DESTINATION },
	.address = WINDOW,
};

static void fail(const char *why)
{
	fprintf(stderr, "bench-virtual: %s\n", why);
	exit(EXIT_FAILURE);
}

static void *system_page(uint64_t page)
{
	return host.memory.regions[0].bytes + page * PAGE;
}

static void lead(uint64_t table, size_t index, uint64_t to)
{
	((uint64_t *)system_page(table))[index] = to * PAGE | QUIRE_PTE_VALID;
}

static void make_space(void)
{
	*(struct quire_context_area *)system_page(CONTEXT) = (struct quire_context_area){
		.magic = QUIRE_CONTEXT_MAGIC,
		.root = windows.root,
	};
	lead(TABLE_3, WINDOW >> 39, TABLE_2);
	lead(TABLE_2, 0, TABLE_1);
	lead(TABLE_1, 0, SOURCE);
	lead(TABLE_1, 1, DESTINATION);
	host.context = QUIRE_ADDRESS(QUIRE_SEGMENT_SYSTEM, CONTEXT * PAGE);
}

/* Runs of so many pages, with gaps between them, in an order that nobody foresees. */
static void scatter(size_t run)
{
	size_t runs = DATA_PAGES / run;

	for (size_t i = 0; i < DATA_PAGES; i++) {
		size_t place = i / run * 7919 % runs, gap = run == 1 ? 2 : 1;

		system_pages[i] = FIRST_DATA + gap * place * run + i % run;
		vram_pages[i] = run == 1 ? i / run * 4099 % runs : i;
	}
}

static void *add(struct list *list, uint32_t size)
{
	uint64_t page = FIRST_BUFFER + nr_buffers++ * (PACKETS_BUFFER / PAGE);

	if (page + PACKETS_BUFFER / PAGE > FIRST_DATA)
		fail("too many packets");
	list->addresses[list->count] = page * PAGE;
	list->sizes[list->count++] = size;
	return system_page(page);
}

static void add_move(struct list *list, bool to_vram, bool is_virtual)
{
	const struct packets_shape shape = {
		.pages = DATA_PAGES, .system = system_pages, .vram = vram_pages,
		.vram_pages = DATA_PAGES, .to_vram = to_vram,
	};
	struct packets packets;

	if (!packets_prepare(&packets, &shape) ||
	    !(is_virtual ? packets_build_virtual(&packets, &shape, &windows) :
			   packets_build(&packets, &shape)))
		fail("the builder does not come to an end");
	for (size_t i = 0; i < packets.nr_buffers; i++)
		memcpy(add(list, packets.sizes[i]), packets.memory + i * PACKETS_BUFFER,
		       packets.sizes[i]);
	packets_free(&packets);
}

static double run(const struct list *list)
{
	double start = measure_now();

	if (!engine_host_run(&host, list->addresses, list->sizes, list->count))
		fail("the engine stopped");
	return measure_now() - start;
}

/* Marks go there and back over a wiped VRAM. */
static void check(const struct list *list)
{
	for (size_t i = 0; i < DATA_PAGES; i++)
		memset(system_page(system_pages[i]), i % 251, PAGE);
	memset(host.memory.vram, 0xff, DATA_PAGES * PAGE);
	run(list);
	for (size_t i = 0; i < DATA_PAGES; i++)
		if (host.memory.vram[vram_pages[i] * PAGE + 77] != i % 251 ||
		    ((uint8_t *)system_page(system_pages[i]))[99] != i % 251)
			fail("the engine does not copy");
}

static void measure_moves(size_t pages, const char *name)
{
	static struct list physical, virtual;
	double ratios[MEASURE_RUNS];
	char figure[64];

	physical.count = 0;
	virtual.count = 0;
	nr_buffers = 0;
	scatter(pages);
	for (int to_vram = 1; to_vram >= 0; to_vram--) {
		add_move(&physical, to_vram, false);
		add_move(&virtual, to_vram, true);
	}
	check(&physical);
	check(&virtual);
	for (int i = 0; i < MEASURE_RUNS; i++) {
		double seconds = run(&physical);

		ratios[i] = seconds / run(&virtual);
	}
	snprintf(figure, sizeof(figure), "virtual_per_transfer_%s", name);
	measure_print(figure, measure_median(ratios, MEASURE_RUNS), "ratio");
}

static void print_entry_bytes(void)
{
	scatter(1);
	measure_print("virtual_entry_bytes_scattered",
		      packets_entry_bytes(vram_pages, ENTRIES) * 1000.0 / ENTRIES, "bytes");
	for (size_t i = 0; i < ENTRIES; i++)
		vram_pages[i] = 3 + i;
	measure_print("virtual_entry_bytes_contiguous",
		      packets_entry_bytes(vram_pages, ENTRIES) * 1000.0 / ENTRIES, "bytes");
}

/* Tables in VRAM, by lists of all their entries, against memcpy() of these. */
static void measure_tables(void)
{
	const uint32_t size = sizeof(struct quire_packet_update_page_table) + ENTRIES * 8;
	double ratios[MEASURE_RUNS], rates[MEASURE_RUNS];
	static struct list list;

	list.count = 0;
	nr_buffers = 0;
	for (size_t i = 0; i < TABLES; i++) {
		static uint8_t *buffer;

		if (i % (PACKETS_BUFFER / size) == 0)
			buffer = add(&list, 0);
		*(struct quire_packet_update_page_table *)buffer =
			(struct quire_packet_update_page_table){
			.header = { QUIRE_OP_UPDATE_PAGE_TABLE, 0, size },
			.segment = QUIRE_SEGMENT_VRAM,
			.table = i * PAGE,
			.count = ENTRIES,
		};
		for (size_t j = 0; j < ENTRIES; j++)
			((uint64_t *)(buffer + size - ENTRIES * 8))[j] =
				QUIRE_PTE(QUIRE_SEGMENT_VRAM, j * 7 % DATA_PAGES * PAGE,
					  QUIRE_PTE_VALID);
		buffer += size;
		list.sizes[list.count - 1] += size;
	}
	run(&list);
	for (int i = 0; i < MEASURE_RUNS; i++) {
		double start = measure_now(), copy, seconds;

		for (size_t j = 0; j < TABLES; j++)
			memcpy(host.memory.vram + j * PAGE,
			       system_page(FIRST_BUFFER) + j * size, PAGE);
		copy = measure_now() - start;
		seconds = run(&list);
		ratios[i] = copy / seconds;
		rates[i] = TABLES * ENTRIES / seconds / 1e6;
	}
	measure_print("virtual_entries_per_memcpy", measure_median(ratios, MEASURE_RUNS), "ratio");
	measure_print("virtual_entries", measure_median(rates, MEASURE_RUNS), "M/s");
}

/* Of all windows, one after the other. */
static void measure_flush(const char *name)
{
	const struct quire_packet_flush_tlb flush = {
		.header = { QUIRE_OP_FLUSH_TLB, 0, sizeof(flush) },
		.root = windows.root,
		.start = WINDOW,
		.end = WINDOW + PACKETS_WINDOWS * ENTRIES * PAGE,
	};
	struct quire_packet_flush_tlb *packets;
	double times[MEASURE_RUNS];
	static struct list list;

	list.count = 0;
	nr_buffers = 0;
	packets = add(&list, FLUSHES * sizeof(flush));
	for (size_t i = 0; i < FLUSHES; i++)
		packets[i] = flush;
	for (int i = 0; i < MEASURE_RUNS; i++)
		times[i] = run(&list) / FLUSHES * 1e9;
	measure_print(name, measure_median(times, MEASURE_RUNS), "ns");
}

static uint8_t *allocate(size_t pages)
{
	void *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		fail("no memory; free 200 MiB");
	return memory;
}

static void start(uint32_t tlb_entries)
{
	host.memory.tlb_entries = tlb_entries;
	engine_host_start(&host);
	make_space();
}

int main(void)
{
	host.memory.regions[0].size = SYSTEM_PAGES * PAGE;
	host.memory.regions[0].bytes = allocate(SYSTEM_PAGES);
	host.memory.vram_size = DATA_PAGES * PAGE;
	host.memory.vram_visible = DATA_PAGES * PAGE;
	host.memory.vram = allocate(DATA_PAGES);
	start(TLB_ENTRIES);
	measure_moves(512, "2m");
	measure_moves(16, "64k");
	measure_moves(1, "4k");
	print_entry_bytes();
	measure_tables();
	measure_flush("virtual_flush_ns_256");
	memory_host_stop(&host.memory);
	start(0);
	measure_flush("virtual_flush_ns_0");
	memory_host_stop(&host.memory);
	return 0;
}
