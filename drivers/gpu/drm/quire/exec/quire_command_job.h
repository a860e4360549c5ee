/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMAND_JOB_H
#define QUIRE_COMMAND_JOB_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>

#include <drm/gpu_scheduler.h>

#include "hw/quire_ring.h"

struct dma_fence;
struct quire_context;
struct quire_context_end;
struct quire_execution;
struct quire_out_fence;

/**
 * struct quire_command_memory - the commands of a submission, with their addresses
 * @refs: of the call that queues it, and of its jobs; each has a reference to @context, too
 * @context: whose it is
 * @ring: number of the execution ring
 * @size: bytes of @words
 * @words: of each part what quire_command_patch() wrote; no more changes once a job has it
 */
struct quire_command_memory {
	struct kref refs;
	struct quire_context *context;
	u32 ring;
	u32 size;
	__le64 words[];
};

/**
 * struct quire_command_range - some commands of a part
 * @address: virtual address, if the context has an address space; else 0, and they stand in memory
 *           of the command buffer
 * @size: bytes, a multiple of 8; without an @address at most %QUIRE_EXECUTION_JOB_SIZE
 * @submission: number in the context
 * @part: of the submission
 * @start: byte of the command buffer, and of its memory, where they begin
 */
struct quire_command_range {
	u64 address;
	u32 size;
	u64 submission;
	u32 part;
	u32 start;
};

/**
 * struct quire_command_submission - commands of a job on their way through the ring
 * @base: base; first, because its fence is freed by it
 * @context: whose they are; lives as long as the job
 * @execution: the execution ring
 * @range: which ones
 * @tell: &quire_context_save.tells, if the context has an address space
 * @renewals: &quire_vm_tables.renewals of that
 */
struct quire_command_submission {
	struct quire_ring_fence base;
	struct quire_context *context;
	struct quire_execution *execution;
	struct quire_command_range range;
	unsigned long tell;
	unsigned long renewals;
};

/**
 * struct quire_command_job - some commands of a part, in the hands of the scheduler
 * @base: base
 * @context: whose they are
 * @execution: the execution ring
 * @submission: its way through the ring, until that takes it
 * @memory: of the command buffer; NULL until the job is pushed
 * @out: its fence, as others see it; until the job is pushed
 * @link: for who makes several
 */
struct quire_command_job {
	struct drm_sched_job base;
	struct quire_context *context;
	struct quire_execution *execution;
	struct quire_command_submission *submission;
	struct quire_command_memory *memory;
	struct quire_out_fence *out;
	struct list_head link;
};

extern const struct drm_sched_backend_ops quire_command_sched_ops;

struct quire_command_memory *quire_command_memory_create(struct quire_context *context, u32 ring,
							 u32 size);
void quire_command_memory_put(struct quire_command_memory *memory);

struct quire_command_job *quire_command_job_create(struct quire_execution *execution,
						   struct quire_context *context);
void quire_command_job_destroy(struct quire_command_job *job);
struct dma_fence *quire_command_job_push(struct quire_command_job *job,
					 struct quire_command_memory *memory,
					 const struct quire_command_range *range,
					 struct dma_fence **finished);
void quire_command_at_work(struct quire_execution *execution, struct quire_context_end *end);

#endif
