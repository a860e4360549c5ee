/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What /proc/self/fdinfo says of an open device. */
#ifndef QUIRE_FDINFO_H
#define QUIRE_FDINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool fdinfo_read(int fd, char *text, size_t size);
const char *fdinfo_find(const char *text, const char *key);
uint64_t fdinfo_statistic(int fd, const char *key);
uint64_t fdinfo_region(int fd, const char *what, uint32_t segment);

#endif
