// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: swizzling ranges. What a window shows is compared with VRAM byte by byte, by
 * the layouts of image.c, which know nothing of the engine's.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "tap.h"

#define VRAM		(512 * PAGE)
#define BAR_SIZE	(4ull * HOST_RANGE_SIZE) /* as a BAR is rounded up */

/* Registers of range n, as the specification has them. */
#define ADDR		0x00
#define LAYOUT		0x08
#define WIDTH		0x0c
#define HEIGHT		0x10
#define LEVELS		0x14
#define CONTROL		0x18

#define OLDEST		0x50
#define NO_RANGE	0xffffffff

static char last_error[512];

static void keep_error(struct memory_host *memory, const char *line)
{
	(void)memory;
	snprintf(last_error, sizeof(last_error), "%s", line);
}

static void keep_dirty(struct memory_host *memory, uint64_t offset, uint64_t len)
{
	memset(((struct host *)memory)->dirty + offset, 1, len);
}

static const struct memory_host_watch watch = { .dirty = keep_dirty, .error = keep_error };

/* A host whose VRAM has random bytes. */
static struct host *ranges_host(void)
{
	struct host *host = host_new(VRAM, 16 * PAGE, 0, 0);

	host->memory.watch = &watch;
	test_scramble(host->memory.vram, VRAM);
	return host;
}

static uint32_t range_reg(unsigned int n, uint32_t reg)
{
	return 0x2000 + 0x40 * n + reg;
}

static void range_program(struct host *host, unsigned int n, uint64_t addr,
			  const struct image *image)
{
	host_set_reg(host, range_reg(n, CONTROL), 0);
	host_set_reg64(host, range_reg(n, ADDR), addr);
	host_set_reg(host, range_reg(n, LAYOUT), image->layout | image->shift << 8);
	host_set_reg(host, range_reg(n, WIDTH), image->width);
	host_set_reg(host, range_reg(n, HEIGHT), image->height);
	host_set_reg(host, range_reg(n, LEVELS), image->levels | image->slices << 16);
}

static bool range_enable(struct host *host, unsigned int n)
{
	host_set_reg(host, range_reg(n, CONTROL), 1);
	return host_reg(host, range_reg(n, CONTROL));
}

static bool range_start(struct host *host, unsigned int n, uint64_t addr,
			const struct image *image)
{
	range_program(host, n, addr, image);
	return range_enable(host, n);
}

/*
 * struct map - where each byte of BAR 5 is in VRAM, and what is there
 * @at: offset in VRAM, or NOWHERE
 * @vram: content that is expected
 * @dirty: what must have been reported
 */
struct map {
	uint32_t at[BAR_SIZE];
	uint8_t vram[VRAM];
	uint8_t dirty[VRAM];
};

#define NOWHERE		UINT32_MAX

static void map_surface(uint32_t *at, uint64_t addr, const struct image *image)
{
	uint64_t width = image_level_width(image, image->level);
	uint64_t height = image_level_height(image, image->level);
	uint64_t x, y;
	uint32_t byte;

	for (y = 0; y < height; y++)
		for (x = 0; x < width; x++)
			for (byte = 0; byte < 1u << image->shift; byte++)
				at[image_linear(image, x, y) + byte] =
					addr + image_tiled(image, x, y) + byte;
}

static void map_image(struct map *map, unsigned int n, uint64_t addr, const struct image *image)
{
	struct image surface = *image;

	memset(map->at + n * HOST_RANGE_SIZE, 0xff, HOST_RANGE_SIZE * sizeof(*map->at));
	if (!image->layout)
		return;
	for (surface.slice = 0; surface.slice < image->slices; surface.slice++)
		for (surface.level = 0; surface.level < image->levels; surface.level++)
			map_surface(map->at + n * HOST_RANGE_SIZE, addr, &surface);
}

static struct map *map_new(const struct host *host)
{
	struct map *map = memory_host_alloc(sizeof(*map));

