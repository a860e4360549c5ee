// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Lock order
 *
 * Outermost first. A lock may be taken with those above it held, and not with one below it::
 *
 *     mmap_lock                              CPU faults, debuggers
 *     drm_device.object_name_lock            import
 *     quire_mark.lock, quire_execution.gate  one caller asks; callers queue, or one alone does
 *     a turn (quire_turn.c)                  no lock: placements queue, with nothing reserved
 *     reservations                           in any order with a ww_acquire_ctx (drm_exec)
 *     quire_vm_tables.lock                   entries of an address space
 *     quire_execution.lock                   jobs of commands, in the order of their fences
 *     quire_device.vram_access               read: CPU in VRAM; write: BAR 2 does not answer
 *     quire_window.access                    the same of the window of the aperture
 *     quire_ranges.lock                      swizzling ranges
 *     quire_discard_batch.submit_lock        discards, and what leaves, in their order
 *     quire_paging_queue.runs_lock           describes a part of a move
 *     quire_paging_queue.pool_lock           waits for room in the pool of paging buffers
 *     quire_paging_queue.open                an open paging buffer: only lockdep knows it
 *     memory                                 nothing below is held while it is allocated
 *     quire_paging_queue.lock                jobs are pushed in the order of their fences
 *     what leads to a fence                  run_job of the schedulers, dma_fence_signal()
 *     spinlocks                              quire_ring.lock outside of those of the tables
 *
 * Mutexes that are taken last, and with which nothing else is taken but memory: those of
 * &struct quire_holds, &struct quire_fences, &struct quire_contexts, &struct quire_vms,
 * &struct quire_vram_mgr and &struct quire_residency_table. &quire_fence.lock has
 * &quire_paging_queue.lock inside.
 *
 * drm_dev_enter() may be called at any depth, but nobody waits inside of it for what another
 * program decides. Recovery takes the window for writing, and a function reset both: while they
 * have them they wait for no fence.
 *
 * quire_lock_order_prime() takes the chain once, so that lockdep knows it before anything races.
 */
#include <linux/dma-resv.h>
#include <linux/lockdep.h>

#include "core/quire_device_types.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "bo/quire_range.h"
#include "bo/quire_window.h"
#include "exec/quire_execution.h"
#include "quire_lock_order.h"

static void prime_inside_of_reservation(struct quire_device *qdev)
{
	struct quire_paging_queue *queue = qdev->paging_queue;

	if (qdev->nr_executions)
		might_lock(&qdev->executions[0].lock);
	down_read(&qdev->vram_access);
	down_read(&qdev->window->access);
	mutex_lock(&qdev->ranges->lock);
	mutex_lock(&qdev->discards->submit_lock);
	mutex_lock(&queue->runs_lock);
	mutex_lock(&queue->pool_lock);
	might_alloc(GFP_KERNEL);
	might_lock(&queue->lock);
	mutex_unlock(&queue->pool_lock);
	mutex_unlock(&queue->runs_lock);
	mutex_unlock(&qdev->discards->submit_lock);
	mutex_unlock(&qdev->ranges->lock);
	up_read(&qdev->window->access);
	up_read(&qdev->vram_access);
}

/**
 * quire_lock_order_prime - tell lockdep in which order locks are taken
 * @qdev: the device; all of it is initialised, and no program has it yet
 *
 * Does nothing without CONFIG_LOCKDEP.
 */
void quire_lock_order_prime(struct quire_device *qdev)
{
	struct dma_resv resv;

	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;

	dma_resv_init(&resv);
	if (qdev->nr_executions)
		mutex_lock(&qdev->executions[0].gate.lock);
	dma_resv_lock(&resv, NULL);
	prime_inside_of_reservation(qdev);
	dma_resv_unlock(&resv);
	if (qdev->nr_executions)
		mutex_unlock(&qdev->executions[0].gate.lock);
	dma_resv_fini(&resv);
}
