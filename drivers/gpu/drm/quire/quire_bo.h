/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_H
#define QUIRE_BO_H

#include <linux/container_of.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/types.h>

#include <drm/drm_gem.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>

#include "quire_device.h"
#include "paging/quire_paging.h"

struct dma_fence;
struct drm_file;
struct drm_printer;

/**
 * struct quire_bo - a buffer object
 * @base: base; its GEM object is base.base
 * @allocation: what the builder knows of it
 * @ticket: place in the queue for a turn; has the lock of the turn
 * @segments: set of the instances where it may be, never changed; system
 *            memory is one of them
 * @dontneed: madvise said that the content may go
 * @purged: the content is gone
 * @lost: a move that carried or made content failed on the device; set before its
 *        fence signals, without the reservation lock (&quire_paging_submission.lost)
 * @unmapped: its range of the aperture does not show its pages, to take a move back has
 *            failed; the content is in the pages as ever
 * @dead: it has no references, and is on the list; set once, read without the lock
 * @published: see quire_bo_publish(); written with the lock, read without
 * @free_link: in &quire_free_list.objects
 *
 * Everything else is protected by the reservation lock.
 */
struct quire_bo {
	struct ttm_buffer_object base;
	struct quire_paging_allocation allocation;
	struct quire_ticket ticket;
	u32 segments;
	bool dontneed;
	bool purged;
	bool lost;
	bool unmapped;
	bool dead;
	u32 published;
	struct llist_node free_link;
};

static inline struct quire_bo *ttm_to_quire_bo(struct ttm_buffer_object *tbo)
{
	return container_of(tbo, struct quire_bo, base);
}

static inline struct quire_bo *gem_to_quire_bo(struct drm_gem_object *obj)
{
	return container_of(obj, struct quire_bo, base.base);
}

static inline struct quire_device *quire_bo_device(struct quire_bo *bo)
{
	return container_of(bo->base.bdev, struct quire_device, ttm);
}

/* The place, as a memory type; an object without a resource is in system memory. */
static inline u32 quire_bo_mem_type(const struct ttm_buffer_object *tbo)
{
	return tbo->resource ? tbo->resource->mem_type : TTM_PL_SYSTEM;
}

/* The place of every object that has no other. */
extern const struct ttm_place quire_system_place;

u64 quire_bo_max_size(struct quire_device *qdev);
struct quire_bo *quire_bo_create(struct quire_device *qdev, u64 size, u32 segments);
bool quire_bo_is_ours(const struct ttm_buffer_object *tbo);
bool quire_bo_allows(const struct quire_bo *bo, u32 mem_type);
int quire_bo_validate(struct quire_bo *bo, const struct ttm_place *places, unsigned int count,
		      struct ttm_operation_ctx *ctx);
int quire_bo_make_visible(struct quire_bo *bo, struct ttm_operation_ctx *ctx);
int quire_bo_wait(struct quire_bo *bo, s64 timeout_ns);
int quire_bo_madvise(struct quire_bo *bo, bool dontneed, bool *retained);
bool quire_bo_is_visible(struct quire_bo *bo);
bool quire_bo_is_purged(struct quire_bo *bo);

/* quire_bo_place.c */
int quire_bo_place(struct quire_bo *bo, u32 mem_type, u32 flags, struct dma_fence **moved);

/* quire_bo_evict.c */
void quire_bo_evict_flags(struct ttm_buffer_object *tbo, struct ttm_placement *placement);
void quire_bo_release_notify(struct ttm_buffer_object *tbo);

/* quire_bo_vm.c */
extern const struct vm_operations_struct quire_bo_vm_ops;

int quire_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma);
void quire_bo_vm_block(struct quire_device *qdev);
void quire_bo_vm_unblock(struct quire_device *qdev);

/* quire_bo_stats.c */
void quire_bo_publish(struct quire_bo *bo);
u32 quire_bo_published_segment(const struct quire_bo *bo);
void quire_bo_show_fdinfo(struct drm_printer *p, struct drm_file *file);

#endif
