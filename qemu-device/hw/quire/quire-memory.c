/*
 * Quire virtual GPU: memory that the engine reaches without QEMU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is RAM in the address space of the device is where it is until a memory
 * listener says otherwise. The engine has a table of it. All that is not in the
 * table it has mapped, see quire-host.c: what an IOMMU translates, what can
 * only be read, and what is no memory.
 *
 * The table changes under the BQL, which the engine holds, too. Threads copy
 * without it: what they have begun ends before the table changes, and so before
 * memory goes away.
 */

#include "qemu/osdep.h"
#include "system/dma.h"
#include "system/xen.h"
#include "quire.h"
#include "trace.h"

/*
 * Can the device read and write it where it is? Xen maps guest memory piece by
 * piece, and QEMU's fuzzer fills what is mapped for reading when it is.
 */
static bool quire_memory_stays(const MemoryRegionSection *section)
{
#ifdef CONFIG_FUZZ
    return false;
#else
    return memory_region_is_ram(section->mr) &&
           !memory_region_is_ram_device(section->mr) &&
           !section->mr->rom_device && !section->mr->readonly &&
           !section->readonly && !xen_enabled();
#endif
}

/* The table becomes another one. */
static void quire_memory_set(QuireState *s, GArray *sections)
{
    quire_engine_set_sections(&s->engine,
                              (const struct quire_section *)sections->data,
                              sections->len);
    g_array_free(s->sections, true);
    s->sections = sections;
}

/* The place of an address in the table. */
static unsigned quire_memory_find(QuireState *s, hwaddr addr)
{
    unsigned i = s->sections->len;

    while (i && g_array_index(s->sections, struct quire_section,
                              i - 1).addr >= addr) {
        i--;
    }
    return i;
}

static void quire_memory_add(MemoryListener *listener,
                             MemoryRegionSection *section)
{
    QuireState *s = container_of(listener, QuireState, memory);
    struct quire_section new;
    GArray *sections;

    if (!quire_memory_stays(section)) {
        return;
    }
    new = (struct quire_section) {
        .addr = section->offset_within_address_space,
        .size = int128_get64(section->size),
        .ptr = (uint8_t *)memory_region_get_ram_ptr(section->mr) +
               section->offset_within_region,
        .region = section->mr,
    };
    memory_region_ref(section->mr);
    sections = g_array_copy(s->sections);
    g_array_insert_val(sections, quire_memory_find(s, new.addr), new);
    quire_memory_set(s, sections);
    trace_quire_memory_add(new.addr, new.size);
}

static void quire_memory_del(MemoryListener *listener,
                             MemoryRegionSection *section)
{
    QuireState *s = container_of(listener, QuireState, memory);
    hwaddr addr = section->offset_within_address_space;
    unsigned i = quire_memory_find(s, addr);
    GArray *sections;

    if (i == s->sections->len ||
        g_array_index(s->sections, struct quire_section, i).addr != addr) {
        return;
    }
    sections = g_array_copy(s->sections);
    g_array_remove_index(sections, i);
    quire_memory_set(s, sections);
    memory_region_unref(section->mr);
    trace_quire_memory_del(addr);
}

/*
 * quire_memory_dirty - the engine wrote to memory of the table
 *
 * As at the end of a mapping: migration learns of it, and code that was
 * translated from there is forgotten.
 */
void quire_memory_dirty(void *opaque, const struct quire_section *section,
                        uint64_t offset, uint64_t len)
{
    QuireState *s = opaque;

    if (!memory_region_get_dirty_log_mask(section->region)) {
        return;
    }
    /* which the end of a mapping gives back */
    memory_region_ref(section->region);
    dma_memory_unmap(pci_get_address_space(&s->parent_obj),
                     section->ptr + offset, len, DMA_DIRECTION_FROM_DEVICE,
                     len);
}

/* quire_memory_init - begin to keep the table; the engine is ready */
void quire_memory_init(QuireState *s)
{
    s->sections = g_array_new(false, false, sizeof(struct quire_section));
    s->memory = (MemoryListener) {
        .name = "quire",
        .region_add = quire_memory_add,
        .region_del = quire_memory_del,
    };
    memory_listener_register(&s->memory, pci_get_address_space(&s->parent_obj));
}

/* quire_memory_fini - end it; also after a realize that failed before init */
void quire_memory_fini(QuireState *s)
{
    if (s->sections) {
        memory_listener_unregister(&s->memory);
        g_array_free(s->sections, true);
        s->sections = NULL;
    }
}
