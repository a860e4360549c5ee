/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the fields of quire_hw.h lie: LAYOUT(name, what it must be by the
 * specification, what it is). Included where LAYOUT is defined.
 */
LAYOUT("fence page", 128, sizeof(struct quire_fence_page))
LAYOUT("rptr", 8, offsetof(struct quire_fence_page, rptr))
LAYOUT("doorbell_event", 16, offsetof(struct quire_fence_page, doorbell_event))
LAYOUT("wptr", 64, offsetof(struct quire_fence_page, wptr))
LAYOUT("entry", 32, sizeof(struct quire_ring_entry))
LAYOUT("entry fence", 16, offsetof(struct quire_ring_entry, fence))
LAYOUT("header", 8, sizeof(struct quire_packet_header))
LAYOUT("transfer", 40, sizeof(struct quire_packet_transfer))
LAYOUT("transfer runs", 40, offsetof(struct quire_packet_transfer, runs))
LAYOUT("fill", 32, sizeof(struct quire_packet_fill))
LAYOUT("discard", 32, sizeof(struct quire_packet_discard))
LAYOUT("physical", 32, sizeof(struct quire_packet_physical))
LAYOUT("map", 24, sizeof(struct quire_packet_map))
LAYOUT("map runs", 24, offsetof(struct quire_packet_map, runs))
LAYOUT("unmap", 32, sizeof(struct quire_packet_unmap))
LAYOUT("signal", 24, sizeof(struct quire_packet_signal))
LAYOUT("last run", 0xfffffffffffff003, QUIRE_RUN(0xfffffffffffff, 4))
LAYOUT("its first page", 0xfffffffffffff, QUIRE_RUN_FIRST(0xfffffffffffff003))
LAYOUT("its pages", 4, QUIRE_RUN_PAGES(0xfffffffffffff003))
LAYOUT("swizzle", 80, sizeof(struct quire_packet_swizzle))
LAYOUT("swizzle layout", 40, offsetof(struct quire_packet_swizzle, layout))
LAYOUT("swizzle level", 56, offsetof(struct quire_packet_swizzle, level))
LAYOUT("swizzle runs", 80, offsetof(struct quire_packet_swizzle, runs))
