// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What is kept of a hang
 *
 * Before a hung device is reset, its ring, the packet at work, registers, the fault in the context
 * of the paging ring and the number of mapped aperture pages are kept as text in
 * /sys/class/devcoredump/devcd*\/data; of a command also where it is in its submission, as
 * %DRM_IOCTL_QUIRE_CONTEXT_STATE says it. Programs hear of the reset by drm_dev_wedged_event()
 * where the kernel has it: ``WEDGED=none`` when the device works again, ``WEDGED=rebind`` when it
 * was given up.
 *
 * Recovery must not wait for memory: it captures the state without, and a work item does the rest.
 */
#include <linux/devcoredump.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "core/quire_context_end.h"
#include "core/quire_device_types.h"
#include "hw/quire_aperture.h"
#include "quire_coredump.h"
#include "quire_mark.h"
#include "quire_paging_queue.h"

#define QUIRE_COREDUMP_SIZE	SZ_16K

static void dump_print(struct drm_printer *p, const struct quire_coredump *dump)
{
	struct timespec64 time = ktime_to_timespec64(dump->ktime);
	const struct quire_ring_snapshot *ring = &dump->ring;
	u32 i;

	drm_printf(p, "**** Quire device coredump ****\nversion: 1\n");
	drm_printf(p, "kernel: %s\nmodule: %s\n", init_utsname()->release, KBUILD_MODNAME);
	drm_printf(p, "time: %lld.%06ld\n", (long long)time.tv_sec,
		   time.tv_nsec / NSEC_PER_USEC);
	drm_printf(p, "device: %s\n", dev_name(dump->qdev->drm.dev));

	drm_printf(p, "ring: %u\n", ring->index);
	drm_printf(p, "status: %#x\nrptr: %u\nwptr: %u\noffset: %#x\nprogress: %llu\n",
		   ring->status, ring->rptr, ring->wptr, ring->offset, ring->progress);
	drm_printf(p, "fault: code %u, packet %#x at offset %#x, address %#llx, fence %llu\n",
		   ring->fault.code, ring->fault.opcode, ring->fault.offset,
		   ring->fault.address, ring->fault.fence);
	drm_printf(p, "pending: %u\n", ring->nr_pending);
	for (i = 0; i < min_t(u32, ring->nr_pending, ARRAY_SIZE(ring->pending)); i++)
		drm_printf(p, "  fence %llu: address %#llx, size %u, executed %u\n",
			   ring->pending[i].fence, ring->pending[i].addr,
			   ring->pending[i].size, ring->pending[i].executed);

	quire_paging_fault_print(&dump->fault, p);
	drm_printf(p, "aperture: %u pages mapped\n", dump->mapped);
	drm_printf(p, "mark: %llu, written %llu\n", dump->mark_asked, dump->mark_written);
	if (dump->command.submission)
		drm_printf(p, "command: submission %llu, part %u, byte %#x\n",
			   dump->command.submission, dump->command.part, dump->command.offset);
	drm_printf(p, "at work: fence %llu, packet at offset %#x of %#x\n",
		   dump->at.fence, dump->at.executed, dump->at.size);
	for (i = 0; i + 16 <= dump->packet_bytes; i += 16)
		drm_printf(p, "  %#06x: %16ph\n", dump->at.executed + i, dump->packet + i);
}

static void dump_hand_over(struct quire_coredump *dump)
{
	struct drm_print_iterator iter = { .remain = QUIRE_COREDUMP_SIZE };
	struct drm_printer p = drm_coredump_printer(&iter);

	iter.data = vzalloc(QUIRE_COREDUMP_SIZE);
	if (!iter.data)
		return;

	dump_print(&p, dump);
	/* Frees the data. */
	dev_coredumpv(dump->qdev->drm.dev, iter.data, QUIRE_COREDUMP_SIZE - iter.remain,
		      GFP_KERNEL);
}

static void dump_work(struct work_struct *work)
{
	struct quire_coredump *dump = container_of(work, struct quire_coredump, work);
	long methods = atomic_long_xchg(&dump->methods, 0);

	if (atomic_read(&dump->captured)) {
		dump_hand_over(dump);
		atomic_set_release(&dump->captured, 0);
	}
	/* Where something has to be done, that is told alone. */
	if (methods & ~DRM_WEDGE_RECOVERY_NONE)
		methods &= ~DRM_WEDGE_RECOVERY_NONE;
	if (methods)
		drm_dev_wedged_event(&dump->qdev->drm, methods, NULL);
}

/**
 * quire_coredump_init - initialise the dump, empty
 * @qdev: the device
 */
void quire_coredump_init(struct quire_device *qdev)
{
	qdev->coredump->qdev = qdev;
	INIT_WORK(&qdev->coredump->work, dump_work);
}

/**
 * quire_coredump_fini - end the work item
 * @qdev: the device; its watchdog has ended
 */
void quire_coredump_fini(struct quire_device *qdev)
{
	cancel_work_sync(&qdev->coredump->work);
}

/**
 * quire_coredump_capture - keep the state of a hung device
 * @qdev: the device; was not reset
 * @ring: the ring that hung; stopped
 * @at: the packet at work
 * @command: where that is in the work of its program; or NULL
 * @packet: its bytes
 * @packet_bytes: known bytes, at most %QUIRE_COREDUMP_PACKET
 *
 * Does nothing while an earlier state was not handed over. Called by recovery alone.
 */
void quire_coredump_capture(struct quire_device *qdev, struct quire_ring *ring,
			    const struct quire_ring_position *at,
			    const struct quire_context_end *command, const void *packet,
			    u32 packet_bytes)
{
	struct quire_coredump *dump = qdev->coredump;

	if (atomic_read_acquire(&dump->captured))
		return;

	dump->ktime = ktime_get();
	dump->at = *at;
	dump->command = command ? *command : (struct quire_context_end) { };
	quire_ring_snapshot(ring, &dump->ring);
	dump->fault = quire_paging_space_fault(&qdev->paging_queue->space);
	dump->mapped = quire_aperture_mapped(qdev->aperture);
	dump->mark_asked = READ_ONCE(qdev->mark->asked);
	dump->mark_written = quire_mark_written(qdev->mark);
	dump->packet_bytes = packet_bytes;
	memcpy(dump->packet, packet, packet_bytes);
	atomic_set_release(&dump->captured, 1);
}

/**
 * quire_coredump_announce - tell programs what was done, and hand over the captured state
 * @qdev: the device
 * @methods: DRM_WEDGE_RECOVERY_*; 0: no event
 *
 * Adds to what was announced before and not told yet. Does not sleep.
 *
 * Source: drm_dev_wedged_event(); dev_coredumpv().
 */
void quire_coredump_announce(struct quire_device *qdev, unsigned long methods)
{
	atomic_long_or(methods, &qdev->coredump->methods);
	queue_work(system_unbound_wq, &qdev->coredump->work);
}
