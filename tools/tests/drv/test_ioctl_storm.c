// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Threads that share some files call all ioctls of the driver at random: most arguments are well
 * formed and name what may be there, some are spoilt. Each ioctl must succeed at times, or nothing
 * behind its checks was tried; nothing is left of it all.
 *
 * Usage: quire-test-ioctl-storm [CALLS [SEED]]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include <quire/quire_command.h>

#include "fixture.h"
#include "syncs.h"

#define THREADS		4u
#define FILES		3u
#define CALLS		12000u

/*
 * Numbers are the lowest that are free: what gets a larger one does not stay. Nor does what gets
 * one that is for something else, so that calls seldom name what they have no use for: fences are
 * every fourth of the objects, contexts with address spaces every second.
 */
#define OBJECTS		24u
#define FENCE_EACH	4u
#define SYNCOBJS	6u
#define CONTEXTS	8u
#define SPACES		4u

#define MOST_COMMANDS	4u
#define MOST_PATCHES	(3 * MOST_COMMANDS)
#define SOON_NS		2000000u

/* Of so many submissions that are not spoilt at least one is executed. */
#define SUBMIT_SHARE	20u

/**
 * struct buffers - what an argument points at
 * @commands: of a submission
 * @allocations: of it: two objects, read and written
 * @patches: of it
 * @syncs: of any call
 * @binds: of an address space
 * @objects: that are held
 * @answer: of a query
 */
struct buffers {
	char commands[512];
	struct drm_quire_allocation allocations[2];
	struct drm_quire_patch_location patches[MOST_PATCHES];
	struct drm_quire_sync syncs[2];
	struct drm_quire_bind binds[4];
	struct drm_quire_resident objects[4];
	char answer[256];
};

/**
 * struct caller - one thread
 * @thread: the thread
 * @random: what comes next
 * @calls: that it makes
 * @fds: of the files
 * @buffers: of its call
 */
struct caller {
	pthread_t thread;
	uint64_t random;
	unsigned int calls;
	const int *fds;
	struct buffers buffers;
};

/**
 * union argument - of any call
 * @words: all of it
 */
union argument {
	uint32_t words[32];
	struct drm_quire_query query;
	struct drm_quire_bo_create create;
	struct drm_quire_bo_info info;
	struct drm_quire_bo_wait wait;
	struct drm_quire_bo_place place;
	struct drm_quire_bo_madvise madvise;
	struct drm_quire_context_create context_create;
	struct drm_quire_context_destroy context_destroy;
	struct drm_quire_submit submit;
	struct drm_quire_vm_create vm_create;
	struct drm_quire_vm_destroy vm_destroy;
	struct drm_quire_vm_bind vm_bind;
	struct drm_quire_exec exec;
	struct drm_quire_fence_create fence_create;
	struct drm_quire_fence_signal fence_signal;
	struct drm_quire_fence_wait fence_wait;
	struct drm_quire_make_resident make_resident;
	struct drm_quire_evict evict;
};

static uint32_t below(struct caller *caller, uint32_t limit)
{
	return random_below(&caller->random, limit);
}

static uint32_t some_object(struct caller *caller)
{
	return 1 + below(caller, OBJECTS);
}

static uint32_t some_fence(struct caller *caller)
{
	return FENCE_EACH * (1 + below(caller, OBJECTS / FENCE_EACH));
}

/* @has_space: with an address space */
static uint32_t some_context(struct caller *caller, bool has_space)
{
	return 1 + has_space + 2 * below(caller, CONTEXTS / 2);
}

static uint64_t some_pages(struct caller *caller, uint32_t most)
{
	return (1 + below(caller, most)) * QUIRE_PAGE;
}

static int64_t soon(struct caller *caller)
{
	return below(caller, 2) ? 0 : quire_now_ns() + below(caller, SOON_NS);
}

/* @flags: of those that a call takes; half of the calls have no syncobj */
static struct drm_quire_array some_syncs(struct caller *caller, uint32_t flags)
{
	struct drm_quire_sync *syncs = caller->buffers.syncs;
	const uint32_t most = ARRAY_SIZE(caller->buffers.syncs);
	uint32_t count = below(caller, 2) ? 0 : 1 + below(caller, most);

	for (uint32_t i = 0; i < count; i++)
		syncs[i] = (struct drm_quire_sync) {
			.handle = 1 + below(caller, SYNCOBJS),
			.flags = flags & DRM_QUIRE_SYNC_WAIT && !below(caller, 3) ?
				 DRM_QUIRE_SYNC_WAIT : DRM_QUIRE_SYNC_SIGNAL,
		};
	return (struct drm_quire_array)DRM_QUIRE_ARRAY(count, syncs);
}

