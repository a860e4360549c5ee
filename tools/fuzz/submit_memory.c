// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Which bytes are where: those of objects in VRAM or in system memory, and what nobody may
 * touch around them.
 */
#include <string.h>

#include "../libquire/random.h"

#include "submit_world.h"

static struct memory noise;

static void noise_make(void)
{
	uint64_t random = 1, value;
	size_t i;

	for (i = 0; i < sizeof(noise); i += sizeof(value)) {
		value = random_next(&random);
		memcpy((uint8_t *)&noise + i, &value, sizeof(value));
	}
}

/* Page of system memory that page @page of an object is. */
uint32_t memory_page(const struct object *object, uint32_t page)
{
	uint32_t chunks = (object->pages + object->chunk - 1) / object->chunk;

	return object->first + (chunks - 1 - page / object->chunk) * object->chunk +
	       page % object->chunk;
}

/* DMA address of the page that is in place of any. */
uint64_t memory_dummy_page(const struct world *world)
{
	return SYSTEM_BASE + world->system_pages * FUZZ_PAGE;
}

/* Of all objects, and the dummy page. */
static size_t system_size(const struct world *world)
{
	return (world->system_pages + 1) * FUZZ_PAGE;
}

static void object_start(struct world *world, uint32_t index)
{
	const struct quire_command_object *described = &world->scene.objects[index];
	struct object *object = &world->objects[index];

	object->pages = described->size / FUZZ_PAGE;
	object->first = world->system_pages;
	object->chunk = 1u << world_below(world, 7);
	object->bytes = world->flat + object->first * FUZZ_PAGE;
	object->paging = (struct quire_paging_allocation) {
		.needs_idle = world_below(world, 2),
		.size = described->size,
		.pitch_aligned_size = described->size,
	};
	world->system_pages += (object->pages + object->chunk - 1) / object->chunk * object->chunk;
}

/* All is noise, and each object is in system memory. */
void memory_start(struct world *world)
{
	uint32_t i, nr = world->scene.list.nr_objects;

	if (!noise.vram[0])
		noise_make();
	world->system_pages = 0;
	for (i = 0; i < nr; i++)
		object_start(world, i);
	memcpy(world->flat, noise.vram, world->system_pages * FUZZ_PAGE);
	memcpy(world->expected->vram, noise.vram, world->host.vram_size);
	memcpy(world->expected->system, noise.system, system_size(world));
	for (i = 0; i < nr; i++)
		memory_is_in_system(world, i);
	memcpy(world->real->vram, world->expected->vram, world->host.vram_size);
	memcpy(world->real->system, world->expected->system, system_size(world));
}

/* The object's bytes are in its pages of system memory. */
void memory_is_in_system(struct world *world, uint32_t index)
{
	const struct object *object = &world->objects[index];
	uint32_t i;

	for (i = 0; i < object->pages; i++)
		memcpy(world->expected->system + memory_page(object, i) * FUZZ_PAGE,
		       object->bytes + i * FUZZ_PAGE, FUZZ_PAGE);
}

/* They are where commands find them. */
void memory_is_in_place(struct world *world, uint32_t index)
{
	if (world->scene.objects[index].segment == QUIRE_SEGMENT_APERTURE)
		memory_is_in_system(world, index);
	else
		memcpy(world->expected->vram + world->fake.objects[index].address,
		       world->objects[index].bytes, world->objects[index].pages * FUZZ_PAGE);
}

/* What was paged in has no pages of system memory: they are somebody else's by now. */
void memory_spoil_system(struct world *world, uint32_t index)
{
	const struct object *object = &world->objects[index];
	uint32_t i, at;

	for (i = 0; i < object->pages; i++) {
		at = memory_page(object, i) * FUZZ_PAGE;
		memcpy(world->real->system + at, noise.vram + at, FUZZ_PAGE);
		memcpy(world->expected->system + at, noise.vram + at, FUZZ_PAGE);
	}
}

/* Bytes that no allocation lists for writing are what they were, whatever commands there are. */
static void compare_listed(struct world *world)
{
	const struct quire_command_list *list = &world->scene.list;
	static uint8_t listed[sizeof(noise.system)];
	uint32_t i, at;

	memcpy(listed, noise.vram, world->system_pages * FUZZ_PAGE);
	for (i = 0; i < list->nr_allocations; i++) {
		const struct quire_command_allocation *allocation = &list->allocations[i];

		if (!allocation->writable)
			continue;
		at = world->objects[allocation->object].first * FUZZ_PAGE + allocation->offset;
		memcpy(listed + at, world->flat + at, allocation->size);
	}
	FINDING_IF(memcmp(listed, world->flat, world->system_pages * FUZZ_PAGE));
}

/* All that was submitted is executed. */
void memory_compare(struct world *world)
{
	uint32_t i;

	compare_listed(world);
	FINDING_IF(world->host.engine.posted.total);
	FINDING_IF(memcmp(world->real->vram, world->expected->vram, world->host.vram_size));
	FINDING_IF(memcmp(world->real->system, world->expected->system, system_size(world)));
	for (i = 0; i < world->caps.aperture_pages; i++)
		FINDING_IF(world->host.engine.aperture[i] != world->aperture[i]);
}
