// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the device was told of native fences (quire_native.c), to be told again after a reset.
 *
 * It is noted when the ring gets the notice, not when that is executed: a fence is moved when all
 * commands that can signal it are done, and later commands wait for the move. So telling the device
 * too early does no harm, and a pending notice is told once more.
 *
 * Locking: &quire_natives.lock, a leaf.
 */
#include <linux/device.h>
#include <linux/slab.h>

#include "paging/quire_paging.h"
#include "core/quire_device_types.h"
#include "quire_natives.h"

static void natives_fini(void *places)
{
	kvfree(places);
}

/**
 * quire_natives_init - allocate the table, empty
 * @qdev: the device (devres)
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_natives_init(struct quire_device *qdev)
{
	struct quire_natives *natives = qdev->natives;

	spin_lock_init(&natives->lock);
	natives->places = kvcalloc(QUIRE_NATIVE_FENCES, sizeof(*natives->places), GFP_KERNEL);
	if (!natives->places)
		return -ENOMEM;
	return devm_add_action_or_reset(qdev->drm.dev, natives_fini, natives->places);
}

/**
 * quire_natives_note - note what the ring is given to tell
 * @natives: native fences
 * @packet: built by the builder
 *
 * Any context.
 *
 * Source: DXGK_BUILDPAGINGBUFFER_NOTIFYFENCERESIDENCY.
 */
void quire_natives_note(struct quire_natives *natives,
			const struct quire_packet_notify_fences *packet)
{
	u32 bytes = le32_to_cpu(packet->header.size) - sizeof(*packet);
	u32 i, number, count = bytes / sizeof(*packet->fences);
	unsigned long flags;

	spin_lock_irqsave(&natives->lock, flags);
	for (i = 0; i < count; i++) {
		const struct quire_fence_place *from = &packet->fences[i];

		number = le32_to_cpu(from->fence);
		natives->places[number] = (struct quire_paging_fence_residency) {
			.native_fence = number,
			.owner = le64_to_cpu(from->owner),
			.current_value_address = le64_to_cpu(from->current_value),
			.monitored_value_address = le64_to_cpu(from->monitored_value),
		};
	}
	spin_unlock_irqrestore(&natives->lock, flags);
}

/**
 * quire_natives_next - find the next fences that have a place
 * @natives: native fences
 * @at: first number to look at; returned: where to go on
 * @fences: returned: what was noted of them
 * @most: size of @fences
 *
 * Returns: their number; 0: there are no more.
 */
u32 quire_natives_next(struct quire_natives *natives, u32 *at,
		       struct quire_paging_fence_residency *fences, u32 most)
{
	unsigned long flags;
	u32 count = 0;

	spin_lock_irqsave(&natives->lock, flags);
	for (; *at < QUIRE_NATIVE_FENCES && count < most; (*at)++)
		if (natives->places[*at].owner)
			fences[count++] = natives->places[*at];
	spin_unlock_irqrestore(&natives->lock, flags);
	return count;
}