static void fill_query(struct caller *caller, union argument *argument)
{
	static const uint32_t sizes[] = {
		[DRM_QUIRE_QUERY_DEVICE] = sizeof(struct drm_quire_device_info),
		[DRM_QUIRE_QUERY_SEGMENTS] = sizeof(struct drm_quire_segment_info),
		[DRM_QUIRE_QUERY_BUDGETS] = sizeof(struct drm_quire_budget_info),
	};
	uint32_t type = below(caller, ARRAY_SIZE(sizes));

	argument->query = (struct drm_quire_query) {
		.type = type,
		.answer = { sizes[type], 1 + below(caller, 3), (uintptr_t)caller->buffers.answer },
	};
}

static void fill_create(struct caller *caller, union argument *argument)
{
	argument->create = (struct drm_quire_bo_create) {
		.size = some_pages(caller, below(caller, 16) ? 32 : 2048),
		.segments = below(caller, 4) ? DRM_QUIRE_SEGMENT_BIT(QUIRE_SEGMENTS) - 1 :
					       1 | below(caller, 8),
		.caching = !below(caller, 4),
		.flags = below(caller, 4) ? 0 : below(caller, 8),
		.vm = below(caller, 8) ? 0 : 1 + below(caller, SPACES),
	};
}

/* Of any call whose argument begins with a handle. */
static void fill_handle(struct caller *caller, union argument *argument)
{
	argument->words[0] = some_object(caller);
}

static void fill_wait(struct caller *caller, union argument *argument)
{
	argument->wait = (struct drm_quire_bo_wait) { .handle = some_object(caller) };
}

static void fill_place(struct caller *caller, union argument *argument)
{
	argument->place = (struct drm_quire_bo_place) {
		.handle = some_object(caller), .segment = below(caller, QUIRE_SEGMENTS),
		.flags = below(caller, 2) ? 0 : below(caller, 8),
		.syncs = some_syncs(caller, DRM_QUIRE_SYNC_SIGNAL),
	};
}

static void fill_madvise(struct caller *caller, union argument *argument)
{
	argument->madvise = (struct drm_quire_bo_madvise) {
		.handle = some_object(caller),
		.advice = below(caller, 4) ? DRM_QUIRE_MADV_WILLNEED : DRM_QUIRE_MADV_DONTNEED,
	};
}

static void fill_context_create(struct caller *caller, union argument *argument)
{
	argument->context_create = (struct drm_quire_context_create) {
		.priority = below(caller, 3), .vm = below(caller, 2) * (1 + below(caller, SPACES)),
	};
}

/* They are not for long: most of the time this tries one that is not there. */
static void fill_context_destroy(struct caller *caller, union argument *argument)
{
	argument->context_destroy.context = 1 + below(caller, 4 * CONTEXTS);
}

static void fill_context_state(struct caller *caller, union argument *argument)
{
	argument->words[0] = 1 + below(caller, CONTEXTS);
}

/**
 * struct shape - of a command
 * @opcode: of it
 * @flags: of its header
 * @size: bytes
 * @src: where the field of an address is; 0: there is none
 * @dst: the same
 * @result: the same
 * @bytes: where the field of the size is; 0: there is none
 */
struct shape {
	uint16_t opcode;
	uint16_t flags;
	uint32_t size;
	uint32_t src;
	uint32_t dst;
	uint32_t result;
	uint32_t bytes;
};

#define IN(name, field)	offsetof(struct quire_command_##name, field)

/* All that ends by itself, and has neither surfaces nor native fences. */
static const struct shape shapes[] = {
	{ .opcode = QUIRE_COMMAND_NOP, .size = sizeof(struct quire_command_nop) },
	{ .opcode = QUIRE_COMMAND_COPY, .size = sizeof(struct quire_command_copy),
	  .src = IN(copy, src), .dst = IN(copy, dst), .bytes = IN(copy, size) },
	{ .opcode = QUIRE_COMMAND_FILL, .size = sizeof(struct quire_command_fill),
	  .dst = IN(fill, dst), .bytes = IN(fill, size) },
	{ .opcode = QUIRE_COMMAND_ARITHMETIC, .flags = QUIRE_ARITHMETIC_XOR,
	  .size = sizeof(struct quire_command_arithmetic), .src = IN(arithmetic, src),
	  .dst = IN(arithmetic, dst), .bytes = IN(arithmetic, size) },
	{ .opcode = QUIRE_COMMAND_CHECKSUM, .size = sizeof(struct quire_command_checksum),
	  .src = IN(checksum, src), .result = IN(checksum, result), .bytes = IN(checksum, size) },
	{ .opcode = QUIRE_COMMAND_WRITE_VALUE, .size = sizeof(struct quire_command_write_value),
	  .dst = IN(write_value, dst) },
	{ .opcode = QUIRE_COMMAND_DELAY, .size = sizeof(struct quire_command_delay) },
};

