/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: native fences.
 */
#ifndef QUIRE_NATIVE_H
#define QUIRE_NATIVE_H

#include "../core/quire_engine_types.h"
#include "../core/quire_fault.h"
#include "../decode/quire_operation_types.h"

/**
 * enum quire_native_part - numbers that the table has of a fence
 * @QUIRE_NATIVE_OWNER: root of the address space that has it
 * @QUIRE_NATIVE_CURRENT: where its current value is
 * @QUIRE_NATIVE_MONITORED: where its monitored value is
 * @QUIRE_NATIVE_PARTS: how many there are
 */
enum quire_native_part {
	QUIRE_NATIVE_OWNER,
	QUIRE_NATIVE_CURRENT,
	QUIRE_NATIVE_MONITORED,
	QUIRE_NATIVE_PARTS,
};

bool quire_native_init(struct quire_engine *engine);
void quire_native_fini(struct quire_engine *engine);
quire_once_fn quire_notify_fences;
uint64_t quire_get_native_owner(const struct quire_engine *engine, const struct quire_ring *ring);
uint64_t quire_get_native_current(const struct quire_engine *engine,
				  const struct quire_ring *ring);
uint64_t quire_get_native_monitored(const struct quire_engine *engine,
				    const struct quire_ring *ring);
const char *quire_check_native(const struct quire_engine *engine);
uint64_t quire_native_get(const struct quire_engine *engine, uint32_t fence,
			  enum quire_native_part part);

#endif
