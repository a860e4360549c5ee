// SPDX-License-Identifier: GPL-2.0 OR MIT
/* VIRTUAL_TRANSFER and VIRTUAL_FILL: move content by its virtual addresses, or make it. */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

#define TRANSFER_FLAGS	(QUIRE_TRANSFER_SRC_64K | QUIRE_TRANSFER_DST_64K)

static u64 transfer_virtual_pages(const struct quire_paging_args *args)
{
	return quire_paging_bytes_to_pages(args->u.transfer_virtual.transfer_size);
}

static int transfer_virtual_check(const struct quire_paging_caps *caps,
				  const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_transfer_virtual *transfer = &args->u.transfer_virtual;
	int err;

	if (transfer->transfer_direction > QUIRE_DIRECTION_LOCAL_TO_LOCAL ||
	    transfer->flags & ~TRANSFER_FLAGS)
		return -EINVAL;

	err = quire_paging_check_virtual(transfer->source_virtual_address,
					 transfer->transfer_size);
	if (err)
		return err;

	*pages = transfer_virtual_pages(args);
	return quire_paging_check_virtual(transfer->destination_virtual_address,
					  transfer->transfer_size);
}

/* Would packets in ascending order overwrite what later ones read? */
static bool transfer_virtual_from_end(const struct quire_paging_transfer_virtual *transfer)
{
	u64 source = transfer->source_virtual_address;
	u64 destination = transfer->destination_virtual_address;

	return destination > source && destination - source < transfer->transfer_size;
}

/*
 * The most pages of a packet. It may be executed a second time after a part of it was, which
 * must not find its source overwritten: its own sides do not overlap.
 */
static u64 transfer_virtual_most(const struct quire_paging_caps *caps,
				 const struct quire_paging_transfer_virtual *transfer)
{
	u64 source = transfer->source_virtual_address;
	u64 destination = transfer->destination_virtual_address;
	u64 apart = (max(source, destination) - min(source, destination)) >> QUIRE_PAGE_SHIFT;

	/* What is copied onto itself is what it was. */
	return apart ? min(apart, caps->max_packet_pages) : caps->max_packet_pages;
}

/* One packet: @pages from page @first of the transfer on. */
static void transfer_virtual_emit(struct quire_paging_args *args, u64 first, u64 pages)
{
	const struct quire_paging_transfer_virtual *transfer = &args->u.transfer_virtual;
	struct quire_packet_transfer_virtual *packet = args->dma_buffer;
	u64 bytes = quire_paging_piece_bytes(transfer->transfer_size, first, pages);
	u64 skip = first << QUIRE_PAGE_SHIFT;

	packet->direction = cpu_to_le32(transfer->transfer_direction);
	packet->reserved = 0;
	packet->src = cpu_to_le64(transfer->source_virtual_address + skip);
	packet->dst = cpu_to_le64(transfer->destination_virtual_address + skip);
	packet->size = cpu_to_le64(bytes);
	quire_paging_commit(args, transfer->flags, sizeof(*packet), bytes, pages);
}

static enum quire_build_status
transfer_virtual_build(const struct quire_paging_caps *caps, struct quire_paging_args *args,
		       u64 pages)
{
	const struct quire_paging_transfer_virtual *transfer = &args->u.transfer_virtual;
	bool from_end = transfer_virtual_from_end(transfer);
	u64 most = transfer_virtual_most(caps, transfer);

	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;
		u64 count = min(pages - first, most);

		if (!quire_paging_fits(args, sizeof(struct quire_packet_transfer_virtual)))
			return QUIRE_BUILD_FULL;

		transfer_virtual_emit(args, from_end ? pages - first - count : first, count);
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_transfer_virtual_ops = {
	.name = "VIRTUAL_TRANSFER",
	.opcode = QUIRE_OP_TRANSFER_VIRTUAL,
	.check = transfer_virtual_check,
	.pages = transfer_virtual_pages,
	.build = transfer_virtual_build,
};

static u64 fill_virtual_pages(const struct quire_paging_args *args)
{
	return quire_paging_bytes_to_pages(args->u.fill_virtual.fill_size);
}

static int fill_virtual_check(const struct quire_paging_caps *caps,
			      const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_fill_virtual *fill = &args->u.fill_virtual;

	if (!IS_ALIGNED(fill->fill_size, sizeof(fill->fill_pattern)))
		return -EINVAL;

	*pages = fill_virtual_pages(args);
	return quire_paging_check_virtual(fill->destination_virtual_address, fill->fill_size);
}

/* A packet starts at a page, and so with the whole pattern. */
static void fill_virtual_emit(struct quire_paging_args *args, u64 first, u64 pages)
{
	const struct quire_paging_fill_virtual *fill = &args->u.fill_virtual;
	struct quire_packet_fill_virtual *packet = args->dma_buffer;
	u64 bytes = quire_paging_piece_bytes(fill->fill_size, first, pages);

	packet->dst = cpu_to_le64(fill->destination_virtual_address +
				  (first << QUIRE_PAGE_SHIFT));
	packet->size = cpu_to_le64(bytes);
	packet->pattern = cpu_to_le32(fill->fill_pattern);
	packet->reserved = 0;
	quire_paging_commit(args, 0, sizeof(*packet), bytes, pages);
}

static enum quire_build_status
fill_virtual_build(const struct quire_paging_caps *caps, struct quire_paging_args *args,
		   u64 pages)
{
	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, sizeof(struct quire_packet_fill_virtual)))
			return QUIRE_BUILD_FULL;

		fill_virtual_emit(args, first, min(pages - first, caps->max_packet_pages));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_fill_virtual_ops = {
	.name = "VIRTUAL_FILL",
	.opcode = QUIRE_OP_FILL_VIRTUAL,
	.check = fill_virtual_check,
	.pages = fill_virtual_pages,
	.build = fill_virtual_build,
};
