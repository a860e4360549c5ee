/*
 * Quire virtual GPU: when the engine runs
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The engine works in slices. In real time a bottom half of the main loop runs
 * them, under the BQL, and a timer leaves a gap between two of them in which
 * the processors get the BQL. Long copies run in threads, see quire-thread.c.
 *
 * In virtual time, with QEMU's instruction counter (-icount), the device is as
 * reproducible as the processors are. A timer of QEMU_CLOCK_VIRTUAL runs each
 * slice; QEMU calls it in the thread of the processors, at the same instruction
 * in each run. There are no threads of the device, and no clock of the host is
 * read: the time that work takes is modelled from what the engine charges for
 * it. A slice changes memory when it begins, and the next one begins when the
 * modelled time of this one is over.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/pci/msix.h"
#include "system/runstate.h"
#include "quire.h"
#include "trace.h"

/*
 * Real time: between slices the main loop lets go of the BQL for a part of the
 * time that the slice had it, and at least as long as it takes a thread that
 * waits for the BQL to wake up.
 */
#define QUIRE_SLICE_GAP_PART    4
#define QUIRE_SLICE_GAP_NS      50000

/*
 * Virtual time: 8 GB/s, and the least time of a slice, which is also the time
 * from a doorbell to the first fetch.
 */
#define QUIRE_MODEL_BYTES_PER_NS    8
#define QUIRE_MODEL_LEAST_NS        1000

/*
 * quire_clock - the clock that bounds slices
 *
 * The engine's @clock, see struct quire_host_ops.
 */
uint64_t quire_clock(void *opaque)
{
    QuireState *s = opaque;

    if (quire_virtual_time()) {
        return s->engine.worked / QUIRE_MODEL_BYTES_PER_NS;
    }
    return get_clock();
}

/*
 * Send the messages that are due, as the last thing that is done with the
 * device: a message may be the write that resets or unplugs it.
 */
void quire_send_interrupts(QuireState *s)
{
    unsigned vector;

    while (s->engine_ready &&
           quire_engine_take_interrupt(&s->engine, &vector)) {
        trace_quire_interrupt(vector);
        msix_notify(&s->parent_obj, vector);
    }
}

static void quire_slice(void *opaque)
{
    QuireState *s = opaque;
    int64_t start = quire_clock(s), took;
    bool more;

    if (!runstate_is_running()) {
        return;
    }
    more = quire_engine_run(&s->engine);
    took = quire_clock(s) - start;
    trace_quire_slice(more, took);
    if (quire_virtual_time()) {
        s->busy_until = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                        MAX(took, QUIRE_MODEL_LEAST_NS);
        if (more) {
            timer_mod(s->timer, s->busy_until);
        }
    } else if (more) {
        timer_mod(s->timer, qemu_clock_get_ns(QEMU_CLOCK_REALTIME) +
                            MAX(took / QUIRE_SLICE_GAP_PART,
                                QUIRE_SLICE_GAP_NS));
    }
    quire_send_interrupts(s);
}

/* A timer has no guard against re-entrancy: the bottom half has. */
static void quire_slice_due(void *opaque)
{
    QuireState *s = opaque;

    if (quire_virtual_time()) {
        aio_bh_call(s->bh);
    } else {
        qemu_bh_schedule(s->bh);
    }
}

/*
 * quire_slice_schedule - have a slice run soon
 *
 * The next slice keeps its time if it has one: the gap before it is for the
 * processors, or is the modelled time of the slice before.
 */
void quire_slice_schedule(QuireState *s)
{
    int64_t now;

    if (quire_virtual_time()) {
        if (!timer_pending(s->timer)) {
            now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
            timer_mod(s->timer, MAX(now + QUIRE_MODEL_LEAST_NS,
                                    s->busy_until));
        }
    } else if (timer_expired(s->timer,
                             qemu_clock_get_ns(QEMU_CLOCK_REALTIME))) {
        qemu_bh_schedule(s->bh);
    }
}

/* A ring has waited long enough. */
static void quire_slice_alarm(void *opaque)
{
    quire_slice_schedule(opaque);
}

/* A stopped VM's memory does not change; work goes on where it stopped. */
static void quire_vm_state_change(void *opaque, bool running, RunState state)
{
    QuireState *s = opaque;

    trace_quire_vm_state(running);
    if (!running) {
        quire_doorbells_take(s);
        quire_engine_settle(&s->engine);
        return;
    }
    quire_engine_end_load(&s->engine);
    if (quire_engine_runnable(&s->engine)) {
        quire_slice_schedule(s);
    }
}

/* quire_slices_init - prepare to run slices; the engine is ready */
void quire_slices_init(QuireState *s)
{
    QEMUClockType clock = quire_virtual_time() ? QEMU_CLOCK_VIRTUAL
                                               : QEMU_CLOCK_REALTIME;

    s->bh = qemu_bh_new_guarded(quire_slice, s,
                                &DEVICE(s)->mem_reentrancy_guard);
    s->timer = timer_new_ns(clock, quire_slice_due, s);
    s->alarm = timer_new_ns(QEMU_CLOCK_VIRTUAL, quire_slice_alarm, s);
    s->vm_state = qemu_add_vm_change_state_handler(quire_vm_state_change, s);
}

/* quire_slices_cancel - forget all that is scheduled; for a reset */
void quire_slices_cancel(QuireState *s)
{
    qemu_bh_cancel(s->bh);
    timer_del(s->timer);
    timer_del(s->alarm);
    s->busy_until = 0;
}

/* quire_slices_fini - end it; also after a realize that failed before init */
void quire_slices_fini(QuireState *s)
{
    if (s->vm_state) {
        qemu_del_vm_change_state_handler(s->vm_state);
        s->vm_state = NULL;
    }
    if (s->timer) {
        timer_free(s->timer);
        s->timer = NULL;
        timer_free(s->alarm);
        s->alarm = NULL;
    }
    if (s->bh) {
        qemu_bh_delete(s->bh);
        s->bh = NULL;
    }
}
