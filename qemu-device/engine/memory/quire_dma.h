/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: small accesses to system memory.
 */
#ifndef QUIRE_DMA_H
#define QUIRE_DMA_H

#include "../core/quire_engine_types.h"
#include "../core/quire_numbers.h"

const struct quire_section *quire_section_search(struct quire_engine *engine, uint64_t addr);
uint64_t quire_dma_read(struct quire_engine *engine, uint64_t addr, void *to, uint64_t len);
bool quire_dma_write(struct quire_engine *engine, uint64_t addr, const void *from,
		     uint64_t len);
bool quire_dma_read32(struct quire_engine *engine, uint64_t addr, uint32_t *value);
bool quire_dma_write64(struct quire_engine *engine, uint64_t addr, uint64_t value);

/* The section of an address, or NULL. Mostly it is the one that was found last. */
static inline const struct quire_section *quire_section_of(struct quire_engine *engine,
							   uint64_t addr)
{
	const struct quire_section *section = engine->section;

	if (section && addr - section->addr < section->size)
		return section;
	return quire_section_search(engine, addr);
}

/**
 * quire_dma_map - pointer to system memory
 * @engine: the engine
 * @addr: DMA address
 * @len: bytes that are wanted, at least 1; cut to those that are contiguous
 * @write: for writing
 * @section: returned: where it is, or NULL if the host has mapped it
 *
 * Return: NULL if the address is no memory.
 */
static inline void *quire_dma_map(struct quire_engine *engine, uint64_t addr, uint64_t *len,
				  bool write, const struct quire_section **section)
{
	const struct quire_section *found = quire_section_of(engine, addr);

	*section = found;
	if (!found)
		return engine->ops->dma_map(engine->opaque, addr, len, write);
	*len = quire_min(*len, found->size - (addr - found->addr));
	return found->ptr + (addr - found->addr);
}

/**
 * quire_dma_unmap - end quire_dma_map()
 * @engine: the engine
 * @section: where it is, or NULL
 * @ptr: first byte
 * @len: bytes
 * @write: for writing
 * @touched: bytes that were accessed, from the first one on
 */
static inline void quire_dma_unmap(struct quire_engine *engine,
				   const struct quire_section *section, void *ptr, uint64_t len,
				   bool write, uint64_t touched)
{
	if (!section)
		engine->ops->dma_unmap(engine->opaque, ptr, len, write, touched);
	else if (write && touched)
		engine->ops->dma_dirty(engine->opaque, section, (uint8_t *)ptr - section->ptr,
				       touched);
}

#endif
