/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Signals that come again and again. */
#ifndef QUIRE_TEST_TICKS_H
#define QUIRE_TEST_TICKS_H

#include <time.h>

timer_t ticks_start(void (*handler)(int signal), int flags, long period_ns);

#endif
