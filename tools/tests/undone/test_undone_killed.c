// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What calls take is given back when a signal interrupts them, or kills the program, where they
 * wait for their turn, for busy objects, for room, for a lock or for the device.
 */
#include <stdlib.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <xf86drm.h>

#include "dmabuf.h"
#include "splitting.h"
#include "undone_turns.h"
#include "vgem.h"

#define VRAM		DRM_QUIRE_SEGMENT_VRAM
#define NR_RUNS		300	/* of those that need other processes */
#define NR_STALLS	20	/* of the device, each of which ends with a reset */
#define NR_CALLS	20	/* in each of them */

/*
 * Where it waits without its turn, and with all room that there is: one call after the other
 * meets the same.
 */
static void begin_split(struct stage *s)
{
	waiting_begin(s);
	atexit(splitting_usual);
	if (!splitting_set("split_every_point", 1))
		tap_bail("no options");
}

static void begin_split_signals(struct stage *s)
{
	begin_split(s);
	waiting_start_signals();
}

WAITING_WORKS(waiting_exec_busy)
WAITING_WORKS(waiting_bind_busy)
WAITING_WORKS(waiting_submit)
WAITING_WORKS(waiting_submit_more)
WAITING_WORKS(waiting_signal)
WAITING_WORKS(turns_place)
WAITING_WORKS(turns_hold)
WAITING_WORKS(turns_submit)
WAITING_WORKS(turns_submit_late)
WAITING_WORKS(turns_exec)
WAITING_WORKS(turns_bind)

WAITING_KILLED(waiting_exec_busy, "quire_bo_wait_others")
WAITING_KILLED(waiting_bind_busy, "quire_bo_wait_others")
WAITING_KILLED(waiting_submit, "quire_submit_wait_before")
WAITING_KILLED(waiting_submit_more, "quire_submit_ioctl")
WAITING_KILLED(waiting_signal, "quire_fence_signal_ioctl")
WAITING_KILLED(waiting_native, "quire_fence_wait_ioctl")
WAITING_KILLED(turns_place, "quire_validation_wait")
WAITING_KILLED(turns_hold, "quire_validation_wait")
WAITING_KILLED(turns_exec, "quire_validation_wait")
WAITING_KILLED(turns_bind, "quire_validation_wait")

/*
 * In the queue of turns, as long as another one has the turn.
 */
static int zero_bind(struct stage *s)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP_ZERO, .address = UNDONE_BASE, .size = QUIRE_PAGE,
	};
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call);
}

static int hold_one(struct stage *s)
{
	const struct drm_quire_resident object = { .handle = s->object };
	struct drm_quire_make_resident hold = { .objects = DRM_QUIRE_ARRAY(1, &object) };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &hold);
}

/* Signals come again and again until it has ended. */
static int interrupted(struct stage *s, int (*call)(struct stage *s))
{
	int ret;

	waiting_set_signals(true);
	ret = call(s);
	waiting_set_signals(false);
	return ret;
}

static void queue_begin(struct stage *s)
{
	turns_begin(s);
	waiting_start_signals();
	waiting_set_signals(false);
}

static void queue_begin_split(struct stage *s)
{
	queue_begin(s);
	atexit(splitting_usual);
	if (!splitting_set("split_every_point", 1))
		tap_bail("no options");
}

/* The dma-buf of another driver, whose lock is held where its object is evicted. */
static int import_foreign(struct stage *s)
{
	(void)s;
	return turns_import();
}

static void queue_begin_import(struct stage *s)
{
	turns_begin_import(s);
	waiting_start_signals();
	waiting_set_signals(false);
}

/* While another caller has the turn. @where: it waits then, and is killed there; NULL: a signal */
static int in_queue(struct stage *s, int (*call)(struct stage *s), const char *where)
{
	int ret;

	turns_take(s);
	ret = where ? waiting_kill(s, call, where) : interrupted(s, call);
	return turns_give(s) ?: ret;
}

#define QUEUED(name, call)						\
	static int name##_queued(struct stage *s)			\
	{								\
		return in_queue(s, call, NULL);				\
	}

