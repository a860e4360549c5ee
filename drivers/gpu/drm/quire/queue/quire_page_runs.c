// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Page runs
 *
 * Turns what TTM has (blocks in VRAM, a range of the aperture, the DMA addresses of a ttm_tt) into
 * what the builder takes: an array of page runs in the order of the object, neighbours joined, so
 * that a packet is as long as the memory allows. TTM's data is walked once, part after part, and
 * each part is written to an array of constant size that the caller lends.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer.Source and Destination, pMdl.
 */
/**
 * DOC: Parts of a move
 *
 * A move is described to the builder in parts of a bounded number of page runs, written to arrays
 * that the queue has allocated once, so an eviction allocates none when memory is short. Each part
 * is a submission, which takes the same few small allocations whatever the object is.
 *
 * Between two parts other moves use the arrays. A waiter for the arrays has no paging buffer open,
 * since their holder may wait for one: a list is submitted before its next part. Their holder never
 * waits until an object is idle or a list is executed: the builder asks before the first part.
 *
 * Locking: &quire_paging_queue.runs_lock, from quire_paging_work_next_part() to
 * quire_paging_part_end(). Taken with reservation locks held; &quire_paging_queue.pool_lock is
 * taken, and memory allocated, under it. Giving pages back never takes it: unmapping needs no runs.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, Transfer.TransferOffset and MdlOffset.
 */
#include <linux/minmax.h>
#include <linux/module.h>

#include <kunit/visibility.h>
#include <quire/quire_layout.h>

#include "paging/quire_paging.h"
#include "quire_page_runs.h"
#include "quire_paging_queue.h"

/* A packet with one run. */
#define PACKET_BYTES	(sizeof(struct quire_packet_transfer) + sizeof(__le64))

static void runs_write(struct quire_page_runs *runs, struct quire_page_run *array, u32 room,
		       u64 pages)
{
	struct quire_cursor *cursor = &runs->next;
	u64 left = pages, count;
	u32 nr = 0;

	for (; cursor->count && left; quire_cursor_skip(cursor, count)) {
		count = min(cursor->count, left);
		if (nr && cursor->first == array[nr - 1].first + array[nr - 1].count)
			array[nr - 1].count += count;
		else if (nr < room)
			array[nr++] = (struct quire_page_run) { cursor->first, count };
		else
			break;
		left -= count;
	}

	runs->pages = pages - left;
	runs->location.nr_runs = nr;
	runs->location.runs = array;
}

/**
 * quire_page_runs_init - start to describe the place of an object
 * @runs: to initialise; there is no part yet
 * @res: the place, which does not change meanwhile; NULL is system memory
 * @tt: pages of the object; used if @res is system memory: populated, with DMA addresses
 */
void quire_page_runs_init(struct quire_page_runs *runs, struct ttm_resource *res,
			  struct ttm_tt *tt)
{
	*runs = (struct quire_page_runs) { .location.segment = QUIRE_SEGMENT_SYSTEM };
	if (res && res->mem_type == QUIRE_PL_SYSTEM)
		res = NULL;
	if (res)
		runs->location.segment = res->mem_type == QUIRE_PL_VRAM ? QUIRE_SEGMENT_VRAM :
									  QUIRE_SEGMENT_APERTURE;
	quire_cursor_first(&runs->next, res, tt);
	runs->part = runs->next;
}
EXPORT_SYMBOL_IF_KUNIT(quire_page_runs_init);

/**
 * quire_page_runs_next - describe the next part
 * @runs: the place; its part is set
 * @array: where the runs are written
 * @room: runs that @array holds, not 0
 * @pages: of the part, at most; fewer where the place ends or @array is full
 */
void quire_page_runs_next(struct quire_page_runs *runs, struct quire_page_run *array,
			  u32 room, u64 pages)
{
	runs->location.start += runs->pages;
	runs->part = runs->next;
	runs_write(runs, array, room, pages);
}
EXPORT_SYMBOL_IF_KUNIT(quire_page_runs_next);

/**
 * quire_page_runs_from - describe a part that may begin in the last one
 * @runs: the place; its part is set
 * @array: where the runs are written
 * @room: runs that @array holds; enough
 * @first: page of the place, not before the last part
 * @pages: of the part; the place has them
 */
