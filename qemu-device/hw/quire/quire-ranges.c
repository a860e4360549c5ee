/*
 * Quire virtual GPU: windows of the swizzling ranges, BAR 5
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/*
 * Where an access goes depends on a layout, so that the BAR can not be memory:
 * each access comes here, with the BQL, as those to registers. The engine reads
 * or writes VRAM as the processor would through BAR 2, also while a thread does
 * long work on it. Where a page of VRAM has to come from elsewhere first, or to
 * be saved first, the access waits for it with the BQL, as accesses to other
 * devices do: it can not be left to a thread and finished later.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "quire.h"
#include "trace.h"

#define QUIRE_RANGE_SIZE_MIN    (1 * MiB)
#define QUIRE_RANGE_SIZE_MAX    (256 * MiB)
/* The largest that 32 bits can tell. */
#define QUIRE_RANGES_BAR_MAX    (2 * GiB)

/* After unplug an access may still come, as to registers, see quire-pci.c. */
static uint64_t quire_ranges_mmio_read(void *opaque, hwaddr addr,
                                       unsigned size)
{
    QuireState *s = opaque;
    uint64_t value = UINT64_MAX;

    if (s->engine_ready) {
        value = quire_ranges_read(&s->engine, addr, size);
    }
    trace_quire_range_read(addr, value, size);
    return value;
}

static void quire_ranges_mmio_write(void *opaque, hwaddr addr, uint64_t value,
                                    unsigned size)
{
    QuireState *s = opaque;

    trace_quire_range_write(addr, value, size);
    if (s->engine_ready) {
        quire_ranges_write(&s->engine, addr, size, value);
    }
}

static const MemoryRegionOps quire_ranges_ops = {
    .read = quire_ranges_mmio_read,
    .write = quire_ranges_mmio_write,
    QUIRE_ACCESS_AS_IT_IS,
};

static uint64_t quire_ranges_bar_size(QuireState *s)
{
    return pow2ceil(s->range_count * s->range_size);
}

/**
 * quire_ranges_check - are the properties good?
 * @s: the device
 * @errp: set if they are not
 *
 * Returns: false if they are not.
 */
bool quire_ranges_check(QuireState *s, Error **errp)
{
    if (s->range_count > QUIRE_RANGE_MAX) {
        error_setg(errp, "quire: swizzle-ranges=%" PRIu32 " must not exceed "
                   "%d", s->range_count, QUIRE_RANGE_MAX);
        return false;
    }
    if (s->range_size < QUIRE_RANGE_SIZE_MIN ||
        s->range_size > QUIRE_RANGE_SIZE_MAX ||
        !is_power_of_2(s->range_size)) {
        error_setg(errp, "quire: swizzle-range-size=%" PRIu64 " must be a "
                   "power of two, from 1 MiB to 256 MiB", s->range_size);
        return false;
    }
    if (s->range_count && quire_ranges_bar_size(s) > QUIRE_RANGES_BAR_MAX) {
        error_setg(errp, "quire: swizzle-ranges=%" PRIu32 " of "
                   "swizzle-range-size=%" PRIu64 " do not fit into a BAR of "
                   "2 GiB", s->range_count, s->range_size);
        return false;
    }
    return true;
}

/**
 * quire_ranges_init - register BAR 5
 * @s: the device; without ranges it has none
 */
void quire_ranges_init(QuireState *s)
{
    if (!s->range_count) {
        return;
    }
    memory_region_init_io(&s->ranges, OBJECT(s), &quire_ranges_ops, s,
                          "quire-ranges", quire_ranges_bar_size(s));
    pci_register_bar(&s->parent_obj, QUIRE_BAR_RANGES,
                     PCI_BASE_ADDRESS_SPACE_MEMORY, &s->ranges);
}
