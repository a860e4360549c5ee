/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of the paging ring that the engine refuses in a submission of a context, and
 * commands with addresses that none has: BAD(ring, name, fault, address, how to build it).
 * Where the specification says that something is refused, but not by which fault or with
 * which address, SOME and ANY stand for it.
 * Included twice by test-bad-virtual.c, hence without a guard.
 */

/* TRANSFER_VIRTUAL. */
BAD(paging, transfer_reserved, BAD_PACKET, PACKET, packet_move(p, A, B, 8);
	packet_poke(p, 12, 4, 1))
BAD(paging, transfer_flags, BAD_PACKET, PACKET, packet_transfer_virtual(p, 8, 2, A, B, 8))
BAD(paging, transfer_direction, SOME, ANY, packet_transfer_virtual(p, 0, 3, A, B, 8))
BAD(paging, transfer_direction_all, SOME, ANY, packet_transfer_virtual(p, 0, ~0u, A, B, 8))
BAD(paging, transfer_empty, BAD_RANGE, A, packet_move(p, A, B, 0))
BAD(paging, transfer_src_end, BAD_RANGE, VA_END - 4, packet_move(p, VA_END - 4, B, 5))
BAD(paging, transfer_dst_end, BAD_RANGE, VA_END - 4, packet_move(p, A, VA_END - 4, 5))
BAD(paging, transfer_src_behind, BAD_RANGE, VA_END, packet_move(p, VA_END, B, 1))
BAD(paging, transfer_dst_behind, BAD_RANGE, IN_VRAM(0), packet_move(p, A, IN_VRAM(0), 1))
BAD(paging, transfer_wrap, BAD_RANGE, ~7ull, packet_move(p, ~7ull, B, 16))
BAD(paging, transfer_huge, BAD_RANGE, A, packet_move(p, A, B, ~0ull))
BAD(paging, transfer_one_more, BAD_RANGE, 0, packet_move(p, 0, 0, VA_END + 1))
BAD(paging, transfer_src_first, BAD_RANGE, VA_END, packet_move(p, VA_END, VA_END + 8, 1))

/* FILL_VIRTUAL. */
BAD(paging, fill_reserved, BAD_PACKET, PACKET, packet_fill_virtual(p, A, 8, 1);
	packet_poke(p, 28, 4, 1))
BAD(paging, fill_empty, BAD_RANGE, A, packet_fill_virtual(p, A, 0, 1))
BAD(paging, fill_address, BAD_RANGE, A + 2, packet_fill_virtual(p, A + 2, 4, 1))
BAD(paging, fill_size, BAD_RANGE, A, packet_fill_virtual(p, A, 6, 1))
BAD(paging, fill_end, BAD_RANGE, VA_END - 4, packet_fill_virtual(p, VA_END - 4, 8, 1))
BAD(paging, fill_behind, BAD_RANGE, VA_END, packet_fill_virtual(p, VA_END, 4, 1))
BAD(paging, fill_wrap, BAD_RANGE, ~3ull, packet_fill_virtual(p, ~3ull, 8, 1))
BAD(paging, fill_huge, BAD_RANGE, A, packet_fill_virtual(p, A, ~3ull, 1))

/* INIT_CONTEXT. */
BAD(paging, init_reserved, BAD_PACKET, PACKET, packet_init_context(p, 0x8000, 0, A);
	packet_poke(p, 12, 4, 1))
BAD(paging, init_segment, SOME, ANY, packet_init_context(p, 0x8000, 1, A))
BAD(paging, init_align, BAD_RANGE, A + 64, packet_init_context(p, 0x8000, 0, A + 64))
BAD(paging, init_behind, BAD_RANGE, VA_END, packet_init_context(p, 0x8000, 0, VA_END))
BAD(paging, init_far, BAD_RANGE, ~0xfffull, packet_init_context(p, 0x8000, 0, ~0xfffull))

