/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Allocations of the kernel that fail, where it has fault injection. */
#ifndef QUIRE_FAILING_H
#define QUIRE_FAILING_H

#include <stdbool.h>

#define FAILSLAB	"/sys/kernel/debug/failslab/"

bool failing_begin(void);
bool failing_below(const char *module);
bool failing_within(const char *function);
bool failing_all(unsigned int bytes, unsigned int pages);
bool failing_none(void);
void failing_end(void);
void failing_arm(unsigned int nth);
bool failing_disarm(void);
bool failing_write(const char *path, const char *text);

#endif
