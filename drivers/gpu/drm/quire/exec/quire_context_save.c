// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Save areas of contexts
 *
 * Where the device puts the registers of a context with an address space while other contexts run:
 * an object of a page, private to the address space, in VRAM or, where there is no room, in the
 * aperture. It is bound at no address: no command reads or writes it.
 *
 * Unlike page tables its content can not be made anew. It is evicted as objects of programs are,
 * when nothing of the address space is at work, and comes back with the next EXEC::
 *
 *     EXEC --> place it            TRANSFER from where it was, if it was elsewhere
 *          --> INIT_CONTEXT        the first time
 *          --> UPDATE_CONTEXT      if it is where the device was not told
 *          --> commands            load, run, store
 *
 * The paging ring executes this in order, and commands wait for it by a fence of the reservation.
 * Operations that the paging ring gave up are tried again with the next commands; commands that
 * wait for them end with -EIO, also when they come to the ring during the next try. If the content
 * is lost the context ends.
 *
 * &quire_context_save.told may be stale only while nothing of the context is at work. A page that
 * is made for another context has no save area (INIT_CONTEXT).
 *
 * Locking: the reservation of the address space; @failed is set without. The array of save areas
 * has its own lock, for fdinfo.
 *
 * Source: DXGKARG_BUILDPAGINGBUFFER, InitContextResource;
 * DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION; DXGKARGCB_CREATECONTEXTALLOCATION.
 */
#include <linux/dma-resv.h>
#include <linux/stddef.h>

#include <drm/drm_gpuvm.h>

#include "paging/quire_paging.h"
#include "paging/quire_paging_list.h"
#include "core/quire_refuse.h"
#include "queue/quire_paging_work.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_free.h"
#include "bo/quire_segment.h"
#include "vm/quire_context_page.h"
#include "vm/quire_vm.h"
#include "vm/quire_vm_place.h"
#include "quire_context.h"

/* What it takes to make one, and to tell of it. */
#define SAVE_BYTES	(2 * QUIRE_CONTEXT_WINDOW_BYTES + \
			 sizeof(struct quire_packet_init_context) + \
			 sizeof(struct quire_packet_update_context) + sizeof(__le64))

static const struct drm_gem_object_funcs save_funcs = {
	.free = quire_bo_free_later,
};

static const struct quire_bo_kind save_kind = {
	.type = ttm_bo_type_kernel,
	.funcs = &save_funcs,
	.destroy = quire_bo_fini,
};

static int save_create(struct quire_context_save *save, struct quire_vm *vm)
{
	const struct quire_bo_config config = {
		.size = PAGE_SIZE,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM) | BIT(QUIRE_SEGMENT_VRAM) |
			    BIT(QUIRE_SEGMENT_APERTURE),
		.caching = ttm_cached,
		.gpuvm = &vm->base,
		.bulk = &vm->bulk,
	};
	struct quire_bo *bo;
	int ret;

	bo = quire_bo_create(vm->qdev, &config, &save_kind, NULL);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ret = xa_alloc(&vm->context_pages.saves, &save->id, bo, xa_limit_32b, GFP_KERNEL);
	if (ret) {
		drm_gem_object_put(&bo->base.base);
		return ret;
	}
	save->bo = bo;
	return 0;
}

/* An operation that failed is done again. */
static void save_settle(struct quire_context_page *page)
{
	struct quire_context_save *save = &page->save;

	if (save->told && !save->ready)
		save->ready = dma_fence_is_signaled(page->made) && !READ_ONCE(save->failed);
	if (!READ_ONCE(save->failed))
		return;
	WRITE_ONCE(save->given_up, save->tells);
	/* Who does not see that it failed sees what did: quire_context_save_error(). */
	smp_wmb();
	WRITE_ONCE(save->failed, false);
	save->told = 0;
}

static u32 save_segment(const struct quire_bo *bo)
{
	return quire_segment_instance(quire_bo_mem_type(&bo->base));
}

