// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: rings, from the doorbell to the fence.
 *
 * A ring is off, idle, at work, waiting, hung (by injection) or at fault; one that is
 * disabled in the middle of a notice ends the notice first. At work it
 * holds one submission, copied in as a whole before the first byte is looked
 * at. The write pointer is read from the fence page each time the ring runs
 * dry, and only then: a doorbell merely says that it is worth looking. Before
 * it goes idle, a ring says in the fence page that it waits for a doorbell.
 *
 * A submission completes in this order: its data, its fence value, the read
 * pointer, the event; messages of events are sent after the slice. A fault
 * leaves the read pointer at the submission and the offset at the packet.
 */
#include <string.h>

#include "../address/quire_bytes.h"
#include "../core/quire_event.h"
#include "../core/quire_numbers.h"
#include "../decode/quire_packet.h"
#include "../execution/quire_execute.h"
#include "../execution/quire_opcode.h"
#include "../execution/quire_residency.h"
#include "../memory/quire_dma.h"
#include "../memory/quire_posted.h"
#include "../mmu/quire_tlb.h"
#include "../sync/quire_context.h"
#include "../sync/quire_interrupt.h"
#include "../sync/quire_wait.h"
#include "../work/quire_work.h"
#include "quire_dummy.h"
#include "quire_history.h"
#include "quire_range.h"
#include "quire_ring.h"

static bool quire_ring_enabled(const struct quire_ring *ring)
{
	return ring->control & QUIRE_RING_CONTROL_ENABLE;
}

/* Disabled, but its last notice is still to be ended. */
static bool quire_ring_ends(const struct quire_ring *ring)
{
	return !quire_ring_enabled(ring) && ring->active;
}

/* Is there work, or may there be? */
static bool quire_ring_busy(const struct quire_ring *ring)
{
	if (ring->fault_code)
		return false;
	if (!quire_ring_enabled(ring))
		return quire_ring_ends(ring);
	return ring->active || ring->pending || ring->rptr != ring->wptr;
}

/**
 * quire_ring_runnable - would quire_ring_run() do anything?
 * @engine: the engine
 * @ring: the ring
 *
 * Return: false if it is off, idle, hung or at fault, waits for work that was started, for a
 * value or for time to pass, or holds state that nobody has checked.
 */
bool quire_ring_runnable(const struct quire_engine *engine, const struct quire_ring *ring)
{
	return quire_ring_busy(ring) && !ring->hung && !engine->loading &&
	       !quire_work_running(engine, ring) && !quire_waits(engine, ring);
}

/**
 * quire_ring_status - register STATUS of a ring
 * @ring: the ring
 *
 * Return: QUIRE_RING_STATUS_*; a ring that hangs is busy.
 */
uint32_t quire_ring_status(const struct quire_ring *ring)
{
	return (quire_ring_busy(ring) ? QUIRE_RING_STATUS_BUSY : 0) |
	       (ring->fault_code ? QUIRE_RING_STATUS_FAULT : 0);
}

static void quire_ring_drop_submission(struct quire_ring *ring)
{
	ring->active = false;
	ring->started = false;
	ring->hung = false;
	ring->addr = 0;
	ring->fence = 0;
	ring->size = 0;
	ring->flags = 0;
	ring->context = 0;
	ring->root = 0;
	ring->save = 0;
	memset(ring->registers, 0, sizeof(ring->registers));
	ring->done = 0;
	memset(ring->kept, 0, sizeof(ring->kept));
}

static void quire_ring_forget(struct quire_ring *ring)
{
	ring->wptr = ring->rptr;
	ring->pending = false;
	quire_ring_drop_submission(ring);
}

/* Bytes of the packet at work were done: was it all? */
static void quire_ring_advance(struct quire_engine *engine, struct quire_ring *ring)
{
	const struct quire_op *op = &engine->op[ring - engine->ring];

	if (ring->done < op->total)
		return;
	quire_history_add(ring, op);
	ring->offset += op->size;
	ring->progress++;
	ring->started = false;
	ring->done = 0;
	memset(ring->kept, 0, sizeof(ring->kept));
}

static void quire_ring_end_work(struct quire_engine *engine, struct quire_ring *ring, bool wait)
{
	if (!quire_work_running(engine, ring) || !quire_work_end(engine, ring, wait))
		return;
	quire_wait_ended(engine, ring);
	quire_ring_advance(engine, ring);
}

/**
 * quire_ring_resume - take in work that was started, if it is done
 * @engine: the engine
 * @ring: the ring; while the work is running it is not runnable
 */
void quire_ring_resume(struct quire_engine *engine, struct quire_ring *ring)
{
	quire_ring_end_work(engine, ring, false);
}

