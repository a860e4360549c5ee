// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: System pages of objects
 *
 * Pages of our own objects come from TTM's pool and are mapped for the device here, each run of
 * consecutive pages at once, so that the mapping can go alone when the device goes and importers
 * still use the pages. No list of runs is allocated, for what an eviction allocates must not grow
 * with the object. Pages of an imported object are mapped by the exporter.
 *
 * The short mappings by which the CPU clears, converts, swaps and reads pages may be cached ones,
 * also of write-combined objects, but on x86. This device snoops the caches of the CPU; one that
 * does not would need them cleaned there. Such pages are mapped as not coherent because of the
 * writes that the device holds back (quire_operation_flush()).
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include <drm/ttm/ttm_pool.h>

#include "quire_bo.h"

/* CPU and devices use the pages at the same time. A dynamic importer may have them for longer. */
#define QUIRE_TT_DMA_ATTRS	DMA_ATTR_SKIP_CPU_SYNC

struct quire_tt {
	struct ttm_tt base;
	struct quire_bo *bo; /* the object, if it was imported; else NULL */
	struct dma_buf_attachment *attach; /* of that, where sgt comes from */
	struct sg_table *sgt; /* the exporter's mapping of its pages, while they are populated */
	bool mapped; /* pages of our own are mapped here */
};

static struct quire_tt *to_quire_tt(struct ttm_tt *tt)
{
	return container_of(tt, struct quire_tt, base);
}

/**
 * quire_tt_create - &ttm_device_funcs.ttm_tt_create
 * @tbo: the object, reserved
 * @page_flags: TTM_TT_FLAG_*
 *
 * Returns: the ttm_tt, without pages; NULL without memory.
 */
struct ttm_tt *quire_tt_create(struct ttm_buffer_object *tbo, u32 page_flags)
{
	struct quire_tt *tt;

	tt = kzalloc(sizeof(*tt), GFP_KERNEL_ACCOUNT);
	if (!tt)
		return NULL;
	/* TTM asks for pages of objects only: ghosts take over what there is. */
	if (ttm_sg_tt_init(&tt->base, tbo, page_flags, ttm_to_quire_bo(tbo)->caching)) {
		kfree(tt);
		return NULL;
	}
	if (page_flags & TTM_TT_FLAG_EXTERNAL)
		tt->bo = ttm_to_quire_bo(tbo);
	return &tt->base;
}

/**
 * quire_tt_destroy - &ttm_device_funcs.ttm_tt_destroy
 * @ttm: memory management
 * @tt: without pages
 */
void quire_tt_destroy(struct ttm_device *ttm, struct ttm_tt *tt)
{
	ttm_tt_fini(tt);
	kfree(to_quire_tt(tt));
}

/* How many pages are consecutive in memory. */
static u32 tt_run(const struct ttm_tt *tt, u32 first)
{
	unsigned long frame = page_to_pfn(tt->pages[first]);
	u32 count = 1;

	while (first + count < tt->num_pages &&
	       page_to_pfn(tt->pages[first + count]) == frame + count)
		count++;
	return count;
}

/* The runs of the first @pages pages, which are where they were when they were mapped. */
static void tt_unmap_runs(struct device *dev, struct ttm_tt *tt, u32 pages)
{
	u32 first, count;

	for (first = 0; first < pages; first += count) {
		count = tt_run(tt, first);
		dma_unmap_page_attrs(dev, tt->dma_address[first], (size_t)count << PAGE_SHIFT,
				     DMA_BIDIRECTIONAL, QUIRE_TT_DMA_ATTRS);
	}
}

static int tt_map(struct device *dev, struct quire_tt *tt)
{
	dma_addr_t address;
	u32 first, count, i;

	for (first = 0; first < tt->base.num_pages; first += count) {
		count = tt_run(&tt->base, first);
		address = dma_map_page_attrs(dev, tt->base.pages[first], 0,
					     (size_t)count << PAGE_SHIFT, DMA_BIDIRECTIONAL,
					     QUIRE_TT_DMA_ATTRS);
		if (dma_mapping_error(dev, address)) {
			tt_unmap_runs(dev, &tt->base, first);
			return -ENOMEM;
		}
		for (i = 0; i < count; i++)
			tt->base.dma_address[first + i] = address + ((dma_addr_t)i << PAGE_SHIFT);
	}
	tt->mapped = true;
	return 0;
}