	memset(map->at, 0xff, sizeof(map->at));
	memcpy(map->vram, host->memory.vram, VRAM);
	return map;
}

static uint64_t map_read(const struct map *map, uint64_t offset, unsigned int size)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		if (map->at[offset + i] != NOWHERE)
			value |= (uint64_t)map->vram[map->at[offset + i]] << 8 * i;
	return value;
}

static void map_write(struct map *map, uint64_t offset, unsigned int size, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < size; i++) {
		if (map->at[offset + i] == NOWHERE)
			continue;
		map->vram[map->at[offset + i]] = value >> 8 * i;
		map->dirty[map->at[offset + i]] = 1;
	}
}

static bool map_same(const struct map *map, const struct host *host)
{
	return !memcmp(map->vram, host->memory.vram, VRAM) &&
	       !memcmp(map->dirty, host->dirty, VRAM);
}

/* One access of any size, anywhere that it fits. */
static bool random_access(struct host *host, struct map *map, uint64_t offset, unsigned int size)
{
	uint64_t value = (uint64_t)test_random() << 32 | test_random();

	if (offset + size > BAR_SIZE)
		offset = BAR_SIZE - size;
	if (test_random() & 1)
		return quire_ranges_read(&host->memory.engine, offset, size) ==
		       map_read(map, offset, size);
	quire_ranges_write(&host->memory.engine, offset, size, value);
	map_write(map, offset, size, value);
	return true;
}

/* Each byte that is shown, by accesses of each size; then some that read and write. */
static bool compare(struct host *host, struct map *map, uint64_t from, uint64_t bytes)
{
	static const unsigned int sizes[] = { 1, 2, 3, 4, 5, 8 };
	uint64_t offset;
	unsigned int i;
	bool good = true;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (offset = from; offset < from + bytes; offset += 1 + (i & 1) * sizes[i])
			good &= quire_ranges_read(&host->memory.engine, offset, sizes[i]) ==
				map_read(map, offset, sizes[i]);
	for (i = 0; i < 2000; i++)
		good &= random_access(host, map, from + test_random_below(bytes),
				      1 + test_random_below(8));
	return good && map_same(map, host);
}

/* All kinds and elements; levels and slices of few bytes, so that accesses straddle many. */
static void test_images(void)
{
	static const struct image sizes[] = {
		{ .width = 130, .height = 70, .levels = 1, .slices = 1 },
		{ .width = 37, .height = 67, .levels = 7, .slices = 2 },
		{ .width = 64, .height = 64, .levels = 3, .slices = 1 },
		{ .width = 1, .height = 5, .levels = 3, .slices = 5 },
		{ .width = 3, .height = 1, .levels = 2, .slices = 4 },
		{ .width = 1, .height = 1, .levels = 1, .slices = 6 },
		{ .width = 300, .height = 2, .levels = 9, .slices = 1 },
	};
	struct host *host = ranges_host();
	struct map *map = map_new(host);
	struct image image;
	unsigned int i, n;
	uint64_t size;

	for (i = 0; i < 2 * 5 * ARRAY_SIZE(sizes); i++) {
		image = sizes[i / 10];
		image.layout = 1 + i % 2;
		image.shift = i / 2 % 5;
		n = i % HOST_RANGES;
		size = image_linear_size(&image);
		map_image(map, n, PAGE * (i % 4), &image);
		ok(range_start(host, n, PAGE * (i % 4), &image) &&
		   compare(host, map, n * HOST_RANGE_SIZE, size + 16),
		   "image: kind %u, elements of %u, %u x %u, %u levels, %u slices", image.layout,
		   1u << image.shift, image.width, image.height, image.levels, image.slices);
	}
	free(map);
	host_free(host);
}

