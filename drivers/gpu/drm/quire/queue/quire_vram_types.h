/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VRAM_TYPES_H
#define QUIRE_VRAM_TYPES_H

#include <linux/mutex.h>

#include <drm/ttm/ttm_resource.h>

#include "core/quire_compat.h"

struct quire_mmu_range;
struct quire_vram_resource;

/**
 * struct quire_vram_mgr - segment 1
 * @manager: base; its size is in bytes
 * @mm: buddy allocator over all of VRAM
 * @lock: protects @mm and @visible_used
 * @visible_size: bytes that the CPU can reach, from the start
 * @visible_used: bytes in use there
 * @contiguous: every resource is one run of pages, because the CPU copies it
 * @leave: called before a place becomes free; does not sleep
 */
struct quire_vram_mgr {
	struct ttm_resource_manager manager;
	struct gpu_buddy mm;
	struct mutex lock; /* protects mm, visible_used */
	u64 visible_size;
	u64 visible_used;
	bool contiguous;
	void (*leave)(struct quire_vram_resource *vres);
};

/**
 * struct quire_vram_resource - pages of one object in VRAM
 * @base: base; its start is the first page
 * @mgr: whose it is
 * @blocks: buddy blocks in the order of the object, never changed; of one that has slid in no
 *          order, and there may be more than it needs
 * @slid: it is the run from its start on, whatever @blocks say
 * @from: place that the object is about to leave, and that has a part of this one; or NULL
 * @to: place that the object is about to get, and that has a part of this one; or NULL
 * @visible_used: bytes of it that the CPU can reach
 * @range: pages of an MMU that show it, or NULL; has &quire_mmu.lock
 * @found: block that quire_vram_page_offset() found last, or NULL
 * @found_page: page of the object that @found begins with
 */
struct quire_vram_resource {
	struct ttm_resource base;
	struct quire_vram_mgr *mgr;
	struct list_head blocks;
	bool slid;
	struct quire_vram_resource *from;
	struct quire_vram_resource *to;
	u64 visible_used;
	struct quire_mmu_range *range;
	struct gpu_buddy_block *found;
	u64 found_page;
};

static inline struct quire_vram_resource *to_quire_vram_resource(struct ttm_resource *res)
{
	return container_of(res, struct quire_vram_resource, base);
}

/* Bytes of a range of VRAM that the CPU can reach. */
static inline u64 quire_vram_visible(const struct quire_vram_mgr *mgr, u64 start, u64 end)
{
	return min(end, mgr->visible_size) - min(start, mgr->visible_size);
}

#endif
