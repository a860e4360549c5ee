// SPDX-License-Identifier: GPL-2.0 OR MIT
/* DISCARD_CONTENT: content leaves a memory segment and is not copied. */

#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

/* All of the allocation: the only operation whose size is that of its runs. */
static u64 discard_pages(const struct quire_paging_args *args)
{
	const struct quire_paging_location *location = &args->u.discard.location;
	u64 pages = 0;
	u32 i;

	for (i = 0; i < location->nr_runs; i++)
		pages += location->runs[i].count;

	return pages;
}

static int discard_check(const struct quire_paging_caps *caps,
			 const struct quire_paging_args *args, u64 *pages)
{
	if (args->u.discard.location.segment != QUIRE_SEGMENT_VRAM)
		return -EINVAL;
	if (args->u.discard.location.start)
		return -ERANGE;

	return quire_paging_check_runs(caps, &args->u.discard.location, pages);
}

/* @pages: of one run */
static void discard_emit(struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_location *location = &args->u.discard.location;
	struct quire_page_cursor *cursor = &args->progress.destination;
	struct quire_packet_discard *packet = args->dma_buffer;
	u64 bytes = pages << QUIRE_PAGE_SHIFT;

	packet->segment = cpu_to_le32(location->segment);
	packet->reserved = 0;
	packet->address = cpu_to_le64(quire_page_cursor_number(cursor, location) <<
				      QUIRE_PAGE_SHIFT);
	packet->size = cpu_to_le64(bytes);
	quire_page_cursor_advance(cursor, location, pages);
	quire_paging_commit(args, 0, sizeof(*packet), bytes, pages);
}

static enum quire_build_status
discard_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_location *location = &args->u.discard.location;
	struct quire_page_cursor *cursor = &args->progress.destination;

	quire_page_cursor_seek(cursor, location, args->multipass_offset);
	while (args->multipass_offset < pages) {
		if (!quire_paging_fits(args, sizeof(struct quire_packet_discard)))
			return QUIRE_BUILD_FULL;

		discard_emit(args, min(caps->max_packet_pages,
				       quire_page_cursor_left(cursor, location)));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_discard_ops = {
	.name = "DISCARD_CONTENT",
	.opcode = QUIRE_OP_DISCARD_CONTENT,
	.may_be_busy = true,
	.check = discard_check,
	.pages = discard_pages,
	.build = discard_build,
};
