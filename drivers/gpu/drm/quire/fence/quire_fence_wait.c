// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Waiting for a value
 *
 * A call sleeps until the number in memory is large enough, whoever queues that and when. All
 * waiters have one queue. It is woken by the interrupt that comes with a value; when a signal is
 * done, as an interrupt may be lost; and when the device goes.
 */

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
#include <uapi/drm/quire_drm.h>

#include "core/quire_compat.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
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

/* With nothing held. */
static int native_wait(struct quire_native *native, u64 value, s64 timeout_ns)
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

/* Returns: 1 it is there; 0 not yet; an error: it may never be. */
static int fence_look(const struct quire_fence *fence, u64 value)
{
	if (quire_fence_value(fence) >= value)
		return 1;
	if (drm_dev_is_unplugged(&fence->qdev->drm))
		return -ENODEV;
	if (quire_device_is_wedged(fence->qdev) || value <= READ_ONCE(fence->lost))
		return -EIO;
	return 0;
}

static int fence_wait(struct quire_fence *fence, u64 value, s64 timeout_ns)
{
	unsigned long timeout = drm_timeout_abs_to_jiffies(timeout_ns);
	int found = 0;
	long ret;

	ret = wait_event_interruptible_timeout(fence->qdev->fences->wait,
					       (found = fence_look(fence, value)), timeout);
	if (found)
		return min(found, 0);
	return ret < 0 ? ret : -ETIME;
}

/**
 * quire_fence_wait_ioctl - %DRM_IOCTL_QUIRE_FENCE_WAIT
 * @drm: the device
 * @data: &struct drm_quire_fence_wait
 * @file: who asks
 *
 * May wait for long, so unplug does not wait for it.
 *
 * Returns: 0, or an error as documented there.
 */
int quire_fence_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_quire_fence_wait *args = data;
	struct quire_bo *bo;
	int ret;

	if (args->pad)
		return quire_refuse(drm, -EINVAL, "fence wait: pad %u", args->pad);
	ret = quire_device_check(drm);
	if (ret)
		return ret;
	bo = quire_fence_lookup(drm, file, args->handle, true);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	if (quire_bo_is_native_fence(bo))
		ret = native_wait(bo->native, args->value, args->timeout_ns);
	else
		ret = fence_wait(bo->fence, args->value, args->timeout_ns);
	drm_gem_object_put(&bo->base.base);
	return ret;
}
