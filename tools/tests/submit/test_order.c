// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is executed before what: something is at work, at a gate, with an object, on a ring or in an
 * address space; something else comes, and is done at once, is queued behind it, or the call
 * waits. The bytes say the same. These are the tables of Documentation/gpu/quire/uapi.rst, "Order".
 */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <linux/dma-buf.h>

#include "dmabuf.h"
#include "gated.h"
#include "space.h"
#include "vgem.h"

#define LOOK_MS		50	/* what does not wait has the time for it; more than it needs */
#define SIZE		(4 * QUIRE_PAGE)
#define BASE		0x100000000ull
#define SINK		(BASE + 0x10000000)
#define GATE		(BASE + 0x20000000)
#define FREE		(BASE + 0x30000000)

/* In the object: before, and what each of the two writes there. */
#define NUMBER_BEFORE	7
#define NUMBER_FIRST	1
#define NUMBER_SECOND	2

/**
 * enum outcome - what becomes of the second one, while the first one is at work
 * @AT_ONCE: the call returns, and it is done
 * @QUEUED: the call returns, and its fence is pending
 * @WAITS: the call does not return
 */
enum outcome {
	AT_ONCE,
	QUEUED,
	WAITS,
	NR_OUTCOMES,
};

static const char * const outcome_names[NR_OUTCOMES] = { "at once", "queued", "waits" };

/**
 * struct scene - two callers, and the object, ring or address space that both use
 * @work: the device; records what the first one does
 * @other: the same device and file; records what the second one does
 * @space: address space of the first one, in which @object, @sinks and @gate are bound
 * @second_space: of the second one, the same
 * @gate: where the first one waits
 * @contexts: of the two, without an address space
 * @object: of both
 * @segment: in which it is; otherwise it can be in system memory only
 * @dmabuf: of it
 * @sinks: where each of the two puts what it reads
 * @peer: the device, opened once more
 * @handle: of @object, there
 * @vgem: an importer
 * @held: end of the first one
 * @after: end of the second one, if it has a fence
 */
struct scene {
	struct work *work;
	struct work other;
	struct space space;
	struct space second_space;
	struct gate gate;
	struct quire_context *contexts[2];
	struct quire_object *object;
	uint32_t segment;
	int dmabuf;
	struct quire_object *sinks[2];
	struct work peer;
	uint32_t handle;
	int vgem;
	struct quire_fence *held;
	struct quire_fence *after;
};

/* What one of the two does with the object: reads it into its sink, writes its number to it. */
#define READS	0x1
#define WRITES	0x2
#define USES	(READS | WRITES)

/* &scene.after is the end of the second one. */
#define FENCED	0x4

/**
 * struct first - what is at work
 * @name: of it
 * @begin: it waits at the gate then, &scene.held is its end
 * @flags: READS, WRITES
 */
struct first {
	const char *name;
	int (*begin)(struct scene *scene);
	unsigned int flags;
};

/**
 * struct second - what comes then
 * @name: of it
 * @call: returns 0 or a negative errno
 * @flags: READS, WRITES, FENCED
 */
struct second {
	const char *name;
	int (*call)(struct scene *scene);
	unsigned int flags;
};

/* In a thread, for it may wait. */
struct call {
	struct scene *scene;
	const struct second *second;
	atomic_bool returned;
	int ret;
};

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: %d", what, ret);
}

static void bind_all(const struct scene *scene, const struct space *space)
{
	space_map(space, BASE, scene->object, 0, SIZE);
	for (unsigned int i = 0; i < 2; i++)
		space_map(space, SINK + i * QUIRE_PAGE, scene->sinks[i], 0, QUIRE_PAGE);
	space_map(space, GATE, scene->gate.object, 0, QUIRE_PAGE);
}

static int place(const struct scene *scene, uint32_t segment)
{
	const uint32_t flags = segment == DRM_QUIRE_SEGMENT_VRAM ? DRM_QUIRE_PLACE_VISIBLE : 0;

	return quire_bo_place(scene->work->fixture.fd, quire_object_handle(scene->object), segment,
			      flags);
}