/**
 * quire_ring_settle - wait for what was started, and count the time that has passed
 * @engine: the engine
 * @ring: the ring; it stands at a packet or within one afterwards
 */
void quire_ring_settle(struct quire_engine *engine, struct quire_ring *ring)
{
	quire_ring_end_work(engine, ring, true);
	quire_wait_settle(engine, ring);
}

/**
 * quire_ring_reset - bring a ring to the state after power-on
 * @engine: the engine
 * @ring: the ring
 *
 * Faults on demand stay, see quire_engine_reset_control(), and the bytes of its last
 * submission, at which nobody looks.
 */
void quire_ring_reset(struct quire_engine *engine, struct quire_ring *ring)
{
	uint32_t hang = ring->inject_hang, fault = ring->inject_fault;
	size_t registers = offsetof(struct quire_ring, submission);

	quire_ring_settle(engine, ring);
	memset(ring, 0, registers);
	ring->inject_hang = hang;
	ring->inject_fault = fault;
}

/* Registers of a submission that does not come to its end are in memory when that is known. */
static void quire_ring_put_away(struct quire_engine *engine, struct quire_ring *ring)
{
	if (!ring->save)
		return;
	quire_context_store(engine, ring);
	quire_posted_flush(engine);
}

static void quire_ring_fault(struct quire_engine *engine, struct quire_ring *ring,
			     struct quire_error error)
{
	ring->fault_code = error.code;
	ring->fault_offset = ring->offset;
	ring->fault_opcode = 0;
	ring->fault_addr = error.addr;
	ring->fault_fence = ring->fence;
	if (ring->active && ring->offset < ring->size)
		ring->fault_opcode = quire_get_le32(ring->submission + ring->offset);
	quire_ring_put_away(engine, ring);
	quire_context_latch(engine, ring, error);
	quire_event(engine, QUIRE_EVENT_FAULT, ring, error.code, error.addr);
	if (error.code != QUIRE_FAULT_INJECTED)
		engine->ops->guest_error(engine->opaque,
					 "ring %u: %s at 0x%llx, entry %u, offset 0x%x, packet 0x%x",
					 (unsigned int)(ring - engine->ring),
					 quire_fault_name(error.code),
					 (unsigned long long)error.addr, ring->rptr,
					 ring->fault_offset, ring->fault_opcode);
	quire_ring_forget(ring);
	quire_interrupt(engine, QUIRE_VECTOR_FAULT);
}

/**
 * quire_ring_check - may the ring start?
 * @ring: the ring; its registers are looked at, no memory
 *
 * Return: QUIRE_FAULT_BAD_RING with the value that is wrong, if one is.
 */
struct quire_error quire_ring_check(const struct quire_ring *ring)
{
	uint64_t bytes;

	if (ring->order > QUIRE_RING_ORDER_MAX)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RING, ring->order);
	bytes = sizeof(struct quire_ring_entry) << ring->order;
	if (!quire_page_aligned(ring->entries) || ring->entries > UINT64_MAX - (bytes - 1))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RING, ring->entries);
	if (!quire_page_aligned(ring->fence_page))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_RING, ring->fence_page);
	return QUIRE_OK;
}

static void quire_ring_start(struct quire_engine *engine, struct quire_ring *ring)
{
	struct quire_error error = quire_ring_check(ring);

	ring->rptr = 0;
	quire_ring_forget(ring);
	ring->offset = 0;
	ring->fault_code = QUIRE_FAULT_NONE;
	ring->fault_offset = 0;
	ring->fault_opcode = 0;
	ring->fault_addr = 0;
	ring->fault_fence = 0;
	quire_event(engine, QUIRE_EVENT_ENABLE, ring, ring->entries, ring->order);
	if (error.code) {
		quire_ring_fault(engine, ring, error);
		return;
	}
	ring->pending = true;
	engine->ops->kick(engine->opaque);
}

/* A packet that was begun before a migration. */
static struct quire_error quire_ring_go_on(struct quire_engine *engine, struct quire_ring *ring,
					   struct quire_op *op)
{
	struct quire_error error = quire_packet_decode(engine, ring, ring->offset, op);

	if (!error.code && quire_is_paging(engine, ring))
		quire_notify_resume(ring, op);
	return error;
}

/*
 * A notice that has begun to change what is known is done as a whole: a driver that goes on from
 * OFFSET could neither tell it again nor leave it out.
 */
