/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_EXECUTION_H
#define QUIRE_EXECUTION_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <drm/drm_suballoc.h>
#include <drm/gpu_scheduler.h>

#include "quire_context.h"
#include "quire_ring.h"
#include "quire_watchdog.h"

struct dma_fence;
struct quire_device;

/* Command buffers of all contexts on their way to a ring; the largest; and those of a job. */
#define QUIRE_EXECUTION_POOL_SIZE	SZ_2M
#define QUIRE_MAX_COMMANDS		SZ_1M
#define QUIRE_EXECUTION_JOB_SIZE	SZ_64K
#define QUIRE_EXECUTION_ALIGN		8

/**
 * struct quire_execution - one execution ring, and the way to it
 * @qdev: the device
 * @index: number of the execution ring; that of @ring is one more
 * @ring: where commands are executed
 * @watchdog: of @ring
 * @sched: entities of contexts
 * @lock: whose turn it is to push; held for all parts of a submission; nobody who holds it
 *        waits for who waits for it: fences are made under it
 * @last: what each context pushed last, by the timeline of the scheduler's fence; stored
 *        under @lock
 * @split: end of the last submission that was split, or NULL; under @lock
 * @pool: memory of command buffers, freed with their last fence; taken before @lock
 * @pool_cpu: memory of @pool
 * @pool_dma: DMA address of @pool_cpu
 * @cause: what the submission that is given up now is blamed for; status
 *         %DRM_QUIRE_CONTEXT_GOOD: nothing. Only recovery writes it, see @watchdog
 * @jobs: that the scheduler has not freed, and one for the ring
 * @idle: completed when @jobs becomes 0
 */
struct quire_execution {
	struct quire_device *qdev;
	unsigned int index;
	struct quire_ring ring;
	struct quire_watchdog watchdog;
	struct drm_gpu_scheduler sched;
	struct mutex lock; /* whose turn it is to push */
	struct xarray last;
	struct dma_fence *split;
	struct drm_suballoc_manager pool;
	void *pool_cpu;
	dma_addr_t pool_dma;
	struct quire_context_end cause;
	refcount_t jobs;
	struct completion idle;
};

int quire_executions_init(struct quire_device *qdev);
void quire_executions_fini(struct quire_device *qdev);
void quire_executions_stop(struct quire_device *qdev);
void quire_executions_start(struct quire_device *qdev);
void quire_executions_kill(struct quire_device *qdev, int error);
void quire_executions_pause(struct quire_device *qdev);
void quire_executions_resume(struct quire_device *qdev);
void quire_executions_interrupt(struct quire_device *qdev);
void quire_executions_fault(struct quire_device *qdev);
void quire_executions_forget(struct quire_context *context);
int quire_execution_reserve(struct quire_execution *execution, struct drm_sched_job *job);
int quire_execution_follow(struct quire_execution *execution, struct drm_sched_job *job,
			   bool splits);
void quire_execution_pushed(struct quire_execution *execution, struct dma_fence *finished,
			    bool splits);
u32 quire_execution_peek(struct quire_execution *execution, u64 addr, void *bytes, u32 size);

#endif
