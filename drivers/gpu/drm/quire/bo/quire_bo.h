/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_H
#define QUIRE_BO_H

/**
 * DOC: Layer bo
 *
 * Buffer objects: their content and placement. Here are the manager of VRAM, placement by turns
 * (quire_turn.c), budgets, priorities, the shrinker, access of the CPU (faults, the window of the
 * aperture, swizzling ranges, alternate views), sharing as dma-bufs, and what the device is told of
 * an object (quire_residency.c, quire_mmu.c).
 *
 * In: objects that GEM creates, places that TTM gives. Out: by quire_bo_validate() calls of TTM,
 * which come back to the folder move. May use: paging, commands, core, hw, queue.
 */

#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/dma-resv.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_caching.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_tt.h>
#include <uapi/drm/quire_drm.h>

#include "paging/quire_paging.h"
#include "core/quire_device_types.h"
#include "core/quire_patience.h"
#include "core/quire_placement.h"
#include "quire_budget.h"
#include "quire_purge_stats.h"
#include "quire_validation.h"

struct dma_buf;
struct quire_bulk;
struct quire_fence;
struct quire_layout;
struct quire_native;
struct quire_range;
struct quire_resident;
struct quire_usage;

/* On TTM's lists, see quire_bo_priority.c: the lowest is evicted first. */
#define QUIRE_PRIORITY_OFFERED	0
#define QUIRE_PRIORITY_NEEDED	1
#define QUIRE_PRIORITY_RESIDENT	2

/**
 * struct quire_bo_kind - what objects of one kind have in common
 * @type: whose the pages are: ttm_bo_type_device ours, ttm_bo_type_sg others'
 * @funcs: what GEM calls
 * @destroy: called when TTM is done with one, under any lock; ends in quire_bo_fini()
 */
struct quire_bo_kind {
	enum ttm_bo_type type;
	const struct drm_gem_object_funcs *funcs;
	void (*destroy)(struct quire_bo *bo);
};

/**
 * struct quire_bo_config - what a buffer object is made of
 * @size: bytes, multiple of the page size, 1 to quire_bo_max_size()
 * @segments: set of the instances where it may be, with system memory
 * @flags: DRM_QUIRE_BO_CREATE_*
 * @caching: of its pages; ttm_cached if it is imported
 * @layout: of an image, valid, with tiles; NULL: it has none
 * @gpuvm: address space that it is private to, reserved; NULL: none
 * @bulk: of that
 */
struct quire_bo_config {
	u64 size;
	u32 segments;
	u32 flags;
	enum ttm_caching caching;
	const struct quire_layout *layout;
	struct drm_gpuvm *gpuvm;
	struct quire_bulk *bulk;
};

/**
 * enum quire_bo_content - is the content of an object needed, and is it there?
 * @QUIRE_BO_NEEDED: it is needed, and there
 * @QUIRE_BO_OFFERED: it may go when room is needed (madvise), and is there
 * @QUIRE_BO_PURGED: it was offered, and is gone
 * @QUIRE_BO_LOST: it is needed, but was lost when the device failed
 */
enum quire_bo_content {
	QUIRE_BO_NEEDED,
	QUIRE_BO_OFFERED,
	QUIRE_BO_PURGED,
	QUIRE_BO_LOST,
};

/**
 * enum quire_bo_event - what changes &enum quire_bo_content
 * @QUIRE_BO_OFFER: madvise says that the content may go
 * @QUIRE_BO_NEED: madvise says that it is needed; of one that is gone behind %QUIRE_BO_RENEW
 * @QUIRE_BO_DROP: the content goes
 * @QUIRE_BO_RENEW: the object gets content again
 */
enum quire_bo_event {
	QUIRE_BO_OFFER,
	QUIRE_BO_NEED,
	QUIRE_BO_DROP,
	QUIRE_BO_RENEW,
};

