// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * TTM hands the context of an operation to &ttm_device_funcs.move, also that of another driver or
 * one of its own: the swap-out of pages for any device takes objects of ours (ttm_bo_swapout_cb()).
 * So contexts that have a batch are marked.
 */
#include "queue/quire_paging_queue.h"
#include "quire_ctx.h"

/*
 * No object has this reservation. TTM compares &ttm_operation_ctx.resv with reservations of
 * victims, to evict those that the caller has locked, and does nothing else with it.
 */
static struct dma_resv ctx_mark;

/**
 * quire_ctx_init - prepare an operation of TTM for a call
 * @ctx: to initialise
 * @batch: paging work of the call, which gets that of the operation
 * @interruptible: waits end with a signal
 */
void quire_ctx_init(struct quire_operation_ctx *ctx, struct quire_batch *batch,
		    bool interruptible)
{
	*ctx = (struct quire_operation_ctx) {
		.base.interruptible = interruptible,
		.base.resv = &ctx_mark,
		.batch = batch,
	};
}

/**
 * quire_ctx_batch - which batch gets the paging work of an operation?
 * @ctx: any context that TTM may have
 * @queue: where the work will be executed
 * @evict: it is an eviction
 *
 * Returns: that of quire_ctx_init(), if it is for the same device; else one of work for no call.
 */
struct quire_batch *quire_ctx_batch(struct ttm_operation_ctx *ctx,
				    struct quire_paging_queue *queue, bool evict)
{
	struct quire_batch *batch;

	if (ctx->resv == &ctx_mark) {
		batch = container_of(ctx, struct quire_operation_ctx, base)->batch;
		if (batch->queue == queue)
			return batch;
	}
	return evict ? &queue->evictions : &queue->unpaid;
}
