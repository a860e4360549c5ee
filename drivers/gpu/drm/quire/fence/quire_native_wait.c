// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Waiting for a native fence
 *
 * A waiter announces its value in the monitored value: the least of those that are waited for and
 * not reached. The device writes the current value and then reads the monitored one; the driver
 * writes the monitored value and then reads the current one. Each has a full barrier between the
 * two, so at least one of them sees what the other one did.
 *
 * Without waiters the monitored value is the largest there is, and the device never interrupts. A
 * waiter that leaves early leaves its value there: that costs one interrupt.
 *
 * The page may move meanwhile: it is read where it is, with the reservation held and behind its
 * moves, which carry both values.
 */
#include <linux/dma-resv.h>
#include <linux/sched/signal.h>

#include <drm/drm_drv.h>
#include <drm/drm_utils.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_natives.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_visible.h"
#include "vm/quire_native.h"
#include "quire_fence.h"

/* No event tells of content that a failed move has lost, or of a lost interrupt: so poll, too. */
#define LOOK_PERIOD	HZ

/**
 * struct quire_native_waiter - a call that sleeps
 * @link: in &quire_native.waiters
 * @value: that it waits for
 */
struct quire_native_waiter {
	struct list_head link;
	u64 value;
};

/* The least value above @current_value that somebody waits for. */
static u64 least_above(struct quire_native *native, u64 current_value)
{
	struct quire_native_waiter *waiter;
	u64 least = U64_MAX;

	spin_lock(&native->lock);
	list_for_each_entry(waiter, &native->waiters, link)
		if (waiter->value > current_value)
			least = min(least, waiter->value);
	spin_unlock(&native->lock);
	return least;
}

/* Returns the current value; who waits for a larger one will be told of it. */
static u64 page_arm(struct quire_native *native, struct ttm_bo_kmap_obj *map)
{
	u64 current_value = quire_native_read(map, QUIRE_NATIVE_CURRENT);
	u64 monitored = least_above(native, current_value);

	quire_native_write(map, QUIRE_NATIVE_MONITORED, monitored);
	/* Pairs with that of the device: see above. */
	mb();
	current_value = quire_native_read(map, QUIRE_NATIVE_CURRENT);
	if (current_value >= monitored)
		quire_fences_wake(quire_bo_device(native->bo));
	return current_value;
}

static int page_look(struct quire_native *native, struct quire_native_waiter *waiter)
{
	struct quire_bo *bo = native->bo;
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_bo_kmap_obj map;
	int ret;

	if (quire_bo_is_purged(bo))
		return -EIO;
	ret = (bo->base.resource ? 0 : quire_bo_validate(bo, &quire_system_place, 1, &ctx)) ?:
	      (quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM ? 0 :
	       ttm_bo_populate(&bo->base, &ctx)) ?:
	      ttm_bo_kmap(&bo->base, 0, 1, &map);
	if (ret)
		return ret;
	ret = page_arm(native, &map) >= waiter->value;
	/* What the program reads next was written before. */
	rmb();
	ttm_bo_kunmap(&map);
	return ret;
}

static int look_in_device(struct quire_native *native, struct quire_native_waiter *waiter)
{
	struct quire_device *qdev = quire_bo_device(native->bo);
	int ret, idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	ret = down_read_killable(&qdev->vram_access) ? -ERESTARTSYS : 0;
	if (!ret) {
		ret = page_look(native, waiter);
		up_read(&qdev->vram_access);
	}
	/* What is in memory counts, whatever the device does. */
	if (!ret && quire_device_is_wedged(qdev))
		ret = -EIO;
	drm_dev_exit(idx);
	return ret;
}

/* Returns: 1 it is there; 0 not yet, and we will be told; an error: it may never be. */
static int native_look(struct quire_native *native, struct quire_native_waiter *waiter)
{
	struct dma_resv *resv = native->bo->base.base.resv;
	int ret;

	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret)
		return -ERESTARTSYS;
	ret = quire_bo_vm_wait_moved(native->bo, true) ?: look_in_device(native, waiter);
	dma_resv_unlock(resv);
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/* Sleeps no longer than until @end. Returns: 0 it is worth looking, or an error. */
static int sleep_until_told(struct wait_queue_entry *entry, u64 end)
{
	u64 now = get_jiffies_64();

	if (now >= end)
		return -ETIME;
	if (signal_pending(current))
		return -ERESTARTSYS;
	wait_woken(entry, TASK_INTERRUPTIBLE, min_t(u64, end - now, LOOK_PERIOD));
	return 0;
}

/**
 * quire_native_wait - %DRM_IOCTL_QUIRE_FENCE_WAIT of a native fence
 * @native: the fence
 * @value: that is waited for
 * @timeout_ns: absolute, CLOCK_MONOTONIC; 0 only asks
 *
 * With nothing held.
 *
 * Returns: 0, or an error as documented there.
 */
int quire_native_wait(struct quire_native *native, u64 value, s64 timeout_ns)
{
	wait_queue_head_t *queue = &quire_bo_device(native->bo)->fences->wait;
	struct quire_native_waiter waiter = { .value = value };
	DEFINE_WAIT_FUNC(entry, woken_wake_function);
	u64 end;
	int ret;

	spin_lock(&native->lock);
	list_add_tail(&waiter.link, &native->waiters);
	spin_unlock(&native->lock);
	add_wait_queue(queue, &entry);
	/* Other fences wake it, too, and a look takes its time: what counts is when it ends. */
	end = get_jiffies_64() + drm_timeout_abs_to_jiffies(timeout_ns);
	do {
		ret = native_look(native, &waiter) ?: sleep_until_told(&entry, end);
	} while (!ret);
	remove_wait_queue(queue, &entry);
	spin_lock(&native->lock);
	list_del(&waiter.link);
	spin_unlock(&native->lock);
	return min(ret, 0);
}
