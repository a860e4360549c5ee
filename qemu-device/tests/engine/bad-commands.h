/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands that the engine refuses: BAD(name, fault, address, how to build it).
 * Included twice by test-bad-command.c, hence without a guard.
 */

/* Headers. */
BAD(size_0, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, 0))
BAD(size_4, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, 4))
BAD(size_12, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, 12); packet_u64(p, 0))
BAD(size_past_end, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, 8 + 32 + 8))
BAD(size_all_ones, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, ~0u))
BAD(opcode_0, BAD_OPCODE, PACKET, packet_u32(p, 0); packet_u32(p, 8))
BAD(opcode_1f, BAD_OPCODE, PACKET, packet_u32(p, 0x1f); packet_u32(p, 8))
BAD(opcode_2b, BAD_OPCODE, PACKET, packet_u32(p, 0x2b); packet_u32(p, 8))
BAD(opcode_all_ones, BAD_OPCODE, PACKET, packet_u32(p, 0xffff); packet_u32(p, 8))
BAD(paging_transfer, BAD_OPCODE, PACKET, packet_transfer(p, 1, 0, 1, 64, 8))
BAD(paging_fill, BAD_OPCODE, PACKET, packet_fill(p, 1, 0, 4, 0))
BAD(paging_discard, BAD_OPCODE, PACKET, packet_discard(p, 1, 0, PAGE))
BAD(paging_read, BAD_OPCODE, PACKET, packet_physical(p, 4, 1, 0, 8, 0))
BAD(paging_write, BAD_OPCODE, PACKET, packet_physical(p, 5, 0, RAM_BASE, 8, 0))
BAD(paging_map, BAD_OPCODE, PACKET, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 1);
	packet_end(p))
BAD(paging_unmap, BAD_OPCODE, PACKET, packet_unmap(p, 0, 1, RAM_BASE))
BAD(paging_signal, BAD_OPCODE, PACKET, packet_signal(p, RAM_BASE, 0))
BAD(paging_map2, BAD_OPCODE, PACKET, packet_map2(p, 0, 1, 2, 256))
BAD(paging_swizzle, BAD_OPCODE, PACKET, packet_image(p, 1, 0, 1))
BAD(paging_lock, BAD_OPCODE, PACKET, packet_lock(p, 1, ~0u))
BAD(nop_flags, BAD_PACKET, PACKET, packet_u32(p, 0x10020); packet_u32(p, 8))
BAD(copy_short, BAD_PACKET, PACKET, packet_u32(p, 0x21); packet_u32(p, 24); packet_u64(p, 0);
	packet_u64(p, 0))
BAD(copy_long, BAD_PACKET, PACKET, command_copy(p, IN_VRAM(0), IN_VRAM(64), 8); packet_u64(p, 0);
	packet_end(p))
BAD(copy_flags, BAD_PACKET, PACKET, command_copy(p, IN_VRAM(0), IN_VRAM(64), 8);
	packet_poke(p, 2, 2, 1))
BAD(fill_flags, BAD_PACKET, PACKET, command_fill(p, IN_VRAM(0), 8, 0); packet_poke(p, 2, 2, 0x8000))
BAD(fill_long, BAD_PACKET, PACKET, command_fill(p, IN_VRAM(0), 8, 0); packet_u64(p, 0);
	packet_end(p))
BAD(fill_reserved, BAD_PACKET, PACKET, command_fill(p, IN_VRAM(0), 8, 0); packet_poke(p, 28, 4, 1))
BAD(rect_flags, BAD_PACKET, PACKET, command_2d(p, 0x23, &vram_area, &vram_area, 2, &place);
	packet_poke(p, 2, 2, 1))
BAD(rect_long, BAD_PACKET, PACKET, command_2d(p, 0x23, &vram_area, &vram_area, 2, &place);
	packet_u64(p, 0); packet_end(p))
BAD(rect_reserved, BAD_PACKET, PACKET, command_2d(p, 0x23, &vram_area, &vram_area, 2, &place);
	packet_poke(p, 76, 4, 1 << 16))
