// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: what is true of it whenever no call is under way, nor anything that
 * it started.
 *
 * The invariants stand here once. Loaded state has to have them, since a
 * migration stream is as hostile as a guest, and the tests look after every
 * step whether the engine's own state has them.
 *
 * A ring is in one of these states. Fields that are not named are 0 or false:
 *
 * - off: RPTR and OFFSET say where it stopped, the fault registers why; the
 *   registers that are written while it is off hold anything;
 * - off, in a notice: active, and the notice has begun to change the table;
 * - fault, on or off: the same, and OFFSET is that of the fault;
 * - idle: @rptr equals @wptr, perhaps @pending;
 * - waiting: @wptr is ahead, perhaps @pending;
 * - active: waiting, with a submission. @offset is at one of its packets or at
 *   its end. At a packet the ring may be @hung, or have @started it: then it is
 *   an operation of several units, and some of them are @done, and of a command
 *   it may have @kept something. Or it is one that waits, and perhaps none are. With a
 *   @context it has the @root of that, and on an execution ring its @registers, if that
 *   has a place to @save them.
 *
 * PROGRESS, INT_STATUS, INT_ENABLE and what is left of injections tell of the
 * past, or of the guest's wishes: nothing else follows from them.
 */
#include <stddef.h>

#include "../decode/quire_packet.h"
#include "../device/quire_dummy.h"
#include "../device/quire_history.h"
#include "../device/quire_range.h"
#include "../device/quire_ring.h"
#include "../execution/quire_opcode.h"
#include "../execution/quire_residency.h"
#include "../memory/quire_flat.h"
#include "../memory/quire_posted.h"
#include "../sync/quire_context.h"
#include "../sync/quire_native.h"
#include "quire_check.h"
#include "quire_check_fault.h"

/* Can a slice end with so much done? */
static bool quire_done_ok(const struct quire_ring *ring, const struct quire_op *op)
{
	if (ring->done >= op->total)
		return false;
	switch (op->operation->resume) {
	case QUIRE_RESUME_WAITING:
		return !ring->done;
	case QUIRE_RESUME_UNITS:
		return ring->done && !(ring->done % op->unit);
	case QUIRE_RESUME_ANYWHERE:
		return true;
	default:
		return false;
	}
}

/* Does the ring keep nothing from number @first on? */
static const char *quire_check_kept(const struct quire_ring *ring, unsigned int first)
{
	unsigned int i;

	for (i = first; i < QUIRE_RING_KEPT; i++)
		if (ring->kept[i])
			return "kept by a packet that keeps nothing";
	return NULL;
}

/* The packet at work was checked when it began; what it needs is there for ever. */
static const char *quire_check_packet(const struct quire_engine *engine,
				      const struct quire_ring *ring)
{
	const char *why = NULL;
	struct quire_op op;

	if (quire_packet_decode(engine, ring, ring->offset, &op).code ||
	    quire_packet_unmapped(engine, &op, false).code)
		return "bad packet at work";
	if (!quire_done_ok(ring, &op))
		return "bad progress in the packet";
	if (op.operation->check)
		why = op.operation->check(engine, ring, &op);
	return why ?: quire_check_kept(ring, op.operation->kept);
}

/* Is the offset where a packet of the submission begins, or where the last one ends? */
static bool quire_at_packet(const struct quire_engine *engine, const struct quire_ring *ring)
{
	struct quire_op op;
	uint32_t at;

	for (at = 0; at < ring->offset; at += op.size)
		if (at >= ring->size ||
		    quire_packet_decode(engine, ring, at, &op).code)
			return false;
	return at == ring->offset;
}

static const char *quire_check_active(const struct quire_engine *engine,
				      const struct quire_ring *ring)
{
	if (!quire_ring_submission_ok(ring) || !quire_context_ok(engine, ring))
		return "bad submission";
	if (ring->root && !(ring->flags & QUIRE_ENTRY_CONTEXT))
		return "an address space without a context";
	if (ring->rptr == ring->wptr)
		return "a submission without an entry";
	if (!quire_at_packet(engine, ring))
		return "bad position in the submission";
	if ((ring->hung || ring->started) && ring->offset == ring->size)
		return "no packet at the offset";
	if (ring->started)
		return ring->hung ? "hung in a packet" : quire_check_packet(engine, ring);
	return ring->done ? "progress in a packet that was not begun" :
			    quire_check_kept(ring, 0);
}

static bool quire_no_submission(const struct quire_ring *ring)
{
	return !ring->active && !ring->started && !ring->hung && !ring->addr && !ring->fence &&
	       !ring->size && !ring->flags && !ring->context && !ring->root && !ring->save &&
	       quire_registers_clear(ring) && !ring->done &&
	       !quire_check_kept(ring, 0);
}

