/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the kernel has for programs, and what becomes of one that it has nothing for. */
#ifndef QUIRE_MEMORY_H
#define QUIRE_MEMORY_H

#include <stdint.h>

uint64_t memory_available(void);
void memory_catch_lost(void);

#endif
