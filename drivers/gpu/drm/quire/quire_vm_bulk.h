/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_BULK_H
#define QUIRE_VM_BULK_H

struct quire_bo;
struct quire_vm;

void quire_vm_bulk_init(struct quire_vm *vm);
void quire_vm_bulk_fini(struct quire_vm *vm);
void quire_vm_bulk_add(struct quire_bo *bo);
void quire_vm_bulk_remove(struct quire_bo *bo);
void quire_vm_bulk_leave(struct quire_bo *bo);
void quire_vm_bulk_touch(struct quire_vm *vm);

#endif
