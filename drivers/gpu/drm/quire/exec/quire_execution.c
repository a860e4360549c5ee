// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Execution rings
 *
 * Each has a scheduler, to which every context has an entity, a watchdog, and a pool of memory for
 * commands that are on the ring. Accesses to memory are ordered by fences alone: jobs wait for
 * moves, and moves for jobs (quire_bo_others.c).
 *
 * Jobs of a split submission are not interleaved with other contexts: they wait for all that was
 * pushed before, and jobs that are pushed later wait for all of them. Nobody pushes in between, see
 * &quire_execution.gate; so no fence ever waits for one that is not made yet.
 *
 * quire_execution_recovery.c handles a ring that hangs or faults.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_regs.h"
#include "quire_context.h"
#include "quire_execution.h"

static int execution_init(struct quire_execution *execution, struct quire_device *qdev,
			  unsigned int index, const struct drm_sched_backend_ops *ops,
			  quire_watchdog_stuck_t stuck)
{
	const struct drm_sched_init_args args = {
		.ops = ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = QUIRE_EXECUTION_JOBS,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = "quire-execution",
		.dev = qdev->drm.dev,
	};
	int ret;

	execution->qdev = qdev;
	execution->index = index;
	refcount_set(&execution->jobs, 1);
	init_completion(&execution->idle);
	quire_gate_init(&execution->gate);
	ret = drmm_mutex_init(&qdev->drm, &execution->lock) ?:
	      quire_ring_init(&execution->ring, &qdev->drm, qdev->regs, index + 1);
	if (ret)
		return ret;
	execution->pool_cpu = dmam_alloc_coherent(qdev->drm.dev, QUIRE_EXECUTION_POOL_SIZE,
						  &execution->pool_dma, GFP_KERNEL);
	if (!execution->pool_cpu)
		return -ENOMEM;
	ret = quire_sched_init(&execution->sched, &args);
	if (ret)
		return ret;

	quire_watchdog_init(&execution->watchdog, &execution->ring, qdev->watchdogs, stuck);
	xa_init_flags(&execution->last, XA_FLAGS_ACCOUNT);
	return 0;
}

/**
 * quire_executions_init - make all execution rings, stopped
 * @qdev: the device; its registers are mapped, @watchdogs is there
 * @ops: of their schedulers
 * @stuck: &quire_watchdog.stuck of each
 * Returns: 0; -ENOMEM, or the errors of the DRM scheduler.
 *
 * Source: Documentation/gpu/quire/device.rst, RING_COUNT.
 */
int quire_executions_init(struct quire_device *qdev, const struct drm_sched_backend_ops *ops,
			  quire_watchdog_stuck_t stuck)
{
	u32 count = clamp(quire_read32(qdev->regs, QUIRE_REG_RING_COUNT), 1, QUIRE_RING_MAX) - 1;
	int ret = 0;

	while (qdev->nr_executions < count && !ret) {
		ret = execution_init(&qdev->executions[qdev->nr_executions], qdev,
				     qdev->nr_executions, ops, stuck);
		if (!ret)
			qdev->nr_executions++;
	}
	if (ret)
		quire_executions_fini(qdev);
	return ret;
}

/**
 * quire_executions_fini - take them down
 * @qdev: the device; their rings are killed, no context is left, and nobody pushes any more
 */
void quire_executions_fini(struct quire_device *qdev)
{
	while (qdev->nr_executions) {
		struct quire_execution *execution = &qdev->executions[--qdev->nr_executions];

		if (!refcount_dec_and_test(&execution->jobs))
			wait_for_completion(&execution->idle);
		drm_sched_fini(&execution->sched);
		quire_watchdog_fini(&execution->watchdog);
		dma_fence_put(execution->split);
		xa_destroy(&execution->last);
	}
}

/**
 * quire_executions_stop - quire_ring_stop() of each
 * @qdev: the device
 */
void quire_executions_stop(struct quire_device *qdev)
{
	u32 i;

	for (i = 0; i < qdev->nr_executions; i++)
		quire_ring_stop(&qdev->executions[i].ring);
}

/**
 * quire_executions_kill - quire_ring_kill() of each
 * @qdev: the device
 * @error: as there
 */
void quire_executions_kill(struct quire_device *qdev, int error)
{
	u32 i;

	for (i = 0; i < qdev->nr_executions; i++)
		quire_ring_kill(&qdev->executions[i].ring, error);
}

/**
 * quire_executions_pause - quire_watchdog_pause() of each
 * @qdev: the device
 */
void quire_executions_pause(struct quire_device *qdev)
{
	u32 i;

	for (i = 0; i < qdev->nr_executions; i++)
		quire_watchdog_pause(&qdev->executions[i].watchdog);
}

/**
 * quire_executions_resume - quire_watchdog_resume() of each
 * @qdev: the device
 */
void quire_executions_resume(struct quire_device *qdev)
{
	u32 i;

	for (i = 0; i < qdev->nr_executions; i++)
		quire_watchdog_resume(&qdev->executions[i].watchdog);
}

/**
 * quire_executions_interrupt - the device says that it wrote fences
 * @qdev: the device
 *
 * Hard interrupt context.
 */
