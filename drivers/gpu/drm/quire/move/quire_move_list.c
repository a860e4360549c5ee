// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The list of paging operations of a move that quire_move.c has planned, its steps as numbered
 * there, and the way back.
 *
 * Locking: the reservation of the object is held.
 */
#include <drm/drm_print.h>

#include <quire/quire_hw.h>

#include "paging/quire_paging_list.h"
#include "queue/quire_discard.h"
#include "queue/quire_page_runs.h"
#include "queue/quire_paging_part.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "queue/quire_virtual.h"
#include "bo/quire_bo.h"
#include "bo/quire_operation.h"
#include "bo/quire_range.h"
#include "bo/quire_residency.h"
#include "bo/quire_window.h"
#include "quire_move.h"

/* The pages that step 1 maps, or the way back. */
static void move_describe_map(const struct quire_move *move, struct quire_paging_part *part)
{
	quire_page_runs_init(&part->sides[QUIRE_PAGING_MDL], NULL, move->bo->base.ttm);
	part->lists = quire_window_is_for(move->bo);
}

static void move_describe(const struct quire_move *move, struct quire_paging_part *part)
{
	struct ttm_tt *tt = move->bo->base.ttm;

	if (move->copies) {
		quire_page_runs_init(&part->sides[QUIRE_PAGING_SOURCE],
				     move->bo->unmapped ? NULL : move->old, tt);
		quire_page_runs_init(&part->sides[QUIRE_PAGING_DESTINATION], move->new, tt);
	}
	if (move->maps)
		move_describe_map(move, part);
	if (move->converts) {
		part->layout = &move->bo->allocation.layout;
		part->tiled = move->new->mem_type == QUIRE_PL_VRAM ? QUIRE_PAGING_DESTINATION :
								     QUIRE_PAGING_SOURCE;
	}
}

static int move_fill(const struct quire_move *move, struct quire_paging_work *work)
{
	int ret = 0;

	quire_page_runs_init(&work->part.sides[QUIRE_PAGING_DESTINATION], move->new, NULL);
	while (!ret && !quire_paging_part_is_last(&work->part)) {
		ret = quire_paging_work_next_part(work, U64_MAX);
		if (ret)
			break;
		ret = move->windows ? quire_virtual_fill(work) :
				      quire_operation_fill(work, move->bo);
		quire_paging_part_end(&work->part);
	}
	return ret;
}

/* Steps 1 and 2 of one part. */
static int move_part(const struct quire_move *move, struct quire_paging_work *work)
{
	int ret = quire_paging_work_next_part(work, move->copies ? QUIRE_SUB_TRANSFER_PAGES :
								   U64_MAX);
	if (ret)
		return ret;

	if (move->maps)
		ret = quire_operation_map(work, move->bo, move->new);
	if (!ret && move->special)
		ret = quire_operation_special_lock(work, move->bo, &move->use);
	else if (!ret && move->copies && move->windows)
		ret = quire_virtual_transfer(work);
	else if (!ret && move->copies)
		ret = quire_operation_transfer(work, move->bo);
	quire_paging_part_end(&work->part);
	return ret;
}

/*
 * Step 4. One packet is handed over or not. Several are not interrupted, but without memory the
 * first may be handed over without the others.
 */
static int move_unmap(struct quire_move *move, struct quire_paging_work *work)
{
	u64 pages = move->old->size >> QUIRE_PAGE_SHIFT;
	int ret;

	move->unmapped = pages > move->qdev->paging_queue->caps.max_packet_pages;
	work->interruptible &= !move->unmapped;
	ret = quire_operation_unmap(work, move->old);
	move->unmapped |= !ret;
	return ret;
}

/*
 * Step 3: pages that step 2 writes through the aperture. The CPU's copies need none, and read what
 * the move shows.
 */
static bool move_flushes(const struct quire_move *move)
{
	return move->maps && move->copies && move->bo->base.ttm->caching != ttm_cached;
}

