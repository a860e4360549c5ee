// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Residency
 *
 * The device has a table of what is where, which is fed by notices alone. So each change is told
 * exactly once, in the order in which the paging ring makes it. An object that comes to a place is
 * told by the last operations of its move: NOTIFY_RESIDENCY of all of it, or NOTIFY_RESIDENCY2 of
 * each part if its pages do not follow each other. That it left the place before is in the same
 * buffer. One that loses its place without a move is noted, quire_resident_leave(), and told before
 * anything comes to any place (quire_discard.c).
 *
 * System memory is no place. The number of a dead object is not reused before the device was told
 * that it left. The same holds for native fences (quire_fence.c): the device hears in the same
 * buffer where their values are, or that they are nowhere.
 *
 * Locking: &quire_residency.lock, and inside of it that of the xarray.
 */
#include <linux/err.h>

#include "hw/quire_residency_table.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "quire_bo.h"
#include "quire_residency.h"
#include "quire_vram_mgr.h"

/* Runs that one notice has. */
#define RESIDENCY_RUNS	32

/* Pool bytes of each packet: there is private data for those alone that are so large. */
#define NOTICE_BYTES	QUIRE_PAGING_PACKET_MIN
#define FENCE_BYTES	\
	(sizeof(struct quire_packet_notify_fences) + sizeof(struct quire_fence_place))
#define PART_BYTES	\
	(sizeof(struct quire_packet_notify_residency2) + RESIDENCY_RUNS * sizeof(__le64))

/**
 * quire_resident_drop - an object is freed, or the device was told that it left
 * @residency: of its device
 * @resident: goes when it has no object, and nothing to tell
 * @left: the device was told
 */
void quire_resident_drop(struct quire_residency *residency, struct quire_resident *resident,
			 bool left)
{
	scoped_guard(spinlock, &residency->lock) {
		if (left) {
			list_del(&resident->link);
			resident->leaves = false;
		} else {
			resident->bo = NULL;
		}
		if (resident->bo || resident->leaves)
			return;
		xa_erase(&residency->residents, resident->id);
	}
	if (resident->native)
		ida_free(&residency->natives, resident->native - 1);
	kfree(resident);
}

/**
 * quire_resident_create - give an object a number
 * @residency: of its device
 * @bo: the object, nowhere
 * Returns: 0, or -ENOMEM.
 */
int quire_resident_create(struct quire_residency *residency, struct quire_bo *bo)
{
	struct quire_resident *resident __free(kfree) =
		kzalloc(sizeof(*resident), GFP_KERNEL_ACCOUNT);

	if (!resident)
		return -ENOMEM;
	resident->bo = bo;
	if (xa_alloc_cyclic(&residency->residents, &resident->id, resident, xa_limit_32b,
			    &residency->next, GFP_KERNEL) < 0)
		return -ENOMEM;
	bo->allocation.id = resident->id;
	bo->resident = no_free_ptr(resident);
	return 0;
}

/**
 * quire_resident_get - iterate over objects
 * @residency: of its device
 * @id: number to start at; returned: its number
 * Returns: the object, with a reference; NULL: there is none from @id on.
 */
struct quire_bo *quire_resident_get(struct quire_residency *residency, unsigned long *id)
{
	struct quire_resident *resident;

	scoped_guard(spinlock, &residency->lock) {
		xa_for_each_start(&residency->residents, *id, resident, *id)
			if (resident->bo && kref_get_unless_zero(&resident->bo->base.base.refcount))
				return resident->bo;
	}
	return NULL;
}

/**
 * quire_resident_leave - an object is about to lose its place without a move
 * @bo: the object, reserved, or without references; the place is not given away yet
 *
 * The device is told before anything comes anywhere. Does not sleep.
 */
void quire_resident_leave(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_residency *residency = qdev->residency;
	struct quire_resident *resident = bo->resident;

	if (!resident->told)
		return;
	resident->told = false;
	scoped_guard(spinlock, &residency->lock) {
		resident->leaves = true;
		list_add_tail(&resident->link, &residency->leaving.list);
	}
	quire_discard_later(qdev->discards);
}

