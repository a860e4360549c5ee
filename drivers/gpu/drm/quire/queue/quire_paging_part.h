/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_PART_H
#define QUIRE_PAGING_PART_H

#include "paging/quire_paging.h"
#include "quire_page_runs.h"

struct quire_layout;
struct quire_paging_queue;

/**
 * enum quire_paging_side - places that the operations of one move describe
 * @QUIRE_PAGING_SOURCE: what a transfer reads, or a discard drops
 * @QUIRE_PAGING_DESTINATION: what a transfer or a fill writes
 * @QUIRE_PAGING_MDL: system pages that are mapped
 * @QUIRE_PAGING_SIDES: behind the last
 */
enum quire_paging_side {
	QUIRE_PAGING_SOURCE,
	QUIRE_PAGING_DESTINATION,
	QUIRE_PAGING_MDL,
	QUIRE_PAGING_SIDES,
};

/* The longest sub-transfer, 16 MiB, and as many runs of a side at worst. */
#define QUIRE_SUB_TRANSFER_PAGES	4096

/**
 * struct quire_paging_part - the part of a move that is described now
 * @queue: lends its arrays
 * @sides: by enum quire_paging_side; those of no use are zero
 * @layout: of an image that is converted, or NULL
 * @tiled: then the side where its tiles are; the others have the linear form
 * @lists: %QUIRE_PAGING_MDL is mapped by an address list
 * @adl: then that one, as long as the arrays are ours
 * @windows: source and destination are seen through the windows of the paging ring
 */
struct quire_paging_part {
	struct quire_paging_queue *queue;
	struct quire_page_runs sides[QUIRE_PAGING_SIDES];
	const struct quire_layout *layout;
	enum quire_paging_side tiled;
	bool lists;
	struct quire_paging_adl adl;
	bool windows;
};

int quire_paging_part_next(struct quire_paging_part *part, u64 pages, bool interruptible);
void quire_paging_part_end(struct quire_paging_part *part);
const struct quire_page_runs *quire_paging_part_linear(const struct quire_paging_part *part);
bool quire_paging_part_is_last(const struct quire_paging_part *part);
u64 quire_paging_part_bytes(const struct quire_paging_part *part);

#endif
