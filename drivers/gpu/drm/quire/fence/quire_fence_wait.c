// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Waiting for a value
 *
 * A call sleeps until the number in memory is large enough, whoever queues that and when. All
 * waiters have one queue. It is woken by the interrupt that comes with a value; when a signal is
 * done, as an interrupt may be lost; and when the device goes.
 */

#include <drm/drm_drv.h>
#include <drm/drm_utils.h>
#include <uapi/drm/quire_drm.h>

#include "core/quire_refuse.h"
#include "hw/quire_device_guard.h"
#include "bo/quire_bo.h"
#include "quire_fence.h"

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
	int ret, idx;

	if (args->pad)
		return quire_refuse(drm, -EINVAL, "fence wait: pad %u", args->pad);
	ret = quire_device_enter(drm, &idx);
	if (ret)
		return ret;
	quire_device_exit(idx);

	bo = quire_fence_lookup(drm, file, args->handle, true);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	if (quire_bo_is_native_fence(bo))
		ret = quire_native_wait(bo->native, args->value, args->timeout_ns);
	else
		ret = fence_wait(bo->fence, args->value, args->timeout_ns);
	drm_gem_object_put(&bo->base.base);
	return ret;
}
