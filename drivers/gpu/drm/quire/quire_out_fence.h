/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_OUT_FENCE_H
#define QUIRE_OUT_FENCE_H

struct dma_fence;

struct dma_fence *quire_out_fence_create(void);
void quire_out_fence_follow(struct dma_fence *fence, struct dma_fence *work);

#endif
