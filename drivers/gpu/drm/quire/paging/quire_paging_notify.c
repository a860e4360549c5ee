// SPDX-License-Identifier: GPL-2.0 OR MIT
/* NOTIFY_ALLOC: pages of an allocation are about to go. */

#include <linux/align.h>
#include <linux/errno.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

/* One packet, however many pages there are. */
static u64 notify_pages(const struct quire_paging_args *args)
{
	return !!args->u.notify_alloc.size_in_bytes;
}

/* Is it a part of the backing, which is what can be mapped and evicted? */
static int notify_check_part(const struct quire_paging_allocation *allocation, u64 offset,
			     u64 size)
{
	u64 pages = quire_paging_bytes_to_pages(allocation->size);
	u64 first = offset >> QUIRE_PAGE_SHIFT;

	if (!IS_ALIGNED(offset, QUIRE_PAGE_SIZE) || !IS_ALIGNED(size, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return first > pages || size >> QUIRE_PAGE_SHIFT > pages - first ? -ERANGE : 0;
}

static int notify_check(const struct quire_paging_caps *caps,
			const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_notify_alloc *notify = &args->u.notify_alloc;
	int err;

	if (!quire_paging_is_named(args))
		return -EINVAL;
	if (notify->flags != QUIRE_NOTIFY_EVICTION && notify->flags != QUIRE_NOTIFY_IOMMU_UNMAP)
		return -EINVAL;

	*pages = notify_pages(args);
	err = notify_check_part(args->allocation, notify->offset_in_bytes,
				notify->size_in_bytes);
	if (err)
		return err;

	return quire_paging_check_virtual(notify->gpu_virtual_address_at_offset,
					  notify->size_in_bytes);
}

static enum quire_build_status
notify_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_notify_alloc *notify = &args->u.notify_alloc;
	struct quire_packet_notify_allocation *packet = args->dma_buffer;

	if (!quire_paging_fits(args, sizeof(*packet)))
		return QUIRE_BUILD_FULL;

	packet->allocation = cpu_to_le32(args->allocation->id);
	packet->reserved = 0;
	packet->offset = cpu_to_le64(notify->offset_in_bytes);
	packet->size = cpu_to_le64(notify->size_in_bytes);
	packet->address = cpu_to_le64(notify->gpu_virtual_address_at_offset);
	quire_paging_commit(args, notify->flags, sizeof(*packet), 0, pages);

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_notify_alloc_ops = {
	.name = "NOTIFY_ALLOC",
	.opcode = QUIRE_OP_NOTIFY_ALLOCATION,
	.check = notify_check,
	.pages = notify_pages,
	.build = notify_build,
};
