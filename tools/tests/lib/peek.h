/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What a debugger reads and writes. */
#ifndef QUIRE_TEST_PEEK_H
#define QUIRE_TEST_PEEK_H

#include <stdint.h>
#include <sys/types.h>

int peek(pid_t pid, const void *address, uint64_t *word);
int poke(pid_t pid, const void *address, uint64_t word);

#endif
