/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the kernel keeps of a device that hung. */
#ifndef QUIRE_TEST_DUMP_H
#define QUIRE_TEST_DUMP_H

#include <stdbool.h>
#include <stddef.h>

void dump_forget(void);
bool dump_wait(char *text, size_t size);

#endif