static void test_random_images(void)
{
	struct host *host = ranges_host();
	struct map *map = map_new(host);
	bool good = true;
	unsigned int i;

	for (i = 0; i < 60; i++) {
		unsigned int n = test_random_below(HOST_RANGES);
		struct image image;
		uint64_t tiled, addr;

		do {
			image_random(&image, 1 + i % 2, 200);
			tiled = image_tiles(&image) * image_tile_bytes(&image);
		} while (tiled > VRAM || image_linear_size(&image) > HOST_RANGE_SIZE);
		addr = test_random_below((VRAM - tiled) / PAGE + 1) * PAGE;
		map_image(map, n, addr, &image);
		good &= range_start(host, n, addr, &image) &&
			compare(host, map, n * HOST_RANGE_SIZE, image_linear_size(&image)) &&
			host_migrate(host);
	}
	ok(good, "random images");
	free(map);
	host_free(host);
}

/* Image as large as the window, and VRAM ends with it. */
static const struct image full = { .layout = 1, .shift = 2, .width = 1024, .height = 128,
				   .levels = 1, .slices = 1 };

/* Where one window ends the next begins, for an access that is in both. */
static void test_windows(void)
{
	struct host *host = ranges_host();
	struct map *map = map_new(host);
	bool good = true;
	uint64_t offset;

	ok(range_start(host, 0, VRAM - HOST_RANGE_SIZE, &full), "windows: the last bytes of VRAM");
	ok(range_start(host, 2, 0, &full), "windows: the first bytes of VRAM");
	map_image(map, 0, VRAM - HOST_RANGE_SIZE, &full);
	map_image(map, 2, 0, &full);
	ok(compare(host, map, HOST_RANGE_SIZE - 64, 128), "windows: from 0 to 1");
	ok(compare(host, map, 2 * HOST_RANGE_SIZE - 64, 128), "windows: from 1 to 2");
	ok(compare(host, map, 3 * HOST_RANGE_SIZE - 64, 128), "windows: behind the last");
	ok(range_start(host, 1, 0, &full), "windows: an image in two");
	map_image(map, 1, 0, &full);
	ok(compare(host, map, HOST_RANGE_SIZE - 64, HOST_RANGE_SIZE + 128), "windows: all of it");
	for (offset = BAR_SIZE - 64; offset <= BAR_SIZE - 8; offset++)
		good &= !quire_ranges_read(&host->memory.engine, offset, 8);
	ok(good, "windows: the end of the BAR");
	is(host->memory.errors, 0, "windows: no mistake");
	free(map);
	host_free(host);
}

static const struct image small = { .layout = 1, .shift = 2, .width = 32, .height = 32,
				    .levels = 1, .slices = 1 };

/* What is not there reads as 0, writes are ignored; both are told. */
static void test_nothing(void)
{
	struct host *host = ranges_host();
	struct quire_engine *engine = &host->memory.engine;
	uint8_t *vram = host->memory.vram;
	uint8_t copy[PAGE];

	memset(vram, 0xee, PAGE);
	memset(copy, 0xee, PAGE);
	range_program(host, 0, 0, &small);
	is(quire_ranges_read(engine, 0, 8), 0, "nothing: never enabled");
	quire_ranges_write(engine, 0, 8, ~0ull);
	is(host->memory.misses, 2, "nothing: told");
	ok(range_enable(host, 0), "nothing: enabled");
	is(quire_ranges_read(engine, 0, 8), 0xeeeeeeeeeeeeeeee, "nothing: 8 bytes are there");
	is(host->memory.misses, 2, "nothing: not told");
	is(quire_ranges_read(engine, PAGE - 3, 8), 0xeeeeee, "nothing: 3 bytes are there");
	is(host->memory.missed, 5, "nothing: told of 5");
	is(quire_ranges_read(engine, PAGE, 8), 0, "nothing: behind the image");
	is(host->memory.misses, 4, "nothing: told of the rest");
	quire_ranges_write(engine, PAGE, 4, ~0u);
	ok(!memcmp(vram, copy, PAGE) && !host->dirty[0], "nothing: was written");
	quire_ranges_write(engine, PAGE - 1, 2, 0x1234);
	is(vram[PAGE - 1], 0x34, "nothing: one byte was written");
	host_set_reg(host, range_reg(0, CONTROL), 0);
	is(quire_ranges_read(engine, 0, 8), 0, "nothing: disabled");
	is(quire_ranges_read(engine, HOST_RANGE_SIZE, 8), 0, "nothing: another range");
	is(quire_ranges_read(engine, HOST_RANGES * HOST_RANGE_SIZE, 8), 0, "nothing: behind all");
	is(quire_ranges_read(engine, UINT64_MAX - 3, 8), 0, "nothing: at the end of 64 bits");
	host_free(host);
}

