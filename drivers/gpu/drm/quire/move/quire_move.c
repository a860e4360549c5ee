// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Moves
 *
 * Turns one TTM move into one list of paging operations (quire_move_list.c). There is one rule
 * instead of a case for each pair of places:
 *
 * 1. into the aperture: MAP_APERTURE_SEGMENT of the new range; MAP_APERTURE_SEGMENT2 if the
 *    CPU sees the object there through the window (quire_window.c);
 * 2. VRAM on any side: TRANSFER, with SWIZZLE or UNSWIZZLE where it changes the form of an
 *    image (quire_bo_layout.c); without content, into VRAM: FILL with zero, and also before
 *    a SWIZZLE that leaves parts of tiles alone;
 * 3. into the aperture with a TRANSFER, to pages that are not cached: READ_PHYSICAL, for the
 *    device may keep back what it wrote there, and nobody looks before the fence;
 * 4. out of the aperture: UNMAP_APERTURE_SEGMENT of the old range;
 * 5. the device is told that the object has left, and where it is: NOTIFY_RESIDENCY
 *    (quire_residency.c).
 *
 * ====================  ===================================================
 * SYSTEM -> VRAM        TRANSFER, page list to segment 1
 * VRAM -> SYSTEM        TRANSFER, segment 1 to page list
 * VRAM -> aperture      MAP, TRANSFER segment 1 to 2, READ if it is write-combined
 * aperture -> VRAM      TRANSFER segment 2 to 1, UNMAP
 * VRAM -> VRAM          TRANSFER inside of segment 1
 * SYSTEM -> aperture    MAP
 * aperture -> SYSTEM    UNMAP
 * nothing -> VRAM       FILL
 * VRAM <-> a view       SPECIAL_LOCK_TRANSFER, segment 1 and page list (quire_view.c)
 * ====================  ===================================================
 *
 * Before the list gets its first buffer, content that moves waits for the fences of all others, and
 * pages that are only unmapped wait for commands (quire_bo_others.c). An image that a swizzling
 * range shows, or that has an alternate view, also has to be idle: a range is programmed by
 * registers, which no buffer can do in order. The list's fence ends the move; the old pages are
 * kept until then.
 *
 * A long move is described in parts (quire_paging_part.c), steps 1 and 2 of each; their transfers
 * are sub-transfers of one. If a list fails half way, its submitted buffers have been waited for,
 * and the aperture is brought back to what TTM thinks of it, which needs no copy: the source still
 * has the data. Without memory even for that the content stays in the pages, and the next move
 * takes it from there (&quire_bo.unmapped).
 *
 * With the module parameter generation 2, step 2 is made in virtual addresses
 * (quire_virtual.c). With the module parameter device_copies off, the CPU makes step 2 through
 * the visible part of VRAM, but for images with tiles; everything else stays.
 *
 * Evicted content that is not needed or is lost does not move: it is dropped here, when TTM makes
 * the move, and not when it asks where to (quire_bo_evict.c).
 *
 * Locking: the reservation of the object is held.
 */
#include <linux/dma-fence.h>
#include <linux/highmem.h>

#include "core/quire_compat.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_plug.h"
#include "queue/quire_trace.h"
#include "queue/quire_virtual.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_bo_publish.h"
#include "bo/quire_ctx.h"
#include "bo/quire_offered.h"
#include "bo/quire_prime.h"
#include "bo/quire_range.h"
#include "bo/quire_residency.h"
#include "bo/quire_view.h"
#include "vm/quire_vm_validate.h"
#include "quire_bo_evict.h"
#include "quire_move.h"
#include "quire_move_stats.h"

static bool move_has_content(struct quire_move *move)
{
	struct ttm_buffer_object *tbo = &move->bo->base;
	struct ttm_tt *tt = tbo->ttm;

	if (quire_bo_mem_type(tbo) != QUIRE_PL_VRAM)
		return tt && (ttm_tt_is_populated(tt) || ttm_tt_is_swapped(tt));
	return !quire_bo_is_purged(move->bo) && !quire_device_is_wedged(move->qdev);
}

