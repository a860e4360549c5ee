/*
 * Quire virtual GPU: PCI front end
 *
 * BAR 0: registers, doorbells; BAR 1: quire-window.c; BAR 2: the part of VRAM
 * that the CPU sees; BAR 4: MSI-X; BAR 5: quire-ranges.c. Writes to BAR 0 go
 * to the engine at once; its work runs in slices, see quire-slice.c. Messages
 * are sent at the end of each.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "migration/vmstate.h"
#include "quire.h"
#include "trace.h"

#define QUIRE_SIZE_UNIT         MiB
#define QUIRE_VRAM_MAX          (64 * GiB)
#define QUIRE_VISIBLE_DEFAULT   (256 * MiB)
#define QUIRE_PCIE_CAP          0x80

/*
 * An access may arrive after unplug: another processor was waiting for the BQL
 * with it, or it is the rest of a long write that began with the unplug. The
 * engine is gone by then. The memory of @s is there in any case, it is freed by
 * RCU, which waits for the BQL.
 */
static uint64_t quire_mmio_read(void *opaque, hwaddr addr, unsigned size)
{
    QuireState *s = opaque;
    uint64_t value = UINT64_MAX;

    if (s->engine_ready) {
        quire_doorbells_take(s);
        value = quire_regs_read(&s->engine, addr, size);
    }
    trace_quire_mmio_read(addr, value, size);
    return value;
}

static void quire_mmio_write(void *opaque, hwaddr addr, uint64_t value,
                             unsigned size)
{
    QuireState *s = opaque;

    trace_quire_mmio_write(addr, value, size);
    if (s->engine_ready) {
        quire_doorbells_take(s);
        quire_regs_write(&s->engine, addr, size, value);
        quire_send_interrupts(s);
    }
}

static const MemoryRegionOps quire_mmio_ops = {
    .read = quire_mmio_read,
    .write = quire_mmio_write,
    QUIRE_ACCESS_AS_IT_IS,
};

static bool quire_check_size(const char *name, uint64_t size, uint64_t max,
                             Error **errp)
{
    if (size < QUIRE_SIZE_UNIT || size > max ||
        !QEMU_IS_ALIGNED(size, QUIRE_SIZE_UNIT)) {
        error_setg(errp, "quire: %s=%" PRIu64 " must be a multiple of 1 MiB, "
                   "from 1 MiB to %" PRIu64 " GiB", name, size, max / GiB);
        return false;
    }
    return true;
}

static bool quire_check_tlb(QuireState *s, Error **errp)
{
    if (s->tlb_entries && (s->tlb_entries < QUIRE_TLB_ENTRIES_MIN ||
                           s->tlb_entries > QUIRE_TLB_ENTRIES_MAX ||
                           !is_power_of_2(s->tlb_entries))) {
        error_setg(errp, "quire: tlb-entries=%" PRIu32 " must be 0, or a power "
                   "of two from %u to %u", s->tlb_entries,
                   QUIRE_TLB_ENTRIES_MIN, QUIRE_TLB_ENTRIES_MAX);
        return false;
    }
    return true;
}

static bool quire_check_properties(QuireState *s, Error **errp)
{
    if (!quire_check_size("vram-size", s->vram_size, QUIRE_VRAM_MAX, errp) ||
        !quire_check_size("aperture-size", s->aperture_size,
                          QUIRE_APERTURE_SIZE_MAX, errp) ||
        !quire_check_size("mmu-size", s->mmu_size, QUIRE_MMU_SIZE_MAX, errp)) {
        return false;
    }
    if (!s->vram_visible) {
        s->vram_visible = pow2floor(MIN(s->vram_size, QUIRE_VISIBLE_DEFAULT));
    }
    if (s->vram_visible < QUIRE_SIZE_UNIT || !is_power_of_2(s->vram_visible)) {
        error_setg(errp, "quire: vram-visible=%" PRIu64 " must be a power of "
                   "two, at least 1 MiB", s->vram_visible);
        return false;
    }
    if (s->vram_visible > s->vram_size) {
        error_setg(errp, "quire: vram-visible=%" PRIu64 " must not exceed "
                   "vram-size=%" PRIu64, s->vram_visible, s->vram_size);
        return false;
    }
    if (s->execution_rings >= QUIRE_RING_MAX) {
        error_setg(errp, "quire: execution-rings=%" PRIu32 " must be 0 to %d",
                   s->execution_rings, QUIRE_RING_MAX - 1);
        return false;
    }
    return quire_check_tlb(s, errp) && quire_ranges_check(s, errp) &&
           quire_window_check(s, errp);
}

