// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: contexts, pages of memory that say in which address space a submission is
 * executed, and what went wrong there.
 *
 * The device keeps nothing of a context but what the submission at work needs. That are its
 * registers, too, if it has a save area: they are read from there when a submission begins, and
 * are there again before anybody knows that it has ended. Each execution ring has its own.
 */
#include <string.h>

#include "../address/quire_bytes.h"
#include "../core/quire_numbers.h"
#include "../memory/quire_posted.h"
#include "quire_context.h"

/* Bytes of what the device looks at when a submission begins. */
#define QUIRE_CONTEXT_HEAD	offsetof(struct quire_context_area, reserved)

/* Is there a segment with such a page? The address of an entry is aligned. */
static bool quire_context_side(const struct quire_engine *engine, uint64_t context,
			       struct quire_side *side)
{
	side->segment = QUIRE_ADDRESS_SEGMENT(context);
	side->address = QUIRE_ADDRESS_OFFSET(context);
	switch (side->segment) {
	case QUIRE_SEGMENT_SYSTEM:
		return true;
	case QUIRE_SEGMENT_VRAM:
		return quire_range_ok(side->address, QUIRE_PAGE_SIZE, engine->vram_size);
	case QUIRE_SEGMENT_APERTURE:
		return quire_range_ok(side->address, QUIRE_PAGE_SIZE, engine->aperture_size);
	default:
		return false;
	}
}

/**
 * quire_registers_clear - does the ring have no registers of a context?
 * @ring: the ring
 *
 * Return: true if all are zero.
 */
bool quire_registers_clear(const struct quire_ring *ring)
{
	uint64_t any = 0;
	unsigned int i;

	for (i = 0; i < QUIRE_CONTEXT_REGISTERS; i++)
		any |= ring->registers[i];
	return !any;
}

/* Where the registers of a ring are, or could be. */
static uint64_t quire_save_registers(const struct quire_engine *engine,
				     const struct quire_ring *ring)
{
	return offsetof(struct quire_save_area, registers) +
	       (ring - engine->ring) * sizeof(ring->registers);
}

/* A save area is needed where commands are executed. */
static bool quire_save_ok(const struct quire_engine *engine, const struct quire_ring *ring)
{
	struct quire_side side;

	if (!ring->save)
		return quire_registers_clear(ring);
	return !quire_is_paging(engine, ring) && quire_page_aligned(ring->save) &&
	       quire_context_side(engine, ring->save, &side);
}

/**
 * quire_context_ok - may a submission have this context?
 * @engine: the engine
 * @ring: the ring; flags, context and save area of the submission are looked at
 *
 * Return: false if it has one where no memory can be.
 */
bool quire_context_ok(const struct quire_engine *engine, const struct quire_ring *ring)
{
	struct quire_side side;

	if (!(ring->flags & QUIRE_ENTRY_CONTEXT))
		return !ring->save && quire_registers_clear(ring);
	return quire_context_side(engine, ring->context, &side) && quire_save_ok(engine, ring);
}

/* The switch to a context. Returns false if it has a save area that is none. */
static bool quire_context_restore(struct quire_engine *engine, struct quire_ring *ring)
{
	uint8_t registers[sizeof(ring->registers)], magic[sizeof(__le32)];
	struct quire_side side = { 0 };
	unsigned int i;

	if (!ring->save)
		return true;
	if (!quire_page_aligned(ring->save) || !quire_context_side(engine, ring->save, &side) ||
	    quire_bytes_read(engine, &side, 0, magic, sizeof(magic)).code ||
	    quire_get_le32(magic) != QUIRE_SAVE_MAGIC ||
	    quire_bytes_read(engine, &side, quire_save_registers(engine, ring), registers,
			     sizeof(registers)).code)
		return false;
	for (i = 0; i < QUIRE_CONTEXT_REGISTERS; i++)
		ring->registers[i] = quire_get_le64(registers + 8 * i);
	return true;
}

/**
 * quire_context_store - a submission ends, or is given up: put its registers away
 * @engine: the engine
 * @ring: the ring; has none afterwards
 *
 * Return: QUIRE_FAULT_BAD_CONTEXT if there is no memory any more.
 */
struct quire_error quire_context_store(struct quire_engine *engine, struct quire_ring *ring)
{
	uint8_t registers[sizeof(ring->registers)];
	struct quire_error error = QUIRE_OK;
	struct quire_side side = { 0 };
	unsigned int i;

