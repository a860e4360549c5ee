/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_VALIDATE_H
#define QUIRE_VM_VALIDATE_H

struct drm_exec;
struct drm_gpuvm_bo;
struct quire_batch;
struct quire_bo;
struct quire_vm_validation;

int quire_vm_bo_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec);
int quire_vm_validate(struct quire_vm_validation *validation, struct drm_exec *exec);
int quire_vm_complete(struct quire_vm_validation *validation);
int quire_vm_validate_object(struct quire_vm_validation *validation, struct quire_bo *bo);
void quire_vm_bo_leaves(struct quire_bo *bo, struct quire_batch *batch);

#endif
