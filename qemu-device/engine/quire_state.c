// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: state that came from elsewhere.
 *
 * A migration stream is as hostile as a guest. What is loaded must be a state
 * that the engine could have reached by itself; everything that later code
 * relies on is checked here, the packet at work by decoding it again.
 */
#include "quire_internal.h"

static uint64_t quire_op_unit(const struct quire_op *op)
{
	switch (op->opcode) {
	case QUIRE_OP_FILL:
		return 4;
	case QUIRE_OP_DISCARD_CONTENT:
		return QUIRE_PAGE_SIZE;
	default:
		return 1;
	}
}

/* The packet at work, if it was begun, is good and not past its end. */
static const char *quire_check_packet(const struct quire_engine *engine,
				      const struct quire_ring *ring)
{
	struct quire_op op;

	if (!ring->started)
		return ring->done ? "progress in a packet that was not begun" : NULL;
	if (ring->hung || ring->offset >= ring->size)
		return "no packet at the offset";
	if (quire_packet_decode(engine, ring->submission + ring->offset,
				ring->size - ring->offset, &op).code)
		return "bad packet at the offset";
	if (ring->done >= op.total || ring->done & (quire_op_unit(&op) - 1))
		return "bad progress in the packet";
	return NULL;
}

static const char *quire_check_submission(const struct quire_engine *engine,
					  const struct quire_ring *ring)
{
	if (!ring->active)
		return ring->started || ring->hung || ring->done ? "work without a submission" :
								   NULL;
	if (ring->size > QUIRE_MAX_SUBMISSION || ring->size & 7 || ring->addr & 7 ||
	    ring->flags & ~QUIRE_ENTRY_IRQ)
		return "bad submission";
	if (ring->offset > ring->size || ring->offset & 7 || ring->rptr == ring->wptr)
		return "bad position in the submission";
	if (ring->hung && ring->offset == ring->size)
		return "no packet at the offset";
	return quire_check_packet(engine, ring);
}

static const char *quire_check_ring(const struct quire_engine *engine,
				    const struct quire_ring *ring)
{
	bool running = ring->control & QUIRE_RING_CONTROL_ENABLE && !ring->fault_code;

	if (ring->control & ~QUIRE_RING_CONTROL_ENABLE)
		return "reserved bits in the ring control";
	if (ring->fault_code > QUIRE_FAULT_INJECTED)
		return "unknown fault";
	if (!running)
		return ring->active || ring->pending || ring->started || ring->hung ||
		       ring->done || ring->rptr != ring->wptr ? "work in a stopped ring" : NULL;
	if (quire_ring_check(ring).code)
		return "bad ring registers";
	if (ring->wptr - ring->rptr > 1u << ring->order)
		return "bad write pointer";
	return quire_check_submission(engine, ring);
}

static const char *quire_check_aperture(struct quire_engine *engine)
{
	uint32_t page;

	engine->aperture_top = 0;
	for (page = 0; page < engine->aperture_pages; page++) {
		uint64_t entry = engine->aperture[page];
		uint64_t bits = entry & (QUIRE_PAGE_SIZE - 1);

		if (!entry)
			continue;
		engine->aperture_top = page + 1;
		if (!(bits & QUIRE_APERTURE_VALID) || bits & ~QUIRE_APERTURE_BITS)
			return "bad aperture entry";
	}
	return NULL;
}

/**
 * quire_engine_pre_load - state is about to be loaded into it
 * @engine: the engine
 *
 * A load can end early, without quire_engine_post_load(): a reset then clears whatever
 * it has brought.
 */
void quire_engine_pre_load(struct quire_engine *engine)
{
	engine->aperture_top = engine->aperture_pages;
}

/**
 * quire_engine_post_load - accept or refuse state that was loaded into it
 * @engine: the engine; configuration is its own, migrated members are loaded
 * @why: set to the reason of a refusal
 *
 * The host kicks itself afterwards if quire_engine_runnable().
 *
 * Return: false if the state is impossible; the engine is then reset.
 */
bool quire_engine_post_load(struct quire_engine *engine, const char **why)
{
	unsigned int i;

	memset(engine->op, 0, QUIRE_RING_MAX * sizeof(*engine->op));
	*why = quire_check_aperture(engine);
	if ((engine->int_status | engine->int_enable) & ~QUIRE_INT_ALL)
		*why = "reserved interrupt bits";
	for (i = 0; i < QUIRE_RING_MAX && !*why; i++)
		*why = quire_check_ring(engine, &engine->ring[i]);
	if (!*why)
		return true;
	engine->aperture_top = engine->aperture_pages;
	quire_engine_reset(engine);
	return false;
}