static void share(struct scene *scene)
{
	scene->dmabuf = dmabuf_export(scene->work->fixture.fd, quire_object_handle(scene->object));
	work_open(&scene->peer);
	must(dmabuf_import(scene->peer.fixture.fd, scene->dmabuf, &scene->handle),
	     "a second handle");
	scene->vgem = vgem_open();
}

static void scene_open(struct scene *scene, struct work *work, uint32_t segment)
{
	*scene = (struct scene){ .work = work, .other = *work, .segment = segment };
	must(quire_recorder_create(work->device, &scene->other.recorder), "recorder");
	scene->object = work_object_in(work, SIZE, DRM_QUIRE_SEGMENT_BIT(segment) |
				       DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM));
	work_set_number(scene->object, 0, NUMBER_BEFORE);
	must(place(scene, segment) ?: quire_object_wait(scene->object, WAIT_MS * 1000000ll),
	     "place");
	work_gate_open_apart(work, &scene->gate);
	for (unsigned int i = 0; i < 2; i++) {
		scene->contexts[i] = work_context(work);
		scene->sinks[i] = work_object(work, QUIRE_PAGE);
	}
	space_open(&scene->space, work);
	space_open(&scene->second_space, &scene->other);
	scene->space.ring = 1;
	bind_all(scene, &scene->space);
	bind_all(scene, &scene->second_space);
	scene->held = work_fence(work);
	scene->after = work_fence(work);
	share(scene);
}

static void scene_close(struct scene *scene)
{
	if (scene->vgem >= 0)
		close(scene->vgem);
	work_close(&scene->peer);
	close(scene->dmabuf);
	quire_fence_close(scene->after);
	quire_fence_close(scene->held);
	space_close(&scene->second_space);
	space_close(&scene->space);
	for (unsigned int i = 0; i < 2; i++) {
		quire_object_close(scene->sinks[i]);
		quire_context_destroy(scene->contexts[i]);
	}
	work_gate_close(&scene->gate);
	quire_object_close(scene->object);
	quire_recorder_destroy(scene->other.recorder);
}

/* Ways in which the first caller is at work: its commands wait at the gate, on ring 1. */

static int begin_submit(struct scene *scene)
{
	return work_submit(scene->work, scene->contexts[0], 1, NULL, scene->held);
}

static int begin_submit_reads(struct scene *scene)
{
	work_wait_at(scene->work, &scene->gate, 1);
	quire_recorder_copy(scene->work->recorder, quire_at(scene->object, 0),
			    quire_at(scene->sinks[0], 0), 8);
	return begin_submit(scene);
}

static int begin_submit_writes(struct scene *scene)
{
	work_wait_at(scene->work, &scene->gate, 1);
	quire_recorder_write_value(scene->work->recorder, quire_at(scene->object, 0), NUMBER_FIRST);
	return begin_submit(scene);
}

static int begin_exec(struct scene *scene)
{
	quire_write_wait(&scene->space.writer, QUIRE_WAIT_GREATER_EQUAL, GATE, 1);
	quire_write_copy(&scene->space.writer, BASE, SINK, 8);
	quire_write_value(&scene->space.writer, BASE, NUMBER_FIRST);
	return space_exec(&scene->space, NULL, scene->held);
}

/* Commands that do not use it. */
static int begin_apart(struct scene *scene)
{
	work_wait_at(scene->work, &scene->gate, 1);
	return begin_submit(scene);
}

static int begin_importer(struct scene *scene, uint64_t flags)
{
	int ret = begin_apart(scene), file;

	if (ret)
		return ret;
	file = quire_fence_export(scene->held, 0);
	ret = dmabuf_import_sync_file_of(scene->dmabuf, file, flags);
	close(file);
	return ret;
}

static int begin_importer_reads(struct scene *scene)
{
	return begin_importer(scene, DMA_BUF_SYNC_READ);
}

static int begin_importer_writes(struct scene *scene)
{
	return begin_importer(scene, DMA_BUF_SYNC_WRITE);
}

/* Commands that are not on the ring yet: they wait for others on ring 0. */
static int begin_submit_later(struct scene *scene)
{
	struct quire_fence *before = work_fence(scene->work);
	struct quire_context *context = work_context(scene->work);
	int ret;

	work_wait_at(scene->work, &scene->gate, 1);
	ret = work_submit(scene->work, context, 0, NULL, before);
	quire_recorder_write_value(scene->work->recorder, quire_at(scene->sinks[0], 0), 1);
	ret = ret ?: work_submit(scene->work, scene->contexts[0], 1, before, scene->held);
	quire_context_destroy(context);
	quire_fence_close(before);
	return ret;
}

