/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_NATIVES_H
#define QUIRE_NATIVES_H

#include <linux/spinlock.h>
#include <quire/quire_hw.h>

struct quire_device;
struct quire_packet_notify_fences;
struct quire_paging_fence_residency;

/* Of the page of a native fence: where its values are. */
#define QUIRE_NATIVE_CURRENT	0
#define QUIRE_NATIVE_MONITORED	64

/**
 * struct quire_natives - native fences of all programs
 * @lock: protects @places; inside of &quire_ring.lock
 * @places: what the ring was last given to tell of each
 */
struct quire_natives {
	spinlock_t lock; /* of the places */
	struct quire_paging_fence_residency *places;
};

int quire_natives_init(struct quire_device *qdev);
void quire_natives_note(struct quire_natives *natives,
			const struct quire_packet_notify_fences *packet);
u32 quire_natives_next(struct quire_natives *natives, u32 *at,
		       struct quire_paging_fence_residency *fences, u32 most);

#endif
