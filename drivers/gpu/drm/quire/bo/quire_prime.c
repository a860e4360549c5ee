// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects in the hands of others
 *
 * An object is exported as a dma-buf. Importers see it in system memory and nowhere else: VRAM is
 * for our device alone. An importer that can not give pages back pins them; a pinned object is not
 * placed elsewhere, not evicted and so never purged. A dynamic importer is told when the pages go,
 * and asks again: that brings the object back to system memory.
 *
 * ==================  ======================================================
 * pins                an attachment of a static importer; dma_buf_pin();
 *                     vmap; on kernels that have CONFIG_DMABUF_MOVE_NOTIFY
 *                     but not set also the mapping of a dynamic importer
 * does not            the dma-buf itself; its mmap(), which faults as the
 *                     mapping of the object does
 * ==================  ======================================================
 *
 * When the device goes, pinned pages leave its reach but stay until they are unpinned.
 *
 * vmap comes with the lock held and can not wait for split submissions that use the object: it is
 * refused then (-ETIME), as for a purged object (-ENODATA). dma_buf_vmap() warns of each error of
 * an exporter, once a boot.
 *
 * Locking: &quire_bo.dma_buf and the count of pins by the reservation lock;
 * &quire_shares.lock inside of that.
 */
#include <linux/dma-buf.h>
#include <linux/iosys-map.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

#include <drm/drm_drv.h>
#include <drm/drm_prime.h>

#include "core/quire_compat.h"
#include "core/quire_refuse.h"
#include "quire_bo.h"
#include "quire_bo_layout.h"
#include "quire_bo_visible.h"
#include "quire_offered.h"
#include "quire_prime.h"
#include "quire_view.h"

static struct quire_bo *to_bo(struct dma_buf *dma_buf)
{
	return gem_to_quire_bo(dma_buf->priv);
}

static int refuse_purged(struct quire_bo *bo, const char *what)
{
	return quire_refuse(&quire_bo_device(bo)->drm, -ENODATA, "%s: the object is purged", what);
}

/* Importers take -EBUSY for a dma-buf that can not be reached at all. */
static int not_busy(int error)
{
	return error == -EBUSY ? -ETIME : error;
}

