// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The driver
 *
 * Binds to the PCI function and registers a render node. Everything else is elsewhere:
 * quire_device.c brings the device up, quire_ioctl.c is what programs call, quire_ttm.c decides
 * about places.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "bo/quire_budget.h"
#include "bo/quire_turn.h"
#include "vm/quire_vm.h"
#include "access/quire_import.h"
#include "move/quire_ttm.h"
#include "quire_debugfs.h"
#include "quire_device.h"
#include "quire_file.h"
#include "quire_ioctl.h"
#include "quire_lock_order.h"
#include "quire_pm.h"
#include "quire_recovery.h"

static bool quire_device_copies = true;
module_param_named(device_copies, quire_device_copies, bool, 0444);
MODULE_PARM_DESC(device_copies,
		 "Move content with the device (default: true); false: with the CPU, through the visible part of VRAM only");

static bool quire_fair_placement = true;
module_param_named(fair_placement, quire_fair_placement, bool, 0444);
MODULE_PARM_DESC(fair_placement,
		 "Placements that lose a race wait for their turn (default: true); false: they fail, as TTM has it");

static const struct file_operations quire_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = quire_file_release,
	.unlocked_ioctl = quire_ioctl,
	.compat_ioctl = quire_ioctl_compat,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = drm_gem_mmap,
	.show_fdinfo = drm_show_fdinfo,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

/*
 * Interface versions:
 * - 1.0: query, buffer objects; was not ABI yet, 1.1 is not compatible with it
 * - 1.1: arrays with a stride and a count; segments with a class and an
 *        instance; objects with a set of segments and a caching; fences that
 *        end moves, in syncobjs
 * - 1.2: contexts and submissions
 * - 1.3: address spaces
 * - 1.4: monitored fences; objects that are held resident;
 *        budgets
 * - 1.5: native fences
 * - 1.6: limits of the fences of a file
 */
static const struct drm_driver quire_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_GEM_GPUVA | DRIVER_RENDER | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE,
	.open = quire_file_open,
	.postclose = quire_file_postclose,
	.ioctls = quire_ioctls,
	.num_ioctls = QUIRE_NUM_IOCTLS,
	.fops = &quire_fops,
	.show_fdinfo = quire_file_show_fdinfo,
	.dumb_create = quire_dumb_create,
	.gem_prime_import = quire_import,
#ifdef CONFIG_DEBUG_FS
	.debugfs_init = quire_debugfs_init,
#endif
	.name = "quire",
	.desc = "Quire virtual GPU",
	.major = 1,
	.minor = 6,
};

static int quire_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct quire_device *qdev;
	int ret;

	qdev = quire_device_alloc(&pdev->dev, &quire_drm_driver);
	if (IS_ERR(qdev))
		return PTR_ERR(qdev);
	qdev->device_copies = quire_device_copies;
	quire_turn_init(qdev->turn, quire_fair_placement);
	quire_budgets_init(qdev->budgets);
	init_waitqueue_head(&qdev->unplanned);
	pci_set_drvdata(pdev, qdev);

	ret = quire_device_init(qdev, quire_recovery_stuck);
	if (ret)
		return ret;

	ret = quire_ttm_init(qdev);
	if (ret)
		goto err_device;

	quire_lock_order_prime(qdev);
	ret = quire_pm_init(qdev);
	if (ret)
		goto err_ttm;

	ret = drm_dev_register(&qdev->drm, 0);
	if (ret)
		goto err_pm;
	return 0;

err_pm:
	quire_pm_fini(qdev);
err_ttm:
	quire_device_stop(qdev);
	quire_ttm_remove(qdev);
err_device:
	quire_device_fini(qdev);
	return ret;
}

static void quire_pci_remove(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	quire_pm_fini(qdev);
	drm_dev_unplug(&qdev->drm);
	quire_device_stop(qdev);
	quire_ttm_remove(qdev);
	quire_device_fini(qdev);
}

/* A rebooting machine reuses memory that the device could still write to. */
static void quire_pci_shutdown(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	quire_device_stop(qdev);
}

static const struct pci_device_id quire_pci_ids[] = {
	{ PCI_DEVICE(QUIRE_PCI_VENDOR_ID, QUIRE_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, quire_pci_ids);

static struct pci_driver quire_pci_driver = {
	.name = "quire",
	.id_table = quire_pci_ids,
	.probe = quire_pci_probe,
	.remove = quire_pci_remove,
	.shutdown = quire_pci_shutdown,
	.err_handler = &quire_pci_error_handlers,
	.driver.pm = pm_sleep_ptr(&quire_pm_ops),
};

static int __init quire_init(void)
{
	int ret = quire_vms_init_module();

	if (ret)
		return ret;
	quire_debugfs_options_init();
	ret = pci_register_driver(&quire_pci_driver);
	if (ret) {
		quire_debugfs_options_fini();
		quire_vms_exit_module();
	}
	return ret;
}

static void __exit quire_exit(void)
{
	pci_unregister_driver(&quire_pci_driver);
	quire_debugfs_options_fini();
	quire_vms_exit_module();
}

module_init(quire_init);
module_exit(quire_exit);

MODULE_DESCRIPTION("Quire virtual GPU");
MODULE_LICENSE("Dual MIT/GPL");
QUIRE_IMPORT_NS_DMA_BUF;
