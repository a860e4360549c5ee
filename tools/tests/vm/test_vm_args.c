// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is wrong with the arguments of address spaces, binds and what is executed by virtual
 * addresses: each has its errno, names what it is about, and nothing changes.
 */
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include "refuse.h"
#include "space.h"
#include "syncs.h"

#define BASE	0x200000000ull
#define LIMIT	DRM_QUIRE_VM_SIZE

/**
 * struct scene - who is asked, and what with
 * @subject: must not notice anything
 * @work: the device
 * @space: where the subject is bound
 * @plain: a context without an address space
 * @context: number of one that has one
 * @other: another address space
 * @secret: private to it
 * @system: in system memory only
 * @tiled: an image with tiles that may be nowhere else
 */
struct scene {
	struct subject subject;
	struct work work;
	struct space space;
	uint32_t plain;
	uint32_t context;
	struct quire_vm *other;
	struct quire_object *secret;
	uint32_t system;
	uint32_t tiled;
};

static uint32_t context_of(struct scene *s, uint32_t vm)
{
	struct drm_quire_context_create create = { .vm = vm };

	if (quire_ioctl(s->work.fixture.fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create))
		tap_bail("context");
	return create.context;
}

static void scene_open(struct scene *s)
{
	struct drm_quire_bo_create image = {
		.size = QUIRE_PAGE, .layout = DRM_QUIRE_LAYOUT_TILE_4K, .element_size = 4,
		.width = 32, .height = 32, .levels = 1, .array_size = 1,
	};
	struct quire_object_options options = { .size = QUIRE_PAGE };

	work_begin(&s->work);
	if (quire_segment_instance(s->work.fixture.fd, DRM_QUIRE_SEGMENT_SYSTEM,
				   &image.segments))
		tap_bail("segments");
	image.segments = DRM_QUIRE_SEGMENT_BIT(image.segments);
	subject_make(&s->subject, &s->work.fixture);
	space_open(&s->space, &s->work);
	s->plain = context_of(s, 0);
	s->context = context_of(s, quire_vm_id(s->space.vm));
	if (quire_vm_create(s->work.device, &s->other))
		tap_bail("another address space");
	options.vm = s->other;
	if (quire_object_create(s->work.device, &options, &s->secret) ||
	    quire_bo_create_in(s->work.fixture.fd, QUIRE_PAGE, DRM_QUIRE_SEGMENT_BIT(0),
			       &s->system) ||
	    quire_ioctl(s->work.fixture.fd, DRM_IOCTL_QUIRE_BO_CREATE, &image))
		tap_bail("objects");
	s->tiled = image.handle;
	/* What tables have left that came to VRAM dies after them: then three pages are there. */
	tap_ok(fixture_comes_down(&s->work.fixture, DRM_QUIRE_SEGMENT_SYSTEM,
				  s->work.fixture.segments[DRM_QUIRE_SEGMENT_SYSTEM].usage +
				  3 * QUIRE_PAGE), "nothing changes any more by itself");
}

static void scene_close(struct scene *s)
{
	quire_bo_close(s->work.fixture.fd, s->system);
	quire_bo_close(s->work.fixture.fd, s->tiled);
	quire_object_close(s->secret);
	quire_vm_destroy(s->other);
	for (uint32_t context = s->plain; context; context = context == s->plain ? s->context : 0)
		quire_ioctl(s->work.fixture.fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY,
			    &(struct drm_quire_context_destroy){ .context = context });
	space_close(&s->space);
	subject_close(&s->subject);
	work_end(&s->work);
}

static int vm_create(int fd, uint32_t *vm)
{
	struct drm_quire_vm_create create = { 0 };
	int ret = quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_CREATE, &create);

	*vm = create.vm;
	return ret;
}

static int vm_destroy(int fd, uint32_t vm)
{
	struct drm_quire_vm_destroy destroy = { .vm = vm };

	return quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_DESTROY, &destroy);
}

