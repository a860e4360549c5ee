// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Conversions: TRANSFER with SWIZZLE or UNSWIZZLE, and SPECIAL_LOCK_TRANSFER, between the linear
 * form of an image, in pages or in the aperture, and its tiled form in VRAM. A special lock is an
 * eviction or a page-in while programs use the alternate view: its page list begins with the
 * sub-transfer, and it tells the device which swizzling range showed the image.
 *
 * What is moved is a part of the linear form; the tiled side names the tiles that it touches, in
 * whole rows of tiles. The token counts elements: what one page holds may be in a thousand tiles,
 * and take more than a buffer. A packet is a rectangle of one level of one slice: rows as a whole,
 * or a part of a row.
 */
#include <linux/math64.h>

#include "quire_paging_internal.h"

/* Elements of a level of a slice, from column @x, row @y: whole rows, or a part of one. */
struct image_rectangle {
	struct quire_surface surface;
	u32 level;
	u32 slice;
	u32 x;
	u32 y;
	u32 columns;
	u32 rows;
	u64 pages; /* that it touches in the linear form */
	u64 tile_page; /* where its first tile begins, in pages of the tiled form */
	u64 tile_pages; /* of all its tiles */
};

/* Where it begins. @byte: offset in the linear form, less than its size */
static void image_find(const struct quire_layout *layout, u64 byte, struct image_rectangle *at)
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

/* Pages from the start of the tiled form to a tile. */
static u64 image_tile_page(const struct image_rectangle *at, u32 tile)
{
	return (at->surface.tiled_offset + ((u64)tile << at->surface.tile_shift)) >>
	       QUIRE_PAGE_SHIFT;
}

/**
 * quire_paging_tiled_pages - find the tiles that a part of an image touches
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
	struct image_rectangle at;
	u32 row;

	image_find(layout, offset, &at);
	row = at.y >> at.surface.tile_height_shift;
	*first = image_tile_page(&at, row * at.surface.tiles_per_row);

	image_find(layout, last, &at);
	row = at.y >> at.surface.tile_height_shift;
	*pages = image_tile_page(&at, (row + 1) * at.surface.tiles_per_row) - *first;
}

static const struct quire_paging_location *
linear_side(const struct quire_paging_transfer *transfer)
{
	return transfer->flags & QUIRE_TRANSFER_SWIZZLE ? &transfer->source :
							  &transfer->destination;
}

static const struct quire_paging_location *
tiled_side(const struct quire_paging_transfer *transfer)
{
	return transfer->flags & QUIRE_TRANSFER_SWIZZLE ? &transfer->destination :
							  &transfer->source;
}

static bool has_list(const struct quire_paging_transfer *transfer)
{
	return linear_side(transfer)->segment == QUIRE_SEGMENT_SYSTEM;
}

/* Bytes of the image in the part. */
static u64 part_bytes(const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	u64 size = quire_layout_linear_size(&args->allocation->layout);

	if (transfer->transfer_offset >= size)
		return 0;
	return min(transfer->transfer_size, size - transfer->transfer_offset);
}

/**
 * quire_paging_conversion_units - count the elements that a conversion moves
 * @args: a TRANSFER that converts, or a SPECIAL_LOCK_TRANSFER; good
 *
 * Returns: elements.
 */
u64 quire_paging_conversion_units(const struct quire_paging_args *args)
{
	return part_bytes(args) >> args->allocation->layout.element_shift;
}

/* Each run is a number of whole tiles. */
static int check_tiles(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_location *tiles = tiled_side(transfer);
	const struct quire_layout *layout = &args->allocation->layout;
	u64 tile = BIT_ULL(quire_layout_tile_shift(layout->kind) - QUIRE_PAGE_SHIFT);
	u64 first, pages, bytes = part_bytes(args);
	int err;
	u32 i;

	/* A part behind the image needs no tile, but what is named has to be there. */
	if (!bytes)
		return quire_paging_check_location(caps, tiles, tiles->start, 0);

	quire_paging_tiled_pages(layout, transfer->transfer_offset, bytes, &first, &pages);
	err = quire_paging_check_location(caps, tiles, first, pages);
	if (err)
		return err;

	for (i = 0; i < tiles->nr_runs; i++)
		if (!IS_ALIGNED(tiles->runs[i].count, tile))
			return -EINVAL;

	return IS_ALIGNED(tiles->start, tile) ? 0 : -EINVAL;
}

