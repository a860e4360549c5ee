// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The engine against a hostile guest: an input becomes register accesses,
 * writes to guest memory, submissions of packets that are good, nearly good
 * or nonsense, and loaded state. Whatever comes: no memory error, no endless
 * slice, no lost work.
 */
#include <string.h>

#include <linux/array_size.h>

#include "fuzz.h"
#include "quire_layout.h"

#define RAM_BASE	0x10000ull
#define RAM_SIZE	(128u * FUZZ_PAGE)
#define ROM_BASE	0x200000ull
#define ROM_SIZE	(4u * FUZZ_PAGE)
#define VRAM_SIZE	(16u * FUZZ_PAGE)
#define VRAM_LARGE	(5u << 20) /* has blocks that a discard gives back */
#define APERTURE_PAGES	24u /* more than the write buffer has */
#define APERTURE_SIZE	(APERTURE_PAGES * FUZZ_PAGE)
#define RANGES		2u
#define RANGE_SIZE	(16u * FUZZ_PAGE)
#define WINDOW_SIZE	(8u * FUZZ_PAGE)
#define RINGS		3u /* the paging ring among them */

/* Where a well-behaved part of the guest keeps its rings. */
#define RING_MEMORY	(3u * FUZZ_PAGE)
#define ENTRIES(ring)	((ring) * RING_MEMORY)
#define FENCE(ring)	((ring) * RING_MEMORY + 2u * FUZZ_PAGE)
#define PACKETS		(RINGS * RING_MEMORY)
#define MAX_COMMANDS	200u
#define FIRST_OF_RANGES	232u /* what a command begins with; below are the others */
#define MAX_SLICES	50u

struct guest {
	struct memory_host host;
	struct fuzz_input input;
	uint8_t *ram;
	uint8_t *rom; /* can only be read */
	uint8_t *top; /* the last page of the address space */
	uint8_t *vram; /* VRAM_SIZE bytes */
	uint8_t *vram_large;
	uint32_t order[RINGS];
	uint32_t wptr[RINGS];
	uint32_t ring; /* that the packets which are not submitted yet are for */
	uint32_t start; /* of them, in ram */
	uint32_t end;
};

static void put(uint8_t *to, uint64_t value, unsigned int size)
{
	while (size--) {
		*to++ = value;
		value >>= 8;
	}
}

/* Numbers that are likely to be on an edge. */
static uint64_t take_edge(struct fuzz_input *input)
{
	static const uint64_t edges[] = {
		0, 1, 7, 8, FUZZ_PAGE - 1, FUZZ_PAGE, FUZZ_PAGE + 1, VRAM_SIZE, VRAM_SIZE - 8,
		APERTURE_SIZE, APERTURE_SIZE - FUZZ_PAGE, RAM_BASE, RAM_BASE + RAM_SIZE,
		RAM_BASE + RAM_SIZE - 8, 1ull << 12, 1ull << 31, 1ull << 32, 1ull << 52,
		1ull << 63, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - FUZZ_PAGE + 1,
		UINT32_MAX, QUIRE_MAX_SUBMISSION, (1ull << 52) - 1, ROM_BASE, 2u << 20,
		4u << 20, VRAM_LARGE,
	};
	uint32_t choice = fuzz_take(input, 1);

	if (choice < 100)
		return fuzz_below(input, 16) * FUZZ_PAGE;
	if (choice < 200)
		return edges[choice % ARRAY_SIZE(edges)];
	if (choice < 230)
		return fuzz_take(input, 2);

	return fuzz_take(input, 8);
}

static uint64_t take_run(struct fuzz_input *input)
{
	uint32_t choice = fuzz_take(input, 1);
	uint64_t page = RAM_BASE / FUZZ_PAGE + choice % 128;

	if (choice == 255)
		return fuzz_take(input, 8);
	if (choice >= 250)
		page = (UINT64_MAX / FUZZ_PAGE) - (choice - 250);
	else if (choice >= 240)
		page = ROM_BASE / FUZZ_PAGE + choice - 240;

	return page << QUIRE_RUN_COUNT_BITS | fuzz_below(input, choice < 200 ? 2 : 4096);
}

/* A rectangle of an image of some tiles, or one so large that it goes past the caches. */
static void take_rectangle(struct fuzz_input *input, struct quire_layout *layout,
			   struct quire_surface *surface, uint32_t *place)
{
	bool large = !fuzz_below(input, 16);

	*layout = (struct quire_layout) {
		.kind = 1 + fuzz_below(input, 2),
		.element_shift = large ? 2 : fuzz_below(input, 5),
		.width = large ? 512 : 64 + fuzz_below(input, 64),
		.height = large ? 512 : 64 + fuzz_below(input, 64),
		.levels = 1 + fuzz_below(input, 3),
		.array_size = 1 + fuzz_below(input, 3),
	};
	place[0] = large ? 0 : fuzz_below(input, layout->levels);
	place[1] = fuzz_below(input, layout->array_size);
	quire_layout_level(layout, place[0], surface);
	place[2] = large ? 0 : fuzz_below(input, 8);
	place[3] = large ? 0 : fuzz_below(input, 8);
	place[4] = large ? 512 : 1 + fuzz_below(input, surface->width - place[2]);
	place[5] = large ? 512 : 1 + fuzz_below(input, surface->height - place[3]);
}

/* @pages of system memory, in some runs; they may be the same ones. */
static uint32_t put_linear(struct fuzz_input *input, uint8_t *packet, uint32_t size,
			   uint32_t pages)
{
	uint32_t most = pages > 32 ? 128 : 1 + fuzz_below(input, 32), n;

	for (; pages; pages -= n, size += 8) {
		n = pages < most ? pages : most;
		put(packet + size, (RAM_BASE / FUZZ_PAGE + fuzz_below(input, 129 - n)) <<
				   QUIRE_RUN_COUNT_BITS | (n - 1), 8);
	}
	return size;
}

