/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_CONTEXT_PAGE_H
#define QUIRE_CONTEXT_PAGE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include "queue/quire_paging_space.h"

struct quire_paging_list;
struct quire_paging_work;
struct quire_vm;

/* Bytes of packets of quire_context_add_window(). */
#define QUIRE_CONTEXT_WINDOW_BYTES	(sizeof(struct quire_packet_update_page_table) + \
					 sizeof(__le64) + sizeof(struct quire_packet_flush_tlb))

/**
 * struct quire_context_save - save area of a context (quire_context.c)
 * @bo: the object, with a reference; NULL before something is executed
 * @id: index in &quire_context_pages.saves
 * @told: where the device looks for it, QUIRE_ADDRESS(); 0: nowhere
 * @ready: the device has made it
 * @failed: something that was to be made or told was given up; set without a lock
 * @tells: how often it was to be told
 * @given_up: up to which of them that may not have been; read without a lock
 */
struct quire_context_save {
	struct quire_bo *bo;
	u32 id;
	u64 told;
	bool ready;
	bool failed;
	unsigned long tells;
	unsigned long given_up;
};

/**
 * struct quire_context_page - what the device keeps of a context
 * @link: in &quire_context_pages.idle, while no context has it
 * @area: the page; the device writes it
 * @dma: DMA address of @area
 * @made: when the device has made it what it is for the last context, with the save area
 * @save: save area of that, which has the reservation of the address space
 */
struct quire_context_page {
	struct list_head link;
	struct quire_context_area *area;
	dma_addr_t dma;
	struct dma_fence *made;
	struct quire_context_save save;
};

/**
 * struct quire_context_pages - those of contexts of an address space
 * @lock: protects the list
 * @idle: those that no context has
 * @saves: struct quire_bo of the save areas of all contexts
 */
struct quire_context_pages {
	spinlock_t lock; /* of the list */
	struct list_head idle;
	struct xarray saves;
};

struct quire_context_page *quire_context_page_get(struct quire_vm *vm);
void quire_context_page_put(struct quire_context_page *page, struct quire_vm *vm);

struct quire_paging_args quire_vm_show(enum quire_paging_window window,
				       const struct quire_paging_pte *entries, u32 count);
int quire_vm_add_flush(struct quire_paging_list *list, struct quire_paging_pte root, u64 start,
		       u64 end);
int quire_context_add_window(struct quire_paging_work *work, const struct quire_paging_pte *entry);
int quire_context_add_page(struct quire_paging_work *work, const struct quire_context_page *page);
int quire_context_add_init(struct quire_paging_work *work, bool save_area);
int quire_context_add_update(struct quire_paging_work *work, u32 offset, u64 value);

#endif
