/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VRAM_SLIDE_H
#define QUIRE_VRAM_SLIDE_H

#include <linux/sizes.h>
#include <linux/types.h>

struct quire_vram_mgr;
struct quire_vram_resource;

/*
 * Packets of a slide, at most: all of them are in one paging buffer, and so are handed to the
 * device together, or not at all.
 */
#define QUIRE_SLIDE_PACKETS	1024

int quire_vram_slide(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres,
		     struct quire_vram_resource *old, u64 first, u64 last, u64 alignment);
void quire_vram_slide_end(struct quire_vram_mgr *mgr, struct quire_vram_resource *vres);

#endif
