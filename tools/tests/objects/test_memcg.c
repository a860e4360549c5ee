// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the kernel allocates for a program is charged to its memory cgroup: a limit of that ends a
 * program that creates without end, and nobody else. A table of all that a program can make and
 * keep, with bytes that are charged for each at least: so many that none of what the driver
 * allocates for it can be missing.
 *
 * An xarray allocates a node for 64 neighbours. What is made here has none, so that each takes a
 * node.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "cgroup.h"
#include "native.h"
#include "resident.h"
#include "space.h"
#include "syncs.h"

#define GROUP		"/creator"
#define MOST		4096u
#define NEIGHBOURS	64u	/* in a node of an xarray */
#define BASE		0x100000000ull
#define FAR		(NEIGHBOURS * 512 * QUIRE_PAGE)	/* so much does a node of tables span */
#define NOP_BYTES	16u
#define STIR_BYTES	(4 * QUIRE_MIB)
#define SETTLE_READS	5u
#define SETTLE_MOST	100u

/**
 * struct scene - what one kind of thing is made of
 * @path: of the render node
 * @count: how many are made
 * @work: a file, with all that it takes
 * @space: in it
 * @context: in it, without an address space
 * @files: more of them, which are closed in the end
 * @vms: address spaces, each of one of these
 * @contexts: contexts, each of one of these
 * @objects: of @work
 * @ends: of @work
 * @apart: contexts of @work, which no other is near
 * @fence: of @work
 * @gate: if it has an object: commands wait there
 * @gate_end: these come to
 */
struct scene {
	char path[64];
	unsigned int count;
	struct work work;
	struct space space;
	struct quire_context *context;
	int files[MOST];
	uint32_t vms[MOST];
	uint32_t contexts[MOST];
	struct object objects[MOST];
	struct quire_fence *ends[MOST];
	struct quire_context *apart[MOST];
	struct monitored fence;
	struct gate gate;
	struct quire_fence *gate_end;
};

/**
 * struct kind - a kind of thing that a program can make and keep
 * @name: in plain words
 * @stat: line of memory.stat: "slab", or "kernel" if it has pages of its own
 * @count: how many are made
 * @least: bytes that are charged for each
 * @prepare: what is there before, charged to nobody; or NULL
 * @make: makes all of them
 */
struct kind {
	const char *name;
	const char *stat;
	unsigned int count;
	unsigned int least;
	void (*prepare)(struct scene *scene);
	void (*make)(struct scene *scene);
};

static struct drm_quire_bind binds[MOST];

static void must(int ret, const char *what)
{
	if (ret)
		tap_bail("%s: %s", what, strerror(-ret));
}

static int device_fd(const struct scene *scene)
{
	return scene->work.fixture.fd;
}

static void open_files(struct scene *scene, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		scene->files[i] = open(scene->path, O_RDWR | O_CLOEXEC);
		if (scene->files[i] < 0)
			tap_bail("file %u: %m", i);
	}
}

static uint32_t create_vm(int fd)
{
	struct drm_quire_vm_create create = { 0 };

	must(quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_CREATE, &create), "address space");
	return create.vm;
}

static uint32_t create_context(int fd, uint32_t vm)
{
	struct drm_quire_context_create create = {
		.priority = DRM_QUIRE_PRIORITY_NORMAL, .vm = vm,
	};

	must(quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create), "context");
	return create.context;
}

static uint32_t create_object(const struct scene *scene, uint64_t size)
{
	uint32_t handle;

	must(quire_bo_create(device_fd(scene), size, &handle), "object");
	return handle;
}

static void create_objects(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++)
		scene->objects[i] = (struct object){
			.handle = create_object(scene, QUIRE_PAGE), .size = QUIRE_PAGE,
		};
}

static void create_ends(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++)
		scene->ends[i] = work_fence(&scene->work);
}

static void wait_ends(const struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++)
		must(work_fence_wait(scene->ends[i]), "end");
}

