// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: life cycle and slices.
 *
 * All memory is allocated by quire_engine_init(); nothing is while running.
 * A slice executes packets until its time is over, the rings run dry, or every
 * ring with work waits or is stopped. Whatever is unfinished lies in
 * struct quire_ring, also in the middle of a packet, so that the next slice,
 * or another process after migration, goes on where this one ended.
 */
#include <stdlib.h>
#include <string.h>

#include "../core/quire_numbers.h"
#include "../execution/quire_residency.h"
#include "../memory/quire_aperture.h"
#include "../memory/quire_flat.h"
#include "../memory/quire_posted.h"
#include "../mmu/quire_tlb.h"
#include "../sync/quire_native.h"
#include "../sync/quire_wait.h"
#include "../work/quire_work.h"
#include "quire_engine.h"
#include "quire_range.h"
#include "quire_ring.h"

static bool quire_window_size_ok(uint64_t size)
{
	return size >= QUIRE_PAGE_SIZE && !(size & (size - 1));
}

static bool quire_tlb_entries_ok(uint32_t entries)
{
	return entries >= QUIRE_TLB_ENTRIES_MIN && entries <= QUIRE_TLB_ENTRIES_MAX &&
	       !(entries & (entries - 1));
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
	else if (config->execution_rings >= QUIRE_RING_MAX)
		*why = "too many execution rings";
	else if (config->range_count > QUIRE_RANGE_MAX)
		*why = "too many swizzling ranges";
	else if (config->range_count && !quire_window_size_ok(config->range_size))
		*why = "size of swizzling ranges is no power of two, or below a page";
	else if (config->window_size && !quire_window_size_ok(config->window_size))
		*why = "size of the aperture's window is no power of two, or below a page";
	else if (config->window_size > config->aperture_size)
		*why = "window of the aperture larger than the aperture";
	else if (config->tlb_entries && !quire_tlb_entries_ok(config->tlb_entries))
		*why = "entries of the TLB are no power of two, or too few or too many";
	else if (!quire_page_aligned(config->mmu_size) ||
		 config->mmu_size > QUIRE_MMU_SIZE_MAX)
		*why = "size of the MMUs out of range or no multiple of a page";
	return !*why;
}

/* What the rings hold, beside their registers. */
static bool quire_rings_init(struct quire_engine *engine)
{
	unsigned int i;

	engine->op = calloc(engine->ring_count, sizeof(*engine->op));
	if (!engine->op)
		return false;
	for (i = 0; i < engine->ring_count; i++) {
		engine->ring[i].submission = calloc(1, QUIRE_MAX_SUBMISSION);
		if (!engine->ring[i].submission)
			return false;
	}
	return true;
}

static void quire_rings_fini(struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++) {
		free(engine->ring[i].submission);
		engine->ring[i].submission = NULL;
	}
	free(engine->op);
	engine->op = NULL;
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
	engine->ring_count = 1 + config->execution_rings;
	engine->range_count = config->range_count;
	engine->range_size = config->range_count ? config->range_size : 0;
	engine->window_size = config->window_size;
	engine->tlb_entries = config->tlb_entries;
	engine->mmu_size = config->mmu_size;
	engine->caps = (config->fault_injection ? QUIRE_CAPS_FAULT_INJECTION : 0) |
		       (config->dummy_page_report ? QUIRE_CAPS_DUMMY_REPORT : 0);
	engine->slice_ns = config->slice_ns ? config->slice_ns : QUIRE_SLICE_NS;
	engine->look_bytes = config->look_bytes ? config->look_bytes : QUIRE_LOOK_BYTES;

	if (!quire_aperture_init(engine) || !quire_tlb_init(engine) ||
	    !quire_residency_init(engine) || !quire_flat_init(engine) ||
	    !quire_native_init(engine) ||
	    !quire_work_init(engine) || !quire_rings_init(engine)) {
		quire_engine_fini(engine);
		*why = "no memory for the tables, the TLB or the rings";
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
	quire_rings_fini(engine);
	quire_native_fini(engine);
	quire_flat_fini(engine);
	quire_residency_fini(engine);
	quire_tlb_fini(engine);
	quire_aperture_fini(engine);
}

/**
 * quire_engine_set_sections - say which system memory is reached without the host
 * @engine: the engine
 * @sections: sorted by address, no two overlap; stay the host's, as they are until the next call
 *            has returned
 * @count: how many
 *
 * All other memory is mapped by the host. What is at work in memory of the last call ends first.
 */