void quire_page_runs_from(struct quire_page_runs *runs, struct quire_page_run *array,
			  u32 room, u64 first, u64 pages)
{
	u64 skip = first - runs->location.start, count;

	for (; skip; skip -= count) {
		count = min(runs->part.count, skip);
		quire_cursor_skip(&runs->part, count);
	}
	runs->location.start = first;
	runs->next = runs->part;
	runs_write(runs, array, room, pages);
}
EXPORT_SYMBOL_IF_KUNIT(quire_page_runs_from);

static struct quire_page_run *part_array(const struct quire_paging_part *part, u32 side)
{
	return part->queue->runs + side * QUIRE_SUB_TRANSFER_PAGES;
}

/* The pages of the side with tiles are not those of the others. */
static bool part_is_tiled(const struct quire_paging_part *part, u32 side)
{
	return part->layout && side == part->tiled;
}

/* A page has at most 4096 surfaces, so one always fits. Returns the pages of the part. */
static u64 part_describe_tiles(struct quire_paging_part *part, u64 pages)
{
	const struct quire_page_runs *linear = quire_paging_part_linear(part);
	u64 first = (linear->location.start + linear->pages) << QUIRE_PAGE_SHIFT;
	u32 tile_shift = quire_layout_tile_shift(part->layout->kind) - QUIRE_PAGE_SHIFT;
	u64 tile_page, tile_pages;

	/* Each tile may be a run. */
	for (;; pages /= 2) {
		quire_paging_tiled_pages(part->layout, first, pages << QUIRE_PAGE_SHIFT,
					 &tile_page, &tile_pages);
		if (tile_pages >> tile_shift <= QUIRE_SUB_TRANSFER_PAGES)
			break;
	}
	quire_page_runs_from(&part->sides[part->tiled], part_array(part, part->tiled),
			     QUIRE_SUB_TRANSFER_PAGES, tile_page, tile_pages);
	return pages;
}

/* The pages of %QUIRE_PAGING_MDL; one run needs no array. */
static void part_list_pages(struct quire_paging_part *part)
{
	const struct quire_page_runs *side = &part->sides[QUIRE_PAGING_MDL];
	const struct quire_page_run *run = side->location.runs;
	u64 *number = part->queue->page_numbers, i;

	part->adl = (struct quire_paging_adl) {
		.start = side->location.start,
		.page_count = side->pages,
		.contiguous = side->location.nr_runs == 1,
	};
	if (part->adl.contiguous) {
		part->adl.base_page_number = run->first;
		return;
	}
	part->adl.pages = number;
	for (; run < side->location.runs + side->location.nr_runs; run++)
		for (i = 0; i < run->count; i++)
			*number++ = run->first + i;
}

/**
 * quire_paging_part_next - describe the next part, see quire_paging_work_next_part()
 * @part: not all its sides have ended
 * @pages: of the part, at most
 * @interruptible: the wait for the arrays ends with a signal
 * Returns: 0, then quire_paging_part_end() ends it; or -ERESTARTSYS.
 */
int quire_paging_part_next(struct quire_paging_part *part, u64 pages, bool interruptible)
{
	u32 i;

	if (!interruptible)
		mutex_lock(&part->queue->runs_lock);
	else if (mutex_lock_interruptible(&part->queue->runs_lock))
		return -ERESTARTSYS;

	if (part->layout)
		pages = part_describe_tiles(part, pages);
	if (part->lists)
		pages = min(pages, QUIRE_SUB_TRANSFER_PAGES);
	for (i = 0; i < QUIRE_PAGING_SIDES; i++)
		if (!part_is_tiled(part, i))
			quire_page_runs_next(&part->sides[i], part_array(part, i),
					     QUIRE_SUB_TRANSFER_PAGES, pages);
	if (part->lists)
		part_list_pages(part);
	return 0;
}

/**
 * quire_paging_part_end - give the arrays back
 * @part: the part, from quire_paging_work_next_part()
 */
void quire_paging_part_end(struct quire_paging_part *part)
{
	mutex_unlock(&part->queue->runs_lock);
}

