/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_OPERATION_H
#define QUIRE_OPERATION_H

#include <linux/types.h>

struct quire_bo;
struct quire_paging_work;
struct quire_range_use;
struct ttm_resource;

int quire_operation_transfer(struct quire_paging_work *work, struct quire_bo *bo);
int quire_operation_special_lock(struct quire_paging_work *work, struct quire_bo *bo,
				 const struct quire_range_use *use);
int quire_operation_fill(struct quire_paging_work *work, struct quire_bo *bo);
int quire_operation_discard(struct quire_paging_work *work, struct quire_bo *bo);
int quire_operation_map(struct quire_paging_work *work, struct quire_bo *bo,
			struct ttm_resource *res);
int quire_operation_map_mmu(struct quire_paging_work *work, u32 mmu, u64 address, u64 first,
			    u32 pages);
int quire_operation_unmap_mmu(struct quire_paging_work *work, u32 mmu, u64 address, u32 pages);
int quire_operation_flush(struct quire_paging_work *work, struct ttm_resource *res);
int quire_operation_unmap(struct quire_paging_work *work, struct ttm_resource *res);

#endif