static void make_files(struct scene *scene)
{
	open_files(scene, scene->count);
	for (unsigned int i = 0; i < scene->count; i++)
		budget_ask(scene->files[i], 0);
}

static void make_objects(struct scene *scene)
{
	uint32_t handles[NEIGHBOURS];

	for (unsigned int i = 0; i < scene->count; i++) {
		for (unsigned int j = 0; j < NEIGHBOURS; j++)
			handles[j] = create_object(scene, QUIRE_PAGE);
		for (unsigned int j = 1; j < NEIGHBOURS; j++)
			quire_bo_close(device_fd(scene), handles[j]);
	}
}

static void prepare_held(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		scene->objects[i].handle = create_object(scene, QUIRE_PAGE);
		create_object(scene, NEIGHBOURS * QUIRE_PAGE);
	}
	must(resident_make(device_fd(scene), scene->objects, scene->count), "hold");
	must(resident_evict(device_fd(scene), scene->objects, scene->count), "let go");
}

static void make_held(struct scene *scene)
{
	must(resident_make(device_fd(scene), scene->objects, scene->count), "hold");
}

static void prepare_files(struct scene *scene)
{
	open_files(scene, scene->count);
}

static void make_contexts(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++)
		create_context(scene->files[i], 0);
}

static void make_vms(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++)
		create_vm(scene->files[i]);
}

static void prepare_vm_contexts(struct scene *scene)
{
	const unsigned int count = scene->count / DRM_QUIRE_MAX_CONTEXTS;

	open_files(scene, count);
	for (unsigned int i = 0; i < count; i++)
		scene->vms[i] = create_vm(scene->files[i]);
}

static void make_vm_contexts(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		unsigned int file = i / DRM_QUIRE_MAX_CONTEXTS;

		create_context(scene->files[file], scene->vms[file]);
	}
}

static void execute_in(int fd, uint32_t context)
{
	struct drm_quire_exec exec = {
		.context = context, .address = BASE,
		.size = sizeof(struct quire_command_write_value),
	};

	must(quire_ioctl(fd, DRM_IOCTL_QUIRE_EXEC, &exec), "execute");
}

static void bind_commands(int fd, uint32_t vm, uint32_t handle)
{
	struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP, .address = BASE, .size = QUIRE_PAGE,
		.handle = handle,
	};
	struct drm_quire_vm_bind call = { .vm = vm, .binds = DRM_QUIRE_ARRAY(1, &bind) };

	must(quire_ioctl(fd, DRM_IOCTL_QUIRE_VM_BIND, &call), "bind commands");
}

/* The first context of an address space has a save area, which needs no node. */
static void prepare_saves(struct scene *scene)
{
	struct quire_writer writer = { .size = QUIRE_PAGE / 2 };
	uint32_t handle = 0;
	void *page;

	open_files(scene, scene->count / DRM_QUIRE_MAX_VMS);
	for (unsigned int i = 0; i < scene->count; i++) {
		int fd = scene->files[i / DRM_QUIRE_MAX_VMS];

		if (!(i % DRM_QUIRE_MAX_VMS)) {
			must(quire_bo_create(fd, QUIRE_PAGE, &handle) ?:
			     quire_bo_map(fd, handle, QUIRE_PAGE, &page), "commands");
			writer.bytes = page;
			writer.used = 0;
			quire_write_value(&writer, BASE + QUIRE_PAGE / 2, i);
			munmap(page, QUIRE_PAGE);
		}
		scene->vms[i] = create_vm(fd);
		bind_commands(fd, scene->vms[i], handle);
		execute_in(fd, create_context(fd, scene->vms[i]));
		scene->contexts[i] = create_context(fd, scene->vms[i]);
	}
}

static void make_saves(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++)
		execute_in(scene->files[i / DRM_QUIRE_MAX_VMS], scene->contexts[i]);
}

