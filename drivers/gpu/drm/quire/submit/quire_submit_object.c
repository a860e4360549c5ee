// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects of submissions
 *
 * Commands use an object where it has one run of addresses: what may be in VRAM, there; what
 * may not, in the aperture. One of %DRM_QUIRE_BO_CREATE_MMU may be in pieces in VRAM, which an MMU
 * shows (quire_mmu.c), but not for a submission that is split: the planner knows of places alone,
 * and where there is no room for pieces, or in the MMU, there is perhaps for a run.
 */
#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include <drm/drm_drv.h>
#include <drm/drm_exec.h>

#include <quire/quire_command.h>
#include <quire/quire_hw.h>

#include "commands/quire_split.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_mmu.h"
#include "bo/quire_segment.h"
#include "bo/quire_vram_mgr.h"
#include "exec/quire_execution.h"
#include "quire_submit.h"
#include "quire_submit_object.h"

static bool object_may_have_pieces(const struct quire_submit *submit, u32 index)
{
	return !submit->commands.splits && quire_bo_has_mmu(submit->objects[index].bo);
}

static void object_init_place(struct quire_submit *submit, u32 index, struct ttm_place *place)
{
	if (submit->list.objects[index].segment == QUIRE_SEGMENT_APERTURE) {
		quire_bo_aperture_place(submit->objects[index].bo, place);
		return;
	}
	*place = (struct ttm_place) {
		.mem_type = QUIRE_PL_VRAM,
		.lpfn = submit->qdev->vram_mgr->manager.size >> PAGE_SHIFT,
		.flags = TTM_PL_FLAG_CONTIGUOUS | TTM_PL_FLAG_TOPDOWN,
	};
	if (object_may_have_pieces(submit, index))
		place->flags &= ~TTM_PL_FLAG_CONTIGUOUS;
}

/* There and nowhere else. */
static void object_fix_place(struct quire_submit *submit, u32 index, u64 address,
			     struct ttm_place *place)
{
	u64 start = QUIRE_ADDRESS_OFFSET(address);

	place->fpfn = start >> PAGE_SHIFT;
	place->lpfn = PAGE_ALIGN(start + submit->list.objects[index].size) >> PAGE_SHIFT;
}

/* In VRAM, where an MMU has to show it. */
static bool object_is_in_pieces(struct quire_submit *submit, u32 index)
{
	struct ttm_resource *res = submit->objects[index].bo->base.resource;

	return res && res->mem_type == QUIRE_PL_VRAM && object_may_have_pieces(submit, index) &&
	       !quire_vram_is_one_run(res);
}

/**
 * quire_submit_object_is_placed - is it where commands can use it?
 * @submit: the submission
 * @index: of the object, which is reserved
 *
 * Returns: true, then its address is in &quire_submit.addresses.
 */
bool quire_submit_object_is_placed(struct quire_submit *submit, u32 index)
{
	u32 segment = submit->list.objects[index].segment;
	struct ttm_resource *res = submit->objects[index].bo->base.resource;

	if (!res || quire_segment_instance(res->mem_type) != segment)
		return false;
	if (object_is_in_pieces(submit, index))
		return quire_mmu_find(submit->objects[index].bo, &submit->addresses[index]);
	if (segment == QUIRE_SEGMENT_VRAM && !quire_vram_is_one_run(res))
		return false;
	if (segment == QUIRE_SEGMENT_APERTURE && submit->objects[index].bo->unmapped)
		return false;
	submit->addresses[index] = QUIRE_ADDRESS(segment, (u64)res->start << PAGE_SHIFT);
	return true;
}

/**
 * quire_submit_object_must_move - has it to be brought to where commands can use it?
 * @submit: the submission
 * @index: of the object, which is reserved
 *
 * Returns: false if it is there, also if an MMU does not show it yet.
 */
bool quire_submit_object_must_move(struct quire_submit *submit, u32 index)
{
	return !object_is_in_pieces(submit, index) &&
	       !quire_submit_object_is_placed(submit, index);
}

/**
 * quire_submit_object_must_wait - has it to move, while others are at work with it?
 * @submit: the submission
 * @index: of the object, which is reserved
 *
 * Returns: true, then it is to be waited for without reservations.
 */
bool quire_submit_object_must_wait(struct quire_submit *submit, u32 index)
{
	return quire_submit_object_must_move(submit, index) &&
	       quire_bo_has_others(submit->objects[index].bo);
}

static u32 object_allocation(const struct quire_submit *submit, u32 index)
{
	u32 i = 0;

	while (submit->list.allocations[i].object != index)
		i++;
	return i;
}

