// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs, the bytes of VRAM
 *
 * ``device_vram`` in /sys/kernel/debug/dri/DEVICE/ reads VRAM as it is, also where the CPU cannot
 * see it: images have their tiles, and free memory has what was left there. It takes no object's
 * lock and changes no memory: the device copies to pages of the driver, behind all earlier
 * submissions, as bytes of no allocation. One read returns %QUIRE_VRAM_READ_MOST bytes at most,
 * which one packet has copied; what two reads return may have moved in between.
 *
 * A read waits for the device as long as the watchdog lets it, whatever signal comes: until then
 * the pages are the device's. So does unplug, for a read that has begun.
 *
 * Errors: ENODEV the device goes, then EIO; EIO the device is wedged; EINTR a signal came while all
 * paging buffers were in use; ENOMEM.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer: without hAllocation nothing is swizzled.
 */
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "quire_debugfs.h"

/* What the kernel gives without much ado, however scattered its memory is. */
#define QUIRE_VRAM_READ_MOST	SZ_32K

/* @offset and @size are page multiples. */
static int vram_copy(struct quire_device *qdev, u64 offset, dma_addr_t dma, size_t size)
{
	const struct quire_page_run vram = {
		.first = offset >> QUIRE_PAGE_SHIFT,
		.count = size >> QUIRE_PAGE_SHIFT,
	};
	const struct quire_page_run pages = {
		.first = dma >> QUIRE_PAGE_SHIFT,
		.count = size >> QUIRE_PAGE_SHIFT,
	};
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER,
		.u.transfer = {
			.source = {
				.segment = QUIRE_SEGMENT_VRAM,
				.nr_runs = 1,
				.runs = &vram,
			},
			.destination = {
				.segment = QUIRE_SEGMENT_SYSTEM,
				.nr_runs = 1,
				.runs = &pages,
			},
			.transfer_size = size,
			.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_END,
		},
	};
	struct quire_paging_work work;
	int ret;

	quire_paging_work_init(&work, &qdev->paging_queue->unpaid, NULL, 0, true);
	ret = quire_paging_list_add(&work.list, &args);
	return quire_paging_work_run(&work, ret);
}

static int vram_read_pages(struct quire_device *qdev, u64 offset, void *pages, size_t size)
{
	struct device *dev = qdev->drm.dev;
	dma_addr_t dma;
	int ret, idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;

	ret = -ENOMEM;
	/* Of whole pages: what is bounced is at the start of one then, too. */
	dma = dma_map_single(dev, pages, PAGE_ALIGN(size), DMA_FROM_DEVICE);
	if (!dma_mapping_error(dev, dma)) {
		ret = vram_copy(qdev, offset, dma, size);
		dma_unmap_single(dev, dma, PAGE_ALIGN(size), DMA_FROM_DEVICE);
	}
	drm_dev_exit(idx);
	return ret;
}

static ssize_t quire_device_vram_read(struct file *file, char __user *buf, size_t size,
				      loff_t *pos)
{
	struct quire_device *qdev = file->private_data;
	size_t skip = *pos % QUIRE_PAGE_SIZE, bytes;
	void *pages;
	int ret;

	if (*pos >= qdev->vram_size || !size)
		return 0;

	size = min3(size, QUIRE_VRAM_READ_MOST - skip, (size_t)(qdev->vram_size - *pos));
	bytes = round_up(skip + size, QUIRE_PAGE_SIZE);
	/* Zeroed: a device that lies shows nobody what the kernel had there. */
	pages = alloc_pages_exact(bytes, GFP_KERNEL | __GFP_ZERO);
	if (!pages)
		return -ENOMEM;

	ret = vram_read_pages(qdev, *pos - skip, pages, bytes);
	if (!ret && copy_to_user(buf, pages + skip, size))
		ret = -EFAULT;
	free_pages_exact(pages, bytes);
	if (ret)
		return ret;

	*pos += size;
	return size;
}

static const struct file_operations quire_device_vram_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = quire_device_vram_read,
	.llseek = default_llseek,
};

/**
 * quire_debugfs_vram_init - make the file of this part
 * @root: directory of the device
 * @qdev: the device
 */
void quire_debugfs_vram_init(struct dentry *root, struct quire_device *qdev)
{
	debugfs_create_file_size("device_vram", 0400, root, qdev, &quire_device_vram_fops,
				 qdev->vram_size);
}
