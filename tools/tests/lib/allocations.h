/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the driver allocates for a process: the kernel's events of kmem, as root reads them. */
#ifndef QUIRE_ALLOCATIONS_H
#define QUIRE_ALLOCATIONS_H

#include <stdint.h>

/**
 * struct allocations - memory that the driver asked for
 * @count: how often
 * @bytes: what it got, all in all
 * @largest: what it got at once, bytes
 * @whose: function of the driver that got that
 * @pages: that went neither to a slab nor to an object
 * @object_pages: that objects got, and tables of them
 * @object_table: the largest of these tables, bytes
 * @others_largest: what others got at once for the driver, bytes; without these tables
 * @others_whose: function that got that
 */
struct allocations {
	uint64_t count;
	uint64_t bytes;
	uint64_t largest;
	char whose[64];
	uint64_t pages;
	uint64_t object_pages;
	uint64_t object_table;
	uint64_t others_largest;
	char others_whose[64];
};

int allocations_begin(void);
int allocations_end(struct allocations *allocations);

#endif
