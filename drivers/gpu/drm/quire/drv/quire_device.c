// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Bringing the device up and down
 *
 * Up: registers, checks of what the device says about itself, dummy page, rings, queue, interrupts;
 * then quire_device_revive() makes it work, as after every other reset. After that the device
 * executes paging work, and memory management (quire_ttm.c) can start. Down is the reverse, in two
 * steps: quire_device_stop() takes the rings from the device, which then touches no system memory;
 * quire_device_fini() ends the queue, after memory management has let go of it.
 *
 * In between, quire_device_suspend() lets go of a device that is about to be reset or switched off,
 * and quire_device_resume() goes on where it was.
 *
 * All of this belongs to the binding. What programs may hold longer (objects, managers) goes with
 * the last reference of the DRM device.
 */
#include <linux/dma-mapping.h>
#include <linux/pci.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_regs.h"
#include "hw/quire_aperture.h"
#include "hw/quire_device_guard.h"
#include "hw/quire_dummy.h"
#include "hw/quire_mmu_table.h"
#include "hw/quire_natives.h"
#include "hw/quire_residency_table.h"
#include "queue/quire_coredump.h"
#include "queue/quire_discard.h"
#include "queue/quire_mark.h"
#include "queue/quire_paging_queue.h"
#include "queue/quire_vram_types.h"
#include "bo/quire_bo_free.h"
#include "bo/quire_budget.h"
#include "bo/quire_mmu.h"
#include "bo/quire_prime.h"
#include "bo/quire_purge_stats.h"
#include "bo/quire_range.h"
#include "bo/quire_residency.h"
#include "bo/quire_shrinker.h"
#include "bo/quire_turn.h"
#include "bo/quire_window.h"
#include "vm/quire_vm.h"
#include "move/quire_move_stats.h"
#include "fence/quire_fence.h"
#include "exec/quire_command_job.h"
#include "exec/quire_context.h"
#include "exec/quire_execution.h"
#include "quire_device.h"
#include "quire_recovery.h"
#include "quire_restore.h"

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
	struct quire_restore restore;
	struct quire_recovery recovery;
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

/**
 * quire_device_alloc - make a device that is not initialised
 * @dev: it is bound to
 * @driver: of it
 *
 * Returns: the device, which goes with its last reference after @dev has; or an ERR_PTR of
 * devm_drm_dev_alloc().
 */
struct quire_device *quire_device_alloc(struct device *dev, const struct drm_driver *driver)
{
	struct device_state *state;
	struct quire_device *qdev;

