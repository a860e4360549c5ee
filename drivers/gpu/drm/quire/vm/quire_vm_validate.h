/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_VALIDATE_H
#define QUIRE_VM_VALIDATE_H

#include "bo/quire_validation.h"

struct drm_exec;
struct drm_gpuvm_bo;

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
bool quire_vm_can_place(const struct quire_bo *bo);
int quire_vm_place(struct quire_vm_validation *validation, struct quire_bo *bo);

bool quire_bo_is_page_table(const struct quire_bo *bo);
int quire_vm_tables_ensure(struct quire_vm_validation *validation, u64 start, u64 end);

int quire_vm_bo_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec);
int quire_vm_validate(struct quire_vm_validation *validation, struct drm_exec *exec);
int quire_vm_complete(struct quire_vm_validation *validation);
int quire_vm_validate_object(struct quire_vm_validation *validation, struct quire_bo *bo);
void quire_vm_bo_leaves(struct quire_bo *bo, struct quire_batch *batch);

#endif
