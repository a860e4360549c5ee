/*
 * Quire virtual GPU: migration
 *
 * VRAM migrates as RAM. Here is the rest of the engine's state, in fixed
 * sizes, but what may be long and is seldom used: a submission at work and the
 * write buffer are subsections, and of tables only chunks that are not empty
 * travel. Nothing that arrives is trusted:
 * quire_engine_post_load() refuses states that the engine can not reach.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "hw/pci/msix.h"
#include "migration/qemu-file-types.h"
#include "migration/vmstate.h"
#include "quire.h"
#include "trace.h"

/* The first minor version whose state is loaded, see tests/stream.py. */
#define QUIRE_STREAM_MINOR_MIN  10

/* Entries of a table that travel together. */
#define QUIRE_CHUNK_ENTRIES     512
#define QUIRE_CHUNK_END         UINT32_MAX

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
        VMSTATE_BUFFER_POINTER_UNSAFE(submission, struct quire_ring, 1,
                                      QUIRE_MAX_SUBMISSION),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_quire_record = {
    .name = "quire/ring/record",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(addr, struct quire_record),
        VMSTATE_UINT32(header, struct quire_record),
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
        VMSTATE_UINT64(context, struct quire_ring),
        VMSTATE_UINT64(root, struct quire_ring),
        VMSTATE_UINT64(save, struct quire_ring),
        VMSTATE_UINT64_ARRAY(registers, struct quire_ring,
                             QUIRE_CONTEXT_REGISTERS),
        VMSTATE_UINT64(done, struct quire_ring),
        VMSTATE_UINT64_ARRAY(kept, struct quire_ring, QUIRE_RING_KEPT),
        VMSTATE_UINT64_ARRAY(executed, struct quire_ring, QUIRE_OPCODE_COUNT),
        VMSTATE_STRUCT_ARRAY(history, struct quire_ring,
                             QUIRE_RING_HISTORY_PACKETS, 1,
                             vmstate_quire_record, struct quire_record),
        VMSTATE_UINT32(history_index, struct quire_ring),
        VMSTATE_UINT32(inject_hang, struct quire_ring),
        VMSTATE_UINT32(inject_fault, struct quire_ring),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const []) {
        &vmstate_quire_submission,
        NULL
    }
};

static const VMStateDescription vmstate_quire_range = {
    .name = "quire/range",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(addr, struct quire_range),
        VMSTATE_UINT32(layout, struct quire_range),
        VMSTATE_UINT32(width, struct quire_range),
        VMSTATE_UINT32(height, struct quire_range),
        VMSTATE_UINT32(levels, struct quire_range),
        VMSTATE_UINT32(control, struct quire_range),
        VMSTATE_UINT32(data, struct quire_range),
        VMSTATE_UINT64(touched, struct quire_range),
        VMSTATE_END_OF_LIST()
    }
};

/* Where entries are loaded to; NULL if there are no such pages. */
typedef uint64_t *QuireLoadEntries(void *opaque, uint32_t first,
                                   uint32_t count);

/* Entries of a chunk: all but the last are full. */
static uint32_t quire_chunk_entries(uint32_t pages, uint32_t first)
{
    return MIN(QUIRE_CHUNK_ENTRIES, pages - first);
}

/*
 * A table: for each chunk with an entry that is not zero its number and its
 * entries, in order; then QUIRE_CHUNK_END.
 */
static void quire_put_chunks(QEMUFile *f, const uint64_t *entries,
                             uint32_t pages, uint32_t top)
{
    uint64_t chunk[QUIRE_CHUNK_ENTRIES];
    uint32_t first, count, i;

    for (first = 0; first < top; first += count) {
        count = quire_chunk_entries(pages, first);
        if (buffer_is_zero(entries + first, count * sizeof(*chunk))) {
            continue;
        }
        for (i = 0; i < count; i++) {
            chunk[i] = cpu_to_be64(entries[first + i]);
        }
        qemu_put_be32(f, first / QUIRE_CHUNK_ENTRIES);
        qemu_put_buffer(f, (uint8_t *)chunk, count * sizeof(*chunk));
    }
    qemu_put_be32(f, QUIRE_CHUNK_END);
}

