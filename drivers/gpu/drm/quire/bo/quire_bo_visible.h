/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_BO_VISIBLE_H
#define QUIRE_BO_VISIBLE_H

#include <linux/types.h>

struct quire_bo;
struct ttm_buffer_object;

int quire_bo_vm_make_visible(struct quire_bo *bo, bool interruptible);
int quire_bo_vm_wait_moved(struct quire_bo *bo, bool interruptible);
unsigned long quire_bo_io_mem_pfn(struct ttm_buffer_object *tbo, unsigned long page_offset);

#endif
