// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: tables with an entry for each of many pages, most of which are zero.
 *
 * What is not is counted by chunks, so that who searches goes past those that are empty, and
 * a reset does not touch memory that is not there yet.
 */
#include <stdlib.h>
#include <string.h>

#include "quire_numbers.h"
#include "quire_table.h"

static uint32_t quire_table_chunks(const struct quire_table *table)
{
	return ((uint64_t)table->pages + QUIRE_TABLE_CHUNK - 1) / QUIRE_TABLE_CHUNK;
}

/**
 * quire_table_init - memory for a table
 * @table: the table, all zero
 * @pages: how many it has, perhaps none
 *
 * Return: false without memory; what was allocated is for quire_table_fini().
 */
bool quire_table_init(struct quire_table *table, uint32_t pages)
{
	table->pages = pages;
	if (!pages)
		return true;
	table->entries = calloc(pages, sizeof(*table->entries));
	table->used = calloc(quire_table_chunks(table), sizeof(*table->used));
	return table->entries && table->used;
}

/**
 * quire_table_fini - free it
 * @table: the table; there may be none
 */
void quire_table_fini(struct quire_table *table)
{
	free(table->entries);
	free(table->used);
	*table = (struct quire_table){ 0 };
}

/**
 * quire_table_reset - forget all entries
 * @table: the table
 * @loading: some were loaded and are not counted yet
 */
void quire_table_reset(struct quire_table *table, bool loading)
{
	uint32_t chunk, first;

	for (chunk = 0; chunk < quire_table_chunks(table); chunk++) {
		first = chunk * QUIRE_TABLE_CHUNK;
		if (first >= table->top)
			break;
		if (loading || table->used[chunk])
			memset(table->entries + first, 0,
			       quire_min(QUIRE_TABLE_CHUNK, table->top - first) *
			       sizeof(*table->entries));
		table->used[chunk] = 0;
	}
	table->top = 0;
	table->total = 0;
}

/**
 * quire_table_set - change an entry
 * @table: the table
 * @page: one of its pages
 * @entry: what it has from now on
 */
void quire_table_set(struct quire_table *table, uint32_t page, uint64_t entry)
{
	int by = !!entry - !!table->entries[page];

	table->entries[page] = entry;
	table->used[page / QUIRE_TABLE_CHUNK] += by;
	table->total += by;
	if (entry)
		table->top = quire_max(table->top, page + 1);
}

/**
 * quire_table_next - search an entry that is not zero
 * @table: the table
 * @page: from this page on
 * @end: up to this one, at most all
 *
 * Return: the page of the first; @end if there is none.
 */
uint32_t quire_table_next(const struct quire_table *table, uint32_t page, uint32_t end)
{
	uint32_t top = quire_min(end, table->top);

	while (page < top) {
		uint32_t chunk = page / QUIRE_TABLE_CHUNK;

		if (table->used[chunk] && table->entries[page])
			return page;
		page = table->used[chunk] ? page + 1 : (chunk + 1) * QUIRE_TABLE_CHUNK;
	}
	return end;
}

/**
 * quire_table_load - room for entries that are loaded
 * @table: the table of an engine, after quire_engine_pre_load()
 * @first: page of the first
 * @count: how many
 *
 * Return: the entries, to be filled in; NULL if there are no such pages.
 */
uint64_t *quire_table_load(struct quire_table *table, uint32_t first, uint32_t count)
{
	if (!quire_range_ok(first, count, table->pages))
		return NULL;
	table->top = quire_max(table->top, first + count);
	return table->entries + first;
}

/**
 * quire_table_count - count entries anew, after a load
 * @table: the table
 */
void quire_table_count(struct quire_table *table)
{
	uint32_t page, top = 0;

	if (!table->pages)
		return;
	memset(table->used, 0, quire_table_chunks(table) * sizeof(*table->used));
	table->total = 0;
	for (page = 0; page < table->top; page++) {
		if (!table->entries[page])
			continue;
		table->used[page / QUIRE_TABLE_CHUNK]++;
		table->total++;
		top = page + 1;
	}
	table->top = top;
}