/**
 * struct quire_bo - a buffer object
 * @base: base; its GEM object is base.base
 * @kind: its kind
 * @segments: set of the instances where it may be; system memory is one of them
 * @flags: DRM_QUIRE_BO_CREATE_*
 * @caching: of its pages
 * @allocation: what the builder knows of it
 *
 * @position: of a call that was interrupted; its members have locks of their own
 * @access_patience: the same, of a debugger
 * @slides: its next place in VRAM may overlap the present one; while it is placed
 * @planned: a split submission decides where it is, in its turn; read without the lock
 * @claims: split submissions that are not all queued yet and use it: its content is neither
 *          dropped nor pinned elsewhere. Incremented with the lock, decremented without
 * @holds: how often files hold it resident (quire_hold.c); without the lock
 * @charge: where it counts (quire_budget.c); has the lock of that
 *
 * @content: is it needed, and is it there? Read without the lock; changed by
 *           quire_bo_change_content()
 * @lost: a move that carried or made content failed on the device; set before its
 *        fence signals, without the reservation lock (&quire_out_fence.lost)
 * @swizzled: its pages hold it as it is in VRAM (quire_bo_layout.c)
 * @alternate: its content is in the pages of its alternate view (quire_view.c)
 * @view: those pages, kept while it is in VRAM, or NULL
 * @unmapped: its range of the aperture does not show its pages, as a move could not be taken
 *            back; the content is in the pages
 * @offer_link: in &quire_shrinker.objects; has the lock of that
 *
 * @resident: what the device was told of it
 * @published: see quire_bo_publish(); written with the lock, read without
 * @mappings: of programs; read and written without the lock
 * @range: through which the CPU sees it in VRAM, or NULL; has the lock of the ranges
 *
 * @gpuvm: address space whose reservation it shares, with a reference; or NULL; never changed
 * @bulk: of that; never changed
 * @apart: in &quire_bulk.apart: private to an address space, bound there, and no part of its bulk
 *         move
 * @bound: page tables of an address space may lead to it, or commands signal it
 * @fence: the monitored fence that it is, until it has no references; or NULL
 * @native: the native fence that it is, until it has no references; or NULL
 *
 * @dma_buf: what it is shared as: of an imported object the exporter's, with a reference,
 *           never changed; else ours, without one, NULL while there is none
 * @share_link: in &quire_shares.imports if it is imported; in
 *              &quire_shares.pinned while it is pinned
 *
 * @late: it died while commands used it, and the device is told afterwards
 * @dead: it has no references, and is on the list; set once, read without the lock
 * @free_link: in &quire_free_list.objects
 * @destroy_work: of an imported object, when TTM is done with it
 *
 * Members have the reservation lock, if nothing else is said.
 */
struct quire_bo {
	struct ttm_buffer_object base;

	/* what it is: never changed */
	const struct quire_bo_kind *kind;
	u32 segments;
	u32 flags;
	enum ttm_caching caching;
	struct quire_paging_allocation allocation;

	/* placement: where it may go next, and which callers keep it there */
	struct quire_position position;
	struct quire_patience access_patience;
	bool slides;
	bool planned;
	atomic_t claims;
	atomic64_t holds;
	struct quire_charge charge;

	/* content: what it is worth, and in which form its pages have it */
	enum quire_bo_content content;
	bool lost;
	bool swizzled;
	bool alternate;
	struct ttm_tt *view;
	bool unmapped;
	struct list_head offer_link;

	/* residency: what device, statistics and CPU know of its place */
	struct quire_resident *resident;
	u32 published;
	atomic_t mappings;
	struct quire_range *range;

	/* address space: of a private object, and what leads to any */
	struct drm_gpuvm *gpuvm;
	struct quire_bulk *bulk;
	struct list_head apart;
	bool bound;
	struct quire_fence *fence;
	struct quire_native *native;

	/* sharing */
	struct dma_buf *dma_buf;
	struct list_head share_link;

