/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that the engine refuses: BAD(name, fault, address, how to build it).
 * Included twice by test-faults.c, hence without a guard.
 */

/* Headers. */
BAD(size_0, BAD_PACKET, PACKET, packet_u32(p, 1); packet_u32(p, 0); packet_u64(p, 0))
BAD(size_7, BAD_PACKET, PACKET, packet_u32(p, 1); packet_u32(p, 7); packet_u64(p, 0))
BAD(size_12, BAD_PACKET, PACKET, packet_u32(p, 8); packet_u32(p, 12); packet_u64(p, 0))
BAD(size_25, BAD_PACKET, PACKET, packet_signal(p, RAM_BASE, 0); p->bytes[p->start + 4] = 25)
BAD(size_all_ones, BAD_PACKET, PACKET, packet_u32(p, 8); packet_u32(p, ~0u))
BAD(size_past_end, BAD_PACKET, PACKET, packet_u32(p, 8); packet_u32(p, 8 + 32 + 8))
BAD(size_top, BAD_PACKET, PACKET, packet_u32(p, 8); packet_u32(p, 0xfffffff8))
BAD(opcode_0, BAD_OPCODE, PACKET, packet_u32(p, 0); packet_u32(p, 8))
BAD(opcode_25, BAD_OPCODE, PACKET, packet_u32(p, 25); packet_u32(p, 16); packet_u64(p, 0))
BAD(opcode_all_ones, BAD_OPCODE, PACKET, packet_u32(p, 0xffff); packet_u32(p, 8))
BAD(header_only, BAD_PACKET, PACKET, packet_u32(p, 1); packet_u32(p, 8))
BAD(short_transfer, BAD_PACKET, PACKET, packet_u32(p, 1); packet_u32(p, 32); packet_u64(p, 0);
	packet_u64(p, 0); packet_u64(p, 0))
BAD(long_fill, BAD_PACKET, PACKET, packet_fill(p, 1, 0, 4, 0); packet_u64(p, 0); packet_end(p))
BAD(long_signal, BAD_PACKET, PACKET, packet_signal(p, RAM_BASE, 0); packet_u64(p, 0);
	packet_end(p))
BAD(transfer_flags, BAD_PACKET, PACKET, packet_transfer(p, 1, 0, 1, 64, 8);
	p->bytes[p->start + 2] = 1)
BAD(fill_flags, BAD_PACKET, PACKET, packet_fill(p, 1, 0, 4, 0); p->bytes[p->start + 3] = 128)
BAD(map_flags, BAD_PACKET, PACKET, packet_map(p, 0, 1, 2); packet_run(p, RAM_BASE, 1);
	packet_end(p))
BAD(unmap_flags, BAD_PACKET, PACKET, packet_unmap(p, 0, 1, RAM_BASE); p->bytes[p->start + 2] = 1)
BAD(discard_reserved, BAD_PACKET, PACKET, packet_discard(p, 1, 0, PAGE);
	p->bytes[p->start + 12] = 1)
BAD(read_value, BAD_PACKET, PACKET, packet_physical(p, 4, 1, 0, 8, 1))

/* Segments. */
BAD(src_segment, BAD_SEGMENT, 5, packet_transfer(p, 5, 0, 1, 0, 8))
BAD(dst_segment, BAD_SEGMENT, 0xffffffff, packet_transfer(p, 1, 0, ~0u, 0, 8))
BAD(both_system, BAD_SEGMENT, 0, packet_transfer(p, 0, 0, 0, 0, PAGE); packet_run(p, RAM_BASE, 1);
	packet_end(p))
BAD(fill_system, BAD_SEGMENT, 0, packet_fill(p, 0, RAM_BASE, 4, 0))
BAD(fill_aperture, BAD_SEGMENT, 2, packet_fill(p, 2, 0, 4, 0))
BAD(discard_aperture, BAD_SEGMENT, 2, packet_discard(p, 2, 0, PAGE))
BAD(physical_segment, BAD_SEGMENT, 5, packet_physical(p, 5, 5, 0, 1, 0))
BAD(map_vram, BAD_SEGMENT, 1, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 1); packet_end(p);
	p->bytes[p->start + 8] = 1)
BAD(unmap_system, BAD_SEGMENT, 0, packet_unmap(p, 0, 1, RAM_BASE); p->bytes[p->start + 8] = 0)

/* Ranges. */
BAD(transfer_empty, BAD_RANGE, 64, packet_transfer(p, 1, 64, 1, 0, 0))
BAD(transfer_src_end, BAD_RANGE, VRAM - 7, packet_transfer(p, 1, VRAM - 7, 1, 0, 8))
BAD(transfer_dst_end, BAD_RANGE, VRAM - 7, packet_transfer(p, 1, 0, 1, VRAM - 7, 8))
BAD(transfer_src_wrap, BAD_RANGE, ~7ull, packet_transfer(p, 1, ~7ull, 1, 0, 16))
BAD(transfer_dst_wrap, BAD_RANGE, ~0ull - 6, packet_transfer(p, 1, 0, 1, ~0ull - 6, 16))
BAD(transfer_huge, BAD_RANGE, 0, packet_transfer(p, 1, 0, 1, 0, ~0ull))
BAD(transfer_huge_off, BAD_RANGE, 8, packet_transfer(p, 1, 8, 1, 0, ~0ull - 7))
BAD(transfer_one_more, BAD_RANGE, 0, packet_transfer(p, 1, 0, 1, 0, VRAM + 1))
BAD(aperture_end, BAD_RANGE, APERTURE - 7, packet_transfer(p, 2, APERTURE - 7, 1, 0, 8))
BAD(aperture_huge, BAD_RANGE, 0, packet_transfer(p, 1, 0, 2, 0, VRAM))
BAD(system_address, BAD_RANGE, 8, packet_transfer(p, 0, 8, 1, 0, PAGE); packet_run(p, RAM_BASE, 1);
	packet_end(p))