static bool quire_init_engine(QuireState *s, Error **errp)
{
    const struct quire_engine_config config = {
        .ops = &quire_host_ops,
        .opaque = s,
        .vram = memory_region_get_ram_ptr(&s->vram),
        .vram_size = s->vram_size,
        .vram_visible = s->vram_visible,
        .aperture_size = s->aperture_size,
        .execution_rings = s->execution_rings,
        .range_count = s->range_count,
        .range_size = s->range_size,
        .window_size = s->window_size,
        .tlb_entries = s->tlb_entries,
        .mmu_size = s->mmu_size,
        .fault_injection = s->fault_injection,
        .dummy_page_report = s->dummy_page_report,
    };
    const char *why;

    if (!quire_engine_init(&s->engine, &config, &why)) {
        error_setg(errp, "quire: %s", why);
        return false;
    }
    s->engine_ready = true;
    return true;
}

static bool quire_init_bars(QuireState *s, Error **errp)
{
    PCIDevice *dev = &s->parent_obj;
    int i;

    memory_region_init_io(&s->regs, OBJECT(s), &quire_mmio_ops, s,
                          "quire-regs", QUIRE_BAR_REGS_SIZE);
    memory_region_init_alias(&s->vram_bar, OBJECT(s), "quire-vram-bar",
                             &s->vram, 0, s->vram_visible);
    pci_register_bar(dev, QUIRE_BAR_REGS, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->regs);
    pci_register_bar(dev, QUIRE_BAR_VRAM,
                     PCI_BASE_ADDRESS_SPACE_MEMORY |
                     PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, &s->vram_bar);
    quire_window_init(s);
    quire_ranges_init(s);
    if (msix_init_exclusive_bar(dev, QUIRE_VECTOR_COUNT, QUIRE_BAR_MSIX,
                                errp)) {
        return false;
    }
    for (i = 0; i < QUIRE_VECTOR_COUNT; i++) {
        msix_vector_use(dev, i);
    }
    return true;
}

static bool quire_init_express(QuireState *s, Error **errp)
{
    PCIDevice *dev = &s->parent_obj;

    if (!pci_bus_is_express(pci_get_bus(dev))) {
        dev->cap_present &= ~QEMU_PCI_CAP_EXPRESS;
        return true;
    }
    if (pcie_endpoint_cap_init(dev, QUIRE_PCIE_CAP) < 0) {
        error_setg(errp, "quire: no room for the PCI Express capability");
        return false;
    }
    pcie_cap_flr_init(dev);
    return true;
}

/*
 * Without bus mastering no memory is reached: what a thread does ends first. A
 * write that starts a Function Level Reset ends in quire_reset_hold().
 */
static void quire_config_write(PCIDevice *dev, uint32_t addr, uint32_t value,
                               int len)
{
    QuireState *s = QUIRE(dev);

    pci_default_write_config(dev, addr, value, len);
    if (!(pci_get_word(dev->config + PCI_COMMAND) & PCI_COMMAND_MASTER)) {
        quire_engine_settle(&s->engine);
    }
    if (pci_is_express(dev)) {
        pcie_cap_flr_write_config(dev, addr, value, len);
    }
}

static void quire_exit(PCIDevice *dev)
{
    QuireState *s = QUIRE(dev);

    quire_doorbells_fini(s);
    quire_slices_fini(s);
    quire_memory_fini(s);
    if (msix_present(dev)) {
        msix_uninit_exclusive_bar(dev);
    }
    if (s->engine_ready) {
        quire_engine_fini(&s->engine);
        s->engine_ready = false;
    }
}

static void quire_realize(PCIDevice *dev, Error **errp)
{
    QuireState *s = QUIRE(dev);

    if (!quire_check_properties(s, errp) ||
        !memory_region_init_ram(&s->vram, OBJECT(s), "quire-vram",
                                s->vram_size, errp)) {
        return;
    }
    if (!quire_init_engine(s, errp) || !quire_init_bars(s, errp) ||
        !quire_init_express(s, errp) || !quire_doorbells_init(s, errp)) {
        quire_exit(dev);
        return;
    }
    /* What is not RAM can then not be mapped, see quire-host.c. */
    dev->bus_master_as.max_bounce_buffer_size = 0;
    quire_memory_init(s);
    quire_slices_init(s);
}

static void quire_reset_hold(Object *obj, ResetType type)
{
    QuireState *s = QUIRE(obj);

    trace_quire_reset();
    quire_slices_cancel(s);
    quire_engine_reset(&s->engine);
}

static void quire_instance_init(Object *obj)
{
    PCI_DEVICE(obj)->cap_present |= QEMU_PCI_CAP_EXPRESS;
    quire_threads_init(QUIRE(obj));
}

