// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: random good submissions against a model of bytes.
 *
 * The model knows nothing of pieces, runs, mappings or slices: a copy reads
 * all of its source bytes, each looked up by itself, and then writes them.
 * Apertures are mapped so that no system page is reachable twice at once.
 * Nor does it know of the write buffer: what is in there has to be the rest of
 * what memory has. Between submissions the CPU reads and writes what it sees. Between
 * slices the state sometimes moves to a new engine, as in migration.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "tap.h"

#define VRAM		(64 * PAGE)
#define APERTURE	(24 * PAGE)	/* must be reached in a few packets */
#define APERTURE_PAGES	24u
#define RAM_PAGES	64u

struct model {
	uint8_t vram[VRAM];
	uint8_t ram[RAM_PAGES * 4096];
	uint32_t page[APERTURE_PAGES];	/* RAM page */
	bool visible[APERTURE_PAGES];	/* in the window */
	uint8_t copy[VRAM];
};

static struct packets p;
static unsigned int held;	/* rounds that ended with bytes in the write buffer */

/* One byte of a segment; for system memory @list are the pages. */
static uint8_t *model_byte(struct model *model, uint32_t segment, uint64_t at,
			   const uint32_t *list)
{
	if (segment == 1)
		return &model->vram[at];
	if (segment == 2)
		return &model->ram[model->page[at / PAGE] * PAGE + at % PAGE];
	return &model->ram[list[at / PAGE] * PAGE + at % PAGE];
}

static void model_copy(struct model *model, uint32_t src_segment, uint64_t src,
		       uint32_t dst_segment, uint64_t dst, uint64_t size, const uint32_t *list)
{
	uint64_t i;

	for (i = 0; i < size; i++)
		model->copy[i] = *model_byte(model, src_segment, src + i, list);
	for (i = 0; i < size; i++)
		*model_byte(model, dst_segment, dst + i, list) = model->copy[i];
}

/* @count different pages of RAM, which the aperture does not have, but may have had. */
static void random_pages(const struct model *model, uint32_t *list, unsigned int count)
{
	bool used[RAM_PAGES] = { false };
	uint32_t next = test_random_below(RAM_PAGES);
	unsigned int i;

	for (i = 0; i < APERTURE_PAGES; i++)
		used[model->page[i]] = true;
	for (i = 0; i < count; i++) {
		if (test_random() & 1)
			next = test_random();
		next %= RAM_PAGES;
		while (used[next])
			next = (next + 1) % RAM_PAGES;
		used[next] = true;
		list[i] = next++;
	}
}

/* Append @list as runs: adjacent pages join, or not. */
static void add_runs(const uint32_t *list, unsigned int count)
{
	unsigned int i, n;

	for (i = 0; i < count; i += n) {
		for (n = 1; i + n < count && list[i + n] == list[i] + n; n++)
			if (!(test_random() & 3))
				break;
		packet_run(&p, RAM_BASE + list[i] * PAGE, n);
	}
	packet_end(&p);
}

static uint64_t segment_size(uint32_t segment)
{
	return segment == 1 ? VRAM : segment == 2 ? APERTURE : RAM_PAGES / 2 * PAGE;
}

static void random_transfer(struct model *model)
{
	uint32_t src_segment = test_random() % 3, dst_segment = test_random() % 3;
	uint32_t list[RAM_PAGES / 2];
	uint64_t limit, size, src = 0, dst = 0;
	unsigned int pages;

	if (!src_segment && !dst_segment)
		dst_segment = 1;
	limit = segment_size(src_segment);
	if (segment_size(dst_segment) < limit)
		limit = segment_size(dst_segment);
	size = 1 + test_random_below(test_random() & 3 ? limit / 4 : limit);
	if (src_segment)
		src = test_random_below(segment_size(src_segment) - size + 1);
	if (dst_segment)
		dst = test_random_below(segment_size(dst_segment) - size + 1);
	packet_transfer(&p, src_segment, src, dst_segment, dst, size);
	if (!src_segment || !dst_segment) {
		pages = (size + PAGE - 1) / PAGE;
		random_pages(model, list, pages);
		add_runs(list, pages);
	}
	model_copy(model, src_segment, src, dst_segment, dst, size, list);
}

/* Byte by byte; @linear is where the rectangle begins, @tiled its first tile in VRAM. */
static void model_swizzle(struct model *model, uint16_t flags, const struct image *image,
			  uint32_t segment, uint64_t linear, const uint32_t *list,
			  uint64_t tiled)
{
	uint64_t begin = image_linear(image, image->x, image->y), x, y, i;
	uint64_t first = image_tile(image, image->x, image->y) * image_tile_bytes(image);

	for (y = image->y; y < image->y + image->rows; y++) {
		for (x = image->x; x < image->x + image->columns; x++) {
			for (i = 0; i < 1u << image->shift; i++) {
				uint64_t at = linear + image_linear(image, x, y) - begin + i;
				uint8_t *byte = model_byte(model, segment, at, list);
				uint8_t *in_tile = &model->vram[tiled - first + i +
								image_tiled(image, x, y)];

				*(flags & 1 ? in_tile : byte) = *(flags & 1 ? byte : in_tile);
			}
		}
	}
}