static int bind_later(struct scene *scene, struct quire_vm *vm, uint32_t queue,
		      struct drm_quire_bind bind, const struct quire_fence *wait,
		      const struct quire_fence *signal)
{
	if (bind.operation == DRM_QUIRE_BIND_MAP)
		bind.handle = quire_object_handle(scene->object);
	return space_bind_queued(vm, &bind, queue, wait, signal);
}

static const struct drm_quire_bind map_there = {
	.operation = DRM_QUIRE_BIND_MAP, .address = FREE, .size = QUIRE_PAGE,
};

static const struct drm_quire_bind map_beside = {
	.operation = DRM_QUIRE_BIND_MAP, .address = FREE + 2 * SIZE, .size = QUIRE_PAGE,
};

/* Queue 0 of the first address space, after commands on ring 1. */
static int begin_bind(struct scene *scene)
{
	struct quire_fence *before = work_fence(scene->work);
	int ret;

	work_wait_at(scene->work, &scene->gate, 1);
	ret = work_submit(scene->work, scene->contexts[0], 1, NULL, before) ?:
	      bind_later(scene, scene->space.vm, 0, map_there, before, scene->held);
	quire_fence_close(before);
	return ret;
}

/* Calls of the second caller. Commands go to ring 0, unless the name of the call says more. */

static int call_submit(struct scene *scene, struct quire_context *context, uint32_t ring)
{
	return work_submit(&scene->other, context, ring, NULL, scene->after);
}

static int call_submit_reads(struct scene *scene)
{
	quire_recorder_copy(scene->other.recorder, quire_at(scene->object, 0),
			    quire_at(scene->sinks[1], 0), 8);
	return call_submit(scene, scene->contexts[1], 0);
}

static int call_submit_writes(struct scene *scene)
{
	quire_recorder_write_value(scene->other.recorder, quire_at(scene->object, 0),
				   NUMBER_SECOND);
	return call_submit(scene, scene->contexts[1], 0);
}

static int exec_in(struct scene *scene, struct space *space, uint32_t ring)
{
	space->ring = ring;
	quire_write_copy(&space->writer, BASE, SINK + QUIRE_PAGE, 8);
	quire_write_value(&space->writer, BASE, NUMBER_SECOND);
	return space_exec(space, NULL, scene->after);
}

static int call_exec(struct scene *scene)
{
	return exec_in(scene, &scene->second_space, 0);
}

static int call_place(struct scene *scene)
{
	return place(scene, DRM_QUIRE_SEGMENT_SYSTEM);
}

static int call_place_here(struct scene *scene)
{
	return place(scene, scene->segment);
}

static int call_dontneed(struct scene *scene)
{
	return quire_bo_madvise(scene->work->fixture.fd, quire_object_handle(scene->object),
				DRM_QUIRE_MADV_DONTNEED, NULL) ?:
	       quire_bo_madvise(scene->work->fixture.fd, quire_object_handle(scene->object),
				DRM_QUIRE_MADV_WILLNEED, NULL);
}

static int call_wait(struct scene *scene)
{
	return quire_object_wait(scene->object, WAIT_MS * 1000000ll);
}

/* It does not find what the first one writes. */
static int call_load(struct scene *scene)
{
	void *bytes;
	int ret = quire_object_map(scene->object, &bytes);

	return ret ?: *(volatile uint64_t *)bytes == NUMBER_BEFORE ? 0 : -EILSEQ;
}

static int poll_for(const struct scene *scene, short events)
{
	struct pollfd poll_fd = { .fd = scene->dmabuf, .events = events };

	return poll(&poll_fd, 1, WAIT_MS) == 1 ? 0 : -ETIME;
}

static int call_poll_in(struct scene *scene)
{
	return poll_for(scene, POLLIN);
}

static int call_poll_out(struct scene *scene)
{
	return poll_for(scene, POLLOUT);
}

static int call_attach(struct scene *scene)
{
	uint32_t handle;

	return dmabuf_import(scene->vgem, scene->dmabuf, &handle);
}