#define QUEUED_KILLED(name, call, where)				\
	static int name##_queued_killed(struct stage *s)		\
	{								\
		return in_queue(s, call, where);			\
	}

QUEUED(place, waiting_place)
QUEUED_KILLED(place, waiting_place, "quire_turn_begin")
QUEUED(hold, hold_one)
QUEUED_KILLED(hold, hold_one, "quire_turn_begin")
QUEUED(submit, waiting_submit)
QUEUED_KILLED(submit, waiting_submit, "quire_turn_begin")
QUEUED(exec, turns_exec)
QUEUED_KILLED(exec, turns_exec, "quire_turn_begin")
QUEUED(bind, zero_bind)
QUEUED_KILLED(bind, zero_bind, "quire_turn_begin")

/* The lock of what is evicted is held as long as the turn. */
QUEUED(export, turns_export)
QUEUED_KILLED(export, turns_export, "quire_prime_export")
QUEUED(import_foreign, import_foreign)
QUEUED_KILLED(import_foreign, import_foreign, "quire_import")

/* No caller has kept the turn, so a submission comes to its end. */
static int submit_works(struct stage *s)
{
	return waiting_submit(s) ?: quire_bo_wait(s->fd, s->object, WAIT_MS);
}

/*
 * VM_BIND without syncobjs, which returns when it is done: behind one that waits for commands.
 * These go on each time, so that what the kernel has of the bind comes to its end.
 */
static struct gate gate;
static uint64_t number;
static struct quire_context *context;

static void open_gate(void)
{
	work_gate_raise(&gate, UINT64_MAX);
}

static void begin_binds(struct stage *s)
{
	work_gate_open_apart(&s->scene.work, &gate);
	atexit(open_gate);
	context = work_context(&s->scene.work);
}

static int bind_in_order(struct stage *s, uint32_t operation,
			 const struct drm_quire_sync *syncs, uint32_t count)
{
	const struct drm_quire_bind bind = {
		.operation = operation, .address = UNDONE_BASE, .size = QUIRE_PAGE,
	};
	struct drm_quire_vm_bind call = {
		.vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind),
		.syncs = DRM_QUIRE_ARRAY(count, syncs),
	};

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call);
}

static int unbind(struct stage *s)
{
	return bind_in_order(s, DRM_QUIRE_BIND_UNMAP, NULL, 0);
}

static int bind_killed(struct stage *s)
{
	struct work *work = &s->scene.work;
	struct quire_fence *fence = work_fence(work);
	struct drm_quire_sync sync = { .flags = DRM_QUIRE_SYNC_WAIT };
	int ret;

	work_wait_at(work, &gate, ++number);
	ret = work_submit(work, context, 1, NULL, fence);
	sync.handle = quire_fence_syncobj(fence);
	ret = ret ?: bind_in_order(s, DRM_QUIRE_BIND_MAP_ZERO, &sync, 1) ?:
	      waiting_kill(s, unbind, "quire_vm_bind_ioctl");
	work_gate_raise(&gate, number);
	quire_fence_close(fence);
	return unbind(s) ?: ret;
}

/*
 * The device stands still at the first packet of the paging ring. A reset lets it go on, with all
 * that was queued.
 */
static void stall(struct stage *s)
{
	if (debugfs_write(s->scene.work.fixture.debugfs, "inject", "hang 1"))
		tap_bail("no faults on demand");
}

static int go_on(struct stage *s)
{
	int ret;

	sysfs_parameter_write("hang_period", "500");
	ret = debugfs_write(s->scene.work.fixture.debugfs, "nop_submit", "1");
	sysfs_parameter_write("hang_period", "600000");
	return ret;
}

static void stall_begin(struct stage *s)
{
	(void)s;
	waiting_start_signals();
	waiting_set_signals(false);
}

static int create_context(struct stage *s)
{
	struct drm_quire_context_create create = { .vm = s->vm };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create);
}

static int create_killed_once(struct stage *s)
{
	return waiting_kill(s, create_context, "quire_context_create_ioctl");
}

static int create_interrupted_once(struct stage *s)
{
	return interrupted(s, create_context);
}

