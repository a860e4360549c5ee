/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: interrupts.
 */
#ifndef QUIRE_INTERRUPT_H
#define QUIRE_INTERRUPT_H

#include "../core/quire_engine_types.h"

void quire_interrupt(struct quire_engine *engine, unsigned int vector);
bool quire_engine_take_interrupt(struct quire_engine *engine, unsigned int *vector);

#endif
