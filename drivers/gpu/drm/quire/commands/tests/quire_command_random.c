// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Good submissions by chance.
 */
#include <linux/array_size.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include <quire/quire_layout.h>

#include "quire_command_scene.h"

#define PAGE		4096u
#define SLOTS		6u /* of the first and the last ones, so that they are used again */
#define COMMANDS	24u

/**
 * struct writer - a submission that is made
 * @scene: the submission
 * @choices: what it is made by
 * @nr_bindings: number of bindings
 * @nr_uses: number of fields that are used
 * @now: for each slot 1 + the index of what it holds, or 0
 * @taken: slots that the command at work uses
 */
struct writer {
	struct quire_scene *scene;
	struct quire_choices *choices;
	u32 nr_bindings;
	u32 nr_uses;
	u32 now[SLOTS];
	u32 taken;
};

static u32 below(struct writer *writer, u32 limit)
{
	return writer->choices->below(writer->choices, limit);
}

static u32 between(struct writer *writer, u32 first, u32 last)
{
	return first + below(writer, last - first + 1);
}

static void write_objects(struct writer *writer)
{
	struct quire_command_list *list = &writer->scene->list;
	u32 i;

	list->nr_objects = between(writer, 1, QUIRE_SCENE_OBJECTS);
	for (i = 0; i < list->nr_objects; i++)
		writer->scene->objects[i] = (struct quire_command_object) {
			.size = between(writer, 1, below(writer, 2) ? 0x40000 : 0x2000),
			.segment = below(writer, 3) ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_APERTURE,
			.align = below(writer, 2) ? 0x10000 : PAGE,
		};
}

static void write_allocation(struct writer *writer, struct quire_command_allocation *allocation)
{
	const struct quire_scene *scene = writer->scene;
	u32 size;

	*allocation = (struct quire_command_allocation) { .object = QUIRE_NO_OBJECT };
	if (!below(writer, 6))
		return;
	allocation->object = below(writer, scene->list.nr_objects);
	allocation->writable = below(writer, 4);
	size = scene->objects[allocation->object].size;
	if (!below(writer, 3))
		allocation->offset = below(writer, size);
	size -= allocation->offset;
	allocation->size = below(writer, 3) ? size : between(writer, 1, size);
}

static void write_allocations(struct writer *writer)
{
	struct quire_command_list *list = &writer->scene->list;
	u32 i;

	list->nr_allocations = between(writer, 1, QUIRE_SCENE_ALLOCATIONS);
	for (i = 0; i < list->nr_allocations; i++)
		write_allocation(writer, &writer->scene->allocations[i]);
}

/* Returns 1 + the index of the binding, or 0 if there are too many. */
static u32 bind(struct writer *writer, u32 slot, u32 allocation)
{
	if (writer->nr_bindings == QUIRE_SCENE_BINDINGS)
		return 0;
	writer->scene->bindings[writer->nr_bindings] = (struct quire_scene_binding) {
		.allocation = allocation, .slot = slot, .split = writer->scene->list.size,
	};
	writer->now[slot] = ++writer->nr_bindings;
	return writer->now[slot];
}

/* A slot for an allocation: one that holds it already, or any that is free now. */
static u32 take_slot(struct writer *writer, u32 allocation)
{
	u32 slot = below(writer, SLOTS), i;

	for (i = 0; i < SLOTS; i++, slot = (slot + 1) % SLOTS) {
		u32 now = writer->now[slot];

		if (now && writer->scene->bindings[now - 1].allocation == allocation &&
		    (writer->taken & 1u << slot || below(writer, 4)))
			break;
	}
	if (i < SLOTS) {
		writer->taken |= 1u << slot;
		return writer->now[slot];
	}
	while (writer->taken & 1u << slot)
		slot = (slot + 1) % SLOTS;
	writer->taken |= 1u << slot;
	return bind(writer, slot, allocation);
}

/*
 * An operand of so many bytes, the first of which is so far behind its address: an allocation
 * where it can be, for the field at a byte of the next command. From the address on so much is
 * in the object. False if there is none.
 */
