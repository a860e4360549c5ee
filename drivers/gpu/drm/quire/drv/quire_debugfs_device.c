// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Files of debugfs that show what the device says, in contrast to what the driver believes.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer: without hAllocation nothing is swizzled.
 */
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "core/quire_regs.h"
#include "hw/quire_residency_table.h"
#include "queue/quire_page_runs.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "bo/quire_residency.h"
#include "bo/quire_segment.h"
#include "quire_drv.h"

#define RING(reg)	QUIRE_REG_RING(QUIRE_RING_PAGING, QUIRE_RING_##reg)

/* How many entries of the aperture are read at once. */
#define ENTRIES 64u

/* Lines of one reading: the first are enough to look for the rest. */
#define WRONG_MAX	16

/* One packet copies it; what the kernel gives without much ado. */
#define QUIRE_VRAM_READ_MOST	SZ_32K

/* An index and what it shows are two accesses; held for no more than ENTRIES times these. */
static DEFINE_MUTEX(index_lock);

/* The header is read last: if there is one, the address was the packet's own. */
static void show_packet(struct seq_file *m, struct quire_device *qdev, u32 number)
{
	u32 header;
	u64 addr;

	guard(mutex)(&index_lock);
	quire_write32(qdev->regs, RING(HISTORY_INDEX), number);
	addr = quire_read64(qdev->regs, RING(HISTORY_ADDR_LO));
	header = quire_read32(qdev->regs, RING(HISTORY_HEADER));
	/* It may be gone by now: the ring works. */
	if (header)
		seq_printf(m, "packet %u %#x %#llx\n", number, header, addr);
}

static int quire_device_packets_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	u64 packets = quire_read64(qdev->regs, RING(PACKETS_LO));
	unsigned int i;

	seq_printf(m, "entries %u\n", quire_read32(qdev->regs, RING(RPTR)));
	seq_printf(m, "packets %llu\n", packets);
	for (i = 1; i <= QUIRE_OP_MAX; i++)
		seq_printf(m, "opcode %u %llu\n", i, quire_read64(qdev->regs, RING(PACKETS_OF(i))));
	for (i = min_t(u64, packets, QUIRE_RING_HISTORY_PACKETS); i; i--)
		show_packet(m, qdev, packets - i);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_device_packets);

/* Pages that are shown as one: they point at the dummy page, or at @address and what follows. */
struct aperture_range {
	u32 first;
	u32 count; /* 0: there is no range */
	u64 address;
	bool dummy;
	u64 bits; /* QUIRE_APERTURE_*, of all of them */
};

static void show_range(struct seq_file *m, const struct aperture_range *range)
{
	if (range->count && range->dummy)
		seq_printf(m, "dummy %u %u\n", range->first, range->count);
	else if (range->count)
		seq_printf(m, "mapped %u %u %#llx%s%s\n", range->first, range->count,
			   range->address,
			   range->bits & QUIRE_APERTURE_COHERENT ? " coherent" : "",
			   range->bits & QUIRE_APERTURE_CPU_VISIBLE ? " cpu-visible" : "");
}

/* @index_lock is held. */
static void show_page(struct seq_file *m, const struct quire_device *qdev, u32 page,
		      struct aperture_range *range)
{
	u64 entry, address, bits;
	bool dummy;

	quire_write32(qdev->regs, QUIRE_REG_APERTURE_INDEX, page);
	entry = quire_read64(qdev->regs, QUIRE_REG_APERTURE_ENTRY_LO);
	address = entry & ~QUIRE_APERTURE_BITS;
	bits = entry & QUIRE_APERTURE_BITS;
	dummy = address == qdev->dummy_dma;
	/* Does the range go on? */
	if (entry && range->count && range->dummy == dummy && range->bits == bits &&
	    (dummy || address == range->address + range->count * QUIRE_PAGE_SIZE)) {
		range->count++;
		return;
	}
	show_range(m, range);
	*range = (struct aperture_range){
		.first = page,
		.count = !!entry,
		.address = address,
		.dummy = dummy,
		.bits = bits,
	};
}