static u64 save_address(const struct quire_bo *bo)
{
	return QUIRE_ADDRESS(save_segment(bo), (u64)bo->base.resource->start << PAGE_SHIFT);
}

/* Have the area made, if it is not, and the device told: in one buffer, as both use the window. */
static int save_tell(struct quire_context_page *page, struct quire_vm_validation *validation)
{
	struct dma_resv *resv = drm_gpuvm_resv(&validation->vm->base);
	struct quire_context_save *save = &page->save;
	const struct quire_paging_pte entry = {
		.flags = QUIRE_PTE(save_segment(save->bo), 0,
				   QUIRE_PTE_VALID | QUIRE_PTE_NO_EXECUTE),
		.page = save->bo->base.resource->start,
	};
	u64 address = save_address(save->bo);
	struct quire_paging_work work;
	struct dma_fence *fence;
	int ret;

	ret = dma_resv_reserve_fences(resv, 1);
	if (ret)
		return ret;
	quire_paging_work_init(&work, &validation->base.batch, NULL, SAVE_BYTES, true);
	work.lost = &save->failed;
	ret = quire_paging_work_begin_whole(&work, SAVE_BYTES);
	if (!ret && !save->ready)
		ret = quire_context_add_window(&work, &entry) ?:
		      quire_context_add_init(&work, true);
	ret = ret ?: quire_context_add_page(&work, page) ?:
	      quire_context_add_update(&work, offsetof(struct quire_context_area, save), address);
	quire_paging_work_end_whole(&work);
	fence = quire_paging_list_finish(&work.list, ret);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	dma_resv_add_fence(resv, fence, DMA_RESV_USAGE_KERNEL);
	dma_fence_put(page->made);
	page->made = fence;
	save->told = address;
	save->tells++;
	return 0;
}

static void save_lost(struct quire_context *context)
{
	const struct quire_context_end end = { .status = DRM_QUIRE_CONTEXT_LOST };

	quire_context_blame(context, &end);
}

/**
 * quire_context_save_validate - bring the save area of a context to where the device finds it
 * @context: has an address space, and is there for the device
 * @validation: one that runs; the address space is reserved, and all that is bound there
 *
 * It is there when the fences of usage %DMA_RESV_USAGE_KERNEL of the reservation have signalled.
 * Commands that are pushed add theirs there.
 *
 * Returns: 0; -ECANCELED its content is lost, and the context has ended; -ENOMEM, -ENODEV, -EIO,
 * -ERESTARTSYS; other errors of quire_vm_place().
 */
int quire_context_save_validate(struct quire_context *context,
				struct quire_vm_validation *validation)
{
	struct quire_context_page *page = context->page;
	struct quire_context_save *save = &page->save;
	int ret = 0;

	if (!save->bo)
		ret = save_create(save, context->vm);
	if (ret)
		return ret;
	if (quire_bo_is_purged(save->bo)) {
		save_lost(context);
		return quire_refuse(&context->qdev->drm, -ECANCELED,
				    "exec: the registers of the context are lost");
	}
	ret = quire_vm_place(validation, save->bo);
	if (ret)
		return ret;
	/* All work of the address space is at work with it from here on. */
	save->bo->bound = true;
	save_settle(page);
	return save->told == save_address(save->bo) ? 0 : save_tell(page, validation);
}

/**
 * quire_context_save_error - may commands of a context begin?
 * @context: the context; what its commands wait for has ended
 * @tell: &quire_context_save.tells when they were pushed
 *
 * Any context.
 *
 * Returns: 0; -EIO the device was not told of its save area; -ECANCELED its content is lost, and
 * the context has ended.
 */
int quire_context_save_error(struct quire_context *context, unsigned long tell)
{
	const struct quire_context_save *save = &context->page->save;

	if (READ_ONCE(save->bo->lost)) {
		save_lost(context);
		return -ECANCELED;
	}
	if (READ_ONCE(save->failed))
		return -EIO;
	/* Pairs with save_settle(). */
	smp_rmb();
	return tell <= READ_ONCE(save->given_up) ? -EIO : 0;
}
