// SPDX-License-Identifier: GPL-2.0 OR MIT
/* State that is loaded, as if it came from a migration stream, which anybody may have written. */
#include "device_guest.h"

/* A part of the write buffer, which may be none that can be. */
static void load_posted(struct guest *guest)
{
	struct quire_posted *posted = &guest->host.engine.posted;
	unsigned int i = fuzz_below(&guest->input, QUIRE_POSTED_PAGES);

	posted->pages[i].addr = take_edge(&guest->input);
	posted->pages[i].len = fuzz_take(&guest->input, 2);
	posted->next = fuzz_take(&guest->input, 1) % (QUIRE_POSTED_PAGES + 1);
	if (i)
		return;
	guest->host.engine.dummy_pages = fuzz_below(&guest->input, 2);
	guest->host.engine.dummy_offset = take_edge(&guest->input);
}

/*
 * Nothing has checked what was loaded: accesses find nothing in any BAR, nothing runs, and the
 * machine that runs has a device that is reset.
 */
static void load_nothing(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	uint32_t offset = fuzz_take(&guest->input, 3);

	quire_ranges_write(engine, offset, 8, UINT64_MAX);
	FINDING_IF(quire_ranges_read(engine, offset % (RANGES * RANGE_SIZE), 8));
	quire_window_write(engine, offset, 8, 0);
	FINDING_IF(quire_window_read(engine, offset % WINDOW_SIZE, 8) != UINT64_MAX);
	quire_regs_write(engine, QUIRE_DOORBELL(QUIRE_RING_PAGING), 4, 0);
	FINDING_IF(quire_engine_run(engine));
	quire_regs_write(engine, QUIRE_REG_CONTROL, 4, QUIRE_CONTROL_RESET);
	FINDING_IF(quire_regs_read(engine, QUIRE_REG_ID, 4));
	quire_engine_end_load(engine);
	FINDING_IF(quire_regs_read(engine, QUIRE_REG_ID, 4) != QUIRE_ID);
	guest->host.scheduled = false;
}

static void load_end(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	const char *why = NULL;
	bool accepted;

	if (!fuzz_below(&guest->input, 8)) {
		load_nothing(guest);
		return;
	}
	accepted = quire_engine_post_load(engine, &why);
	FINDING_IF(accepted == !!why);
	FINDING_IF(!accepted && quire_engine_runnable(engine));
	guest->host.scheduled = quire_engine_runnable(engine);
}

/* When it was touched, the clock of that, or which was enabled last. */
static void load_range_order(struct guest *guest, struct quire_range *range)
{
	struct quire_engine *engine = &guest->host.engine;
	uint32_t which = fuzz_take(&guest->input, 1);

	if (which & 1)
		engine->range_touches = take_edge(&guest->input);
	if (which & 2)
		range->touched = take_edge(&guest->input);
	if (which & 4)
		engine->range_newest = fuzz_below(&guest->input, RANGES + 1);
}

/* The same as load_state(), of a range; the last one is none that the device has. */
void load_range(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	struct quire_range *range = &engine->range[fuzz_below(&guest->input, RANGES + 1)];
	uint32_t which = fuzz_take(&guest->input, 1);

	quire_engine_settle(engine);
	quire_engine_pre_load(engine);
	if (which & 1)
		range->addr = take_edge(&guest->input);
	if (which & 2)
		range->layout = fuzz_take(&guest->input, 4);
	if (which & 4)
		range->width = fuzz_take(&guest->input, 4);
	if (which & 8)
		range->height = fuzz_take(&guest->input, 2);
	if (which & 16)
		range->levels = fuzz_take(&guest->input, 4);
	if (which & 32)
		range->control = fuzz_below(&guest->input, 4);
	if (which & 64)
		range->data = fuzz_take(&guest->input, 3);
	if (which & 128)
		load_range_order(guest, range);
	load_end(guest);
}

/* What a ring is at. */
static void load_work(struct guest *guest, struct quire_ring *ring, uint32_t which)
{
	if (which & 1)
		ring->rptr = fuzz_take(&guest->input, 4);
	if (which & 2)
		ring->wptr = ring->rptr + fuzz_take(&guest->input, 1);
	if (which & 4)
		ring->offset = fuzz_take(&guest->input, 2);
	if (which & 8)
		ring->size = fuzz_take(&guest->input, 3);
	if (which & 16)
		ring->done = take_edge(&guest->input);
	if (which & 32)
		ring->active = fuzz_take(&guest->input, 1) & 1;
	if (which & 64)
		ring->started = fuzz_take(&guest->input, 1) & 1;
	if (which & 128)
		ring->hung = fuzz_take(&guest->input, 1) & 1;
	if (which & 256)
		ring->pending = fuzz_take(&guest->input, 1) & 1;
}

