// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Moves
 *
 * One TTM move becomes one list of paging operations, by one rule for all pairs of places
 * (Documentation/gpu/quire/model.rst lists them):
 *
 * 1. into the aperture: MAP_APERTURE_SEGMENT of the new range; MAP_APERTURE_SEGMENT2 if the
 *    CPU sees the object there through the window (quire_bo_vm.c);
 * 2. VRAM on any side: TRANSFER, with SWIZZLE or UNSWIZZLE where it changes the form of an
 *    image, SPECIAL_LOCK_TRANSFER with an alternate view (quire_bo_layout.c); without content, into
 *    VRAM: FILL with zero, and also before a SWIZZLE that leaves parts of tiles alone;
 * 3. into the aperture with a TRANSFER, to pages that are not cached: READ_PHYSICAL, for the
 *    device may keep back what it wrote there, and nobody looks before the fence;
 * 4. out of the aperture: UNMAP_APERTURE_SEGMENT of the old range;
 * 5. NOTIFY_RESIDENCY (quire_residency.c).
 *
 * Before the first buffer, content that moves waits for the fences of all others, pages that are
 * only unmapped wait for commands, and an image that a swizzling range shows, or that has an
 * alternate view, for all: a range is programmed by registers, which no buffer can do in order. A
 * long move is described in parts (quire_page_runs.c), steps 1 and 2 of each. If a list fails
 * half way, the aperture is brought back: the source still has the data. Without memory even for
 * that the content stays in the pages (&quire_bo.unmapped). With the module parameter generation 2,
 * step 2 is made in virtual addresses; with device_copies off by the CPU, but for images with
 * tiles.
 */
#include <linux/dma-fence.h>
#include <linux/highmem.h>

#include "core/quire_compat.h"
#include "hw/quire_device_guard.h"
#include "queue/quire_paging_space.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "queue/quire_trace.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_ctx.h"
#include "bo/quire_operation.h"
#include "bo/quire_prime.h"
#include "bo/quire_range.h"
#include "bo/quire_residency.h"
#include "bo/quire_window.h"
#include "vm/quire_vm.h"
#include "vm/quire_vm_validate.h"
#include "quire_move.h"

/* A move while it is made. */
struct quire_move {
	struct quire_device *qdev;
	struct quire_batch *batch;
	struct quire_bo *bo;
	struct ttm_resource *old; /* NULL: none */
	struct ttm_resource *new;
	bool maps; /* step 1 is needed */
	bool copies; /* step 2 is a TRANSFER */
	bool converts; /* from one form of an image to the other */
	bool special; /* to or from its alternate view */
	struct quire_range_use use; /* then: of the range that showed it */
	bool fills; /* step 2 is a FILL, or begins with one */
	bool windows; /* step 2 is made in virtual addresses */
	bool unmaps; /* step 4 is needed */
	bool submitted; /* a part of the list was handed to the queue, or all of it */
	bool unmapped; /* step 4 was done, or a part of it */
};

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

/*
 * Drops the content of an evicted object, when it is idle; before, and after an error, it has lost
 * nothing. The next user of its place queues behind what the device is told. As after each purge of
 * TTM: without pages there is no resource, and nothing to swap out.
 */
static noinline_for_stack int move_drop(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	struct quire_device *qdev = move->qdev;
	struct quire_bo *bo = move->bo;
	struct quire_paging_work work;
	int ret;

	/* Importers have no pages of what is in VRAM. */
	if (qdev->removed)
		quire_prime_invalidate(bo);
	if (quire_bo_is_idle(bo)) {
		ret = 0;
	} else if (qdev->removed || !qdev->device_copies || quire_device_is_wedged(qdev)) {
		ret = ttm_bo_wait_ctx(&bo->base, ctx);
	} else {
		quire_paging_work_init(&work, move->batch, bo->base.base.resv, 0,
				       ctx->interruptible);
		work.list.no_wait = ctx->no_wait_gpu;
		bo->allocation.needs_idle = true;
		/* The builder says BUSY until it is idle. Nothing is added to this list. */
		ret = quire_paging_list_ask(&work.list, QUIRE_PAGING_DISCARD_CONTENT,
					    &bo->allocation);
	}
	if (ret)
		return ret;

	if (quire_bo_is_page_table(bo)) {
		quire_vm_tables_lose(&to_quire_vm(bo->gpuvm)->pages);
	} else {
		quire_range_release(bo);
		quire_view_let_go(bo);
	}
	if (!qdev->removed) {
		quire_vm_bo_leaves(bo, move->batch);
		quire_resident_leave(bo);
		/* The CPU's copies are in no order with the queue. */
		if (qdev->device_copies && !quire_device_is_wedged(qdev))
			quire_discard_add(qdev->discards, bo->base.resource);
	}
	ret = quire_bo_drop(bo, QUIRE_PURGE_EVICTED);
	if (!ret)
		ttm_resource_free(&bo->base, &move->new);
	return ret;
}

