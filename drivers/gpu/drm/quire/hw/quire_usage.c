// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Engine time
 *
 * How long the device was at work for each open file, as /proc/PID/fdinfo says it: the paging
 * ring is one engine, the execution rings are another, of which there are several.
 *
 * A ring works on one submission at a time. So all time from when it begins its oldest one
 * until that has ended counts for whose it is (quire_ring.c), and none counts twice: the next
 * one begins where it ends, and a ring that is stopped works for nobody, whatever is executed
 * again later. The end is when the interrupt finds it, which may be late.
 *
 * Commands count for the file that has their context. Paging work counts for the file whose
 * ioctl the task is in that builds it, whatever it is: also what is evicted for it, and what it
 * finds offered when memory is short. What is built elsewhere counts for nobody: page faults,
 * dead objects, shrinkers of other tasks, suspend.
 *
 * Locking: &quire_ring.lock for the times, see &struct quire_usage.
 *
 * Source: Documentation/gpu/drm-usage-stats.rst of the kernel.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_print.h>

#include "quire_usage.h"

/**
 * quire_usage_create - a file that the device did nothing for
 *
 * Returns: its usage, with a reference; NULL: there is no memory.
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
 * @usage: of which the caller has one
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
 * @usage: not the caller's any more; may be NULL
 */
void quire_usage_put(struct quire_usage *usage)
{
	if (usage)
		kref_put(&usage->refs, usage_release);
}

/**
 * quire_payers_init - there are none
 * @payers: to initialise
 */
void quire_payers_init(struct quire_payers *payers)
{
	spin_lock_init(&payers->lock);
	hash_init(payers->tasks);
}

/**
 * quire_payer_begin - what this task does from now on is for a file
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
 * quire_payer_end - what this task does from now on is for nobody
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
 * quire_payers_find - for which file is what this task does?
 * @payers: of the device
 *
 * Returns: the usage of that file, with a reference; NULL: for none.
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
