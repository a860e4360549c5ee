// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: copies and fills, at once or beside the engine.
 *
 * A part of a copy or a fill is collected in pieces, done, and taken in:
 *
 *   quire_work_begin()   how much may it be?
 *   quire_work_piece()   where is room for a piece? it is mapped there
 *   quire_work_add()     it is one
 *   quire_work_go()      do it, or have it done
 *   quire_work_end()     unmap, say what is dirty, count
 *
 * All of that holds the host's lock. What is between go and end needs nothing
 * but the pieces. So long work, and any work whose memory may have to be waited
 * for, is started: another thread does it, the lock is free, the ring waits.
 * Whoever takes the ring its work waits for the thread first; as a part is
 * short, so is the wait.
 *
 * All pieces of a ring are pieces of its packet at work, and what is done of
 * them is only counted when they end: a state that is saved knows nothing of
 * them, and must be settled.
 */
#include <stdlib.h>
#include <string.h>

#include "../memory/quire_mapping.h"
#include "quire_dirty.h"
#include "quire_tiles.h"
#include "quire_work.h"

/* Bytes of a piece that are fetched during the one before; more do not help. */
#define QUIRE_COPY_AHEAD	512u
#define QUIRE_CACHE_LINE	64u

/* Bytes that one memcpy() of a fill writes. */
#define QUIRE_FILL_BLOCK	512u

static struct quire_work *quire_work_of(const struct quire_engine *engine,
					const struct quire_ring *ring)
{
	return &engine->work[ring - engine->ring];
}

/**
 * quire_work_init - memory for the work of all rings
 * @engine: the engine
 *
 * Return: false without memory.
 */
bool quire_work_init(struct quire_engine *engine)
{
	engine->work = calloc(engine->ring_count, sizeof(*engine->work));
	return engine->work;
}

/**
 * quire_work_fini - free it
 * @engine: the engine; nothing runs
 */
void quire_work_fini(struct quire_engine *engine)
{
	free(engine->work);
	engine->work = NULL;
}

/**
 * quire_work_begin - the next part of a copy or a fill
 * @engine: the engine
 * @ring: whose packet it is of
 * @left: bytes that are left of the operation, at least 1
 * @unit: bytes that can not be divided, power of two
 * @budget: of the slice, with bytes left
 *
 * Return: the work, without pieces; its @max says how many bytes it may be.
 */
struct quire_work *quire_work_begin(struct quire_engine *engine, const struct quire_ring *ring,
				    uint64_t left, uint64_t unit,
				    const struct quire_budget *budget)
{
	struct quire_work *work = quire_work_of(engine, ring);
	uint64_t now = quire_max(budget->bytes & ~(unit - 1), unit);
	bool start;

	work->count = 0;
	work->bytes = 0;
	work->converts = false;
	work->phase = 0;
	work->least = UINT64_MAX;
	if (engine->ops->work_least)
		work->least = engine->ops->work_least(engine->opaque);
	start = left >= work->least;
	work->most = start ? QUIRE_WORK_PIECES : QUIRE_WORK_PIECES_NOW;
	work->max = quire_min(left, start ? QUIRE_WORK_BYTES : now);
	return work;
}

/**
 * quire_work_add - a piece more
 * @engine: the engine
 * @work: the work; quire_work_piece() is mapped
 * @budget: of the slice; mapping takes time
 *
 * Bytes of the write buffer are done alone and at once: while a thread is at work, another
 * ring may want their place. Such a piece that is not the first comes again.
 *
 * Return: is there room for another one?
 */
bool quire_work_add(struct quire_engine *engine, struct quire_work *work,
		    struct quire_budget *budget)
{
	const struct quire_piece *piece = quire_work_piece(work);

	if (piece->src.posted && work->count) {
		quire_unmap_piece(engine, &piece->dst, true, 0);
		return false;
	}
	if (piece->src.posted) {
		work->most = 1;
		work->least = UINT64_MAX;
	}
	work->count++;
	work->bytes += piece->dst.len;
	if (work->count == work->most || work->bytes == work->max)
		return false;
	if (work->most == QUIRE_WORK_PIECES_NOW)
		return true;
	quire_budget_take(budget, QUIRE_COST_MAPPING);
	return quire_budget_left(engine, budget);
}

