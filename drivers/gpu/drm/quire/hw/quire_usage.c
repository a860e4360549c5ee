// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Engine time
 *
 * How long the device was at work for each open file, as /proc/PID/fdinfo says it: the paging ring
 * is one engine, the execution rings together are another.
 *
 * A ring works on one submission at a time, so the time from when it begins its oldest one until
 * that has ended is charged to the file of that one (quire_ring.c). A stopped ring charges nothing.
 * The end is when the interrupt finds it, which may be late.
 *
 * Commands are charged to the file of their context. Paging work is charged to the file whose ioctl
 * builds it, also evictions for it: each call hands a &struct quire_batch to all that builds work.
 * Other work is charged to no file:
 *
 * - page faults, dma-bufs, shrinkers, suspend, debugfs;
 * - the end of objects, address spaces and native fences, also of a dead object that is in the way
 *   of a placement;
 * - objects that TTM swaps out for pages of anything but a placement.
 *
 * Locking: &quire_ring.lock for the times, see &struct quire_usage.
 *
 * Source: Documentation/gpu/drm-usage-stats.rst of the kernel.
 */
#include <linux/slab.h>

#include "quire_usage.h"

/**
 * quire_usage_create - allocate the usage of a file
 *
 * Returns: it, with a reference; NULL without memory.
 */
struct quire_usage *quire_usage_create(void)
{
	struct quire_usage *usage = kzalloc(sizeof(*usage), GFP_KERNEL_ACCOUNT);

	if (usage)
		kref_init(&usage->refs);
	return usage;
}

/**
 * quire_usage_get - take a reference
 * @usage: may be NULL
 *
 * Returns: @usage.
 */
struct quire_usage *quire_usage_get(struct quire_usage *usage)
{
	if (usage)
		kref_get(&usage->refs);
	return usage;
}

static void usage_release(struct kref *refs)
{
	kfree(container_of(refs, struct quire_usage, refs));
}

/**
 * quire_usage_put - drop a reference
 * @usage: may be NULL
 */
void quire_usage_put(struct quire_usage *usage)
{
	if (usage)
		kref_put(&usage->refs, usage_release);
}