BAD(rect_element, BAD_PACKET, PACKET, command_2d(p, 0x23, &vram_area, &vram_area, 5, &place))
BAD(blend_element, BAD_PACKET, PACKET, command_2d(p, 0x24, &vram_area, &vram_area, 1, &place))
BAD(blend_flags, BAD_PACKET, PACKET, command_2d(p, 0x24, &vram_area, &vram_area, 2, &place);
	packet_poke(p, 2, 2, 2))
BAD(arithmetic_no_flag, BAD_PACKET, PACKET, command_arithmetic(p, 0, IN_VRAM(0), IN_VRAM(64), 8))
BAD(arithmetic_both, BAD_PACKET, PACKET, command_arithmetic(p, 3, IN_VRAM(0), IN_VRAM(64), 8))
BAD(arithmetic_flag, BAD_PACKET, PACKET, command_arithmetic(p, 4, IN_VRAM(0), IN_VRAM(64), 8))
BAD(arithmetic_long, BAD_PACKET, PACKET, command_arithmetic(p, 1, IN_VRAM(0), IN_VRAM(64), 8);
	packet_u64(p, 0); packet_end(p))
BAD(checksum_flags, BAD_PACKET, PACKET, command_checksum(p, IN_VRAM(0), IN_VRAM(64), 8);
	packet_poke(p, 2, 2, 1))
BAD(compare_flags, BAD_PACKET, PACKET, command_compare(p, IN_VRAM(0), IN_VRAM(64), IN_VRAM(80), 8);
	packet_poke(p, 2, 2, 1))
BAD(compare_short, BAD_PACKET, PACKET, command_copy(p, IN_VRAM(0), IN_VRAM(64), 8);
	packet_poke(p, 0, 2, 0x27))
BAD(write_flags, BAD_PACKET, PACKET, command_write_value(p, IN_VRAM(0), 8); packet_poke(p, 2, 2, 1))
BAD(wait_no_flag, BAD_PACKET, PACKET, command_wait_value(p, 0, IN_VRAM(0), 8))
BAD(wait_both, BAD_PACKET, PACKET, command_wait_value(p, 3, IN_VRAM(0), 8))
BAD(wait_flag, BAD_PACKET, PACKET, command_wait_value(p, 4, IN_VRAM(0), 8))
BAD(delay_flags, BAD_PACKET, PACKET, command_delay(p, 8); packet_poke(p, 2, 2, 1))
BAD(delay_short, BAD_PACKET, PACKET, packet_u32(p, 0x2a); packet_u32(p, 8))

/* Segments. */
BAD(copy_src_system, BAD_SEGMENT, RAM_BASE, command_copy(p, RAM_BASE, IN_VRAM(0), 8))
BAD(copy_dst_system, BAD_SEGMENT, RAM_BASE, command_copy(p, IN_VRAM(0), RAM_BASE, 8))
BAD(copy_segment_3, BAD_SEGMENT, 3ull << 56, command_copy(p, IN_VRAM(0), 3ull << 56, 8))
BAD(copy_segment_257, BAD_SEGMENT, 0xffull << 56, command_copy(p, 0xffull << 56, IN_VRAM(0), 8))
BAD(fill_system, BAD_SEGMENT, RAM_BASE, command_fill(p, RAM_BASE, 8, 0))
BAD(rect_src_system, BAD_SEGMENT, RAM_BASE,
	struct area a = vram_area; a.address = RAM_BASE;
	command_2d(p, 0x23, &a, &vram_area, 2, &place))
BAD(rect_dst_segment, BAD_SEGMENT, 4ull << 56 | 8,
	struct area a = vram_area; a.address = 4ull << 56 | 8;
	command_2d(p, 0x23, &vram_area, &a, 2, &place))
BAD(rect_tiled_aperture, BAD_SEGMENT, IN_APERTURE(PAGE),
	struct area a = tiled_area; a.address = IN_APERTURE(PAGE);
	command_2d(p, 0x23, &vram_area, &a, 2, &place))
BAD(blend_tiled_aperture, BAD_SEGMENT, IN_APERTURE(PAGE),
	struct area a = tiled_area; a.address = IN_APERTURE(PAGE);
	command_2d(p, 0x24, &a, &vram_area, 2, &place))
