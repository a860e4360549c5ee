/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A submission whose objects have an eighth of VRAM each, and do not fit together: its first part
 * uses as many as there is room for, and each later one brings one in.
 */
#ifndef QUIRE_TEST_EIGHTHS_H
#define QUIRE_TEST_EIGHTHS_H

#include "work.h"

#define EIGHTHS		12u
#define EIGHTHS_STEP	3u	/* commands of one object */

/**
 * struct eighths - the submission
 * @work: who executes it
 * @gate: where the commands of each object end
 * @objects: in their order; what the CPU wrote is a pattern, from eighths_page()
 * @offsets: of the first command of each, in the command buffer
 * @ends: of the last one, which waits
 */
struct eighths {
	struct work *work;
	struct gate gate;
	struct quire_object *objects[EIGHTHS];
	uint32_t offsets[EIGHTHS];
	uint32_t ends[EIGHTHS];
};

void eighths_open(struct eighths *eighths, struct work *work);
void eighths_close(struct eighths *eighths);
uint64_t eighths_size(const struct eighths *eighths);
void eighths_page(unsigned int index, uint8_t page[QUIRE_PAGE]);

void eighths_record(struct eighths *eighths);
unsigned int eighths_at_work(const struct eighths *eighths);
unsigned int eighths_first(const struct quire_result *result);
bool eighths_are_right(const struct eighths *eighths, unsigned int written);

#endif
