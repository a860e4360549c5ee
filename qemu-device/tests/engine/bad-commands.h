/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands that the engine refuses: BAD(name, fault, address, how to build it).
 * Included twice by test-bad-command.c, hence without a guard.
 */

#define V(offset)	IN_VRAM(offset)
#define A(offset)	IN_APERTURE(offset)

/* Headers. */
BAD(size_0, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, 0))
BAD(size_4, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, 4))
BAD(size_12, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, 12); packet_u64(p, 0))
BAD(size_past_end, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, 8 + 32 + 8))
BAD(size_all_ones, BAD_PACKET, PACKET, packet_u32(p, 0x20); packet_u32(p, ~0u))
BAD(opcode_0, BAD_OPCODE, PACKET, packet_u32(p, 0); packet_u32(p, 8))
BAD(opcode_1f, BAD_OPCODE, PACKET, packet_u32(p, 0x1f); packet_u32(p, 8))
BAD(opcode_2f, BAD_OPCODE, PACKET, packet_u32(p, 0x2f); packet_u32(p, 8))
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
BAD(copy_long, BAD_PACKET, PACKET, command_copy(p, V(0), V(64), 8); packet_u64(p, 0);
	packet_end(p))
BAD(copy_flags, BAD_PACKET, PACKET, command_copy(p, V(0), V(64), 8);
	packet_poke(p, 2, 2, 1))
BAD(fill_flags, BAD_PACKET, PACKET, command_fill(p, V(0), 8, 0); packet_poke(p, 2, 2, 0x8000))
BAD(fill_long, BAD_PACKET, PACKET, command_fill(p, V(0), 8, 0); packet_u64(p, 0);
	packet_end(p))
BAD(fill_reserved, BAD_PACKET, PACKET, command_fill(p, V(0), 8, 0); packet_poke(p, 28, 4, 1))
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
BAD(arithmetic_no_flag, BAD_PACKET, PACKET, command_arithmetic(p, 0, V(0), V(64), 8))
BAD(arithmetic_both, BAD_PACKET, PACKET, command_arithmetic(p, 3, V(0), V(64), 8))
BAD(arithmetic_flag, BAD_PACKET, PACKET, command_arithmetic(p, 4, V(0), V(64), 8))
BAD(arithmetic_long, BAD_PACKET, PACKET, command_arithmetic(p, 1, V(0), V(64), 8);
	packet_u64(p, 0); packet_end(p))
BAD(checksum_flags, BAD_PACKET, PACKET, command_checksum(p, V(0), V(64), 8);
	packet_poke(p, 2, 2, 1))
BAD(compare_flags, BAD_PACKET, PACKET, command_compare(p, V(0), V(64), V(80), 8);
	packet_poke(p, 2, 2, 1))
BAD(compare_short, BAD_PACKET, PACKET, command_copy(p, V(0), V(64), 8);
	packet_poke(p, 0, 2, 0x27))
BAD(write_flags, BAD_PACKET, PACKET, command_write_value(p, V(0), 8); packet_poke(p, 2, 2, 1))
BAD(wait_no_flag, BAD_PACKET, PACKET, command_wait_value(p, 0, V(0), 8))
BAD(wait_both, BAD_PACKET, PACKET, command_wait_value(p, 3, V(0), 8))
BAD(wait_flag, BAD_PACKET, PACKET, command_wait_value(p, 4, V(0), 8))
BAD(delay_flags, BAD_PACKET, PACKET, command_delay(p, 8); packet_poke(p, 2, 2, 1))
BAD(native_flags, BAD_PACKET, PACKET, command_signal_native(p, 0, 8); packet_poke(p, 2, 2, 1))
BAD(native_long, BAD_PACKET, PACKET, command_signal_native(p, 0, 8); packet_u64(p, 0);
	packet_end(p))
