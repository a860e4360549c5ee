// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Alternate views
 *
 * An image may be created with an alternate view. Programs use it at the same pointer wherever it
 * is, and never wait for a swizzling range, nor take one from others: without a free one the image
 * leaves VRAM. While it is mapped, it leaves VRAM for the pages of its view, with
 * SPECIAL_LOCK_TRANSFER, and comes back from them::
 *
 *                      SPECIAL_LOCK, UNSWIZZLE; the device ends its use of the range
 *              +----------------------------------------------------------+
 *              |                                                          v
 *         VRAM: tiles, seen through a range if there is a free one     pages of the view
 *              ^                                                          |
 *              +----------------------------------------------------------+
 *                      SPECIAL_LOCK, SWIZZLE
 *
 * An image that came back while it was mapped keeps the pages of the view until it leaves VRAM
 * again, which takes no memory then, or until its content goes. It has no other pages meanwhile:
 * the backing that TTM makes for a move out of VRAM is given back empty. An image that is not
 * mapped moves as any other; if it has kept the pages of its view, these become its backing.
 *
 * For TTM pages of a view that have the content are the object's, so that they are swapped, mapped
 * and freed as any. Kept pages are out of its sight (&quire_bo.view), until the content is dropped
 * or the object dies: then they are given to it.
 *
 * Locking: the reservation of the object; the number of mappings is atomic.
 *
 * Source: D3DDDICB_LOCKFLAGS, UseAlternateVA; DXGKARG_BUILDPAGINGBUFFER,
 * SpecialLockTransfer.
 */
#include <linux/minmax.h>

#include "quire_bo.h"
#include "quire_tt.h"
#include "quire_view.h"

/**
 * quire_view_taken - a move out of VRAM is queued, or has failed
 * @bo: the object, reserved, after quire_view_take()
 * @moved: it is queued; else all is as before
 */
void quire_view_taken(struct quire_bo *bo, bool moved)
{
	if (!bo->view)
		return;
	if (!moved) {
		swap(bo->base.ttm, bo->view);
	} else if (!WARN_ON_ONCE(ttm_tt_is_populated(bo->view))) {
		/* TTM made it for the move, and nothing has filled it. */
		quire_tt_destroy(bo->base.bdev, bo->view);
		bo->view = NULL;
	}
}

/**
 * quire_view_keep - keep the pages that an object leaves on its way back to VRAM
 * @bo: the object, reserved; a move that reads the pages is queued
 */
void quire_view_keep(struct quire_bo *bo)
{
	WARN_ON_ONCE(bo->view);
	swap(bo->base.ttm, bo->view);
}
