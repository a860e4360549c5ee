// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include <asm/byteorder.h>
#include <kunit/visibility.h>

#include "quire_paging.h"
#include "quire_paging_internal.h"

/**
 * DOC: The builder
 *
 * The builder turns one paging operation into packets of the device. It is
 * handed a window of a paging buffer, writes as many packets as fit and, if
 * that were not all, is called again with a fresh window.
 *
 * Progress between those calls is one 32-bit number,
 * &quire_paging_args.multipass_offset. It counts pages that are described, so
 * one operation covers at most U32_MAX pages. Everything else is found again
 * by walking the page runs to that page, once per call.
 *
 * A packet covers pages that are contiguous on a segment side. A system side
 * is a list of page runs inside of the packet. Pages are counted from the
 * first page of the operation, except where a transfer inside one segment goes
 * upwards: there packets start at the last page, so that no packet overwrites
 * what a later one reads.
 *
 * Locking: none; all state is in the arguments. The builder can be called in
 * any context.
 *
 * Life cycle: quire_paging_check_caps() once, quire_paging_check_args() once
 * for an operation, then quire_build_paging_buffer() until it answers
 * %QUIRE_BUILD_DONE.
 */

/* Next page to describe, in a run list. */
struct quire_page_cursor {
	const struct quire_page_run *run;
	u64 skip;
};

static void quire_page_cursor_seek(struct quire_page_cursor *cursor,
				   const struct quire_paging_location *location,
				   u64 page)
{
	cursor->run = location->runs;
	while (page >= cursor->run->count) {
		page -= cursor->run->count;
		cursor->run++;
	}
	cursor->skip = page;
}

static u64 quire_page_cursor_page(const struct quire_page_cursor *cursor)
{
	return cursor->run->first + cursor->skip;
}

static u64 quire_page_cursor_left(const struct quire_page_cursor *cursor)
{
	return cursor->run->count - cursor->skip;
}

/* At most what is left of the run. */
static void quire_page_cursor_advance(struct quire_page_cursor *cursor, u64 pages)
{
	cursor->skip += pages;
	if (cursor->skip == cursor->run->count) {
		cursor->run++;
		cursor->skip = 0;
	}
}

static u64 quire_paging_location_pages(const struct quire_paging_location *location)
{
	u64 pages = 0;
	u32 i;

	for (i = 0; i < location->nr_runs; i++)
		pages += location->runs[i].count;

	return pages;
}

/**
 * quire_paging_pages - what an operation's token counts up to
 * @args: the operation; its run lists are walked for a discard only
 *
 * Source: paging-model 2.3.
 *
 * Returns: pages, 0 for an unknown operation.
 */
u64 quire_paging_pages(const struct quire_paging_args *args)
{
	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		return quire_paging_bytes_to_pages(args->u.transfer.transfer_size);
	case QUIRE_PAGING_FILL:
		return quire_paging_bytes_to_pages(args->u.fill.fill_size);
	case QUIRE_PAGING_DISCARD_CONTENT:
		return quire_paging_location_pages(&args->u.discard.location);
	case QUIRE_PAGING_READ_PHYSICAL:
	case QUIRE_PAGING_WRITE_PHYSICAL:
		return 1;
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		return args->u.map.number_of_pages;
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		return args->u.unmap.number_of_pages;
	}

	return 0;
}

/* Bytes of @count pages from page @first of an operation of @size bytes. */
static u64 quire_paging_piece_bytes(u64 size, u64 first, u64 count)
{
	return min(size - (first << QUIRE_PAGE_SHIFT), count << QUIRE_PAGE_SHIFT);
}

static bool quire_paging_fits(const struct quire_paging_args *args, size_t size)
{
	return args->dma_size >= size &&
	       args->private_data_size >= sizeof(struct quire_paging_record);
}

/* Page runs that fit behind the first @fixed bytes of a packet. */
static u32 quire_paging_max_runs(const struct quire_paging_args *args, size_t fixed)
{
	return (args->dma_size - fixed) / sizeof(__le64);
}

/* The packet's body stands in the window: complete it and step past it. */
static void quire_paging_commit(struct quire_paging_args *args, u16 opcode, u16 flags,
				u32 size, u64 bytes, u32 pages)
{
	struct quire_packet_header *header = args->dma_buffer;
	struct quire_paging_record *record = args->private_data;

	header->opcode = cpu_to_le16(opcode);
	header->flags = cpu_to_le16(flags);
	header->size = cpu_to_le32(size);

	record->offset = args->dma_buffer_write_offset;
	record->opcode = opcode;
	record->reserved = 0;
	record->bytes = bytes;

	args->dma_buffer += size;
	args->dma_size -= size;
	args->dma_buffer_write_offset += size;
	args->private_data += sizeof(*record);
	args->private_data_size -= sizeof(*record);
	args->multipass_offset += pages;
}

