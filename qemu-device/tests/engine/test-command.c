// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: random good commands against a model of bytes, on two execution rings at
 * once, each in a half of VRAM and of the aperture.
 *
 * The model is the specification, byte by byte or element by element: it knows nothing of
 * blocks, mappings, slices or the write buffer. When a fence is there, all that its ring
 * has written is in memory: RAM is compared as it is. Between slices the state sometimes
 * moves to a new engine.
 */
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "image.h"
#include "runner.h"
#include "tap.h"

#define RINGS		2u
#define VRAM		(64 * PAGE)
#define APERTURE	(48 * PAGE)
#define APERTURE_PAGES	48u

struct model {
	uint8_t vram[VRAM];
	uint8_t ram[APERTURE];
	uint8_t copy[VRAM];
	uint32_t page[APERTURE_PAGES];	/* RAM page, in units of pages of @ram */
};

static struct packets p;
static unsigned int opcodes[0x30];	/* how often each was built */

static uint8_t *model_byte(struct model *model, uint64_t address)
{
	uint64_t at = address & 0xffffffffffffff;

	if (address >> 56 == 1)
		return &model->vram[at];
	return &model->ram[model->page[at / PAGE] * PAGE + at % PAGE];
}

static uint64_t model_get(struct model *model, uint64_t address, unsigned int bytes)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		value |= (uint64_t)*model_byte(model, address + i) << 8 * i;
	return value;
}

static void model_put(struct model *model, uint64_t address, uint64_t value, unsigned int bytes)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		*model_byte(model, address + i) = value >> 8 * i;
}

/* Some bytes of a ring's part of a segment, at a multiple of @align. */
static uint64_t random_range(unsigned int ring, uint64_t size, uint64_t align)
{
	bool vram = test_random() & 1;
	uint64_t half = (vram ? VRAM : APERTURE) / RINGS;
	uint64_t at = (ring - 1) * half + test_random_below((half - size) / align + 1) * align;

	return vram ? IN_VRAM(at) : IN_APERTURE(at);
}

static uint64_t random_size(uint64_t align)
{
	uint64_t most = APERTURE / RINGS - PAGE;
	uint64_t size = 1 + test_random_below(test_random() & 3 ? 3 * PAGE : most);

	return (size + align - 1) / align * align;
}

static void random_copy(struct model *model, unsigned int ring)
{
	uint64_t size = random_size(1), i;
	uint64_t src = random_range(ring, size, 1), dst = random_range(ring, size, 1);

	command_copy(&p, src, dst, size);
	for (i = 0; i < size; i++)
		model->copy[i] = *model_byte(model, src + i);
	for (i = 0; i < size; i++)
		*model_byte(model, dst + i) = model->copy[i];
}

static void random_fill(struct model *model, unsigned int ring)
{
	uint64_t size = random_size(4), dst = random_range(ring, size, 4), i;
	uint32_t pattern = test_random() & 3 ? test_random() : 0x5a5a5a5a;

	command_fill(&p, dst, size, pattern);
	for (i = 0; i < size; i += 4)
		model_put(model, dst + i, pattern, 4);
}

/* Is it inside of the ring's part of its segment? */
static bool is_of_ring(unsigned int ring, uint64_t at, uint64_t size)
{
	uint64_t part = (at >> 56 == 1 ? VRAM : APERTURE) / RINGS, offset = at & 0xffffffffffffff;

	return offset >= (ring - 1) * part && offset + size <= ring * part;
}

static void random_arithmetic(struct model *model, unsigned int ring)
{
	uint64_t size = random_size(4), src, dst, i;
	bool add = test_random() & 1;

	do {
		src = random_range(ring, size, 4);
		dst = random_range(ring, size, 4);
		/* often with a sum that runs on; as near in the other segment it does not */
		if (test_random() & 1)
			dst = src + 4 * test_random_below(8);
		if (!(test_random() & 3))
			dst ^= IN_VRAM(0) ^ IN_APERTURE(0);
	} while (!is_of_ring(ring, dst, size));
	command_arithmetic(&p, add ? 1 : 2, src, dst, size);
	for (i = 0; i < size; i += 4) {
		uint32_t a = model_get(model, dst + i, 4), b = model_get(model, src + i, 4);

		model_put(model, dst + i, add ? a + b : a ^ b, 4);
	}
}