void quire_executions_interrupt(struct quire_device *qdev)
{
	u32 i;

	for (i = 0; i < qdev->nr_executions; i++)
		quire_ring_interrupt(&qdev->executions[i].ring);
}

/**
 * quire_executions_fault - the device says that a ring stopped at a fault
 * @qdev: the device
 *
 * Hard interrupt context.
 */
void quire_executions_fault(struct quire_device *qdev)
{
	u32 i;

	for (i = 0; i < qdev->nr_executions; i++)
		quire_watchdog_look_now(&qdev->executions[i].watchdog);
}

/**
 * quire_execution_reserve - make sure that quire_execution_pushed() can not fail
 * @execution: the execution ring; locked
 * @job: what will be pushed, not armed
 * Returns: 0, or -ENOMEM.
 */
int quire_execution_reserve(struct quire_execution *execution, struct drm_sched_job *job)
{
	return xa_reserve(&execution->last, job->entity->fence_context, GFP_KERNEL);
}

/* What a context pushed last, whose key is at or above @key, and at most @max. */
static struct dma_fence *execution_next_last(struct quire_execution *execution,
					     unsigned long *key, unsigned long max)
{
	struct dma_fence *fence;

	xa_lock(&execution->last);
	fence = xa_find(&execution->last, key, max, XA_PRESENT);
	if (fence)
		dma_fence_get(fence);
	xa_unlock(&execution->last);
	return fence;
}

/**
 * quire_execution_wait - wait for all jobs of a ring
 * @execution: the execution ring; not locked: some jobs wait for foreign fences
 *
 * Contexts that are made meanwhile are not waited for, or else a program that makes one after the
 * other would be waited for without end.
 *
 * Returns: 0, or -ERESTARTSYS.
 */
int quire_execution_wait(struct quire_execution *execution)
{
	/* Timelines are numbered in order. */
	const unsigned long newest = dma_fence_context_alloc(1);
	unsigned long key = 0;
	struct dma_fence *fence;
	long ret = 0;

	while (!ret && (fence = execution_next_last(execution, &key, newest))) {
		ret = dma_fence_wait(fence, true);
		dma_fence_put(fence);
		key++;
	}
	return ret;
}

/**
 * quire_execution_follow - add the dependencies that keep split submissions apart
 * @execution: the execution ring; locked
 * @job: the first job of a submission
 * @splits: the submission may have several parts
 *
 * Returns: 0, or -ENOMEM.
 *
 * Source: "Splitting a DMA Buffer" of the original's documentation: split portions are not
 * interleaved with work of another context.
 */
int quire_execution_follow(struct quire_execution *execution, struct drm_sched_job *job,
			   bool splits)
{
	unsigned long key = 0;
	struct dma_fence *fence;
	int ret;

	lockdep_assert_held(&execution->lock);

	ret = drm_sched_job_add_dependency(job, dma_fence_get(execution->split));
	while (splits && !ret && (fence = execution_next_last(execution, &key, ULONG_MAX))) {
		ret = drm_sched_job_add_dependency(job, fence);
		key++;
	}
	return ret;
}

/**
 * quire_execution_pushed - a part was pushed
 * @execution: the execution ring; locked
 * @finished: the scheduler's fence of its last job
 * @splits: it may not be the last part of its submission
 */
void quire_execution_pushed(struct quire_execution *execution, struct dma_fence *finished,
			    bool splits)
{
	struct drm_sched_fence *s_fence = to_drm_sched_fence(finished);

	lockdep_assert_held(&execution->lock);

	dma_fence_put(xa_store(&execution->last, s_fence->scheduled.context,
			       dma_fence_get(finished), GFP_KERNEL));
	if (splits) {
		dma_fence_put(execution->split);
		execution->split = dma_fence_get(finished);
	}
}

/**
 * quire_execution_load - copy the commands of a job to the pool of the ring
 * @execution: the execution ring
 * @commands: of the job
 * @size: bytes, at most %QUIRE_EXECUTION_JOB_SIZE
 *
 * The scheduler has no more jobs on the ring than the pool has places, and they end in order: so
 * the oldest place is free. For the work of the scheduler only.
 *
 * Returns: their DMA address, good until the job's fence on the ring signals.
 */
u64 quire_execution_load(struct quire_execution *execution, const void *commands, u32 size)
{
	u32 offset = execution->loaded++ % QUIRE_EXECUTION_JOBS * QUIRE_EXECUTION_JOB_SIZE;

	memcpy(execution->pool_cpu + offset, commands, size);
	return execution->pool_dma + offset;
}

/**
 * quire_execution_peek - what stands in the pool of commands?
 * @execution: the execution ring
 * @addr: DMA address
 * @bytes: returned
 * @size: bytes to be returned
 *
 * Any context.
 *
 * Returns: bytes that @bytes has; 0 if @addr is not in the pool.
 */
u32 quire_execution_peek(struct quire_execution *execution, u64 addr, void *bytes, u32 size)
{
	u64 offset = addr - execution->pool_dma;

	if (addr < execution->pool_dma || offset >= QUIRE_EXECUTION_POOL_SIZE)
		return 0;
	size = min_t(u64, size, QUIRE_EXECUTION_POOL_SIZE - offset);
	memcpy(bytes, execution->pool_cpu + offset, size);
	return size;
}
