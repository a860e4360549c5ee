// SPDX-License-Identifier: GPL-2.0 OR MIT
/* READ_PHYSICAL and WRITE_PHYSICAL: touch up to eight bytes, as a flush. */

#include <linux/errno.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static u64 physical_pages(const struct quire_paging_args *args)
{
	return 1;
}

static int write_check(const struct quire_paging_caps *caps,
		       const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_physical *physical = &args->u.physical;
	u64 address = physical->physical_address;

	if (physical->segment > QUIRE_SEGMENT_APERTURE)
		return -EINVAL;
	if (physical->size < 1 || physical->size > sizeof(physical->value))
		return -EINVAL;
	if ((address & (QUIRE_PAGE_SIZE - 1)) + physical->size > QUIRE_PAGE_SIZE)
		return -EINVAL;

	*pages = physical_pages(args);
	return quire_paging_check_segment(caps, physical->segment,
					  address >> QUIRE_PAGE_SHIFT, *pages);
}

static int read_check(const struct quire_paging_caps *caps,
		      const struct quire_paging_args *args, u64 *pages)
{
	if (args->u.physical.value)
		return -EINVAL;

	return write_check(caps, args, pages);
}

static enum quire_build_status
physical_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_physical *physical = &args->u.physical;
	struct quire_packet_physical *packet = args->dma_buffer;

	if (!quire_paging_fits(args, sizeof(*packet)))
		return QUIRE_BUILD_FULL;

	packet->segment = cpu_to_le32(physical->segment);
	packet->size = cpu_to_le32(physical->size);
	packet->address = cpu_to_le64(physical->physical_address);
	packet->value = cpu_to_le64(physical->value);
	quire_paging_commit(args, 0, sizeof(*packet), physical->size, pages);

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_read_ops = {
	.name = "READ_PHYSICAL",
	.opcode = QUIRE_OP_READ_PHYSICAL,
	.check = read_check,
	.pages = physical_pages,
	.build = physical_build,
};

const struct quire_paging_operation_ops quire_paging_write_ops = {
	.name = "WRITE_PHYSICAL",
	.opcode = QUIRE_OP_WRITE_PHYSICAL,
	.check = write_check,
	.pages = physical_pages,
	.build = physical_build,
};