static void try_refused(const struct image *image, uint64_t addr, const char *why)
{
	struct host *host = ranges_host();
	struct image copy = *image;
	unsigned int errors;
	bool good;

	range_program(host, 1, addr, &copy);
	errors = host->memory.errors;
	good = !range_enable(host, 1) && host->memory.errors == errors + 1 &&
	       strstr(last_error, why) && strstr(last_error, "range 1") &&
	       !quire_ranges_read(&host->memory.engine, HOST_RANGE_SIZE, 8) &&
	       host_reg(host, range_reg(1, WIDTH)) == copy.width;
	ok(good, "refused: %s", why);
	if (!good)
		printf("#   %s\n", last_error);
	/* The registers stay, and can be corrected. */
	ok(range_start(host, 1, 0, &small), "refused: not for ever");
	host_free(host);
}

#define REFUSED(why, at, ...) do { \
	struct image image = small; \
	uint64_t addr = (at); \
	\
	__VA_ARGS__; \
	try_refused(&image, addr, why); \
} while (0)

static void test_refused(void)
{
	REFUSED("no such layout", 0, image.layout = 3);
	REFUSED("no such layout", 0, image.layout = 0xff);
	REFUSED("no such layout", 0, image.shift = 5);
	REFUSED("no such layout", 0, image.shift = 0xff);
	REFUSED("no such layout", 0, image.width = 0);
	REFUSED("no such layout", 0, image.width = 16385);
	REFUSED("no such layout", 0, image.width = UINT32_MAX);
	REFUSED("no such layout", 0, image.height = 0);
	REFUSED("no such layout", 0, image.height = UINT32_MAX);
	REFUSED("no such layout", 0, image.levels = 0);
	REFUSED("no such layout", 0, image.levels = 7);
	REFUSED("no such layout", 0, image.levels = 0xffff);
	REFUSED("no such layout", 0, image.slices = 0);
	REFUSED("no such layout", 0, image.slices = 2049);
	REFUSED("without tiles", 0, image.layout = 0);
	REFUSED("not page aligned", 8, (void)image);
	REFUSED("not page aligned", PAGE - 1, (void)image);
	REFUSED("not inside of VRAM", VRAM, (void)image);
	REFUSED("not inside of VRAM", VRAM, image.layout = 2);
	REFUSED("not inside of VRAM", VRAM - 15 * PAGE, image.layout = 2);
	REFUSED("not inside of VRAM", VRAM - 6 * PAGE, image.levels = 6; image.slices = 2);
	REFUSED("not inside of VRAM", 1ull << 63, (void)image);
	REFUSED("not inside of VRAM", ~0xfffull, (void)image);
	REFUSED("not inside of VRAM", 0, image.width = 16384; image.height = 16384;
		image.levels = 15; image.slices = 2048; image.shift = 4);
	REFUSED("larger than the window", 0, image.width = 1024; image.height = 129);
	REFUSED("larger than the window", 0, image.slices = 129);
}

