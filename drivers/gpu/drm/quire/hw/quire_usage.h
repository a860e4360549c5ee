/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_USAGE_H
#define QUIRE_USAGE_H

#include <linux/kref.h>
#include <linux/types.h>
#include <quire/quire_hw.h>

/**
 * struct quire_usage - how long the device was at work for a file
 * @refs: of the file, its contexts and address spaces, and paging buffers charged to it
 * @ns: nanoseconds, by the number of the ring, whose &quire_ring.lock protects them
 */
struct quire_usage {
	struct kref refs;
	u64 ns[QUIRE_RING_MAX];
};

struct quire_usage *quire_usage_create(void);
struct quire_usage *quire_usage_get(struct quire_usage *usage);
void quire_usage_put(struct quire_usage *usage);

#endif