/* Decide what is to be done, and get the pages that it takes. */
static int move_plan(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	struct quire_bo *bo = move->bo;
	u32 from = quire_bo_mem_type(&bo->base), to = move->new->mem_type;
	bool from_vram = from == QUIRE_PL_VRAM, to_vram = to == QUIRE_PL_VRAM;
	struct ttm_tt *tt = bo->base.ttm;
	bool content;
	int ret = 0;

	if (from_vram)
		content = !quire_bo_is_purged(bo) && !quire_device_is_wedged(move->qdev);
	else
		content = tt && (ttm_tt_is_populated(tt) || ttm_tt_is_swapped(tt));
	move->maps = to == QUIRE_PL_APERTURE;
	move->unmaps = from == QUIRE_PL_APERTURE;
	move->copies = (from_vram || to_vram) && content;
	if (move->copies && from != to) {
		/* A mapped image leaves VRAM for its alternate view, and comes back from there. */
		move->special = to_vram ? bo->alternate : quire_view_is_mapped(bo);
		/* In VRAM an image has tiles, and elsewhere if it left VRAM in that form. */
		move->converts = move->special ||
				 (quire_bo_is_tiled(bo) &&
				  (to_vram ? !bo->swizzled : !quire_bo_leaves_swizzled(bo)));
	}
	move->fills = to_vram &&
		      (!content || (move->converts && quire_bo_pads_tiles(bo)));
	/* The second generation converts nothing, and does not see that two places overlap. */
	move->windows = quire_virtual_is_chosen() && !move->converts &&
			!(from == to && bo->slides);

	if (from_vram && !to_vram && !content) {
		quire_bo_change_content(bo, QUIRE_BO_DROP);
		move_zero_pages(bo->base.ttm);
	}

	if (move->copies && (from == QUIRE_PL_SYSTEM || to == QUIRE_PL_SYSTEM))
		ret = ttm_bo_populate(&bo->base, ctx);
	if (!ret && move->converts && !to_vram)
		quire_bo_clear_rest(bo);
	return ret;
}

/* Adds what @operate does to each part of the sides that are initialised. */
static int each_part(struct quire_move *move, struct quire_paging_work *work, u64 pages,
		     int (*operate)(struct quire_move *move, struct quire_paging_work *work))
{
	int ret = 0;

	while (!ret && !quire_paging_part_is_last(&work->part)) {
		ret = quire_paging_work_next_part(work, pages);
		if (ret)
			break;
		ret = operate(move, work);
		quire_paging_part_end(&work->part);
	}
	return ret;
}

static int fill_part(struct quire_move *move, struct quire_paging_work *work)
{
	if (move->windows)
		return quire_virtual_move(work, QUIRE_PAGING_WINDOW_DESTINATION);
	return quire_operation_fill(work, move->bo);
}

/* Steps 1 and 2. */
static int move_part(struct quire_move *move, struct quire_paging_work *work)
{
	int ret = 0;

	if (move->maps)
		ret = quire_operation_map(work, move->bo, move->new);
	if (!ret && move->special)
		ret = quire_operation_special_lock(work, move->bo, &move->use);
	else if (!ret && move->copies && move->windows)
		ret = quire_virtual_move(work, QUIRE_PAGING_WINDOW_SOURCE);
	else if (!ret && move->copies)
		ret = quire_operation_transfer(work, move->bo);
	return ret;
}

static int remap_part(struct quire_move *move, struct quire_paging_work *work)
{
	return quire_operation_map(work, move->bo, move->old);
}

/* The pages that step 1 maps, or the way back. */
static void move_describe_map(const struct quire_move *move, struct quire_paging_part *part)
{
	quire_page_runs_init(&part->sides[QUIRE_PAGING_MDL], NULL, move->bo->base.ttm);
	part->lists = quire_window_is_for(move->bo);
}

