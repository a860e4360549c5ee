// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What calls about contexts, submissions and address spaces take is given back: after a success
 * that is undone, and after each refusal, however late it comes.
 */
#include <string.h>

#include "fdinfo.h"
#include "undone.h"

#define VRAM		DRM_QUIRE_SEGMENT_VRAM
#define SYSTEM		DRM_QUIRE_SEGMENT_SYSTEM
#define NOWHERE		((uint64_t)BAD_POINTER)
#define NR_LARGE	3u

static struct drm_quire_sync signal_to(uint32_t syncobj)
{
	return (struct drm_quire_sync){ .handle = syncobj, .flags = DRM_QUIRE_SYNC_SIGNAL };
}

static struct drm_quire_sync wait_of(uint32_t syncobj)
{
	return (struct drm_quire_sync){ .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT };
}

/*
 * CONTEXT_CREATE, CONTEXT_DESTROY, CONTEXT_STATE
 */
static int context_with(struct stage *s, struct drm_quire_context_create create)
{
	struct drm_quire_context_destroy destroy = { 0 };
	int ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create);

	if (ret)
		return ret;
	s->number = create.context;
	destroy.context = create.context;
	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy);
}

#define CONTEXT_WITH(name, ...)						\
	static int context_##name(struct stage *s)				\
	{								\
		return context_with(s, (struct drm_quire_context_create){ __VA_ARGS__ }); \
	}

CONTEXT_WITH(plain, .vm = 0)
CONTEXT_WITH(in, .vm = s->vm)
CONTEXT_WITH(priority, .priority = 77)
CONTEXT_WITH(pad, .pad = 1)
CONTEXT_WITH(no_vm, .vm = 77)

UNDONE_IOCTL(destroy_none, CONTEXT_DESTROY, drm_quire_context_destroy, .context = 777)
UNDONE_IOCTL(destroy_pad, CONTEXT_DESTROY, drm_quire_context_destroy, .context = s->plain, .pad = 1)
UNDONE_IOCTL(state, CONTEXT_STATE, drm_quire_context_state, .context = s->ended)
UNDONE_IOCTL(state_none, CONTEXT_STATE, drm_quire_context_state, .context = 777)

static void take_all_contexts(struct stage *s)
{
	struct drm_quire_context_create create = { 0 };
	unsigned int taken = 0;

	while (!quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create))
		taken++;
	if (taken < DRM_QUIRE_MAX_CONTEXTS / 2)
		tap_bail("%u contexts only", taken);
}

/*
 * SUBMIT
 */
/* In a fresh context. */
static int submit(struct stage *s, struct attempt *a)
{
	struct drm_quire_context_destroy destroy = { 0 };
	int ret = 0;

	if (a->submit.context == s->plain) {
		ret = undone_context(s, 0, &destroy.context);
		a->submit.context = destroy.context;
	}
	ret = ret ?: quire_ioctl(s->fd, DRM_IOCTL_QUIRE_SUBMIT, &a->submit);
	if (destroy.context)
		quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy);
	return ret;
}

/* With one change, and its fence if it succeeds. */
#define SUBMITTED(name, ...)					\
	static int submit_##name(struct stage *s)				\
	{								\
		const struct drm_quire_sync syncs[] = {			\
			wait_of(s->done), signal_to(s->signal),		\
		};							\
		struct attempt a;					\
		int ret;						\
									\
		attempt_init(&a, &s->scene);				\
		a.submit.syncs = (struct drm_quire_array)DRM_QUIRE_ARRAY(2, syncs); \
		__VA_ARGS__;						\
		ret = submit(s, &a);					\
		return ret ?: undone_wait(s, s->signal);		\
	}

#define SUBMIT_SYNCED(name, second)					\
	static int submit_##name(struct stage *s)				\
	{								\
		const struct drm_quire_sync syncs[] = {			\
			wait_of(s->done), signal_to(s->signal), second	\
		};							\
		struct attempt a;					\
									\
		attempt_init(&a, &s->scene);				\
		a.submit.syncs = (struct drm_quire_array)DRM_QUIRE_ARRAY(3, syncs); \
		return submit(s, &a);					\
	}