/* @at: of the field in the command buffer; 0: there is none. Returns how many patches. */
static uint32_t write_patch(struct drm_quire_patch_location *patch, uint32_t command, uint32_t at,
			    uint32_t id)
{
	/* What is read is the first object, what is written the second one. */
	const uint32_t allocation = id != DRM_QUIRE_PATCH_SRC;

	if (!at)
		return 0;
	*patch = (struct drm_quire_patch_location) {
		.allocation = allocation, .slot = allocation, .driver_id = id,
		.split_offset = command, .patch_offset = command + at,
	};
	return 1;
}

/* Commands on the first page of two objects, and lists that agree with them. */
static void fill_submit(struct caller *caller, union argument *argument)
{
	struct drm_quire_submit *submit = &argument->submit;
	struct buffers *buffers = &caller->buffers;
	uint32_t count = 1 + below(caller, MOST_COMMANDS), at = 0, patches = 0;

	memset(buffers->commands, 0, sizeof(buffers->commands));
	for (uint32_t i = 0; i < count; i++) {
		const struct shape *shape = &shapes[below(caller, ARRAY_SIZE(shapes))];
		const struct quire_packet_header header = {
			.opcode = shape->opcode, .flags = shape->flags, .size = shape->size,
		};
		const uint64_t size = QUIRE_PAGE;

		memcpy(buffers->commands + at, &header, sizeof(header));
		if (shape->bytes)
			memcpy(buffers->commands + at + shape->bytes, &size, sizeof(size));
		patches += write_patch(buffers->patches + patches, at, shape->src,
				       DRM_QUIRE_PATCH_SRC);
		patches += write_patch(buffers->patches + patches, at, shape->dst,
				       DRM_QUIRE_PATCH_DST);
		patches += write_patch(buffers->patches + patches, at, shape->result,
				       DRM_QUIRE_PATCH_RESULT);
		at += shape->size;
	}
	for (uint32_t i = 0; i < 2; i++)
		buffers->allocations[i] = (struct drm_quire_allocation) {
			.handle = some_object(caller), .size = QUIRE_PAGE,
			.flags = i ? DRM_QUIRE_ALLOCATION_WRITE : 0,
		};
	*submit = (struct drm_quire_submit) {
		.context = some_context(caller, false), .ring = below(caller, 2),
		.commands = (uintptr_t)buffers->commands, .commands_size = at,
		.allocations = DRM_QUIRE_ARRAY(2, buffers->allocations),
		.patches = DRM_QUIRE_ARRAY(patches, buffers->patches),
		.syncs = some_syncs(caller, DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT),
	};
}

static void fill_nothing(struct caller *caller, union argument *argument)
{
	(void)caller;
	(void)argument;
}

static void fill_vm_destroy(struct caller *caller, union argument *argument)
{
	argument->vm_destroy.vm = 1 + below(caller, 8 * SPACES);
}

static void fill_vm_bind(struct caller *caller, union argument *argument)
{
	struct drm_quire_bind *binds = caller->buffers.binds;
	uint32_t count = 1 + below(caller, ARRAY_SIZE(caller->buffers.binds));

	for (uint32_t i = 0; i < count; i++) {
		binds[i] = (struct drm_quire_bind) {
			.operation = below(caller, 4) ? DRM_QUIRE_BIND_MAP : below(caller, 4),
			.address = some_pages(caller, 64), .size = some_pages(caller, 2),
			.flags = below(caller, 4) ? 0 : below(caller, 4),
		};
		if (binds[i].operation == DRM_QUIRE_BIND_MAP)
			binds[i].handle = some_object(caller);
		if (binds[i].operation == DRM_QUIRE_BIND_COPY)
			binds[i].offset = some_pages(caller, 64);
	}
	argument->vm_bind = (struct drm_quire_vm_bind) {
		.vm = 1 + below(caller, SPACES), .queue = below(caller, DRM_QUIRE_BIND_QUEUES),
		.binds = DRM_QUIRE_ARRAY(count, binds),
		.syncs = some_syncs(caller, DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT),
	};
}

