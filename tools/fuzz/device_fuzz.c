// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The engine against a hostile guest: an input becomes register accesses,
 * writes to guest memory, submissions of packets that are good, nearly good
 * or nonsense, and loaded state. Whatever comes: no memory error, no endless
 * slice, no lost work.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/array_size.h>

#include "device_guest.h"

#define MAX_COMMANDS	200u
#define FIRST_OF_RANGES	232u /* what a command begins with; below are the others */
#define MAX_SLICES	50u

static void run(struct guest *guest, unsigned int slices)
{
	struct moment before;

	while (slices-- && guest->host.scheduled) {
		moment_take(guest, &before);
		fuzz_run(&guest->host);
		check_latches(guest, &before);
	}
}

/* The device masters the bus no more, or again: no memory is reached. */
static void toggle_master(struct guest *guest)
{
	struct memory_region *region = &guest->host.regions[0];

	quire_engine_settle(&guest->host.engine);
	region->size = region->size ? 0 : RAM_SIZE;
}

static void command_range(struct guest *guest, uint32_t choice)
{
	switch (choice % 8) {
	case 0:
		load_range(guest);
		break;
	case 1:
	case 2:
		start_range(guest);
		break;
	case 3:
	case 4:
		access_aperture(guest);
		break;
	case 5:
		toggle_master(guest);
		break;
	default:
		access_window(guest);
		break;
	}
}

static void command(struct guest *guest)
{
	uint32_t choice = fuzz_take(&guest->input, 1);

	if (choice >= FIRST_OF_RANGES) {
		command_range(guest, choice);
		return;
	}
	switch (choice % 16) {
	case 0:
		start_ring(guest, fuzz_below(&guest->input, RINGS));
		break;
	case 1:
		write_register(guest);
		break;
	case 2:
		read_registers(guest);
		break;
	case 3:
		write_memory(guest);
		break;
	case 4:
		load_state(guest);
		break;
	case 5:
		memory_host_write(&guest->host, QUIRE_DOORBELL_BASE +
				  fuzz_take(&guest->input, 2), 4, 0);
		break;
	case 6:
		change_space(guest);
		run(guest, fuzz_below(&guest->input, 2));
		break;
	case 7:
		run(guest, fuzz_below(&guest->input, 8));
		break;
	case 8:
	case 9:
	case 10:
		submit(guest);
		break;
	default:
		add_packet(guest);
		break;
	}
}

static struct guest *guest_create(void)
{
	struct guest *guest = fuzz_alloc(sizeof(*guest));

	guest->ram = fuzz_alloc(RAM_SIZE);
	guest->rom = fuzz_alloc(ROM_SIZE);
	guest->top = fuzz_alloc(FUZZ_PAGE);
	guest->vram = fuzz_alloc(VRAM_SIZE);
	guest->vram_large = fuzz_alloc(VRAM_LARGE);
	guest->host.regions[0] = (struct memory_region) { RAM_BASE, RAM_SIZE, guest->ram, false };
	guest->host.regions[1] = (struct memory_region) {
		UINT64_MAX - (FUZZ_PAGE - 1), FUZZ_PAGE, guest->top, false,
	};
	guest->host.regions[2] = (struct memory_region) { ROM_BASE, ROM_SIZE, guest->rom, true };

	return guest;
}

/* What is found must be found again from its file alone. */
static void guest_forget(struct guest *guest, bool large)
{
	guest->host.vram = large ? guest->vram_large : guest->vram;
	guest->host.vram_size = large ? VRAM_LARGE : VRAM_SIZE;
	guest->host.vram_visible = VRAM_SIZE / 2;
	guest->host.dummy_page_report = true;
	guest->host.execution_rings = RINGS - 1;
	guest->host.range_count = RANGES;
	guest->host.range_size = RANGE_SIZE;
	guest->host.window_size = WINDOW_SIZE;
	guest->host.tlb_entries = QUIRE_TLB_ENTRIES_MIN;
	guest->host.mmu_size = MMU_SIZE;
	guest->host.regions[0].size = RAM_SIZE;
	memset(guest->ram, 0, RAM_SIZE);
	memset(guest->top, 0, FUZZ_PAGE);
	memset(guest->host.vram, 0, guest->host.vram_size);
	guest->ring = QUIRE_RING_PAGING;
	guest->start = PACKETS;
	guest->end = PACKETS;
	guest->in_context = false;
}

static void check_stopped(const struct guest *guest)
{
	const struct quire_engine *engine = &guest->host.engine;
	const struct quire_ring *ring;
	bool stopped = true;

	for (ring = engine->ring; ring < engine->ring + RINGS; ring++) {
		FINDING_IF(ring->fault_code > QUIRE_FAULT_NATIVE_FENCE);
		FINDING_IF(ring->fault_code && !quire_fault_name(ring->fault_code));
		stopped &= ring->fault_code != QUIRE_FAULT_NONE;
	}
	FINDING_IF(stopped && quire_engine_runnable(engine));
	FINDING_IF(quire_engine_runnable(engine) && !guest->host.scheduled);
}

static void guest_start(struct guest *guest)
{
	static const uint32_t tlbs[] = { QUIRE_TLB_ENTRIES_MIN, 0, 16, 64 };
	unsigned int ring;

	guest_forget(guest, !fuzz_below(&guest->input, 8));
	guest->host.tlb_entries = tlbs[fuzz_below(&guest->input, ARRAY_SIZE(tlbs))];
	guest->host.granule = 64u << fuzz_below(&guest->input, 9);
	guest->host.parts = guest->host.granule / FUZZ_PAGE;
	guest->host.work_least = fuzz_below(&guest->input, 4) * FUZZ_PAGE;
	guest->host.work_slices = fuzz_below(&guest->input, 3);
	guest->host.step = fuzz_below(&guest->input, 64);
	memory_host_start(&guest->host, APERTURE_SIZE, 1 + fuzz_below(&guest->input, 16),
			  1 + fuzz_take(&guest->input, 2));
	for (ring = 0; ring < RINGS; ring++)
		start_ring(guest, ring);
	if (fuzz_below(&guest->input, 4))
		map_all(guest);
	if (fuzz_below(&guest->input, 4))
		make_spaces(guest);
}

/* A reset brings a device that works again, each ring of it. */
static void guest_works_again(struct guest *guest)
{
	static const uint8_t empty[16];
	unsigned int ring;

	guest->host.regions[0].size = RAM_SIZE;
	quire_engine_reset(&guest->host.engine);
	FINDING_IF(quire_engine_runnable(&guest->host.engine));
	fuzz_input_start(&guest->input, empty, sizeof(empty));
	guest->end = guest->start;
	guest->in_context = false;
	for (ring = 0; ring < RINGS; ring++) {
		start_ring(guest, ring);
		guest->ring = ring;
		submit(guest);
	}
	run(guest, MAX_SLICES);
	for (ring = 0; ring < RINGS; ring++)
		FINDING_IF(guest->host.engine.ring[ring].fault_code ||
			   guest->host.engine.ring[ring].rptr != 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct guest *guest;
	unsigned int commands, i;

	if (!guest) {
		guest = guest_create();
		atexit(latches_tell);
	}
	fuzz_input_start(&guest->input, data, size);
	commands = fuzz_below(&guest->input, MAX_COMMANDS);
	guest_start(guest);
	for (i = 0; i < commands; i++) {
		command(guest);
		check_stopped(guest);
	}
	run(guest, MAX_SLICES);
	check_stopped(guest);
	guest_works_again(guest);
	memory_host_stop(&guest->host);

	return 0;
}
