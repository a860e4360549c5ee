/*
 * Quire virtual GPU: doorbells without an exit to QEMU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A doorbell says no more than that it is worth looking. Under KVM the kernel
 * takes it: it signals an eventfd and the processor goes on; the main loop
 * tells the engine. That is for the write that drivers do, 4 bytes at the start
 * of the doorbell page; others come as any write to BAR 0. Nobody sees a
 * difference: what comes to BAR 0 behind a doorbell finds it rung, as a read
 * from a PCI device flushes writes, and so does a machine that stops.
 *
 * Messages of MSI-X need no such way: only the main loop sends them, and it
 * waits for nobody.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "system/kvm.h"
#include "quire.h"

#define QUIRE_DOORBELL_SIZE     4

/* Ring what the kernel has taken; the engine ignores what comes too late. */
static void quire_doorbell_take(QuireDoorbell *bell)
{
    QuireState *s = bell->device;

    if (event_notifier_test_and_clear(&bell->notifier)) {
        quire_regs_write(&s->engine, QUIRE_DOORBELL(bell - s->doorbell),
                         QUIRE_DOORBELL_SIZE, 0);
    }
}

static void quire_doorbell_event(EventNotifier *notifier)
{
    quire_doorbell_take(container_of(notifier, QuireDoorbell, notifier));
}

/* quire_doorbells_take - ring what was rung before the caller looks */
void quire_doorbells_take(QuireState *s)
{
    unsigned i;

    for (i = 0; i < s->doorbell_count; i++) {
        quire_doorbell_take(&s->doorbell[i]);
    }
}

/* quire_doorbells_init - after the engine and BAR 0; false with an error */
bool quire_doorbells_init(QuireState *s, Error **errp)
{
    bool on = s->ioeventfd == ON_OFF_AUTO_AUTO ? kvm_enabled()
                                               : s->ioeventfd == ON_OFF_AUTO_ON;
    QuireDoorbell *bell;
    int ret;

    while (on && s->doorbell_count <= s->execution_rings) {
        bell = &s->doorbell[s->doorbell_count];
        bell->device = s;
        ret = event_notifier_init(&bell->notifier, 0);
        if (ret < 0) {
            error_setg_errno(errp, -ret, "quire: no eventfd for doorbells");
            return false;
        }
        event_notifier_set_handler(&bell->notifier, quire_doorbell_event);
        memory_region_add_eventfd(&s->regs, QUIRE_DOORBELL(s->doorbell_count),
                                  QUIRE_DOORBELL_SIZE, false, 0,
                                  &bell->notifier);
        s->doorbell_count++;
    }
    return true;
}

/* quire_doorbells_fini - end it; also after an init that failed */
void quire_doorbells_fini(QuireState *s)
{
    QuireDoorbell *bell;

    while (s->doorbell_count) {
        bell = &s->doorbell[--s->doorbell_count];
        memory_region_del_eventfd(&s->regs, QUIRE_DOORBELL(s->doorbell_count),
                                  QUIRE_DOORBELL_SIZE, false, 0,
                                  &bell->notifier);
        event_notifier_set_handler(&bell->notifier, NULL);
        event_notifier_cleanup(&bell->notifier);
    }
}