/* All of them come to the same. */
static int stalled(struct stage *s, int (*call)(struct stage *s))
{
	int ret = -EINTR;

	stall(s);
	for (unsigned int i = 0; i < NR_CALLS && ret == -EINTR; i++)
		ret = call(s);
	return go_on(s) ?: ret;
}

static int create_interrupted(struct stage *s)
{
	return stalled(s, create_interrupted_once);
}

static int create_killed(struct stage *s)
{
	return stalled(s, create_killed_once);
}

/* Of an object in invisible VRAM that commands use. */
static int shared = -1;		/* dma-buf */
static int vgem = -1;

static void hide(struct stage *s)
{
	if (quire_bo_place(s->fd, s->object, VRAM, DRM_QUIRE_PLACE_INVISIBLE) ||
	    quire_bo_wait(s->fd, s->object, WAIT_MS))
		tap_bail("an object that the CPU does not see");
	waiting_use(s, s->object);
	shared = dmabuf_export(s->fd, s->object);
	vgem = vgem_open();
	if (shared < 0 || vgem < 0)
		tap_bail("no dma-buf, or no vgem");
	waiting_start_signals();
	waiting_set_signals(false);
}

static int sync_cpu(struct stage *s)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ };

	(void)s;
	return quire_ioctl_once(shared, DMA_BUF_IOCTL_SYNC, &sync);
}

