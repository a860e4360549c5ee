/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COREDUMP_H
#define QUIRE_COREDUMP_H

#include <linux/atomic.h>
#include <linux/workqueue.h>

#include "core/quire_context_end.h"
#include "hw/quire_ring.h"
#include "quire_paging_space.h"

struct quire_device;

/* Bytes of the packet at work that are kept. */
#define QUIRE_COREDUMP_PACKET	256

/**
 * struct quire_coredump - the state of a device that hung, on its way to programs
 * @qdev: the device
 * @work: hands it over; what that takes is allocated there
 * @methods: DRM_WEDGE_RECOVERY_* to announce
 * @captured: all below is written, and not handed over yet
 * @ktime: when it was captured
 * @ring: the ring
 * @at: the packet at work
 * @command: where it is in the work of its program, if it is a command; or 0
 * @fault: that is latched in the context of the paging ring
 * @mapped: pages of the aperture that are mapped, and will be again after the reset
 * @mark_asked: fence value of the last submission that writes the mark
 * @mark_written: what the device wrote there
 * @packet_bytes: valid bytes of @packet
 * @packet: as far as it was kept
 */
struct quire_coredump {
	struct quire_device *qdev;
	struct work_struct work;
	atomic_long_t methods;
	atomic_t captured;
	ktime_t ktime;
	struct quire_ring_snapshot ring;
	struct quire_ring_position at;
	struct quire_context_end command;
	struct quire_paging_fault fault;
	u32 mapped;
	u64 mark_asked;
	u64 mark_written;
	u32 packet_bytes;
	u8 packet[QUIRE_COREDUMP_PACKET];
};

void quire_coredump_init(struct quire_device *qdev);
void quire_coredump_fini(struct quire_device *qdev);
void quire_coredump_capture(struct quire_device *qdev, struct quire_ring *ring,
			    const struct quire_ring_position *at,
			    const struct quire_context_end *command, const void *packet,
			    u32 packet_bytes);
void quire_coredump_announce(struct quire_device *qdev, unsigned long methods);

#endif
