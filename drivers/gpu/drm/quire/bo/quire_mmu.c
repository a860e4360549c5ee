// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects that commands see through an MMU
 *
 * A segment address leads to one run of addresses, but an object may be in pieces in VRAM. One of
 * %DRM_QUIRE_BO_CREATE_MMU need not be moved for that: a *range* of the segment of an MMU shows its
 * pieces one behind the other::
 *
 *     VRAM          ..[ 0 1 ]....[ 4 5 6 ]..[ 2 3 ]..
 *     MMU           [ 0 1 2 3 4 5 6 ]     MAP_MMU, a packet for each piece
 *
 * A range belongs to the place of the object, and goes with it: the unmap is kept in a list
 * (quire_discard.c), and queued before anything else comes to the place. Without room, ranges go
 * that no commands use, least recently used first; then the object is brought to one run of VRAM.
 * All of MAP_MMU is in one buffer: a range shows everything, or nothing and is made anew.
 *
 * Locking: the reservation of an object to map it; &quire_mmu.lock, and inside of it that of TTM's
 * LRU lists.
 */
#include <linux/err.h>
#include <linux/math64.h>

#include "core/quire_options.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "quire_bo.h"
#include "quire_mmu.h"
#include "quire_operation.h"

/* Of the pool, for each MAP_MMU. */
#define MAP_BYTES	(sizeof(struct quire_packet_map_mmu) + sizeof(__le64))

/* Pages of an MMU. */
struct quire_mmu_range {
	struct drm_mm_node node;
	struct list_head link; /* in &quire_mmu.used or &quire_mmu.leaving */
	struct ttm_resource *res; /* the place that it shows, or NULL */
	struct dma_fence *mapped; /* by its MAP_MMU */
	u32 mmu;
	u64 start; /* byte of the MMU where it begins */
};

static int describe_unmap(struct quire_leaving *leaving, struct quire_paging_work *work,
			  struct list_head *link)
{
	struct quire_mmu_range *range = list_entry(link, struct quire_mmu_range, link);

	return quire_operation_unmap_mmu(work, range->mmu, range->start, range->node.size);
}

static void ranges_gone(struct quire_leaving *leaving, struct list_head *told)
{
	struct quire_mmu *mmu = container_of(leaving, struct quire_mmu, leaving);
	struct quire_mmu_range *range, *next;

	scoped_guard(spinlock, &mmu->lock)
		list_for_each_entry(range, told, link)
			drm_mm_remove_node(&range->node);
	list_for_each_entry_safe(range, next, told, link) {
		dma_fence_put(range->mapped);
		kfree(range);
	}
}

static const struct quire_leaving_ops leaving_ops = {
	.bytes = sizeof(struct quire_packet_unmap_mmu),
	.describe = describe_unmap,
	.gone = ranges_gone,
};

/**
 * quire_mmu_init - start with MMUs that show nothing
 * @mmu: to initialise
 * @pages: of each MMU, from its start; 0: it is not used
 */
void quire_mmu_init(struct quire_mmu *mmu, u32 pages)
{
	spin_lock_init(&mmu->lock);
	INIT_LIST_HEAD(&mmu->used);
	quire_leaving_init(&mmu->leaving, &mmu->lock, &leaving_ops);
	mmu->pages = pages;
	if (pages)
		drm_mm_init(&mmu->mm, 0, (u64)pages * QUIRE_MMU_COUNT);
}

/**
 * quire_mmu_fini - free all ranges without telling the device
 * @mmu: there is nothing in VRAM any more
 */
void quire_mmu_fini(struct quire_mmu *mmu)
{
	ranges_gone(&mmu->leaving, &mmu->leaving.list);
	if (mmu->pages)
		drm_mm_takedown(&mmu->mm);
}

/* The range shows its place no more; the device is told later. */
static void range_leave(struct quire_mmu *mmu, struct quire_mmu_range *range)
{
	lockdep_assert_held(&mmu->lock);

	to_quire_vram_resource(range->res)->range = NULL;
	range->res = NULL;
	list_move_tail(&range->link, &mmu->leaving.list);
}

/**
 * quire_mmu_find - find the range that shows an object, and note its use
 * @bo: the object, in VRAM, reserved
 * @address: returned: its address with the segment, valid behind the fences of the object
 * Returns: false if there is none.
 */
bool quire_mmu_find(struct quire_bo *bo, u64 *address)
{
	struct quire_vram_resource *vres = to_quire_vram_resource(bo->base.resource);
	struct quire_mmu *mmu = quire_bo_device(bo)->mmu;
	struct quire_mmu_range *range;

	spin_lock(&mmu->lock);
	range = vres->range;
	/* Its buffer may have been given up, or refused. */
	if (range && dma_fence_get_status(range->mapped) < 0) {
		range_leave(mmu, range);
		range = NULL;
	}
	if (range) {
		list_move_tail(&range->link, &mmu->used);
		*address = QUIRE_ADDRESS(QUIRE_SEGMENT_MMU(range->mmu), range->start);
	}
	spin_unlock(&mmu->lock);
	return range;
}

