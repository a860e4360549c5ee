/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_PLACE_H
#define QUIRE_BO_PLACE_H

#include <linux/types.h>

struct dma_fence;
struct quire_bo;

int quire_bo_place(struct quire_bo *bo, u32 mem_type, u32 flags, struct dma_fence **moved);

#endif
