// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Commands of execution rings, mostly in order. */
#include <linux/array_size.h>

#include "device_guest.h"

/* An address of a command: mostly of some bytes at the begin of VRAM or of the aperture. */
static uint64_t take_address(struct guest *guest, uint32_t align)
{
	struct fuzz_input *input = &guest->input;
	uint32_t choice = fuzz_take(input, 1);
	uint64_t offset = fuzz_below(input, 4 * FUZZ_PAGE / align) * align;

	if (guest->in_context && choice >= 16)
		return take_va(input, align);
	if (choice < 8)
		return take_edge(input);
	if (choice < 16)
		return QUIRE_ADDRESS(fuzz_take(input, 1), take_edge(input));
	return QUIRE_ADDRESS(1 + choice % 2, offset);
}

/* A surface of a command of some pages, or less: 32 bytes. */
static void put_surface(struct guest *guest, uint8_t *to, uint32_t shift)
{
	struct fuzz_input *input = &guest->input;
	uint32_t layout = fuzz_below(input, 3), odd = fuzz_take(input, 1);
	uint32_t width = 1 + fuzz_below(input, 48), height = 1 + fuzz_below(input, 48);
	uint64_t address = take_address(guest, 16);

	if (layout && odd < 224 && !guest->in_context)
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

static void put_2d(struct guest *guest, uint8_t *packet, bool blend)
{
	struct fuzz_input *input = &guest->input;
	uint32_t shift = blend ? 2 : fuzz_below(input, 5), i;

	put_surface(guest, packet + 8, shift);
	put_surface(guest, packet + 40, shift);
	put(packet + 72, shift, 8);
	for (i = 0; i < 4; i++)
		put(packet + 80 + 4 * i, (int)fuzz_below(input, 32) - 8, 4);
	for (i = 0; i < 2; i++)
		put(packet + 96 + 4 * i, fuzz_below(input, 64), 4);
	if (!fuzz_below(input, 16))
		put(packet + 80 + 4 * fuzz_below(input, 6), fuzz_take(input, 4), 4);
}

/* On a register, which there mostly is if there are any. */
static uint32_t make_register(struct guest *guest, uint8_t *packet)
{
	struct fuzz_input *input = &guest->input;
	uint32_t opcode = QUIRE_COMMAND_SET_REGISTER + fuzz_below(input, 3);
	uint32_t flags = opcode == QUIRE_COMMAND_STORE_REGISTER ? 0 : 1u << fuzz_below(input, 4);
	uint32_t odd = fuzz_take(input, 1);

	if (odd >= 250)
		flags = fuzz_take(input, 2);
	put(packet, opcode | flags << 16, 4);
	put(packet + 4, 24, 4);
	put(packet + 8, fuzz_below(input, QUIRE_CONTEXT_REGISTERS + (odd == 249)), 4);
	put(packet + 12, odd == 248, 4);
	put(packet + 16, take_address(guest, 8), 8);
	return 24;
}

/* A command that is mostly in order. */
uint32_t make_command(struct guest *guest, uint8_t *packet)
{
	static const uint32_t sizes[] = { 16, 32, 32, 104, 104, 32, 32, 40, 24, 24, 16, 24 };
	static const uint32_t aligns[] = { 8, 1, 4, 1, 1, 4, 32, 1, 8, 8, 1, 8 };
	struct fuzz_input *input = &guest->input;
	uint32_t index = fuzz_below(input, ARRAY_SIZE(sizes) + 2), flags = 0;
	uint32_t opcode = QUIRE_COMMAND_FIRST + index, size, align, odd, i;

	if (index >= ARRAY_SIZE(sizes))
		return make_register(guest, packet);
	size = sizes[index];
	align = aligns[index];
	odd = fuzz_take(input, 1);
	for (i = 8; i < size; i += 8)
		put(packet + i, take_address(guest, i == 24 ? 8 : align), 8);
	/* what is no address */
	if (opcode == QUIRE_COMMAND_FILL)
		put(packet + 24, fuzz_take(input, 4), 8);
	i = opcode == QUIRE_COMMAND_FILL ? 16 : size - 8;
	if (opcode == QUIRE_COMMAND_CHECKSUM)
		put(packet + 16, take_address(guest, 8), 8);
	if (opcode == QUIRE_COMMAND_SIGNAL_NATIVE)
		put(packet + 8, fuzz_below(input, 4), 8);
	if (opcode == QUIRE_COMMAND_COPY_2D || opcode == QUIRE_COMMAND_BLEND)
		put_2d(guest, packet, opcode == QUIRE_COMMAND_BLEND);
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
