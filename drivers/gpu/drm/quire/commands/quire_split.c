// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What the split planner foresees
 *
 * With objects of one size nothing is better than to evict what is needed furthest ahead. With
 * others no rule is always best. But the future is known: before anything runs, all of it is
 * planned with each policy, in two models of memory. Both have the objects of the submission where
 * they are now, and nothing of others. In one, bytes are all that counts; in the other one an
 * object needs a run of addresses, and goes to where quire_split_place() says. What pages in the
 * fewest bytes in the second one is done, unless it were more than LRU in the first: so it is never
 * more than LRU where memory is as either of them says.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "quire_split_internal.h"

/* The resource table, and the bytes of its objects, each once, by segment. */
struct table {
	u32 objects[QUIRE_SLOTS];
	u64 bytes[QUIRE_SPLIT_SEGMENTS];
};

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

/* Sets @most to what is bound at once, up to an error. */
static int table_check(const struct quire_command_list *list,
		       const u64 capacity[QUIRE_SPLIT_SEGMENTS], u64 most[QUIRE_SPLIT_SEGMENTS],
		       struct quire_command_error *error)
{
	u32 i, object, segment, end;
	struct table table = { };

	memset(most, 0, sizeof(table.bytes));
	for (i = 0; i < QUIRE_SLOTS; i++)
		table.objects[i] = QUIRE_NO_OBJECT;
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
		for (segment = 0; segment < QUIRE_SPLIT_SEGMENTS; segment++) {
			if (table.bytes[segment] > capacity[segment])
				return check_fail(list, end - 1, -EXFULL,
						  "what is bound does not fit into its segment",
						  error);
			most[segment] = max(most[segment], table.bytes[segment]);
		}
	}
	return 0;
}

/**
 * quire_split_check - check that a command buffer can be split so that it runs
 * @list: what quire_command_check() found good
 * @capacity: bytes of each segment: of %QUIRE_SEGMENT_VRAM and %QUIRE_SEGMENT_APERTURE
 * @error: set if it cannot: entry, and its split offset
 * Returns: 0; -EFBIG an object alone does not fit into its segment; -EXFULL objects that are
 * bound at the same time do not.
 * Source: "Splitting a DMA Buffer", an allocation that can never be brought in.
 */
int quire_split_check(const struct quire_command_list *list,
		      const u64 capacity[QUIRE_SPLIT_SEGMENTS],
		      struct quire_command_error *error)
{
	u64 most[QUIRE_SPLIT_SEGMENTS];

	return table_check(list, capacity, most, error);
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_check);

/**
 * quire_split_largest - count what has to be in each segment at once
 * @list: the lists
 * @bytes: set
 */
void quire_split_largest(const struct quire_command_list *list, u64 bytes[QUIRE_SPLIT_SEGMENTS])
{
	static const u64 unlimited[QUIRE_SPLIT_SEGMENTS] = { U64_MAX, U64_MAX };

	table_check(list, unlimited, bytes, NULL);
}

/**
 * quire_split_memory - how much memory does a planner need?
 * @list: what it is for
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
 * @split: set; there is nothing to undo
 * @ops: the allocator
 * @list: what quire_command_check() and quire_split_check() found good; outlives @split
 * @capacity: bytes of each segment, as quire_split_check() was told; others may have some of it
 * @options: copied
 * @memory: quire_split_memory() bytes, aligned to 8; outlives @split
 */
void quire_split_init(struct quire_split *split, const struct quire_split_memory_ops *ops,
		      const struct quire_command_list *list,
		      const u64 capacity[QUIRE_SPLIT_SEGMENTS],
		      const struct quire_split_options *options, void *memory)
{
	*split = (struct quire_split) {
		.ops = ops,
		.list = list,
		.options = *options,
		.capacity = { capacity[0], capacity[1] },
		.rows = memory,
	};
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_init);