#define CREATE(...)	REFUSED(&s->subject, DRM_IOCTL_QUIRE_VM_CREATE, \
				struct drm_quire_vm_create, __VA_ARGS__)
#define DESTROY(...)	REFUSED(&s->subject, DRM_IOCTL_QUIRE_VM_DESTROY, \
				struct drm_quire_vm_destroy, __VA_ARGS__)
#define CONTEXT(...)	REFUSED(&s->subject, DRM_IOCTL_QUIRE_CONTEXT_CREATE, \
				struct drm_quire_context_create, __VA_ARGS__)
#define BO(...)		REFUSED(&s->subject, DRM_IOCTL_QUIRE_BO_CREATE, \
				struct drm_quire_bo_create, __VA_ARGS__)

static void test_vms(struct scene *s)
{
	uint32_t segment, vm = 0;
	int fd = s->work.fixture.fd, file;

	quire_segment_instance(fd, DRM_QUIRE_SEGMENT_SYSTEM, &segment);
	segment = DRM_QUIRE_SEGMENT_BIT(segment);
	CREATE(-EINVAL, "create: pad", .pad = 1);
	DESTROY(-EINVAL, "destroy: pad", .vm = quire_vm_id(s->other), .pad = 1);
	DESTROY(-ENOENT, "destroy: number 0", .vm = 0);
	DESTROY(-ENOENT, "destroy: unknown number", .vm = NO_HANDLE);
	tap_ret(vm_create(fd, &vm), 0, "create one");
	tap_ok(vm != 0, "it has a number");
	file = quire_open();
	tap_ret(vm_destroy(file, vm), -ENOENT, "another file does not know it");
	close(file);
	tap_ret(vm_destroy(fd, vm), 0, "destroy it");
	DESTROY(-ENOENT, "destroy: twice", .vm = vm);
	CONTEXT(-ENOENT, "context: destroyed address space", .vm = vm);
	CONTEXT(-ENOENT, "context: unknown address space", .vm = NO_HANDLE);
	CONTEXT(-EINVAL, "context: second pad", .vm = quire_vm_id(s->other), .pad2 = 1);
	CONTEXT(-EINVAL, "context: pad", .vm = quire_vm_id(s->other), .pad = 1);
	BO(-ENOENT, "object: destroyed address space", .size = QUIRE_PAGE, .segments = segment,
	   .vm = vm);
	BO(-ENOENT, "object: unknown address space", .size = QUIRE_PAGE, .segments = segment,
	   .vm = NO_HANDLE);
	BO(-EINVAL, "object: pad", .size = QUIRE_PAGE, .segments = segment,
	   .vm = quire_vm_id(s->other), .pad = 1);
}

static void test_limit(struct scene *s)
{
	uint32_t vms[DRM_QUIRE_MAX_VMS + 1];
	unsigned int count = 0, twice = 0;
	int fd = quire_open(), ret = 0;

	while (!ret && count < ARRAY_SIZE(vms)) {
		ret = vm_create(fd, &vms[count]);
		for (unsigned int i = 0; i < count && !ret; i++)
			twice += vms[i] == vms[count];
		count += !ret;
	}
	tap_ret(ret, -ENOSPC, "one more than there may be");
	tap_ok(count == DRM_QUIRE_MAX_VMS && !twice, "%u, each with its number", count);
	tap_ret(vm_destroy(fd, vms[7]), 0, "destroy one");
	tap_ret(vm_create(fd, &vms[7]), 0, "make another one");
	close(fd);
	tap_ret(work_context_status(s->space.context), 0, "others have theirs");
}

/* One good element, a bad one, and a good one. */
struct attempt {
	struct drm_quire_bind binds[3];
	struct drm_quire_vm_bind bind;
};

