/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: tables with an entry for each of many pages.
 */
#ifndef QUIRE_TABLE_H
#define QUIRE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Entries of a table that are counted together. */
#define QUIRE_TABLE_CHUNK	512u

/**
 * struct quire_table - entries of pages, of which many are zero
 * @entries: one for each page (migrated)
 * @pages: how many there are
 * @top: entries from here on are zero
 * @used: how many entries of each QUIRE_TABLE_CHUNK are not
 * @total: how many of all are not
 */
struct quire_table {
	uint64_t *entries;
	uint32_t pages;
	uint32_t top;
	uint16_t *used;
	uint32_t total;
};

bool quire_table_init(struct quire_table *table, uint32_t pages);
void quire_table_fini(struct quire_table *table);
void quire_table_reset(struct quire_table *table, bool loading);
void quire_table_set(struct quire_table *table, uint32_t page, uint64_t entry);
uint32_t quire_table_next(const struct quire_table *table, uint32_t page, uint32_t end);
void quire_table_count(struct quire_table *table);
uint64_t *quire_table_load(struct quire_table *table, uint32_t first, uint32_t count);

#endif
