// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compiled twice: as on Linux, and as on a host that is not Linux and has no
 * headers but the compiler's.
 */
#include <stddef.h>

#include "layout-tables.h"
#include "quire_hw.h"
#include "quire_layout.h"

#ifdef __linux__
#define LAYOUT_TABLE layout_linux
#else
#define LAYOUT_TABLE layout_other
#endif

const unsigned long long LAYOUT_TABLE[] = {
#define LAYOUT(name, expected, got) (got),
#include "layout.h"
#undef LAYOUT
};
