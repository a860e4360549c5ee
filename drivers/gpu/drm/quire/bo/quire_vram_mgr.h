/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VRAM_MGR_H
#define QUIRE_VRAM_MGR_H

#include <linux/types.h>

#include "core/quire_placement.h"
#include "queue/quire_vram_types.h"

struct quire_device;

/* Packets of a slide, at most: one paging buffer has them, so they are all executed, or none. */
#define QUIRE_SLIDE_PACKETS	1024

/* Is every byte of a resource of %QUIRE_PL_VRAM inside of BAR 2? */
static inline bool quire_vram_is_visible(struct ttm_resource *res)
{
	return to_quire_vram_resource(res)->visible_used >= res->size;
}

/* Do the pages of a place on the device follow each other, from its start? */
static inline bool quire_vram_is_one_run(const struct ttm_resource *res)
{
	return res->mem_type != QUIRE_PL_VRAM || res->placement & TTM_PL_FLAG_CONTIGUOUS;
}

int quire_vram_mgr_init(struct quire_device *qdev);
void quire_vram_mgr_fini(struct quire_vram_mgr *mgr);
u64 quire_vram_page_offset(struct ttm_resource *res, u64 page);
int quire_vram_slide(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres,
		     struct quire_vram_resource *old, u64 first, u64 last, u64 alignment);
void quire_vram_slide_end(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres);

#endif