/*
 * Writes the runs of up to *@pages pages from @cursor on, as many as @max_runs
 * allows. Returns the number of runs; *@pages are the pages that they cover.
 */
static u32 quire_paging_write_runs(__le64 *runs, u32 max_runs,
				   struct quire_page_cursor *cursor, u64 *pages)
{
	u64 done = 0;
	u32 nr = 0;

	while (done < *pages && nr < max_runs) {
		u64 count = min3(quire_page_cursor_left(cursor), *pages - done,
				 QUIRE_RUN_MAX_PAGES);

		runs[nr++] = cpu_to_le64(QUIRE_RUN(quire_page_cursor_page(cursor), count));
		quire_page_cursor_advance(cursor, count);
		done += count;
	}
	*pages = done;

	return nr;
}

/* Would packets in ascending order overwrite what later ones read? */
static bool quire_transfer_from_end(const struct quire_paging_transfer *transfer)
{
	const struct quire_paging_location *source = &transfer->source;
	const struct quire_paging_location *destination = &transfer->destination;

	return source->segment == destination->segment &&
	       source->nr_runs == 1 && destination->nr_runs == 1 &&
	       destination->runs->first > source->runs->first;
}

static u64 quire_transfer_address(const struct quire_paging_location *location,
				  const struct quire_page_cursor *cursor)
{
	if (location->segment == QUIRE_SEGMENT_SYSTEM)
		return 0;

	return quire_page_cursor_page(cursor) << QUIRE_PAGE_SHIFT;
}

/*
 * One packet of at most @pages pages, of which the first is page @first of the
 * transfer. A page list that does not fit makes it shorter.
 */
static void quire_transfer_emit(struct quire_paging_args *args, u64 first, u64 pages,
				struct quire_page_cursor *source,
				struct quire_page_cursor *destination)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	struct quire_packet_transfer *packet = args->dma_buffer;
	u32 max_runs = quire_paging_max_runs(args, sizeof(*packet));
	u32 nr_runs = 0;
	u64 bytes;

	packet->src_segment = cpu_to_le32(transfer->source.segment);
	packet->dst_segment = cpu_to_le32(transfer->destination.segment);
	packet->src_address = cpu_to_le64(quire_transfer_address(&transfer->source, source));
	packet->dst_address = cpu_to_le64(quire_transfer_address(&transfer->destination,
								 destination));

	if (transfer->source.segment == QUIRE_SEGMENT_SYSTEM)
		nr_runs = quire_paging_write_runs(packet->runs, max_runs, source, &pages);
	else if (transfer->destination.segment == QUIRE_SEGMENT_SYSTEM)
		nr_runs = quire_paging_write_runs(packet->runs, max_runs, destination, &pages);

	if (transfer->source.segment != QUIRE_SEGMENT_SYSTEM)
		quire_page_cursor_advance(source, pages);
	if (transfer->destination.segment != QUIRE_SEGMENT_SYSTEM)
		quire_page_cursor_advance(destination, pages);

	bytes = quire_paging_piece_bytes(transfer->transfer_size, first, pages);
	packet->size = cpu_to_le64(bytes);
	quire_paging_commit(args, QUIRE_OP_TRANSFER, 0,
			    sizeof(*packet) + nr_runs * sizeof(__le64), bytes, pages);
}

static size_t quire_transfer_min_size(const struct quire_paging_transfer *transfer)
{
	size_t size = sizeof(struct quire_packet_transfer);

	if (transfer->source.segment == QUIRE_SEGMENT_SYSTEM ||
	    transfer->destination.segment == QUIRE_SEGMENT_SYSTEM)
		size += sizeof(__le64);

	return size;
}

static enum quire_build_status
quire_build_transfer_from_end(const struct quire_paging_caps *caps,
			      struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	u64 offset = transfer->transfer_offset >> QUIRE_PAGE_SHIFT;
	struct quire_page_cursor source, destination;

	while (args->multipass_offset < pages) {
		u64 left = pages - args->multipass_offset;
		u64 count = min(left, caps->max_packet_pages);

		if (!quire_paging_fits(args, quire_transfer_min_size(transfer)))
			return QUIRE_BUILD_FULL;

		quire_page_cursor_seek(&source, &transfer->source, offset + left - count);
		quire_page_cursor_seek(&destination, &transfer->destination,
				       offset + left - count);
		quire_transfer_emit(args, left - count, count, &source, &destination);
	}

	return QUIRE_BUILD_DONE;
}