static void random_compare(struct model *model, unsigned int ring)
{
	uint64_t size = random_size(1), first = size, count = 0, i;
	uint64_t src = random_range(ring, size, 1), dst = random_range(ring, size, 1);
	uint64_t result = random_range(ring, 16, 8);

	if (test_random() & 1) {
		/* the same, but for some bytes */
		command_copy(&p, src, dst, size);
		for (i = 0; i < size; i++)
			model->copy[i] = *model_byte(model, src + i);
		for (i = 0; i < size; i++)
			*model_byte(model, dst + i) = model->copy[i];
		if (test_random() & 1) {
			i = test_random_below(size) & ~7ull;
			command_write_value(&p, (dst & ~7ull) + i, 0x0100);
			model_put(model, (dst & ~7ull) + i, 0x0100, 8);
		}
	}
	command_compare(&p, src, dst, result, size);
	for (i = size; i--;) {
		if (*model_byte(model, src + i) == *model_byte(model, dst + i))
			continue;
		first = i;
		count++;
	}
	model_put(model, result, first, 8);
	model_put(model, result + 8, count, 8);
}

static void random_value(struct model *model, unsigned int ring)
{
	uint64_t dst = random_range(ring, 8, 8), value = test_random();

	value = value << 32 | test_random();
	command_write_value(&p, dst, value);
	model_put(model, dst, value, 8);
	if (test_random() & 1)
		command_wait_value(&p, 1, dst, value);
	else
		command_wait_value(&p, 2, dst, value - test_random_below(2) * !!value);
}

static uint64_t model_xxh64(struct model *model, uint64_t address, uint64_t size)
{
	uint64_t i;

	for (i = 0; i < size; i++)
		model->copy[i] = *model_byte(model, address + i);
	return hash_xxh64(model->copy, size);
}

static void random_checksum(struct model *model, unsigned int ring)
{
	uint64_t size = test_random() & 1 ? random_size(1) : 1 + test_random_below(100);
	uint64_t src = random_range(ring, size, 32), result = random_range(ring, 8, 8);

	command_checksum(&p, src, result, size);
	model_put(model, result, model_xxh64(model, src, size), 8);
}

/* Where the byte @i of element (@x, @y) of the area is. */
static uint64_t model_element(const struct area *area, uint32_t shift, int64_t x, int64_t y,
			      unsigned int i)
{
	struct image image = {
		area->layout, shift, area->width, area->height, area->levels, area->slices,
		area->level, area->slice, 0, 0, 1, 1,
	};

	if (!area->layout)
		return area->address + y * area->pitch + (x << shift) + i;
	return area->address + image_tiled(&image, x, y) + i;
}

static uint32_t level_of(uint32_t size, uint32_t level)
{
	return size >> level ? size >> level : 1;
}

static bool model_inside(const struct area *area, int64_t x, int64_t y)
{
	return x >= 0 && y >= 0 && x < level_of(area->width, area->level) &&
	       y < level_of(area->height, area->level);
}

/* In a quarter of what the ring has, so that source and destination do not overlap. */
static void random_area(struct area *area, unsigned int ring, unsigned int part, uint32_t shift)
{
	uint64_t quarter, at, size;
	struct image image;
	bool vram;

	do {
		image_random(&image, 1 + test_random() % 2, test_random() & 1 ? 12 : 90);
		image.shift = shift;
		*area = (struct area){
			.layout = test_random() % 3,
			.width = image.width,
			.height = image.height,
			.levels = 1,
			.slices = 1,
		};
		vram = area->layout || test_random() & 1;
		quarter = (vram ? VRAM : APERTURE) / RINGS / 2;
		at = (ring - 1) * 2 * quarter + part * quarter;
		if (!area->layout) {
			area->pitch = (area->width + test_random_below(5)) << shift;
			size = (uint64_t)area->pitch * (area->height - 1) +
			       (area->width << shift);
			if (size <= quarter)
				at += test_random_below((quarter - size) >> shift) << shift;
		} else {
			image.layout = area->layout;
			image.levels = image_random_levels(&image);
			area->levels = image.levels;
			area->slices = image.slices;
			area->level = test_random_below(area->levels);
			area->slice = test_random_below(area->slices);
			size = image_tiles(&image) * image_tile_bytes(&image);
			at = (at + image_tile_bytes(&image) - 1) / image_tile_bytes(&image) *
			     image_tile_bytes(&image);
		}
	} while (at + size > (ring - 1) * 2 * quarter + (part + 1) * quarter);
	area->address = vram ? IN_VRAM(at) : IN_APERTURE(at);
}