static void quire_prefetch(const struct quire_piece *piece)
{
	const uint8_t *from = piece->from;
	uint64_t at;

	for (at = 0; at < quire_min(piece->dst.len, QUIRE_COPY_AHEAD); at += QUIRE_CACHE_LINE)
		__builtin_prefetch(from + at);
}

/* Repeat @pattern over @n bytes, from its byte @phase on. */
static void quire_set_pattern(uint8_t *to, uint32_t pattern, uint64_t n, uint64_t phase)
{
	uint8_t block[QUIRE_FILL_BLOCK], byte = pattern;
	uint64_t len;
	unsigned int i;

	if (pattern == byte * 0x01010101u) {
		memset(to, byte, n);
		return;
	}
	for (i = 0; i < quire_min(n, sizeof(block)); i++)
		block[i] = pattern >> 8 * ((i + phase) % 4);
	for (; n; n -= len, to += len) {
		len = quire_min(n, sizeof(block));
		memcpy(to, block, len);
	}
}

/**
 * quire_work_do - copy, convert or fill all pieces
 * @work: the work; nothing else is touched
 *
 * For the thread that the host has for it. While a piece is copied the start of the next
 * is fetched already: short pieces lie anywhere, and no processor foresees where.
 */
void quire_work_do(struct quire_work *work)
{
	uint64_t at = work->phase;
	unsigned int i;

	if (work->converts) {
		quire_tiles_do(&work->tiles, work->pieces, work->count);
		return;
	}
	for (i = 0; i < work->count; i++) {
		const struct quire_piece *piece = &work->pieces[i];

		if (!piece->from) {
			if (piece->dst.ptr)
				quire_set_pattern(piece->dst.ptr, work->pattern, piece->dst.len,
						  at);
			at += piece->dst.len;
			continue;
		}
		if (i + 1 < work->count)
			quire_prefetch(piece + 1);
		if (piece->dst.ptr)
			memmove(piece->dst.ptr, piece->from, piece->dst.len);
	}
}

/* It is done: take it in. */
static void quire_work_finish(struct quire_engine *engine, struct quire_ring *ring)
{
	struct quire_work *work = quire_work_of(engine, ring);
	unsigned int i;

	for (i = 0; i < work->count; i++) {
		const struct quire_piece *piece = &work->pieces[i];
		const struct quire_mapping *src = &piece->src, *dst = &piece->dst;

		if (quire_mapping_held(dst))
			quire_unmap_piece(engine, dst, true, dst->len);
		if (quire_mapping_held(src))
			quire_unmap_piece(engine, src, false, dst->len);
	}
	if (work->converts && work->tiles.to_tiles)
		quire_swizzle_dirty(engine, work);
	else
		quire_pieces_dirty(engine, work);
	ring->done += work->bytes;
	ring->progress += work->bytes;
}

/**
 * quire_work_go - do it, or have it done
 * @engine: the engine
 * @ring: whose packet it is of; if it is done, @done and @progress are advanced
 * @budget: of the slice; what was used is taken off
 *
 * The work has at least one piece. While it is running, the ring has to wait.
 */
void quire_work_go(struct quire_engine *engine, struct quire_ring *ring,
		   struct quire_budget *budget)
{
	struct quire_work *work = quire_work_of(engine, ring);

	if (work->bytes >= work->least) {
		work->running = true;
		engine->ops->work_start(engine->opaque, ring - engine->ring, work);
		return;
	}
	quire_work_do(work);
	quire_work_finish(engine, ring);
	quire_budget_take(budget, work->bytes);
}

/**
 * quire_work_running - does another thread have it?
 * @engine: the engine
 * @ring: the ring
 *
 * Return: true between quire_work_go() and quire_work_end(), if it was started.
 */
bool quire_work_running(const struct quire_engine *engine, const struct quire_ring *ring)
{
	return quire_work_of(engine, ring)->running;
}

/**
 * quire_work_end - take in what another thread has done
 * @engine: the engine
 * @ring: whose work is running; @done and @progress are advanced
 * @wait: wait for the thread
 *
 * Return: false if it is still running, which can not be with @wait.
 */
bool quire_work_end(struct quire_engine *engine, struct quire_ring *ring, bool wait)
{
	if (!engine->ops->work_end(engine->opaque, ring - engine->ring, wait))
		return false;
	quire_work_of(engine, ring)->running = false;
	quire_work_finish(engine, ring);
	return true;
}
