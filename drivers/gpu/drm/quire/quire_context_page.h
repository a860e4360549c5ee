/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_CONTEXT_PAGE_H
#define QUIRE_CONTEXT_PAGE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <quire/quire_hw.h>

struct dma_fence;
struct drm_device;
struct quire_vm;

/**
 * struct quire_context_page - what the device keeps of a context
 * @link: in &quire_context_pages.idle, while no context has it
 * @area: the page; the device writes it
 * @dma: DMA address of @area
 * @made: when the device has made it what it is for the last context
 */
struct quire_context_page {
	struct list_head link;
	struct quire_context_area *area;
	dma_addr_t dma;
	struct dma_fence *made;
};

/**
 * struct quire_context_pages - those of contexts of an address space
 * @lock: protects the list
 * @idle: those that no context has
 */
struct quire_context_pages {
	spinlock_t lock; /* of the list */
	struct list_head idle;
};

void quire_context_pages_init(struct quire_context_pages *pages);
void quire_context_pages_fini(struct quire_context_pages *pages, struct drm_device *drm);

struct quire_context_page *quire_context_page_get(struct quire_vm *vm);
void quire_context_page_put(struct quire_context_page *page, struct quire_vm *vm);

#endif
