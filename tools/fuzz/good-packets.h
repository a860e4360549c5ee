/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Packets that the engine executes, up to the edges of each segment: GOOD(name, mappings of
 * the guest's RAM that their data needs, how to build them). Those of LONG are so long that
 * the host does them in another thread. Included twice by seeds.c, hence without a guard.
 */

/* Between system memory and VRAM. */
GOOD(transfer_in, 1, packet_transfer(p, 0, 0, 1, 0, PAGE); packet_run(p, RAM_BASE, 1);
	packet_end(p))
GOOD(transfer_out, 1, packet_transfer(p, 1, VRAM - PAGE, 0, 0, PAGE); packet_run(p, RAM_BASE, 1);
	packet_end(p))
GOOD(transfer_byte, 1, packet_transfer(p, 0, 0, 1, VRAM - 1, 1); packet_run(p, RAM_BASE, 1);
	packet_end(p))
GOOD(transfer_runs, 3, packet_transfer(p, 0, 0, 1, 8, 4 * PAGE - 8);
	packet_run(p, RAM_BASE + 16 * PAGE, 1); packet_run(p, RAM_BASE, 2);
	packet_run(p, RAM_BASE + 8 * PAGE, 1); packet_end(p))
GOOD(transfer_same_page, 3, packet_transfer(p, 1, 0, 0, 0, 3 * PAGE); packet_run(p, RAM_BASE, 1);
	packet_run(p, RAM_BASE, 1); packet_run(p, RAM_BASE, 1); packet_end(p))
LONG(transfer_all_in, 1, packet_transfer(p, 0, 0, 1, 0, VRAM);
	packet_run(p, RAM_BASE, VRAM / PAGE); packet_end(p))
LONG(transfer_all_out, 1, packet_transfer(p, 1, 0, 0, 0, VRAM);
	packet_run(p, RAM_BASE, VRAM / PAGE); packet_end(p))

/* In VRAM: apart, overlapping upward and downward, onto itself. */
GOOD(copy_apart, 0, packet_transfer(p, 1, 0, 1, VRAM - 24, 24))
LONG(copy_upward, 0, packet_transfer(p, 1, 0, 1, 1, VRAM - 1))
LONG(copy_downward, 0, packet_transfer(p, 1, 1, 1, 0, VRAM - 1))
GOOD(copy_onto_itself, 0, packet_transfer(p, 1, 64, 1, 64, PAGE))

/* What has one side. */
LONG(fill_all, 0, packet_fill(p, 1, 0, VRAM, 0x11223344))
GOOD(fill_byte, 0, packet_fill(p, 1, 0, 4096, 0x5a5a5a5a))
GOOD(fill_pattern, 0, packet_fill(p, 1, VRAM - 1028, 1028, 0x11223344))
GOOD(fill_last, 0, packet_fill(p, 1, VRAM - 4, 4, 0x11223344))
GOOD(discard_page, 0, packet_discard(p, 1, VRAM - PAGE, PAGE))
GOOD(discard_all, 0, packet_discard(p, 1, 0, VRAM))
GOOD(read_vram, 0, packet_physical(p, 4, 1, VRAM - 8, 8, 0))
GOOD(write_vram, 0, packet_physical(p, 5, 1, VRAM - 1, 1, ~0ull))
GOOD(read_system, 1, packet_physical(p, 4, 0, RAM_BASE + 7, 8, 0))
GOOD(write_system, 1, packet_physical(p, 5, 0, RAM_BASE + PAGE - 3, 3, ~0ull))
GOOD(signal, 1, packet_signal(p, RAM_BASE, ~0ull))

/* The aperture: all of it, its last page, its pages in another order than their memory. */
GOOD(map_all, 0, packet_map(p, 0, APERTURE_PAGES, 1); packet_run(p, RAM_BASE, APERTURE_PAGES);
	packet_end(p))
GOOD(map_last, 0, packet_map(p, APERTURE_PAGES - 1, 1, 0); packet_run(p, RAM_BASE, 1);
	packet_end(p))
GOOD(map_top, 0, packet_map(p, 0, 1, 0); packet_run(p, ~0xfffull, 1); packet_end(p))
GOOD(unmap_all, 0, packet_unmap(p, 0, APERTURE_PAGES, RAM_BASE))
GOOD(aperture_in, 1, packet_map(p, APERTURE_PAGES - 2, 2, 1); packet_run(p, RAM_BASE, 2);
	packet_end(p); packet_transfer(p, 1, 0, 2, APERTURE - PAGE - 8, PAGE + 8))
GOOD(aperture_out, 1, packet_map(p, 0, 4, 0); packet_run(p, RAM_BASE, 4); packet_end(p);
	packet_transfer(p, 2, 1, 1, VRAM - 4 * PAGE, 4 * PAGE - 1))
GOOD(aperture_turned, 2, packet_map(p, 0, 2, 0); packet_run(p, RAM_BASE + PAGE, 1);
	packet_run(p, RAM_BASE, 1); packet_end(p); packet_transfer(p, 2, 0, 1, 0, 2 * PAGE))
GOOD(aperture_upward, 8, packet_map(p, 0, 3, 1); packet_run(p, RAM_BASE, 1);
	packet_run(p, RAM_BASE, 1); packet_run(p, RAM_BASE + 8 * PAGE, 1); packet_end(p);
	packet_transfer(p, 2, 0, 2, 8, 2 * PAGE))
LONG(aperture_downward, 2, packet_map(p, 0, APERTURE_PAGES, 1);
	packet_run(p, RAM_BASE, APERTURE_PAGES); packet_end(p);
	packet_transfer(p, 2, 8, 2, 0, APERTURE - 8))
LONG(aperture_all_upward, 32, packet_map(p, 0, APERTURE_PAGES, 1);
	packet_run(p, RAM_BASE, APERTURE_PAGES); packet_end(p);
	packet_transfer(p, 2, 0, 2, 8, APERTURE - 8))
GOOD(aperture_dummy, 2, packet_unmap(p, 0, 2, RAM_BASE); packet_transfer(p, 2, 0, 1, 0, 2 * PAGE))
GOOD(aperture_read, 1, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 1); packet_end(p);
	packet_physical(p, 4, 2, PAGE - 8, 8, 0))