static struct drm_quire_array nowhere(uint32_t stride)
{
	return (struct drm_quire_array){ .stride = stride, .count = 2, .array = NOWHERE };
}

SUBMITTED(good, a.submit.flags = 0)
SUBMITTED(context, a.submit.context = 777)
SUBMITTED(in_vm, a.submit.context = s->context)
SUBMITTED(ring, a.submit.ring = 77)
SUBMITTED(size, a.submit.commands_size = 4)
SUBMITTED(nowhere, a.submit.commands = NOWHERE)
SUBMITTED(no_allocations, a.submit.allocations =
	  nowhere(sizeof(struct drm_quire_allocation)))
SUBMITTED(no_patches, a.submit.patches = nowhere(sizeof(struct drm_quire_patch_location)))
SUBMITTED(no_syncs, a.submit.syncs = nowhere(sizeof(struct drm_quire_sync)))
SUBMITTED(allocation_flags, a.allocations[1].flags = 77)
SUBMITTED(no_object, a.allocations[1].handle = NO_HANDLE)
SUBMITTED(secret, a.allocations[1].handle = s->secret)
SUBMITTED(fence, a.allocations[1].handle = s->fence)
SUBMITTED(system, a.allocations[1].handle = s->system)
SUBMITTED(purged, a.allocations[1].handle = s->purged)
SUBMITTED(behind, a.allocations[1].offset = 1ull << 40)
SUBMITTED(patch, a.patches[1].pad = 1)
SUBMITTED(slot, a.patches[1].slot = 0x7fffffff)
SUBMITTED(command, a.nop.opcode = 0x7777)
SUBMITTED(no_write, a.allocations[1].flags = 0)
SUBMITTED(too_large, a.allocations[1] = (struct drm_quire_allocation){
	  .handle = s->other, .flags = DRM_QUIRE_ALLOCATION_WRITE, .offset = 2 * QUIRE_PAGE,
	  .size = QUIRE_PAGE })
SUBMIT_SYNCED(no_sync, signal_to(NO_HANDLE))
SUBMIT_SYNCED(empty, wait_of(s->empty))
SUBMIT_SYNCED(sync_flags, ((struct drm_quire_sync){ .handle = s->done }))

static void make_too_large(struct stage *s)
{
	if (quire_bo_create_in(s->fd, fixture_vram(&s->scene.work.fixture) + QUIRE_PAGE,
			       DRM_QUIRE_SEGMENT_BIT(SYSTEM) | DRM_QUIRE_SEGMENT_BIT(VRAM),
			       &s->other))
		tap_bail("a large object");
}

/* The context of submissions: a command of it fails. */
static void end_plain(struct stage *s)
{
	struct attempt a;

	s->plain = 0;
	attempt_init(&a, &s->scene);
	if (!work_inject(&s->scene.work, 0, "fault", 1) || submit(s, &a) ||
	    quire_bo_wait(s->fd, s->object, WAIT_MS))
		tap_bail("no context ends");
}

/* Objects that do not fit together. */
static void make_large(struct stage *s)
{
	struct work *work = &s->scene.work;
	static struct quire_object *large[NR_LARGE];

	for (unsigned int i = 0; i < NR_LARGE; i++)
		large[i] = work_object(work, fixture_vram(&work->fixture) / 2);
	s->more = large;
}

static int submit_parts(struct stage *s)
{
	struct work *work = &s->scene.work;
	struct quire_object **large = s->more;
	struct quire_context *context = NULL;
	struct quire_fence *fence = NULL;
	int ret = quire_fence_create(work->device, &fence) ?:
		  quire_context_create(work->device, DRM_QUIRE_PRIORITY_NORMAL, &context);

	for (unsigned int i = 0; i < NR_LARGE; i++)
		quire_recorder_fill(work->recorder, quire_at(large[i], 0), QUIRE_PAGE, i);
	ret = ret ?: work_submit(work, context, 0, NULL, fence) ?: work_fence_wait(fence);
	quire_recorder_reset(work->recorder);
	quire_fence_close(fence);
	quire_context_destroy(context);
	return ret ?: work->result.parts < 2 ? -EILSEQ : 0;
}

