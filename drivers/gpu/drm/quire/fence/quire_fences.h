/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_FENCES_H
#define QUIRE_FENCES_H

#include <linux/idr.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include "core/quire_device_types.h"

struct dma_pool;

/**
 * struct quire_fences - monitored fences of all programs
 * @lock: protects @list, and who takes one off it
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
 * quire_fences_wake - who waits for a monitored fence looks again
 * @qdev: the device
 *
 * Any context, also hard interrupt.
 */
static inline void quire_fences_wake(struct quire_device *qdev)
{
	if (wq_has_sleeper(&qdev->fences->wait))
		wake_up_all(&qdev->fences->wait);
}

#endif
