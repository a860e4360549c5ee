// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The beginning of the split planner, and the memory that it works with. */
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "quire_split_internal.h"

/**
 * quire_split_memory - how much memory does a planner need?
 * @list: what it is for
 *
 * Returns: bytes.
 */
size_t quire_split_memory(const struct quire_command_list *list)
{
	size_t object = sizeof(struct quire_split_row) + 3 * sizeof(u32);

	return list->nr_objects * object + list->nr_patches * sizeof(u32);
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_memory);

/**
 * quire_split_init - prepare a planner
 * @split: set
 * @ops: the allocator
 * @list: what quire_command_check() and quire_split_check() found good; outlives @split
 * @capacity: bytes of each segment, as quire_split_check() was told; others may have some of it
 * @options: copied
 * @memory: quire_split_memory() bytes, aligned to 8; outlives @split
 *
 * There is nothing to undo.
 */
void quire_split_init(struct quire_split *split, const struct quire_split_memory_ops *ops,
		      const struct quire_command_list *list,
		      const u64 capacity[QUIRE_SPLIT_SEGMENTS],
		      const struct quire_split_options *options, void *memory)
{
	u32 i;

	*split = (struct quire_split) {
		.ops = ops,
		.list = list,
		.options = *options,
		.rows = memory,
	};
	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++)
		split->capacity[i] = capacity[i];
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_init);

/**
 * quire_split_start - begin to plan, or anew
 * @split: from quire_split_init(), nothing is held; what it planned before is forgotten
 * @policy: by which it evicts
 *
 * Looks where all objects are.
 */
void quire_split_start(struct quire_split *split, enum quire_split_policy policy)
{
	u32 i, nr = split->list->nr_objects;
	u32 *numbers = (u32 *)(split->rows + nr);
	u64 largest[QUIRE_SPLIT_SEGMENTS];

	*split = (struct quire_split) {
		.ops = split->ops,
		.list = split->list,
		.options = split->options,
		.capacity = { split->capacity[0], split->capacity[1] },
		.policy = policy,
		.rows = split->rows,
		.needed = numbers,
		.heaps = {
			[QUIRE_SPLIT_IDLE] = numbers + nr,
			[QUIRE_SPLIT_DONE] = numbers + 2 * nr,
		},
		.following = numbers + 3 * nr,
		.random = split->options.seed * 0x9e3779b9, /* odd: only 0 becomes 0 */
	};
	memset(split->rows, 0, nr * sizeof(*split->rows));

	if (split->options.max_bytes)
		quire_split_largest(split->list, largest);
	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++) {
		split->pools[i].limit = split->options.max_bytes ?
					max(split->options.max_bytes, largest[i]) : U64_MAX;
		split->pools[i].root = QUIRE_NO_OBJECT;
	}
	for (i = 0; i < nr; i++)
		if (quire_split_segment(split->list, i) == 0)
			split->pools[1].first++;

	quire_split_table_start(split);
	for (i = 0; i < nr; i++)
		quire_split_look(split, i);
}
