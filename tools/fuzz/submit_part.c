// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A part of the submission runs on the execution ring, and on memory that is always there. */
#include <string.h>

#include <linux/array_size.h>
#include <linux/errno.h>

#include "../../drivers/gpu/drm/quire/commands/quire_command_check.h"

#include "submit_world.h"

/* Slices in which a ring that hangs has nothing done. */
#define HANG_SLICES	32u
#define MOST_SLICES	100000u

/* Of what is not in the part: a fault. */
#define NO_ADDRESS	0xbad0000000000000ull

/* Returns its DMA address. Behind it is nothing that could run. */
static uint64_t part_patch(struct world *world, const struct quire_split_part *part)
{
	uint8_t *to = world->control->parts[world->execution.wptr % FUZZ_RING_ENTRIES];
	u64 addresses[OBJECTS];
	uint32_t i, object;

	for (i = 0; i < ARRAY_SIZE(addresses); i++)
		addresses[i] = NO_ADDRESS;
	for (i = 0; i < part->nr_objects; i++) {
		object = part->objects[i];
		addresses[object] = QUIRE_ADDRESS(world->scene.objects[object].segment,
						  world->fake.objects[object].address);
	}
	memset(to, 0xff, PART_SIZE);
	quire_command_patch(to, &world->scene.list, world->scene.fields, part->start, part->end,
			    addresses);
	return CONTROL_BASE + (to - (uint8_t *)world->control);
}

/* It stands at byte @offset of the part, and all before that is done. Then it is started anew. */
static void part_hangs(struct world *world, uint32_t offset)
{
	const struct quire_ring *ring = fuzz_ring_engine(&world->execution);
	unsigned int slices = 0;

	while (ring->rptr + 1 != world->execution.wptr || !ring->started ||
	       ring->offset != offset) {
		FINDING_IF(slices++ > MOST_SLICES || !fuzz_run(&world->host));
		FINDING_IF(ring->fault_code);
	}
	for (slices = 0; slices < HANG_SLICES; slices++)
		fuzz_run(&world->host);
	FINDING_IF(ring->fault_code || ring->offset != offset ||
		   ring->rptr + 1 != world->execution.wptr);
	fuzz_ring_stop(&world->execution);
	fuzz_ring_start(&world->execution);
	paging_flush(world);
	world->hangs = true;
	reached(REACH_HANG);
}

/*
 * What the planner hands over. It begins when all that was paged in is there, and may still run
 * when other objects are paged in. Returns 0, or -EIO if it hangs.
 */
int part_submit(struct world *world, const struct quire_split_part *part)
{
	uint32_t i, end;
	uint64_t address;

	FINDING_IF(world->hangs);
	end = reference_run(world, part->start, part->end);
	for (i = 0; i < part->nr_objects; i++)
		memory_is_in_place(world, part->objects[i]);
	if (fuzz_ring_is_full(&world->execution))
		fuzz_ring_finish(&world->execution);
	address = part_patch(world, part);
	fuzz_ring_finish(&world->paging);
	fuzz_ring_submit(&world->execution, address, part->end - part->start);
	if (end < part->end) {
		part_hangs(world, end - part->start);
		return -EIO;
	}
	if (!world_below(world, 4)) {
		fuzz_ring_finish(&world->execution);
		memory_compare(world);
	}
	return 0;
}