void quire_engine_set_sections(struct quire_engine *engine, const struct quire_section *sections,
			       uint32_t count)
{
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		if (quire_work_running(engine, &engine->ring[i]))
			quire_ring_settle(engine, &engine->ring[i]);
	engine->sections = sections;
	engine->section_count = count;
	engine->section = NULL;
}

/**
 * quire_engine_reset - everything but the content of VRAM as after init
 * @engine: the engine
 *
 * Writes nothing to memory: who owns it after such a reset is not known.
 */
void quire_engine_reset(struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++) {
		engine->ring[i].inject_hang = 0;
		engine->ring[i].inject_fault = 0;
	}
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
 * ranges, through which programs see VRAM as through BAR 2.
 *
 * What is posted is written to memory: the copies that it is from are done, and a driver that
 * goes on after the reset does not ask for them again.
 */
void quire_engine_reset_control(struct quire_engine *engine)
{
	unsigned int i;

	engine->int_status = 0;
	engine->int_enable = 0;
	engine->aperture_index = 0;
	engine->dummy_pages = 0;
	engine->dummy_offset = 0;
	engine->walks = 0;
	engine->residency_page = 0;
	engine->native_fence = 0;
	engine->native_interrupts = 0;
	engine->messages = 0;
	engine->turn = 0;
	for (i = 0; i < engine->ring_count; i++)
		quire_ring_reset(engine, &engine->ring[i]);
	quire_posted_flush(engine);
	quire_aperture_reset(engine);
	quire_residency_reset(engine);
	quire_flat_reset(engine, engine->loading);
	quire_table_reset(&engine->native, engine->loading);
	quire_tlb_reset(engine);
	engine->loading = false;
}

/**
 * quire_engine_runnable - is there anything to do for quire_engine_run()?
 * @engine: the engine
 *
 * Return: true while a ring has work or an unread doorbell. One whose work was started
 * has to wait: the host calls quire_engine_run() when that is done. So does one that waits
 * for a value or for time to pass: @alarm has said when.
 */
bool quire_engine_runnable(const struct quire_engine *engine)
{
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
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

	for (i = 0; i < engine->ring_count; i++)
		quire_ring_settle(engine, &engine->ring[i]);
}

static uint64_t quire_engine_progress(const struct quire_engine *engine)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		sum += engine->ring[i].progress;
	return sum;
}

/* The ring that is the @n-th in this slice: the paging ring, then the others by turns. */
static struct quire_ring *quire_ring_in_turn(struct quire_engine *engine, unsigned int n)
{
	return &engine->ring[n ? 1 + (engine->turn + n - 1) % (engine->ring_count - 1) : n];
}

static unsigned int quire_runnable_rings(const struct quire_engine *engine)
{
	unsigned int i, count = 0;

	for (i = 0; i < engine->ring_count; i++)
		count += quire_ring_runnable(engine, &engine->ring[i]);
	return count;
}

/*
 * Each ring with work has its share of the slice, and what those before it have left. The
 * paging ring is the first, and does not go without. Of the others the first one has a step
 * in any case; for who then has no time left, the next slice begins with him.
 */
static void quire_rings_run(struct quire_engine *engine)
{
	uint64_t start = engine->ops->clock(engine->opaque), used = 0;
	unsigned int n, rings = quire_runnable_rings(engine), executed = 0;

	for (n = 0; n < engine->ring_count && rings; n++) {
		struct quire_ring *ring = quire_ring_in_turn(engine, n);
		uint64_t left = engine->slice_ns - quire_min(engine->slice_ns, used);
		struct quire_budget budget;

		if (!quire_ring_runnable(engine, ring))
			continue;
		if (executed && !left)
			break;
		quire_budget_begin(engine, &budget, start + used, left / rings--);
		quire_ring_run(engine, ring, &budget);
		quire_budget_count(engine, &budget);
		executed += n > 0;
		if (rings)
			used = engine->ops->clock(engine->opaque) - start;
	}
	if (n > 1)
		engine->turn = (engine->turn + n - 1) % (engine->ring_count - 1);
}

/**
 * quire_engine_run - execute one slice of work
 * @engine: the engine
 *
 * Return: true if more work is runnable; call again, after giving others time.
 */
bool quire_engine_run(struct quire_engine *engine)
{
	uint64_t before = quire_engine_progress(engine);
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		quire_ring_resume(engine, &engine->ring[i]);
	quire_rings_run(engine);
	if (quire_engine_progress(engine) != before)
		quire_waits_look(engine);
	quire_waits_alarm(engine);
	return quire_engine_runnable(engine);
}