/* As near to that as can be. */
static void test_accepted(void)
{
	struct host *host = ranges_host();
	struct image image = small;

	ok(range_start(host, 0, VRAM - PAGE, &image), "accepted: the last page");
	image.layout = 2;
	ok(range_start(host, 0, VRAM - 16 * PAGE, &image), "accepted: the last tile");
	image = small;
	image.slices = HOST_RANGE_SIZE / PAGE;
	ok(range_start(host, 0, 0, &image), "accepted: slices that fill the window");
	image = small;
	image.levels = 6;
	image.slices = 2;
	ok(range_start(host, 0, VRAM - 12 * PAGE, &image), "accepted: all levels");
	is(host->memory.errors, 0, "accepted: without a complaint");
	host_free(host);
}

static void test_regs(void)
{
	struct host *host = ranges_host();
	struct image other = { .layout = 2, .shift = 3, .width = 7, .height = 9, .levels = 2,
			       .slices = 3 };
	bool kept;

	is(host_reg(host, 0x40), HOST_RANGES, "registers: ranges");
	is(host_reg(host, 0x44), HOST_RANGE_SIZE, "registers: size of a window");
	range_program(host, 2, 0x123456789abcdef0, &other);
	is(host_reg64(host, range_reg(2, ADDR)), 0x123456789abcdef0, "registers: address");
	is(quire_regs_read(&host->memory.engine, range_reg(2, ADDR), 8), 0x123456789abcdef0,
	   "registers: as one");
	is(host_reg(host, range_reg(2, LAYOUT)), 0x302, "registers: layout");
	is(host_reg(host, range_reg(2, WIDTH)), 7, "registers: width");
	is(host_reg(host, range_reg(2, HEIGHT)), 9, "registers: height");
	is(host_reg(host, range_reg(2, LEVELS)), 0x30002, "registers: levels");
	is(host_reg(host, range_reg(1, WIDTH)), 0, "registers: not of another range");
	is(host->memory.errors, 0, "registers: no mistake");
	host_set_reg(host, range_reg(2, LAYOUT), 0x10302);
	is(host_reg(host, range_reg(2, LAYOUT)), 0x302, "registers: reserved bits are ignored");
	is(host->memory.errors, 1, "registers: and reported");

	ok(range_start(host, 0, 2 * PAGE, &small), "registers: enable");
	host->memory.errors = 0;
	host_set_reg64(host, range_reg(0, ADDR), 0);
	host_set_reg(host, range_reg(0, LAYOUT), 0x302);
	host_set_reg(host, range_reg(0, WIDTH), 16);
	host_set_reg(host, range_reg(0, HEIGHT), 16);
	host_set_reg(host, range_reg(0, LEVELS), 0x10002);
	kept = host_reg64(host, range_reg(0, ADDR)) == 2 * PAGE &&
	       host_reg(host, range_reg(0, LAYOUT)) == 0x201 &&
	       host_reg(host, range_reg(0, WIDTH)) == 32 &&
	       host_reg(host, range_reg(0, HEIGHT)) == 32 &&
	       host_reg(host, range_reg(0, LEVELS)) == 0x10001;
	ok(kept, "registers: kept while enabled");
	is(host->memory.errors, 6, "registers: each is reported");
	ok(range_enable(host, 0), "registers: enabled again");
	host_set_reg(host, range_reg(0, CONTROL), 0);
	is(host_reg(host, range_reg(0, WIDTH)), 32, "registers: kept when disabled");
	host_set_reg(host, range_reg(0, WIDTH), 16);
	is(host_reg(host, range_reg(0, WIDTH)), 16, "registers: written when disabled");

	host->memory.errors = 0;
	host_set_reg(host, range_reg(HOST_RANGES, WIDTH), 1);
	is(host_reg(host, range_reg(HOST_RANGES, WIDTH)), 0, "registers: of no range");
	is(host_reg(host, 0x2020), 0, "registers: of no register");
	host_set_reg(host, 0x40, 1);
	is(host_reg(host, 0x40), HOST_RANGES, "registers: read-only");
	is(host->memory.errors, 4, "registers: all reported");
	host_free(host);
}

