// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Eviction of what is bound
 *
 * An object that leaves VRAM or the aperture, or moves there, takes its entries with it: they
 * become invalid before its place is reused (NotifyEviction of the original), and the object is
 * noted as evicted in each address space where it is bound. No work uses it then: all work of an
 * address space leaves a fence with each of its objects, and a move waits for these.
 *
 * The next submission or bind brings evicted objects back, and has their entries written: so no
 * stale ones are used, also where there was no memory to make them invalid. Dropped page tables are
 * made anew in the same way.
 *
 * Objects are brought to VRAM, in any pages; or to the aperture, if VRAM has no room, if they may
 * not be there, or if they are in use, as content does not move then.
 *
 * Locking: the reservation of an object; to bring back, those of the address space and of all
 * objects that are bound there and not private to it.
 *
 * Source: drm_gpuvm_validate(); DXGK_UPDATEPAGETABLEFLAGS, NotifyEviction.
 */
#include "core/quire_device_types.h"
#include "core/quire_placement.h"
#include "core/quire_refuse.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_layout.h"
#include "bo/quire_residency.h"
#include "quire_vm.h"
#include "quire_vm_validate.h"

/* Tiles are in VRAM and nowhere else. */
static bool may_be_in_aperture(const struct quire_bo *bo)
{
	return quire_bo_allows(bo, QUIRE_PL_APERTURE) && !quire_bo_is_tiled(bo);
}

/**
 * quire_vm_can_place - could the device ever access an object by virtual addresses?
 * @bo: the object
 * Returns: true if it may be in VRAM or the aperture, or is a monitored fence.
 */
bool quire_vm_can_place(const struct quire_bo *bo)
{
	return quire_bo_is_fence(bo) || quire_bo_allows(bo, QUIRE_PL_VRAM) ||
	       may_be_in_aperture(bo);
}

static unsigned int init_places(struct quire_bo *bo, bool vram, struct ttm_place *places)
{
	struct quire_device *qdev = quire_bo_device(bo);
	u64 end = qdev->vram_mgr->manager.size;
	unsigned int count = 0;

	/* Of a native fence the CPU has to see the values wherever it is. */
	if (quire_bo_is_native_fence(bo))
		end = min(end, qdev->vram_visible);
	if (vram)
		places[count++] = (struct ttm_place) {
			.mem_type = QUIRE_PL_VRAM,
			.lpfn = end >> PAGE_SHIFT,
			.flags = TTM_PL_FLAG_TOPDOWN,
		};
	if (may_be_in_aperture(bo)) {
		quire_bo_aperture_place(bo, &places[count]);
		if (count)
			places[count].flags |= TTM_PL_FLAG_FALLBACK;
		count++;
	}
	return count;
}

/**
 * quire_vm_validation_init - prepare work in an address space
 * @validation: to initialise; zero
 * @vm: the address space
 * @try: as of &struct quire_validation
 */
void quire_vm_validation_init(struct quire_vm_validation *validation, struct quire_vm *vm,
			      int (*try)(struct quire_validation *validation))
{
	validation->base.qdev = vm->qdev;
	validation->base.batch = (struct quire_batch) { vm->qdev->paging_queue, vm->usage };
	validation->base.position = &vm->position;
	validation->base.try = try;
	validation->vm = vm;
	validation->refused = U64_MAX;
}

/**
 * quire_vm_place - queue a move of an object to where the device can access it
 * @validation: in a try
 * @bo: the object, reserved, by a caller that has a ticket
 * Returns: 0; -ENODATA it is purged; -EBUSY it is pinned, or has to move, and is in use;
 * -ENODEV; errors of quire_validation_place().
 */
int quire_vm_place(struct quire_vm_validation *validation, struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	bool placed, others, vram = quire_bo_allows(bo, QUIRE_PL_VRAM);
	u32 mem_type = quire_bo_mem_type(&bo->base);
	struct ttm_place places[QUIRE_VALIDATION_PLACES];
	unsigned int count;
	int ret = 0;

	if (quire_bo_is_purged(bo))
		return quire_refuse(&qdev->drm, -ENODATA, "an object that is bound is purged");
	if (quire_bo_is_fence(bo))
		return 0;
	if (bo->base.pin_count)
		return quire_refuse(&qdev->drm, -EBUSY,
				    "an object that is bound is pinned by others");
	/* Is one of the segments where it may be large enough for it alone? */
	if (!may_be_in_aperture(bo) &&
	    quire_bo_size_in(bo, QUIRE_PL_VRAM) > qdev->vram_mgr->manager.size) {
		validation->base.hopeless = true;
		return -ENOSPC;
	}
	others = quire_bo_has_others(bo);
	placed = mem_type == QUIRE_PL_VRAM ||
		 (mem_type == QUIRE_PL_APERTURE && may_be_in_aperture(bo) && !bo->unmapped &&
		  (others || !vram));
	if (!placed) {
		/* What others look at does not change, and commands look at the aperture. */
		count = init_places(bo, vram && !others, places);
		if (!count || (others && (bo->unmapped || quire_bo_has_commands(bo))))
			return quire_validation_busy(&validation->base, bo);
		if (bo->unmapped)
			ret = quire_bo_validate(bo, &quire_system_place, 1,
						&validation->base.ctx.base);
		ret = ret ?: quire_validation_place(&validation->base, bo, places, count);
	}
	if (!ret)
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
	return ret;
}

