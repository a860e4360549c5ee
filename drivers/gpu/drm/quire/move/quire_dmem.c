// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The dmem cgroup
 *
 * VRAM is the region "drm/NAME/vram" of the dmem cgroup controller, where the kernel has it
 * (CONFIG_CGROUP_DMEM). TTM charges an object to the cgroup of the process that brings it to VRAM,
 * and uncharges it when it leaves. An object that does not fit under a limit is refused before the
 * VRAM manager is asked, and victims are looked for below that limit alone. A limit that is set
 * below the usage evicts within the write to dmem.max: quire_eviction_valuable() gets no place
 * then.
 *
 * The region goes when the driver is unbound, not with the last file: its name is that of the PCI
 * function, which the next driver registers again.
 */
#include <linux/device.h>
#include <linux/err.h>

#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "queue/quire_vram_types.h"
#include "quire_dmem.h"

static const struct dmem_cgroup_ops dmem_ops = {
	.reclaim = ttm_resource_manager_dmem_reclaim,
};

/* VRAM is empty, and stays so. */
static void dmem_fini(void *data)
{
	struct quire_device *qdev = data;

	quire_dmem_unregister_region(qdev->dmem);
	ttm_resource_manager_set_dmem_region(&qdev->vram_mgr->manager, NULL);
}

/**
 * quire_dmem_init - have VRAM charged to cgroups
 * @qdev: the device; its memory management works, and no program has it yet
 *
 * Does nothing where the kernel has no such controller. Ends when the driver is unbound, after
 * quire_ttm_remove().
 *
 * Returns: 0, or -ENOMEM.
 *
 * Source: dmem_cgroup_register_region().
 */
int quire_dmem_init(struct quire_device *qdev)
{
	struct ttm_resource_manager *man = &qdev->vram_mgr->manager;
	struct dmem_cgroup_init init = {
		.size = man->size,
		.ops = &dmem_ops,
		.reclaim_priv = man,
	};
	struct dmem_cgroup_region *region;

	region = quire_dmem_register_region(&init, "drm/%s/vram", qdev->drm.unique);
	if (IS_ERR_OR_NULL(region))
		return PTR_ERR_OR_ZERO(region);
	qdev->dmem = region;
	ttm_resource_manager_set_dmem_region(man, region);
	return devm_add_action_or_reset(qdev->drm.dev, dmem_fini, qdev);
}
