/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: some bytes of a side.
 */
#ifndef QUIRE_BYTES_H
#define QUIRE_BYTES_H

#include "quire_side.h"

struct quire_error quire_bytes_read(struct quire_engine *engine, struct quire_side *side,
				    uint64_t pos, void *to, uint64_t len);
struct quire_error quire_bytes_write(struct quire_engine *engine, struct quire_side *side,
				     uint64_t pos, const void *from, uint64_t len);
struct quire_error quire_value_read(struct quire_engine *engine, struct quire_side *side,
				    uint64_t *value);
struct quire_error quire_value_write(struct quire_engine *engine, struct quire_side *side,
				     uint64_t value);
struct quire_error quire_value_signal(struct quire_engine *engine, struct quire_side *side,
				      uint64_t value);

#endif