BAD(system_empty, BAD_RANGE, 0, packet_transfer(p, 1, 0, 0, 0, 0))
BAD(fill_empty, BAD_RANGE, 4, packet_fill(p, 1, 4, 0, 0))
BAD(fill_address, BAD_RANGE, 2, packet_fill(p, 1, 2, 4, 0))
BAD(fill_size, BAD_RANGE, 4, packet_fill(p, 1, 4, 6, 0))
BAD(fill_end, BAD_RANGE, VRAM - 4, packet_fill(p, 1, VRAM - 4, 8, 0))
BAD(fill_wrap, BAD_RANGE, ~3ull, packet_fill(p, 1, ~3ull, 8, 0))
BAD(fill_huge, BAD_RANGE, 0, packet_fill(p, 1, 0, ~3ull, 0))
BAD(discard_empty, BAD_RANGE, PAGE, packet_discard(p, 1, PAGE, 0))
BAD(discard_address, BAD_RANGE, 8, packet_discard(p, 1, 8, PAGE))
BAD(discard_size, BAD_RANGE, 0, packet_discard(p, 1, 0, PAGE + 8))
BAD(discard_end, BAD_RANGE, VRAM - PAGE, packet_discard(p, 1, VRAM - PAGE, 2 * PAGE))
BAD(discard_wrap, BAD_RANGE, ~0xfffull, packet_discard(p, 1, ~0xfffull, 2 * PAGE))
BAD(physical_0, BAD_RANGE, 64, packet_physical(p, 4, 1, 64, 0, 0))
BAD(physical_9, BAD_RANGE, 64, packet_physical(p, 5, 1, 64, 9, 0))
BAD(physical_huge, BAD_RANGE, 64, packet_physical(p, 5, 0, 64, ~0u, 0))
BAD(physical_page, BAD_RANGE, PAGE - 3, packet_physical(p, 5, 1, PAGE - 3, 4, 0))
BAD(physical_end, BAD_RANGE, VRAM, packet_physical(p, 5, 1, VRAM, 1, 0))
BAD(physical_wrap, BAD_RANGE, ~0ull - 1, packet_physical(p, 5, 0, ~0ull - 1, 3, 0))
BAD(physical_aperture, BAD_RANGE, APERTURE, packet_physical(p, 4, 2, APERTURE, 1, 0))
BAD(map_empty, BAD_RANGE, PAGE, packet_map(p, 1, 0, 0))
BAD(map_end, BAD_RANGE, APERTURE, packet_map(p, APERTURE_PAGES, 1, 0); packet_run(p, RAM_BASE, 1);
	packet_end(p))
BAD(map_past_end, BAD_RANGE, APERTURE - PAGE, packet_map(p, APERTURE_PAGES - 1, 2, 0);
	packet_run(p, RAM_BASE, 2); packet_end(p))
BAD(map_wrap, BAD_RANGE, ~0xfffull, packet_map(p, ~0ull, 2, 0); packet_run(p, RAM_BASE, 2);
	packet_end(p))
BAD(map_huge, BAD_RANGE, 0, packet_map(p, 0, ~0u, 0); packet_run(p, RAM_BASE, 1); packet_end(p))
BAD(unmap_empty, BAD_RANGE, 0, packet_unmap(p, 0, 0, RAM_BASE))
BAD(unmap_end, BAD_RANGE, APERTURE, packet_unmap(p, APERTURE_PAGES, 1, RAM_BASE))
BAD(unmap_huge, BAD_RANGE, PAGE, packet_unmap(p, 1, ~0u, RAM_BASE))
BAD(unmap_dummy, BAD_RANGE, RAM_BASE + 8, packet_unmap(p, 0, 1, RAM_BASE + 8))
BAD(signal_address, BAD_RANGE, RAM_BASE + 4, packet_signal(p, RAM_BASE + 4, 0))

/* Page runs. */
BAD(runs_none, BAD_RUNS, PACKET, packet_transfer(p, 0, 0, 1, 0, 8))
BAD(runs_short, BAD_RUNS, PACKET, packet_transfer(p, 0, 0, 1, 0, PAGE + 1);
	packet_run(p, RAM_BASE, 1); packet_end(p))
BAD(runs_long, BAD_RUNS, PACKET, packet_transfer(p, 1, 0, 0, 0, PAGE); packet_run(p, RAM_BASE, 2);
	packet_end(p))
BAD(runs_one_more, BAD_RUNS, PACKET, packet_transfer(p, 1, 0, 0, 0, PAGE);
	packet_run(p, RAM_BASE, 1); packet_run(p, RAM_BASE, 1); packet_end(p))
BAD(runs_without_system, BAD_RUNS, PACKET, packet_transfer(p, 1, 0, 1, 64, 8);
	packet_run(p, RAM_BASE, 1); packet_end(p))
BAD(runs_wrap, BAD_RUNS, PACKET, packet_transfer(p, 0, 0, 1, 0, 2 * PAGE);
	packet_run(p, ~0xfffull, 2); packet_end(p))
BAD(map_runs_none, BAD_RUNS, PACKET, packet_map(p, 0, 1, 0))
BAD(map_runs_short, BAD_RUNS, PACKET, packet_map(p, 0, 3, 0); packet_run(p, RAM_BASE, 2);
	packet_end(p))
BAD(map_runs_long, BAD_RUNS, PACKET, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 4096);
	packet_end(p))
BAD(map_runs_wrap, BAD_RUNS, PACKET, packet_map(p, 0, 2, 0); packet_run(p, ~0xfffull, 2);
	packet_end(p))

/* Aperture pages that were never mapped. */
BAD(aperture_src, APERTURE, 0, packet_transfer(p, 2, 16, 1, 0, 8))
BAD(aperture_dst, APERTURE, APERTURE - PAGE, packet_transfer(p, 1, 0, 2, APERTURE - 8, 8))
BAD(aperture_read, APERTURE, PAGE, packet_physical(p, 4, 2, PAGE + 8, 8, 0))
BAD(aperture_write, APERTURE, PAGE, packet_physical(p, 5, 2, PAGE + 8, 8, 0))

/* Transfers that convert: headers and segments. */
BAD(swizzle_both, BAD_PACKET, PACKET, packet_image(p, 3, 0, 1))
BAD(swizzle_flags, BAD_PACKET, PACKET, packet_image(p, 4, 0, 1))
BAD(swizzle_more_flags, BAD_PACKET, PACKET, packet_image(p, 0x8001, 0, 1))
BAD(swizzle_short, BAD_PACKET, PACKET, packet_image(p, 1, 0, 1); packet_poke(p, 4, 4, 72))
BAD(swizzle_reserved, BAD_PACKET, PACKET, packet_image(p, 1, 0, 1); packet_poke(p, 60, 4, 1))
BAD(unswizzle_reserved, BAD_PACKET, PACKET, packet_image(p, 2, 0, 1);
	packet_poke(p, 60, 4, 1u << 31))
BAD(swizzle_from_vram, BAD_SEGMENT, 1, packet_image(p, 1, 0, 1); packet_poke(p, 8, 4, 1))
BAD(swizzle_src_segment, BAD_SEGMENT, 5, packet_image(p, 1, 0, 1); packet_poke(p, 8, 4, 5))
BAD(swizzle_to_system, BAD_SEGMENT, 0, packet_image(p, 1, 0, 1); packet_poke(p, 12, 4, 0))
BAD(swizzle_to_aperture, BAD_SEGMENT, 2, packet_image(p, 1, 0, 1); packet_poke(p, 12, 4, 2))
BAD(unswizzle_from_system, BAD_SEGMENT, 0, packet_image(p, 2, 0, 1); packet_poke(p, 8, 4, 0))
BAD(unswizzle_to_vram, BAD_SEGMENT, 1, packet_image(p, 2, 0, 1); packet_poke(p, 12, 4, 1))
BAD(unswizzle_dst_segment, BAD_SEGMENT, 0xffffffff, packet_image(p, 2, 0, 1);
	packet_poke(p, 12, 4, ~0u))

