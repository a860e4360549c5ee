/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_GEM_H
#define QUIRE_GEM_H

#include <linux/types.h>

#include <drm/ttm/ttm_caching.h>

struct quire_bo;
struct quire_device;
struct quire_layout;

struct quire_bo *quire_gem_create(struct quire_device *qdev, u64 size, u32 segments,
				  enum ttm_caching caching, const struct quire_layout *layout);

#endif