/* @pages of tiles of @unit pages, in the first 16 of VRAM, which may be the same ones. */
static uint32_t put_tiles(struct fuzz_input *input, uint8_t *packet, uint32_t size,
			  uint32_t pages, uint32_t unit)
{
	uint32_t first, n;

	for (; pages; pages -= n, size += 8) {
		first = pages > 64 ? 0 : fuzz_below(input, 16) / unit * unit;
		n = pages < 16 - first ? pages : 16 - first;
		put(packet + size, (uint64_t)first << QUIRE_RUN_COUNT_BITS | (n - 1), 8);
	}
	return size;
}

/* One field that is wrong, or a run too many or too few. */
static uint32_t spoil(struct fuzz_input *input, uint8_t *packet, uint32_t size)
{
	switch (fuzz_below(input, 16)) {
	case 0:
	case 1:
		put(packet + 8 + fuzz_below(input, 18) * 4, fuzz_take(input, 4), 4);
		return size;
	case 2:
		put(packet + size - 8, take_run(input), 8);
		return size;
	case 3:
		return size - 8;
	case 4:
		put(packet + size, take_run(input), 8);
		return size + 8;
	default:
		return size;
	}
}

/* A transfer that converts, mostly in order; returns its size. */
static uint32_t make_swizzle(struct fuzz_input *input, uint8_t *packet, uint16_t *flags)
{
	static const uint32_t at[] = { 64, 68, 72, 76 };
	struct quire_layout layout;
	struct quire_surface surface;
	uint32_t place[6], i, first, last, size = 80;
	uint32_t segment = !fuzz_below(input, 3) ? QUIRE_SEGMENT_APERTURE : 0;
	uint64_t begin, end;

	take_rectangle(input, &layout, &surface, place);
	begin = fuzz_below(input, 16) << layout.element_shift;
	end = begin + quire_surface_span(&layout, &surface, place[4], place[5]);
	first = quire_surface_tile(&surface, place[2], place[3]);
	last = quire_surface_tile(&surface, place[2] + place[4] - 1, place[3] + place[5] - 1);
	*flags = 1 + fuzz_below(input, 2);
	memset(packet + 8, 0, size - 8);
	put(packet + (*flags & 1 ? 8 : 12), segment, 4);
	put(packet + (*flags & 1 ? 12 : 8), QUIRE_SEGMENT_VRAM, 4);
	put(packet + (*flags & 1 ? 16 : 24), begin, 8);
	put(packet + 32, (place[4] * place[5]) << layout.element_shift, 8);
	put(packet + 40, layout.element_shift << 16 | layout.kind, 4);
	put(packet + 44, layout.width, 4);
	put(packet + 48, layout.height, 4);
	put(packet + 52, layout.array_size << 16 | layout.levels, 4);
	put(packet + 56, place[1] << 16 | place[0], 4);
	for (i = 0; i < ARRAY_SIZE(at); i++)
		put(packet + at[i], place[2 + i], 4);
	if (!segment)
		size = put_linear(input, packet, size, (end + FUZZ_PAGE - 1) / FUZZ_PAGE);
	i = surface.tile_shift - QUIRE_PAGE_SHIFT;
	size = put_tiles(input, packet, size, (last - first + 1) << i, 1u << i);
	return spoil(input, packet, size);
}

/* The range of a special lock: none, one as it is or as it was, or nonsense. */
static uint32_t take_named(struct guest *guest)
{
	uint32_t choice = fuzz_take(&guest->input, 1), n = choice % RANGES;

	if (choice < 32)
		return QUIRE_SPECIAL_LOCK_NO_RANGE;
	if (choice == 255)
		return fuzz_take(&guest->input, 4);
	return QUIRE_SPECIAL_LOCK_RANGE(n, guest->host.engine.range[n].data - (choice >= 224));
}

static uint32_t make_image(struct guest *guest, uint8_t *packet, bool lock)
{
	uint16_t flags;
	uint32_t size = make_swizzle(&guest->input, packet, &flags);

	put(packet, (lock ? QUIRE_OP_SPECIAL_LOCK : QUIRE_OP_TRANSFER) | flags << 16, 4);
	put(packet + 4, size, 4);
	if (lock)
		put(packet + 60, take_named(guest), 4);
	return size;
}

/* A map by an address list, mostly in order, of a packet at the DMA address @addr. */
static uint32_t make_map2(struct fuzz_input *input, uint8_t *packet, uint64_t addr)
{
	uint32_t odd = fuzz_take(input, 1), flags = fuzz_below(input, 8), size = 32, i;
	uint32_t pages = 1 + fuzz_below(input, 8);
	bool list = !(flags & QUIRE_MAP_CONTIGUOUS);

	put(packet + 8, QUIRE_SEGMENT_APERTURE, 4);
	put(packet + 12, pages, 4);
	put(packet + 16, fuzz_below(input, 8), 8);
	put(packet + 24, list ? addr + size : RAM_BASE / FUZZ_PAGE + fuzz_below(input, 128), 8);
	for (i = 0; list && i < pages; i++, size += 8)
		put(packet + size, take_run(input) >> QUIRE_RUN_COUNT_BITS, 8);
	if (odd < 24)
		put(packet + 8 + odd, fuzz_take(input, 4), 4);
	else if (odd < 32)
		put(packet + 16 + (odd & 8), take_edge(input), 8);
	else if (odd < 36)
		put(packet + size - 8, take_edge(input), 8);
	if (odd == 36)
		size += 8;
	put(packet, QUIRE_OP_MAP_APERTURE2 | flags << 16, 4);
	put(packet + 4, size, 4);
	return size;
}

