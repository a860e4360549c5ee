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
 * builds it, also evictions for it. Work built elsewhere is charged to no file: page faults, dead
 * objects, shrinkers of other tasks, suspend.
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
 * @usage: the usage
 *
 * Returns: @usage.
 */
struct quire_usage *quire_usage_get(struct quire_usage *usage)
{
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

/**
 * quire_payers_init - initialise the table of charged tasks
 * @payers: to initialise
 */
void quire_payers_init(struct quire_payers *payers)
{
	spin_lock_init(&payers->lock);
	hash_init(payers->tasks);
}

/**
 * quire_payer_begin - charge the work of this task to a file
 * @payers: of the device
 * @payer: to fill, until quire_payer_end()
 * @usage: of the file, which stays open
 */
void quire_payer_begin(struct quire_payers *payers, struct quire_payer *payer,
		       struct quire_usage *usage)
{
	payer->task = current;
	payer->usage = usage;
	spin_lock(&payers->lock);
	hash_add(payers->tasks, &payer->link, (unsigned long)current);
	spin_unlock(&payers->lock);
}

/**
 * quire_payer_end - stop to charge the work of this task
 * @payers: of the device
 * @payer: of quire_payer_begin()
 */
void quire_payer_end(struct quire_payers *payers, struct quire_payer *payer)
{
	spin_lock(&payers->lock);
	hash_del(&payer->link);
	spin_unlock(&payers->lock);
}

/**
 * quire_payers_find - find the file that this task is charged to
 * @payers: of the device
 *
 * Returns: its usage, with a reference; or NULL.
 */
struct quire_usage *quire_payers_find(struct quire_payers *payers)
{
	struct quire_usage *usage = NULL;
	struct quire_payer *payer;

	spin_lock(&payers->lock);
	hash_for_each_possible(payers->tasks, payer, link, (unsigned long)current)
		if (payer->task == current)
			usage = quire_usage_get(payer->usage);
	spin_unlock(&payers->lock);
	return usage;
}
