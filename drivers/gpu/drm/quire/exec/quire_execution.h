/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_EXECUTION_H
#define QUIRE_EXECUTION_H

/**
 * DOC: Layer exec
 *
 * Contexts and the rings that execute commands. A submission becomes jobs (quire_command_job.c) of
 * the entity that its context has on a ring; their commands lie in memory that is charged to the
 * context (quire_command_job.c) and are copied to the ring's pool when it is their turn.
 * quire_commands.c is the way of both calls that execute: EXEC, which is here, and SUBMIT, which
 * patches and splits, and stands on this folder.
 *
 * In: commands, syncobjs. Out: fences of jobs; the end of a context, if they fault or hang
 * (quire_execution_recovery.c). May use: all before it, up to fence.
 */

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <drm/gpu_scheduler.h>

#include "core/quire_context_end.h"
#include "core/quire_gate.h"
#include "hw/quire_ring.h"
#include "hw/quire_watchdog.h"

struct dma_fence;
struct quire_context;
struct quire_device;

/* Bytes of the largest command buffer, and of a job's. */
#define QUIRE_MAX_COMMANDS		SZ_1M
#define QUIRE_EXECUTION_JOB_SIZE	SZ_32K

/* Jobs that are on a ring at once, and their bytes there. */
#define QUIRE_EXECUTION_JOBS		(QUIRE_RING_ENTRIES / 2)
#define QUIRE_EXECUTION_POOL_SIZE	(QUIRE_EXECUTION_JOBS * QUIRE_EXECUTION_JOB_SIZE)

/**
 * struct quire_execution - one execution ring, and the way to it
 * @qdev: the device
 * @index: number of the execution ring; that of @ring is one more
 * @ring: where commands are executed
 * @watchdog: of @ring
 * @sched: entities of contexts
 * @gate: callers whose work fits enter together, one that queues parts enters alone. Outlives the
 *        ring: a caller may enter after the device has gone
 * @lock: makes and pushes jobs, in the order of their fences; inside of reservations
 * @last: the scheduler's fence of the last job of each context, by the timeline of its entity;
 *        stored under @lock
 * @split: end of the last submission that was split, or NULL; under @lock
 * @pool_cpu: %QUIRE_EXECUTION_JOBS times the commands of a job, on the ring
 * @pool_dma: DMA address of @pool_cpu
 * @loaded: number of jobs that were copied there; has the work of @sched
 * @cause: why the oldest submission is given up now; status %DRM_QUIRE_CONTEXT_GOOD: not by
 *         recovery. Only recovery writes it, see @watchdog
 * @jobs: that the scheduler has not freed, and one for the ring
 * @idle: completed when @jobs becomes 0
 */
struct quire_execution {
	struct quire_device *qdev;
	unsigned int index;
	struct quire_ring ring;
	struct quire_watchdog watchdog;
	struct drm_gpu_scheduler sched;
	struct quire_gate gate;
	struct mutex lock; /* makes and pushes jobs */
	struct xarray last;
	struct dma_fence *split;
	void *pool_cpu;
	dma_addr_t pool_dma;
	u32 loaded;
	struct quire_context_end cause;
	refcount_t jobs;
	struct completion idle;
};

/* quire_execution_recovery.c */
void quire_execution_stuck(struct quire_watchdog *watchdog, enum quire_ring_state state);
void quire_executions_start(struct quire_device *qdev);

int quire_executions_init(struct quire_device *qdev, const struct drm_sched_backend_ops *ops,
			  quire_watchdog_stuck_t stuck);
void quire_executions_fini(struct quire_device *qdev);
void quire_executions_stop(struct quire_device *qdev);
void quire_executions_kill(struct quire_device *qdev, int error);
void quire_executions_pause(struct quire_device *qdev);
void quire_executions_resume(struct quire_device *qdev);
void quire_executions_interrupt(struct quire_device *qdev);
void quire_executions_fault(struct quire_device *qdev);
int quire_execution_reserve(struct quire_execution *execution, struct drm_sched_job *job);
int quire_execution_wait(struct quire_execution *execution);
int quire_execution_follow(struct quire_execution *execution, struct drm_sched_job *job,
			   bool splits);
void quire_execution_pushed(struct quire_execution *execution, struct dma_fence *finished,
			    bool splits);
u64 quire_execution_load(struct quire_execution *execution, const void *commands, u32 size);
u32 quire_execution_peek(struct quire_execution *execution, u64 addr, void *bytes, u32 size);

#endif
