// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The device is given up: each call is refused, and what it took until then, arrays, syncobjs and
 * references, is given back. What works all the same takes nothing either.
 */
#include <unistd.h>

#include "dmabuf.h"
#include "undone.h"

#define VRAM	DRM_QUIRE_SEGMENT_VRAM
#define ALL	(DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1)

static struct drm_quire_sync signal_to(uint32_t syncobj)
{
	return (struct drm_quire_sync){ .handle = syncobj, .flags = DRM_QUIRE_SYNC_SIGNAL };
}

static struct drm_quire_sync wait_of(uint32_t syncobj)
{
	return (struct drm_quire_sync){ .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT };
}

static struct drm_quire_segment_info segments[QUIRE_SEGMENTS];

UNDONE_IOCTL(query, QUERY, drm_quire_query, .type = DRM_QUIRE_QUERY_SEGMENTS,
	     .answer = DRM_QUIRE_ARRAY(QUIRE_SEGMENTS, segments))

/*
 * Objects
 */
UNDONE_IOCTL(create, BO_CREATE, drm_quire_bo_create, .size = UNDONE_SIZE, .segments = ALL)
UNDONE_IOCTL(create_private, BO_CREATE, drm_quire_bo_create, .size = UNDONE_SIZE, .segments = ALL,
	     .vm = s->vm)
UNDONE_IOCTL(info, BO_INFO, drm_quire_bo_info, .handle = s->object)
UNDONE_IOCTL(offset, BO_MMAP_OFFSET, drm_quire_bo_mmap_offset, .handle = s->object)
UNDONE_IOCTL(wait, BO_WAIT, drm_quire_bo_wait, .handle = s->object)
UNDONE_IOCTL(needed, BO_MADVISE, drm_quire_bo_madvise, .handle = s->object)
UNDONE_IOCTL(not_needed, BO_MADVISE, drm_quire_bo_madvise, .handle = s->object,
	     .advice = DRM_QUIRE_MADV_DONTNEED)

static int place(struct stage *s)
{
	const struct drm_quire_sync syncs[] = {
		signal_to(s->signal),
		{ .handle = s->empty, .flags = DRM_QUIRE_SYNC_SIGNAL, .point = 7 },
	};

	return quire_bo_place_syncs(s->fd, s->object, VRAM, 0, syncs, 2);
}

static int hold(struct stage *s)
{
	const struct drm_quire_sync sync = signal_to(s->signal);
	const struct drm_quire_resident objects[] = {
		{ .handle = s->object }, { .handle = s->other },
	};
	struct drm_quire_make_resident resident = {
		.objects = DRM_QUIRE_ARRAY(2, objects), .syncs = DRM_QUIRE_ARRAY(1, &sync),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_MAKE_RESIDENT, &resident);
}

static int release(struct stage *s)
{
	const struct drm_quire_resident objects[] = {
		{ .handle = s->object }, { .handle = s->other },
	};
	struct drm_quire_evict evict = { .objects = DRM_QUIRE_ARRAY(2, objects) };

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_EVICT, &evict);
}

static int export(struct stage *s)
{
	int dmabuf = dmabuf_export(s->fd, s->object);

	if (dmabuf < 0)
		return dmabuf;
	close(dmabuf);
	return 0;
}

static int import(struct stage *s)
{
	int dmabuf = udmabuf_create(UNDONE_SIZE);
	uint32_t handle;
	int ret;

	if (dmabuf < 0)
		return dmabuf;
	ret = dmabuf_import(s->fd, dmabuf, &handle);
	close(dmabuf);
	if (ret)
		return ret;
	ret = quire_bo_place(s->fd, handle, DRM_QUIRE_SEGMENT_APERTURE, 0);
	quire_bo_close(s->fd, handle);
	return ret;
}

/*
 * Contexts and their work
 */
UNDONE_IOCTL(context, CONTEXT_CREATE, drm_quire_context_create, .priority = 0)
UNDONE_IOCTL(context_in, CONTEXT_CREATE, drm_quire_context_create, .vm = s->vm)
UNDONE_IOCTL(state, CONTEXT_STATE, drm_quire_context_state, .context = s->plain)
UNDONE_IOCTL(vm, VM_CREATE, drm_quire_vm_create, .pad = 0)

