/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the operations, each in a file of its own.
 */
#ifndef QUIRE_OPERATIONS_H
#define QUIRE_OPERATIONS_H

#include "../core/quire_budget.h"
#include "../core/quire_fault.h"
#include "../decode/quire_op_types.h"

/* quire_copy.c */
struct quire_error quire_copy(struct quire_engine *engine, struct quire_ring *ring,
			      struct quire_op *op, struct quire_budget *budget);

/* quire_fill.c */
void quire_fill_part(struct quire_engine *engine, struct quire_ring *ring,
		     uint64_t offset, uint64_t left, uint64_t unit, uint32_t pattern,
		     struct quire_budget *budget);
struct quire_error quire_fill_range(struct quire_engine *engine, struct quire_ring *ring,
				    struct quire_op *op, struct quire_budget *budget);

/* quire_swizzle.c */
struct quire_error quire_swizzle_copy(struct quire_engine *engine, struct quire_ring *ring,
				      struct quire_op *op, struct quire_budget *budget);

/* quire_map.c */
struct quire_error quire_map_aperture(struct quire_engine *engine, struct quire_ring *ring,
				      struct quire_op *op, struct quire_budget *budget);
void quire_unmap_aperture(struct quire_engine *engine, struct quire_ring *ring,
			  struct quire_op *op, struct quire_budget *budget);

/* quire_map_mmu.c */
struct quire_error quire_map_mmu(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);
void quire_unmap_mmu(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op,
		     struct quire_budget *budget);

/* quire_page_table.c */
struct quire_error quire_update_page_table(struct quire_engine *engine, struct quire_op *op);
struct quire_error quire_copy_page_table(struct quire_engine *engine, struct quire_ring *ring,
					 struct quire_op *op, struct quire_budget *budget);
void quire_flush_tlb(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op);

/* quire_allocation.c */
struct quire_error quire_notify_allocation(struct quire_engine *engine, struct quire_ring *ring,
					   struct quire_op *op, struct quire_budget *budget);

/* quire_rectangle.c */
struct quire_error quire_rectangle(struct quire_engine *engine, struct quire_ring *ring,
				   struct quire_op *op, struct quire_budget *budget);

/* quire_checksum.c */
struct quire_error quire_checksum(struct quire_engine *engine, struct quire_ring *ring,
				  struct quire_op *op, struct quire_budget *budget);

/* quire_compare.c */
struct quire_error quire_compare(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);
const char *quire_check_kept(const struct quire_ring *ring, const struct quire_op *op);

/* quire_register.c */
struct quire_error quire_register(struct quire_engine *engine, struct quire_ring *ring,
				  struct quire_op *op, struct quire_budget *budget);

/* quire_signal_native.c */
struct quire_error quire_signal_native(struct quire_engine *engine, struct quire_ring *ring,
				       struct quire_op *op, struct quire_budget *budget);

/* quire_wait_command.c */
struct quire_error quire_wait_value(struct quire_engine *engine, struct quire_ring *ring,
				    struct quire_op *op, struct quire_budget *budget);
void quire_delay(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op);

/* quire_execute_command.c */
struct quire_error quire_command(struct quire_engine *engine, struct quire_ring *ring,
				 struct quire_op *op, struct quire_budget *budget);

#endif
