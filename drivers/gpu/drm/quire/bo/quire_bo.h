/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_H
#define QUIRE_BO_H

/**
 * DOC: Layer bo
 *
 * Buffer objects, their content and placement: the manager of VRAM, placement by turns, budgets,
 * priorities, the shrinker, access of the CPU, sharing as dma-bufs, and what the device is told.
 *
 * In: objects that GEM creates, places that TTM gives. Out: by quire_bo_validate() calls of TTM,
 * which come back to the folder move. May use: paging, commands, core, hw, queue.
 */

#include <linux/bitfield.h>
#include <linux/llist.h>

#include <drm/drm_gpuvm.h>
#include <drm/ttm/ttm_tt.h>
#include <uapi/drm/quire_drm.h>

#include "paging/quire_paging.h"
#include "core/quire_placement.h"
#include "quire_budget.h"
#include "quire_validation.h"

struct quire_bulk;
struct quire_fence;
struct quire_layout;
struct quire_native;
struct quire_range;
struct quire_resident;
struct quire_usage;

/* On TTM's lists, see quire_bulk.c: the lowest is evicted first. */
#define QUIRE_PRIORITY_OFFERED	0
#define QUIRE_PRIORITY_NEEDED	1
#define QUIRE_PRIORITY_RESIDENT	2

/* &quire_bo.published: the instance of the segment, and above it the status. */
#define QUIRE_PUBLISHED_SEGMENT	GENMASK(7, 0)
#define QUIRE_PUBLISHED_STATUS	GENMASK(15, 8)
#define QUIRE_PUBLISHED_VIEW		BIT(16) /* with pages of a view, beside its place in VRAM */

/**
 * enum quire_purge_reason - why offered content was dropped
 * @QUIRE_PURGE_EVICTED: another object got its place in VRAM
 * @QUIRE_PURGE_SWAPPED: TTM would have swapped it out
 * @QUIRE_PURGE_SHRUNK: the kernel asked for memory
 * @QUIRE_PURGE_REASONS: how many there are
 */
enum quire_purge_reason {
	QUIRE_PURGE_EVICTED,
	QUIRE_PURGE_SWAPPED,
	QUIRE_PURGE_SHRUNK,
	QUIRE_PURGE_REASONS,
};

/**
 * struct quire_purge_stats - all purges since the driver was bound
 * @objects: that lost their content, by enum quire_purge_reason
 * @bytes: of them
 */
struct quire_purge_stats {
	atomic64_t objects[QUIRE_PURGE_REASONS];
	atomic64_t bytes[QUIRE_PURGE_REASONS];
};

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
 * @position: of a call that was interrupted; its members have locks of their own
 * @access_patience: the same, of a debugger
 * @slides: its next place in VRAM may overlap the present one; while it is placed
 * @planned: a split submission decides where it is, in its turn; read without the lock
 * @claims: split submissions that are not all queued yet and use it; decremented without the lock
 * @holds: how often files hold it resident (quire_bulk.c); without the lock
 * @charge: where it counts (quire_budget.c); has the lock of that
 * @content: is it needed, and is it there? Read without the lock; changed by
 *           quire_bo_change_content()
 * @lost: a move of content failed on the device; set without the lock, before its fence signals
 * @swizzled: its pages hold it as it is in VRAM (quire_bo_layout.c)
 * @alternate: its content is in the pages of its alternate view
 * @view: those pages, kept while it is in VRAM, or NULL
 * @unmapped: its range of the aperture does not show its pages: a move could not be taken back
 * @offer_link: in &quire_shrinker.objects; has the lock of that
 * @resident: what the device was told of it
 * @published: see quire_bo_publish(); written with the lock, read without
 * @mappings: of programs; read and written without the lock
 * @range: through which the CPU sees it in VRAM, or NULL; has the lock of the ranges
 * @gpuvm: address space whose reservation it shares, with a reference; or NULL; never changed
 * @bulk: of that; never changed
 * @apart: in &quire_bulk.apart: private and bound, but no part of the bulk move
 * @bound: page tables of an address space may lead to it, or commands signal it
 * @fence: the monitored fence that it is, until it has no references; or NULL
 * @native: the native fence that it is, until it has no references; or NULL
 * @dma_buf: what it is shared as: of an imported object the exporter's, with a reference,
 *           never changed; else ours, without one, NULL while there is none
 * @share_link: in &quire_shares.imports if it is imported, in &quire_shares.pinned while pinned
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

/**
 * struct quire_free_list - dead objects that the device is still to be told of
 * @objects: the objects, by &quire_bo.free_link
 * @bytes: size of all of them, and of those that @work has taken and not freed yet
 * @died: objects that came here so far
 * @freed: how many of them @work has freed; the first ones that came are freed first
 * @less: woken when @bytes went down, and @freed up
 * @work: frees them
 */
