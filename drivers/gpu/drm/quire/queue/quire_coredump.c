// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What is kept of a hang
 *
 * Before a hung device is reset, its ring, the packet at work, registers, the fault in the context
 * of the paging ring and the number of mapped aperture pages are kept as text in
 * /sys/class/devcoredump/devcd*\/data; of a command also where it is in its submission, as
 * %DRM_IOCTL_QUIRE_CONTEXT_STATE says it. Programs hear of the reset by drm_dev_wedged_event()
 * where the kernel has it: ``WEDGED=none`` when the device works again, ``WEDGED=rebind`` when it
 * was given up. Recovery must not wait for memory: a work item does what takes some.
 */
#include <linux/devcoredump.h>
#include <linux/device.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "core/quire_compat.h"
#include "hw/quire_aperture.h"
#include "quire_coredump.h"
#include "quire_paging_queue.h"

#define QUIRE_COREDUMP_ORDER	2
#define QUIRE_COREDUMP_SIZE	(PAGE_SIZE << QUIRE_COREDUMP_ORDER)

static void dump_work(struct work_struct *work)
{
	struct quire_coredump *dump = container_of(work, struct quire_coredump, work);
	long methods = atomic_long_xchg(&dump->methods, 0);
	void *text;

	if (atomic_read(&dump->captured)) {
		text = vmalloc(dump->bytes);
		if (text) {
			memcpy(text, dump->text, dump->bytes);
			/* Frees the text. */
			dev_coredumpv(dump->qdev->drm.dev, text, dump->bytes, GFP_KERNEL);
		}
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
 * @qdev: the device (devres)
 * Returns: 0, or -ENOMEM.
 */
int quire_coredump_init(struct quire_device *qdev)
{
	struct quire_coredump *dump = qdev->coredump;

	dump->qdev = qdev;
	INIT_WORK(&dump->work, dump_work);
	dump->text = (void *)devm_get_free_pages(qdev->drm.dev, GFP_KERNEL, QUIRE_COREDUMP_ORDER);
	return dump->text ? 0 : -ENOMEM;
}

/**
 * quire_coredump_capture - keep the state of a hung device, unless an earlier one is still kept
 * @qdev: the device; was not reset
 * @ring: the ring that hung; stopped
 * @at: the packet at work
 * @command: where that is in the work of its program; or NULL
 * @packet: its bytes
 * @packet_bytes: known bytes, at most %QUIRE_COREDUMP_PACKET
 */
void quire_coredump_capture(struct quire_device *qdev, struct quire_ring *ring,
			    const struct quire_ring_position *at,
			    const struct quire_context_end *command, const void *packet,
			    u32 packet_bytes)
{
	struct timespec64 time = ktime_to_timespec64(ktime_get());
	struct quire_coredump *dump = qdev->coredump;
	struct drm_print_iterator iter = { .data = dump->text, .remain = QUIRE_COREDUMP_SIZE };
	/* All of it fits, so this allocates nothing. */
	struct drm_printer p = drm_coredump_printer(&iter);
	u32 i;

	if (atomic_read_acquire(&dump->captured))
		return;

	drm_printf(&p, "**** Quire device coredump ****\nversion: 1\n");
	drm_printf(&p, "kernel: %s\nmodule: %s\n", init_utsname()->release, KBUILD_MODNAME);
	drm_printf(&p, "time: %lld.%06ld\n", (long long)time.tv_sec,
		   time.tv_nsec / NSEC_PER_USEC);
	drm_printf(&p, "device: %s\n", dev_name(qdev->drm.dev));
	quire_ring_print(ring, &p);
	if (!quire_paging_space_print_fault(&qdev->paging_queue->space, &p))
		drm_printf(&p, "paging context: no fault\n");
	drm_printf(&p, "aperture: %u pages mapped\n", quire_aperture_mapped(qdev->aperture));
	drm_printf(&p, "mark: %llu, written %llu\n", READ_ONCE(qdev->mark->asked),
		   quire_mark_written(qdev->mark));
	if (command && command->submission)
		drm_printf(&p, "command: submission %llu, part %u, byte %#x\n",
			   command->submission, command->part, command->offset);
	drm_printf(&p, "at work: fence %llu, packet at offset %#x of %#x\n",
		   at->fence, at->executed, at->size);
	for (i = 0; i + 16 <= packet_bytes; i += 16)
		drm_printf(&p, "  %#06x: %16ph\n", at->executed + i, packet + i);

	dump->bytes = QUIRE_COREDUMP_SIZE - iter.remain;
	atomic_set_release(&dump->captured, 1);
}