/* Which range is missed least: an access counts where it shows something. */
static void test_oldest(void)
{
	struct host *host = ranges_host();
	struct quire_engine *engine = &host->memory.engine;

	is(host_reg(host, OLDEST), NO_RANGE, "oldest: none is enabled");
	ok(range_start(host, 2, 0, &full), "oldest: 2 is enabled");
	is(host_reg(host, OLDEST), NO_RANGE, "oldest: no other one");
	ok(range_start(host, 1, 0, &full) && range_start(host, 0, 0, &small),
	   "oldest: then 1, then 0");
	is(host_reg(host, OLDEST), 2, "oldest: the first one");
	is(host_reg(host, OLDEST), 2, "oldest: to ask changes nothing");
	range_enable(host, 2);
	is(host_reg(host, OLDEST), 2, "oldest: nor to enable what is enabled");
	quire_ranges_read(engine, 2 * HOST_RANGE_SIZE + 4, 1);
	is(host_reg(host, OLDEST), 1, "oldest: 2 is read");
	quire_ranges_write(engine, HOST_RANGE_SIZE, 8, 0);
	is(host_reg(host, OLDEST), 2, "oldest: 1 is written, and 0 was enabled last");
	range_enable(host, 0);
	host_set_reg(host, range_reg(1, CONTROL), 0);
	range_enable(host, 1);
	is(host_reg(host, OLDEST), 0, "oldest: now 1 was");
	quire_ranges_read(engine, PAGE, 8);
	quire_ranges_write(engine, PAGE, 8, 0);
	is(host_reg(host, OLDEST), 0, "oldest: 0 shows nothing there");
	quire_ranges_read(engine, PAGE - 1, 8);
	is(host_reg(host, OLDEST), 2, "oldest: 0 shows one byte");
	quire_ranges_read(engine, 2 * HOST_RANGE_SIZE - 1, 2);
	is(host_reg(host, OLDEST), 0, "oldest: 1 and 2 at once");
	host_free(host);
}

/* The order is part of the state. */
static void test_oldest_saved(void)
{
	struct host *host = ranges_host();
	struct quire_engine *engine = &host->memory.engine;

	ok(range_start(host, 0, 0, &small) && range_start(host, 1, 0, &small) &&
	   range_start(host, 2, 0, &small), "order: 0, 1, 2");
	quire_ranges_read(engine, 0, 8);
	ok(host_migrate(host), "order: saved and loaded");
	is(host_reg(host, OLDEST), 1, "order: as it was");
	quire_ranges_read(engine, HOST_RANGE_SIZE, 8);
	is(host_reg(host, OLDEST), 0, "order: but for what was enabled last");
	host_set_reg(host, 0x30, 1);
	is(host_reg(host, OLDEST), 0, "order: CONTROL.RESET forgets nothing");
	host_set_reg(host, range_reg(0, CONTROL), 0);
	is(host_reg(host, OLDEST), 1, "order: 0 is disabled");
	quire_engine_reset(engine);
	is(host_reg(host, OLDEST), NO_RANGE, "order: a reset forgets all");
	is(engine->range_touches | engine->range_newest, 0, "order: and begins anew");
	host_set_reg(host, OLDEST, 1);
	is(host->memory.errors, 1, "order: read-only");
	host_free(host);
}

