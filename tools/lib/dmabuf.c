// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <xf86drm.h>

#include "dmabuf.h"

int dmabuf_export(int fd, uint32_t handle)
{
	int dmabuf;

	return drmPrimeHandleToFD(fd, handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf) ? -errno : dmabuf;
}

int dmabuf_import(int fd, int dmabuf, uint32_t *handle)
{
	return drmPrimeFDToHandle(fd, dmabuf, handle) ? -errno : 0;
}

/* Maps it as the dma-buf, not as an object of a device. */
int dmabuf_map(int dmabuf, uint64_t size, void **map)
{
	*map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
	return *map == MAP_FAILED ? -errno : 0;
}

/* @flags: DMA_BUF_SYNC_* */
int dmabuf_sync(int dmabuf, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	return drmIoctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync) ? -errno : 0;
}

/* Returns a sync_file of all that is at work with it. */
int dmabuf_export_sync_file(int dmabuf)
{
	struct dma_buf_export_sync_file file = { .flags = DMA_BUF_SYNC_RW };

	return ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &file) ? -errno : file.fd;
}

int dmabuf_import_sync_file(int dmabuf, int sync_file)
{
	struct dma_buf_import_sync_file file = { .flags = DMA_BUF_SYNC_RW, .fd = sync_file };

	return ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &file) ? -errno : 0;
}

static int udmabuf_from(int memory, uint64_t size)
{
	struct udmabuf_create create = { .memfd = memory, .size = size };
	int device, ret;

	if (ftruncate(memory, size) || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK))
		return -errno;
	device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return -errno;
	ret = ioctl(device, UDMABUF_CREATE, &create);
	if (ret < 0)
		ret = -errno;
	close(device);
	return ret;
}

/**
 * udmabuf_create - make a dma-buf of memory of this program
 * @size: bytes
 *
 * Returns the dma-buf, which reads as zero; -ENOENT the kernel has no udmabuf.
 */
int udmabuf_create(uint64_t size)
{
	int memory = memfd_create("udmabuf", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	int ret;

	if (memory < 0)
		return -errno;
	ret = udmabuf_from(memory, size);
	close(memory);
	return ret;
}
