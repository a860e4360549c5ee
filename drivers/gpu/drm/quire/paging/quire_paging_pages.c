// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Pages and lists of pages: the checks that operations share, and the lists in packets. */

#include <linux/overflow.h>

#include "quire_paging_internal.h"

static int check_span(u64 first, u64 count, u64 limit)
{
	u64 end;

	if (check_add_overflow(first, count, &end) || end > QUIRE_PAGING_MAX_PAGES)
		return -EOVERFLOW;

	return end > limit ? -ERANGE : 0;
}

static u64 segment_pages(const struct quire_paging_caps *caps, u32 segment)
{
	if (segment == QUIRE_SEGMENT_VRAM)
		return caps->vram_pages;

	return segment == QUIRE_SEGMENT_APERTURE ? caps->aperture_pages : QUIRE_PAGING_MAX_PAGES;
}

/**
 * quire_paging_check_segment - check that pages are in their segment
 * @caps: what the device can do
 * @segment: QUIRE_SEGMENT_*
 * @first: page number of the first
 * @pages: how many; may be 0
 *
 * Returns: 0; -EOVERFLOW an address behind them does not fit 64 bits; -ERANGE.
 */
int quire_paging_check_segment(const struct quire_paging_caps *caps, u32 segment,
			       u64 first, u64 pages)
{
	return check_span(first, pages, segment_pages(caps, segment));
}

/**
 * quire_paging_check_address - check that pages that follow each other are in their segment
 * @caps: what the device can do
 * @segment: any number
 * @address: of the first, byte offset in the segment or DMA address
 * @pages: how many; may be 0
 *
 * Returns: 0; -EINVAL no such segment, or address of a page; as quire_paging_check_segment().
 */
int quire_paging_check_address(const struct quire_paging_caps *caps, u32 segment, u64 address,
			       u64 pages)
{
	if (segment > QUIRE_SEGMENT_APERTURE || !IS_ALIGNED(address, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment, address >> QUIRE_PAGE_SHIFT, pages);
}

/**
 * quire_paging_check_location - check runs, and that what an operation needs is there
 * @caps: what the device can do
 * @location: the location; its segment is one of QUIRE_SEGMENT_*
 * @first: page of the allocation that is needed first
 * @pages: how many are needed from there on
 *
 * Returns: 0; -EINVAL an empty run, or no array; as quire_paging_check_segment(); -EOVERFLOW a sum
 * does not fit; -ERANGE the location begins too late or ends too early.
 */
int quire_paging_check_location(const struct quire_paging_caps *caps,
				const struct quire_paging_location *location,
				u64 first, u64 pages)
{
	u64 limit = segment_pages(caps, location->segment);
	u64 total = 0;
	u32 i;

	if (location->nr_runs && !location->runs)
		return -EINVAL;

	for (i = 0; i < location->nr_runs; i++) {
		const struct quire_page_run *run = &location->runs[i];
		int err = run->count ? check_span(run->first, run->count, limit) : -EINVAL;

		if (err)
			return err;
		if (check_add_overflow(total, run->count, &total))
			return -EOVERFLOW;
	}
	if (first < location->start)
		return -ERANGE;

	return check_span(first - location->start, pages, total);
}

/**
 * quire_paging_check_sides - check what transfers have in common
 * @transfer: of a TRANSFER or a SPECIAL_LOCK_TRANSFER
 *
 * Returns: 0; -EINVAL no such segment or flag, two page lists, an offset inside of a page.
 */
int quire_paging_check_sides(const struct quire_paging_transfer *transfer)
{
	u32 source = transfer->source.segment, destination = transfer->destination.segment;

	if (source > QUIRE_SEGMENT_APERTURE || destination > QUIRE_SEGMENT_APERTURE ||
	    (source == QUIRE_SEGMENT_SYSTEM && destination == QUIRE_SEGMENT_SYSTEM) ||
	    transfer->flags & ~QUIRE_TRANSFER_ALL ||
	    !IS_ALIGNED(transfer->transfer_offset, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return 0;
}

/**
 * quire_paging_check_virtual - check that bytes are in an address space
 * @address: virtual address of the first
 * @bytes: how many; may be 0
 *
 * Returns: 0; -EINVAL @address is not that of a page; -ERANGE not below %QUIRE_VA_END.
 */
int quire_paging_check_virtual(u64 address, u64 bytes)
{
	if (!IS_ALIGNED(address, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return bytes > QUIRE_VA_END || address > QUIRE_VA_END - bytes ? -ERANGE : 0;
}

/**
 * quire_paging_write_runs - write the page list of a packet
 * @packet: the packet, of which a unit is a page; its list and its count are set
 * @runs: the list
 * @location: where the pages are
 * @cursor: first page of the list; moved behind the last one
 */
void quire_paging_write_runs(struct quire_paging_packet *packet, __le64 *runs,
			     const struct quire_paging_location *location,
			     struct quire_page_cursor *cursor)
{
	const struct quire_page_run *run = &location->runs[cursor->run];
	u32 nr, room = packet->room / sizeof(*runs);
	u64 left = packet->count;
	u64 skip = cursor->skip;

	for (nr = 0; left && nr < room; nr++) {
		u64 count = min3(run->count - skip, left, QUIRE_RUN_MAX_PAGES);

		runs[nr] = cpu_to_le64(QUIRE_RUN(run->first + skip, count));
		left -= count;
		skip += count;
		if (skip == run->count) {
			skip = 0;
			run++;
		}
	}
	packet->count -= left;
	packet->list = nr * sizeof(*runs);
	cursor->page += packet->count;
	cursor->skip = skip;
	cursor->run = run - location->runs;
}
