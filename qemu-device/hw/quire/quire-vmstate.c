/*
 * Quire virtual GPU: migration
 *
 * VRAM migrates as RAM. Here is the rest of the engine's state, in fixed
 * sizes; a submission at work travels as a subsection. Nothing that arrives
 * is trusted: quire_engine_post_load() refuses states that the engine can
 * not reach.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hw/pci/msix.h"
#include "migration/vmstate.h"
#include "quire.h"
#include "trace.h"

static bool quire_submission_needed(void *opaque)
{
    struct quire_ring *ring = opaque;

    return ring->active;
}

static const VMStateDescription vmstate_quire_submission = {
    .name = "quire/ring/submission",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = quire_submission_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_BUFFER(submission, struct quire_ring),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_quire_ring = {
    .name = "quire/ring",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(entries, struct quire_ring),
        VMSTATE_UINT64(fence_page, struct quire_ring),
        VMSTATE_UINT32(order, struct quire_ring),
        VMSTATE_UINT32(control, struct quire_ring),
        VMSTATE_UINT32(rptr, struct quire_ring),
        VMSTATE_UINT32(offset, struct quire_ring),
        VMSTATE_UINT32(fault_code, struct quire_ring),
        VMSTATE_UINT32(fault_offset, struct quire_ring),
        VMSTATE_UINT32(fault_opcode, struct quire_ring),
        VMSTATE_UINT64(fault_addr, struct quire_ring),
        VMSTATE_UINT64(fault_fence, struct quire_ring),
        VMSTATE_UINT64(progress, struct quire_ring),
        VMSTATE_UINT32(wptr, struct quire_ring),
        VMSTATE_BOOL(pending, struct quire_ring),
        VMSTATE_BOOL(active, struct quire_ring),
        VMSTATE_BOOL(started, struct quire_ring),
        VMSTATE_BOOL(hung, struct quire_ring),
        VMSTATE_UINT64(addr, struct quire_ring),
        VMSTATE_UINT64(fence, struct quire_ring),
        VMSTATE_UINT32(size, struct quire_ring),
        VMSTATE_UINT32(flags, struct quire_ring),
        VMSTATE_UINT64(done, struct quire_ring),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const []) {
        &vmstate_quire_submission,
        NULL
    }
};

static int quire_pre_load(void *opaque)
{
    QuireState *s = opaque;

    quire_engine_pre_load(&s->engine);
    return 0;
}

static int quire_post_load(void *opaque, int version_id)
{
    QuireState *s = opaque;
    const char *why;

    if (quire_engine_post_load(&s->engine, &why)) {
        return 0;
    }
    trace_quire_err_post_load(why);
    error_report("quire: state refused: %s", why);
    return -EINVAL;
}

const VMStateDescription vmstate_quire = {
    .name = "quire",
    /* The minor version of the device plus 1: drivers rely on it for ever. */
    .version_id = 2,
    .minimum_version_id = 2,
    .pre_load = quire_pre_load,
    .post_load = quire_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, QuireState),
        VMSTATE_MSIX(parent_obj, QuireState),
        VMSTATE_UINT64_EQUAL(engine.vram_size, QuireState, NULL),
        VMSTATE_UINT64_EQUAL(engine.vram_visible, QuireState, NULL),
        VMSTATE_UINT32_EQUAL(engine.aperture_pages, QuireState, NULL),
        VMSTATE_UINT32(engine.int_status, QuireState),
        VMSTATE_UINT32(engine.int_enable, QuireState),
        VMSTATE_UINT32(engine.inject_hang, QuireState),
        VMSTATE_UINT32(engine.inject_fault, QuireState),
        VMSTATE_UINT32(engine.inject_drop_irq, QuireState),
        VMSTATE_STRUCT_ARRAY(engine.ring, QuireState, QUIRE_RING_MAX, 1,
                             vmstate_quire_ring, struct quire_ring),
        VMSTATE_VARRAY_UINT32(engine.aperture, QuireState,
                              engine.aperture_pages, 1,
                              vmstate_info_uint64, uint64_t),
        VMSTATE_END_OF_LIST()
    }
};