/* What is there is seldom a command: most of these contexts end. */
static void fill_exec(struct caller *caller, union argument *argument)
{
	argument->exec = (struct drm_quire_exec) {
		.context = some_context(caller, true), .ring = below(caller, 2),
		.address = some_pages(caller, 64), .size = 8 * (1 + below(caller, 32)),
		.syncs = some_syncs(caller, DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT),
	};
}

static void fill_fence_create(struct caller *caller, union argument *argument)
{
	bool is_native = !below(caller, 3);

	argument->fence_create = (struct drm_quire_fence_create) {
		.flags = is_native ? DRM_QUIRE_FENCE_NATIVE : 0,
		.vm = is_native ? 1 + below(caller, SPACES) : 0,
	};
}

static void fill_fence_signal(struct caller *caller, union argument *argument)
{
	static atomic_uint value;

	argument->fence_signal = (struct drm_quire_fence_signal) {
		.handle = some_fence(caller), .value = atomic_fetch_add(&value, 1) + 1,
		.syncs = some_syncs(caller, DRM_QUIRE_SYNC_SIGNAL | DRM_QUIRE_SYNC_WAIT),
	};
}

static void fill_fence_wait(struct caller *caller, union argument *argument)
{
	argument->fence_wait = (struct drm_quire_fence_wait) {
		.handle = some_fence(caller), .value = below(caller, 2),
	};
}

static struct drm_quire_array some_objects(struct caller *caller)
{
	struct drm_quire_resident *objects = caller->buffers.objects;
	uint32_t count = 1 + below(caller, 2);

	for (uint32_t i = 0; i < count; i++)
		objects[i] = (struct drm_quire_resident) { .handle = some_object(caller) };
	return (struct drm_quire_array)DRM_QUIRE_ARRAY(count, objects);
}

static void fill_make_resident(struct caller *caller, union argument *argument)
{
	argument->make_resident = (struct drm_quire_make_resident) {
		.objects = some_objects(caller),
		.syncs = some_syncs(caller, DRM_QUIRE_SYNC_SIGNAL),
	};
}

static void fill_evict(struct caller *caller, union argument *argument)
{
	argument->evict.objects = some_objects(caller);
}

/**
 * struct kind - of calls
 * @name: of the ioctl
 * @request: its number
 * @fill: make an argument, which is zero
 * @calls: how many were made
 * @sound: of them, those that were not spoilt
 * @done: of those, how many succeeded
 */
struct kind {
	const char *name;
	unsigned long request;
	void (*fill)(struct caller *caller, union argument *argument);
	atomic_uint calls;
	atomic_uint sound;
	atomic_uint done;
};

#define KIND(name, fill)	{ #name, DRM_IOCTL_QUIRE_##name, fill, 0, 0, 0 }

static struct kind kinds[] = {
	KIND(QUERY, fill_query),
	KIND(BO_CREATE, fill_create),
	KIND(BO_INFO, fill_handle),
	KIND(BO_MMAP_OFFSET, fill_handle),
	KIND(BO_WAIT, fill_wait),
	KIND(BO_PLACE, fill_place),
	KIND(BO_MADVISE, fill_madvise),
	KIND(CONTEXT_CREATE, fill_context_create),
	KIND(CONTEXT_DESTROY, fill_context_destroy),
	KIND(CONTEXT_STATE, fill_context_state),
	KIND(SUBMIT, fill_submit),
	KIND(VM_CREATE, fill_nothing),
	KIND(VM_DESTROY, fill_vm_destroy),
	KIND(VM_BIND, fill_vm_bind),
	KIND(EXEC, fill_exec),
	KIND(FENCE_CREATE, fill_fence_create),
	KIND(FENCE_SIGNAL, fill_fence_signal),
	KIND(FENCE_WAIT, fill_fence_wait),
	KIND(MAKE_RESIDENT, fill_make_resident),
	KIND(EVICT, fill_evict),
};

static const struct kind *const submissions = &kinds[DRM_QUIRE_SUBMIT];

/* Words that seldom mean anything. */
static void spoil(struct caller *caller, union argument *argument, size_t size)
{
	static const uint32_t odd[] = { 0, 1, ~0u, 1u << 31, 4095, 4097, 0x7fffffff, 65 };

	for (uint32_t count = 1 + below(caller, 3); count; count--)
		argument->words[below(caller, size / 4)] = below(caller, 4) ?
			odd[below(caller, ARRAY_SIZE(odd))] : random_next(&caller->random);
}

/* Without it a call that was spoilt would wait for ever. */
static void set_timeout(struct caller *caller, unsigned long request, union argument *argument)
{
	if (request == DRM_IOCTL_QUIRE_BO_WAIT)
		argument->wait.timeout_ns = soon(caller);
	else if (request == DRM_IOCTL_QUIRE_FENCE_WAIT)
		argument->fence_wait.timeout_ns = soon(caller);
}