/**
 * quire_paging_part_linear - get the side of a transfer that says what is moved
 * @part: the part
 * Returns: the side with the linear form of an image that is converted, else the source.
 */
const struct quire_page_runs *quire_paging_part_linear(const struct quire_paging_part *part)
{
	return &part->sides[part_is_tiled(part, QUIRE_PAGING_SOURCE) ? QUIRE_PAGING_DESTINATION :
								       QUIRE_PAGING_SOURCE];
}

/**
 * quire_paging_part_is_last - check that nothing follows this part
 * @part: the part; or its sides are initialised, and it has not begun
 * Returns: true if no side goes on.
 */
bool quire_paging_part_is_last(const struct quire_paging_part *part)
{
	u32 i;

	for (i = 0; i < QUIRE_PAGING_SIDES; i++)
		if (!part_is_tiled(part, i) && !quire_page_runs_ended(&part->sides[i]))
			return false;
	return true;
}

/* An overlapping move is cut at the distance of its two places (quire_vram_mgr.c). */
static u64 part_slide_packets(const struct quire_paging_part *part)
{
	const struct quire_page_runs *source = &part->sides[QUIRE_PAGING_SOURCE];
	const struct quire_paging_location *from = &source->location;
	const struct quire_paging_location *to = &part->sides[QUIRE_PAGING_DESTINATION].location;
	u64 apart;

	if (from->segment != to->segment || from->nr_runs != 1 || to->nr_runs != 1)
		return 0;
	apart = abs_diff(from->runs->first, to->runs->first);
	return apart ? DIV_ROUND_UP(source->pages, apart) : 0;
}

/* Each run in a packet of its own, or page by page. */
static u64 part_side_bytes(const struct quire_page_runs *side)
{
	const struct quire_paging_location *location = &side->location;
	u64 each = location->segment == QUIRE_SEGMENT_SYSTEM ? sizeof(__le64) : PACKET_BYTES;

	return side->pages ? PACKET_BYTES + location->nr_runs * each : 0;
}

/*
 * Of the entries that a window has of a side, chunk after chunk. A run in a packet of its own cuts
 * the list of others, which needs a second packet then.
 */
static u64 part_window_bytes(const struct quire_page_runs *side)
{
	const struct quire_paging_location *location = &side->location;
	const u64 list = sizeof(struct quire_packet_update_page_table);
	u64 bytes = 0, chunks = DIV_ROUND_UP(side->pages, QUIRE_PAGING_WINDOW_PAGES);
	u32 i;

	if (location->nr_runs <= 1)
		return chunks * (list + sizeof(__le64));
	for (i = 0; i < location->nr_runs; i++)
		bytes += min(location->runs[i].count * sizeof(__le64), 2 * list + sizeof(__le64));
	return bytes + chunks * (3 * list + sizeof(__le64));
}

/**
 * quire_paging_part_bytes - estimate the packets of a part, with one behind the last part
 * @part: the part
 * Returns: bytes. As a rule an upper bound: runs that are too long for one number or one packet
 * take more. It is always one for an overlapping move inside of VRAM.
 */
u64 quire_paging_part_bytes(const struct quire_paging_part *part)
{
	const struct quire_page_runs *source = &part->sides[QUIRE_PAGING_SOURCE];
	const struct quire_page_runs *destination = &part->sides[QUIRE_PAGING_DESTINATION];
	u64 bytes = PACKET_BYTES + part_side_bytes(&part->sides[QUIRE_PAGING_MDL]);

	/* Both windows, the flush and the move of each chunk. */
	if (part->windows)
		bytes += part_window_bytes(source) + part_window_bytes(destination) +
			 DIV_ROUND_UP(destination->pages, QUIRE_PAGING_WINDOW_PAGES) *
			 (sizeof(struct quire_packet_flush_tlb) +
			  sizeof(struct quire_packet_transfer_virtual));
	else
		bytes += part_side_bytes(source) + part_side_bytes(destination) +
			 part_slide_packets(part) * PACKET_BYTES;
	if (part->lists && !part->adl.contiguous)
		bytes += part->adl.page_count * sizeof(__le64);
	return bytes;
}
