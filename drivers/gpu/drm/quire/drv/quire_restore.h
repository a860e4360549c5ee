/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_RESTORE_H
#define QUIRE_RESTORE_H

#include "paging/quire_paging.h"
#include "hw/quire_aperture.h"

#define QUIRE_RESTORE_FENCES	32

struct quire_device;
struct quire_paging_record;

/**
 * struct quire_restore - what restoring takes, allocated before
 * @cpu: paging buffer, DMA memory
 * @dma: DMA address of @cpu
 * @used: bytes that wait in the buffer
 * @records: private data of the buffer
 * @part: of the aperture, at work
 * @fences: native fences that are told of next
 */
struct quire_restore {
	void *cpu;
	dma_addr_t dma;
	u32 used;
	struct quire_paging_record *records;
	struct quire_aperture_part part;
	struct quire_paging_fence_residency fences[QUIRE_RESTORE_FENCES];
};

int quire_restore_init(struct quire_device *qdev);
int quire_restore(struct quire_device *qdev);

#endif