/* Step 3: pages that step 2 writes through the aperture. The CPU's copies need none. */
static bool move_flushes(const struct quire_move *move)
{
	return move->maps && move->copies && move->bo->base.ttm->caching != ttm_cached;
}

/* Steps 1 to 5. */
static int move_build(struct quire_move *move, struct quire_paging_work *work)
{
	struct quire_page_runs *sides = work->part.sides;
	struct ttm_tt *tt = move->bo->base.ttm;
	int ret = 0;

	if (move->fills) {
		quire_page_runs_init(&sides[QUIRE_PAGING_DESTINATION], move->new, NULL);
		ret = each_part(move, work, U64_MAX, fill_part);
	}
	if (move->copies) {
		quire_page_runs_init(&sides[QUIRE_PAGING_SOURCE],
				     move->bo->unmapped ? NULL : move->old, tt);
		quire_page_runs_init(&sides[QUIRE_PAGING_DESTINATION], move->new, tt);
	}
	if (move->maps)
		move_describe_map(move, &work->part);
	if (move->converts) {
		work->part.layout = &move->bo->allocation.layout;
		work->part.tiled = move->new->mem_type == QUIRE_PL_VRAM ?
				   QUIRE_PAGING_DESTINATION : QUIRE_PAGING_SOURCE;
	}
	if (!ret)
		ret = each_part(move, work, move->copies ? QUIRE_SUB_TRANSFER_PAGES : U64_MAX,
				move_part);
	if (!ret && move_flushes(move))
		ret = quire_operation_flush(work, move->new);
	if (!ret && move->unmaps) {
		/* Several packets are not interrupted, but without memory only some may go. */
		move->unmapped = move->old->size >> QUIRE_PAGE_SHIFT >
				 move->qdev->paging_queue->caps.max_packet_pages;
		work->interruptible &= !move->unmapped;
		ret = quire_operation_unmap(work, move->old);
		move->unmapped |= !ret;
	}
	if (!ret)
		ret = quire_residency_move(work, move->bo, move->new);
	move->submitted = !ret || work->list.fence;
	return ret;
}

/**
 * quire_move_submit - build and submit the list of a move
 * @move: planned, its object reserved; @submitted and @unmapped are set
 * @ctx: how to wait
 * Returns: its fence, with a reference; -ENOMEM; -ERESTARTSYS; -EBUSY it may not wait; -ENODEV;
 * -EIO the device was given up. An error in the aperture is followed by move_undo().
 */
noinline struct dma_fence *quire_move_submit(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	struct ttm_buffer_object *tbo = &move->bo->base;
	u32 tail = quire_residency_bytes(move->bo, move->new);
	struct quire_paging_work work;
	struct dma_fence *fence;
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
	/* The list ends the use of the range, too. */
	if (!ret && move->special)
		ret = quire_range_leave(move->bo, ctx, &move->use);
	if (ret)
		return quire_paging_list_finish(&work.list, ret);

	ret = move_build(move, &work);
	fence = quire_paging_list_finish(&work.list, ret);
	if (move->special)
		quire_range_left(move->bo, &move->use, fence);
	return fence;
}

/*
 * Takes back what a list that failed has done to the aperture: the new range lets the pages go, and
 * the old one gets them again. If even that fails, the old range shows anything, but the content is
 * in the pages. What the device wrote to pages that it lets go comes before that, or not at all.
 */
static noinline_for_stack void move_undo(struct quire_move *move)
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
	if (!ret && move->unmapped) {
		move_describe_map(move, &work.part);
		ret = each_part(move, &work, U64_MAX, remap_part);
	}
	ret = quire_paging_work_run(&work, ret);
	/* A device that was given up looks at no aperture any more. */
	if (ret && ret != -ENODEV && ret != -EIO) {
		drm_err_ratelimited(&move->qdev->drm, "aperture is not as it was: %d\n", ret);
		move->bo->unmapped |= move->unmapped;
	}
}