static const struct drm_gem_object_funcs table_funcs = {
	.free = quire_bo_free,
};

static const struct quire_bo_kind table_kind = {
	.type = ttm_bo_type_kernel,
	.funcs = &table_funcs,
	.destroy = quire_bo_fini,
};

/**
 * quire_bo_is_page_table - is an object a page table of an address space?
 * @bo: the object
 * Returns: true if so.
 */
bool quire_bo_is_page_table(const struct quire_bo *bo)
{
	return bo->kind == &table_kind;
}

static int tables_add(struct quire_vm_validation *validation, u32 level, unsigned long index)
{
	struct quire_vm *vm = validation->vm;
	struct xarray *tables = &vm->pages.levels[level];
	const struct quire_bo_config config = {
		.size = PAGE_SIZE,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM) | BIT(QUIRE_SEGMENT_VRAM),
		.caching = ttm_cached,
		.gpuvm = &vm->base,
		.bulk = &vm->bulk,
	};
	struct quire_bo *bo;
	int ret;

	bo = quire_bo_create(vm->qdev, &config, &table_kind, NULL);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = quire_vm_place(validation, bo);
	if (!ret) {
		/* All work of the address space uses it from here on. */
		bo->bound = true;
		guard(mutex)(&vm->pages.lock);
		ret = xa_err(xa_store(tables, index, bo, GFP_KERNEL));
		if (!ret)
			xa_set_mark(tables, index, QUIRE_VM_UNLINKED);
	}
	if (ret)
		drm_gem_object_put(&bo->base.base);
	else
		quire_bulk_add(bo);
	return ret;
}

/**
 * quire_vm_tables_ensure - have tables for a range of addresses
 * @validation: that runs; its address space is reserved, and has not lost its tables
 * @start: first address
 * @end: behind the last, above @start
 *
 * Nothing leads to new ones before entries are written the next time (quire_vm_table.c).
 *
 * Returns: 0; -ENOMEM; errors of quire_vm_place(); then there may be more tables than before.
 */
int quire_vm_tables_ensure(struct quire_vm_validation *validation, u64 start, u64 end)
{
	u64 count = quire_vm_table_index(end - 1, 0) - quire_vm_table_index(start, 0) + 1;
	struct quire_vm_tables *tables = &validation->vm->pages;
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
				ret = tables_add(validation, level, index);
	if (!ret)
		return 0;
	guard(mutex)(&tables->lock);
	if (!tables->half_linked)
		quire_vm_tables_drop(tables, QUIRE_VM_UNLINKED);
	return ret;
}

/**
 * quire_vm_bo_validate - &drm_gpuvm_ops.vm_bo_validate
 * @vm_bo: an object that may have been evicted, reserved
 * @exec: what is reserved
 * Returns: 0, then it is not evicted any more; errors of quire_vm_place().
 */
int quire_vm_bo_validate(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec)
{
	struct quire_vm *vm = to_quire_vm(vm_bo->vm);
	struct quire_vm_validation *validation = vm->validation;
	struct quire_bo *bo = gem_to_quire_bo(vm_bo->obj);
	struct drm_gpuva *va;
	int ret;

	if (!vm_bo->evicted)
		return 0;
	ret = quire_vm_place(validation, bo);
	if (ret) {
		/* The first of its addresses tells the program which object it is. */
		drm_gpuvm_bo_for_each_va(va, vm_bo) {
			validation->refused = va->va.addr;
			break;
		}
		return ret;
	}
	drm_gpuvm_bo_for_each_va(va, vm_bo) {
		ret = quire_vm_tables_ensure(validation, va->va.addr, va->va.addr + va->va.range);
		if (ret)
			return ret;
	}
	guard(mutex)(&vm->pages.lock);
	ret = quire_vm_write_object(&vm->pages, &validation->base.batch, vm_bo, true);
	if (!ret) {
		bo->bound = true;
		vm_bo->evicted = false;
		return 0;
	}
	/* It stays evicted: the entries written before there was no memory must not be used. */
	if (quire_vm_write_object(&vm->pages, &validation->base.batch, vm_bo, false))
		vm->pages.unflushed = true;
	return ret;
}

