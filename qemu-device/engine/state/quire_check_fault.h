/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: what is true of fault registers.
 */
#ifndef QUIRE_CHECK_FAULT_H
#define QUIRE_CHECK_FAULT_H

#include "../core/quire_engine_types.h"

const char *quire_check_fault(const struct quire_engine *engine, const struct quire_ring *ring);

#endif
