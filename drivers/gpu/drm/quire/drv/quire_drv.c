// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: The driver
 *
 * Binds to the PCI function and registers a render node. Everything else is elsewhere:
 * quire_device.c brings the device up, quire_ioctl.c is what programs call, quire_ttm.c decides
 * about places.
 */

/**
 * DOC: Sleep and reset
 *
 * The device may be switched off or reset by others; no content is lost by it:
 *
 * ==================  ==================================  ==================================
 * what                before                              after
 * ==================  ==================================  ==================================
 * suspend (S3)        everything is evicted to system     reset, aperture, ring; objects come
 *                     memory, the ring is stopped         back to VRAM when they are placed
 * hibernation (S4)    the same before the image is made,  the same, with the content of the
 *                     while there is memory to be had;    image
 *                     pages are swapped out
 * reset of the PCI    mappings of VRAM are taken away,    reset, aperture, ring: goes on with
 * function            the ring is stopped where it is;    the packet that was at work; who
 *                     a reset keeps VRAM; what is posted  touched VRAM meanwhile has waited
 *                     is written to memory
 * ==================  ==================================  ==================================
 *
 * If everything can not be evicted, for want of memory, suspend fails and the device goes on as if
 * it had not been asked.
 *
 * Locking: the PM core and the PCI core hold the lock of the PCI device, which binding and
 * unbinding hold, too.
 */

/**
 * DOC: Lock order
 *
 * Outermost first. A lock may be taken with those above it held, and not with one below it::
 *
 *     mmap_lock                              CPU faults, debuggers
 *     drm_device.object_name_lock            import
 *     quire_mark.lock, quire_execution.gate  one caller asks; callers queue, or one alone does
 *     a turn (quire_turn.c)                  no lock: placements queue, with nothing reserved
 *     reservations                           in any order with a ww_acquire_ctx (drm_exec)
 *     quire_vm_tables.lock                   entries of an address space
 *     quire_execution.lock                   jobs of commands, in the order of their fences
 *     quire_device.vram_access               read: CPU in VRAM; write: BAR 2 does not answer
 *     quire_window.access                    the same of the window of the aperture
 *     quire_ranges.lock                      swizzling ranges
 *     quire_discard_batch.submit_lock        discards, and what leaves, in their order
 *     quire_paging_queue.runs_lock           describes a part of a move
 *     quire_paging_queue.pool_lock           waits for room in the pool of paging buffers
 *     quire_paging_queue.open                an open paging buffer: only lockdep knows it
 *     memory                                 nothing below is held while it is allocated
 *     quire_paging_queue.lock                jobs are pushed in the order of their fences
 *     what leads to a fence                  run_job of the schedulers, dma_fence_signal()
 *     spinlocks                              quire_ring.lock outside of those of the tables
 *
 * Mutexes that are taken last, and with which nothing else is taken but memory: those of
 * &struct quire_holds, &struct quire_fences, &struct quire_contexts, &struct quire_vms,
 * &struct quire_vram_mgr and &struct quire_residency_table. &quire_fence.lock has
 * &quire_paging_queue.lock inside.
 *
 * drm_dev_enter() may be called at any depth, but nobody waits inside of it for what another
 * program decides. Recovery takes the window for writing, and a function reset both: while they
 * have them they wait for no fence.
 *
 * lock_order_prime() takes the chain once, so that lockdep knows it before anything races.
 */

/**
 * DOC: debugfs, test options
 *
 * /sys/kernel/debug/quire, which is there while the module is, has a file for each member of
 * &struct quire_options. They can be written at any time.
 */
#include <linux/debugfs.h>
#include <linux/dma-resv.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/suspend.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_options.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_budget.h"
#include "bo/quire_range.h"
#include "bo/quire_turn.h"
#include "bo/quire_window.h"
#include "vm/quire_vm.h"
#include "access/quire_import.h"
#include "move/quire_ttm.h"
#include "exec/quire_execution.h"
#include "quire_debugfs.h"
#include "quire_device.h"
#include "quire_file.h"
#include "quire_ioctl.h"

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
 * - 1.1: arrays with a stride and a count; segments with a class and an instance; objects with a
 *        set of segments and a caching; fences that end moves, in syncobjs
 * - 1.2: contexts and submissions
 * - 1.3: address spaces
 * - 1.4: monitored fences; objects that are held resident; budgets
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

static int quire_pm_suspend(struct device *dev)
{
	struct quire_device *qdev = dev_get_drvdata(dev);
	int ret;

	ret = quire_ttm_evict_all(qdev);
	if (!ret)
		quire_device_suspend(qdev);
	return ret;
}

static int quire_pm_resume(struct device *dev)
{
	return quire_device_resume(dev_get_drvdata(dev));
}

static DEFINE_SIMPLE_DEV_PM_OPS(quire_pm_ops, quire_pm_suspend, quire_pm_resume);

