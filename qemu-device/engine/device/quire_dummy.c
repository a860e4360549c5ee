// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: accesses to dummy pages, for who looks for mistakes.
 *
 * Accesses to a page that was unmapped stay enabled and do no harm, so nobody
 * notices a driver that makes them. A host may want them counted and told: then each
 * packet is looked at when it begins, and its sides are told one by one.
 */
#include "../core/quire_event.h"
#include "../core/quire_numbers.h"
#include "../decode/quire_operation_types.h"
#include "../memory/quire_aperture.h"
#include "quire_dummy.h"

/* Tell of the dummy pages that a side is in. */
static void quire_dummy_report_side(struct quire_engine *engine, const struct quire_ring *ring,
				    const struct quire_side *side)
{
	uint64_t first, pages;

	if (side->segment != QUIRE_SEGMENT_APERTURE || !side->len)
		return;
	pages = quire_aperture_dummies(engine, side->address, side->len, &first);
	if (!pages)
		return;
	engine->dummy_pages += pages;
	engine->dummy_offset = first;
	quire_event(engine, QUIRE_EVENT_DUMMY, ring, first, pages);
}

/**
 * quire_dummy_report - a packet begins: does it access dummy pages?
 * @engine: the engine; it reports them, or not
 * @ring: the ring it stands in
 * @op: the decoded packet; each page that it names is mapped or unmapped
 */
void quire_dummy_report(struct quire_engine *engine, const struct quire_ring *ring,
			const struct quire_op *op)
{
	if (!(engine->caps & QUIRE_CAPS_DUMMY_REPORT))
		return;
	quire_dummy_report_side(engine, ring, &op->src);
	quire_dummy_report_side(engine, ring, &op->dst);
	if (op->operation->reports) {
		struct quire_side result = quire_result_side(op);

		quire_dummy_report_side(engine, ring, &result);
	}
}

/**
 * quire_check_dummy - can this have been reported?
 * @engine: the engine
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_dummy(const struct quire_engine *engine)
{
	if (!(engine->caps & QUIRE_CAPS_DUMMY_REPORT) && engine->dummy_pages)
		return "dummy pages of a device that does not report them";
	if (!engine->dummy_pages && engine->dummy_offset)
		return "the offset of a dummy page that was not accessed";
	if (!quire_page_aligned(engine->dummy_offset) ||
	    engine->dummy_offset >= engine->aperture_size)
		return "bad offset of a dummy page";
	return NULL;
}
