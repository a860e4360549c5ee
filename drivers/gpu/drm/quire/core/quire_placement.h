/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PLACEMENT_H
#define QUIRE_PLACEMENT_H

#include <drm/ttm/ttm_placement.h>

/* TTM memory types; their numbers are not those of the segments. */
#define QUIRE_PL_SYSTEM		TTM_PL_SYSTEM
#define QUIRE_PL_VRAM		TTM_PL_VRAM
#define QUIRE_PL_APERTURE	TTM_PL_TT

/* The place of every object that has no other. */
extern const struct ttm_place quire_system_place;

#endif
