// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the aperture, a table of system pages.
 *
 * An entry is a page-aligned DMA address and QUIRE_APERTURE_* bits; zero is a
 * page that was never mapped. Entries are valid for ever once mapped: an unmap
 * points them at the dummy page. Lookups coalesce neighbours that are adjacent
 * in system memory, so that one DMA mapping covers them. A packet may name all
 * of the aperture, millions of pages: so valid ones, and dummy pages among them, are
 * counted by chunks.
 *
 * Callers have checked every offset against the size of the segment.
 */
#include <stdlib.h>
#include <string.h>

#include "../core/quire_numbers.h"
#include "quire_aperture.h"

static uint64_t quire_aperture_page(uint64_t entry)
{
	return entry & ~(QUIRE_PAGE_SIZE - 1);
}

static bool quire_aperture_posted(uint64_t entry)
{
	return !(entry & (QUIRE_APERTURE_COHERENT | QUIRE_APERTURE_DUMMY));
}

/* Can an access go on from a page with one entry to a page with the other one? */
static bool quire_aperture_alike(uint64_t entry, uint64_t other)
{
	return other & QUIRE_APERTURE_VALID &&
	       quire_aperture_posted(entry) == quire_aperture_posted(other);
}

static uint32_t quire_aperture_chunks(uint32_t pages)
{
	return (pages + QUIRE_APERTURE_CHUNK - 1) / QUIRE_APERTURE_CHUNK;
}

/**
 * quire_aperture_init - memory for the table
 * @engine: the engine; @aperture_size is known
 *
 * Return: false without memory; what was allocated is for quire_aperture_fini().
 */
bool quire_aperture_init(struct quire_engine *engine)
{
	uint32_t pages = engine->aperture_size >> QUIRE_PAGE_SHIFT;

	engine->aperture_pages = pages;
	engine->aperture = calloc(pages, sizeof(*engine->aperture));
	engine->aperture_valid = calloc(quire_aperture_chunks(pages),
					sizeof(*engine->aperture_valid));
	engine->aperture_dummies = calloc(quire_aperture_chunks(pages),
					  sizeof(*engine->aperture_dummies));
	return engine->aperture && engine->aperture_valid && engine->aperture_dummies;
}

/**
 * quire_aperture_fini - free the table
 * @engine: the engine; there may be none
 */
void quire_aperture_fini(struct quire_engine *engine)
{
	free(engine->aperture_dummies);
	engine->aperture_dummies = NULL;
	free(engine->aperture_valid);
	engine->aperture_valid = NULL;
	free(engine->aperture);
	engine->aperture = NULL;
	engine->aperture_pages = 0;
	engine->aperture_top = 0;
}

static void quire_aperture_forget_counts(struct quire_engine *engine)
{
	uint32_t chunks = quire_aperture_chunks(engine->aperture_pages);

	memset(engine->aperture_valid, 0, chunks * sizeof(*engine->aperture_valid));
	memset(engine->aperture_dummies, 0, chunks * sizeof(*engine->aperture_dummies));
}

/* A page begins to have @entry, with @by 1, or ends to, with -1. */
static void quire_aperture_count_entry(struct quire_engine *engine, uint32_t page,
				       uint64_t entry, int by)
{
	uint32_t chunk = page / QUIRE_APERTURE_CHUNK;

	if (entry)
		engine->aperture_valid[chunk] += by;
	if (entry & QUIRE_APERTURE_DUMMY)
		engine->aperture_dummies[chunk] += by;
}

/**
 * quire_aperture_reset - forget all entries
 * @engine: the engine
 *
 * Where there are none, nothing is touched: the table may be large, and its memory not be
 * there yet. While state is loaded, the entries are not counted.
 */
void quire_aperture_reset(struct quire_engine *engine)
{
	uint32_t first, count, top = engine->aperture_top;

	for (first = 0; first < top; first += count) {
		count = quire_min(QUIRE_APERTURE_CHUNK, top - first);
		if (engine->loading || engine->aperture_valid[first / QUIRE_APERTURE_CHUNK])
			memset(engine->aperture + first, 0, count * sizeof(*engine->aperture));
	}
	engine->aperture_top = 0;
	quire_aperture_forget_counts(engine);
}

/**
 * quire_aperture_set - point a page somewhere
 * @engine: the engine
 * @page: below @aperture_top
 * @entry: valid
 */
void quire_aperture_set(struct quire_engine *engine, uint32_t page, uint64_t entry)
{
	quire_aperture_count_entry(engine, page, engine->aperture[page], -1);
	quire_aperture_count_entry(engine, page, entry, 1);
	engine->aperture[page] = entry;
}

/**
 * quire_aperture_count - count entries anew, after a load
 * @engine: the engine
 */
void quire_aperture_count(struct quire_engine *engine)
{
	uint32_t page;

	quire_aperture_forget_counts(engine);
	for (page = 0; page < engine->aperture_top; page++)
		quire_aperture_count_entry(engine, page, engine->aperture[page], 1);
}

/**
 * quire_aperture_check - is every page mapped that has some of the bytes?
 * @engine: the engine
 * @offset: of the first byte
 * @len: bytes, at least 1, inside of the segment
 *
 * Return: QUIRE_FAULT_APERTURE with the offset of the first page that is not.
 */
