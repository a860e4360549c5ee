// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Execution rings
 *
 * Each has a scheduler, to which every context has an entity, a watchdog, and a pool of memory for
 * commands that are on the ring. Accesses to memory are ordered by fences alone.
 *
 * Jobs of a split submission are not interleaved with other contexts: they wait for all that was
 * pushed before, and jobs that are pushed later wait for all of them. Nobody pushes in between, see
 * &quire_execution.gate; so no fence ever waits for one that is not made yet.
 */

/**
 * DOC: Recovery of execution rings
 *
 * A command that hangs, or that the device refuses, is the program's own doing: the ring stops, its
 * state is kept (quire_coredump.c), the submission is given up, its context ends, and the ring
 * goes on. Before that an empty submission flushes posted writes of earlier commands: they would
 * come after the fence, where pages may belong to another client by then.
 *
 * A reset of the device for another reason stops the execution rings, too. They go on with the
 * command that was at work, unless it may have begun and reads what it writes: then its context is
 * lost (%DRM_QUIRE_CONTEXT_LOST).
 *
 * Locking: runs in the queue of all watchdogs, one at a time, or while they are paused.
 */
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/ratelimit.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <uapi/drm/quire_drm.h>

#include <quire/quire_command.h>
#include <quire/quire_hw.h>

#include "core/quire_compat.h"
#include "core/quire_regs.h"
#include "queue/quire_coredump.h"
#include "quire_context.h"
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

/* What stands in the pool of commands: so many bytes. */
static u32 execution_peek(struct quire_execution *execution, u64 addr, void *bytes, u32 size)
{
	u64 offset = addr - execution->pool_dma;

	if (addr < execution->pool_dma || offset >= QUIRE_EXECUTION_POOL_SIZE)
		return 0;
	size = min_t(u64, size, QUIRE_EXECUTION_POOL_SIZE - offset);
	memcpy(bytes, execution->pool_cpu + offset, size);
	return size;
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

/*
 * Source: "Timeout detection and recovery" of the original's documentation;
 * DXGKDDI_RESETENGINE.
 */
static void execution_stuck(struct quire_watchdog *watchdog, bool faulted)
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

	if (faulted && reports)
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
		quire_commands_at_work(execution, &end);
		bytes = execution_peek(execution, at.addr + at.executed, packet,
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

/*
 * Executed once more, would it do the same? Not if it may read what it writes, as rectangles that
 * share bytes.
 */
static bool command_is_repeatable(const union command_head *command)
{
	switch (le16_to_cpu(command->header.opcode)) {
	case QUIRE_COMMAND_NOP:
	case QUIRE_COMMAND_FILL:
	case QUIRE_COMMAND_CHECKSUM:
	case QUIRE_COMMAND_COMPARE:
	case QUIRE_COMMAND_WRITE_VALUE:
	case QUIRE_COMMAND_WAIT_VALUE:
	case QUIRE_COMMAND_DELAY:
	case QUIRE_COMMAND_SIGNAL_NATIVE:
		return true;
	case QUIRE_COMMAND_COPY:
		return !ranges_overlap(le64_to_cpu(command->copy.src),
				       le64_to_cpu(command->copy.dst),
				       le64_to_cpu(command->copy.size));
	default:
		return false;
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
	if (execution_peek(execution, at.addr + at.executed, &command, sizeof(command)) &&
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
 * Watchdogs are paused, or armed where there is work: none looks while its ring is stopped.
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

static int execution_init(struct quire_device *qdev, u32 index)
{
	struct quire_execution *execution = &qdev->executions[index];
	const struct drm_sched_init_args args = {
		.ops = &quire_command_sched_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = QUIRE_EXECUTION_JOBS,
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = "quire-execution",
		.dev = qdev->drm.dev,
	};
	int ret;

	execution->qdev = qdev;
	execution->index = index;
	refcount_set(&execution->jobs, 1);
	init_completion(&execution->idle);
	quire_gate_init(&execution->gate);
	ret = drmm_mutex_init(&qdev->drm, &execution->lock) ?:
	      quire_ring_init(&execution->ring, &qdev->drm, qdev->regs, index + 1);
	if (ret)
		return ret;
	execution->pool_cpu = dmam_alloc_coherent(qdev->drm.dev, QUIRE_EXECUTION_POOL_SIZE,
						  &execution->pool_dma, GFP_KERNEL);
	if (!execution->pool_cpu)
		return -ENOMEM;
	ret = quire_sched_init(&execution->sched, &args);
	if (ret)
		return ret;

	quire_watchdog_init(&execution->watchdog, &execution->ring, qdev->watchdogs,
			    execution_stuck);
	xa_init_flags(&execution->last, XA_FLAGS_ACCOUNT);
	qdev->nr_executions++;
	return 0;
}

/**
 * quire_executions_init - make all execution rings, stopped
 * @qdev: the device; its registers are mapped, @watchdogs is there
 * Returns: 0; -ENOMEM, or the errors of the DRM scheduler.
 * Source: Documentation/gpu/quire/device.rst, RING_COUNT.
 */
int quire_executions_init(struct quire_device *qdev)
{
	u32 count = clamp(quire_read32(qdev->regs, QUIRE_REG_RING_COUNT), 1, QUIRE_RING_MAX) - 1;
	int ret = 0;

	while (qdev->nr_executions < count && !ret)
		ret = execution_init(qdev, qdev->nr_executions);
	if (ret)
		quire_executions_fini(qdev);
	return ret;
}

/**
 * quire_executions_fini - take them down
 * @qdev: the device; their rings are killed, no context is left, and nobody pushes any more
 */
void quire_executions_fini(struct quire_device *qdev)
{
	while (qdev->nr_executions) {
		struct quire_execution *execution = &qdev->executions[--qdev->nr_executions];

		if (!refcount_dec_and_test(&execution->jobs))
			wait_for_completion(&execution->idle);
		drm_sched_fini(&execution->sched);
		quire_watchdog_fini(&execution->watchdog);
		dma_fence_put(execution->split);
		xa_destroy(&execution->last);
	}
}