static int quire_get_chunk(QEMUFile *f, QuireLoadEntries *load, void *opaque,
                           uint32_t pages, uint32_t chunk, const char *what)
{
    uint32_t first, count, i;
    uint64_t *entry;
    size_t bytes;

    if (!pages || chunk > (pages - 1) / QUIRE_CHUNK_ENTRIES) {
        error_report("quire: state refused: no chunk %u in the %s", chunk,
                     what);
        return -EINVAL;
    }
    first = chunk * QUIRE_CHUNK_ENTRIES;
    count = quire_chunk_entries(pages, first);
    bytes = count * sizeof(*entry);
    entry = load(opaque, first, count);
    if (qemu_get_buffer(f, (uint8_t *)entry, bytes) != bytes) {
        return -EIO;
    }
    for (i = 0; i < count; i++) {
        be64_to_cpus(&entry[i]);
    }
    if (buffer_is_zero(entry, bytes)) {
        error_report("quire: state refused: chunk %u of the %s is empty",
                     chunk, what);
        return -EINVAL;
    }
    return 0;
}

static int quire_get_chunks(QEMUFile *f, QuireLoadEntries *load, void *opaque,
                            uint32_t pages, const char *what)
{
    uint32_t chunk, next = 0;
    int ret;

    while ((chunk = qemu_get_be32(f)) != QUIRE_CHUNK_END) {
        if (chunk < next) {
            error_report("quire: state refused: chunk %u of the %s after %u",
                         chunk, what, next - 1);
            return -EINVAL;
        }
        ret = quire_get_chunk(f, load, opaque, pages, chunk, what);
        if (ret) {
            return ret;
        }
        next = chunk + 1;
    }
    return 0;
}

static int quire_put_aperture(QEMUFile *f, void *pv, size_t size,
                              const VMStateField *field, JSONWriter *vmdesc)
{
    const struct quire_engine *engine = pv;

    quire_put_chunks(f, engine->aperture, engine->aperture_pages,
                     engine->aperture_top);
    return 0;
}

static uint64_t *quire_load_aperture(void *opaque, uint32_t first,
                                     uint32_t count)
{
    return quire_engine_load_entries(opaque, first, count);
}

static int quire_get_aperture(QEMUFile *f, void *pv, size_t size,
                              const VMStateField *field)
{
    const struct quire_engine *engine = pv;

    return quire_get_chunks(f, quire_load_aperture, pv,
                            engine->aperture_pages, "aperture");
}

static const VMStateInfo vmstate_info_quire_aperture = {
    .name = "quire aperture",
    .get = quire_get_aperture,
    .put = quire_put_aperture,
};

static int quire_put_table(QEMUFile *f, void *pv, size_t size,
                           const VMStateField *field, JSONWriter *vmdesc)
{
    const struct quire_table *table = pv;

    quire_put_chunks(f, table->entries, table->pages, table->top);
    return 0;
}

static uint64_t *quire_load_table(void *opaque, uint32_t first, uint32_t count)
{
    return quire_table_load(opaque, first, count);
}

static int quire_get_table(QEMUFile *f, void *pv, size_t size,
                           const VMStateField *field)
{
    const struct quire_table *table = pv;

    return quire_get_chunks(f, quire_load_table, pv, table->pages,
                            field->name);
}

static const VMStateInfo vmstate_info_quire_table = {
    .name = "quire table",
    .get = quire_get_table,
    .put = quire_put_table,
};

static bool quire_posted_needed(void *opaque)
{
    QuireState *s = opaque;

    return s->engine.posted.total;
}

static const VMStateDescription vmstate_quire_posted_page = {
    .name = "quire/posted/page",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(addr, struct quire_posted_page),
        VMSTATE_UINT32(len, struct quire_posted_page),
        VMSTATE_END_OF_LIST()
    }
};

