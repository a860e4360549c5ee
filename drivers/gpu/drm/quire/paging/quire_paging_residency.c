// SPDX-License-Identifier: GPL-2.0 OR MIT
/* NOTIFY_RESIDENCY and NOTIFY_RESIDENCY2: an allocation, or a part of it, comes or leaves. */

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

/* Of the whole allocation, in a segment: the aperture shows its backing. */
static u64 resident_pages(const struct quire_paging_allocation *allocation, u32 segment)
{
	return quire_paging_bytes_to_pages(segment == QUIRE_SEGMENT_VRAM ?
					   allocation->pitch_aligned_size : allocation->size);
}

/* Can what comes be there? @address: of the first of @pages */
static int resident_check_place(const struct quire_paging_caps *caps, u32 segment, u64 address,
				u64 pages)
{
	if (!IS_ALIGNED(address, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment, address >> QUIRE_PAGE_SHIFT, pages);
}

static bool resident_is_segment(u32 segment)
{
	return segment == QUIRE_SEGMENT_VRAM || segment == QUIRE_SEGMENT_APERTURE;
}

/* All of the allocation is one packet. */
static u64 notify_pages(const struct quire_paging_args *args)
{
	return 1;
}

static int notify_check_coming(const struct quire_paging_caps *caps,
			       const struct quire_paging_args *args)
{
	const struct quire_paging_notify_residency *notify = &args->u.notify_residency;
	u64 all;
	int err;

	if (!resident_is_segment(notify->segment))
		return -EINVAL;
	all = resident_pages(args->allocation, notify->segment);
	if (!all)
		return -EINVAL;
	if (all > U32_MAX)
		return -E2BIG;

	err = resident_check_place(caps, notify->segment, notify->physical_address, all);
	if (err)
		return err;

	/* The number of the segment stands above the offset. */
	return notify->physical_address >> QUIRE_ADDRESS_SEGMENT_SHIFT ? -ERANGE : 0;
}

static int notify_check(const struct quire_paging_caps *caps,
			const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_notify_residency *notify = &args->u.notify_residency;

	if (!quire_paging_is_named(args))
		return -EINVAL;

	*pages = notify_pages(args);
	if (notify->resident)
		return notify_check_coming(caps, args);

	return notify->segment || notify->physical_address ? -EINVAL : 0;
}

static enum quire_build_status
notify_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_notify_residency *notify = &args->u.notify_residency;
	struct quire_packet_notify_residency *packet = args->dma_buffer;
	u32 all = notify->resident ? resident_pages(args->allocation, notify->segment) : 0;

	if (!quire_paging_fits(args, sizeof(*packet)))
		return QUIRE_BUILD_FULL;

	packet->allocation = cpu_to_le32(args->allocation->id);
	packet->pages = cpu_to_le32(all);
	packet->address = cpu_to_le64(QUIRE_ADDRESS(notify->segment, notify->physical_address));
	quire_paging_commit(args, notify->resident ? QUIRE_NOTIFY_RESIDENT : 0, sizeof(*packet),
			    0, pages);

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_notify_residency_ops = {
	.name = "NOTIFY_RESIDENCY",
	.opcode = QUIRE_OP_NOTIFY_RESIDENCY,
	.check = notify_check,
	.pages = notify_pages,
	.build = notify_build,
};

static u64 notify2_pages(const struct quire_paging_args *args)
{
	return args->u.notify_residency2.size_in_pages;
}

/* What leaves is said to be nowhere. */
static int notify2_check_place(const struct quire_paging_caps *caps,
			       const struct quire_paging_notify_residency2 *notify)
{
	if (!notify->resident)
		return notify->contiguous || notify->mdl.nr_runs ? -EINVAL : 0;
	if (notify->contiguous)
		return resident_check_place(caps, notify->segment, notify->physical_address,
					    notify->size_in_pages);
	if (notify->mdl.segment != notify->segment)
		return -EINVAL;

	return quire_paging_check_location(caps, &notify->mdl, notify->allocation_offset_in_pages,
					   notify->size_in_pages);
}

static int notify2_check(const struct quire_paging_caps *caps,
			 const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_notify_residency2 *notify = &args->u.notify_residency2;
	u64 end = (u64)notify->allocation_offset_in_pages + notify->size_in_pages;

	if (!quire_paging_is_named(args) || !resident_is_segment(notify->segment))
		return -EINVAL;
	if (end > resident_pages(args->allocation, notify->segment))
		return -ERANGE;
	if (end > U32_MAX)
		return -E2BIG;

	*pages = notify2_pages(args);
	return notify2_check_place(caps, notify);
}

/* The pages of the part. @run: where those that follow each other are noted */
static struct quire_paging_location
notify2_location(const struct quire_paging_notify_residency2 *notify, struct quire_page_run *run)
{
	if (!notify->contiguous)
		return notify->mdl;

	run->first = notify->physical_address >> QUIRE_PAGE_SHIFT;
	run->count = notify->size_in_pages;
	return (struct quire_paging_location) {
		.segment = notify->segment,
		.nr_runs = 1,
		.start = notify->allocation_offset_in_pages,
		.runs = run,
	};
}

/* From page @first of the part on. A list that does not fit makes it shorter than @pages. */
static void notify2_emit(struct quire_paging_args *args,
			 const struct quire_paging_location *location, u64 first, u64 pages)
{
	const struct quire_paging_notify_residency2 *notify = &args->u.notify_residency2;
	struct quire_packet_notify_residency2 *packet = args->dma_buffer;
	u32 nr = 0;

	if (notify->resident)
		nr = quire_paging_write_runs(args, packet->runs, location,
					     &args->progress.source, &pages);

	packet->allocation = cpu_to_le32(args->allocation->id);
	packet->segment = cpu_to_le32(notify->segment);
	packet->offset = cpu_to_le32(notify->allocation_offset_in_pages + first);
	packet->pages = cpu_to_le32(pages);
	quire_paging_commit(args, notify->resident ? QUIRE_NOTIFY_RESIDENT : 0,
			    sizeof(*packet) + nr * sizeof(*packet->runs), 0, pages);
}

static enum quire_build_status
notify2_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_notify_residency2 *notify = &args->u.notify_residency2;
	size_t smallest = sizeof(struct quire_packet_notify_residency2);
	struct quire_paging_location location;
	struct quire_page_run run;

	location = notify2_location(notify, &run);
	if (notify->resident) {
		smallest += sizeof(__le64);
		quire_page_cursor_seek(&args->progress.source, &location,
				       notify->allocation_offset_in_pages +
				       (u64)args->multipass_offset);
	}
	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, smallest))
			return QUIRE_BUILD_FULL;

		notify2_emit(args, &location, first, min(pages - first, caps->max_packet_pages));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_notify_residency2_ops = {
	.name = "NOTIFY_RESIDENCY2",
	.opcode = QUIRE_OP_NOTIFY_RESIDENCY2,
	.check = notify2_check,
	.pages = notify2_pages,
	.build = notify2_build,
};
