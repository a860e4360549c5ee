// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "quire_placement.h"

const struct ttm_place quire_system_place = { .mem_type = QUIRE_PL_SYSTEM };