/*
 * Without content the pages must show none: TTM does not zero those that it allocated for a copy.
 * The CPU's mapping of write-combined ones: see quire_tt.c.
 */
static void move_zero_pages(struct ttm_tt *tt)
{
	pgoff_t i;

	if (tt->page_flags & TTM_TT_FLAG_ZERO_ALLOC)
		return;
	if (ttm_tt_is_populated(tt))
		for (i = 0; i < tt->num_pages; i++)
			clear_highpage(tt->pages[i]);
	else
		tt->page_flags |= TTM_TT_FLAG_ZERO_ALLOC;
}

/* An image has tiles in VRAM, and elsewhere if it left VRAM in that form. */
static bool move_converts(const struct quire_move *move, u32 from, u32 to)
{
	if (!quire_bo_is_tiled(move->bo) || from == to)
		return false;
	return to == QUIRE_PL_VRAM ? !move->bo->swizzled : !quire_bo_leaves_swizzled(move->bo);
}

/* With an alternate view, a mapped image leaves VRAM for the view, and comes back from there. */
static bool move_is_special(const struct quire_move *move, u32 from, u32 to)
{
	if (from == to)
		return false;
	return to == QUIRE_PL_VRAM ? move->bo->alternate : quire_view_is_mapped(move->bo);
}

/* Decide what is to be done, and get the pages that it takes. */
static int move_plan(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	struct ttm_buffer_object *tbo = &move->bo->base;
	u32 from = quire_bo_mem_type(tbo), to = move->new->mem_type;
	bool vram = from == QUIRE_PL_VRAM || to == QUIRE_PL_VRAM;
	bool content = move_has_content(move);
	int ret = 0;

	move->maps = to == QUIRE_PL_APERTURE;
	move->unmaps = from == QUIRE_PL_APERTURE;
	move->copies = vram && content;
	move->special = move->copies && move_is_special(move, from, to);
	move->converts = move->special || (move->copies && move_converts(move, from, to));
	move->fills = to == QUIRE_PL_VRAM &&
		      (!content || (move->converts && quire_bo_pads_tiles(move->bo)));
	/* The second generation converts nothing, and does not see that two places overlap. */
	move->windows = quire_virtual_is_chosen() && !move->converts &&
			!(from == to && move->bo->slides);

	if (from == QUIRE_PL_VRAM && to != QUIRE_PL_VRAM && !content) {
		quire_bo_change_content(move->bo, QUIRE_BO_DROP);
		move_zero_pages(tbo->ttm);
	}

	if (move->copies && (from == QUIRE_PL_SYSTEM || to == QUIRE_PL_SYSTEM))
		ret = ttm_bo_populate(tbo, ctx);
	if (!ret && move->converts && to != QUIRE_PL_VRAM)
		quire_bo_clear_rest(move->bo);
	return ret;
}

/*
 * The place changes when @fence signals. A range of VRAM or of the aperture can be given away at
 * once: the next user queues behind. So TTM is not asked to remember the fences of evictions,
 * which it would put into objects of all kinds, for all time. Pages that stay behind are needed
 * until @fence signals, and TTM keeps them that long.
 */
static void move_publish(struct quire_move *move, struct dma_fence *fence)
{
	struct ttm_buffer_object *tbo = &move->bo->base;
	bool to_vram = move->new->mem_type == QUIRE_PL_VRAM;
	/* A program that has the view mapped may need its pages soon. */
	bool keeps = move->special && to_vram && quire_view_is_mapped(move->bo);

	if (to_vram && move->old && move->old->mem_type != QUIRE_PL_VRAM && !keeps) {
		/* TTM frees them in a work item, which waits. */
		quire_plug_push(move->batch);
		if (ttm_bo_move_accel_cleanup(tbo, fence, false, true, move->new)) {
			/* It is too late to fail: end the move here. */
			dma_fence_wait(fence, false);
			ttm_bo_move_sync_cleanup(tbo, move->new);
		}
	} else {
		if (keeps)
			quire_view_keep(move->bo);
		dma_resv_add_fence(tbo->base.resv, fence, DMA_RESV_USAGE_KERNEL);
		ttm_bo_move_null(tbo, move->new);
	}
	if (quire_bo_is_shared(move->bo))
		quire_bo_show_fences(move->bo);
}

