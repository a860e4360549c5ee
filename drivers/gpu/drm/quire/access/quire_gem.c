// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects of others
 *
 * A dma-buf of another driver becomes an object whose content lives with the exporter, and which
 * shares its reservation object. The device can only use its pages through the aperture. The
 * exporter gets them back when it asks for them (dynamic attachment), when the object dies or when
 * the device goes. mmap() of the object is the exporter's.
 *
 * Locking: the reservation of the object, which is the exporter's;
 * &drm_gem_object.import_attach and the list of imports by &drm_device.object_name_lock.
 */
#include "core/quire_compat.h"
#include "core/quire_refuse.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_budget.h"
#include "bo/quire_bulk.h"
#include "bo/quire_prime.h"
#include "quire_access.h"

static const struct drm_gem_object_funcs gem_funcs = {
	.free = quire_bo_free,
	.open = quire_budget_own,
	.close = quire_holds_close,
	.mmap = quire_bo_mmap,
	.vm_ops = &quire_bo_vm_ops,
	.export = quire_prime_export,
	.get_sg_table = quire_prime_get_sg_table,
};

const struct quire_bo_kind quire_gem_kind = {
	.type = ttm_bo_type_device,
	.funcs = &gem_funcs,
	.destroy = quire_bo_fini,
};

/* In bounded time. A dying object gives pages back by itself, and must not get a place any more. */
static void import_invalidate(struct dma_buf_attachment *attach)
{
	struct quire_bo *bo = attach->importer_priv;
	struct ttm_operation_ctx ctx = { };
	int ret = 0;

	if (!kref_get_unless_zero(&bo->base.base.refcount))
		return;
	if (bo->base.ttm && ttm_tt_is_populated(bo->base.ttm))
		ret = quire_bo_empty(bo, &ctx);
	if (ret)
		drm_err_ratelimited(&quire_bo_device(bo)->drm,
				    "pages of another driver are not given back: %d\n", ret);
	drm_gem_object_put(&bo->base.base);
}

static const struct dma_buf_attach_ops import_attach_ops = {
	.invalidate_mappings = import_invalidate,
};

static struct dma_buf_attachment *take_attachment(struct quire_bo *bo)
{
	struct dma_buf_attachment *attach = bo->base.base.import_attach;

	lockdep_assert_held(&bo->base.base.dev->object_name_lock);

	bo->base.base.import_attach = NULL;
	list_del_init(&bo->share_link);
	return attach;
}

static void import_destroy_work(struct work_struct *work)
{
	struct quire_bo *bo = container_of(work, struct quire_bo, destroy_work);
	struct drm_device *drm = bo->base.base.dev;
	struct dma_buf *dma_buf = bo->dma_buf;
	struct dma_buf_attachment *attach;

	scoped_guard(mutex, &drm->object_name_lock)
		attach = take_attachment(bo);
	if (attach)
		dma_buf_detach(dma_buf, attach);
	quire_bo_fini(bo);
	dma_buf_put(dma_buf);
}

/* TTM may call with any reservation held, and detaching takes that of the exporter. */
static void import_destroy(struct quire_bo *bo)
{
	INIT_WORK(&bo->destroy_work, import_destroy_work);
	queue_work(bo->base.bdev->wq, &bo->destroy_work);
}

/* The exporter's mapping outlives object and device. The reference of @obj is taken over. */
static int import_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	int ret;

	vma->vm_private_data = NULL;
	vm_flags_set(vma, VM_DONTEXPAND);
	ret = dma_buf_mmap(gem_to_quire_bo(obj)->dma_buf, vma, 0);
	if (!ret)
		drm_gem_object_put(obj);
	return ret;
}

static const struct drm_gem_object_funcs import_funcs = {
	.free = quire_bo_free,
	.open = quire_budget_own,
	.close = quire_holds_close,
	.mmap = import_mmap,
};

static const struct quire_bo_kind import_kind = {
	.type = ttm_bo_type_sg,
	.funcs = &import_funcs,
	.destroy = import_destroy,
};

static struct drm_gem_object *import_dma_buf(struct quire_device *qdev, struct dma_buf *dma_buf)
{
	const struct quire_bo_config config = {
		.size = dma_buf->size,
		.segments = BIT(QUIRE_SEGMENT_SYSTEM) | BIT(QUIRE_SEGMENT_APERTURE),
		.caching = ttm_cached,
	};
	u64 size = config.size, most = quire_bo_max_size(qdev);
	struct dma_buf_attachment *attach;
	struct quire_bo *bo;
	int ret;

	if (!size || !PAGE_ALIGNED(size))
		return ERR_PTR(quire_refuse(&qdev->drm, -EINVAL,
					    "import: size %llu is no multiple of %lu", size,
					    PAGE_SIZE));
	if (size > most)
		return ERR_PTR(quire_refuse(&qdev->drm, -E2BIG, "import: size %llu is above %llu",
					    size, most));

	/* The exporter may hold it for long, while object_name_lock holds up other tasks. */
	ret = dma_resv_lock_interruptible(dma_buf->resv, NULL);
	if (ret)
		return ERR_PTR(ret);
	bo = quire_bo_create(qdev, &config, &import_kind, dma_buf);
	dma_resv_unlock(dma_buf->resv);
	if (IS_ERR(bo))
		return ERR_CAST(bo);

	/* From here on the exporter may call. */
	attach = dma_buf_dynamic_attach(dma_buf, qdev->drm.dev, &import_attach_ops, bo);
	if (IS_ERR(attach)) {
		quire_refuse(&qdev->drm, PTR_ERR(attach), "import: %s does not let us attach",
			     dma_buf->exp_name);
		drm_gem_object_put(&bo->base.base);
		return ERR_CAST(attach);
	}

	bo->base.base.import_attach = attach;
	list_add(&bo->share_link, &qdev->shares->imports);
	return &bo->base.base;
}

/**
 * quire_import - &drm_driver.gem_prime_import
 * @drm: the device; its object_name_lock is held
 * @dma_buf: to be imported
 * Returns: the object with a reference, the exported one if the dma-buf is of @drm; or an ERR_PTR:
 * -ENODEV; -EINVAL its size is no multiple of pages; -E2BIG it is too large; -EINTR; errors of
 * quire_bo_create() and of the exporter.
 */
struct drm_gem_object *quire_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct drm_gem_object *obj = dma_buf->priv;
	int idx;

	lockdep_assert_held(&drm->object_name_lock);

	if (quire_prime_is_ours(drm, dma_buf)) {
		drm_gem_object_get(obj);
		return obj;
	}
	if (!drm_dev_enter(drm, &idx))
		return ERR_PTR(-ENODEV);
	obj = import_dma_buf(to_quire_device(drm), dma_buf);
	drm_dev_exit(idx);
	return obj;
}

/**
 * quire_import_remove - detach everything that is imported
 * @qdev: the device; unplugged; no object has pages any more
 */
void quire_import_remove(struct quire_device *qdev)
{
	struct quire_bo *bo, *next;

	guard(mutex)(&qdev->drm.object_name_lock);
	list_for_each_entry_safe(bo, next, &qdev->shares->imports, share_link)
		dma_buf_detach(bo->dma_buf, take_attachment(bo));
}
