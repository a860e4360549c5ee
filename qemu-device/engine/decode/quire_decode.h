/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: decoders, one for packets that look alike.
 */
#ifndef QUIRE_DECODE_H
#define QUIRE_DECODE_H

#include "quire_operation_types.h"

/* quire_packet.c */
quire_decode_fn quire_decode_transfer;
quire_decode_fn quire_decode_fill;
quire_decode_fn quire_decode_discard;
quire_decode_fn quire_decode_physical;
quire_decode_fn quire_decode_map;
quire_decode_fn quire_decode_map2;
quire_decode_fn quire_decode_unmap;
quire_decode_fn quire_decode_signal;

/* quire_swizzle_packet.c */
quire_decode_fn quire_decode_swizzle;

/* quire_virtual_packet.c */
quire_decode_fn quire_decode_transfer_virtual;
quire_decode_fn quire_decode_fill_virtual;
quire_decode_fn quire_decode_init_context;
quire_decode_fn quire_decode_update_context;
quire_decode_fn quire_decode_update_page_table;
quire_decode_fn quire_decode_flush_tlb;
quire_decode_fn quire_decode_copy_page_table;
quire_decode_fn quire_decode_signal_monitored;
quire_decode_fn quire_decode_notify_allocation;

/* quire_residency_packet.c */
quire_decode_fn quire_decode_notify_residency;
quire_decode_fn quire_decode_notify_residency2;

/* quire_flat_packet.c */
quire_decode_fn quire_decode_map_mmu;
quire_decode_fn quire_decode_unmap_mmu;

/* quire_native_packet.c */
quire_decode_fn quire_decode_notify_fences;
quire_decode_fn quire_decode_command_signal_native;

/* quire_command_packet.c */
quire_decode_fn quire_decode_command_copy;
quire_decode_fn quire_decode_command_fill;
quire_decode_fn quire_decode_command_arithmetic;
quire_decode_fn quire_decode_command_checksum;
quire_decode_fn quire_decode_command_compare;
quire_decode_fn quire_decode_command_write_value;
quire_decode_fn quire_decode_command_wait_value;
quire_decode_fn quire_decode_command_delay;
quire_decode_fn quire_decode_command_set_register;
quire_decode_fn quire_decode_command_store_register;
quire_decode_fn quire_decode_command_load_register;

/* quire_surface_packet.c */
quire_decode_fn quire_decode_command_2d;

#endif
