/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FENCE_H
#define QUIRE_FENCE_H

/**
 * DOC: Layer fence
 *
 * Monitored fences, numbers that device and CPU signal and programs map; waits for them and for
 * native fences (quire_fence_wait.c).
 *
 * In: FENCE_CREATE, FENCE_SIGNAL, FENCE_WAIT; interrupts of the device. Out: jobs of ring 0 that
 * write the number. May use: all before it, up to move.
 */

#include <linux/atomic.h>
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_bo.h>

#include "core/quire_device_types.h"

struct dma_pool;
struct drm_device;
struct drm_file;
struct quire_bo;
struct quire_fence_quota;

/**
 * struct quire_fence - a monitored fence
 * @qdev: the device
 * @bo: its object, which has it; of one page, pinned, and mapped for the device
 * @quota: of the file that created it, with a reference
 * @map: of the page, for the CPU
 * @value: its first bytes
 * @slot: of the paging address space; with @link on the list
 * @link: in &quire_fences.list while the device knows of it
 * @entity: of the scheduler of the paging ring: values are written in the order in which they
 *          are queued
 * @context: timeline of the fences of its signals
 * @queued: signals that are not done
 * @lost: the largest value that the device was not able to write, or 0; read without a lock,
 *        and written by the jobs, which end one after the other
 * @lock: protects all below; signals are queued in the order of their values
 * @requested: the value that was queued last
 * @seqno: of the last fence of a signal
 */
struct quire_fence {
	struct quire_device *qdev;
	struct quire_bo *bo;
	struct quire_fence_quota *quota;
	struct ttm_bo_kmap_obj map;
	const __le64 *value;
	u32 slot;
	struct list_head link;
	struct drm_sched_entity entity;
	u64 context;
	atomic_t queued;
	u64 lost;
	struct mutex lock; /* in the order of the values */
	u64 requested;
	u64 seqno;
};

/**
 * struct quire_fences - monitored fences of all programs
 * @lock: protects @list, and removals from it
 * @list: struct quire_fence that the device knows of
 * @slots: of the paging address space, that are taken
 * @packets: paging buffers of signals
 * @wait: woken when a value may have been written, when a signal is done, and when the device
 *        goes
 */
struct quire_fences {
	struct mutex lock; /* of the list */
	struct list_head list;
	struct ida slots;
	struct dma_pool *packets;
	wait_queue_head_t wait;
};

int quire_fences_init(struct quire_device *qdev);
void quire_fences_fini(struct quire_device *qdev);

/**
 * quire_fences_wake - wake all that wait for fences
 * @qdev: the device
 *
 * Any context, also hard interrupt.
 */
static inline void quire_fences_wake(struct quire_device *qdev)
{
	if (wq_has_sleeper(&qdev->fences->wait))
		wake_up_all(&qdev->fences->wait);
}

void quire_fence_put(struct quire_fence *fence);
struct quire_bo *quire_fence_lookup(struct drm_device *drm, struct drm_file *file, u32 handle,
				    bool native);
u64 quire_fence_value(const struct quire_fence *fence);
int quire_fence_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* quire_fence_signal.c */
int quire_fence_signal_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* quire_fence_wait.c */
int quire_fence_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
