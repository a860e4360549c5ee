// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: transfers that convert, against a model of bytes.
 *
 * The model moves each byte by itself, to where image.c says it lies. All of VRAM and
 * of system memory is compared: what a conversion must not touch is part of both.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "tap.h"

#define VRAM		(4 * MIB)
#define VRAM_PAGES	(VRAM / PAGE)
#define APERTURE	(2 * MIB)
#define RAM_PAGES	1024u		/* of the tests' part of RAM */
#define LINEAR_MAX	(512 * 1024ull)
#define TILED_MAX	(2 * MIB)

/*
 * struct world - an image in both of its forms
 * @host: the engine
 * @image: the image
 * @start: where its linear form begins in the first of @pages
 * @pages: of RAM, in which its linear form lies
 * @page_count: of @pages
 * @tiles: page of VRAM with which each tile begins
 * @tile_count: of @tiles
 * @vram: what VRAM has to be
 * @ram: what RAM has to be
 * @written: bytes of VRAM that were written since the last look
 */
struct world {
	struct host *host;
	struct image image;
	uint64_t start;
	uint32_t pages[RAM_PAGES];
	uint32_t page_count;
	uint32_t tiles[VRAM_PAGES];
	uint32_t tile_count;
	uint8_t vram[VRAM];
	uint8_t ram[RAM_PAGES * PAGE];
	uint8_t written[VRAM];
};

static struct packets p;

static uint64_t fence;

/* From first on, then as many pairs swapped as @mixed says: of 4. */
static void scatter(uint32_t *list, uint32_t count, uint32_t first, uint32_t step, uint32_t mixed)
{
	uint32_t i, other, page;

	for (i = 0; i < count; i++)
		list[i] = first + i * step;
	for (i = 0; i < count; i++) {
		if (test_random() % 4 >= mixed)
			continue;
		other = test_random_below(count);
		page = list[i];
		list[i] = list[other];
		list[other] = page;
	}
}

/* Places for both forms of an image. */
static void place(struct world *world)
{
	struct image *image = &world->image;
	uint32_t pages = image_tile_bytes(image) / PAGE;
	uint64_t element = 1ull << image->shift;

	world->start = test_random_below(PAGE / element) * element;
	world->page_count = (world->start + image_linear_size(image) + PAGE - 1) / PAGE;
	world->tile_count = image_tiles(image);
	scatter(world->pages, world->page_count,
		test_random_below(RAM_PAGES - world->page_count), 1, test_random() % 5);
	scatter(world->tiles, world->tile_count,
		test_random_below(VRAM_PAGES - world->tile_count * pages + 1), pages,
		test_random() % 5);
}

static void random_image(struct world *world)
{
	static const uint32_t sizes[] = { 9, 70, 300, 1000 };
	uint32_t layout = 1 + test_random() % 2;

	do {
		image_random(&world->image, layout, sizes[test_random() % 4]);
	} while (image_linear_size(&world->image) > LINEAR_MAX ||
		 image_tiles(&world->image) * image_tile_bytes(&world->image) > TILED_MAX);
	place(world);
}

/* Any number of bytes, but what the ring itself needs lies in one mapping. */
static uint64_t odd_granule(void)
{
	uint64_t granule = 100 + test_random_below(5000);

	while (granule - FENCE_PAGE % granule < 72)
		granule++;
	return granule;
}

static struct host *random_host(void)
{
	static const uint64_t slices[] = { 0, 97, 1000, 4096, 10000 };
	static const uint64_t works[] = { 0, 1, 5000, 40000 };
	struct host *host = host_new(VRAM, APERTURE, 1 + test_random() % 4,
				     slices[test_random() % 5]);

	host->memory.granule = test_random() % 3 ? test_random() % 2 ? odd_granule() : PAGE : 0;
	host->memory.work_least = works[test_random() % 4];
	host->memory.work_slices = test_random() % 4;
	host_ring_setup(host, 4);
	host_ring_enable(host);
	return host;
}