static bool quire_ring_in_notice(struct quire_engine *engine, struct quire_ring *ring)
{
	struct quire_op *op = &engine->op[ring - engine->ring];

	if (!ring->started || !quire_is_paging(engine, ring))
		return false;
	if (!op->size && quire_ring_go_on(engine, ring, op).code)
		return false;
	return quire_notify_changes(ring, op);
}

static void quire_ring_disabled(struct quire_engine *engine, struct quire_ring *ring)
{
	quire_event(engine, QUIRE_EVENT_DISABLE, ring, ring->rptr, ring->offset);
	if (quire_is_paging(engine, ring))
		quire_tlb_hold(engine, false);
	quire_ring_put_away(engine, ring);
	quire_ring_forget(ring);
}

static void quire_ring_disable(struct quire_engine *engine, struct quire_ring *ring)
{
	quire_ring_settle(engine, ring);
	if (!quire_ring_in_notice(engine, ring)) {
		quire_ring_disabled(engine, ring);
		return;
	}
	ring->pending = false;
	engine->ops->kick(engine->opaque);
}

/**
 * quire_ring_control - the control register was written
 * @engine: the engine
 * @ring: whose register it is; it holds the new value
 * @old: what it held
 *
 * Enabled, the ring starts with its first entry; a ring that may not start is at fault.
 * Disabled, it forgets its work but keeps RPTR and OFFSET, for a driver that restarts it, and
 * what the packets before that have made of registers. A notice that changes the table is ended
 * first, in slices; until then the ring is busy and can not be enabled.
 */
void quire_ring_control(struct quire_engine *engine, struct quire_ring *ring, uint32_t old)
{
	bool was_enabled = old & QUIRE_RING_CONTROL_ENABLE;

	if (was_enabled == quire_ring_enabled(ring))
		return;
	if (was_enabled)
		quire_ring_disable(engine, ring);
	else if (ring->active)
		ring->control = old;
	else
		quire_ring_start(engine, ring);
}

/**
 * quire_ring_doorbell - the guest says that it is worth looking for work
 * @engine: the engine
 * @ring: the ring; one that is off or at fault does not care
 */
void quire_ring_doorbell(struct quire_engine *engine, struct quire_ring *ring)
{
	quire_event(engine, QUIRE_EVENT_DOORBELL, ring, 0, 0);
	if (!quire_ring_enabled(ring) || ring->fault_code)
		return;
	ring->pending = true;
	if (!ring->hung)
		engine->ops->kick(engine->opaque);
}

/* Read the write pointer; what it can not be is a fault. */
static struct quire_error quire_ring_read_wptr(struct quire_engine *engine,
					       struct quire_ring *ring)
{
	uint64_t addr = ring->fence_page + offsetof(struct quire_fence_page, wptr);
	uint32_t wptr;

	if (!quire_dma_read32(engine, addr, &wptr))
		return QUIRE_ERROR(QUIRE_FAULT_RING_DMA, addr);
	if (wptr - ring->rptr > 1u << ring->order)
		return QUIRE_ERROR(QUIRE_FAULT_BAD_WPTR, wptr);
	ring->wptr = wptr;
	return QUIRE_OK;
}

/*
 * Look for work, and go idle if there is none.
 *
 * Going idle, the ring asks for a doorbell and then looks again. The driver
 * publishes its entries and then looks whether a doorbell is asked for. Each
 * has a full barrier between its store and its load, so at least one of them
 * sees what the other stored: the ring the entries, or the driver the wish. A
 * ring that is idle has always asked with the pointer it stopped at, and never
 * withdraws: once the driver is past that pointer, the old wish matches no
 * later entry.
 */
static struct quire_error quire_ring_look(struct quire_engine *engine, struct quire_ring *ring)
{
	uint64_t event = ring->fence_page + offsetof(struct quire_fence_page, doorbell_event);
	struct quire_error error;

	ring->pending = false;
	error = quire_ring_read_wptr(engine, ring);
	if (error.code || ring->wptr != ring->rptr)
		return error;
	/* The upper half is reserved1[0], zero. */
	if (!quire_dma_write64(engine, event, ring->rptr))
		return QUIRE_ERROR(QUIRE_FAULT_FENCE_DMA, event);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return quire_ring_read_wptr(engine, ring);
}

/**
 * quire_ring_submission_ok - may a ring entry ask for this submission?
 * @ring: the ring; address, size, flags and context of the submission are looked at
 *
 * Return: false if it is too long, not aligned or wrapped, or has unknown flags or a context
 * that does not fit them.
 */
