/*
 * Quire virtual GPU: what the engine needs from QEMU
 *
 * DMA to what is not in the table of quire-memory.c goes through mappings of
 * the device's bus master address space. It has no bounce buffers, so whatever
 * is not RAM can not be mapped: the engine never touches MMIO, neither its own
 * nor a neighbour's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/bswap.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "migration/misc.h"
#include "system/dma.h"
#include "system/runstate.h"
#include "quire.h"
#include "trace.h"

static void *quire_dma_map(void *opaque, uint64_t addr, uint64_t *len,
                           bool write)
{
    QuireState *s = opaque;
    const MemTxAttrs attrs = { .memory = true };
    uint64_t asked = *len;
    void *ptr;

    ptr = dma_memory_map(pci_get_address_space(&s->parent_obj), addr, len,
                         write ? DMA_DIRECTION_FROM_DEVICE
                               : DMA_DIRECTION_TO_DEVICE, attrs);
    if (!ptr) {
        trace_quire_err_dma_map(addr, asked, write);
    }
    return ptr;
}

static void quire_dma_unmap(void *opaque, void *ptr, uint64_t len, bool write,
                            uint64_t touched)
{
    QuireState *s = opaque;

    dma_memory_unmap(pci_get_address_space(&s->parent_obj), ptr, len,
                     write ? DMA_DIRECTION_FROM_DEVICE
                           : DMA_DIRECTION_TO_DEVICE, touched);
}

static bool quire_dma_write64(void *opaque, uint64_t addr, uint64_t value)
{
    uint64_t len = sizeof(value);
    void *ptr = quire_dma_map(opaque, addr, &len, true);
    bool ok;

    if (!ptr) {
        return false;
    }
    ok = len == sizeof(value) && QEMU_PTR_IS_ALIGNED(ptr, sizeof(value));
    if (ok) {
        /* All that was done before is seen before this value. */
        smp_mb();
        qatomic_set((uint64_t *)ptr, cpu_to_le64(value));
    }
    quire_dma_unmap(opaque, ptr, len, true, ok ? len : 0);
    return ok;
}

static void quire_vram_dirty(void *opaque, uint64_t offset, uint64_t len)
{
    QuireState *s = opaque;

    memory_region_set_dirty(&s->vram, offset, len);
}

/*
 * Can the host take back exactly these pages, now? As virtio-balloon does. But
 * they have to read as zero, which ram_block_discard_range() promises for Linux
 * only.
 */
static bool quire_can_discard(QuireState *s, uint64_t offset, uint64_t len)
{
#ifdef CONFIG_LINUX
    return !s->discard_failed && !ram_block_discard_is_disabled() &&
           !migration_in_incoming_postcopy() && !migration_in_bg_snapshot() &&
           QEMU_IS_ALIGNED(offset | len,
                           qemu_ram_pagesize(s->vram.ram_block));
#else
    return false;
#endif
}

static bool quire_vram_discard(void *opaque, uint64_t offset, uint64_t len)
{
    QuireState *s = opaque;
    int ret = -ENOTSUP;

    if (quire_can_discard(s, offset, len)) {
        ret = ram_block_discard_range(s->vram.ram_block, offset, len);
        /* Locked memory, say, never goes back: each attempt would complain. */
        s->discard_failed = ret;
        /* Some of it may be gone. */
        memory_region_set_dirty(&s->vram, offset, len);
    }
    trace_quire_discard(offset, len, ret);
    return !ret;
}

static uint64_t quire_time(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void quire_alarm(void *opaque, uint64_t when)
{
    QuireState *s = opaque;

    timer_mod(s->alarm, MIN(when, INT64_MAX));
}

static void quire_kick(void *opaque)
{
    QuireState *s = opaque;

    trace_quire_kick();
    if (runstate_is_running()) {
        quire_slice_schedule(s);
    }
}

static void G_GNUC_PRINTF(2, 3) quire_guest_error(void *opaque,
                                                  const char *fmt, ...)
{
    QuireState *s = opaque;
    g_autofree char *text = NULL;
    va_list ap;

    if (!qemu_loglevel_mask(LOG_GUEST_ERROR)) {
        return;
    }
    va_start(ap, fmt);
    text = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    qemu_log("quire %s: %s\n", DEVICE(s)->canonical_path, text);
}

static void quire_event(void *opaque, enum quire_event event,
                        unsigned int ring, uint64_t a, uint64_t b)
{
    switch (event) {
    case QUIRE_EVENT_DOORBELL:
        trace_quire_doorbell(ring);
        break;
    case QUIRE_EVENT_ENABLE:
        trace_quire_enable(ring, a, b);
        break;
    case QUIRE_EVENT_DISABLE:
        trace_quire_disable(ring, a, b);
        break;
    case QUIRE_EVENT_SUBMIT:
        trace_quire_submit(ring, a, b);
        break;
    case QUIRE_EVENT_PACKET:
        trace_quire_packet(ring, a, b);
        break;
    case QUIRE_EVENT_COMPLETE:
        trace_quire_complete(ring, a, b);
        break;
    case QUIRE_EVENT_FAULT:
        trace_quire_err_fault(ring, quire_fault_name(a), b);
        break;
    case QUIRE_EVENT_WAIT:
        trace_quire_wait(ring, a, b);
        break;
    case QUIRE_EVENT_HANG:
        trace_quire_err_hang(ring, a, b);
        break;
    case QUIRE_EVENT_DROP_IRQ:
        trace_quire_err_drop_irq(a, b);
        break;
    case QUIRE_EVENT_DUMMY:
        trace_quire_err_dummy_page(ring, a, b);
        break;
    case QUIRE_EVENT_RANGE_ENABLE:
        trace_quire_range_enable(ring, a, b);
        break;
    case QUIRE_EVENT_RANGE_DISABLE:
        trace_quire_range_disable(ring);
        break;
    case QUIRE_EVENT_RANGE_MISS:
        trace_quire_err_range_miss(ring, a, b);
        break;
    case QUIRE_EVENT_WINDOW_MISS:
        trace_quire_err_window_miss(a, b);
        break;
    }
}

const struct quire_host_ops quire_host_ops = {
    .dma_map = quire_dma_map,
    .dma_unmap = quire_dma_unmap,
    .dma_dirty = quire_memory_dirty,
    .dma_write64 = quire_dma_write64,
    .vram_dirty = quire_vram_dirty,
    .vram_discard = quire_vram_discard,
    .clock = quire_clock,
    .time = quire_time,
    .alarm = quire_alarm,
    .work_least = quire_thread_least,
    .work_start = quire_thread_start,
    .work_end = quire_thread_end,
    .kick = quire_kick,
    .guest_error = quire_guest_error,
    .event = quire_event,
};
