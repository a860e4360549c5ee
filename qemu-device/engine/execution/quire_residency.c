// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the residency table, what notices say is where.
 *
 * The pages of VRAM, and behind them those of the aperture, have an entry each: an allocation
 * and one of its pages. Only notices change it.
 *
 * A notice that contradicts the table is a fault, and changes nothing. So struct
 * quire_ring::done first counts pages that were looked at, and from half of the packet's
 * units on those that were changed. Notices that come look at the pages that they name;
 * those that leave search the table, where the allocation can be (quire_extent.c).
 *
 * Which pages a packet has named already, or which offsets it has found, is marked in a map
 * that nobody saves: who loads the state looks at the first half anew.
 */
#include <stdlib.h>
#include <string.h>

#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_residency.h"

/* So many pages that go on so are counted, at most, as a register is read at once. */
#define QUIRE_RESIDENCY_COUNT	0x10000u

/* Bytes that count for a page that is looked at, beside one for each that is passed. */
#define QUIRE_COST_LOOK		QUIRE_COST_PAGE

static uint64_t quire_resident(uint32_t allocation, uint32_t offset)
{
	return (uint64_t)offset << 32 | allocation;
}

static uint32_t quire_resident_allocation(uint64_t entry)
{
	return entry;
}

static uint32_t quire_resident_offset(uint64_t entry)
{
	return entry >> 32;
}

/* Where the pages of a segment begin in the table. */
static uint32_t quire_residency_base(const struct quire_engine *engine, uint32_t segment)
{
	return segment == QUIRE_SEGMENT_VRAM ? 0 : engine->vram_size >> QUIRE_PAGE_SHIFT;
}

static uint64_t quire_marks_size(const struct quire_engine *engine)
{
	uint64_t pages = quire_max(quire_segment_pages(engine, QUIRE_SEGMENT_VRAM),
				   engine->aperture_pages);

	return (pages + 7) / 8;
}

/**
 * quire_residency_init - memory for the table
 * @engine: the engine; sizes of the segments are known
 *
 * Return: false without memory; what was allocated is for quire_residency_fini().
 */
bool quire_residency_init(struct quire_engine *engine)
{
	uint32_t pages = quire_segment_pages(engine, QUIRE_SEGMENT_VRAM) +
			 engine->aperture_pages;

	engine->marks = calloc(quire_marks_size(engine), 1);
	return quire_table_init(&engine->residency, pages) &&
	       quire_extents_init(&engine->extents, pages) && engine->marks;
}

/**
 * quire_residency_fini - free it
 * @engine: the engine; there may be none
 */
void quire_residency_fini(struct quire_engine *engine)
{
	quire_table_fini(&engine->residency);
	quire_extents_fini(&engine->extents);
	free(engine->marks);
	engine->marks = NULL;
}

/* Each page of the table that has an allocation, from @page on; false if there is none. */
static bool quire_residency_next(const struct quire_engine *engine, uint32_t *page,
				 uint32_t *allocation)
{
	const struct quire_table *table = &engine->residency;

	*page = quire_table_next(table, *page, table->pages);
	if (*page == table->pages)
		return false;
	*allocation = quire_resident_allocation(table->entries[*page]);
	return true;
}

/**
 * quire_residency_reset - nothing is anywhere
 * @engine: the engine; what was loaded and not counted yet is in no extent
 */
void quire_residency_reset(struct quire_engine *engine)
{
	uint32_t page, allocation;

	for (page = 0; !engine->loading && quire_residency_next(engine, &page, &allocation); page++)
		quire_extents_remove(&engine->extents, allocation);
	quire_table_reset(&engine->residency, engine->loading);
}

/**
 * quire_residency_count - count what was loaded
 * @engine: the engine, after quire_engine_pre_load()
 */
void quire_residency_count(struct quire_engine *engine)
{
	uint32_t page, allocation;

	quire_table_count(&engine->residency);
	for (page = 0; quire_residency_next(engine, &page, &allocation); page++)
		quire_extents_add(&engine->extents, allocation, page);
}

/* Mark a page or an offset; false if it is marked. */
static bool quire_mark(struct quire_engine *engine, uint32_t which)
{
	uint8_t bit = 1u << which % 8;

	if (engine->marks[which / 8] & bit)
		return false;
	engine->marks[which / 8] |= bit;
	engine->marked++;
	return true;
}

/* Of a notice that has parts: what is in one piece names no page twice, and leaves at once. */
static void quire_marks_clear(struct quire_engine *engine, const struct quire_op *op,
			      struct quire_budget *budget)
{
	uint64_t size = quire_marks_size(engine);

	if (op->opcode == QUIRE_OP_NOTIFY_RESIDENCY)
		return;
	memset(engine->marks, 0, size);
	engine->marked = 0;
	quire_budget_take(budget, size);
}

