// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects of our own
 *
 * What GEM calls for an object that a program created here; for one that was imported see
 * quire_import.c.
 */
#include <drm/drm_gem.h>
#include <drm/ttm/ttm_bo.h>

#include "quire_bo.h"
#include "quire_bo_free.h"
#include "quire_gem.h"
#include "quire_prime.h"

static const struct drm_gem_object_funcs gem_funcs = {
	.free = quire_bo_free,
	.mmap = quire_bo_mmap,
	.vm_ops = &quire_bo_vm_ops,
	.export = quire_prime_export,
	.get_sg_table = quire_prime_get_sg_table,
};

static const struct quire_bo_kind gem_kind = {
	.type = ttm_bo_type_device,
	.funcs = &gem_funcs,
	.destroy = quire_bo_fini,
};

/**
 * quire_gem_create - make an object of our own
 * @qdev: the device
 * @size: bytes, multiple of the page size, 1 to quire_bo_max_size()
 * @segments: set of the instances where it may be, with system memory
 * @caching: of its pages
 * @layout: of an image, valid, with tiles; NULL: it has none
 *
 * Returns: as quire_bo_create().
 *
 * Source: &struct drm_quire_bo_create.
 */
struct quire_bo *quire_gem_create(struct quire_device *qdev, u64 size, u32 segments,
				  enum ttm_caching caching, const struct quire_layout *layout)
{
	return quire_bo_create(qdev, size, segments, caching, layout, &gem_kind, NULL);
}
