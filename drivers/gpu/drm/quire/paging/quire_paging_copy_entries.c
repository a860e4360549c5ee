// SPDX-License-Identifier: GPL-2.0 OR MIT
/* COPY_PAGE_TABLE_ENTRIES: entries of page tables become those of others. */

#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static u64 copy_ranges(const struct quire_paging_args *args)
{
	return args->u.copy_entries.num_ranges;
}

static int copy_check_side(u64 table, u32 start, u32 count)
{
	int err = quire_paging_check_virtual(table, QUIRE_PAGE_SIZE);

	if (err)
		return err;

	return (u64)start + count > QUIRE_PT_ENTRIES ? -ERANGE : 0;
}

static int copy_check_range(const struct quire_paging_copy_range *range)
{
	int err;

	if (!range->num_page_table_entries)
		return -EINVAL;

	err = copy_check_side(range->src_page_table_address, range->src_start_pte_index,
			      range->num_page_table_entries);
	if (err)
		return err;

	return copy_check_side(range->dst_page_table_address, range->dst_start_pte_index,
			       range->num_page_table_entries);
}

static int copy_check(const struct quire_paging_caps *caps,
		      const struct quire_paging_args *args, u64 *ranges)
{
	const struct quire_paging_copy_entries *copy = &args->u.copy_entries;
	int err = 0;
	u32 i;

	if (copy->num_ranges && !copy->ranges)
		return -EINVAL;

	*ranges = copy_ranges(args);
	for (i = 0; i < copy->num_ranges && !err; i++)
		err = copy_check_range(&copy->ranges[i]);

	return err;
}

static void copy_write(struct quire_copy_range *to, const struct quire_paging_copy_range *range)
{
	to->src = cpu_to_le64(range->src_page_table_address);
	to->dst = cpu_to_le64(range->dst_page_table_address);
	to->src_start = cpu_to_le32(range->src_start_pte_index);
	to->dst_start = cpu_to_le32(range->dst_start_pte_index);
	to->count = cpu_to_le32(range->num_page_table_entries);
	to->reserved = 0;
}

static void copy_emit(struct quire_paging_args *args, u32 first, u32 count)
{
	const struct quire_paging_copy_entries *copy = &args->u.copy_entries;
	struct quire_packet_copy_page_table *packet = args->dma_buffer;
	u64 entries = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		copy_write(&packet->ranges[i], &copy->ranges[first + i]);
		entries += copy->ranges[first + i].num_page_table_entries;
	}
	quire_paging_commit(args, 0, sizeof(*packet) + count * sizeof(*packet->ranges),
			    entries * sizeof(__le64), count);
}

static enum quire_build_status
copy_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 ranges)
{
	const size_t fixed = sizeof(struct quire_packet_copy_page_table);
	const size_t size = sizeof(struct quire_copy_range);

	while (args->multipass_offset < ranges) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, fixed + size))
			return QUIRE_BUILD_FULL;

		copy_emit(args, first, min3(ranges - first, caps->max_packet_pages,
					    (args->dma_size - fixed) / size));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_copy_entries_ops = {
	.name = "COPY_PAGE_TABLE_ENTRIES",
	.opcode = QUIRE_OP_COPY_PAGE_TABLE,
	.check = copy_check,
	.pages = copy_ranges,
	.build = copy_build,
};