static int import(struct stage *s)
{
	struct drm_prime_handle prime = { .fd = shared };

	(void)s;
	return quire_ioctl_once(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
}

static int import_works(struct stage *s)
{
	waiting_end();
	return import(s);
}

static int sync_cpu_works(struct stage *s)
{
	waiting_end();
	return sync_cpu(s);
}

static int sync_interrupted(struct stage *s)
{
	return interrupted(s, sync_cpu);
}

WAITING_KILLED(sync_cpu, "quire_bo_wait_patiently")

static int import_interrupted(struct stage *s)
{
	return interrupted(s, import);
}

WAITING_KILLED(import, "quire_bo_wait_patiently")

#define KILLED(call, name, begin, ...)					\
	ROW(-EINTR, call##_killed, name " killed", .runs = NR_RUNS,	\
	    .prepare = begin, __VA_ARGS__)

#define INTERRUPTED(call, name, begin, ...)				\
	ROW(-EINTR, call, name " interrupted", .prepare = begin, __VA_ARGS__)

static const struct row rows[] = {
	INTERRUPTED(place_queued, "BO_PLACE in the queue of turns", queue_begin, .runs = NR_RUNS,
		    .works = waiting_place),
	KILLED(place_queued, "BO_PLACE in the queue of turns", queue_begin,
	       .works = waiting_place),
	INTERRUPTED(hold_queued, "MAKE_RESIDENT in the queue of turns", queue_begin,
		    .runs = NR_RUNS, .works = hold_one),
	KILLED(hold_queued, "MAKE_RESIDENT in the queue of turns", queue_begin,
	       .works = hold_one),
	INTERRUPTED(submit_queued, "SUBMIT in the queue of turns", queue_begin, .runs = NR_RUNS,
		    .works = submit_works),
	KILLED(submit_queued, "SUBMIT in the queue of turns", queue_begin,
	       .works = submit_works),
	INTERRUPTED(submit_queued, "SUBMIT in parts in the queue of turns", queue_begin_split,
		    .runs = NR_RUNS, .works = submit_works),
	KILLED(submit_queued, "SUBMIT in parts in the queue of turns", queue_begin_split,
	       .works = submit_works),
	INTERRUPTED(exec_queued, "EXEC in the queue of turns", queue_begin, .runs = NR_RUNS,
		    .works = turns_exec),
	KILLED(exec_queued, "EXEC in the queue of turns", queue_begin,
	       .works = turns_exec),
	INTERRUPTED(bind_queued, "VM_BIND in the queue of turns", queue_begin, .runs = NR_RUNS,
		    .works = zero_bind),
	KILLED(bind_queued, "VM_BIND in the queue of turns", queue_begin,
	       .works = zero_bind),
	INTERRUPTED(waiting_exec_busy, "EXEC with a busy object", waiting_begin_signals,
		    .works = waiting_exec_busy_works),
	INTERRUPTED(waiting_bind_busy, "VM_BIND of a busy object", waiting_begin_signals,
		    .works = waiting_bind_busy_works),
	INTERRUPTED(waiting_submit, "SUBMIT in parts with a busy object", begin_split_signals,
		    .works = waiting_submit_works),
	INTERRUPTED(turns_place, "BO_PLACE without room", turns_fill_half_signals,
		    .works = turns_place_works),
	INTERRUPTED(turns_hold, "MAKE_RESIDENT without room", turns_fill_half_signals,
		    .works = turns_hold_works),
	INTERRUPTED(turns_submit, "SUBMIT in parts without room", turns_fill_half_signals,
		    .works = turns_submit_works),
	INTERRUPTED(turns_exec, "EXEC without room", turns_fill_half_signals,
		    .works = turns_exec_works),
	INTERRUPTED(turns_bind, "VM_BIND without room", turns_fill_half_signals,
		    .works = turns_bind_works),
	KILLED(waiting_exec_busy, "EXEC with a busy object", waiting_begin,
	       .works = waiting_exec_busy_works),
	KILLED(waiting_bind_busy, "VM_BIND of a busy object", waiting_begin,
	       .works = waiting_bind_busy_works),
	KILLED(waiting_submit, "SUBMIT in parts with a busy object", begin_split,
	       .works = waiting_submit_works),
	KILLED(turns_place, "BO_PLACE without room", turns_fill_half, .works = turns_place_works),
	KILLED(turns_hold, "MAKE_RESIDENT without room", turns_fill_half,
	       .works = turns_hold_works),
	KILLED(turns_submit, "SUBMIT in parts without room", turns_fill_half,
	       .works = turns_submit_works),
	KILLED(turns_submit_late, "SUBMIT half way without room", turns_fill_half,
	       .works = turns_submit_late_works),
	KILLED(turns_exec, "EXEC without room", turns_fill_half, .works = turns_exec_works),
	KILLED(turns_bind, "VM_BIND without room", turns_fill_half, .works = turns_bind_works),
	KILLED(waiting_submit_more, "SUBMIT of too much", waiting_fill_submit_once,
	       .works = waiting_submit_more_works),
	KILLED(waiting_signal, "FENCE_SIGNAL of too much", waiting_fill_signals_once,
	       .works = waiting_signal_works),
	KILLED(waiting_native, "FENCE_WAIT for a native fence", waiting_begin, .works = NULL),
	KILLED(bind, "VM_BIND without syncobjs", begin_binds, .works = unbind),
	ROW(-EINTR, create_interrupted, "CONTEXT_CREATE interrupted", .runs = NR_STALLS,
	    .calls = NR_CALLS, .warm_up = 2, .prepare = stall_begin),
	ROW(-EINTR, create_killed, "CONTEXT_CREATE killed", .runs = NR_STALLS,
	    .calls = NR_CALLS, .warm_up = 2, .prepare = stall_begin),
	INTERRUPTED(export_queued, "PRIME export", queue_begin, .runs = NR_RUNS),
	KILLED(export_queued, "PRIME export", queue_begin, .works = NULL),
	INTERRUPTED(import_foreign_queued, "PRIME import", queue_begin_import, .runs = NR_RUNS),
	KILLED(import_foreign_queued, "PRIME import", queue_begin_import, .works = NULL),
	INTERRUPTED(import_interrupted, "PRIME import by another driver", hide,
		    .works = import_works),
	KILLED(import, "PRIME import by another driver", hide, .works = import_works),
	INTERRUPTED(sync_interrupted, "DMA_BUF_IOCTL_SYNC of a busy object", hide,
		    .works = sync_cpu_works),
	KILLED(sync_cpu, "DMA_BUF_IOCTL_SYNC of a busy object", hide,
	       .works = sync_cpu_works),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(900);
	undone_begin(argc > 1 ? argv[1] : "");
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