/* What is contiguous on the segment sides, a system side being a list. */
static u64 quire_transfer_piece(const struct quire_paging_transfer *transfer,
				const struct quire_page_cursor *source,
				const struct quire_page_cursor *destination)
{
	if (transfer->source.segment == QUIRE_SEGMENT_SYSTEM)
		return quire_page_cursor_left(destination);
	if (transfer->destination.segment == QUIRE_SEGMENT_SYSTEM)
		return quire_page_cursor_left(source);

	return min(quire_page_cursor_left(source), quire_page_cursor_left(destination));
}

static enum quire_build_status
quire_build_transfer(const struct quire_paging_caps *caps,
		     struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	struct quire_page_cursor source, destination;

	if (quire_transfer_from_end(transfer))
		return quire_build_transfer_from_end(caps, args, pages);

	quire_page_cursor_seek(&source, &transfer->source, args->multipass_offset +
			       quire_transfer_first_page(transfer, &transfer->source));
	quire_page_cursor_seek(&destination, &transfer->destination, args->multipass_offset +
			       quire_transfer_first_page(transfer, &transfer->destination));

	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;
		u64 count;

		if (!quire_paging_fits(args, quire_transfer_min_size(transfer)))
			return QUIRE_BUILD_FULL;

		count = min3(pages - first, caps->max_packet_pages,
			     quire_transfer_piece(transfer, &source, &destination));
		quire_transfer_emit(args, first, count, &source, &destination);
	}

	return QUIRE_BUILD_DONE;
}

static enum quire_build_status
quire_build_fill(const struct quire_paging_caps *caps,
		 struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_fill *fill = &args->u.fill;
	struct quire_page_cursor cursor;

	quire_page_cursor_seek(&cursor, &fill->destination, args->multipass_offset);

	while (args->multipass_offset < pages) {
		struct quire_packet_fill *packet = args->dma_buffer;
		u64 first = args->multipass_offset;
		u64 count, bytes;

		if (!quire_paging_fits(args, sizeof(*packet)))
			return QUIRE_BUILD_FULL;

		count = min3(pages - first, caps->max_packet_pages,
			     quire_page_cursor_left(&cursor));
		bytes = quire_paging_piece_bytes(fill->fill_size, first, count);

		/* A packet starts at a page, and so with the whole pattern. */
		packet->segment = cpu_to_le32(fill->destination.segment);
		packet->pattern = cpu_to_le32(fill->fill_pattern);
		packet->address = cpu_to_le64(quire_page_cursor_page(&cursor) << QUIRE_PAGE_SHIFT);
		packet->size = cpu_to_le64(bytes);
		quire_page_cursor_advance(&cursor, count);
		quire_paging_commit(args, QUIRE_OP_FILL, 0, sizeof(*packet), bytes, count);
	}

	return QUIRE_BUILD_DONE;
}

static enum quire_build_status
quire_build_discard(const struct quire_paging_caps *caps,
		    struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_location *location = &args->u.discard.location;
	struct quire_page_cursor cursor;

	quire_page_cursor_seek(&cursor, location, args->multipass_offset);

	while (args->multipass_offset < pages) {
		struct quire_packet_discard *packet = args->dma_buffer;
		u64 count, bytes;

		if (!quire_paging_fits(args, sizeof(*packet)))
			return QUIRE_BUILD_FULL;

		count = min(caps->max_packet_pages, quire_page_cursor_left(&cursor));
		bytes = count << QUIRE_PAGE_SHIFT;

		packet->segment = cpu_to_le32(location->segment);
		packet->reserved = 0;
		packet->address = cpu_to_le64(quire_page_cursor_page(&cursor) << QUIRE_PAGE_SHIFT);
		packet->size = cpu_to_le64(bytes);
		quire_page_cursor_advance(&cursor, count);
		quire_paging_commit(args, QUIRE_OP_DISCARD_CONTENT, 0, sizeof(*packet),
				    bytes, count);
	}

	return QUIRE_BUILD_DONE;
}

static enum quire_build_status
quire_build_physical(struct quire_paging_args *args, u16 opcode)
{
	const struct quire_paging_physical *physical = &args->u.physical;
	struct quire_packet_physical *packet = args->dma_buffer;

	if (!quire_paging_fits(args, sizeof(*packet)))
		return QUIRE_BUILD_FULL;

	packet->segment = cpu_to_le32(physical->segment);
	packet->size = cpu_to_le32(physical->size);
	packet->address = cpu_to_le64(physical->physical_address);
	packet->value = cpu_to_le64(physical->value);
	quire_paging_commit(args, opcode, 0, sizeof(*packet), physical->size, 1);

	return QUIRE_BUILD_DONE;
}

