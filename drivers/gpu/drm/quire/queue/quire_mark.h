/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_MARK_H
#define QUIRE_MARK_H

#include <linux/mutex.h>

struct drm_device;
struct quire_paging_queue;

/**
 * struct quire_mark - how far the device says that it came
 * @drm: for the log
 * @lock: serialises requests
 * @page: of coherent memory; the device writes to it
 * @dma: DMA address of @page
 * @asked: fence value of the last submission that writes it; 0: none; READ_ONCE()
 */
struct quire_mark {
	struct drm_device *drm;
	struct mutex lock; /* one at a time asks */
	__le64 *page;
	dma_addr_t dma;
	u64 asked;
};

int quire_mark_init(struct quire_mark *mark, struct drm_device *drm);
int quire_mark_reach(struct quire_mark *mark, struct quire_paging_queue *queue);
u64 quire_mark_written(const struct quire_mark *mark);

#endif