BAD(arithmetic_src_system, BAD_SEGMENT, 0, command_arithmetic(p, 1, 0, IN_VRAM(64), 8))
BAD(arithmetic_dst_system, BAD_SEGMENT, 64, command_arithmetic(p, 1, IN_VRAM(64), 64, 8))
BAD(checksum_src_system, BAD_SEGMENT, 64, command_checksum(p, 64, IN_VRAM(0), 8))
BAD(checksum_result_system, BAD_SEGMENT, 64, command_checksum(p, IN_VRAM(0), 64, 8))
BAD(compare_src_system, BAD_SEGMENT, 64, command_compare(p, 64, IN_VRAM(0), IN_VRAM(64), 8))
BAD(compare_dst_system, BAD_SEGMENT, 64, command_compare(p, IN_VRAM(0), 64, IN_VRAM(64), 8))
BAD(compare_result_system, BAD_SEGMENT, 64, command_compare(p, IN_VRAM(0), IN_VRAM(64), 64, 8))
BAD(write_system, BAD_SEGMENT, RAM_BASE, command_write_value(p, RAM_BASE, 8))
BAD(wait_system, BAD_SEGMENT, RAM_BASE, command_wait_value(p, 1, RAM_BASE, 8))

/* Ranges. */
BAD(copy_empty, BAD_RANGE, IN_VRAM(64), command_copy(p, IN_VRAM(64), IN_VRAM(0), 0))
BAD(copy_src_end, BAD_RANGE, IN_VRAM(VRAM - 7), command_copy(p, IN_VRAM(VRAM - 7), IN_VRAM(0), 8))
BAD(copy_dst_end, BAD_RANGE, IN_VRAM(VRAM - 7), command_copy(p, IN_VRAM(0), IN_VRAM(VRAM - 7), 8))
BAD(copy_aperture_end, BAD_RANGE, IN_APERTURE(APERTURE - 7),
	command_copy(p, IN_VRAM(0), IN_APERTURE(APERTURE - 7), 8))
BAD(copy_huge, BAD_RANGE, IN_VRAM(8), command_copy(p, IN_VRAM(8), IN_VRAM(0), ~0ull))
BAD(copy_wrap, BAD_RANGE, IN_VRAM(0) - 1 + (1ull << 56),
	command_copy(p, IN_VRAM(0) - 1 + (1ull << 56), IN_VRAM(0), 8))
BAD(fill_empty, BAD_RANGE, IN_VRAM(64), command_fill(p, IN_VRAM(64), 0, 0))
BAD(fill_address, BAD_RANGE, IN_VRAM(66), command_fill(p, IN_VRAM(66), 8, 0))
BAD(fill_size, BAD_RANGE, IN_VRAM(64), command_fill(p, IN_VRAM(64), 6, 0))
BAD(fill_end, BAD_RANGE, IN_VRAM(VRAM - 4), command_fill(p, IN_VRAM(VRAM - 4), 8, 0))
BAD(fill_huge, BAD_RANGE, IN_APERTURE(4), command_fill(p, IN_APERTURE(4), ~3ull, 0))
BAD(arithmetic_empty, BAD_RANGE, IN_VRAM(64), command_arithmetic(p, 1, IN_VRAM(64), IN_VRAM(0), 0))
BAD(arithmetic_src_align, BAD_RANGE, IN_VRAM(65),
	command_arithmetic(p, 1, IN_VRAM(65), IN_VRAM(0), 4))
BAD(arithmetic_dst_align, BAD_RANGE, IN_VRAM(66),
	command_arithmetic(p, 2, IN_VRAM(0), IN_VRAM(66), 4))
BAD(arithmetic_size, BAD_RANGE, IN_VRAM(64), command_arithmetic(p, 2, IN_VRAM(64), IN_VRAM(0), 5))
BAD(arithmetic_src_end, BAD_RANGE, IN_VRAM(VRAM - 4),
	command_arithmetic(p, 2, IN_VRAM(VRAM - 4), IN_VRAM(0), 8))
BAD(arithmetic_dst_end, BAD_RANGE, IN_APERTURE(APERTURE - 4),
	command_arithmetic(p, 2, IN_VRAM(0), IN_APERTURE(APERTURE - 4), 8))
BAD(checksum_empty, BAD_RANGE, IN_VRAM(64), command_checksum(p, IN_VRAM(64), IN_VRAM(0), 0))
BAD(checksum_align, BAD_RANGE, IN_VRAM(80), command_checksum(p, IN_VRAM(80), IN_VRAM(0), 8))
BAD(checksum_end, BAD_RANGE, IN_VRAM(VRAM - 32),
	command_checksum(p, IN_VRAM(VRAM - 32), IN_VRAM(0), 33))