static void attempt_init(struct attempt *a, const struct scene *s)
{
	memset(a, 0, sizeof(*a));
	for (unsigned int i = 0; i < 3; i++)
		a->binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = BASE + i * 4 * QUIRE_PAGE,
			.size = QUIRE_PAGE,
			.handle = s->subject.object.handle,
		};
	a->bind = (struct drm_quire_vm_bind){
		.vm = quire_vm_id(s->space.vm),
		.refused_bind = 77,
		.binds = DRM_QUIRE_ARRAY(3, a->binds),
	};
}

static void attempt_refused(struct scene *s, struct attempt *a, int expected, uint32_t element,
			    const char *name)
{
	refused(&s->subject, DRM_IOCTL_QUIRE_VM_BIND, &a->bind, expected, name);
	if (a->bind.refused_bind != element)
		tap_ok(false, "%s: it is element %u, not %u", name, element,
		       a->bind.refused_bind);
}

#define BIND_AT(expected, element, name, ...) \
	do {						\
		struct attempt a;			\
							\
		attempt_init(&a, s);			\
		__VA_ARGS__;				\
		attempt_refused(s, &a, expected, element, "bind: " name); \
	} while (0)

/* Of the argument, and of the middle element, which is @b. */
#define BIND(expected, name, ...)	BIND_AT(expected, a.bind.binds.count, name, __VA_ARGS__)
#define ELEMENT(expected, name, ...) \
	BIND_AT(expected, 1, name, struct drm_quire_bind *b = &a.binds[1]; __VA_ARGS__)

/* What is behind the first element, which a good copy could be of. */
#define COPY(expected, name, ...) \
	ELEMENT(expected, "copy: " name, *b = (struct drm_quire_bind){ \
		.operation = DRM_QUIRE_BIND_COPY, .address = BASE + 8 * QUIRE_PAGE, \
		.size = QUIRE_PAGE, .offset = BASE }; __VA_ARGS__)

static void test_bind(struct scene *s)
{
	struct drm_quire_bind longer[2][2];

	memset(longer, 0, sizeof(longer));
	BIND(-EINVAL, "queue", a.bind.queue = DRM_QUIRE_BIND_QUEUES);
	BIND(-EINVAL, "queue -1", a.bind.queue = UINT32_MAX);
	BIND(-EINVAL, "flag 0", a.bind.flags = 1);
	BIND(-EINVAL, "flag 31", a.bind.flags = 1u << 31);
	BIND(-EINVAL, "no binds", a.bind.binds.count = 0);
	BIND(-ENOENT, "number 0", a.bind.vm = 0);
	BIND(-ENOENT, "unknown number", a.bind.vm = NO_HANDLE);
	BIND(-EINVAL, "stride 0", a.bind.binds.stride = 0);
	BIND(-EINVAL, "short stride", a.bind.binds.stride -= 8);
	BIND(-EINVAL, "odd stride", a.bind.binds.stride += 4);
	BIND(-E2BIG, "long stride", a.bind.binds.stride = 4104);
	BIND(-E2BIG, "one too many", a.bind.binds.count = DRM_QUIRE_MAX_BINDS + 1);
	BIND(-E2BIG, "all numbers", a.bind.binds.count = UINT32_MAX);
	BIND(-EFAULT, "nowhere", a.bind.binds.array = BAD_POINTER);
	BIND(-EFAULT, "of the kernel", a.bind.binds.array = 1ull << 63);
	longer[0][1].pad = 1;
	BIND(-E2BIG, "a tail", a.bind.binds = (struct drm_quire_array)DRM_QUIRE_ARRAY(2, longer));
}

