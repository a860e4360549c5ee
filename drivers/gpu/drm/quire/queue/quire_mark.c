// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The mark
 *
 * Who evicts everything, because the machine goes to sleep, has to know that the device is
 * done with all of it: that everything before is executed, and that what the device writes
 * is in memory. The last submission therefore is one WRITE_PHYSICAL to a page of the
 * driver's: it waits for all posted writes. What is written is the value that the submission
 * has in its ring, so a page that has it says that this submission was executed, and not an
 * earlier one. The ring gives that value away when it takes the submission: it is patched in
 * (quire_paging_submission.c).
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, WritePhysical.
 */
#include <linux/dma-mapping.h>

#include <drm/drm_device.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include <quire/quire_hw.h>

#include "paging/quire_paging.h"
#include "paging/quire_paging_list.h"
#include "quire_mark.h"
#include "quire_paging_queue.h"
#include "quire_paging_work.h"

/**
 * quire_mark_init - allocate the page
 * @mark: to initialise; its page goes with the binding
 * @drm: whose mark it is; bound to its parent device
 *
 * Returns: 0; -ENOMEM.
 */
int quire_mark_init(struct quire_mark *mark, struct drm_device *drm)
{
	mark->drm = drm;
	mark->page = dmam_alloc_coherent(drm->dev, QUIRE_PAGE_SIZE, &mark->dma, GFP_KERNEL);
	if (!mark->page)
		return -ENOMEM;
	return drmm_mutex_init(drm, &mark->lock);
}

static int mark_check(const struct quire_mark *mark)
{
	u64 written = quire_mark_written(mark);
	u64 asked = quire_mark_asked(mark);

	if (written == asked)
		return 0;
	drm_err(mark->drm, "the device wrote mark %llu, not %llu: it has not done all\n",
		written, asked);
	return -EIO;
}

/**
 * quire_mark_reach - wait until the device is done with all that was submitted before
 * @mark: the mark
 * @queue: the queue
 *
 * What it has written is in memory then. To be called inside of drm_dev_enter(), with no
 * reservation held.
 *
 * Returns: 0; -EIO the device was given up, or has not executed this, of which the log tells;
 * -ERESTARTSYS a signal came first; -ENOMEM; -ENODEV.
 */
int quire_mark_reach(struct quire_mark *mark, struct quire_paging_queue *queue)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_WRITE_PHYSICAL,
		.u.physical = {
			.segment = QUIRE_SEGMENT_SYSTEM,
			.size = sizeof(*mark->page),
			.physical_address = mark->dma,
		},
	};
	struct quire_paging_work work;
	int ret;

	if (mutex_lock_interruptible(&mark->lock))
		return -ERESTARTSYS;
	quire_paging_work_init(&work, queue, NULL, sizeof(struct quire_packet_physical), true);
	ret = quire_paging_list_add(&work.list, &args);
	ret = quire_paging_work_run(&work, ret) ?: mark_check(mark);
	mutex_unlock(&mark->lock);
	return ret;
}

/**
 * quire_mark_written - what is in the page?
 * @mark: the mark
 *
 * Returns: the fence value that the device wrote; 0: it wrote none.
 */
u64 quire_mark_written(const struct quire_mark *mark)
{
	return le64_to_cpu(READ_ONCE(*mark->page));
}