static int add_leave(struct quire_paging_work *work,
		     const struct quire_paging_allocation *allocation)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_NOTIFY_RESIDENCY,
		.allocation = allocation,
	};

	return quire_paging_list_add(&work->list, &args);
}

/* @place: where it is; NULL: nowhere */
static int add_fence(struct quire_paging_work *work, const struct quire_resident *resident,
		     const struct ttm_resource *place)
{
	struct quire_paging_fence_residency fence = { .native_fence = resident->native - 1 };
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY,
		.u.notify_fences = { .num_fences = 1, .fences = &fence },
	};
	u64 page;

	if (!resident->native)
		return 0;
	if (place) {
		page = QUIRE_ADDRESS(quire_segment_instance(place->mem_type),
				     (u64)place->start << PAGE_SHIFT);
		fence.owner = resident->owner;
		fence.current_value_address = page + QUIRE_NATIVE_CURRENT;
		fence.monitored_value_address = page + QUIRE_NATIVE_MONITORED;
	}
	return quire_paging_list_add(&work->list, &args);
}

static int describe_leave(struct quire_leaving *leaving, struct quire_paging_work *work,
			  struct list_head *link)
{
	struct quire_resident *resident = list_entry(link, struct quire_resident, link);
	struct quire_paging_allocation allocation = { .id = resident->id };

	return add_fence(work, resident, NULL) ?: add_leave(work, &allocation);
}

static void residents_gone(struct quire_leaving *leaving, struct list_head *told)
{
	struct quire_residency *residency = container_of(leaving, struct quire_residency, leaving);
	struct quire_resident *resident, *next;

	list_for_each_entry_safe(resident, next, told, link)
		quire_resident_drop(residency, resident, true);
}

static const struct quire_leaving_ops leaving_ops = {
	.bytes = NOTICE_BYTES + FENCE_BYTES,
	.describe = describe_leave,
	.gone = residents_gone,
};

/**
 * quire_residency_init - start with a device that knows nothing
 * @residency: to initialise
 */
void quire_residency_init(struct quire_residency *residency)
{
	xa_init_flags(&residency->residents, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	spin_lock_init(&residency->lock);
	quire_leaving_init(&residency->leaving, &residency->lock, &leaving_ops);
	ida_init(&residency->natives);
}

/**
 * quire_residency_fini - free everything without telling the device
 * @residency: there are no objects any more
 */
void quire_residency_fini(struct quire_residency *residency)
{
	residents_gone(&residency->leaving, &residency->leaving.list);
	xa_destroy(&residency->residents);
	ida_destroy(&residency->natives);
}

/**
 * quire_residency_bytes - size of the notices of a move
 * @bo: the object
 * @place: the place that it gets
 * Returns: bytes of packets, of the first part if there are several.
 */
u32 quire_residency_bytes(const struct quire_bo *bo, struct ttm_resource *place)
{
	u32 bytes = bo->resident->told ? NOTICE_BYTES : 0;

	if (bo->resident->native)
		bytes += FENCE_BYTES;
	if (place->mem_type != TTM_PL_SYSTEM)
		bytes += quire_vram_is_one_run(place) ? NOTICE_BYTES : PART_BYTES;
	return bytes;
}

/* In one buffer: with @leaves that the object left its place, then @args about @place, if any. */
static int tell(struct quire_paging_work *work, struct quire_bo *bo, u32 bytes,
		struct quire_paging_args *args, struct ttm_resource *place, bool leaves)
{
	int ret;

	if (bo->resident->native)
		bytes += FENCE_BYTES;
	ret = quire_paging_work_begin_whole(work, bytes + (leaves ? NOTICE_BYTES : 0)) ?:
	      (leaves ? add_leave(work, &bo->allocation) : 0) ?:
	      (args ? quire_paging_list_add(&work->list, args) : 0) ?:
	      add_fence(work, bo->resident, place);
	quire_paging_work_end_whole(work);
	ret = ret ?: quire_paging_list_submit(&work->list);
	if (!ret)
		bo->resident->told = args;
	return ret;
}

/**
 * quire_residency_move - tell the device of a move: the last operations of its list
 * @work: the list
 * @bo: the object, reserved
 * @place: the place that it gets; its last owner's leaving was told, see quire_discard_submit()
 * Returns: 0; errors of quire_paging_list_add(), then quire_residency_stays() follows the end of
 * the list if &quire_resident.partly.
 */
int quire_residency_move(struct quire_paging_work *work, struct quire_bo *bo,
			 struct ttm_resource *place)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_NOTIFY_RESIDENCY,
		.allocation = &bo->allocation,
		.u.notify_residency = {
			.resident = true,
			.segment = quire_segment_instance(place->mem_type),
			.physical_address = (u64)place->start << PAGE_SHIFT,
		},
	};
	struct quire_page_run runs[RESIDENCY_RUNS];
	bool leaves = bo->resident->told;
	struct quire_page_runs part;
	int ret = 0;

	if (place->mem_type == TTM_PL_SYSTEM)
		return leaves ? tell(work, bo, 0, NULL, NULL, true) : 0;
	if (quire_vram_is_one_run(place))
		return tell(work, bo, NOTICE_BYTES, &args, place, leaves);

	quire_page_runs_init(&part, place, NULL);
	while (!ret && !quire_page_runs_ended(&part)) {
		quire_page_runs_next(&part, runs, RESIDENCY_RUNS, U64_MAX);
		args = (struct quire_paging_args) {
			.operation = QUIRE_PAGING_NOTIFY_RESIDENCY2,
			.allocation = &bo->allocation,
			.u.notify_residency2 = {
				.allocation_offset_in_pages = part.location.start,
				.size_in_pages = part.pages,
				.segment = QUIRE_SEGMENT_VRAM,
				.resident = true,
				.mdl = part.location,
			},
		};
		ret = tell(work, bo, PART_BYTES, &args, place, leaves);
		leaves = false;
		if (!ret)
			bo->resident->partly = !quire_page_runs_ended(&part);
	}
	return ret;
}

