/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FENCE_H
#define QUIRE_FENCE_H

/**
 * DOC: Layer fence
 *
 * Monitored fences, numbers that device and CPU signal and programs map; native fences, which
 * commands signal; waits for both.
 *
 * In: FENCE_CREATE, FENCE_SIGNAL, FENCE_WAIT; interrupts of the device. Out: jobs of ring 0 that
 * write the number. May use: all before it, up to move.
 */

#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include <uapi/drm/quire_drm.h>

#include "core/quire_device_types.h"

struct drm_file;

/* What a file may have. */
#define QUIRE_FILE_FENCES		(DRM_QUIRE_MAX_FENCES / 4)
#define QUIRE_FILE_NATIVE_FENCES	(DRM_QUIRE_MAX_NATIVE_FENCES / 4)

/**
 * struct quire_fences - monitored fences of all programs
 * @lock: protects @list, and removals from it
 * @list: &struct quire_fence that the device knows of
 * @slots: of the paging address space, that are taken
 * @packets: paging buffers of signals
 * @wait: woken when a value may be new, a signal is done, or the device goes
 */
struct quire_fences {
	struct mutex lock; /* of the list */
	struct list_head list;
	struct ida slots;
	struct dma_pool *packets;
	wait_queue_head_t wait;
};

/* Wake all that wait for fences. Any context, also hard interrupt. */
static inline void quire_fences_wake(struct quire_device *qdev)
{
	if (wq_has_sleeper(&qdev->fences->wait))
		wake_up_all(&qdev->fences->wait);
}

int quire_fences_init(struct quire_device *qdev);
void quire_fences_fini(struct quire_device *qdev);
int quire_fence_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int quire_fence_signal_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int quire_fence_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