/* In which context it is. */
static void load_context(struct guest *guest, struct quire_ring *ring)
{
	uint32_t which = fuzz_take(&guest->input, 1);

	if (which & 1)
		ring->flags ^= fuzz_below(&guest->input, 8);
	if (which & 2)
		ring->context = take_context(&guest->input);
	if (which & 4)
		ring->root = take_edge(&guest->input) | (which & 8 ? QUIRE_PTE_VALID : 0);
	if (which & 16)
		ring->save = take_context(&guest->input);
	if (which & 32)
		ring->registers[fuzz_below(&guest->input, QUIRE_CONTEXT_REGISTERS)] =
			take_edge(&guest->input);
}

/* How it was set up, and that it stopped. */
static void load_ring(struct guest *guest, struct quire_ring *ring, uint32_t which)
{
	if (which & 512)
		ring->order = fuzz_take(&guest->input, 1);
	if (which & 1024)
		ring->control = fuzz_take(&guest->input, 1);
	if (which & 2048)
		ring->fault_code = fuzz_take(&guest->input, 1);
	if (which & 4096)
		ring->entries = take_edge(&guest->input);
	if (which & 8192)
		ring->fence_page = take_edge(&guest->input);
}

/* An entry of each table, interrupts, and what a command keeps. */
static void load_device(struct guest *guest, struct quire_ring *ring, uint32_t which)
{
	struct quire_engine *engine = &guest->host.engine;

	if (which & 16384)
		*quire_engine_load_entries(engine, fuzz_below(&guest->input,
							      engine->aperture_pages), 1) =
			take_edge(&guest->input);
	if (which & 16384)
		*quire_table_load(&engine->residency, fuzz_below(&guest->input,
								 engine->residency.pages), 1) =
			take_edge(&guest->input);
	if (which & 16384)
		*quire_table_load(&engine->mmu[fuzz_below(&guest->input, QUIRE_MMU_COUNT)],
				  fuzz_below(&guest->input, MMU_SIZE / FUZZ_PAGE), 1) =
			take_edge(&guest->input) & ~0xff8ull;
	if (which & 16384)
		*quire_table_load(&engine->native, fuzz_below(&guest->input, 16), 1) =
			take_edge(&guest->input);
	if (which & 32768)
		engine->int_status = fuzz_take(&guest->input, 1);
	if (which & 65536) {
		ring->inject_hang = fuzz_take(&guest->input, 1);
		ring->kept[fuzz_below(&guest->input, QUIRE_RING_KEPT)] = take_edge(&guest->input);
	}
}

/* What the ring is at is another packet. */
static void load_submission(struct guest *guest, struct quire_ring *ring, uint32_t which)
{
	struct quire_engine *engine = &guest->host.engine;

	if (which & 8)
		load_context(guest, ring);
	if (which & 131072 && ring != engine->ring)
		make_command(guest, ring->submission + (ring->offset & 0xff8));
	else if (which & 131072 && ring->flags & QUIRE_ENTRY_CONTEXT && which & 1)
		make_virtual(guest, ring->submission + (ring->offset & 0xff8));
	else if (which & 131072)
		make_packet(guest, ring->submission + (ring->offset & 0xff8),
			    ring->addr + (ring->offset & 0xff8));
}

/* Faults and history. */
static void load_past(struct guest *guest, struct quire_ring *ring, uint32_t which)
{
	if (which & 262144)
		ring->addr = take_edge(&guest->input);
	if (which & 524288)
		ring->fault_addr = take_edge(&guest->input);
	if (which & 1048576)
		ring->fault_offset = fuzz_take(&guest->input, 2);
	if (which & 2097152)
		ring->fault_opcode = fuzz_take(&guest->input, 1);
	if (which & 4194304)
		ring->executed[fuzz_below(&guest->input, QUIRE_OPCODE_COUNT)] =
			fuzz_take(&guest->input, 1);
	if (which & 8388608) {
		ring->history[0].header = fuzz_take(&guest->input, 1);
		load_posted(guest);
	}
}

/* A migration stream: changes some of the state, which may then be refused. */
void load_state(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	struct quire_ring *ring = &engine->ring[fuzz_below(&guest->input, RINGS)];
	uint32_t which = fuzz_take(&guest->input, 3);

	/* a device that is loaded does nothing */
	quire_engine_settle(engine);
	quire_engine_pre_load(engine);
	load_work(guest, ring, which);
	load_ring(guest, ring, which);
	load_device(guest, ring, which);
	load_submission(guest, ring, which);
	load_past(guest, ring, which);
	load_end(guest);
}
