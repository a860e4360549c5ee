/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_APERTURE_H
#define QUIRE_APERTURE_H

#include <linux/spinlock.h>

#include "paging/quire_paging.h"

struct quire_packet_map;
struct quire_packet_map2;

/* Runs, or pages of an address list, that one operation of a restoration maps. */
#define QUIRE_APERTURE_RUNS	64
#define QUIRE_APERTURE_PAGES	128

/**
 * struct quire_aperture - what the aperture of the device shows
 * @lock: protects @entries; taken in hard interrupt context
 * @count: pages of the aperture
 * @entries: for each page: the system page and how it is mapped; 0: the dummy page
 */
struct quire_aperture {
	spinlock_t lock; /* of @entries */
	u32 count;
	u64 *entries;
};

/**
 * struct quire_aperture_part - consecutive aperture pages that are mapped alike
 * @first: first page of the aperture
 * @count: pages
 * @coherent: mapped cache coherent
 * @cpu_visible: the CPU sees them
 * @contiguous: if @cpu_visible: the pages follow each other from the first of @pages on
 * @nr_runs: number of @runs
 * @runs: the system pages, if not @cpu_visible
 * @pages: their page numbers, if @cpu_visible
 */
struct quire_aperture_part {
	u32 first;
	u32 count;
	bool coherent;
	bool cpu_visible;
	bool contiguous;
	u32 nr_runs;
	union {
		struct quire_page_run runs[QUIRE_APERTURE_RUNS];
		u64 pages[QUIRE_APERTURE_PAGES];
	};
};

int quire_aperture_init(struct quire_aperture *aperture, u64 size);
void quire_aperture_fini(struct quire_aperture *aperture);
void quire_aperture_map(struct quire_aperture *aperture, const struct quire_packet_map *packet);
void quire_aperture_map2(struct quire_aperture *aperture, const struct quire_packet_map2 *packet);
void quire_aperture_unmap(struct quire_aperture *aperture, u64 first, u32 count);
bool quire_aperture_next(struct quire_aperture *aperture, u32 first,
			 struct quire_aperture_part *part);
u32 quire_aperture_mapped(struct quire_aperture *aperture);

#endif