static struct dma_fence *tell_place(struct quire_bo *bo, struct ttm_resource *place,
				    struct quire_batch *batch)
{
	struct quire_paging_work work;
	int ret;

	ret = quire_discard_submit(quire_bo_device(bo)->discards, batch, false);
	if (ret)
		return ERR_PTR(ret);
	quire_paging_work_init(&work, batch, NULL, quire_residency_bytes(bo, place), false);
	ret = quire_residency_move(&work, bo, place);
	return quire_paging_list_finish(&work.list, ret);
}

/**
 * quire_residency_stays - an object did not get the place that the device was told of
 * @bo: the object, reserved; has the place that it had before
 * @batch: of the call
 *
 * The device is told of that again. Without memory it takes the object as nowhere. May sleep.
 */
void quire_residency_stays(struct quire_bo *bo, struct quire_batch *batch)
{
	struct ttm_resource *place = bo->base.resource;
	struct dma_fence *told;

	bo->resident->partly = false;
	quire_resident_leave(bo);
	if (!place || place->mem_type == TTM_PL_SYSTEM)
		return;
	told = tell_place(bo, place, batch);
	if (!IS_ERR(told)) {
		dma_fence_put(told);
		return;
	}
	bo->resident->partly = false;
	quire_resident_leave(bo);
}

/**
 * quire_residency_ensure - make sure that the device knows where an object is
 * @bo: the object, in VRAM or the aperture, reserved
 * @batch: of the call
 *
 * For quire_residency_stays() that lacked memory. The notice is among the fences of the object.
 * Returns: 0, -ENOMEM, -ENODEV.
 */
int quire_residency_ensure(struct quire_bo *bo, struct quire_batch *batch)
{
	struct dma_resv *resv = bo->base.base.resv;
	struct dma_fence *told;
	int ret;

	if (bo->resident->told)
		return 0;
	ret = dma_resv_reserve_fences(resv, 1);
	if (ret)
		return ret;
	told = tell_place(bo, bo->base.resource, batch);
	if (IS_ERR(told))
		return PTR_ERR(told);
	dma_resv_add_fence(resv, told, DMA_RESV_USAGE_KERNEL);
	dma_fence_put(told);
	return 0;
}
