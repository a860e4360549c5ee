/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_OUT_FENCE_H
#define QUIRE_OUT_FENCE_H

#include <linux/types.h>

struct dma_fence;
struct quire_out_fence;

struct quire_out_fence *quire_out_fence_alloc(void);
void quire_out_fence_free(struct quire_out_fence *out);
struct dma_fence *quire_out_fence_follow(struct quire_out_fence *out, u64 context, u64 seqno,
					 struct dma_fence *work);
void quire_out_fence_keep_module(struct dma_fence *fence);

#endif