/* CONTROL.RESET leaves ranges as they are, another reset nothing of them. */
static void test_reset(void)
{
	struct host *host = ranges_host();
	struct quire_engine *engine = &host->memory.engine;
	uint32_t reg, left = 0;

	range_program(host, 1, PAGE, &small);
	ok(range_start(host, 0, PAGE, &small), "reset: enable");
	host->memory.vram[PAGE] = 0x77;
	host_set_reg(host, 0x30, 1);
	is(quire_ranges_read(engine, 0, 1), 0x77, "reset: CONTROL.RESET keeps a range");
	is(host_reg(host, range_reg(0, CONTROL)), 1, "reset: it is enabled");
	is(host_reg(host, range_reg(1, WIDTH)), 32, "reset: registers of another one");
	quire_engine_reset(engine);
	is(quire_ranges_read(engine, 0, 1), 0, "reset: of the bus: nothing is shown");
	for (reg = 0x2000; reg < range_reg(HOST_RANGES, 0); reg += 4)
		left |= reg % 0x40 <= CONTROL ? host_reg(host, reg) : 0;
	is(left, 0, "reset: of the bus: all registers");
	is(host_reg(host, 0x40), HOST_RANGES, "reset: there are as many");
	is(host->memory.vram[PAGE], 0x77, "reset: VRAM keeps its content");
	host_free(host);
}

/* A ring converts, the window shows it; and the other way. */
static void test_ring(void)
{
	static const struct image image = { 1, 2, 64, 64, 1, 1, 0, 0, 0, 0, 64, 64 };
	static struct packets p;
	struct host *host = ranges_host();
	struct quire_engine *engine = &host->memory.engine;
	uint8_t *ram = host_ram(host, RAM_BASE, 4 * PAGE);
	bool good = true;
	uint32_t at;

	ok(range_start(host, 0, 8 * PAGE, &image), "ring: enable");
	host_ring_setup(host, 4);
	host_ring_enable(host);
	test_scramble(ram, 4 * PAGE);
	packet_swizzle(&p, 1, 0, 0, &image);
	packet_run(&p, RAM_BASE, 4);
	packet_run(&p, 8 * PAGE, 4);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	for (at = 0; at < 4 * PAGE; at += 4)
		good &= quire_ranges_read(engine, at, 4) == host_get32(host, RAM_BASE + at);
	ok(good && host_get64(host, FENCE_PAGE) == 1, "ring: to tiles, and read");
	for (at = 0; at < 4 * PAGE; at += 8)
		quire_ranges_write(engine, at, 8, at * 0x0101010101010101ull);
	p.size = 0;
	packet_swizzle(&p, 2, 0, 0, &image);
	packet_run(&p, RAM_BASE, 4);
	packet_run(&p, 8 * PAGE, 4);
	packet_end(&p);
	host_submit(host, &p, 2);
	host_run(host);
	for (at = 0, good = true; at < 4 * PAGE; at += 8)
		good &= host_get64(host, RAM_BASE + at) == at * 0x0101010101010101ull;
	ok(good && host_get64(host, FENCE_PAGE) == 2, "ring: written, and from tiles");
	host_free(host);
}

static bool loads(struct host *host)
{
	const char *why;

	return quire_engine_post_load(&host->memory.engine, &why);
}

static void test_saved(void)
{
	struct host *host = ranges_host();
	struct quire_engine *engine = &host->memory.engine;

	host->memory.vram[PAGE] = 0x77;
	ok(range_start(host, 0, PAGE, &small), "saved: one is enabled");
	range_program(host, 1, 0x123456789abcdef0, &full);
	ok(host_migrate(host), "saved: loads");
	is(quire_ranges_read(engine, 0, 1), 0x77, "saved: shows the same");
	is(host_reg(host, range_reg(0, CONTROL)), 1, "saved: is enabled");
	is(host_reg64(host, range_reg(1, ADDR)), 0x123456789abcdef0, "saved: another's register");
	is(host_reg(host, range_reg(1, CONTROL)), 0, "saved: which is not");
	host_free(host);
}

#define SPOIL(what) do { \
	struct host *host = ranges_host(); \
	struct quire_engine *engine = &host->memory.engine; \
	struct quire_range *range = &engine->range[1]; \
	\
	range_start(host, 1, PAGE, &small); \
	ok(loads(host), "state: loads"); \
	what; \
	ok(!loads(host), "state: refused: %s", #what); \
	ok(!quire_ranges_read(engine, HOST_RANGE_SIZE, 8) && \
	   !host_reg(host, range_reg(1, CONTROL)) && !range->width, "state: and reset"); \
	host_free(host); \
} while (0)