/*
 * VM_CREATE, VM_DESTROY
 */
static int vm_with(struct stage *s, uint32_t pad)
{
	struct drm_quire_vm_create create = { .pad = pad };
	struct drm_quire_vm_destroy destroy = { 0 };
	int ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_CREATE, &create);

	if (ret)
		return ret;
	s->number = create.vm;
	destroy.vm = create.vm;
	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
}

static int vm(struct stage *s)
{
	return vm_with(s, 0);
}

static int vm_pad(struct stage *s)
{
	return vm_with(s, 1);
}

static void take_all_vms(struct stage *s)
{
	struct drm_quire_vm_create create = { 0 };
	unsigned int taken = 0;

	while (!quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_CREATE, &create))
		taken++;
	if (taken < DRM_QUIRE_MAX_VMS / 2)
		tap_bail("%u address spaces only", taken);
}

UNDONE_IOCTL(vm_destroy_none, VM_DESTROY, drm_quire_vm_destroy, .vm = 777)
UNDONE_IOCTL(vm_destroy_pad, VM_DESTROY, drm_quire_vm_destroy, .vm = s->vm, .pad = 1)

/*
 * VM_BIND
 */
static int bind_in(struct stage *s, uint32_t vm, const struct drm_quire_bind *binds,
		   uint32_t count, const struct drm_quire_sync *syncs, uint32_t nr_syncs)
{
	struct drm_quire_vm_bind bind = {
		.vm = vm, .binds = DRM_QUIRE_ARRAY(count, binds),
		.syncs = DRM_QUIRE_ARRAY(nr_syncs, syncs),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_BIND, &bind);
}

static struct drm_quire_bind map_at(uint64_t address, uint32_t handle)
{
	return (struct drm_quire_bind){ .address = address, .size = UNDONE_SIZE, .handle = handle };
}

static struct drm_quire_bind unmap_at(uint64_t address, uint64_t size)
{
	return (struct drm_quire_bind){
		.operation = DRM_QUIRE_BIND_UNMAP, .address = address, .size = size,
	};
}

static int unbind(struct stage *s)
{
	const struct drm_quire_bind bind = unmap_at(UNDONE_BASE, 1ull << 31);

	return bind_in(s, s->vm, &bind, 1, NULL, 0);
}

static int bind(struct stage *s)
{
	const struct drm_quire_bind bind = map_at(UNDONE_BASE, s->object);

	return bind_in(s, s->vm, &bind, 1, NULL, 0) ?: unbind(s) ?:
	       undone_place(s, s->object, SYSTEM);
}

static int bind_syncs(struct stage *s)
{
	const struct drm_quire_sync syncs[] = { wait_of(s->done), signal_to(s->signal) };
	const struct drm_quire_bind bind = map_at(UNDONE_BASE, s->object);
	const struct drm_quire_bind unmap = unmap_at(UNDONE_BASE, UNDONE_SIZE);

	return bind_in(s, s->vm, &bind, 1, syncs, 2) ?: bind_in(s, s->vm, &unmap, 1, syncs, 2) ?:
	       undone_wait(s, s->signal) ?: undone_place(s, s->object, SYSTEM);
}

/* In the middle of what was bound before, and copied elsewhere. */
static int bind_copy(struct stage *s)
{
	const struct drm_quire_bind binds[] = {
		map_at(UNDONE_BASE, s->object),
		{ .operation = DRM_QUIRE_BIND_MAP_ZERO, .address = UNDONE_BASE + QUIRE_PAGE,
		  .size = QUIRE_PAGE },
		{ .operation = DRM_QUIRE_BIND_COPY, .address = UNDONE_BASE + (1ull << 30),
		  .size = UNDONE_SIZE, .offset = UNDONE_BASE },
	};

	return bind_in(s, s->vm, binds, ARRAY_SIZE(binds), NULL, 0) ?: unbind(s) ?:
	       undone_place(s, s->object, SYSTEM);
}

