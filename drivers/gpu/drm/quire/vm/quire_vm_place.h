/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_PLACE_H
#define QUIRE_VM_PLACE_H

#include <linux/types.h>

#include "bo/quire_validation.h"

struct quire_bo;
struct quire_vm;

/**
 * struct quire_vm_validation - work that needs what is bound to have a place
 * @base: base
 * @vm: the address space; the caller has a reference
 * @refused: address where an object is bound that is the reason of an error; else all ones
 */
struct quire_vm_validation {
	struct quire_validation base;
	struct quire_vm *vm;
	u64 refused;
};

void quire_vm_validation_init(struct quire_vm_validation *validation, struct quire_vm *vm,
			      int (*try)(struct quire_validation *validation));
int quire_vm_place(struct quire_vm_validation *validation, struct quire_bo *bo);
bool quire_vm_can_place(const struct quire_bo *bo);

#endif
