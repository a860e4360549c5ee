// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * TRANSFER with SWIZZLE or UNSWIZZLE, and SPECIAL_LOCK_TRANSFER: between the linear form of
 * an image, in pages or in the aperture, and its tiled form in VRAM. What both have in common
 * is read from the transfer.
 *
 * The part that is moved is a part of the linear form; the tiled side names the tiles that
 * it touches, in whole rows of tiles. Every level and slice in it is converted, what lies
 * behind the last one in its page is not. The token counts elements: what one page holds
 * may be in a thousand tiles, and take more than a buffer.
 *
 * A packet is a rectangle of one level of one slice: rows as a whole, or a part of a row.
 */
#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"
#include "quire_paging_swizzle.h"

/**
 * struct image_position - an element of an image
 * @surface: level and slice where it is
 * @level: number of the level
 * @slice: number of the slice
 * @x: column
 * @y: row
 */
struct image_position {
	struct quire_surface surface;
	u32 level;
	u32 slice;
	u32 x;
	u32 y;
};

/**
 * struct image_rectangle - elements of a packet
 * @columns: of it; the whole width if there are several rows
 * @rows: of it
 * @pages: that it touches in the linear form
 * @tile_page: where its first tile begins, in pages of the tiled form
 * @tile_pages: of all its tiles
 */
struct image_rectangle {
	u32 columns;
	u32 rows;
	u64 pages;
	u64 tile_page;
	u64 tile_pages;
};

/* @byte: offset in the linear form, less than its size */
static void image_find(const struct quire_layout *layout, u64 byte, struct image_position *at)
{
	u64 slice_size = quire_layout_linear_levels(layout, layout->levels);
	u64 left;
	u32 x;

	at->slice = div64_u64_rem(byte, slice_size, &left);
	at->level = 0;
	while (left >= quire_layout_linear_levels(layout, at->level + 1))
		at->level++;
	quire_layout_surface(layout, at->level, at->slice, &at->surface);
	at->y = div_u64_rem(byte - at->surface.linear_offset, at->surface.pitch, &x);
	at->x = x >> layout->element_shift;
}

/* Bytes from the start of the tiled form to a tile. */
static u64 image_tile_offset(const struct image_position *at, u32 tile)
{
	return at->surface.tiled_offset + ((u64)tile << at->surface.tile_shift);
}

/**
 * quire_paging_tiled_pages - the tiles that a part of an image touches
 * @layout: a valid layout with tiles
 * @offset: of the part in the linear form, less than its size
 * @bytes: of the part, not 0; what lies behind the end of the image does not count
 * @first: returned, first page of the tiles in the tiled form
 * @pages: returned, how many; with the rest of the rows of tiles at both ends
 */
void quire_paging_tiled_pages(const struct quire_layout *layout, u64 offset, u64 bytes,
			      u64 *first, u64 *pages)
{
	u64 last = min(offset + bytes, quire_layout_linear_size(layout)) - 1;
	struct image_position at;
	u32 row;

	image_find(layout, offset, &at);
	row = at.y >> at.surface.tile_height_shift;
	*first = image_tile_offset(&at, row * at.surface.tiles_per_row) >> QUIRE_PAGE_SHIFT;

	image_find(layout, last, &at);
	row = at.y >> at.surface.tile_height_shift;
	*pages = (image_tile_offset(&at, (row + 1) * at.surface.tiles_per_row) >>
		  QUIRE_PAGE_SHIFT) - *first;
}

#define PLACE_IN(kind, member)	offsetof(struct quire_paging_##kind, member)

static_assert(PLACE_IN(special_lock, source) == PLACE_IN(transfer, source));
static_assert(PLACE_IN(special_lock, destination) == PLACE_IN(transfer, destination));
static_assert(PLACE_IN(special_lock, transfer_offset) == PLACE_IN(transfer, transfer_offset));
static_assert(PLACE_IN(special_lock, transfer_size) == PLACE_IN(transfer, transfer_size));
static_assert(PLACE_IN(special_lock, flags) == PLACE_IN(transfer, flags));

static bool swizzles(const struct quire_paging_transfer *transfer)
{
	return transfer->flags & QUIRE_TRANSFER_SWIZZLE;
}

static const struct quire_paging_location *
linear_side(const struct quire_paging_transfer *transfer)
{
	return swizzles(transfer) ? &transfer->source : &transfer->destination;
}

static const struct quire_paging_location *
tiled_side(const struct quire_paging_transfer *transfer)
{
	return swizzles(transfer) ? &transfer->destination : &transfer->source;
}

