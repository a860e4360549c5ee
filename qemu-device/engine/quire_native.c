// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: native fences, numbers in memory that commands let grow.
 *
 * A table has for each fence whose it is and where its values are. Only NOTIFY_FENCES changes
 * it: the driver says where the storage of a fence is, and that it is nowhere before anything
 * else comes there. Commands name a fence by its number, and nobody has looked at them before:
 * the table says whether the address space that they are executed in may signal it.
 */
#include "quire_internal.h"

/* Numbers that the table has of a fence. */
enum quire_native_part {
	QUIRE_NATIVE_OWNER,
	QUIRE_NATIVE_CURRENT,
	QUIRE_NATIVE_MONITORED,
	QUIRE_NATIVE_PARTS,
};

static uint64_t quire_native_get(const struct quire_engine *engine, uint32_t fence,
				 enum quire_native_part part)
{
	return engine->native.entries[fence * QUIRE_NATIVE_PARTS + part];
}

static void quire_native_set(struct quire_engine *engine, uint32_t fence,
			     enum quire_native_part part, uint64_t value)
{
	quire_table_set(&engine->native, fence * QUIRE_NATIVE_PARTS + part, value);
}

/**
 * quire_native_init - memory for the table
 * @engine: the engine
 *
 * Return: false without memory.
 */
bool quire_native_init(struct quire_engine *engine)
{
	return quire_table_init(&engine->native, QUIRE_NATIVE_FENCES * QUIRE_NATIVE_PARTS);
}

/**
 * quire_native_fini - free it
 * @engine: the engine; there may be none
 */
void quire_native_fini(struct quire_engine *engine)
{
	quire_table_fini(&engine->native);
}

/**
 * quire_notify_fences - NOTIFY_FENCES
 * @engine: the engine
 * @op: the decoded packet
 *
 * Return: no fault.
 */
struct quire_error quire_notify_fences(struct quire_engine *engine, const struct quire_op *op)
{
	const uint8_t *p = op->table.entries;
	uint32_t i;

	for (i = 0; i < op->table.count; i++, p += sizeof(struct quire_fence_place)) {
		uint32_t fence = QUIRE_GET32(p, quire_fence_place, fence);

		quire_native_set(engine, fence, QUIRE_NATIVE_OWNER,
				 QUIRE_GET64(p, quire_fence_place, owner));
		quire_native_set(engine, fence, QUIRE_NATIVE_CURRENT,
				 QUIRE_GET64(p, quire_fence_place, current_value));
		quire_native_set(engine, fence, QUIRE_NATIVE_MONITORED,
				 QUIRE_GET64(p, quire_fence_place, monitored_value));
	}
	return QUIRE_OK;
}

/* A value of the fence; the aperture may have never shown anything there. */
static struct quire_error quire_native_side(struct quire_engine *engine, uint32_t fence,
					    enum quire_native_part part, struct quire_side *side)
{
	uint64_t address = quire_native_get(engine, fence, part);

	*side = (struct quire_side){
		.segment = QUIRE_ADDRESS_SEGMENT(address),
		.address = QUIRE_ADDRESS_OFFSET(address),
		.len = sizeof(__le64),
	};
	return quire_aperture_check(engine, side);
}

/* Returns what its current value is afterwards. */
static struct quire_error quire_native_grow(struct quire_engine *engine, const struct quire_op *op,
					    uint64_t *current)
{
	struct quire_side side;
	struct quire_error error = quire_native_side(engine, op->native, QUIRE_NATIVE_CURRENT,
						     &side);

	if (!error.code)
		error = quire_value_read(engine, &side, current);
	if (error.code || *current >= op->value)
		return error;
	*current = op->value;
	return quire_value_signal(engine, &side, op->value);
}

static struct quire_error quire_native_monitored(struct quire_engine *engine,
						 const struct quire_op *op, uint64_t *value)
{
	struct quire_side side;
	struct quire_error error = quire_native_side(engine, op->native, QUIRE_NATIVE_MONITORED,
						     &side);

	return error.code ? error : quire_value_read(engine, &side, value);
}