/* An image of tiles that lie together, and its linear side anywhere. */
static void random_swizzle(struct model *model)
{
	uint32_t layout = 1 + test_random() % 2, segment = test_random() % 2 * 2;
	uint16_t flags = 1 + test_random() % 2;
	uint32_t list[RAM_PAGES / 2];
	uint64_t tile, first, tiles, span, offset;
	struct image image;

	do {
		image_random(&image, layout, test_random() & 1 ? 40 : 200);
		image_random_rectangle(&image);
		span = image_rectangle_span(&image);
		tiles = image_rectangle_tiles(&image, &first);
	} while (span > APERTURE - PAGE || tiles * image_tile_bytes(&image) > VRAM / 2);
	tile = test_random_below((VRAM - tiles * image_tile_bytes(&image)) / PAGE + 1) * PAGE;
	offset = test_random_below((segment ? APERTURE - span : PAGE - 1) >> image.shift)
		 << image.shift;
	packet_swizzle(&p, flags, segment, offset, &image);
	if (!segment) {
		random_pages(model, list, (offset + span + PAGE - 1) / PAGE);
		add_runs(list, (offset + span + PAGE - 1) / PAGE);
	}
	packet_run(&p, tile, tiles * image_tile_bytes(&image) / PAGE);
	packet_end(&p);
	if (!segment && test_random() & 1) {
		packet_poke(&p, 0, 2, 10);
		packet_poke(&p, 60, 4, ~0u);
	}
	model_swizzle(model, flags, &image, segment, offset, list, tile);
}

static void random_fill(struct model *model)
{
	uint32_t pattern = test_random();
	uint64_t size = 4 + (test_random_below(VRAM / 8) & ~3ull);
	uint64_t addr = test_random_below(VRAM - size + 1) & ~3ull;
	uint64_t i;

	packet_fill(&p, 1, addr, size, pattern);
	for (i = 0; i < size; i++)
		model->vram[addr + i] = pattern >> (8 * (i % 4));
}

static void random_discard(struct model *model)
{
	uint64_t pages = 1 + test_random_below(3);
	uint64_t first = test_random_below(VRAM / PAGE - pages + 1);

	packet_discard(&p, 1, first * PAGE, pages * PAGE);
	memset(model->vram + first * PAGE, 0, pages * PAGE);
}

static void random_write(struct model *model)
{
	uint32_t segment = 1 + test_random() % 2, size = 1 + test_random() % 8, i;
	uint64_t page = test_random_below(segment_size(segment) / PAGE);
	uint64_t addr = page * PAGE + test_random_below(PAGE - size + 1);
	uint64_t value = (uint64_t)test_random() << 32 | test_random();

	packet_physical(&p, 5, segment, addr, size, value);
	for (i = 0; i < size; i++)
		*model_byte(model, segment, addr + i, NULL) = value >> (8 * i);
}

static void random_read(void)
{
	packet_physical(&p, 4, 1, test_random_below(VRAM), 1, 0);
}

/* Pages of the aperture at pages of RAM, by a list, and if that may be visibly. */
static void map_list(const struct host *host, struct model *model, uint32_t first,
		     const uint32_t *list, unsigned int pages)
{
	bool visible = (first + pages) * PAGE <= HOST_WINDOW;
	uint64_t numbers[APERTURE_PAGES];
	unsigned int i;

	for (i = 0; i < pages; i++) {
		numbers[i] = RAM_BASE / PAGE + list[i];
		model->visible[first + i] = visible;
	}
	packet_map2_list(&p, host_next_packet(host, &p), first,
			 (visible ? 4 : 0) | (test_random() & 1), numbers, pages);
}

static void map_runs(struct model *model, uint32_t first, const uint32_t *list,
		     unsigned int pages)
{
	packet_map(&p, first, pages, test_random() & 1);
	add_runs(list, pages);
	memset(model->visible + first, 0, pages * sizeof(*model->visible));
}

/* A permutation of the lower half of RAM, as far as the aperture goes. */
static void remap(const struct host *host, struct model *model)
{
	unsigned int i, other, pages;
	uint32_t list[RAM_PAGES / 2], page;

	for (i = 0; i < RAM_PAGES / 2; i++)
		list[i] = i;
	for (i = 0; i < RAM_PAGES / 2; i++) {
		if (test_random() & 1)
			continue;
		other = test_random() % (RAM_PAGES / 2);
		page = list[i];
		list[i] = list[other];
		list[other] = page;
	}
	for (i = 0; i < APERTURE_PAGES; i += pages) {
		pages = 1 + test_random_below(APERTURE_PAGES - i);
		if (test_random() & 1)
			map_list(host, model, i, list + i, pages);
		else
			map_runs(model, i, list + i, pages);
	}
	memcpy(model->page, list, sizeof(model->page));
}

