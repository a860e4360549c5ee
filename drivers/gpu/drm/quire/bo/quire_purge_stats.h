/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PURGE_STATS_H
#define QUIRE_PURGE_STATS_H

#include <linux/atomic.h>

/**
 * enum quire_purge_reason - why offered content was dropped
 * @QUIRE_PURGE_EVICTED: somebody else got the place in VRAM
 * @QUIRE_PURGE_SWAPPED: TTM would have swapped it out
 * @QUIRE_PURGE_SHRUNK: the kernel asked for memory
 * @QUIRE_PURGE_REASONS: how many there are
 */
enum quire_purge_reason {
	QUIRE_PURGE_EVICTED,
	QUIRE_PURGE_SWAPPED,
	QUIRE_PURGE_SHRUNK,
	QUIRE_PURGE_REASONS,
};

/**
 * struct quire_purge_counter - purges for one reason
 * @objects: that lost their content
 * @bytes: of them
 */
struct quire_purge_counter {
	atomic64_t objects;
	atomic64_t bytes;
};

/**
 * struct quire_purge_stats - all purges since the driver was bound
 * @reasons: by enum quire_purge_reason
 */
struct quire_purge_stats {
	struct quire_purge_counter reasons[QUIRE_PURGE_REASONS];
};

#endif
