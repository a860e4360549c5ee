// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the split planner foresees
 *
 * With objects of one size nothing is better than to evict what is needed furthest ahead. With
 * others no rule is always best, and each has command buffers for which it is worse than one that
 * knows nothing of the future. But the future is known: before anything runs, all of it is planned
 * with each policy, in a model of memory, and what pages in the fewest bytes is done.
 *
 * The model has the objects of the submission where they are now, and counts bytes. It does not
 * know who else wants memory, nor that it may be in pieces.
 */
#include <linux/errno.h>
#include <linux/limits.h>

#include "quire_split_internal.h"

/* It is where the planner believes that it is. */
static bool model_find(struct quire_split *split, u32 object, u64 *address)
{
	*address = split->rows[object].address;
	return split->rows[object].resident;
}

static int model_page_in(struct quire_split *split, u32 object, u64 *address)
{
	u32 segment = quire_split_segment(split->list, object);
	u64 bytes = split->pools[segment].resident + quire_split_size(split, object);

	if (bytes > split->capacity[segment])
		return -ENOSPC;
	*address = split->rows[object].address;
	return 0;
}

static int model_evict(struct quire_split *split, u32 object)
{
	return 0;
}

static int model_submit(struct quire_split *split, const struct quire_split_part *part)
{
	return 0;
}

static const struct quire_split_memory_ops model_ops = {
	.find = model_find,
	.page_in = model_page_in,
	.evict = model_evict,
	.submit = model_submit,
};

/* Bytes that it pages in. It comes to an end: what is bound fits, says quire_split_check(). */
static u64 policy_bytes(struct quire_split *split, enum quire_split_policy policy)
{
	const struct quire_split_memory_ops *ops = split->ops;

	quire_split_start(split, policy);
	split->ops = &model_ops;
	quire_split_parts(split);
	split->ops = ops;
	return split->bytes_in;
}

static bool has_one_size(const struct quire_command_list *list)
{
	u32 i;

	for (i = 1; i < list->nr_objects; i++)
		if (list->objects[i].size != list->objects[0].size)
			return false;
	return true;
}

/**
 * quire_split_forecast - by which policy should a command buffer be planned?
 * @split: from quire_split_init()
 *
 * It takes as long as to plan it with each of them.
 *
 * Returns: the first one of those that page in the fewest bytes.
 */
enum quire_split_policy quire_split_forecast(struct quire_split *split)
{
	enum quire_split_policy policy, best = QUIRE_SPLIT_BYTES;
	u64 bytes, least = U64_MAX;

	if (split->options.lru)
		return QUIRE_SPLIT_LRU;
	if (has_one_size(split->list))
		return QUIRE_SPLIT_BYTES;
	for (policy = 0; policy < QUIRE_SPLIT_POLICIES; policy++) {
		bytes = policy_bytes(split, policy);
		if (bytes >= least)
			continue;
		least = bytes;
		best = policy;
	}
	return best;
}
