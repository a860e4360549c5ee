/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: what is true whenever no call is under way.
 */
#ifndef QUIRE_CHECK_H
#define QUIRE_CHECK_H

#include "../core/quire_engine_types.h"

const char *quire_engine_check(const struct quire_engine *engine);

#endif
