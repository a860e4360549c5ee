/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VRAM_MGR_H
#define QUIRE_VRAM_MGR_H

#include <linux/types.h>

#include "queue/quire_vram_types.h"

struct ttm_device;

/* Is every byte of a resource of %QUIRE_PL_VRAM inside of BAR 2? */
static inline bool quire_vram_is_visible(struct ttm_resource *res)
{
	return to_quire_vram_resource(res)->visible_used >= res->size;
}

int quire_vram_mgr_init(struct quire_vram_mgr *mgr, struct ttm_device *ttm, u64 size,
			u64 visible_size, bool contiguous);
void quire_vram_mgr_fini(struct quire_vram_mgr *mgr, struct ttm_device *ttm);
u64 quire_vram_page_offset(struct ttm_resource *res, u64 page);
bool quire_vram_is_one_run(struct ttm_resource *res);

#endif
