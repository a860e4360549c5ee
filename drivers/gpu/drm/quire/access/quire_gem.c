// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Objects of our own
 *
 * GEM functions of objects that programs create here; imported ones: quire_import.c.
 */
#include "bo/quire_bo.h"
#include "bo/quire_bo_free.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_handle.h"
#include "bo/quire_prime.h"
#include "quire_gem.h"

static const struct drm_gem_object_funcs gem_funcs = {
	.free = quire_bo_free,
	.open = quire_handle_open,
	.close = quire_handle_close,
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
 * @config: what it is made of
 *
 * Returns: as quire_bo_create().
 *
 * Source: &struct drm_quire_bo_create.
 */
struct quire_bo *quire_gem_create(struct quire_device *qdev,
				  const struct quire_bo_config *config)
{
	return quire_bo_create(qdev, config, &gem_kind, NULL);
}
