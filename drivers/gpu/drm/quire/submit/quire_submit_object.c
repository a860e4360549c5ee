// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects of submissions
 *
 * Commands use an object where it has one run of addresses: what may be in VRAM, there; what
 * may not, in the aperture. One of %DRM_QUIRE_BO_CREATE_MMU may be in pieces in VRAM, which an MMU
 * shows (quire_mmu.c), but not for a submission that is split: the planner knows of places alone,
 * and where there is no room for pieces, or in the MMU, there is perhaps for a run.
 *
 * When a part is queued its objects are reserved, and stay where they are until its fence signals.
 * Its commands are copied with their addresses (quire_command_patch()).
 */
#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/dma-resv.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/gpu_scheduler.h>

#include <quire/quire_command.h>
#include <quire/quire_hw.h>

#include "core/quire_options.h"
#include "core/quire_placement.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_mmu.h"
#include "bo/quire_segment.h"
#include "bo/quire_vram_mgr.h"
#include "quire_submit.h"

static bool object_may_have_pieces(const struct quire_submit *submit, u32 index)
{
	return !submit->commands.splits && quire_bo_has_mmu(submit->objects[index].bo);
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
 * Returns: false if it is there, also if an MMU does not show it yet.
 */
bool quire_submit_object_must_move(struct quire_submit *submit, u32 index)
{
	return !object_is_in_pieces(submit, index) &&
	       !quire_submit_object_is_placed(submit, index);
}

/* What has to be true of an object whose content commands will see. */
static int object_check(struct quire_submit *submit, u32 index)
{
	struct quire_bo *bo = submit->objects[index].bo;

	/* Eviction drops content from here on, which is no loss that a program can mend. */
	if (drm_dev_is_unplugged(&submit->qdev->drm))
		return -ENODEV;
	if (quire_bo_is_purged(bo))
		return quire_submit_refuse_object(submit, index, -ENODATA, "it is purged");
	if (bo->base.pin_count && !quire_submit_object_is_placed(submit, index))
		return quire_submit_refuse_object(submit, index, -EBUSY, "others have pinned it");
	return 0;
}

/**
 * quire_submit_claim - commands will come to all objects, part by part
 * @submit: the submission, with nothing reserved
 *
 * What is refused here is refused before any part is queued, and nobody drops or pins the first
 * &quire_submit.nr_claimed objects; some also after an error.
 *
 * Returns: 0; -ENODATA, -EBUSY, -ENODEV as quire_submit_object_place(); -ERESTARTSYS.
 */
int quire_submit_claim(struct quire_submit *submit)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < submit->list.nr_objects && !ret; i++) {
		struct quire_bo *bo = submit->objects[i].bo;

		ret = ttm_bo_reserve(&bo->base, !submit->validation.deaf, false, NULL);
		if (ret)
			break;
		ret = object_check(submit, i);
		if (!ret) {
			atomic_inc(&bo->claims);
			submit->nr_claimed++;
		}
		ttm_bo_unreserve(&bo->base);
	}
	return ret;
}

/**
 * quire_submit_object_leave - take an object away from where commands can use it
 * @bo: the object, reserved
 * @ctx: of the call
 *
 * Its content is kept, also if madvise said that it may go: commands that follow need it.
 *
 * Returns: 0, or errors of quire_bo_validate().
 */
int quire_submit_object_leave(struct quire_bo *bo, struct ttm_operation_ctx *ctx)
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
	return quire_submit_object_leave(bo, &validation->ctx.base) ?:
	       quire_validation_place(validation, bo, place, 1);
}

static int object_go(struct quire_submit *submit, u32 index, u64 address, bool must)
{
	struct quire_bo *bo = submit->objects[index].bo;
	u64 start = QUIRE_ADDRESS_OFFSET(address);
	struct ttm_place there, anywhere = {
		.mem_type = QUIRE_PL_VRAM,
		.lpfn = submit->qdev->vram_mgr->manager.size >> PAGE_SHIFT,
		.flags = TTM_PL_FLAG_TOPDOWN,
	};
	int ret = -ENOSPC;

	if (!object_may_have_pieces(submit, index))
		anywhere.flags |= TTM_PL_FLAG_CONTIGUOUS;
	if (submit->list.objects[index].segment == QUIRE_SEGMENT_APERTURE)
		quire_bo_aperture_place(bo, &anywhere);
	if (address == QUIRE_SPLIT_ANYWHERE)
		return object_take_room(submit, bo, &anywhere);
	there = anywhere;
	there.fpfn = start >> PAGE_SHIFT;
	there.lpfn = PAGE_ALIGN(start + submit->list.objects[index].size) >> PAGE_SHIFT;
	if (must)
		return object_take_room(submit, bo, &there);
	/* Of the aperture, some objects may have a part alone. */
	if (there.fpfn >= anywhere.fpfn && there.lpfn <= anywhere.lpfn)
		ret = quire_validation_take_free(&submit->validation, bo, &there);
	return quire_is_no_room(ret) ? object_take_room(submit, bo, &anywhere) : ret;
}

