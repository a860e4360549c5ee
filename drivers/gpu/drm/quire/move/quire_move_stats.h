/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MOVE_STATS_H
#define QUIRE_MOVE_STATS_H

#include <linux/atomic.h>

#include "core/quire_placement.h"

/* One more than the highest memory type. */
#define QUIRE_MOVE_PLACES	(QUIRE_PL_VRAM + 1)

/**
 * struct quire_move_counter - moves from one place to another
 * @count: moves that were made, or handed to the device
 * @bytes: of the objects
 * @evictions: those of @count that made room for another object
 */
struct quire_move_counter {
	atomic64_t count;
	atomic64_t bytes;
	atomic64_t evictions;
};

/**
 * struct quire_move_stats - all moves since the driver was bound
 * @moves: by the memory types of the old and of the new place
 */
struct quire_move_stats {
	struct quire_move_counter moves[QUIRE_MOVE_PLACES][QUIRE_MOVE_PLACES];
};

#endif
