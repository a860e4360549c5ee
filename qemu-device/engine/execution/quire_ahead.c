// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: which part of a copy goes through the write buffer.
 *
 * Of a long copy only what would be left in the buffer at its end comes there at all: the rest
 * goes straight to memory.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_ahead.h"

/* How far a copy that has @done bytes goes on in the same page; @pos is in that page. */
static uint64_t quire_posted_part(const struct quire_op *op, uint64_t done, uint64_t *pos)
{
	uint64_t left = op->total - done, in_page;

	*pos = op->backward ? left - 1 : done;
	in_page = (op->dst.address + *pos) & (QUIRE_PAGE_SIZE - 1);
	return quire_min(left, op->backward ? in_page + 1 : QUIRE_PAGE_SIZE - in_page);
}

/**
 * quire_posted_ahead - does a copy go on through the buffer, or past it?
 * @engine: the engine
 * @op: a TRANSFER or a FILL_VIRTUAL, or a COPY or a FILL
 * @done: bytes of it that are done, not all
 * @posted: returned: through the buffer
 *
 * Return: for how many bytes that is known to be so, at least 1; of one page if they are posted.
 */
uint64_t quire_posted_ahead(struct quire_engine *engine, struct quire_op *op, uint64_t done,
			    bool *posted)
{
	uint64_t left = op->total - done, straight = 0, pos, part;

	*posted = false;
	if (op->dst.segment != QUIRE_SEGMENT_APERTURE &&
	    op->dst.segment != QUIRE_SEGMENT_VIRTUAL && !quire_is_mmu(op->dst.segment))
		return left;
	if (left > QUIRE_POSTED_MAX)
		straight = left - QUIRE_POSTED_MAX;
	/* What is behind is looked at when that comes, at the latest with what is done between. */
	if (straight > engine->look_bytes)
		return straight;
	while (straight < left) {
		part = quire_posted_part(op, done + straight, &pos);
		if (quire_side_posted(engine, &op->dst, pos)) {
			*posted = !straight;
			return straight ? straight : part;
		}
		straight += part;
	}
	return left;
}