bool quire_ring_submission_ok(const struct quire_ring *ring)
{
	if (ring->flags & ~(QUIRE_ENTRY_IRQ | QUIRE_ENTRY_CONTEXT | QUIRE_ENTRY_VIRTUAL))
		return false;
	if (ring->addr & 7 || ring->size & 7 || ring->size > QUIRE_MAX_SUBMISSION)
		return false;
	if (!(ring->flags & QUIRE_ENTRY_CONTEXT))
		return !(ring->flags & QUIRE_ENTRY_VIRTUAL) && !ring->context &&
		       (!ring->size || ring->addr <= UINT64_MAX - (ring->size - 1));
	if (!quire_page_aligned(ring->context))
		return false;
	if (ring->flags & QUIRE_ENTRY_VIRTUAL)
		return quire_range_ok(ring->addr, ring->size, QUIRE_VA_END);
	return !ring->size || ring->addr <= UINT64_MAX - (ring->size - 1);
}

/* Copy the submission in. One that has a virtual address is read as what it is, code. */
static struct quire_error quire_ring_read(struct quire_engine *engine, struct quire_ring *ring)
{
	struct quire_side side = {
		.segment = QUIRE_SEGMENT_VIRTUAL,
		.address = ring->addr,
		.space = { .root = ring->root, .access = QUIRE_ACCESS_EXECUTE },
	};
	struct quire_error error;
	uint64_t read;

	if (ring->flags & QUIRE_ENTRY_VIRTUAL) {
		error = quire_bytes_read(engine, &side, 0, ring->submission, ring->size);
		if (error.code == QUIRE_FAULT_DMA)
			error.code = QUIRE_FAULT_BUFFER_DMA;
		return error;
	}
	read = quire_dma_read(engine, ring->addr, ring->submission, ring->size);
	if (read < ring->size)
		return QUIRE_ERROR(QUIRE_FAULT_BUFFER_DMA, ring->addr + read);
	return QUIRE_OK;
}

/* Fetch the next entry and copy its submission in. */
static struct quire_error quire_ring_fetch(struct quire_engine *engine, struct quire_ring *ring,
					   struct quire_budget *budget)
{
	uint32_t index = ring->rptr & ((1u << ring->order) - 1);
	uint64_t addr = ring->entries + (uint64_t)index * sizeof(struct quire_ring_entry);
	uint8_t entry[sizeof(struct quire_ring_entry)];
	struct quire_error error;

	if (quire_dma_read(engine, addr, entry, sizeof(entry)) < sizeof(entry))
		return QUIRE_ERROR(QUIRE_FAULT_RING_DMA, addr);
	ring->addr = quire_get_le64(entry + offsetof(struct quire_ring_entry, addr));
	ring->size = quire_get_le32(entry + offsetof(struct quire_ring_entry, size));
	ring->flags = quire_get_le32(entry + offsetof(struct quire_ring_entry, flags));
	ring->fence = quire_get_le64(entry + offsetof(struct quire_ring_entry, fence));
	ring->context = quire_get_le64(entry + offsetof(struct quire_ring_entry, context));
	if (!quire_ring_submission_ok(ring))
		return QUIRE_ERROR(QUIRE_FAULT_BAD_ENTRY, addr);

	error = quire_context_load(engine, ring);
	if (!error.code)
		error = quire_ring_read(engine, ring);
	if (error.code)
		return error;
	quire_budget_take(budget, quire_max(ring->size, QUIRE_COST_ENTRY));
	ring->active = true;
	quire_event(engine, QUIRE_EVENT_SUBMIT, ring, ring->fence, ring->size);
	return QUIRE_OK;
}

/*
 * All packets are executed: tell the driver. Of an execution ring the fence says that all
 * it has written is in memory; for the paging ring there is READ_PHYSICAL.
 */
static struct quire_error quire_ring_complete(struct quire_engine *engine,
					      struct quire_ring *ring,
					      struct quire_budget *budget)
{
	uint64_t fence = ring->fence_page + offsetof(struct quire_fence_page, fence);
	uint64_t rptr = ring->fence_page + offsetof(struct quire_fence_page, rptr);
	bool interrupt = ring->flags & QUIRE_ENTRY_IRQ;
	struct quire_error error = quire_context_store(engine, ring);

	if (error.code)
		return error;
	if (!quire_is_paging(engine, ring)) {
		quire_budget_take(budget, engine->posted.total);
		quire_posted_flush(engine);
	}
	if (!quire_dma_write64(engine, fence, ring->fence))
		return QUIRE_ERROR(QUIRE_FAULT_FENCE_DMA, fence);
	/* The upper half is reserved0, zero. */
	if (!quire_dma_write64(engine, rptr, ring->rptr + 1))
		return QUIRE_ERROR(QUIRE_FAULT_FENCE_DMA, rptr);
	ring->rptr++;
	ring->offset = 0;
	quire_event(engine, QUIRE_EVENT_COMPLETE, ring, ring->fence, ring->rptr);
	quire_ring_drop_submission(ring);
	if (interrupt)
		quire_interrupt(engine, QUIRE_VECTOR_FENCE);
	return QUIRE_OK;
}