/* Then the pool's pages come mapped, from the DMA allocator: see quire_ttm_init(). */
static bool is_bounced(struct device *dev)
{
	return dma_max_mapping_size(dev) != SIZE_MAX;
}

/* The pool maps what has room for addresses. */
static void pool_free(struct ttm_device *ttm, struct ttm_tt *tt)
{
	dma_addr_t *addresses = tt->dma_address;

	if (!is_bounced(ttm_to_quire(ttm)->drm.dev))
		tt->dma_address = NULL;
	ttm_pool_free(&ttm->pool, tt);
	tt->dma_address = addresses;
}

static int populate_own(struct ttm_device *ttm, struct quire_tt *tt,
			struct ttm_operation_ctx *ctx)
{
	struct device *dev = ttm_to_quire(ttm)->drm.dev;
	dma_addr_t *addresses = tt->base.dma_address;
	bool bounced = is_bounced(dev);
	int ret;

	if (!bounced)
		tt->base.dma_address = NULL;
	ret = ttm_pool_alloc(&ttm->pool, &tt->base, ctx);
	tt->base.dma_address = addresses;
	/* TTM calls it a bad address if the DMA layer has no room for a mapping. */
	if (ret || bounced)
		return ret == -EFAULT ? -ENOMEM : ret;

	ret = tt_map(dev, tt);
	if (ret)
		pool_free(ttm, &tt->base);
	return ret;
}

static void release_imported(struct quire_tt *tt)
{
	dma_buf_unmap_attachment(tt->attach, tt->sgt, DMA_BIDIRECTIONAL);
	tt->sgt = NULL;
}

static int populate_imported(struct quire_tt *tt)
{
	struct sg_dma_page_iter iter;
	struct sg_table *sgt;
	u32 i = 0;

	tt->attach = tt->bo->base.base.import_attach;
	if (!tt->attach)
		return -ENODEV;

	sgt = dma_buf_map_attachment(tt->attach, DMA_BIDIRECTIONAL);
	if (IS_ERR(sgt))
		return PTR_ERR(sgt);

	tt->sgt = sgt;
	for_each_sgtable_dma_page(sgt, &iter, 0) {
		if (i == tt->base.num_pages)
			break;
		tt->base.dma_address[i++] = sg_page_iter_dma_address(&iter);
	}
	/* An exporter may say anything. */
	if (i == tt->base.num_pages)
		return 0;
	release_imported(tt);
	return -EINVAL;
}

/**
 * quire_tt_populate - &ttm_device_funcs.ttm_tt_populate
 * @ttm: memory management
 * @tt: without pages
 * @ctx: how to wait
 *
 * Returns: 0; -ENOMEM; -ERESTARTSYS; errors of the exporter, -EINVAL it gives too few pages,
 * -ENODEV it was detached because the device goes.
 */
int quire_tt_populate(struct ttm_device *ttm, struct ttm_tt *tt, struct ttm_operation_ctx *ctx)
{
	struct quire_tt *qtt = to_quire_tt(tt);

	return qtt->bo ? populate_imported(qtt) : populate_own(ttm, qtt, ctx);
}

/**
 * quire_tt_unpopulate - &ttm_device_funcs.ttm_tt_unpopulate
 * @ttm: memory management
 * @tt: with pages that the device does not use any more
 */
void quire_tt_unpopulate(struct ttm_device *ttm, struct ttm_tt *tt)
{
	struct quire_tt *qtt = to_quire_tt(tt);

	if (qtt->bo) {
		release_imported(qtt);
		return;
	}
	quire_tt_unmap(ttm, tt);
	pool_free(ttm, tt);
}

/**
 * quire_tt_unmap - take pages from the reach of the device
 * @ttm: memory management; the device is stopped, or does not use the pages
 * @tt: of an object of ours, with or without pages, which stay; so do mappings of the DMA allocator
 */
void quire_tt_unmap(struct ttm_device *ttm, struct ttm_tt *tt)
{
	struct quire_tt *qtt = to_quire_tt(tt);

	if (qtt->mapped)
		tt_unmap_runs(ttm_to_quire(ttm)->drm.dev, tt, tt->num_pages);
	qtt->mapped = false;
}
