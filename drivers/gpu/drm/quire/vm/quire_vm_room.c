// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Room for what is bound
 *
 * What is executed or bound in an address space needs its objects where the device can access
 * them: in VRAM, in any pages; or in the aperture, if there is no room in VRAM, they may not be
 * there, or somebody else is at work with them. As everywhere, tries run side by side, and who
 * finds no room waits for his turn (quire_turn.c), in which errors are exact. Nobody waits for
 * fences of others with something reserved, or in his turn.
 *
 * Locking: the reservation of an object, for quire_vm_attempt_place().
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include <drm/ttm/ttm_placement.h>

#include "core/quire_device_types.h"
#include "core/quire_patience.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_bo_room.h"
#include "bo/quire_passed_over.h"
#include "bo/quire_turn.h"
#include "quire_vm.h"
#include "quire_vm_room.h"

/* VRAM and the aperture. */
#define MAX_PLACES	2

/* Tiles are in VRAM and nowhere else. */
static bool may_be_in_aperture(const struct quire_bo *bo)
{
	return quire_bo_allows(bo, QUIRE_PL_APERTURE) && !quire_bo_is_tiled(bo);
}

/**
 * quire_vm_can_place - could the device ever access an object by virtual addresses?
 * @bo: the object
 *
 * Returns: true if it may be in VRAM or the aperture, or is a monitored fence.
 */
bool quire_vm_can_place(const struct quire_bo *bo)
{
	return quire_bo_is_fence(bo) || quire_bo_allows(bo, QUIRE_PL_VRAM) ||
	       may_be_in_aperture(bo);
}

static bool is_placed(const struct quire_bo *bo, bool stays)
{
	switch (quire_bo_mem_type(&bo->base)) {
	case QUIRE_PL_VRAM:
		return true;
	case QUIRE_PL_APERTURE:
		return may_be_in_aperture(bo) && !bo->unmapped && stays;
	default:
		return false;
	}
}

/* Of a native fence the CPU has to see the values wherever it is. */
static u64 vram_end(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	u64 end = qdev->vram_mgr->manager.size;

	return quire_bo_is_native_fence(bo) ? min(end, qdev->vram_visible) : end;
}

static unsigned int init_places(struct quire_bo *bo, bool vram, struct ttm_place *places)
{
	unsigned int count = 0;

	if (vram)
		places[count++] = (struct ttm_place) {
			.mem_type = QUIRE_PL_VRAM,
			.lpfn = vram_end(bo) >> PAGE_SHIFT,
			.flags = TTM_PL_FLAG_TOPDOWN,
		};
	if (may_be_in_aperture(bo)) {
		quire_bo_aperture_place(bo, &places[count]);
		if (count)
			places[count].flags |= TTM_PL_FLAG_FALLBACK;
		count++;
	}
	return count;
}

/* One after the other: room that is free, then that of others. Errors are exact. */
static int place_alone(struct quire_bo *bo, struct ttm_place *places, unsigned int count,
		       struct ttm_operation_ctx *ctx)
{
	int ret = -ENOSPC;
	unsigned int i;

	for (i = 0; i < count && ret == -ENOSPC; i++) {
		places[i].flags &= ~TTM_PL_FLAG_FALLBACK;
		ret = quire_bo_take_room(bo, &places[i], ctx);
	}
	return ret;
}

/* Is one of the segments where it may be large enough for it alone? */
static bool could_fit(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	u64 vram = qdev->vram_mgr->manager.size;

	return may_be_in_aperture(bo) || quire_bo_size_in(bo, QUIRE_PL_VRAM) <= vram;
}

static int attempt_wait_for(struct quire_vm_attempt *attempt, struct quire_bo *bo)
{
	drm_gem_object_get(&bo->base.base);
	attempt->busy = bo;
	return -EAGAIN;
}

static int check(struct quire_bo *bo)
{
	struct drm_device *drm = &quire_bo_device(bo)->drm;

	if (quire_bo_is_purged(bo))
		return quire_refuse(drm, -ENODATA, "an object that is bound is purged");
	if (bo->base.pin_count && !quire_bo_is_fence(bo))
		return quire_refuse(drm, -EBUSY, "an object that is bound is pinned by others");
	return 0;
}

/**
 * quire_vm_attempt_place - bring an object to where the device can access it
 * @attempt: one that runs
 * @bo: the object, reserved, by who has a ticket
 *
 * Done when the move is queued.
 *
 * Returns: 0; -ENODATA it is purged; -EBUSY others have pinned it; -EAGAIN others are at work with
 * it, and it has to move; -ENOSPC, -ENOMEM there is no room, exactly if @attempt is alone;
 * -ENODEV; -ERESTARTSYS.
 */
