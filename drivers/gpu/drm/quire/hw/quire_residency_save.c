// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the device says is resident: read for who asks, and before a reset takes it away.
 *
 * Locking: &quire_residency_table.lock, a leaf.
 */
#include <linux/device.h>

#include <quire/quire_hw.h>

#include "core/quire_device_types.h"
#include "core/quire_regs.h"
#include "quire_residency_table.h"

static void save_fini(void *table)
{
	quire_residency_table_fini(table);
}

/**
 * quire_residency_save_init - allocate what is needed to keep the table
 * @qdev: the device; its sizes are read
 *
 * Goes with the binding (devres).
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_residency_save_init(struct quire_device *qdev)
{
	struct quire_residency_table *table = qdev->residency_table;
	int ret;

	mutex_init(&table->lock);
	ret = quire_residency_table_init(table, qdev->vram_size >> QUIRE_PAGE_SHIFT,
					 qdev->aperture_size >> QUIRE_PAGE_SHIFT);
	return ret ?: devm_add_action_or_reset(qdev->drm.dev, save_fini, table);
}

/**
 * quire_residency_read - what does the device say of a page?
 * @qdev: the device; its registers answer
 * @segment: %QUIRE_SEGMENT_VRAM or %QUIRE_SEGMENT_APERTURE
 * @page: of it
 * @run: returned: from that page on
 *
 * May sleep.
 *
 * Returns: false if the device says that there is no such page.
 */
bool quire_residency_read(struct quire_device *qdev, u32 segment, u64 page,
			  struct quire_residency_run *run)
{
	u64 address = QUIRE_ADDRESS(segment, page << QUIRE_PAGE_SHIFT);

	mutex_lock(&qdev->residency_table->lock);
	quire_write64(qdev->regs, QUIRE_REG_RESIDENCY_PAGE_LO, address);
	*run = (struct quire_residency_run) {
		.segment = segment,
		.first = page,
		.pages = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_PAGES),
		.id = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_ALLOCATION),
		.offset = quire_read32(qdev->regs, QUIRE_REG_RESIDENCY_OFFSET),
	};
	mutex_unlock(&qdev->residency_table->lock);
	return run->pages;
}

static void save_segment(struct quire_device *qdev, u32 segment)
{
	struct quire_residency_table *table = qdev->residency_table;
	struct quire_residency_run run = { .segment = segment };
	u64 page;

	for (page = 0; page < table->count[segment]; page += run.pages) {
		if (!quire_residency_read(qdev, segment, page, &run))
			run = (struct quire_residency_run) {
				.segment = segment,
				.first = page,
				.pages = table->count[segment] - page,
			};
		quire_residency_table_enter(table, &run);
	}
}

/**
 * quire_residency_save - the device is about to lose its table
 * @qdev: the device; its rings are stopped
 *
 * Does nothing if it has lost it already, or has none of ours yet.
 */
void quire_residency_save(struct quire_device *qdev)
{
	struct quire_residency_table *table = qdev->residency_table;

	if (!table->works || table->kept)
		return;
	save_segment(qdev, QUIRE_SEGMENT_VRAM);
	save_segment(qdev, QUIRE_SEGMENT_APERTURE);
	quire_residency_table_keep(table);
}
