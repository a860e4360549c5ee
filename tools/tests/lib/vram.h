/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* VRAM as it is: the driver's file device_vram. */
#ifndef QUIRE_TEST_VRAM_H
#define QUIRE_TEST_VRAM_H

#include <sys/types.h>

#include "fixture.h"

int vram_open(const struct fixture *fixture, int flags);
off_t vram_find(int fd, const void *page);

#endif
