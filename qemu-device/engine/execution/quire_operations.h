/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the operations.
 */
#ifndef QUIRE_OPERATIONS_H
#define QUIRE_OPERATIONS_H

#include "../decode/quire_operation_types.h"

/* quire_allocation.c */
quire_execute_fn quire_notify_allocation;

/* quire_arithmetic.c */
quire_execute_fn quire_arithmetic;

/* quire_checksum.c */
quire_execute_fn quire_checksum;

/* quire_compare.c */
#define QUIRE_COMPARE_KEPT	2
quire_execute_fn quire_compare;
const char *quire_check_compare(const struct quire_engine *engine, const struct quire_ring *ring,
				const struct quire_op *op);

/* quire_copy.c */
quire_execute_fn quire_copy;

/* quire_execute.c */
quire_execute_fn quire_discard_content;
quire_once_fn quire_physical_read;
quire_once_fn quire_physical_write;
quire_once_fn quire_signal_fence;
quire_once_fn quire_signal_monitored;

/* quire_fill.c */
quire_execute_fn quire_fill_range;
void quire_fill_part(struct quire_engine *engine, struct quire_ring *ring,
		     uint64_t offset, uint64_t left, uint64_t unit, uint32_t pattern,
		     struct quire_budget *budget);

/* quire_map.c */
quire_execute_fn quire_map_aperture;
quire_execute_fn quire_unmap_aperture;

/* quire_map_mmu.c */
quire_execute_fn quire_map_mmu;
quire_execute_fn quire_unmap_mmu;

/* quire_page_table.c */
quire_execute_fn quire_copy_page_table;
quire_execute_fn quire_flush_tlb;
quire_once_fn quire_update_page_table;

/* quire_rectangle.c */
quire_execute_fn quire_rectangle;

/* quire_register.c */
quire_execute_fn quire_register;

/* quire_signal_native.c */
quire_execute_fn quire_signal_native;

/* quire_swizzle.c */
quire_execute_fn quire_swizzle_copy;

/* quire_wait_command.c */
quire_execute_fn quire_delay;
quire_execute_fn quire_wait_value;
quire_execute_fn quire_write_value;

#endif
