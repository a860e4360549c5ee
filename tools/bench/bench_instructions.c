// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * bench-instructions: does each operation of the driver many times, between marks for the plugin
 * of the emulator, which counts the instructions; see instructions.sh.
 *
 * Prints nothing but errors. Needs a guest with one processor.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"
#include "instructions_marks.h"
#include "program.h"

/*
 * The scheduler takes one of several ways for a whole series of samples, so there are several
 * series of each operation, with a sleep between them.
 */
#define ROUNDS		5
#define SAMPLES		25	/* of each round */
#define BATCH_SAMPLES	7	/* of bind-1024, which takes millions of instructions */
#define WARM_UP		5
#define LARGE		(2 * QUIRE_MIB)
#define LOOPS		1000
#define FREED		64
#define FREED_US	1000	/* of virtual time: for what the driver does later */
#define ROUND_US	200000
#define SETTLE_US	20000	/* for what the kernel does later */
#define BINDS		1024u
#define ADDRESS		0x100000000ull
#define COMMANDS	0x80000000ull

static void read_module(struct mark_modules *modules, const char *line)
{
	static const struct {
		const char *name;
		enum mark_group group;
	} known[] = {
		{ "ttm", MARK_TTM }, { "quire", MARK_DRIVER }, { "drm", MARK_DRM },
		{ "drm_buddy", MARK_DRM }, { "drm_exec", MARK_DRM }, { "drm_gpuvm", MARK_DRM },
		{ "drm_suballoc_helper", MARK_DRM }, { "gpu_sched", MARK_DRM },
	};
	struct mark_module module = { .group = MARK_REST };
	uint64_t size;
	char name[64];

	if (sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, name, &size,
		   &module.begin) != 3 ||
	    modules->count == MARK_MODULES)
		guest_must(-EINVAL, "/proc/modules");
	module.end = module.begin + size;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name))
			module.group = known[i].group;
	modules->modules[modules->count++] = module;
}

/* Where modules are: text comes first in each. */
static void tell_modules(void)
{
	static struct mark_modules modules;
	FILE *file = fopen("/proc/modules", "r");
	char line[512];

	if (!file)
		guest_must(-errno, "/proc/modules");
	while (fgets(line, sizeof(line), file))
		read_module(&modules, line);
	fclose(file);
	mark(MARK_SET_MODULES, &modules);
}

/* @count: operations in each sample */
static void set_operation(const char *name, uint64_t count)
{
	static struct mark_operation operation;

	operation = (struct mark_operation){ .count = count };
	snprintf(operation.name, sizeof(operation.name), "%s", name);
	mark(MARK_SET_OPERATION, &operation);
}

static inline void begin(void)
{
	mark(MARK_BEGIN, NULL);
}

static inline void end(void)
{
	mark(MARK_END, NULL);
}

/* A known number of instructions, two each time, and no operation: are they counted right? */
static void measure_loop(void)
{
	set_operation("loop", 1);
	for (int i = 0; i < SAMPLES; i++) {
		unsigned long left = LOOPS;

		begin();
		asm volatile("1: dec %0; jnz 1b" : "+r"(left));
		end();
	}
}

static void measure_create(const struct guest *guest)
{
	static uint32_t handles[WARM_UP + SAMPLES];

	set_operation("create", 1);
	for (int i = 0; i < WARM_UP + SAMPLES; i++) {
		if (i >= WARM_UP)
			begin();
		guest_must(quire_bo_create(guest->fd, QUIRE_PAGE, &handles[i]), "create");
		if (i >= WARM_UP)
			end();
	}
	for (int i = 0; i < WARM_UP + SAMPLES; i++)
		guest_must(quire_bo_close(guest->fd, handles[i]), "close");
}

/* Between VRAM and system memory, to the end of the move. */
static void measure_place(const struct guest *guest, uint64_t size, uint32_t segment,
			  const char *name)
{
	const uint32_t other = segment == DRM_QUIRE_SEGMENT_VRAM ? DRM_QUIRE_SEGMENT_SYSTEM :
								   DRM_QUIRE_SEGMENT_VRAM;
	struct guest_set set;

	guest_set_create(&set, guest->fd, 1, size);
	set_operation(name, 1);
	for (int i = 0; i < WARM_UP + SAMPLES; i++) {
		guest_set_place(&set, other);
		guest_set_wait(&set);
		if (i >= WARM_UP)
			begin();
		guest_set_place(&set, segment);
		guest_set_wait(&set);
		if (i >= WARM_UP)
			end();
	}
	guest_set_close(&set);
}

/* The first access to a page of an object, which is mapped already. */
static void measure_fault(const struct guest *guest, uint32_t segment, const char *name)
{
	struct guest_set set;
	void *map;

	guest_set_create(&set, guest->fd, 1, QUIRE_PAGE);
	guest_set_place(&set, segment);
	guest_set_wait(&set);
	set_operation(name, 1);
	for (int i = 0; i < WARM_UP + SAMPLES; i++) {
		guest_must(quire_bo_map(guest->fd, set.handles[0], QUIRE_PAGE, &map), "map");
		if (i >= WARM_UP)
			begin();
		*(volatile char *)map = 1;
		if (i >= WARM_UP)
			end();
		munmap(map, QUIRE_PAGE);
	}
	guest_set_close(&set);
}

