// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: which memory was written, for a host that keeps track of it.
 */
#include "../memory/quire_mapping.h"
#include "quire_dirty.h"
#include "quire_layout.h"
#include "quire_tiles.h"

/* Does a piece follow what is known to be dirty, up or down? Then it is added. */
static bool quire_dirty_join(struct quire_mapping *dirty, const struct quire_mapping *piece)
{
	uint8_t *start = dirty->ptr, *ptr = piece->ptr;

	if (!start || dirty->section != piece->section)
		return false;
	if (ptr + piece->len == start)
		dirty->ptr = ptr;
	else if (start + dirty->len != ptr)
		return false;
	dirty->len += piece->len;
	return true;
}

static void quire_dirty_tell(struct quire_engine *engine, const struct quire_mapping *dirty)
{
	const uint8_t *start = dirty->ptr;

	if (dirty->section)
		engine->ops->dma_dirty(engine->opaque, dirty->section, start - dirty->section->ptr,
				       dirty->len);
	else if (dirty->len)
		engine->ops->vram_dirty(engine->opaque, start - engine->vram, dirty->len);
}

/**
 * quire_pieces_dirty - tell the host what the pieces cover, in as few ranges as it takes
 * @engine: the engine
 * @work: done; it does not convert to tiles
 *
 * Of what the host has mapped it knows already.
 */
void quire_pieces_dirty(struct quire_engine *engine, const struct quire_work *work)
{
	struct quire_mapping dirty = { 0 };
	unsigned int i;

	for (i = 0; i < work->count; i++) {
		const struct quire_mapping *piece = &work->pieces[i].dst;

		if (quire_mapping_held(piece) || !piece->ptr || quire_dirty_join(&dirty, piece))
			continue;
		quire_dirty_tell(engine, &dirty);
		dirty = *piece;
	}
	quire_dirty_tell(engine, &dirty);
}

/**
 * struct quire_dirt - VRAM that was written and not told yet
 * @start: first byte
 * @end: behind the last
 */
struct quire_dirt {
	uint64_t start;
	uint64_t end;
};

static void quire_dirt_tell(struct quire_engine *engine, const struct quire_dirt *dirt)
{
	if (dirt->end > dirt->start)
		engine->ops->vram_dirty(engine->opaque, dirt->start, dirt->end - dirt->start);
}

static void quire_dirt_add(struct quire_engine *engine, struct quire_dirt *dirt, uint64_t start,
			   uint64_t end)
{
	if (start != dirt->end) {
		quire_dirt_tell(engine, dirt);
		dirt->start = start;
	}
	dirt->end = end;
}

/*
 * Rows @first to @last of the rectangle, in one band. Rows that have a block of lines
 * together are one below the other in the tile, and a host counts pages: these are told.
 */
static void quire_band_dirty(struct quire_engine *engine, const struct quire_tiles *tiles,
			     uint32_t first, uint32_t last, struct quire_dirt *dirt)
{
	const struct quire_swizzle *swizzle = &tiles->swizzle;
	uint32_t mask = (1u << swizzle->tile_height_shift) - 1, bits = swizzle->column_bits;
	uint64_t top = ((swizzle->y + first) & mask) >> bits;
	uint64_t bottom = ((swizzle->y + last) & mask) >> bits;
	uint64_t start = top << (2 * bits + QUIRE_LINE_SHIFT);
	uint64_t end = (bottom + 1) << (2 * bits + QUIRE_LINE_SHIFT);
	uint32_t band = quire_band_of(swizzle, first) - swizzle->first_band;
	uint32_t i;

	start &= ~(QUIRE_PAGE_SIZE - 1);
	end = (end + QUIRE_PAGE_SIZE - 1) & ~(QUIRE_PAGE_SIZE - 1);
	for (i = 0; i < swizzle->tiles; i++) {
		uint64_t tile = tiles->tile[band * swizzle->tiles + i] - engine->vram;

		quire_dirt_add(engine, dirt, tile + start, tile + end);
	}
}

/**
 * quire_swizzle_dirty - tell the host which tiles were written
 * @engine: the engine
 * @work: done; it converts to tiles
 */
void quire_swizzle_dirty(struct quire_engine *engine, const struct quire_work *work)
{
	const struct quire_tiles *tiles = &work->tiles;
	const struct quire_swizzle *swizzle = &tiles->swizzle;
	uint32_t row = tiles->pos / swizzle->row_bytes;
	uint32_t end = (tiles->pos + work->bytes - 1) / swizzle->row_bytes + 1;
	struct quire_dirt dirt = { 0 };
	uint32_t next;

	for (; row < end; row = next) {
		next = quire_min(end, quire_row_of(swizzle, quire_band_of(swizzle, row) + 1));
		quire_band_dirty(engine, tiles, row, next - 1, &dirt);
	}
	quire_dirt_tell(engine, &dirt);
}