static void start(struct world *world, struct host *host)
{
	world->host = host;
	test_scramble(host->memory.vram, VRAM);
	test_scramble(host->memory.regions[0].bytes, sizeof(world->ram));
	memcpy(world->vram, host->memory.vram, VRAM);
	memcpy(world->ram, host->memory.regions[0].bytes, sizeof(world->ram));
	memset(world->written, 0, VRAM);
	fence = 0;
	p.size = 0;
}

/* As runs: those that follow each other join, or not. */
static void add_runs(const uint32_t *list, uint64_t count, uint32_t step, uint64_t base)
{
	uint64_t i, n;

	for (i = 0; i < count; i += n) {
		for (n = 1; i + n < count && (n + 1) * step <= 4096 &&
		     list[i + n] == list[i] + n * step; n++)
			if (!(test_random() & 7))
				break;
		packet_run(&p, base + list[i] * PAGE, n * step);
	}
}

/* The packet, of the rectangle that the image names. */
static void add_packet(const struct world *world, uint16_t flags, uint32_t segment)
{
	const struct image *image = &world->image;
	uint64_t at = world->start + image_linear(image, image->x, image->y);
	uint64_t offset = at % PAGE, first, tiles;
	uint64_t pages = (offset + image_rectangle_span(image) + PAGE - 1) / PAGE;

	packet_swizzle(&p, flags, segment, segment ? at : offset, image);
	if (!segment)
		add_runs(world->pages + at / PAGE, pages, 1, RAM_BASE);
	tiles = image_rectangle_tiles(image, &first);
	add_runs(world->tiles + first, tiles, image_tile_bytes(image) / PAGE, 0);
	packet_end(&p);
}

/* What it has to do. */
static void convert(struct world *world, uint16_t flags)
{
	const struct image *image = &world->image;
	uint64_t x, y, i;

	for (y = image->y; y < image->y + image->rows; y++) {
		for (x = image->x; x < image->x + image->columns; x++) {
			uint64_t linear = world->start + image_linear(image, x, y);
			uint64_t tiled = world->tiles[image_tile(image, x, y)] * PAGE +
					 image_in_tile(image, x, y);

			for (i = 0; i < 1u << image->shift; i++, linear++, tiled++) {
				uint8_t *byte = &world->ram[world->pages[linear / PAGE] * PAGE +
							    linear % PAGE];

				if (flags & 1)
					world->vram[tiled] = *byte;
				else
					*byte = world->vram[tiled];
				world->written[tiled] |= flags & 1;
			}
		}
	}
}

static void add_map(const struct world *world)
{
	packet_map(&p, 0, world->page_count, 0);
	add_runs(world->pages, world->page_count, 1, RAM_BASE);
	packet_end(&p);
}

static void submit(struct world *world)
{
	host_submit(world->host, &p, ++fence);
	p.size = 0;
}

static bool same(const struct world *world)
{
	return !memcmp(world->host->memory.vram, world->vram, VRAM) &&
	       !memcmp(world->host->memory.regions[0].bytes, world->ram, sizeof(world->ram));
}

/* Dirty is what was written, and at most the pages of that. */
static bool good_dirt(struct world *world)
{
	uint8_t *dirty = world->host->dirty;
	bool good = true;
	uint64_t page, i;

	for (page = 0; page < VRAM; page += PAGE) {
		if (!memchr(world->written + page, 1, PAGE)) {
			good &= world->image.layout == 2 || !memchr(dirty + page, 1, PAGE);
			continue;
		}
		for (i = page; i < page + PAGE; i++)
			good &= dirty[i] || !world->written[i];
	}
	memset(dirty, 0, VRAM);
	memset(world->written, 0, VRAM);
	return good;
}

static bool run(struct world *world)
{
	struct memory_host *memory = &world->host->memory;

	while (memory_host_run(memory))
		if (!(test_random() % 64) && !host_migrate(world->host))
			return false;
	return host_get64(world->host, FENCE_PAGE) == fence && same(world) && good_dirt(world) &&
	       !memory->mapped;
}

