/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_CTX_H
#define QUIRE_CTX_H

#include <drm/ttm/ttm_bo.h>

#include "queue/quire_paging_queue.h"

/* The &ttm_operation_ctx.resv of contexts that have a batch (quire_bo.c). */
extern struct dma_resv quire_ctx_mark;

/**
 * struct quire_operation_ctx - how TTM works for a call, which has a batch
 * @base: base; its @resv is a mark
 * @batch: paging work of the call
 */
struct quire_operation_ctx {
	struct ttm_operation_ctx base;
	struct quire_batch *batch;
};

static inline void quire_ctx_init(struct quire_operation_ctx *ctx, struct quire_batch *batch,
				  bool interruptible)
{
	*ctx = (struct quire_operation_ctx) {
		.base.interruptible = interruptible,
		.base.resv = &quire_ctx_mark,
		.batch = batch,
	};
}

/*
 * Which batch gets the paging work? TTM also hands over contexts of its own, or of another driver:
 * the swap-out of pages for any device takes objects of ours. Then it is work for no call.
 */
static inline struct quire_batch *quire_ctx_batch(struct ttm_operation_ctx *ctx,
						  struct quire_paging_queue *queue, bool evict)
{
	struct quire_batch *batch;

	if (ctx->resv == &quire_ctx_mark) {
		batch = container_of(ctx, struct quire_operation_ctx, base)->batch;
		if (batch->queue == queue)
			return batch;
	}
	return evict ? &queue->evictions : &queue->unpaid;
}

#endif