	/* death */
	bool late;
	bool dead;
	struct llist_node free_link;
	struct work_struct destroy_work;
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

/* Programs do not need the content; any context. */
static inline bool quire_bo_is_unneeded(const struct quire_bo *bo)
{
	enum quire_bo_content content = READ_ONCE(bo->content);

	return content == QUIRE_BO_OFFERED || content == QUIRE_BO_PURGED;
}

/* As far as it is known, see quire_bo_is_purged(). */
static inline bool quire_bo_has_content(const struct quire_bo *bo)
{
	return bo->content == QUIRE_BO_NEEDED || bo->content == QUIRE_BO_OFFERED;
}

/* Importers may see its fences. */
static inline bool quire_bo_is_shared(const struct quire_bo *bo)
{
	return bo->dma_buf;
}

/* It shares the reservation of an address space with all other objects private to that. */
static inline bool quire_bo_is_private(const struct quire_bo *bo)
{
	return bo->gpuvm;
}

/* It is a monitored fence: in system memory, and pinned there. */
static inline bool quire_bo_is_fence(const struct quire_bo *bo)
{
	return bo->fence;
}

/* It is a native fence: private to an address space, whose commands let it grow. */
static inline bool quire_bo_is_native_fence(const struct quire_bo *bo)
{
	return bo->native;
}

/* NULL: it is no fence. */
static inline const char *quire_bo_fence_name(const struct quire_bo *bo)
{
	return bo->fence ? "monitored" : bo->native ? "native" : NULL;
}

/* In VRAM commands may see it through an MMU. */
static inline bool quire_bo_has_mmu(const struct quire_bo *bo)
{
	return bo->flags & DRM_QUIRE_BO_CREATE_MMU;
}

/* Its content lives with another driver. */
static inline bool quire_bo_is_imported(const struct quire_bo *bo)
{
	return bo->base.type == ttm_bo_type_sg;
}

static inline bool quire_bo_is_idle(const struct quire_bo *bo)
{
	return dma_resv_test_signaled(bo->base.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/* The place, as a memory type; an object without a resource is in system memory. */
static inline u32 quire_bo_mem_type(const struct ttm_buffer_object *tbo)
{
	return tbo->resource ? tbo->resource->mem_type : TTM_PL_SYSTEM;
}

/* It is reserved, and has pages that may be dropped; those of a shared one importers may use. */
static inline bool quire_bo_is_offered(const struct quire_bo *bo)
{
	return bo->content == QUIRE_BO_OFFERED && !quire_bo_is_shared(bo) &&
	       quire_bo_mem_type(&bo->base) != QUIRE_PL_VRAM &&
	       bo->base.ttm && ttm_tt_is_populated(bo->base.ttm);
}

/* Bytes that it takes in a place, a multiple of the page size. */
static inline u64 quire_bo_size_in(const struct quire_bo *bo, u32 mem_type)
{
	return mem_type == QUIRE_PL_VRAM ? bo->allocation.pitch_aligned_size :
					   bo->base.base.size;
}

/* Was it created for a segment, given by its memory type? */
static inline bool quire_bo_allows(const struct quire_bo *bo, u32 mem_type)
{
	return bo->segments & BIT(quire_segment_instance(mem_type));
}

/* It is reserved, offered, and no split submission still has to come to it. */
static inline bool quire_bo_may_drop(const struct quire_bo *bo)
{
	return quire_bo_is_offered(bo) && !atomic_read(&bo->claims);
}

u64 quire_bo_max_size(struct quire_device *qdev);
struct quire_bo *quire_bo_create(struct quire_device *qdev, const struct quire_bo_config *config,
				 const struct quire_bo_kind *kind, struct dma_buf *dma_buf);
void quire_bo_fini(struct quire_bo *bo);
bool quire_bo_is_ours(const struct ttm_buffer_object *tbo);
u64 quire_bo_aperture_place(struct quire_bo *bo, struct ttm_place *place);
int quire_bo_validate(struct quire_bo *bo, const struct ttm_place *places, unsigned int count,
		      struct ttm_operation_ctx *ctx);
int quire_bo_wait(struct quire_bo *bo, s64 timeout_ns);
bool quire_bo_is_visible(struct quire_bo *bo);
bool quire_bo_is_purged(struct quire_bo *bo);
void quire_bo_change_content(struct quire_bo *bo, enum quire_bo_event event);

/* quire_bo_madvise.c */
int quire_bo_drop(struct quire_bo *bo, enum quire_purge_reason reason);
void quire_bo_swap_notify(struct ttm_buffer_object *tbo);
int quire_bo_empty(struct quire_bo *bo, struct ttm_operation_ctx *ctx);
int quire_bo_madvise(struct quire_bo *bo, bool dontneed, struct quire_usage *usage,
		     bool *retained);

/* quire_bo_others.c */
void quire_bo_show_fences(struct quire_bo *bo);
bool quire_bo_has_others(struct quire_bo *bo);
bool quire_bo_has_commands(struct quire_bo *bo);
bool quire_bo_is_spared(struct quire_bo *bo, const struct ttm_place *place);
struct dma_fence *quire_bo_get_user(struct quire_bo *bo, const struct ttm_place *place,
				    ktime_t since, bool *released);
bool quire_bo_must_wait(struct quire_bo *bo, const struct ttm_place *place);
long quire_bo_wait_others(struct quire_bo *bo, bool interruptible, long timeout);
long quire_bo_wait_others_killable(struct quire_bo *bo, long timeout);
bool quire_bo_must_stay(struct quire_bo *bo);
bool quire_bo_wait_planned(struct quire_bo *bo, long timeout);
long quire_bo_wait_planned_killable(struct quire_bo *bo, long timeout);
bool quire_bo_wait_claims(struct quire_bo *bo, long timeout);
int quire_bo_wait_patiently(struct quire_bo *bo, bool interruptible);

/* quire_bo_priority.c */
bool quire_bo_has_usual_priority(struct quire_bo *bo);
void quire_bo_prioritize(struct quire_bo *bo);

#endif