static void quire_instance_finalize(Object *obj)
{
    quire_threads_finalize(QUIRE(obj));
}

static const Property quire_properties[] = {
    DEFINE_PROP_SIZE("vram-size", QuireState, vram_size, 64 * MiB),
    DEFINE_PROP_SIZE("vram-visible", QuireState, vram_visible, 0),
    DEFINE_PROP_SIZE("aperture-size", QuireState, aperture_size, 256 * MiB),
    DEFINE_PROP_SIZE("aperture-window-size", QuireState, window_size,
                     QUIRE_WINDOW_WHAT_FITS),
    DEFINE_PROP_UINT32("execution-rings", QuireState, execution_rings, 2),
    DEFINE_PROP_UINT32("swizzle-ranges", QuireState, range_count, 8),
    DEFINE_PROP_SIZE("swizzle-range-size", QuireState, range_size, 16 * MiB),
    DEFINE_PROP_UINT32("tlb-entries", QuireState, tlb_entries, 256),
    DEFINE_PROP_SIZE("mmu-size", QuireState, mmu_size, 64 * MiB),
    DEFINE_PROP_ON_OFF_AUTO("ioeventfd", QuireState, ioeventfd,
                            ON_OFF_AUTO_AUTO),
    DEFINE_PROP_BOOL("fault-injection", QuireState, fault_injection, false),
    DEFINE_PROP_BOOL("dummy-page-report", QuireState, dummy_page_report, false),
};

static void quire_describe_properties(ObjectClass *klass)
{
    object_class_property_set_description(klass, "vram-size",
        "Video memory, a multiple of 1 MiB, up to 64 GiB");
    object_class_property_set_description(klass, "vram-visible",
        "Video memory in BAR 2, a power of two, 1 MiB up to vram-size; "
        "0 takes what fits, at most 256 MiB");
    object_class_property_set_description(klass, "aperture-size",
        "Aperture, a multiple of 1 MiB, up to 16 GiB");
    object_class_property_set_description(klass, "aperture-window-size",
        "Aperture that the CPU may see in BAR 1, a power of two, 4 KiB up to "
        "aperture-size, at most 1 GiB; 0 for no BAR 1; by default what fits, "
        "at most 32 MiB");
    object_class_property_set_description(klass, "execution-rings",
        "Rings that execute commands of programs, up to 7");
    object_class_property_set_description(klass, "swizzle-ranges",
        "Windows of BAR 5 that show tiled images, up to 16; 0 for no BAR 5");
    object_class_property_set_description(klass, "swizzle-range-size",
        "Size of each, a power of two, 1 MiB up to 256 MiB");
    object_class_property_set_description(klass, "tlb-entries",
        "Translations of address spaces that are remembered, a power of two, "
        "4 up to 4096; 0 for none");
    object_class_property_set_description(klass, "mmu-size",
        "What each MMU translates, a multiple of 1 MiB, up to 16 GiB");
    object_class_property_set_description(klass, "ioeventfd",
        "Let the kernel take doorbells, for rings that work beside the "
        "processors; by default under KVM");
    object_class_property_set_description(klass, "fault-injection",
        "Let the guest ask for hangs, faults and lost interrupts, "
        "for tests of drivers");
    object_class_property_set_description(klass, "dummy-page-report",
        "Count and trace accesses to aperture pages that were unmapped, "
        "for tests of drivers");
}

static void quire_class_init(ObjectClass *klass, QuireClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    pc->vendor_id = QUIRE_PCI_VENDOR_ID;
    pc->device_id = QUIRE_PCI_DEVICE_ID;
    pc->revision = QUIRE_VERSION_MAJOR;
    pc->class_id = PCI_CLASS_DISPLAY_3D;
    pc->realize = quire_realize;
    pc->exit = quire_exit;
    pc->config_write = quire_config_write;
    rc->phases.hold = quire_reset_hold;
    dc->desc = "Quire virtual GPU";
    dc->vmsd = &vmstate_quire;
    device_class_set_props(dc, quire_properties);
    quire_describe_properties(klass);
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
}

static const TypeInfo quire_types[] = {
    {
        .name = TYPE_QUIRE,
        .parent = TYPE_PCI_DEVICE,
        .instance_size = sizeof(QuireState),
        .instance_init = quire_instance_init,
        .instance_finalize = quire_instance_finalize,
        .class_init = quire_class_init,
        .interfaces = QUIRE_INTERFACES {
            { INTERFACE_PCIE_DEVICE },
            { INTERFACE_CONVENTIONAL_PCI_DEVICE },
            { },
        },
    },
};

DEFINE_TYPES(quire_types)
