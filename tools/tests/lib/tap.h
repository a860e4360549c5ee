/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Test Anything Protocol, version 13, on standard output.
 *
 * tap_start(), checks, "return tap_done()".  A program that checks nothing
 * fails.  A program that takes too long ends with "Bail out!".
 */
#ifndef QUIRE_TAP_H
#define QUIRE_TAP_H

#include <stdbool.h>

#define TAP_PRINTF(a, b)	__attribute__((format(printf, a, b)))

/* A time limit ends what hangs: no machine, and no virtual time, is so much slower. */
#define TAP_LIMIT_FACTOR	10

void tap_start(unsigned int seconds);
int tap_done(void);

bool tap_ok(bool ok, const char *format, ...) TAP_PRINTF(2, 3);
bool tap_ret(int ret, int expected, const char *format, ...) TAP_PRINTF(3, 4);
void tap_skip(const char *reason, const char *format, ...) TAP_PRINTF(2, 3);
void tap_diag(const char *format, ...) TAP_PRINTF(1, 2);

void tap_skip_all(const char *reason) __attribute__((noreturn));
void tap_bail(const char *format, ...) TAP_PRINTF(1, 2) __attribute__((noreturn));

#endif
