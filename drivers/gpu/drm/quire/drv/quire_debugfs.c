// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs
 *
 * The files, and what is in them: Documentation/gpu/quire/uapi.rst.
 *
 * Locking: an unplug takes the files away, and waits for their readers and writers, before the
 * device goes: they need no drm_dev_enter().
 */
#include <linux/debugfs.h>
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/kstrtox.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/ttm/ttm_resource.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "core/quire_regs.h"
#include "hw/quire_aperture.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_range.h"
#include "bo/quire_segment.h"
#include "bo/quire_window.h"
#include "move/quire_move.h"
#include "quire_drv.h"

/* So often the holder of a lock looks for unplug: that waits until no file of debugfs is in use. */
#define UNPLUG_LOOK	((long)HZ / 10)

static int quire_counters_show(struct seq_file *m, void *unused)
{
	static const char *const purged[QUIRE_PURGE_REASONS] = {
		[QUIRE_PURGE_EVICTED] = "evicted",
		[QUIRE_PURGE_SWAPPED] = "swapped",
		[QUIRE_PURGE_SHRUNK] = "shrunk",
	};
	struct quire_device *qdev = m->private;
	struct quire_paging_queue *queue = qdev->paging_queue;
	unsigned int i, to;

	for (i = 0; i < QUIRE_PAGING_OPERATIONS; i++)
		if (quire_paging_operation_name(i))
			seq_printf(m, "%s %lld %lld\n", quire_paging_operation_name(i),
				   atomic64_read(&queue->counters[i].count),
				   atomic64_read(&queue->counters[i].bytes));
	seq_printf(m, "submissions %lld\n", atomic64_read(&queue->submissions));
	seq_printf(m, "busy %lld\n", atomic64_read(&queue->busy));
	seq_printf(m, "doorbells %llu\n", READ_ONCE(queue->ring->doorbells));
	seq_printf(m, "interrupts %llu\n", READ_ONCE(queue->ring->interrupts));
	seq_printf(m, "ranges-acquired %lld\n", atomic64_read(&qdev->ranges->acquired));
	seq_printf(m, "ranges-stolen %lld\n", atomic64_read(&qdev->ranges->stolen));
	seq_printf(m, "window-faults %lld\n", atomic64_read(&qdev->window->faults));
	for (i = 0; i < QUIRE_MOVE_PLACES; i++) {
		for (to = 0; to < QUIRE_MOVE_PLACES; to++) {
			struct quire_move_counter *counter = &qdev->move_stats->moves[i][to];

			seq_printf(m, "%s->%s %lld %lld %lld\n",
				   quire_segment_find(quire_segment_instance(i))->name,
				   quire_segment_find(quire_segment_instance(to))->name,
				   atomic64_read(&counter->count),
				   atomic64_read(&counter->bytes),
				   atomic64_read(&counter->evictions));
		}
	}
	for (i = 0; i < QUIRE_PURGE_REASONS; i++)
		seq_printf(m, "purged-%s %lld %lld\n", purged[i],
			   atomic64_read(&qdev->purge_stats->objects[i]),
			   atomic64_read(&qdev->purge_stats->bytes[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_counters);

static int quire_patch_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;

	seq_printf(m, "patches %lld\n", atomic64_read(&qdev->paging_queue->patches));
	seq_printf(m, "mark %llu\n", READ_ONCE(qdev->mark->asked));
	seq_printf(m, "written %llu\n", quire_mark_written(qdev->mark));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_patch);

static int quire_paging_pool_get(void *data, u64 *value)
{
	*value = QUIRE_PAGING_POOL_SIZE;
	return 0;
}

/* One more than fit: there may be no room for one behind the place where the round begins. */
static int quire_paging_pool_set(void *data, u64 value)
{
	struct quire_device *qdev = data;

	return quire_paging_work_nop(qdev->paging_queue,
				     QUIRE_PAGING_BUFFERS_SIZE / QUIRE_PAGING_BUFFER_MAX + 1,
				     QUIRE_PAGING_BUFFER_MAX);
}
DEFINE_DEBUGFS_ATTRIBUTE(quire_paging_pool_fops, quire_paging_pool_get, quire_paging_pool_set,
			 "%llu\n");

static int quire_evict_all_set(void *data, u64 value)
{
	struct quire_device *qdev = data;
	int ret = quire_ttm_evict_all(qdev);

	quire_dummy_check(qdev, "everything is evicted");
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(quire_evict_all_fops, NULL, quire_evict_all_set, "%llu\n");

static int quire_nop_submit_set(void *data, u64 value)
{
	struct quire_device *qdev = data;

	return value > UINT_MAX ? -EINVAL : quire_paging_work_nop(qdev->paging_queue, value, 0);
}
DEFINE_DEBUGFS_ATTRIBUTE(quire_nop_submit_fops, NULL, quire_nop_submit_set, "%llu\n");

static int quire_lock_set(void *data, u64 value)
{
	struct quire_device *qdev = data;
	struct dma_buf *dma_buf;
	int ret;

	if (value > INT_MAX)
		return -EBADF;
	dma_buf = dma_buf_get(value);
	if (IS_ERR(dma_buf))
		return PTR_ERR(dma_buf);
	ret = dma_resv_lock_interruptible(dma_buf->resv, NULL);
	if (!ret) {
		while (!signal_pending(current) && !drm_dev_is_unplugged(&qdev->drm))
			schedule_timeout_interruptible(UNPLUG_LOOK);
		dma_resv_unlock(dma_buf->resv);
	}
	dma_buf_put(dma_buf);
	return ret ?: signal_pending(current) ? -EINTR : -ENODEV;
}
DEFINE_DEBUGFS_ATTRIBUTE(quire_lock_fops, NULL, quire_lock_set, "%llu\n");

#define NR_OF_RING	2

/* Those of a ring first, at the place that they have in its registers. */
static const struct {
	const char *name;
	u32 reg;
} injections[] = {
	{ "hang ", QUIRE_RING_INJECT_HANG },
	{ "fault ", QUIRE_RING_INJECT_FAULT },
	{ "drop-irq ", QUIRE_REG_INJECT_DROP_IRQ },
};

static u32 injection_reg(unsigned int i, unsigned int ring)
{
	return i < NR_OF_RING ? QUIRE_REG_RING(ring, injections[i].reg) : injections[i].reg;
}

/* Takes "ring R " off. Returns the number of the ring of the device, or -EINVAL. */
static int parse_ring(struct quire_device *qdev, char **command)
{
	size_t prefix = str_has_prefix(*command, "ring ");
	unsigned int ring;
	char *rest;

	if (!prefix)
		return QUIRE_RING_PAGING;
	rest = strchr(*command + prefix, ' ');
	if (!rest)
		return -EINVAL;
	*rest = '\0';
	if (kstrtouint(*command + prefix, 10, &ring) || ring >= qdev->nr_executions)
		return -EINVAL;
	*command = rest + 1;
	return ring + 1;
}

static int inject(struct quire_device *qdev, char *command)
{
	int ring = parse_ring(qdev, &command);
	unsigned int i, nr = ring == QUIRE_RING_PAGING ? ARRAY_SIZE(injections) : NR_OF_RING;
	size_t prefix = 0;
	u32 value;

	if (ring < 0)
		return ring;
	for (i = 0; i < nr; i++) {
		prefix = str_has_prefix(command, injections[i].name);
		if (prefix)
			break;
	}
	if (!prefix || kstrtou32(command + prefix, 0, &value))
		return -EINVAL;
	if (!quire_can_inject(qdev->regs))
		return -EOPNOTSUPP;
	quire_write32(qdev->regs, injection_reg(i, ring), value);
	return 0;
}

static int spoil(struct quire_device *qdev, char *command)
{
	struct quire_paging_space *space = &qdev->paging_queue->space;
	size_t prefix = str_has_prefix(command, "window ");
	int value;

	if (sysfs_streq(command, "table")) {
		quire_paging_space_spoil_table(space);
		return 0;
	}
	if (!prefix || kstrtoint(command + prefix, 0, &value) || value < 0)
		return -EINVAL;
	atomic_set(&space->spoil, value);
	return 0;
}

/* A program may ask again and again: not while unplug waits for the device. */
static ssize_t write_command(struct file *file, const char __user *buf, size_t size, loff_t *pos,
			     int (*run)(struct quire_device *qdev, char *command))
{
	struct quire_device *qdev = ((struct seq_file *)file->private_data)->private;
	char command[32];
	ssize_t len;

	if (*pos)
		return -EINVAL;
	len = simple_write_to_buffer(command, sizeof(command) - 1, pos, buf, size);
	if (len < 0)
		return len;
	if (len != size)
		return -EINVAL;
	command[len] = '\0';
	return drm_dev_is_unplugged(&qdev->drm) ? -ENODEV : run(qdev, command) ?: size;
}

static ssize_t quire_inject_write(struct file *file, const char __user *buf, size_t size,
				  loff_t *pos)
{
	return write_command(file, buf, size, pos, inject);
}

static int quire_inject_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	unsigned int i, ring;

	for (i = 0; i < ARRAY_SIZE(injections); i++)
		seq_printf(m, "%s%u\n", injections[i].name,
			   quire_read32(qdev->regs, injection_reg(i, QUIRE_RING_PAGING)));
	for (ring = 1; ring <= qdev->nr_executions; ring++)
		for (i = 0; i < NR_OF_RING; i++)
			seq_printf(m, "ring %u %s%u\n", ring - 1, injections[i].name,
				   quire_read32(qdev->regs, injection_reg(i, ring)));
	return 0;
}
DEFINE_SHOW_STORE_ATTRIBUTE(quire_inject);

static ssize_t quire_spoil_write(struct file *file, const char __user *buf, size_t size,
				 loff_t *pos)
{
	return write_command(file, buf, size, pos, spoil);
}

static int quire_spoil_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;

	seq_printf(m, "window %d\n", atomic_read(&qdev->paging_queue->space.spoil));
	return 0;
}
DEFINE_SHOW_STORE_ATTRIBUTE(quire_spoil);

/**
 * quire_debugfs_init - &drm_driver.debugfs_init
 * @minor: one node of the device
 */
void quire_debugfs_init(struct drm_minor *minor)
{
	struct quire_device *qdev = to_quire_device(minor->dev);
	struct dentry *root = minor->debugfs_root;

	ttm_resource_manager_create_debugfs(ttm_manager_type(&qdev->ttm, QUIRE_PL_VRAM),
					    root, "vram_mm");
	ttm_resource_manager_create_debugfs(ttm_manager_type(&qdev->ttm, QUIRE_PL_APERTURE),
					    root, "aperture_mm");

	debugfs_create_file("counters", 0444, root, qdev, &quire_counters_fops);
	debugfs_create_file("patch", 0444, root, qdev, &quire_patch_fops);
	debugfs_create_file("paging_pool", 0644, root, qdev, &quire_paging_pool_fops);
	debugfs_create_file("evict_all", 0200, root, qdev, &quire_evict_all_fops);
	debugfs_create_file("nop_submit", 0200, root, qdev, &quire_nop_submit_fops);
	debugfs_create_file("lock", 0200, root, qdev, &quire_lock_fops);
	debugfs_create_file("inject", 0600, root, qdev, &quire_inject_fops);
	debugfs_create_file("spoil", 0600, root, qdev, &quire_spoil_fops);
	quire_debugfs_device_init(root, qdev);
}
