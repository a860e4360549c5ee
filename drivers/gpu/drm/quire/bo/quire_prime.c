// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects in the hands of others
 *
 * Importers of a dma-buf see an object in system memory: VRAM is for our device alone. A dynamic
 * importer is told when the pages go, and asks again: that brings the object back. Others pin it: a
 * pinned object is not placed elsewhere, not evicted and so never purged. What pins is an
 * attachment of a static importer, dma_buf_pin(), vmap, and on kernels that have
 * CONFIG_DMABUF_MOVE_NOTIFY but not set also the mapping of a dynamic importer. When the device
 * goes, pinned pages leave its reach but stay until they are unpinned.
 *
 * vmap comes with the lock held and can not wait for split submissions that use the object: it is
 * refused then (-ETIME), as for a purged object (-ENODATA).
 *
 * Locking: &quire_bo.dma_buf and the count of pins by the reservation; inside &quire_shares.lock.
 */
#include <linux/dma-buf.h>
#include <linux/sched/signal.h>

#include <drm/drm_drv.h>
#include <drm/drm_prime.h>

#include "core/quire_compat.h"
#include "core/quire_refuse.h"
#include "quire_bo_vm.h"
#include "quire_prime.h"

static struct quire_bo *to_bo(struct dma_buf *dma_buf)
{
	return gem_to_quire_bo(dma_buf->priv);
}

static int refuse_purged(struct quire_bo *bo, const char *what)
{
	return quire_refuse(&quire_bo_device(bo)->drm, -ENODATA, "%s: the object is purged", what);
}

/* It has its content, and is reserved if there is no error. */
static int bo_reserve_whole(struct quire_bo *bo, const char *what)
{
	int ret = ttm_bo_reserve(&bo->base, true, false, NULL);

	if (!ret && quire_bo_is_purged(bo)) {
		dma_resv_unlock(bo->base.base.resv);
		ret = refuse_purged(bo, what);
	}
	return ret;
}

/* Importers take -EBUSY for a dma-buf that can not be reached at all. */
static int not_busy(int error)
{
	return error == -EBUSY ? -ETIME : error;
}

/* With the reservation, so that no more fences come; not inside of drm_dev_enter(). */
static int bo_wait_others(struct quire_bo *bo)
{
	if (!quire_bo_must_wait(bo, &quire_system_place))
		return 0;
	return not_busy(quire_bo_wait_patiently(bo, true));
}

/* With its pages, and out of VRAM if it is there. The move may still be at work. */
static int bo_get_pages(struct quire_bo *bo, struct ttm_operation_ctx *ctx)
{
	int ret = 0;

	if (quire_bo_is_purged(bo))
		return refuse_purged(bo, "attach");
	if (!bo->base.resource || quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM)
		ret = quire_bo_validate(bo, &quire_system_place, 1, ctx);
	/* An image may have left VRAM before it was shared. */
	if (!ret && bo->swizzled)
		ret = quire_bo_vm_wait_moved(bo, true) ?: quire_bo_unswizzle(bo, true);
	return not_busy(ret ?: ttm_bo_populate(&bo->base, ctx));
}

static int bo_pin(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_shares *shares = qdev->shares;
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int ret = 0, idx;

	/* A split submission that has begun could neither go on nor begin anew. */
	if (!bo->base.pin_count && atomic_read(&bo->claims))
		return quire_refuse(&qdev->drm, -ETIME, "pin: commands in parts use the object");
	if (!bo->base.pin_count)
		ret = bo_wait_others(bo);
	if (ret)
		return ret;
	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;

	if (!bo->base.pin_count) {
		ret = bo_get_pages(bo, &ctx) ?: quire_bo_validate(bo, &quire_system_place, 1, &ctx);
		ret = not_busy(ret) ?: quire_bo_vm_wait_moved(bo, true);
		if (!ret && quire_bo_is_purged(bo))
			ret = refuse_purged(bo, "pin");
	}
	if (!ret) {
		ttm_bo_pin(&bo->base);
		/* Off the lists of victims; dma-buf does not call ttm_bo_unreserve(). */
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
		scoped_guard(spinlock, &shares->lock)
			if (list_empty(&bo->share_link))
				list_add(&bo->share_link, &shares->pinned);
	}
	drm_dev_exit(idx);
	return ret;
}

