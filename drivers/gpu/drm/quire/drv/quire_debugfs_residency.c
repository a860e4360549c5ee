// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: debugfs, what is resident
 *
 * The file residency of debugfs compares the residency table of the device, which only notices have
 * fed, with the places that TTM says objects have::
 *
 *   resident VRAM-PAGES APERTURE-PAGES     what the device says
 *   expected VRAM-PAGES APERTURE-PAGES     what the driver says
 *   runs N                                 pages of the device that follow each other in an object
 *   wrong ID SEGMENT PAGE                  a page of an object is not where it should be
 *   mismatches N                           all pages that are wrong, or nobody's
 *
 * Whoever reads it looks at one object after the other: with programs at work it may see an object
 * in two places, or in none. When all is idle there are no mismatches.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include <drm/drm_drv.h>

#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "hw/quire_residency_table.h"
#include "queue/quire_cursor.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "bo/quire_residency.h"
#include "bo/quire_segment.h"
#include "quire_debugfs.h"

/* Lines of one reading: the first are enough to look for the rest. */
#define WRONG_MAX	16

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
	if (mem_type == QUIRE_PL_VRAM)
		quire_cursor_first_vram(&cursor, bo->base.resource);
	else
		quire_cursor_first_run(&cursor, bo->base.resource);
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
	int ret, idx;
	u32 segment;

	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;
	/* First all that was submitted, and all notices, are executed. */
	ret = quire_discard_submit(qdev->discards, &qdev->paging_queue->unpaid, true) ?:
	      quire_paging_work_nop(qdev->paging_queue, 1, 0) ?:
	      count_resident(&check, QUIRE_SEGMENT_VRAM) ?:
	      count_resident(&check, QUIRE_SEGMENT_APERTURE) ?: check_objects(&check);
	drm_dev_exit(idx);
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

/**
 * quire_debugfs_residency_init - make the file of this part
 * @root: directory of the device
 * @qdev: the device
 */
void quire_debugfs_residency_init(struct dentry *root, struct quire_device *qdev)
{
	debugfs_create_file("residency", 0400, root, qdev, &quire_residency_fops);
}
