// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the write buffer of the aperture.
 *
 * What the device writes through a non-coherent entry is posted: the last bytes
 * of it are here, and not in memory, until they are flushed. A driver that forgets
 * the flush finds old bytes, each time.
 *
 * The buffer is keyed by DMA address and has places for a few pages, of each one
 * run of bytes. They are taken by turns: a page that is still there is then the
 * oldest, and written to memory. So is a run when bytes of its page are written
 * that do not touch it. Of a long copy only what would be left at its end comes
 * here at all: the rest goes straight to memory.
 *
 * The device does not contradict itself. It reads what is here, whatever it
 * reads it through, and what it writes past the buffer makes the run give way
 * that it overlaps: first to memory, then the new bytes over it.
 *
 * All of it is done by the engine itself, as physical accesses are, not beside it:
 * they are no more bytes than it copies between two looks at the clock.
 *
 * Nobody keeps what is behind an address the same until then. A page that was
 * unmapped without a flush is written later all the same, as hardware does it;
 * one that is no memory any more is lost.
 */
#include <string.h>

#include "../core/quire_numbers.h"
#include "quire_dma.h"
#include "quire_posted.h"

static uint64_t quire_posted_in_page(uint64_t addr)
{
	return addr & (QUIRE_PAGE_SIZE - 1);
}

static void quire_posted_forget(struct quire_posted *posted, unsigned int i)
{
	posted->total -= posted->pages[i].len;
	posted->pages[i] = (struct quire_posted_page){ 0 };
}

/* To memory, which may be none any more: nobody is there to be told, but the log. */
static void quire_posted_write(struct quire_engine *engine, unsigned int i)
{
	struct quire_posted *posted = &engine->posted;
	const struct quire_posted_page *page = &posted->pages[i];

	if (!page->len)
		return;
	if (!quire_dma_write(engine, page->addr,
			     posted->bytes[i] + quire_posted_in_page(page->addr), page->len))
		engine->ops->guest_error(engine->opaque,
					 "posted write of %u bytes at 0x%llx is lost",
					 page->len, (unsigned long long)page->addr);
	quire_posted_forget(posted, i);
}

/* Room for bytes at @addr: beside those of the same page, or in place of the oldest. */
static unsigned int quire_posted_find(struct quire_engine *engine, uint64_t addr)
{
	struct quire_posted *posted = &engine->posted;
	unsigned int i;

	for (i = 0; i < QUIRE_POSTED_PAGES; i++)
		if (posted->pages[i].len &&
		    !((posted->pages[i].addr ^ addr) >> QUIRE_PAGE_SHIFT))
			return i;
	i = posted->next;
	posted->next = (i + 1) % QUIRE_POSTED_PAGES;
	quire_posted_write(engine, i);
	return i;
}

/**
 * quire_posted_hold - keep bytes back that are written
 * @engine: the engine
 * @addr: DMA address
 * @from: the bytes, which may be in the buffer
 * @len: how many, at least 1, all in one page
 */
void quire_posted_hold(struct quire_engine *engine, uint64_t addr, const void *from,
		       uint32_t len)
{
	struct quire_posted *posted = &engine->posted;
	unsigned int i = quire_posted_find(engine, addr);
	struct quire_posted_page *page = &posted->pages[i];
	uint64_t start = quire_posted_in_page(addr), end = start + len;
	uint64_t first = quire_posted_in_page(page->addr), last = first + page->len;

	if (start > last || end < first)
		quire_posted_write(engine, i);
	if (page->len) {
		start = quire_min(start, first);
		end = quire_max(end, last);
	}
	/* They may be of the page that has made room. */
	memmove(posted->bytes[i] + quire_posted_in_page(addr), from, len);
	posted->total += end - start - page->len;
	page->addr = (addr & ~(QUIRE_PAGE_SIZE - 1)) + start;
	page->len = end - start;
}

/**
 * quire_posted_search - quire_posted_read(), if there are any bytes
 * @engine: the engine
 * @addr: DMA address
 * @len: bytes that are wanted
 *
 * Return: as quire_posted_read().
 */
void *quire_posted_search(struct quire_engine *engine, uint64_t addr, uint64_t *len)
{
	struct quire_posted *posted = &engine->posted;
	uint8_t *found = NULL;
	unsigned int i;

	for (i = 0; i < QUIRE_POSTED_PAGES; i++) {
		const struct quire_posted_page *page = &posted->pages[i];
		uint64_t skip = addr - page->addr;

		if (skip < page->len) {
			found = posted->bytes[i] + quire_posted_in_page(addr);
			*len = quire_min(*len, page->len - skip);
		} else if (page->len) {
			*len = quire_min(*len, page->addr - addr);
		}
	}
	return found;
}

/**
 * quire_posted_write_overlapped - quire_posted_give_way(), if there are any bytes
 * @engine: the engine
 * @addr: DMA address
 * @len: bytes
 */
void quire_posted_write_overlapped(struct quire_engine *engine, uint64_t addr, uint64_t len)
{
	const struct quire_posted *posted = &engine->posted;
	unsigned int i;

	for (i = 0; posted->total && i < QUIRE_POSTED_PAGES; i++)
		if (posted->pages[i].addr - addr < len ||
		    addr - posted->pages[i].addr < posted->pages[i].len)
			quire_posted_write(engine, i);
}

/**
 * quire_posted_flush - write all to memory
 * @engine: the engine
 */
void quire_posted_flush(struct quire_engine *engine)
{
	struct quire_posted *posted = &engine->posted;
	unsigned int i;

	for (i = 0; posted->total && i < QUIRE_POSTED_PAGES; i++)
		quire_posted_write(engine, i);
	posted->next = 0;
}

/**
 * quire_posted_drop - forget all
 * @engine: the engine
 */
void quire_posted_drop(struct quire_engine *engine)
{
	struct quire_posted *posted = &engine->posted;

	memset(posted->pages, 0, sizeof(posted->pages));
	posted->next = 0;
	posted->total = 0;
}

/**
 * quire_posted_count - count the bytes anew, after a load
 * @engine: the engine; nothing is known of the pages
 */
void quire_posted_count(struct quire_engine *engine)
{
	struct quire_posted *posted = &engine->posted;
	unsigned int i;

	posted->total = 0;
	for (i = 0; i < QUIRE_POSTED_PAGES; i++)
		posted->total += posted->pages[i].len;
}

static bool quire_posted_page_ok(const struct quire_posted *posted, unsigned int i)
{
	const struct quire_posted_page *page = &posted->pages[i];
	unsigned int other;

	if (!page->len)
		return !page->addr;
	if (page->len > QUIRE_PAGE_SIZE - quire_posted_in_page(page->addr))
		return false;
	for (other = 0; other < i; other++)
		if (posted->pages[other].len &&
		    !((posted->pages[other].addr ^ page->addr) >> QUIRE_PAGE_SHIFT))
			return false;
	return true;
}

/**
 * quire_check_posted - can this be in the buffer?
 * @engine: the engine
 *
 * Return: NULL if it can, else what is wrong.
 */
const char *quire_check_posted(const struct quire_engine *engine)
{
	const struct quire_posted *posted = &engine->posted;
	unsigned int i;

	if (posted->next >= QUIRE_POSTED_PAGES)
		return "bad place in the write buffer";
	for (i = 0; i < QUIRE_POSTED_PAGES; i++)
		if (!quire_posted_page_ok(posted, i))
			return "bad page in the write buffer";
	return NULL;
}
