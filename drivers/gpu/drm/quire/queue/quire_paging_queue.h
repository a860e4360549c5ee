/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_QUEUE_H
#define QUIRE_PAGING_QUEUE_H

/**
 * DOC: Layer queue
 *
 * The paging queue of ring 0. The builder describes a list of operations (&struct
 * quire_paging_work) into paging buffers of a pool (quire_paging_work.c), which the DRM scheduler
 * pushes to the ring in the order in which they were built. Operations with virtual addresses see
 * pages through windows (quire_paging_space.c).
 *
 * In: operations, page runs of places. Out: &struct quire_out_fence, which anybody may see and
 * which knows nothing of the device. May use: paging, commands, core, hw.
 */

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sizes.h>

#include <drm/drm_suballoc.h>
#include <drm/gpu_scheduler.h>

#include "paging/quire_paging_list.h"
#include "hw/quire_ring.h"
#include "quire_paging_space.h"

struct quire_device;
struct quire_paging_job;
struct quire_paging_queue;
struct quire_usage;

/*
 * The queue pins 854 KiB, whatever the size of a move: 512 KiB of packets and their private data,
 * 192 KiB of page runs of one part, 32 KiB of its page numbers, 16 KiB of entries of two windows. A
 * buffer is as large as its list needs, so that small moves do not wait for each other, up to
 * 64 KiB, so that one move does not take all.
 */
#define QUIRE_PAGING_BUFFERS_SIZE	SZ_512K
#define QUIRE_PAGING_BUFFER_MIN		SZ_256
#define QUIRE_PAGING_BUFFER_MAX		SZ_64K

/* No packet is smaller than 24 bytes: that many have private data each. */
#define QUIRE_PAGING_PACKET_MIN		24
#define QUIRE_PAGING_RECORDS_SIZE	\
	(QUIRE_PAGING_BUFFERS_SIZE / QUIRE_PAGING_PACKET_MIN * sizeof(struct quire_paging_record))
#define QUIRE_PAGING_POOL_SIZE		(QUIRE_PAGING_BUFFERS_SIZE + QUIRE_PAGING_RECORDS_SIZE)

/**
 * struct quire_batch - the paging work of one call
 * @queue: the paging queue
 * @usage: of the file that is charged for it, or NULL
 *
 * Lives as long as the call, on its stack. Those of all other work are &quire_paging_queue.unpaid
 * and &quire_paging_queue.evictions.
 */
struct quire_batch {
	struct quire_paging_queue *queue;
	struct quire_usage *usage;
};

/**
 * struct quire_plug - lists of one batch share paging buffers
 * @owner: the batch, or NULL
 * @size: bytes that the next buffer has at least
 * @job: whose buffer is open for the next list, or NULL; protected by &quire_paging_queue.lock
 * @waiters: tasks that wait for room in the pool
 * @wq: of @work
 * @work: pushes @job, because a task waits for a fence of it
 */
struct quire_plug {
	struct quire_batch *owner;
	u32 size;
	struct quire_paging_job *job;
	atomic_t waiters;
	struct workqueue_struct *wq;
	struct work_struct work;
};

/**
 * struct quire_paging_counter - work handed to the device
 * @count: packets
 * @bytes: bytes that they move, fill, drop, touch, map or unmap
 */
struct quire_paging_counter {
	atomic64_t count;
	atomic64_t bytes;
};

/**
 * struct quire_paging_queue - owns paging buffers and their way to the ring
 * @drm: the device
 * @ring: where buffers are executed
 * @sched: one run queue, one entity: paging work is in order
 * @entity: KERNEL priority
 * @lock: held from the seqno of a fence until its job is pushed, but for lists in @plug; also while
 *        a list writes to the buffer of that
 * @fence_context: timeline of the fences that the rest of the driver sees
 * @fence_seqno: of the last one; protected by @lock
 * @last: end of the job pushed last, or NULL; protected by @lock. The scheduler's fence: what the
 *        device keeps must not keep the module
 * @plug: lists that share buffers
 * @unpaid: batch of all work that belongs to no call, but for @evictions; charged to no file
 * @evictions: batch of evictions that TTM makes for no call, of several tasks at a time
 * @watchdog: of @ring
 * @pool_lock: serialises waits for room in @pool
 * @pool: buffers, freed with their fence
 * @pool_cpu: memory of @pool
 * @pool_dma: DMA address of @pool_cpu
 * @records: private data of all buffers, by their offset in @pool
 * @open: for lockdep: held with an open buffer
 * @runs_lock: held while a part of a move is described; taken before @pool_lock; its holder never
 *             waits until an object is idle
 * @runs: page runs of that part: %QUIRE_SUB_TRANSFER_PAGES for each side
 * @page_numbers: of that part, for an address list: %QUIRE_SUB_TRANSFER_PAGES
 * @space: virtual addresses of what is executed
 * @caps: for the builder
 * @jobs: armed jobs that the scheduler has not freed, and one for the queue
 * @idle: completed when @jobs becomes 0, after which the queue is unused
 * @counters: by enum quire_paging_operation
 * @submissions: paging buffers handed to the ring
 * @busy: BUSY answers of the builder
 * @patches: how often a buffer was patched
 */
