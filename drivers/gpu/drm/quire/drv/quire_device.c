// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Bringing the device up and down
 *
 * Up: registers, checks of what the device says about itself, dummy page, rings, queue, interrupts;
 * then quire_device_revive() makes it work, as after every other reset, and memory management
 * (quire_ttm.c) can start. Down is the reverse, in two steps: quire_device_stop() takes the rings
 * from the device, which then touches no system memory; quire_device_fini() ends the queue, after
 * memory management has let go of it.
 *
 * All of this belongs to the binding. What programs may hold longer (objects, managers) goes with
 * the last reference of the DRM device.
 */

/**
 * DOC: Recovery
 *
 * What happens when a ring stands still or at a fault. Each time that happens at the same packet is
 * a strike, and each strike tries more than the one before; a packet further on begins anew::
 *
 *      strike           what is done                                what is lost
 *      1 to restarts    the ring is restarted at the packet         nothing
 *      next             the device is reset, too                    nothing
 *      next             the submission at work is given up, the     the content that the
 *                       device is reset                             submission moves
 *      next             the device is given up: wedged              what is in VRAM or moves
 *
 * Before the ring goes on, the context of its work is made anew (quire_paging_space.c): after a
 * fault of its address space it would be refused. The fault goes to the log and to the core dump.
 *
 * A reset keeps VRAM, and posted writes are in memory after it: nothing that was executed is
 * executed again. The driver gives the device its aperture back (quire_restore.c) and all pending
 * work, under the same fences, so programs only see that time has passed. A submission that is
 * given up ends with an error, and its mappings are made all the same.
 *
 * The number of restarts is the module parameter hang_restarts, the time that a ring may stand
 * still is hang_period. Before the device is reset its state is kept for /sys/class/devcoredump
 * (quire_coredump.c).
 *
 * Locking: runs in the watchdog's ordered queue, one at a time. Other resets and stops of the
 * device pause the watchdog first.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
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
#include "quire_restore.h"

#define QUIRE_HANG_RESTARTS_MAX	100

static unsigned int quire_hang_restarts = 1;

static int hang_restarts_set(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, 0, QUIRE_HANG_RESTARTS_MAX);
}

static const struct kernel_param_ops hang_restarts_ops = {
	.set = hang_restarts_set,
	.get = param_get_uint,
};

module_param_cb(hang_restarts, &hang_restarts_ops, &quire_hang_restarts, 0644);
MODULE_PARM_DESC(hang_restarts,
		 "Restarts of a hung ring before the device is reset (0 to 100, default: 1)");

/**
 * struct quire_recovery - how often something was tried in vain
 * @at: the packet that was at work at the last strike
 * @restarts: how often the ring was restarted at @at
 * @strikes: how often it stopped working at @at after those
 */
