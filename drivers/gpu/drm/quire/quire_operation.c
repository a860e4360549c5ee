// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Operations
 *
 * The paging operations that the driver asks for, in terms of TTM: each
 * function adds one to a list. What it returns goes on to
 * quire_paging_list_finish().
 */
#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>

#include "quire_bo.h"
#include "quire_device.h"
#include "quire_operation.h"
#include "quire_page_runs.h"
#include "quire_paging_work.h"

/* TTM counts in pages of the CPU, the builder in pages of the device. */
static u64 first_page(const struct ttm_resource *res)
{
	return (u64)res->start << (PAGE_SHIFT - QUIRE_PAGE_SHIFT);
}

static u64 number_of_pages(const struct ttm_resource *res)
{
	return res->size >> QUIRE_PAGE_SHIFT;
}

/**
 * quire_operation_transfer - move the content of an object
 * @work: list that it is added to
 * @bo: the object; all of it is moved
 * @source: where the content is
 * @destination: where it goes
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer.
 */
int quire_operation_transfer(struct quire_paging_work *work, struct quire_bo *bo,
			     const struct quire_page_runs *source,
			     const struct quire_page_runs *destination)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER,
		.allocation = &bo->allocation,
		.u.transfer = {
			.source = source->location,
			.destination = destination->location,
			.transfer_size = bo->base.base.size,
			.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_END,
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_fill - fill the place of an object with zero
 * @work: list that it is added to
 * @bo: the object
 * @destination: its place, in VRAM
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Fill.
 */
int quire_operation_fill(struct quire_paging_work *work, struct quire_bo *bo,
			 const struct quire_page_runs *destination)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_FILL,
		.allocation = &bo->allocation,
		.u.fill = {
			.destination = destination->location,
			.fill_size = bo->base.base.size,
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_discard - drop the content of an object that may be in use
 * @work: list that it is added to; executed when the object is idle
 * @bo: the object, in VRAM
 * @location: its place
 * @needs_idle: wait for that here, as the model has it for objects that live
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, DiscardContent.
 */
int quire_operation_discard(struct quire_paging_work *work, struct quire_bo *bo,
			    const struct quire_page_runs *location, bool needs_idle)
{
	const struct quire_paging_allocation allocation = { .needs_idle = needs_idle };
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_DISCARD_CONTENT,
		.allocation = &allocation,
		.u.discard.location = location->location,
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_map - point a range of the aperture at system pages
 * @work: list that it is added to
 * @res: the range
 * @tt: the pages
 * @mdl: the same as page runs
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment.
 */
int quire_operation_map(struct quire_paging_work *work, struct ttm_resource *res,
			struct ttm_tt *tt, const struct quire_page_runs *mdl)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
		.u.map = {
			.offset_in_pages = first_page(res),
			.number_of_pages = number_of_pages(res),
			.mdl = mdl->location,
			.flags = tt->caching == ttm_cached ? QUIRE_MAPAPERTURE_CACHE_COHERENT : 0,
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_unmap - point a range of the aperture at the dummy page
 * @work: list that it is added to; its queue fills in the dummy page
 * @res: the range
 *
 * Allocates nothing of its own.
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, UnmapApertureSegment.
 */
int quire_operation_unmap(struct quire_paging_work *work, struct ttm_resource *res)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
		.u.unmap = {
			.offset_in_pages = first_page(res),
			.number_of_pages = number_of_pages(res),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_bytes - what an operation with these runs takes
 * @runs: one side of it; zero if there is none
 *
 * Returns: bytes of packets, as a rule at most: each run of a segment may need a packet
 * of its own, each run of system pages is one number in a packet. Runs that are too long
 * for one number or one packet take more.
 */
u64 quire_operation_bytes(const struct quire_page_runs *runs)
{
	const struct quire_paging_location *location = &runs->location;
	u64 bytes = QUIRE_PAGING_MIN_BUFFER_SIZE;

	if (location->segment == QUIRE_SEGMENT_SYSTEM)
		return bytes + location->nr_runs * sizeof(__le64);
	return bytes * location->nr_runs;
}