/* A copy within the aperture that is longer than the write buffer. */
static void put_long(struct fuzz_input *input, uint8_t *packet)
{
	put(packet + 8, QUIRE_SEGMENT_APERTURE, 4);
	put(packet + 12, QUIRE_SEGMENT_APERTURE, 4);
	put(packet + 16, fuzz_below(input, 4 * FUZZ_PAGE), 8);
	put(packet + 24, fuzz_below(input, 4 * FUZZ_PAGE), 8);
	put(packet + 32, 16 * FUZZ_PAGE + fuzz_below(input, 4 * FUZZ_PAGE), 8);
}

/* A copy that is in order, if the aperture is mapped; with runs one side is system memory. */
static void put_transfer(struct fuzz_input *input, uint8_t *packet, uint32_t runs)
{
	uint32_t system = runs ? fuzz_below(input, 2) : 2, i;

	for (i = 0; i < 2; i++) {
		put(packet + 8 + 4 * i, i == system ? QUIRE_SEGMENT_SYSTEM :
				       QUIRE_SEGMENT_VRAM + fuzz_below(input, 2), 4);
		put(packet + 16 + 8 * i, i == system ? 0 : fuzz_below(input, 6 * FUZZ_PAGE), 8);
	}
	put(packet + 32, runs ? runs * FUZZ_PAGE - fuzz_below(input, FUZZ_PAGE) :
			       1 + fuzz_below(input, 6 * FUZZ_PAGE), 8);
}

/* The same of a fill, a discard and a physical access. */
static void put_small(struct fuzz_input *input, uint8_t *packet, uint32_t opcode)
{
	uint32_t unit = opcode == QUIRE_OP_FILL ? 4 : FUZZ_PAGE, segment;

	if (opcode == QUIRE_OP_FILL || opcode == QUIRE_OP_DISCARD_CONTENT) {
		put(packet + 8, QUIRE_SEGMENT_VRAM, 4);
		put(packet + 16, fuzz_below(input, 8 * FUZZ_PAGE) / unit * unit, 8);
		put(packet + 24, (1 + fuzz_below(input, 8 * FUZZ_PAGE / unit)) * unit, 8);
	}
	if (opcode == QUIRE_OP_DISCARD_CONTENT) {
		put(packet + 12, 0, 4);
		packet[18] |= !fuzz_below(input, 8) << 5; /* from 2 MiB on, or */
		packet[26] |= !fuzz_below(input, 8) << 5; /* 2 MiB more */
	}
	if (opcode != QUIRE_OP_READ_PHYSICAL && opcode != QUIRE_OP_WRITE_PHYSICAL)
		return;
	segment = fuzz_below(input, 3);
	put(packet + 8, segment, 4);
	put(packet + 12, 1 + fuzz_below(input, 8), 4);
	put(packet + 16, fuzz_below(input, FUZZ_PAGE) * 8 + (segment ? 0 : RAM_BASE), 8);
	if (opcode == QUIRE_OP_READ_PHYSICAL)
		put(packet + 24, 0, 8);
}

/* A packet whose fields are each as likely right as wrong; @addr is where the ring reads it. */
static uint32_t make_packet(struct guest *guest, uint8_t *packet, uint64_t addr)
{
	struct fuzz_input *input = &guest->input;
	static const uint32_t fixed[] = { 8, 40, 32, 32, 32, 32, 24, 32, 24, 8 };
	uint32_t opcode = fuzz_below(input, 13), size, i, runs = 0;
	uint32_t odd = fuzz_take(input, 1);

	if (opcode == ARRAY_SIZE(fixed))
		return make_map2(input, packet, addr);
	if (opcode > ARRAY_SIZE(fixed))
		return make_image(guest, packet, opcode & 1);
	size = fixed[opcode];

	put(packet + 8, fuzz_below(input, 4), 4);
	put(packet + 12, fuzz_below(input, 4), 4);
	for (i = 16; i < 40; i += 8)
		put(packet + i, take_edge(input), 8);
	if (opcode == QUIRE_OP_TRANSFER) {
		/* A system side has no address, and the size says how many runs. */
		runs = fuzz_below(input, 4);
		if (odd < 200)
			put_transfer(input, packet, runs);
		if (odd < 50 && !runs)
			put_long(input, packet);
	} else if (opcode == QUIRE_OP_MAP_APERTURE) {
		runs = 1 + fuzz_below(input, 4);
		if (odd < 200) {
			put(packet + 8, QUIRE_SEGMENT_APERTURE, 8);
			put(packet + 12, runs, 4);
			put(packet + 16, fuzz_below(input, APERTURE_PAGES), 8);
		}
	} else if (opcode == QUIRE_OP_UNMAP_APERTURE && odd < 200) {
		put(packet + 8, QUIRE_SEGMENT_APERTURE, 4);
		put(packet + 12, 1 + fuzz_below(input, APERTURE_PAGES), 4);
		put(packet + 16, fuzz_below(input, APERTURE_PAGES), 8);
		put(packet + 24, RAM_BASE + fuzz_below(input, 128) * FUZZ_PAGE, 8);
	} else if (opcode == QUIRE_OP_SIGNAL_FENCE && odd < 200) {
		put(packet + 8, RAM_BASE + fuzz_below(input, RAM_SIZE / 8) * 8, 8);
	} else if (odd < 200) {
		put_small(input, packet, opcode);
	}
	if (opcode == QUIRE_OP_MAP_APERTURE && odd < 64) {
		/* All of the aperture, so that transfers find it mapped. */
		put(packet + 12, APERTURE_PAGES, 4);
		put(packet + 16, 0, 8);
		put(packet + size, RAM_BASE / FUZZ_PAGE << 12 | (APERTURE_PAGES - 1), 8);
		size += 8;
		runs = 0;
	}
	for (i = 0; i < runs; i++, size += 8)
		put(packet + size, odd < 200 ? take_run(input) & ~0xfffull : take_run(input), 8);

	put(packet, opcode, 2);
	put(packet + 2, odd > 250 ? fuzz_take(input, 2) :
	    opcode == QUIRE_OP_MAP_APERTURE && odd & 1, 2);
	if (odd > 240)
		size = fuzz_take(input, 2);
	put(packet + 4, size, 4);
	if (odd == 255)
		put(packet + 4, fuzz_take(input, 4), 4);

	return size & 0xf8;
}