BAD(checksum_result_align, BAD_RANGE, IN_VRAM(4), command_checksum(p, IN_VRAM(0), IN_VRAM(4), 8))
BAD(checksum_result_end, BAD_RANGE, IN_VRAM(VRAM), command_checksum(p, IN_VRAM(0), IN_VRAM(VRAM), 8))
BAD(compare_empty, BAD_RANGE, IN_VRAM(1),
	command_compare(p, IN_VRAM(1), IN_VRAM(2), IN_VRAM(8), 0))
BAD(compare_src_end, BAD_RANGE, IN_VRAM(VRAM - 1),
	command_compare(p, IN_VRAM(VRAM - 1), IN_VRAM(2), IN_VRAM(8), 2))
BAD(compare_dst_end, BAD_RANGE, IN_VRAM(VRAM - 1),
	command_compare(p, IN_VRAM(0), IN_VRAM(VRAM - 1), IN_VRAM(8), 2))
BAD(compare_result_align, BAD_RANGE, IN_VRAM(12),
	command_compare(p, IN_VRAM(0), IN_VRAM(2), IN_VRAM(12), 2))
BAD(compare_result_end, BAD_RANGE, IN_VRAM(VRAM - 8),
	command_compare(p, IN_VRAM(0), IN_VRAM(2), IN_VRAM(VRAM - 8), 2))
BAD(write_align, BAD_RANGE, IN_VRAM(4), command_write_value(p, IN_VRAM(4), 8))
BAD(write_end, BAD_RANGE, IN_VRAM(VRAM), command_write_value(p, IN_VRAM(VRAM), 8))
BAD(wait_align, BAD_RANGE, IN_APERTURE(12), command_wait_value(p, 1, IN_APERTURE(12), 8))
BAD(wait_end, BAD_RANGE, IN_APERTURE(APERTURE), command_wait_value(p, 1, IN_APERTURE(APERTURE), 8))

/* Surfaces. */
#define SURFACE(name, code, good, field, value) \
	BAD(rect_src_##name, code, (good).address, struct area a = good; a.field = value; \
	    command_2d(p, 0x23, &a, &vram_area, 2, &place)) \
	BAD(rect_dst_##name, code, (good).address, struct area a = good; a.field = value; \
	    command_2d(p, 0x24, &vram_area, &a, 2, &place))
SURFACE(layout, BAD_RANGE, vram_area, layout, 3)
SURFACE(layout_huge, BAD_RANGE, vram_area, layout, 0x10000)
SURFACE(no_width, BAD_RANGE, vram_area, width, 0)
SURFACE(width, BAD_RANGE, tiled_area, width, 16385)
SURFACE(no_height, BAD_RANGE, vram_area, height, 0)
SURFACE(height, BAD_RANGE, vram_area, height, 16385)
SURFACE(no_levels, BAD_RANGE, vram_area, levels, 0)
SURFACE(linear_levels, BAD_RANGE, vram_area, levels, 2)
SURFACE(levels, BAD_RANGE, tiled_area, levels, 7)
SURFACE(no_slices, BAD_RANGE, tiled_area, slices, 0)
SURFACE(linear_slices, BAD_RANGE, vram_area, slices, 2)
SURFACE(slices, BAD_RANGE, tiled_area, slices, 2049)
SURFACE(level, BAD_RANGE, tiled_area, level, 2)
SURFACE(linear_level, BAD_RANGE, vram_area, level, 1)
SURFACE(slice, BAD_RANGE, tiled_area, slice, 3)
SURFACE(linear_slice, BAD_RANGE, vram_area, slice, 1)
SURFACE(pitch_short, BAD_RANGE, vram_area, pitch, 60)
SURFACE(pitch_odd, BAD_RANGE, vram_area, pitch, 66)
SURFACE(pitch_long, BAD_RANGE, vram_area, pitch, 0xfffffffc)
SURFACE(pitch_tiled, BAD_RANGE, tiled_area, pitch, 64)
#undef SURFACE
#define AT(name, good, at) \
	BAD(rect_src_##name, BAD_RANGE, at, struct area a = good; a.address = at; \
	    command_2d(p, 0x24, &a, &vram_area, 2, &place)) \
	BAD(rect_dst_##name, BAD_RANGE, at, struct area a = good; a.address = at; \
	    command_2d(p, 0x23, &vram_area, &a, 2, &place))
