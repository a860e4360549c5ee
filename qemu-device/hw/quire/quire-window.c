/*
 * Quire virtual GPU: the window of the aperture, BAR 1
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/*
 * What a page shows is behind the device's bus master address space, which an
 * IOMMU may change at any time, and perhaps in the write buffer. So the BAR is
 * not made of aliases of memory: each access comes here, with the BQL, and is
 * done as the device's own. It reaches memory only, see quire-host.c, so that
 * an entry that points at this BAR, or at another one of registers, leads
 * nowhere.
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "quire.h"
#include "trace.h"

#define QUIRE_WINDOW_DEFAULT    (32 * MiB)
#define QUIRE_WINDOW_MAX        (1 * GiB)

/* After unplug an access may still come, as to registers, see quire-pci.c. */
static uint64_t quire_window_mmio_read(void *opaque, hwaddr addr,
                                       unsigned size)
{
    QuireState *s = opaque;
    uint64_t value = UINT64_MAX;

    if (s->engine_ready) {
        value = quire_window_read(&s->engine, addr, size);
    }
    trace_quire_window_read(addr, value, size);
    return value;
}

static void quire_window_mmio_write(void *opaque, hwaddr addr, uint64_t value,
                                    unsigned size)
{
    QuireState *s = opaque;

    trace_quire_window_write(addr, value, size);
    if (s->engine_ready) {
        quire_window_write(&s->engine, addr, size, value);
    }
}

static const MemoryRegionOps quire_window_ops = {
    .read = quire_window_mmio_read,
    .write = quire_window_mmio_write,
    QUIRE_ACCESS_AS_IT_IS,
};

/**
 * quire_window_check - is the property good?
 * @s: the device; the size of its aperture is good, and the default of the
 *     window is replaced by a size
 * @errp: set if it is not
 *
 * Returns: false if it is not.
 */
bool quire_window_check(QuireState *s, Error **errp)
{
    uint64_t max = MIN(pow2floor(s->aperture_size), QUIRE_WINDOW_MAX);

    if (s->window_size == QUIRE_WINDOW_WHAT_FITS) {
        s->window_size = MIN(max, QUIRE_WINDOW_DEFAULT);
    }
    if (s->window_size &&
        (s->window_size < QUIRE_PAGE_SIZE || s->window_size > max ||
         !is_power_of_2(s->window_size))) {
        error_setg(errp, "quire: aperture-window-size=%" PRIu64 " must be 0, "
                   "or a power of two from 4096 to %" PRIu64 ", what "
                   "aperture-size=%" PRIu64 " allows", s->window_size, max,
                   s->aperture_size);
        return false;
    }
    return true;
}

/**
 * quire_window_init - register BAR 1
 * @s: the device; without a window it has none
 */
void quire_window_init(QuireState *s)
{
    if (!s->window_size) {
        return;
    }
    memory_region_init_io(&s->window, OBJECT(s), &quire_window_ops, s,
                          "quire-window", s->window_size);
    pci_register_bar(&s->parent_obj, QUIRE_BAR_WINDOW,
                     PCI_BASE_ADDRESS_SPACE_MEMORY, &s->window);
}