/* An address of a command: mostly of some bytes at the begin of VRAM or of the aperture. */
static uint64_t take_address(struct fuzz_input *input, uint32_t align)
{
	uint32_t choice = fuzz_take(input, 1);
	uint64_t offset = fuzz_below(input, 4 * FUZZ_PAGE / align) * align;

	if (choice < 8)
		return take_edge(input);
	if (choice < 16)
		return QUIRE_ADDRESS(fuzz_take(input, 1), take_edge(input));
	return QUIRE_ADDRESS(1 + choice % 2, offset);
}

/* A surface of a command of some pages, or less: 32 bytes. */
static void put_surface(struct fuzz_input *input, uint8_t *to, uint32_t shift)
{
	uint32_t layout = fuzz_below(input, 3), odd = fuzz_take(input, 1);
	uint32_t width = 1 + fuzz_below(input, 48), height = 1 + fuzz_below(input, 48);
	uint64_t address = take_address(input, 16);

	if (layout && odd < 224)
		address = QUIRE_ADDRESS(QUIRE_SEGMENT_VRAM, 0);
	put(to, address, 8);
	put(to + 8, layout, 4);
	put(to + 12, layout ? 0 : (width + fuzz_below(input, 3)) << shift, 4);
	put(to + 16, width, 4);
	put(to + 20, height, 4);
	put(to + 24, 0x00010001, 4);
	put(to + 28, 0, 4);
	if (layout == QUIRE_LAYOUT_TILE_4K && odd & 1) {
		put(to + 24, 1 + fuzz_below(input, 3), 2);
		put(to + 28, fuzz_below(input, 2), 2);
	}
	if (odd >= 240)
		put(to + (odd & 7) * 4, fuzz_take(input, 4), 4);
}

static void put_2d(struct fuzz_input *input, uint8_t *packet, bool blend)
{
	uint32_t shift = blend ? 2 : fuzz_below(input, 5), i;

	put_surface(input, packet + 8, shift);
	put_surface(input, packet + 40, shift);
	put(packet + 72, shift, 8);
	for (i = 0; i < 4; i++)
		put(packet + 80 + 4 * i, (int)fuzz_below(input, 32) - 8, 4);
	for (i = 0; i < 2; i++)
		put(packet + 96 + 4 * i, fuzz_below(input, 64), 4);
	if (!fuzz_below(input, 16))
		put(packet + 80 + 4 * fuzz_below(input, 6), fuzz_take(input, 4), 4);
}

/* A command that is mostly in order. */
static uint32_t make_command(struct guest *guest, uint8_t *packet)
{
	static const uint32_t sizes[] = { 16, 32, 32, 104, 104, 32, 32, 40, 24, 24, 16 };
	static const uint32_t aligns[] = { 8, 1, 4, 1, 1, 4, 32, 1, 8, 8, 1 };
	struct fuzz_input *input = &guest->input;
	uint32_t opcode = QUIRE_COMMAND_FIRST + fuzz_below(input, ARRAY_SIZE(sizes));
	uint32_t size = sizes[opcode - QUIRE_COMMAND_FIRST], odd = fuzz_take(input, 1), i;
	uint32_t align = aligns[opcode - QUIRE_COMMAND_FIRST], flags = 0;

	for (i = 8; i < size; i += 8)
		put(packet + i, take_address(input, i == 24 ? 8 : align), 8);
	/* what is no address */
	if (opcode == QUIRE_COMMAND_FILL)
		put(packet + 24, fuzz_take(input, 4), 8);
	i = opcode == QUIRE_COMMAND_FILL ? 16 : size - 8;
	if (opcode == QUIRE_COMMAND_CHECKSUM)
		put(packet + 16, take_address(input, 8), 8);
	if (opcode == QUIRE_COMMAND_COPY_2D || opcode == QUIRE_COMMAND_BLEND)
		put_2d(input, packet, opcode == QUIRE_COMMAND_BLEND);
	else if (opcode == QUIRE_COMMAND_WAIT_VALUE || opcode == QUIRE_COMMAND_WRITE_VALUE)
		put(packet + 16, fuzz_below(input, 2), 8);
	else if (opcode == QUIRE_COMMAND_DELAY)
		put(packet + 8, odd & 1 ? take_edge(input) : fuzz_below(input, 64), 8);
	else
		put(packet + i, (1 + fuzz_below(input, 4 * FUZZ_PAGE)) * align, 8);
	if (opcode == QUIRE_COMMAND_ARITHMETIC || opcode == QUIRE_COMMAND_WAIT_VALUE)
		flags = 1 + fuzz_below(input, 2);
	if (odd >= 248)
		flags = fuzz_take(input, 2);
	put(packet, opcode | flags << 16, 4);
	put(packet + 4, odd == 247 ? fuzz_take(input, 4) : size, 4);
	return size;
}

