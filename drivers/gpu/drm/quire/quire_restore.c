// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Restoring the aperture
 *
 * After a reset no aperture page of the device is valid. First all of them are pointed
 * at the dummy page, then those that are mapped (quire_aperture.c) at their system
 * pages. The builder makes the packets; the stopped ring executes them before it is
 * started again, so that what is pending finds the aperture that it was made for.
 *
 * Allocates nothing and takes no reservation: those who hold reservations may wait for
 * what is pending.
 *
 * Locking: one at a time, see quire_device_revive().
 */
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>

#include <drm/drm_print.h>

#include "quire_device.h"
#include "quire_restore.h"

#define QUIRE_RESTORE_BUFFER	SZ_4K
#define QUIRE_RESTORE_RECORDS	\
	(QUIRE_RESTORE_BUFFER / QUIRE_PAGING_PACKET_MIN * sizeof(struct quire_paging_record))

/* A buffer takes the device less than a millisecond: only a host that stalls needs this. */
#define QUIRE_RESTORE_PATIENCE	(3 * HZ)

/**
 * quire_restore_init - allocate what quire_restore_aperture() needs
 * @qdev: the device
 *
 * Goes with the binding (devres).
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_restore_init(struct quire_device *qdev)
{
	struct quire_restore *restore = &qdev->restore;
	struct device *dev = qdev->drm.dev;

	restore->cpu = dmam_alloc_coherent(dev, QUIRE_RESTORE_BUFFER, &restore->dma, GFP_KERNEL);
	restore->records = devm_kzalloc(dev, QUIRE_RESTORE_RECORDS, GFP_KERNEL);
	return restore->cpu && restore->records ? 0 : -ENOMEM;
}

/* One pass of the builder; %QUIRE_BUILD_FULL asks for another one. */
static enum quire_build_status restore_build(struct quire_device *qdev,
					     struct quire_paging_args *args)
{
	struct quire_restore *restore = &qdev->restore;

	args->dma_buffer = restore->cpu;
	args->dma_size = QUIRE_RESTORE_BUFFER;
	args->private_data = restore->records;
	args->private_data_size = QUIRE_RESTORE_RECORDS;
	args->dma_buffer_gpu_address = restore->dma;
	args->dma_buffer_write_offset = 0;
	return quire_build_paging_buffer(&qdev->paging_queue.caps, args);
}

/*
 * There is no second try, so a hang_period that is short for the work of programs does not
 * count here; one that is long, for a device under a debugger, does.
 */
static unsigned long restore_patience(void)
{
	return max_t(unsigned long, quire_watchdog_patience(), QUIRE_RESTORE_PATIENCE);
}

static int restore_execute(struct quire_device *qdev, struct quire_paging_args *args)
{
	enum quire_build_status status;
	int ret;

	ret = quire_paging_check_args(&qdev->paging_queue.caps, args);
	if (ret)
		return ret;

	do {
		status = restore_build(qdev, args);
		ret = quire_ring_execute(&qdev->paging_ring, qdev->restore.dma,
					 QUIRE_RESTORE_BUFFER - args->dma_size,
					 restore_patience());
	} while (!ret && status == QUIRE_BUILD_FULL);
	return ret;
}

/* No aperture page is ever without a valid entry (DXGKARG_BUILDPAGINGBUFFER, DummyPage). */
static int restore_dummy(struct quire_device *qdev)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
		.u.unmap = {
			.number_of_pages = qdev->aperture.count,
			.dummy_page = qdev->dummy_dma,
		},
	};

	return restore_execute(qdev, &args);
}

static u32 restore_flags(const struct quire_aperture_part *part)
{
	return part->coherent ? QUIRE_MAPAPERTURE_CACHE_COHERENT : 0;
}

static int restore_runs(struct quire_device *qdev, const struct quire_aperture_part *part)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
		.u.map = {
			.offset_in_pages = part->first,
			.number_of_pages = part->count,
			.mdl = {
				.segment = QUIRE_SEGMENT_SYSTEM,
				.nr_runs = part->nr_runs,
				.runs = part->runs,
			},
			.flags = restore_flags(part),
		},
	};

	return restore_execute(qdev, &args);
}

/* The CPU sees them where it saw them before. */
static int restore_list(struct quire_device *qdev, const struct quire_aperture_part *part)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.u.map2 = {
			.offset_in_pages = part->first,
			.number_of_pages = part->count,
			.adl = {
				.page_count = part->count,
				.contiguous = part->contiguous,
			},
			.flags = restore_flags(part),
			.cpu_visible_address = qdev->window.base +
					       (u64)part->first * QUIRE_PAGE_SIZE,
		},
	};

	if (part->contiguous)
		args.u.map2.adl.base_page_number = part->pages[0];
	else
		args.u.map2.adl.pages = part->pages;
	return restore_execute(qdev, &args);
}

static int restore_part(struct quire_device *qdev, const struct quire_aperture_part *part)
{
	return part->cpu_visible ? restore_list(qdev, part) : restore_runs(qdev, part);
}

/**
 * quire_restore_aperture - give the device its aperture back
 * @qdev: the device; was reset, its ring is stopped
 *
 * May sleep, does not wait for memory.
 *
 * Returns: 0; -EIO the device does not execute it; &quire_ring.error.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment, UnmapApertureSegment and
 * MapApertureSegment2.
 */
int quire_restore_aperture(struct quire_device *qdev)
{
	struct quire_aperture_part *part = &qdev->restore.part;
	u32 next = 0;
	int ret;

	ret = restore_dummy(qdev);
	while (!ret && quire_aperture_next(&qdev->aperture, next, part)) {
		ret = restore_part(qdev, part);
		next = part->first + part->count;
	}
	return ret;
}
