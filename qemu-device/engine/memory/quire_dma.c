// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: small accesses to system memory.
 *
 * For ring entries, write pointers, submissions and physical accesses. Bulk
 * data goes through quire_copy.c, without a copy in between.
 */
#include <string.h>

#include "../core/quire_numbers.h"
#include "quire_dma.h"

/**
 * quire_dma_read - copy from system memory
 * @engine: the engine
 * @addr: DMA address, as the guest gave it; @addr + @len does not wrap
 * @to: where to
 * @len: bytes
 *
 * Return: the bytes that could be read, from the front; less than @len is a fault at the
 * next one.
 */
uint64_t quire_dma_read(struct quire_engine *engine, uint64_t addr, void *to, uint64_t len)
{
	uint64_t done = 0;

	while (done < len) {
		uint64_t n = len - done;
		void *from = engine->ops->dma_map(engine->opaque, addr + done, &n, false);

		if (!from)
			break;
		n = quire_min(n, len - done);
		memcpy((uint8_t *)to + done, from, n);
		engine->ops->dma_unmap(engine->opaque, from, n, false, n);
		if (!n)
			break;
		done += n;
	}
	return done;
}

/* Aligned words are stored whole: a reader of the guest that polls one sees no part of it. */
static void quire_store_words(uint8_t *to, const uint8_t *from, uint64_t len)
{
	while (len) {
		uint64_t n = 1, word;

		if (len >= 8 && !((uintptr_t)to & 7)) {
			n = 8;
			memcpy(&word, from, n);
			__atomic_store_n((uint64_t *)(void *)to, word, __ATOMIC_RELAXED);
		} else if (len >= 4 && !((uintptr_t)to & 3)) {
			uint32_t half;

			n = 4;
			memcpy(&half, from, n);
			__atomic_store_n((uint32_t *)(void *)to, half, __ATOMIC_RELAXED);
		} else {
			*to = *from;
		}
		to += n;
		from += n;
		len -= n;
	}
}

/**
 * quire_dma_write - copy to system memory
 * @engine: the engine
 * @addr: DMA address, as the guest gave it; @addr + @len does not wrap
 * @from: where from
 * @len: bytes
 *
 * Words of 4 and 8 bytes that lie aligned are stored whole.
 *
 * Return: false if not all of it can be written; a part may have been.
 */
bool quire_dma_write(struct quire_engine *engine, uint64_t addr, const void *from, uint64_t len)
{
	uint64_t done = 0;

	while (done < len) {
		uint64_t n = len - done;
		void *to = engine->ops->dma_map(engine->opaque, addr + done, &n, true);

		if (!to)
			return false;
		n = quire_min(n, len - done);
		quire_store_words(to, (const uint8_t *)from + done, n);
		engine->ops->dma_unmap(engine->opaque, to, n, true, n);
		if (!n)
			return false;
		done += n;
	}
	return true;
}

/**
 * quire_dma_read32 - one load from system memory
 * @engine: the engine
 * @addr: DMA address
 * @value: what is there, little endian in memory
 *
 * Ordered before all later accesses: what the guest wrote before it stored this value is
 * seen after it.
 *
 * Return: false if it can not be read at once: not memory, or not aligned.
 */
bool quire_dma_read32(struct quire_engine *engine, uint64_t addr, uint32_t *value)
{
	uint64_t len = sizeof(*value);
	uint32_t *from = engine->ops->dma_map(engine->opaque, addr, &len, false);
	uint32_t raw = 0;
	bool ok;

	if (!from)
		return false;
	ok = len == sizeof(*value) && !((uintptr_t)from & 3);
	if (ok)
		raw = __atomic_load_n(from, __ATOMIC_ACQUIRE);
	engine->ops->dma_unmap(engine->opaque, from, len, false, len);
	*value = quire_get_le32(&raw);
	return ok;
}