static int32_t random_start(uint32_t size)
{
	return (int32_t)test_random_below(size + 6) - 3;
}

static void random_place(struct place *at, const struct area *src, const struct area *dst)
{
	*at = (struct place){
		.src_x = random_start(src->width), .src_y = random_start(src->height),
		.dst_x = random_start(dst->width), .dst_y = random_start(dst->height),
		.columns = test_random_below(100), .rows = test_random_below(100),
	};
	switch (test_random() % 12) {
	case 0:
		at->columns = UINT32_MAX;
		at->rows = 0x80000000;
		break;
	case 1:
		at->src_x = INT32_MIN;
		at->dst_y = INT32_MAX;
		break;
	case 2:
		at->src_x = -40;
		at->columns = UINT32_MAX;
		break;
	default:
		break;
	}
}

static uint8_t model_over(uint8_t d, uint8_t s, uint8_t a)
{
	/* to the nearest; 255 is odd, so that it is never in the middle */
	uint32_t sum = s + (2 * d * (255 - a) + 255) / 510;

	return sum > 255 ? 255 : sum;
}

static void model_pixel(struct model *model, uint16_t opcode, uint64_t from, uint64_t to,
			unsigned int bytes)
{
	uint8_t s[16], i;

	for (i = 0; i < bytes; i++)
		s[i] = *model_byte(model, from + i);
	for (i = 0; i < bytes; i++) {
		uint8_t *d = model_byte(model, to + i);

		*d = opcode == 0x24 ? model_over(*d, s[i], s[3]) : s[i];
	}
}

static void random_2d(struct model *model, unsigned int ring, uint16_t opcode)
{
	uint32_t shift = opcode == 0x24 ? 2 : test_random() % 5;
	struct area src, dst;
	struct place at;
	int64_t x, y;

	random_area(&src, ring, 0, shift);
	random_area(&dst, ring, 1, shift);
	random_place(&at, &src, &dst);
	command_2d(&p, opcode, &src, &dst, shift, &at);
	for (y = 0; y < at.rows && y < 1000; y++) {
		for (x = 0; x < at.columns && x < 1000; x++) {
			if (!model_inside(&src, at.src_x + x, at.src_y + y) ||
			    !model_inside(&dst, at.dst_x + x, at.dst_y + y))
				continue;
			model_pixel(model, opcode,
				    model_element(&src, shift, at.src_x + x, at.src_y + y, 0),
				    model_element(&dst, shift, at.dst_x + x, at.dst_y + y, 0),
				    1u << shift);
		}
	}
}

static void random_command(struct model *model, unsigned int ring)
{
	uint32_t start = p.size;

	switch (test_random() % 11) {
	case 0:
		command_nop(&p, test_random() % 5);
		break;
	case 1:
	case 2:
		random_copy(model, ring);
		break;
	case 3:
		random_fill(model, ring);
		break;
	case 4:
		random_arithmetic(model, ring);
		break;
	case 5:
		random_checksum(model, ring);
		break;
	case 6:
		random_compare(model, ring);
		break;
	case 7:
		random_value(model, ring);
		break;
	case 8:
		command_delay(&p, test_random_below(5000));
		break;
	case 9:
		random_2d(model, ring, 0x24);
		break;
	default:
		random_2d(model, ring, 0x23);
		break;
	}
	opcodes[p.bytes[start]]++;
}

