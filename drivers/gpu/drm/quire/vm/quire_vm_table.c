// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Page tables
 *
 * An address space has a table of level 3, its root, in system memory, as long as the device
 * knows of it. All other tables are objects of a page in VRAM, made when a bind needs them::
 *
 *     context --> root (level 3)       system memory
 *                  |
 *                  +--> level 2        VRAM, objects of a page; private to the
 *                        +--> level 1  address space
 *                              +--> level 0 --> pages of objects
 *
 * Their content can always be made anew from drm_gpuvm. So tables of an address space at work stay;
 * when it is idle, TTM may evict one, which is dropped without a copy. Then all the others are
 * lost, too, and are made anew by the next submission or bind (quire_vm_validate.c). The device is
 * told before the place of a dropped table is reused: an address space whose tables are lost
 * executes nothing.
 *
 * Locking: the reservation of the address space for which tables there are, and
 * &quire_vm_tables.lock inside of it, which is enough to find out where they are, and to have
 * entries written there.
 */
#include <linux/dma-resv.h>
#include <linux/dma-mapping.h>

#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_free.h"
#include "quire_vm.h"
#include "quire_vm_place.h"
#include "quire_vm_table.h"

static const struct drm_gem_object_funcs table_funcs = {
	.free = quire_bo_free,
};

static const struct quire_bo_kind table_kind = {
	.type = ttm_bo_type_kernel,
	.funcs = &table_funcs,
	.destroy = quire_bo_fini,
};

/**
 * quire_bo_is_page_table - did quire_vm_tables_ensure() make an object?
 * @bo: the object
 * Returns: true if so.
 */
bool quire_bo_is_page_table(const struct quire_bo *bo)
{
	return bo->kind == &table_kind;
}

/**
 * quire_vm_tables_init - make the root
 * @tables: to initialise
 * @vm: whose they are
 * Returns: 0, or -ENOMEM.
 */
int quire_vm_tables_init(struct quire_vm_tables *tables, struct quire_vm *vm)
{
	u32 i;

	tables->vm = vm;
	mutex_init(&tables->lock);
	for (i = 0; i < QUIRE_VM_LEVELS; i++)
		xa_init_flags(&tables->levels[i], XA_FLAGS_ACCOUNT);
	tables->root_cpu = dma_alloc_coherent(vm->qdev->drm.dev, QUIRE_PAGE_SIZE,
					      &tables->root_dma, GFP_KERNEL_ACCOUNT);
	if (!tables->root_cpu)
		return -ENOMEM;
	tables->root = (struct quire_paging_pte) {
		.flags = QUIRE_PTE(QUIRE_SEGMENT_SYSTEM, 0, QUIRE_PTE_VALID),
		.page = tables->root_dma >> QUIRE_PAGE_SHIFT,
	};
	return 0;
}

/* The address space is reserved. */
static void tables_drop_all(struct quire_vm_tables *tables, xa_mark_t mark)
{
	struct quire_bo *bo;
	unsigned long index;
	u32 level;

	for (level = 0; level < QUIRE_VM_LEVELS; level++) {
		xa_for_each_marked(&tables->levels[level], index, bo, mark) {
			xa_erase(&tables->levels[level], index);
			quire_bulk_remove(bo);
			drm_gem_object_put(&bo->base.base);
		}
	}
}

/**
 * quire_vm_tables_fini - give them up
 * @tables: the tables; nothing is executed with them any more, see quire_vm_forget()
 *
 * Waits for the device, if it is there.
 */
void quire_vm_tables_fini(struct quire_vm_tables *tables)
{
	struct dma_resv *resv = drm_gpuvm_resv(&tables->vm->base);

	dma_resv_lock(resv, NULL);
	mutex_lock(&tables->lock);
	tables_drop_all(tables, XA_PRESENT);
	dma_resv_unlock(resv);
	if (tables->written)
		dma_fence_wait(tables->written, false);
	dma_fence_put(tables->written);
	tables->written = NULL;
	dma_free_coherent(tables->vm->qdev->drm.dev, QUIRE_PAGE_SIZE, tables->root_cpu,
			  tables->root_dma);
	tables->root_cpu = NULL;
	mutex_unlock(&tables->lock);
}

/**
 * quire_vm_tables_free - free what is left
 * @tables: the tables, after quire_vm_tables_fini(), or of an address space that has none
 */
void quire_vm_tables_free(struct quire_vm_tables *tables)
{
	u32 i;

	for (i = 0; i < QUIRE_VM_LEVELS && tables->vm; i++)
		xa_destroy(&tables->levels[i]);
}

/**
 * quire_vm_tables_lose - note that one of them is evicted
 * @tables: the tables; their address space is reserved and idle
 *
 * No entries are written there any more.
 */