/* Of objects in VRAM, all at once, with what the driver does for them later. */
static void measure_free(const struct guest *guest)
{
	uint64_t usage = guest_usage(guest, DRM_QUIRE_SEGMENT_VRAM);
	struct guest_set set;

	set_operation("free", FREED);
	for (int i = 0; i < WARM_UP + SAMPLES; i++) {
		guest_set_create(&set, guest->fd, FREED, QUIRE_PAGE);
		guest_set_place(&set, DRM_QUIRE_SEGMENT_VRAM);
		guest_set_wait(&set);
		usleep(SETTLE_US);
		if (i >= WARM_UP)
			begin();
		for (int j = 0; j < FREED; j++)
			guest_must(quire_bo_close(guest->fd, set.handles[j]), "close");
		usleep(FREED_US);
		if (i >= WARM_UP)
			end();
		free(set.handles);
		if (guest_usage(guest, DRM_QUIRE_SEGMENT_VRAM) > usage)
			guest_must(-ETIME, "freed memory does not come back");
	}
}

/**
 * struct binder - an address space with an object whose pages are bound
 * @program: the device
 * @vm: the address space
 * @object: the object, in VRAM
 * @binds: no two of them lie side by side
 */
struct binder {
	struct program program;
	struct quire_vm *vm;
	struct quire_object *object;
	struct drm_quire_bind binds[BINDS];
};

static void open_binder(struct binder *binder)
{
	program_open(&binder->program, 0);
	binder->object = program_object(&binder->program, BINDS * QUIRE_PAGE);
	guest_must(quire_vm_create(binder->program.device, &binder->vm), "address space");
	for (unsigned int i = 0; i < BINDS; i++)
		binder->binds[i] = (struct drm_quire_bind){
			.operation = DRM_QUIRE_BIND_MAP,
			.address = ADDRESS + 2 * i * QUIRE_PAGE,
			.size = QUIRE_PAGE,
			.handle = quire_object_handle(binder->object),
			.offset = i * QUIRE_PAGE,
		};
}

static void close_binder(struct binder *binder)
{
	quire_vm_destroy(binder->vm);
	quire_object_close(binder->object);
	program_close(&binder->program);
}

/* Where something else is bound, to the end. */
static void measure_bind(struct binder *binder, unsigned int count, int samples, const char *name)
{
	set_operation(name, 1);
	for (int i = 0; i < WARM_UP + samples; i++) {
		for (unsigned int j = 0; j < count; j++)
			binder->binds[j].offset = (i + j) % BINDS * QUIRE_PAGE;
		if (i >= WARM_UP)
			begin();
		guest_must(quire_vm_bind(binder->vm, binder->binds, count, NULL, NULL), "bind");
		if (i >= WARM_UP)
			end();
	}
}

/* One NOP, to the wake-up of the program that waits for its fence. */
static void measure_exec(struct binder *binder)
{
	struct program *program = &binder->program;
	struct quire_fence_point done = { .fence = program->done };
	const struct quire_submission how = { .nr_signals = 1, .signals = &done };
	struct quire_command_nop nop = { 0 };
	struct quire_writer writer = { .size = QUIRE_PAGE };
	struct quire_context *context;

	guest_must(quire_object_map(binder->object, &writer.bytes), "map");
	quire_write(&writer, &nop, QUIRE_COMMAND_NOP, 0, sizeof(nop));
	guest_must(quire_vm_map(binder->vm, COMMANDS, binder->object, 0, QUIRE_PAGE, 0), "bind");
	guest_must(quire_context_create_in(binder->vm, DRM_QUIRE_PRIORITY_NORMAL, &context),
		   "context");
	set_operation("exec", 1);
	for (int i = 0; i < WARM_UP + SAMPLES; i++) {
		done.point = ++program->submitted;
		if (i >= WARM_UP)
			begin();
		guest_must(quire_exec(context, COMMANDS, writer.used, &how, NULL), "exec");
		program_wait(program, program->submitted);
		if (i >= WARM_UP)
			end();
	}
	quire_context_destroy(context);
}

/* The same, with lists. */
static void measure_submit(struct program *program)
{
	quire_recorder_nop(program->recorder, sizeof(struct quire_command_nop));
	set_operation("submit", 1);
	for (int i = 0; i < WARM_UP + SAMPLES; i++) {
		if (i >= WARM_UP)
			begin();
		program_submit(program);
		program_wait(program, program->submitted);
		if (i >= WARM_UP)
			end();
	}
}

static void measure_programs(void)
{
	static struct binder binder;

	open_binder(&binder);
	measure_bind(&binder, 1, SAMPLES, "bind-1");
	measure_bind(&binder, BINDS, BATCH_SAMPLES, "bind-1024");
	measure_exec(&binder);
	measure_submit(&binder.program);
	close_binder(&binder);
}

static void measure_all(const struct guest *guest)
{
	measure_loop();
	measure_create(guest);
	measure_place(guest, QUIRE_PAGE, DRM_QUIRE_SEGMENT_VRAM, "place-4k");
	measure_place(guest, QUIRE_PAGE, DRM_QUIRE_SEGMENT_SYSTEM, "evict-4k");
	measure_place(guest, LARGE, DRM_QUIRE_SEGMENT_VRAM, "place-2m");
	measure_place(guest, LARGE, DRM_QUIRE_SEGMENT_SYSTEM, "evict-2m");
	measure_fault(guest, DRM_QUIRE_SEGMENT_VRAM, "fault-vram");
	measure_fault(guest, DRM_QUIRE_SEGMENT_SYSTEM, "fault-system");
	measure_free(guest);
	measure_programs();
}

int main(void)
{
	struct guest guest;

	tell_modules();
	guest_open(&guest);
	for (int i = 0; i < ROUNDS; i++) {
		usleep(ROUND_US);
		measure_all(&guest);
	}
	return 0;
}
