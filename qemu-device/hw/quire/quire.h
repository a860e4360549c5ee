/*
 * Quire virtual GPU: the PCI device around the engine
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_QUIRE_H
#define HW_QUIRE_H

#include "hw/pci/pci_device.h"
#include "qapi/qapi-types-common.h"
#include "qemu/event_notifier.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "quire-compat.h"
#include "engine/core/quire_fault.h"
#include "engine/device/quire_engine.h"
#include "engine/device/quire_range.h"
#include "engine/device/quire_regs.h"
#include "engine/device/quire_window.h"
#include "engine/state/quire_state.h"
#include "engine/sync/quire_interrupt.h"
#include "engine/work/quire_work.h"

#define TYPE_QUIRE "quire"
OBJECT_DECLARE_SIMPLE_TYPE(QuireState, QUIRE)

/**
 * struct QuireThread - what a thread does for one ring
 * @device: whose ring it is
 * @work: what it does
 * @waiting: nobody has begun with @work
 * @done: posted once for each work that a thread did
 */
typedef struct QuireThread {
    QuireState *device;
    struct quire_work *work;
    bool waiting;
    QemuSemaphore done;
} QuireThread;

/**
 * struct QuireDoorbell - the doorbell of one ring, if the kernel takes it
 * @device: whose
 * @notifier: signalled by the write
 */
typedef struct QuireDoorbell {
    QuireState *device;
    EventNotifier notifier;
} QuireDoorbell;

/**
 * struct QuireState - a Quire virtual GPU
 * @parent_obj: the PCI device
 * @regs: BAR 0, registers and doorbells
 * @vram: all of VRAM
 * @vram_bar: BAR 2, an alias of the first @vram_visible bytes of @vram
 * @ranges: BAR 5, windows of the swizzling ranges; unused without them
 * @window: BAR 1, the window of the aperture; unused without it
 * @memory: keeps @sections
 * @sections: RAM in the address space of the device, struct quire_section by
 *            address, each with a reference of its region
 * @engine: the device proper; all of its state that is migrated
 * @engine_ready: @engine is initialized
 * @bh: runs one slice of the engine, guarded against re-entrancy
 * @timer: has the next slice run
 * @alarm: has a slice run soon after the machine's time has come, see struct
 *         quire_host_ops
 * @busy_until: virtual time: when the modelled time of the last slice is over
 * @thread: for each ring what a thread does beside the BQL
 * @doorbell: of each ring; quire-doorbell.c
 * @doorbell_count: so many are in use: one for each ring, or none
 * @discard_failed: the host can not take memory of VRAM back
 * @vm_state: stops the engine with the VM
 * @vram_size: property, bytes
 * @vram_visible: property, bytes; 0 selects a default
 * @aperture_size: property, bytes
 * @execution_rings: property
 * @range_count: property
 * @range_size: property, bytes
 * @window_size: property, bytes; 0 for no BAR 1
 * @tlb_entries: property
 * @mmu_size: property, bytes
 * @ioeventfd: property
 * @fault_injection: property
 * @dummy_page_report: property
 */
struct QuireState {
    PCIDevice parent_obj;

    MemoryRegion regs;
    MemoryRegion vram;
    MemoryRegion vram_bar;
    MemoryRegion ranges;
    MemoryRegion window;
    MemoryListener memory;
    GArray *sections;
    struct quire_engine engine;
    bool engine_ready;
    QEMUBH *bh;
    QEMUTimer *timer;
    QEMUTimer *alarm;
    int64_t busy_until;
    QuireThread thread[QUIRE_RING_MAX];
    QuireDoorbell doorbell[QUIRE_RING_MAX];
    unsigned doorbell_count;
    bool discard_failed;
    VMChangeStateEntry *vm_state;

    uint64_t vram_size;
    uint64_t vram_visible;
    uint64_t aperture_size;
    uint32_t execution_rings;
    uint32_t range_count;
    uint64_t range_size;
    uint64_t window_size;
    uint32_t tlb_entries;
    uint64_t mmu_size;
    OnOffAuto ioeventfd;
    bool fault_injection;
    bool dummy_page_report;
};

extern const struct quire_host_ops quire_host_ops;
extern const VMStateDescription vmstate_quire;

/*
 * Of a BAR that comes to the engine: whatever the guest does arrives as it does
 * it. QEMU would make two of an access that is not aligned.
 */
#define QUIRE_ACCESS_AS_IT_IS                   \
    .endianness = DEVICE_LITTLE_ENDIAN,         \
    .valid = {                                  \
        .min_access_size = 1,                   \
        .max_access_size = 8,                   \
        .unaligned = true,                      \
    },                                          \
    .impl = {                                   \
        .min_access_size = 1,                   \
        .max_access_size = 8,                   \
        .unaligned = true,                      \
    }

/* quire-doorbell.c */
void quire_doorbells_take(QuireState *s);
bool quire_doorbells_init(QuireState *s, Error **errp);
void quire_doorbells_fini(QuireState *s);

/* quire-memory.c */
void quire_memory_dirty(void *opaque, const struct quire_section *section,
                        uint64_t offset, uint64_t len);
void quire_memory_init(QuireState *s);
void quire_memory_fini(QuireState *s);

/* quire-window.c; the property's default takes what fits */
#define QUIRE_WINDOW_WHAT_FITS  UINT64_MAX
bool quire_window_check(QuireState *s, Error **errp);
void quire_window_init(QuireState *s);

/* quire-ranges.c */
bool quire_ranges_check(QuireState *s, Error **errp);
void quire_ranges_init(QuireState *s);

/* quire-slice.c */
uint64_t quire_clock(void *opaque);
void quire_send_interrupts(QuireState *s);
void quire_slice_schedule(QuireState *s);
void quire_slices_init(QuireState *s);
void quire_slices_cancel(QuireState *s);
void quire_slices_fini(QuireState *s);

/* Does QEMU count instructions, so that all time is virtual? */
static inline bool quire_virtual_time(void)
{
    return icount_enabled();
}

/* quire-thread.c, see struct quire_host_ops */
uint64_t quire_thread_least(void *opaque);
void quire_thread_start(void *opaque, unsigned int ring,
                        struct quire_work *work);
bool quire_thread_end(void *opaque, unsigned int ring, bool wait);
void quire_threads_init(QuireState *s);
void quire_threads_finalize(QuireState *s);

#endif
