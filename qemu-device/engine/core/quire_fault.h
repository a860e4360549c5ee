/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quire engine: errors, and the faults that come of them.
 */
#ifndef QUIRE_FAULT_H
#define QUIRE_FAULT_H

#include <stdint.h>

#include "quire_hw.h"

/**
 * struct quire_error - result of a check or a step
 * @code: enum quire_fault, QUIRE_FAULT_NONE if all is well
 * @addr: address that was refused or failed
 * @entry: of faults of an address space: the page-table entry
 * @access: of these: QUIRE_ACCESS_OF()
 */
struct quire_error {
	enum quire_fault code;
	uint64_t addr;
	uint64_t entry;
	uint32_t access;
};

#define QUIRE_OK		((struct quire_error){ .code = QUIRE_FAULT_NONE })
#define QUIRE_ERROR(code, addr)	((struct quire_error){ (code), (addr), 0, 0 })

const char *quire_fault_name(uint32_t code);

#endif
