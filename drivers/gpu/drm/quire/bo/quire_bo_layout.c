// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Images
 *
 * In VRAM an image is tiled, elsewhere it has the linear form that programs see. One that is
 * neither mapped nor shared leaves VRAM as it is, and comes back as it is, if its tiles have no
 * padding, so that its pages hold all of them (it is *swizzled*). When it is mapped, or its pages
 * are used, quire_bo_unswizzle() converts the pages in place, a row of tiles at a time, which takes
 * the same bytes in both forms: that needs neither room in VRAM nor the device.
 *
 * Source: DXGK_ALLOCATIONINFOFLAGS, Swizzled; DXGKARG_BUILDPAGINGBUFFER, Transfer.Flags.
 */

/**
 * DOC: Alternate views
 *
 * Programs use an image with an alternate view at the same pointer wherever it is, and never wait
 * for a swizzling range, nor take one from others: without a free one the image leaves VRAM. While
 * it is mapped, it leaves VRAM for the pages of its view, with SPECIAL_LOCK_TRANSFER, which ends
 * its use of a range, and comes back from them.
 *
 * An image that came back while it was mapped keeps these pages until it leaves VRAM again, which
 * takes no memory then, or until its content goes. The backing that TTM makes for that move is
 * given back empty. Kept pages are out of TTM's sight (&quire_bo.view), until they become the
 * backing, or object or content go.
 *
 * Source: D3DDDICB_LOCKFLAGS, UseAlternateVA; DXGKARG_BUILDPAGINGBUFFER, SpecialLockTransfer.
 */
#include <linux/slab.h>

#include "core/quire_compat.h"
#include "quire_bo_layout.h"
#include "quire_bo.h"

/* The rows of a tile, each QUIRE_LINE_BYTES of them to their place in @rows. */
static void read_tile(struct ttm_tt *tt, u64 offset, const struct quire_layout *layout,
		      u32 pitch, u8 *rows)
{
	u32 column_bits = quire_tile_column_bits(layout);
	u32 height = BIT(quire_layout_tile_height_shift(layout));
	u32 row, column;
	u64 line;

	for (row = 0; row < height; row++) {
		for (column = 0; column < BIT(column_bits); column++) {
			line = offset + quire_tile_line(column_bits, column, row) *
					QUIRE_LINE_BYTES;
			memcpy_from_page(rows + row * pitch + column * QUIRE_LINE_BYTES,
					 tt->pages[line >> PAGE_SHIFT], offset_in_page(line),
					 QUIRE_LINE_BYTES);
		}
	}
}

static void write_rows(struct ttm_tt *tt, u64 offset, const u8 *rows, u64 bytes)
{
	u64 done, n;

	for (done = 0; done < bytes; done += n) {
		n = min(bytes - done, PAGE_SIZE - offset_in_page(offset + done));
		memcpy_to_page(tt->pages[(offset + done) >> PAGE_SHIFT],
			       offset_in_page(offset + done), rows + done, n);
	}
}

/* All rows of tiles of a surface; @rows holds one of them. */
static void unswizzle_surface(struct ttm_tt *tt, const struct quire_layout *layout,
			      const struct quire_surface *surface, u8 *rows)
{
	u32 tile_pitch = BIT(surface->tile_width_shift + layout->element_shift);
	u64 bytes = (u64)surface->tiles_per_row << surface->tile_shift;
	u64 offset = surface->linear_offset;
	u32 row, tile;

	for (row = 0; row < surface->tile_rows; row++, offset += bytes) {
		for (tile = 0; tile < surface->tiles_per_row; tile++)
			read_tile(tt, offset + ((u64)tile << surface->tile_shift), layout,
				  surface->pitch, rows + tile * tile_pitch);
		write_rows(tt, offset, rows, bytes);
		cond_resched();
	}
}

/**
 * quire_bo_unswizzle - bring its pages to the linear form, if they are not
 * @bo: the object, not in VRAM, reserved; its moves are over
 * @interruptible: waits for pages end with a signal
 *
 * Returns: 0; -ENOMEM, -ERESTARTSYS: nothing has changed.
 */
int quire_bo_unswizzle(struct quire_bo *bo, bool interruptible)
{
	const struct quire_layout *layout = &bo->allocation.layout;
	struct ttm_operation_ctx ctx = { .interruptible = interruptible };
	struct quire_surface surface;
	u32 slice, level;
	u8 *rows;
	int ret;

	dma_resv_assert_held(bo->base.base.resv);

	if (!bo->swizzled)
		return 0;

	ret = ttm_bo_populate(&bo->base, &ctx);
	if (ret)
		return ret;
	/* No row of tiles is longer than one of level 0. */
	quire_layout_surface(layout, 0, 0, &surface);
	rows = kvmalloc((u64)surface.tiles_per_row << surface.tile_shift, GFP_KERNEL);
	if (!rows)
		return -ENOMEM;

	for (slice = 0; slice < layout->array_size; slice++) {
		for (level = 0; level < layout->levels; level++) {
			quire_layout_surface(layout, level, slice, &surface);
			unswizzle_surface(bo->base.ttm, layout, &surface, rows);
		}
	}
	kvfree(rows);
	bo->swizzled = false;
	return 0;
}