/* Count a packet against an injection; true if it is the one. */
static bool quire_inject(uint32_t *count)
{
	return *count && !--*count;
}

/* The first look at a packet: what is asked only once. */
static struct quire_error quire_ring_begin(struct quire_engine *engine, struct quire_ring *ring,
					   struct quire_op *op)
{
	bool hang = quire_inject(&ring->inject_hang);
	bool fault = quire_inject(&ring->inject_fault);
	struct quire_error error;

	if (hang) {
		ring->hung = true;
		quire_event(engine, QUIRE_EVENT_HANG, ring, ring->offset, ring->rptr);
		return QUIRE_OK;
	}
	if (fault)
		return QUIRE_ERROR(QUIRE_FAULT_INJECTED, 0);
	error = quire_packet_decode(engine, ring, ring->offset, op);
	if (!error.code)
		error = quire_packet_unmapped(engine, op, true);
	if (error.code)
		return error;
	ring->started = true;
	quire_event(engine, QUIRE_EVENT_PACKET, ring, op->opcode, ring->offset);
	quire_dummy_report(engine, ring, op);
	if (op->opcode == QUIRE_OP_SPECIAL_LOCK)
		quire_range_let_go(engine, op->value);
	return QUIRE_OK;
}

/* Is the fault about the packet, rather than an address in it? */
static bool quire_fault_of_packet(enum quire_fault code)
{
	return code == QUIRE_FAULT_BAD_PACKET || code == QUIRE_FAULT_BAD_OPCODE ||
	       code == QUIRE_FAULT_BAD_RUNS;
}

/* Begin or go on with the packet at ring->offset. */
static struct quire_error quire_ring_packet(struct quire_engine *engine,
					    struct quire_ring *ring, struct quire_budget *budget)
{
	struct quire_op *op = &engine->op[ring - engine->ring];
	struct quire_error error = QUIRE_OK;

	if (!ring->started)
		error = quire_ring_begin(engine, ring, op);
	else if (!op->size) /* begun before a migration */
		error = quire_ring_go_on(engine, ring, op);
	if (!error.code && !ring->hung)
		error = quire_execute(engine, ring, op, budget);
	if (quire_fault_of_packet(error.code))
		error.addr = ring->addr + ring->offset;
	if (error.code || ring->hung || quire_work_running(engine, ring))
		return error;
	quire_ring_advance(engine, ring);
	if (!ring->started)
		quire_budget_take(budget, QUIRE_COST_PACKET);
	return error;
}

static struct quire_error quire_ring_end_notice(struct quire_engine *engine,
						struct quire_ring *ring,
						struct quire_budget *budget)
{
	struct quire_error error = quire_ring_packet(engine, ring, budget);

	if (!error.code && !ring->started)
		quire_ring_disabled(engine, ring);
	return error;
}

/* One step of a ring with work. */
static struct quire_error quire_ring_step(struct quire_engine *engine, struct quire_ring *ring,
					  struct quire_budget *budget)
{
	if (quire_ring_ends(ring))
		return quire_ring_end_notice(engine, ring, budget);
	if (!ring->active && ring->rptr == ring->wptr)
		return quire_ring_look(engine, ring);
	if (!ring->active)
		return quire_ring_fetch(engine, ring, budget);
	if (ring->offset < ring->size)
		return quire_ring_packet(engine, ring, budget);
	return quire_ring_complete(engine, ring, budget);
}

/**
 * quire_ring_run - execute on one ring until its time of the slice is over
 * @engine: the engine
 * @ring: one of its rings
 * @budget: what the slice may use
 *
 * After a completion the ring looks for more by itself, so a doorbell that is
 * rung while it works costs nothing.
 */
void quire_ring_run(struct quire_engine *engine, struct quire_ring *ring,
		    struct quire_budget *budget)
{
	struct quire_op *op = &engine->op[ring - engine->ring];

	quire_side_forget(&op->src);
	quire_side_forget(&op->dst);
	while (quire_ring_runnable(engine, ring) && quire_budget_left(engine, budget)) {
		uint32_t rptr = ring->rptr;
		struct quire_error error = quire_ring_step(engine, ring, budget);

		if (error.code) {
			quire_ring_fault(engine, ring, error);
			return;
		}
		if (rptr != ring->rptr && ring->rptr == ring->wptr)
			ring->pending = true;
	}
}
