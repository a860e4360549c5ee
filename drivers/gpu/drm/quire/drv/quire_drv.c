// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Bringing the device up and down
 *
 * Up: registers, checks of what the device says about itself, dummy page, rings, queue, interrupts;
 * then quire_device_revive() makes it work, as after every other reset, and memory management
 * (quire_ttm.c) can start. Down is the reverse, in two steps: device_stop() takes the rings from
 * the device, which then touches no system memory; device_fini() ends the queue, after memory
 * management has let go of it.
 *
 * All of this belongs to the binding. What programs may hold longer (objects, managers) goes with
 * the last reference of the DRM device.
 */

/**
 * DOC: Sleep and reset
 *
 * No content is lost when others switch the device off or reset it, and it goes on with all pending
 * work after that. Before it sleeps everything is evicted to system memory; for hibernation that is
 * done before the image is made, while there is memory to be had, and pages are swapped out. If it
 * can not be done the device goes on as if it had not been asked. Before a reset of the function
 * mappings of VRAM are taken away, and rings stop where they are: VRAM stays, and who touches it
 * meanwhile waits.
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
#include <linux/debugfs.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_print.h>
#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_options.h"
#include "core/quire_regs.h"
#include "hw/quire_aperture.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_residency_table.h"
#include "queue/quire_coredump.h"
#include "queue/quire_discard.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo.h"
#include "bo/quire_bo_vm.h"
#include "bo/quire_budget.h"
#include "bo/quire_mmu.h"
#include "bo/quire_prime.h"
#include "bo/quire_range.h"
#include "bo/quire_residency.h"
#include "bo/quire_shrinker.h"
#include "bo/quire_turn.h"
#include "bo/quire_window.h"
#include "vm/quire_vm.h"
#include "access/quire_access.h"
#include "move/quire_move.h"
#include "fence/quire_fence.h"
#include "exec/quire_execution.h"
#include "exec/quire_context.h"
#include "quire_drv.h"

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

/* What came with which version of the interface: Documentation/gpu/quire/uapi.rst. */
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

/* A device, and the state of each part of the driver, to which @base has pointers. */
struct device_state {
	struct quire_device base;
	struct quire_ranges ranges;
	struct quire_window window;
	struct quire_mark mark;
	struct quire_vram_mgr vram_mgr;
	struct quire_free_list free_list;
	struct quire_turn turn;
	struct quire_budgets budgets;
	struct quire_shares shares;
	struct quire_shrinker shrinker;
	struct quire_move_stats move_stats;
	struct quire_purge_stats purge_stats;
	struct quire_aperture aperture;
	struct quire_mmu_table mmu_table;
	struct quire_mmu mmu;
	struct quire_coredump coredump;
	struct quire_ring paging_ring;
	struct quire_paging_queue paging_queue;
	struct quire_discard_batch discards;
	struct quire_residency residency;
	struct quire_residency_table residency_table;
	struct quire_contexts contexts;
	struct quire_vms vms;
	struct quire_fences fences;
	struct quire_natives natives;
	struct quire_execution executions[QUIRE_EXECUTION_MAX];
};

static struct quire_device *device_alloc(struct device *dev)
{
	struct device_state *state;
	struct quire_device *qdev;

	state = devm_drm_dev_alloc(dev, &quire_drm_driver, struct device_state, base.drm);
	if (IS_ERR(state))
		return ERR_CAST(state);

	qdev = &state->base;
	qdev->ranges = &state->ranges;
	qdev->window = &state->window;
	qdev->mark = &state->mark;
	qdev->vram_mgr = &state->vram_mgr;
	qdev->free_list = &state->free_list;
	qdev->turn = &state->turn;
	qdev->budgets = &state->budgets;
	qdev->shares = &state->shares;
	qdev->shrinker = &state->shrinker;
	qdev->move_stats = &state->move_stats;
	qdev->purge_stats = &state->purge_stats;
	qdev->aperture = &state->aperture;
	qdev->mmu_table = &state->mmu_table;
	qdev->mmu = &state->mmu;
	qdev->coredump = &state->coredump;
	qdev->paging_ring = &state->paging_ring;
	qdev->paging_queue = &state->paging_queue;
	qdev->discards = &state->discards;
	qdev->residency = &state->residency;
	qdev->residency_table = &state->residency_table;
	qdev->contexts = &state->contexts;
	qdev->vms = &state->vms;
	qdev->fences = &state->fences;
	qdev->natives = &state->natives;
	qdev->executions = state->executions;
	return qdev;
}

