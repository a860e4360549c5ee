// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Recovery of execution rings
 *
 * A command that hangs, or that the device refuses, is the program's own doing: the ring is
 * stopped, the state is kept for /sys/class/devcoredump (quire_coredump.c), the submission is given
 * up, its context ends (quire_context.c), and the ring goes on with other contexts. The device is
 * not reset, and the paging ring is not touched.
 *
 * Before that the posted writes of earlier commands are flushed by an empty submission: the device
 * does that at the end of each. Else they would come after the fence, where pages may belong to
 * another client by then.
 *
 * A reset of the device for another reason stops the execution rings, too. They go on with the
 * command that was at work, unless it may have begun and reads what it writes: such a submission is
 * given up, and its context is lost (%DRM_QUIRE_CONTEXT_LOST).
 *
 * Locking: runs in the queue of all watchdogs, one at a time, or while they are paused.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/ratelimit.h>

#include <drm/drm_print.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_command.h>
#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "core/quire_device_types.h"
#include "queue/quire_coredump.h"
#include "quire_command_job.h"
#include "quire_execution.h"

/* An empty submission takes little time, also where hang_period is short. */
#define FLUSH_PATIENCE	(2 * HZ)

/* A program can end contexts as fast as the device executes: messages are limited. */
static DEFINE_RATELIMIT_STATE(execution_reports, DEFAULT_RATELIMIT_INTERVAL,
			      DEFAULT_RATELIMIT_BURST);

/* As far as it takes to see whether a command reads what it writes. */
union command_head {
	struct quire_packet_header header;
	struct quire_command_copy copy;
	struct quire_command_2d rectangle;
};

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
	bool reports = __ratelimit(&execution_reports);
	u8 packet[QUIRE_COREDUMP_PACKET];
	struct quire_context_end end = { };
	u32 bytes, status = DRM_QUIRE_CONTEXT_HUNG;
	struct quire_ring_position at;
	struct quire_ring_fault fault;

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
		quire_command_at_work(execution, &end);
		bytes = quire_execution_peek(execution, at.addr + at.executed, packet,
					     min_t(u32, sizeof(packet), at.size - at.executed));
		quire_coredump_capture(qdev, ring, &at, &end, packet, bytes);
		/* If even that fails the paging ring does not work either, and it is reset. */
		quire_ring_execute(ring, 0, 0, max_t(unsigned long, quire_watchdog_patience(),
						     FLUSH_PATIENCE));
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
	case QUIRE_COMMAND_COPY_2D:
		return false;
	case QUIRE_COMMAND_COPY:
		return !ranges_overlap(le64_to_cpu(command->copy.src),
				       le64_to_cpu(command->copy.dst),
				       le64_to_cpu(command->copy.size));
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
