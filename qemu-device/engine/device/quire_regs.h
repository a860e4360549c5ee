/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the registers.
 */
#ifndef QUIRE_REGS_H
#define QUIRE_REGS_H

#include "../core/quire_engine_types.h"

uint64_t quire_regs_read(struct quire_engine *engine, uint64_t offset, unsigned int size);
void quire_regs_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
		      uint64_t value);

#endif
