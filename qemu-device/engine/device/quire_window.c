// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the window of the aperture.
 *
 * The CPU sees pages of the aperture in BAR 1: those that were mapped for it to see. Its
 * accesses are the device's, by the same entry and to the same memory as those of packets.
 * So they find what the device has written there, also what is in the write buffer: that
 * goes to memory first, where what the CPU writes goes, too.
 *
 * An access is at most 8 bytes, and done at once, page by page.
 */
#include <string.h>

#include "../core/quire_numbers.h"
#include "../memory/quire_aperture.h"
#include "../memory/quire_dma.h"
#include "../memory/quire_posted.h"
#include "quire_window.h"

/* DMA address of the byte at @offset of the window; false if the CPU does not see it. */
static bool quire_window_addr(const struct quire_engine *engine, uint64_t offset, uint64_t *addr)
{
	struct quire_place place;

	/* Entries that are loaded are not accepted yet. */
	if (engine->loading || offset >= engine->window_size ||
	    !(engine->aperture[offset >> QUIRE_PAGE_SHIFT] & QUIRE_APERTURE_CPU_VISIBLE) ||
	    !quire_aperture_next(engine, offset, 1, &place))
		return false;
	*addr = place.addr;
	return true;
}

/* What is posted of a page goes to memory, if that can be reached: else it waits. */
static void quire_window_flush(struct quire_engine *engine, uint64_t addr)
{
	uint8_t byte;

	if (engine->posted.total && quire_dma_read(engine, addr, &byte, 1))
		quire_posted_give_way(engine, addr & ~(QUIRE_PAGE_SIZE - 1), QUIRE_PAGE_SIZE);
}

/* Bytes of one page; false if they are nowhere. */
static bool quire_window_part(struct quire_engine *engine, uint64_t offset, uint8_t *bytes,
			      unsigned int len, bool write)
{
	uint64_t addr;

	if (!quire_window_addr(engine, offset, &addr))
		return false;
	quire_window_flush(engine, addr);
	if (write)
		return quire_dma_write(engine, addr, bytes, len);
	if (quire_dma_read(engine, addr, bytes, len) == len)
		return true;
	memset(bytes, 0xff, len);
	return false;
}

static void quire_window_access(struct quire_engine *engine, uint64_t offset, uint8_t *bytes,
				unsigned int size, bool write)
{
	unsigned int done, len, missed = 0;

	for (done = 0; done < size; done += len) {
		uint64_t at = offset + done;

		len = quire_min(size - done, QUIRE_PAGE_SIZE - (at & (QUIRE_PAGE_SIZE - 1)));
		if (!quire_window_part(engine, at, bytes + done, len, write))
			missed += len;
	}
	if (missed && engine->ops->event)
		engine->ops->event(engine->opaque, QUIRE_EVENT_WINDOW_MISS, 0, offset, missed);
}

/**
 * quire_window_read - the guest reads BAR 1
 * @engine: the engine
 * @offset: byte offset in the BAR
 * @size: bytes of the access, at most 8
 *
 * Return: the value; all bits of what the CPU does not see are set.
 */
uint64_t quire_window_read(struct quire_engine *engine, uint64_t offset, unsigned int size)
{
	uint8_t bytes[8];

	memset(bytes, 0xff, size);
	memset(bytes + size, 0, sizeof(bytes) - size);
	quire_window_access(engine, offset, bytes, size, false);
	return quire_get_le64(bytes);
}

/**
 * quire_window_write - the guest writes BAR 1
 * @engine: the engine
 * @offset: byte offset in the BAR
 * @size: bytes of the access, at most 8
 * @value: what it writes, from its low byte; what the CPU does not see is ignored
 */
void quire_window_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
			uint64_t value)
{
	uint8_t bytes[8];

	quire_put_le64(bytes, value);
	quire_window_access(engine, offset, bytes, size, true);
}
