/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Many processes at once, which are killed whatever they are at. */
#ifndef QUIRE_TEST_STORM_H
#define QUIRE_TEST_STORM_H

#include <stdint.h>

void storm_blow(int (*run)(uint64_t seed), unsigned int count, unsigned int seconds);

#endif
