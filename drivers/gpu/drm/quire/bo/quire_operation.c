// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Operations
 *
 * The paging operations that the driver asks for, in terms of TTM: each
 * function adds one to a list, for the part of a move that the list describes
 * (quire_paging_part.c). What it returns goes on to quire_paging_list_finish().
 */
#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>

#include <quire/quire_hw.h>

#include "paging/quire_paging.h"
#include "paging/quire_paging_list.h"
#include "queue/quire_page_runs.h"
#include "queue/quire_paging_part.h"
#include "queue/quire_paging_work.h"
#include "quire_bo.h"
#include "quire_operation.h"
#include "quire_range.h"
#include "quire_window.h"

/* TTM counts in pages of the CPU, the builder in pages of the device. */
static u64 first_page(const struct ttm_resource *res)
{
	return (u64)res->start << (PAGE_SHIFT - QUIRE_PAGE_SHIFT);
}

static u64 number_of_pages(const struct ttm_resource *res)
{
	return res->size >> QUIRE_PAGE_SHIFT;
}

static u64 part_bytes(const struct quire_page_runs *side)
{
	return side->pages << QUIRE_PAGE_SHIFT;
}

/* As fills and discards have it: they are of pages, not of an object's. */
static struct quire_paging_location part_pages(const struct quire_page_runs *side)
{
	struct quire_paging_location location = side->location;

	location.start = 0;
	return location;
}

static u32 transfer_flags(const struct quire_paging_part *part)
{
	const struct quire_page_runs *moved = quire_paging_part_linear(part);
	u32 flags = 0;

	if (!moved->location.start)
		flags |= QUIRE_TRANSFER_START;
	if (quire_page_runs_ended(moved))
		flags |= QUIRE_TRANSFER_END;
	if (part->layout)
		flags |= part->tiled == QUIRE_PAGING_SOURCE ? QUIRE_TRANSFER_UNSWIZZLE :
							      QUIRE_TRANSFER_SWIZZLE;
	return flags;
}

/**
 * quire_operation_transfer - move the content of an object, or a part of it
 * @work: list that it is added to; the part has a source and a destination
 * @bo: the object
 *
 * The first part starts the transfer, the last one ends it. An image is converted if the
 * part has its layout.
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer.
 */