/* Bytes of the image in the part. */
static u64 swizzle_bytes(const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	u64 size = quire_layout_linear_size(&args->allocation->layout);

	if (transfer->transfer_offset >= size)
		return 0;
	return min(transfer->transfer_size, size - transfer->transfer_offset);
}

/**
 * quire_paging_swizzle_elements - units of a transfer that converts
 * @args: passed quire_paging_check_args()
 *
 * Returns: elements in the part that is moved.
 */
u64 quire_paging_swizzle_elements(const struct quire_paging_args *args)
{
	return swizzle_bytes(args) >> args->allocation->layout.element_shift;
}

static int check_layout(const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const u32 both = QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE;
	const struct quire_layout *layout;

	if (!args->allocation || (transfer->flags & both) == both)
		return -EINVAL;

	layout = &args->allocation->layout;
	if (!quire_layout_valid(layout) || !quire_layout_tiled(layout))
		return -EINVAL;
	if (args->allocation->size < quire_layout_linear_size(layout) ||
	    args->allocation->pitch_aligned_size < quire_layout_tiled_size(layout))
		return -EINVAL;

	return 0;
}

/* Each run is a number of whole tiles. */
static int check_tiles(const struct quire_paging_caps *caps,
		       const struct quire_paging_args *args, u64 bytes)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_location *tiles = tiled_side(transfer);
	const struct quire_layout *layout = &args->allocation->layout;
	u64 tile = BIT_ULL(quire_layout_tile_shift(layout->kind) - QUIRE_PAGE_SHIFT);
	u64 first, pages;
	int err;
	u32 i;

	quire_paging_tiled_pages(layout, transfer->transfer_offset, bytes, &first, &pages);
	err = quire_paging_check_location(caps, tiles, first, pages);
	if (err)
		return err;

	if (!IS_ALIGNED(tiles->start, tile))
		return -EINVAL;
	for (i = 0; i < tiles->nr_runs; i++)
		if (!IS_ALIGNED(tiles->runs[i].count, tile))
			return -EINVAL;

	return 0;
}

/* Page of the list with which the part begins. */
static u64 first_of_list(const struct quire_paging_args *args)
{
	return args->operation == QUIRE_PAGING_TRANSFER ? args->u.transfer.mdl_offset : 0;
}

static u64 linear_page(const struct quire_paging_args *args, u64 byte)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;

	if (linear_side(transfer)->segment != QUIRE_SEGMENT_SYSTEM)
		return byte >> QUIRE_PAGE_SHIFT;

	return first_of_list(args) + ((byte - transfer->transfer_offset) >> QUIRE_PAGE_SHIFT);
}

/**
 * quire_paging_swizzle_check - are the arguments of a transfer that converts good
 * @caps: what the device can do
 * @args: a TRANSFER or a SPECIAL_LOCK_TRANSFER, quire_paging_converts(); its segments are
 *        some, and its offset is at a page
 * @elements: set to what quire_paging_swizzle_elements() returns
 *
 * Returns: 0; -EINVAL both flags, no allocation, no layout with tiles, an allocation that
 * is smaller than its image, tiles in another segment than VRAM or in pieces, a linear side
 * in VRAM; -EOVERFLOW and -ERANGE as of quire_paging_check_args().
 */
int quire_paging_swizzle_check(const struct quire_paging_caps *caps,
			       const struct quire_paging_args *args, u64 *elements)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	u64 bytes, pages;
	int err;

	if (tiled_side(transfer)->segment != QUIRE_SEGMENT_VRAM ||
	    linear_side(transfer)->segment == QUIRE_SEGMENT_VRAM)
		return -EINVAL;
	err = check_layout(args);
	if (err)
		return err;

	*elements = quire_paging_swizzle_elements(args);
	err = quire_paging_check_location(caps, linear_side(transfer),
					  linear_page(args, transfer->transfer_offset),
					  quire_paging_bytes_to_pages(transfer->transfer_size));
	if (err)
		return err;

	bytes = swizzle_bytes(args);
	/* It needs no tile then, but what is named has to be there. */
	if (!bytes)
		return quire_paging_check_runs(caps, tiled_side(transfer), &pages);

	return check_tiles(caps, args, bytes);
}

static u32 tile_of(const struct image_position *at, u32 x, u32 y)
{
	return quire_surface_tile(&at->surface, x, y);
}