/* Page of the linear side where a byte of the linear form is. */
static u64 linear_page(const struct quire_paging_args *args, u64 byte)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	u64 first = args->operation == QUIRE_PAGING_TRANSFER ? transfer->mdl_offset : 0;

	return has_list(transfer) ?
	       first + ((byte - transfer->transfer_offset) >> QUIRE_PAGE_SHIFT) :
	       byte >> QUIRE_PAGE_SHIFT;
}

static int check_special_lock(const struct quire_paging_transfer *lock)
{
	u32 data = lock->swizzling_range_data;

	if (!quire_paging_converts(lock) || !has_list(lock))
		return -EINVAL;
	if (lock->swizzling_range_id == QUIRE_PAGING_NO_RANGE ? data :
	    lock->swizzling_range_id >= QUIRE_RANGE_MAX || data > U16_MAX)
		return -EINVAL;

	return linear_side(lock)->start ? -ERANGE : 0;
}

int quire_paging_conversion_check(const struct quire_paging_caps *caps,
				  const struct quire_paging_args *args)
{
	const u32 both = QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE;
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_layout *layout;
	int err = args->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER ?
		  check_special_lock(transfer) : 0;

	err = err ?: quire_paging_check_sides(transfer);
	if (err)
		return err;
	if (tiled_side(transfer)->segment != QUIRE_SEGMENT_VRAM ||
	    linear_side(transfer)->segment == QUIRE_SEGMENT_VRAM ||
	    !args->allocation || (transfer->flags & both) == both)
		return -EINVAL;

	layout = &args->allocation->layout;
	if (!quire_layout_valid(layout) || !quire_layout_tiled(layout) ||
	    args->allocation->size < quire_layout_linear_size(layout) ||
	    args->allocation->pitch_aligned_size < quire_layout_tiled_size(layout))
		return -EINVAL;

	return quire_paging_check_location(caps, linear_side(transfer),
					   linear_page(args, transfer->transfer_offset),
					   quire_paging_bytes_to_pages(transfer->transfer_size)) ?:
	       check_tiles(caps, args);
}

