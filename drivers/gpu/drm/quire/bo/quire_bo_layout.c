// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Images
 *
 * An object may be an image with a layout. In VRAM it is tiled, and takes as much as its tiles do.
 * Elsewhere it has the linear form that programs see, with one exception: an image that is neither
 * mapped nor shared leaves VRAM as it is, and comes back as it is, if its tiles have no padding, so
 * that its pages hold all of them (it is *swizzled*). When it is mapped, or its pages are used,
 * they are brought to the linear form::
 *
 *              SWIZZLE                         not mapped, no padding
 *     pages -------------> VRAM: tiles ------------------------------> pages, swizzled
 *     linear <-------------      ^                                       |       |
 *              UNSWIZZLE         +---------------------------------------+       |
 *        ^                                 copied as they are                    |
 *        +-----------------------------------------------------------------------+
 *                             quire_bo_unswizzle(): mapped
 *
 * A row of tiles takes the same bytes in both forms, so the CPU converts the pages in place, a row
 * at a time. That needs no room in VRAM, and works without the device.
 *
 * Locking: the reservation of the object; the number of mappings is atomic.
 *
 * Source: DXGK_ALLOCATIONINFOFLAGS, Swizzled; DXGKARG_BUILDPAGINGBUFFER, Transfer.Flags;
 * Documentation/gpu/quire/device.rst, layouts.
 */
#include <linux/highmem.h>
#include <linux/slab.h>

#include <quire/quire_layout.h>

#include "core/quire_compat.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"

/**
 * quire_bo_clear_rest - clear the rest of the last page behind an image
 * @bo: the object, with pages that an image is about to be converted to
 *
 * No conversion writes there. The mapping of the pages may be a cached one: see quire_tt.c.
 */
void quire_bo_clear_rest(struct quire_bo *bo)
{
	u64 end = quire_layout_linear_size(&bo->allocation.layout);
	u32 used = offset_in_page(end);

	if (used)
		memzero_page(bo->base.ttm->pages[end >> PAGE_SHIFT], used, PAGE_SIZE - used);
}

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

static int unswizzle_pages(struct ttm_tt *tt, const struct quire_layout *layout)
{
	struct quire_surface surface;
	u32 slice, level;
	u8 *rows;

	/* No row of tiles is longer than one of level 0. */
	quire_layout_surface(layout, 0, 0, &surface);
	rows = kvmalloc((u64)surface.tiles_per_row << surface.tile_shift, GFP_KERNEL);
	if (!rows)
		return -ENOMEM;

	for (slice = 0; slice < layout->array_size; slice++) {
		for (level = 0; level < layout->levels; level++) {
			quire_layout_surface(layout, level, slice, &surface);
			unswizzle_surface(tt, layout, &surface, rows);
		}
	}
	kvfree(rows);
	return 0;
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
	struct ttm_operation_ctx ctx = { .interruptible = interruptible };
	int ret;

	dma_resv_assert_held(bo->base.base.resv);

	if (!bo->swizzled)
		return 0;

	ret = ttm_bo_populate(&bo->base, &ctx);
	if (!ret)
		ret = unswizzle_pages(bo->base.ttm, &bo->allocation.layout);
	if (!ret)
		bo->swizzled = false;
	return ret;
}