static bool quire_is_notice(const struct quire_op *op)
{
	return op->opcode == QUIRE_OP_NOTIFY_RESIDENCY ||
	       op->opcode == QUIRE_OP_NOTIFY_RESIDENCY2;
}

/* The half of the packet that is at work: looks, and changes. */
static bool quire_notice_looks(const struct quire_ring *ring, const struct quire_op *op)
{
	return ring->done < op->total / 2;
}

/* Pages of the packet that one step is for, as they lie in the segment. */
static struct quire_error quire_notice_next(struct quire_engine *engine, struct quire_side *side,
					    uint64_t done, uint64_t left,
					    struct quire_budget *budget, uint32_t *page,
					    uint32_t *count)
{
	uint64_t n = quire_min(left, quire_max(budget->bytes / QUIRE_COST_LOOK, 1));
	struct quire_place place;
	struct quire_error error = quire_side_next(engine, side, done << QUIRE_PAGE_SHIFT,
						   n << QUIRE_PAGE_SHIFT, &place);

	if (error.code)
		return error;
	*page = place.addr >> QUIRE_PAGE_SHIFT;
	*count = place.len >> QUIRE_PAGE_SHIFT;
	quire_budget_take(budget, *count * QUIRE_COST_LOOK);
	return QUIRE_OK;
}

/* Does anybody have a page to which the allocation comes, or does it come there twice? */
static struct quire_error quire_come_look(struct quire_engine *engine, struct quire_ring *ring,
					  struct quire_op *op, struct quire_budget *budget)
{
	uint32_t base = quire_residency_base(engine, op->notice.segment), page, count, i;
	uint64_t left = op->total / 2 - ring->done;
	struct quire_error error;

	if (!ring->done)
		quire_marks_clear(engine, op, budget);
	error = quire_notice_next(engine, &op->src, ring->done, left, budget, &page, &count);
	if (error.code)
		return error;
	for (i = 0; i < count; i++)
		if (engine->residency.entries[base + page + i] ||
		    (op->src.runs && !quire_mark(engine, page + i)))
			return QUIRE_ERROR(QUIRE_FAULT_RESIDENCY,
					   QUIRE_ADDRESS(op->notice.segment,
							 (uint64_t)(page + i) <<
							 QUIRE_PAGE_SHIFT));
	ring->done += count;
	ring->progress += count;
	return QUIRE_OK;
}

static struct quire_error quire_come_do(struct quire_engine *engine, struct quire_ring *ring,
					struct quire_op *op, struct quire_budget *budget)
{
	uint32_t base = quire_residency_base(engine, op->notice.segment), page, count, i;
	uint64_t done = ring->done - op->total / 2;
	struct quire_error error;

	error = quire_notice_next(engine, &op->dst, done, op->total / 2 - done, budget, &page,
				  &count);
	if (error.code)
		return error;
	for (i = 0; i < count; i++) {
		quire_table_set(&engine->residency, base + page + i,
				quire_resident(op->notice.allocation,
					       op->notice.offset + done + i));
		quire_extents_add(&engine->extents, op->notice.allocation, base + page + i);
	}
	ring->done += count;
	ring->progress += count;
	return QUIRE_OK;
}

/* Is an entry one of those that leave? */
static bool quire_leaves(const struct quire_op *op, uint64_t entry)
{
	if (quire_resident_allocation(entry) != op->notice.allocation)
		return false;
	return op->opcode == QUIRE_OP_NOTIFY_RESIDENCY ||
	       quire_resident_offset(entry) - op->notice.offset < op->notice.pages;
}

/* Where the pages begin that a notice searches, which has half of its units of them. */
static uint32_t quire_leave_base(const struct quire_engine *engine, const struct quire_op *op)
{
	return op->opcode == QUIRE_OP_NOTIFY_RESIDENCY ? 0 :
	       quire_residency_base(engine, op->notice.segment);
}

/*
 * The next page from number @at on of those that are searched that has an allocation, and can have
 * the one that leaves; or behind them.
 */
static uint32_t quire_leave_next(const struct quire_engine *engine, const struct quire_op *op,
				 uint32_t at, struct quire_budget *budget)
{
	uint32_t base = quire_leave_base(engine, op), half = op->total / 2;
	uint32_t first = base + at, end = base + half, next;

	quire_extents_find(&engine->extents, op->notice.allocation, &first, &end);
	if (first >= end) {
		quire_budget_take(budget, QUIRE_COST_LOOK);
		return half;
	}
	next = quire_table_next(&engine->residency, first, end);
	quire_budget_take(budget, next - first + QUIRE_COST_LOOK);
	return next == end ? half : next - base;
}

