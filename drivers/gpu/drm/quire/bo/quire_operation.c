// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Operations
 *
 * Each function adds a paging operation to the list of @work, for the part of a move that the list
 * describes (quire_page_runs.c), and returns 0 or an error, for quire_paging_list_finish().
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER; DXGK_BUILDPAGINGBUFFER_MAPMMU and _UNMAPMMU.
 */
#include "paging/quire_paging_list.h"
#include "queue/quire_page_runs.h"
#include "queue/quire_paging_work.h"
#include "quire_operation.h"
#include "quire_range.h"
#include "quire_window.h"

/* TTM counts in pages of the CPU, the builder in pages of the device. */
static u64 first_page(const struct ttm_resource *res)
{
	return (u64)res->start << (PAGE_SHIFT - QUIRE_PAGE_SHIFT);
}

static u64 part_bytes(const struct quire_page_runs *side)
{
	return side->pages << QUIRE_PAGE_SHIFT;
}

/* Fills and discards are of pages, not of the object. */
static struct quire_paging_location part_pages(const struct quire_page_runs *side)
{
	struct quire_paging_location location = side->location;

	location.start = 0;
	return location;
}

/* The first part starts a transfer, the last one ends it. */
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
 * @work: the part has a source and a destination, and for a conversion a layout
 * @bo: the object
 *
 * Returns: 0, or an error.
 */
int quire_operation_transfer(struct quire_paging_work *work, struct quire_bo *bo)
{
	const struct quire_page_runs *sides = work->part.sides;
	const struct quire_page_runs *moved = quire_paging_part_linear(&work->part);
	u64 start = moved->location.start;

	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_TRANSFER,
		.allocation = &bo->allocation,
		.u.transfer = {
			.source = sides[QUIRE_PAGING_SOURCE].location,
			.destination = sides[QUIRE_PAGING_DESTINATION].location,
			.transfer_offset = start << QUIRE_PAGE_SHIFT,
			.transfer_size = part_bytes(moved),
			.mdl_offset = start,
			.flags = transfer_flags(&work->part),
		},
	});
}

/* A list of pages without an offset begins with the first page that is moved. */
static struct quire_paging_location part_side(const struct quire_page_runs *side)
{
	return side->location.segment == QUIRE_SEGMENT_SYSTEM ? part_pages(side) : side->location;
}

/**
 * quire_operation_special_lock - move an image to or from its alternate view, or a part of it
 * @work: the part has a source and a destination, and a layout
 * @bo: the object
 * @use: of the range that showed it, which the device ends
 *
 * Returns: 0, or an error.
 */
int quire_operation_special_lock(struct quire_paging_work *work, struct quire_bo *bo,
				 const struct quire_range_use *use)
{
	const struct quire_page_runs *sides = work->part.sides;
	const struct quire_page_runs *moved = quire_paging_part_linear(&work->part);

	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER,
		.allocation = &bo->allocation,
		.u.special_lock = {
			.source = part_side(&sides[QUIRE_PAGING_SOURCE]),
			.destination = part_side(&sides[QUIRE_PAGING_DESTINATION]),
			.transfer_offset = moved->location.start << QUIRE_PAGE_SHIFT,
			.transfer_size = part_bytes(moved),
			.flags = transfer_flags(&work->part),
			.swizzling_range_id = use->id,
			.swizzling_range_data = use->data,
		},
	});
}

/**
 * quire_operation_fill - fill the place of an object with zero, or a part of it
 * @work: the part has a destination, in VRAM
 * @bo: the object
 *
 * Returns: 0, or an error.
 */
int quire_operation_fill(struct quire_paging_work *work, struct quire_bo *bo)
{
	const struct quire_page_runs *side = &work->part.sides[QUIRE_PAGING_DESTINATION];

	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_FILL,
		.allocation = &bo->allocation,
		.u.fill.destination = part_pages(side),
		.u.fill.fill_size = part_bytes(side),
	});
}

/**
 * quire_operation_discard - drop the content of an object that may be in use
 * @work: executed when the object is idle; the part has a source, in VRAM
 * @bo: the object
 *
 * Returns: 0, or an error.
 */