/* For the ring whose turn it is; now and then what it refuses. */
static void add_packet(struct guest *guest)
{
	uint8_t *packet;

	if (guest->end + 1024 > RAM_SIZE) {
		guest->start = PACKETS;
		guest->end = PACKETS;
	}
	if (guest->start == guest->end)
		guest->ring = fuzz_below(&guest->input, RINGS);
	packet = guest->ram + guest->end;
	if (!guest->ring == !fuzz_below(&guest->input, 64))
		guest->end += make_command(guest, packet);
	else
		guest->end += make_packet(guest, packet, RAM_BASE + guest->end);
}

/* The packets so far, as one submission. */
static void submit(struct guest *guest)
{
	uint32_t odd = fuzz_take(&guest->input, 1), ring = guest->ring;
	uint8_t *entry = guest->ram + ENTRIES(ring) +
			 (guest->wptr[ring] & ((1u << guest->order[ring]) - 1)) * 32 %
			 (2 * FUZZ_PAGE);

	put(entry, odd > 240 ? take_edge(&guest->input) : RAM_BASE + guest->start, 8);
	put(entry + 8, odd > 245 ? fuzz_take(&guest->input, 4) : guest->end - guest->start, 4);
	put(entry + 12, odd > 250 ? fuzz_take(&guest->input, 4) : odd & 1, 4);
	put(entry + 16, fuzz_take(&guest->input, 2), 8);
	put(entry + 24, odd == 255, 8);
	guest->start = guest->end;
	guest->wptr[ring]++;
	put(guest->ram + FENCE(ring) + 64,
	    odd > 252 ? fuzz_take(&guest->input, 4) : guest->wptr[ring], 4);
	memory_host_write(&guest->host, QUIRE_DOORBELL(ring), 4, 1);
}

/* All of the aperture is mapped, and the start of it perhaps visible, as a driver has it. */
static void map_all(struct guest *guest)
{
	uint32_t how = fuzz_below(&guest->input, 8), pages, size = 32;
	uint64_t first = RAM_BASE / FUZZ_PAGE + fuzz_below(&guest->input, 104);
	uint8_t *packet;

	for (pages = 0; pages < APERTURE_PAGES; pages += WINDOW_SIZE / FUZZ_PAGE) {
		packet = guest->ram + guest->end;
		memset(packet, 0, size);
		put(packet, QUIRE_OP_MAP_APERTURE2 | QUIRE_MAP_CONTIGUOUS << 16, 4);
		packet[2] |= how & QUIRE_MAP_CACHE_COHERENT;
		if (!pages)
			packet[2] |= how & QUIRE_MAP_CPU_VISIBLE;
		put(packet + 4, size, 4);
		put(packet + 8, QUIRE_SEGMENT_APERTURE, 4);
		put(packet + 12, WINDOW_SIZE / FUZZ_PAGE, 4);
		put(packet + 16, pages, 8);
		put(packet + 24, first + pages, 8);
		guest->end += size;
	}
	submit(guest);
}

static void ring_write(struct guest *guest, uint32_t ring, uint32_t reg, uint32_t value)
{
	memory_host_write(&guest->host, QUIRE_REG_RING(ring, reg), 4, value);
}

static void ring_write64(struct guest *guest, uint32_t ring, uint32_t reg, uint64_t value)
{
	ring_write(guest, ring, reg, value & UINT32_MAX);
	ring_write(guest, ring, reg + 4, value >> 32);
}

static void start_ring(struct guest *guest, uint32_t ring)
{
	uint32_t odd = fuzz_take(&guest->input, 1);

	guest->order[ring] = fuzz_below(&guest->input, 8);
	guest->wptr[ring] = 0;
	ring_write(guest, ring, QUIRE_RING_CONTROL, 0);
	ring_write64(guest, ring, QUIRE_RING_ENTRIES_LO,
		     odd > 250 ? take_edge(&guest->input) : RAM_BASE + ENTRIES(ring));
	ring_write64(guest, ring, QUIRE_RING_FENCE_PAGE_LO,
		     odd / 4 == 60 ? take_edge(&guest->input) : RAM_BASE + FENCE(ring));
	ring_write(guest, ring, QUIRE_RING_ORDER,
		   odd == 128 ? fuzz_take(&guest->input, 4) : guest->order[ring]);
	ring_write(guest, ring, QUIRE_RING_CONTROL, QUIRE_RING_CONTROL_ENABLE);
	put(guest->ram + FENCE(ring) + 64, 0, 4);
}

static void write_register(struct guest *guest)
{
	static const uint16_t registers[] = {
		QUIRE_REG_CONTROL, QUIRE_REG_INT_STATUS, QUIRE_REG_INT_ENABLE,
		QUIRE_REG_RING(0, QUIRE_RING_INJECT_HANG),
		QUIRE_REG_RING(0, QUIRE_RING_INJECT_FAULT), QUIRE_REG_INJECT_DROP_IRQ,
		QUIRE_REG_APERTURE_INDEX, QUIRE_REG_RING(0, QUIRE_RING_HISTORY_INDEX),
		QUIRE_REG_RING(0, QUIRE_RING_ENTRIES_LO),
		QUIRE_REG_RING(0, QUIRE_RING_FENCE_PAGE_LO),
		QUIRE_REG_RING(0, QUIRE_RING_ORDER), QUIRE_REG_RING(0, QUIRE_RING_CONTROL),
		QUIRE_REG_RING(1, QUIRE_RING_CONTROL), QUIRE_REG_RING(2, QUIRE_RING_CONTROL),
		QUIRE_REG_RING(1, QUIRE_RING_INJECT_HANG),
		QUIRE_REG_RING(2, QUIRE_RING_INJECT_FAULT),
	};
	uint32_t choice = fuzz_take(&guest->input, 1), how = fuzz_take(&guest->input, 1);
	uint32_t offset = choice < 200 ? registers[choice % ARRAY_SIZE(registers)] :
					 fuzz_take(&guest->input, 3) % QUIRE_BAR_REGS_SIZE;

	memory_host_write(&guest->host, offset, how < 192 ? 4 : 1u << how % 4,
			  how & 4 ? fuzz_below(&guest->input, 4) : take_edge(&guest->input));
}

