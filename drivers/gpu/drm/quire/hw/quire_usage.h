/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_USAGE_H
#define QUIRE_USAGE_H

/**
 * DOC: Engine time
 *
 * How long the device was at work for each open file, as /proc/PID/fdinfo says it: the paging ring
 * is one engine, the execution rings together are another. A ring works on one submission at a
 * time, so the time from when it begins its oldest one until the interrupt that ends it is charged
 * to the file of that one (quire_ring.c). A stopped ring charges nothing.
 *
 * Commands are charged to the file of their context. Paging work is charged to the file whose ioctl
 * builds it, also evictions for it: each call hands a &struct quire_batch to all that builds work.
 * Other work is charged to no file: page faults, dma-bufs, shrinkers, suspend, debugfs; the end of
 * objects, address spaces and native fences; objects that TTM swaps out for pages of anything but a
 * placement.
 *
 * Source: Documentation/gpu/drm-usage-stats.rst of the kernel.
 */
#include <linux/atomic.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <quire/quire_hw.h>

/**
 * struct quire_usage - how long the device was at work for a file, and what may outlive it
 * @refs: of the file, its contexts, address spaces and fences, and paging buffers charged to it
 * @fences: that it has created, and that are not freed: monitored ones, native ones
 * @ns: nanoseconds, by the number of the ring, whose &quire_ring.lock protects them
 */
struct quire_usage {
	refcount_t refs;
	atomic_t fences[2];
	u64 ns[QUIRE_RING_MAX];
};

/* Returns it with a reference, or NULL without memory. */
static inline struct quire_usage *quire_usage_create(void)
{
	struct quire_usage *usage = kzalloc(sizeof(*usage), GFP_KERNEL_ACCOUNT);

	if (usage)
		refcount_set(&usage->refs, 1);
	return usage;
}

/* @usage: or NULL */
static inline struct quire_usage *quire_usage_get(struct quire_usage *usage)
{
	if (usage)
		refcount_inc(&usage->refs);
	return usage;
}

/* @usage: or NULL */
static inline void quire_usage_put(struct quire_usage *usage)
{
	if (usage && refcount_dec_and_test(&usage->refs))
		kfree(usage);
}

#endif
