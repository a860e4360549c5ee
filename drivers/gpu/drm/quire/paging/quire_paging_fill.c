// SPDX-License-Identifier: GPL-2.0 OR MIT
/* FILL: repeat a pattern over pages of a memory segment. */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static u64 fill_pages(const struct quire_paging_args *args)
{
	return quire_paging_bytes_to_pages(args->u.fill.fill_size);
}

static int fill_check(const struct quire_paging_caps *caps,
		      const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_fill *fill = &args->u.fill;

	if (fill->destination.segment != QUIRE_SEGMENT_VRAM)
		return -EINVAL;
	if (!IS_ALIGNED(fill->fill_size, sizeof(fill->fill_pattern)))
		return -EINVAL;

	*pages = fill_pages(args);
	return quire_paging_check_location(caps, &fill->destination, 0, *pages);
}

/* @pages: of one run; @first: of them, counted from the start of the fill */
static void fill_emit(struct quire_paging_args *args, u64 first, u64 pages)
{
	struct quire_page_cursor *cursor = &args->progress.destination;
	const struct quire_paging_fill *fill = &args->u.fill;
	struct quire_packet_fill *packet = args->dma_buffer;
	u64 address = quire_page_cursor_number(cursor, &fill->destination) << QUIRE_PAGE_SHIFT;
	u64 bytes = quire_paging_piece_bytes(fill->fill_size, first, pages);

	/* A packet starts at a page, and so with the whole pattern. */
	packet->segment = cpu_to_le32(fill->destination.segment);
	packet->pattern = cpu_to_le32(fill->fill_pattern);
	packet->address = cpu_to_le64(address);
	packet->size = cpu_to_le64(bytes);
	quire_page_cursor_advance(cursor, &fill->destination, pages);
	quire_paging_commit(args, 0, sizeof(*packet), bytes, pages);
}

static enum quire_build_status
fill_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_location *destination = &args->u.fill.destination;
	struct quire_page_cursor *cursor = &args->progress.destination;

	quire_page_cursor_seek(cursor, destination, args->multipass_offset);
	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, sizeof(struct quire_packet_fill)))
			return QUIRE_BUILD_FULL;

		fill_emit(args, first, min3(pages - first, caps->max_packet_pages,
					    quire_page_cursor_left(cursor, destination)));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_fill_ops = {
	.name = "FILL",
	.opcode = QUIRE_OP_FILL,
	.check = fill_check,
	.pages = fill_pages,
	.build = fill_build,
};