/* The first page of the part that is nowhere. */
static struct quire_error quire_part_missing(const struct quire_engine *engine,
					     const struct quire_op *op)
{
	uint32_t half = op->total / 2, i = 0;

	while (i + 8 <= half && engine->marks[i / 8] == 0xff)
		i += 8;
	while (i < half && engine->marks[i / 8] & 1u << i % 8)
		i++;
	return QUIRE_ERROR(QUIRE_FAULT_RESIDENCY, op->notice.offset + i);
}

/* An entry that leaves was found: is it the last that is needed to know that all are there? */
static bool quire_leave_found(struct quire_engine *engine, const struct quire_op *op,
			      uint64_t entry)
{
	uint32_t which = quire_resident_offset(entry) - op->notice.offset;

	if (op->opcode == QUIRE_OP_NOTIFY_RESIDENCY)
		return true;
	/* More pages than the segment has can not be there: the others need no mark. */
	if (which < op->total / 2)
		quire_mark(engine, which);
	return engine->marked == op->notice.pages;
}

/* All was searched. */
static struct quire_error quire_leave_missing(const struct quire_engine *engine,
					      const struct quire_op *op)
{
	if (op->opcode == QUIRE_OP_NOTIFY_RESIDENCY)
		return QUIRE_ERROR(QUIRE_FAULT_RESIDENCY, op->notice.allocation);
	return quire_part_missing(engine, op);
}

/* Is there what leaves? */
static struct quire_error quire_leave_look(struct quire_engine *engine, struct quire_ring *ring,
					   struct quire_op *op, struct quire_budget *budget)
{
	bool whole = op->opcode == QUIRE_OP_NOTIFY_RESIDENCY, found = false;
	uint32_t half = op->total / 2, at;
	uint64_t entry;

	if (!ring->done)
		quire_marks_clear(engine, op, budget);
	at = quire_leave_next(engine, op, ring->done, budget);
	if (at < half) {
		entry = engine->residency.entries[quire_leave_base(engine, op) + at];
		found = quire_leaves(op, entry) && quire_leave_found(engine, op, entry);
	}
	if (!found && at + 1 >= half)
		return quire_leave_missing(engine, op);
	ring->progress++;
	if (!found)
		ring->done = at + 1;
	else /* before the first one there is none */
		ring->done = whole ? half + at : half;
	return QUIRE_OK;
}

static void quire_leave_do(struct quire_engine *engine, struct quire_ring *ring,
			   struct quire_op *op, struct quire_budget *budget)
{
	uint32_t half = op->total / 2, base = quire_leave_base(engine, op);
	uint32_t at = quire_leave_next(engine, op, ring->done - half, budget);

	ring->progress++;
	if (at == half) {
		ring->done = op->total;
		return;
	}
	if (quire_leaves(op, engine->residency.entries[base + at])) {
		quire_table_set(&engine->residency, base + at, 0);
		quire_extents_remove(&engine->extents, op->notice.allocation);
	}
	ring->done = half + at + 1;
}

/* A notice that contradicts the table leaves it as it was. */
struct quire_error quire_notify_residency(struct quire_engine *engine, struct quire_ring *ring,
					  struct quire_op *op, struct quire_budget *budget)
{
	struct quire_error error = QUIRE_OK;

	do {
		if (op->flags & QUIRE_NOTIFY_RESIDENT)
			error = quire_notice_looks(ring, op) ?
				quire_come_look(engine, ring, op, budget) :
				quire_come_do(engine, ring, op, budget);
		else if (quire_notice_looks(ring, op))
			error = quire_leave_look(engine, ring, op, budget);
		else
			quire_leave_do(engine, ring, op, budget);
	} while (!error.code && ring->done < op->total && budget->bytes);
	return error;
}

/**
 * quire_notify_changes - is a notice at work that has begun to change the table?
 * @ring: the ring
 * @op: the decoded packet; perhaps another one
 *
 * Return: true if it must not be told again from its start.
 */
bool quire_notify_changes(const struct quire_ring *ring, const struct quire_op *op)
{
	return quire_is_notice(op) && !quire_notice_looks(ring, op);
}

/**
 * quire_notify_resume - a notice goes on that was begun elsewhere
 * @ring: the ring it stands in
 * @op: the decoded packet; perhaps another one
 *
 * Marks were not saved.
 */
void quire_notify_resume(struct quire_ring *ring, const struct quire_op *op)
{
	if (quire_is_notice(op) && quire_notice_looks(ring, op))
		ring->done = 0;
}

/* Which page of the table the register names; false if there is none. */
static bool quire_residency_named(const struct quire_engine *engine, uint32_t *page,
				  uint32_t *end)
{
	uint32_t segment = QUIRE_ADDRESS_SEGMENT(engine->residency_page);
	uint64_t number = QUIRE_ADDRESS_OFFSET(engine->residency_page) >> QUIRE_PAGE_SHIFT;

	if ((segment != QUIRE_SEGMENT_VRAM && segment != QUIRE_SEGMENT_APERTURE) ||
	    number >= quire_segment_pages(engine, segment))
		return false;
	*page = quire_residency_base(engine, segment) + number;
	*end = quire_residency_base(engine, segment) + quire_segment_pages(engine, segment);
	return true;
}