/* No such image, or not this rectangle in it. */
BAD(swizzle_layout_linear, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 40, 2, 0))
BAD(swizzle_layout_3, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 40, 2, 3))
BAD(swizzle_layout_all_ones, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 40, 2, ~0u))
BAD(swizzle_element_32, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 42, 2, 5))
BAD(swizzle_element_all_ones, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 42, 2, ~0u))
BAD(swizzle_width_0, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 44, 4, 0))
BAD(swizzle_width_more, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 44, 4, 16385))
BAD(swizzle_width_all_ones, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 44, 4, ~0u))
BAD(swizzle_height_0, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 48, 4, 0))
BAD(swizzle_height_more, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 48, 4, 16385))
BAD(swizzle_height_all_ones, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 48, 4, ~0u))
BAD(swizzle_levels_0, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 52, 2, 0))
BAD(swizzle_levels_more, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 52, 2, 8))
BAD(swizzle_levels_all_ones, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 52, 2, ~0u))
BAD(swizzle_slices_0, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 54, 2, 0))
BAD(swizzle_slices_more, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 54, 2, 2049))
BAD(swizzle_slices_all_ones, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 54, 2, ~0u))
BAD(swizzle_level_outside, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 56, 2, 7))
BAD(swizzle_level_all_ones, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 56, 2, ~0u))
BAD(swizzle_slice_outside, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 58, 2, 2))
BAD(swizzle_slice_all_ones, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 58, 2, ~0u))
BAD(swizzle_x_outside, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 64, 4, 1))
BAD(swizzle_x_wrap, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 64, 4, ~0u))
BAD(swizzle_y_outside, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 68, 4, 1))
BAD(swizzle_y_wrap, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 68, 4, ~0u))
BAD(swizzle_rectangle_size, BAD_RANGE, 0, packet_image(p, 1, 0, 1);
	packet_poke(p, 32, 8, 4096 + 4))
BAD(swizzle_rectangle_size_0, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 32, 8, 0))
BAD(swizzle_rectangle_size_huge, BAD_RANGE, 0, packet_image(p, 1, 0, 1);
	packet_poke(p, 32, 8, 4096 + (1ull << 32)))
BAD(swizzle_columns_0, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 72, 4, 0);
	packet_poke(p, 32, 8, 0))
BAD(swizzle_columns_more, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 72, 4, 33);
	packet_poke(p, 32, 8, 33 * 32 * 4))
BAD(swizzle_columns_all_ones, BAD_RANGE, 0, packet_image(p, 2, 0, 1);
	packet_poke(p, 72, 4, ~0u); packet_poke(p, 32, 8, ~0u * 32ull * 4))
BAD(swizzle_rows_0, BAD_RANGE, 0, packet_image(p, 2, 0, 1); packet_poke(p, 76, 4, 0);
	packet_poke(p, 32, 8, 0))
BAD(swizzle_rows_more, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 76, 4, 33);
	packet_poke(p, 32, 8, 33 * 32 * 4))
BAD(swizzle_rows_all_ones, BAD_RANGE, 0, packet_image(p, 2, 0, 1); packet_poke(p, 76, 4, ~0u);
	packet_poke(p, 32, 8, ~0u * 32ull * 4))
BAD(swizzle_last_level, BAD_RANGE, 0, packet_image(p, 1, 0, 1); packet_poke(p, 56, 2, 6))

/* Their addresses. */
BAD(swizzle_system_page, BAD_RANGE, PAGE, packet_image(p, 1, 0, 1); packet_poke(p, 16, 8, PAGE))
BAD(swizzle_system_element, BAD_RANGE, 2, packet_image(p, 1, 0, 1); packet_poke(p, 16, 8, 2))
BAD(swizzle_tiled_address, BAD_RANGE, PAGE, packet_image(p, 1, 0, 1);
	packet_poke(p, 24, 8, PAGE))
BAD(unswizzle_tiled_address, BAD_RANGE, 4, packet_image(p, 2, 0, 1); packet_poke(p, 16, 8, 4))
BAD(unswizzle_system_page, BAD_RANGE, ~3ull, packet_image(p, 2, 0, 1);
	packet_poke(p, 24, 8, ~3ull))
BAD(swizzle_aperture_element, BAD_RANGE, PAGE + 1, packet_image(p, 1, 2, 1);
	packet_poke(p, 16, 8, PAGE + 1))
BAD(swizzle_aperture_end, BAD_RANGE, APERTURE - PAGE + 4, packet_image(p, 1, 2, 1);
	packet_poke(p, 16, 8, APERTURE - PAGE + 4))
BAD(unswizzle_aperture_wrap, BAD_RANGE, ~3ull, packet_image(p, 2, 2, 1);
	packet_poke(p, 24, 8, ~3ull))

/* Their runs. */
BAD(swizzle_runs_none, BAD_RUNS, PACKET, packet_image(p, 1, 0, 1); p->size -= 16; packet_end(p))
BAD(swizzle_tiles_none, BAD_RUNS, PACKET, packet_image(p, 1, 0, 1); p->size -= 8; packet_end(p))
BAD(swizzle_linear_few, BAD_RUNS, PACKET, packet_image(p, 1, 0, 2); packet_poke(p, 16, 8, 4))
BAD(swizzle_linear_many, BAD_RUNS, PACKET, packet_image(p, 1, 0, 1);
	packet_poke(p, 80, 8, RAM_BASE | 1))
BAD(swizzle_linear_wrap, BAD_RUNS, PACKET, packet_image(p, 1, 0, 1); packet_poke(p, 16, 8, 4);
	packet_poke(p, 80, 8, ~0xfffull | 1))
BAD(swizzle_tiles_few, BAD_RUNS, PACKET, packet_image(p, 1, 0, 2); p->size -= 8;
	packet_run(p, 0, 15); packet_end(p))
BAD(swizzle_tiles_many, BAD_RUNS, PACKET, packet_image(p, 1, 0, 1); packet_run(p, 0, 1);
	packet_end(p))
BAD(swizzle_tiles_long, BAD_RUNS, PACKET, packet_image(p, 2, 0, 1); packet_poke(p, 88, 8, 1))
BAD(swizzle_tiles_split, BAD_RUNS, PACKET, packet_image(p, 1, 0, 2); p->size -= 8;
	packet_run(p, 0, 8); packet_run(p, 8 * PAGE, 8); packet_end(p))
