/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COREDUMP_H
#define QUIRE_COREDUMP_H

#include "core/quire_context_end.h"
#include "core/quire_device_types.h"
#include "hw/quire_ring.h"

/* Bytes of the packet at work that are kept. */
#define QUIRE_COREDUMP_PACKET	256

/**
 * struct quire_coredump - the state of a device that hung, on its way to programs
 * @qdev: the device
 * @work: hands it over
 * @methods: DRM_WEDGE_RECOVERY_* to announce
 * @captured: @text is written, and not handed over yet
 * @bytes: of @text
 * @text: what programs get
 */
struct quire_coredump {
	struct quire_device *qdev;
	struct work_struct work;
	atomic_long_t methods;
	atomic_t captured;
	u32 bytes;
	void *text;
};

int quire_coredump_init(struct quire_device *qdev);
void quire_coredump_capture(struct quire_device *qdev, struct quire_ring *ring,
			    const struct quire_ring_position *at,
			    const struct quire_context_end *command, const void *packet,
			    u32 packet_bytes);

/* The watchdogs have ended. */
static inline void quire_coredump_fini(struct quire_device *qdev)
{
	cancel_work_sync(&qdev->coredump->work);
}

/*
 * Tells programs what was done, and hands over the captured state. @methods, DRM_WEDGE_RECOVERY_*,
 * add to those that were not told yet; 0: no event.
 */
static inline void quire_coredump_announce(struct quire_device *qdev, unsigned long methods)
{
	atomic_long_or(methods, &qdev->coredump->methods);
	queue_work(system_unbound_wq, &qdev->coredump->work);
}

#endif
