// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/container_of.h>
#include <linux/minmax.h>
#include <stdlib.h>
#include <string.h>

#include "overlap.h"

static struct overlap *to_overlap(struct quire_split *split)
{
	return container_of(split, struct overlap, stream.split);
}

static bool overlap_find(struct quire_split *split, u32 object, u64 *address)
{
	return stream_ops.find(split, object, address);
}

/* Behind the moves before it. */
static void overlap_move(struct overlap *overlap)
{
	overlap->paging = max(overlap->paging, overlap->cpu) + overlap->move;
}

static int overlap_page_in(struct quire_split *split, u32 object, u64 *address)
{
	int ret = stream_ops.page_in(split, object, address);

	if (!ret)
		overlap_move(to_overlap(split));
	return ret;
}

static int overlap_evict(struct quire_split *split, u32 object)
{
	struct overlap *overlap = to_overlap(split);

	overlap->cpu = max(overlap->cpu, overlap->ends[object]);
	overlap_move(overlap);
	return stream_ops.evict(split, object);
}

static int overlap_submit(struct quire_split *split, const struct quire_split_part *part)
{
	struct overlap *overlap = to_overlap(split);

	overlap->execution = max(overlap->execution, overlap->paging) +
			     (part->last - part->first) * overlap->entry;
	for (u32 i = 0; i < part->nr_objects; i++)
		overlap->ends[part->objects[i]] = overlap->execution;
	return 0;
}

static const struct quire_split_memory_ops overlap_ops = {
	.find = overlap_find,
	.page_in = overlap_page_in,
	.evict = overlap_evict,
	.submit = overlap_submit,
};

/* As stream_prepare(). */
bool overlap_prepare(struct overlap *overlap, u32 entries, u32 seed)
{
	*overlap = (struct overlap) { };
	if (!stream_prepare(&overlap->stream, entries, 1, seed))
		return false;
	overlap->ends = calloc(overlap->stream.list.nr_objects, sizeof(*overlap->ends));
	return overlap->ends;
}

void overlap_free(struct overlap *overlap)
{
	stream_free(&overlap->stream);
	free(overlap->ends);
}

/* With this much execution. @all: when everything is done */
static bool run(struct overlap *overlap, const struct quire_split_options *options, u64 entry,
		u64 *all)
{
	overlap->move = overlap->stream.list.nr_patches;
	overlap->entry = entry;
	overlap->cpu = 0;
	overlap->paging = 0;
	overlap->execution = 0;
	memset(overlap->ends, 0, overlap->stream.list.nr_objects * sizeof(*overlap->ends));
	if (!stream_run_in(&overlap->stream, options, &overlap_ops))
		return false;
	*all = max(overlap->paging, overlap->execution);
	return true;
}

/**
 * overlap_run - how much of the paging is hidden behind execution?
 * @overlap: the stream
 * @options: of the planner
 * @hidden: returned; by how much it is done sooner than one after the other, as a share of
 *          paging, where all of the one takes as long as all of the other
 *
 * Returns false if the planner does not come to an end.
 */
bool overlap_run(struct overlap *overlap, const struct quire_split_options *options,
		 double *hidden)
{
	u64 paging, both;

	if (!run(overlap, options, 0, &paging) ||
	    !run(overlap, options, paging / overlap->stream.list.nr_patches, &both))
		return false;
	*hidden = ((double)2 * paging - both) / paging;
	return true;
}
