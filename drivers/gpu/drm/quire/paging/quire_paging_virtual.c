// SPDX-License-Identifier: GPL-2.0 OR MIT
/* VIRTUAL_TRANSFER and VIRTUAL_FILL: content at virtual addresses. */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

#define TRANSFER_FLAGS	(QUIRE_TRANSFER_SRC_64K | QUIRE_TRANSFER_DST_64K)

u64 quire_paging_transfer_virtual_units(const struct quire_paging_args *args)
{
	return quire_paging_bytes_to_pages(args->u.transfer_virtual.transfer_size);
}

int quire_paging_transfer_virtual_check(const struct quire_paging_caps *caps,
					const struct quire_paging_args *args)
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

	return quire_paging_check_virtual(transfer->destination_virtual_address,
					  transfer->transfer_size);
}

/* The sides may overlap: packets are cut and ordered as those of TRANSFER in one segment. */
void quire_paging_transfer_virtual_emit(struct quire_paging_args *args,
					struct quire_paging_packet *packet)
{
	const struct quire_paging_transfer_virtual *transfer = &args->u.transfer_virtual;
	u64 source = transfer->source_virtual_address;
	u64 destination = transfer->destination_virtual_address;
	u64 apart = max(source, destination) - min(source, destination);
	struct quire_packet_transfer_virtual *body = packet->at;
	u64 skip;

	if (apart)
		packet->count = min(packet->count, apart >> QUIRE_PAGE_SHIFT);
	if (destination > source && apart < transfer->transfer_size)
		packet->first = args->progress.pages - packet->first - packet->count;

	skip = packet->first << QUIRE_PAGE_SHIFT;
	packet->flags = transfer->flags;
	packet->bytes = quire_paging_piece_bytes(packet, transfer->transfer_size);
	body->direction = cpu_to_le32(transfer->transfer_direction);
	body->reserved = 0;
	body->src = cpu_to_le64(source + skip);
	body->dst = cpu_to_le64(destination + skip);
	body->size = cpu_to_le64(packet->bytes);
}

u64 quire_paging_fill_virtual_units(const struct quire_paging_args *args)
{
	return quire_paging_bytes_to_pages(args->u.fill_virtual.fill_size);
}

int quire_paging_fill_virtual_check(const struct quire_paging_caps *caps,
				    const struct quire_paging_args *args)
{
	const struct quire_paging_fill_virtual *fill = &args->u.fill_virtual;

	if (!IS_ALIGNED(fill->fill_size, sizeof(fill->fill_pattern)))
		return -EINVAL;

	return quire_paging_check_virtual(fill->destination_virtual_address, fill->fill_size);
}

/* A packet starts at a page, and so with the whole pattern. */
void quire_paging_fill_virtual_emit(struct quire_paging_args *args,
				    struct quire_paging_packet *packet)
{
	const struct quire_paging_fill_virtual *fill = &args->u.fill_virtual;
	struct quire_packet_fill_virtual *body = packet->at;

	packet->bytes = quire_paging_piece_bytes(packet, fill->fill_size);
	body->dst = cpu_to_le64(fill->destination_virtual_address +
				(packet->first << QUIRE_PAGE_SHIFT));
	body->size = cpu_to_le64(packet->bytes);
	body->pattern = cpu_to_le32(fill->fill_pattern);
	body->reserved = 0;
}
