/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the driver has counted, from its debugfs file "counters". */
#ifndef QUIRE_COUNTERS_H
#define QUIRE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#define COUNTERS_MAX	64

/**
 * struct counter - one line of the file
 * @name: an operation, FROM->TO for moves, or another event
 * @nr: number of @values
 * @values: count; bytes; evictions, of moves
 */
struct counter {
	char name[48];
	int nr;
	uint64_t values[3];
};

/**
 * struct counters - all lines at one time
 * @nr: number of @lines; 0 if the file can not be read
 * @lines: in the order of the file
 */
struct counters {
	size_t nr;
	struct counter lines[COUNTERS_MAX];
};

void counters_read(int fd, struct counters *counters);
void counters_print(const struct counters *before, const struct counters *after);

#endif