static uint64_t quire_residency_entry(const struct quire_engine *engine)
{
	uint32_t page, end;

	return quire_residency_named(engine, &page, &end) ? engine->residency.entries[page] : 0;
}

/**
 * quire_get_residency_allocation - register RESIDENCY_ALLOCATION
 * @engine: the engine
 * @ring: none
 *
 * Return: the allocation that has the page; 0 if none has it, or there is none.
 */
uint64_t quire_get_residency_allocation(const struct quire_engine *engine,
					const struct quire_ring *ring)
{
	(void)ring;
	return quire_resident_allocation(quire_residency_entry(engine));
}

/**
 * quire_get_residency_offset - register RESIDENCY_OFFSET
 * @engine: the engine
 * @ring: none
 *
 * Return: which page of the allocation it is.
 */
uint64_t quire_get_residency_offset(const struct quire_engine *engine,
				    const struct quire_ring *ring)
{
	(void)ring;
	return quire_resident_offset(quire_residency_entry(engine));
}

/**
 * quire_get_residency_pages - register RESIDENCY_PAGES
 * @engine: the engine
 * @ring: none
 *
 * Return: how many pages go on with the same allocation, page by page, or have none; of those
 * that are counted.
 */
uint64_t quire_get_residency_pages(const struct quire_engine *engine,
				   const struct quire_ring *ring)
{
	const uint64_t *entries = engine->residency.entries;
	uint32_t page, end, count;
	uint64_t step;

	(void)ring;
	if (!quire_residency_named(engine, &page, &end))
		return 0;
	end = quire_min(end, page + QUIRE_RESIDENCY_COUNT);
	step = entries[page] ? quire_resident(0, 1) : 0;
	for (count = 1; page + count < end; count++)
		if (entries[page + count] != entries[page] + count * step)
			break;
	return count;
}

/* Pages that were looked at are free; then they have what the packet gives them, one by one. */
static bool quire_come_ok(const struct quire_engine *engine, const struct quire_op *op,
			  uint64_t done, bool looks)
{
	const uint64_t *entries = engine->residency.entries +
				  quire_residency_base(engine, op->notice.segment);
	uint64_t at = 0, run, page = op->src.address >> QUIRE_PAGE_SHIFT, n = op->total / 2;
	uint32_t i;

	for (i = 0; at < op->total / 2; i++) {
		if (op->src.runs) {
			run = quire_get_le64(op->src.runs + 8ull * i);
			page = QUIRE_RUN_FIRST(run);
			n = QUIRE_RUN_PAGES(run);
		}
		for (; n--; page++, at++) {
			uint64_t wanted = quire_resident(op->notice.allocation,
							 op->notice.offset + at);

			if (looks && at >= done)
				return true;
			if (entries[page] != (looks || at >= done ? 0 : wanted))
				return false;
		}
	}
	return true;
}

/* None of the first @pages pages that are searched has an entry that leaves. */
static bool quire_leave_ok(const struct quire_engine *engine, const struct quire_op *op,
			   uint32_t pages)
{
	uint32_t base = quire_leave_base(engine, op), at = base;

	for (;;) {
		at = quire_table_next(&engine->residency, at, base + pages);
		if (at == base + pages)
			return true;
		if (quire_leaves(op, engine->residency.entries[at++]))
			return false;
	}
}

/**
 * quire_check_notice - can a notice at work have got so far?
 * @engine: the engine
 * @ring: the ring it stands in
 * @op: the decoded packet
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_notice(const struct quire_engine *engine, const struct quire_ring *ring,
			       const struct quire_op *op)
{
	bool looks = quire_notice_looks(ring, op), good;
	uint64_t done = ring->done;

	if (!looks)
		done -= op->total / 2;
	if (op->flags & QUIRE_NOTIFY_RESIDENT)
		good = quire_come_ok(engine, op, done, looks);
	else
		good = (looks && op->opcode == QUIRE_OP_NOTIFY_RESIDENCY2) ||
		       quire_leave_ok(engine, op, done);
	return good ? NULL : "a notice that does not fit the table";
}

/**
 * quire_check_residency - can this be in the table?
 * @engine: the engine
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_residency(const struct quire_engine *engine)
{
	const struct quire_table *table = &engine->residency;
	uint32_t page = 0;

	for (;;) {
		page = quire_table_next(table, page, table->pages);
		if (page == table->pages)
			return NULL;
		if (!quire_resident_allocation(table->entries[page++]))
			return "a page of no allocation";
	}
}