static bool operand_of(struct writer *writer, u32 at, u32 id, bool writes, u32 align, u64 first,
		       u64 size, u64 image)
{
	struct quire_scene *scene = writer->scene;
	u32 i = below(writer, scene->list.nr_allocations);
	const struct quire_command_allocation *allocation = &scene->allocations[i];
	u64 low, last, offset, object_size;
	u32 binding;

	if (allocation->object == QUIRE_NO_OBJECT || (writes && !allocation->writable) ||
	    align > scene->objects[allocation->object].align ||
	    (align >= PAGE && scene->objects[allocation->object].segment != QUIRE_SEGMENT_VRAM))
		return false;
	if (allocation->size < size || allocation->offset + allocation->size < first + size)
		return false;
	low = allocation->offset > first ? allocation->offset - first : 0;
	last = allocation->offset + allocation->size - size - first;
	object_size = scene->objects[allocation->object].size;
	if (object_size < low + image)
		return false;
	last = min(last, object_size - image);
	offset = below(writer, 2) ? last : low + below(writer, last - low + 1);
	offset &= ~(u64)(align - 1);
	if (offset < low || writer->nr_uses == ARRAY_SIZE(writer->scene->uses))
		return false;
	binding = take_slot(writer, i);
	if (!binding)
		return false;
	writer->scene->uses[writer->nr_uses++] = (struct quire_scene_use) {
		binding - 1, id, scene->list.size + at, offset,
	};
	return true;
}

static bool operand(struct writer *writer, u32 at, u32 id, bool writes, u32 align, u64 first,
		    u64 size)
{
	return operand_of(writer, at, id, writes, align, first, size, 0);
}

static void *next_command(struct writer *writer)
{
	return &writer->scene->commands[writer->scene->list.size / 8];
}

static void end_command(struct writer *writer, u32 opcode, u32 flags, u32 size)
{
	struct quire_packet_header *header = next_command(writer);

	header->opcode = cpu_to_le16(opcode);
	header->flags = cpu_to_le16(flags);
	header->size = cpu_to_le32(size);
	writer->scene->list.size += size;
}

static u32 some_size(struct writer *writer)
{
	return between(writer, 1, below(writer, 3) ? 256 : 0x4000);
}

/* Commands of ranges: all have their size right behind the last address. */
static bool range_operands(struct writer *writer, u32 opcode, u32 size)
{
	switch (opcode) {
	case QUIRE_COMMAND_COPY:
		return operand(writer, 8, QUIRE_PATCH_SRC, false, 1, 0, size) &&
		       operand(writer, 16, QUIRE_PATCH_DST, true, 1, 0, size);
	case QUIRE_COMMAND_FILL:
		return operand(writer, 8, QUIRE_PATCH_DST, true, 4, 0, size * 4);
	case QUIRE_COMMAND_ARITHMETIC:
		return operand(writer, 8, QUIRE_PATCH_SRC, false, 4, 0, size * 4) &&
		       operand(writer, 16, QUIRE_PATCH_DST, true, 4, 0, size * 4);
	case QUIRE_COMMAND_CHECKSUM:
		return operand(writer, 8, QUIRE_PATCH_SRC, false, 32, 0, size) &&
		       operand(writer, 16, QUIRE_PATCH_RESULT, true, 8, 0, 8);
	case QUIRE_COMMAND_COMPARE:
		return operand(writer, 8, QUIRE_PATCH_SRC, false, 1, 0, size) &&
		       operand(writer, 16, QUIRE_PATCH_DST, false, 1, 0, size) &&
		       operand(writer, 24, QUIRE_PATCH_RESULT, true, 8, 0, 16);
	case QUIRE_COMMAND_WRITE_VALUE:
		return operand(writer, 8, QUIRE_PATCH_DST, true, 8, 0, 8);
	default:
		return operand(writer, 8, QUIRE_PATCH_SRC, false, 8, 0, 8);
	}
}

