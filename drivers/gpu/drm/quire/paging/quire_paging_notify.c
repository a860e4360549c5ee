// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Notices: NOTIFY_RESIDENCY and NOTIFY_RESIDENCY2, an allocation or a part of it comes or leaves;
 * NOTIFY_ALLOC, pages of it are about to go; NOTIFY_FENCE_RESIDENCY, where native fences are.
 */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static bool is_named(const struct quire_paging_args *args)
{
	return args->allocation && args->allocation->id;
}

static bool is_place(u32 segment)
{
	return segment == QUIRE_SEGMENT_VRAM || segment == QUIRE_SEGMENT_APERTURE;
}

/* Pages of the whole allocation in a segment: the aperture shows its backing. */
static u64 allocation_pages(const struct quire_paging_allocation *allocation, u32 segment)
{
	return quire_paging_bytes_to_pages(segment == QUIRE_SEGMENT_VRAM ?
					   allocation->pitch_aligned_size : allocation->size);
}

/* @address: of the first of @pages */
static int check_place(const struct quire_paging_caps *caps, u32 segment, u64 address, u64 pages)
{
	if (!IS_ALIGNED(address, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment, address >> QUIRE_PAGE_SHIFT, pages);
}

int quire_paging_notify_residency_check(const struct quire_paging_caps *caps,
					const struct quire_paging_args *args)
{
	const struct quire_paging_notify_residency *notify = &args->u.notify_residency;
	u64 pages;
	int err;

	if (!is_named(args))
		return -EINVAL;
	if (!notify->resident)
		return notify->segment || notify->physical_address ? -EINVAL : 0;

	pages = allocation_pages(args->allocation, notify->segment);
	if (!is_place(notify->segment) || !pages)
		return -EINVAL;
	if (pages > U32_MAX)
		return -E2BIG;

	err = check_place(caps, notify->segment, notify->physical_address, pages);
	if (err)
		return err;

	/* The number of the segment stands above the offset. */
	return notify->physical_address >> QUIRE_ADDRESS_SEGMENT_SHIFT ? -ERANGE : 0;
}

void quire_paging_notify_residency_emit(struct quire_paging_args *args,
					struct quire_paging_packet *packet)
{
	const struct quire_paging_notify_residency *notify = &args->u.notify_residency;
	struct quire_packet_notify_residency *body = packet->at;
	u32 pages = 0;

	if (notify->resident) {
		pages = allocation_pages(args->allocation, notify->segment);
		packet->flags = QUIRE_NOTIFY_RESIDENT;
	}
	body->allocation = cpu_to_le32(args->allocation->id);
	body->pages = cpu_to_le32(pages);
	body->address = cpu_to_le64(QUIRE_ADDRESS(notify->segment, notify->physical_address));
}

u64 quire_paging_notify_residency2_units(const struct quire_paging_args *args)
{
	return args->u.notify_residency2.size_in_pages;
}

int quire_paging_notify_residency2_check(const struct quire_paging_caps *caps,
					 const struct quire_paging_args *args)
{
	const struct quire_paging_notify_residency2 *notify = &args->u.notify_residency2;
	u64 end = (u64)notify->allocation_offset_in_pages + notify->size_in_pages;

	if (!is_named(args) || !is_place(notify->segment))
		return -EINVAL;
	if (end > allocation_pages(args->allocation, notify->segment))
		return -ERANGE;
	if (end > U32_MAX)
		return -E2BIG;

	if (!notify->resident)
		return notify->contiguous || notify->mdl.nr_runs ? -EINVAL : 0;
	if (notify->contiguous)
		return check_place(caps, notify->segment, notify->physical_address,
				   notify->size_in_pages);
	if (notify->mdl.segment != notify->segment)
		return -EINVAL;

	return quire_paging_check_location(caps, &notify->mdl, notify->allocation_offset_in_pages,
					   notify->size_in_pages);
}

void quire_paging_notify_residency2_emit(struct quire_paging_args *args,
					 struct quire_paging_packet *packet)
{
	const struct quire_paging_notify_residency2 *notify = &args->u.notify_residency2;
	u64 offset = notify->allocation_offset_in_pages + packet->first;
	struct quire_packet_notify_residency2 *body = packet->at;

	if (notify->resident) {
		const struct quire_page_run run = {
			.first = notify->physical_address >> QUIRE_PAGE_SHIFT,
			.count = notify->size_in_pages,
		};
		const struct quire_paging_location contiguous = {
			.nr_runs = 1,
			.start = notify->allocation_offset_in_pages,
			.runs = &run,
		};
		const struct quire_paging_location *pages =
			notify->contiguous ? &contiguous : &notify->mdl;

		quire_page_cursor_seek(&args->progress.source, pages, offset);
		quire_paging_write_runs(packet, body->runs, pages, &args->progress.source);
		packet->flags = QUIRE_NOTIFY_RESIDENT;
	}
	if (!packet->count)
		return;

	body->allocation = cpu_to_le32(args->allocation->id);
	body->segment = cpu_to_le32(notify->segment);
	body->offset = cpu_to_le32(offset);
	body->pages = cpu_to_le32(packet->count);
}

/* One packet, however many pages there are. */
u64 quire_paging_notify_alloc_units(const struct quire_paging_args *args)
{
	return !!args->u.notify_alloc.size_in_bytes;
}

int quire_paging_notify_alloc_check(const struct quire_paging_caps *caps,
				    const struct quire_paging_args *args)
{
	const struct quire_paging_notify_alloc *notify = &args->u.notify_alloc;
	u64 first = notify->offset_in_bytes >> QUIRE_PAGE_SHIFT;
	u64 count = notify->size_in_bytes >> QUIRE_PAGE_SHIFT;
	u64 pages;

	if (!is_named(args))
		return -EINVAL;
	if (notify->flags != QUIRE_NOTIFY_EVICTION && notify->flags != QUIRE_NOTIFY_IOMMU_UNMAP)
		return -EINVAL;
	if (!IS_ALIGNED(notify->offset_in_bytes | notify->size_in_bytes, QUIRE_PAGE_SIZE))
		return -EINVAL;

	/* The backing is what can be mapped and evicted. */
	pages = quire_paging_bytes_to_pages(args->allocation->size);
	if (first > pages || count > pages - first)
		return -ERANGE;

	return quire_paging_check_virtual(notify->gpu_virtual_address_at_offset,
					  notify->size_in_bytes);
}

void quire_paging_notify_alloc_emit(struct quire_paging_args *args,
				    struct quire_paging_packet *packet)
{
	const struct quire_paging_notify_alloc *notify = &args->u.notify_alloc;
	struct quire_packet_notify_allocation *body = packet->at;

	body->allocation = cpu_to_le32(args->allocation->id);
	body->reserved = 0;
	body->offset = cpu_to_le64(notify->offset_in_bytes);
	body->size = cpu_to_le64(notify->size_in_bytes);
	body->address = cpu_to_le64(notify->gpu_virtual_address_at_offset);
	packet->flags = notify->flags;
}

u64 quire_paging_notify_fences_units(const struct quire_paging_args *args)
{
	return args->u.notify_fences.num_fences;
}

/* The value is in one page, as it is aligned. */
static int check_value(const struct quire_paging_caps *caps, u64 address)
{
	u32 segment = QUIRE_ADDRESS_SEGMENT(address);

	if (segment > QUIRE_SEGMENT_APERTURE || !IS_ALIGNED(address, sizeof(__le64)))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment,
					  QUIRE_ADDRESS_OFFSET(address) >> QUIRE_PAGE_SHIFT, 1);
}

