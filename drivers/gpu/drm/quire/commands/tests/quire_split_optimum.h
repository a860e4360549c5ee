/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The fewest bytes that any planner could page in. */
#ifndef QUIRE_SPLIT_OPTIMUM_H
#define QUIRE_SPLIT_OPTIMUM_H

#include "../quire_command_check.h"

#define QUIRE_OPTIMUM_OBJECTS	8u

/**
 * struct quire_split_optimum - what a search needs
 * @least: bytes paged in so far, by what is resident, a bit for an object
 * @next: the same, one split point later
 * @bytes: of the objects of each set
 */
struct quire_split_optimum {
	u64 least[1 << QUIRE_OPTIMUM_OBJECTS];
	u64 next[1 << QUIRE_OPTIMUM_OBJECTS];
	u64 bytes[1 << QUIRE_OPTIMUM_OBJECTS];
};

u64 quire_split_optimum(struct quire_split_optimum *optimum,
			const struct quire_command_list *list, u64 capacity, u32 resident);

#endif