BAD(swizzle_tiles_outside, BAD_RUNS, PACKET, packet_image(p, 1, 0, 1);
	packet_poke(p, 88, 8, VRAM))
BAD(swizzle_tiles_end, BAD_RUNS, PACKET, packet_image(p, 2, 0, 2); p->size -= 8;
	packet_run(p, VRAM - 15 * PAGE, 16); packet_end(p))
BAD(swizzle_tiles_top, BAD_RUNS, PACKET, packet_image(p, 1, 0, 1);
	packet_poke(p, 88, 8, ~0xfffull))
BAD(swizzle_aperture_runs, BAD_RUNS, PACKET, packet_image(p, 1, 2, 1); packet_run(p, 0, 1);
	packet_end(p))
BAD(swizzle_aperture, APERTURE, 0, packet_image(p, 1, 2, 1))
BAD(unswizzle_aperture, APERTURE, PAGE, packet_image(p, 2, 2, 1); packet_poke(p, 24, 8, PAGE + 4))

/* Maps by an address list. */
BAD(map2_flags, BAD_PACKET, PACKET, packet_map2(p, 0, 1, 8 | 2, 256))
BAD(map2_short, BAD_PACKET, PACKET, packet_map2(p, 0, 1, 2, 256); packet_poke(p, 4, 4, 24))
BAD(map2_segment, BAD_SEGMENT, 1, packet_map2(p, 0, 1, 2, 256); packet_poke(p, 8, 4, 1))
BAD(map2_empty, BAD_RANGE, PAGE, packet_map2(p, 1, 0, 2, 256))
BAD(map2_end, BAD_RANGE, APERTURE, packet_map2(p, APERTURE_PAGES, 1, 2, 256))
BAD(map2_past_end, BAD_RANGE, APERTURE - PAGE, packet_map2(p, APERTURE_PAGES - 1, 2, 2, 256))
BAD(map2_wrap, BAD_RANGE, ~0xfffull, packet_map2(p, ~0ull, 2, 2, 256))
BAD(map2_huge, BAD_RANGE, 0, packet_map2(p, 0, ~0u, 2, 256))
BAD(map2_window_end, BAD_RANGE, HOST_WINDOW, packet_map2(p, HOST_WINDOW / PAGE, 1, 4 | 2, 256))
BAD(map2_window_last, BAD_RANGE, HOST_WINDOW - PAGE, packet_map2(p, 0, 2, 4 | 2, 256);
	packet_poke(p, 16, 8, HOST_WINDOW / PAGE - 1))
BAD(map2_window_all, BAD_RANGE, 0, packet_map2(p, 0, APERTURE_PAGES, 4 | 2, 256))
BAD(map2_base_wide, BAD_RANGE, 1ull << 52, packet_map2(p, 0, 1, 2, 1ull << 52))
BAD(map2_base_end, BAD_RANGE, (1ull << 52) - 1, packet_map2(p, 0, 2, 2, (1ull << 52) - 1))
BAD(map2_base_high, BAD_RANGE, ~1ull, packet_map2(p, 0, 2, 2, ~1ull))
BAD(map2_base_array, BAD_RUNS, PACKET, packet_map2(p, 0, 1, 2, 256); packet_u64(p, 256);
	packet_end(p))
BAD(map2_list_none, BAD_RUNS, PACKET, packet_map2(p, 0, 1, 0, BUFFER + p->size + 32))
BAD(map2_list_short, BAD_RUNS, PACKET, packet_map2(p, 0, 3, 0, BUFFER + p->size + 32);
	packet_u64(p, 256); packet_u64(p, 257); packet_end(p))
BAD(map2_list_long, BAD_RUNS, PACKET, packet_map2(p, 0, 1, 0, BUFFER + p->size + 32);
	packet_u64(p, 256); packet_u64(p, 257); packet_end(p))
BAD(map2_list_wide, BAD_RUNS, PACKET, packet_map2(p, 0, 2, 0, BUFFER + p->size + 32);
	packet_u64(p, 256); packet_u64(p, 1ull << 52); packet_end(p))
BAD(map2_list_all_ones, BAD_RUNS, PACKET, packet_map2(p, 0, 1, 0, BUFFER + p->size + 32);
	packet_u64(p, ~0ull); packet_end(p))
BAD(map2_adl_0, BAD_RANGE, 0, packet_map2(p, 0, 1, 0, 0); packet_u64(p, 256); packet_end(p))
BAD(map2_adl_packet, BAD_RANGE, BUFFER + 32, packet_map2(p, 0, 1, 0, BUFFER + p->size);
	packet_u64(p, 256); packet_end(p))
BAD(map2_adl_behind, BAD_RANGE, BUFFER + 72, packet_map2(p, 0, 1, 0, BUFFER + p->size + 40);
	packet_u64(p, 256); packet_end(p))
BAD(map2_adl_buffer, BAD_RANGE, BUFFER, packet_map2(p, 0, 1, 0, BUFFER); packet_u64(p, 256);
	packet_end(p))
BAD(map2_adl_other, BAD_RANGE, RAM_BASE, packet_map2(p, 0, 1, 0, RAM_BASE); packet_u64(p, 256);
	packet_end(p))
BAD(map2_adl_high, BAD_RANGE, ~7ull, packet_map2(p, 0, 1, 0, ~7ull); packet_u64(p, 256);
	packet_end(p))

/* Special locks; what else is wrong in them is so in transfers that convert. */
BAD(lock_no_flag, BAD_PACKET, PACKET, packet_image(p, 1, 0, 1); packet_poke(p, 0, 4, 10);
	packet_poke(p, 60, 4, ~0u))
