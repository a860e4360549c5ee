// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The device of submit_fuzz. */
#include <string.h>

#include "submit_world.h"

#define STEP_NS		20000u /* of the machine's time, each slice */

static struct fuzz_ring ring_of(struct world *world, unsigned int number,
				struct fuzz_ring_memory *memory)
{
	return (struct fuzz_ring) {
		.host = &world->host,
		.number = number,
		.memory = memory,
		.address = CONTROL_BASE + ((uint8_t *)memory - (uint8_t *)world->control),
	};
}

struct world *world_create(void)
{
	struct world *world = fuzz_alloc(sizeof(*world));

	world->control = fuzz_alloc(sizeof(*world->control));
	world->real = fuzz_alloc(sizeof(*world->real));
	world->expected = fuzz_alloc(sizeof(*world->expected));
	world->flat = fuzz_alloc(sizeof(world->real->system));
	world->paging = ring_of(world, QUIRE_RING_PAGING, &world->control->paging);
	world->execution = ring_of(world, EXECUTION_RINGS, &world->control->execution);
	world->host.execution_rings = EXECUTION_RINGS;
	world->host.vram = world->real->vram;
	world->host.step = STEP_NS;
	world->host.regions[0] = (struct memory_region) {
		SYSTEM_BASE, sizeof(world->real->system), world->real->system, false,
	};
	world->host.regions[1] = (struct memory_region) {
		CONTROL_BASE, sizeof(*world->control), (uint8_t *)world->control, false,
	};
	return world;
}

/* Sizes are chosen, and memory is as it should be. */
void world_start(struct world *world)
{
	world->host.vram_visible = world->host.vram_size;
	world->host.granule = 64u << world_below(world, 9);
	world->host.parts = world->host.granule / FUZZ_PAGE;
	world->host.work_least = world_below(world, 3) * 4000;
	world->host.unchecked = world_below(world, 8);
	world->host.work_slices = world_below(world, 3);
	memset(world->aperture, 0, sizeof(world->aperture));
	world->hangs = false;
	memory_host_start(&world->host, world->caps.aperture_pages * FUZZ_PAGE,
			  1 + world_below(world, 16), 1024 + world_below(world, 4 * FUZZ_PAGE));
	paging_start(world);
	fuzz_ring_start(&world->execution);
}

void world_stop(struct world *world)
{
	memory_host_stop(&world->host);
}