static int call_close(struct scene *scene)
{
	return quire_bo_close(scene->peer.fixture.fd, scene->handle);
}

static int call_bind(struct scene *scene)
{
	return bind_later(scene, scene->second_space.vm, 0, map_there, NULL, scene->after);
}

static int call_unbind(struct scene *scene)
{
	return quire_vm_unmap(scene->second_space.vm, BASE, SIZE);
}

/* On ring 1, with nothing of the first one. */
static int call_same_context(struct scene *scene)
{
	quire_recorder_write_value(scene->other.recorder, quire_at(scene->sinks[1], 0), 1);
	return call_submit(scene, scene->contexts[0], 1);
}

static int call_same_context_other_ring(struct scene *scene)
{
	quire_recorder_write_value(scene->other.recorder, quire_at(scene->sinks[1], 0), 1);
	return call_submit(scene, scene->contexts[0], 0);
}

static int call_other_context(struct scene *scene)
{
	quire_recorder_write_value(scene->other.recorder, quire_at(scene->sinks[1], 0), 1);
	return call_submit(scene, scene->contexts[1], 1);
}

static int call_exec_same_ring(struct scene *scene)
{
	return exec_in(scene, &scene->second_space, 1);
}

/* In the first one's address space. */
static int call_exec_same_context(struct scene *scene)
{
	return exec_in(scene, &scene->space, 1);
}

static int call_exec_same_context_other_ring(struct scene *scene)
{
	return exec_in(scene, &scene->space, 0);
}

static int call_bind_same_queue(struct scene *scene)
{
	return bind_later(scene, scene->space.vm, 0, map_beside, NULL, scene->after);
}

static int call_bind_other_queue(struct scene *scene)
{
	return bind_later(scene, scene->space.vm, 1, map_beside, NULL, scene->after);
}

static int call_bind_overlapping(struct scene *scene)
{
	return bind_later(scene, scene->space.vm, 1, map_there, NULL, scene->after);
}

static int call_bind_overlapping_now(struct scene *scene)
{
	return bind_later(scene, scene->space.vm, 1, map_there, NULL, NULL);
}

static int call_bind_now(struct scene *scene)
{
	return bind_later(scene, scene->space.vm, 0, map_beside, NULL, NULL);
}

static int call_bind_now_other_queue(struct scene *scene)
{
	return bind_later(scene, scene->space.vm, 1, map_beside, NULL, NULL);
}

static int call_unbind_what_is_used(struct scene *scene)
{
	return quire_vm_unmap(scene->space.vm, SINK, QUIRE_PAGE);
}

static void *call_thread(void *data)
{
	struct call *call = data;

	call->ret = call->second->call(call->scene);
	call->returned = true;
	return NULL;
}

/* Which may be done, in time: so it gets what it needs for that. */
static enum outcome outcome_of(struct call *call, enum outcome expected)
{
	const struct scene *scene = call->scene;

	if (!gated_comes_true(&call->returned, expected == WAITS ? LOOK_MS : WAIT_MS / 10))
		return WAITS;
	if (call->ret || !(call->second->flags & FENCED))
		return AT_ONCE;
	return quire_fence_wait(scene->after, 0, (expected == AT_ONCE ? WAIT_MS / 10 : LOOK_MS) *
				1000000ll) ? QUEUED : AT_ONCE;
}

/* The bytes: did the second one come @before the first one ended? */
static bool bytes_are(struct scene *scene, const struct first *first, const struct second *second,
		      bool before)
{
	bool first_writes = first->flags & WRITES, second_writes = second->flags & WRITES;
	uint64_t end = second_writes && !(first_writes && before) ? NUMBER_SECOND :
		       first_writes ? NUMBER_FIRST : NUMBER_BEFORE;
	uint64_t first_reads = second_writes && before ? NUMBER_SECOND : NUMBER_BEFORE;
	uint64_t second_reads = first_writes && !before ? NUMBER_FIRST : NUMBER_BEFORE;

	if (first->flags & READS && work_number(scene->sinks[0], 0) != first_reads)
		return false;
	if (second->flags & READS && work_number(scene->sinks[1], 0) != second_reads)
		return false;
	return work_number(scene->object, 0) == end;
}

