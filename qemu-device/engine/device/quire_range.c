// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: swizzling ranges.
 *
 * A range shows a tiled image of VRAM in its window of BAR 5, as if it were
 * linear. Its registers say which image; they are checked when the range is
 * enabled, and stay as they are until it is disabled, so that an access has
 * only to find its bytes. Beside the registers it is kept when each range was touched.
 *
 * An access is at most 8 bytes, and done at once. Bytes of a line of 64 bytes
 * that are in one row are together; others are sought anew. VRAM is only memory
 * here, as it is for who reads and writes it through BAR 2: what the rings do
 * to the same bytes meanwhile, also in another thread, comes before or after.
 */
#include <string.h>

#include "../core/quire_numbers.h"
#include "../decode/quire_op_types.h"
#include "quire_range.h"

#define QUIRE_RANGE_KIND_MASK		0xffu
#define QUIRE_RANGE_SHIFT_SHIFT		8
#define QUIRE_RANGE_LEVELS_MASK		0xffffu
#define QUIRE_RANGE_ARRAY_SHIFT		16
#define QUIRE_RANGE_DATA_MASK		0xffffu

/* More than a machine can do, and it does not wrap soon. */
#define QUIRE_RANGE_TOUCHES_MAX		(UINT64_MAX / 2)

/**
 * struct quire_spot - bytes of a window that are together in VRAM
 * @at: offset of the first in VRAM
 * @len: how many; 0 if the first is nowhere
 */
struct quire_spot {
	uint64_t at;
	uint64_t len;
};

static struct quire_layout quire_range_layout(const struct quire_range *range)
{
	return (struct quire_layout){
		.kind = range->layout & QUIRE_RANGE_KIND_MASK,
		.element_shift = range->layout >> QUIRE_RANGE_SHIFT_SHIFT,
		.width = range->width,
		.height = range->height,
		.levels = range->levels & QUIRE_RANGE_LEVELS_MASK,
		.array_size = range->levels >> QUIRE_RANGE_ARRAY_SHIFT,
	};
}

static bool quire_range_enabled(const struct quire_range *range)
{
	return range->control & QUIRE_RANGE_CONTROL_ENABLE;
}

/* Why such a range can not be enabled, or NULL. */
static const char *quire_range_refused(const struct quire_engine *engine,
				       const struct quire_range *range)
{
	struct quire_layout layout = quire_range_layout(range);

	if (!quire_layout_valid(&layout))
		return "no such layout";
	if (!quire_layout_tiled(&layout))
		return "a layout without tiles";
	if (!quire_page_aligned(range->addr))
		return "address is not page aligned";
	if (!quire_range_ok(range->addr, quire_layout_tiled_size(&layout), engine->vram_size))
		return "image is not inside of VRAM";
	if (quire_layout_linear_size(&layout) > engine->range_size)
		return "image is larger than the window";
	return NULL;
}

static void quire_range_event(struct quire_engine *engine, enum quire_event event,
			      unsigned int n, uint64_t a, uint64_t b)
{
	if (engine->ops->event)
		engine->ops->event(engine->opaque, event, n, a, b);
}

static void quire_range_touch(struct quire_engine *engine, struct quire_range *range)
{
	range->touched = ++engine->range_touches;
}

/**
 * quire_range_oldest - which range was touched longest ago?
 * @engine: the engine
 *
 * Who was given a range may not have come to use it, and an instruction may need it together
 * with the next one: the range that was enabled last is not asked.
 *
 * Return: its number, of the others that are enabled; %QUIRE_RANGE_OLDEST_NONE if none is.
 */
uint32_t quire_range_oldest(const struct quire_engine *engine)
{
	uint32_t n, oldest = QUIRE_RANGE_OLDEST_NONE;

	for (n = 0; n < engine->range_count; n++)
		if (n != engine->range_newest && quire_range_enabled(&engine->range[n]) &&
		    (oldest == QUIRE_RANGE_OLDEST_NONE ||
		     engine->range[n].touched < engine->range[oldest].touched))
			oldest = n;
	return oldest;
}