/* What is bound goes with its address space, or with the object's last reference. */
static int bind_and_close(struct stage *s)
{
	struct drm_quire_vm_create create = { 0 };
	struct drm_quire_vm_destroy destroy = { 0 };
	struct drm_quire_bind binds[] = {
		map_at(UNDONE_BASE, 0), map_at(2 * UNDONE_BASE, s->object),
	};
	int ret = undone_object(s, &binds[0].handle) ?:
		  quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_CREATE, &create) ?:
		  bind_in(s, create.vm, binds, 2, NULL, 0);

	quire_bo_close(s->fd, binds[0].handle);
	destroy.vm = create.vm;
	quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
	return ret ?: undone_place(s, s->object, SYSTEM);
}

static int statistics(struct stage *s)
{
	return fdinfo_region(s->fd, "total", VRAM) == UINT64_MAX ? -ENODATA : 0;
}

/* Page tables in VRAM and a save area that is nowhere yet, then tables that were given up. */
static int bind_and_look(struct stage *s)
{
	const struct drm_quire_bind bind = map_at(UNDONE_BASE, s->object);
	struct drm_quire_context_destroy context = { 0 };
	struct drm_quire_vm_create create = { 0 };
	struct drm_quire_vm_destroy destroy = { 0 };
	int ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_CREATE, &create) ?:
		  bind_in(s, create.vm, &bind, 1, NULL, 0) ?:
		  undone_context(s, create.vm, &context.context) ?: statistics(s) ?:
		  debugfs_write(s->scene.work.fixture.debugfs, "evict_all", "1") ?:
		  statistics(s);

	destroy.vm = create.vm;
	quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &context);
	quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
	return ret ?: undone_place(s, s->object, SYSTEM);
}

/* A good element, then one that is refused. */
#define BIND_SECOND(name, ...)						\
	static int bind_##name(struct stage *s)				\
	{								\
		const struct drm_quire_sync sync = signal_to(s->signal);	\
		const struct drm_quire_bind binds[] = {			\
			map_at(UNDONE_BASE, s->object), { __VA_ARGS__ },	\
		};							\
									\
		return bind_in(s, s->vm, binds, 2, &sync, 1);		\
	}

#define MAP	.address = 2 * UNDONE_BASE, .size = UNDONE_SIZE, .handle

BIND_SECOND(operation, .operation = 77)
BIND_SECOND(odd, .address = 7, .size = QUIRE_PAGE, .operation = DRM_QUIRE_BIND_UNMAP)
BIND_SECOND(outside, .address = DRM_QUIRE_VM_SIZE, .size = QUIRE_PAGE,
	    .operation = DRM_QUIRE_BIND_UNMAP)
BIND_SECOND(none, MAP = NO_HANDLE)
BIND_SECOND(behind, MAP = s->other, .offset = QUIRE_PAGE)
BIND_SECOND(fence, .address = 2 * UNDONE_BASE, .size = QUIRE_PAGE, .handle = s->fence)
BIND_SECOND(system, MAP = s->system)
BIND_SECOND(purged, MAP = s->purged)
BIND_SECOND(copy_outside, .operation = DRM_QUIRE_BIND_COPY, .address = 0, .size = QUIRE_PAGE,
	    .offset = DRM_QUIRE_VM_SIZE)
BIND_SECOND(too_large, .address = 1ull << 40,
	    .size = fixture_vram(&s->scene.work.fixture) + QUIRE_PAGE, .handle = s->other)

/* Private to another address space. */
static int bind_secret(struct stage *s)
{
	struct drm_quire_vm_create create = { 0 };
	struct drm_quire_vm_destroy destroy = { 0 };
	const struct drm_quire_bind bind = map_at(UNDONE_BASE, s->secret);
	int ret = quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_CREATE, &create) ?:
		  bind_in(s, create.vm, &bind, 1, NULL, 0);

	destroy.vm = create.vm;
	quire_ioctl(s->fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
	return ret;
}

static int bind_in_none(struct stage *s)
{
	const struct drm_quire_bind bind = map_at(UNDONE_BASE, s->object);

	return bind_in(s, 777, &bind, 1, NULL, 0);
}