static void test_elements(struct scene *s)
{
	const uint64_t size = s->subject.object.size;

	ELEMENT(-EINVAL, "operation 4", b->operation = 4);
	ELEMENT(-EINVAL, "operation -1", b->operation = UINT32_MAX);
	ELEMENT(-EINVAL, "flag 2", b->flags = 1u << 2);
	ELEMENT(-EINVAL, "flag 31", b->flags = 1u << 31);
	ELEMENT(-EINVAL, "pad", b->pad = 1);
	ELEMENT(-EINVAL, "half a page", b->address += QUIRE_PAGE / 2);
	ELEMENT(-EINVAL, "size of half a page", b->size = QUIRE_PAGE / 2);
	ELEMENT(-EINVAL, "offset of 8 bytes", b->offset = 8);
	ELEMENT(-EINVAL, "unbind with a flag", *b = (struct drm_quire_bind){
		DRM_QUIRE_BIND_UNMAP, DRM_QUIRE_BIND_READ_ONLY, BASE, QUIRE_PAGE, 0, 0, 0 });
	ELEMENT(-EINVAL, "unbind an object", b->operation = DRM_QUIRE_BIND_UNMAP);
	ELEMENT(-EINVAL, "zero of an object", b->operation = DRM_QUIRE_BIND_MAP_ZERO);
	ELEMENT(-EINVAL, "unbind an offset", *b = (struct drm_quire_bind){
		DRM_QUIRE_BIND_UNMAP, 0, BASE, QUIRE_PAGE, QUIRE_PAGE, 0, 0 });
	ELEMENT(-EINVAL, "zero at an offset", *b = (struct drm_quire_bind){
		DRM_QUIRE_BIND_MAP_ZERO, 0, BASE, QUIRE_PAGE, QUIRE_PAGE, 0, 0 });
	ELEMENT(-ERANGE, "no bytes", b->size = 0);
	ELEMENT(-ERANGE, "a page too many", b->size = size; b->offset = QUIRE_PAGE);
	ELEMENT(-ERANGE, "behind the object", b->offset = size);
	ELEMENT(-ERANGE, "far behind it", b->offset = -QUIRE_PAGE);
	ELEMENT(-ERANGE, "larger than it", b->size = size + QUIRE_PAGE);
	ELEMENT(-ERANGE, "all numbers", b->size = -QUIRE_PAGE);
	ELEMENT(-ERANGE, "behind the space", b->address = LIMIT);
	ELEMENT(-ERANGE, "over its end", b->address = LIMIT - QUIRE_PAGE; b->size = 2 * QUIRE_PAGE);
	ELEMENT(-ERANGE, "the last number", b->address = -QUIRE_PAGE);
	ELEMENT(-ERANGE, "unbind more than there is", *b = (struct drm_quire_bind){
		DRM_QUIRE_BIND_UNMAP, 0, QUIRE_PAGE, LIMIT, 0, 0, 0 });
	ELEMENT(-ENOENT, "handle 0", b->handle = 0);
	ELEMENT(-ENOENT, "unknown handle", b->handle = NO_HANDLE);
	ELEMENT(-EPERM, "private to another space", b->handle = quire_object_handle(s->secret));
	ELEMENT(-ENOMEDIUM, "in system memory only", b->handle = s->system);
	ELEMENT(-ENOMEDIUM, "tiles in system memory only", b->handle = s->tiled);
	COPY(-EINVAL, "a flag", b->flags = DRM_QUIRE_BIND_READ_ONLY);
	COPY(-EINVAL, "an object", b->handle = s->subject.object.handle);
	COPY(-EINVAL, "from half a page", b->offset += QUIRE_PAGE / 2);
	COPY(-EINVAL, "to half a page", b->address += QUIRE_PAGE / 2);
	COPY(-EINVAL, "half a page", b->size = QUIRE_PAGE / 2);
	COPY(-EINVAL, "pad", b->pad = 1);
	COPY(-ERANGE, "no bytes", b->size = 0);
	COPY(-ERANGE, "from behind the space", b->offset = LIMIT);
	COPY(-ERANGE, "from over its end", b->offset = LIMIT - QUIRE_PAGE; b->size *= 2);
	COPY(-ERANGE, "from the last number", b->offset = -QUIRE_PAGE);
	COPY(-ERANGE, "to behind the space", b->address = LIMIT);
	COPY(-ERANGE, "more than there is", b->size = LIMIT + QUIRE_PAGE);
	BIND_AT(-EINVAL, 0, "the first of two that are wrong", a.binds[0].pad = 1;
		a.binds[1].pad = 1);
	BIND_AT(-EINVAL, 2, "the last", a.binds[2].pad = 1);
}