static irqreturn_t quire_fence_irq(int irq, void *data)
{
	struct quire_device *qdev = data;

	quire_ring_interrupt(qdev->paging_ring);
	quire_executions_interrupt(qdev);
	quire_fences_wake(qdev);
	return IRQ_HANDLED;
}

static irqreturn_t quire_fault_irq(int irq, void *data)
{
	struct quire_device *qdev = data;

	quire_watchdog_look_now(&qdev->paging_queue->watchdog);
	quire_executions_fault(qdev);
	return IRQ_HANDLED;
}

/* Of the device. What came with a later version is used only where the device has that. */
#define NEEDED_MINOR	10

static int device_identify(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	u32 id = quire_read32(qdev->regs, QUIRE_REG_ID);
	u32 version = quire_read32(qdev->regs, QUIRE_REG_VERSION);

	if (id != QUIRE_ID) {
		drm_err(&qdev->drm, "not a Quire device: id %#x\n", id);
		return -ENODEV;
	}
	if (version >> 16 != QUIRE_VERSION_MAJOR || (version & 0xffff) < NEEDED_MINOR) {
		drm_err(&qdev->drm, "device has version %u.%u, driver needs %u.%u or a later %u.x\n",
			version >> 16, version & 0xffff, QUIRE_VERSION_MAJOR, NEEDED_MINOR,
			QUIRE_VERSION_MAJOR);
		return -ENODEV;
	}

	qdev->vram_size = quire_read64(qdev->regs, QUIRE_REG_VRAM_SIZE_LO);
	qdev->vram_visible = quire_read64(qdev->regs, QUIRE_REG_VRAM_VISIBLE_LO);
	qdev->aperture_size = quire_read64(qdev->regs, QUIRE_REG_APERTURE_SIZE_LO);
	qdev->vram_base = pci_resource_start(pdev, QUIRE_BAR_VRAM);

	if (!PAGE_ALIGNED(qdev->vram_size | qdev->vram_visible | qdev->aperture_size) ||
	    !qdev->vram_visible || !qdev->aperture_size ||
	    qdev->vram_visible > qdev->vram_size ||
	    qdev->vram_visible > pci_resource_len(pdev, QUIRE_BAR_VRAM)) {
		drm_err(&qdev->drm, "sizes make no sense: VRAM %#llx, visible %#llx, aperture %#llx\n",
			qdev->vram_size, qdev->vram_visible, qdev->aperture_size);
		return -ENODEV;
	}
	return 0;
}

static int device_init_pci(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	u32 i, rings;
	int ret;

	ret = pcim_enable_device(pdev) ?: pcim_request_all_regions(pdev, "quire");
	if (ret)
		return ret;
	if (pci_resource_len(pdev, QUIRE_BAR_REGS) < QUIRE_BAR_REGS_SIZE)
		return -ENODEV;
	qdev->regs = pcim_iomap(pdev, QUIRE_BAR_REGS, 0);
	if (!qdev->regs)
		return -ENOMEM;

	ret = device_identify(qdev) ?: quire_window_init(qdev) ?:
	      dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;

	/* End what an earlier driver has left. A reset keeps injections. */
	quire_device_reset(qdev);
	if (quire_can_inject(qdev->regs)) {
		rings = min_t(u32, quire_read32(qdev->regs, QUIRE_REG_RING_COUNT), QUIRE_RING_MAX);
		for (i = 0; i < rings; i++) {
			quire_write32(qdev->regs, QUIRE_REG_RING(i, QUIRE_RING_INJECT_HANG), 0);
			quire_write32(qdev->regs, QUIRE_REG_RING(i, QUIRE_RING_INJECT_FAULT), 0);
		}
		quire_write32(qdev->regs, QUIRE_REG_INJECT_DROP_IRQ, 0);
	}
	pci_set_master(pdev);
	return quire_ranges_init(qdev);
}

static int device_init_irq(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	int ret;

	ret = pci_alloc_irq_vectors(pdev, QUIRE_VECTOR_COUNT, QUIRE_VECTOR_COUNT, PCI_IRQ_MSIX);
	if (ret < 0)
		return ret;

	ret = pci_request_irq(pdev, QUIRE_VECTOR_FENCE, quire_fence_irq, NULL, qdev,
			      "quire-fence");
	if (!ret) {
		ret = pci_request_irq(pdev, QUIRE_VECTOR_FAULT, quire_fault_irq, NULL, qdev,
				      "quire-fault");
		if (ret)
			pci_free_irq(pdev, QUIRE_VECTOR_FENCE, qdev);
	}
	if (ret)
		pci_free_irq_vectors(pdev);
	return ret;
}

