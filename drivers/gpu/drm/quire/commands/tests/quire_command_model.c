// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * May a submission run? As the specification has it, and as simply as it can be said: each
 * command is looked at by its bytes, and what a slot holds before it is found by doing all
 * that the list says up to there. Knows nothing of the check.
 */
#include <linux/math.h>
#include <linux/minmax.h>

#include <quire/quire_command.h>

#include "quire_command_model.h"

/* What a command touches through one of its address fields. */
struct touch {
	u32 field;
	u32 id;
	u32 align;
	bool writes;
	bool tiled;
	u64 first;
	u64 size;
	u64 image;
};

struct command {
	const u8 *bytes;
	u32 opcode;
	u32 flags;
	u32 size;
	u32 nr;
	struct touch touches[3];
};

static u64 get(const u8 *bytes, u32 size)
{
	u64 value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

static struct touch *touch(struct command *command, u32 field, u32 id, u32 align, bool writes,
			   u64 size)
{
	command->touches[command->nr] = (struct touch) {
		.field = field, .id = id, .align = align, .writes = writes, .size = size,
	};
	return &command->touches[command->nr++];
}

/* Elements of a row of a tile, and rows, by log2 of the element. */
static const u32 tile_columns[][5] = {
	[QUIRE_LAYOUT_TILE_4K] = { 64, 64, 32, 32, 16 },
	[QUIRE_LAYOUT_TILE_64K] = { 256, 256, 128, 128, 64 },
};

static const u32 tile_rows[][5] = {
	[QUIRE_LAYOUT_TILE_4K] = { 64, 32, 32, 16, 16 },
	[QUIRE_LAYOUT_TILE_64K] = { 256, 128, 128, 64, 64 },
};

struct image {
	u32 layout, pitch, width, height, levels, slices, level, slice, shift;
};

static u64 level_tiles(const struct image *image, u32 level)
{
	u32 width = max(image->width >> level, 1u), height = max(image->height >> level, 1u);

	return DIV_ROUND_UP(width, tile_columns[image->layout][image->shift]) *
	       DIV_ROUND_UP(height, tile_rows[image->layout][image->shift]);
}

static bool image_is_good(const struct image *image)
{
	u64 largest = max(image->width, image->height);
	u32 levels = 0;

	while (largest >> levels)
		levels++;
	return image->layout <= QUIRE_LAYOUT_TILE_64K && image->shift <= 4 &&
	       image->width && image->height && largest <= 16384 &&
	       image->levels && image->levels <= levels &&
	       image->slices && image->slices <= 2048 &&
	       image->level < image->levels && image->slice < image->slices;
}

static bool linear_image(const struct image *image, struct touch *touch)
{
	u32 element = 1 << image->shift;

	touch->align = element;
	touch->size = (u64)image->pitch * (image->height - 1) + image->width * element;
	return image->levels == 1 && image->slices == 1 && image->pitch % element == 0 &&
	       image->pitch >= image->width * element;
}

static bool tiled_image(const struct image *image, struct touch *touch)
{
	u32 tile = image->layout == QUIRE_LAYOUT_TILE_64K ? 65536 : 4096;
	u64 tiles = 0;
	u32 i;

	for (i = 0; i < image->levels; i++)
		tiles += level_tiles(image, i);
	touch->image = tiles * image->slices * tile;
	tiles *= image->slice;
	for (i = 0; i < image->level; i++)
		tiles += level_tiles(image, i);
	touch->align = tile;
	touch->tiled = true;
	touch->first = tiles * tile;
	touch->size = level_tiles(image, image->level) * tile;
	return !image->pitch;
}

static bool surface(struct command *command, u32 at, u32 id, bool writes)
{
	const u8 *bytes = command->bytes + at;
	const struct image image = {
		get(bytes + 8, 4), get(bytes + 12, 4), get(bytes + 16, 4), get(bytes + 20, 4),
		get(bytes + 24, 2), get(bytes + 26, 2), get(bytes + 28, 2), get(bytes + 30, 2),
		get(command->bytes + 72, 4),
	};
	struct touch *surface = touch(command, at, id, 0, writes, 0);

	if (!image_is_good(&image))
		return false;
	return image.layout == QUIRE_LAYOUT_LINEAR ? linear_image(&image, surface) :
						     tiled_image(&image, surface);
}

/* Has it that size, and none or exactly one of these flags? */
static bool looks(const struct command *command, u32 size, u32 one, u32 other)
{
	if (command->size != size)
		return false;
	return one ? command->flags == one || command->flags == other : !command->flags;
}

static bool understand_ranges(struct command *command)
{
	const u8 *bytes = command->bytes;

	switch (command->opcode) {
	case QUIRE_COMMAND_COPY:
		touch(command, 8, QUIRE_PATCH_SRC, 1, false, get(bytes + 24, 8));
		touch(command, 16, QUIRE_PATCH_DST, 1, true, get(bytes + 24, 8));
		return looks(command, 32, 0, 0) && get(bytes + 24, 8);
	case QUIRE_COMMAND_FILL:
		touch(command, 8, QUIRE_PATCH_DST, 4, true, get(bytes + 16, 8));
		return looks(command, 32, 0, 0) && get(bytes + 16, 8) &&
		       get(bytes + 16, 8) % 4 == 0 && !get(bytes + 28, 4);
	case QUIRE_COMMAND_ARITHMETIC:
		touch(command, 8, QUIRE_PATCH_SRC, 4, false, get(bytes + 24, 8));
		touch(command, 16, QUIRE_PATCH_DST, 4, true, get(bytes + 24, 8));
		return looks(command, 32, 1, 2) && get(bytes + 24, 8) &&
		       get(bytes + 24, 8) % 4 == 0;
	case QUIRE_COMMAND_CHECKSUM:
		touch(command, 8, QUIRE_PATCH_SRC, 32, false, get(bytes + 24, 8));
		touch(command, 16, QUIRE_PATCH_RESULT, 8, true, 8);
		return looks(command, 32, 0, 0) && get(bytes + 24, 8);
	default:
		touch(command, 8, QUIRE_PATCH_SRC, 1, false, get(bytes + 32, 8));
		touch(command, 16, QUIRE_PATCH_DST, 1, false, get(bytes + 32, 8));
		touch(command, 24, QUIRE_PATCH_RESULT, 8, true, 16);
		return looks(command, 40, 0, 0) && get(bytes + 32, 8);
	}
}

static bool understand_2d(struct command *command)
{
	return looks(command, 104, 0, 0) && !get(command->bytes + 76, 4) &&
	       (command->opcode == QUIRE_COMMAND_COPY_2D || get(command->bytes + 72, 4) == 2) &&
	       surface(command, 8, QUIRE_PATCH_SRC, false) &&
	       surface(command, 40, QUIRE_PATCH_DST, true);
}

/* The command is at least as long as the smallest of its kind, if it is one. */
static bool understand(struct command *command)
{
	switch (command->opcode) {
	case QUIRE_COMMAND_NOP:
		return !command->flags;
	case QUIRE_COMMAND_COPY_2D:
	case QUIRE_COMMAND_BLEND:
		return command->size == 104 && understand_2d(command);
	case QUIRE_COMMAND_WRITE_VALUE:
		touch(command, 8, QUIRE_PATCH_DST, 8, true, 8);
		return looks(command, 24, 0, 0);
	case QUIRE_COMMAND_WAIT_VALUE:
		touch(command, 8, QUIRE_PATCH_SRC, 8, false, 8);
		return looks(command, 24, 1, 2);
	case QUIRE_COMMAND_DELAY:
		return looks(command, 16, 0, 0);
	case QUIRE_COMMAND_COMPARE:
		return command->size == 40 && understand_ranges(command);
	case QUIRE_COMMAND_COPY:
	case QUIRE_COMMAND_FILL:
	case QUIRE_COMMAND_ARITHMETIC:
	case QUIRE_COMMAND_CHECKSUM:
		return command->size == 32 && understand_ranges(command);
	default:
		return false;
	}
}

static bool read_command(const struct quire_command_list *list, u32 at, struct command *command)
{
	const u8 *bytes = list->commands + at;

	*command = (struct command) {
		.bytes = bytes, .opcode = get(bytes, 2), .flags = get(bytes + 2, 2),
		.size = get(bytes + 4, 4),
	};
	return command->size >= 8 && command->size % 8 == 0 && command->size <= 4096 &&
	       command->size <= list->size - at && understand(command);
}

static bool begins(const struct quire_command_list *list, u32 offset)
{
	struct command command;
	u32 at;

	for (at = 0; at < list->size; at += command.size) {
		read_command(list, at, &command);
		if (at == offset)
			return true;
	}
	return false;
}

static bool is_field(const struct quire_command_list *list, u32 offset, u32 id)
{
	struct command command;
	u32 at, i;

	for (at = 0; at < list->size; at += command.size) {
		read_command(list, at, &command);
		for (i = 0; i < command.nr; i++)
			if (at + command.touches[i].field == offset)
				return command.touches[i].id == id;
	}
	return false;
}

static bool is_none(const struct quire_command_list *list, const struct quire_patch_location *patch)
{
	return list->allocations[patch->allocation].object == QUIRE_NO_OBJECT;
}

/* Is an allocation what it should be? Objects are small enough that nothing overflows. */
static bool allocation_is_good(const struct quire_command_list *list,
			       const struct quire_command_allocation *allocation)
{
	if (allocation->object == QUIRE_NO_OBJECT)
		return !allocation->writable && !allocation->offset && !allocation->size;
	return allocation->size && allocation->size <= QUIRE_MODEL_OBJECT_MAX &&
	       allocation->offset <= QUIRE_MODEL_OBJECT_MAX &&
	       allocation->offset + allocation->size <= list->objects[allocation->object].size;
}

static bool entry_is_good(const struct quire_command_list *list, u32 entry)
{
	const struct quire_patch_location *patch = &list->patches[entry];

	if (patch->allocation >= list->nr_allocations || patch->slot >= QUIRE_SLOTS ||
	    (entry && patch->split_offset < patch[-1].split_offset) ||
	    !begins(list, patch->split_offset))
		return false;
	if (is_none(list, patch))
		return !patch->driver_id && !patch->allocation_offset && !patch->patch_offset;
	return is_field(list, patch->patch_offset, patch->driver_id);
}

/* Does its slot hold what an entry says, when the command at a byte is executed? */
static bool holds(const struct quire_command_list *list, u32 entry, u32 at)
{
	const struct quire_patch_location *ours = &list->patches[entry], *holder = NULL, *patch;
	bool is_ours = false;
	u32 i;

	for (i = 0; i < list->nr_patches; i++) {
		patch = &list->patches[i];
		if (patch->split_offset > at || patch->slot != ours->slot)
			continue;
		if (!holder || holder->allocation != patch->allocation ||
		    holder->split_offset != patch->split_offset) {
			holder = patch;
			is_ours = false;
		}
		if (patch == ours)
			is_ours = true;
	}
	return is_ours;
}

static const char *check_touch(const struct quire_command_list *list,
			       const struct quire_patch_location *patch, const struct touch *touch)
{
	const struct quire_command_allocation *allocation = &list->allocations[patch->allocation];
	const struct quire_command_object *object = &list->objects[allocation->object];
	u32 known = max(object->align, 4096u);
	u64 first;

	if (patch->allocation_offset % touch->align || touch->align > known)
		return "address is not aligned";
	if (touch->tiled && object->segment != QUIRE_SEGMENT_VRAM)
		return "tiles are not in VRAM";
	if (touch->tiled && object->linear)
		return "tiles in what an MMU shows";
	if (patch->allocation_offset > QUIRE_MODEL_OBJECT_MAX ||
	    touch->size > QUIRE_MODEL_OBJECT_MAX)
		return "touches what is far away";
	first = patch->allocation_offset + touch->first;
	if (first < allocation->offset ||
	    first + touch->size > allocation->offset + allocation->size)
		return "touches what is not its own";
	if (patch->allocation_offset + touch->image > object->size)
		return "its image is larger than the object";
	if (touch->writes && !allocation->writable)
		return "writes what it may read";
	return NULL;
}

static const char *check_field(const struct quire_command_list *list, u32 at,
			       const struct touch *touch)
{
	u32 i, entry = 0, found = 0;

	for (i = 0; i < list->nr_patches; i++)
		if (!is_none(list, &list->patches[i]) &&
		    list->patches[i].patch_offset == at + touch->field) {
			entry = i;
			found++;
		}
	if (found != 1)
		return "field has not exactly one entry";
	if (!holds(list, entry, at))
		return "slot holds something else";
	return check_touch(list, &list->patches[entry], touch);
}

static const char *check_lists(const struct quire_command_list *list)
{
	u32 i;

	for (i = 0; i < list->nr_allocations; i++)
		if (!allocation_is_good(list, &list->allocations[i]))
			return "allocation is wrong";
	for (i = 0; i < list->nr_patches; i++)
		if (!entry_is_good(list, i))
			return "entry is wrong";
	return NULL;
}

static const char *check_commands(const struct quire_command_list *list)
{
	struct command command;
	u32 at, i;

	for (at = 0; at < list->size; at += command.size) {
		if (!read_command(list, at, &command))
			return "command is wrong";
		for (i = 0; i < command.nr; i++)
			if (get(command.bytes + command.touches[i].field, 8))
				return "address field is not 0";
	}
	return NULL;
}

/**
 * quire_command_model - may a submission run?
 * @list: the submission; its objects are at most %QUIRE_MODEL_OBJECT_MAX bytes
 *
 * Returns: NULL if it may, else why not.
 */
const char *quire_command_model(const struct quire_command_list *list)
{
	struct command command;
	const char *why;
	u32 at, i;

	if (!list->size || list->size % 8)
		return "buffer is empty, or no multiple of 8";
	why = check_commands(list) ?: check_lists(list);
	for (at = 0; !why && at < list->size; at += command.size) {
		read_command(list, at, &command);
		for (i = 0; !why && i < command.nr; i++)
			why = check_field(list, at, &command.touches[i]);
	}
	return why;
}