static void read_registers(struct guest *guest)
{
	uint32_t offset = fuzz_take(&guest->input, 3) % QUIRE_BAR_REGS_SIZE, i;

	for (i = 1; i <= 8; i *= 2)
		quire_regs_read(&guest->host.engine, offset, i);
	for (i = 0; i < QUIRE_REG_RING_STRIDE; i += 4) {
		quire_regs_read(&guest->host.engine, i, 4);
		quire_regs_read(&guest->host.engine, QUIRE_REG_RING(offset % RINGS, i), 4);
		quire_regs_read(&guest->host.engine, QUIRE_RANGE(0, i), 4);
	}
}

/* A range with an image that is mostly one. */
static void start_range(struct guest *guest)
{
	struct fuzz_input *input = &guest->input;
	uint32_t n = fuzz_below(input, RANGES), odd = fuzz_take(input, 1), i;
	uint32_t values[][2] = {
		{ QUIRE_RANGE_CONTROL, 0 },
		{ QUIRE_RANGE_ADDR_LO, fuzz_below(input, 16) * FUZZ_PAGE },
		{ QUIRE_RANGE_LAYOUT,
		  QUIRE_RANGE_LAYOUT_OF(1 + fuzz_below(input, 2), fuzz_below(input, 5)) },
		{ QUIRE_RANGE_WIDTH, 1 + fuzz_below(input, 100) },
		{ QUIRE_RANGE_HEIGHT, 1 + fuzz_below(input, 100) },
		{ QUIRE_RANGE_LEVELS,
		  QUIRE_RANGE_LEVELS_OF(1 + fuzz_below(input, 4), 1 + fuzz_below(input, 4)) },
		{ QUIRE_RANGE_CONTROL, QUIRE_RANGE_CONTROL_ENABLE },
	};

	if (odd < ARRAY_SIZE(values))
		values[odd][1] = fuzz_take(input, 4);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		memory_host_write(&guest->host, QUIRE_RANGE(n, values[i][0]), 4, values[i][1]);
}

/* What a window has is what was written to it, or it has nothing there. */
static void access_window(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	uint64_t value = fuzz_take(&guest->input, 4) * 0x100000001ull, got;
	uint32_t offset = fuzz_take(&guest->input, 3) % (2 * RANGES * RANGE_SIZE);
	uint32_t size = 1 + fuzz_below(&guest->input, 8), i;

	quire_ranges_write(engine, offset, size, value);
	got = quire_ranges_read(engine, offset, size);
	/* two windows may show the same bytes */
	if (offset % RANGE_SIZE + size > RANGE_SIZE)
		return;
	for (i = 0; i < 8; i++)
		FINDING_IF(got >> 8 * i & 0xff &&
			   (i >= size || ((got ^ value) >> 8 * i & 0xff)));
}

/* What all of a write reaches is read again. */
static void access_aperture(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	uint64_t value = fuzz_take(&guest->input, 4) * 0x100000001ull, got;
	uint32_t offset = fuzz_take(&guest->input, 2) % (WINDOW_SIZE + FUZZ_PAGE);
	uint32_t size = 1 + fuzz_below(&guest->input, 8);
	unsigned int misses = guest->host.misses;

	quire_window_write(engine, offset, size, value);
	got = quire_window_read(engine, offset, size);
	if (size < 8)
		value &= (1ull << 8 * size) - 1;
	FINDING_IF(guest->host.misses == misses && got != value);
	FINDING_IF(guest->host.misses == misses && offset + size > WINDOW_SIZE);
	FINDING_IF(size < 8 && got >> 8 * size);
}

static void write_memory(struct guest *guest)
{
	uint32_t offset = fuzz_take(&guest->input, 3) % RAM_SIZE;
	uint32_t size = fuzz_below(&guest->input, 64);

	for (; size && offset < RAM_SIZE; size--)
		guest->ram[offset++] = fuzz_take(&guest->input, 1);
}

static void run(struct guest *guest, unsigned int slices)
{
	while (slices-- && guest->host.scheduled)
		fuzz_run(&guest->host);
}

/* A part of the write buffer, which may be none that can be. */
static void load_posted(struct guest *guest)
{
	struct quire_posted *posted = &guest->host.engine.posted;
	unsigned int i = fuzz_below(&guest->input, QUIRE_POSTED_PAGES);

	posted->pages[i].addr = take_edge(&guest->input);
	posted->pages[i].len = fuzz_take(&guest->input, 2);
	posted->next = fuzz_take(&guest->input, 1) % (QUIRE_POSTED_PAGES + 1);
	if (i)
		return;
	guest->host.engine.dummy_pages = fuzz_below(&guest->input, 2);
	guest->host.engine.dummy_offset = take_edge(&guest->input);
}

/*
 * Nobody has looked at what was loaded: the guest finds nothing in any BAR, nothing runs, and
 * a reset ends it.
 */