/* All of the aperture, each page somewhere else, by the paging ring; some are coherent. */
static bool map_all(struct host *host, struct model *model)
{
	uint32_t i, other, page;

	host_ring_setup(host, 4);
	host_ring_enable(host);
	for (i = 0; i < APERTURE_PAGES; i++)
		model->page[i] = i;
	for (i = 0; i < APERTURE_PAGES; i++) {
		/* some follow each other */
		other = test_random() & 1 ? i : test_random() % APERTURE_PAGES;
		page = model->page[i];
		model->page[i] = model->page[other];
		model->page[other] = page;
	}
	p.size = 0;
	for (i = 0; i < APERTURE_PAGES; i++) {
		packet_map(&p, i, 1, test_random() & 1);
		packet_run(&p, RAM_BASE + model->page[i] * PAGE, 1);
		packet_end(&p);
	}
	host_submit(host, &p, 1);
	return host_run(host) && host_get64(host, FENCE_PAGE) == 1;
}

static bool run_and_migrate(struct host *host)
{
	while (memory_host_run(&host->memory))
		if (!(test_random() % 64) && !host_migrate(host))
			return false;
	return host_migrate(host) && !host->memory.mapped;
}

static bool same(struct host *host, const struct model *model)
{
	return !memcmp(host->memory.vram, model->vram, VRAM) &&
	       !memcmp(host->memory.regions[0].bytes, model->ram, sizeof(model->ram)) &&
	       !host_reg(host, QUIRE_REG_POSTED);
}

/* What is clean was told to the host when it was written. */
static void forget_dirty(struct host *host, uint8_t *before)
{
	memcpy(before, host->memory.vram, VRAM);
	memset(host->dirty, 0, VRAM);
	memcpy(before + VRAM, host->memory.regions[0].bytes, DATA_SIZE);
	memset(host->told, 0, DATA_SIZE);
}

static bool is_dirty(const struct host *host, const uint8_t *before)
{
	uint64_t i;

	for (i = 0; i < VRAM; i++)
		if (before[i] != host->memory.vram[i] && !host->dirty[i])
			return false;
	before += VRAM;
	for (i = 0; i < DATA_SIZE && host->memory.parts == 1; i++)
		if (before[i] != host->memory.regions[0].bytes[i] && !host->told[i])
			return false;
	return true;
}

static void test_round(uint32_t seed, struct model *model)
{
	static const uint64_t slices[] = { 0, 1, 97, 1000, 4096, 10000 };
	static const uint64_t limits[] = { 0, 4096, 3000, 64 };
	static const uint64_t works[] = { 0, 1, 5000, 40000 };
	struct runner runners[RINGS];
	uint8_t *before = malloc(VRAM + DATA_SIZE);
	unsigned int i, n, ring;
	struct host *host;
	bool good;

	test_seed(seed);
	host = host_new(VRAM, APERTURE, 1 + test_random() % 4, slices[test_random() % 6]);
	host->memory.granule = limits[test_random() % 4];
	host->memory.work_least = works[test_random() % 4];
	host->memory.work_slices = test_random() % 4;
	host->memory.step = 100;
	host->memory.parts = seed % 3;
	memory_host_share(&host->memory);
	test_scramble(host->memory.vram, VRAM);
	test_scramble(host->memory.regions[0].bytes, sizeof(model->ram));
	memcpy(model->vram, host->memory.vram, VRAM);
	memcpy(model->ram, host->memory.regions[0].bytes, sizeof(model->ram));
	good = map_all(host, model);
	for (ring = 1; ring <= RINGS; ring++)
		runner_start(&runners[ring - 1], host, ring);
	for (i = 1; i <= 6 && good; i++) {
		forget_dirty(host, before);
		for (ring = 1; ring <= RINGS; ring++) {
			p.size = 0;
			for (n = test_random() % 6; n; n--)
				random_command(model, ring);
			runner_submit(&runners[ring - 1], &p, i);
		}
		good = run_and_migrate(host) && same(host, model) && is_dirty(host, before);
		for (ring = 1; ring <= RINGS; ring++)
			good &= runner_fence(&runners[ring - 1]) == i;
	}
	ok(good, "command: seed %u", seed);
	free(before);
	host_free(host);
}

int main(void)
{
	struct model *model = malloc(sizeof(*model));
	uint32_t seed, opcode;
	bool all = true;

	for (seed = 1; seed <= 120; seed++)
		test_round(seed, model);
	for (opcode = 0x20; opcode <= 0x2a; opcode++)
		all &= opcodes[opcode] || opcode == 0x28 || opcode == 0x29;
	ok(all, "command: each one came");
	free(model);
	return tap_done();
}