/* What @columns and @rows of the rectangle, which begins at @at, make of it. */
static void rectangle_measure(struct image_rectangle *r, const struct quire_layout *layout,
			      const struct image_position *at)
{
	u64 byte = quire_surface_linear(layout, &at->surface, at->x, at->y);
	u64 span = quire_surface_span(layout, &at->surface, r->columns, r->rows);
	u32 first = tile_of(at, at->x, at->y);
	u32 last = tile_of(at, at->x + r->columns - 1, at->y + r->rows - 1);

	r->pages = quire_paging_bytes_to_pages((byte & (QUIRE_PAGE_SIZE - 1)) + span);
	r->tile_page = image_tile_offset(at, first) >> QUIRE_PAGE_SHIFT;
	r->tile_pages = (u64)(last - first + 1) << (at->surface.tile_shift - QUIRE_PAGE_SHIFT);
}

/* All rows that are left, or what is left of a row. */
static void rectangle_begin(struct image_rectangle *r, const struct quire_layout *layout,
			    const struct image_position *at, u64 elements)
{
	u32 width = at->surface.width;

	r->columns = min(elements, width - at->x);
	r->rows = 1;
	if (r->columns == width)
		r->rows = min(div_u64(elements, width), at->surface.height - at->y);
	rectangle_measure(r, layout, at);
}

static void rectangle_halve(struct image_rectangle *r, const struct quire_layout *layout,
			    const struct image_position *at)
{
	if (r->rows > 1)
		r->rows /= 2;
	else
		r->columns /= 2;
	rectangle_measure(r, layout, at);
}

/* Runs of a packet for @pages from the cursor on, or any number above @most. */
static u32 count_runs(const struct quire_paging_location *location,
		      const struct quire_page_cursor *cursor, u64 pages, u32 most)
{
	struct quire_page_cursor at = *cursor;
	u32 nr = 0;

	while (pages && nr <= most) {
		u64 count = min3(quire_page_cursor_left(&at, location), pages, QUIRE_RUN_MAX_PAGES);

		quire_page_cursor_advance(&at, location, count);
		pages -= count;
		nr++;
	}

	return nr;
}

static bool rectangle_fits(const struct quire_paging_caps *caps,
			   const struct quire_paging_args *args,
			   const struct image_rectangle *r,
			   const struct quire_page_cursor *linear,
			   const struct quire_page_cursor *tiles)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_location *side = linear_side(transfer);
	u32 room = (args->dma_size - sizeof(struct quire_packet_swizzle)) / sizeof(__le64);
	u32 nr = 0;

	if (r->pages > caps->max_packet_pages)
		return false;
	if (side->segment == QUIRE_SEGMENT_SYSTEM)
		nr = count_runs(side, linear, r->pages, room);
	else if (r->pages > quire_page_cursor_left(linear, side))
		return false;
	if (nr > room)
		return false;

	return count_runs(tiled_side(transfer), tiles, r->tile_pages, room - nr) <= room - nr;
}

static void write_layout(struct quire_packet_swizzle *packet, const struct quire_layout *layout)
{
	packet->layout = cpu_to_le16(layout->kind);
	packet->element_shift = cpu_to_le16(layout->element_shift);
	packet->width = cpu_to_le32(layout->width);
	packet->height = cpu_to_le32(layout->height);
	packet->levels = cpu_to_le16(layout->levels);
	packet->array_size = cpu_to_le16(layout->array_size);
}

static void write_rectangle(struct quire_packet_swizzle *packet,
			    const struct image_position *at, const struct image_rectangle *r)
{
	packet->level = cpu_to_le16(at->level);
	packet->slice = cpu_to_le16(at->slice);
	packet->x = cpu_to_le32(at->x);
	packet->y = cpu_to_le32(at->y);
	packet->columns = cpu_to_le32(r->columns);
	packet->rows = cpu_to_le32(r->rows);
}

/* Which range showed the image: only a special lock says so. */
static u32 named_range(const struct quire_paging_args *args)
{
	const struct quire_paging_special_lock *lock = &args->u.special_lock;

	if (args->operation == QUIRE_PAGING_TRANSFER)
		return 0;
	if (lock->swizzling_range_id == QUIRE_PAGING_NO_RANGE)
		return QUIRE_SPECIAL_LOCK_NO_RANGE;

	return QUIRE_SPECIAL_LOCK_RANGE(lock->swizzling_range_id, lock->swizzling_range_data);
}

/* Where the linear side begins: in the segment, or in the first page of the list. */
static u64 linear_address(const struct quire_paging_location *side,
			  const struct quire_page_cursor *cursor, u64 byte)
{
	u64 address = byte & (QUIRE_PAGE_SIZE - 1);

	if (side->segment != QUIRE_SEGMENT_SYSTEM)
		address += quire_page_cursor_number(cursor, side) << QUIRE_PAGE_SHIFT;

	return address;
}

