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
BAD(opcode_9, BAD_OPCODE, PACKET, packet_u32(p, 9); packet_u32(p, 16); packet_u64(p, 0))
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
BAD(src_segment, BAD_SEGMENT, 3, packet_transfer(p, 3, 0, 1, 0, 8))
BAD(dst_segment, BAD_SEGMENT, 0xffffffff, packet_transfer(p, 1, 0, ~0u, 0, 8))
BAD(both_system, BAD_SEGMENT, 0, packet_transfer(p, 0, 0, 0, 0, PAGE); packet_run(p, RAM_BASE, 1);
	packet_end(p))
BAD(fill_system, BAD_SEGMENT, 0, packet_fill(p, 0, RAM_BASE, 4, 0))
BAD(fill_aperture, BAD_SEGMENT, 2, packet_fill(p, 2, 0, 4, 0))
BAD(discard_aperture, BAD_SEGMENT, 2, packet_discard(p, 2, 0, PAGE))
BAD(physical_segment, BAD_SEGMENT, 3, packet_physical(p, 5, 3, 0, 1, 0))
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
