/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* One line that says what is going on, drawn over itself a few times a second. */
#ifndef QUIRE_PROGRESS_H
#define QUIRE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct progress - the line
 * @enabled: draw it
 * @phase: what is going on
 * @total: bytes to do in this phase
 * @done: bytes done
 * @drawn_ns: when it was drawn last
 */
struct progress {
	bool enabled;
	char phase[32];
	uint64_t total;
	uint64_t done;
	int64_t drawn_ns;
};

void progress_start(struct progress *progress, uint64_t total, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void progress_add(struct progress *progress, uint64_t bytes);
void progress_clear(struct progress *progress);

#endif