/* Steps 1 to 5. */
static int move_build(struct quire_move *move, struct quire_paging_work *work)
{
	int ret = 0;

	if (move->fills)
		ret = move_fill(move, work);
	move_describe(move, &work->part);
	while (!ret && !quire_paging_part_is_last(&work->part))
		ret = move_part(move, work);
	if (!ret && move_flushes(move))
		ret = quire_operation_flush(work, move->new);
	if (!ret && move->unmaps)
		ret = move_unmap(move, work);
	if (!ret)
		ret = quire_residency_move(work, move->bo, move->new);
	move->submitted = !ret || work->list.fence;
	return ret;
}

/* The list ends the use of the range, too. */
static struct dma_fence *move_build_special(struct quire_move *move,
					    struct quire_paging_work *work,
					    struct ttm_operation_ctx *ctx)
{
	struct dma_fence *fence;
	int ret;

	ret = quire_range_leave(move->bo, ctx, &move->use);
	if (ret)
		return quire_paging_list_finish(&work->list, ret);

	ret = move_build(move, work);
	fence = quire_paging_list_finish(&work->list, ret);
	quire_range_left(move->bo, &move->use, fence);
	return fence;
}

/**
 * quire_move_submit - build and submit the list of a move
 * @move: planned, its object reserved; @submitted and @unmapped are set
 * @ctx: how to wait
 *
 * Returns: its fence, with a reference for the caller; -ENOMEM; -ERESTARTSYS; -EBUSY it would have
 * to wait, also for a reset, and may not; -ENODEV the device is gone; -EIO it was given up. After
 * an error, quire_move_undo() has to follow if the move concerns the aperture.
 */
struct dma_fence *quire_move_submit(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	struct ttm_buffer_object *tbo = &move->bo->base;
	u32 tail = quire_residency_bytes(move->bo, move->new);
	struct quire_paging_work work;
	int ret = 0;

	if (move->new->mem_type != QUIRE_PL_SYSTEM)
		ret = quire_discard_submit(move->qdev->discards, move->batch, ctx->interruptible);
	if (ret)
		return ERR_PTR(ret);

	quire_paging_work_init(&work, move->batch, tbo->base.resv, tail, ctx->interruptible);
	work.tail = tail;
	work.list.no_wait = ctx->no_wait_gpu;
	work.part.windows = move->windows;
	if (move->copies || move->fills)
		work.lost = &move->bo->lost;
	if (move->copies)
		ret = quire_paging_list_ask(&work.list, QUIRE_PAGING_TRANSFER,
					    &move->bo->allocation);
	if (!ret && move->special)
		return move_build_special(move, &work, ctx);
	if (!ret)
		ret = move_build(move, &work);
	return quire_paging_list_finish(&work.list, ret);
}

static int add_remap(struct quire_paging_work *work, struct quire_move *move)
{
	int ret = 0;

	move_describe_map(move, &work->part);
	while (!ret && !quire_paging_part_is_last(&work->part)) {
		ret = quire_paging_work_next_part(work, U64_MAX);
		if (ret)
			break;
		ret = quire_operation_map(work, move->bo, move->old);
		quire_paging_part_end(&work->part);
	}
	return ret;
}

/**
 * quire_move_undo - take back what a list has done to the aperture
 * @move: whose list failed, its object reserved
 *
 * If it failed half way, the new range lets the pages go, and the old one gets them again. If even
 * that fails, the old range shows anything, but the content is in the pages (&quire_bo.unmapped).
 * What the device wrote to pages that it lets go comes before that, or not at all.
 *
 * Waits for the device, and for no signal.
 */
void quire_move_undo(struct quire_move *move)
{
	struct quire_paging_work work;
	int ret = 0;

	if (!move->submitted)
		return;

	quire_paging_work_init(&work, move->batch, NULL, 0, false);
	if (move_flushes(move))
		ret = quire_operation_flush(&work, move->new);
	if (!ret && move->maps)
		ret = quire_operation_unmap(&work, move->new);
	if (!ret && move->unmapped)
		ret = add_remap(&work, move);
	ret = quire_paging_work_run(&work, ret);
	/* A device that was given up looks at no aperture any more. */
	if (ret && ret != -ENODEV && ret != -EIO) {
		drm_err_ratelimited(&move->qdev->drm, "aperture is not as it was: %d\n", ret);
		move->bo->unmapped |= move->unmapped;
	}
}