/* @error: of the first one, which has it from the second one. */
static void test_pair(struct work *work, uint32_t segment, const struct first *first,
		      const struct second *second, enum outcome expected, int error)
{
	struct call call = { .second = second };
	enum outcome outcome;
	struct scene scene;
	pthread_t thread;
	int ret;

	scene_open(&scene, work, segment);
	call.scene = &scene;
	must(first->begin(&scene), first->name);
	if (pthread_create(&thread, NULL, call_thread, &call))
		tap_bail("thread");
	outcome = outcome_of(&call, expected);
	work_gate_raise(&scene.gate, 1);
	pthread_join(thread, NULL);
	ret = work_fence_wait(scene.held);
	if (!call.ret && second->flags & FENCED)
		must(work_fence_wait(scene.after), "the second one");
	if (!tap_ok(!call.ret && outcome == expected && ret == error &&
		    (error || bytes_are(&scene, first, second, outcome == AT_ONCE)),
		    "%s, then %s: %s", first->name, second->name, outcome_names[expected]))
		tap_diag("the first one: %d; the second one: %d, %s; numbers %" PRIu64 ", %" PRIu64
			 ", %" PRIu64, ret, call.ret, outcome_names[outcome],
			 work_number(scene.object, 0), work_number(scene.sinks[0], 0),
			 work_number(scene.sinks[1], 0));
	scene_close(&scene);
}

static const struct first object_firsts[] = {
	{ "SUBMIT reads", begin_submit_reads, READS },
	{ "SUBMIT writes", begin_submit_writes, WRITES },
	{ "EXEC", begin_exec, USES },
	{ "an importer reads", begin_importer_reads, 0 },
	{ "an importer writes", begin_importer_writes, 0 },
	{ "a bind is queued", begin_bind, 0 },
};

#define NR_OBJECT_FIRSTS	ARRAY_SIZE(object_firsts)

/**
 * struct object_row - what comes to an object
 * @second: it
 * @outcomes: for each of object_firsts
 */
struct object_row {
	struct second second;
	enum outcome outcomes[NR_OBJECT_FIRSTS];
};

static const struct object_row object_rows[] = {
	{ { "SUBMIT reads", call_submit_reads, FENCED | READS },
	  { AT_ONCE, QUEUED, AT_ONCE, AT_ONCE, QUEUED, AT_ONCE } },
	{ { "SUBMIT writes", call_submit_writes, FENCED | WRITES },
	  { QUEUED, QUEUED, AT_ONCE, QUEUED, QUEUED, AT_ONCE } },
	{ { "EXEC", call_exec, FENCED | USES },
	  { AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE } },
	{ { "BO_PLACE elsewhere", call_place, 0 },
	  { WAITS, WAITS, WAITS, WAITS, WAITS, WAITS } },
	{ { "BO_PLACE where it is", call_place_here, 0 },
	  { AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE } },
	{ { "BO_MADVISE", call_dontneed, 0 },
	  { AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE } },
	{ { "BO_WAIT", call_wait, 0 }, { WAITS, WAITS, WAITS, WAITS, WAITS, WAITS } },
	{ { "a load", call_load, 0 },
	  { AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE } },
	{ { "poll to read", call_poll_in, 0 },
	  { AT_ONCE, WAITS, AT_ONCE, AT_ONCE, WAITS, AT_ONCE } },
	{ { "poll to write", call_poll_out, 0 },
	  { WAITS, WAITS, AT_ONCE, WAITS, WAITS, AT_ONCE } },
	{ { "an importer attaches", call_attach, 0 },
	  { WAITS, WAITS, WAITS, WAITS, WAITS, WAITS } },
	{ { "GEM_CLOSE", call_close, 0 },
	  { AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE } },
	{ { "VM_BIND", call_bind, FENCED },
	  { AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE } },
	{ { "VM_BIND unmaps", call_unbind, 0 },
	  { AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE } },
};

/**
 * struct pair - on one ring, or in one address space
 * @first: is at work
 * @second: comes then
 * @outcome: of that
 * @error: of the first one
 */
struct pair {
	struct first first;
	struct second second;
	enum outcome outcome;
	int error;
};

