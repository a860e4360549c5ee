// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "quire_bo.h"
#include "quire_device.h"
#include "paging/quire_paging_list.h"

#define CREATE_TRACE_POINTS
#include "quire_trace.h"
