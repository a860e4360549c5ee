// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include "dmabuf.h"
#include "undone_turns.h"

#define SYSTEM	DRM_QUIRE_SEGMENT_SYSTEM
#define VRAM	DRM_QUIRE_SEGMENT_VRAM

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: %s", what, strerror(-ret));
}

/*
 * Who evicts everything has the turn, and waits for commands that are at work with what is to be
 * evicted: each time for other ones.
 */
static struct gate gate;
static uint64_t number;		/* of the gate, which the last ones wait for */
static struct quire_context *context;
static struct quire_object *victim;	/* is evicted; NULL: the imported one */
static uint32_t imported;	/* of another driver; 0: none */
static int dmabuf = -1;		/* of that */
static pid_t evictor;

static void open_gate(void)
{
	work_gate_raise(&gate, UINT64_MAX);
}

static void begin(struct stage *s)
{
	work_gate_open_apart(&s->scene.work, &gate);
	atexit(open_gate);
	context = work_context(&s->scene.work);
	must(undone_place(s, s->object, SYSTEM), "an object");
}

void turns_begin(struct stage *s)
{
	begin(s);
	victim = work_object(&s->scene.work, UNDONE_SIZE);
}

/* The lock of a dma-buf of another driver is held then, too: see turns_import(). */
void turns_begin_import(struct stage *s)
{
	begin(s);
	dmabuf = udmabuf_create(UNDONE_SIZE);
	if (dmabuf < 0)
		tap_bail("udmabuf: %s", strerror(-dmabuf));
	must(dmabuf_import(s->fd, dmabuf, &imported), "import");
}

/* The next commands wait. */
static void use(struct stage *s, const struct quire_fence *fence)
{
	must(work_submit(&s->scene.work, context, 1, NULL, fence), "commands that wait");
}

static void use_imported(struct stage *s)
{
	struct quire_fence *fence = work_fence(&s->scene.work);
	int file;

	must(undone_place(s, imported, DRM_QUIRE_SEGMENT_APERTURE), "in the aperture");
	use(s, fence);
	file = quire_fence_export(fence, 0);
	must(dmabuf_import_sync_file(dmabuf, file), "they are at work with it");
	close(file);
	quire_fence_close(fence);
}

/* What had content in VRAM would be passed over. It is not shared. */
static void use_victim(struct stage *s)
{
	uint32_t handle = quire_object_handle(victim);

	must(quire_bo_madvise(s->fd, handle, DRM_QUIRE_MADV_WILLNEED, NULL), "WILLNEED");
	quire_recorder_fill(s->scene.work.recorder, quire_at(victim, 0), QUIRE_PAGE, 7);
	use(s, NULL);
	must(quire_bo_madvise(s->fd, handle, DRM_QUIRE_MADV_DONTNEED, NULL), "DONTNEED");
}

/* Until turns_give(). */
void turns_take(struct stage *s)
{
	work_wait_at(&s->scene.work, &gate, ++number);
	if (imported)
		use_imported(s);
	else
		use_victim(s);
	evictor = child_start(UNDONE_S);
	if (!evictor)
		_exit(-debugfs_write(s->scene.work.fixture.debugfs, "evict_all", "1"));
	if (!child_gets_within(evictor, "quire_ttm_evict_all", WAIT_MS))
		tap_bail("nobody has the turn");
}

/* Returns what came of the eviction. */
int turns_give(struct stage *s)
{
	(void)s;
	work_gate_raise(&gate, number);
	return -child_status(evictor);
}

/* Of what is evicted, which was never shared. Made once. */
int turns_export(struct stage *s)
{
	struct drm_prime_handle prime = { .handle = quire_object_handle(victim) };

	return quire_ioctl_once(s->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
}

/* By another file. Made once. */
int turns_import(void)
{
	struct drm_prime_handle prime = { .fd = dmabuf };
	int fd = quire_open(), ret;

	ret = quire_ioctl_once(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime);
	close(fd);
	return ret;
}

/*
 * Half of VRAM is of another file.
 */
static struct work other;

static uint64_t eighths(const struct stage *s, unsigned int count)
{
	return fixture_vram(&s->scene.work.fixture) / 8 * count & ~(QUIRE_PAGE - 1);
}

/* 0: a small one, 1 and 2: there is room for one of them when nobody has anything, 3: for it now */
static uint32_t wanted[4];

#define WANTED		UNDONE_BASE	/* where the first one is bound */
#define WANTED_AGAIN	(2 * UNDONE_BASE)

static void want(struct stage *s)
{
	const uint32_t segments = DRM_QUIRE_SEGMENT_BIT(SYSTEM) | DRM_QUIRE_SEGMENT_BIT(VRAM);
	struct drm_quire_bind bind = { .address = WANTED, .size = eighths(s, 5) };
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };

	must(quire_bo_create_in(s->fd, eighths(s, 5), segments, &wanted[1]) ?:
	     quire_bo_create_in(s->fd, eighths(s, 5), segments, &wanted[2]) ?:
	     quire_bo_create_in(s->fd, eighths(s, 3), segments, &wanted[3]), "objects");
	bind.handle = wanted[1];
	must(quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call) ?:
	     undone_place(s, wanted[1], SYSTEM), "a large object that is bound");
}