BAD(lock_both, BAD_PACKET, PACKET, packet_lock(p, 3, ~0u))
BAD(lock_flags, BAD_PACKET, PACKET, packet_lock(p, 4 | 1, ~0u))
BAD(lock_short, BAD_PACKET, PACKET, packet_lock(p, 1, ~0u); packet_poke(p, 4, 4, 72))
BAD(lock_from_aperture, BAD_SEGMENT, 2, packet_lock(p, 1, ~0u); packet_poke(p, 8, 4, 2))
BAD(lock_to_aperture, BAD_SEGMENT, 2, packet_lock(p, 2, ~0u); packet_poke(p, 12, 4, 2))
BAD(lock_from_vram, BAD_SEGMENT, 1, packet_lock(p, 1, ~0u); packet_poke(p, 8, 4, 1))
BAD(lock_tiles_in_system, BAD_SEGMENT, 0, packet_lock(p, 2, ~0u); packet_poke(p, 8, 4, 0))
BAD(lock_range_behind, BAD_RANGE, HOST_RANGES, packet_lock(p, 1, HOST_RANGES))
BAD(lock_range_far, BAD_RANGE, 0xffff, packet_lock(p, 2, 0x1ffff))
BAD(lock_range_data, BAD_RANGE, 0xfffe, packet_lock(p, 2, 0xfffffffe))
BAD(lock_level, BAD_RANGE, 0, packet_lock(p, 1, ~0u); packet_poke(p, 56, 2, 7))
BAD(lock_page, BAD_RANGE, PAGE, packet_lock(p, 1, ~0u); packet_poke(p, 16, 8, PAGE))
BAD(lock_runs_none, BAD_RUNS, PACKET, packet_lock(p, 1, ~0u); p->size -= 16; packet_end(p))
BAD(lock_tiles_outside, BAD_RUNS, PACKET, packet_lock(p, 2, 0); packet_poke(p, 88, 8, VRAM))

/*
 * Address spaces, in submissions of no context: what is refused all the same, and what is
 * looked at before it. In a context: bad-virtual.h.
 */
BAD(virtual_short, BAD_PACKET, PACKET, packet_transfer_virtual(p, 0, 2, 0, PAGE, 8);
	packet_poke(p, 4, 4, 32))
BAD(virtual_long, BAD_PACKET, PACKET, packet_transfer_virtual(p, 0, 2, 0, PAGE, 8);
	packet_u64(p, 0); packet_end(p))
BAD(virtual_flags, BAD_PACKET, PACKET, packet_transfer_virtual(p, 4, 2, 0, PAGE, 8))
BAD(virtual_flags_high, BAD_PACKET, PACKET, packet_transfer_virtual(p, 0x8000, 2, 0, PAGE, 8))
BAD(virtual_reserved, BAD_PACKET, PACKET, packet_transfer_virtual(p, 0, 2, 0, PAGE, 8);
	packet_poke(p, 12, 4, 1))
BAD(virtual_nowhere, BAD_CONTEXT, 0, packet_transfer_virtual(p, 0, 2, 0, PAGE, 8))
BAD(virtual_nowhere_range, BAD_CONTEXT, 0, packet_transfer_virtual(p, 3, 2, ~0ull, ~0ull, 0))
BAD(fill_virtual_short, BAD_PACKET, PACKET, packet_fill_virtual(p, 0, 8, 0);
	packet_poke(p, 4, 4, 24))
BAD(fill_virtual_long, BAD_PACKET, PACKET, packet_fill_virtual(p, 0, 8, 0); packet_u64(p, 0);
	packet_end(p))
BAD(fill_virtual_flags, BAD_PACKET, PACKET, packet_fill_virtual(p, 0, 8, 0);
	packet_poke(p, 2, 2, 1))
BAD(fill_virtual_reserved, BAD_PACKET, PACKET, packet_fill_virtual(p, 0, 8, 0);
	packet_poke(p, 28, 4, 1u << 31))
BAD(fill_virtual_nowhere, BAD_CONTEXT, 0, packet_fill_virtual(p, 0, 8, 0))
BAD(fill_virtual_nowhere_range, BAD_CONTEXT, 0, packet_fill_virtual(p, 1, 0, 0))

BAD(init_short, BAD_PACKET, PACKET, packet_init_context(p, 0, 1, 0); packet_poke(p, 4, 4, 16))
BAD(init_long, BAD_PACKET, PACKET, packet_init_context(p, 0, 1, 0); packet_u64(p, 0);
	packet_end(p))
BAD(init_flags, BAD_PACKET, PACKET, packet_init_context(p, 2, 1, 0))
BAD(init_flags_high, BAD_PACKET, PACKET, packet_init_context(p, 0x4000, 1, 0))
BAD(init_reserved, BAD_PACKET, PACKET, packet_init_context(p, 0, 1, 0);
	packet_poke(p, 12, 4, 1))
BAD(init_reserved_nowhere, BAD_PACKET, PACKET, packet_init_context(p, 0x8000, 0, 0);
	packet_poke(p, 12, 4, 1))
BAD(init_nowhere, BAD_CONTEXT, 0, packet_init_context(p, 0x8000, 0, PAGE))
BAD(init_nowhere_range, BAD_CONTEXT, 0, packet_init_context(p, 0x8000, 0, ~0ull))
BAD(init_segment, BAD_SEGMENT, 3, packet_init_context(p, 0, 3, 0))
BAD(init_segment_huge, BAD_SEGMENT, 0xffffffff, packet_init_context(p, 0, ~0u, 8))
BAD(init_vram_align, BAD_RANGE, 8, packet_init_context(p, 0, 1, 8))
BAD(init_vram_end, BAD_RANGE, VRAM, packet_init_context(p, 0, 1, VRAM))
BAD(init_vram_far, BAD_RANGE, ~0xfffull, packet_init_context(p, 0, 1, ~0xfffull))
BAD(init_aperture_end, BAD_RANGE, APERTURE, packet_init_context(p, 0, 2, APERTURE))
BAD(init_system_align, BAD_RANGE, RAM_BASE + 2048, packet_init_context(p, 0, 0, RAM_BASE + 2048))
BAD(init_aperture, APERTURE, PAGE, packet_init_context(p, 0, 2, PAGE))

BAD(table_short, BAD_PACKET, PACKET, packet_update_table(p, 0, 1, 0, 0, 0, 1, NULL, 0);
	packet_poke(p, 4, 4, 24))
BAD(table_flags, BAD_PACKET, PACKET, packet_table(p, 0x20, 1, 0, 0, 0, 1, 1))
BAD(table_flags_high, BAD_PACKET, PACKET, packet_table(p, 0x4000, 1, 0, 0, 0, 1, 1))
BAD(table_both, BAD_PACKET, PACKET, packet_table(p, 1 | 0x10, 1, 0, 0, 0, 1, 1))
BAD(table_nowhere, BAD_CONTEXT, 0, packet_table(p, 0x8000, 0, 0, 0, 0, 1, 1))
BAD(table_nowhere_range, BAD_CONTEXT, 0, packet_table(p, 0x8000, 0, 0, ~0ull, 0, 1, 1))
BAD(table_aperture, BAD_SEGMENT, 2, packet_table(p, 0, 2, 0, 0, 0, 1, 1))
BAD(table_segment, BAD_SEGMENT, 3, packet_table(p, 0, 3, 0, 8, 0, 1, 1))
BAD(table_align, BAD_RANGE, 8, packet_table(p, 0, 1, 0, 8, 0, 1, 1))
BAD(table_align_system, BAD_RANGE, RAM_BASE + 8, packet_table(p, 0, 0, 0, RAM_BASE + 8, 0, 1, 1))
BAD(table_end, BAD_RANGE, VRAM, packet_table(p, 0, 1, 0, VRAM, 0, 1, 1))
BAD(table_far, BAD_RANGE, ~0xfffull, packet_table(p, 0, 1, 0, ~0xfffull, 0, 1, 1))