int quire_operation_transfer(struct quire_paging_work *work, struct quire_bo *bo)
{
	const struct quire_page_runs *source = &work->part.sides[QUIRE_PAGING_SOURCE];
	const struct quire_page_runs *destination = &work->part.sides[QUIRE_PAGING_DESTINATION];
	const struct quire_page_runs *moved = quire_paging_part_linear(&work->part);
	u64 start = moved->location.start;
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_TRANSFER,
		.allocation = &bo->allocation,
		.u.transfer = {
			.source = source->location,
			.destination = destination->location,
			.transfer_offset = start << QUIRE_PAGE_SHIFT,
			.transfer_size = part_bytes(moved),
			.mdl_offset = start,
			.flags = transfer_flags(&work->part),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/* A list of pages without an offset begins with the first page that is moved. */
static struct quire_paging_location part_side(const struct quire_page_runs *side)
{
	return side->location.segment == QUIRE_SEGMENT_SYSTEM ? part_pages(side) : side->location;
}

/**
 * quire_operation_special_lock - move an image to or from its alternate view, or a part of it
 * @work: list that it is added to; the part has a source and a destination, and a layout
 * @bo: the object
 * @use: of the range that showed it
 *
 * The first part starts the transfer, the last one ends it. The device ends the use of
 * the range.
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, SpecialLockTransfer.
 */
int quire_operation_special_lock(struct quire_paging_work *work, struct quire_bo *bo,
				 const struct quire_range_use *use)
{
	const struct quire_page_runs *moved = quire_paging_part_linear(&work->part);
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER,
		.allocation = &bo->allocation,
		.u.special_lock = {
			.source = part_side(&work->part.sides[QUIRE_PAGING_SOURCE]),
			.destination = part_side(&work->part.sides[QUIRE_PAGING_DESTINATION]),
			.transfer_offset = moved->location.start << QUIRE_PAGE_SHIFT,
			.transfer_size = part_bytes(moved),
			.flags = transfer_flags(&work->part),
			.swizzling_range_id = use->id,
			.swizzling_range_data = use->data,
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_ask - wait until the content of an object can be moved or dropped
 * @work: list, to which nothing was added yet
 * @operation: what comes next
 * @bo: the object
 *
 * If it has to be idle for that, &quire_paging_allocation.needs_idle.
 *
 * Returns: 0; -EBUSY it is not, in 15 seconds or if the list may not wait; -ERESTARTSYS.
 *
 * Source: DXGK_TRANSFERFLAGS, AllocationIsIdle.
 */
int quire_operation_ask(struct quire_paging_work *work, enum quire_paging_operation operation,
			struct quire_bo *bo)
{
	return quire_paging_list_ask(&work->list, operation, &bo->allocation);
}

/**
 * quire_operation_fill - fill the place of an object with zero, or a part of it
 * @work: list that it is added to; the part has a destination, in VRAM
 * @bo: the object
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Fill.
 */
int quire_operation_fill(struct quire_paging_work *work, struct quire_bo *bo)
{
	const struct quire_page_runs *side = &work->part.sides[QUIRE_PAGING_DESTINATION];
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_FILL,
		.allocation = &bo->allocation,
		.u.fill = {
			.destination = part_pages(side),
			.fill_size = part_bytes(side),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_discard - drop the content of an object that may be in use
 * @work: list that it is added to, executed when the object is idle; the part has a
 *        source, in VRAM
 * @bo: the object
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, DiscardContent.
 */
int quire_operation_discard(struct quire_paging_work *work, struct quire_bo *bo)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_DISCARD_CONTENT,
		.allocation = &bo->allocation,
		.u.discard.location = part_pages(&work->part.sides[QUIRE_PAGING_SOURCE]),
	};

	return quire_paging_list_add(&work->list, &args);
}

static u32 map_flags(const struct quire_bo *bo)
{
	return bo->base.ttm->caching == ttm_cached ? QUIRE_MAPAPERTURE_CACHE_COHERENT : 0;
}

static int operation_map_runs(struct quire_paging_work *work, struct quire_bo *bo,
			      struct ttm_resource *res)
{
	const struct quire_page_runs *side = &work->part.sides[QUIRE_PAGING_MDL];
	u64 start = side->location.start;
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
		.u.map = {
			.offset_in_pages = first_page(res) + start,
			.number_of_pages = side->pages,
			.mdl = side->location,
			.mdl_offset = start,
			.flags = map_flags(bo),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

static int operation_map_list(struct quire_paging_work *work, struct quire_bo *bo,
			      struct ttm_resource *res)
{
	const struct quire_paging_adl *adl = &work->part.adl;
	u64 window = quire_window_address(quire_bo_device(bo), res);
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.u.map2 = {
			.offset_in_pages = first_page(res) + adl->start,
			.number_of_pages = adl->page_count,
			.adl = *adl,
			.adl_offset = adl->start,
			.flags = map_flags(bo),
			.cpu_visible_address = window + (adl->start << QUIRE_PAGE_SHIFT),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_map - point a range of the aperture at pages of an object, or a part of it
 * @work: list that it is added to; the part has system pages
 * @bo: whose pages they are
 * @res: the whole range
 *
 * If the part has an address list, the CPU sees the pages through the window.
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, MapApertureSegment and MapApertureSegment2.
 */
int quire_operation_map(struct quire_paging_work *work, struct quire_bo *bo,
			struct ttm_resource *res)
{
	if (work->part.lists)
		return operation_map_list(work, bo, res);
	return operation_map_runs(work, bo, res);
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
 * quire_operation_map_mmu - let pages of an MMU show a piece of VRAM
 * @work: list that it is added to
 * @mmu: below %QUIRE_MMU_COUNT
 * @address: of the first page there
 * @first: page of VRAM that it shows, the others follow
 * @pages: how many
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGK_BUILDPAGINGBUFFER_MAPMMU.
 */
int quire_operation_map_mmu(struct quire_paging_work *work, u32 mmu, u64 address, u64 first,
			    u32 pages)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_MMU,
		.u.map_mmu = {
			.virtual_address = address,
			.mmu_id = mmu,
			.segment = QUIRE_SEGMENT_VRAM,
			.adl = {
				.page_count = pages,
				.contiguous = true,
				.base_page_number = first,
			},
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_unmap_mmu - take pages of an MMU away
 * @work: list that it is added to
 * @mmu: below %QUIRE_MMU_COUNT
 * @address: of the first page
 * @pages: how many
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGK_BUILDPAGINGBUFFER_UNMAPMMU.
 */
int quire_operation_unmap_mmu(struct quire_paging_work *work, u32 mmu, u64 address, u32 pages)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_UNMAP_MMU,
		.u.unmap_mmu = {
			.virtual_address = address,
			.mmu_id = mmu,
			.number_of_pages = pages,
		},
	};

	return quire_paging_list_add(&work->list, &args);
}

/**
 * quire_operation_flush - what was written through a range of the aperture is in memory
 * @work: list that it is added to, behind the last operation that writes there
 * @res: the range, mapped at least at its start
 *
 * For pages that are not mapped as coherent: what the device writes there it may keep back
 * beyond the fence, and beyond an unmap. What is read does not matter.
 *
 * Returns: 0, or an error of quire_paging_list_add().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, ReadPhysical.
 */
int quire_operation_flush(struct quire_paging_work *work, struct ttm_resource *res)
{
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_READ_PHYSICAL,
		.u.physical = {
			.segment = QUIRE_SEGMENT_APERTURE,
			.physical_address = first_page(res) << QUIRE_PAGE_SHIFT,
			.size = sizeof(u64),
		},
	};

	return quire_paging_list_add(&work->list, &args);
}
