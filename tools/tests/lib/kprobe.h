/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Calls of a function of the kernel, recorded in its trace with the thread. For root. */
#ifndef QUIRE_KPROBE_H
#define QUIRE_KPROBE_H

#include <stdbool.h>
#include <sys/types.h>

#define KPROBE_TRACE	"/sys/kernel/tracing/trace"

bool kprobe_start(const char *name, const char *function);
void kprobe_stop(const char *name);
void kprobe_clear(void);
unsigned int kprobe_count(const char *name, pid_t thread);

#endif
