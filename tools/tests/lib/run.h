/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Other programs, as a test starts them. */
#ifndef QUIRE_TEST_RUN_H
#define QUIRE_TEST_RUN_H

#include <stddef.h>

int run_program(const char *command, char *text, size_t size);

#endif
