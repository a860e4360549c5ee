// SPDX-License-Identifier: GPL-2.0 OR MIT
/* TRANSFER: move content between two places, one of which may be a page list. */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"
#include "quire_paging_swizzle.h"

static bool transfer_is_list(const struct quire_paging_location *location)
{
	return location->segment == QUIRE_SEGMENT_SYSTEM;
}

/* The byte offset is for a segment, the page offset for a page list. */
static u64 transfer_first_page(const struct quire_paging_transfer *transfer,
			       const struct quire_paging_location *location)
{
	if (transfer_is_list(location))
		return transfer->mdl_offset;

	return transfer->transfer_offset >> QUIRE_PAGE_SHIFT;
}

static u64 transfer_pages(const struct quire_paging_args *args)
{
	if (quire_paging_converts(&args->u.transfer))
		return quire_paging_swizzle_elements(args);

	return quire_paging_bytes_to_pages(args->u.transfer.transfer_size);
}

static int transfer_check_side(const struct quire_paging_caps *caps,
			       const struct quire_paging_transfer *transfer,
			       const struct quire_paging_location *location, u64 pages)
{
	return quire_paging_check_location(caps, location,
					   transfer_first_page(transfer, location), pages);
}

/**
 * quire_paging_transfer_check - are the arguments of a transfer good
 * @caps: what the device can do
 * @args: a TRANSFER or a SPECIAL_LOCK_TRANSFER
 * @pages: set to what the token counts up to
 *
 * Returns: 0, -EINVAL, -EOVERFLOW or -ERANGE as of quire_paging_check_args().
 */
int quire_paging_transfer_check(const struct quire_paging_caps *caps,
				const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	int err;

	if (transfer->source.segment > QUIRE_SEGMENT_APERTURE ||
	    transfer->destination.segment > QUIRE_SEGMENT_APERTURE)
		return -EINVAL;
	if (transfer_is_list(&transfer->source) && transfer_is_list(&transfer->destination))
		return -EINVAL;
	if (transfer->flags & ~QUIRE_TRANSFER_ALL)
		return -EINVAL;
	if (!IS_ALIGNED(transfer->transfer_offset, QUIRE_PAGE_SIZE))
		return -EINVAL;
	if (quire_paging_converts(transfer))
		return quire_paging_swizzle_check(caps, args, pages);

	*pages = transfer_pages(args);
	err = transfer_check_side(caps, transfer, &transfer->source, *pages);
	if (err)
		return err;

	return transfer_check_side(caps, transfer, &transfer->destination, *pages);
}

/* Is it known how the two sides lie to each other? */
static bool transfer_is_within(const struct quire_paging_transfer *transfer)
{
	return transfer->source.segment == transfer->destination.segment &&
	       transfer->source.nr_runs == 1 && transfer->destination.nr_runs == 1;
}

/* Would packets in ascending order overwrite what later ones read? */
static bool transfer_from_end(const struct quire_paging_transfer *transfer)
{
	return transfer_is_within(transfer) &&
	       transfer->destination.runs->first > transfer->source.runs->first;
}

/*
 * The most pages of a packet. It may be executed a second time after a part of it was, which
 * must not find its source overwritten: its own sides do not overlap.
 */
static u64 transfer_most(const struct quire_paging_caps *caps,
			 const struct quire_paging_transfer *transfer)
{
	u64 source, destination, apart;

	if (!transfer_is_within(transfer))
		return caps->max_packet_pages;
	source = transfer->source.runs->first;
	destination = transfer->destination.runs->first;
	apart = max(source, destination) - min(source, destination);
	/* What is copied onto itself is what it was. */
	return apart ? min(apart, caps->max_packet_pages) : caps->max_packet_pages;
}

static size_t transfer_min_size(const struct quire_paging_transfer *transfer)
{
	size_t size = sizeof(struct quire_packet_transfer);

	if (transfer_is_list(&transfer->source) || transfer_is_list(&transfer->destination))
		size += sizeof(__le64);

	return size;
}

