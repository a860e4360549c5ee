// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * SPECIAL_LOCK_TRANSFER: an image moves between VRAM and the pages of its alternate view,
 * which programs use meanwhile. So it always converts, and tells the device which swizzling
 * range showed it. There is no offset into the list of pages: it begins with the first page
 * of the sub-transfer.
 */
#include <linux/errno.h>
#include <linux/limits.h>

#include "quire_paging_internal.h"
#include "quire_paging_swizzle.h"

/* What the packet has room for. */
static bool range_is_good(const struct quire_paging_special_lock *lock)
{
	if (lock->swizzling_range_id == QUIRE_PAGING_NO_RANGE)
		return !lock->swizzling_range_data;

	return lock->swizzling_range_id < QUIRE_RANGE_MAX && lock->swizzling_range_data <= U16_MAX;
}

static int special_lock_check(const struct quire_paging_caps *caps,
			      const struct quire_paging_args *args, u64 *elements)
{
	const struct quire_paging_special_lock *lock = &args->u.special_lock;
	bool swizzles = lock->flags & QUIRE_TRANSFER_SWIZZLE;
	const struct quire_paging_location *pages = swizzles ? &lock->source : &lock->destination;

	if (!quire_paging_converts(&args->u.transfer) || !range_is_good(lock))
		return -EINVAL;
	if (pages->segment != QUIRE_SEGMENT_SYSTEM)
		return -EINVAL;
	if (pages->start)
		return -ERANGE;

	return quire_paging_transfer_check(caps, args, elements);
}

const struct quire_paging_operation_ops quire_paging_special_lock_ops = {
	.name = "SPECIAL_LOCK_TRANSFER",
	.opcode = QUIRE_OP_SPECIAL_LOCK,
	.may_be_busy = true,
	.check = special_lock_check,
	.pages = quire_paging_swizzle_elements,
	.build = quire_paging_swizzle_build,
};
