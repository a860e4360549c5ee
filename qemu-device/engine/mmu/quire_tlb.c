// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the TLB, translations that are remembered.
 *
 * Each is of one page of any size, and belongs to the root that it was found from. They
 * are searched by a hash of root and page; a new one takes a free place or, if there is
 * none, the place of one that is there, by turns. So a translation that was found stays
 * until it is flushed, as long as there is room: a driver that forgets the flush finds
 * out, each time.
 *
 * Nobody else remembers one from slice to slice. State that is saved knows of none.
 */
#include <stdlib.h>
#include <string.h>

#include "../core/quire_numbers.h"
#include "../memory/quire_aperture.h"
#include "quire_tlb.h"

#define QUIRE_TLB_NONE		UINT32_MAX

/* Sizes of pages, as powers of two. */
static const uint32_t quire_tlb_shifts[] = {
	QUIRE_PT_SHIFT(0), QUIRE_PT_SHIFT_64K, QUIRE_PT_SHIFT(1),
};

/**
 * struct quire_tlb_entry - one translation
 * @root: from which it was found; 0 if the place is free
 * @page: the page
 * @next: the next one with the same hash, or of the free ones
 */
struct quire_tlb_entry {
	uint64_t root;
	struct quire_page page;
	uint32_t next;
};

/**
 * struct quire_tlb - the TLB
 * @entries: all places
 * @heads: by hash: the first one, as many as there are places
 * @free: the first that is free
 * @turn: the one that gives way next
 * @sizes: by log2 of the bytes of a page, how many translations are of such pages
 * @held: nothing is remembered, see quire_tlb_hold()
 */
struct quire_tlb {
	struct quire_tlb_entry *entries;
	uint32_t *heads;
	uint32_t free;
	uint32_t turn;
	uint32_t sizes[QUIRE_PT_SHIFT(1) + 1];
	bool held;
};

static uint32_t quire_tlb_hash(const struct quire_engine *engine, uint64_t root, uint64_t va,
			       uint32_t shift)
{
	uint64_t key = (va >> shift << 8 | shift) ^ root >> QUIRE_PAGE_SHIFT << 24;

	return key * 0x9e3779b97f4a7c15ull >> 40 & (engine->tlb_entries - 1);
}

/**
 * quire_tlb_init - memory for it
 * @engine: the engine; @tlb_entries is known, 0 or a power of two
 *
 * Return: false without memory; what was allocated is for quire_tlb_fini().
 */
bool quire_tlb_init(struct quire_engine *engine)
{
	uint32_t n = engine->tlb_entries;

	engine->tlb = calloc(1, sizeof(*engine->tlb));
	if (!engine->tlb || !n)
		return engine->tlb;
	engine->tlb->entries = calloc(n, sizeof(*engine->tlb->entries));
	engine->tlb->heads = calloc(n, sizeof(*engine->tlb->heads));
	if (!engine->tlb->entries || !engine->tlb->heads)
		return false;
	quire_tlb_reset(engine);
	return true;
}

/**
 * quire_tlb_fini - free it
 * @engine: the engine; there may be none
 */
void quire_tlb_fini(struct quire_engine *engine)
{
	if (engine->tlb) {
		free(engine->tlb->entries);
		free(engine->tlb->heads);
	}
	free(engine->tlb);
	engine->tlb = NULL;
}

/**
 * quire_tlb_reset - forget all
 * @engine: the engine
 */
void quire_tlb_reset(struct quire_engine *engine)
{
	struct quire_tlb *tlb = engine->tlb;
	uint32_t i;

	tlb->free = QUIRE_TLB_NONE;
	tlb->turn = 0;
	memset(tlb->sizes, 0, sizeof(tlb->sizes));
	tlb->held = false;
	for (i = engine->tlb_entries; i--; tlb->free = i) {
		tlb->heads[i] = QUIRE_TLB_NONE;
		tlb->entries[i] = (struct quire_tlb_entry){ .next = tlb->free };
	}
}

/**
 * quire_tlb_find - is there a translation of an address?
 * @engine: the engine
 * @root: from which it was found
 * @va: virtual address
 * @page: filled in, if there is
 *
 * Return: false if there is none.
 */
bool quire_tlb_find(const struct quire_engine *engine, uint64_t root, uint64_t va,
		    struct quire_page *page)
{
	const struct quire_tlb *tlb = engine->tlb;
	unsigned int i;
	uint32_t at;

	for (i = 0; i < QUIRE_ARRAY_SIZE(quire_tlb_shifts); i++) {
		uint32_t shift = quire_tlb_shifts[i];

		if (!tlb->sizes[shift])
			continue;
		at = tlb->heads[quire_tlb_hash(engine, root, va, shift)];
		for (; at != QUIRE_TLB_NONE; at = tlb->entries[at].next) {
			const struct quire_tlb_entry *entry = &tlb->entries[at];

			if (entry->root == root && entry->page.shift == shift &&
			    entry->page.va == va >> shift << shift) {
				*page = entry->page;
				return true;
			}
		}
	}
	return false;
}

