// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: state that came from elsewhere.
 *
 * A migration stream is as hostile as a guest. What is loaded must be a state
 * that the engine could have reached by itself: quire_check.c says which. What
 * is made from other members is made again.
 */
#include "quire_internal.h"

/* Which entries are used? */
static uint32_t quire_aperture_extent(const struct quire_engine *engine)
{
	uint32_t top = engine->aperture_pages;

	while (top && !engine->aperture[top - 1])
		top--;
	return top;
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
	memset(engine->op, 0, QUIRE_RING_MAX * sizeof(*engine->op));
	engine->aperture_top = quire_aperture_extent(engine);
	*why = quire_engine_check(engine);
	if (!*why)
		return true;
	engine->aperture_top = engine->aperture_pages;
	quire_engine_reset(engine);
	return false;
}