struct quire_recovery {
	struct quire_ring_position at;
	unsigned int restarts;
	unsigned int strikes;
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
 * Returns: the device, which goes with its last reference after @dev has; or an ERR_PTR.
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

static int device_identify(struct quire_device *qdev)
{
	struct pci_dev *pdev = to_pci_dev(qdev->drm.dev);
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

/*
 * Stops all rings and resets the device. What it has written is in memory when this returns, also
 * posted writes that were not flushed yet (quire_operation_flush()): the reset does that, also of a
 * device that executes nothing any more. Before work is given up, whose pages are given back then.
 */
static void quire_device_halt(struct quire_device *qdev)
{
	quire_ring_stop(qdev->paging_ring);
	quire_executions_stop(qdev);
	quire_residency_save(qdev);
	device_reset(qdev);
}

/*
 * Makes the device work, whatever state it is in, and goes on with all pending work. VRAM keeps its
 * content. May sleep, does not wait for memory. Like quire_device_halt() it is not called while
 * another caller revives, stops or watches the device. Returns: 0; -EIO it does not execute;
 * -ENODEV it was stopped for good.
 */
static int quire_device_revive(struct quire_device *qdev)
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

static void device_give_up(struct quire_device *qdev, const char *why)
{
	quire_ring_kill(qdev->paging_ring, -EIO);
	quire_executions_kill(qdev, -EIO);
	/* Behind the kill: calls of a program that has read this line are refused. */
	drm_err(&qdev->drm, "%s; unbind and bind it\n", why);
	quire_fences_wake(qdev);
	quire_coredump_announce(qdev, DRM_WEDGE_RECOVERY_REBIND);
}

/*
 * Counts a strike, or the first one of another packet. Returns 0 if a restart answers it, else the
 * number of strikes that no restart answered. The parameter may change meanwhile: that skips
 * nothing that comes after the restarts.
 */
static unsigned int recovery_strike(struct quire_recovery *recovery,
				    const struct quire_ring_position *at)
{
	if (at->fence != recovery->at.fence || at->executed != recovery->at.executed)
		*recovery = (struct quire_recovery) { .at = *at };
	if (recovery->strikes || recovery->restarts >= READ_ONCE(quire_hang_restarts))
		return ++recovery->strikes;
	recovery->restarts++;
	return 0;
}

/* In its context as in a new one. */
static void recovery_restart(struct quire_device *qdev)
{
	quire_paging_space_renew(&qdev->paging_queue->space);
	quire_ring_start(qdev->paging_ring);
}

/* A reset takes the aperture from the device, so its window is closed meanwhile. */
static void recovery_reset(struct quire_device *qdev, unsigned int strikes,
			   const struct quire_ring_position *at)
{
	struct quire_ring *ring = qdev->paging_ring;
	u8 packet[QUIRE_COREDUMP_PACKET];
	u32 bytes;

	if (strikes == 1) {
		bytes = quire_paging_queue_peek(qdev->paging_queue, at->addr + at->executed,
						packet, sizeof(packet));
		quire_coredump_capture(qdev, ring, at, NULL, packet, bytes);
	}
	quire_window_close(qdev);
	if (strikes == 2) {
		drm_err(&qdev->drm, "ring %u: fence %llu is given up, what it moves is lost\n",
			ring->index, at->fence);
		quire_device_halt(qdev);
		quire_ring_give_up_oldest(ring, -EIO);
	}
	if (strikes <= 2)
		drm_warn(&qdev->drm, "ring %u is stuck, resetting the device\n", ring->index);
	if (strikes <= 2 && !quire_device_revive(qdev)) {
		quire_coredump_announce(qdev, DRM_WEDGE_RECOVERY_NONE);
	} else if (!quire_ring_error(ring)) {
		/* Else it was given up meanwhile, for another reason. */
		quire_device_halt(qdev);
		device_give_up(qdev, "ring 0: the device is wedged");
	}
	quire_window_open(qdev);
}

/*
 * &quire_watchdog.stuck of the paging ring
 *
 * Source: "Timeout detection and recovery" of the original's documentation; DXGKDDI_RESETENGINE,
 * DXGKDDI_RESETFROMTIMEOUT.
 */
static void recovery_stuck(struct quire_watchdog *watchdog, enum quire_ring_state state)
{
	struct quire_paging_queue *queue = container_of(watchdog, struct quire_paging_queue,
							watchdog);
	struct quire_device *qdev = to_quire_device(queue->drm);
	struct drm_printer p = drm_err_printer(&qdev->drm, NULL);
	struct quire_ring *ring = qdev->paging_ring;
	struct quire_ring_position at;
	struct quire_paging_fault fault;
	unsigned int strikes;

	if (state == QUIRE_RING_FAULTED) {
		quire_ring_report_fault(ring);
		fault = quire_paging_space_fault(&queue->space);
		if (fault.status & QUIRE_CONTEXT_FAULT)
			quire_paging_fault_print(&fault, &p);
	}
	quire_ring_stop(ring);
	at = quire_ring_position(ring);
	if (!at.fence) {
		/* It was done just now, or the ring was given up for another reason. */
		recovery_restart(qdev);
		return;
	}

	quire_dummy_check(qdev, "after a hang");
	strikes = recovery_strike(qdev->recovery, &at);
	if (strikes) {
		recovery_reset(qdev, strikes, &at);
	} else {
		drm_warn(&qdev->drm, "ring %u is stuck, restarting it\n", ring->index);
		recovery_restart(qdev);
	}
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
	      quire_restore_init(qdev) ?: quire_residency_save_init(qdev) ?:
	      /* MMUs show VRAM: more pages than that are of no use. */
	      quire_mmu_table_init(qdev->mmu_table,
				   min(mmu_size, qdev->vram_size) >> QUIRE_PAGE_SHIFT) ?:
	      quire_natives_init(qdev) ?:
	      quire_ring_init(qdev->paging_ring, &qdev->drm, qdev->regs, QUIRE_RING_PAGING) ?:
	      quire_aperture_init(qdev->aperture, qdev->aperture_size);
	if (ret)
		return ret;

	ret = quire_paging_queue_init(qdev->paging_queue, qdev, qdev->window->size, mmu_size,
				      recovery_stuck);
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
 *
 * Returns: 0; -ENODEV no Quire device, another major version or inconsistent sizes; -EINVAL it
 * takes no submission as large as a paging buffer; -EIO it does not execute; -ENOMEM; errors of the
 * PCI core.
 *
 * Source: Documentation/gpu/quire/device.rst, registers, reset, write buffer.
 */
int quire_device_init(struct quire_device *qdev)
{
	int ret;

	init_rwsem(&qdev->vram_access);
	quire_coredump_init(qdev);
	ret = device_init_pci(qdev) ?: device_init_rings(qdev);
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
 * quire_device_suspend - let go of a device that is about to be reset or switched off
 * @qdev: the device
 *
 * Until quire_device_resume() work queues up, the device touches no system memory, and its
 * registers are not accessed. The caller holds the lock of the PCI device, and sees to content of
 * VRAM that would not stay.
 */
void quire_device_suspend(struct quire_device *qdev)
{
	quire_watchdog_pause(&qdev->paging_queue->watchdog);
	quire_executions_pause(qdev);
	/* Other resets lose posted writes. */
	quire_device_halt(qdev);
}

/**
 * quire_device_resume - go on with all pending work after quire_device_suspend()
 * @qdev: the device; its PCI configuration is as it was
 *
 * If the device does not work it is given up; one that was given up before stays so.
 *
 * Returns: 0, or the error for which the device was given up now: -EIO.
 */
int quire_device_resume(struct quire_device *qdev)
{
	int ret = 0;

	if (!quire_device_is_wedged(qdev))
		ret = quire_device_revive(qdev);
	if (ret)
		device_give_up(qdev, "the device does not work after a reset");
	quire_executions_resume(qdev);
	quire_watchdog_resume(&qdev->paging_queue->watchdog);
	return ret;
}

/**
 * quire_device_stop - stop the device for good
 * @qdev: the device; drm_dev_unplug() was called, or it was never registered
 *
 * All fences have signalled or soon will, and nothing is executed any more.
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
 */
void quire_device_fini(struct quire_device *qdev)
{
	quire_device_stop(qdev);
	quire_dummy_check(qdev, "the device is let go");
	device_fini_irq(qdev);
	quire_discard_fini(qdev->discards);
	device_fini_rings(qdev);
}
