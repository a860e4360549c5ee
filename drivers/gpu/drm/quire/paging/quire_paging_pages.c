// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Pages and lists of pages: the checks that operations share, and the lists in packets. */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/overflow.h>

#include <asm/byteorder.h>

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
	switch (segment) {
	case QUIRE_SEGMENT_VRAM:
		return caps->vram_pages;
	case QUIRE_SEGMENT_APERTURE:
		return caps->aperture_pages;
	default:
		return QUIRE_PAGING_MAX_PAGES;
	}
}

/**
 * quire_paging_check_segment - check that pages are in their segment
 * @caps: what the device can do
 * @segment: QUIRE_SEGMENT_*
 * @first: page number of the first
 * @pages: how many; may be 0
 *
 * Returns: 0; -EOVERFLOW if an address behind them does not fit 64 bits;
 * -ERANGE if they are not in the segment.
 */
int quire_paging_check_segment(const struct quire_paging_caps *caps, u32 segment,
			       u64 first, u64 pages)
{
	return check_span(first, pages, segment_pages(caps, segment));
}

/**
 * quire_paging_check_runs - check all runs of a location, in one walk
 * @caps: what the device can do
 * @location: the location; its segment is one of QUIRE_SEGMENT_*
 * @total: set to the pages of all runs; undefined after an error
 *
 * Returns: 0; -EINVAL if there is an empty run or no array; the errors of
 * quire_paging_check_segment(); -EOVERFLOW if the sum does not fit 64 bits.
 */
int quire_paging_check_runs(const struct quire_paging_caps *caps,
			    const struct quire_paging_location *location, u64 *total)
{
	u64 limit = segment_pages(caps, location->segment);
	u64 sum = 0;
	int err;
	u32 i;

	if (location->nr_runs && !location->runs)
		return -EINVAL;

	for (i = 0; i < location->nr_runs; i++) {
		const struct quire_page_run *run = &location->runs[i];

		if (!run->count)
			return -EINVAL;
		err = check_span(run->first, run->count, limit);
		if (err)
			return err;
		if (check_add_overflow(sum, run->count, &sum))
			return -EOVERFLOW;
	}
	*total = sum;

	return 0;
}

/**
 * quire_paging_check_location - check that a location holds what an operation needs
 * @caps: what the device can do
 * @location: the location; its segment is one of QUIRE_SEGMENT_*
 * @first: page of the allocation that is needed first
 * @pages: how many are needed from there on
 *
 * Returns: 0; the errors of quire_paging_check_runs(); -EOVERFLOW if the sum of
 * @first and @pages does not fit; -ERANGE if the location begins too late or ends too early.
 */
int quire_paging_check_location(const struct quire_paging_caps *caps,
				const struct quire_paging_location *location,
				u64 first, u64 pages)
{
	u64 total;
	int err;

	err = quire_paging_check_runs(caps, location, &total);
	if (err)
		return err;
	if (first < location->start)
		return -ERANGE;

	return check_span(first - location->start, pages, total);
}

/**
 * quire_paging_check_adl - check that all pages of an address list are in their segment
 * @caps: what the device can do
 * @segment: QUIRE_SEGMENT_*
 * @adl: the list; also pages that the operation does not need are checked
 *
 * Returns: 0; -EINVAL if there is no array; the errors of quire_paging_check_segment().
 */
int quire_paging_check_adl(const struct quire_paging_caps *caps, u32 segment,
			   const struct quire_paging_adl *adl)
{
	int err = 0;
	u32 i;

	if (adl->contiguous)
		return quire_paging_check_segment(caps, segment, adl->base_page_number,
						  adl->page_count);
	if (adl->page_count && !adl->pages)
		return -EINVAL;
	for (i = 0; i < adl->page_count && !err; i++)
		err = quire_paging_check_segment(caps, segment, adl->pages[i], 1);

	return err;
}

/**
 * quire_paging_check_virtual - check that bytes are in an address space
 * @address: virtual address of the first
 * @bytes: how many; may be 0
 *
 * Returns: 0; -EINVAL if the first is not that of a page; -ERANGE if they are not below
 * %QUIRE_VA_END.
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