static void device_fini_irq(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);

	pci_free_irq(pdev, QUIRE_VECTOR_FAULT, qdev);
	pci_free_irq(pdev, QUIRE_VECTOR_FENCE, qdev);
	pci_free_irq_vectors(pdev);
}

static void device_free(void *data)
{
	struct quire_device *qdev = data;

	quire_mmu_table_fini(qdev->mmu_table);
	if (qdev->watchdogs)
		destroy_workqueue(qdev->watchdogs);
}

/* The device does not know the rings yet. */
static int device_init_rings(struct quire_device *qdev)
{
	u64 mmu_size = quire_read64(qdev->regs, QUIRE_REG_MMU_SIZE_LO);
	int ret;

	qdev->max_submission = quire_read32(qdev->regs, QUIRE_REG_MAX_SUBMISSION);
	ret = devm_add_action(qdev->drm.dev, device_free, qdev);
	if (ret)
		return ret;
	qdev->watchdogs = alloc_ordered_workqueue("quire-watchdogs", WQ_MEM_RECLAIM);
	if (!qdev->watchdogs)
		return -ENOMEM;
	ret = quire_dummy_init(qdev) ?: quire_mark_init(qdev->mark, &qdev->drm) ?:
	      quire_reset_init(qdev) ?: quire_residency_save_init(qdev) ?:
	      /* MMUs show VRAM: more pages than that are of no use. */
	      quire_mmu_table_init(qdev->mmu_table,
				   min(mmu_size, qdev->vram_size) >> QUIRE_PAGE_SHIFT) ?:
	      quire_natives_init(qdev) ?:
	      quire_ring_init(qdev->paging_ring, &qdev->drm, qdev->regs, QUIRE_RING_PAGING) ?:
	      quire_aperture_init(qdev->aperture, qdev->aperture_size);
	if (ret)
		return ret;

	ret = quire_paging_queue_init(qdev->paging_queue, qdev, qdev->window->size, mmu_size,
				      quire_recovery_stuck);
	if (ret)
		goto err_aperture;
	ret = quire_vms_init(qdev);
	if (ret)
		goto err_queue;
	quire_contexts_init(qdev->contexts);
	ret = quire_fences_init(qdev) ?:
	      quire_executions_init(qdev);
	if (ret)
		goto err_vms;
	return 0;

err_vms:
	quire_vms_fini(qdev);
err_queue:
	quire_ring_kill(qdev->paging_ring, -ENODEV);
	quire_paging_queue_fini(qdev->paging_queue);
err_aperture:
	quire_aperture_fini(qdev->aperture);
	return ret;
}

static void device_fini_rings(struct quire_device *qdev)
{
	quire_contexts_fini(qdev->contexts);
	quire_executions_fini(qdev);
	quire_vms_fini(qdev);
	quire_fences_fini(qdev);
	quire_paging_queue_fini(qdev->paging_queue);
	quire_coredump_fini(qdev);
	quire_aperture_fini(qdev->aperture);
}

/* Until device_resume() work queues up; system memory and registers are not touched. */
static void device_suspend(struct quire_device *qdev)
{
	quire_watchdog_pause(&qdev->paging_queue->watchdog);
	quire_executions_pause(qdev);
	/* Other resets lose posted writes. */
	quire_device_halt(qdev);
}

/* Goes on with all pending work. A device that was given up before stays so. */
static int device_resume(struct quire_device *qdev)
{
	int ret = 0;

	if (!quire_device_is_wedged(qdev))
		ret = quire_device_revive(qdev);
	if (ret)
		quire_device_give_up(qdev, "the device does not work after a reset");
	quire_executions_resume(qdev);
	quire_watchdog_resume(&qdev->paging_queue->watchdog);
	return ret;
}

/* For good. All fences have signalled or soon will, and nothing is executed any more. */
static void device_stop(struct quire_device *qdev)
{
	quire_device_halt(qdev);
	/* Commands first: without their page tables they would end with -EIO. */
	quire_executions_kill(qdev, -ENODEV);
	quire_ring_kill(qdev->paging_ring, -ENODEV);
	quire_fences_wake(qdev);
}

/* Programs may still hold the DRM device, objects and mappings. */
static void device_fini(struct quire_device *qdev)
{
	device_stop(qdev);
	quire_dummy_check(qdev, "the device is let go");
	device_fini_irq(qdev);
	quire_discard_fini(qdev->discards);
	device_fini_rings(qdev);
}

static int quire_pm_suspend(struct device *dev)
{
	struct quire_device *qdev = dev_get_drvdata(dev);
	int ret;

	ret = quire_ttm_evict_all(qdev);
	if (!ret)
		device_suspend(qdev);
	return ret;
}

