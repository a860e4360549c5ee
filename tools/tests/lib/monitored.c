// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "monitored.h"

/* So long somebody may wait until the test has failed. */
#define WAITER_S	60

int monitored_create(int fd, uint64_t value, uint32_t *handle)
{
	struct drm_quire_fence_create create = { .value = value };
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_FENCE_CREATE, &create);

	*handle = create.handle;
	return ret;
}

uint64_t monitored_offset(int fd, uint32_t handle)
{
	struct drm_quire_bo_mmap_offset offset = { .handle = handle };

	if (quire_ioctl(fd, DRM_IOCTL_QUIRE_BO_MMAP_OFFSET, &offset))
		tap_bail("mmap offset of a fence");
	return offset.offset;
}

void monitored_open(struct monitored *fence, int fd, uint64_t value)
{
	int ret = monitored_create(fd, value, &fence->handle);
	void *page;

	if (ret)
		tap_bail("fence: %s", strerror(-ret));
	page = mmap(NULL, QUIRE_PAGE, PROT_READ, MAP_SHARED, fd,
		    monitored_offset(fd, fence->handle));
	if (page == MAP_FAILED)
		tap_bail("map a fence");
	fence->page = page;
	fence->fd = fd;
}

void monitored_close(struct monitored *fence)
{
	quire_bo_close(fence->fd, fence->handle);
	munmap((void *)fence->page, QUIRE_PAGE);
}

/* What the program sees. */
uint64_t monitored_value(const struct monitored *fence)
{
	return __atomic_load_n(fence->page, __ATOMIC_ACQUIRE);
}

int monitored_signal_syncs(const struct monitored *fence, uint64_t value,
			   const struct drm_quire_sync *syncs, uint32_t count)
{
	struct drm_quire_fence_signal signal = {
		.handle = fence->handle, .value = value, .syncs = DRM_QUIRE_ARRAY(count, syncs),
	};

	return quire_ioctl(fence->fd, DRM_IOCTL_QUIRE_FENCE_SIGNAL, &signal);
}

int monitored_signal(const struct monitored *fence, uint64_t value)
{
	return monitored_signal_syncs(fence, value, NULL, 0);
}

/* @milliseconds 0 only asks. */
int monitored_wait(const struct monitored *fence, uint64_t value, unsigned int milliseconds)
{
	struct drm_quire_fence_wait wait = {
		.handle = fence->handle, .value = value,
		.timeout_ns = milliseconds ? quire_now_ns() + milliseconds * 1000000ll : 0,
	};

	return quire_ioctl(fence->fd, DRM_IOCTL_QUIRE_FENCE_WAIT, &wait);
}

/**
 * monitored_start_waiter - another process waits for a value
 * @fence: a fence
 * @value: the value
 *
 * Returns: the process, which waits now; its status is the errno of the wait.
 */
pid_t monitored_start_waiter(const struct monitored *fence, uint64_t value)
{
	pid_t pid = child_start(WAITER_S);

	/* It does not end by itself: that would look at the value, and at the device, once more. */
	if (!pid)
		_exit(-monitored_wait(fence, value, 100 * WAITER_S * 1000));
	tap_ok(child_gets_within(pid, "quire_fence_wait_ioctl", WAIT_MS), "somebody waits for it");
	return pid;
}