static int bind_nothing(struct stage *s)
{
	return bind_in(s, s->vm, NULL, 0, NULL, 0);
}

#define BIND_SYNCED(name, second)					\
	static int bind_##name(struct stage *s)				\
	{								\
		const struct drm_quire_sync syncs[] = { signal_to(s->signal), second };	\
		const struct drm_quire_bind bind = map_at(UNDONE_BASE, s->object);	\
									\
		return bind_in(s, s->vm, &bind, 1, syncs, 2);		\
	}

BIND_SYNCED(no_sync, signal_to(NO_HANDLE))
BIND_SYNCED(empty, wait_of(s->empty))
BIND_SYNCED(sync_flags, ((struct drm_quire_sync){ .handle = s->done }))

UNDONE_IOCTL(bind_queue, VM_BIND, drm_quire_vm_bind, .vm = s->vm, .queue = 77)
UNDONE_IOCTL(bind_nowhere, VM_BIND, drm_quire_vm_bind, .vm = s->vm,
	     .binds = nowhere(sizeof(struct drm_quire_bind)))
UNDONE_IOCTL(bind_syncs_nowhere, VM_BIND, drm_quire_vm_bind, .vm = s->vm,
	     .syncs = nowhere(sizeof(struct drm_quire_sync)))

/* Each element but the first doubles what is bound. */
static int bind_copies(struct stage *s)
{
	struct drm_quire_bind binds[20] = { map_at(UNDONE_BASE, s->object) };

	for (unsigned int i = 1; i < ARRAY_SIZE(binds); i++)
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_COPY, .size = UNDONE_SIZE << (i - 1),
			.address = UNDONE_BASE + (UNDONE_SIZE << (i - 1)), .offset = UNDONE_BASE,
		};
	return bind_in(s, s->vm, binds, ARRAY_SIZE(binds), NULL, 0);
}

/* Page tables do not fit. */
static int bind_tables(struct stage *s)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP_ZERO, .address = 1ull << 44, .size = 1ull << 44,
	};

	return bind_in(s, s->vm, &bind, 1, NULL, 0);
}

/*
 * EXEC
 */
static int exec_with(struct stage *s, uint32_t context, uint64_t address, uint32_t size,
		     struct drm_quire_sync second)
{
	const struct drm_quire_sync syncs[] = { signal_to(s->signal), second };
	struct drm_quire_exec exec = {
		.context = context, .address = address, .size = size,
		.syncs = DRM_QUIRE_ARRAY(2, syncs),
	};

	return quire_ioctl(s->fd, DRM_IOCTL_QUIRE_EXEC, &exec);
}

static int exec(struct stage *s)
{
	return exec_with(s, s->context, SPACE_COMMANDS, s->space.writer.used, wait_of(s->done)) ?:
	       undone_wait(s, s->signal);
}

/* A context that faults. */
static int exec_fault(struct stage *s)
{
	struct drm_quire_context_destroy destroy = { 0 };
	int ret = undone_context(s, s->vm, &destroy.context);

	if (ret)
		return ret;
	ret = exec_with(s, destroy.context, UNDONE_BASE, 8, wait_of(s->done));
	undone_wait(s, s->signal);
	s->number = destroy.context;
	quire_ioctl(s->fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &destroy);
	return ret;
}

#define EXEC_WITH(name, context, address, size, second)			\
	static int exec_##name(struct stage *s)				\
	{								\
		return exec_with(s, context, address, size, second);	\
	}

EXEC_WITH(none, 777, SPACE_COMMANDS, 8, wait_of(s->done))
EXEC_WITH(plain, s->plain, SPACE_COMMANDS, 8, wait_of(s->done))
EXEC_WITH(odd, s->context, SPACE_COMMANDS, 7, wait_of(s->done))
EXEC_WITH(outside, s->context, DRM_QUIRE_VM_SIZE, 8, wait_of(s->done))
EXEC_WITH(no_sync, s->context, SPACE_COMMANDS, 8, signal_to(NO_HANDLE))
EXEC_WITH(empty, s->context, SPACE_COMMANDS, 8, wait_of(s->empty))
EXEC_WITH(sync_flags, s->context, SPACE_COMMANDS, 8, ((struct drm_quire_sync){ .handle = s->done }))
EXEC_WITH(ended, s->ended, SPACE_COMMANDS, 8, wait_of(s->done))
EXEC_WITH(lost, s->lost, SPACE_COMMANDS, 8, wait_of(s->done))

