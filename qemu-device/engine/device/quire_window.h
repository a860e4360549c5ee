/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the window of the aperture.
 */
#ifndef QUIRE_WINDOW_H
#define QUIRE_WINDOW_H

#include "../core/quire_engine_types.h"

uint64_t quire_window_read(struct quire_engine *engine, uint64_t offset, unsigned int size);
void quire_window_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
			uint64_t value);

#endif