/* UPDATE_PAGE_TABLE: as many entries as it says. */
BAD(paging, table_none, BAD_PACKET, PACKET, packet_table(p, 0x8000, 0, 0, A, 0, 1, 0))
BAD(paging, table_few, BAD_PACKET, PACKET, packet_table(p, 0x8000, 0, 0, A, 0, 3, 2))
BAD(paging, table_many, BAD_PACKET, PACKET, packet_table(p, 0x8000, 0, 0, A, 0, 1, 2))
BAD(paging, table_repeat_many, BAD_PACKET, PACKET, packet_table(p, 0x8001, 0, 0, A, 0, 2, 2))
BAD(paging, table_repeat_none, BAD_PACKET, PACKET, packet_table(p, 0x8001, 0, 0, A, 0, 2, 0))
BAD(paging, table_contiguous_many, BAD_PACKET, PACKET, packet_table(p, 0x8010, 0, 0, A, 0, 2, 2))
BAD(paging, table_contiguous_none, BAD_PACKET, PACKET, packet_table(p, 0x8010, 0, 0, A, 0, 2, 0))
BAD(paging, table_64k_places, BAD_PACKET, PACKET, packet_table(p, 0x8008, 0, 0, A, 0, 1, 16))
BAD(paging, table_both, BAD_PACKET, PACKET, packet_table(p, 0x8011, 0, 0, A, 0, 2, 1))
BAD(paging, table_all_flags, BAD_PACKET, PACKET, packet_table(p, 0xffff, 0, 0, A, 0, 1, 1))
BAD(paging, table_empty, SOME, ANY, packet_table(p, 0x8000, 0, 0, A, 0, 0, 0))
BAD(paging, table_empty_repeat, SOME, ANY, packet_table(p, 0x8001, 0, 0, A, 0, 0, 1))
BAD(paging, table_empty_initial, SOME, ANY, packet_table(p, 0x8002, 0, 0, A, 0, 0, 0))
BAD(paging, table_level, SOME, ANY, packet_table(p, 0x8000, 0, 4, A, 0, 1, 1))
BAD(paging, table_level_all, SOME, ANY, packet_table(p, 0x8000, 0, ~0u, A, 0, 1, 1))
BAD(paging, table_64k_level_1, SOME, ANY, packet_table(p, 0x8008, 0, 1, A, 0, 1, 1))
BAD(paging, table_64k_level_3, SOME, ANY, packet_table(p, 8, 1, 3, VRAM_SPARE, 0, 1, 1))
BAD(paging, table_contiguous_level_2, SOME, ANY, packet_table(p, 0x8010, 0, 2, A, 0, 2, 1))
BAD(paging, table_contiguous_level_3, SOME, ANY, packet_table(p, 0x10, 1, 3, VRAM_SPARE, 0, 2, 1))
BAD(paging, table_segment, SOME, ANY, packet_table(p, 0x8000, 1, 0, A, 0, 1, 1))
BAD(paging, table_end, SOME, ANY, packet_table(p, 0x8000, 0, 0, A, 511, 2, 2))
BAD(paging, table_behind, SOME, ANY, packet_table(p, 0x8000, 0, 0, A, 512, 1, 1))
BAD(paging, table_start, SOME, ANY, packet_table(p, 0x8001, 0, 0, A, ~0u, 2, 1))
BAD(paging, table_count, SOME, ANY, packet_table(p, 0x8001, 0, 0, A, 0, 513, 1))
BAD(paging, table_count_all, SOME, ANY, packet_table(p, 0x8001, 0, 0, A, 1, ~0u, 1))
BAD(paging, table_64k_end, SOME, ANY, packet_table(p, 0x8008, 0, 0, A, 31, 2, 2))
BAD(paging, table_64k_count, SOME, ANY, packet_table(p, 0x8009, 0, 0, A, 0, 33, 1))
BAD(paging, table_64k_start, SOME, ANY, packet_table(p, 0x8009, 0, 0, A, 0x10000000, 1, 1))
BAD(paging, table_contiguous_end, SOME, ANY, packet_table(p, 0x8010, 0, 1, A, 500, 13, 1))
BAD(paging, table_align, BAD_RANGE, A + 8, packet_table(p, 0x8000, 0, 0, A + 8, 0, 1, 1))
BAD(paging, table_behind_all, BAD_RANGE, VA_END, packet_table(p, 0x8000, 0, 0, VA_END, 0, 1, 1))
BAD(paging, table_evicted, SOME, ANY, packet_table(p, 0x8004, 0, 0, A, 0, 2, 2))
BAD(paging, table_evicted_last, SOME, ANY, packet_last(p, 0x8004, 1))
BAD(paging, table_evicted_repeat, SOME, ANY, packet_table(p, 0x8005, 0, 0, A, 0, 2, 1))
BAD(paging, table_evicted_contiguous, SOME, ANY, packet_table(p, 0x8014, 0, 0, A, 0, 2, 1))
BAD(paging, table_contiguous_invalid, SOME, ANY, packet_first(p, 0x8010, 0, 2, 0x5000))
BAD(paging, table_contiguous_zero, SOME, ANY, packet_first(p, 0x8010, 0, 2, 3))
BAD(paging, table_contiguous_top, SOME, ANY, packet_first(p, 0x8010, 0, 2, ~0xfffull | 1))
BAD(paging, table_contiguous_top_64k, SOME, ANY, packet_first(p, 0x8018, 0, 3, ~0x1ffffull | 1))
BAD(paging, table_contiguous_top_2m, SOME, ANY, packet_first(p, 0x8010, 1, 2, ~0x1fffffull | 1))