BAD(flush_short, BAD_PACKET, PACKET, packet_flush_tlb(p, 0x21, 0, 0); packet_poke(p, 4, 4, 24))
BAD(flush_long, BAD_PACKET, PACKET, packet_flush_tlb(p, 0x21, 0, 0); packet_u64(p, 0);
	packet_end(p))
BAD(flush_flags, BAD_PACKET, PACKET, packet_flush_tlb(p, 0x21, 0, 0); packet_poke(p, 2, 2, 1))
BAD(flush_start_align, BAD_RANGE, 8, packet_flush_tlb(p, 0x21, 8, PAGE))
BAD(flush_end_align, BAD_RANGE, PAGE + 8, packet_flush_tlb(p, 0x21, 0, PAGE + 8))

BAD(context_short, BAD_PACKET, PACKET, packet_update_context(p, 0, 0, NULL, 0);
	packet_poke(p, 4, 4, 16))
BAD(context_flags, BAD_PACKET, PACKET, packet_member(p, 0, 0); packet_poke(p, 2, 2, 1))
BAD(context_nowhere, BAD_CONTEXT, 0, packet_member(p, 0, 0))
BAD(context_nowhere_range, BAD_CONTEXT, 0, packet_member(p, ~0ull, 4))

BAD(copies_none, BAD_PACKET, PACKET, packet_copy_table(p, NULL, 0))
BAD(copies_part, BAD_PACKET, PACKET, packet_copied(p, 0, PAGE, 1); packet_u64(p, 0);
	packet_end(p))
BAD(copies_flags, BAD_PACKET, PACKET, packet_copied(p, 0, PAGE, 1);
	packet_poke(p, 2, 2, 1))
BAD(copies_reserved, BAD_PACKET, PACKET, packet_copied(p, 0, PAGE, 1);
	packet_poke(p, 36, 4, 1))
BAD(copies_nowhere, BAD_CONTEXT, 0, packet_copied(p, 0, PAGE, 1))
BAD(copies_nowhere_range, BAD_CONTEXT, 0, packet_copied(p, 8, ~0ull, 0))

BAD(monitored_short, BAD_PACKET, PACKET, packet_signal_monitored(p, 0, 0, 0);
	packet_poke(p, 4, 4, 16))
BAD(monitored_long, BAD_PACKET, PACKET, packet_signal_monitored(p, 0, 0, 0); packet_u64(p, 0);
	packet_end(p))
BAD(monitored_flags, BAD_PACKET, PACKET, packet_signal_monitored(p, 2, 0, 0))
BAD(monitored_flags_high, BAD_PACKET, PACKET, packet_signal_monitored(p, 0x8001, 0, 0))
BAD(monitored_nowhere, BAD_CONTEXT, 0, packet_signal_monitored(p, 1, 0, 0))
BAD(monitored_nowhere_range, BAD_CONTEXT, 0, packet_signal_monitored(p, 1, ~0ull, 0))

/* Notices of residency. */
BAD(notice_short, BAD_PACKET, PACKET, packet_residency(p, 0, 1, 0, 0); packet_poke(p, 4, 4, 16))
BAD(notice_long, BAD_PACKET, PACKET, packet_residency(p, 0, 1, 0, 0); packet_u64(p, 0);
	packet_end(p))
BAD(notice_flags, BAD_PACKET, PACKET, packet_residency(p, 2, 1, 0, 0))
BAD(notice_flags_high, BAD_PACKET, PACKET, packet_residency(p, 0x8001, 1, 1, 1ull << 56))
BAD(notice_nobody, BAD_PACKET, PACKET, packet_residency(p, 1, 0, 1, 1ull << 56))
BAD(notice_nobody_leaves, BAD_PACKET, PACKET, packet_residency(p, 0, 0, 0, 0))
BAD(notice_leaves_pages, BAD_PACKET, PACKET, packet_residency(p, 0, 1, 1, 0))
BAD(notice_leaves_address, BAD_PACKET, PACKET, packet_residency(p, 0, 1, 0, 1ull << 56))
BAD(notice_system, BAD_SEGMENT, 0, packet_residency(p, 1, 1, 1, RAM_BASE))
BAD(notice_segment, BAD_SEGMENT, 3, packet_residency(p, 1, 1, 0, 3ull << 56 | 8))
BAD(notice_segment_high, BAD_SEGMENT, 255, packet_residency(p, 1, 1, 1, 255ull << 56))
BAD(notice_empty, BAD_RANGE, 1ull << 56, packet_residency(p, 1, 1, 0, 1ull << 56))
BAD(notice_align, BAD_RANGE, 1ull << 56 | 8, packet_residency(p, 1, 1, 1, 1ull << 56 | 8))
BAD(notice_vram_end, BAD_RANGE, 1ull << 56 | VRAM, packet_residency(p, 1, 1, 1, 1ull << 56 | VRAM))
BAD(notice_vram_past, BAD_RANGE, 1ull << 56, packet_residency(p, 1, 1, VRAM / PAGE + 1, 1ull << 56))
BAD(notice_vram_huge, BAD_RANGE, 1ull << 56, packet_residency(p, 1, 1, ~0u, 1ull << 56))
BAD(notice_past, BAD_RANGE, 2ull << 56, packet_residency(p, 1, 1, APERTURE_PAGES + 1, 2ull << 56))
BAD(notice_far, BAD_RANGE, (3ull << 56) - PAGE, packet_residency(p, 1, 1, 1, (3ull << 56) - PAGE))
BAD(notice_nowhere, RESIDENCY, 77, packet_residency(p, 0, 77, 0, 0))

BAD(part_short, BAD_PACKET, PACKET, packet_residency2(p, 0, 1, 1, 0, 1); packet_poke(p, 4, 4, 16))
BAD(part_flags, BAD_PACKET, PACKET, packet_residency2(p, 4, 1, 1, 0, 1))
BAD(part_nobody, BAD_PACKET, PACKET, packet_residency2(p, 0, 0, 1, 0, 1))
BAD(part_system, BAD_SEGMENT, 0, packet_residency2(p, 1, 1, 0, 0, 1); packet_run(p, RAM_BASE, 1);
	packet_end(p))
