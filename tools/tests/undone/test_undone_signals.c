// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What calls take is given back when a signal interrupts them, or kills the program, while they
 * wait, and when nobody can be told of what they have made.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "undone_waiting.h"

#define NR_KILLS	400
#define NR_UNTOLD	400	/* each is a race that is lost often before */

WAITING_WORKS(waiting_bo)
WAITING_WORKS(waiting_place)
WAITING_WORKS(waiting_renew)
WAITING_WORKS(waiting_hold)
WAITING_WORKS(waiting_submit)
WAITING_WORKS(waiting_exec)
WAITING_WORKS(waiting_submit_more)
WAITING_WORKS(waiting_signal)
WAITING_WORKS(waiting_bind)

WAITING_KILLED(waiting_bo, "quire_bo_wait")
WAITING_KILLED(waiting_place, "quire_bo_place")
WAITING_KILLED(waiting_renew, "quire_bo_madvise")
WAITING_KILLED(waiting_fence, "quire_fence_wait_ioctl")
WAITING_KILLED(waiting_hold, "quire_make_resident_ioctl")
WAITING_KILLED(waiting_bind, "quire_vm_bind_ioctl")
WAITING_KILLED(waiting_exec, "quire_exec_ioctl")
WAITING_KILLED(waiting_submit, "quire_submit_ioctl")

/*
 * Nobody can be told: the page of the answer is taken away while it is made.
 */
struct answer {
	void *page;
	bool stop;
};