/*
 * A range of VRAM or of the aperture can be given away at once: the next user queues behind. So TTM
 * is not asked to remember the fences of evictions, which it would put into objects of all kinds,
 * for all time. It keeps pages that stay behind until @fence signals.
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

static int move_execute(struct quire_move *move, struct ttm_operation_ctx *ctx)
{
	struct quire_bo *bo = move->bo;
	struct dma_fence *fence;
	bool content, by_cpu;
	int ret;

	ret = move_plan(move, ctx);
	if (ret)
		return ret;
	content = move->copies || move->fills;
	if (!content && !move->maps && !move->unmaps)
		return move_nothing(&bo->base, ctx, move->new);

	/* Importers use the pages that it leaves. Giving them back may take TTM's fence slot. */
	if (move->new->mem_type == QUIRE_PL_VRAM)
		quire_prime_invalidate(bo);
	ret = dma_resv_reserve_fences(bo->base.base.resv, 1);
	if (ret)
		return ret;

	by_cpu = move->copies && !move->qdev->device_copies && !quire_bo_is_tiled(bo);
	if (by_cpu)
		ret = ttm_bo_wait_ctx(&bo->base, ctx);
	/* Moving content has no other users; commands find pages only where they are mapped. */
	else if (content ? quire_bo_has_others(bo) : quire_bo_has_commands(bo))
		ret = ctx->no_wait_gpu ? -EBUSY : quire_bo_wait_patiently(bo, ctx->interruptible);
	if (ret)
		return ret;

	quire_vm_bo_leaves(bo, move->batch);
	/* Step 2 by the CPU, behind steps 1 and 4: the pages are the same in any order. */
	move->copies &= !by_cpu;
	fence = quire_move_submit(move, ctx);
	if (IS_ERR(fence)) {
		ret = PTR_ERR(fence);
		/* Unplugged: the device has no aperture any more. */
		if (ret == -ENODEV && move->unmaps && move->new->mem_type == QUIRE_PL_SYSTEM)
			return move_nothing(&bo->base, ctx, move->new);
	} else {
		/* The CPU, which may get the old place next, does not queue behind it. */
		if (!move->qdev->device_copies)
			dma_fence_wait(fence, false);
		if (by_cpu) {
			down_read(&move->qdev->vram_access);
			ret = ttm_bo_move_memcpy(&bo->base, ctx, move->new);
			up_read(&move->qdev->vram_access);
			if (ret)
				quire_residency_stays(bo, move->batch);
		} else {
			move_publish(move, fence);
		}
		dma_fence_put(fence);
	}
	if (ret && (move->maps || move->unmaps))
		move_undo(move);
	return ret;
}

/**
 * quire_move - &ttm_device_funcs.move
 * @tbo: the object, reserved, with one free fence slot; may be a ghost
 * @evict: another object needs the old place
 * @ctx: how to wait; perhaps a struct quire_operation_ctx
 * @new_mem: the new place; its pages are populated if it is the aperture
 * @hop: not used, every pair of places is one move
 *
 * If quire_bo_eviction_drops(), @tbo has no resource then, and @new_mem is freed.
 * Returns: 0, then @new_mem belongs to @tbo; -ENOMEM, -ERESTARTSYS, -ENODEV, or -EBUSY foreign
 * fences took too long, then nothing has moved. That content is lost because the device was given
 * up is no error: quire_bo_is_purged().
 */
int quire_move(struct ttm_buffer_object *tbo, bool evict, struct ttm_operation_ctx *ctx,
	       struct ttm_resource *new_mem, struct ttm_place *hop)
{
	struct quire_device *qdev = ttm_to_quire(tbo->bdev);
	struct quire_bo *bo = ttm_to_quire_bo(tbo);
	u32 from = quire_bo_mem_type(tbo), to = new_mem->mem_type;
	struct quire_move_counter *counter = &qdev->move_stats->moves[from][to];
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
	atomic64_inc(&counter->count);
	atomic64_add(tbo->base.size, &counter->bytes);
	if (evict)
		atomic64_inc(&counter->evictions);
	bo->unmapped &= !move.unmaps;
	/* The form in which its pages have the content; in VRAM an image always has tiles. */
	if (to == QUIRE_PL_VRAM)
		bo->swizzled = false;
	else if (from == QUIRE_PL_VRAM)
		bo->swizzled = move.copies && quire_bo_is_tiled(bo) && !move.converts;
	if (from == QUIRE_PL_VRAM || to == QUIRE_PL_VRAM)
		bo->alternate = move.special && to != QUIRE_PL_VRAM;
	quire_bo_publish(bo);
	quire_offered_update(bo);
	return 0;
}
