// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "quire_split_optimum.h"

/* Put entries with the split offset of @entry into the table; returns behind the last one. */
static u32 optimum_apply(const struct quire_command_list *list, u32 entry, u32 *table)
{
	u32 offset = list->patches[entry].split_offset;

	for (; entry < list->nr_patches && list->patches[entry].split_offset == offset; entry++)
		table[list->patches[entry].slot] = quire_patch_object(list, entry);
	return entry;
}

static u32 optimum_bound(const u32 *table)
{
	u32 i, bound = 0;

	for (i = 0; i < QUIRE_SLOTS; i++)
		if (table[i] != QUIRE_NO_OBJECT)
			bound |= BIT(table[i]);
	return bound;
}

/* From what is resident, keep each set of what is not bound. */
static void optimum_step(struct quire_split_optimum *optimum, u32 sets, u32 bound, u64 capacity)
{
	u32 resident, kept, spare;

	memset(optimum->next, 0xff, sizeof(optimum->next));
	for (resident = 0; resident < sets; resident++) {
		u64 bytes = optimum->least[resident];

		if (bytes == U64_MAX)
			continue;
		bytes += optimum->bytes[bound & ~resident];
		spare = resident & ~bound;
		for (kept = spare;; kept = (kept - 1) & spare) {
			u64 *next = &optimum->next[kept | bound];

			if (optimum->bytes[kept | bound] <= capacity)
				*next = min(*next, bytes);
			if (!kept)
				break;
		}
	}
	memcpy(optimum->least, optimum->next, sizeof(optimum->least));
}

/**
 * quire_split_optimum - the fewest bytes that have to be paged in
 * @optimum: for the search
 * @list: of at most %QUIRE_OPTIMUM_OBJECTS objects, of one segment
 * @capacity: bytes of the segment; what is bound at one byte fits
 * @resident: objects that are in it from before, a bit each
 *
 * Tries all sets of objects that can be in memory at each split point. Where in memory they are
 * does not count, nor does how often it is split.
 *
 * Returns: bytes.
 */
u64 quire_split_optimum(struct quire_split_optimum *optimum,
			const struct quire_command_list *list, u64 capacity, u32 resident)
{
	u32 i, set, table[QUIRE_SLOTS], entry = 0, sets = BIT(list->nr_objects);
	u64 least = U64_MAX;

	for (set = 0; set < sets; set++) {
		optimum->bytes[set] = 0;
		for (i = 0; i < list->nr_objects; i++)
			if (set & BIT(i))
				optimum->bytes[set] += list->objects[i].size;
		optimum->least[set] = set == resident ? 0 : U64_MAX;
	}
	for (i = 0; i < QUIRE_SLOTS; i++)
		table[i] = QUIRE_NO_OBJECT;
	while (entry < list->nr_patches) {
		entry = optimum_apply(list, entry, table);
		optimum_step(optimum, sets, optimum_bound(table), capacity);
	}
	for (set = 0; set < sets; set++)
		least = min(least, optimum->least[set]);
	return least;
}