/* Forget the translation at a place: the place is free afterwards. */
static void quire_tlb_remove(struct quire_engine *engine, uint32_t at)
{
	struct quire_tlb *tlb = engine->tlb;
	struct quire_tlb_entry *entry = &tlb->entries[at];
	uint32_t hash = quire_tlb_hash(engine, entry->root, entry->page.va, entry->page.shift);
	uint32_t *link = &tlb->heads[hash];

	while (*link != at)
		link = &tlb->entries[*link].next;
	*link = entry->next;
	tlb->sizes[entry->page.shift]--;
	*entry = (struct quire_tlb_entry){ .next = tlb->free };
	tlb->free = at;
}

/**
 * quire_tlb_add - remember a translation that was found
 * @engine: the engine
 * @root: from which it was found
 * @page: the page; the address that was asked for has none
 *
 * While the TLB is held, it is not.
 */
void quire_tlb_add(struct quire_engine *engine, uint64_t root, const struct quire_page *page)
{
	struct quire_tlb *tlb = engine->tlb;
	uint32_t hash, at;

	if (!engine->tlb_entries || tlb->held)
		return;
	if (tlb->free == QUIRE_TLB_NONE) {
		quire_tlb_remove(engine, tlb->turn);
		tlb->turn = (tlb->turn + 1) & (engine->tlb_entries - 1);
	}
	at = tlb->free;
	tlb->free = tlb->entries[at].next;
	hash = quire_tlb_hash(engine, root, page->va, page->shift);
	tlb->entries[at] = (struct quire_tlb_entry){
		.root = root,
		.page = *page,
		.next = tlb->heads[hash],
	};
	tlb->heads[hash] = at;
	tlb->sizes[page->shift]++;
}

/**
 * quire_tlb_hold - pages go away, and no translation may lead to them afterwards
 * @engine: the engine
 * @hold: from now on nothing is remembered; else everything again
 *
 * What is remembered meanwhile could be one of those pages: it has gone through the TLB already.
 */
void quire_tlb_hold(struct quire_engine *engine, bool hold)
{
	engine->tlb->held = hold;
}

/**
 * quire_tlb_flush - forget what was found from a root
 * @engine: the engine
 * @root: the root
 * @start: pages with a byte from this virtual address on,
 * @end: and before this one
 */
void quire_tlb_flush(struct quire_engine *engine, uint64_t root, uint64_t start, uint64_t end)
{
	uint32_t at;

	for (at = 0; at < engine->tlb_entries; at++) {
		const struct quire_tlb_entry *entry = &engine->tlb->entries[at];
		uint64_t behind = entry->page.va + (1ull << entry->page.shift);

		if (entry->root == root && entry->page.va < end && behind > start)
			quire_tlb_remove(engine, at);
	}
}

static bool quire_tlb_overlaps(const struct quire_place *place, uint64_t addr, uint64_t len)
{
	return addr - place->addr < place->len || place->addr - addr < len;
}

/*
 * Does a translation lead to some bytes of memory? Those of the aperture are looked up there; but
 * of a page of 2 MiB that would be 512 looks for each translation, and it is assumed. @looks:
 * counted.
 */
static bool quire_tlb_leads(const struct quire_engine *engine, const struct quire_page *page,
			    const struct quire_place *place, uint64_t *looks)
{
	uint64_t addr = page->entry & QUIRE_PTE_ADDRESS_MASK, size = 1ull << page->shift, at;
	uint32_t segment = QUIRE_PTE_SEGMENT(page->entry);
	struct quire_place part;

	if (page->entry & QUIRE_PTE_ZERO)
		return false;
	if (segment != QUIRE_SEGMENT_APERTURE)
		return segment == place->segment && quire_tlb_overlaps(place, addr, size);
	if (place->segment != QUIRE_SEGMENT_SYSTEM)
		return false;
	if (page->shift > QUIRE_PT_SHIFT_64K)
		return true;
	for (at = 0; at < size; at += part.len) {
		part.len = QUIRE_PAGE_SIZE;
		(*looks)++;
		if (quire_aperture_next(engine, addr + at, size - at, &part) &&
		    part.segment == place->segment &&
		    quire_tlb_overlaps(place, part.addr, part.len))
			return true;
	}
	return false;
}

/**
 * quire_tlb_drop - forget what leads to some memory, from any root
 * @engine: the engine
 * @place: bytes of VRAM or of system memory
 *
 * Return: how many translations, and pages of the aperture, were looked at for that.
 */
uint64_t quire_tlb_drop(struct quire_engine *engine, const struct quire_place *place)
{
	uint64_t looks = engine->tlb_entries;
	uint32_t at;

	for (at = 0; at < engine->tlb_entries; at++) {
		const struct quire_tlb_entry *entry = &engine->tlb->entries[at];

		if (entry->root && quire_tlb_leads(engine, &entry->page, place, &looks))
			quire_tlb_remove(engine, at);
	}
	return looks;
}
