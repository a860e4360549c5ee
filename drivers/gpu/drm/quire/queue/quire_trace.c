// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <drm/drm_device.h>
#include <drm/drm_gem.h>

#include "paging/quire_paging_list.h"

#define CREATE_TRACE_POINTS
#include "quire_trace.h"