	state = devm_drm_dev_alloc(dev, driver, struct device_state, base.drm);
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
	qdev->restore = &state->restore;
	qdev->recovery = &state->recovery;
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

static int device_check_identity(struct quire_device *qdev)
{
	u32 id = quire_read32(qdev->regs, QUIRE_REG_ID);
	u32 version = quire_read32(qdev->regs, QUIRE_REG_VERSION);

	if (id != QUIRE_ID) {
		drm_err(&qdev->drm, "not a Quire device: id %#x\n", id);
		return -ENODEV;
	}
	if (version >> 16 != QUIRE_VERSION_MAJOR || version < QUIRE_VERSION) {
		drm_err(&qdev->drm, "device has version %u.%u, driver needs %u.%u or a later %u.x\n",
			version >> 16, version & 0xffff, QUIRE_VERSION_MAJOR,
			QUIRE_VERSION_MINOR, QUIRE_VERSION_MAJOR);
		return -ENODEV;
	}
	return 0;
}

static int device_read_sizes(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);

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

static void device_reset(struct quire_device *qdev)
{
	quire_write32(qdev->regs, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	quire_read32(qdev->regs, QUIRE_REG_ID); /* returns after the reset */
}

/* A reset keeps injections, but those of an earlier driver are not wanted any more. */
static void device_clear_injections(struct quire_device *qdev)
{
	u32 rings = min_t(u32, quire_read32(qdev->regs, QUIRE_REG_RING_COUNT), QUIRE_RING_MAX);
	unsigned int i;

	if (!quire_can_inject(qdev->regs))
		return;
	for (i = 0; i < rings; i++) {
		quire_write32(qdev->regs, QUIRE_REG_RING(i, QUIRE_RING_INJECT_HANG), 0);
		quire_write32(qdev->regs, QUIRE_REG_RING(i, QUIRE_RING_INJECT_FAULT), 0);
	}
	quire_write32(qdev->regs, QUIRE_REG_INJECT_DROP_IRQ, 0);
}

static int device_init_pci(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;

	ret = pcim_request_all_regions(pdev, "quire");
	if (ret)
		return ret;

	if (pci_resource_len(pdev, QUIRE_BAR_REGS) < QUIRE_BAR_REGS_SIZE)
		return -ENODEV;
	qdev->regs = pcim_iomap(pdev, QUIRE_BAR_REGS, 0);
	if (!qdev->regs)
		return -ENOMEM;

	ret = device_check_identity(qdev) ?: device_read_sizes(qdev) ?: quire_window_init(qdev);
	if (ret)
		return ret;

	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;

	/* End what an earlier driver has left. */
	device_reset(qdev);
	device_clear_injections(qdev);
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
	if (ret)
		goto err_vectors;
	ret = pci_request_irq(pdev, QUIRE_VECTOR_FAULT, quire_fault_irq, NULL, qdev,
			      "quire-fault");
	if (ret)
		goto err_fence;
	return 0;

err_fence:
	pci_free_irq(pdev, QUIRE_VECTOR_FENCE, qdev);
err_vectors:
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

static void device_fini_watchdogs(void *data)
{
	destroy_workqueue(data);
}

static int device_init_watchdogs(struct quire_device *qdev)
{
	qdev->watchdogs = alloc_ordered_workqueue("quire-watchdogs", WQ_MEM_RECLAIM);
	if (!qdev->watchdogs)
		return -ENOMEM;
	return devm_add_action_or_reset(qdev->drm.dev, device_fini_watchdogs, qdev->watchdogs);
}

static void device_fini_mmus(void *table)
{
	quire_mmu_table_fini(table);
}

static int device_init_mmus(struct quire_device *qdev)
{
	/* They show VRAM: more pages than that are of no use. */
	u64 size = min(quire_read64(qdev->regs, QUIRE_REG_MMU_SIZE_LO), qdev->vram_size);
	int ret;

	ret = quire_mmu_table_init(qdev->mmu_table, size >> QUIRE_PAGE_SHIFT);
	return ret ?: devm_add_action_or_reset(qdev->drm.dev, device_fini_mmus, qdev->mmu_table);
}

/* The device does not know the rings yet. */
static int device_init_rings(struct quire_device *qdev, quire_watchdog_stuck_t stuck)
{
	int ret;

	qdev->max_submission = quire_read32(qdev->regs, QUIRE_REG_MAX_SUBMISSION);
	ret = device_init_watchdogs(qdev) ?: quire_dummy_init(qdev) ?:
	      quire_mark_init(qdev->mark, &qdev->drm) ?: quire_restore_init(qdev) ?:
	      quire_residency_save_init(qdev) ?: device_init_mmus(qdev) ?:
	      quire_natives_init(qdev) ?:
	      quire_ring_init(qdev->paging_ring, &qdev->drm, qdev->regs, QUIRE_RING_PAGING) ?:
	      quire_aperture_init(qdev->aperture, qdev->aperture_size);
	if (ret)
		return ret;

	ret = quire_paging_queue_init(qdev->paging_queue, qdev, qdev->window->size,
				      quire_read64(qdev->regs, QUIRE_REG_MMU_SIZE_LO), stuck);
	if (ret)
		goto err_aperture;
	ret = quire_vms_init(qdev);
	if (ret)
		goto err_queue;
	quire_contexts_init(qdev->contexts);
	ret = quire_fences_init(qdev) ?:
	      quire_executions_init(qdev, &quire_command_sched_ops, quire_execution_stuck);
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

/**
 * quire_device_init - bring the device up
 * @qdev: the device, bound to its PCI function
 * @stuck: called when ring 0 does not work any more, see quire_watchdog_init()
 *
 * Returns: 0; -ENODEV if it is no Quire device, has another major version or inconsistent sizes;
 * -EINVAL if it takes no submission as large as a paging buffer; -EIO if it does not execute;
 * -ENOMEM; errors of the PCI core.
 *
 * Source: Documentation/gpu/quire/device.rst, registers.
 */
int quire_device_init(struct quire_device *qdev, quire_watchdog_stuck_t stuck)
{
	int ret;

	init_rwsem(&qdev->vram_access);
	quire_coredump_init(qdev);
	ret = device_init_pci(qdev) ?: device_init_rings(qdev, stuck);
	if (ret)
		return ret;

	ret = device_init_irq(qdev);
	if (ret)
		goto err_ring;

	ret = quire_device_revive(qdev);
	if (ret)
		goto err_irq;

	quire_discard_init(qdev->discards, qdev->paging_queue, &qdev->residency->leaving,
			   &qdev->mmu->leaving);
	return 0;

err_irq:
	device_fini_irq(qdev);
err_ring:
	quire_ring_kill(qdev->paging_ring, -ENODEV);
	quire_executions_kill(qdev, -ENODEV);
	device_fini_rings(qdev);
	return ret;
}

/**
 * quire_device_halt - stop all rings and reset the device
 * @qdev: the device; not revived, stopped or watched meanwhile
 *
 * What it has written is in memory when this returns, also posted writes that were not flushed yet
 * (quire_operation_flush()): the reset does that, also of a device that executes nothing any more.
 * Called before work is given up, since its pages are given back then.
 *
 * Source: Documentation/gpu/quire/device.rst, write buffer.
 */
void quire_device_halt(struct quire_device *qdev)
{
	quire_ring_stop(qdev->paging_ring);
	quire_executions_stop(qdev);
	quire_residency_save(qdev);
	device_reset(qdev);
}

/**
 * quire_device_revive - make the device work, whatever state it is in
 * @qdev: the device; not revived, stopped or watched meanwhile
 *
 * Halts it and goes on with all pending work. VRAM keeps its content. May sleep, does not wait for
 * memory.
 *
 * Returns: 0; -EIO the device does not execute; -ENODEV it was stopped for good.
 *
 * Source: Documentation/gpu/quire/device.rst, reset.
 */
int quire_device_revive(struct quire_device *qdev)
{
	int ret;

	quire_device_halt(qdev);
	quire_paging_space_renew(&qdev->paging_queue->space);
	quire_write32(qdev->regs, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);

	ret = quire_restore(qdev);
	if (ret)
		return ret;
	quire_ring_start(qdev->paging_ring);
	quire_executions_start(qdev);
	return 0;
}

/**
 * quire_device_suspend - let go of the device
 * @qdev: the device
 *
 * Until quire_device_resume() it works on nothing and touches no system memory, and its registers
 * are not accessed. Work queues up. The caller holds the lock of the PCI device, and sees to
 * content of VRAM that would not stay.
 */
void quire_device_suspend(struct quire_device *qdev)
{
	quire_watchdog_pause(&qdev->paging_queue->watchdog);
	quire_executions_pause(qdev);
	/* Other resets lose posted writes. */
	quire_device_halt(qdev);
}

/**
 * quire_device_resume - take the device back after quire_device_suspend()
 * @qdev: the device; its PCI configuration is as it was
 *
 * Goes on with all pending work. If the device does not work it is given up; one that was given up
 * before stays so.
 *
 * Returns: 0, or -EIO if the device was given up now.
 */
int quire_device_resume(struct quire_device *qdev)
{
	int ret = 0;

	if (!quire_device_is_wedged(qdev))
		ret = quire_device_revive(qdev);
	if (ret) {
		quire_ring_kill(qdev->paging_ring, -EIO);
		quire_executions_kill(qdev, -EIO);
		drm_err(&qdev->drm, "the device does not work after a reset; unbind and bind it\n");
		quire_fences_wake(qdev);
		quire_coredump_announce(qdev, DRM_WEDGE_RECOVERY_REBIND);
	}
	quire_executions_resume(qdev);
	quire_watchdog_resume(&qdev->paging_queue->watchdog);
	return ret;
}

/**
 * quire_device_stop - stop the device for good
 * @qdev: the device; drm_dev_unplug() was called, or it was never registered
 *
 * All fences have signalled or soon will, and nothing is executed any more.
 *
 * Source: drm_dev_unplug().
 */
void quire_device_stop(struct quire_device *qdev)
{
	quire_device_halt(qdev);
	/* Commands first: without their page tables they would end with -EIO. */
	quire_executions_kill(qdev, -ENODEV);
	quire_ring_kill(qdev->paging_ring, -ENODEV);
	quire_fences_wake(qdev);
}

/**
 * quire_device_fini - take the device down
 * @qdev: the device; nothing is submitted any more
 *
 * Programs may still hold the DRM device, objects and mappings.
 *
 * Source: drm_dev_unplug().
 */
void quire_device_fini(struct quire_device *qdev)
{
	quire_device_stop(qdev);
	quire_dummy_check(qdev, "the device is let go");
	device_fini_irq(qdev);
	quire_discard_fini(qdev->discards);
	device_fini_rings(qdev);
}