static enum quire_build_status
quire_build_map(const struct quire_paging_caps *caps,
		struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_map *map = &args->u.map;
	u16 flags = map->flags & QUIRE_MAPAPERTURE_CACHE_COHERENT ? QUIRE_MAP_CACHE_COHERENT : 0;
	struct quire_page_cursor cursor;

	quire_page_cursor_seek(&cursor, &map->mdl, map->mdl_offset + args->multipass_offset);

	while (args->multipass_offset < pages) {
		struct quire_packet_map *packet = args->dma_buffer;
		u64 first = args->multipass_offset;
		u64 count = min(pages - first, caps->max_packet_pages);
		u32 nr_runs;

		if (!quire_paging_fits(args, sizeof(*packet) + sizeof(__le64)))
			return QUIRE_BUILD_FULL;

		nr_runs = quire_paging_write_runs(packet->runs,
						  quire_paging_max_runs(args, sizeof(*packet)),
						  &cursor, &count);
		packet->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
		packet->pages = cpu_to_le32(count);
		packet->first_page = cpu_to_le64(map->offset_in_pages + first);
		quire_paging_commit(args, QUIRE_OP_MAP_APERTURE, flags,
				    sizeof(*packet) + nr_runs * sizeof(__le64),
				    count << QUIRE_PAGE_SHIFT, count);
	}

	return QUIRE_BUILD_DONE;
}

static enum quire_build_status
quire_build_unmap(const struct quire_paging_caps *caps,
		  struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_unmap *unmap = &args->u.unmap;

	while (args->multipass_offset < pages) {
		struct quire_packet_unmap *packet = args->dma_buffer;
		u64 first = args->multipass_offset;
		u64 count = min(pages - first, caps->max_packet_pages);

		if (!quire_paging_fits(args, sizeof(*packet)))
			return QUIRE_BUILD_FULL;

		packet->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
		packet->pages = cpu_to_le32(count);
		packet->first_page = cpu_to_le64(unmap->offset_in_pages + first);
		packet->dummy_page = cpu_to_le64(unmap->dummy_page);
		quire_paging_commit(args, QUIRE_OP_UNMAP_APERTURE, 0, sizeof(*packet),
				    count << QUIRE_PAGE_SHIFT, count);
	}

	return QUIRE_BUILD_DONE;
}

static bool quire_paging_must_wait(const struct quire_paging_args *args)
{
	if (args->operation != QUIRE_PAGING_TRANSFER &&
	    args->operation != QUIRE_PAGING_DISCARD_CONTENT)
		return false;

	return args->allocation && args->allocation->needs_idle && !args->allocation_is_idle;
}

/**
 * quire_build_paging_buffer - describe one paging operation in packets
 * @caps: what the device can do; passed quire_paging_check_caps()
 * @args: the operation and the window; passed quire_paging_check_args()
 *
 * Writes packets to the window and one &struct quire_paging_record for each of
 * them to the private data, advances both, and counts the pages that are
 * described in &quire_paging_args.multipass_offset. No other argument changes.
 * What is written refers to nothing but memory of the operation itself: the
 * caller may free @args and its run lists after the last call.
 *
 * %QUIRE_BUILD_FULL with nothing written says that not even the smallest
 * packet fits: in a fresh window of the sizes in @caps this can not happen.
 *
 * An operation of no pages is done without a packet. To be called again after
 * %QUIRE_BUILD_DONE with the same arguments writes nothing.
 *
 * Source: DXGKDDI_BUILDPAGINGBUFFER (seed 000); paging-model 2 and 4.
 *
 * Returns: one of enum quire_build_status.
 */
enum quire_build_status
quire_build_paging_buffer(const struct quire_paging_caps *caps,
			  struct quire_paging_args *args)
{
	u64 pages = quire_paging_pages(args);

	if (args->multipass_offset >= pages)
		return QUIRE_BUILD_DONE;
	if (quire_paging_must_wait(args))
		return QUIRE_BUILD_BUSY;

	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		return quire_build_transfer(caps, args, pages);
	case QUIRE_PAGING_FILL:
		return quire_build_fill(caps, args, pages);
	case QUIRE_PAGING_DISCARD_CONTENT:
		return quire_build_discard(caps, args, pages);
	case QUIRE_PAGING_READ_PHYSICAL:
		return quire_build_physical(args, QUIRE_OP_READ_PHYSICAL);
	case QUIRE_PAGING_WRITE_PHYSICAL:
		return quire_build_physical(args, QUIRE_OP_WRITE_PHYSICAL);
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		return quire_build_map(caps, args, pages);
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		return quire_build_unmap(caps, args, pages);
	}

	return QUIRE_BUILD_DONE;
}
EXPORT_SYMBOL_IF_KUNIT(quire_build_paging_buffer);