/* Both ioctls take the same: @expected of a second sync, after a good one. */
static void refused_sync(struct scene *s, const struct drm_quire_sync *syncs, int expected,
			 const char *name)
{
	struct drm_quire_exec exec = {
		.context = s->context, .address = SPACE_COMMANDS, .size = 8,
		.syncs = DRM_QUIRE_ARRAY(2, syncs),
	};
	struct attempt a;

	attempt_init(&a, s);
	a.bind.syncs = (struct drm_quire_array)DRM_QUIRE_ARRAY(2, syncs);
	attempt_refused(s, &a, expected, 3, name);
	refused(&s->subject, DRM_IOCTL_QUIRE_EXEC, &exec, expected, name);
	if (exec.refused_address != UINT64_MAX)
		tap_ok(false, "%s: no address is refused", name);
}

#define SYNC(expected, name, ...) \
	do {						\
		struct drm_quire_sync syncs[2] = {	\
			{ .handle = syncobj, .flags = DRM_QUIRE_SYNC_SIGNAL }, { __VA_ARGS__ } \
		};					\
							\
		refused_sync(s, syncs, expected, "sync: " name); \
	} while (0)

static void test_syncs(struct scene *s)
{
	uint32_t syncobj = sync_create(&s->work.fixture);

	SYNC(-EINVAL, "no flag", .handle = syncobj);
	SYNC(-EINVAL, "both flags", .handle = syncobj,
	     .flags = DRM_QUIRE_SYNC_WAIT | DRM_QUIRE_SYNC_SIGNAL);
	SYNC(-EINVAL, "flag 2", .handle = syncobj, .flags = 1u << 2);
	SYNC(-ENOENT, "signal handle 0", .flags = DRM_QUIRE_SYNC_SIGNAL);
	SYNC(-ENOENT, "wait for an unknown handle", .handle = NO_HANDLE,
	     .flags = DRM_QUIRE_SYNC_WAIT);
	SYNC(-ENOENT, "wait for no fence", .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT);
	SYNC(-ENOENT, "wait for no point", .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT,
	     .point = 4);
	tap_ok(sync_is_untouched(&s->work.fixture, syncobj), "the syncobj is untouched");
	drmSyncobjDestroy(s->work.fixture.fd, syncobj);
}

static void refused_exec(struct scene *s, struct drm_quire_exec *exec, int expected,
			 const char *name)
{
	refused(&s->subject, DRM_IOCTL_QUIRE_EXEC, exec, expected, name);
	if (exec->refused_address != UINT64_MAX)
		tap_ok(false, "%s: no address is refused", name);
}

#define EXEC(expected, name, ...) \
	do {						\
		struct drm_quire_exec a = {		\
			.context = s->context, .address = SPACE_COMMANDS, .size = 8, \
			.refused_address = 5,		\
		};					\
							\
		__VA_ARGS__;				\
		refused_exec(s, &a, expected, "exec: " name); \
	} while (0)