/* The first MMU before the others; no range lies over the end of one. */
static int range_take(struct quire_mmu *mmu, struct quire_mmu_range *range, u64 pages)
{
	u32 most = READ_ONCE(quire_options.mmu_pages) ?: mmu->pages;
	u64 room = min(most, mmu->pages), start = 0;
	int ret = -ENOSPC;

	spin_lock(&mmu->lock);
	for (range->mmu = 0; range->mmu < QUIRE_MMU_COUNT; range->mmu++, start += mmu->pages) {
		ret = drm_mm_insert_node_in_range(&mmu->mm, &range->node, pages, 0, 0, start,
						  start + room, DRM_MM_INSERT_BEST);
		if (!ret)
			break;
	}
	range->start = (range->node.start - start) << QUIRE_PAGE_SHIFT;
	spin_unlock(&mmu->lock);
	return ret;
}

/*
 * The object of a range can not be freed, as that would have to take the range away first. A
 * reserved one, also of this task, may be about to use its range.
 */
static bool steal_range(struct quire_device *qdev)
{
	struct quire_mmu *mmu = qdev->mmu;
	struct quire_mmu_range *range;
	struct ttm_buffer_object *tbo;
	bool stolen = false;

	spin_lock(&mmu->lock);
	spin_lock(&qdev->ttm.lru_lock);
	list_for_each_entry(range, &mmu->used, link) {
		tbo = range->res->bo;
		if (!quire_bo_is_ours(tbo) || !dma_resv_trylock(tbo->base.resv))
			continue;
		stolen = !quire_bo_has_commands(ttm_to_quire_bo(tbo));
		if (stolen)
			range_leave(mmu, range);
		dma_resv_unlock(tbo->base.resv);
		if (stolen)
			break;
	}
	spin_unlock(&qdev->ttm.lru_lock);
	spin_unlock(&mmu->lock);
	return stolen;
}

static struct dma_fence *range_submit(struct quire_device *qdev, struct quire_mmu_range *range,
				      struct ttm_resource *res, struct quire_batch *batch,
				      bool interruptible)
{
	u64 address = range->start;
	struct quire_paging_work work;
	struct quire_cursor cursor;
	size_t bytes;
	int ret;

	/* A piece that is larger than a packet maps takes several. */
	bytes = (list_count_nodes(&to_quire_vram_resource(res)->blocks) +
		 div_u64(res->size >> QUIRE_PAGE_SHIFT,
			 qdev->paging_queue->caps.max_packet_pages)) * MAP_BYTES;
	if (bytes > QUIRE_PAGING_BUFFER_MAX)
		return ERR_PTR(-ENOSPC);
	quire_paging_work_init(&work, batch, NULL, bytes, interruptible);
	ret = quire_paging_work_begin_whole(&work, bytes);
	for (quire_cursor_first(&cursor, res, NULL); cursor.count && !ret;
	     quire_cursor_next(&cursor)) {
		ret = quire_operation_map_mmu(&work, range->mmu, address, cursor.first,
					      cursor.count);
		address += cursor.count << QUIRE_PAGE_SHIFT;
	}
	quire_paging_work_end_whole(&work);
	return quire_paging_list_finish(&work.list, ret);
}

/**
 * quire_mmu_map - queue that an MMU shows an object; its fence is among those of the object
 * @bo: the object, in VRAM, reserved; quire_mmu_find() has found none
 * @batch: of the call
 * @interruptible: waits for a paging buffer end with a signal
 * Returns: 0; -ENOSPC there is no room, or the object is in too many pieces; -ENOMEM,
 * -ERESTARTSYS, -ENODEV.
 */
int quire_mmu_map(struct quire_bo *bo, struct quire_batch *batch, bool interruptible)
{
	struct quire_mmu_range *range __free(kfree) = kzalloc(sizeof(*range), GFP_KERNEL_ACCOUNT);
	struct quire_device *qdev = quire_bo_device(bo);
	struct ttm_resource *res = bo->base.resource;
	u64 pages = res->size >> QUIRE_PAGE_SHIFT;
	int ret;

	if (!range)
		return -ENOMEM;
	ret = dma_resv_reserve_fences(bo->base.base.resv, 1);
	if (ret)
		return ret;
	if (pages > qdev->mmu->pages)
		return -ENOSPC;
	ret = range_take(qdev->mmu, range, pages);
	if (ret == -ENOSPC) {
		do {
			ret = quire_discard_submit(qdev->discards, batch, interruptible) ?:
			      range_take(qdev->mmu, range, pages);
		} while (ret == -ENOSPC && steal_range(qdev));
	}
	if (ret)
		return ret;
	range->mapped = range_submit(qdev, range, res, batch, interruptible);
	ret = PTR_ERR_OR_ZERO(range->mapped);
	if (!ret) {
		dma_resv_add_fence(bo->base.base.resv, range->mapped, DMA_RESV_USAGE_KERNEL);
		if (quire_bo_is_shared(bo))
			quire_bo_show_fences(bo);
	}

	spin_lock(&qdev->mmu->lock);
	if (ret) {
		drm_mm_remove_node(&range->node);
	} else {
		range->res = res;
		to_quire_vram_resource(res)->range = range;
		list_add_tail(&no_free_ptr(range)->link, &qdev->mmu->used);
	}
	spin_unlock(&qdev->mmu->lock);
	return ret;
}

/**
 * quire_mmu_leave - &quire_vram_mgr.leave
 * @vres: place that is about to be free, not in use; its range goes before another object gets it
 */
void quire_mmu_leave(struct quire_vram_resource *vres)
{
	struct quire_device *qdev = ttm_to_quire(vres->mgr->manager.bdev);
	struct quire_mmu *mmu = qdev->mmu;

	scoped_guard(spinlock, &mmu->lock) {
		if (!vres->range)
			return;
		range_leave(mmu, vres->range);
	}
	quire_discard_later(qdev->discards);
}