static int quire_pm_resume(struct device *dev)
{
	return device_resume(dev_get_drvdata(dev));
}

static DEFINE_SIMPLE_DEV_PM_OPS(quire_pm_ops, quire_pm_suspend, quire_pm_resume);

/* The PCI core takes the BARs away from the CPU while it resets the function. */
static void quire_pci_reset_prepare(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	quire_bo_vm_block(qdev);
	device_suspend(qdev);
}

static void quire_pci_reset_done(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	device_resume(qdev);
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

	qdev = device_alloc(&pdev->dev);
	if (IS_ERR(qdev))
		return PTR_ERR(qdev);
	qdev->device_copies = quire_device_copies;
	quire_turn_init(qdev->turn, quire_fair_placement);
	quire_budgets_init(qdev->budgets);
	init_waitqueue_head(&qdev->unplanned);
	init_rwsem(&qdev->vram_access);
	pci_set_drvdata(pdev, qdev);

	ret = quire_coredump_init(qdev) ?: device_init_pci(qdev) ?: device_init_rings(qdev);
	if (ret)
		return ret;
	ret = device_init_irq(qdev);
	if (ret)
		goto err_rings;
	ret = quire_device_revive(qdev);
	if (ret)
		goto err_irq;
	quire_discard_init(qdev->discards, qdev->paging_queue, &qdev->residency->leaving,
			   &qdev->mmu->leaving);
	ret = quire_ttm_init(qdev);
	if (ret)
		goto err_device;

	lock_order_prime(qdev);
	qdev->pm_notifier.notifier_call = pm_notify;
	ret = register_pm_notifier(&qdev->pm_notifier);
	if (ret)
		goto err_ttm;
	ret = drm_dev_register(&qdev->drm, 0);
	if (!ret)
		return 0;

	unregister_pm_notifier(&qdev->pm_notifier);
err_ttm:
	device_stop(qdev);
	quire_ttm_remove(qdev);
err_device:
	device_fini(qdev);
	return ret;
err_irq:
	device_fini_irq(qdev);
err_rings:
	quire_ring_kill(qdev->paging_ring, -ENODEV);
	quire_executions_kill(qdev, -ENODEV);
	device_fini_rings(qdev);
	return ret;
}

static void quire_pci_remove(struct pci_dev *pdev)
{
	struct quire_device *qdev = pci_get_drvdata(pdev);

	unregister_pm_notifier(&qdev->pm_notifier);
	drm_dev_unplug(&qdev->drm);
	device_stop(qdev);
	quire_ttm_remove(qdev);
	device_fini(qdev);
}

/* A rebooting machine reuses memory that the device could still write to. */
static void quire_pci_shutdown(struct pci_dev *pdev)
{
	device_stop(pci_get_drvdata(pdev));
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

static struct dentry *opt_dir;

static int __init quire_init(void)
{
	struct quire_options *options = &quire_options;
	int ret;

	ret = quire_vms_init_module();
	if (ret)
		return ret;
	opt_dir = debugfs_create_dir("quire", NULL);
	debugfs_create_bool("check_dummy_page", 0600, opt_dir, &options->check_dummy_page);
	debugfs_create_u32("mmu_pages", 0600, opt_dir, &options->mmu_pages);
	debugfs_create_bool("patch_early", 0600, opt_dir, &options->patch_early);
	debugfs_create_bool("patch_twice", 0600, opt_dir, &options->patch_twice);
	debugfs_create_u32("patch_refuse", 0600, opt_dir, &options->patch_refuse);
	debugfs_create_bool("patch_commands_twice", 0600, opt_dir, &options->patch_commands_twice);
	debugfs_create_bool("split_every_point", 0600, opt_dir, &options->split_every_point);
	debugfs_create_bool("split_lru", 0600, opt_dir, &options->split_lru);
	debugfs_create_u32("split_seed", 0600, opt_dir, &options->split_seed);
	debugfs_create_ulong("split_max_bytes", 0600, opt_dir, &options->split_max_bytes);

	ret = pci_register_driver(&quire_pci_driver);
	if (ret) {
		debugfs_remove(opt_dir);
		quire_vms_exit_module();
	}
	return ret;
}

static void __exit quire_exit(void)
{
	pci_unregister_driver(&quire_pci_driver);
	debugfs_remove(opt_dir);
	quire_vms_exit_module();
}

module_init(quire_init);
module_exit(quire_exit);

MODULE_DESCRIPTION("Quire virtual GPU");
MODULE_LICENSE("Dual MIT/GPL");
QUIRE_IMPORT_NS_DMA_BUF;