/* Off, or at fault: it does nothing, and knows where it stopped. */
static const char *quire_check_stopped(const struct quire_engine *engine,
				       const struct quire_ring *ring)
{
	if (ring->pending || ring->rptr != ring->wptr || !quire_no_submission(ring))
		return "work in a stopped ring";
	if (ring->offset > QUIRE_MAX_SUBMISSION || ring->offset & 7)
		return "bad offset";
	return quire_check_fault(engine, ring);
}

/* Off, but a notice is still to be ended. */
static const char *quire_check_ending(const struct quire_engine *engine,
				      const struct quire_ring *ring)
{
	const char *why = quire_check_fault(engine, ring) ?: quire_check_active(engine, ring);
	struct quire_op op;

	if (why)
		return why;
	if (!ring->started || ring->pending || !quire_is_paging(engine, ring) ||
	    quire_packet_decode(engine, ring, ring->offset, &op).code ||
	    !quire_notify_changes(ring, &op))
		return "work in a stopped ring";
	return NULL;
}

static const char *quire_check_ring(const struct quire_engine *engine,
				    const struct quire_ring *ring)
{
	bool enabled = ring->control & QUIRE_RING_CONTROL_ENABLE;
	const char *why = quire_check_history(engine, ring);

	if (why)
		return why;
	if (ring->control & ~QUIRE_RING_CONTROL_ENABLE)
		return "reserved bits in the ring control";
	if (!enabled && !ring->fault_code && ring->active)
		return quire_check_ending(engine, ring);
	if (!enabled || ring->fault_code)
		return quire_check_stopped(engine, ring);
	if (quire_ring_check(ring).code)
		return "bad ring registers";
	if (ring->wptr - ring->rptr > 1u << ring->order)
		return "bad write pointer";
	if (ring->active)
		return quire_check_fault(engine, ring) ?: quire_check_active(engine, ring);
	if (ring->offset || !quire_no_submission(ring))
		return "work without a submission";
	return quire_check_fault(engine, ring);
}

/* Faults on demand: are some left to come, or did one come? */
static bool quire_has_injection(const struct quire_engine *engine)
{
	bool has = engine->inject_drop_irq;
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		has |= engine->ring[i].inject_hang || engine->ring[i].inject_fault ||
		       engine->ring[i].hung ||
		       engine->ring[i].fault_code == QUIRE_FAULT_INJECTED;
	return has;
}

/* A dummy page is neither coherent nor visible; what is visible is in the window. */
static bool quire_entry_ok(const struct quire_engine *engine, uint32_t page)
{
	uint64_t bits = engine->aperture[page] & (QUIRE_PAGE_SIZE - 1);

	if (!engine->aperture[page])
		return true;
	if (!(bits & QUIRE_APERTURE_VALID) || bits & ~QUIRE_APERTURE_BITS)
		return false;
	if (bits & QUIRE_APERTURE_DUMMY)
		return !(bits & (QUIRE_APERTURE_COHERENT | QUIRE_APERTURE_CPU_VISIBLE));
	return !(bits & QUIRE_APERTURE_CPU_VISIBLE) ||
	       page < engine->window_size >> QUIRE_PAGE_SHIFT;
}

static const char *quire_check_aperture(const struct quire_engine *engine)
{
	uint32_t page;

	for (page = 0; page < engine->aperture_top; page++)
		if (!quire_entry_ok(engine, page))
			return "bad aperture entry";
	return NULL;
}

/**
 * quire_engine_check - is this a state that the engine reaches by itself?
 * @engine: the engine; no call to it is under way, and no work that it started
 *
 * Aperture entries from @aperture_top on are not looked at: they are zero, and many.
 *
 * Return: NULL if it is, else what is wrong.
 */
const char *quire_engine_check(const struct quire_engine *engine)
{
	const char *why = quire_check_aperture(engine) ?: quire_check_posted(engine) ?:
			  quire_check_dummy(engine) ?: quire_check_residency(engine) ?:
			  quire_check_flat(engine) ?: quire_check_native(engine);
	unsigned int i;

	if ((engine->int_status | engine->int_enable) & ~QUIRE_INT_ALL)
		why = "reserved interrupt bits";
	if (!(engine->caps & QUIRE_CAPS_FAULT_INJECTION) &&
	    quire_has_injection(engine))
		why = "faults on demand of a device that has none";
	for (i = 0; i < engine->ring_count && !why; i++)
		why = quire_check_ring(engine, &engine->ring[i]);
	return why ?: quire_check_ranges(engine);
}