BAD(native_reserved, BAD_PACKET, PACKET, command_signal_native(p, 0, 8); packet_poke(p, 12, 4, 1))
BAD(native_nowhere, BAD_CONTEXT, 0, command_signal_native(p, 0, 8))
BAD(native_nowhere_number, BAD_CONTEXT, 0, command_signal_native(p, 1024, 8))
BAD(set_no_flag, BAD_PACKET, PACKET, command_set_register(p, 0, 0, 8))
BAD(set_both, BAD_PACKET, PACKET, command_set_register(p, 3, 0, 8))
BAD(set_reserved, BAD_PACKET, PACKET, command_set_register(p, 1, 0, 8); packet_poke(p, 12, 4, 1))
BAD(store_flags, BAD_PACKET, PACKET, command_store_register(p, 0, V(0)); packet_poke(p, 2, 2, 1))
BAD(load_flag, BAD_PACKET, PACKET, command_load_register(p, 16, 0, V(0)))
BAD(set_no_context, BAD_CONTEXT, 0, command_set_register(p, 1, 0, 8))
BAD(store_no_context, BAD_CONTEXT, 0, command_store_register(p, 0, V(0)))
BAD(load_no_context, BAD_CONTEXT, 0, command_load_register(p, 8, 0, V(0)))
BAD(delay_short, BAD_PACKET, PACKET, packet_u32(p, 0x2a); packet_u32(p, 8))

/* Segments. */
BAD(copy_src_system, BAD_SEGMENT, RAM_BASE, command_copy(p, RAM_BASE, V(0), 8))
BAD(copy_dst_system, BAD_SEGMENT, RAM_BASE, command_copy(p, V(0), RAM_BASE, 8))
BAD(copy_segment_5, BAD_SEGMENT, 5ull << 56, command_copy(p, V(0), 5ull << 56, 8))
BAD(copy_segment_257, BAD_SEGMENT, 0xffull << 56, command_copy(p, 0xffull << 56, V(0), 8))
BAD(fill_system, BAD_SEGMENT, RAM_BASE, command_fill(p, RAM_BASE, 8, 0))
BAD(rect_src_system, BAD_SEGMENT, RAM_BASE, command_src(p, &vram_area);
	packet_poke(p, 8, 8, RAM_BASE))
BAD(rect_dst_segment, BAD_SEGMENT, 5ull << 56 | 8, command_dst(p, &vram_area);
	packet_poke(p, 40, 8, 5ull << 56 | 8))
BAD(rect_tiled_mmu, BAD_SEGMENT, 4ull << 56 | PAGE, command_dst(p, &tiled_area);
	packet_poke(p, 40, 8, 4ull << 56 | PAGE))
BAD(copy_mmu_end, BAD_RANGE, 3ull << 56 | HOST_MMU, command_copy(p, V(0), 3ull << 56 | HOST_MMU, 8))
BAD(copy_mmu, MMU, 4ull << 56 | PAGE, command_copy(p, 4ull << 56 | (PAGE + 8), V(0), 8))
BAD(write_mmu, MMU, 3ull << 56, command_write_value(p, 3ull << 56 | 64, 8))
BAD(rect_tiled_aperture, BAD_SEGMENT, A(PAGE), command_dst(p, &tiled_area);
	packet_poke(p, 40, 8, A(PAGE)))
BAD(blend_tiled_aperture, BAD_SEGMENT, A(PAGE), command_src(p, &tiled_area);
	packet_poke(p, 0, 2, 0x24); packet_poke(p, 8, 8, A(PAGE)))
BAD(arithmetic_src_system, BAD_SEGMENT, 0, command_arithmetic(p, 1, 0, V(64), 8))
BAD(arithmetic_dst_system, BAD_SEGMENT, 64, command_arithmetic(p, 1, V(64), 64, 8))
BAD(checksum_src_system, BAD_SEGMENT, 64, command_checksum(p, 64, V(0), 8))
BAD(checksum_result_system, BAD_SEGMENT, 64, command_checksum(p, V(0), 64, 8))
BAD(compare_src_system, BAD_SEGMENT, 64, command_compare(p, 64, V(0), V(64), 8))
BAD(compare_dst_system, BAD_SEGMENT, 64, command_compare(p, V(0), 64, V(64), 8))
BAD(compare_result_system, BAD_SEGMENT, 64, command_compare(p, V(0), V(64), 64, 8))
BAD(write_system, BAD_SEGMENT, RAM_BASE, command_write_value(p, RAM_BASE, 8))
BAD(wait_system, BAD_SEGMENT, RAM_BASE, command_wait_value(p, 1, RAM_BASE, 8))

