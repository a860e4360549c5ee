/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What libFuzzer calls. */
#ifndef QUIRE_REPLAY_H
#define QUIRE_REPLAY_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