/**
 * quire_range_control - CONTROL of a range was written
 * @engine: the engine
 * @range: the range
 * @old: its control before
 *
 * A range that is refused stays disabled.
 */
void quire_range_control(struct quire_engine *engine, struct quire_range *range, uint32_t old)
{
	unsigned int n = range - engine->range;
	const char *why;

	if (range->control == old)
		return;
	if (!quire_range_enabled(range)) {
		quire_range_event(engine, QUIRE_EVENT_RANGE_DISABLE, n, 0, 0);
		return;
	}
	why = quire_range_refused(engine, range);
	if (why) {
		range->control = 0;
		engine->ops->guest_error(engine->opaque, "range %u is refused: %s", n, why);
		return;
	}
	range->data = (range->data + 1) & QUIRE_RANGE_DATA_MASK;
	engine->range_newest = n;
	quire_range_touch(engine, range);
	quire_range_event(engine, QUIRE_EVENT_RANGE_ENABLE, n, range->addr, range->layout);
}

/**
 * quire_range_let_go - a special lock begins: disable the range that it names
 * @engine: the engine
 * @named: QUIRE_SPECIAL_LOCK_RANGE() of a range that there is, or %QUIRE_SPECIAL_LOCK_NO_RANGE
 *
 * A range that was enabled anew since the packet was made shows something else, and is let be.
 */
void quire_range_let_go(struct quire_engine *engine, uint32_t named)
{
	unsigned int n = quire_named_range(named);
	struct quire_range *range;

	if (named == QUIRE_SPECIAL_LOCK_NO_RANGE)
		return;
	range = &engine->range[n];
	if (!quire_range_enabled(range) || range->data != quire_named_data(named))
		return;
	range->control = 0;
	quire_range_event(engine, QUIRE_EVENT_RANGE_DISABLE, n, 0, 0);
}

/**
 * quire_ranges_reset - disable all ranges and clear their registers
 * @engine: the engine
 */
void quire_ranges_reset(struct quire_engine *engine)
{
	memset(engine->range, 0, sizeof(engine->range));
	engine->range_touches = 0;
	engine->range_newest = 0;
}

static bool quire_range_is_set(const struct quire_range *range)
{
	return range->addr || range->layout || range->width || range->height ||
	       range->levels || range->control || range->data || range->touched;
}

static const char *quire_check_range(const struct quire_engine *engine, unsigned int n)
{
	const struct quire_range *range = &engine->range[n];

	if (n >= engine->range_count)
		return quire_range_is_set(range) ? "a range that there is not" : NULL;
	if (range->control & ~QUIRE_RANGE_CONTROL_ENABLE ||
	    range->layout & ~QUIRE_RANGE_LAYOUT_BITS || range->data & ~QUIRE_RANGE_DATA_MASK)
		return "reserved bits in a range";
	if (range->touched > engine->range_touches)
		return "a range that will be touched";
	return quire_range_enabled(range) ? quire_range_refused(engine, range) : NULL;
}

/**
 * quire_check_ranges - are these ranges that the engine accepts?
 * @engine: the engine
 *
 * Return: NULL if they are, else what is wrong.
 */
const char *quire_check_ranges(const struct quire_engine *engine)
{
	const char *why = NULL;
	unsigned int n;

	if (engine->range_touches > QUIRE_RANGE_TOUCHES_MAX)
		return "ranges that were touched for too long";
	if (engine->range_newest && engine->range_newest >= engine->range_count)
		return "enabled last: a range that there is not";
	for (n = 0; n < QUIRE_RANGE_MAX && !why; n++)
		why = quire_check_range(engine, n);
	return why;
}