static int submit(struct stage *s)
{
	const struct drm_quire_sync syncs[] = { wait_of(s->done), signal_to(s->signal) };
	struct attempt a;

	attempt_init(&a, &s->scene);
	a.submit.syncs = (struct drm_quire_array)DRM_QUIRE_ARRAY(2, syncs);
	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_SUBMIT, &a.submit);
}

static int exec(struct stage *s)
{
	const struct drm_quire_sync syncs[] = { wait_of(s->done), signal_to(s->signal) };
	struct drm_quire_exec exec = {
		.context = s->context, .address = SPACE_COMMANDS, .size = s->space.writer.used,
		.syncs = DRM_QUIRE_ARRAY(2, syncs),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_EXEC, &exec);
}

static int bind(struct stage *s)
{
	const struct drm_quire_sync syncs[] = { wait_of(s->done), signal_to(s->signal) };
	const struct drm_quire_bind bind = {
		.address = UNDONE_BASE, .size = UNDONE_SIZE, .handle = s->object,
	};
	struct drm_quire_vm_bind call = {
		.vm = s->vm, .binds = DRM_QUIRE_ARRAY(1, &bind), .syncs = DRM_QUIRE_ARRAY(2, syncs),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &call);
}

/*
 * Fences
 */
UNDONE_IOCTL(fence, FENCE_CREATE, drm_quire_fence_create, .value = 1)
UNDONE_IOCTL(fence_native, FENCE_CREATE, drm_quire_fence_create, .flags = DRM_QUIRE_FENCE_NATIVE,
	     .vm = s->vm)
UNDONE_IOCTL(fence_wait, FENCE_WAIT, drm_quire_fence_wait, .handle = s->fence, .value = ~0ull,
	     .timeout_ns = INT64_MAX)
UNDONE_IOCTL(native_wait, FENCE_WAIT, drm_quire_fence_wait, .handle = s->native, .value = ~0ull,
	     .timeout_ns = INT64_MAX)

static int fence_signal(struct stage *s)
{
	const struct drm_quire_sync syncs[] = { wait_of(s->done), signal_to(s->signal) };
	struct drm_quire_fence_signal signal = {
		.handle = s->fence, .value = ++s->value, .syncs = DRM_QUIRE_ARRAY(2, syncs),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_FENCE_SIGNAL, &signal);
}

static const struct row rows[] = {
	ROW(-EIO, query, "wedged: QUERY"),
	ROW(-EIO, create, "wedged: BO_CREATE"),
	ROW(-EIO, create_private, "wedged: BO_CREATE private"),
	ROW(-EIO, info, "wedged: BO_INFO"),
	ROW(-EIO, offset, "wedged: BO_MMAP_OFFSET"),
	ROW(-EIO, wait, "wedged: BO_WAIT"),
	ROW(-EIO, needed, "wedged: BO_MADVISE WILLNEED"),
	ROW(-EIO, not_needed, "wedged: BO_MADVISE DONTNEED"),
	ROW(-EIO, place, "wedged: BO_PLACE"),
	ROW(-EIO, hold, "wedged: MAKE_RESIDENT"),
	ROW(-EIO, release, "wedged: EVICT"),
	ROW(0, export, "wedged: PRIME export"),
	ROW(-EIO, import, "wedged: PRIME import and BO_PLACE"),
	ROW(-EIO, context, "wedged: CONTEXT_CREATE"),
	ROW(-EIO, context_in, "wedged: CONTEXT_CREATE in an address space"),
	ROW(0, state, "wedged: CONTEXT_STATE"),
	ROW(-EIO, vm, "wedged: VM_CREATE"),
	ROW(-EIO, submit, "wedged: SUBMIT"),
	ROW(-EIO, exec, "wedged: EXEC"),
	ROW(-EIO, bind, "wedged: VM_BIND"),
	ROW(-EIO, fence, "wedged: FENCE_CREATE"),
	ROW(-EIO, fence_native, "wedged: FENCE_CREATE a native one"),
	ROW(-EIO, fence_wait, "wedged: FENCE_WAIT"),
	ROW(-EIO, native_wait, "wedged: FENCE_WAIT for a native fence"),
	ROW(-EIO, fence_signal, "wedged: FENCE_SIGNAL"),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(300);
	undone_begin(argc > 1 ? argv[1] : "");
	undone_wedged_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