struct quire_free_list {
	struct llist_head objects;
	atomic64_t bytes;
	atomic64_t died;
	atomic64_t freed;
	wait_queue_head_t less;
	struct work_struct work;
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

/* Instance of the segment where it is, or was before it moved; nothing is held. */
static inline u32 quire_bo_published_segment(const struct quire_bo *bo)
{
	return FIELD_GET(QUIRE_PUBLISHED_SEGMENT, READ_ONCE(bo->published));
}

/* Bring it to one of @count places, the best first. It is reserved; with an error it stays. */
static inline int quire_bo_validate(struct quire_bo *bo, const struct ttm_place *places,
				    unsigned int count, struct ttm_operation_ctx *ctx)
{
	struct ttm_placement placement = { .num_placement = count, .placement = places };

	return ttm_bo_validate(&bo->base, &placement, ctx);
}

/* Unlock an object of quire_offered_take(), and drop the reference. */
static inline void quire_offered_put(struct quire_bo *bo)
{
	dma_resv_unlock(bo->base.base.resv);
	drm_gem_object_put(&bo->base.base);
}

static inline void quire_free_list_flush(struct quire_free_list *list)
{
	flush_work(&list->work);
}

/* The number of objects that were listed so far, for quire_free_list_is_freed(). */
static inline u64 quire_free_list_died(struct quire_free_list *list)
{
	return atomic64_read(&list->died);
}

/* Are the objects freed that were on the list when quire_free_list_died() returned @died? */
static inline bool quire_free_list_is_freed(struct quire_free_list *list, u64 died)
{
	return (u64)atomic64_read(&list->freed) >= died;
}

u64 quire_bo_max_size(struct quire_device *qdev);
struct quire_bo *quire_bo_create(struct quire_device *qdev, const struct quire_bo_config *config,
				 const struct quire_bo_kind *kind, struct dma_buf *dma_buf);
void quire_bo_fini(struct quire_bo *bo);
bool quire_bo_is_ours(const struct ttm_buffer_object *tbo);
u64 quire_bo_aperture_place(struct quire_bo *bo, struct ttm_place *place);
int quire_bo_wait(struct quire_bo *bo, s64 timeout_ns);
bool quire_bo_is_visible(struct quire_bo *bo);
bool quire_bo_is_purged(struct quire_bo *bo);
void quire_bo_change_content(struct quire_bo *bo, enum quire_bo_event event);
void quire_bo_publish(struct quire_bo *bo);
void quire_free_list_init(struct quire_free_list *list);
long quire_free_list_wait_freed(struct quire_free_list *list, u64 died, bool interruptible,
				long timeout);
void quire_bo_free_later(struct drm_gem_object *obj);
void quire_bo_free(struct drm_gem_object *obj);
struct quire_bo *quire_offered_take(struct quire_shrinker *shrinker);
void quire_offered_update(struct quire_bo *bo);

/* Of statistics: the reservation is not waited for, as its holder may wait for the device. */
static inline u32 quire_bo_published(struct quire_bo *bo)
{
	if (dma_resv_trylock(bo->base.base.resv)) {
		quire_bo_publish(bo);
		dma_resv_unlock(bo->base.base.resv);
	}
	return READ_ONCE(bo->published);
}

/* Wait until there are not too many dead objects; it may take a while. 0, or -ERESTARTSYS. */
static inline int quire_free_list_wait(struct quire_device *qdev)
{
	struct quire_free_list *list = qdev->free_list;

	return wait_event_interruptible(list->less, atomic64_read(&list->bytes) <=
					quire_bo_max_size(qdev));
}

/* quire_tt.c */
struct ttm_tt *quire_tt_create(struct ttm_buffer_object *tbo, u32 page_flags);
void quire_tt_destroy(struct ttm_device *ttm, struct ttm_tt *tt);
int quire_tt_populate(struct ttm_device *ttm, struct ttm_tt *tt, struct ttm_operation_ctx *ctx);
void quire_tt_unpopulate(struct ttm_device *ttm, struct ttm_tt *tt);
void quire_tt_unmap(struct ttm_device *ttm, struct ttm_tt *tt);

/* quire_bo_madvise.c */
int quire_bo_drop(struct quire_bo *bo, enum quire_purge_reason reason);
void quire_bo_swap_notify(struct ttm_buffer_object *tbo);
int quire_bo_empty(struct quire_bo *bo, struct ttm_operation_ctx *ctx);
int quire_bo_madvise(struct quire_bo *bo, bool dontneed, struct quire_usage *usage,
		     bool *retained);

/* quire_bo_others.c */
void quire_bo_show_fences(struct quire_bo *bo);
bool quire_bo_is_used(struct quire_bo *bo, bool content);
bool quire_bo_is_spared(struct quire_bo *bo, const struct ttm_place *place);
struct dma_fence *quire_bo_get_user(struct quire_bo *bo, const struct ttm_place *place,
				    ktime_t since, bool *released);
bool quire_bo_must_wait(struct quire_bo *bo, const struct ttm_place *place);
long quire_bo_wait_others(struct quire_bo *bo, bool interruptible, long timeout);
long quire_bo_wait_others_killable(struct quire_bo *bo, long timeout);
long quire_bo_wait_planned_killable(struct quire_bo *bo, long timeout);
int quire_bo_wait_patiently(struct quire_bo *bo, bool interruptible);

static inline bool quire_bo_has_others(struct quire_bo *bo)
{
	return quire_bo_is_used(bo, true);
}

static inline bool quire_bo_has_commands(struct quire_bo *bo)
{
	return quire_bo_is_used(bo, false);
}

/* As quire_bo_wait_planned_killable(), but any signal ends the wait. Returns: none decides. */
static inline bool quire_bo_wait_planned(struct quire_bo *bo, long timeout)
{
	return wait_event_interruptible_timeout(quire_bo_device(bo)->unplanned,
						!READ_ONCE(bo->planned), timeout) > 0;
}

/*
 * A submission in parts has planned its place, where the CPU can not reach it: a CPU fault that
 * moved it, and did not call quire_bo_wait_planned() first, might leave no room for it there. The
 * object is reserved.
 */
static inline bool quire_bo_must_stay(struct quire_bo *bo)
{
	dma_resv_assert_held(bo->base.base.resv);

	return READ_ONCE(bo->planned) && !quire_bo_is_visible(bo);
}

#endif