/* Ranges. */
BAD(copy_empty, BAD_RANGE, V(64), command_copy(p, V(64), V(0), 0))
BAD(copy_src_end, BAD_RANGE, V(VRAM - 7), command_copy(p, V(VRAM - 7), V(0), 8))
BAD(copy_dst_end, BAD_RANGE, V(VRAM - 7), command_copy(p, V(0), V(VRAM - 7), 8))
BAD(copy_aperture_end, BAD_RANGE, A(APERTURE - 7), command_copy(p, V(0), A(APERTURE - 7), 8))
BAD(copy_huge, BAD_RANGE, V(8), command_copy(p, V(8), V(0), ~0ull))
BAD(copy_wrap, BAD_RANGE, A(0) - 1, command_copy(p, A(0) - 1, V(0), 8))
BAD(fill_empty, BAD_RANGE, V(64), command_fill(p, V(64), 0, 0))
BAD(fill_address, BAD_RANGE, V(66), command_fill(p, V(66), 8, 0))
BAD(fill_size, BAD_RANGE, V(64), command_fill(p, V(64), 6, 0))
BAD(fill_end, BAD_RANGE, V(VRAM - 4), command_fill(p, V(VRAM - 4), 8, 0))
BAD(fill_huge, BAD_RANGE, A(4), command_fill(p, A(4), ~3ull, 0))
BAD(arithmetic_empty, BAD_RANGE, V(64), command_arithmetic(p, 1, V(64), V(0), 0))
BAD(arithmetic_src_align, BAD_RANGE, V(65), command_arithmetic(p, 1, V(65), V(0), 4))
BAD(arithmetic_dst_align, BAD_RANGE, V(66), command_arithmetic(p, 2, V(0), V(66), 4))
BAD(arithmetic_size, BAD_RANGE, V(64), command_arithmetic(p, 2, V(64), V(0), 5))
BAD(arithmetic_src_end, BAD_RANGE, V(VRAM - 4), command_arithmetic(p, 2, V(VRAM - 4), V(0), 8))
BAD(arithmetic_dst_end, BAD_RANGE, V(VRAM - 4), command_arithmetic(p, 2, V(0), V(VRAM - 4), 8))
BAD(checksum_empty, BAD_RANGE, V(64), command_checksum(p, V(64), V(0), 0))
BAD(checksum_align, BAD_RANGE, V(80), command_checksum(p, V(80), V(0), 8))
BAD(checksum_end, BAD_RANGE, V(VRAM - 32), command_checksum(p, V(VRAM - 32), V(0), 33))
BAD(checksum_result_align, BAD_RANGE, V(4), command_checksum(p, V(0), V(4), 8))
BAD(checksum_result_end, BAD_RANGE, V(VRAM), command_checksum(p, V(0), V(VRAM), 8))
BAD(compare_empty, BAD_RANGE, V(1), command_compare(p, V(1), V(2), V(8), 0))
BAD(compare_src_end, BAD_RANGE, V(VRAM - 1), command_compare(p, V(VRAM - 1), V(2), V(8), 2))
BAD(compare_dst_end, BAD_RANGE, V(VRAM - 1), command_compare(p, V(0), V(VRAM - 1), V(8), 2))
BAD(compare_result_align, BAD_RANGE, V(12), command_compare(p, V(0), V(2), V(12), 2))
BAD(compare_result_end, BAD_RANGE, V(VRAM - 8), command_compare(p, V(0), V(2), V(VRAM - 8), 2))
BAD(write_align, BAD_RANGE, V(4), command_write_value(p, V(4), 8))
BAD(write_end, BAD_RANGE, V(VRAM), command_write_value(p, V(VRAM), 8))
BAD(wait_align, BAD_RANGE, A(12), command_wait_value(p, 1, A(12), 8))
BAD(wait_end, BAD_RANGE, A(APERTURE), command_wait_value(p, 1, A(APERTURE), 8))

/* Surfaces. */
BAD(rect_src_layout, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 16, 4, 3))
BAD(rect_dst_layout, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 48, 4, 3))
BAD(rect_src_layout_huge, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 16, 4, 0x10000))
BAD(rect_dst_layout_huge, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 48, 4, 0x10000))
BAD(rect_src_no_width, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 24, 4, 0))
BAD(rect_dst_no_width, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 56, 4, 0))
BAD(rect_src_width, BAD_RANGE, AT_tiled_area, command_src(p, &tiled_area);
	packet_poke(p, 24, 4, 16385))
BAD(rect_dst_width, BAD_RANGE, AT_tiled_area, command_dst(p, &tiled_area);
	packet_poke(p, 56, 4, 16385))