BAD(part_segment, BAD_SEGMENT, 3, packet_residency2(p, 0, 1, 3, 0, 0))
BAD(part_segment_huge, BAD_SEGMENT, 0xffffffff, packet_residency2(p, 0, 1, ~0u, 0, 1))
BAD(part_empty, BAD_RANGE, 9, packet_residency2(p, 0, 1, 1, 9, 0))
BAD(part_empty_comes, BAD_RANGE, 9, packet_residency2(p, 1, 1, 1, 9, 0))
BAD(part_past, BAD_RANGE, 0xffffffff, packet_residency2(p, 0, 1, 1, ~0u, 2))
BAD(part_past_comes, BAD_RANGE, 2, packet_residency2(p, 1, 1, 1, 2, ~0u))
BAD(part_runs_none, BAD_RUNS, PACKET, packet_residency2(p, 1, 1, 1, 0, 1))
BAD(part_runs_short, BAD_RUNS, PACKET, packet_residency2(p, 1, 1, 1, 0, 3); packet_run(p, 0, 2);
	packet_end(p))
BAD(part_runs_long, BAD_RUNS, PACKET, packet_residency2(p, 1, 1, 1, 0, 1); packet_run(p, 0, 2);
	packet_end(p))
BAD(part_runs_more, BAD_RUNS, PACKET, packet_residency2(p, 1, 1, 1, 0, 1); packet_run(p, 0, 1);
	packet_run(p, PAGE, 1); packet_end(p))
BAD(part_runs_outside, BAD_RUNS, PACKET, packet_residency2(p, 1, 1, 1, 0, 2);
	packet_run(p, VRAM - PAGE, 2); packet_end(p))
BAD(part_runs_aperture, BAD_RUNS, PACKET, packet_residency2(p, 1, 1, 2, 0, 1);
	packet_run(p, APERTURE, 1); packet_end(p))
BAD(part_runs_leave, BAD_RUNS, PACKET, packet_residency2(p, 0, 1, 1, 0, 1); packet_run(p, 0, 1);
	packet_end(p))
BAD(part_twice, RESIDENCY, 1ull << 56 | PAGE, packet_residency2(p, 1, 1, 1, 0, 2);
	packet_run(p, PAGE, 1); packet_run(p, PAGE, 1); packet_end(p))
BAD(part_nowhere, RESIDENCY, 5, packet_residency2(p, 0, 1, 2, 5, 3))

/* MMUs: as a place to read or write, and not as another one. */
BAD(mmu_src_end, BAD_RANGE, HOST_MMU - 7, packet_transfer(p, 3, HOST_MMU - 7, 1, 0, 8))
BAD(mmu_dst_end, BAD_RANGE, HOST_MMU, packet_transfer(p, 1, 0, 4, HOST_MMU, 1))
BAD(mmu_src, MMU, 3ull << 56 | PAGE, packet_transfer(p, 3, PAGE + 16, 1, 0, 8))
BAD(mmu_dst, MMU, 4ull << 56 | (HOST_MMU - PAGE), packet_transfer(p, 1, 0, 4, HOST_MMU - 8, 8))
BAD(mmu_read, MMU, 4ull << 56, packet_physical(p, 4, 4, 8, 8, 0))
BAD(mmu_write, MMU, 3ull << 56 | PAGE, packet_physical(p, 5, 3, PAGE, 8, 0))
BAD(mmu_write_end, BAD_RANGE, HOST_MMU, packet_physical(p, 5, 3, HOST_MMU, 8, 0))
BAD(mmu_swizzle, MMU, 3ull << 56, packet_image(p, 1, 3, 1))
BAD(mmu_swizzle_end, BAD_RANGE, HOST_MMU - PAGE + 4, packet_image(p, 1, 4, 1);
	packet_poke(p, 16, 8, HOST_MMU - PAGE + 4))
BAD(mmu_swizzle_tiles, BAD_SEGMENT, 3, packet_image(p, 1, 0, 1); packet_poke(p, 12, 4, 3))
BAD(mmu_fill, BAD_SEGMENT, 3, packet_fill(p, 3, 0, 4, 0))
BAD(mmu_discard, BAD_SEGMENT, 4, packet_discard(p, 4, 0, PAGE))
BAD(mmu_aperture, BAD_SEGMENT, 3, packet_unmap(p, 0, 1, RAM_BASE); p->bytes[p->start + 8] = 3)
BAD(mmu_lock, BAD_SEGMENT, 4, packet_lock(p, 1, ~0u); packet_poke(p, 8, 4, 4))
BAD(mmu_init, BAD_SEGMENT, 4, packet_init_context(p, 0, 4, 0))
BAD(mmu_table, BAD_SEGMENT, 4, packet_table(p, 0, 4, 0, 0, 0, 1, 1))
BAD(mmu_notice, BAD_SEGMENT, 4, packet_residency(p, 1, 1, 1, 4ull << 56))

BAD(map_mmu_short, BAD_PACKET, PACKET, packet_map_mmu(p, 0, 0, 1, 0, 1); packet_poke(p, 4, 4, 24))
BAD(map_mmu_flags, BAD_PACKET, PACKET, packet_map_mmu(p, 4, 0, 1, 0, 1); packet_u64(p, 0);
	packet_end(p))
BAD(map_mmu_reserved, BAD_PACKET, PACKET, packet_map_mmu(p, 0, 0, 1, 0, 1); packet_u64(p, 0);
	packet_end(p); packet_poke(p, 28, 4, 1))
BAD(map_mmu_aperture, BAD_SEGMENT, 2, packet_map_mmu(p, 0, 2, 2, 8, 0))
BAD(map_mmu_mmu, BAD_SEGMENT, 3, packet_map_mmu(p, 0, 0, 3, 0, 1); packet_u64(p, 0);
	packet_end(p))
BAD(map_mmu_number, BAD_RANGE, 2, packet_map_mmu(p, 0, 2, 1, 8, 0))
BAD(map_mmu_number_huge, BAD_RANGE, 0xffffffff, packet_map_mmu(p, 0, ~0u, 0, 0, 1))
BAD(map_mmu_empty, BAD_RANGE, PAGE, packet_map_mmu(p, 0, 0, 1, PAGE, 0))
BAD(map_mmu_align, BAD_RANGE, 8, packet_map_mmu(p, 0, 0, 1, 8, 1); packet_u64(p, 0);
	packet_end(p))
BAD(map_mmu_end, BAD_RANGE, HOST_MMU - PAGE, packet_map_mmu(p, 2, 0, 1, HOST_MMU - PAGE, 2);
	packet_u64(p, 0); packet_end(p))
BAD(map_mmu_far, BAD_RANGE, ~0xfffull, packet_map_mmu(p, 2, 1, 1, ~0xfffull, 2);
	packet_u64(p, 0); packet_end(p))
BAD(map_mmu_huge, BAD_RANGE, 0, packet_map_mmu(p, 2, 1, 1, 0, ~0u); packet_u64(p, 0);
	packet_end(p))
