/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Processes that a test starts beside itself. */
#ifndef QUIRE_CHILD_H
#define QUIRE_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

pid_t child_start(unsigned int seconds);
void child_kill(pid_t pid);
bool child_is_running(pid_t pid);
int child_status(pid_t pid);
long child_cpu_ms(pid_t pid);
bool child_is_within(pid_t pid, const char *function);
bool child_gets_within(pid_t pid, const char *function, unsigned int milliseconds);
bool child_stops_within(pid_t pid, const char *function, unsigned int milliseconds);

#endif