void turns_fill_half(struct stage *s)
{
	uint32_t handle;

	want(s);
	work_open(&other);
	must(quire_bo_create(other.fixture.fd, eighths(s, 4), &handle) ?:
	     quire_bo_place(other.fixture.fd, handle, VRAM, 0) ?:
	     quire_bo_wait(other.fixture.fd, handle, WAIT_MS), "half of VRAM");
	waiting_use_dmabuf(s, dmabuf_export(other.fixture.fd, handle));
}

void turns_fill_half_signals(struct stage *s)
{
	turns_fill_half(s);
	waiting_start_signals();
}

int turns_place(struct stage *s)
{
	struct drm_quire_bo_place place = { .handle = wanted[1], .segment = VRAM };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_BO_PLACE, &place);
}

int turns_hold(struct stage *s)
{
	const struct drm_quire_resident objects[] = {
		{ .handle = s->object }, { .handle = wanted[1] },
	};
	struct drm_quire_make_resident hold = { .objects = DRM_QUIRE_ARRAY(2, objects) };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &hold);
}

static uint32_t fresh;		/* context of the next submission */

/* A copy within the first object, then one within the second: what the first has is free then. */
static int submit_two(struct stage *s, uint32_t first, uint32_t second)
{
	struct attempt a;

	attempt_init(&a, &s->scene);
	*(struct quire_command_copy *)append(&a, copy(&a)->header) = *copy(&a);
	for (unsigned int i = 0; i < 2; i++) {
		a.allocations[i].handle = first;
		a.allocations[2 + i] = a.allocations[i];
		a.allocations[2 + i].handle = second;
		a.patches[2 + i] = a.patches[i];
		a.patches[2 + i].allocation = 2 + i;
		a.patches[2 + i].split_offset = COPY_END;
		a.patches[2 + i].patch_offset += COPY_END - COPY;
	}
	a.submit.allocations.count = 4;
	a.submit.patches.count = 4;
	a.submit.context = fresh;
	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_SUBMIT, &a.submit);
}

/* A context has one attempt that a signal ends, and none behind a part of what came to nothing. */
static int in_fresh_context(struct stage *s, int (*call)(struct stage *s), const char *killed)
{
	struct drm_quire_context_destroy destroy = { 0 };
	int ret = undone_context(s, 0, &fresh);

	if (ret)
		return ret;
	ret = killed ? waiting_kill(s, call, killed) : call(s);
	destroy.context = fresh;
	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy) ?: ret;
}

static int submit_large(struct stage *s)
{
	return submit_two(s, wanted[1], wanted[2]);
}

static int submit_late(struct stage *s)
{
	return submit_two(s, wanted[3], wanted[1]);
}

/* No part of it is queued: there is no room for the first object. */
int turns_submit(struct stage *s)
{
	return in_fresh_context(s, submit_large, NULL);
}

int turns_submit_killed(struct stage *s)
{
	return in_fresh_context(s, submit_large, "quire_submit_page_in");
}

/* One part of it is queued. */
int turns_submit_late(struct stage *s)
{
	return in_fresh_context(s, submit_late, NULL);
}

int turns_submit_late_killed(struct stage *s)
{
	return in_fresh_context(s, submit_late, "quire_submit_page_in");
}

int turns_exec(struct stage *s)
{
	struct drm_quire_exec exec = {
		.context = s->context, .address = SPACE_COMMANDS, .size = s->space.writer.used,
	};

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_EXEC, &exec);
}

int turns_bind(struct stage *s)
{
	const struct drm_quire_bind bind = {
		.address = WANTED_AGAIN, .size = eighths(s, 5), .handle = wanted[2],
	};
	struct drm_quire_vm_bind call = { .vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };

	return quire_ioctl_once(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call);
}
