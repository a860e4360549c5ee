/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An independent XXH64, for engine tests.
 */
#ifndef QUIRE_TEST_HASH_H
#define QUIRE_TEST_HASH_H

#include <stdint.h>

uint64_t hash_xxh64(const uint8_t *bytes, uint64_t size);

#endif