static void bo_unpin(struct quire_bo *bo)
{
	struct quire_shares *shares = quire_bo_device(bo)->shares;

	ttm_bo_unpin(&bo->base);
	ttm_bo_move_to_lru_tail_unlocked(&bo->base);
	if (bo->base.pin_count)
		return;
	scoped_guard(spinlock, &shares->lock)
		list_del_init(&bo->share_link);
}

/*
 * Foreign fences are waited for here, once, without the lock that a static importer has when it
 * pins the object next. If more come meanwhile, bo_pin() waits.
 */
static int prime_attach(struct dma_buf *dma_buf, struct dma_buf_attachment *attach)
{
	bool pins = !attach->importer_ops || !QUIRE_IMPORTERS_CAN_BE_ASKED;
	struct quire_bo *bo = to_bo(dma_buf);
	bool waits, done;
	int ret;

	if (drm_dev_is_unplugged(&quire_bo_device(bo)->drm))
		return -ENODEV;

	attach->peer2peer = false;
	ret = bo_reserve_whole(bo, "attach");
	if (ret)
		return ret;
	waits = pins && quire_bo_must_wait(bo, &quire_system_place);
	dma_resv_unlock(bo->base.base.resv);
	if (waits)
		ret = not_busy(quire_bo_wait_patiently(bo, true));
	if (ret)
		return ret;
	if (pins)
		done = wait_event_interruptible_timeout(quire_bo_device(bo)->unplanned,
							!atomic_read(&bo->claims),
							QUIRE_BUSY_TIMEOUT) > 0;
	else
		done = quire_bo_wait_planned(bo, QUIRE_BUSY_TIMEOUT);
	if (!done && signal_pending(current))
		return -ERESTARTSYS;
	ret = bo_reserve_whole(bo, "attach");
	if (!ret)
		dma_resv_unlock(bo->base.base.resv);
	return ret;
}

static int prime_pin(struct dma_buf_attachment *attach)
{
	return bo_pin(to_bo(attach->dmabuf));
}

static void prime_unpin(struct dma_buf_attachment *attach)
{
	bo_unpin(to_bo(attach->dmabuf));
}

/* Foreign fences are waited for once; if more come, quire_bo_vm_make_visible() waits. */
static int prime_begin_cpu_access(struct dma_buf *dma_buf, enum dma_data_direction direction)
{
	struct quire_bo *bo = to_bo(dma_buf);
	bool waited = false, stays, busy;
	int ret;

	do {
		if (drm_dev_is_unplugged(&quire_bo_device(bo)->drm))
			return -ENODEV;
		ret = bo_reserve_whole(bo, "CPU access");
		if (ret)
			return ret;
		stays = quire_bo_must_stay(bo);
		busy = !waited && !quire_bo_is_visible(bo) && quire_bo_has_others(bo);
		if (!stays && !busy)
			ret = not_busy(quire_bo_vm_make_visible(bo, true));
		dma_resv_unlock(bo->base.base.resv);
		if (!ret && stays && !quire_bo_wait_planned(bo, MAX_SCHEDULE_TIMEOUT))
			ret = -ERESTARTSYS;
		if (!ret && busy)
			ret = not_busy(quire_bo_wait_patiently(bo, true));
		waited |= busy;
	} while (!ret && (stays || busy));
	return ret;
}

static int prime_vmap(struct dma_buf *dma_buf, struct iosys_map *map)
{
	struct quire_bo *bo = to_bo(dma_buf);
	int ret = bo_pin(bo);

	if (ret)
		return ret;
	ret = ttm_bo_vmap(&bo->base, map);
	if (ret)
		bo_unpin(bo);
	return ret;
}

static void prime_vunmap(struct dma_buf *dma_buf, struct iosys_map *map)
{
	struct quire_bo *bo = to_bo(dma_buf);

	ttm_bo_vunmap(&bo->base, map);
	bo_unpin(bo);
}