/* FLUSH_TLB. */
BAD(paging, flush_root, SOME, ANY, packet_flush_tlb(p, PTE_SEGMENT(1), 0, 0))
BAD(paging, flush_root_0, SOME, ANY, packet_flush_tlb(p, 0, 0, PAGE))
BAD(paging, flush_empty, BAD_RANGE, ANY, packet_flush_tlb(p, PTE_VRAM, A, A))
BAD(paging, flush_back, BAD_RANGE, ANY, packet_flush_tlb(p, PTE_VRAM, B, A))
BAD(paging, flush_end_0, BAD_RANGE, ANY, packet_flush_tlb(p, PTE_VRAM, A, 0))
BAD(paging, flush_start, BAD_RANGE, A + 8, packet_flush_tlb(p, PTE_VRAM, A + 8, A + PAGE))
BAD(paging, flush_end, BAD_RANGE, A + 8, packet_flush_tlb(p, PTE_VRAM, A, A + 8))

/* UPDATE_CONTEXT. */
BAD(paging, context_few, BAD_PACKET, PACKET, packet_update_context(p, A, 0, numbers, 16);
	packet_poke(p, 20, 4, 24))
BAD(paging, context_many, BAD_PACKET, PACKET, packet_update_context(p, A, 0, numbers, 16);
	packet_poke(p, 20, 4, 8))
BAD(paging, context_all, SOME, ANY, packet_update_context(p, A, 0, numbers, 16);
	packet_poke(p, 20, 4, 0xfffffff8))
BAD(paging, context_empty, SOME, ANY, packet_update_context(p, A, 0, numbers, 0))
BAD(paging, context_odd, SOME, ANY, packet_update_context(p, A, 0, numbers, 16);
	packet_poke(p, 20, 4, 12))
BAD(paging, context_offset, BAD_RANGE, ANY, packet_update_context(p, A, 4, numbers, 8))
BAD(paging, context_end, BAD_RANGE, ANY, packet_update_context(p, A, PAGE - 8, numbers, 16))
BAD(paging, context_behind, BAD_RANGE, ANY, packet_update_context(p, A, PAGE, numbers, 8))
BAD(paging, context_far, BAD_RANGE, ANY, packet_update_context(p, A, 0xfffffff8, numbers, 16))
BAD(paging, context_align, BAD_RANGE, A + 8, packet_update_context(p, A + 8, 0, numbers, 8))
BAD(paging, context_behind_all, BAD_RANGE, VA_END, packet_update_context(p, VA_END, 0, numbers, 8))

