// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Can a command buffer be split so that it runs at all? */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include <kunit/visibility.h>

#include "quire_split_internal.h"

/**
 * struct table - the resource table
 * @objects: of each slot, or %QUIRE_NO_OBJECT
 * @bytes: of the objects, each once, by segment
 */
struct table {
	u32 objects[QUIRE_SLOTS];
	u64 bytes[QUIRE_SPLIT_SEGMENTS];
};

static void table_init(struct table *table)
{
	u32 i;

	*table = (struct table) { };
	for (i = 0; i < QUIRE_SLOTS; i++)
		table->objects[i] = QUIRE_NO_OBJECT;
}

/* Bytes of an object that is in no slot: in several it counts once. */
static u64 table_new_bytes(const struct table *table, const struct quire_command_list *list,
			   u32 object)
{
	u32 i;

	for (i = 0; i < QUIRE_SLOTS; i++)
		if (table->objects[i] == object)
			return 0;
	return list->objects[object].size;
}

static void table_write(struct table *table, const struct quire_command_list *list, u32 entry)
{
	u32 *slot = &table->objects[list->patches[entry].slot];
	u32 old = *slot, object = quire_patch_object(list, entry);

	if (old == object)
		return;
	*slot = QUIRE_NO_OBJECT;
	if (old != QUIRE_NO_OBJECT)
		table->bytes[quire_split_segment(list, old)] -= table_new_bytes(table, list, old);
	if (object != QUIRE_NO_OBJECT)
		table->bytes[quire_split_segment(list, object)] +=
			table_new_bytes(table, list, object);
	*slot = object;
}

/**
 * quire_split_group_end - find the end of entries with one split offset
 * @list: the lists
 * @first: first one of them
 *
 * Returns: behind the last one.
 */
u32 quire_split_group_end(const struct quire_command_list *list, u32 first)
{
	u32 last = first;

	while (last < list->nr_patches &&
	       list->patches[last].split_offset == list->patches[first].split_offset)
		last++;
	return last;
}

/**
 * quire_split_largest - count what has to be in each segment at once
 * @list: the lists
 * @bytes: set
 */
void quire_split_largest(const struct quire_command_list *list, u64 bytes[QUIRE_SPLIT_SEGMENTS])
{
	struct table table;
	u32 i, segment, end;

	table_init(&table);
	for (segment = 0; segment < QUIRE_SPLIT_SEGMENTS; segment++)
		bytes[segment] = 0;
	for (i = 0; i < list->nr_patches;) {
		for (end = quire_split_group_end(list, i); i < end; i++)
			table_write(&table, list, i);
		for (segment = 0; segment < QUIRE_SPLIT_SEGMENTS; segment++)
			bytes[segment] = max(bytes[segment], table.bytes[segment]);
	}
}

static int check_fail(const struct quire_command_list *list, u32 entry, int ret, const char *why,
		      struct quire_command_error *error)
{
	*error = (struct quire_command_error) {
		.where = QUIRE_COMMAND_PATCHES,
		.entry = entry,
		.offset = list->patches[entry].split_offset,
		.why = why,
	};
	return ret;
}

/**
 * quire_split_check - check that a command buffer can be split so that it runs
 * @list: what quire_command_check() found good
 * @capacity: bytes of each segment: of %QUIRE_SEGMENT_VRAM and %QUIRE_SEGMENT_APERTURE
 * @error: set if it cannot: entry, and its split offset
 *
 * To be asked before anything runs. Any context.
 *
 * Returns: 0; -EFBIG an object alone does not fit into its segment; -EXFULL objects that are
 * bound at the same time do not.
 *
 * Source: "Splitting a DMA Buffer", an allocation that can never be brought in.
 */
int quire_split_check(const struct quire_command_list *list,
		      const u64 capacity[QUIRE_SPLIT_SEGMENTS],
		      struct quire_command_error *error)
{
	struct table table;
	u32 i, object, segment, end;

	table_init(&table);
	for (i = 0; i < list->nr_patches;) {
		for (end = quire_split_group_end(list, i); i < end; i++) {
			object = quire_patch_object(list, i);
			if (object != QUIRE_NO_OBJECT &&
			    list->objects[object].size >
			    capacity[quire_split_segment(list, object)])
				return check_fail(list, i, -EFBIG,
						  "the object does not fit into its segment",
						  error);
			table_write(&table, list, i);
		}
		for (segment = 0; segment < QUIRE_SPLIT_SEGMENTS; segment++)
			if (table.bytes[segment] > capacity[segment])
				return check_fail(list, end - 1, -EXFULL,
						  "what is bound does not fit into its segment",
						  error);
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_check);
