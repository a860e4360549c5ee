// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: native fences, numbers in memory that commands let grow.
 *
 * A table has for each fence whose it is and where its values are. Only NOTIFY_FENCES changes
 * it: the driver says where the storage of a fence is, and that it is nowhere before anything
 * else comes there. Commands name a fence by its number, and nobody has looked at them before:
 * the table says whether the address space that they are executed in may signal it.
 */
#include "../core/quire_numbers.h"
#include "../memory/quire_segment.h"
#include "quire_native.h"

/**
 * quire_native_get - a number that the table has of a fence
 * @engine: the engine
 * @fence: its number, below %QUIRE_NATIVE_FENCES
 * @part: which one
 *
 * Return: it; 0 if the fence is nowhere.
 */
uint64_t quire_native_get(const struct quire_engine *engine, uint32_t fence,
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

struct quire_error quire_notify_fences(struct quire_engine *engine, struct quire_op *op)
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
