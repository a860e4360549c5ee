// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the operations that write page tables, and FLUSH_TLB.
 *
 * A table is a page. What is written to it is made up here, and written in one piece: so a
 * packet changes all that it names, or, if the table is in no memory, nothing.
 */
#include <string.h>

#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "../mmu/quire_tlb.h"
#include "../sync/quire_wait.h"
#include "../work/quire_work.h"
#include "quire_operations.h"

#define QUIRE_PTE_SIZE		sizeof(__le64)
#define QUIRE_TABLE_SIZE	(QUIRE_PT_ENTRIES * QUIRE_PTE_SIZE)

/* Entry number @i of the packet; what is one entry there stands for all. */
static uint64_t quire_update_entry(const struct quire_op *op, uint32_t i)
{
	uint32_t shift = QUIRE_PT_SHIFT(op->table.level);

	if (op->flags & QUIRE_UPDATE_64K)
		shift = QUIRE_PT_SHIFT_64K;
	if (op->flags & QUIRE_UPDATE_REPEAT)
		return quire_get_le64(op->table.entries);
	if (op->flags & QUIRE_UPDATE_CONTIGUOUS)
		return quire_get_le64(op->table.entries) + ((uint64_t)i << shift);
	return quire_get_le64(op->table.entries + i * QUIRE_PTE_SIZE);
}

/* Write entry number @i to its places in the image of the table. */
static void quire_update_place(const struct quire_op *op, uint32_t i, uint8_t *image)
{
	uint64_t entry = quire_update_entry(op, i);
	uint32_t places = 1, n;

	if (op->flags & QUIRE_UPDATE_64K) {
		places = QUIRE_PT_ENTRIES_64K;
		if (entry & QUIRE_PTE_VALID)
			entry |= QUIRE_PTE_64K;
	}
	image += (op->table.start + i) * places * QUIRE_PTE_SIZE;
	for (n = 0; n < places; n++)
		quire_put_le64(image + n * QUIRE_PTE_SIZE, entry);
}

struct quire_error quire_update_page_table(struct quire_engine *engine, struct quire_op *op)
{
	uint32_t places = op->flags & QUIRE_UPDATE_64K ? QUIRE_PT_ENTRIES_64K : 1;
	uint64_t at = op->table.start * places * QUIRE_PTE_SIZE;
	uint64_t len = op->table.count * places * QUIRE_PTE_SIZE;
	uint8_t image[QUIRE_TABLE_SIZE];
	uint32_t i;

	if (op->flags & QUIRE_UPDATE_INITIAL) {
		memset(image, 0, sizeof(image));
		at = 0;
		len = sizeof(image);
	}
	for (i = 0; i < op->table.count; i++)
		quire_update_place(op, i, image);
	return quire_bytes_write(engine, &op->dst, at, image + at, len);
}

/* A table that a range names, with virtual addresses. */
static struct quire_side quire_copy_side(const struct quire_op *op, uint64_t table,
					 uint32_t access)
{
	return (struct quire_side){
		.segment = QUIRE_SEGMENT_VIRTUAL,
		.address = table,
		.space = { .root = op->root, .access = access },
	};
}

/* @done counts ranges. */
struct quire_error quire_copy_page_table(struct quire_engine *engine, struct quire_ring *ring,
					 struct quire_op *op, struct quire_budget *budget)
{
	const uint8_t *range = op->table.entries + ring->done * sizeof(struct quire_copy_range);
	uint64_t from = QUIRE_GET32(range, quire_copy_range, src_start) * QUIRE_PTE_SIZE;
	uint64_t to = QUIRE_GET32(range, quire_copy_range, dst_start) * QUIRE_PTE_SIZE;
	uint64_t len = QUIRE_GET32(range, quire_copy_range, count) * QUIRE_PTE_SIZE;
	struct quire_side src = quire_copy_side(op, QUIRE_GET64(range, quire_copy_range, src),
						QUIRE_ACCESS_READ);
	struct quire_side dst = quire_copy_side(op, QUIRE_GET64(range, quire_copy_range, dst),
						QUIRE_ACCESS_WRITE);
	uint8_t entries[QUIRE_TABLE_SIZE];
	struct quire_error error = quire_bytes_read(engine, &src, from, entries, len);

	if (!error.code)
		error = quire_bytes_write(engine, &dst, to, entries, len);
	if (error.code)
		return error;
	ring->done++;
	ring->progress++;
	quire_budget_take(budget, QUIRE_COST_PACKET);
	return QUIRE_OK;
}

/* Rings that have work at work with virtual addresses of the space that is flushed. */
static uint32_t quire_space_at_work(const struct quire_engine *engine, uint64_t root)
{
	uint32_t rings = 0;
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		if (engine->ring[i].root == root && quire_work_running(engine, &engine->ring[i]))
			rings |= 1u << i;
	return rings;
}

/* What is at work in a thread has translations from before; it has ended when the flush has. */
struct quire_error quire_flush_tlb(struct quire_engine *engine, struct quire_ring *ring,
				   struct quire_op *op, struct quire_budget *budget)
{
	(void)budget;
	quire_tlb_flush(engine, op->value, op->dst.address, op->dst.address + op->dst.len);
	if (!quire_wait_for_rings(engine, ring, op, quire_space_at_work(engine, op->value)))
		return QUIRE_OK;
	ring->done += op->total;
	ring->progress++;
	return QUIRE_OK;
}
