/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_SUBMISSION_H
#define QUIRE_PAGING_SUBMISSION_H

#include <linux/list.h>

#include "paging/quire_paging_list.h"
#include "hw/quire_ring.h"

struct quire_paging_queue;

/**
 * struct quire_paging_submission - a paging buffer on its way through the ring
 * @base: base
 * @queue: where it came from
 * @buffer: what is submitted; memory of the pool until the fence signals
 * @failed: set if it is given up, before its fence signals; or NULL
 * @outs: struct quire_out_fence of the lists in it; none of them signals before @base does
 * @counted: its packets are in the counters of the queue
 */
struct quire_paging_submission {
	struct quire_ring_fence base;
	struct quire_paging_queue *queue;
	struct quire_paging_buffer buffer;
	bool *failed;
	struct list_head outs;
	bool counted;
};

void quire_paging_submission_init(struct quire_paging_submission *submission,
				  struct quire_paging_queue *queue,
				  const struct quire_paging_buffer *buffer);
void quire_paging_submission_ready(struct quire_paging_submission *submission);

#endif
