/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_EXECUTION_H
#define QUIRE_EXECUTION_H

/**
 * DOC: Layer exec
 *
 * Contexts and the rings that execute commands. quire_commands.c is the way of both calls that
 * execute: EXEC, which is here, and SUBMIT, which patches and splits, and stands on this folder.
 *
 * In: commands, syncobjs. Out: fences of jobs; the end of a context, if they fault or hang
 * (quire_execution.c). May use: all before it, up to fence.
 */

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <drm/gpu_scheduler.h>

#include "core/quire_context_end.h"
#include "core/quire_device_types.h"
#include "core/quire_gate.h"
#include "core/quire_sync.h"
#include "hw/quire_ring.h"

struct drm_file;
struct drm_quire_array;
struct quire_commands;

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
 * @gate: entered together by callers whose work fits, alone by one that queues parts; also after
 *        the device has gone
 * @lock: makes and pushes jobs, in the order of their fences; inside of reservations
 * @last: the scheduler's fence of the last job of each context, by its timeline; under @lock
 * @split: end of the last submission that was split, or NULL; under @lock
 * @pool_cpu: %QUIRE_EXECUTION_JOBS times the commands of a job, on the ring
 * @pool_dma: DMA address of @pool_cpu
 * @loaded: number of jobs that were copied there; has the work of @sched
 * @cause: why the oldest submission is given up now; %DRM_QUIRE_CONTEXT_GOOD: not by recovery,
 *         which alone writes it, see @watchdog
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

/**
 * struct quire_commands_ops - what EXEC and SUBMIT do each in its own way
 * @depend: let a job wait for what the objects of a part wait for, and reserve a fence in each;
 *          0, or -ENOMEM
 * @patch: write the commands from @start to @end to @to; NULL: they stand at a virtual address
 * @publish: give &quire_commands.fence to the objects of the part; never fails
 */
struct quire_commands_ops {
	int (*depend)(struct quire_commands *commands, struct drm_sched_job *job);
	void (*patch)(struct quire_commands *commands, void *to, u32 start, u32 end);
	void (*publish)(struct quire_commands *commands);
};

/**
 * struct quire_commands - the commands of one call, on their way to a ring
 * @ops: of the call
 * @name: of the call, for messages
 * @qdev: the device
 * @execution: the ring
 * @context: whose commands they are, with a reference
 * @memory: of the commands that have to be patched, and charged for all
 * @packets: the commands as the program gave them; NULL: they stand at a virtual address
 * @syncs: fences in and out
 * @splits: they may be queued in several parts
 * @submission: number in the context, once a part was queued
 * @parts: number of parts that were queued
 * @fence: of the last of them, or NULL
 * @finished: the scheduler's fence of that, or NULL
 */
struct quire_commands {
	const struct quire_commands_ops *ops;
	const char *name;
	struct quire_device *qdev;
	struct quire_execution *execution;
	struct quire_context *context;
	struct quire_command_memory *memory;
	const void *packets;
	struct quire_syncs syncs;
	bool splits;
	u64 submission;
	u32 parts;
	struct dma_fence *fence;
	struct dma_fence *finished;
};

/* quire_commands.c */
extern const struct drm_sched_backend_ops quire_command_sched_ops;

int quire_commands_begin(struct quire_commands *commands, struct drm_file *file, u32 context,
			 u32 ring, const struct drm_quire_array *syncs);
int quire_commands_check_context(const struct quire_commands *commands);
int quire_commands_execute(struct quire_commands *commands, struct drm_file *file, u32 size,
			   int (*queue)(struct quire_commands *commands));
int quire_commands_queue(struct quire_commands *commands, u64 address, u32 start, u32 end);
void quire_commands_end(struct quire_commands *commands);
void quire_commands_at_work(struct quire_execution *execution, struct quire_context_end *end);
int quire_execution_wait(struct quire_execution *execution);

int quire_executions_init(struct quire_device *qdev);
void quire_executions_fini(struct quire_device *qdev);
void quire_executions_start(struct quire_device *qdev);

/* Each does to all execution rings what its name says in hw/. */
static inline void quire_executions_stop(struct quire_device *qdev)
{
	for (u32 i = 0; i < qdev->nr_executions; i++)
		quire_ring_stop(&qdev->executions[i].ring);
}

static inline void quire_executions_kill(struct quire_device *qdev, int error)
{
	for (u32 i = 0; i < qdev->nr_executions; i++)
		quire_ring_kill(&qdev->executions[i].ring, error);
}

static inline void quire_executions_interrupt(struct quire_device *qdev)
{
	for (u32 i = 0; i < qdev->nr_executions; i++)
		quire_ring_interrupt(&qdev->executions[i].ring);
}

static inline void quire_executions_pause(struct quire_device *qdev)
{
	for (u32 i = 0; i < qdev->nr_executions; i++)
		quire_watchdog_pause(&qdev->executions[i].watchdog);
}

static inline void quire_executions_resume(struct quire_device *qdev)
{
	for (u32 i = 0; i < qdev->nr_executions; i++)
		quire_watchdog_resume(&qdev->executions[i].watchdog);
}

/* A ring stopped at a fault. */
static inline void quire_executions_fault(struct quire_device *qdev)
{
	for (u32 i = 0; i < qdev->nr_executions; i++)
		quire_watchdog_look_now(&qdev->executions[i].watchdog);
}

#endif
