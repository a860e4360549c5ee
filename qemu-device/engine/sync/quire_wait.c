// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: commands that wait, WAIT_VALUE and DELAY.
 *
 * A ring that waits is not runnable, and holds nobody up. It is looked at again when the
 * machine's time says so, for which the host has an alarm. A value is also looked at when
 * any ring has made progress, which may have written it; but a processor writes memory
 * without telling the device, so that there is no other way than to look now and then.
 *
 * What has passed of a delay is counted when somebody looks, and kept in struct
 * quire_ring::done: a ring that is saved goes on with the rest of it. So there is always
 * some rest until the ring itself has looked.
 */
#include "../core/quire_event.h"
#include "../core/quire_numbers.h"
#include "../work/quire_work.h"
#include "quire_command.h"
#include "quire_wait.h"

/**
 * quire_waits - does the ring wait for a value or for time to pass?
 * @engine: the engine
 * @ring: the ring
 *
 * Return: true until it is worth looking again.
 */
bool quire_waits(const struct quire_engine *engine, const struct quire_ring *ring)
{
	const struct quire_op *op = &engine->op[ring - engine->ring];

	return ring->started && op->waiting &&
	       engine->ops->time(engine->opaque) < op->wait_until;
}

/**
 * quire_wait - have a ring wait
 * @engine: the engine
 * @ring: the ring
 * @op: its packet
 * @now: what the machine's time is
 * @ns: nanoseconds from @now on
 */
void quire_wait(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op,
		uint64_t now, uint64_t ns)
{
	op->wait_until = now + quire_min(ns, UINT64_MAX - now);
	if (op->waiting)
		return;
	op->waiting = true;
	quire_event(engine, QUIRE_EVENT_WAIT, ring, op->opcode, ring->offset);
}

/**
 * quire_delay_count - count what has passed of a delay
 * @engine: the engine
 * @ring: the ring it stands in; @done is advanced
 * @op: the decoded command
 * @most: nanoseconds of it that are counted at most, in all
 *
 * Return: what the machine's time is.
 */
uint64_t quire_delay_count(struct quire_engine *engine, struct quire_ring *ring,
			   struct quire_op *op, uint64_t most)
{
	uint64_t now = engine->ops->time(engine->opaque);

	if (op->waiting)
		ring->done += quire_min(now - op->since, most - ring->done);
	op->since = now;
	return now;
}

/**
 * quire_wait_settle - count the time that has passed, before state is saved
 * @engine: the engine
 * @ring: any ring
 */
void quire_wait_settle(struct quire_engine *engine, struct quire_ring *ring)
{
	struct quire_op *op = &engine->op[ring - engine->ring];

	if (ring->started && op->waiting && op->opcode == QUIRE_COMMAND_DELAY)
		quire_delay_count(engine, ring, op, op->total - 1);
}

/**
 * quire_waits_look - a ring has made progress: look at the values that are waited for
 * @engine: the engine
 */
void quire_waits_look(struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		if (engine->op[i].opcode == QUIRE_COMMAND_WAIT_VALUE)
			engine->op[i].wait_until = 0;
}

/**
 * quire_waits_alarm - have the host call when the first ring need not wait any more
 * @engine: the engine
 */
void quire_waits_alarm(struct quire_engine *engine)
{
	uint64_t when = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		if (quire_waits(engine, &engine->ring[i]))
			when = quire_min(when, engine->op[i].wait_until);
	if (when < UINT64_MAX)
		engine->ops->alarm(engine->opaque, when);
}

/**
 * quire_wait_for_rings - wait for what is at work in threads
 * @engine: the engine
 * @ring: the ring of the packet that waits
 * @op: the decoded packet
 * @rings: a bit for each ring with work at work that has to end; counts at the first look
 *
 * What begins later is not waited for. Where the state is loaded nothing is at work.
 *
 * Return: true if nothing of that is at work any more; else the ring waits, and looks again.
 */
bool quire_wait_for_rings(struct quire_engine *engine, struct quire_ring *ring,
			  struct quire_op *op, uint32_t rings)
{
	if (!op->waiting)
		op->wait_for = rings;
	if (!op->wait_for)
		return true;
	quire_wait(engine, ring, op, 0, UINT64_MAX);
	return false;
}

/**
 * quire_wait_ended - work that was in a thread has ended: who waits for it?
 * @engine: the engine
 * @ring: whose work
 */
void quire_wait_ended(struct quire_engine *engine, const struct quire_ring *ring)
{
	uint32_t bit = 1u << (ring - engine->ring);
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++) {
		struct quire_op *op = &engine->op[i];

		if (op->wait_for == bit)
			op->wait_until = 0;
		op->wait_for &= ~bit;
	}
}

/* Does a packet access one of the pages from @address on? Page tables may lead to the aperture. */
static bool quire_side_accesses(const struct quire_side *side, uint32_t segment, uint64_t address,
				uint64_t bytes)
{
	if (!side->len)
		return false;
	if (side->segment == QUIRE_SEGMENT_VIRTUAL)
		return segment == QUIRE_SEGMENT_APERTURE;
	return side->segment == segment && side->address < address + bytes &&
	       address < side->address + side->len;
}

/* Rings that have work at work whose packets access one of the pages of @unmap. */
static uint32_t quire_unmap_at_work(const struct quire_engine *engine, const struct quire_op *unmap)
{
	uint64_t address = unmap->dst.address, bytes = (unmap->total - 1) << QUIRE_PAGE_SHIFT;
	uint32_t segment = unmap->dst.segment, rings = 0;
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++) {
		const struct quire_op *op = &engine->op[i];

		if (quire_work_running(engine, &engine->ring[i]) &&
		    (quire_side_accesses(&op->src, segment, address, bytes) ||
		     quire_side_accesses(&op->dst, segment, address, bytes)))
			rings |= 1u << i;
	}
	return rings;
}

/**
 * quire_unmap_wait - the last unit of an UNMAP_APERTURE or UNMAP_MMU
 * @engine: the engine
 * @ring: the ring it stands in; @done counts pages, and is advanced by one when nothing accesses
 *        the pages any more
 * @op: the decoded packet
 */
void quire_unmap_wait(struct quire_engine *engine, struct quire_ring *ring, struct quire_op *op)
{
	if (ring->done == op->total - 1 &&
	    quire_wait_for_rings(engine, ring, op, quire_unmap_at_work(engine, op)))
		ring->done++;
}
