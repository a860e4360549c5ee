// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs
 *
 * In /sys/kernel/debug/dri/DEVICE/:
 *
 * - ``vram_mm``, ``aperture_mm``: the managers;
 * - ``counters``: for each paging operation ``NAME COUNT BYTES``, then ``submissions N``: handed to
 *   the device, with ``doorbells N`` to it and ``interrupts N`` from it; ``busy N``: how often the
 *   builder asked for an idle object first; for each pair of places ``FROM->TO COUNT BYTES
 *   EVICTIONS``: the moves, and how many of them made room for another object; then ``purged-REASON
 *   OBJECTS BYTES``: offered content that was dropped because its place in VRAM was wanted
 *   (evicted), TTM wanted to swap it out (swapped), or the kernel wanted memory (shrunk);
 * - ``patch``: ``patches N``: how often a paging buffer was patched; ``mark N``: the fence value of
 *   the last submission that writes the mark (quire_mark.c); ``written N``: what the device wrote;
 * - ``paging_pool``: bytes of paging buffers, all of them pinned; a number written here sends empty
 *   paging buffers once round the pool and waits for them: jobs that are done are kept until then;
 * - ``evict_all``: a number written here evicts everything from VRAM and the aperture; with the
 *   option check_dummy_page the dummy page is checked then (quire_dummy.c);
 * - ``nop_submit``: N written here submits N empty paging buffers and waits for them;
 * - ``lock``: the descriptor of a dma-buf written here locks its reservation, as a slow importer
 *   does, and returns when a signal comes or the device is unplugged;
 * - ``inject``, ``spoil``: faults on demand (quire_debugfs_inject.c).
 *
 * All of them are gone once the device is unplugged; a file that is still open then fails with EIO.
 */
#include <linux/debugfs.h>
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/ttm/ttm_resource.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "hw/quire_dummy.h"
#include "queue/quire_mark.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_purge_stats.h"
#include "bo/quire_range.h"
#include "bo/quire_segment.h"
#include "bo/quire_window.h"
#include "move/quire_move_stats.h"
#include "move/quire_ttm.h"
#include "quire_debugfs.h"

/* So often the holder of a lock looks for unplug: that waits until no file of debugfs is in use. */
#define UNPLUG_LOOK	((long)HZ / 10)

static void counters_show(struct seq_file *m, struct quire_device *qdev)
{
	static const char *const purged[QUIRE_PURGE_REASONS] = {
		[QUIRE_PURGE_EVICTED] = "evicted",
		[QUIRE_PURGE_SWAPPED] = "swapped",
		[QUIRE_PURGE_SHRUNK] = "shrunk",
	};
	struct quire_paging_queue *queue = qdev->paging_queue;
	unsigned int i, to;

	for (i = 0; i < QUIRE_PAGING_OPERATIONS; i++)
		if (quire_paging_operation_name(i))
			seq_printf(m, "%s %lld %lld\n", quire_paging_operation_name(i),
				   (long long)atomic64_read(&queue->counters[i].count),
				   (long long)atomic64_read(&queue->counters[i].bytes));
	seq_printf(m, "submissions %lld\n", (long long)atomic64_read(&queue->submissions));
	seq_printf(m, "busy %lld\n", (long long)atomic64_read(&queue->busy));
	seq_printf(m, "doorbells %llu\n", READ_ONCE(queue->ring->doorbells));
	seq_printf(m, "interrupts %llu\n", READ_ONCE(queue->ring->interrupts));
	seq_printf(m, "ranges-acquired %lld\n",
		   (long long)atomic64_read(&qdev->ranges->acquired));
	seq_printf(m, "ranges-stolen %lld\n", (long long)atomic64_read(&qdev->ranges->stolen));
	seq_printf(m, "window-faults %lld\n", (long long)atomic64_read(&qdev->window->faults));
	for (i = 0; i < QUIRE_MOVE_PLACES; i++) {
		for (to = 0; to < QUIRE_MOVE_PLACES; to++) {
			struct quire_move_counter *counter = &qdev->move_stats->moves[i][to];

			seq_printf(m, "%s->%s %lld %lld %lld\n",
				   quire_segment_find(quire_segment_instance(i))->name,
				   quire_segment_find(quire_segment_instance(to))->name,
				   (long long)atomic64_read(&counter->count),
				   (long long)atomic64_read(&counter->bytes),
				   (long long)atomic64_read(&counter->evictions));
		}
	}
	for (i = 0; i < QUIRE_PURGE_REASONS; i++)
		seq_printf(m, "purged-%s %lld %lld\n", purged[i],
			   (long long)atomic64_read(&qdev->purge_stats->reasons[i].objects),
			   (long long)atomic64_read(&qdev->purge_stats->reasons[i].bytes));
}

static int quire_counters_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	int idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	counters_show(m, qdev);
	drm_dev_exit(idx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_counters);

static int quire_patch_show(struct seq_file *m, void *unused)
{
	struct quire_device *qdev = m->private;
	int idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	seq_printf(m, "patches %lld\n", (long long)atomic64_read(&qdev->paging_queue->patches));
	seq_printf(m, "mark %llu\n", READ_ONCE(qdev->mark->asked));
	seq_printf(m, "written %llu\n", quire_mark_written(qdev->mark));
	drm_dev_exit(idx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(quire_patch);

static int quire_paging_pool_get(void *data, u64 *value)
{
	struct quire_device *qdev = data;
	int idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	*value = QUIRE_PAGING_POOL_SIZE;
	drm_dev_exit(idx);
	return 0;
}

static int submit_empty(struct quire_device *qdev, unsigned int count, u32 bytes)
{
	int ret, idx;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	ret = quire_paging_work_nop(qdev->paging_queue, count, bytes);
	drm_dev_exit(idx);
	return ret;
}

/* One more than fit: there may be no room for one behind the place where the round begins. */
static int quire_paging_pool_set(void *data, u64 value)
{
	return submit_empty(data, QUIRE_PAGING_BUFFERS_SIZE / QUIRE_PAGING_BUFFER_MAX + 1,
			    QUIRE_PAGING_BUFFER_MAX);
}
DEFINE_DEBUGFS_ATTRIBUTE(quire_paging_pool_fops, quire_paging_pool_get, quire_paging_pool_set,
			 "%llu\n");

static int quire_evict_all_set(void *data, u64 value)
{
	struct quire_device *qdev = data;
	int ret = quire_ttm_evict_all(qdev);
	int idx;

	if (drm_dev_enter(&qdev->drm, &idx)) {
		quire_dummy_check(qdev, "everything is evicted");
		drm_dev_exit(idx);
	}
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(quire_evict_all_fops, NULL, quire_evict_all_set, "%llu\n");

static int quire_nop_submit_set(void *data, u64 value)
{
	return value > UINT_MAX ? -EINVAL : submit_empty(data, value, 0);
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
	quire_debugfs_inject_init(root, qdev);
	quire_debugfs_residency_init(root, qdev);
	quire_debugfs_device_init(root, qdev);
	quire_debugfs_vram_init(root, qdev);
}