/**
 * quire_signal_native - SIGNAL_NATIVE
 * @engine: the engine
 * @ring: the execution ring it stands in; @done is advanced
 * @op: the decoded command
 * @budget: what the slice may use; what was used is taken off
 *
 * A processor that waits writes the monitored value and then looks at the current one. Here the
 * current one is written before the monitored one is looked at, with a full barrier between
 * them on both sides: so one of them sees what the other one wrote.
 *
 * Return: QUIRE_FAULT_NATIVE_FENCE if the fence is nowhere, or another address space's;
 * QUIRE_FAULT_APERTURE or QUIRE_FAULT_DMA if there is no memory where it is.
 */
struct quire_error quire_signal_native(struct quire_engine *engine, struct quire_ring *ring,
				       struct quire_op *op, struct quire_budget *budget)
{
	uint64_t owner = quire_native_get(engine, op->native, QUIRE_NATIVE_OWNER);
	uint64_t current, monitored;
	struct quire_error error;

	if (!owner || owner != op->root)
		return QUIRE_ERROR(QUIRE_FAULT_NATIVE_FENCE, op->native);
	quire_budget_take(budget, engine->posted.total);
	quire_posted_flush(engine);
	error = quire_native_grow(engine, op, &current);
	if (error.code)
		return error;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	error = quire_native_monitored(engine, op, &monitored);
	if (error.code)
		return error;
	if (current >= monitored) {
		engine->native_interrupts++;
		quire_interrupt(engine, QUIRE_VECTOR_FENCE);
	}
	quire_command_done(ring, budget, op->total);
	return QUIRE_OK;
}

static uint64_t quire_native_shown(const struct quire_engine *engine, enum quire_native_part part)
{
	return engine->native_fence < QUIRE_NATIVE_FENCES ?
	       quire_native_get(engine, engine->native_fence, part) : 0;
}

/**
 * quire_get_native_owner - register NATIVE_OWNER
 * @engine: the engine
 * @ring: none
 *
 * Return: the root of the address space that has the fence; 0 if it is nowhere.
 */
uint64_t quire_get_native_owner(const struct quire_engine *engine, const struct quire_ring *ring)
{
	(void)ring;
	return quire_native_shown(engine, QUIRE_NATIVE_OWNER);
}

/**
 * quire_get_native_current - register NATIVE_CURRENT
 * @engine: the engine
 * @ring: none
 *
 * Return: where its current value is.
 */
uint64_t quire_get_native_current(const struct quire_engine *engine,
				  const struct quire_ring *ring)
{
	(void)ring;
	return quire_native_shown(engine, QUIRE_NATIVE_CURRENT);
}

/**
 * quire_get_native_monitored - register NATIVE_MONITORED
 * @engine: the engine
 * @ring: none
 *
 * Return: where its monitored value is.
 */
uint64_t quire_get_native_monitored(const struct quire_engine *engine,
				    const struct quire_ring *ring)
{
	(void)ring;
	return quire_native_shown(engine, QUIRE_NATIVE_MONITORED);
}

static bool quire_native_fence_ok(const struct quire_engine *engine, uint32_t fence)
{
	uint64_t owner = quire_native_get(engine, fence, QUIRE_NATIVE_OWNER);
	uint64_t current = quire_native_get(engine, fence, QUIRE_NATIVE_CURRENT);
	uint64_t monitored = quire_native_get(engine, fence, QUIRE_NATIVE_MONITORED);

	if (!owner)
		return !current && !monitored;
	return owner & QUIRE_PTE_VALID && current && monitored &&
	       quire_native_place_ok(engine, current) && quire_native_place_ok(engine, monitored);
}

/**
 * quire_check_native - can this be in the table?
 * @engine: the engine
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_native(const struct quire_engine *engine)
{
	uint32_t fence;

	/* behind @top all is zero: no fence */
	for (fence = 0; fence * QUIRE_NATIVE_PARTS < engine->native.top; fence++)
		if (!quire_native_fence_ok(engine, fence))
			return "a native fence that can not be";
	return NULL;
}