/* Which all lead to a page of an object: one, or each to one of its own. */
static void bind_all(struct scene *scene, bool own, uint64_t apart)
{
	for (unsigned int i = 0; i < scene->count; i++)
		binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP, .address = BASE + i * apart,
			.size = QUIRE_PAGE, .handle = scene->objects[own ? i : 0].handle,
		};
	must(quire_vm_bind(scene->space.vm, binds, scene->count, NULL, NULL), "bind");
}

/* Nothing has to move, and no table has to be made later. */
static void prepare_bound(struct scene *scene)
{
	struct quire_vm *vm = scene->space.vm;

	create_objects(scene);
	must(quire_vm_create(scene->work.device, &scene->space.vm), "address space");
	bind_all(scene, true, QUIRE_PAGE);
	quire_vm_destroy(scene->space.vm);
	scene->space.vm = vm;
	space_map(&scene->space, BASE + MOST * QUIRE_PAGE, scene->space.buffer, 0, QUIRE_PAGE);
}

static void make_mappings(struct scene *scene)
{
	bind_all(scene, false, QUIRE_PAGE);
}

static void make_bound(struct scene *scene)
{
	bind_all(scene, true, QUIRE_PAGE);
}

static void make_tables(struct scene *scene)
{
	bind_all(scene, false, FAR);
}

static void make_monitored(struct scene *scene)
{
	uint32_t handle;

	for (unsigned int i = 0; i < scene->count; i++)
		must(monitored_create(device_fd(scene), 0, &handle), "monitored fence");
}

static void make_natives(struct scene *scene)
{
	struct native native;

	for (unsigned int i = 0; i < scene->count; i++)
		must(native_create(device_fd(scene), quire_vm_id(scene->space.vm), 0, &native),
		     "native fence");
}

static void make_submitted(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		quire_recorder_nop(scene->work.recorder, NOP_BYTES);
		must(work_submit(&scene->work, scene->context, 0, NULL, scene->ends[i]), "submit");
	}
	wait_ends(scene);
}

static void make_executed(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		quire_write_value(&scene->space.writer, SPACE_RESULTS, i);
		must(space_exec(&scene->space, NULL, scene->ends[i]), "execute");
	}
	wait_ends(scene);
}

static void make_bind_ends(struct scene *scene)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP_ZERO, .address = BASE, .size = QUIRE_PAGE,
	};

	for (unsigned int i = 0; i < scene->count; i++)
		must(space_bind_queued(scene->space.vm, &bind, 0, NULL, scene->ends[i]), "bind");
	wait_ends(scene);
}

static void make_moves(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++)
		must(object_place_signal(&scene->work.fixture, &scene->objects[0],
					 &places[1 + i % 2], quire_fence_syncobj(scene->ends[i]),
					 0), "move");
	wait_ends(scene);
}

static void prepare_signals(struct scene *scene)
{
	create_ends(scene);
	monitored_open(&scene->fence, device_fd(scene), 0);
}

static void make_signals(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		const struct drm_quire_sync sync = {
			.handle = quire_fence_syncobj(scene->ends[i]),
			.flags = DRM_QUIRE_SYNC_SIGNAL,
		};

		must(monitored_signal_syncs(&scene->fence, i + 1, &sync, 1), "signal");
	}
	wait_ends(scene);
}

static void prepare_moves(struct scene *scene)
{
	create_ends(scene);
	scene->objects[0].handle = create_object(scene, QUIRE_PAGE);
	make_moves(scene);
}

/* Each takes numbers of fences, by which the rings find its last work. */
static void prepare_apart(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		scene->apart[i] = work_context(&scene->work);
		for (unsigned int j = 0; j < NEIGHBOURS / 2; j++)
			quire_context_destroy(work_context(&scene->work));
	}
	create_ends(scene);
}

static void make_apart(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		quire_recorder_nop(scene->work.recorder, NOP_BYTES);
		must(work_submit(&scene->work, scene->apart[i], 0, NULL, scene->ends[i]),
		     "submit");
	}
	wait_ends(scene);
}

