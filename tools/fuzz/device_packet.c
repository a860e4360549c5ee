// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Packets of the paging ring: good, nearly good or nonsense. */
#include <linux/array_size.h>

#include "device_guest.h"

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

/* Fields that are mostly right, beside those that are on an edge. Returns how many runs follow. */
static uint32_t put_fields(struct fuzz_input *input, uint8_t *packet, uint32_t opcode, uint32_t odd)
{
	uint32_t runs = 0;

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
	return runs;
}

/* A packet whose fields are each as likely right as wrong; @addr is where the ring reads it. */
uint32_t make_packet(struct guest *guest, uint8_t *packet, uint64_t addr)
{
	struct fuzz_input *input = &guest->input;
	static const uint32_t fixed[] = { 8, 40, 32, 32, 32, 32, 24, 32, 24, 8 };
	uint32_t opcode = fuzz_below(input, 13), size, i, runs;
	uint32_t odd = fuzz_take(input, 1);

	/* Beside those that are nonsense. */
	if (odd >= 225 && odd <= 240)
		return make_notice(input, packet);
	if (opcode == ARRAY_SIZE(fixed))
		return make_map2(input, packet, addr);
	if (opcode > ARRAY_SIZE(fixed))
		return make_image(guest, packet, opcode & 1);
	size = fixed[opcode];

	put(packet + 8, fuzz_below(input, 4), 4);
	put(packet + 12, fuzz_below(input, 4), 4);
	for (i = 16; i < 40; i += 8)
		put(packet + i, take_edge(input), 8);
	runs = put_fields(input, packet, opcode, odd);
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