static void load_nothing(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	uint32_t offset = fuzz_take(&guest->input, 3);

	quire_ranges_write(engine, offset, 8, UINT64_MAX);
	FINDING_IF(quire_ranges_read(engine, offset % (RANGES * RANGE_SIZE), 8));
	quire_window_write(engine, offset, 8, 0);
	FINDING_IF(quire_window_read(engine, offset % WINDOW_SIZE, 8) != UINT64_MAX);
	quire_regs_write(engine, QUIRE_DOORBELL(QUIRE_RING_PAGING), 4, 0);
	FINDING_IF(quire_engine_run(engine));
	memory_host_write(&guest->host, QUIRE_REG_CONTROL, 4, QUIRE_CONTROL_RESET);
	guest->host.scheduled = false;
}

static void load_end(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	const char *why = NULL;
	bool accepted;

	if (!fuzz_below(&guest->input, 8)) {
		load_nothing(guest);
		return;
	}
	accepted = quire_engine_post_load(engine, &why);
	FINDING_IF(accepted == !!why);
	FINDING_IF(!accepted && quire_engine_runnable(engine));
	guest->host.scheduled = quire_engine_runnable(engine);
}

/* When it was touched, the clock of that, or which was enabled last. */
static void load_range_order(struct guest *guest, struct quire_range *range)
{
	struct quire_engine *engine = &guest->host.engine;
	uint32_t which = fuzz_take(&guest->input, 1);

	if (which & 1)
		engine->range_touches = take_edge(&guest->input);
	if (which & 2)
		range->touched = take_edge(&guest->input);
	if (which & 4)
		engine->range_newest = fuzz_below(&guest->input, RANGES + 1);
}

/* The same as load_state(), of a range; the last one is none that the device has. */
static void load_range(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	struct quire_range *range = &engine->range[fuzz_below(&guest->input, RANGES + 1)];
	uint32_t which = fuzz_take(&guest->input, 1);

	quire_engine_settle(engine);
	quire_engine_pre_load(engine);
	if (which & 1)
		range->addr = take_edge(&guest->input);
	if (which & 2)
		range->layout = fuzz_take(&guest->input, 4);
	if (which & 4)
		range->width = fuzz_take(&guest->input, 4);
	if (which & 8)
		range->height = fuzz_take(&guest->input, 2);
	if (which & 16)
		range->levels = fuzz_take(&guest->input, 4);
	if (which & 32)
		range->control = fuzz_below(&guest->input, 4);
	if (which & 64)
		range->data = fuzz_take(&guest->input, 3);
	if (which & 128)
		load_range_order(guest, range);
	load_end(guest);
}

/* A migration stream: changes some of the state, which may then be refused. */
static void load_state(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	struct quire_ring *ring = &engine->ring[fuzz_below(&guest->input, RINGS)];
	uint32_t which = fuzz_take(&guest->input, 3);

	/* a device that is loaded does nothing */
	quire_engine_settle(engine);
	quire_engine_pre_load(engine);
	if (which & 1)
		ring->rptr = fuzz_take(&guest->input, 4);
	if (which & 2)
		ring->wptr = ring->rptr + fuzz_take(&guest->input, 1);
	if (which & 4)
		ring->offset = fuzz_take(&guest->input, 2);
	if (which & 8)
		ring->size = fuzz_take(&guest->input, 3);
	if (which & 16)
		ring->done = take_edge(&guest->input);
	if (which & 32)
		ring->active = fuzz_take(&guest->input, 1) & 1;
	if (which & 64)
		ring->started = fuzz_take(&guest->input, 1) & 1;
	if (which & 128)
		ring->hung = fuzz_take(&guest->input, 1) & 1;
	if (which & 256)
		ring->pending = fuzz_take(&guest->input, 1) & 1;
	if (which & 512)
		ring->order = fuzz_take(&guest->input, 1);
	if (which & 1024)
		ring->control = fuzz_take(&guest->input, 1);
	if (which & 2048)
		ring->fault_code = fuzz_take(&guest->input, 1);
	if (which & 4096)
		ring->entries = take_edge(&guest->input);
	if (which & 8192)
		ring->fence_page = take_edge(&guest->input);
	if (which & 16384)
		*quire_engine_load_entries(engine, fuzz_below(&guest->input,
							      engine->aperture_pages), 1) =
			take_edge(&guest->input);
	if (which & 32768)
		engine->int_status = fuzz_take(&guest->input, 1);
	if (which & 65536) {
		ring->inject_hang = fuzz_take(&guest->input, 1);
		ring->kept[fuzz_below(&guest->input, QUIRE_RING_KEPT)] = take_edge(&guest->input);
	}
	if (which & 131072 && ring != engine->ring)
		make_command(guest, ring->submission + (ring->offset & 0xff8));
	else if (which & 131072)
		make_packet(guest, ring->submission + (ring->offset & 0xff8),
			    ring->addr + (ring->offset & 0xff8));
	if (which & 262144)
		ring->addr = take_edge(&guest->input);
	if (which & 524288)
		ring->fault_addr = take_edge(&guest->input);
	if (which & 1048576)
		ring->fault_offset = fuzz_take(&guest->input, 2);
	if (which & 2097152)
		ring->fault_opcode = fuzz_take(&guest->input, 1);
	if (which & 4194304)
		ring->executed[fuzz_below(&guest->input, QUIRE_OPCODE_COUNT)] =
			fuzz_take(&guest->input, 1);
	if (which & 8388608) {
		ring->history[0].header = fuzz_take(&guest->input, 1);
		load_posted(guest);
	}

	load_end(guest);
}

/* The device masters the bus no more, or again: no memory is reached. */
static void toggle_master(struct guest *guest)
{
	struct memory_region *region = &guest->host.regions[0];

	quire_engine_settle(&guest->host.engine);
	region->size = region->size ? 0 : RAM_SIZE;
}

