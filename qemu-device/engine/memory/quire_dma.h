/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: small accesses to system memory.
 */
#ifndef QUIRE_DMA_H
#define QUIRE_DMA_H

#include "../core/quire_engine_types.h"

uint64_t quire_dma_read(struct quire_engine *engine, uint64_t addr, void *to, uint64_t len);
bool quire_dma_write(struct quire_engine *engine, uint64_t addr, const void *from,
		     uint64_t len);
bool quire_dma_read32(struct quire_engine *engine, uint64_t addr, uint32_t *value);

#endif
