/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_QUEUE_H
#define QUIRE_PAGING_QUEUE_H

/**
 * DOC: Layer queue
 *
 * The paging queue of ring 0. A list of operations (&struct quire_paging_work) is described by the
 * builder into paging buffers of a pool (quire_plug.c, quire_paging_job.c), which the DRM scheduler
 * pushes to the ring in the order in which they were built. A long move is described in parts
 * (quire_paging_part.c); operations with virtual addresses see pages through windows
 * (quire_virtual.c).
 *
 * In: operations, page runs of places. Out: &struct quire_out_fence, which anybody may see and
 * which knows nothing of the device. May use: paging, commands, core, hw.
 */

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/lockdep_types.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sizes.h>

#include <drm/drm_suballoc.h>
#include <drm/gpu_scheduler.h>

#include "paging/quire_paging.h"
#include "hw/quire_watchdog.h"
#include "quire_paging_space.h"
#include "quire_plug.h"

struct dma_fence;
struct drm_device;
struct quire_aperture;
struct quire_device;
struct quire_mark;
struct quire_mmu_table;
struct quire_natives;
struct quire_paging_submission;
struct quire_residency_table;
struct quire_ring;

/*
 * The pool pins 854 KiB, whatever the size of a move: 512 KiB of packets and their private data,
 * 192 KiB of page runs of one part, 32 KiB of its page numbers, 16 KiB of entries of two windows. A
 * paging buffer is as large as its list needs, so that small moves do not wait for each other, up
 * to 64 KiB, so that one move does not take all.
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
 * @aperture: told of what is mapped and unmapped
 * @residency: told of notices that are given up
 * @mmus: told of what MMUs show
 * @natives: told of where native fences are
 * @dummy_page: DMA address; unmapped aperture pages point there
 * @mark: told of submissions that write it
 * @sched: one run queue, one entity: paging work is in order
 * @entity: KERNEL priority
 * @lock: work is pushed in the order of the fences: held from the seqno of a fence until its job is
 *        pushed, but for lists in @plug; also while a list writes to the buffer of that
 * @fence_context: timeline of the fences that the rest of the driver sees
 * @fence_seqno: of the last one; protected by @lock
 * @last: end of the job pushed last, or NULL; protected by @lock. The scheduler's fence: what the
 *        device keeps must not keep the module
 * @plug: lists that share buffers
 * @unpaid: batch of all work that belongs to no call, but for @evictions; charged to no file
 * @evictions: batch of evictions that TTM makes for no call; charged to no file, of several tasks
 *             at a time
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
	struct quire_aperture *aperture;
	struct quire_residency_table *residency;
	struct quire_mmu_table *mmus;
	struct quire_natives *natives;
	dma_addr_t dummy_page;
	struct quire_mark *mark;
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

int quire_paging_queue_init(struct quire_paging_queue *queue, struct quire_device *qdev,
			    u64 window_size, u64 mmu_size, quire_watchdog_stuck_t stuck);
void quire_paging_queue_fini(struct quire_paging_queue *queue);
void quire_paging_queue_wait(struct quire_paging_queue *queue);
u32 quire_paging_queue_peek(struct quire_paging_queue *queue, u64 addr, void *bytes, u32 size);

struct dma_fence *quire_paging_queue_last(struct quire_paging_queue *queue);
bool quire_paging_queue_owns(const struct quire_paging_queue *queue,
			     const struct dma_fence *fence);

#endif