/* Which level of its slice has the byte at *@offset? That becomes its offset in the level. */
static uint32_t quire_find_level(const struct quire_layout *layout, uint64_t *offset)
{
	struct quire_surface surface;
	uint32_t level;

	for (level = 0;; level++) {
		quire_layout_level(layout, level, &surface);
		if (*offset < quire_surface_linear_size(&surface))
			return level;
		*offset -= quire_surface_linear_size(&surface);
	}
}

/* Bytes of the image, from the one at @offset of the linear form on. */
static struct quire_spot quire_image_spot(const struct quire_layout *layout, uint64_t offset)
{
	uint64_t slice_size = quire_layout_linear_levels(layout, layout->levels);
	uint32_t slice, level, x, y, byte;
	struct quire_surface surface;

	if (offset / slice_size >= layout->array_size)
		return (struct quire_spot){ 0 };
	slice = offset / slice_size;
	offset %= slice_size;
	level = quire_find_level(layout, &offset);
	quire_layout_surface(layout, level, slice, &surface);
	y = offset / surface.pitch;
	byte = offset % surface.pitch;
	x = byte >> layout->element_shift;
	return (struct quire_spot){
		.at = quire_surface_tiled(layout, &surface, x, y) +
		      (byte & ((1u << layout->element_shift) - 1)),
		.len = quire_min(surface.pitch - byte,
				 QUIRE_LINE_BYTES - (byte & (QUIRE_LINE_BYTES - 1))),
	};
}

/* The same of BAR 5, for an access. Ranges that are loaded are not accepted yet. */
static struct quire_spot quire_range_spot(struct quire_engine *engine, uint64_t offset)
{
	struct quire_range *range;
	struct quire_layout layout;
	struct quire_spot spot;

	if (engine->loading || offset / engine->range_size >= engine->range_count)
		return (struct quire_spot){ 0 };
	range = &engine->range[offset / engine->range_size];
	if (!quire_range_enabled(range))
		return (struct quire_spot){ 0 };
	layout = quire_range_layout(range);
	spot = quire_image_spot(&layout, offset % engine->range_size);
	spot.at += range->addr;
	if (spot.len)
		quire_range_touch(engine, range);
	return spot;
}

/* Read the bytes of an access from VRAM, or write those that are somewhere. */
static void quire_ranges_access(struct quire_engine *engine, uint64_t offset, uint8_t *bytes,
				unsigned int size, bool write)
{
	unsigned int done, len, missed = 0;

	if (!engine->range_count)
		return;
	for (done = 0; done < size; done += len) {
		struct quire_spot spot = quire_range_spot(engine, offset + done);

		len = quire_min(quire_max(spot.len, 1), size - done);
		if (!spot.len) {
			missed++;
		} else if (write) {
			memcpy(engine->vram + spot.at, bytes + done, len);
			engine->ops->vram_dirty(engine->opaque, spot.at, len);
		} else {
			memcpy(bytes + done, engine->vram + spot.at, len);
		}
	}
	if (missed)
		quire_range_event(engine, QUIRE_EVENT_RANGE_MISS, offset / engine->range_size,
				  offset % engine->range_size, missed);
}

/**
 * quire_ranges_read - the guest reads BAR 5
 * @engine: the engine
 * @offset: byte offset in the BAR
 * @size: bytes of the access, at most 8
 *
 * Return: the value; bytes that are in no image are 0.
 */
uint64_t quire_ranges_read(struct quire_engine *engine, uint64_t offset, unsigned int size)
{
	uint8_t bytes[8] = { 0 };

	quire_ranges_access(engine, offset, bytes, size, false);
	return quire_get_le64(bytes);
}

/**
 * quire_ranges_write - the guest writes BAR 5
 * @engine: the engine
 * @offset: byte offset in the BAR
 * @size: bytes of the access, at most 8
 * @value: what it writes, from its low byte; bytes that are in no image are ignored
 */
void quire_ranges_write(struct quire_engine *engine, uint64_t offset, unsigned int size,
			uint64_t value)
{
	uint8_t bytes[8];

	quire_put_le64(bytes, value);
	quire_ranges_access(engine, offset, bytes, size, true);
}
