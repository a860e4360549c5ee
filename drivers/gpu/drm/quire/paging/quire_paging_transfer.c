// SPDX-License-Identifier: GPL-2.0 OR MIT
/* TRANSFER, FILL and DISCARD_CONTENT: content of segments, by page runs. */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"
#include "quire_paging_swizzle.h"

static bool is_list(const struct quire_paging_location *location)
{
	return location->segment == QUIRE_SEGMENT_SYSTEM;
}

/* The byte offset is for a segment, the page offset for a page list. */
static u64 transfer_first_page(const struct quire_paging_transfer *transfer,
			       const struct quire_paging_location *location)
{
	return is_list(location) ? transfer->mdl_offset :
				   transfer->transfer_offset >> QUIRE_PAGE_SHIFT;
}

u64 quire_paging_transfer_units(const struct quire_paging_args *args)
{
	return quire_paging_bytes_to_pages(args->u.transfer.transfer_size);
}

/**
 * quire_paging_check_sides - check what transfers have in common
 * @transfer: of a TRANSFER or a SPECIAL_LOCK_TRANSFER
 *
 * Returns: 0; -EINVAL no such segment or flag, two page lists, an offset inside of a page.
 */
int quire_paging_check_sides(const struct quire_paging_transfer *transfer)
{
	const struct quire_paging_location *source = &transfer->source;
	const struct quire_paging_location *destination = &transfer->destination;

	if (source->segment > QUIRE_SEGMENT_APERTURE ||
	    destination->segment > QUIRE_SEGMENT_APERTURE ||
	    (is_list(source) && is_list(destination)))
		return -EINVAL;
	if (transfer->flags & ~QUIRE_TRANSFER_ALL ||
	    !IS_ALIGNED(transfer->transfer_offset, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return 0;
}

int quire_paging_transfer_check(const struct quire_paging_caps *caps,
				const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_location *source = &transfer->source;
	const struct quire_paging_location *destination = &transfer->destination;
	u64 pages = quire_paging_transfer_units(args);
	int err = quire_paging_check_sides(transfer);

	if (!err)
		err = quire_paging_check_location(caps, source,
						  transfer_first_page(transfer, source), pages);
	if (!err)
		err = quire_paging_check_location(caps, destination,
						  transfer_first_page(transfer, destination),
						  pages);

	return err;
}

/*
 * Inside of one segment the sides may overlap. No packet may overwrite its own source, since it
 * may be executed a second time after a part of it was, nor what a later one reads: upwards the
 * packets begin at the last page, where the cursors are not.
 */
static void transfer_keep_source(const struct quire_paging_args *args,
				 struct quire_paging_packet *packet)
{
	const struct quire_paging_location *source = &args->u.transfer.source;
	const struct quire_paging_location *destination = &args->u.transfer.destination;
	u64 from, to;

	if (source->segment != destination->segment ||
	    source->nr_runs != 1 || destination->nr_runs != 1)
		return;

	from = source->runs->first;
	to = destination->runs->first;
	if (from != to)
		packet->count = min(packet->count, max(from, to) - min(from, to));
	if (to > from) {
		packet->first = args->progress.pages - packet->first - packet->count;
		packet->seek = true;
	}
}

void quire_paging_transfer_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_location *source = &transfer->source;
	const struct quire_paging_location *destination = &transfer->destination;
	struct quire_page_cursor *from = &args->progress.source;
	struct quire_page_cursor *to = &args->progress.destination;
	struct quire_packet_transfer *body = packet->at;
	u64 src_address = 0, dst_address = 0;

	transfer_keep_source(args, packet);
	if (packet->seek) {
		quire_page_cursor_seek(from, source,
				       packet->first + transfer_first_page(transfer, source));
		quire_page_cursor_seek(to, destination,
				       packet->first + transfer_first_page(transfer, destination));
	}

	/* A packet is contiguous on a segment side; a list is as long as there is room. */
	if (!is_list(source)) {
		packet->count = min(packet->count, quire_page_cursor_left(from, source));
		src_address = quire_page_cursor_number(from, source) << QUIRE_PAGE_SHIFT;
	}
	if (!is_list(destination)) {
		packet->count = min(packet->count, quire_page_cursor_left(to, destination));
		dst_address = quire_page_cursor_number(to, destination) << QUIRE_PAGE_SHIFT;
	}
	if (is_list(source))
		quire_paging_write_runs(packet, body->runs, source, from);
	else if (is_list(destination))
		quire_paging_write_runs(packet, body->runs, destination, to);
	if (!packet->count)
		return;

	if (!is_list(source))
		quire_page_cursor_advance(from, source, packet->count);
	if (!is_list(destination))
		quire_page_cursor_advance(to, destination, packet->count);
	packet->bytes = quire_paging_piece_bytes(packet, transfer->transfer_size);
	body->src_segment = cpu_to_le32(source->segment);
	body->dst_segment = cpu_to_le32(destination->segment);
	body->src_address = cpu_to_le64(src_address);
	body->dst_address = cpu_to_le64(dst_address);
	body->size = cpu_to_le64(packet->bytes);
}

u64 quire_paging_fill_units(const struct quire_paging_args *args)
{
	return quire_paging_bytes_to_pages(args->u.fill.fill_size);
}

int quire_paging_fill_check(const struct quire_paging_caps *caps,
			    const struct quire_paging_args *args)
{
	const struct quire_paging_fill *fill = &args->u.fill;

	if (fill->destination.segment != QUIRE_SEGMENT_VRAM ||
	    !IS_ALIGNED(fill->fill_size, sizeof(fill->fill_pattern)))
		return -EINVAL;

	return quire_paging_check_location(caps, &fill->destination, 0,
					   quire_paging_fill_units(args));
}

/* Take the next pages of a run for a packet; returns the address of the first. */
static u64 take_run(struct quire_paging_args *args, const struct quire_paging_location *location,
		    struct quire_paging_packet *packet)
{
	struct quire_page_cursor *cursor = &args->progress.destination;
	u64 number;

	if (packet->seek)
		quire_page_cursor_seek(cursor, location, packet->first);
	number = quire_page_cursor_number(cursor, location);
	packet->count = min(packet->count, quire_page_cursor_left(cursor, location));
	quire_page_cursor_advance(cursor, location, packet->count);

	return number << QUIRE_PAGE_SHIFT;
}

/* A packet starts at a page, and so with the whole pattern. */
void quire_paging_fill_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_fill *fill = &args->u.fill;
	struct quire_packet_fill *body = packet->at;

	body->segment = cpu_to_le32(fill->destination.segment);
	body->pattern = cpu_to_le32(fill->fill_pattern);
	body->address = cpu_to_le64(take_run(args, &fill->destination, packet));
	packet->bytes = quire_paging_piece_bytes(packet, fill->fill_size);
	body->size = cpu_to_le64(packet->bytes);
}

/* All of the allocation: the only operation whose size is that of its runs. */
u64 quire_paging_discard_units(const struct quire_paging_args *args)
{
	const struct quire_paging_location *location = &args->u.discard.location;
	u64 pages = 0;
	u32 i;

	for (i = 0; i < location->nr_runs; i++)
		pages += location->runs[i].count;

	return pages;
}

int quire_paging_discard_check(const struct quire_paging_caps *caps,
			       const struct quire_paging_args *args)
{
	const struct quire_paging_location *location = &args->u.discard.location;
	u64 pages;

	if (location->segment != QUIRE_SEGMENT_VRAM)
		return -EINVAL;

	return location->start ? -ERANGE : quire_paging_check_runs(caps, location, &pages);
}

void quire_paging_discard_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_location *location = &args->u.discard.location;
	struct quire_packet_discard *body = packet->at;

	body->segment = cpu_to_le32(location->segment);
	body->reserved = 0;
	body->address = cpu_to_le64(take_run(args, location, packet));
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
	body->size = cpu_to_le64(packet->bytes);
}