int quire_operation_discard(struct quire_paging_work *work, struct quire_bo *bo)
{
	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_DISCARD_CONTENT,
		.allocation = &bo->allocation,
		.u.discard.location = part_pages(&work->part.sides[QUIRE_PAGING_SOURCE]),
	});
}

/**
 * quire_operation_map - point a range of the aperture at pages of an object, or a part of it
 * @work: the part has system pages; with an address list, the CPU sees them through the window
 * @bo: the object
 * @res: the whole range
 *
 * Returns: 0, or an error.
 */
int quire_operation_map(struct quire_paging_work *work, struct quire_bo *bo,
			struct ttm_resource *res)
{
	const struct quire_page_runs *side = &work->part.sides[QUIRE_PAGING_MDL];
	const struct quire_paging_adl *adl = &work->part.adl;
	u64 start = work->part.lists ? adl->start : side->location.start;
	u32 flags = bo->base.ttm->caching == ttm_cached ? QUIRE_MAPAPERTURE_CACHE_COHERENT : 0;

	if (!work->part.lists)
		return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
			.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
			.u.map = {
				.offset_in_pages = first_page(res) + start,
				.number_of_pages = side->pages,
				.mdl = side->location,
				.mdl_offset = start,
				.flags = flags,
			},
		});
	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.u.map2 = {
			.offset_in_pages = first_page(res) + start,
			.number_of_pages = adl->page_count,
			.adl = *adl,
			.adl_offset = start,
			.flags = flags,
			.cpu_visible_address = quire_window_address(quire_bo_device(bo), res) +
					       (start << QUIRE_PAGE_SHIFT),
		},
	});
}

/**
 * quire_operation_unmap - point a range of the aperture at the dummy page
 * @work: its queue fills in the dummy page
 * @res: the range
 *
 * Returns: 0, or an error.
 */
int quire_operation_unmap(struct quire_paging_work *work, struct ttm_resource *res)
{
	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
		.u.unmap.offset_in_pages = first_page(res),
		.u.unmap.number_of_pages = res->size >> QUIRE_PAGE_SHIFT,
	});
}

/**
 * quire_operation_map_mmu - let pages of an MMU show consecutive pages of VRAM
 * @work: the list
 * @mmu: below %QUIRE_MMU_COUNT
 * @address: of the first page there
 * @first: page of VRAM that it shows
 * @pages: how many
 *
 * Returns: 0, or an error.
 */
int quire_operation_map_mmu(struct quire_paging_work *work, u32 mmu, u64 address, u64 first,
			    u32 pages)
{
	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_MAP_MMU,
		.u.map_mmu = {
			.virtual_address = address,
			.mmu_id = mmu,
			.segment = QUIRE_SEGMENT_VRAM,
			.adl.page_count = pages,
			.adl.contiguous = true,
			.adl.base_page_number = first,
		},
	});
}

/**
 * quire_operation_unmap_mmu - unmap pages of an MMU
 * @work: the list
 * @mmu: below %QUIRE_MMU_COUNT
 * @address: of the first page
 * @pages: how many
 *
 * Returns: 0, or an error.
 */
int quire_operation_unmap_mmu(struct quire_paging_work *work, u32 mmu, u64 address, u32 pages)
{
	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_UNMAP_MMU,
		.u.unmap_mmu.virtual_address = address,
		.u.unmap_mmu.mmu_id = mmu,
		.u.unmap_mmu.number_of_pages = pages,
	});
}

/**
 * quire_operation_flush - bring what was written through a range of the aperture to memory
 * @work: behind the last operation that writes there
 * @res: the range, mapped at least at its start, where a word is read
 *
 * The device may hold back writes to pages that are not coherent, beyond fence and unmap.
 *
 * Returns: 0, or an error.
 */
int quire_operation_flush(struct quire_paging_work *work, struct ttm_resource *res)
{
	return quire_paging_list_add(&work->list, &(struct quire_paging_args) {
		.operation = QUIRE_PAGING_READ_PHYSICAL,
		.u.physical.segment = QUIRE_SEGMENT_APERTURE,
		.u.physical.physical_address = first_page(res) << QUIRE_PAGE_SHIFT,
		.u.physical.size = sizeof(u64),
	});
}
