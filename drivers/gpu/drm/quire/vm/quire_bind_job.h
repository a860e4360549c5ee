/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BIND_JOB_H
#define QUIRE_BIND_JOB_H

#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <drm/gpu_scheduler.h>
#include <uapi/drm/quire_drm.h>

#include "paging/quire_paging_list.h"

/* What can be in one buffer in any case. */
#define QUIRE_BIND_WHOLE_MAX	SZ_4K

struct dma_fence;
struct quire_out_fence;
struct quire_paging_job;
struct quire_vm;

/**
 * struct quire_bind_queue - jobs that change entries, in order
 * @entity: of the scheduler of the paging ring
 * @fence_context: timeline of its fences
 * @fence_seqno: of the last one
 * @last: the last one, or NULL
 * @start: first address of all that changes until @last signals
 * @end: behind the last
 */
struct quire_bind_queue {
	struct drm_sched_entity entity;
	u64 fence_context;
	u64 fence_seqno;
	struct dma_fence *last;
	u64 start;
	u64 end;
};

/**
 * struct quire_bind_queues - bind queues of an address space
 * @count: number of @items that are initialised
 * @items: the queues; protected by the reservation of the address space
 * @lock: protects @queued
 * @room: who waits until less is queued
 * @queued: bytes that jobs take which are not freed yet
 */
struct quire_bind_queues {
	u32 count;
	struct quire_bind_queue items[DRM_QUIRE_BIND_QUEUES];
	spinlock_t lock; /* of queued */
	wait_queue_head_t room;
	u64 queued;
};

/**
 * struct quire_bind_list - entries of one bind, on their way to a queue
 * @list: the operations; pass it to quire_paging_list_add()
 * @vm: the address space
 * @queue: number of the bind queue
 * @size: bytes that a buffer has
 * @charge: bytes that are charged for it, see quire_bind_charge(); the jobs take it over
 * @jobs: written, not pushed
 * @out: its fence, until it is pushed
 */
struct quire_bind_list {
	struct quire_paging_list list;
	struct quire_vm *vm;
	u32 queue;
	u32 size;
	u64 charge;
	struct list_head jobs;
	struct quire_out_fence *out;
};

int quire_bind_queues_init(struct quire_bind_queues *queues, struct quire_vm *vm);
void quire_bind_queues_fini(struct quire_bind_queues *queues);
int quire_bind_charge(struct quire_bind_queues *queues, u64 bytes);
void quire_bind_uncharge(struct quire_bind_queues *queues, u64 bytes);

void quire_bind_list_init(struct quire_bind_list *bind, struct quire_vm *vm, u32 queue,
			  u64 bytes);
int quire_bind_list_begin_whole(struct quire_bind_list *bind, u32 bytes);
int quire_bind_list_close(struct quire_bind_list *bind);
void quire_bind_list_drop(struct quire_bind_list *bind);
struct drm_sched_job *quire_bind_list_first(struct quire_bind_list *bind);
int quire_bind_list_follow(struct quire_bind_list *bind, u64 start, u64 end);
struct dma_fence *quire_bind_list_push(struct quire_bind_list *bind, u64 start, u64 end);

#endif