static void test_spoiled(void)
{
	SPOIL(range->addr = 8);
	SPOIL(range->addr = VRAM);
	SPOIL(range->addr = ~0xfffull);
	SPOIL(range->layout = 0);
	SPOIL(range->layout = 0x203);
	SPOIL(range->layout |= 0x10000);
	SPOIL(range->control = 0; range->layout |= 0x10000);
	SPOIL(range->layout = 0xff01);
	SPOIL(range->width = 0);
	SPOIL(range->width = UINT32_MAX);
	SPOIL(range->height = 0);
	SPOIL(range->height = 16384);
	SPOIL(range->levels = 0);
	SPOIL(range->levels = 0x10007);
	SPOIL(range->levels = 0xffff0001);
	SPOIL(range->control = 2);
	SPOIL(range->control = 3);
	SPOIL(range->touched = engine->range_touches + 1);
	SPOIL(engine->range_touches = 0);
	SPOIL(engine->range_touches = 1ull << 63);
	SPOIL(engine->range_newest = HOST_RANGES);
	SPOIL(engine->range[HOST_RANGES].width = 1);
	SPOIL(engine->range[HOST_RANGES].touched = 1);
	SPOIL(engine->range[QUIRE_RANGE_MAX - 1] = *range);
}

/* A load that ends early: the machine may be started, but nothing has checked the ranges. */
static void test_early_end(void)
{
	struct host *host = ranges_host();
	struct quire_engine *engine = &host->memory.engine;

	range_start(host, 0, 0, &small);
	quire_engine_pre_load(engine);
	engine->range[0].addr = 1ull << 40;
	engine->range[0].width = 0;
	is(quire_ranges_read(engine, 0, 8), 0, "early end: nothing to read");
	quire_ranges_write(engine, 0, 8, ~0ull);
	ok(!host->dirty[0], "early end: nothing to write");
	quire_engine_end_load(engine);
	is(host_reg(host, range_reg(0, CONTROL)), 0, "early end: they are forgotten");
	ok(range_start(host, 0, 0, &small) && quire_ranges_read(engine, 0, 8),
	   "early end: enabled anew");
	host_free(host);
}

/* A device without ranges, and what a device can not have. */
static void test_config(void)
{
	struct host *host = ranges_host();
	struct quire_engine *engine = &host->memory.engine;
	struct quire_engine_config *config = &host->memory.config;
	const char *why;

	quire_engine_fini(engine);
	config->range_count = QUIRE_RANGE_MAX + 1;
	ok(!quire_engine_init(engine, config, &why) && why, "config: too many");
	config->range_count = 1;
	config->range_size = PAGE / 2;
	ok(!quire_engine_init(engine, config, &why) && why, "config: too small");
	config->range_size = 3 * PAGE;
	ok(!quire_engine_init(engine, config, &why) && why, "config: no power of two");
	config->range_count = 0;
	ok(quire_engine_init(engine, config, &why), "config: none");
	is(host_reg(host, 0x40), 0, "config: no range");
	is(host_reg(host, 0x44), 0, "config: no window");
	ok(!range_enable(host, 0), "config: nothing to enable");
	is(quire_ranges_read(engine, 0, 8), 0, "config: nothing to read");
	quire_ranges_write(engine, 0, 8, 1);
	ok(loads(host), "config: its state loads");
	host_free(host);
}

int main(void)
{
	test_images();
	test_random_images();
	test_windows();
	test_nothing();
	test_refused();
	test_accepted();
	test_regs();
	test_oldest();
	test_oldest_saved();
	test_reset();
	test_ring();
	test_saved();
	test_spoiled();
	test_early_end();
	test_config();
	return tap_done();
}