/**
 * quire_submit_object_place - bring it to where commands can use it
 * @submit: the submission; in a try of its validation
 * @index: of the object, which is reserved; if commands can use it where it is, it stays there
 * @address: where it shall go, or %QUIRE_SPLIT_ANYWHERE
 * @must: nowhere else, and objects that are there have to leave; else there only if it is free
 *
 * Done when the move is queued; the address is in &quire_submit.addresses then.
 *
 * Returns: 0; -ENODATA it is purged; -EBUSY others have pinned it; -ENODEV; -EIO the device gave
 * up to show it; errors of quire_validation_place() and quire_mmu_map().
 */
int quire_submit_object_place(struct quire_submit *submit, u32 index, u64 address, bool must)
{
	struct quire_validation *validation = &submit->validation;
	struct ttm_operation_ctx *ctx = &validation->ctx.base;
	struct quire_bo *bo = submit->objects[index].bo;
	bool moves;
	int ret;

	ret = object_check(submit, index);
	if (ret || quire_submit_object_is_placed(submit, index))
		return ret;
	moves = !object_is_in_pieces(submit, index);
	/* A range that may not show its pages is given up: the next one does, or it gets none. */
	if (moves && bo->unmapped)
		ret = quire_bo_validate(bo, &quire_system_place, 1, ctx);
	if (moves && !ret)
		ret = object_go(submit, index, address, must);
	if (ret)
		return ret;
	if (object_is_in_pieces(submit, index) && !quire_submit_object_is_placed(submit, index)) {
		/* A map that was given up at once is none, and no reason to go on trying. */
		ret = quire_mmu_map(bo, &validation->batch, ctx->interruptible);
		if (ret || !quire_submit_object_is_placed(submit, index))
			return ret ?: -EIO;
	}
	if (!moves)
		return 0;
	submit->bytes_in += submit->list.objects[index].size;
	if (drm_WARN_ON(&submit->qdev->drm, !quire_submit_object_is_placed(submit, index)))
		return -EIO;
	return 0;
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

static struct quire_submit *to_submit(struct quire_commands *commands)
{
	return container_of(commands, struct quire_submit, commands);
}

static u32 part_index(const struct quire_split_part *part, u32 i)
{
	return part->objects ? part->objects[i] : i;
}

static int part_depend(struct quire_commands *commands, struct drm_sched_job *job)
{
	struct quire_submit *submit = to_submit(commands);
	int ret = 0;
	u32 i;

	for (i = 0; i < submit->part->nr_objects && !ret; i++) {
		struct quire_submit_object *object = &submit->objects[part_index(submit->part, i)];
		struct dma_resv *resv = object->bo->base.base.resv;

		/* Two objects may share it, one of which is written, and the other one read. */
		ret = dma_resv_reserve_fences(resv, 2) ?:
		      drm_sched_job_add_resv_dependencies(job, resv,
							  dma_resv_usage_rw(object->writes));
	}
	return ret;
}

static void part_patch(struct quire_commands *commands, void *to, u32 start, u32 end)
{
	unsigned int times = READ_ONCE(quire_options.patch_commands_twice) ? 2 : 1;
	struct quire_submit *submit = to_submit(commands);

	while (times--)
		quire_command_patch(to, &submit->list, submit->fields, start, end,
				    submit->addresses);
}

static void part_publish(struct quire_commands *commands)
{
	struct quire_submit *submit = to_submit(commands);
	u32 i;

	for (i = 0; i < submit->part->nr_objects; i++) {
		struct quire_submit_object *object = &submit->objects[part_index(submit->part, i)];

		dma_resv_add_fence(object->bo->base.base.resv, commands->fence,
				   object->writes ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
	}
}

const struct quire_commands_ops quire_submit_ops = {
	.depend = part_depend,
	.patch = part_patch,
	.publish = part_publish,
};

/**
 * quire_submit_part - reserve the objects of a part, bring them to their places, and queue it
 * @submit: the submission, with nothing reserved; the device is entered
 * @part: its bytes and objects; without an array of these they are all that there are
 * @interruptible: a signal ends the wait for a reservation
 * @place: brings an object, which is reserved, to &quire_submit.addresses
 * Returns: 0; what @place returns; as quire_commands_queue(); -EINTR, -ENOMEM.
 * Source: DXGKDDI_PATCH.
 */
int quire_submit_part(struct quire_submit *submit, const struct quire_split_part *part,
		      bool interruptible, int (*place)(struct quire_submit *submit, u32 index))
{
	/* Objects of other drivers may share a reservation. */
	u32 i, flags = DRM_EXEC_IGNORE_DUPLICATES;
	struct drm_exec exec;
	int ret = 0;

	if (interruptible)
		flags |= DRM_EXEC_INTERRUPTIBLE_WAIT;
	drm_exec_init(&exec, flags, part->nr_objects);
	/* TTM locks victims with the same ticket, so objects are placed before locking ends. */
	drm_exec_until_all_locked(&exec) {
		ret = 0;
		for (i = 0; i < part->nr_objects && !ret; i++) {
			struct quire_bo *bo = submit->objects[part_index(part, i)].bo;

			ret = drm_exec_lock_obj(&exec, &bo->base.base);
		}
		drm_exec_retry_on_contention(&exec);
		for (i = 0; i < part->nr_objects && !ret; i++)
			ret = place(submit, part_index(part, i));
		if (ret)
			break;
	}
	submit->part = part;
	ret = ret ?: quire_commands_queue(&submit->commands, 0, part->start, part->end);
	drm_exec_fini(&exec);
	return ret;
}
