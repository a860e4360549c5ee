// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs, what the device says
 *
 * Three more files in /sys/kernel/debug/dri/DEVICE/ show what the device did and holds, as "What
 * the device did" in the device specification has it, in contrast to what the driver believes.
 *
 * - ``device_packets``: ``entries N``, completed since the ring was enabled, ``packets N``,
 *   executed since the device was reset, ``opcode O N`` for each of the operations; then for each
 *   of the last packets, the oldest first, ``packet NUMBER HEADER ADDRESS``;
 * - ``device_aperture``: ``dummy ADDRESS`` of the driver's dummy page; ``dummy-accesses PAGES
 *   OFFSET``, if the device reports that: accesses of packets to it since the device was reset, and
 *   the byte offset of the last; then for each range of aperture pages ``dummy FIRST COUNT``, or
 *   ``mapped FIRST COUNT ADDRESS`` if they are at consecutive addresses, with ``coherent`` and
 *   ``cpu-visible`` behind if they are. Pages that were never mapped are left out;
 * - ``device_natives``: ``interrupts N``, signals of native fences that reached a monitored value
 *   since the device was reset; then for each native fence that has a place ``fence N OWNER CURRENT
 *   MONITORED``: the root of its address space, and where its values are.
 */
#include <linux/debugfs.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "core/quire_regs.h"
#include "quire_debugfs.h"

/* How many entries of the aperture are read at once. */
#define ENTRIES 64u

/* An index and what it shows are two accesses; held for no more than ENTRIES times these. */
static DEFINE_MUTEX(index_lock);

static u64 ring_read64(struct quire_device *qdev, u32 reg)
{
	return quire_read64(qdev->regs, QUIRE_REG_RING(QUIRE_RING_PAGING, reg));
}

/* The header is read last: if there is one, the address was the packet's own. */
static void show_packet(struct seq_file *m, struct quire_device *qdev, u32 number)
{
	u32 header;
	u64 addr;

	mutex_lock(&index_lock);
	quire_write32(qdev->regs, QUIRE_REG_RING(QUIRE_RING_PAGING, QUIRE_RING_HISTORY_INDEX),
		      number);
	addr = ring_read64(qdev, QUIRE_RING_HISTORY_ADDR_LO);
	header = quire_read32(qdev->regs,
			      QUIRE_REG_RING(QUIRE_RING_PAGING, QUIRE_RING_HISTORY_HEADER));
	mutex_unlock(&index_lock);
	/* It may be gone by now: the ring works. */
	if (header)
		seq_printf(m, "packet %u %#x %#llx\n", number, header, addr);
}

static int quire_device_packets_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	unsigned int i;
	u64 packets;
	int idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	packets = ring_read64(qdev, QUIRE_RING_PACKETS_LO);
	seq_printf(m, "entries %u\n",
		   quire_read32(qdev->regs, QUIRE_REG_RING(QUIRE_RING_PAGING, QUIRE_RING_RPTR)));
	seq_printf(m, "packets %llu\n", packets);
	for (i = 1; i <= QUIRE_OP_MAX; i++)
		seq_printf(m, "opcode %u %llu\n", i, ring_read64(qdev, QUIRE_RING_PACKETS_OF(i)));
	for (i = min_t(u64, packets, QUIRE_RING_HISTORY_PACKETS); i; i--)
		show_packet(m, qdev, packets - i);
	drm_dev_exit(idx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_device_packets);

/**
 * struct aperture_range - pages that are shown as one
 * @first: page of the aperture
 * @count: pages; 0 if there is no range
 * @address: what @first points at
 * @dummy: all point at the dummy page
 * @bits: QUIRE_APERTURE_*, of all of them
 */
struct aperture_range {
	u32 first;
	u32 count;
	u64 address;
	bool dummy;
	u64 bits;
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

static int read_entries(struct quire_device *qdev, u32 first, u32 count, u64 *entries)
{
	u32 i;
	int idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	mutex_lock(&index_lock);
	for (i = 0; i < count; i++) {
		quire_write32(qdev->regs, QUIRE_REG_APERTURE_INDEX, first + i);
		entries[i] = quire_read64(qdev->regs, QUIRE_REG_APERTURE_ENTRY_LO);
	}
	mutex_unlock(&index_lock);
	drm_dev_exit(idx);
	return 0;
}

static void show_page(struct seq_file *m, const struct quire_device *qdev, u32 page, u64 entry,
		      struct aperture_range *range)
{
	u64 address = entry & ~QUIRE_APERTURE_BITS, bits = entry & QUIRE_APERTURE_BITS;
	bool dummy = address == qdev->dummy_dma;

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

static int show_dummy(struct seq_file *m, struct quire_device *qdev)
{
	int idx;

	seq_printf(m, "dummy %pad\n", &qdev->dummy_dma);
	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	if (quire_read32(qdev->regs, QUIRE_REG_CAPS) & QUIRE_CAPS_DUMMY_REPORT)
		seq_printf(m, "dummy-accesses %llu %#llx\n",
			   quire_read64(qdev->regs, QUIRE_REG_DUMMY_PAGES_LO),
			   quire_read64(qdev->regs, QUIRE_REG_DUMMY_OFFSET_LO));
	drm_dev_exit(idx);
	return 0;
}

/* Millions of pages, perhaps: the reader may be killed meanwhile, and unplug does not wait. */
static int quire_device_aperture_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	const u32 pages = qdev->aperture_size / QUIRE_PAGE_SIZE;
	struct aperture_range range = { };
	u64 entries[ENTRIES];
	u32 page, count, i;
	int ret;

	ret = show_dummy(m, qdev);
	if (ret)
		return ret;
	for (page = 0; page < pages; page += count) {
		if (fatal_signal_pending(current))
			return -EINTR;
		count = min(pages - page, ENTRIES);
		ret = read_entries(qdev, page, count, entries);
		if (ret)
			return ret;
		for (i = 0; i < count; i++)
			show_page(m, qdev, page + i, entries[i], &range);
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

static void show_native(struct seq_file *m, struct quire_device *qdev, u32 number)
{
	u64 owner, current_value, monitored_value;

	mutex_lock(&index_lock);
	quire_write32(qdev->regs, QUIRE_REG_NATIVE_FENCE, number);
	owner = quire_read64(qdev->regs, QUIRE_REG_NATIVE_OWNER_LO);
	current_value = quire_read64(qdev->regs, QUIRE_REG_NATIVE_CURRENT_LO);
	monitored_value = quire_read64(qdev->regs, QUIRE_REG_NATIVE_MONITORED_LO);
	mutex_unlock(&index_lock);
	if (owner)
		seq_printf(m, "fence %u %#llx %#llx %#llx\n", number, owner, current_value,
			   monitored_value);
}

static int quire_device_natives_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	u32 number;
	int idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	seq_printf(m, "interrupts %llu\n",
		   quire_read64(qdev->regs, QUIRE_REG_NATIVE_INTERRUPTS_LO));
	for (number = 0; number < QUIRE_NATIVE_FENCES; number++)
		show_native(m, qdev, number);
	drm_dev_exit(idx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_device_natives);

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
}