static int renew_if_lost(struct quire_vm_validation *validation)
{
	struct quire_vm_tables *tables = &validation->vm->pages;

	guard(mutex)(&tables->lock);
	if (!tables->lost && !READ_ONCE(tables->failed))
		return 0;
	return quire_vm_renew_tables(tables, &validation->base.batch);
}

static int complete_tables(struct quire_vm_validation *validation)
{
	struct drm_gpuvm *gpuvm = &validation->vm->base;
	struct quire_vm_tables *tables = &validation->vm->pages;
	struct drm_gpuva *va;
	int ret;

	if (!tables->incomplete)
		return 0;
	drm_gpuvm_for_each_va(va, gpuvm) {
		ret = quire_vm_tables_ensure(validation, va->va.addr, va->va.addr + va->va.range);
		if (ret)
			return ret;
	}
	guard(mutex)(&tables->lock);
	ret = quire_vm_write_all(tables, &validation->base.batch);
	if (!ret)
		tables->incomplete = false;
	return ret;
}

/**
 * quire_vm_complete - have entries of all that is bound and not evicted
 * @validation: that runs; its address space is reserved, and all objects that are bound there
 *
 * Evicted objects stay so: a bind is not to be refused because of other objects.
 *
 * Returns: 0; errors of quire_vm_tables_ensure() and quire_vm_write_all().
 */
int quire_vm_complete(struct quire_vm_validation *validation)
{
	return renew_if_lost(validation) ?: complete_tables(validation);
}

/**
 * quire_vm_validate - place all that is bound, have its entries written, tell of native fences
 * @validation: that runs
 * @exec: has reserved the address space, and all objects that are bound there
 *
 * Done when &quire_vm_tables.written and the moves of the objects are.
 *
 * Returns: 0; errors of quire_vm_bo_validate() and quire_residency_ensure().
 */
int quire_vm_validate(struct quire_vm_validation *validation, struct drm_exec *exec)
{
	struct quire_vm *vm = validation->vm;
	struct quire_native *native;
	struct drm_gpuvm_bo *vm_bo;
	int ret;

	ret = renew_if_lost(validation);
	if (ret)
		return ret;
	list_for_each_entry(native, &vm->natives, link) {
		ret = quire_vm_place(validation, native->bo) ?:
		      quire_residency_ensure(native->bo, &validation->base.batch);
		if (ret)
			return ret;
		native->bo->bound = true;
	}
	vm->validation = validation;
	ret = drm_gpuvm_validate(&vm->base, exec);
	vm->validation = NULL;
	ret = ret ?: complete_tables(validation);
	if (ret)
		return ret;
	/* Commands may use everything that is bound: it is evicted last. */
	quire_bulk_touch_apart(&vm->bulk);
	list_for_each_entry(vm_bo, &vm->base.extobj.list, list.entry.extobj)
		ttm_bo_move_to_lru_tail_unlocked(&gem_to_quire_bo(vm_bo->obj)->base);
	quire_bulk_touch(&vm->bulk, &vm->qdev->ttm);
	return 0;
}

/**
 * quire_vm_validate_object - as quire_vm_validate(), of one object
 * @validation: that runs; its address space is reserved, and its tables are whole
 * @bo: the object, reserved; may be bound there, or not yet
 * Returns: 0; errors of quire_vm_bo_validate().
 */
int quire_vm_validate_object(struct quire_vm_validation *validation, struct quire_bo *bo)
{
	struct drm_gpuvm_bo *vm_bo = drm_gpuvm_bo_find(&validation->vm->base, &bo->base.base);
	/* That may evict it: from the aperture, back to VRAM. */
	int ret = quire_vm_place(validation, bo);

	if (!vm_bo)
		return ret;
	validation->vm->validation = validation;
	if (!ret)
		ret = quire_vm_bo_validate(vm_bo, NULL);
	validation->vm->validation = NULL;
	drm_gpuvm_bo_put(vm_bo);
	return ret;
}

/**
 * quire_vm_bo_leaves - make the entries of an object invalid before it moves, or is dropped
 * @bo: the object, reserved; no foreign work is in it
 * @batch: of the call
 *
 * If there is no memory for that, it is done before the next submission in the address space.
 */
void quire_vm_bo_leaves(struct quire_bo *bo, struct quire_batch *batch)
{
	struct quire_vm_tables *tables;
	struct drm_gpuvm_bo *vm_bo;

	if (quire_bo_is_page_table(bo))
		return;
	drm_gem_for_each_gpuvm_bo(vm_bo, &bo->base.base) {
		if (vm_bo->evicted)
			continue;
		drm_gpuvm_bo_evict(vm_bo, true);
		tables = &to_quire_vm(vm_bo->vm)->pages;
		guard(mutex)(&tables->lock);
		if (tables->root_cpu && !tables->lost &&
		    quire_vm_write_object(tables, batch, vm_bo, false))
			tables->unflushed = true;
	}
	bo->bound = false;
}
