// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The mark
 *
 * Before system sleep everything is evicted, and the driver has to know that the device is done
 * with all of it and that what the device writes is in memory. So the last submission is one
 * WRITE_PHYSICAL to a page of the driver's, which waits for all posted writes. It writes the fence
 * value of its own submission, so an earlier one is not taken for it. The value is known when the
 * ring takes the submission, and patched in then (quire_paging_submission.c).
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, WritePhysical.
 */
#include <linux/dma-mapping.h>

#include <drm/drm_device.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "quire_mark.h"
#include "quire_paging_queue.h"
#include "quire_paging_work.h"

/**
 * quire_mark_init - allocate the page
 * @mark: to initialise (devres)
 * @drm: the device
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
	u64 asked = READ_ONCE(mark->asked);

	if (written == asked)
		return 0;
	drm_err(mark->drm, "the device wrote mark %llu, not %llu: it has not done all\n",
		written, asked);
	return -EIO;
}

/**
 * quire_mark_reach - wait until all earlier submissions are done and their writes in memory
 * @mark: the mark
 * @queue: the queue
 *
 * Called inside of drm_dev_enter(), with no reservation held.
 *
 * Returns: 0; -EIO the device was given up, or has not executed this, which is logged;
 * -ERESTARTSYS; -ENOMEM; -ENODEV.
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
	quire_paging_work_init(&work, &queue->unpaid, NULL,
			       sizeof(struct quire_packet_physical), true);
	ret = quire_paging_list_add(&work.list, &args);
	ret = quire_paging_work_run(&work, ret) ?: mark_check(mark);
	mutex_unlock(&mark->lock);
	return ret;
}

/**
 * quire_mark_written - read the page
 * @mark: the mark
 *
 * Returns: the fence value that the device wrote; 0: none.
 */
u64 quire_mark_written(const struct quire_mark *mark)
{
	return le64_to_cpu(READ_ONCE(*mark->page));
}
