// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: small accesses to system memory.
 *
 * For ring entries, write pointers, submissions and physical accesses. Bulk
 * data goes through quire_copy.c, without a copy in between.
 *
 * What the host has named as sections is reached by their pointers, and the host is told what
 * was written there; all other memory it maps and unmaps.
 */
#include <string.h>

#include "../core/quire_numbers.h"
#include "quire_dma.h"

/**
 * quire_section_search - the section of an address
 * @engine: the engine; it remembers what is found
 * @addr: DMA address
 *
 * Return: NULL if it is in none.
 */
const struct quire_section *quire_section_search(struct quire_engine *engine, uint64_t addr)
{
	uint32_t first = 0, end = engine->section_count;
	const struct quire_section *section;

	if (!end)
		return NULL;
	/* The last one that begins at or below it is in front of @end. */
	while (end - first > 1) {
		uint32_t middle = first + (end - first) / 2;

		if (addr < engine->sections[middle].addr)
			end = middle;
		else
			first = middle;
	}
	section = &engine->sections[first];
	if (addr - section->addr >= section->size)
		return NULL;
	engine->section = section;
	return section;
}

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
	const struct quire_section *section;
	uint64_t done = 0;

	while (done < len) {
		uint64_t n = len - done;
		void *from = quire_dma_map(engine, addr + done, &n, false, &section);

		if (!from)
			break;
		n = quire_min(n, len - done);
		memcpy((uint8_t *)to + done, from, n);
		quire_dma_unmap(engine, section, from, n, false, n);
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
	const struct quire_section *section;
	uint64_t done = 0;

	while (done < len) {
		uint64_t n = len - done;
		void *to = quire_dma_map(engine, addr + done, &n, true, &section);

		if (!to)
			return false;
		n = quire_min(n, len - done);
		quire_store_words(to, (const uint8_t *)from + done, n);
		quire_dma_unmap(engine, section, to, n, true, n);
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
	const struct quire_section *section;
	uint64_t len = sizeof(*value);
	uint32_t *from = quire_dma_map(engine, addr, &len, false, &section);
	uint32_t raw = 0;
	bool ok;

	if (!from)
		return false;
	ok = len == sizeof(*value) && !((uintptr_t)from & 3);
	if (ok)
		raw = __atomic_load_n(from, __ATOMIC_ACQUIRE);
	quire_dma_unmap(engine, section, from, len, false, len);
	*value = quire_get_le32(&raw);
	return ok;
}

/**
 * quire_dma_write64 - one store to system memory
 * @engine: the engine
 * @addr: DMA address, a multiple of 8
 * @value: to be stored, little endian in memory
 *
 * Ordered after all earlier accesses.
 *
 * Return: false if it can not be written at once.
 */
bool quire_dma_write64(struct quire_engine *engine, uint64_t addr, uint64_t value)
{
	const struct quire_section *section = quire_section_of(engine, addr);
	uint64_t offset, raw;
	uint8_t bytes[8];
	void *to;

	if (!section)
		return engine->ops->dma_write64(engine->opaque, addr, value);
	offset = addr - section->addr;
	to = section->ptr + offset;
	if (section->size - offset < sizeof(raw) || (uintptr_t)to & (sizeof(raw) - 1))
		return false;
	quire_put_le64(bytes, value);
	memcpy(&raw, bytes, sizeof(raw));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n((uint64_t *)to, raw, __ATOMIC_RELAXED);
	engine->ops->dma_dirty(engine->opaque, section, offset, sizeof(raw));
	return true;
}
