/*
 * Quire virtual GPU: copies and fills beside the BQL
 *
 * The engine hands out long copies and fills, and those whose memory may have
 * to come from elsewhere first. A thread of QEMU's pool does them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/*
 * The thread touches the memory that is mapped for it, and nothing else. The
 * pool then says so in the main loop, where the bottom half of the device goes
 * on. Who can not go on meanwhile (reset, stop, unplug) waits for the thread,
 * not for the main loop, so that the pool's word may come later: to nobody, if
 * the device is gone. The pool may even have no thread yet, as it makes them in
 * the main loop: whoever waits then does the work himself, and a thread that
 * comes later finds none.
 */

#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/units.h"
#include "block/thread-pool.h"
#include "migration/misc.h"
#include "quire.h"
#include "trace.h"

/*
 * Below this it takes longer to tell another thread than to do it, and no
 * longer than a slice may take.
 */
#define QUIRE_THREAD_LEAST      (256 * KiB)

/*
 * Each page that is touched may have to be waited for: let it not be in the
 * BQL, for even one.
 */
static bool quire_memory_may_be_away(void)
{
    return migration_in_incoming_postcopy() || migration_in_bg_snapshot();
}

uint64_t quire_thread_least(void *opaque)
{
    if (quire_virtual_time()) {
        /* the instruction counter does not see threads */
        return UINT64_MAX;
    }
    return quire_memory_may_be_away() ? 1 : QUIRE_THREAD_LEAST;
}

/* The work is the caller's, and nobody else's, if there is any. */
static bool quire_thread_take(QuireThread *thread)
{
    return qatomic_xchg(&thread->waiting, false);
}

/* In a thread of the pool. */
static int quire_thread_run(void *opaque)
{
    QuireThread *thread = opaque;

    if (quire_thread_take(thread)) {
        quire_work_do(thread->work);
        qemu_sem_post(&thread->done);
    }
    return 0;
}

static void quire_thread_complete(void *opaque, int ret)
{
    QuireThread *thread = opaque;
    QuireState *s = thread->device;

    if (s->engine_ready) {
        quire_slice_schedule(s);
    }
    object_unref(OBJECT(s));
}

void quire_thread_start(void *opaque, unsigned int ring,
                        struct quire_work *work)
{
    QuireState *s = opaque;
    QuireThread *thread = &s->thread[ring];

    trace_quire_thread_start(ring);
    thread->work = work;
    qatomic_set_mb(&thread->waiting, true);
    object_ref(OBJECT(s));
    thread_pool_submit_aio(quire_thread_run, thread, quire_thread_complete,
                           thread);
}

bool quire_thread_end(void *opaque, unsigned int ring, bool wait)
{
    QuireState *s = opaque;
    QuireThread *thread = &s->thread[ring];

    if (wait && quire_thread_take(thread)) {
        quire_work_do(thread->work);
    } else if (wait) {
        qemu_sem_wait(&thread->done);
    } else if (qemu_sem_timedwait(&thread->done, 0)) {
        return false;
    }
    trace_quire_thread_end(ring, wait);
    return true;
}

void quire_threads_init(QuireState *s)
{
    unsigned int i;

    for (i = 0; i < QUIRE_RING_MAX; i++) {
        s->thread[i].device = s;
        qemu_sem_init(&s->thread[i].done, 0);
    }
}

void quire_threads_finalize(QuireState *s)
{
    unsigned int i;

    for (i = 0; i < QUIRE_RING_MAX; i++) {
        qemu_sem_destroy(&s->thread[i].done);
    }
}