static void prime_release(struct dma_buf *dma_buf)
{
	struct quire_bo *bo = to_bo(dma_buf);

	dma_resv_lock(bo->base.base.resv, NULL);
	bo->dma_buf = NULL;
	quire_offered_update(bo);
	dma_resv_unlock(bo->base.base.resv);
	drm_gem_dmabuf_release(dma_buf);
}

static const struct dma_buf_ops prime_ops = {
	.attach = prime_attach,
	.pin = prime_pin,
	.unpin = prime_unpin,
	.map_dma_buf = drm_gem_map_dma_buf,
	.unmap_dma_buf = drm_gem_unmap_dma_buf,
	.release = prime_release,
	.begin_cpu_access = prime_begin_cpu_access,
	.mmap = drm_gem_dmabuf_mmap,
	.vmap = prime_vmap,
	.vunmap = prime_vunmap,
};

/**
 * quire_prime_export - &drm_gem_object_funcs.export
 * @obj: an object that has no dma-buf
 * @flags: DRM_CLOEXEC, DRM_RDWR
 *
 * Returns: the dma-buf, or an ERR_PTR: -EPERM the object is a fence, has an alternate view, or
 * is private to an address space; -ENODATA it is purged; -ENOMEM; -ERESTARTSYS.
 */
struct dma_buf *quire_prime_export(struct drm_gem_object *obj, int flags)
{
	struct dma_buf_export_info info = {
		.exp_name = "quire",
		.owner = THIS_MODULE,
		.ops = &prime_ops,
		.size = obj->size,
		.flags = flags,
		.resv = obj->resv,
		.priv = obj,
	};
	struct quire_bo *bo = gem_to_quire_bo(obj);
	const char *fence = quire_bo_fence_name(bo);
	struct dma_buf *dma_buf;
	int ret;

	if (fence)
		return ERR_PTR(quire_refuse(obj->dev, -EPERM, "export: the object is a %s fence",
					    fence));
	if (quire_bo_has_view(bo))
		return ERR_PTR(quire_refuse(obj->dev, -EPERM,
					    "export: the object has an alternate view"));
	if (quire_bo_is_private(bo))
		return ERR_PTR(quire_refuse(obj->dev, -EPERM,
					    "export: the object is private to an address space"));

	ret = bo_reserve_whole(bo, "export");
	if (ret)
		return ERR_PTR(ret);
	dma_resv_unlock(obj->resv);

	dma_buf = drm_gem_dmabuf_export(obj->dev, &info);
	if (!IS_ERR(dma_buf)) {
		dma_resv_lock(obj->resv, NULL);
		bo->dma_buf = dma_buf;
		quire_offered_update(bo);
		quire_bo_show_fences(bo);
		dma_resv_unlock(obj->resv);
	}
	return dma_buf;
}

/**
 * quire_prime_get_sg_table - &drm_gem_object_funcs.get_sg_table
 * @obj: an exported object, reserved; pinned if the importer is not dynamic
 *
 * Returns: the pages, which may still be moved; or an ERR_PTR: -ENODATA the object is purged;
 * -ENODEV; -ENOMEM; -ETIME foreign fences took too long; -ERESTARTSYS.
 */
struct sg_table *quire_prime_get_sg_table(struct drm_gem_object *obj)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct quire_bo *bo = gem_to_quire_bo(obj);
	int ret, idx;

	if (!bo->base.pin_count) {
		ret = quire_bo_mem_type(&bo->base) == QUIRE_PL_VRAM ? bo_wait_others(bo) : 0;
		if (ret)
			return ERR_PTR(ret);
		if (!drm_dev_enter(obj->dev, &idx))
			return ERR_PTR(-ENODEV);
		ret = bo_get_pages(bo, &ctx);
		drm_dev_exit(idx);
		if (ret)
			return ERR_PTR(ret);
	}
	return drm_prime_pages_to_sg(obj->dev, bo->base.ttm->pages, bo->base.ttm->num_pages);
}

/**
 * quire_prime_is_ours - did a device export a dma-buf?
 * @drm: the device
 * @dma_buf: the dma-buf
 *
 * Returns: true if its &dma_buf.priv is an object of @drm.
 */
bool quire_prime_is_ours(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct drm_gem_object *obj = dma_buf->priv;

	return dma_buf->ops == &prime_ops && obj->dev == drm;
}
