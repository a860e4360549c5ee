/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: the write buffer.
 */
#ifndef QUIRE_POSTED_H
#define QUIRE_POSTED_H

#include <stddef.h>

#include "../core/quire_engine_types.h"

void quire_posted_hold(struct quire_engine *engine, uint64_t addr, const void *from,
		       uint32_t len);
void *quire_posted_search(struct quire_engine *engine, uint64_t addr, uint64_t *len);
void quire_posted_write_overlapped(struct quire_engine *engine, uint64_t addr, uint64_t len);
void quire_posted_flush(struct quire_engine *engine);
void quire_posted_drop(struct quire_engine *engine);
void quire_posted_count(struct quire_engine *engine);
const char *quire_check_posted(const struct quire_engine *engine);

/**
 * quire_posted_read - bytes that are here and not in memory
 * @engine: the engine
 * @addr: DMA address
 * @len: bytes that are wanted, at least 1; cut where what is here begins or ends
 *
 * Return: the bytes, as they are until the next call with another purpose; NULL if those
 * at @addr are in memory.
 */
static inline void *quire_posted_read(struct quire_engine *engine, uint64_t addr, uint64_t *len)
{
	return engine->posted.total ? quire_posted_search(engine, addr, len) : NULL;
}

/**
 * quire_posted_give_way - bytes are written past the buffer
 * @engine: the engine
 * @addr: DMA address
 * @len: bytes, at least 1; @addr + @len may be 2^64
 *
 * What they overlap is written to memory first.
 */
static inline void quire_posted_give_way(struct quire_engine *engine, uint64_t addr, uint64_t len)
{
	if (engine->posted.total)
		quire_posted_write_overlapped(engine, addr, len);
}

#endif