/* Bytes of each, without flags; 0: it is not of this kind. */
static const u8 range_sizes[] = { 0, 32, 32, 0, 0, 32, 32, 40, 24, 24, 0 };
static const u8 range_size_at[] = { 0, 24, 16, 0, 0, 24, 24, 32, 0, 0, 0 };

static bool write_range(struct writer *writer, u32 opcode)
{
	u32 index = opcode - QUIRE_COMMAND_FIRST, flags = 0, size = some_size(writer);
	bool words = opcode == QUIRE_COMMAND_FILL || opcode == QUIRE_COMMAND_ARITHMETIC;
	__le64 *command = next_command(writer);

	if (!range_operands(writer, opcode, size))
		return false;
	if (range_size_at[index])
		command[range_size_at[index] / 8] = cpu_to_le64(words ? size * 4 : size);
	if (opcode == QUIRE_COMMAND_ARITHMETIC || opcode == QUIRE_COMMAND_WAIT_VALUE)
		flags = between(writer, 1, 2);
	end_command(writer, opcode, flags, range_sizes[index]);
	return true;
}

static bool write_linear(struct writer *writer, const struct quire_layout *layout,
			 struct quire_command_surface *to, u32 at, u32 id)
{
	u32 row = layout->width << layout->element_shift;
	u32 pitch = row + (below(writer, 100) << layout->element_shift);

	to->pitch = cpu_to_le32(pitch);
	return operand(writer, at, id, id == QUIRE_PATCH_DST, 1u << layout->element_shift, 0,
		       (layout->height - 1) * pitch + row);
}

static bool write_tiled(struct writer *writer, const struct quire_layout *layout,
			struct quire_command_surface *to, u32 at, u32 id)
{
	u32 level = below(writer, layout->levels), slice = below(writer, layout->array_size);
	struct quire_surface surface;

	quire_layout_surface(layout, level, slice, &surface);
	to->level = cpu_to_le16(level);
	to->slice = cpu_to_le16(slice);
	return operand_of(writer, at, id, id == QUIRE_PATCH_DST, 1u << surface.tile_shift,
			  surface.tiled_offset, quire_surface_tiled_size(&surface),
			  quire_layout_tiled_size(layout));
}

static bool write_surface(struct writer *writer, u32 element_shift,
			  struct quire_command_surface *to, u32 at, u32 id)
{
	struct quire_layout layout = {
		.kind = below(writer, 3), .element_shift = element_shift,
		.width = between(writer, 1, 100), .height = between(writer, 1, 100),
		.levels = 1, .array_size = 1,
	};

	if (quire_layout_tiled(&layout)) {
		layout.array_size = between(writer, 1, 3);
		layout.levels = between(writer, 1, 7);
		while (!quire_layout_valid(&layout))
			layout.levels--;
	}
	to->layout = cpu_to_le32(layout.kind);
	to->width = cpu_to_le32(layout.width);
	to->height = cpu_to_le32(layout.height);
	to->levels = cpu_to_le16(layout.levels);
	to->array_size = cpu_to_le16(layout.array_size);
	return quire_layout_tiled(&layout) ? write_tiled(writer, &layout, to, at, id) :
					     write_linear(writer, &layout, to, at, id);
}

static bool write_2d(struct writer *writer, u32 opcode)
{
	u32 element_shift = opcode == QUIRE_COMMAND_BLEND ? 2 : below(writer, 5);
	struct quire_command_2d *command = next_command(writer);
	const u32 src = offsetof(struct quire_command_2d, src.address);
	const u32 dst = offsetof(struct quire_command_2d, dst.address);

	if (!write_surface(writer, element_shift, &command->src, src, QUIRE_PATCH_SRC) ||
	    !write_surface(writer, element_shift, &command->dst, dst, QUIRE_PATCH_DST))
		return false;
	command->element_shift = cpu_to_le32(element_shift);
	command->src_x = cpu_to_le32(below(writer, 200) - 100);
	command->columns = cpu_to_le32(below(writer, 200));
	end_command(writer, opcode, 0, sizeof(*command));
	return true;
}

