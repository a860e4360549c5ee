// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Places of what is bound
 *
 * Commands and binds of an address space need its objects where the device can access them: in
 * VRAM, in any pages; or in the aperture, if VRAM has no room, if the object may not be in VRAM, or
 * if it is in use, as its content does not move then.
 *
 * Locking: the reservation of an object.
 */

#include <drm/ttm/ttm_placement.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_validation.h"
#include "quire_vm.h"
#include "quire_vm_place.h"

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

/* Is one of the segments where it may be large enough for it alone? */
static bool could_fit(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	u64 vram = qdev->vram_mgr->manager.size;

	return may_be_in_aperture(bo) || quire_bo_size_in(bo, QUIRE_PL_VRAM) <= vram;
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
 * quire_vm_validation_init - prepare work in an address space
 * @validation: to initialise; zero
 * @vm: the address space
 * @try: as of &struct quire_validation
 */
void quire_vm_validation_init(struct quire_vm_validation *validation, struct quire_vm *vm,
			      int (*try)(struct quire_validation *validation))
{
	validation->base.qdev = vm->qdev;
	validation->base.batch = (struct quire_batch) { vm->qdev->paging_queue, vm->usage };
	validation->base.position = &vm->position;
	validation->base.try = try;
	validation->vm = vm;
	validation->refused = U64_MAX;
}

/**
 * quire_vm_place - bring an object to where the device can access it
 * @validation: in a try
 * @bo: the object, reserved, by a caller that has a ticket
 *
 * Done when the move is queued.
 *
 * Returns: 0; -ENODATA it is purged; -EBUSY it is pinned, or has to move, and is in use;
 * -ENODEV; errors of quire_validation_place().
 */
int quire_vm_place(struct quire_vm_validation *validation, struct quire_bo *bo)
{
	bool vram = quire_bo_allows(bo, QUIRE_PL_VRAM);
	struct ttm_place places[QUIRE_VALIDATION_PLACES];
	unsigned int count;
	bool others;
	int ret;

	ret = check(bo);
	if (ret || quire_bo_is_fence(bo))
		return ret;
	if (!could_fit(bo)) {
		validation->base.hopeless = true;
		return -ENOSPC;
	}
	others = quire_bo_has_others(bo);
	if (!is_placed(bo, others || !vram)) {
		/* What others look at does not change, and commands look at the aperture. */
		count = init_places(bo, vram && !others, places);
		if (!count || (others && (bo->unmapped || quire_bo_has_commands(bo))))
			return quire_validation_busy(&validation->base, bo);
		if (bo->unmapped)
			ret = quire_bo_validate(bo, &quire_system_place, 1,
						&validation->base.ctx.base);
		ret = ret ?: quire_validation_place(&validation->base, bo, places, count);
	}
	if (!ret)
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
	return ret;
}
