// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Alternate views
 *
 * An image may be created with an alternate view. Programs use it at the same pointer
 * wherever it is, and never wait for a swizzling range, nor take one from others: without
 * a free one the image leaves VRAM. While a program has it mapped, it leaves VRAM for the
 * pages of its view, with SPECIAL_LOCK_TRANSFER, and comes back from them::
 *
 *                      SPECIAL_LOCK, UNSWIZZLE; the device ends its use of the range
 *              +----------------------------------------------------------+
 *              |                                                          v
 *         VRAM: tiles, seen through a range if there is a free one     pages of the view
 *              ^                                                          |
 *              +----------------------------------------------------------+
 *                      SPECIAL_LOCK, SWIZZLE
 *
 * The pages of the view stay with an image that came back while it was mapped, until it
 * leaves VRAM again, for which it needs no memory then, or until its content goes. They take
 * no more room than VRAM does. An image has no other pages meanwhile: the backing that TTM
 * makes for what leaves VRAM is given back empty. When nobody has it mapped it moves as any
 * image; then the pages of the view, if it has kept them, become its backing.
 *
 * For TTM pages of a view that have the content are the object's, so that they are swapped,
 * mapped and freed as any. Those that are kept are out of its sight, until the content is
 * dropped or the object dies: then they are given to it.
 *
 * Locking: the reservation of the object; the number of mappings is atomic.
 *
 * Source: D3DDDICB_LOCKFLAGS, UseAlternateVA; DXGKARG_BUILDPAGINGBUFFER,
 * SpecialLockTransfer.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_tt.h>

#include "quire_bo.h"
#include "quire_tt.h"
#include "quire_view.h"

/**
 * quire_view_is_mapped - do programs use its alternate view?
 * @bo: the object, reserved
 *
 * Returns: true if it has one, and is mapped now.
 */
bool quire_view_is_mapped(const struct quire_bo *bo)
{
	return quire_bo_has_view(bo) && atomic_read(&bo->mappings);
}

/* The pages that TTM has for it change places with those that are kept. */
static void view_swap(struct quire_bo *bo)
{
	swap(bo->base.ttm, bo->view);
}

/* What TTM had: it made that for a move, and nobody has filled it. */
static void view_drop_other(struct quire_bo *bo)
{
	if (!bo->view || WARN_ON_ONCE(ttm_tt_is_populated(bo->view)))
		return;
	quire_tt_destroy(bo->base.bdev, bo->view);
	bo->view = NULL;
}

/**
 * quire_view_take - it leaves VRAM for the pages that it has kept
 * @bo: the object, in VRAM, reserved; TTM has made a backing, without pages
 *
 * To be followed by quire_view_taken(). Does nothing if it has kept none: then the backing
 * that TTM has made has the pages.
 */
void quire_view_take(struct quire_bo *bo)
{
	if (bo->view)
		view_swap(bo);
}

/**
 * quire_view_taken - a move out of VRAM is queued, or has failed
 * @bo: the object, reserved, after quire_view_take()
 * @moved: it is queued
 *
 * If it has failed all is as before.
 */
void quire_view_taken(struct quire_bo *bo, bool moved)
{
	if (!bo->view)
		return;
	if (moved)
		view_drop_other(bo);
	else
		view_swap(bo);
}

/**
 * quire_view_keep - it is on its way back to VRAM, and keeps the pages that it leaves
 * @bo: the object, reserved; a move that reads the pages is queued
 */
void quire_view_keep(struct quire_bo *bo)
{
	WARN_ON_ONCE(bo->view);
	view_swap(bo);
}

/**
 * quire_view_let_go - the pages that it has kept are not needed any more
 * @bo: the object, in VRAM, reserved
 *
 * TTM, which has no others of it and is about to take all that the object has, takes them as
 * well, when all work on the object is done.
 */
void quire_view_let_go(struct quire_bo *bo)
{
	if (bo->view)
		view_swap(bo);
}