/**
 * quire_submit_object_refuse - an object is the reason for an error
 * @submit: the submission; @error of it says that, then
 * @index: of the object
 * @error: negative errno
 * @why: for messages, constant
 *
 * Returns: @error.
 */
int quire_submit_object_refuse(struct quire_submit *submit, u32 index, int error,
			       const char *why)
{
	return quire_submit_refuse_allocation(submit, object_allocation(submit, index), error,
					      why);
}

/**
 * quire_submit_object_refuse_room - there is no room for an object, as others have it
 * @submit: the submission; its @error is none of an element
 * @index: of the object
 *
 * Returns: -ENOSPC.
 */
int quire_submit_object_refuse_room(const struct quire_submit *submit, u32 index)
{
	return quire_refuse(&submit->qdev->drm, -ENOSPC,
			    "submit: others are in the way of allocation %u",
			    object_allocation(submit, index));
}

/* What has to be true of an object whose content commands will see. */
static int object_check(struct quire_submit *submit, u32 index)
{
	struct quire_bo *bo = submit->objects[index].bo;

	/* Eviction drops content from here on, which is no loss that a program can mend. */
	if (drm_dev_is_unplugged(&submit->qdev->drm))
		return -ENODEV;
	if (quire_bo_is_purged(bo))
		return quire_submit_object_refuse(submit, index, -ENODATA, "it is purged");
	if (bo->base.pin_count && !quire_submit_object_is_placed(submit, index))
		return quire_submit_object_refuse(submit, index, -EBUSY, "others have pinned it");
	return 0;
}

static int object_claim(struct quire_submit *submit, u32 index)
{
	struct quire_submit_object *object = &submit->objects[index];
	int ret = ttm_bo_reserve(&object->bo->base, !submit->validation.deaf, false, NULL);

	if (ret)
		return ret;
	ret = object_check(submit, index);
	if (!ret) {
		atomic_inc(&object->bo->claims);
		object->claimed = true;
	}
	ttm_bo_unreserve(&object->bo->base);
	return ret;
}

/**
 * quire_submit_claim - commands will come to all objects, part by part
 * @submit: the submission, with nothing reserved
 *
 * For who brings them in one by one: what is refused here is refused before any part is queued,
 * and nobody drops or pins one of them before quire_submit_unclaim().
 *
 * Returns: 0; -ENODATA, -EBUSY, -ENODEV as quire_submit_object_place(); -ERESTARTSYS. Also
 * after an error quire_submit_unclaim() is to follow.
 */
int quire_submit_claim(struct quire_submit *submit)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < submit->list.nr_objects && !ret; i++)
		ret = object_claim(submit, i);
	return ret;
}

/**
 * quire_submit_unclaim - all parts are queued, or none follows
 * @submit: the submission, after quire_submit_claim()
 *
 * Who waits for that is woken by quire_submit_unplan(), which is to follow.
 */
void quire_submit_unclaim(struct quire_submit *submit)
{
	u32 i;

	for (i = 0; i < submit->list.nr_objects; i++) {
		if (!submit->objects[i].claimed)
			continue;
		submit->objects[i].claimed = false;
		atomic_dec(&submit->objects[i].bo->claims);
	}
}

/* It was brought there. */
static int object_placed(struct quire_submit *submit, u32 index)
{
	submit->bytes_in += submit->list.objects[index].size;
	if (drm_WARN_ON(&submit->qdev->drm, !quire_submit_object_is_placed(submit, index)))
		return -EIO;
	return 0;
}

/* A range that may not show its pages is given up: the next one does, or it gets none. */
static int object_leave_range(struct quire_bo *bo, struct ttm_operation_ctx *ctx)
{
	return bo->unmapped ? quire_bo_validate(bo, &quire_system_place, 1, ctx) : 0;
}

/* A map that was given up at once is none, and no reason to go on trying. */
static int object_show(struct quire_submit *submit, u32 index, bool interruptible)
{
	int ret;

	if (!object_is_in_pieces(submit, index) || quire_submit_object_is_placed(submit, index))
		return 0;
	ret = quire_mmu_map(submit->objects[index].bo, &submit->validation.batch, interruptible);
	if (!ret && !quire_submit_object_is_placed(submit, index))
		ret = -EIO;
	return ret;
}

/* Its content is kept, also if madvise said that it may go: commands that follow need it. */
static int object_leave(struct quire_bo *bo, struct ttm_operation_ctx *ctx)
{
	struct ttm_place places[2];
	unsigned int count = 0;

	if (quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM &&
	    quire_bo_allows(bo, QUIRE_PL_APERTURE)) {
		quire_bo_aperture_place(bo, &places[count]);
		places[count++].flags |= TTM_PL_FLAG_DESIRED;
	}
	places[count++] = quire_system_place;
	return quire_bo_validate(bo, places, count, ctx);
}