static void command_range(struct guest *guest, uint32_t choice)
{
	switch (choice % 8) {
	case 0:
		load_range(guest);
		break;
	case 1:
	case 2:
		start_range(guest);
		break;
	case 3:
	case 4:
		access_aperture(guest);
		break;
	case 5:
		toggle_master(guest);
		break;
	default:
		access_window(guest);
		break;
	}
}

static void command(struct guest *guest)
{
	uint32_t choice = fuzz_take(&guest->input, 1);

	if (choice >= FIRST_OF_RANGES) {
		command_range(guest, choice);
		return;
	}
	switch (choice % 16) {
	case 0:
		start_ring(guest, fuzz_below(&guest->input, RINGS));
		break;
	case 1:
		write_register(guest);
		break;
	case 2:
		read_registers(guest);
		break;
	case 3:
		write_memory(guest);
		break;
	case 4:
		load_state(guest);
		break;
	case 5:
		memory_host_write(&guest->host, QUIRE_DOORBELL_BASE +
				  fuzz_take(&guest->input, 2), 4, 0);
		break;
	case 6:
	case 7:
		run(guest, fuzz_below(&guest->input, 8));
		break;
	case 8:
	case 9:
	case 10:
		submit(guest);
		break;
	default:
		add_packet(guest);
		break;
	}
}

static struct guest *guest_create(void)
{
	struct guest *guest = fuzz_alloc(sizeof(*guest));

	guest->ram = fuzz_alloc(RAM_SIZE);
	guest->rom = fuzz_alloc(ROM_SIZE);
	guest->top = fuzz_alloc(FUZZ_PAGE);
	guest->vram = fuzz_alloc(VRAM_SIZE);
	guest->vram_large = fuzz_alloc(VRAM_LARGE);
	guest->host.regions[0] = (struct memory_region) { RAM_BASE, RAM_SIZE, guest->ram, false };
	guest->host.regions[1] = (struct memory_region) {
		UINT64_MAX - (FUZZ_PAGE - 1), FUZZ_PAGE, guest->top, false,
	};
	guest->host.regions[2] = (struct memory_region) { ROM_BASE, ROM_SIZE, guest->rom, true };

	return guest;
}

/* What is found must be found again from its file alone. */
static void guest_forget(struct guest *guest, bool large)
{
	guest->host.vram = large ? guest->vram_large : guest->vram;
	guest->host.vram_size = large ? VRAM_LARGE : VRAM_SIZE;
	guest->host.vram_visible = VRAM_SIZE / 2;
	guest->host.dummy_page_report = true;
	guest->host.execution_rings = RINGS - 1;
	guest->host.range_count = RANGES;
	guest->host.range_size = RANGE_SIZE;
	guest->host.window_size = WINDOW_SIZE;
	guest->host.regions[0].size = RAM_SIZE;
	memset(guest->ram, 0, RAM_SIZE);
	memset(guest->top, 0, FUZZ_PAGE);
	memset(guest->host.vram, 0, guest->host.vram_size);
	guest->ring = QUIRE_RING_PAGING;
	guest->start = PACKETS;
	guest->end = PACKETS;
}

static void check_stopped(const struct guest *guest)
{
	const struct quire_engine *engine = &guest->host.engine;
	const struct quire_ring *ring;
	bool stopped = true;

	for (ring = engine->ring; ring < engine->ring + RINGS; ring++) {
		FINDING_IF(ring->fault_code > QUIRE_FAULT_INJECTED);
		FINDING_IF(ring->fault_code && !quire_fault_name(ring->fault_code));
		stopped &= ring->fault_code != QUIRE_FAULT_NONE;
	}
	FINDING_IF(stopped && quire_engine_runnable(engine));
	FINDING_IF(quire_engine_runnable(engine) && !guest->host.scheduled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t empty[16];
	static struct guest *guest;
	unsigned int commands, i, ring;

	if (!guest)
		guest = guest_create();
	fuzz_input_start(&guest->input, data, size);
	commands = fuzz_below(&guest->input, MAX_COMMANDS);
	guest_forget(guest, !fuzz_below(&guest->input, 8));
	guest->host.granule = 64u << fuzz_below(&guest->input, 9);
	guest->host.work_least = fuzz_below(&guest->input, 4) * FUZZ_PAGE;
	guest->host.work_slices = fuzz_below(&guest->input, 3);
	guest->host.step = fuzz_below(&guest->input, 64);
	memory_host_start(&guest->host, APERTURE_SIZE, 1 + fuzz_below(&guest->input, 16),
			  1 + fuzz_take(&guest->input, 2));
	for (ring = 0; ring < RINGS; ring++)
		start_ring(guest, ring);
	if (fuzz_below(&guest->input, 4))
		map_all(guest);

	for (i = 0; i < commands; i++) {
		command(guest);
		check_stopped(guest);
	}
	run(guest, MAX_SLICES);
	check_stopped(guest);

	/* A reset brings a device that works again, each ring of it. */
	guest->host.regions[0].size = RAM_SIZE;
	quire_engine_reset(&guest->host.engine);
	FINDING_IF(quire_engine_runnable(&guest->host.engine));
	fuzz_input_start(&guest->input, empty, sizeof(empty));
	guest->end = guest->start;
	for (ring = 0; ring < RINGS; ring++) {
		start_ring(guest, ring);
		guest->ring = ring;
		submit(guest);
	}
	run(guest, MAX_SLICES);
	for (ring = 0; ring < RINGS; ring++)
		FINDING_IF(guest->host.engine.ring[ring].fault_code ||
			   guest->host.engine.ring[ring].rptr != 1);
	memory_host_stop(&guest->host);

	return 0;
}
