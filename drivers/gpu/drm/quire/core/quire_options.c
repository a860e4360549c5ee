// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <kunit/visibility.h>
#include <linux/export.h>

#include "quire_options.h"

struct quire_options quire_options;
EXPORT_SYMBOL_IF_KUNIT(quire_options);