/* What place, columns and rows make of the rest. */
static void rectangle_measure(struct image_rectangle *r, const struct quire_layout *layout)
{
	const struct quire_surface *surface = &r->surface;
	u64 byte = quire_surface_linear(layout, surface, r->x, r->y);
	u64 span = quire_surface_span(layout, surface, r->columns, r->rows);
	u32 first = quire_surface_tile(surface, r->x, r->y);
	u32 last = quire_surface_tile(surface, r->x + r->columns - 1, r->y + r->rows - 1);

	r->pages = quire_paging_bytes_to_pages((byte & (QUIRE_PAGE_SIZE - 1)) + span);
	r->tile_page = image_tile_page(r, first);
	r->tile_pages = (u64)(last - first + 1) << (surface->tile_shift - QUIRE_PAGE_SHIFT);
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

static bool rectangle_fits(const struct quire_paging_transfer *transfer,
			   const struct image_rectangle *r,
			   const struct quire_paging_packet *packet,
			   const struct quire_page_cursor *linear,
			   const struct quire_page_cursor *tiles)
{
	const struct quire_paging_location *side = linear_side(transfer);
	u32 nr = 0, room = packet->room / sizeof(__le64);

	if (r->pages > packet->max_pages)
		return false;
	if (has_list(transfer))
		nr = count_runs(side, linear, r->pages, room);
	else if (r->pages > quire_page_cursor_left(linear, side))
		return false;
	if (nr > room)
		return false;

	return count_runs(tiled_side(transfer), tiles, r->tile_pages, room - nr) <= room - nr;
}

/* The cursors stay where the rectangle begins: the next one may begin in the same page. */
static void write_lists(struct quire_paging_packet *packet, __le64 *runs,
			const struct quire_paging_transfer *transfer,
			const struct image_rectangle *r, struct quire_page_cursor linear,
			struct quire_page_cursor tiles)
{
	u32 list = 0;

	if (has_list(transfer)) {
		packet->count = r->pages;
		quire_paging_write_runs(packet, runs, linear_side(transfer), &linear);
		list = packet->list;
		packet->room -= list;
	}
	packet->count = r->tile_pages;
	quire_paging_write_runs(packet, runs + list / sizeof(*runs), tiled_side(transfer), &tiles);
	packet->list += list;
}

static void write_image(struct quire_packet_swizzle *body, const struct quire_paging_args *args,
			const struct image_rectangle *r)
{
	const struct quire_paging_transfer *lock = &args->u.transfer;
	const struct quire_layout *layout = &args->allocation->layout;
	u32 range = 0;

	if (args->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER)
		range = lock->swizzling_range_id == QUIRE_PAGING_NO_RANGE ?
			QUIRE_SPECIAL_LOCK_NO_RANGE :
			QUIRE_SPECIAL_LOCK_RANGE(lock->swizzling_range_id,
						 lock->swizzling_range_data);
	body->reserved = cpu_to_le32(range);
	body->layout = cpu_to_le16(layout->kind);
	body->element_shift = cpu_to_le16(layout->element_shift);
	body->width = cpu_to_le32(layout->width);
	body->height = cpu_to_le32(layout->height);
	body->levels = cpu_to_le16(layout->levels);
	body->array_size = cpu_to_le16(layout->array_size);
	body->level = cpu_to_le16(r->level);
	body->slice = cpu_to_le16(r->slice);
	body->x = cpu_to_le32(r->x);
	body->y = cpu_to_le32(r->y);
	body->columns = cpu_to_le32(r->columns);
	body->rows = cpu_to_le32(r->rows);
}

void quire_paging_conversion_emit(struct quire_paging_args *args,
				  struct quire_paging_packet *packet)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_layout *layout = &args->allocation->layout;
	bool swizzles = transfer->flags & QUIRE_TRANSFER_SWIZZLE;
	struct quire_page_cursor *linear = &args->progress.source;
	struct quire_page_cursor *tiles = &args->progress.destination;
	u64 byte = transfer->transfer_offset + (packet->first << layout->element_shift);
	u64 address = byte & (QUIRE_PAGE_SIZE - 1);
	struct quire_packet_swizzle *body = packet->at;
	struct image_rectangle r;

	if (!swizzles)
		swap(linear, tiles);
	/* An element takes the page where it is, if that is named, and its tile. */
	if (packet->room < (has_list(transfer) ? 2 : 1) * sizeof(*body->runs)) {
		packet->count = 0;
		return;
	}

	/* All rows that are left, or what is left of a row. */
	image_find(layout, byte, &r);
	r.columns = min(packet->count, r.surface.width - r.x);
	r.rows = 1;
	if (r.columns == r.surface.width)
		r.rows = min(div_u64(packet->count, r.columns), r.surface.height - r.y);
	rectangle_measure(&r, layout);
	quire_page_cursor_seek(linear, linear_side(transfer), linear_page(args, byte));
	quire_page_cursor_seek(tiles, tiled_side(transfer), r.tile_page);
	while (!rectangle_fits(transfer, &r, packet, linear, tiles)) {
		if (r.rows > 1)
			r.rows /= 2;
		else
			r.columns /= 2;
		rectangle_measure(&r, layout);
	}

	if (!has_list(transfer))
		address += quire_page_cursor_number(linear, linear_side(transfer)) <<
			   QUIRE_PAGE_SHIFT;
	write_lists(packet, body->runs, transfer, &r, *linear, *tiles);
	packet->count = r.columns * r.rows;
	packet->bytes = packet->count << layout->element_shift;
	packet->flags = transfer->flags & (QUIRE_TRANSFER_SWIZZLE | QUIRE_TRANSFER_UNSWIZZLE);
	body->src_segment = cpu_to_le32(transfer->source.segment);
	body->dst_segment = cpu_to_le32(transfer->destination.segment);
	body->src_address = cpu_to_le64(swizzles ? address : 0);
	body->dst_address = cpu_to_le64(swizzles ? 0 : address);
	body->size = cpu_to_le64(packet->bytes);
	write_image(body, args, &r);
}
