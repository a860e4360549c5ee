// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: NOTIFY_ALLOCATION, pages of an allocation are about to go.
 *
 * They are those that an address space has at some addresses. Which memory that is, is found
 * by the page tables; it may be reached by other ways as well, which are not looked at for
 * what is posted, as that is kept by memory, and are for translations. After an IOMMU_UNMAP no
 * translation leads to the pages, so the TLB is held while one is at work.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_posted.h"
#include "../mmu/quire_tlb.h"
#include "../sync/quire_wait.h"
#include "../work/quire_work.h"
#include "quire_operations.h"

/* Bytes that one step is for, at most. */
#define QUIRE_ALLOCATION_STEP	((uint64_t)QUIRE_PT_ENTRIES << QUIRE_PAGE_SHIFT)

/* Rings that have work at work with virtual addresses, of any address space. */
static uint32_t quire_spaces_at_work(const struct quire_engine *engine)
{
	uint32_t rings = 0;
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		if (engine->ring[i].flags & QUIRE_ENTRY_CONTEXT &&
		    quire_work_running(engine, &engine->ring[i]))
			rings |= 1u << i;
	return rings;
}

/* What the packet does to memory that it has found. */
static void quire_allocation_place(struct quire_engine *engine, const struct quire_op *op,
				   const struct quire_place *place, struct quire_budget *budget)
{
	uint64_t pages = place->len >> QUIRE_PAGE_SHIFT;

	quire_budget_take(budget, pages * QUIRE_COST_PAGE);
	if (place->segment == QUIRE_SEGMENT_NOWHERE)
		return;
	if (op->flags & QUIRE_NOTIFY_IOMMU_UNMAP) {
		quire_budget_take(budget, quire_tlb_drop(engine, place) * QUIRE_COST_PAGE);
	} else if (place->segment == QUIRE_SEGMENT_SYSTEM) {
		quire_budget_take(budget, engine->posted.total);
		quire_posted_give_way(engine, place->addr, place->len);
	}
}

/* @done counts pages; of IOMMU_UNMAP the last unit is to wait. */
struct quire_error quire_notify_allocation(struct quire_engine *engine, struct quire_ring *ring,
					   struct quire_op *op, struct quire_budget *budget)
{
	uint64_t pages = op->src.len >> QUIRE_PAGE_SHIFT;
	struct quire_error error;
	struct quire_place place;

	if (op->flags & QUIRE_NOTIFY_IOMMU_UNMAP)
		quire_tlb_hold(engine, true);
	while (ring->done < pages && budget->bytes) {
		uint64_t at = ring->done << QUIRE_PAGE_SHIFT;

		error = quire_side_next(engine, &op->src, at,
					quire_min(op->src.len - at, QUIRE_ALLOCATION_STEP), &place);
		if (error.code) {
			quire_tlb_hold(engine, false);
			return error;
		}
		quire_allocation_place(engine, op, &place, budget);
		ring->done += place.len >> QUIRE_PAGE_SHIFT;
		ring->progress += place.len >> QUIRE_PAGE_SHIFT;
	}
	if (ring->done == pages && ring->done < op->total &&
	    quire_wait_for_rings(engine, ring, op, quire_spaces_at_work(engine)))
		ring->done++;
	if (ring->done == op->total)
		quire_tlb_hold(engine, false);
	return QUIRE_OK;
}