BAD(rect_src_no_height, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 28, 4, 0))
BAD(rect_dst_no_height, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 60, 4, 0))
BAD(rect_src_height, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 28, 4, 16385))
BAD(rect_dst_height, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 60, 4, 16385))
BAD(rect_src_no_levels, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 32, 2, 0))
BAD(rect_dst_no_levels, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 64, 2, 0))
BAD(rect_src_linear_levels, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 32, 2, 2))
BAD(rect_dst_linear_levels, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 64, 2, 2))
BAD(rect_src_levels, BAD_RANGE, AT_tiled_area, command_src(p, &tiled_area);
	packet_poke(p, 32, 2, 7))
BAD(rect_dst_levels, BAD_RANGE, AT_tiled_area, command_dst(p, &tiled_area);
	packet_poke(p, 64, 2, 7))
BAD(rect_src_no_slices, BAD_RANGE, AT_tiled_area, command_src(p, &tiled_area);
	packet_poke(p, 34, 2, 0))
BAD(rect_dst_no_slices, BAD_RANGE, AT_tiled_area, command_dst(p, &tiled_area);
	packet_poke(p, 66, 2, 0))
BAD(rect_src_linear_slices, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 34, 2, 2))
BAD(rect_dst_linear_slices, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 66, 2, 2))
BAD(rect_src_slices, BAD_RANGE, AT_tiled_area, command_src(p, &tiled_area);
	packet_poke(p, 34, 2, 2049))
BAD(rect_dst_slices, BAD_RANGE, AT_tiled_area, command_dst(p, &tiled_area);
	packet_poke(p, 66, 2, 2049))
BAD(rect_src_level, BAD_RANGE, AT_tiled_area, command_src(p, &tiled_area);
	packet_poke(p, 36, 2, 2))
BAD(rect_dst_level, BAD_RANGE, AT_tiled_area, command_dst(p, &tiled_area);
	packet_poke(p, 68, 2, 2))
BAD(rect_src_linear_level, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 36, 2, 1))
BAD(rect_dst_linear_level, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 68, 2, 1))
BAD(rect_src_slice, BAD_RANGE, AT_tiled_area, command_src(p, &tiled_area);
	packet_poke(p, 38, 2, 3))
BAD(rect_dst_slice, BAD_RANGE, AT_tiled_area, command_dst(p, &tiled_area);
	packet_poke(p, 70, 2, 3))
BAD(rect_src_linear_slice, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 38, 2, 1))
BAD(rect_dst_linear_slice, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 70, 2, 1))
BAD(rect_src_pitch_short, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 20, 4, 60))
BAD(rect_dst_pitch_short, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 52, 4, 60))
BAD(rect_src_pitch_odd, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 20, 4, 66))
BAD(rect_dst_pitch_odd, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 52, 4, 66))
BAD(rect_src_pitch_long, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 20, 4, 0xfffffffc))
BAD(rect_dst_pitch_long, BAD_RANGE, AT_vram_area, command_dst(p, &vram_area);
	packet_poke(p, 52, 4, 0xfffffffc))
BAD(rect_src_pitch_tiled, BAD_RANGE, AT_tiled_area, command_src(p, &tiled_area);
	packet_poke(p, 20, 4, 64))
BAD(rect_dst_pitch_tiled, BAD_RANGE, AT_tiled_area, command_dst(p, &tiled_area);
	packet_poke(p, 52, 4, 64))
BAD(rect_src_address_odd, BAD_RANGE, V(66), command_src(p, &vram_area);
	packet_poke(p, 8, 8, V(66)))
BAD(rect_dst_address_odd, BAD_RANGE, V(66), command_dst(p, &vram_area);
	packet_poke(p, 40, 8, V(66)))
BAD(rect_src_address_line, BAD_RANGE, V(8 * PAGE + 64), command_src(p, &tiled_area);
	packet_poke(p, 8, 8, V(8 * PAGE + 64)))
BAD(rect_dst_address_line, BAD_RANGE, V(8 * PAGE + 64), command_dst(p, &tiled_area);
	packet_poke(p, 40, 8, V(8 * PAGE + 64)))
BAD(rect_src_end, BAD_RANGE, V(VRAM - 16 * 64 + 4), command_src(p, &vram_area);
	packet_poke(p, 8, 8, V(VRAM - 16 * 64 + 4)))
