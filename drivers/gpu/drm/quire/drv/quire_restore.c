// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Restoring what the device knew
 *
 * After a reset no aperture page of the device is valid. First all of them are pointed at the dummy
 * page, then those that are mapped (quire_aperture.c) at their system pages. Then the device is
 * told what its MMUs showed (quire_mmu_table.c), where objects are (quire_residency_table.c), and
 * where native fences are (quire_natives.c). The builder makes the packets, as many as a buffer has
 * room for at once; the stopped ring executes them before it is started again.
 *
 * Allocates nothing and takes no reservation, since holders of reservations may wait for pending
 * work.
 *
 * Locking: one at a time, see quire_device_revive().
 */
#include <linux/dma-mapping.h>

#include <drm/drm_print.h>

#include "core/quire_device_types.h"
#include "hw/quire_aperture.h"
#include "hw/quire_mmu_table.h"
#include "hw/quire_natives.h"
#include "hw/quire_residency_table.h"
#include "queue/quire_paging_queue.h"
#include "bo/quire_window.h"
#include "quire_restore.h"

#define QUIRE_RESTORE_BUFFER	SZ_4K
#define QUIRE_RESTORE_RECORDS	\
	(QUIRE_RESTORE_BUFFER / QUIRE_PAGING_PACKET_MIN * sizeof(struct quire_paging_record))

/* A buffer takes the device less than a millisecond: only a host that stalls needs this. */
#define QUIRE_RESTORE_PATIENCE	(3 * HZ)

/**
 * quire_restore_init - allocate what is needed to restore
 * @qdev: the device (devres)
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_restore_init(struct quire_device *qdev)
{
	struct quire_restore *restore = qdev->restore;
	struct device *dev = qdev->drm.dev;

	restore->cpu = dmam_alloc_coherent(dev, QUIRE_RESTORE_BUFFER, &restore->dma, GFP_KERNEL);
	restore->records = devm_kzalloc(dev, QUIRE_RESTORE_RECORDS, GFP_KERNEL);
	return restore->cpu && restore->records ? 0 : -ENOMEM;
}

/* Executes what waits in the buffer. */
static int restore_run(struct quire_device *qdev)
{
	u32 used = qdev->restore->used;

	qdev->restore->used = 0;
	/*
	 * There is no second try, so a hang_period that is short for the work of programs does not
	 * count here; one that is long, for a device under a debugger, does.
	 */
	return quire_ring_execute(qdev->paging_ring, qdev->restore->dma, used,
				  max_t(unsigned long, quire_watchdog_patience(),
					QUIRE_RESTORE_PATIENCE));
}

/* Adds an operation to those that wait in the buffer; executes these when it is full. */
static int restore_add(struct quire_device *qdev, struct quire_paging_args *args)
{
	const struct quire_paging_caps *caps = &qdev->paging_queue->caps;
	struct quire_restore *restore = qdev->restore;
	enum quire_build_status status;
	int ret;

	ret = quire_paging_check_args(caps, args);
	if (ret)
		return ret;
	do {
		args->dma_buffer = restore->cpu + restore->used;
		args->dma_size = QUIRE_RESTORE_BUFFER - restore->used;
		args->private_data = restore->records;
		args->private_data_size = QUIRE_RESTORE_RECORDS;
		args->dma_buffer_gpu_address = restore->dma;
		args->dma_buffer_write_offset = restore->used;
		status = quire_build_paging_buffer(caps, args);
		restore->used = QUIRE_RESTORE_BUFFER - args->dma_size;
		if (status == QUIRE_BUILD_FULL)
			ret = restore_run(qdev);
	} while (!ret && status == QUIRE_BUILD_FULL);
	return ret;
}