/*
 * A move without work of its own: the old place is free when all work on it is done. A new object
 * has no old place, and an imported one may be in use for long.
 */
static int move_nothing(struct ttm_buffer_object *tbo, struct ttm_operation_ctx *ctx,
			struct ttm_resource *new_mem)
{
	int ret = tbo->resource ? ttm_bo_wait_ctx(tbo, ctx) : 0;

	if (ret)
		return ret;
	if (quire_bo_is_ours(tbo))
		quire_resident_leave(ttm_to_quire_bo(tbo));
	ttm_bo_move_null(tbo, new_mem);
	return 0;
}

/* As after each purge of TTM: without pages there is no resource, and nothing to swap out. */
static int move_drop(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	int ret = quire_bo_drop_evicted(move->bo, move->batch, ctx);

	if (!ret)
		ttm_resource_free(&move->bo->base, &move->new);
	return ret;
}

/* Moving content has no other users; commands find pages only where they are mapped. */
static int move_wait_others(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	bool content = move->copies || move->fills;

	if (!(content ? quire_bo_has_others(move->bo) : quire_bo_has_commands(move->bo)))
		return 0;
	if (ctx->no_wait_gpu)
		return -EBUSY;
	return quire_bo_wait_patiently(move->bo, ctx->interruptible);
}

static int move_by_device(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	struct dma_fence *fence;
	int ret;

	ret = move_wait_others(move, ctx);
	if (ret)
		return ret;

	quire_vm_bo_leaves(move->bo, move->batch);
	fence = quire_move_submit(move, ctx);
	if (!IS_ERR(fence)) {
		/* The CPU, which may get the old place next, does not queue behind it. */
		if (!move->qdev->device_copies)
			dma_fence_wait(fence, false);
		move_publish(move, fence);
		dma_fence_put(fence);
		return 0;
	}

	ret = PTR_ERR(fence);
	if (ret == -ENODEV && move->unmaps && move->new->mem_type == QUIRE_PL_SYSTEM) {
		/* Unplugged: the device has no aperture any more. */
		ret = move_nothing(&move->bo->base, ctx, move->new);
	} else if (move->maps || move->unmaps) {
		quire_move_undo(move);
	}
	return ret;
}

/* Step 2 by the CPU, behind steps 1 and 4: the pages are the same in any order. */
static int move_by_cpu(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	struct dma_fence *fence;
	int ret;

	ret = ttm_bo_wait_ctx(&move->bo->base, ctx);
	if (ret)
		return ret;

	quire_vm_bo_leaves(move->bo, move->batch);
	move->copies = false;
	fence = quire_move_submit(move, ctx);
	if (IS_ERR(fence)) {
		ret = PTR_ERR(fence);
	} else {
		dma_fence_wait(fence, false);
		dma_fence_put(fence);
		down_read(&move->qdev->vram_access);
		ret = ttm_bo_move_memcpy(&move->bo->base, ctx, move->new);
		up_read(&move->qdev->vram_access);
		if (ret)
			quire_residency_stays(move->bo, move->batch);
	}
	if (ret && (move->maps || move->unmaps))
		quire_move_undo(move);
	return ret;
}

static int move_execute(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	int ret;

	ret = move_plan(move, ctx);
	if (ret)
		return ret;

	if (!move->maps && !move->copies && !move->fills && !move->unmaps)
		return move_nothing(&move->bo->base, ctx, move->new);

	/* Importers use the pages that it leaves. Giving them back may take TTM's fence slot. */
	if (move->new->mem_type == QUIRE_PL_VRAM)
		quire_prime_invalidate(move->bo);
	ret = dma_resv_reserve_fences(move->bo->base.base.resv, 1);
	if (ret)
		return ret;

	if (move->copies && !move->qdev->device_copies && !quire_bo_is_tiled(move->bo))
		return move_by_cpu(move, ctx);
	return move_by_device(move, ctx);
}

