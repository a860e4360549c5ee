// SPDX-License-Identifier: GPL-2.0 OR MIT
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
 * executed again. The driver gives the device its aperture back and all pending work, under the
 * same fences, so programs only see that time has passed. A submission that is given up ends with
 * an error, and its mappings are made all the same. Before the first reset the state of the device
 * is kept for /sys/class/devcoredump (quire_coredump.c).
 *
 * Locking: runs in the watchdog's ordered queue, one at a time. Other resets and stops of the
 * device pause the watchdog first.
 */

/**
 * DOC: Restoring what the device knew
 *
 * After a reset no aperture page of the device is valid. First all of them are pointed at the dummy
 * page, then those that are mapped (quire_aperture.c) at their system pages. Then the device is
 * told what its MMUs showed, and where objects and native fences are (quire_residency_table.c). The
 * builder makes the packets, as many as a buffer has room for at once; the stopped ring executes
 * them before it is started again.
 *
 * Allocates nothing and takes no reservation: holders of reservations may wait for pending work.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>

#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "core/quire_regs.h"
#include "hw/quire_aperture.h"
#include "hw/quire_residency_table.h"
#include "queue/quire_coredump.h"
#include "queue/quire_paging_queue.h"
#include "bo/quire_window.h"
#include "fence/quire_fence.h"
#include "exec/quire_execution.h"
#include "quire_drv.h"

#define QUIRE_RESTORE_BUFFER	SZ_4K
#define QUIRE_RESTORE_FENCES	32

/* A buffer takes the device less than a millisecond: only a host that stalls needs this. */
#define QUIRE_RESTORE_PATIENCE	(3 * HZ)

static unsigned int quire_hang_restarts = 1;

static int hang_restarts_set(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, 0, 100);
}

static const struct kernel_param_ops hang_restarts_ops = {
	.set = hang_restarts_set,
	.get = param_get_uint,
};

module_param_cb(hang_restarts, &hang_restarts_ops, &quire_hang_restarts, 0644);
MODULE_PARM_DESC(hang_restarts,
		 "Restarts of a hung ring before the device is reset (0 to 100, default: 1)");

/* How often the ring was restarted at the packet @at, and stopped working there after that. */
struct quire_recovery {
	struct quire_ring_position at;
	unsigned int restarts;
	unsigned int strikes;
};

/**
 * struct quire_restore - what restoring takes, allocated before
 * @cpu: paging buffer, DMA memory
 * @dma: DMA address of @cpu
 * @used: bytes that wait in the buffer
 * @records: private data of the buffer
 * @part: of the aperture, at work
 * @fences: native fences that are told of next
 */
struct quire_restore {
	void *cpu;
	dma_addr_t dma;
	u32 used;
	struct quire_paging_record records[QUIRE_RESTORE_BUFFER / QUIRE_PAGING_PACKET_MIN];
	struct quire_aperture_part part;
	struct quire_paging_fence_residency fences[QUIRE_RESTORE_FENCES];
};

/**
 * quire_reset_init - allocate what resets take
 * @qdev: the device (devres)
 *
 * Returns: 0, or -ENOMEM.
 */
int quire_reset_init(struct quire_device *qdev)
{
	struct device *dev = qdev->drm.dev;
	struct quire_restore *restore;

	qdev->recovery = devm_kzalloc(dev, sizeof(*qdev->recovery), GFP_KERNEL);
	restore = devm_kzalloc(dev, sizeof(*restore), GFP_KERNEL);
	if (!qdev->recovery || !restore)
		return -ENOMEM;
	restore->cpu = dmam_alloc_coherent(dev, QUIRE_RESTORE_BUFFER, &restore->dma, GFP_KERNEL);
	qdev->restore = restore;
	return restore->cpu ? 0 : -ENOMEM;
}