static void test_round(uint32_t seed, struct world *world)
{
	uint16_t flags;
	bool good = true;
	unsigned int i, n;

	test_seed(seed);
	start(world, random_host());
	random_image(world);
	add_map(world);
	for (i = 0; i < 6 && good; i++) {
		for (n = 1 + test_random() % 3; n; n--) {
			flags = 1 + test_random() % 2;
			image_random_rectangle(&world->image);
			add_packet(world, flags, test_random() & 2);
			convert(world, flags);
		}
		submit(world);
		good = run(world);
	}
	ok(good, "random: seed %u, %ux%u, layout %u, element %u", seed, world->image.width,
	   world->image.height, world->image.layout, 1u << world->image.shift);
	host_free(world->host);
}

static struct image one_surface(uint32_t layout, uint32_t shift, uint32_t width, uint32_t height)
{
	return (struct image){
		.layout = layout,
		.shift = shift,
		.width = width,
		.height = height,
		.levels = 1,
		.slices = 1,
		.columns = width,
		.rows = height,
	};
}

/* There by packets of some rows, back in one; the tiles end up where they have to. */
static void test_round_trip(struct world *world, uint32_t layout, uint32_t shift)
{
	struct image *image = &world->image;
	uint64_t written, size;
	uint32_t rows;

	start(world, host_new(VRAM, APERTURE, 0, 0));
	host_ring_setup(world->host, 4);
	host_ring_enable(world->host);
	*image = one_surface(layout, shift, 333 >> shift / 2, 150);
	place(world);
	size = image_linear_size(image);
	for (rows = 0; rows < 150; rows += image->rows) {
		image->y = rows;
		image->rows = rows + 40 < 150 ? 40 : 150 - rows;
		add_packet(world, 1, 0);
		convert(world, 1);
	}
	submit(world);
	ok(run(world), "round trip: layout %u, element %u, there", layout, 1u << shift);
	is(host_ring_reg64(world->host, 0x40), size + 4, "round trip: progress");
	is(world->host->memory.written, 0, "round trip: no system memory is written");
	*image = one_surface(layout, shift, image->width, 150);
	test_scramble(world->host->memory.regions[0].bytes, sizeof(world->ram));
	memcpy(world->ram, world->host->memory.regions[0].bytes, sizeof(world->ram));
	written = world->host->memory.written;
	add_packet(world, 2, 0);
	convert(world, 2);
	submit(world);
	ok(run(world), "round trip: back");
	is(world->host->memory.written - written, size, "round trip: its bytes are written");
	host_free(world->host);
}

/* After each slice what changed is dirty: a migration at any time sees all of it. */
static void test_dirty(struct world *world, uint32_t layout, uint32_t shift, uint64_t least)
{
	struct host *host = host_new(VRAM, APERTURE, 1, least ? 0 : 5000);
	uint8_t *before = malloc(VRAM);
	bool good = true;
	uint64_t i;

	start(world, host);
	host->memory.work_least = least;
	host->memory.work_slices = 2;
	host_ring_setup(host, 4);
	host_ring_enable(host);
	world->image = one_surface(layout, shift, 400 >> shift / 2, 120);
	world->image.x = least ? 0 : 5;
	world->image.columns -= world->image.x;
	place(world);
	add_packet(world, 1, 0);
	convert(world, 1);
	submit(world);
	memcpy(before, host->memory.vram, VRAM);
	while (memory_host_run(&host->memory)) {
		for (i = 0; i < VRAM; i++)
			good &= host->dirty[i] || host->memory.vram[i] == before[i];
		memcpy(before, host->memory.vram, VRAM);
		memset(host->dirty, 0, VRAM);
	}
	ok(good && same(world), "dirty: layout %u, element %u, works of %u", layout,
	   1u << shift, (unsigned int)least);
	is(host->memory.works != 0, least != 0, "dirty: by another thread");
	free(before);
	host_free(host);
}