/* In pieces in VRAM it is in its own way: there may be room for a run when it has left. */
static int object_take_room(struct quire_submit *submit, struct quire_bo *bo,
			    const struct ttm_place *place)
{
	struct quire_validation *validation = &submit->validation;
	int ret = quire_validation_place(validation, bo, place, 1);

	if (ret != -ENOSPC || validation->mode != QUIRE_VALIDATION_ALONE ||
	    quire_bo_mem_type(&bo->base) != place->mem_type)
		return ret;
	return object_leave(bo, &validation->ctx.base) ?:
	       quire_validation_place(validation, bo, place, 1);
}

/* Of the aperture, some objects may have a part alone. */
static bool place_has(const struct ttm_place *place, const struct ttm_place *other)
{
	return other->fpfn >= place->fpfn && other->lpfn <= place->lpfn;
}

static int object_go(struct quire_submit *submit, u32 index, struct quire_submit_goal goal)
{
	struct quire_bo *bo = submit->objects[index].bo;
	struct ttm_place anywhere, there;
	int ret = -ENOSPC;

	object_init_place(submit, index, &anywhere);
	if (goal.address == QUIRE_SPLIT_ANYWHERE)
		return object_take_room(submit, bo, &anywhere);
	there = anywhere;
	object_fix_place(submit, index, goal.address, &there);
	if (goal.must)
		return object_take_room(submit, bo, &there);
	if (place_has(&anywhere, &there))
		ret = quire_validation_take_free(&submit->validation, bo, &there);
	return quire_is_no_room(ret) ? object_take_room(submit, bo, &anywhere) : ret;
}

/**
 * quire_submit_object_place - bring it to where commands can use it
 * @submit: the submission; in a try of its validation
 * @index: of the object, which is reserved
 * @goal: where it shall go; if commands can use it where it is, it stays there
 *
 * Done when the move is queued; the address is in &quire_submit.addresses then.
 *
 * Returns: 0; -ENODATA it is purged; -EBUSY others have pinned it; -ENODEV; -EIO the device gave
 * up to show it; errors of quire_validation_place() and quire_mmu_map().
 */
int quire_submit_object_place(struct quire_submit *submit, u32 index,
			      struct quire_submit_goal goal)
{
	struct ttm_operation_ctx *ctx = &submit->validation.ctx.base;
	int ret;

	ret = object_check(submit, index);
	if (ret || quire_submit_object_is_placed(submit, index))
		return ret;
	if (object_is_in_pieces(submit, index))
		return object_show(submit, index, ctx->interruptible);
	return object_leave_range(submit->objects[index].bo, ctx) ?:
	       object_go(submit, index, goal) ?: object_show(submit, index, ctx->interruptible) ?:
	       object_placed(submit, index);
}

/**
 * quire_submit_object_evict - take it away from where commands can use it
 * @submit: the submission
 * @index: of the object, which is reserved and idle
 *
 * Its content is kept.
 *
 * Returns: 0, or errors of quire_bo_validate().
 */
int quire_submit_object_evict(struct quire_submit *submit, u32 index)
{
	struct quire_operation_ctx ctx;

	quire_ctx_init(&ctx, &submit->validation.batch, false);
	return object_leave(submit->objects[index].bo, &ctx.base);
}

/**
 * quire_submit_exec_flags - how are the objects of a submission reserved?
 * @interruptible: a signal ends the wait for a lock
 *
 * Objects of other drivers may share a reservation.
 *
 * Returns: flags of drm_exec_init().
 */
u32 quire_submit_exec_flags(bool interruptible)
{
	return DRM_EXEC_IGNORE_DUPLICATES | (interruptible ? DRM_EXEC_INTERRUPTIBLE_WAIT : 0);
}

/**
 * quire_submit_wait_before - wait for all that a submission has to wait for
 * @submit: the submission, with nothing reserved
 *
 * What comes after it waits for the device alone then. Of moves of its objects only those that
 * are executed by others count: the paging queue is in order.
 *
 * Returns: 0; -ERESTARTSYS; -ENOMEM.
 */
int quire_submit_wait_before(struct quire_submit *submit)
{
	long ret = 0;
	u32 i;

	for (i = 0; i < submit->commands.syncs.count && ret >= 0; i++)
		if (submit->commands.syncs.items[i].fence)
			ret = dma_fence_wait(submit->commands.syncs.items[i].fence, true);
	for (i = 0; i < submit->list.nr_objects && ret >= 0; i++)
		ret = quire_bo_wait_others(submit->objects[i].bo, true, MAX_SCHEDULE_TIMEOUT);
	if (ret >= 0)
		ret = quire_execution_wait(submit->commands.execution);
	return min(ret, 0l);
}