/* Executes what waits in the buffer. */
static int restore_run(struct quire_device *qdev)
{
	u32 used = qdev->restore->used;

	qdev->restore->used = 0;
	/*
	 * There is no second try, so a hang_period that is short for the work of programs does not
	 * count here; one that is long, for a device under a debugger, does.
	 */
	return quire_ring_execute(qdev->paging_ring, qdev->restore->dma, used,
				  max_t(unsigned long, quire_watchdog_patience(),
					QUIRE_RESTORE_PATIENCE));
}

/* Adds an operation to those that wait in the buffer; executes these when it is full. */
static int restore_add(struct quire_device *qdev, struct quire_paging_args *args)
{
	const struct quire_paging_caps *caps = &qdev->paging_queue->caps;
	struct quire_restore *restore = qdev->restore;
	enum quire_build_status status;
	int ret;

	ret = quire_paging_check_args(caps, args);
	if (ret)
		return ret;
	do {
		args->dma_buffer = restore->cpu + restore->used;
		args->dma_size = QUIRE_RESTORE_BUFFER - restore->used;
		args->private_data = restore->records;
		args->private_data_size = sizeof(restore->records);
		args->dma_buffer_gpu_address = restore->dma;
		args->dma_buffer_write_offset = restore->used;
		status = quire_build_paging_buffer(caps, args);
		restore->used = QUIRE_RESTORE_BUFFER - args->dma_size;
		if (status == QUIRE_BUILD_FULL)
			ret = restore_run(qdev);
	} while (!ret && status == QUIRE_BUILD_FULL);
	return ret;
}

static int restore_part(struct quire_device *qdev, const struct quire_aperture_part *part)
{
	u32 flags = part->coherent ? QUIRE_MAPAPERTURE_CACHE_COHERENT : 0;
	struct quire_paging_args args = {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT,
		.u.map = {
			.offset_in_pages = part->first,
			.number_of_pages = part->count,
			.mdl = {
				.segment = QUIRE_SEGMENT_SYSTEM,
				.nr_runs = part->nr_runs,
				.runs = part->runs,
			},
			.flags = flags,
		},
	};

	if (!part->cpu_visible)
		return restore_add(qdev, &args);

	/* The CPU sees them where it saw them before. */
	args = (struct quire_paging_args) {
		.operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2,
		.u.map2 = {
			.offset_in_pages = part->first,
			.number_of_pages = part->count,
			.adl = {
				.page_count = part->count,
				.contiguous = part->contiguous,
			},
			.flags = flags,
			.cpu_visible_address = qdev->window->base +
					       (u64)part->first * QUIRE_PAGE_SIZE,
		},
	};
	if (part->contiguous)
		args.u.map2.adl.base_page_number = part->pages[0];
	else
		args.u.map2.adl.pages = part->pages;
	return restore_add(qdev, &args);
}

static int restore_aperture(struct quire_device *qdev)
{
	struct quire_aperture_part *part = &qdev->restore->part;
	struct quire_paging_args dummy = {
		.operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT,
		.u.unmap = {
			.number_of_pages = qdev->aperture->count,
			.dummy_page = qdev->dummy_dma,
		},
	};
	u32 next = 0;
	int ret;

	ret = restore_add(qdev, &dummy);
	while (!ret && quire_aperture_next(qdev->aperture, next, part)) {
		ret = restore_part(qdev, part);
		next = part->first + part->count;
	}
	return ret;
}

static int restore_mmus(struct quire_device *qdev)
{
	struct quire_mmu_run run = { };
	int ret = 0;

	while (!ret && quire_mmu_table_next(qdev->mmu_table, &run)) {
		struct quire_paging_args args = {
			.operation = QUIRE_PAGING_MAP_MMU,
			.u.map_mmu = {
				.virtual_address = (u64)run.first << QUIRE_PAGE_SHIFT,
				.mmu_id = run.mmu,
				.segment = run.segment,
				.adl = {
					.page_count = run.pages,
					.contiguous = true,
					.base_page_number = run.page,
				},
				.flags = run.coherent ? QUIRE_MAPAPERTURE_CACHE_COHERENT : 0,
			},
		};

		ret = restore_add(qdev, &args);
	}
	return ret;
}

