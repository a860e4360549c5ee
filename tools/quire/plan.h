/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the driver's planner makes of lists, with video memory that is only pretended. */
#ifndef QUIRE_PLAN_H
#define QUIRE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "command_lists.h"

/**
 * struct plan_stay - an object is in video memory for a while
 * @object: which one
 * @address: where
 * @first: part that it was brought for
 * @end: part before which it went, or the number of parts
 */
struct plan_stay {
	uint32_t object;
	uint64_t address;
	uint32_t first;
	uint32_t end;
};

/**
 * struct plan_part - a part
 * @start: first byte of the commands
 * @end: behind its last byte
 * @bytes_in: that were brought for it
 * @bytes_out: that went for it
 */
struct plan_part {
	uint32_t start;
	uint32_t end;
	uint64_t bytes_in;
	uint64_t bytes_out;
};

/**
 * struct plan - what came of it
 * @vram: bytes of video memory
 * @nr_stays: number of @stays
 * @nr_parts: number of @parts
 * @bytes_in: of all parts
 * @bytes_out: of all parts
 * @stays: in the order in which objects came
 * @parts: in their order
 */
struct plan {
	uint64_t vram;
	uint32_t nr_stays;
	uint32_t nr_parts;
	uint64_t bytes_in;
	uint64_t bytes_out;
	struct plan_stay *stays;
	struct plan_part *parts;
};

int plan_make(struct plan *plan, const struct command_lists *lists, uint64_t vram, bool lru);

#endif