BAD(rect_dst_end, BAD_RANGE, V(VRAM - 16 * 64 + 4), command_dst(p, &vram_area);
	packet_poke(p, 40, 8, V(VRAM - 16 * 64 + 4)))
BAD(rect_src_end_tiled, BAD_RANGE, V(VRAM - 12 * PAGE + PAGE), command_src(p, &tiled_area);
	packet_poke(p, 8, 8, V(VRAM - 12 * PAGE + PAGE)))
BAD(rect_dst_end_tiled, BAD_RANGE, V(VRAM - 12 * PAGE + PAGE), command_dst(p, &tiled_area);
	packet_poke(p, 40, 8, V(VRAM - 12 * PAGE + PAGE)))
BAD(rect_src_end_aperture, BAD_RANGE, A(APERTURE - 16 * 64 + 4), command_src(p, &aperture_area);
	packet_poke(p, 8, 8, A(APERTURE - 16 * 64 + 4)))
BAD(rect_dst_end_aperture, BAD_RANGE, A(APERTURE - 16 * 64 + 4), command_dst(p, &aperture_area);
	packet_poke(p, 40, 8, A(APERTURE - 16 * 64 + 4)))
BAD(rect_src_wrap, BAD_RANGE, (2ull << 56) - 64, command_src(p, &vram_area);
	packet_poke(p, 8, 8, (2ull << 56) - 64))
BAD(rect_dst_wrap, BAD_RANGE, (2ull << 56) - 64, command_dst(p, &vram_area);
	packet_poke(p, 40, 8, (2ull << 56) - 64))

/* Aperture pages that were never mapped. */
BAD(copy_unmapped_src, APERTURE, 11 * PAGE, command_copy(p, A(11 * PAGE + 8), V(0), 8))
BAD(copy_unmapped_dst, APERTURE, 11 * PAGE, command_copy(p, V(0), A(11 * PAGE - 4), 8))
BAD(fill_unmapped, APERTURE, 12 * PAGE, command_fill(p, A(12 * PAGE), 8, 1))
BAD(rect_unmapped, APERTURE, 11 * PAGE, command_src(p, &vram_area);
	packet_poke(p, 8, 8, A(11 * PAGE - 15 * 64)))
BAD(checksum_unmapped, APERTURE, 15 * PAGE, command_checksum(p, V(0), A(APERTURE - 8), 8))
BAD(compare_unmapped, APERTURE, 11 * PAGE, command_compare(p, V(0), V(8), A(11 * PAGE - 8), 8))
BAD(wait_unmapped, APERTURE, 13 * PAGE, command_wait_value(p, 1, A(13 * PAGE), 0))

/* Memory that is none, or can only be read. */
BAD(copy_hole, DMA, HOLE + 16, command_copy(p, A(8 * PAGE + 16), V(0), 8))
BAD(copy_rom, DMA, ROM_BASE + 16, command_copy(p, V(0), A(9 * PAGE + 16), 8))
BAD(fill_rom, DMA, ROM_BASE, command_fill(p, A(9 * PAGE), 8, 1))
BAD(fill_coherent_rom, DMA, ROM_BASE, command_fill(p, A(10 * PAGE), 8, 1))
BAD(rect_rom, DMA, ROM_BASE + 2 * 64 + 8, command_dst(p, &vram_area);
	packet_poke(p, 40, 8, A(9 * PAGE)))
BAD(arithmetic_rom, DMA, ROM_BASE, command_arithmetic(p, 1, V(0), A(10 * PAGE), 8))
BAD(arithmetic_hole, DMA, HOLE, command_arithmetic(p, 1, A(8 * PAGE), V(0), 8))
BAD(checksum_hole, DMA, HOLE, command_checksum(p, A(8 * PAGE), V(0), 8))
BAD(checksum_rom, DMA, ROM_BASE, command_checksum(p, V(0), A(9 * PAGE), 8))
BAD(compare_rom, DMA, ROM_BASE, command_compare(p, V(0), V(8), A(10 * PAGE), 8))
BAD(write_rom, DMA, ROM_BASE + 8, command_write_value(p, A(9 * PAGE + 8), 8))
BAD(write_coherent_rom, DMA, ROM_BASE + 8, command_write_value(p, A(10 * PAGE + 8), 8))
BAD(wait_hole, DMA, HOLE + 8, command_wait_value(p, 1, A(8 * PAGE + 8), 8))

#undef V
#undef A
