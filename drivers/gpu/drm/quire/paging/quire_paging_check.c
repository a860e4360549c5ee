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
 * for the limits of the device and once before an operation's first call.
 *
 * Locking: none; nothing is changed. Can be called in any context.
 */

/* A page number that this is added to still has a 64-bit byte address. */
#define QUIRE_PAGING_MAX_PAGES	(U64_MAX >> QUIRE_PAGE_SHIFT)

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

/* Are all runs inside of the segment, and are there @pages from @first on? */
static int quire_paging_check_location(const struct quire_paging_caps *caps,
				       const struct quire_paging_location *location,
				       u64 first, u64 pages)
{
	u64 limit = quire_paging_segment_pages(caps, location->segment);
	u64 total = 0;
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
		if (check_add_overflow(total, run->count, &total))
			return -EOVERFLOW;
	}

	return quire_paging_check_span(first, pages, total);
}

static int quire_paging_check_transfer(const struct quire_paging_caps *caps,
				       const struct quire_paging_transfer *transfer)
{
	u64 pages = quire_paging_bytes_to_pages(transfer->transfer_size);
	int err;

	if (transfer->source.segment > QUIRE_SEGMENT_APERTURE ||
	    transfer->destination.segment > QUIRE_SEGMENT_APERTURE)
		return -EINVAL;
	if (transfer->source.segment == QUIRE_SEGMENT_SYSTEM &&
	    transfer->destination.segment == QUIRE_SEGMENT_SYSTEM)
		return -EINVAL;
	if (transfer->flags & ~(QUIRE_TRANSFER_START | QUIRE_TRANSFER_END))
		return -EINVAL;
	if (!IS_ALIGNED(transfer->transfer_offset, QUIRE_PAGE_SIZE))
		return -EINVAL;

	err = quire_paging_check_location(caps, &transfer->source,
					  quire_transfer_first_page(transfer, &transfer->source),
					  pages);
	if (err)
		return err;

	return quire_paging_check_location(caps, &transfer->destination,
					   quire_transfer_first_page(transfer,
								     &transfer->destination),
					   pages);
}

static int quire_paging_check_fill(const struct quire_paging_caps *caps,
				   const struct quire_paging_fill *fill)
{
	if (fill->destination.segment != QUIRE_SEGMENT_VRAM)
		return -EINVAL;
	if (!IS_ALIGNED(fill->fill_size, sizeof(fill->fill_pattern)))
		return -EINVAL;

	return quire_paging_check_location(caps, &fill->destination, 0,
					   quire_paging_bytes_to_pages(fill->fill_size));
}

static int quire_paging_check_discard(const struct quire_paging_caps *caps,
				      const struct quire_paging_discard *discard)
{
	if (discard->location.segment != QUIRE_SEGMENT_VRAM)
		return -EINVAL;

	return quire_paging_check_location(caps, &discard->location, 0, 0);
}

static int quire_paging_check_physical(const struct quire_paging_caps *caps,
				       const struct quire_paging_physical *physical)
{
	u64 address = physical->physical_address;

	if (physical->segment > QUIRE_SEGMENT_APERTURE)
		return -EINVAL;
	if (physical->size < 1 || physical->size > sizeof(physical->value))
		return -EINVAL;
	if ((address & (QUIRE_PAGE_SIZE - 1)) + physical->size > QUIRE_PAGE_SIZE)
		return -EINVAL;

	return quire_paging_check_span(address >> QUIRE_PAGE_SHIFT, 1,
				       quire_paging_segment_pages(caps, physical->segment));
}

static int quire_paging_check_map(const struct quire_paging_caps *caps,
				  const struct quire_paging_map *map)
{
	int err;

	if (map->mdl.segment != QUIRE_SEGMENT_SYSTEM)
		return -EINVAL;
	if (map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT)
		return -EINVAL;

	err = quire_paging_check_span(map->offset_in_pages, map->number_of_pages,
				      caps->aperture_pages);
	if (err)
		return err;

	return quire_paging_check_location(caps, &map->mdl, map->mdl_offset,
					   map->number_of_pages);
}

static int quire_paging_check_unmap(const struct quire_paging_caps *caps,
				    const struct quire_paging_unmap *unmap)
{
	int err;

	if (!IS_ALIGNED(unmap->dummy_page, QUIRE_PAGE_SIZE))
		return -EINVAL;

	err = quire_paging_check_span(unmap->dummy_page >> QUIRE_PAGE_SHIFT, 1,
				      QUIRE_PAGING_MAX_PAGES);
	if (err)
		return err;

	return quire_paging_check_span(unmap->offset_in_pages, unmap->number_of_pages,
				       caps->aperture_pages);
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

static int quire_paging_check_operation(const struct quire_paging_caps *caps,
					const struct quire_paging_args *args)
{
	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		return quire_paging_check_transfer(caps, &args->u.transfer);
	case QUIRE_PAGING_FILL:
		return quire_paging_check_fill(caps, &args->u.fill);
	case QUIRE_PAGING_DISCARD_CONTENT:
		return quire_paging_check_discard(caps, &args->u.discard);
	case QUIRE_PAGING_READ_PHYSICAL:
		if (args->u.physical.value)
			return -EINVAL;
		return quire_paging_check_physical(caps, &args->u.physical);
	case QUIRE_PAGING_WRITE_PHYSICAL:
		return quire_paging_check_physical(caps, &args->u.physical);
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		return quire_paging_check_map(caps, &args->u.map);
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		return quire_paging_check_unmap(caps, &args->u.unmap);
	}

	return -EINVAL;
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
 * transfer inside one segment that share a page.
 *
 * Source: none, the original's caller is trusted; paging-model 11.
 *
 * Returns: 0, or
 *
 * * -EINVAL: unknown operation, flag or segment, a segment that the operation
 *   does not work on, both sides of a transfer in system memory, misalignment,
 *   a run of no pages, a physical access that is not 1 to 8 bytes of one page,
 *   a missing pointer
 * * -EOVERFLOW: an address or a sum does not fit 64 bits, or the window does
 *   not fit 32 bits
 * * -ERANGE: outside of the segment, a run list that is too short, or a token
 *   behind the end
 * * -E2BIG: more pages than &quire_paging_args.multipass_offset can count
 */
int quire_paging_check_args(const struct quire_paging_caps *caps,
			    const struct quire_paging_args *args)
{
	u64 pages;
	int err;

	err = quire_paging_check_window(args);
	if (err)
		return err;

	err = quire_paging_check_operation(caps, args);
	if (err)
		return err;

	pages = quire_paging_pages(args);
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
 * Source: DESIGN section 2; paging-model 2.3 item 5.
 *
 * Returns: 0, -EINVAL where a limit is zero or smaller than one packet, or
 * -EOVERFLOW where a segment is larger than 64 bits address.
 */
int quire_paging_check_caps(const struct quire_paging_caps *caps)
{
	if (!caps->max_packet_pages)
		return -EINVAL;
	if (caps->min_buffer_size < QUIRE_PAGING_MIN_BUFFER_SIZE ||
	    caps->min_private_data_size < QUIRE_PAGING_MIN_PRIVATE_SIZE)
		return -EINVAL;
	if (caps->vram_pages > QUIRE_PAGING_MAX_PAGES ||
	    caps->aperture_pages > QUIRE_PAGING_MAX_PAGES)
		return -EOVERFLOW;

	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_check_caps);
