/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Signals that come again and again, or once where they are wanted. */
#ifndef QUIRE_TEST_TICKS_H
#define QUIRE_TEST_TICKS_H

#include <sys/types.h>
#include <time.h>

timer_t ticks_start(void (*handler)(int signal), int flags, long period_ns);
pid_t tick_within(void (*handler)(int signal), const char *function);

#endif
