// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the split planner foresees
 *
 * With objects of one size nothing is better than to evict what is needed furthest ahead. With
 * others no rule is always best, and each has command buffers for which it is worse than one that
 * knows nothing of the future. But the future is known: before anything runs, all of it is planned
 * with each policy, in a model of memory, and what pages in the fewest bytes is done.
 *
 * There are two models. Both have the objects of the submission where they are now, and nothing of
 * others. In one, bytes are all that counts; in the other one an object needs a run of addresses,
 * and goes to where quire_split_place() says. What pages in the fewest bytes in the second one is
 * done, unless it were more than LRU in the first: so it is never more than LRU where memory
 * is as either of them says.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/module.h>

#include <kunit/visibility.h>

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

	return bytes > split->capacity[segment] ? -ENOSPC : 0;
}

/* There has to be a place, too. */
static int model_page_in_to(struct quire_split *split, u32 object, u64 *address)
{
	return *address == QUIRE_SPLIT_ANYWHERE ? -ENOSPC : model_page_in(split, object, address);
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
	.evict = model_evict,
	.submit = model_submit,
};

typedef int (*page_in_fn)(struct quire_split *split, u32 object, u64 *address);

/**
 * struct forecast - what would be paged in with a policy
 * @bytes: where bytes are all that counts
 * @placed: where objects need places
 */
struct forecast {
	u64 bytes;
	u64 placed;
};

/* Sets *@bytes to what it pages in. The allocator alone can fail: what is bound fits. */
static int policy_bytes(struct quire_split *split, enum quire_split_policy policy,
			page_in_fn page_in, u64 *bytes)
{
	const struct quire_split_memory_ops *ops = split->ops;
	struct quire_split_memory_ops model = model_ops;
	int ret;

	model.go_on = ops->go_on;
	model.page_in = page_in;
	quire_split_start(split, policy);
	split->ops = &model;
	ret = quire_split_parts(split);
	split->ops = ops;
	*bytes = split->bytes_in;
	return ret;
}

static bool has_one_size(const struct quire_command_list *list)
{
	u32 i;

	for (i = 1; i < list->nr_objects; i++)
		if (list->objects[i].size != list->objects[0].size)
			return false;
	return true;
}

/* If it pages in nothing in places, it does so nowhere. */
static int policy_forecast(struct quire_split *split, enum quire_split_policy policy,
			   struct forecast *forecast)
{
	int ret = policy_bytes(split, policy, model_page_in_to, &forecast->placed);

	/* Alignments may be in the way of what is bound, which is no verdict yet. */
	if (ret == -ENOSPC) {
		forecast->placed = U64_MAX;
		ret = 0;
	}
	if (ret || !forecast->placed)
		return ret;
	return policy_bytes(split, policy, model_page_in, &forecast->bytes);
}

/* The first one of those that page in the fewest bytes. */
static int best_policy(struct quire_split *split, enum quire_split_policy *best)
{
	struct forecast forecasts[QUIRE_SPLIT_POLICIES] = { };
	enum quire_split_policy policy;
	u64 least = U64_MAX;
	int ret;

	for (policy = 0; policy < QUIRE_SPLIT_POLICIES; policy++) {
		ret = policy_forecast(split, policy, &forecasts[policy]);
		if (ret || !forecasts[policy].placed)
			return ret;
	}
	for (policy = QUIRE_SPLIT_POLICIES; policy-- > 0;) {
		if (forecasts[policy].bytes > forecasts[QUIRE_SPLIT_LRU].bytes ||
		    forecasts[policy].placed > least)
			continue;
		least = forecasts[policy].placed;
		*best = policy;
	}
	return 0;
}

/* Find the policy; takes as long as to plan twice with each, unless nothing is paged in. */
static int choose_policy(struct quire_split *split, enum quire_split_policy *policy)
{
	*policy = split->options.lru ? QUIRE_SPLIT_LRU : QUIRE_SPLIT_BYTES;
	if (split->options.lru || has_one_size(split->list))
		return 0;
	return best_policy(split, policy);
}

/**
 * quire_split_run - run a command buffer, in as many parts as it takes
 * @split: prepared by quire_split_init(), and used up then
 *
 * Sleeps only where the allocator does. Nothing is held afterwards, and objects may be where
 * commands can use them.
 *
 * Returns: 0 all parts were submitted; -ENOSPC others have so much, or such pieces, that what is
 * bound at one byte does not fit; what the allocator returns. After an error the first
 * &quire_split.parts parts were submitted.
 */
int quire_split_run(struct quire_split *split)
{
	enum quire_split_policy policy;
	int ret = choose_policy(split, &policy);

	quire_split_start(split, policy);
	return ret ?: quire_split_parts(split);
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_run);
