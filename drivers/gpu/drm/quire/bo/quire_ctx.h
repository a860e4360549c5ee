/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_CTX_H
#define QUIRE_CTX_H

#include <linux/types.h>

#include <drm/ttm/ttm_bo.h>

struct quire_batch;
struct quire_paging_queue;

/**
 * struct quire_operation_ctx - how TTM works for a call, which has a batch
 * @base: base; its @resv is a mark
 * @batch: paging work of the call
 */
struct quire_operation_ctx {
	struct ttm_operation_ctx base;
	struct quire_batch *batch;
};

void quire_ctx_init(struct quire_operation_ctx *ctx, struct quire_batch *batch,
		    bool interruptible);
struct quire_batch *quire_ctx_batch(struct ttm_operation_ctx *ctx,
				    struct quire_paging_queue *queue, bool evict);

#endif
