// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: life cycle and slices.
 *
 * All memory is allocated by quire_engine_init(); nothing is while running.
 * A slice executes packets until its time is over, the rings run dry, or every
 * ring with work waits for its copy or is stopped. Whatever is unfinished lies in
 * struct quire_ring, also in the middle of a packet, so that the next slice,
 * or another process after migration, goes on where this one ended.
 */
#include <stdlib.h>

#include "quire_internal.h"

static bool quire_window_size_ok(uint64_t size)
{
	return size >= QUIRE_PAGE_SIZE && !(size & (size - 1));
}

static bool quire_config_ok(const struct quire_engine_config *config, const char **why)
{
	*why = NULL;
	if (!config->vram_size || !quire_page_aligned(config->vram_size) ||
	    config->vram_size > QUIRE_VRAM_SIZE_MAX)
		*why = "VRAM size out of range or no multiple of a page";
	else if (!quire_page_aligned(config->vram_visible) ||
		 config->vram_visible > config->vram_size)
		*why = "visible VRAM larger than VRAM or no multiple of a page";
	else if (!config->aperture_size || !quire_page_aligned(config->aperture_size) ||
		 config->aperture_size > QUIRE_APERTURE_SIZE_MAX)
		*why = "aperture size out of range or no multiple of a page";
	else if (config->range_count > QUIRE_RANGE_MAX)
		*why = "too many swizzling ranges";
	else if (config->range_count && !quire_window_size_ok(config->range_size))
		*why = "size of swizzling ranges is no power of two, or below a page";
	else if (config->window_size && !quire_window_size_ok(config->window_size))
		*why = "size of the aperture's window is no power of two, or below a page";
	else if (config->window_size > config->aperture_size)
		*why = "window of the aperture larger than the aperture";
	return !*why;
}

/**
 * quire_engine_init - make an engine in its reset state
 * @engine: memory of the engine; what it held is forgotten
 * @config: what the host decides; not kept
 * @why: set to the reason of a failure
 *
 * Return: false if the configuration is refused or memory is short.
 */
bool quire_engine_init(struct quire_engine *engine, const struct quire_engine_config *config,
		       const char **why)
{
	memset(engine, 0, sizeof(*engine));
	if (!quire_config_ok(config, why))
		return false;

	engine->ops = config->ops;
	engine->opaque = config->opaque;
	engine->vram = config->vram;
	engine->vram_size = config->vram_size;
	engine->vram_visible = config->vram_visible;
	engine->aperture_size = config->aperture_size;
	engine->range_count = config->range_count;
	engine->range_size = config->range_count ? config->range_size : 0;
	engine->window_size = config->window_size;
	engine->caps = (config->fault_injection ? QUIRE_CAPS_FAULT_INJECTION : 0) |
		       (config->dummy_page_report ? QUIRE_CAPS_DUMMY_REPORT : 0);
	engine->slice_ns = config->slice_ns ? config->slice_ns : QUIRE_SLICE_NS;
	engine->look_bytes = config->look_bytes ? config->look_bytes : QUIRE_LOOK_BYTES;

	engine->op = calloc(QUIRE_RING_MAX, sizeof(*engine->op));
	if (!quire_aperture_init(engine) || !quire_work_init(engine) || !engine->op) {
		quire_engine_fini(engine);
		*why = "no memory for the aperture table";
		return false;
	}
	return true;
}

/**
 * quire_engine_fini - free what quire_engine_init() allocated
 * @engine: the engine; may be called twice, and after a failed init
 */
void quire_engine_fini(struct quire_engine *engine)
{
	if (engine->work)
		quire_engine_settle(engine);
	quire_work_fini(engine);
	free(engine->op);
	engine->op = NULL;
	quire_aperture_fini(engine);
}

/**
 * quire_engine_reset - everything but the content of VRAM as after init
 * @engine: the engine
 *
 * Writes nothing to memory: who owns it after such a reset is not known.
 */
void quire_engine_reset(struct quire_engine *engine)
{
	engine->inject_hang = 0;
	engine->inject_fault = 0;
	engine->inject_drop_irq = 0;
	quire_ranges_reset(engine);
	quire_posted_drop(engine);
	quire_engine_reset_control(engine);
}

/**
 * quire_engine_reset_control - CONTROL.RESET
 * @engine: the engine
 *
 * Faults on demand stay: how else could a test say what happens after the reset? So do
 * ranges, through which programs see VRAM as through BAR 2; but not such that were loaded
 * and that nobody has looked at.
 *
 * What is posted is written to memory: the copies that it is from are done, and a driver that
 * goes on after the reset does not ask for them again. If it was loaded, it is as with ranges.
 */
void quire_engine_reset_control(struct quire_engine *engine)
{
	unsigned int i;

	engine->int_status = 0;
	engine->int_enable = 0;
	engine->aperture_index = 0;
	engine->dummy_pages = 0;
	engine->dummy_offset = 0;
	engine->messages = 0;
	for (i = 0; i < QUIRE_RING_MAX; i++)
		quire_ring_reset(engine, &engine->ring[i]);
	if (engine->loading) {
		quire_posted_drop(engine);
		quire_ranges_reset(engine);
	}
	quire_posted_flush(engine);
	quire_aperture_reset(engine);
	engine->loading = false;
}

/**
 * quire_engine_runnable - is there anything to do for quire_engine_run()?
 * @engine: the engine
 *
 * Return: true while a ring has work or an unread doorbell. One whose work was started
 * has to wait: the host calls quire_engine_run() when that is done.
 */
bool quire_engine_runnable(const struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < QUIRE_RING_MAX; i++)
		if (quire_ring_runnable(engine, &engine->ring[i]))
			return true;
	return false;
}

/**
 * quire_engine_settle - wait for what other threads do
 * @engine: the engine
 *
 * Each ring then stands at a place from where it can go on, here or elsewhere. The host
 * calls it when memory must not change any more: before state is saved.
 */
void quire_engine_settle(struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < QUIRE_RING_MAX; i++)
		quire_ring_settle(engine, &engine->ring[i]);
}

/**
 * quire_engine_run - execute one slice of work
 * @engine: the engine
 *
 * Return: true if more work is runnable; call again, after giving others time.
 */
bool quire_engine_run(struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < QUIRE_RING_MAX; i++) {
		struct quire_budget budget;

		quire_budget_begin(engine, &budget);
		quire_ring_run(engine, &engine->ring[i], &budget);
	}
	return quire_engine_runnable(engine);
}