static int check_fence(const struct quire_paging_caps *caps,
		       const struct quire_paging_fence_residency *fence)
{
	u64 current_value = fence->current_value_address;
	u64 monitored_value = fence->monitored_value_address;

	if (fence->native_fence >= QUIRE_NATIVE_FENCES)
		return -ERANGE;
	if (!fence->owner != !current_value || !current_value != !monitored_value)
		return -EINVAL;
	if (!fence->owner)
		return 0;
	if (!(fence->owner & QUIRE_PTE_VALID))
		return -EINVAL;

	return check_value(caps, current_value) ?: check_value(caps, monitored_value);
}

int quire_paging_notify_fences_check(const struct quire_paging_caps *caps,
				     const struct quire_paging_args *args)
{
	const struct quire_paging_notify_fences *notify = &args->u.notify_fences;
	int err = 0;
	u32 i;

	if (notify->num_fences && !notify->fences)
		return -EINVAL;
	for (i = 0; i < notify->num_fences && !err; i++)
		err = check_fence(caps, &notify->fences[i]);

	return err;
}

void quire_paging_notify_fences_emit(struct quire_paging_args *args,
				     struct quire_paging_packet *packet)
{
	const struct quire_paging_fence_residency *fences =
		&args->u.notify_fences.fences[packet->first];
	struct quire_packet_notify_fences *body = packet->at;
	u32 i;

	packet->count = min(packet->count, packet->room / sizeof(*body->fences));
	packet->list = packet->count * sizeof(*body->fences);
	for (i = 0; i < packet->count; i++)
		body->fences[i] = (struct quire_fence_place) {
			.fence = cpu_to_le32(fences[i].native_fence),
			.owner = cpu_to_le64(fences[i].owner),
			.current_value = cpu_to_le64(fences[i].current_value_address),
			.monitored_value = cpu_to_le64(fences[i].monitored_value_address),
		};
}
