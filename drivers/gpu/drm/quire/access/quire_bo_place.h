/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_PLACE_H
#define QUIRE_BO_PLACE_H

/**
 * DOC: Layer access
 *
 * Calls of programs about objects: creation and import, BO_PLACE, MAKE_RESIDENT and EVICT. They
 * wait for other users of an object with nothing held, take their turn, and then move it.
 *
 * In: ioctls. Out: quire_bo_validate(). May use: all before it, up to vm.
 */

#include <linux/types.h>

struct dma_fence;
struct quire_bo;
struct quire_usage;

int quire_bo_place(struct quire_bo *bo, u32 mem_type, u32 flags, struct quire_usage *usage,
		   struct dma_fence **moved);

#endif