/* Begin to plan, or anew, with nothing held. Looks where all objects are. */
static void split_start(struct quire_split *split, enum quire_split_policy policy)
{
	u32 i, vram = 0, nr = split->list->nr_objects;
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
		.following = numbers + 3 * nr,
		.random = split->options.seed * 0x9e3779b9, /* odd: only 0 becomes 0 */
	};
	memset(split->rows, 0, nr * sizeof(*split->rows));

	if (split->options.max_bytes)
		quire_split_largest(split->list, largest);
	for (i = 0; i < nr; i++)
		vram += quire_split_segment(split->list, i) == 0;
	for (i = 0; i < QUIRE_SPLIT_SEGMENTS; i++) {
		split->pools[i].limit = split->options.max_bytes ?
					max(split->options.max_bytes, largest[i]) : U64_MAX;
		split->pools[i].root = QUIRE_NO_OBJECT;
		split->pools[i].heaps[QUIRE_SPLIT_IDLE] = numbers + nr + i * vram;
		split->pools[i].heaps[QUIRE_SPLIT_DONE] = numbers + 2 * nr + i * vram;
	}

	quire_split_table_start(split);
	for (i = 0; i < nr; i++)
		quire_split_look(split, i);
}

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

/* Sets *@bytes to what it pages in. The allocator alone can fail: what is bound fits. */
static int policy_bytes(struct quire_split *split, enum quire_split_policy policy,
			int (*page_in)(struct quire_split *split, u32 object, u64 *address),
			u64 *bytes)
{
	const struct quire_split_memory_ops *ops = split->ops;
	const struct quire_split_memory_ops model = {
		.go_on = ops->go_on,
		.find = model_find,
		.page_in = page_in,
		.evict = model_evict,
		.submit = model_submit,
	};
	int ret;

	split_start(split, policy);
	split->ops = &model;
	ret = quire_split_parts(split);
	split->ops = ops;
	*bytes = split->bytes_in;
	return ret;
}

/* The first one of those that page in the fewest bytes: by bytes alone, and with places. */
static int choose_policy(struct quire_split *split, enum quire_split_policy *best)
{
	u64 bytes[QUIRE_SPLIT_POLICIES], placed[QUIRE_SPLIT_POLICIES], least = U64_MAX;
	const struct quire_command_list *list = split->list;
	enum quire_split_policy policy;
	u32 i = 0;
	int ret;

	*best = split->options.lru ? QUIRE_SPLIT_LRU : QUIRE_SPLIT_BYTES;
	while (i < list->nr_objects && list->objects[i].size == list->objects[0].size)
		i++;
	if (split->options.lru || i == list->nr_objects)
		return 0;

	for (policy = 0; policy < QUIRE_SPLIT_POLICIES; policy++) {
		ret = policy_bytes(split, policy, model_page_in_to, &placed[policy]);
		/* Alignments may be in the way of what is bound, which is no verdict yet. */
		if (ret == -ENOSPC)
			placed[policy] = U64_MAX;
		else if (ret || !placed[policy]) /* nothing: then by bytes, too */
			return ret;
		ret = policy_bytes(split, policy, model_page_in, &bytes[policy]);
		if (ret)
			return ret;
	}
	for (policy = QUIRE_SPLIT_POLICIES; policy-- > 0;) {
		if (bytes[policy] > bytes[QUIRE_SPLIT_LRU] || placed[policy] > least)
			continue;
		least = placed[policy];
		*best = policy;
	}
	return 0;
}

/**
 * quire_split_run - run a command buffer, in as many parts as it takes
 * @split: prepared by quire_split_init(), and used up then
 *
 * Returns: 0; -ENOSPC others have so much, or such pieces, that what is bound at one byte does not
 * fit; what the allocator returns. After an error the first &quire_split.parts parts were
 * submitted. Nothing is held afterwards.
 */
int quire_split_run(struct quire_split *split)
{
	enum quire_split_policy policy;
	int ret = choose_policy(split, &policy);

	split_start(split, policy);
	return ret ?: quire_split_parts(split);
}
EXPORT_SYMBOL_IF_KUNIT(quire_split_run);
