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
 * executed again (quire_device_halt()). The driver gives the device its aperture back
 * (quire_restore.c) and all pending work, under the same fences, so programs only see that time has
 * passed. A submission that is given up ends with an error, and its mappings are made all the same.
 *
 * The number of restarts is the module parameter hang_restarts, the time that a ring may stand
 * still is hang_period. Before the device is reset its state is kept for /sys/class/devcoredump
 * (quire_coredump.c).
 *
 * Locking: runs in the watchdog's ordered queue, one at a time. Other resets and stops of the
 * device pause the watchdog first.
 */
#include <linux/module.h>

#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "hw/quire_dummy.h"
#include "queue/quire_coredump.h"
#include "queue/quire_paging_queue.h"
#include "bo/quire_window.h"
#include "fence/quire_fence.h"
#include "exec/quire_execution.h"
#include "quire_device.h"
#include "quire_recovery.h"

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

static void recovery_wedge(struct quire_device *qdev)
{
	struct quire_ring *ring = qdev->paging_ring;

	/* Given up meanwhile, for another reason. */
	if (quire_ring_error(ring))
		return;

	quire_device_halt(qdev);
	quire_ring_kill(ring, -EIO);
	quire_executions_kill(qdev, -EIO);
	/* Behind the kill: calls of a program that has read this line are refused. */
	drm_err(&qdev->drm, "ring %u: the device is wedged; unbind and bind it\n", ring->index);
	quire_fences_wake(qdev);
	quire_coredump_announce(qdev, DRM_WEDGE_RECOVERY_REBIND);
}

static void recovery_reset(struct quire_device *qdev)
{
	struct quire_ring *ring = qdev->paging_ring;

	drm_warn(&qdev->drm, "ring %u is stuck, resetting the device\n", ring->index);
	if (quire_device_revive(qdev))
		recovery_wedge(qdev);
	else
		quire_coredump_announce(qdev, DRM_WEDGE_RECOVERY_NONE);
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
static void recovery_answer(struct quire_device *qdev, unsigned int strikes,
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
		recovery_reset(qdev);
	else
		recovery_wedge(qdev);
	quire_window_open(qdev);
}

/**
 * quire_recovery_stuck - &quire_watchdog.stuck
 * @watchdog: of the paging ring
 * @state: %QUIRE_RING_STUCK or %QUIRE_RING_FAULTED
 *
 * Source: "Timeout detection and recovery" of the original's documentation;
 * DXGKDDI_RESETENGINE, DXGKDDI_RESETFROMTIMEOUT.
 */
void quire_recovery_stuck(struct quire_watchdog *watchdog, enum quire_ring_state state)
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
		recovery_answer(qdev, strikes, &at);
	} else {
		drm_warn(&qdev->drm, "ring %u is stuck, restarting it\n", ring->index);
		recovery_restart(qdev);
	}
}