static int restore_part(struct quire_device *qdev, const struct quire_aperture_part *part)
{
	u32 flags = part->coherent ? QUIRE_MAPAPERTURE_CACHE_COHERENT : 0;
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
			.flags = flags,
		},
	};

	if (!part->cpu_visible)
		return restore_add(qdev, &args);

	/* The CPU sees them where it saw them before. */
	args = (struct quire_paging_args) {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.u.map2 = {
			.offset_in_pages = part->first,
			.number_of_pages = part->count,
			.adl = {
				.page_count = part->count,
				.contiguous = part->contiguous,
			},
			.flags = flags,
			.cpu_visible_address = qdev->window->base +
					       (u64)part->first * QUIRE_PAGE_SIZE,
		},
	};
	if (part->contiguous)
		args.u.map2.adl.base_page_number = part->pages[0];
	else
		args.u.map2.adl.pages = part->pages;
	return restore_add(qdev, &args);
}

static int restore_aperture(struct quire_device *qdev)
{
	struct quire_aperture_part *part = &qdev->restore->part;
	struct quire_paging_args dummy = {
		.operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
		.u.unmap = {
			.number_of_pages = qdev->aperture->count,
			.dummy_page = qdev->dummy_dma,
		},
	};
	u32 next = 0;
	int ret;

	ret = restore_add(qdev, &dummy);
	while (!ret && quire_aperture_next(qdev->aperture, next, part)) {
		ret = restore_part(qdev, part);
		next = part->first + part->count;
	}
	return ret;
}

static int restore_mmus(struct quire_device *qdev)
{
	struct quire_mmu_run run = { };
	int ret = 0;

	while (!ret && quire_mmu_table_next(qdev->mmu_table, &run)) {
		struct quire_paging_args args = {
			.operation = QUIRE_PAGING_MAP_MMU,
			.u.map_mmu = {
				.virtual_address = (u64)run.first << QUIRE_PAGE_SHIFT,
				.mmu_id = run.mmu,
				.segment = run.segment,
				.adl = {
					.page_count = run.pages,
					.contiguous = true,
					.base_page_number = run.page,
				},
				.flags = run.coherent ? QUIRE_MAPAPERTURE_CACHE_COHERENT : 0,
			},
		};

		ret = restore_add(qdev, &args);
	}
	return ret;
}

static int restore_residency(struct quire_device *qdev)
{
	struct quire_residency_run run = { };
	int ret = 0;

	while (!ret && quire_residency_table_next(qdev->residency_table, &run)) {
		u64 bytes = ((u64)run.offset + run.pages) << QUIRE_PAGE_SHIFT;
		const struct quire_paging_allocation allocation = {
			.id = run.id,
			.size = bytes,
			.pitch_aligned_size = bytes,
		};
		struct quire_paging_args args = {
			.operation = QUIRE_PAGING_NOTIFY_RESIDENCY2,
			.allocation = &allocation,
			.u.notify_residency2 = {
				.allocation_offset_in_pages = run.offset,
				.size_in_pages = run.pages,
				.segment = run.segment,
				.resident = true,
				.contiguous = true,
				.physical_address = run.first << QUIRE_PAGE_SHIFT,
			},
		};

		ret = restore_add(qdev, &args);
	}
	return ret;
}

static int restore_natives(struct quire_device *qdev)
{
	struct quire_paging_fence_residency *fences = qdev->restore->fences;
	u32 at = 0, count;
	int ret = 0;

	while (!ret && (count = quire_natives_next(qdev->natives, &at, fences,
						   QUIRE_RESTORE_FENCES))) {
		struct quire_paging_args args = {
			.operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY,
			.u.notify_fences = { .num_fences = count, .fences = fences },
		};

		ret = restore_add(qdev, &args);
	}
	return ret;
}

/**
 * quire_restore - tell the device all that a reset took from it
 * @qdev: the device; was reset, its ring is stopped
 *
 * May sleep, does not wait for memory.
 *
 * Returns: 0; -EIO the device does not execute it; &quire_ring.error.
 */
int quire_restore(struct quire_device *qdev)
{
	int ret;

	qdev->restore->used = 0;
	ret = restore_aperture(qdev) ?: restore_mmus(qdev) ?: restore_residency(qdev) ?:
	      restore_natives(qdev) ?: restore_run(qdev);
	if (!ret)
		quire_residency_table_restored(qdev->residency_table);
	return ret;
}
