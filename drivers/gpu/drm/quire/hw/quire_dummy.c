// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The dummy page
 *
 * Unmapped aperture pages point at one page of the driver's, where accesses do no harm. There
 * should be none: a write to an unmapped range is lost. The page is filled with a pattern at probe.
 * With the test option check_dummy_page (&struct quire_options) it is checked when debugfs has
 * evicted everything, when the device hangs, and at removal, and the first write since probe is
 * logged.
 *
 * Reads leave no trace in the page; the device can count them (Documentation/gpu/quire/device.rst,
 * DUMMY_PAGES).
 */
#include <kunit/visibility.h>
#include <linux/dma-mapping.h>

#include <drm/drm_print.h>
#include <quire/quire_hw.h>

#include "core/quire_device_types.h"
#include "core/quire_options.h"
#include "quire_dummy.h"

#define QUIRE_DUMMY_PATTERN	0xd5

/**
 * quire_dummy_watch - fill the dummy page with the pattern
 * @qdev: the device, which does not use the page yet
 */
void quire_dummy_watch(struct quire_device *qdev)
{
	memset(qdev->dummy_page, QUIRE_DUMMY_PATTERN, QUIRE_PAGE_SIZE);
	atomic_set(&qdev->dummy_watched, 1);
}
EXPORT_SYMBOL_IF_KUNIT(quire_dummy_watch);

/**
 * quire_dummy_init - allocate the dummy page
 * @qdev: the device (devres)
 *
 * Returns: 0; -ENOMEM.
 */
int quire_dummy_init(struct quire_device *qdev)
{
	qdev->dummy_page = dmam_alloc_coherent(qdev->drm.dev, QUIRE_PAGE_SIZE, &qdev->dummy_dma,
					       GFP_KERNEL);
	if (!qdev->dummy_page)
		return -ENOMEM;

	quire_dummy_watch(qdev);
	return 0;
}

/**
 * quire_dummy_check - log the first write to the dummy page, if a test asks for it
 * @qdev: the device
 * @when: for the log
 */
void quire_dummy_check(struct quire_device *qdev, const char *when)
{
	const u8 *written;

	if (!READ_ONCE(quire_options.check_dummy_page) || !atomic_read(&qdev->dummy_watched))
		return;

	written = memchr_inv(qdev->dummy_page, QUIRE_DUMMY_PATTERN, QUIRE_PAGE_SIZE);
	if (written && atomic_xchg(&qdev->dummy_watched, 0))
		drm_err(&qdev->drm, "%s: something wrote to the dummy page, %#x at byte %td\n",
			when, *written, written - (const u8 *)qdev->dummy_page);
}
EXPORT_SYMBOL_IF_KUNIT(quire_dummy_check);