/* What is queued is behind commands that wait. */
static void prepare_queued(struct scene *scene)
{
	create_ends(scene);
	work_gate_open(&scene->work, &scene->gate);
	scene->gate_end = work_fence(&scene->work);
	work_wait_at(&scene->work, &scene->gate, 1);
	must(work_submit(&scene->work, scene->context, 0, NULL, scene->gate_end), "gate");
}

static void queue_submissions(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		quire_recorder_nop(scene->work.recorder, NOP_BYTES);
		must(work_submit(&scene->work, scene->context, 0, scene->gate_end,
				 scene->ends[i]), "submit");
	}
}

static void queue_executions(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		quire_write_value(&scene->space.writer, SPACE_RESULTS, i);
		must(space_exec(&scene->space, scene->gate_end, scene->ends[i]), "execute");
	}
}

static void queue_binds(struct scene *scene)
{
	const struct drm_quire_bind bind = {
		.operation = DRM_QUIRE_BIND_MAP_ZERO, .address = BASE, .size = QUIRE_PAGE,
	};

	for (unsigned int i = 0; i < scene->count; i++)
		must(space_bind_queued(scene->space.vm, &bind, 0, scene->gate_end,
				       scene->ends[i]), "bind");
}

static void prepare_queued_signals(struct scene *scene)
{
	prepare_queued(scene);
	for (unsigned int i = 0; i < scene->count; i += DRM_QUIRE_MAX_SIGNALS)
		must(monitored_create(device_fd(scene), 0, &scene->objects[i].handle), "fence");
}

static void queue_signals(struct scene *scene)
{
	for (unsigned int i = 0; i < scene->count; i++) {
		const unsigned int value = i % DRM_QUIRE_MAX_SIGNALS;
		const struct monitored fence = {
			.fd = device_fd(scene), .handle = scene->objects[i - value].handle,
		};
		const struct drm_quire_sync syncs[] = {
			{ .handle = quire_fence_syncobj(scene->gate_end),
			  .flags = DRM_QUIRE_SYNC_WAIT },
			{ .handle = quire_fence_syncobj(scene->ends[i]),
			  .flags = DRM_QUIRE_SYNC_SIGNAL },
		};

		must(monitored_signal_syncs(&fence, value + 1, syncs, 2), "signal");
	}
}

static const struct kind kinds[] = {
	{ "open file", "slab", 4000, 876, NULL, make_files },
	{ "object", "slab", 512, 1775, NULL, make_objects },
	{ "held object", "slab", 512, 450, prepare_held, make_held },
	{ "context", "slab", 512, 2350, prepare_files, make_contexts },
	{ "address space", "kernel", 512, 20800, prepare_files, make_vms },
	{ "context with an address space", "kernel", 512, 6356, prepare_vm_contexts,
	  make_vm_contexts },
	{ "context with a save area", "slab", 128, 2200, prepare_saves, make_saves },
	{ "mapping", "slab", 4096, 100, create_objects, make_mappings },
	{ "bound object", "slab", 1024, 190, prepare_bound, make_bound },
	{ "page table", "slab", 256, 1700, create_objects, make_tables },
	{ "monitored fence", "slab", 512, 1700, NULL, make_monitored },
	{ "native fence", "slab", 256, 1244, NULL, make_natives },
	{ "context that has submitted", "slab", 128, 800, prepare_apart, make_apart },
	{ "end of a submission", "slab", 2048, 126, create_ends, make_submitted },
	{ "end of commands that are bound", "slab", 2048, 126, create_ends, make_executed },
	{ "end of a bind", "slab", 2048, 126, create_ends, make_bind_ends },
	{ "end of a move", "slab", 2048, 126, prepare_moves, make_moves },
	{ "end of a signal", "slab", 2048, 126, prepare_signals, make_signals },
	{ "submission that waits", "slab", 480, 642, prepare_queued, queue_submissions },
	{ "bound commands that wait", "slab", 480, 620, prepare_queued, queue_executions },
	{ "bind that waits", "kernel", 128, 9120, prepare_queued, queue_binds },
	{ "signal that waits", "slab", 256, 880, prepare_queued_signals, queue_signals },
};

