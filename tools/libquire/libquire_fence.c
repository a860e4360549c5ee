// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libquire_private.h"
#include "quire_client.h"

int quire_fence_create(struct quire_device *device, struct quire_fence **fence)
{
	struct quire_fence *new = malloc(sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	new->device = device;
	ret = drmSyncobjCreate(device->fd, 0, &new->syncobj) ? -errno : 0;
	if (ret)
		free(new);
	else
		*fence = new;
	return ret;
}

int quire_fence_from_file(struct quire_device *device, int sync_file,
			  struct quire_fence **fence)
{
	struct quire_fence *new;
	int ret = quire_fence_create(device, &new);

	if (ret)
		return ret;
	ret = drmSyncobjImportSyncFile(device->fd, new->syncobj, sync_file) ? -errno : 0;
	if (ret)
		quire_fence_close(new);
	else
		*fence = new;
	return ret;
}

void quire_fence_close(struct quire_fence *fence)
{
	if (!fence)
		return;
	drmSyncobjDestroy(fence->device->fd, fence->syncobj);
	free(fence);
}

uint32_t quire_fence_syncobj(const struct quire_fence *fence)
{
	return fence->syncobj;
}

/* The error with which the work of a sync_file ended, or 0. */
static int file_error(int sync_file)
{
	struct sync_file_info info = { 0 };

	if (ioctl(sync_file, SYNC_IOC_FILE_INFO, &info))
		return -errno;
	return info.status < 0 ? info.status : 0;
}

static int wait_for(const struct quire_fence *fence, uint64_t point, int64_t deadline)
{
	uint32_t syncobj = fence->syncobj;
	int fd = fence->device->fd;

	if (point ? drmSyncobjTimelineWait(fd, &syncobj, &point, 1, deadline, 0, NULL) :
		    drmSyncobjWait(fd, &syncobj, 1, deadline, 0, NULL))
		return -errno;
	return 0;
}

int quire_fence_wait(const struct quire_fence *fence, uint64_t point, int64_t timeout)
{
	int ret = wait_for(fence, point, libquire_deadline(timeout));
	int sync_file;

	if (ret)
		return ret;
	sync_file = quire_fence_export(fence, point);
	if (sync_file < 0)
		return sync_file;
	ret = file_error(sync_file);
	close(sync_file);
	return ret;
}

int quire_fence_signal(const struct quire_fence *fence, uint64_t point)
{
	uint32_t syncobj = fence->syncobj;
	int fd = fence->device->fd;

	if (point ? drmSyncobjTimelineSignal(fd, &syncobj, &point, 1) :
		    drmSyncobjSignal(fd, &syncobj, 1))
		return -errno;
	return 0;
}

/* A sync_file is made of what a binary syncobj has: a point goes there first. */
static int export_point(const struct quire_fence *fence, uint64_t point)
{
	int fd = fence->device->fd, ret, sync_file = -1;
	uint32_t syncobj;

	if (drmSyncobjCreate(fd, 0, &syncobj))
		return -errno;
	ret = drmSyncobjTransfer(fd, syncobj, 0, fence->syncobj, point, 0) ||
	      drmSyncobjExportSyncFile(fd, syncobj, &sync_file) ? -errno : sync_file;
	drmSyncobjDestroy(fd, syncobj);
	return ret;
}

int quire_fence_export(const struct quire_fence *fence, uint64_t point)
{
	int sync_file;

	if (point)
		return export_point(fence, point);
	if (drmSyncobjExportSyncFile(fence->device->fd, fence->syncobj, &sync_file))
		return -errno;
	return sync_file;
}
