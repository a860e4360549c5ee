/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a plan is worth on a device that pages and executes at the same time: its paging ring
 * makes one move after the other, its execution ring one part after the other, and no time is
 * lost in between. As in the driver, a part begins when all that was paged in before it is
 * there, and what is evicted is waited for until the parts that use it are executed.
 */
#ifndef QUIRE_BENCH_OVERLAP_H
#define QUIRE_BENCH_OVERLAP_H

#include "stream.h"

/**
 * struct overlap - a stream, and its times
 * @stream: the stream
 * @move: how long a page-in or an eviction takes
 * @entry: how long what is between two entries is executed
 * @cpu: when the driver goes on
 * @paging: when the paging ring has done what it was given
 * @execution: when the execution ring has
 * @ends: of each object: when the last part that uses it is executed
 */
struct overlap {
	struct stream stream;
	u64 move;
	u64 entry;
	u64 cpu;
	u64 paging;
	u64 execution;
	u64 *ends;
};

bool overlap_prepare(struct overlap *overlap, u32 entries, u32 seed);
bool overlap_run(struct overlap *overlap, const struct quire_split_options *options,
		 double *hidden);
void overlap_free(struct overlap *overlap);

#endif
