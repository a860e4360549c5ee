// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/slab.h>

#include "quire_vm.h"
#include "quire_vm_bind.h"

/* What one element may split: it is new itself, and what was there stays on both sides. */
#define VMAS_OF_BIND	3

/**
 * quire_vm_bind_reserve - have ranges that are not bound yet
 * @bind: the call
 * @copied: ranges that are copied, beside what each element may need
 * Returns: 0 or -ENOMEM.
 */
int quire_vm_bind_reserve(struct quire_vm_bind *bind, u64 copied)
{
	struct quire_vma *vma;

	for (; bind->nr_spare < bind->count * VMAS_OF_BIND + copied; bind->nr_spare++) {
		vma = kzalloc(sizeof(*vma), GFP_KERNEL_ACCOUNT);
		if (!vma)
			return -ENOMEM;
		list_add(&vma->base.gem.entry, &bind->spare);
	}
	return 0;
}

/**
 * quire_vm_bind_take - one of the ranges that are not bound yet
 * @bind: the call, which has enough of them
 * Returns: the range, in no list.
 */
struct quire_vma *quire_vm_bind_take(struct quire_vm_bind *bind)
{
	struct quire_vma *vma = list_first_entry(&bind->spare, struct quire_vma,
						 base.gem.entry);

	list_del_init(&vma->base.gem.entry);
	return vma;
}

/**
 * quire_vm_bind_free_spare - free the ranges that were not bound
 * @bind: the call
 */
void quire_vm_bind_free_spare(struct quire_vm_bind *bind)
{
	struct quire_vma *vma, *next;

	list_for_each_entry_safe(vma, next, &bind->spare, base.gem.entry)
		kfree(vma);
}
