/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The machine's devices sleep, without the machine. */
#ifndef QUIRE_TEST_POWER_H
#define QUIRE_TEST_POWER_H

#include <stdbool.h>

bool power_begin(void);
int power_state(const char *state);
void power_end(void);

#endif