AT(address_odd, vram_area, IN_VRAM(66))
AT(address_line, tiled_area, IN_VRAM(8 * PAGE + 64))
AT(end, vram_area, IN_VRAM(VRAM - 16 * 64 + 4))
AT(end_tiled, tiled_area, IN_VRAM(VRAM - 12 * PAGE + PAGE))
AT(end_aperture, aperture_area, IN_APERTURE(APERTURE - 16 * 64 + 4))
AT(wrap, vram_area, (2ull << 56) - 64)
#undef AT

/* Aperture pages that were never mapped. */
BAD(copy_unmapped_src, APERTURE, 11 * PAGE, command_copy(p, IN_APERTURE(11 * PAGE + 8), IN_VRAM(0), 8))
BAD(copy_unmapped_dst, APERTURE, 11 * PAGE, command_copy(p, IN_VRAM(0), IN_APERTURE(11 * PAGE - 4), 8))
BAD(fill_unmapped, APERTURE, 12 * PAGE, command_fill(p, IN_APERTURE(12 * PAGE), 8, 1))
BAD(rect_unmapped, APERTURE, 11 * PAGE,
	struct area a = vram_area; a.address = IN_APERTURE(11 * PAGE - 15 * 64);
	command_2d(p, 0x23, &a, &vram_area, 2, &place))
BAD(checksum_unmapped, APERTURE, 15 * PAGE,
	command_checksum(p, IN_VRAM(0), IN_APERTURE(APERTURE - 8), 8))
BAD(compare_unmapped, APERTURE, 11 * PAGE,
	command_compare(p, IN_VRAM(0), IN_VRAM(8), IN_APERTURE(11 * PAGE - 8), 8))
BAD(wait_unmapped, APERTURE, 13 * PAGE, command_wait_value(p, 1, IN_APERTURE(13 * PAGE), 0))

/* Memory that is none, or can only be read. */
BAD(copy_hole, DMA, HOLE + 16, command_copy(p, IN_APERTURE(8 * PAGE + 16), IN_VRAM(0), 8))
BAD(copy_rom, DMA, ROM_BASE + 16, command_copy(p, IN_VRAM(0), IN_APERTURE(9 * PAGE + 16), 8))
BAD(fill_rom, DMA, ROM_BASE, command_fill(p, IN_APERTURE(9 * PAGE), 8, 1))
BAD(fill_coherent_rom, DMA, ROM_BASE, command_fill(p, IN_APERTURE(10 * PAGE), 8, 1))
BAD(rect_rom, DMA, ROM_BASE + 2 * 64 + 8,
	struct area a = vram_area; a.address = IN_APERTURE(9 * PAGE);
	command_2d(p, 0x23, &vram_area, &a, 2, &place))
BAD(arithmetic_rom, DMA, ROM_BASE, command_arithmetic(p, 1, IN_VRAM(0), IN_APERTURE(10 * PAGE), 8))
BAD(arithmetic_hole, DMA, HOLE, command_arithmetic(p, 1, IN_APERTURE(8 * PAGE), IN_VRAM(0), 8))
BAD(checksum_hole, DMA, HOLE, command_checksum(p, IN_APERTURE(8 * PAGE), IN_VRAM(0), 8))
BAD(checksum_rom, DMA, ROM_BASE, command_checksum(p, IN_VRAM(0), IN_APERTURE(9 * PAGE), 8))
BAD(compare_rom, DMA, ROM_BASE,
	command_compare(p, IN_VRAM(0), IN_VRAM(8), IN_APERTURE(10 * PAGE), 8))
BAD(write_rom, DMA, ROM_BASE + 8, command_write_value(p, IN_APERTURE(9 * PAGE + 8), 8))
BAD(write_coherent_rom, DMA, ROM_BASE + 8, command_write_value(p, IN_APERTURE(10 * PAGE + 8), 8))
BAD(wait_hole, DMA, HOLE + 8, command_wait_value(p, 1, IN_APERTURE(8 * PAGE + 8), 8))
