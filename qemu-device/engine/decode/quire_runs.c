// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Quire engine: the page runs of a packet, checked and handed out.
 *
 * They stand behind the fixed part of their packet: those of one side, then
 * perhaps those of another. Each side takes its pages from the front, exactly;
 * then nothing is left.
 */
#include "../core/quire_numbers.h"
#include "quire_runs.h"

/**
 * quire_runs_of - the runs of a packet
 * @packet: first byte of the packet
 * @fixed: bytes before its runs
 * @size: bytes of the packet
 *
 * Return: all of them.
 */
struct quire_runs quire_runs_of(const uint8_t *packet, uint32_t fixed, uint32_t size)
{
	return (struct quire_runs){ .at = packet + fixed, .count = (size - fixed) / 8 };
}

/**
 * quire_runs_take - the pages of one side
 * @runs: those that are left; without the side's, if they are good
 * @pages: pages of the side, 0 if it has none
 * @end: pages of the memory that they lie in
 * @unit: pages that a run may not divide
 * @side: gets them
 *
 * Return: false if they have too many pages or too few, or one past the end, or end in
 * a unit.
 */
bool quire_runs_take(struct quire_runs *runs, uint64_t pages, uint64_t end, uint32_t unit,
		     struct quire_side *side)
{
	uint32_t i;

	for (i = 0; pages && i < runs->count; i++) {
		uint64_t run = quire_get_le64(runs->at + 8ull * i);
		uint64_t n = QUIRE_RUN_PAGES(run);

		if (n > pages || n % unit || !quire_range_ok(QUIRE_RUN_FIRST(run), n, end))
			return false;
		pages -= n;
	}
	if (i) {
		side->runs = runs->at;
		side->run_count = i;
	}
	runs->at += 8ull * i;
	runs->count -= i;
	return !pages;
}
