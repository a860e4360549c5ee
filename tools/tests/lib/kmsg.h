/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The kernel's log, from some time on. */
#ifndef QUIRE_KMSG_H
#define QUIRE_KMSG_H

#include <stdbool.h>

int kmsg_open(void);
unsigned int kmsg_count(int fd, const char *text);
bool kmsg_wait(int fd, const char *text, unsigned int milliseconds);

#endif