/* COPY_PAGE_TABLE: nothing is copied if one range is bad. */
BAD(paging, copies_src, BAD_RANGE, A + 8, packet_copies(p, A + 8, B, 0, 0, 1))
BAD(paging, copies_dst, BAD_RANGE, B + 8, packet_copies(p, A, B + 8, 0, 0, 1))
BAD(paging, copies_src_behind, BAD_RANGE, VA_END, packet_copies(p, VA_END, B, 0, 0, 1))
BAD(paging, copies_dst_behind, BAD_RANGE, VA_END, packet_copies(p, A, VA_END, 0, 0, 1))
BAD(paging, copies_empty, BAD_RANGE, ANY, packet_copies(p, A, B, 0, 0, 0))
BAD(paging, copies_src_end, BAD_RANGE, ANY, packet_copies(p, A, B, 500, 0, 13))
BAD(paging, copies_dst_end, BAD_RANGE, ANY, packet_copies(p, A, B, 0, 511, 2))
BAD(paging, copies_src_start, BAD_RANGE, ANY, packet_copies(p, A, B, ~0u, 0, 2))
BAD(paging, copies_dst_start, BAD_RANGE, ANY, packet_copies(p, A, B, 0, 512, 1))
BAD(paging, copies_count, BAD_RANGE, ANY, packet_copies(p, A, B, 0, 0, 513))
BAD(paging, copies_count_all, BAD_RANGE, ANY, packet_copies(p, A, B, 1, 1, ~0u))
BAD(paging, copies_reserved, BAD_PACKET, PACKET, packet_copies(p, A, B, 0, 0, 1);
	packet_poke(p, 68, 4, 1))
BAD(paging, copies_part, BAD_PACKET, PACKET, packet_copies(p, A, B, 0, 0, 1);
	packet_u64(p, A); packet_u64(p, B); packet_end(p))

BAD(paging, monitored_flags, BAD_PACKET, PACKET, packet_signal_monitored(p, 2, A, 1))
BAD(paging, monitored_align, BAD_RANGE, A + 4, packet_signal_monitored(p, 1, A + 4, 1))
BAD(paging, monitored_behind, BAD_RANGE, VA_END, packet_signal_monitored(p, 1, VA_END, 1))
BAD(paging, monitored_top, BAD_RANGE, ~7ull, packet_signal_monitored(p, 1, ~7ull, 1))

BAD(paging, allocation_0, BAD_PACKET, PACKET, packet_allocation(p, 1, 0, PAGE, A);
	packet_poke(p, 8, 4, 0))
BAD(paging, allocation_both, BAD_PACKET, PACKET, packet_allocation(p, 3, 0, PAGE, A))
BAD(paging, allocation_offset, BAD_RANGE, 8, packet_allocation(p, 1, 8, PAGE, A))
BAD(paging, allocation_wrap, BAD_RANGE, ~0xfffull, packet_allocation(p, 2, ~0xfffull, PAGE, A))
BAD(paging, allocation_empty, BAD_RANGE, A, packet_allocation(p, 1, 0, 0, A))
BAD(paging, allocation_size, BAD_RANGE, A, packet_allocation(p, 2, 0, PAGE + 8, A))
BAD(paging, allocation_align, BAD_RANGE, A + 16, packet_allocation(p, 1, 0, PAGE, A + 16))
BAD(paging, allocation_end, BAD_RANGE, VA_END, packet_allocation(p, 1, 0, PAGE, VA_END))
BAD(paging, allocation_huge, BAD_RANGE, A, packet_allocation(p, 2, 0, ~0xfffull, A))