static void *take_away(void *data)
{
	struct answer *answer = data;

	while (!__atomic_load_n(&answer->stop, __ATOMIC_ACQUIRE)) {
		mprotect(answer->page, QUIRE_PAGE, PROT_READ);
		mprotect(answer->page, QUIRE_PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

/* Until one was made that has no place to be told of; those that can be told of are closed. */
static int untold(struct stage *s, unsigned long request, const void *argument, size_t size,
		  size_t name, int (*close_it)(struct stage *s, uint32_t number))
{
	struct answer answer = {
		.page = mmap(NULL, QUIRE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0),
	};
	pthread_t thread;
	int ret = 0;

	memcpy(answer.page, argument, size);
	if (pthread_create(&thread, NULL, take_away, &answer))
		tap_bail("no thread");
	while (!ret) {
		ret = quire_ioctl(s->fd, request, answer.page);
		if (!ret)
			ret = close_it(s, *(uint32_t *)((char *)answer.page + name));
	}
	__atomic_store_n(&answer.stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	munmap(answer.page, QUIRE_PAGE);
	return ret;
}

static int close_object(struct stage *s, uint32_t number)
{
	return quire_bo_close(s->fd, number);
}

static int close_context(struct stage *s, uint32_t number)
{
	struct drm_quire_context_destroy destroy = { .context = number };

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy);
}

static int close_vm(struct stage *s, uint32_t number)
{
	struct drm_quire_vm_destroy destroy = { .vm = number };

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
}

#define CREATED_UNTOLD(function, ioctl, type, name, close_it, ...)		\
	static int function(struct stage *s)				\
	{								\
		struct type argument = { __VA_ARGS__ };			\
									\
		return untold(s, DRM_IOCTL_QUIRE_##ioctl, &argument, sizeof(argument),	\
			      offsetof(struct type, name), close_it);	\
	}

CREATED_UNTOLD(create_untold, BO_CREATE, drm_quire_bo_create, handle, close_object,
	       .size = QUIRE_PAGE,
	       .segments = DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)
CREATED_UNTOLD(context_untold, CONTEXT_CREATE, drm_quire_context_create, context, close_context,
	       .vm = s->vm)
CREATED_UNTOLD(vm_untold, VM_CREATE, drm_quire_vm_create, vm, close_vm, .pad = 0)
CREATED_UNTOLD(fence_untold, FENCE_CREATE, drm_quire_fence_create, handle, close_object, .value = 0)
CREATED_UNTOLD(native_untold, FENCE_CREATE, drm_quire_fence_create, handle, close_object,
	       .flags = DRM_QUIRE_FENCE_NATIVE, .vm = s->vm)

static const struct row rows[] = {
	ROW(-EINTR, waiting_bo, "BO_WAIT interrupted", .prepare = waiting_begin_signals,
	    .works = waiting_bo_works),
	ROW(-EINTR, waiting_place, "BO_PLACE interrupted", .prepare = waiting_begin_signals,
	    .works = waiting_place_works),
	ROW(-EINTR, waiting_renew, "BO_MADVISE WILLNEED interrupted",
	    .prepare = waiting_begin_purged_signals, .works = waiting_renew_works),
	ROW(-EINTR, waiting_fence, "FENCE_WAIT interrupted", .prepare = waiting_begin_signals),
	ROW(-EINTR, waiting_native, "FENCE_WAIT for a native fence interrupted",
	    .prepare = waiting_begin_signals),
	ROW(-EINTR, waiting_hold, "MAKE_RESIDENT interrupted", .prepare = waiting_begin_signals,
	    .works = waiting_hold_works),
	ROW(-EINTR, waiting_submit, "SUBMIT interrupted", .prepare = waiting_begin_signals,
	    .works = waiting_submit_works),
	ROW(-EINTR, waiting_exec, "EXEC of too much interrupted", .prepare = waiting_fill_exec,
	    .works = waiting_exec_works),
	ROW(-EINTR, waiting_submit_more, "SUBMIT of too much interrupted",
	    .prepare = waiting_fill_submit, .works = waiting_submit_more_works),
	ROW(-EINTR, waiting_signal, "FENCE_SIGNAL of too much interrupted",
	    .prepare = waiting_fill_signals, .works = waiting_signal_works),
	ROW(-EINTR, waiting_bind, "VM_BIND of too much interrupted", .prepare = waiting_fill_binds,
	    .works = waiting_bind_works),
	ROW(-EINTR, waiting_bo_killed, "BO_WAIT killed", .runs = NR_KILLS, .prepare = waiting_begin,
	    .works = waiting_bo_works),
	ROW(-EINTR, waiting_place_killed, "BO_PLACE killed", .runs = NR_KILLS,
	    .prepare = waiting_begin, .works = waiting_place_works),
	ROW(-EINTR, waiting_renew_killed, "BO_MADVISE WILLNEED killed", .runs = NR_KILLS,
	    .prepare = waiting_begin_purged, .works = waiting_renew_works),
	ROW(-EINTR, waiting_fence_killed, "FENCE_WAIT killed", .runs = NR_KILLS,
	    .prepare = waiting_begin),
	ROW(-EINTR, waiting_hold_killed, "MAKE_RESIDENT killed", .runs = NR_KILLS,
	    .prepare = waiting_begin, .works = waiting_hold_works),
	ROW(-EINTR, waiting_bind_killed, "VM_BIND of too much killed", .runs = NR_KILLS,
	    .prepare = waiting_fill_binds_once, .works = waiting_bind_works),
	ROW(-EINTR, waiting_exec_killed, "EXEC of too much killed", .runs = NR_KILLS,
	    .prepare = waiting_fill_exec_once, .works = waiting_exec_works),
	ROW(-EINTR, waiting_submit_killed, "SUBMIT killed", .runs = NR_KILLS,
	    .prepare = waiting_begin, .works = waiting_submit_works),
	ROW(-EFAULT, create_untold, "BO_CREATE that can not be told", .runs = NR_UNTOLD),
	ROW(-EFAULT, context_untold, "CONTEXT_CREATE that can not be told", .runs = NR_UNTOLD),
	ROW(-EFAULT, vm_untold, "VM_CREATE that can not be told", .runs = NR_UNTOLD),
	ROW(-EFAULT, fence_untold, "FENCE_CREATE that can not be told", .runs = NR_UNTOLD),
	ROW(-EFAULT, native_untold, "FENCE_CREATE of a native one that can not be told",
	    .runs = NR_UNTOLD),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(900);
	undone_begin(argc > 1 ? argv[1] : "");
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