/* The cursors stay where the rectangle begins: the next one may begin in the same page. */
static u32 write_lists(const struct quire_paging_args *args, __le64 *runs,
		       const struct image_rectangle *r, struct quire_page_cursor linear,
		       struct quire_page_cursor tiles)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	u64 pages = r->pages, tile_pages = r->tile_pages;
	u32 nr = 0;

	if (linear_side(transfer)->segment == QUIRE_SEGMENT_SYSTEM)
		nr = quire_paging_write_runs(args, runs, linear_side(transfer), &linear, &pages);
	nr += quire_paging_write_runs(args, runs + nr, tiled_side(transfer), &tiles,
				      &tile_pages);

	return nr * sizeof(*runs);
}

static void swizzle_emit(struct quire_paging_args *args, const struct image_position *at,
			 const struct image_rectangle *r, const struct quire_page_cursor *linear,
			 const struct quire_page_cursor *tiles)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_layout *layout = &args->allocation->layout;
	struct quire_packet_swizzle *packet = args->dma_buffer;
	u64 byte = quire_surface_linear(layout, &at->surface, at->x, at->y);
	u64 address = linear_address(linear_side(transfer), linear, byte);
	u32 elements = r->columns * r->rows;
	u64 bytes = (u64)elements << layout->element_shift;
	u32 list_size;

	packet->src_segment = cpu_to_le32(transfer->source.segment);
	packet->dst_segment = cpu_to_le32(transfer->destination.segment);
	packet->src_address = cpu_to_le64(swizzles(transfer) ? address : 0);
	packet->dst_address = cpu_to_le64(swizzles(transfer) ? 0 : address);
	packet->size = cpu_to_le64(bytes);
	write_layout(packet, layout);
	write_rectangle(packet, at, r);
	packet->reserved = cpu_to_le32(named_range(args));
	list_size = write_lists(args, packet->runs, r, *linear, *tiles);
	quire_paging_commit(args, transfer->flags & (QUIRE_TRANSFER_SWIZZLE |
						     QUIRE_TRANSFER_UNSWIZZLE),
			    sizeof(*packet) + list_size, bytes, elements);
}

/* One packet, of up to @elements: as many as fit. */
static void swizzle_next(const struct quire_paging_caps *caps, struct quire_paging_args *args,
			 u64 elements)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_layout *layout = &args->allocation->layout;
	struct quire_paging_progress *progress = &args->progress;
	struct quire_page_cursor *linear = swizzles(transfer) ? &progress->source :
								&progress->destination;
	struct quire_page_cursor *tiles = swizzles(transfer) ? &progress->destination :
							       &progress->source;
	u64 byte = transfer->transfer_offset +
		   ((u64)args->multipass_offset << layout->element_shift);
	struct image_rectangle r;
	struct image_position at;

	image_find(layout, byte, &at);
	rectangle_begin(&r, layout, &at, elements);
	quire_page_cursor_seek(linear, linear_side(transfer), linear_page(args, byte));
	quire_page_cursor_seek(tiles, tiled_side(transfer), r.tile_page);
	while (!rectangle_fits(caps, args, &r, linear, tiles))
		rectangle_halve(&r, layout, &at);
	swizzle_emit(args, &at, &r, linear, tiles);
}

/* An element in a page that is named, in a tile that is named. */
static size_t swizzle_min_size(const struct quire_paging_transfer *transfer)
{
	size_t size = sizeof(struct quire_packet_swizzle) + sizeof(__le64);

	if (linear_side(transfer)->segment == QUIRE_SEGMENT_SYSTEM)
		size += sizeof(__le64);

	return size;
}

/**
 * quire_paging_swizzle_build - packets for a transfer that converts
 * @caps: what the device can do
 * @args: as of quire_build_paging_buffer()
 * @elements: as quire_paging_swizzle_elements() returns
 *
 * Returns: %QUIRE_BUILD_DONE or %QUIRE_BUILD_FULL.
 */
enum quire_build_status
quire_paging_swizzle_build(const struct quire_paging_caps *caps, struct quire_paging_args *args,
			   u64 elements)
{
	size_t min_size = swizzle_min_size(&args->u.transfer);

	while (args->multipass_offset < elements) {
		if (!quire_paging_fits(args, min_size))
			return QUIRE_BUILD_FULL;

		swizzle_next(caps, args, elements - args->multipass_offset);
	}

	return QUIRE_BUILD_DONE;
}