static void scene_open(struct scene *scene, unsigned int count)
{
	int fd;

	memset(scene, 0, sizeof(*scene));
	memset(scene->files, -1, sizeof(scene->files));
	scene->count = count;
	fd = quire_open_path(scene->path, sizeof(scene->path));
	must(fd < 0 ? fd : 0, "open");
	close(fd);
	work_open(&scene->work);
	space_open(&scene->space, &scene->work);
	scene->context = work_context(&scene->work);
}

static void scene_close(struct scene *scene)
{
	if (scene->gate.object) {
		work_gate_raise(&scene->gate, 1);
		wait_ends(scene);
		work_gate_close(&scene->gate);
		quire_fence_close(scene->gate_end);
	}
	for (unsigned int i = 0; i < MOST; i++) {
		if (scene->files[i] >= 0)
			close(scene->files[i]);
		quire_fence_close(scene->ends[i]);
		quire_context_destroy(scene->apart[i]);
	}
	if (scene->fence.page)
		monitored_close(&scene->fence);
	quire_context_destroy(scene->context);
	space_close(&scene->space);
	work_close(&scene->work);
}

/* What processors have counted is read when it is much: pages of ours make it that. */
static uint64_t read_charged(const char *stat)
{
	void *stir = mmap(NULL, STIR_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (stir == MAP_FAILED)
		tap_bail("mmap: %m");
	munmap(stir, STIR_BYTES);
	return cgroup_read(GROUP, "memory.stat", stat);
}

/*
 * When what served only to make it is freed: it changes no more. Fences are freed much later, but
 * those that wait for that are few.
 */
static uint64_t charged(const char *stat)
{
	uint64_t bytes = read_charged(stat), now;
	unsigned int same = 0;

	for (unsigned int i = 0; i < SETTLE_MOST && same < SETTLE_READS; i++) {
		test_sleep_ms(100);
		now = read_charged(stat);
		same = now == bytes ? same + 1 : 0;
		bytes = now;
	}
	return bytes;
}

static void test_kind(const struct kind *kind)
{
	static struct scene scene;
	int64_t before, each;

	scene_open(&scene, kind->count);
	if (kind->prepare)
		kind->prepare(&scene);
	if (mkdir(CGROUP_ROOT GROUP, 0755))
		tap_bail("mkdir: %m");
	cgroup_enter(GROUP);
	before = charged(kind->stat);
	kind->make(&scene);
	each = ((int64_t)charged(kind->stat) - before) / kind->count;
	tap_ok(each >= kind->least, "%s: %" PRId64 " bytes are charged, at least %u", kind->name,
	       each, kind->least);
	scene_close(&scene);
	cgroup_enter("");
	if (rmdir(CGROUP_ROOT GROUP))
		tap_bail("rmdir: %m");
}

/* A processor may keep a page of what is charged to itself. */
static void stay_on_one_processor(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(sched_getcpu(), &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		tap_bail("sched_setaffinity: %m");
}

int main(void)
{
	const struct rlimit files = { .rlim_cur = 2 * MOST, .rlim_max = 2 * MOST };
	struct work work;

	tap_start(200);
	work_begin(&work);
	if (getuid())
		tap_skip_all("not root");
	if (!cgroup_mount())
		tap_skip_all("the kernel has no cgroups");
	if (access(CGROUP_ROOT "/memory.stat", R_OK)) {
		cgroup_unmount();
		tap_skip_all("the kernel has no memory cgroup");
	}
	if (setrlimit(RLIMIT_NOFILE, &files))
		tap_bail("setrlimit: %m");
	stay_on_one_processor();
	test_parameter("hang_period", WORK_PATIENCE_MS);
	cgroup_write("", "cgroup.subtree_control", "+memory");
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		test_kind(&kinds[i]);
	test_parameter("hang_period", 3000);
	cgroup_unmount();
	work_end(&work);
	return tap_done();
}