	if (!ring->save)
		return QUIRE_OK;
	for (i = 0; i < QUIRE_CONTEXT_REGISTERS; i++)
		quire_put_le64(registers + 8 * i, ring->registers[i]);
	if (!quire_context_side(engine, ring->save, &side) ||
	    quire_bytes_write(engine, &side, quire_save_registers(engine, ring), registers,
			      sizeof(registers)).code) {
		error = QUIRE_ERROR(QUIRE_FAULT_BAD_CONTEXT, ring->context);
		engine->ops->guest_error(engine->opaque, "save area 0x%llx can not be written",
					 (unsigned long long)ring->save);
	}
	ring->save = 0;
	memset(ring->registers, 0, sizeof(ring->registers));
	return error;
}

/**
 * quire_context_load - a submission begins: where is its address space?
 * @engine: the engine
 * @ring: the ring; its @root is filled in, if its entry has a context, and its registers, if that
 *        has a save area
 *
 * Return: QUIRE_FAULT_BAD_CONTEXT if there is none, or it may not execute anything.
 */
struct quire_error quire_context_load(struct quire_engine *engine, struct quire_ring *ring)
{
	struct quire_error bad = QUIRE_ERROR(QUIRE_FAULT_BAD_CONTEXT, ring->context);
	uint8_t head[QUIRE_CONTEXT_HEAD];
	struct quire_side side = { 0 };

	ring->root = 0;
	if (!(ring->flags & QUIRE_ENTRY_CONTEXT))
		return QUIRE_OK;
	if (!quire_context_side(engine, ring->context, &side) ||
	    quire_bytes_read(engine, &side, 0, head, sizeof(head)).code)
		return bad;
	if (QUIRE_GET32(head, quire_context_area, magic) != QUIRE_CONTEXT_MAGIC ||
	    QUIRE_GET32(head, quire_context_area, status))
		return bad;
	ring->root = QUIRE_GET64(head, quire_context_area, root);
	if (!quire_is_paging(engine, ring))
		ring->save = QUIRE_GET64(head, quire_context_area, save);
	if (quire_context_restore(engine, ring))
		return QUIRE_OK;
	ring->save = 0;
	return bad;
}

static bool quire_fault_of_space(enum quire_fault code)
{
	return code == QUIRE_FAULT_PAGE || code == QUIRE_FAULT_PROTECTION ||
	       code == QUIRE_FAULT_BAD_PTE;
}

/* What was latched has to be where a processor sees it, before it is told. */
static bool quire_context_write(struct quire_engine *engine, struct quire_side *side,
				uint64_t offset, const uint8_t *bytes, uint64_t len)
{
	bool ok = !quire_bytes_write(engine, side, offset, bytes, len).code;

	quire_posted_flush(engine);
	return ok;
}

/**
 * quire_context_latch - a submission ends in a fault: its context has to know
 * @engine: the engine
 * @ring: the ring, with the submission
 * @error: the fault; one that is not of an address space is nobody's
 */
void quire_context_latch(struct quire_engine *engine, const struct quire_ring *ring,
			 struct quire_error error)
{
	const size_t first = offsetof(struct quire_context_area, fault_address);
	uint8_t image[offsetof(struct quire_context_area, save)] = { 0 };
	const size_t status = offsetof(struct quire_context_area, status);
	struct quire_side side = { 0 };

	if (!(ring->flags & QUIRE_ENTRY_CONTEXT) || !quire_fault_of_space(error.code) ||
	    !quire_context_side(engine, ring->context, &side))
		return;
	quire_put_le32(image + status, QUIRE_CONTEXT_FAULT);
	quire_put_le64(image + first, error.addr);
	quire_put_le64(image + offsetof(struct quire_context_area, fault_entry), error.entry);
	quire_put_le32(image + offsetof(struct quire_context_area, fault_code), error.code);
	quire_put_le32(image + offsetof(struct quire_context_area, fault_access), error.access);
	if (!quire_context_write(engine, &side, first, image + first, sizeof(image) - first) ||
	    !quire_context_write(engine, &side, status, image + status, sizeof(__le32)))
		engine->ops->guest_error(engine->opaque, "context 0x%llx can not be written",
					 (unsigned long long)ring->context);
}

struct quire_error quire_context_init(struct quire_engine *engine, struct quire_op *op)
{
	uint8_t image[QUIRE_PAGE_SIZE] = { 0 };
	bool save = op->flags & QUIRE_INIT_SAVE_AREA;

	/* It is the first member of both. */
	quire_put_le32(image, save ? QUIRE_SAVE_MAGIC : QUIRE_CONTEXT_MAGIC);
	return quire_bytes_write(engine, &op->dst, 0, image, sizeof(image));
}

struct quire_error quire_context_update(struct quire_engine *engine, struct quire_op *op)
{
	return quire_bytes_write(engine, &op->dst, 0, op->table.entries, op->table.count);
}
