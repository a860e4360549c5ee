/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* XXH64 with a seed of 0, as CHECKSUM computes it; nothing of the device's is used. */
#ifndef QUIRE_XXH64_H
#define QUIRE_XXH64_H

#include <stdint.h>

uint64_t xxh64(const void *bytes, uint64_t size);

#endif