static void test_exec(struct scene *s)
{
	const struct drm_quire_device_info *info = &s->work.fixture.info;
	const struct drm_quire_sync sync = { 0 };

	EXEC(-EINVAL, "flag 0", a.flags = 1);
	EXEC(-EINVAL, "flag 31", a.flags = 1u << 31);
	EXEC(-EINVAL, "a ring more than there are", a.ring = info->execution_rings);
	EXEC(-EINVAL, "ring -1", a.ring = UINT32_MAX);
	EXEC(-ENOENT, "context 0", a.context = 0);
	EXEC(-ENOENT, "unknown context", a.context = NO_HANDLE);
	EXEC(-EINVAL, "a context without an address space", a.context = s->plain);
	EXEC(-EINVAL, "no commands", a.size = 0);
	EXEC(-EINVAL, "half a word", a.size = 12);
	EXEC(-EINVAL, "between two words", a.address += 4);
	EXEC(-E2BIG, "a word too many", a.size = info->max_exec + 8);
	EXEC(-E2BIG, "as many as there are numbers", a.size = -8u);
	EXEC(-ERANGE, "over the end", a.address = LIMIT - 8; a.size = 16);
	EXEC(-ERANGE, "behind the end", a.address = LIMIT);
	EXEC(-ERANGE, "the last number", a.address = -8ull);
	EXEC(-EINVAL, "syncs: stride 0", a.syncs.count = 1;
	     a.syncs.array = (uintptr_t)&sync);
	EXEC(-E2BIG, "syncs: one too many",
	     a.syncs = (struct drm_quire_array)DRM_QUIRE_ARRAY(DRM_QUIRE_MAX_SYNCS + 1, &sync));
	EXEC(-EFAULT, "syncs: nowhere", a.syncs.count = 1; a.syncs.stride = sizeof(sync);
	     a.syncs.array = BAD_POINTER);
	tap_ok(info->max_exec >= 8, "%llu bytes can be executed",
	       (unsigned long long)info->max_exec);
}

/* A context with an address space takes no submission. */
static void test_submit(struct scene *s)
{
	const struct quire_packet_header nop = { QUIRE_COMMAND_NOP, 0, sizeof(nop) };
	struct drm_quire_submit submit = {
		.context = s->context,
		.commands = (uintptr_t)&nop,
		.commands_size = sizeof(nop),
	};

	refused(&s->subject, DRM_IOCTL_QUIRE_SUBMIT, &submit, -EINVAL,
		"submit to a context with an address space");
	submit.context = s->plain;
	tap_ret(quire_ioctl(s->work.fixture.fd, DRM_IOCTL_QUIRE_SUBMIT, &submit), 0,
		"to one without");
}

/* Nothing was bound, nothing was executed, and what these are made of is good. */
static void test_good(struct scene *s)
{
	struct drm_quire_exec exec = { .address = SPACE_COMMANDS };
	struct drm_quire_context_state state = { 0 };
	struct attempt a;
	int ret;

	quire_write_checksum(&s->space.writer, BASE, QUIRE_PAGE, SPACE_RESULTS);
	ret = space_run(&s->space);
	quire_context_state(s->space.context, &state);
	tap_ok(ret == -EIO && state.address == BASE, "nothing is bound");
	space_renew_context(&s->space);
	attempt_init(&a, s);
	tap_ret(quire_ioctl(s->work.fixture.fd, DRM_IOCTL_QUIRE_VM_BIND, &a.bind), 0, "bind");
	tap_ok(a.bind.refused_bind == a.bind.binds.count, "no element was refused");
	quire_write_checksum(&s->space.writer, BASE, QUIRE_PAGE, SPACE_RESULTS);
	exec.context = s->context;
	exec.size = s->space.writer.used;
	tap_ret(quire_ioctl(s->work.fixture.fd, DRM_IOCTL_QUIRE_EXEC, &exec), 0, "execute");
	tap_ok(exec.refused_address == UINT64_MAX, "no address was refused");
	tap_ok(exec.submission == 1, "nothing was before (%llu)",
	       (unsigned long long)exec.submission);
	tap_ret(quire_ioctl(s->work.fixture.fd, DRM_IOCTL_QUIRE_EXEC, &exec), 0, "and again");
	tap_ok(exec.submission == 2, "it is the second one");
	quire_write_delay(&s->space.writer, 0);
	tap_ret(space_run(&s->space), 0, "all is well");
	space_unmap(&s->space, BASE, 64 * QUIRE_PAGE);
}

int main(void)
{
	struct scene scene;

	tap_start(60);
	scene_open(&scene);
	test_vms(&scene);
	test_limit(&scene);
	test_bind(&scene);
	test_elements(&scene);
	test_syncs(&scene);
	test_exec(&scene);
	test_submit(&scene);
	test_good(&scene);
	scene_close(&scene);
	return tap_done();
}