/* Of what a call that succeeded has made: numbers stay few, and mean what they should. */
static void forget(int fd, unsigned long request, const union argument *argument, bool has_space)
{
	struct drm_quire_context_destroy context = { 0 };
	struct drm_quire_vm_destroy vm = { 0 };
	uint32_t handle = 0;

	switch (request) {
	case DRM_IOCTL_QUIRE_BO_CREATE:
		handle = argument->create.handle;
		if (handle > OBJECTS || !(handle % FENCE_EACH))
			quire_bo_close(fd, handle);
		break;
	case DRM_IOCTL_QUIRE_FENCE_CREATE:
		handle = argument->fence_create.handle;
		if (handle > OBJECTS || handle % FENCE_EACH)
			quire_bo_close(fd, handle);
		break;
	case DRM_IOCTL_QUIRE_CONTEXT_CREATE:
		context.context = argument->context_create.context;
		if (context.context > CONTEXTS || has_space == context.context % 2)
			quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_DESTROY, &context);
		break;
	case DRM_IOCTL_QUIRE_VM_CREATE:
		vm.vm = argument->vm_create.vm;
		if (vm.vm > SPACES)
			quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_DESTROY, &vm);
		break;
	}
}

static void call(struct caller *caller, struct kind *kind)
{
	union argument argument = { 0 };
	int fd = caller->fds[below(caller, FILES)];
	bool is_sound = below(caller, 8);

	kind->fill(caller, &argument);
	if (!is_sound)
		spoil(caller, &argument, _IOC_SIZE(kind->request));
	set_timeout(caller, kind->request, &argument);
	atomic_fetch_add(&kind->calls, 1);
	atomic_fetch_add(&kind->sound, is_sound);
	if (quire_ioctl(fd, kind->request, &argument))
		return;
	atomic_fetch_add(&kind->done, is_sound);
	forget(fd, kind->request, &argument, argument.context_create.vm);
}

static void *run(void *data)
{
	struct caller *caller = data;

	for (unsigned int i = 0; i < caller->calls; i++) {
		if (below(caller, 16))
			call(caller, &kinds[below(caller, ARRAY_SIZE(kinds))]);
		else
			quire_bo_close(caller->fds[below(caller, FILES)], some_object(caller));
	}
	return NULL;
}

/* What the calls of a new file are about. */
static int open_file(void)
{
	struct drm_quire_context_create context = { 0 };
	struct drm_quire_vm_create vm = { 0 };
	struct fixture fixture;
	uint32_t handle;

	fixture_reopen(&fixture);
	for (unsigned int i = 0; i < SYNCOBJS; i++)
		sync_create(&fixture);
	for (unsigned int i = 0; i < OBJECTS / 2; i++)
		if (quire_bo_create(fixture.fd, QUIRE_PAGE, &handle))
			tap_bail("no object");
	if (quire_ioctl(fixture.fd, DRM_IOCTL_QUIRE_VM_CREATE, &vm) ||
	    quire_ioctl(fixture.fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &context))
		tap_bail("no context");
	return fixture.fd;
}

static void blow(unsigned int calls, uint64_t seed)
{
	static struct caller callers[THREADS];
	int fds[FILES];

	for (unsigned int i = 0; i < FILES; i++)
		fds[i] = open_file();
	for (unsigned int i = 0; i < THREADS; i++) {
		callers[i] = (struct caller) {
			.random = random_next(&seed), .calls = calls / THREADS, .fds = fds,
		};
		if (pthread_create(&callers[i].thread, NULL, run, &callers[i]))
			tap_bail("no thread");
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(callers[i].thread, NULL);
	for (unsigned int i = 0; i < FILES; i++)
		close(fds[i]);
}

int main(int argc, char **argv)
{
	unsigned int calls = argc > 1 ? strtoul(argv[1], NULL, 0) : CALLS;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	struct fixture fixture;

	tap_start(600);
	fixture_open(&fixture);
	blow(calls, seed);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		tap_ok(kinds[i].done, "%s: of %u calls %u are not spoilt, %u of them succeed",
		       kinds[i].name, kinds[i].calls, kinds[i].sound, kinds[i].done);
	tap_ok(submissions->done >= submissions->sound / SUBMIT_SHARE,
	       "enough submissions are executed");
	tap_ok(fixture_settles(&fixture, fixture.segments), "nothing is left of it");
	fixture_test_works(&fixture);
	return tap_done();
}