void quire_vm_tables_lose(struct quire_vm_tables *tables)
{
	mutex_lock(&tables->lock);
	tables->lost = true;
	mutex_unlock(&tables->lock);
}

/**
 * quire_vm_tables_are_whole - do they have entries of all that is bound, and not evicted?
 * @tables: the tables; their address space is reserved
 * Returns: false if quire_vm_validate() has to make them so.
 */
bool quire_vm_tables_are_whole(struct quire_vm_tables *tables)
{
	bool whole;

	mutex_lock(&tables->lock);
	whole = !tables->lost && !tables->incomplete && !READ_ONCE(tables->failed);
	mutex_unlock(&tables->lock);
	return whole;
}

/**
 * quire_vm_tables_written - when are they what was asked for?
 * @tables: the tables
 * Returns: fence of what the paging queue wrote last, with a reference, or NULL.
 */
struct dma_fence *quire_vm_tables_written(struct quire_vm_tables *tables)
{
	struct dma_fence *fence;

	mutex_lock(&tables->lock);
	fence = dma_fence_get(tables->written);
	mutex_unlock(&tables->lock);
	return fence;
}

/**
 * quire_vm_tables_next - go through the tables of a level
 * @tables: the tables; nothing is held, and nothing is waited for
 * @level: the level
 * @index: where to begin; returned: where there is one
 * Returns: the first one from there on, with a reference, or NULL.
 */
struct quire_bo *quire_vm_tables_next(struct quire_vm_tables *tables, u32 level,
				      unsigned long *index)
{
	struct xarray *xa = &tables->levels[level];
	struct quire_bo *bo;

	xa_lock(xa);
	bo = xa_find(xa, index, ULONG_MAX, XA_PRESENT);
	if (bo)
		drm_gem_object_get(&bo->base.base);
	xa_unlock(xa);
	return bo;
}

static int tables_add(struct quire_vm_tables *tables, u32 level, unsigned long index,
		      struct quire_vm_validation *validation)
{
	const struct quire_bo_config config = {
		.size = PAGE_SIZE,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM) | BIT(QUIRE_SEGMENT_VRAM),
		.caching = ttm_cached,
		.gpuvm = &tables->vm->base,
		.bulk = &tables->vm->bulk,
	};
	struct quire_bo *bo;
	int ret;

	bo = quire_bo_create(tables->vm->qdev, &config, &table_kind, NULL);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = quire_vm_place(validation, bo);
	if (ret)
		goto err_put;
	/* All work of the address space uses it from here on. */
	bo->bound = true;
	mutex_lock(&tables->lock);
	ret = xa_err(xa_store(&tables->levels[level], index, bo, GFP_KERNEL));
	if (!ret)
		xa_set_mark(&tables->levels[level], index, QUIRE_VM_UNLINKED);
	mutex_unlock(&tables->lock);
	if (ret)
		goto err_put;
	quire_bulk_add(bo);
	return 0;
err_put:
	drm_gem_object_put(&bo->base.base);
	return ret;
}

/**
 * quire_vm_tables_ensure - have tables for a range of addresses
 * @tables: the tables, not lost; their address space is reserved
 * @start: first address
 * @end: behind the last, above @start
 * @validation: how to find room
 *
 * Nothing leads to new ones before entries are written the next time (quire_vm_entry.c).
 *
 * Returns: 0; -ENOSPC; -ENOMEM; other errors of quire_vm_place(). After an error there may
 * be more tables than before.
 */
int quire_vm_tables_ensure(struct quire_vm_tables *tables, u64 start, u64 end,
			   struct quire_vm_validation *validation)
{
	u64 count = quire_vm_table_index(end - 1, 0) - quire_vm_table_index(start, 0) + 1;
	unsigned long index;
	u32 level;
	int ret = 0;

	/* They alone would take all of VRAM. */
	if (count >= tables->vm->qdev->vram_mgr->manager.size >> PAGE_SHIFT) {
		validation->base.hopeless = true;
		return -ENOSPC;
	}
	for (level = 0; level < QUIRE_VM_LEVELS && !ret; level++)
		for (index = quire_vm_table_index(start, level);
		     index <= quire_vm_table_index(end - 1, level) && !ret; index++)
			if (!xa_load(&tables->levels[level], index))
				ret = tables_add(tables, level, index, validation);
	if (ret) {
		mutex_lock(&tables->lock);
		if (!tables->half_linked)
			tables_drop_all(tables, QUIRE_VM_UNLINKED);
		mutex_unlock(&tables->lock);
	}
	return ret;
}

/**
 * quire_vm_tables_drop - give all of them up
 * @tables: the tables; their address space is reserved, and @lock is held
 */
void quire_vm_tables_drop(struct quire_vm_tables *tables)
{
	lockdep_assert_held(&tables->lock);

	tables_drop_all(tables, XA_PRESENT);
}