/* Millions of pages, perhaps: the reader may be killed meanwhile, and unplug does not wait. */
static int quire_device_aperture_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	const u32 pages = qdev->aperture_size / QUIRE_PAGE_SIZE;
	struct aperture_range range = { };
	u32 page, end;

	seq_printf(m, "dummy %pad\n", &qdev->dummy_dma);
	if (quire_read32(qdev->regs, QUIRE_REG_CAPS) & QUIRE_CAPS_DUMMY_REPORT)
		seq_printf(m, "dummy-accesses %llu %#llx\n",
			   quire_read64(qdev->regs, QUIRE_REG_DUMMY_PAGES_LO),
			   quire_read64(qdev->regs, QUIRE_REG_DUMMY_OFFSET_LO));
	for (page = 0; page < pages;) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (drm_dev_is_unplugged(&qdev->drm))
			return -ENODEV;
		scoped_guard(mutex, &index_lock)
			for (end = page + min(pages - page, ENTRIES); page < end; page++)
				show_page(m, qdev, page, &range);
		cond_resched();
	}
	show_range(m, &range);
	return 0;
}

/* A buffer for all that is usual: what does not fit is read again from the start. */
static int quire_device_aperture_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, quire_device_aperture_show, inode->i_private, SZ_64K);
}

static const struct file_operations quire_device_aperture_fops = {
	.owner = THIS_MODULE,
	.open = quire_device_aperture_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int quire_device_natives_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	u64 owner, current_value, monitored_value;
	u32 number;

	seq_printf(m, "interrupts %llu\n",
		   quire_read64(qdev->regs, QUIRE_REG_NATIVE_INTERRUPTS_LO));
	for (number = 0; number < QUIRE_NATIVE_FENCES; number++) {
		guard(mutex)(&index_lock);
		quire_write32(qdev->regs, QUIRE_REG_NATIVE_FENCE, number);
		owner = quire_read64(qdev->regs, QUIRE_REG_NATIVE_OWNER_LO);
		current_value = quire_read64(qdev->regs, QUIRE_REG_NATIVE_CURRENT_LO);
		monitored_value = quire_read64(qdev->regs, QUIRE_REG_NATIVE_MONITORED_LO);
		if (owner)
			seq_printf(m, "fence %u %#llx %#llx %#llx\n", number, owner, current_value,
				   monitored_value);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_device_natives);

/* What is compared. @pages are by segments. */
struct residency_check {
	struct quire_device *qdev;
	struct seq_file *m;
	u64 resident[3];
	u64 expected[3];
	u64 runs;
	u64 wrong;
};

static int count_resident(struct residency_check *check, u32 segment)
{
	struct quire_device *qdev = check->qdev;
	u32 count = qdev->residency_table->count[segment];
	struct quire_residency_run run;
	u64 page;

	for (page = 0; page < count; page += run.pages) {
		if (!quire_residency_read(qdev, segment, page, &run))
			return -EIO;
		if (run.id) {
			check->resident[segment] += min_t(u64, run.pages, count - page);
			check->runs++;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/* @count pages of the object, from its page @offset on, are at @first. */
static void check_extent(struct residency_check *check, u32 id, u32 segment, u64 first, u64 count,
			 u64 offset)
{
	struct quire_residency_run run;
	u64 i, good;

	for (i = 0; i < count; i += max_t(u64, good, 1)) {
		if (!quire_residency_read(check->qdev, segment, first + i, &run))
			run.id = 0;
		good = run.id == id && run.offset == offset + i ? run.pages : 0;
		if (!good && check->wrong++ < WRONG_MAX)
			seq_printf(check->m, "wrong %u %u %llu\n", id, segment, first + i);
	}
}

/* The object is reserved. */
static void check_object(struct residency_check *check, struct quire_bo *bo)
{
	u32 mem_type = quire_bo_mem_type(&bo->base);
	u32 segment = quire_segment_instance(mem_type);
	struct quire_cursor cursor;
	u64 offset;

	if (mem_type == TTM_PL_SYSTEM)
		return;
	quire_cursor_first(&cursor, bo->base.resource, NULL);
	for (offset = 0; cursor.count; offset += cursor.count, quire_cursor_next(&cursor))
		check_extent(check, bo->allocation.id, segment, cursor.first, cursor.count,
			     offset);
	check->expected[segment] += offset;
}

static int check_objects(struct residency_check *check)
{
	unsigned long id = 0;
	struct quire_bo *bo;
	int ret = 0;

	while (!ret && (bo = quire_resident_get(check->qdev->residency, &id))) {
		ret = dma_resv_lock_interruptible(bo->base.base.resv, NULL);
		if (!ret) {
			check_object(check, bo);
			dma_resv_unlock(bo->base.base.resv);
		}
		drm_gem_object_put(&bo->base.base);
		id++;
	}
	return ret;
}

static int quire_residency_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	struct residency_check check = { .qdev = qdev, .m = m };
	u32 segment;
	int ret;

	/* First all that was submitted, and all notices, are executed. */
	ret = quire_discard_submit(qdev->discards, &qdev->paging_queue->unpaid, true) ?:
	      quire_paging_work_nop(qdev->paging_queue, 1, 0) ?:
	      count_resident(&check, QUIRE_SEGMENT_VRAM) ?:
	      count_resident(&check, QUIRE_SEGMENT_APERTURE) ?: check_objects(&check);
	if (ret)
		return ret;

	seq_printf(m, "resident %llu %llu\n", check.resident[QUIRE_SEGMENT_VRAM],
		   check.resident[QUIRE_SEGMENT_APERTURE]);
	seq_printf(m, "expected %llu %llu\n", check.expected[QUIRE_SEGMENT_VRAM],
		   check.expected[QUIRE_SEGMENT_APERTURE]);
	seq_printf(m, "runs %llu\n", check.runs);
	for (segment = QUIRE_SEGMENT_VRAM; segment <= QUIRE_SEGMENT_APERTURE; segment++)
		if (check.resident[segment] > check.expected[segment])
			check.wrong += check.resident[segment] - check.expected[segment];
	seq_printf(m, "mismatches %llu\n", check.wrong);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_residency);

/*
 * Copies VRAM from @offset on to @pages, behind all earlier submissions, as bytes of no allocation;
 * @offset and @size are page multiples. Waits as long as the watchdog lets it, whatever signal
 * comes: until then the pages are the device's.
 */
static int vram_copy(struct quire_device *qdev, u64 offset, void *pages, size_t size)
{
	const struct quire_page_run vram = {
		.first = offset >> QUIRE_PAGE_SHIFT,
		.count = size >> QUIRE_PAGE_SHIFT,
	};
	struct quire_page_run to = { .count = size >> QUIRE_PAGE_SHIFT };
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER,
		.u.transfer = {
			.source = { .segment = QUIRE_SEGMENT_VRAM, .nr_runs = 1, .runs = &vram },
			.destination = {
				.segment = QUIRE_SEGMENT_SYSTEM,
				.nr_runs = 1,
				.runs = &to,
			},
			.transfer_size = size,
			.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_END,
		},
	};
	struct device *dev = qdev->drm.dev;
	struct quire_paging_work work;
	dma_addr_t dma;
	int ret;

	/* Of whole pages: what is bounced is at the start of one then, too. */
	dma = dma_map_single(dev, pages, PAGE_ALIGN(size), DMA_FROM_DEVICE);
	if (dma_mapping_error(dev, dma))
		return -ENOMEM;
	to.first = dma >> QUIRE_PAGE_SHIFT;
	quire_paging_work_init(&work, &qdev->paging_queue->unpaid, NULL, 0, true);
	ret = quire_paging_work_run(&work, quire_paging_list_add(&work.list, &args));
	dma_unmap_single(dev, dma, PAGE_ALIGN(size), DMA_FROM_DEVICE);
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

	ret = vram_copy(qdev, *pos - skip, pages, bytes);
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
 * quire_debugfs_device_init - make the files of this part
 * @root: directory of the device
 * @qdev: the device
 */
void quire_debugfs_device_init(struct dentry *root, struct quire_device *qdev)
{
	debugfs_create_file("device_packets", 0400, root, qdev, &quire_device_packets_fops);
	debugfs_create_file("device_aperture", 0400, root, qdev, &quire_device_aperture_fops);
	debugfs_create_file("device_natives", 0400, root, qdev, &quire_device_natives_fops);
	debugfs_create_file("residency", 0400, root, qdev, &quire_residency_fops);
	debugfs_create_file_size("device_vram", 0400, root, qdev, &quire_device_vram_fops,
				 qdev->vram_size);
}
