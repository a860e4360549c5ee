// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <xf86drm.h>

#include "syncs.h"

/* libdrm of Debian 12 does not have it yet. */
#ifndef DRM_IOCTL_SYNCOBJ_EVENTFD
struct drm_syncobj_eventfd {
	__u32 handle;
	__u32 flags;
	__u64 point;
	__s32 fd;
	__u32 pad;
};

#define DRM_IOCTL_SYNCOBJ_EVENTFD	DRM_IOWR(0xCF, struct drm_syncobj_eventfd)
#endif

uint32_t sync_create(const struct fixture *fixture)
{
	uint32_t syncobj;

	if (drmSyncobjCreate(fixture->fd, 0, &syncobj))
		tap_bail("no syncobj: %s", strerror(errno));
	return syncobj;
}

/* Returns 0; -ETIME; -EINVAL if nobody gave it a fence. @point 0: it is binary. */
int sync_wait(const struct fixture *fixture, uint32_t syncobj, uint64_t point,
	      unsigned int milliseconds)
{
	int64_t end = milliseconds ? quire_now_ns() + milliseconds * 1000000ll : 0;

	if (point ? drmSyncobjTimelineWait(fixture->fd, &syncobj, &point, 1, end, 0, NULL) :
		    drmSyncobjWait(fixture->fd, &syncobj, 1, end, 0, NULL))
		return -errno;
	return 0;
}

bool sync_is_untouched(const struct fixture *fixture, uint32_t syncobj)
{
	return sync_wait(fixture, syncobj, 0, 0) == -EINVAL;
}

/* Returns a sync_file, or -1. */
int sync_export(const struct fixture *fixture, uint32_t syncobj)
{
	int fd = -1;

	return drmSyncobjExportSyncFile(fixture->fd, syncobj, &fd) ? -1 : fd;
}

/* Returns an eventfd that becomes readable with the fence, or -1. */
int sync_eventfd(const struct fixture *fixture, uint32_t syncobj, uint64_t point)
{
	struct drm_syncobj_eventfd argument = {
		.handle = syncobj, .point = point, .fd = eventfd(0, EFD_CLOEXEC),
	};

	if (quire_ioctl(fixture->fd, DRM_IOCTL_SYNCOBJ_EVENTFD, &argument)) {
		close(argument.fd);
		return -1;
	}
	return argument.fd;
}

/* Returns 0 or a negative errno. */
int fence_query(int sync_file, struct fence_state *state)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = {
		.num_fences = 1, .sync_fence_info = (uintptr_t)&fence,
	};

	if (ioctl(sync_file, SYNC_IOC_FILE_INFO, &info))
		return -errno;
	state->status = fence.status;
	state->timestamp = fence.timestamp_ns;
	snprintf(state->driver, sizeof(state->driver), "%s", fence.driver_name);
	return 0;
}

bool fd_is_ready(int fd, unsigned int milliseconds)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, milliseconds) == 1 && poll_fd.revents & POLLIN;
}

/* A move whose end one syncobj tells. */
int object_place_signal(const struct fixture *fixture, const struct object *object,
			const struct place *place, uint32_t syncobj, uint64_t point)
{
	const struct drm_quire_sync sync = {
		.handle = syncobj, .flags = DRM_QUIRE_SYNC_SIGNAL, .point = point,
	};

	return quire_bo_place_syncs(fixture->fd, object->handle, place->segment, place->flags,
				    &sync, 1);
}