/* Bytes that the guest's memory does not have yet. */
static const VMStateDescription vmstate_quire_posted = {
    .name = "quire/posted",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = quire_posted_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_ARRAY(engine.posted.pages, QuireState,
                             QUIRE_POSTED_PAGES, 1,
                             vmstate_quire_posted_page,
                             struct quire_posted_page),
        VMSTATE_UINT32(engine.posted.next, QuireState),
        VMSTATE_UINT8_2DARRAY(engine.posted.bytes, QuireState,
                              QUIRE_POSTED_PAGES, QUIRE_PAGE_SIZE),
        VMSTATE_END_OF_LIST()
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
    /*
     * The minor version of the device plus 1. What a driver found in VERSION
     * stays true for ever: a later device takes the state of an earlier one,
     * not the other way round. State that a later version adds is a
     * subsection, sent when it is not as after a reset; nothing here changes.
     */
    .version_id = QUIRE_VERSION_MINOR + 1,
    .minimum_version_id = QUIRE_STREAM_MINOR_MIN + 1,
    .pre_load = quire_pre_load,
    .post_load = quire_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, QuireState),
        VMSTATE_MSIX(parent_obj, QuireState),
        VMSTATE_UINT64_EQUAL(engine.vram_size, QuireState, NULL),
        VMSTATE_UINT64_EQUAL(engine.vram_visible, QuireState, NULL),
        VMSTATE_UINT32_EQUAL(engine.aperture_pages, QuireState, NULL),
        VMSTATE_UINT32_EQUAL(engine.ring_count, QuireState,
                             "execution-rings differs"),
        VMSTATE_UINT32_EQUAL(engine.range_count, QuireState,
                             "swizzle-ranges differs"),
        VMSTATE_UINT32_EQUAL(engine.range_size, QuireState,
                             "swizzle-range-size differs"),
        VMSTATE_UINT64_EQUAL(engine.window_size, QuireState,
                             "aperture-window-size differs"),
        VMSTATE_UINT32_EQUAL(engine.tlb_entries, QuireState,
                             "tlb-entries differs"),
        VMSTATE_UINT64_EQUAL(engine.mmu_size, QuireState, "mmu-size differs"),
        VMSTATE_UINT32_EQUAL(engine.caps, QuireState,
                             "fault-injection or dummy-page-report differs"),
        VMSTATE_UINT32(engine.int_status, QuireState),
        VMSTATE_UINT32(engine.int_enable, QuireState),
        VMSTATE_UINT32(engine.inject_drop_irq, QuireState),
        VMSTATE_UINT32(engine.aperture_index, QuireState),
        VMSTATE_UINT64(engine.dummy_pages, QuireState),
        VMSTATE_UINT64(engine.dummy_offset, QuireState),
        VMSTATE_UINT64(engine.walks, QuireState),
        VMSTATE_STRUCT_VARRAY_UINT32(engine.ring, QuireState,
                                     engine.ring_count, 1, vmstate_quire_ring,
                                     struct quire_ring),
        VMSTATE_STRUCT_ARRAY(engine.range, QuireState, QUIRE_RANGE_MAX, 1,
                             vmstate_quire_range, struct quire_range),
        VMSTATE_UINT64(engine.range_touches, QuireState),
        VMSTATE_UINT32(engine.range_newest, QuireState),
        VMSTATE_SINGLE(engine, QuireState, 0, vmstate_info_quire_aperture,
                       struct quire_engine),
        VMSTATE_UINT64(engine.residency_page, QuireState),
        VMSTATE_SINGLE(engine.residency, QuireState, 0,
                       vmstate_info_quire_table, struct quire_table),
        VMSTATE_SINGLE(engine.mmu[0], QuireState, 0, vmstate_info_quire_table,
                       struct quire_table),
        VMSTATE_SINGLE(engine.mmu[1], QuireState, 0, vmstate_info_quire_table,
                       struct quire_table),
        VMSTATE_UINT32(engine.native_fence, QuireState),
        VMSTATE_UINT64(engine.native_interrupts, QuireState),
        VMSTATE_SINGLE(engine.native, QuireState, 0, vmstate_info_quire_table,
                       struct quire_table),
        VMSTATE_END_OF_LIST()
    },
    .subsections = (const VMStateDescription * const []) {
        &vmstate_quire_posted,
        NULL
    }
};