/* Pages from the cursors on that are contiguous on the segment sides. */
static u64 transfer_piece(const struct quire_paging_transfer *transfer,
			  const struct quire_paging_progress *progress)
{
	u64 source = quire_page_cursor_left(&progress->source, &transfer->source);
	u64 destination = quire_page_cursor_left(&progress->destination, &transfer->destination);

	if (transfer_is_list(&transfer->source))
		return destination;
	if (transfer_is_list(&transfer->destination))
		return source;

	return min(source, destination);
}

static u64 transfer_address(const struct quire_paging_location *location,
			    const struct quire_page_cursor *cursor)
{
	if (transfer_is_list(location))
		return 0;

	return quire_page_cursor_number(cursor, location) << QUIRE_PAGE_SHIFT;
}

/* The page list of a packet, if it has one. Returns its bytes. */
static u32 transfer_write_list(struct quire_paging_args *args, __le64 *runs, u64 *pages)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	struct quire_paging_progress *progress = &args->progress;
	u32 nr = 0;

	if (transfer_is_list(&transfer->source))
		nr = quire_paging_write_runs(args, runs, &transfer->source,
					     &progress->source, pages);
	else if (transfer_is_list(&transfer->destination))
		nr = quire_paging_write_runs(args, runs, &transfer->destination,
					     &progress->destination, pages);

	return nr * sizeof(*runs);
}

/*
 * One packet of at most @pages pages from the cursors on, of which the first is
 * page @first of the transfer. A page list that does not fit makes it shorter.
 */
static void transfer_emit(struct quire_paging_args *args, u64 first, u64 pages)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	struct quire_paging_progress *progress = &args->progress;
	struct quire_packet_transfer *packet = args->dma_buffer;
	u32 list_size;
	u64 bytes;

	packet->src_segment = cpu_to_le32(transfer->source.segment);
	packet->dst_segment = cpu_to_le32(transfer->destination.segment);
	packet->src_address = cpu_to_le64(transfer_address(&transfer->source, &progress->source));
	packet->dst_address = cpu_to_le64(transfer_address(&transfer->destination,
							   &progress->destination));
	list_size = transfer_write_list(args, packet->runs, &pages);
	if (!transfer_is_list(&transfer->source))
		quire_page_cursor_advance(&progress->source, &transfer->source, pages);
	if (!transfer_is_list(&transfer->destination))
		quire_page_cursor_advance(&progress->destination, &transfer->destination, pages);

	bytes = quire_paging_piece_bytes(transfer->transfer_size, first, pages);
	packet->size = cpu_to_le64(bytes);
	quire_paging_commit(args, 0, sizeof(*packet) + list_size, bytes, pages);
}

/* @page: of the transfer */
static void transfer_seek(struct quire_paging_args *args, u64 page)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;

	quire_page_cursor_seek(&args->progress.source, &transfer->source,
			       page + transfer_first_page(transfer, &transfer->source));
	quire_page_cursor_seek(&args->progress.destination, &transfer->destination,
			       page + transfer_first_page(transfer, &transfer->destination));
}

static enum quire_build_status
transfer_build_from_end(struct quire_paging_args *args, u64 pages, u64 most)
{
	while (args->multipass_offset < pages) {
		u64 left = pages - args->multipass_offset;
		u64 count = min(left, most);

		if (!quire_paging_fits(args, sizeof(struct quire_packet_transfer)))
			return QUIRE_BUILD_FULL;

		transfer_seek(args, left - count);
		transfer_emit(args, left - count, count);
	}

	return QUIRE_BUILD_DONE;
}

static enum quire_build_status
transfer_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	size_t min_size = transfer_min_size(transfer);
	u64 most = transfer_most(caps, transfer);

	if (quire_paging_converts(transfer))
		return quire_paging_swizzle_build(caps, args, pages);
	if (transfer_from_end(transfer))
		return transfer_build_from_end(args, pages, most);

	transfer_seek(args, args->multipass_offset);
	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, min_size))
			return QUIRE_BUILD_FULL;

		transfer_emit(args, first, min3(pages - first, most,
						transfer_piece(transfer, &args->progress)));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_transfer_ops = {
	.name = "TRANSFER",
	.opcode = QUIRE_OP_TRANSFER,
	.may_be_busy = true,
	.check = quire_paging_transfer_check,
	.pages = transfer_pages,
	.build = transfer_build,
};