struct quire_paging_queue {
	struct drm_device *drm;
	struct quire_ring *ring;
	struct drm_gpu_scheduler sched;
	struct drm_sched_entity entity;
	struct mutex lock; /* pushed in the order of the fences */
	u64 fence_context;
	u64 fence_seqno;
	struct dma_fence *last;
	struct quire_plug plug;
	struct quire_batch unpaid;
	struct quire_batch evictions;
	struct quire_watchdog watchdog;
	struct mutex pool_lock; /* taken before waiting for room in the pool */
	struct drm_suballoc_manager pool;
	void *pool_cpu;
	dma_addr_t pool_dma;
	struct quire_paging_record *records;
	struct lockdep_map open;
	struct mutex runs_lock; /* taken before a paging buffer is open */
	struct quire_page_run *runs;
	u64 *page_numbers;
	struct quire_paging_space space;
	struct quire_paging_caps caps;
	refcount_t jobs;
	struct completion idle;
	struct quire_paging_counter counters[QUIRE_PAGING_OPERATIONS];
	atomic64_t submissions;
	atomic64_t busy;
	atomic64_t patches;
};

/**
 * struct quire_paging_submission - a paging buffer on its way through the ring
 * @base: base
 * @queue: where it came from
 * @buffer: what is submitted; memory of the pool until the fence signals
 * @failed: set if it is given up, before its fence signals; or NULL
 * @outs: struct quire_out_fence of the lists in it; none of them signals before @base does
 * @counted: its packets are in the counters of the queue
 */
struct quire_paging_submission {
	struct quire_ring_fence base;
	struct quire_paging_queue *queue;
	struct quire_paging_buffer buffer;
	bool *failed;
	struct list_head outs;
	bool counted;
};

/**
 * struct quire_paging_job - one paging buffer, open or in the scheduler
 * @base: base
 * @queue: where it came from
 * @submission: its buffer and its fence, until the ring takes it
 * @usage: charged for its time, with a reference; or NULL
 * @plugged: lists of the plug share it
 * @sa: memory of the pool, while the buffer is open
 * @release: frees memory that is not of the pool, with the job; or NULL
 * @gpu_address: DMA address of the buffer, for the trace
 */
struct quire_paging_job {
	struct drm_sched_job base;
	struct quire_paging_queue *queue;
	struct quire_paging_submission *submission;
	struct quire_usage *usage;
	bool plugged;
	struct drm_suballoc *sa;
	void (*release)(struct quire_paging_job *job);
	u64 gpu_address;
};

/**
 * struct quire_mark - how far the device says that it came
 * @lock: serialises requests
 * @page: of coherent memory; the device writes to it
 * @dma: DMA address of @page
 * @asked: fence value of the last submission that writes it; 0: none; READ_ONCE()
 */
struct quire_mark {
	struct mutex lock; /* one at a time asks */
	__le64 *page;
	dma_addr_t dma;
	u64 asked;
};

int quire_paging_queue_init(struct quire_paging_queue *queue, struct quire_device *qdev,
			    u64 window_size, u64 mmu_size, quire_watchdog_stuck_t stuck);
void quire_paging_queue_fini(struct quire_paging_queue *queue);
void quire_paging_queue_wait(struct quire_paging_queue *queue);
u32 quire_paging_queue_peek(struct quire_paging_queue *queue, u64 addr, void *bytes, u32 size);
struct dma_fence *quire_paging_queue_last(struct quire_paging_queue *queue);

void quire_plug_begin(struct quire_batch *batch);
void quire_plug_end(struct quire_batch *batch);

DEFINE_GUARD(quire_plug, struct quire_batch *, quire_plug_begin(_T), quire_plug_end(_T))

void quire_plug_push(struct quire_batch *batch);
void quire_plug_push_all(struct quire_paging_queue *queue);

struct quire_paging_job *quire_paging_job_create(struct quire_batch *batch, u32 size,
						 bool interruptible);
void quire_paging_job_open(struct quire_paging_job *job, const struct quire_paging_buffer *buffer,
			   struct quire_usage *usage);
struct dma_fence *quire_paging_job_push(struct quire_paging_job *job);
void quire_paging_job_free(struct quire_paging_job *job);

/* A task waits for a fence of the open buffer: it is pushed soon. Any context. */
static inline void quire_plug_kick(struct quire_plug *plug)
{
	queue_work(plug->wq, &plug->work);
}

/* Is this fence one of a list? */
static inline bool quire_paging_queue_owns(const struct quire_paging_queue *queue,
					   const struct dma_fence *fence)
{
	return fence->context == queue->fence_context;
}

int quire_mark_init(struct quire_mark *mark, struct drm_device *drm);
int quire_mark_reach(struct quire_mark *mark, struct quire_paging_queue *queue);

/* Returns the fence value that the device wrote; 0: none. */
static inline u64 quire_mark_written(const struct quire_mark *mark)
{
	return le64_to_cpu(READ_ONCE(*mark->page));
}

#endif