static bool write_command(struct writer *writer, u32 opcode)
{
	switch (opcode) {
	case QUIRE_COMMAND_NOP:
		end_command(writer, opcode, 0, 8 * between(writer, 1, 4));
		return true;
	case QUIRE_COMMAND_DELAY:
		end_command(writer, opcode, 0, sizeof(struct quire_command_delay));
		return true;
	case QUIRE_COMMAND_COPY_2D:
	case QUIRE_COMMAND_BLEND:
		return write_2d(writer, opcode);
	default:
		return write_range(writer, opcode);
	}
}

/* A few times, until it has found what it needs; what remains of a try is undone. */
static void try_command(struct writer *writer)
{
	u32 opcode = between(writer, QUIRE_COMMAND_FIRST, QUIRE_COMMAND_DELAY);
	u32 uses = writer->nr_uses, tries;

	for (tries = 0; tries < 6; tries++) {
		writer->taken = 0;
		if (write_command(writer, opcode))
			return;
		writer->nr_uses = uses;
		memset(next_command(writer), 0, sizeof(struct quire_command_2d));
	}
}

/* Perhaps a slot is unbound here; an allocation that is none has to be there. */
static void try_unbind(struct writer *writer)
{
	u32 i = below(writer, writer->scene->list.nr_allocations);

	if (writer->scene->allocations[i].object == QUIRE_NO_OBJECT)
		bind(writer, below(writer, SLOTS), i);
}

static u32 slot_number(u32 slot)
{
	return slot < SLOTS / 2 ? slot : QUIRE_SLOTS - 1 - (slot - SLOTS / 2);
}

static void write_entry(struct writer *writer, const struct quire_scene_binding *binding,
			const struct quire_scene_use *use)
{
	struct quire_command_list *list = &writer->scene->list;
	struct quire_patch_location *patch = &writer->scene->patches[list->nr_patches++];

	*patch = (struct quire_patch_location) {
		.allocation = binding->allocation, .slot = slot_number(binding->slot),
		.split_offset = binding->split,
	};
	if (use) {
		patch->driver_id = use->id;
		patch->allocation_offset = use->offset;
		patch->patch_offset = use->at;
	}
}

/* The entries of a binding. One that nothing uses has none, unless it unbinds. */
static void write_binding(struct writer *writer, u32 index)
{
	const struct quire_scene *scene = writer->scene;
	const struct quire_scene_binding *binding = &writer->scene->bindings[index];
	u32 i;

	if (binding->split < scene->list.size &&
	    scene->allocations[binding->allocation].object == QUIRE_NO_OBJECT)
		write_entry(writer, binding, NULL);
	for (i = 0; i < writer->nr_uses; i++)
		if (writer->scene->uses[i].binding == index)
			write_entry(writer, binding, &writer->scene->uses[i]);
}

/* Room for the largest command, and for as many entries as it can have. */
static bool has_room(const struct writer *writer)
{
	return writer->scene->list.size + sizeof(struct quire_command_2d) <=
		       sizeof(writer->scene->commands) &&
	       writer->nr_uses + writer->nr_bindings + 8 <= QUIRE_SCENE_PATCHES;
}

/**
 * quire_scene_random - a good submission
 * @scene: filled in
 * @choices: it is made by
 */
void quire_scene_random(struct quire_scene *scene, struct quire_choices *choices)
{
	struct quire_command_list *list = &scene->list;
	struct writer writer = { .scene = scene, .choices = choices };
	u32 i, commands = between(&writer, 1, COMMANDS);

	memset(scene, 0, sizeof(*scene));
	list->commands = scene->commands;
	list->objects = scene->objects;
	list->allocations = scene->allocations;
	list->patches = scene->patches;
	write_objects(&writer);
	write_allocations(&writer);
	for (i = 0; i < commands && has_room(&writer); i++) {
		try_unbind(&writer);
		try_command(&writer);
	}
	if (!list->size)
		end_command(&writer, QUIRE_COMMAND_NOP, 0, 8);
	for (i = 0; i < writer.nr_bindings; i++)
		write_binding(&writer, i);
}