#define COMMANDS	{ "commands on a ring", begin_apart, 0 }
#define LATER		{ "commands that wait for a fence", begin_submit_later, 0 }
#define EXEC		{ "EXEC", begin_exec, USES }
#define BIND		{ "a bind is queued", begin_bind, 0 }

static const struct pair ring_pairs[] = {
	{ COMMANDS, { "SUBMIT, same context", call_same_context, FENCED }, QUEUED, 0 },
	{ COMMANDS, { "SUBMIT, same context, other ring", call_same_context_other_ring, FENCED },
	  AT_ONCE, 0 },
	{ COMMANDS, { "SUBMIT, other context", call_other_context, FENCED }, QUEUED, 0 },
	{ COMMANDS, { "EXEC", call_exec_same_ring, FENCED | USES }, QUEUED, 0 },
	{ COMMANDS, { "EXEC, other ring", call_exec, FENCED | USES }, AT_ONCE, 0 },
	{ COMMANDS, { "BO_PLACE", call_place, 0 }, AT_ONCE, 0 },
	{ COMMANDS, { "VM_BIND", call_bind, FENCED }, AT_ONCE, 0 },
	{ LATER, { "SUBMIT, same context", call_same_context, FENCED }, QUEUED, 0 },
	{ LATER, { "SUBMIT, other context", call_other_context, FENCED }, AT_ONCE, 0 },
	{ LATER, { "EXEC", call_exec_same_ring, FENCED | USES }, AT_ONCE, 0 },
};

static const struct pair space_pairs[] = {
	{ EXEC, { "EXEC, same context", call_exec_same_context, FENCED | USES }, QUEUED, 0 },
	{ EXEC, { "EXEC, same context, other ring", call_exec_same_context_other_ring,
		  FENCED | USES }, AT_ONCE, 0 },
	{ EXEC, { "VM_BIND", call_bind_same_queue, FENCED }, AT_ONCE, 0 },
	{ EXEC, { "VM_BIND without syncobjs", call_bind_now, 0 }, AT_ONCE, 0 },
	{ EXEC, { "VM_BIND unmaps what it uses", call_unbind_what_is_used, 0 }, AT_ONCE, -EIO },
	{ BIND, { "EXEC", call_exec_same_context_other_ring, FENCED | USES }, AT_ONCE, 0 },
	{ BIND, { "VM_BIND, same queue", call_bind_same_queue, FENCED }, QUEUED, 0 },
	{ BIND, { "VM_BIND, other queue", call_bind_other_queue, FENCED }, AT_ONCE, 0 },
	{ BIND, { "VM_BIND, other queue, same range", call_bind_overlapping, FENCED },
	  QUEUED, 0 },
	{ BIND, { "VM_BIND without syncobjs, same queue", call_bind_now, 0 }, WAITS, 0 },
	{ BIND, { "VM_BIND without syncobjs, other queue", call_bind_now_other_queue, 0 },
	  AT_ONCE, 0 },
	{ BIND, { "VM_BIND without syncobjs, other queue, same range", call_bind_overlapping_now,
		  0 }, WAITS, 0 },
};

static void test_object(struct work *work, uint32_t segment)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(object_rows); i++)
		for (unsigned int j = 0; j < NR_OBJECT_FIRSTS; j++)
			test_pair(work, segment, &object_firsts[j], &object_rows[i].second,
				  object_rows[i].outcomes[j], 0);
}

static void test_pairs(struct work *work, const struct pair *pairs, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		test_pair(work, DRM_QUIRE_SEGMENT_VRAM, &pairs[i].first, &pairs[i].second,
			  pairs[i].outcome, pairs[i].error);
}

int main(void)
{
	struct work work;

	tap_start(300);
	work_begin(&work);
	if (work.fixture.info.execution_rings < 2)
		tap_skip_all("there is one ring");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	tap_diag("an object in VRAM");
	test_object(&work, DRM_QUIRE_SEGMENT_VRAM);
	tap_diag("an object in the aperture");
	test_object(&work, DRM_QUIRE_SEGMENT_APERTURE);
	tap_diag("a ring");
	test_pairs(&work, ring_pairs, ARRAY_SIZE(ring_pairs));
	tap_diag("an address space");
	test_pairs(&work, space_pairs, ARRAY_SIZE(space_pairs));
	test_parameter("hang_period", 3000);
	work_end(&work);
	return tap_done();
}