struct quire_error quire_aperture_check(const struct quire_engine *engine,
					uint64_t offset, uint64_t len)
{
	uint64_t page = offset >> QUIRE_PAGE_SHIFT;
	uint64_t last = (offset + len - 1) >> QUIRE_PAGE_SHIFT;

	while (page <= last) {
		uint64_t chunk = page / QUIRE_APERTURE_CHUNK;

		if (engine->aperture_valid[chunk] == QUIRE_APERTURE_CHUNK)
			page = (chunk + 1) * QUIRE_APERTURE_CHUNK;
		else if (engine->aperture[page] & QUIRE_APERTURE_VALID)
			page++;
		else
			return QUIRE_ERROR(QUIRE_FAULT_APERTURE, page << QUIRE_PAGE_SHIFT);
	}
	return QUIRE_OK;
}

/* Dummy pages from @page on, before @end; the first of them. */
static uint64_t quire_aperture_find_dummies(const struct quire_engine *engine, uint64_t page,
					    uint64_t end, uint64_t *first)
{
	uint64_t count = 0;

	while (end-- > page)
		if (engine->aperture[end] & QUIRE_APERTURE_DUMMY) {
			*first = end << QUIRE_PAGE_SHIFT;
			count++;
		}
	return count;
}

/**
 * quire_aperture_dummies - dummy pages in a part of the aperture
 * @engine: the engine
 * @offset: bytes, inside of the segment
 * @len: bytes, at least 1, inside of the segment
 * @first: returned: offset of the first, if there are any
 *
 * Return: how many.
 */
uint64_t quire_aperture_dummies(const struct quire_engine *engine, uint64_t offset,
				uint64_t len, uint64_t *first)
{
	uint64_t end = ((offset + len - 1) >> QUIRE_PAGE_SHIFT) + 1, page, next, skip, count = 0;

	for (page = offset >> QUIRE_PAGE_SHIFT; page < end; page = next) {
		uint64_t chunk = page / QUIRE_APERTURE_CHUNK;

		next = quire_min(end, (chunk + 1) * QUIRE_APERTURE_CHUNK);
		if (!engine->aperture_dummies[chunk])
			continue;
		if (count && next - page == QUIRE_APERTURE_CHUNK)
			count += engine->aperture_dummies[chunk];
		else
			count += quire_aperture_find_dummies(engine, page, next,
							     count ? &skip : first);
	}
	return count;
}

/**
 * quire_aperture_next - system memory behind the aperture, from an offset on
 * @engine: the engine
 * @offset: bytes, inside of the segment
 * @max: bytes that are wanted, at least 1
 * @place: returned: bytes from there on, 1 to @max, that are posted or not alike
 *
 * Return: false if the page is not mapped.
 */
bool quire_aperture_next(const struct quire_engine *engine, uint64_t offset, uint64_t max,
			 struct quire_place *place)
{
	const uint64_t *entry = &engine->aperture[offset >> QUIRE_PAGE_SHIFT];
	const uint64_t *end = engine->aperture + engine->aperture_pages;
	uint64_t in_page = offset & (QUIRE_PAGE_SIZE - 1);
	uint64_t n = QUIRE_PAGE_SIZE - in_page;
	uint64_t page = quire_aperture_page(*entry);

	if (!(*entry & QUIRE_APERTURE_VALID))
		return false;
	place->segment = QUIRE_SEGMENT_SYSTEM;
	place->addr = page + in_page;
	place->posted = quire_aperture_posted(*entry);
	while (n < max && ++entry < end && quire_aperture_alike(entry[-1], *entry) &&
	       quire_aperture_page(*entry) == page + QUIRE_PAGE_SIZE) {
		page += QUIRE_PAGE_SIZE;
		if (!page)
			break;
		n += QUIRE_PAGE_SIZE;
	}
	place->len = quire_min(n, max);
	return true;
}

/**
 * quire_aperture_prev - system memory behind the aperture, up to an offset
 * @engine: the engine
 * @end: bytes, 1 to the size of the segment
 * @max: bytes that are wanted, 1 to @end
 * @place: returned: bytes up to there, 1 to @max, that are posted or not alike
 *
 * Return: false if the page of the last byte is not mapped.
 */
bool quire_aperture_prev(const struct quire_engine *engine, uint64_t end, uint64_t max,
			 struct quire_place *place)
{
	const uint64_t *entry = &engine->aperture[(end - 1) >> QUIRE_PAGE_SHIFT];
	uint64_t n = ((end - 1) & (QUIRE_PAGE_SIZE - 1)) + 1;
	uint64_t page = quire_aperture_page(*entry);
	uint64_t last = page + n;

	if (!(*entry & QUIRE_APERTURE_VALID))
		return false;
	place->segment = QUIRE_SEGMENT_SYSTEM;
	place->posted = quire_aperture_posted(*entry);
	while (n < max && entry-- > engine->aperture && quire_aperture_alike(entry[1], *entry) &&
	       page && quire_aperture_page(*entry) == page - QUIRE_PAGE_SIZE) {
		page -= QUIRE_PAGE_SIZE;
		n += QUIRE_PAGE_SIZE;
	}
	place->len = quire_min(n, max);
	place->addr = last - place->len;
	return true;
}
