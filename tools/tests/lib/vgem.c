// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <xf86drm.h>

#include "vgem.h"

/* libdrm does not ship vgem's header; this is its ABI, drivers/gpu/drm/vgem/vgem_fence.c. */
struct vgem_fence_attach {
	__u32 handle;
	__u32 flags;
	__u32 fence;
	__u32 pad;
};

struct vgem_fence_signal {
	__u32 fence;
	__u32 flags;
};

#define VGEM_FENCE_WRITE	0x1
#define VGEM_IOCTL_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_IOCTL_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)

/* Returns a descriptor, or -1 if vgem is not here. */
int vgem_open(void)
{
	int fd = drmOpen("vgem", NULL);

	return fd >= 0 ? fd : drmOpenWithType("vgem", NULL, DRM_NODE_RENDER);
}

/*
 * What it imports is pinned. vgem of newer kernels attaches without using the pages. Returns a
 * descriptor, or -1 if there is no such vgem here.
 */
int vgem_open_static(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	if (uname(&name) || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return -1;
	return major > 6 || (major == 6 && minor >= 16) ? -1 : vgem_open();
}

/**
 * vgem_create_fence - make a fence of an object of vgem
 * @vgem: from vgem_open()
 * @fence: for vgem_signal_fence(); by itself it signals, with an error, after 10 seconds
 *
 * Returns a sync_file or a negative errno.
 */
int vgem_create_fence(int vgem, uint32_t *fence)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 16, .bpp = 32 };
	struct dma_buf_export_sync_file file = { .flags = DMA_BUF_SYNC_RW };
	struct vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	int buffer, ret = 0;

	if (drmIoctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		return -errno;
	attach.handle = dumb.handle;
	if (drmPrimeHandleToFD(vgem, dumb.handle, DRM_RDWR, &buffer)) {
		ret = -errno;
		goto out;
	}
	if (drmIoctl(vgem, VGEM_IOCTL_FENCE_ATTACH, &attach) ||
	    ioctl(buffer, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &file))
		ret = -errno;
	close(buffer);
out:
	drmCloseBufferHandle(vgem, dumb.handle);
	*fence = attach.fence;
	return ret ? ret : file.fd;
}

/**
 * vgem_attach_fence - somebody else uses an object
 * @vgem: from vgem_open()
 * @fd: of the object's device
 * @handle: of the object
 * @fence: as of vgem_create_fence()
 *
 * Returns 0 or a negative errno.
 */
int vgem_attach_fence(int vgem, int fd, uint32_t handle, uint32_t *fence)
{
	struct dma_buf_import_sync_file file = { .flags = DMA_BUF_SYNC_RW };
	int buffer, ret = 0;

	file.fd = vgem_create_fence(vgem, fence);
	if (file.fd < 0)
		return file.fd;
	if (drmPrimeHandleToFD(fd, handle, DRM_RDWR, &buffer)) {
		ret = -errno;
	} else {
		if (ioctl(buffer, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &file))
			ret = -errno;
		close(buffer);
	}
	close(file.fd);
	return ret;
}

/**
 * vgem_signal_fence - the other one is done
 * @vgem: from vgem_open()
 * @fence: from vgem_attach_fence()
 *
 * Returns 0 or a negative errno.
 */
int vgem_signal_fence(int vgem, uint32_t fence)
{
	struct vgem_fence_signal signal = { .fence = fence };

	return drmIoctl(vgem, VGEM_IOCTL_FENCE_SIGNAL, &signal) ? -errno : 0;
}
