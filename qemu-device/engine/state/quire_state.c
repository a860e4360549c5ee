// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: state that came from elsewhere.
 *
 * A migration stream is as hostile as a guest. What is loaded must be a state
 * that the engine could have reached by itself: quire_check.c says which. What
 * is made from other members is made again.
 */
#include <string.h>

#include "../core/quire_numbers.h"
#include "../device/quire_engine.h"
#include "../execution/quire_residency.h"
#include "../memory/quire_aperture.h"
#include "../memory/quire_flat.h"
#include "../memory/quire_posted.h"
#include "../mmu/quire_tlb.h"
#include "quire_check.h"
#include "quire_state.h"

/**
 * quire_engine_pre_load - state is about to be loaded into it
 * @engine: the engine
 *
 * Aperture entries that quire_engine_load_entries() is not asked for are invalid, those of
 * other tables that quire_table_load() is not asked for are zero, and without the write buffer
 * nothing is in it.
 *
 * A load can end early, without quire_engine_post_load(), and its machine be started all
 * the same: see quire_engine_end_load().
 */
void quire_engine_pre_load(struct quire_engine *engine)
{
	quire_posted_drop(engine);
	quire_aperture_reset(engine);
	quire_residency_reset(engine);
	quire_flat_reset(engine, engine->loading);
	quire_table_reset(&engine->native, engine->loading);
	quire_tlb_reset(engine);
	engine->loading = true;
}

/**
 * quire_engine_load_entries - room for aperture entries that are loaded
 * @engine: the engine, after quire_engine_pre_load()
 * @first: page of the first
 * @count: how many
 *
 * Return: the entries, to be filled in; NULL if the aperture has no such pages.
 */
uint64_t *quire_engine_load_entries(struct quire_engine *engine, uint32_t first, uint32_t count)
{
	if (!quire_range_ok(first, count, engine->aperture_pages))
		return NULL;
	engine->aperture_top = quire_max(engine->aperture_top, first + count);
	return engine->aperture + first;
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

	engine->loading = false;
	memset(engine->op, 0, engine->ring_count * sizeof(*engine->op));
	while (engine->aperture_top && !engine->aperture[engine->aperture_top - 1])
		engine->aperture_top--;
	quire_aperture_count(engine);
	quire_residency_count(engine);
	quire_table_count(&engine->native);
	for (i = 0; i < QUIRE_MMU_COUNT; i++)
		quire_table_count(&engine->mmu[i]);
	quire_posted_count(engine);
	*why = quire_engine_check(engine);
	if (!*why)
		return true;
	quire_engine_reset(engine);
	return false;
}

/**
 * quire_engine_end_load - the machine is about to run
 * @engine: the engine
 *
 * If state was being loaded until now that has ended early, and what it has brought was not
 * checked: the engine is reset, as with a state that is refused. Until then no ring runs, and
 * accesses find nothing, which a monitor may make while the load is still under way.
 */
void quire_engine_end_load(struct quire_engine *engine)
{
	if (engine->loading)
		quire_engine_reset(engine);
}
