// SPDX-License-Identifier: GPL-2.0 OR MIT

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/overflow.h>

#include <kunit/visibility.h>

#include "quire_paging.h"
#include "quire_paging_internal.h"

/**
 * DOC: The checks of the arguments
 *
 * The builder trusts its arguments. What it relies on is checked here, once
 * for the limits of the device and once before an operation's first call. What
 * only one operation has stands with that operation.
 *
 * Locking: none; nothing is changed. Can be called in any context.
 */

/* @end: page number behind the last page of @count pages from @first */
static int quire_paging_check_span(u64 first, u64 count, u64 limit)
{
	u64 end;

	if (check_add_overflow(first, count, &end) || end > QUIRE_PAGING_MAX_PAGES)
		return -EOVERFLOW;
	if (end > limit)
		return -ERANGE;

	return 0;
}

static u64 quire_paging_segment_pages(const struct quire_paging_caps *caps, u32 segment)
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
 * quire_paging_check_segment - are some pages in their segment
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
	return quire_paging_check_span(first, pages, quire_paging_segment_pages(caps, segment));
}

/**
 * quire_paging_check_runs - are all runs of a location good
 * @caps: what the device can do
 * @location: the location; its segment is one of QUIRE_SEGMENT_*
 * @total: set to the pages of all runs; undefined after an error
 *
 * One walk.
 *
 * Returns: 0; -EINVAL if there is an empty run or no array; the errors of
 * quire_paging_check_segment(); -EOVERFLOW if the sum does not fit 64 bits.
 */
int quire_paging_check_runs(const struct quire_paging_caps *caps,
			    const struct quire_paging_location *location, u64 *total)
{
	u64 limit = quire_paging_segment_pages(caps, location->segment);
	u64 sum = 0;
	int err;
	u32 i;

	if (location->nr_runs && !location->runs)
		return -EINVAL;

	for (i = 0; i < location->nr_runs; i++) {
		const struct quire_page_run *run = &location->runs[i];

		if (!run->count)
			return -EINVAL;
		err = quire_paging_check_span(run->first, run->count, limit);
		if (err)
			return err;
		if (check_add_overflow(sum, run->count, &sum))
			return -EOVERFLOW;
	}
	*total = sum;

	return 0;
}

/**
 * quire_paging_check_location - does a location hold what an operation needs
 * @caps: what the device can do
 * @location: the location; its segment is one of QUIRE_SEGMENT_*
 * @first: page of the allocation that is needed first
 * @pages: how many are needed from there on
 *
 * One walk.
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

	return quire_paging_check_span(first - location->start, pages, total);
}

/**
 * quire_paging_check_adl - are all pages of an address list in their segment
 * @caps: what the device can do
 * @segment: QUIRE_SEGMENT_*
 * @adl: the list
 *
 * All of them, needed or not, as of a run list. One walk.
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
 * quire_paging_check_virtual - are some bytes in an address space
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

static int quire_paging_check_window(const struct quire_paging_args *args)
{
	u64 end = (u64)args->dma_buffer_write_offset + args->dma_size;

	if ((args->dma_size && !args->dma_buffer) ||
	    (args->private_data_size && !args->private_data))
		return -EINVAL;
	if (!IS_ALIGNED((unsigned long)args->dma_buffer, sizeof(u64)) ||
	    !IS_ALIGNED((unsigned long)args->private_data, sizeof(u64)))
		return -EINVAL;
	if (!IS_ALIGNED(args->dma_buffer_gpu_address, sizeof(u64)) ||
	    !IS_ALIGNED(args->dma_buffer_write_offset, sizeof(u64)))
		return -EINVAL;
	if (end > U32_MAX || check_add_overflow(args->dma_buffer_gpu_address, end, &end))
		return -EOVERFLOW;

	return 0;
}

/**
 * quire_paging_check_args - would the builder understand these arguments
 * @caps: what the device can do
 * @args: arguments for the first call of an operation; not changed
 *
 * To be called before the first call of quire_build_paging_buffer(), which
 * trusts its arguments. Walks each run list once. The window may still be
 * missing: a size of 0 allows a pointer of NULL.
 *
 * Not found out, because it would take a sorted copy: long run lists of a
 * transfer inside one segment that share a page, and page-table entries that are read and
 * written by the same copy.
 *
 * The original has no such check: there the caller is the operating system.
 *
 * Returns: 0, or
 *
 * * -EINVAL: unknown operation, flag or segment, a segment that the operation
 *   does not work on, both sides of a transfer in system memory, misalignment,
 *   a run of no pages, a physical access that is not 1 to 8 bytes of one page,
 *   a missing pointer, a page-table entry that the level has no use for, a level or mode
 *   that there is not, an MMU that there is not, a notice of an allocation that is not there
 *   or has no number, or with a place of what leaves, a fence of which a part is 0, or whose
 *   owner is not valid
 * * -EOVERFLOW: an address or a sum does not fit 64 bits, or the window does
 *   not fit 32 bits
 * * -ERANGE: outside of the segment or of what the CPU can see of it, of the address space,
 *   of an MMU, of a page table, of a context or of an allocation, a list that is too short, a
 *   native fence that there is not, or a token behind the end
 * * -E2BIG: more pages than &quire_paging_args.multipass_offset or a packet can count
 */
int quire_paging_check_args(const struct quire_paging_caps *caps,
			    const struct quire_paging_args *args)
{
	const struct quire_paging_operation_ops *ops = quire_paging_find_operation(args->operation);
	u64 pages;
	int err;

	if (!ops)
		return -EINVAL;

	err = quire_paging_check_window(args);
	if (err)
		return err;

	err = ops->check(caps, args, &pages);
	if (err)
		return err;

	if (pages > U32_MAX)
		return -E2BIG;
	if (args->multipass_offset > pages)
		return -ERANGE;

	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_check_args);

/**
 * quire_paging_check_caps - can the builder work within these limits
 * @caps: limits, to be checked when the device is set up
 *
 * A fresh window of @caps.min_buffer_size with private data of
 * @caps.min_private_data_size has to hold any one packet, else an operation
 * could make no progress for ever.
 *
 * Source: DXGK_QUERYSEGMENTOUT, PagingBufferSize and PagingBufferPrivateDataSize:
 * there too it is the driver that says how large they have to be.
 *
 * Returns: 0, -EINVAL where a limit is zero or smaller than one packet, or the CPU sees more
 * of the aperture than there is, or -EOVERFLOW where a segment or an MMU is larger than 64 bits
 * address.
 */
int quire_paging_check_caps(const struct quire_paging_caps *caps)
{
	if (!caps->max_packet_pages)
		return -EINVAL;
	if (caps->min_buffer_size < QUIRE_PAGING_MIN_BUFFER_SIZE ||
	    caps->min_private_data_size < QUIRE_PAGING_MIN_PRIVATE_SIZE)
		return -EINVAL;
	if (caps->vram_pages > QUIRE_PAGING_MAX_PAGES ||
	    caps->aperture_pages > QUIRE_PAGING_MAX_PAGES ||
	    caps->mmu_pages > QUIRE_PAGING_MAX_PAGES)
		return -EOVERFLOW;
	if (caps->window_pages > caps->aperture_pages)
		return -EINVAL;

	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_check_caps);