static int restore_residency(struct quire_device *qdev)
{
	struct quire_residency_run run = { };
	int ret = 0;

	while (!ret && quire_residency_table_next(qdev->residency_table, &run)) {
		u64 bytes = ((u64)run.offset + run.pages) << QUIRE_PAGE_SHIFT;
		const struct quire_paging_allocation allocation = {
			.id = run.id,
			.size = bytes,
			.pitch_aligned_size = bytes,
		};
		struct quire_paging_args args = {
			.operation = QUIRE_PAGING_NOTIFY_RESIDENCY2,
			.allocation = &allocation,
			.u.notify_residency2 = {
				.allocation_offset_in_pages = run.offset,
				.size_in_pages = run.pages,
				.segment = run.segment,
				.resident = true,
				.contiguous = true,
				.physical_address = run.first << QUIRE_PAGE_SHIFT,
			},
		};

		ret = restore_add(qdev, &args);
	}
	return ret;
}

static int restore_natives(struct quire_device *qdev)
{
	struct quire_paging_fence_residency *fences = qdev->restore->fences;
	u32 at = 0, count;
	int ret = 0;

	while (!ret && (count = quire_natives_next(qdev->natives, &at, fences,
						   QUIRE_RESTORE_FENCES))) {
		struct quire_paging_args args = {
			.operation = QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY,
			.u.notify_fences = { .num_fences = count, .fences = fences },
		};

		ret = restore_add(qdev, &args);
	}
	return ret;
}

/**
 * quire_device_reset - reset the device
 * @qdev: the device; no ring is at work
 */
void quire_device_reset(struct quire_device *qdev)
{
	quire_write32(qdev->regs, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	quire_read32(qdev->regs, QUIRE_REG_ID); /* returns after the reset */
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
	quire_device_reset(qdev);
}

/**
 * quire_device_revive - make the device work, whatever state it is in
 * @qdev: the device; not revived, stopped or watched meanwhile
 *
 * Halts it, tells it what it knew, and goes on with all pending work. VRAM keeps its content. May
 * sleep, does not wait for memory.
 *
 * Returns: 0; -EIO the device does not execute; -ENODEV it was stopped for good.
 */
int quire_device_revive(struct quire_device *qdev)
{
	int ret;

	quire_device_halt(qdev);
	quire_paging_space_renew(&qdev->paging_queue->space);
	quire_write32(qdev->regs, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);

	qdev->restore->used = 0;
	ret = restore_aperture(qdev) ?: restore_mmus(qdev) ?: restore_residency(qdev) ?:
	      restore_natives(qdev) ?: restore_run(qdev);
	if (ret)
		return ret;
	quire_residency_table_restored(qdev->residency_table);
	quire_ring_start(qdev->paging_ring);
	quire_executions_start(qdev);
	return 0;
}

/**
 * quire_device_give_up - the device does not work, and is wedged from now on
 * @qdev: the device; halted
 * @why: for the log
 */
void quire_device_give_up(struct quire_device *qdev, const char *why)
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
		quire_device_give_up(qdev, "ring 0: the device is wedged");
	}
	quire_window_open(qdev);
}

/**
 * quire_recovery_stuck - &quire_watchdog.stuck
 * @watchdog: of the paging ring
 * @faulted: the device stopped it; else it stood still for too long
 *
 * Source: "Timeout detection and recovery" of the original's documentation; DXGKDDI_RESETENGINE,
 * DXGKDDI_RESETFROMTIMEOUT.
 */
void quire_recovery_stuck(struct quire_watchdog *watchdog, bool faulted)
{
	struct quire_paging_queue *queue = container_of(watchdog, struct quire_paging_queue,
							watchdog);
	struct quire_device *qdev = to_quire_device(queue->drm);
	struct drm_printer p = drm_err_printer(&qdev->drm, NULL);
	struct quire_ring *ring = qdev->paging_ring;
	struct quire_ring_position at;
	unsigned int strikes;

	if (faulted) {
		quire_ring_report_fault(ring);
		quire_paging_space_print_fault(&queue->space, &p);
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
