/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Test options of the driver that say how submissions are divided; for root. */
#ifndef QUIRE_TEST_SPLITTING_H
#define QUIRE_TEST_SPLITTING_H

#include <stdbool.h>
#include <stdint.h>

bool splitting_begin(void);
bool splitting_set(const char *name, uint64_t value);
void splitting_usual(void);
void splitting_end(void);

#endif