UNDONE_IOCTL(exec_ring, EXEC, drm_quire_exec, .context = s->context, .ring = 77)
UNDONE_IOCTL(exec_nowhere, EXEC, drm_quire_exec, .context = s->context, .address = SPACE_COMMANDS,
	     .size = 8, .syncs = nowhere(sizeof(struct drm_quire_sync)))

static const struct row rows[] = {
	ROW(0, context_plain, "CONTEXT_CREATE"),
	ROW(0, context_in, "CONTEXT_CREATE in an address space"),
	ROW(-EINVAL, context_priority, "CONTEXT_CREATE of an unknown priority"),
	ROW(-EINVAL, context_pad, "CONTEXT_CREATE with a pad"),
	ROW(-ENOENT, context_no_vm, "CONTEXT_CREATE in no address space"),
	ROW(-ENOSPC, context_plain, "CONTEXT_CREATE above the limit", .prepare = take_all_contexts),
	ROW(-ENOSPC, context_in, "CONTEXT_CREATE in an address space above the limit",
	    .prepare = take_all_contexts),
	ROW(-ENOENT, destroy_none, "CONTEXT_DESTROY of none"),
	ROW(-EINVAL, destroy_pad, "CONTEXT_DESTROY with a pad"),
	ROW(0, state, "CONTEXT_STATE"),
	ROW(-ENOENT, state_none, "CONTEXT_STATE of none"),
	ROW(0, submit_good, "SUBMIT"),
	ROW(0, submit_parts, "SUBMIT in parts", .runs = 400, .prepare = make_large),
	ROW(-ENOENT, submit_context, "SUBMIT to no context"),
	ROW(-EINVAL, submit_in_vm, "SUBMIT to a context of an address space"),
	ROW(-ECANCELED, submit_good, "SUBMIT to a context that has ended", .prepare = end_plain),
	ROW(-EINVAL, submit_ring, "SUBMIT to no ring"),
	ROW(-EINVAL, submit_size, "SUBMIT of half a command"),
	ROW(-EFAULT, submit_nowhere, "SUBMIT of commands nowhere"),
	ROW(-EFAULT, submit_no_allocations, "SUBMIT with allocations nowhere"),
	ROW(-EFAULT, submit_no_patches, "SUBMIT with patches nowhere"),
	ROW(-EFAULT, submit_no_syncs, "SUBMIT with syncobjs nowhere"),
	ROW(-EINVAL, submit_allocation_flags, "SUBMIT with unknown flags of an allocation"),
	ROW(-ENOENT, submit_no_object, "SUBMIT with an object that is not there"),
	ROW(-EPERM, submit_secret, "SUBMIT with a private object"),
	ROW(-ENOMEDIUM, submit_fence, "SUBMIT with a fence"),
	ROW(-ENOMEDIUM, submit_system, "SUBMIT with an object in system memory only"),
	ROW(-ENODATA, submit_purged, "SUBMIT with a purged object"),
	ROW(-ERANGE, submit_behind, "SUBMIT with bytes behind an object"),
	ROW(-EINVAL, submit_patch, "SUBMIT with a pad of a patch"),
	ROW(-ECHRNG, submit_slot, "SUBMIT with an unknown slot"),
	ROW(-EOPNOTSUPP, submit_command, "SUBMIT of an unknown command"),
	ROW(-EACCES, submit_no_write, "SUBMIT of a write to what is read"),
	ROW(-EFBIG, submit_too_large, "SUBMIT with what does not fit", .prepare = make_too_large),
	ROW(-ENOENT, submit_no_sync, "SUBMIT with a syncobj that is not there"),
	ROW(-ENOENT, submit_empty, "SUBMIT with an empty syncobj"),
	ROW(-EINVAL, submit_sync_flags, "SUBMIT with a syncobj for nothing"),
	ROW(0, vm, "VM_CREATE"),
	ROW(-EINVAL, vm_pad, "VM_CREATE with a pad"),
	ROW(-ENOSPC, vm, "VM_CREATE above the limit", .prepare = take_all_vms),
	ROW(-ENOENT, vm_destroy_none, "VM_DESTROY of none"),
	ROW(-EINVAL, vm_destroy_pad, "VM_DESTROY with a pad"),
	ROW(0, bind, "VM_BIND"),
	ROW(0, bind_syncs, "VM_BIND with syncobjs"),
	ROW(0, bind_copy, "VM_BIND of a copy"),
	ROW(0, bind_and_close, "VM_BIND and VM_DESTROY"),
	ROW(0, bind_and_look, "VM_BIND and fdinfo", .runs = 400),
	ROW(-EINVAL, bind_operation, "VM_BIND with an unknown operation"),
	ROW(-EINVAL, bind_odd, "VM_BIND at an odd address"),
	ROW(-ERANGE, bind_outside, "VM_BIND outside of the address space"),
	ROW(-ENOENT, bind_none, "VM_BIND of no object"),
	ROW(-ERANGE, bind_behind, "VM_BIND of bytes behind an object"),
	ROW(-EACCES, bind_fence, "VM_BIND of a fence to be written"),
	ROW(-ENOMEDIUM, bind_system, "VM_BIND of an object in system memory only"),
	ROW(-ENODATA, bind_purged, "VM_BIND of a purged object"),
	ROW(-ERANGE, bind_copy_outside, "VM_BIND of a copy from outside"),
	ROW(-ENOSPC, bind_too_large, "VM_BIND of what does not fit", .prepare = make_too_large),
	ROW(-EPERM, bind_secret, "VM_BIND of an object that is private elsewhere"),
	ROW(-ENOENT, bind_in_none, "VM_BIND in no address space"),
	ROW(-EINVAL, bind_nothing, "VM_BIND of nothing"),
	ROW(-ENOENT, bind_no_sync, "VM_BIND with a syncobj that is not there"),
	ROW(-ENOENT, bind_empty, "VM_BIND with an empty syncobj"),
	ROW(-EINVAL, bind_sync_flags, "VM_BIND with a syncobj for nothing"),
	ROW(-EINVAL, bind_queue, "VM_BIND in no queue"),
	ROW(-EFAULT, bind_nowhere, "VM_BIND of binds nowhere"),
	ROW(-EFAULT, bind_syncs_nowhere, "VM_BIND with syncobjs nowhere"),
	ROW(-ENOSPC, bind_tables, "VM_BIND whose page tables do not fit", .runs = 400),
	ROW(-E2BIG, bind_copies, "VM_BIND of too many copies"),
	ROW(0, exec, "EXEC"),
	ROW(0, exec_fault, "EXEC of what faults", .runs = 400),
	ROW(-ENOENT, exec_none, "EXEC in no context"),
	ROW(-EINVAL, exec_plain, "EXEC in a context without an address space"),
	ROW(-EINVAL, exec_odd, "EXEC of an odd size"),
	ROW(-ERANGE, exec_outside, "EXEC outside of the address space"),
	ROW(-ENOENT, exec_no_sync, "EXEC with a syncobj that is not there"),
	ROW(-ENOENT, exec_empty, "EXEC with an empty syncobj"),
	ROW(-EINVAL, exec_sync_flags, "EXEC with a syncobj for nothing"),
	ROW(-ECANCELED, exec_ended, "EXEC in a context that has ended"),
	ROW(-ENODATA, exec_lost, "EXEC where a purged object is bound"),
	ROW(-EINVAL, exec_ring, "EXEC on no ring"),
	ROW(-EFAULT, exec_nowhere, "EXEC with syncobjs nowhere"),
};

/* Of an argument, those rows alone that have it in their name. */
int main(int argc, char **argv)
{
	tap_start(900);
	undone_begin(argc > 1 ? argv[1] : "");
	undone_rows(rows, ARRAY_SIZE(rows));
	return undone_end();
}