static int bo_lock(struct quire_bo *bo)
{
	int ret = dma_resv_lock_interruptible(bo->base.base.resv, NULL);

	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/*
 * Does an importer have to wait for foreign fences, as the object has to move?
 * @home: to system memory, to be pinned; else only out of VRAM.
 */
static bool bo_must_wait(struct quire_bo *bo, bool home)
{
	if (!home && quire_bo_mem_type(&bo->base) != QUIRE_PL_VRAM)
		return false;
	return quire_bo_must_wait(bo, &quire_system_place);
}

/*
 * With the lock of the importer's driver, so no more fences come; but not inside of
 * drm_dev_enter(), for which unplug waits.
 */
static int bo_wait_others(struct quire_bo *bo, bool home)
{
	return bo_must_wait(bo, home) ? not_busy(quire_bo_wait_patiently(bo, true)) : 0;
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

/* Into system memory, with its content. */
static int bo_bring_home(struct quire_bo *bo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int ret;

	ret = bo_get_pages(bo, &ctx) ?: quire_bo_validate(bo, &quire_system_place, 1, &ctx);
	ret = not_busy(ret) ?: quire_bo_vm_wait_moved(bo, true);
	if (!ret && quire_bo_is_purged(bo))
		ret = refuse_purged(bo, "pin");
	return ret;
}

static int bo_pin(struct quire_bo *bo)
{
	struct quire_device *qdev = quire_bo_device(bo);
	struct quire_shares *shares = qdev->shares;
	int ret = 0, idx;

	/* A split submission that has begun could neither go on nor begin anew. */
	if (!bo->base.pin_count && atomic_read(&bo->claims))
		return quire_refuse(&qdev->drm, -ETIME, "pin: commands in parts use the object");
	if (!bo->base.pin_count)
		ret = bo_wait_others(bo, true);
	if (ret)
		return ret;
	if (!drm_dev_enter(&qdev->drm, &idx))
		return -ENODEV;

	if (!bo->base.pin_count)
		ret = bo_bring_home(bo);
	if (!ret) {
		ttm_bo_pin(&bo->base);
		/* Off the lists of victims; dma-buf does not call ttm_bo_unreserve(). */
		ttm_bo_move_to_lru_tail_unlocked(&bo->base);
		spin_lock(&shares->lock);
		if (list_empty(&bo->share_link))
			list_add(&bo->share_link, &shares->pinned);
		spin_unlock(&shares->lock);
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
	spin_lock(&shares->lock);
	list_del_init(&bo->share_link);
	spin_unlock(&shares->lock);
}

/* @waits: returned: pinning will move it, and it has foreign fences. */
static int attach_look(struct quire_bo *bo, bool pins, bool *waits)
{
	int ret = bo_lock(bo);

	if (ret)
		return ret;
	if (quire_bo_is_purged(bo))
		ret = refuse_purged(bo, "attach");
	*waits = pins && bo_must_wait(bo, true);
	dma_resv_unlock(bo->base.base.resv);
	return ret;
}

/*
 * A static importer pins the object next, with its lock held: foreign fences are waited for here,
 * once, without it. If more come meanwhile, bo_pin() waits.
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
	ret = attach_look(bo, pins, &waits);
	if (!ret && waits)
		ret = not_busy(quire_bo_wait_patiently(bo, true));
	if (ret)
		return ret;
	if (pins)
		done = quire_bo_wait_claims(bo, QUIRE_BUSY_TIMEOUT);
	else
		done = quire_bo_wait_planned(bo, QUIRE_BUSY_TIMEOUT);
	if (!done && signal_pending(current))
		return -ERESTARTSYS;
	return attach_look(bo, pins, &waits);
}

static int prime_pin(struct dma_buf_attachment *attach)
{
	return bo_pin(to_bo(attach->dmabuf));
}

static void prime_unpin(struct dma_buf_attachment *attach)
{
	bo_unpin(to_bo(attach->dmabuf));
}

/*
 * @waited: for foreign fences, once; if more come it waits here, with the lock. @stays and @busy:
 * returned: a submission needs it where it is, it has foreign fences; then nothing was done.
 */
static int bo_begin_cpu_access(struct quire_bo *bo, bool waited, bool *stays, bool *busy)
{
	int ret = bo_lock(bo);

	if (ret)
		return ret;
	*stays = quire_bo_must_stay(bo);
	*busy = !waited && !quire_bo_is_visible(bo) && quire_bo_has_others(bo);
	if (quire_bo_is_purged(bo))
		ret = refuse_purged(bo, "CPU access");
	else if (!*stays && !*busy)
		ret = not_busy(quire_bo_vm_make_visible(bo, true));
	dma_resv_unlock(bo->base.base.resv);
	return ret;
}

static int prime_begin_cpu_access(struct dma_buf *dma_buf, enum dma_data_direction direction)
{
	struct quire_bo *bo = to_bo(dma_buf);
	bool waited = false, stays, busy;
	int ret;

	do {
		if (drm_dev_is_unplugged(&quire_bo_device(bo)->drm))
			return -ENODEV;
		ret = bo_begin_cpu_access(bo, waited, &stays, &busy);
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
	int ret;

	ret = bo_pin(bo);
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

	ret = dma_resv_lock_interruptible(obj->resv, NULL);
	if (ret)
		return ERR_PTR(ret);
	if (quire_bo_is_purged(bo))
		ret = refuse_purged(bo, "export");
	dma_resv_unlock(obj->resv);
	if (ret)
		return ERR_PTR(ret);

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
 * Brings it out of VRAM; a dynamic importer waits for that itself.
 *
 * Returns: the pages, or an ERR_PTR: -ENODATA the object is purged; -ENODEV; -ENOMEM; -ETIME
 * foreign fences took too long; -ERESTARTSYS.
 */
struct sg_table *quire_prime_get_sg_table(struct drm_gem_object *obj)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct quire_bo *bo = gem_to_quire_bo(obj);
	int ret, idx;

	if (!bo->base.pin_count) {
		ret = bo_wait_others(bo, false);
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

/**
 * quire_prime_invalidate - tell importers that the pages of an object go
 * @bo: the object, reserved, not pinned, so that all importers are dynamic
 *
 * They use the pages until all fences of the object have signalled.
 *
 * Source: dma_buf_invalidate_mappings().
 */
void quire_prime_invalidate(struct quire_bo *bo)
{
	dma_resv_assert_held(bo->base.base.resv);

	if (bo->dma_buf && !quire_bo_is_imported(bo))
		dma_buf_invalidate_mappings(bo->dma_buf);
}

/**
 * quire_prime_init - prepare the lists
 * @qdev: the device
 */
void quire_prime_init(struct quire_device *qdev)
{
	spin_lock_init(&qdev->shares->lock);
	INIT_LIST_HEAD(&qdev->shares->pinned);
	INIT_LIST_HEAD(&qdev->shares->imports);
}

/**
 * quire_prime_take_pinned - take a pinned object off the list
 * @qdev: the device; unplugged, so none is pinned any more
 *
 * Returns: the object with a reference, or NULL.
 */
struct quire_bo *quire_prime_take_pinned(struct quire_device *qdev)
{
	struct quire_shares *shares = qdev->shares;
	struct quire_bo *bo;

	spin_lock(&shares->lock);
	bo = list_first_entry_or_null(&shares->pinned, struct quire_bo, share_link);
	if (bo) {
		list_del_init(&bo->share_link);
		drm_gem_object_get(&bo->base.base);
	}
	spin_unlock(&shares->lock);
	return bo;
}
