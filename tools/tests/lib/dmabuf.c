// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <xf86drm.h>

#include "dmabuf.h"

#define PAGE	UINT64_C(4096)

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

/* @flags: DMA_BUF_SYNC_READ, DMA_BUF_SYNC_WRITE, what the owner of the fence does */
int dmabuf_import_sync_file_of(int dmabuf, int sync_file, uint64_t flags)
{
	struct dma_buf_import_sync_file file = { .flags = flags, .fd = sync_file };

	return ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &file) ? -errno : 0;
}

int dmabuf_import_sync_file(int dmabuf, int sync_file)
{
	return dmabuf_import_sync_file_of(dmabuf, sync_file, DMA_BUF_SYNC_RW);
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

/**
 * struct page - a page of a file
 * @frame: where it is in memory, in pages
 * @offset: where it is in the file, in bytes
 */
struct page {
	uint64_t frame;
	uint64_t offset;
};

/* The highest frame first. */
static int compare_pages(const void *a, const void *b)
{
	const struct page *left = a, *right = b;

	return (left->frame < right->frame) - (left->frame > right->frame);
}

static int find_frames(struct page *pages, size_t count, const void *map)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;
	int ret = pagemap < 0 ? -errno : 0;

	for (size_t i = 0; i < count && !ret; i++) {
		if (pread(pagemap, &entry, sizeof(entry),
			  ((uintptr_t)map / PAGE + i) * sizeof(entry)) != sizeof(entry))
			ret = -EIO;
		pages[i].frame = entry & ((1ull << 55) - 1);
		pages[i].offset = i * PAGE;
		if (!pages[i].frame)
			ret = -EPERM;
	}
	if (pagemap >= 0)
		close(pagemap);
	return ret;
}

static int find_pages(int memory, struct page *pages, size_t count)
{
	void *map = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			 memory, 0);
	int ret;

	if (map == MAP_FAILED)
		return -errno;
	ret = find_frames(pages, count, map);
	munmap(map, count * PAGE);
	qsort(pages, count, sizeof(*pages), compare_pages);
	return ret;
}

/* So many items it takes at once. */
static void raise_limit(size_t count)
{
	FILE *file = fopen("/sys/module/udmabuf/parameters/list_limit", "we");

	if (file) {
		fprintf(file, "%zu", count < 1024 ? 1024 : count);
		fclose(file);
	}
}

/* A dma-buf of all pages of a file, in the order of @pages. */
static int udmabuf_from_pages(int memory, const struct page *pages, size_t count)
{
	struct udmabuf_create_list *list = calloc(1, sizeof(*list) + count * sizeof(*list->list));
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int ret = device < 0 ? -errno : list ? 0 : -ENOMEM;

	if (!ret) {
		list->count = count;
		for (size_t i = 0; i < count; i++)
			list->list[i] = (struct udmabuf_create_item){
				.memfd = memory, .offset = pages[i].offset, .size = PAGE,
			};
		raise_limit(count);
		ret = ioctl(device, UDMABUF_CREATE_LIST, list);
		if (ret < 0)
			ret = -errno;
	}
	if (device >= 0)
		close(device);
	free(list);
	return ret;
}

static int udmabuf_from_frames(int memory, size_t count, uint64_t *frames)
{
	struct page *pages = calloc(count, sizeof(*pages));
	int ret = pages ? 0 : -ENOMEM;

	if (!ret && (ftruncate(memory, count * PAGE) || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK)))
		ret = -errno;
	if (!ret)
		ret = find_pages(memory, pages, count);
	for (size_t i = 0; i < count && frames && !ret; i++)
		frames[i] = pages[i].frame;
	if (!ret)
		ret = udmabuf_from_pages(memory, pages, count);
	free(pages);
	return ret;
}

/**
 * udmabuf_create_scattered - make a dma-buf of pages that are no neighbours
 * @count: pages
 * @frames: gets where they are in memory, in pages; NULL: nobody asks
 *
 * None of its pages is behind the one before it, in memory: each is a run of its own. For
 * root.
 *
 * Returns the dma-buf; -ENOENT the kernel has no udmabuf.
 */
int udmabuf_create_scattered(size_t count, uint64_t *frames)
{
	int memory = memfd_create("scattered", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	int ret;

	if (memory < 0)
		return -errno;
	ret = udmabuf_from_frames(memory, count, frames);
	close(memory);
	return ret;
}