/* The CPU reads or writes a few bytes of what it sees, and of what it does not. */
static bool random_access(struct host *host, struct model *model)
{
	uint64_t offset = test_random_below(HOST_WINDOW), value = test_random(), wanted = 0;
	unsigned int size = 1u << test_random() % 4, i;
	bool write = test_random() & 1;

	value = value << 32 | test_random();
	for (i = 0; i < size; i++) {
		uint64_t at = offset + i;
		uint8_t none = 0xff, *byte = &none;

		if (at < HOST_WINDOW && model->visible[at / PAGE])
			byte = model_byte(model, 2, at, NULL);
		if (write)
			*byte = value >> 8 * i;
		wanted |= (uint64_t)*byte << 8 * i;
	}
	if (!write)
		return quire_window_read(&host->memory.engine, offset, size) == wanted;
	quire_window_write(&host->memory.engine, offset, size, value);
	return true;
}

static void random_packet(const struct host *host, struct model *model)
{
	switch (test_random() % 11) {
	case 0:
		random_fill(model);
		break;
	case 1:
		random_discard(model);
		break;
	case 2:
		random_write(model);
		break;
	case 3:
		remap(host, model);
		break;
	case 4:
	case 5:
		random_swizzle(model);
		break;
	case 6:
		random_read();
		break;
	default:
		random_transfer(model);
		break;
	}
}

static bool run_and_migrate(struct host *host)
{
	while (memory_host_run(&host->memory))
		if (!(test_random() % 64) && !host_migrate(host))
			return false;
	return host_migrate(host) && !host->memory.mapped;
}

/* RAM as the device sees it; is there as much in the write buffer as it says? */
static bool see_ram(struct host *host, uint8_t *ram)
{
	const struct quire_posted *posted = &host->memory.engine.posted;
	uint64_t total = 0, i, at;

	memcpy(ram, host->memory.regions[0].bytes, RAM_PAGES * PAGE);
	for (i = 0; i < QUIRE_POSTED_PAGES; i++) {
		at = posted->pages[i].addr - RAM_BASE;
		if (posted->pages[i].len)
			memcpy(ram + at, posted->bytes[i] + at % PAGE, posted->pages[i].len);
		total += posted->pages[i].len;
	}
	return host_reg(host, QUIRE_REG_POSTED) == total;
}

static bool same(struct host *host, struct model *model)
{
	return !memcmp(host->memory.vram, model->vram, VRAM) && see_ram(host, model->copy) &&
	       !memcmp(model->copy, model->ram, sizeof(model->ram));
}

static void test_round(uint32_t seed, struct model *model)
{
	static const uint64_t slices[] = { 0, 97, 1000, 4096, 10000 };
	static const uint64_t limits[] = { 0, 4096, 3000, 64 };
	static const uint64_t works[] = { 0, 1, 5000, 40000 };
	struct host *host;
	uint64_t fence = 0;
	bool good = true;
	unsigned int i, n;

	test_seed(seed);
	host = host_new(VRAM, APERTURE, 1 + test_random() % 4, slices[test_random() % 5]);
	host->memory.granule = limits[test_random() % 4];
	host->memory.work_least = works[test_random() % 4];
	host->memory.work_slices = test_random() % 4;
	host->memory.parts = seed % 5;
	memory_host_share(&host->memory);
	test_scramble(host->memory.vram, VRAM);
	test_scramble(host->memory.regions[0].bytes, sizeof(model->ram));
	memcpy(model->vram, host->memory.vram, VRAM);
	memcpy(model->ram, host->memory.regions[0].bytes, sizeof(model->ram));
	host_ring_setup(host, test_random() % 4);
	host_ring_enable(host);
	for (i = 0; i < 8 && good; i++) {
		p.size = 0;
		if (!i)
			remap(host, model);
		for (n = test_random() % 6; n; n--)
			random_packet(host, model);
		host_submit(host, &p, ++fence);
		good = run_and_migrate(host) && same(host, model) &&
		       host_get64(host, FENCE_PAGE) == fence;
		for (n = test_random() % 16; n && good; n--)
			good = random_access(host, model) && same(host, model);
	}
	ok(good, "random: seed %u", seed);
	held += host->memory.engine.posted.total > 0;
	host_free(host);
}

int main(void)
{
	struct model *model = malloc(sizeof(*model));
	uint32_t seed;

	for (seed = 1; seed <= 150; seed++)
		test_round(seed, model);
	ok(held > 20 && held < 130, "random: %u rounds end with bytes in the write buffer", held);
	free(model);
	return tap_done();
}