BAD(map_mmu_none, BAD_RUNS, PACKET, packet_map_mmu(p, 0, 0, 1, 0, 1))
BAD(map_mmu_few, BAD_RUNS, PACKET, packet_map_mmu(p, 1, 0, 1, 0, 2); packet_u64(p, 0);
	packet_end(p))
BAD(map_mmu_many, BAD_RUNS, PACKET, packet_map_mmu(p, 0, 0, 1, 0, 1); packet_u64(p, 0);
	packet_u64(p, 0); packet_end(p))
BAD(map_mmu_base_list, BAD_RUNS, PACKET, packet_map_mmu(p, 2, 0, 1, 0, 2); packet_u64(p, 0);
	packet_u64(p, 0); packet_end(p))
BAD(map_mmu_base_none, BAD_RUNS, PACKET, packet_map_mmu(p, 2, 0, 1, 0, 2))
BAD(map_mmu_vram_end, BAD_RUNS, PACKET, packet_map_mmu(p, 0, 0, 1, 0, 2); packet_u64(p, 0);
	packet_u64(p, VRAM / PAGE); packet_end(p))
BAD(map_mmu_vram_base, BAD_RUNS, PACKET, packet_map_mmu(p, 2, 0, 1, 0, 2);
	packet_u64(p, VRAM / PAGE - 1); packet_end(p))
BAD(map_mmu_system_end, BAD_RUNS, PACKET, packet_map_mmu(p, 0, 0, 0, 0, 1);
	packet_u64(p, 1ull << 52); packet_end(p))
BAD(map_mmu_system_base, BAD_RUNS, PACKET, packet_map_mmu(p, 3, 0, 0, 0, 2);
	packet_u64(p, (1ull << 52) - 1); packet_end(p))
BAD(unmap_mmu_flags, BAD_PACKET, PACKET, packet_unmap_mmu(p, 0, 0, 1); packet_poke(p, 2, 2, 1))
BAD(unmap_mmu_long, BAD_PACKET, PACKET, packet_unmap_mmu(p, 0, 0, 1); packet_u64(p, 0);
	packet_end(p))
BAD(unmap_mmu_number, BAD_RANGE, 2, packet_unmap_mmu(p, 2, 8, 0))
BAD(unmap_mmu_empty, BAD_RANGE, 0, packet_unmap_mmu(p, 1, 0, 0))
BAD(unmap_mmu_align, BAD_RANGE, 16, packet_unmap_mmu(p, 1, 16, 1))
BAD(unmap_mmu_end, BAD_RANGE, HOST_MMU, packet_unmap_mmu(p, 1, HOST_MMU, 1))
BAD(unmap_mmu_huge, BAD_RANGE, PAGE, packet_unmap_mmu(p, 0, PAGE, ~0u))

BAD(fences_none, BAD_PACKET, PACKET, packet_u32(p, 24); packet_u32(p, 8))
BAD(fences_part, BAD_PACKET, PACKET, packet_fences(p, 0, 1, 8, 16); packet_u64(p, 0);
	packet_end(p))
BAD(fences_flags, BAD_PACKET, PACKET, packet_fences(p, 0, 1, 8, 16); packet_poke(p, 2, 2, 1))
BAD(fences_reserved, BAD_PACKET, PACKET, packet_fences(p, 0, 1, 8, 16); packet_poke(p, 12, 4, 1))
BAD(fences_no_owner, BAD_PACKET, PACKET, packet_fences(p, 0, 0, 8, 16))
BAD(fences_no_current, BAD_PACKET, PACKET, packet_fences(p, 0, 1, 0, 16))
BAD(fences_no_monitored, BAD_PACKET, PACKET, packet_fences(p, 0, 1, 8, 0))
BAD(fences_owner_alone, BAD_PACKET, PACKET, packet_fences(p, 1024, 1, 0, 0))
BAD(fences_number, BAD_RANGE, 1024, packet_fences(p, 1024, 1, 8, 16))
BAD(fences_number_nowhere, BAD_RANGE, 0xffffffff, packet_fences(p, ~0u, 0, 0, 0))
BAD(fences_owner, BAD_RANGE, 0xfffffffffffffffe, packet_fences(p, 1023, ~1ull, 8, 16))
BAD(fences_segment, BAD_SEGMENT, 3, packet_fences(p, 1, 1, 3ull << 56, 16))
BAD(fences_segment2, BAD_SEGMENT, 255, packet_fences(p, 1, 1, 16, ~7ull))
BAD(fences_align, BAD_RANGE, 12, packet_fences(p, 1, 1, 12, 16))
BAD(fences_align2, BAD_RANGE, 1ull << 56 | 4, packet_fences(p, 1, 1, 8, 1ull << 56 | 4))
BAD(fences_vram_end, BAD_RANGE, 1ull << 56 | VRAM, packet_fences(p, 1, 1, 1ull << 56 | VRAM, 16))
BAD(fences_end, BAD_RANGE, 2ull << 56 | APERTURE, packet_fences(p, 1, 1, 8, 2ull << 56 | APERTURE))
BAD(fences_second, BAD_RANGE, 1025, packet_fences(p, 1, 1, 8, 16); packet_u64(p, 1025);
	packet_u64(p, 0); packet_u64(p, 0); packet_u64(p, 0); packet_end(p))

BAD(allocation_short, BAD_PACKET, PACKET, packet_allocation(p, 1, 0, PAGE, 0);
	packet_poke(p, 4, 4, 32))
BAD(allocation_long, BAD_PACKET, PACKET, packet_allocation(p, 1, 0, PAGE, 0); packet_u64(p, 0);
	packet_end(p))
BAD(allocation_no_flag, BAD_PACKET, PACKET, packet_allocation(p, 0, 0, PAGE, 0))
BAD(allocation_both, BAD_PACKET, PACKET, packet_allocation(p, 3, 0, PAGE, 0))
BAD(allocation_flags, BAD_PACKET, PACKET, packet_allocation(p, 4, 0, PAGE, 0))
BAD(allocation_more_flags, BAD_PACKET, PACKET, packet_allocation(p, 9, 0, PAGE, 0))
BAD(allocation_0, BAD_PACKET, PACKET, packet_allocation(p, 1, 0, PAGE, 0); packet_poke(p, 8, 4, 0))
BAD(allocation_reserved, BAD_PACKET, PACKET, packet_allocation(p, 2, 0, PAGE, 0);
	packet_poke(p, 12, 4, 1))
BAD(allocation_nowhere, BAD_CONTEXT, 0, packet_allocation(p, 1, 0, PAGE, 0))
BAD(allocation_nowhere_range, BAD_CONTEXT, 0, packet_allocation(p, 2, 8, 0, ~0ull))
