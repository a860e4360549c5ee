/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* How little has to be moved at all. */
#ifndef QUIRE_LEAST_H
#define QUIRE_LEAST_H

#include <stdint.h>

int64_t least_moves(const uint32_t *uses, uint32_t count, uint32_t kinds, uint32_t room);

#endif