GOOD(aperture_write, 1, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 1); packet_end(p);
	packet_physical(p, 5, 2, 1, 7, ~0ull))

/* By an address list; visible up to the end of the window. */
GOOD(map2_all, 0, packet_map2(p, 0, APERTURE_PAGES, 2 | 1, RAM_BASE / PAGE))
GOOD(map2_window, 0, packet_map2(p, 0, HOST_WINDOW / PAGE, 4 | 2, RAM_BASE / PAGE))
GOOD(map2_top, 0, packet_map2(p, APERTURE_PAGES - 1, 1, 2, (1ull << 52) - 1))
GOOD(map2_list, 0, packet_map2(p, 5, 3, 4 | 1, BUFFER + p->size + 32); packet_u64(p, 300);
	packet_u64(p, 256); packet_u64(p, 300); packet_end(p))
GOOD(map2_list_used, 2, packet_map2(p, 0, 2, 1, BUFFER + p->size + 32); packet_u64(p, 260);
	packet_u64(p, 256); packet_end(p); packet_transfer(p, 2, 0, 1, 0, 2 * PAGE))

/* With a range, and without one. */
GOOD(lock_in, 1, packet_lock(p, 1, ~0u))
GOOD(lock_out, 1, packet_lock(p, 2, 1))

/* Between rows and tiles. */
GOOD(swizzle, 1, packet_image(p, 1, 0, 1))
GOOD(unswizzle, 1, packet_image(p, 2, 0, 1))
GOOD(swizzle_64k, 1, packet_image(p, 1, 0, 2))
GOOD(unswizzle_64k, 1, packet_image(p, 2, 0, 2))
GOOD(swizzle_part, 1, packet_image(p, 1, 0, 1); packet_poke(p, 64, 4, 5); packet_poke(p, 72, 4, 7);
	packet_poke(p, 32, 8, 7 * 32 * 4))
GOOD(swizzle_offset, 2, packet_image(p, 1, 0, 1); packet_poke(p, 16, 8, PAGE - 4);
	packet_poke(p, 80, 8, RAM_BASE | 1))
GOOD(swizzle_aperture, 1, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 1); packet_end(p);
	packet_image(p, 1, 2, 1))
GOOD(unswizzle_aperture, 1, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 1); packet_end(p);
	packet_image(p, 2, 2, 1))
GOOD(unswizzle_last_tile, 1, packet_image(p, 2, 0, 1); packet_poke(p, 88, 8, VRAM - PAGE))
LONG(swizzle_all, 1, packet_surface(p, 1, 1, 0, 1024, VRAM / 1024))
LONG(unswizzle_all, 1, packet_surface(p, 2, 2, 2, 512, VRAM / 2048))

/* The write buffer: flushed, read, written over, and with no room for a page more. */
GOOD(posted_flush, 4, packet_map(p, 0, 2, 0); packet_run(p, RAM_BASE, 2); packet_end(p);
	packet_transfer(p, 1, 0, 2, 8, PAGE); packet_physical(p, 4, 1, 0, 8, 0))
GOOD(posted_read, 2, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 1); packet_end(p);
	packet_transfer(p, 1, 0, 2, 0, PAGE); packet_transfer(p, 2, 8, 1, PAGE, 24);
	packet_physical(p, 5, 1, 0, 8, 1))
GOOD(posted_over, 3, packet_map(p, 0, 1, 0); packet_run(p, RAM_BASE, 1); packet_end(p);
	packet_transfer(p, 1, 0, 2, 0, PAGE); packet_transfer(p, 1, PAGE, 0, 0, 8);
	packet_run(p, RAM_BASE, 1); packet_end(p))
GOOD(posted_room, 18, packet_map(p, 0, 17, 0); packet_run(p, RAM_BASE, 17); packet_end(p);
	packet_transfer(p, 1, 0, 2, 8, 16 * PAGE))

/* Contexts and page tables in a segment, and the TLB. */
GOOD(init_context, 0, packet_init_context(p, 0, 1, VRAM - PAGE))
GOOD(update_table, 0, packet_table(p, 0, 1, 0, 0, 508, 4, 4))
GOOD(update_table_initial, 0, packet_table(p, 3, 1, 3, VRAM - PAGE, 0, 512, 1))
GOOD(update_table_64k, 0, packet_table(p, 8 | 16, 1, 0, 0, 30, 2, 1))
GOOD(flush_tlb, 0, packet_flush_tlb(p, PTE_VALID, 0, 0))
GOOD(flush_tlb_last, 0, packet_flush_tlb(p, PTE_VALID, VA_END - PAGE, VA_END))

/* Many packets, and none. */
GOOD(nothing, 0, (void)p)
GOOD(many, 0, for (unsigned int i = 0; i < 64; i++) packet_fill(p, 1, 4 * i, 4, i))
