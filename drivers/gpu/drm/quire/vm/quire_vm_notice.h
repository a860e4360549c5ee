/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VM_NOTICE_H
#define QUIRE_VM_NOTICE_H

#include <linux/types.h>

struct quire_bo;
struct quire_paging_work;
struct quire_vm_tables;

bool quire_vm_is_noticed(struct quire_bo *bo);
int quire_vm_notice(struct quire_vm_tables *tables, struct quire_paging_work *work,
		    struct quire_bo *bo, u64 offset, u64 size);

#endif
