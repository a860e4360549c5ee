/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Commands that the engine executes, up to the edges of VRAM, as good-packets.h has packets.
 * Those in the aperture need pages, which the paging ring maps: seeds_rings.c has them.
 */

GOOD(command_nop, 0, command_nop(p, 0); command_nop(p, 30))
GOOD(command_copy, 0, command_copy(p, IN_VRAM(0), IN_VRAM(VRAM - 24), 24))
LONG(command_copy_upward, 0, command_copy(p, IN_VRAM(0), IN_VRAM(1), VRAM - 1))
LONG(command_copy_downward, 0, command_copy(p, IN_VRAM(1), IN_VRAM(0), VRAM - 1))
GOOD(command_fill, 0, command_fill(p, IN_VRAM(VRAM - 1028), 1028, 0x11223344))
LONG(command_fill_all, 0, command_fill(p, IN_VRAM(0), VRAM, 0x5a5a5a5a))
GOOD(command_2d, 0, command_2d(p, 0x23, &vram_area, &tiled_area, 2, &place))
GOOD(command_2d_back, 0, command_2d(p, 0x23, &tiled_area, &vram_area, 2, &place))
GOOD(command_2d_nothing, 0, struct place at = place; at.columns = 0;
	command_2d(p, 0x23, &tiled_area, &vram_area, 2, &at))
GOOD(command_2d_clipped, 0, struct place at = { -5, -6, -7, -8, ~0u, ~0u };
	command_2d(p, 0x23, &tiled_area, &tiled_area, 2, &at))
GOOD(command_2d_last, 0, struct area a = vram_area; a.address = IN_VRAM(VRAM - 16 * 64);
	command_2d(p, 0x23, &vram_area, &a, 2, &place))
GOOD(command_blend, 0, command_2d(p, 0x24, &vram_area, &tiled_area, 2, &place))
GOOD(command_add, 0, command_arithmetic(p, 1, IN_VRAM(0), IN_VRAM(VRAM - 2 * PAGE), 2 * PAGE))
GOOD(command_xor, 0, command_arithmetic(p, 2, IN_VRAM(PAGE), IN_VRAM(0), 3 * PAGE))
GOOD(command_checksum, 0, command_checksum(p, IN_VRAM(VRAM - PAGE), IN_VRAM(VRAM - 8), PAGE))
GOOD(command_checksum_byte, 0, command_checksum(p, IN_VRAM(VRAM - 32), IN_VRAM(0), 1))
GOOD(command_compare, 0, command_write_value(p, IN_VRAM(16), 1);
	command_compare(p, IN_VRAM(0), IN_VRAM(VRAM - 2 * PAGE), IN_VRAM(VRAM - 16), 2 * PAGE))
GOOD(command_write, 0, command_write_value(p, IN_VRAM(VRAM - 8), ~0ull))
GOOD(command_wait_equal, 0, command_write_value(p, IN_VRAM(8), 5);
	command_wait_value(p, 1, IN_VRAM(8), 5))
GOOD(command_wait_greater, 0, command_write_value(p, IN_VRAM(8), ~0ull);
	command_wait_value(p, 2, IN_VRAM(8), 5))
GOOD(command_no_delay, 0, command_delay(p, 0))