/* The ring stops in the middle; what was done is whole, and doing it again is harmless. */
static void test_stop(struct world *world, bool reset)
{
	struct host *host = host_new(VRAM, APERTURE, 1, 0);
	unsigned int slices = 100;

	start(world, host);
	host->memory.work_least = 20000;
	host->memory.work_slices = 5;
	host_ring_setup(host, 4);
	host_ring_enable(host);
	host->memory.granule = PAGE;
	world->image = one_surface(2, 2, 333, 300);
	place(world);
	add_packet(world, 1, 0);
	convert(world, 1);
	submit(world);
	while (slices-- && (!host->memory.engine.ring[0].done || !host->memory.working))
		memory_host_run(&host->memory);
	ok(host->memory.working, "stop: a part is being done, not the first");
	if (reset)
		host_set_reg(host, 0x30, 1);
	else
		host_ring_disable(host);
	ok(!host->memory.working && !host->memory.mapped, "stop: nothing is done after it");
	ok(!same(world), "stop: in the middle");
	is(host_ring_reg(host, 0x20), 0, "stop: at the packet");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	fence = 0;
	add_packet(world, 1, 0);
	submit(world);
	host_run(host);
	ok(same(world) && host_get64(host, FENCE_PAGE) == 1, "stop: done again");
	host_free(host);
}

/* A page that is no memory: the rows before it are converted. */
static void test_fault(struct world *world, uint16_t flags)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	struct image *image = &world->image;
	uint64_t run;

	start(world, host);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	*image = one_surface(1, 2, 1024, 20);
	place(world);
	world->start = 0;
	world->page_count = 20;
	packet_swizzle(&p, flags, 0, 0, image);
	for (run = 0; run < 20; run++)
		packet_run(&p, run == 7 ? HOLE : RAM_BASE + world->pages[run] * PAGE, 1);
	add_runs(world->tiles, world->tile_count, 1, 0);
	packet_end(&p);
	submit(world);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_DMA, "fault: latched");
	is(host_ring_reg64(host, 0x30), HOLE, "fault: where");
	is(host_ring_reg64(host, 0x40), 7 * PAGE, "fault: progress");
	image->rows = 7;
	convert(world, flags);
	ok(same(world) && good_dirt(world) && !host->memory.mapped,
	   "fault: what stands before it is done");
	host_free(host);
}

/* All pages of the aperture that the rectangle spans have to be there, before it begins. */
static void test_span(struct world *world)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	start(world, host);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	world->image = one_surface(1, 2, 64, 40);
	world->image.columns = 1;
	packet_map(&p, 0, 2, 0);
	packet_run(&p, RAM_BASE, 2);
	packet_end(&p);
	packet_swizzle(&p, 1, 2, 0, &world->image);
	packet_run(&p, 0, 3);
	packet_end(&p);
	submit(world);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_APERTURE, "span: a page is not mapped");
	is(host_ring_reg64(host, 0x30), 2 * PAGE, "span: which");
	is(host_ring_reg64(host, 0x40), 3, "span: only the pages before are mapped");
	ok(same(world), "span: nothing is converted");
	host_free(host);
}