int quire_vm_attempt_place(struct quire_vm_attempt *attempt, struct quire_bo *bo)
{
	struct ttm_operation_ctx ctx = {
		.interruptible = attempt->interruptible,
		.gfp_retry_mayfail = true,
	};
	bool vram = quire_bo_allows(bo, QUIRE_PL_VRAM);
	struct ttm_place places[MAX_PLACES];
	unsigned int count;
	bool others;
	int ret;

	ret = check(bo);
	if (ret || quire_bo_is_fence(bo))
		return ret;
	if (!could_fit(bo)) {
		attempt->hopeless = true;
		return -ENOSPC;
	}
	others = quire_bo_has_others(bo);
	if (!is_placed(bo, others || !vram)) {
		/* What others look at does not change, and commands look at the aperture. */
		count = init_places(bo, vram && !others, places);
		if (!count || (others && (bo->unmapped || quire_bo_has_commands(bo))))
			return attempt_wait_for(attempt, bo);
		if (bo->unmapped)
			ret = quire_bo_validate(bo, &quire_system_place, 1, &ctx);
		if (!ret)
			ret = attempt->alone ? place_alone(bo, places, count, &ctx) :
					       quire_bo_validate(bo, places, count, &ctx);
	}
	if (!ret)
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
	return ret;
}

static int attempt_once(struct quire_vm_attempt *attempt)
{
	int ret;

	quire_room_try(attempt->vm->qdev, &attempt->tries);
	attempt->refused = U64_MAX;
	attempt->hopeless = false;
	ret = attempt->try(attempt);
	/* TTM waits for the lock of a victim, and says what that says. */
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

static int attempt_with_turn(struct quire_vm_attempt *attempt)
{
	int ret;

	quire_room_begin(attempt->vm->qdev, &attempt->tries);
	do {
		ret = attempt_once(attempt);
		if (ret != -ENOSPC || attempt->hopeless)
			return ret;
		if ((attempt->interruptible && signal_pending(current)) ||
		    fatal_signal_pending(current))
			return -ERESTARTSYS;
	} while (quire_room_try_again(attempt->vm->qdev, &attempt->tries));
	return ret;
}

static int attempt_in_turn(struct quire_vm_attempt *attempt)
{
	struct quire_turn *turn = attempt->vm->qdev->turn;
	struct quire_ticket *ticket = &attempt->vm->ticket;
	int ret;

	if (quire_turn_enter(turn, ticket)) {
		attempt->alone = false;
		attempt->interruptible = true;
		ret = attempt_once(attempt);
		quire_turn_exit(turn, ticket, ret == -ERESTARTSYS);
		if (!quire_is_no_room(ret) || attempt->hopeless || !turn->fair)
			return ret;
	}

	ret = quire_turn_begin(turn, ticket, &attempt->interruptible);
	if (ret)
		return ret;
	attempt->alone = true;
	ret = attempt_with_turn(attempt);
	quire_turn_end(turn, ticket, ret == -ERESTARTSYS);
	return ret;
}

static int attempt_locked(struct quire_vm_attempt *attempt)
{
	int ret;

	if (!attempt->lock)
		return attempt_in_turn(attempt);
	if (mutex_lock_interruptible(attempt->lock))
		return -ERESTARTSYS;
	ret = attempt_in_turn(attempt);
	mutex_unlock(attempt->lock);
	return ret;
}

/* After a try that ended with @ret. Returns: 1 to try again; 0; -ERESTARTSYS; -ENOMEM. */
static int attempt_wait(struct quire_vm_attempt *attempt, int ret,
			struct quire_patience *patience)
{
	struct quire_device *qdev = attempt->vm->qdev;
	long left = 0;

	if (ret == -EAGAIN)
		left = quire_bo_wait_others(attempt->busy, true, quire_patience_left(patience));
	else if (ret == -ENOSPC && !attempt->hopeless && qdev->turn->fair)
		left = quire_room_wait(qdev, &attempt->tries, true,
				       quire_patience_left(patience));
	return left > 0 ? 1 : left;
}

static void attempt_forget_busy(struct quire_vm_attempt *attempt)
{
	if (attempt->busy)
		drm_gem_object_put(&attempt->busy->base.base);
	attempt->busy = NULL;
}

/**
 * quire_vm_attempt_run - try until it comes to something
 * @attempt: @vm, @try and @lock are set, all else is zero
 *
 * To be called with nothing reserved, and outside of drm_dev_enter().
 *
 * Returns: 0; -ENOSPC there is no room, or others were at work for 15 seconds with what is in the
 * way; -EBUSY they were with what has to move; -ERESTARTSYS a signal came first; other errors of
 * &quire_vm_attempt.try.
 */
int quire_vm_attempt_run(struct quire_vm_attempt *attempt)
{
	struct quire_passed_over *passed_over = attempt->vm->qdev->passed_over;
	struct quire_patience patience;
	unsigned long begin;
	int ret, more;

	quire_take_patience(&attempt->vm->patience, &patience);
	quire_room_start(attempt->vm->qdev, &attempt->tries);
	quire_passed_over_begin(passed_over);
	do {
		attempt_forget_busy(attempt);
		begin = jiffies;
		ret = attempt_locked(attempt);
		quire_patience_tried(&patience, begin);
		more = attempt_wait(attempt, ret, &patience);
	} while (more > 0);
	attempt_forget_busy(attempt);
	quire_passed_over_end(passed_over);
	if (more < 0)
		ret = more;
	if (ret == -ERESTARTSYS)
		quire_keep_patience(&attempt->vm->patience, &patience);
	return ret == -EAGAIN ? -EBUSY : ret;
}
