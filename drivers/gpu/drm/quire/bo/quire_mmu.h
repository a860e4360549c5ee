/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MMU_H
#define QUIRE_MMU_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <drm/drm_mm.h>

#include "queue/quire_discard.h"

struct quire_bo;
struct quire_vram_resource;

/**
 * struct quire_mmu - the ranges of the MMUs
 * @lock: protects the rest but @pages, and &quire_vram_resource.range
 * @pages: of each MMU that the driver uses, from its start; 0: none
 * @mm: pages of all MMUs, one behind the other
 * @used: &struct quire_mmu_range that show a place, least recently used first
 * @leaving: ranges that show no place any more, until the device was told
 */
struct quire_mmu {
	spinlock_t lock; /* of the rest, and of ranges */
	u32 pages;
	struct drm_mm mm;
	struct list_head used;
	struct quire_leaving leaving;
};

void quire_mmu_init(struct quire_mmu *mmu, u32 pages);
void quire_mmu_fini(struct quire_mmu *mmu);
bool quire_mmu_find(struct quire_bo *bo, u64 *address);
int quire_mmu_map(struct quire_bo *bo, struct quire_batch *batch, bool interruptible);
void quire_mmu_leave(struct quire_vram_resource *vres);

#endif