/* Commands, whose addresses are virtual here: none of a segment, and none behind 48 bits. */
BAD(execution, copy_src_vram, BAD_RANGE, IN_VRAM(0), command_copy(p, IN_VRAM(0), A, 8))
BAD(execution, copy_dst_aperture, BAD_RANGE, IN_APERTURE(0), command_copy(p, A, IN_APERTURE(0), 8))
BAD(execution, copy_segment_3, BAD_RANGE, 3ull << 56, command_copy(p, A, 3ull << 56, 8))
BAD(execution, copy_src_end, BAD_RANGE, VA_END - 7, command_copy(p, VA_END - 7, A, 8))
BAD(execution, copy_dst_end, BAD_RANGE, VA_END - 7, command_copy(p, A, VA_END - 7, 8))
BAD(execution, copy_behind, BAD_RANGE, VA_END, command_copy(p, VA_END, A, 1))
BAD(execution, copy_empty, BAD_RANGE, A, command_copy(p, A, B, 0))
BAD(execution, copy_huge, BAD_RANGE, A, command_copy(p, A, B, ~0ull))
BAD(execution, fill_end, BAD_RANGE, VA_END - 4, command_fill(p, VA_END - 4, 8, 1))
BAD(execution, fill_align, BAD_RANGE, A + 1, command_fill(p, A + 1, 8, 1))
BAD(execution, arithmetic_src, BAD_RANGE, A + 2, command_arithmetic(p, 1, A + 2, B, 8))
BAD(execution, arithmetic_end, BAD_RANGE, VA_END, command_arithmetic(p, 1, A, VA_END, 8))
BAD(execution, checksum_align, BAD_RANGE, A + 8, command_checksum(p, A + 8, B, 8))
BAD(execution, checksum_end, BAD_RANGE, VA_END - 32, command_checksum(p, VA_END - 32, B, 33))
BAD(execution, checksum_result, BAD_RANGE, B + 4, command_checksum(p, A, B + 4, 8))
BAD(execution, compare_result, BAD_RANGE, VA_END - 8, command_compare(p, A, A, VA_END - 8, 8))
BAD(execution, write_align, BAD_RANGE, A + 4, command_write_value(p, A + 4, 8))
BAD(execution, write_behind, BAD_RANGE, VA_END, command_write_value(p, VA_END, 8))
BAD(execution, set_none, BAD_CONTEXT, 0, command_set_register(p, 1, 0, 5))
BAD(execution, store_none, BAD_CONTEXT, 0, command_store_register(p, 0, A))
BAD(execution, load_none, BAD_CONTEXT, 0, command_load_register(p, 1, 0, A))
BAD(execution, wait_far, BAD_RANGE, ~7ull, command_wait_value(p, 1, ~7ull, 8))
BAD(execution, rect_end, BAD_RANGE, VA_END - 16 * 64 + 4, command_src(p, &vram_area);
	packet_poke(p, 8, 8, VA_END - 16 * 64 + 4); packet_poke(p, 40, 8, A))
BAD(execution, rect_dst_behind, BAD_RANGE, AT_vram_area, command_src(p, &vram_area);
	packet_poke(p, 8, 8, A))
BAD(execution, rect_tile, BAD_RANGE, A + 64, command_src(p, &tiled_area);
	packet_poke(p, 8, 8, A + 64); packet_poke(p, 40, 8, A))
BAD(execution, rect_tiles_end, BAD_RANGE, VA_END - PAGE, command_src(p, &tiled_area);
	packet_poke(p, 8, 8, VA_END - PAGE); packet_poke(p, 40, 8, A))
BAD(execution, paging_transfer, BAD_OPCODE, PACKET, packet_move(p, A, B, 8))
BAD(execution, paging_fill, BAD_OPCODE, PACKET, packet_fill_virtual(p, A, 8, 1))
BAD(execution, paging_init, BAD_OPCODE, PACKET, packet_init_context(p, 0x8000, 0, A))
BAD(execution, paging_table, BAD_OPCODE, PACKET, packet_table(p, 0x8000, 0, 0, A, 0, 1, 1))
BAD(execution, paging_flush, BAD_OPCODE, PACKET, packet_flush_tlb(p, PTE_VRAM, 0, 0))
BAD(execution, paging_context, BAD_OPCODE, PACKET, packet_update_context(p, A, 0, numbers, 8))
BAD(execution, paging_signal, BAD_OPCODE, PACKET, packet_signal_monitored(p, 1, A, 1))
BAD(execution, paging_copies, BAD_OPCODE, PACKET, packet_copies(p, A, B, 0, 0, 1))