/* Where the engine has to look up tiles twice: so many that their RAM has to repeat. */
static void test_most_tiles(void)
{
	const struct image image = { 1, 4, 48, 16384, 1, 1, 0, 0, 15, 0, 18, 16384 };
	struct host *host = host_new(16 * MIB, APERTURE, 1, 0);
	uint64_t begin = image_linear(&image, 15, 0), x, y, linear;
	uint32_t i, pages = (image_rectangle_span(&image) + PAGE - 1) / PAGE;
	bool good = true;

	test_scramble(host->memory.regions[0].bytes, 1024 * PAGE);
	host_ring_setup(host, 4);
	host_ring_enable(host);
	p.size = 0;
	packet_swizzle(&p, 1, 0, 0, &image);
	for (i = 0; i < pages; i++)
		packet_run(&p, RAM_BASE + i * 7 % 1024 * PAGE, 1);
	packet_run(&p, 0, 3072);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 1, "most tiles: complete");
	for (y = 0; y < image.rows; y++) {
		for (x = 15; x < 33; x++) {
			linear = image_linear(&image, x, y) - begin;
			linear = linear / PAGE * 7 % 1024 * PAGE + linear % PAGE;
			good &= !memcmp(host->memory.vram + image_tiled(&image, x, y),
					host->memory.regions[0].bytes + linear, 16);
		}
	}
	ok(good, "most tiles: converted");
	host_free(host);
}

/* Many tiles in a row, and below each other. */
static void test_many_tiles(struct world *world, uint32_t width, uint32_t height)
{
	struct host *host = random_host();
	uint64_t i;

	start(world, host);
	world->image = one_surface(1, 4, width, height);
	place(world);
	for (i = 0; i < world->tile_count; i++)
		world->tiles[i] = i * 7 % VRAM_PAGES;
	add_packet(world, 2, 0);
	convert(world, 2);
	submit(world);
	ok(run(world), "%ux%u: %u tiles", width, height, world->tile_count);
	host_free(host);
}

/* Long ones, to where rows are aligned and where they are not. */
static void test_long(struct world *world, uint32_t layout, uint32_t shift, uint32_t width)
{
	uint16_t flags;

	start(world, host_new(VRAM, APERTURE, 0, 0));
	host_ring_setup(world->host, 4);
	host_ring_enable(world->host);
	world->image = one_surface(layout, shift, width, (MIB >> shift) / width + 1);
	place(world);
	for (flags = 1; flags <= 2; flags++) {
		add_packet(world, flags, 0);
		convert(world, flags);
		submit(world);
		ok(run(world), "long: layout %u, element %u, %u wide, flags %u", layout,
		   1u << shift, width, flags);
		test_scramble(world->host->memory.vram, VRAM);
		memcpy(world->vram, world->host->memory.vram, VRAM);
	}
	host_free(world->host);
}

/* BAR 2 as system memory: bytes come from somewhere in the source, and nothing breaks. */
static void test_alias(struct world *world)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);
	uint8_t *bytes = host->memory.regions[2].bytes;

	start(world, host);
	host->memory.regions[2] = (struct memory_region){
		HOLE, VRAM, host->memory.vram, false,
	};
	host_ring_setup(host, 4);
	host_ring_enable(host);
	world->image = one_surface(1, 0, 100, 40);
	packet_swizzle(&p, 1, 0, 13, &world->image);
	packet_run(&p, HOLE, 1);
	packet_run(&p, 0, 2);
	packet_end(&p);
	submit(world);
	host_run(host);
	is(host_get64(host, FENCE_PAGE), 1, "alias: complete");
	host->memory.regions[2].bytes = bytes;
	host_free(host);
}

int main(void)
{
	struct world *world = malloc(sizeof(*world));
	uint32_t i;

	for (i = 0; i < 10; i++)
		test_round_trip(world, 1 + i % 2, i / 2);
	for (i = 0; i < 20; i++)
		test_dirty(world, 1 + i % 2, i / 2 % 5, i / 10 * 7000);
	test_stop(world, false);
	test_stop(world, true);
	test_fault(world, 1);
	test_fault(world, 2);
	test_span(world);
	test_most_tiles();
	test_many_tiles(world, 1, 16384);
	test_many_tiles(world, 16384, 1);
	test_alias(world);
	test_long(world, 1, 0, 1024);
	test_long(world, 1, 2, 515);
	test_long(world, 2, 4, 256);
	test_long(world, 2, 1, 777);
	for (i = 1; i <= 100; i++)
		test_round(i, world);
	free(world);
	return tap_done();
}