/* The PCI core takes the BARs away from the CPU while it resets the function. */
static void quire_pci_reset_prepare(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	quire_bo_vm_block(qdev);
	quire_device_suspend(qdev);
}

static void quire_pci_reset_done(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	quire_device_resume(qdev);
	quire_ranges_wait_left(qdev);
	quire_bo_vm_unblock(qdev);
}

static const struct pci_error_handlers quire_pci_error_handlers = {
	.reset_prepare = quire_pci_reset_prepare,
	.reset_done = quire_pci_reset_done,
};

static int pm_notify(struct notifier_block *notifier, unsigned long event, void *unused)
{
	struct quire_device *qdev = container_of(notifier, struct quire_device, pm_notifier);
	int ret;

	if (event != PM_HIBERNATION_PREPARE)
		return NOTIFY_DONE;
	/* Before the memory of the image is counted and programs are frozen. */
	ret = quire_ttm_evict_all(qdev);
	if (!ret)
		quire_ttm_swap_out(qdev);
	return notifier_from_errno(ret);
}

/* Tells lockdep, before anything races, in which order locks are taken. */
static void lock_order_prime(struct quire_device *qdev)
{
	struct quire_execution *execution = qdev->nr_executions ? qdev->executions : NULL;
	struct quire_paging_queue *queue = qdev->paging_queue;
	struct dma_resv resv;

	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;

	dma_resv_init(&resv);
	if (execution)
		mutex_lock(&execution->gate.lock);
	dma_resv_lock(&resv, NULL);
	if (execution)
		might_lock(&execution->lock);
	scoped_guard(rwsem_read, &qdev->vram_access) {
		guard(rwsem_read)(&qdev->window->access);
		guard(mutex)(&qdev->ranges->lock);
		guard(mutex)(&qdev->discards->submit_lock);
		guard(mutex)(&queue->runs_lock);
		guard(mutex)(&queue->pool_lock);
		might_alloc(GFP_KERNEL);
		might_lock(&queue->lock);
	}
	dma_resv_unlock(&resv);
	if (execution)
		mutex_unlock(&execution->gate.lock);
	dma_resv_fini(&resv);
}

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

	ret = quire_device_init(qdev);
	if (ret)
		return ret;

	ret = quire_ttm_init(qdev);
	if (ret)
		goto err_device;

	lock_order_prime(qdev);
	qdev->pm_notifier.notifier_call = pm_notify;
	ret = register_pm_notifier(&qdev->pm_notifier);
	if (ret)
		goto err_ttm;

	ret = drm_dev_register(&qdev->drm, 0);
	if (ret)
		goto err_pm;
	return 0;

err_pm:
	unregister_pm_notifier(&qdev->pm_notifier);
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

	unregister_pm_notifier(&qdev->pm_notifier);
	drm_dev_unplug(&qdev->drm);
	quire_device_stop(qdev);
	quire_ttm_remove(qdev);
	quire_device_fini(qdev);
}

/* A rebooting machine reuses memory that the device could still write to. */
static void quire_pci_shutdown(struct pci_dev *pdev)
{
	quire_device_stop(pci_get_drvdata(pdev));
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

static struct dentry *options_dir;

static int __init quire_init(void)
{
	struct quire_options *options = &quire_options;
	struct dentry *dir;
	int ret;

	ret = quire_vms_init_module();
	if (ret)
		return ret;
	dir = debugfs_create_dir("quire", NULL);
	debugfs_create_bool("check_dummy_page", 0600, dir, &options->check_dummy_page);
	debugfs_create_u32("mmu_pages", 0600, dir, &options->mmu_pages);
	debugfs_create_bool("patch_early", 0600, dir, &options->patch_early);
	debugfs_create_bool("patch_twice", 0600, dir, &options->patch_twice);
	debugfs_create_u32("patch_refuse", 0600, dir, &options->patch_refuse);
	debugfs_create_bool("patch_commands_twice", 0600, dir, &options->patch_commands_twice);
	debugfs_create_bool("split_every_point", 0600, dir, &options->split_every_point);
	debugfs_create_bool("split_lru", 0600, dir, &options->split_lru);
	debugfs_create_u32("split_seed", 0600, dir, &options->split_seed);
	debugfs_create_ulong("split_max_bytes", 0600, dir, &options->split_max_bytes);
	options_dir = dir;

	ret = pci_register_driver(&quire_pci_driver);
	if (ret) {
		debugfs_remove(options_dir);
		quire_vms_exit_module();
	}
	return ret;
}

static void __exit quire_exit(void)
{
	pci_unregister_driver(&quire_pci_driver);
	debugfs_remove(options_dir);
	quire_vms_exit_module();
}

module_init(quire_init);
module_exit(quire_exit);

MODULE_DESCRIPTION("Quire virtual GPU");
MODULE_LICENSE("Dual MIT/GPL");
QUIRE_IMPORT_NS_DMA_BUF;
