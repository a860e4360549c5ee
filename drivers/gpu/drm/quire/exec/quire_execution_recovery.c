// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Recovery of execution rings
 *
 * A command that does not come to an end, or that the device refuses, is the program's own
 * doing: the ring is stopped, the submission is given up, its context ends
 * (quire_context.c), and the ring goes on with what others have pushed. The device is not
 * reset, and the paging ring hears nothing of it. The state is kept for
 * /sys/class/devcoredump before (quire_coredump.c).
 *
 * What the commands before it have posted is written to memory first, by a submission of nothing:
 * the device does that at the end of each. Else it would come at any time after the fence,
 * where pages may be somebody else's by then.
 *
 * A reset of the device for another reason stops the execution rings, too. They go on with the
 * command that was at work; but some commands can not be executed twice, if they were begun:
 * those that read what they write. Such a submission is given up, and its context is
 * lost (%DRM_QUIRE_CONTEXT_LOST).
 *
 * Locking: runs in the queue of all watchdogs, one at a time, or while they are paused.
 */
#include <linux/align.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/ratelimit.h>

#include <drm/drm_print.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_command.h>
#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "core/quire_context_end.h"
#include "core/quire_device_types.h"
#include "hw/quire_ring.h"
#include "hw/quire_watchdog.h"
#include "queue/quire_coredump.h"
#include "quire_command_job.h"
#include "quire_execution.h"
#include "quire_execution_recovery.h"

/* What has to be done for a submission of nothing is little, also where hang_period is short. */
#define FLUSH_PATIENCE	(2 * HZ)

/*
 * A program can end contexts as fast as the device executes. Those of which nothing is said are
 * counted in the log later; what their own programs are told is the same.
 */
static DEFINE_RATELIMIT_STATE(execution_reports, DEFAULT_RATELIMIT_INTERVAL,
			      DEFAULT_RATELIMIT_BURST);

/* As far as it takes to see whether a command reads what it writes. */
union command_head {
	struct quire_packet_header header;
	struct quire_command_copy copy;
	struct quire_command_2d rectangle;
};

static void execution_capture(struct quire_execution *execution,
			      const struct quire_ring_position *at)
{
	struct quire_context_end end = { };
	u8 packet[QUIRE_COREDUMP_PACKET];
	u32 bytes;

	quire_command_at_work(execution, &end);
	bytes = quire_execution_peek(execution, at->addr + at->executed, packet,
				     min_t(u32, sizeof(packet), at->size - at->executed));
	quire_coredump_capture(execution->qdev, &execution->ring, at, &end, packet, bytes);
}

static void execution_give_up(struct quire_execution *execution, u32 status,
			      const struct quire_ring_fault *fault)
{
	execution->cause = (struct quire_context_end) {
		.status = status,
		.fault = fault->code,
		.address = fault->address,
	};
	quire_ring_give_up_oldest(&execution->ring, -EIO);
	execution->cause = (struct quire_context_end) { };
}

/* If the device does not do even that, the paging ring will not work either, and it is reset. */
static void execution_flush(struct quire_execution *execution)
{
	quire_ring_execute(&execution->ring, 0, 0,
			   max_t(unsigned long, quire_watchdog_patience(), FLUSH_PATIENCE));
}

/**
 * quire_execution_stuck - &quire_watchdog.stuck
 * @watchdog: of an execution ring
 * @state: %QUIRE_RING_STUCK or %QUIRE_RING_FAULTED
 *
 * Source: "Timeout detection and recovery" of the original's documentation;
 * DXGKDDI_RESETENGINE.
 */
void quire_execution_stuck(struct quire_watchdog *watchdog, enum quire_ring_state state)
{
	struct quire_execution *execution = container_of(watchdog, struct quire_execution,
							 watchdog);
	struct quire_device *qdev = execution->qdev;
	struct quire_ring *ring = &execution->ring;
	struct quire_ring_position at;
	struct quire_ring_fault fault;
	u32 status = DRM_QUIRE_CONTEXT_HUNG;
	bool reports = __ratelimit(&execution_reports);

	if (state == QUIRE_RING_FAULTED && reports)
		quire_ring_report_fault(ring);
	quire_ring_stop(ring);
	at = quire_ring_position(ring);
	if (at.fence) {
		fault = quire_ring_fault(ring);
		if (fault.code != QUIRE_FAULT_NONE)
			status = DRM_QUIRE_CONTEXT_FAULTED;
		if (reports)
			drm_warn(&qdev->drm,
				 "ring %u: fence %llu is given up, its context ends\n",
				 ring->index, at.fence);
		execution_capture(execution, &at);
		execution_flush(execution);
		execution_give_up(execution, status, &fault);
		quire_coredump_announce(qdev, reports ? DRM_WEDGE_RECOVERY_NONE : 0);
	}
	quire_ring_start(ring);
}

static bool ranges_overlap(u64 a, u64 b, u64 size)
{
	return a < b + size && b < a + size;
}

/* Executed once more, would it do the same? Rectangles that may share bytes would not. */
static bool command_is_repeatable(const union command_head *command)
{
	switch (le16_to_cpu(command->header.opcode)) {
	case QUIRE_COMMAND_BLEND:
	case QUIRE_COMMAND_ARITHMETIC:
		return false;
	case QUIRE_COMMAND_COPY:
		return !ranges_overlap(le64_to_cpu(command->copy.src),
				       le64_to_cpu(command->copy.dst),
				       le64_to_cpu(command->copy.size));
	case QUIRE_COMMAND_COPY_2D:
		return false;
	default:
		return true;
	}
}

/* What can not be executed twice; the ring is stopped, and was reset. */
static void execution_give_up_begun(struct quire_execution *execution)
{
	struct quire_ring_position at = quire_ring_position(&execution->ring);
	const struct quire_ring_fault none = { };
	union command_head command = { };

	if (!at.fence || at.executed == at.size)
		return;
	/* What stands at a virtual address is not known. */
	if (quire_execution_peek(execution, at.addr + at.executed, &command, sizeof(command)) &&
	    command_is_repeatable(&command))
		return;
	if (__ratelimit(&execution_reports))
		drm_warn(&execution->qdev->drm, "ring %u: fence %llu is lost to a reset\n",
			 execution->ring.index, at.fence);
	execution_give_up(execution, DRM_QUIRE_CONTEXT_LOST, &none);
}

/**
 * quire_executions_start - give them back, after a reset of the device
 * @qdev: the device; works, with its aperture
 *
 * What can not be executed twice, and may have been begun, is given up. Watchdogs are paused, or
 * armed where there is work: none looks while its ring is stopped.
 */
void quire_executions_start(struct quire_device *qdev)
{
	u32 i;

	for (i = 0; i < qdev->nr_executions; i++) {
		struct quire_execution *execution = &qdev->executions[i];

		execution_give_up_begun(execution);
		quire_ring_start(&execution->ring);
	}
}