/* The form in which its pages have the content from now on; in VRAM an image always has tiles. */
static void move_note_form(const struct quire_move *move, u32 from, u32 to)
{
	if (to == QUIRE_PL_VRAM)
		move->bo->swizzled = false;
	else if (from == QUIRE_PL_VRAM)
		move->bo->swizzled = move->copies && quire_bo_is_tiled(move->bo) &&
				     !move->converts;
	if (from == QUIRE_PL_VRAM || to == QUIRE_PL_VRAM)
		move->bo->alternate = move->special && to != QUIRE_PL_VRAM;
}

static void move_count(const struct quire_move *move, u32 from, bool evict)
{
	struct quire_move_stats *stats = move->qdev->move_stats;
	struct quire_move_counter *counter = &stats->moves[from][move->new->mem_type];

	atomic64_inc(&counter->count);
	atomic64_add(move->bo->base.base.size, &counter->bytes);
	if (evict)
		atomic64_inc(&counter->evictions);
}

/**
 * quire_move - &ttm_device_funcs.move
 * @tbo: the object, reserved, with one free fence slot; may be a ghost
 * @evict: another object needs the old place
 * @ctx: how to wait; perhaps a struct quire_operation_ctx
 * @new_mem: the new place; its pages are populated if it is the aperture
 * @hop: not used, every pair of places is one move
 *
 * Evicted content that is not needed, or is lost, does not move: quire_bo_drop_evicted(). Then
 * @tbo has no resource, and @new_mem is freed.
 *
 * Returns: 0, then @new_mem belongs to @tbo; -ENOMEM, -ERESTARTSYS, -ENODEV, or -EBUSY foreign
 * fences took too long, then nothing has moved. Content that can not be moved because the device
 * was given up is reported by quire_bo_is_purged(), not by an error.
 *
 * Source: ttm_bo_handle_move_mem(); Documentation/gpu/quire/model.rst.
 */
int quire_move(struct ttm_buffer_object *tbo, bool evict, struct ttm_operation_ctx *ctx,
	       struct ttm_resource *new_mem, struct ttm_place *hop)
{
	struct quire_device *qdev = ttm_to_quire(tbo->bdev);
	struct quire_bo *bo = ttm_to_quire_bo(tbo);
	u32 from = quire_bo_mem_type(tbo);
	u32 to = new_mem->mem_type;
	struct quire_move move = {
		.qdev = qdev,
		.batch = quire_ctx_batch(ctx, qdev->paging_queue, evict),
		.bo = bo,
		.old = tbo->resource,
		.new = new_mem,
	};
	int ret;

	/* A ghost's work is all in its fences. */
	if (!quire_bo_is_ours(tbo))
		return move_nothing(tbo, ctx, new_mem);
	if (evict && to == QUIRE_PL_SYSTEM && quire_bo_eviction_drops(bo))
		return move_drop(&move, ctx);

	trace_quire_bo_move_begin(&tbo->base, from, to, evict);
	/* TTM has taken its mappings away. */
	bo->allocation.needs_idle = quire_bo_has_view(bo) || quire_range_is_owned(bo);
	if (to == QUIRE_PL_SYSTEM)
		quire_view_take(bo);
	ret = move_execute(&move, ctx);
	if (ret && bo->resident->partly)
		quire_residency_stays(bo, move.batch);
	if (to == QUIRE_PL_SYSTEM)
		quire_view_taken(bo, !ret);
	trace_quire_bo_move_end(&tbo->base, from, to, evict, ret);
	if (ret)
		return ret;

	quire_range_release(bo);
	move_count(&move, from, evict);
	bo->unmapped &= !move.unmaps;
	move_note_form(&move, from, to);
	quire_bo_publish(bo);
	quire_offered_update(bo);
	return 0;
}
