// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is wrong with a submission is found before anything of it runs: each rule has its errno,
 * and says where.
 */
#include <string.h>
#include <sys/mman.h>

#include "refuse.h"
#include "syncs.h"
#include "work.h"

#define NOP		8u	/* bytes of the command that begins each of them */
#define COPY		NOP	/* where the copy begins */
#define COPY_END	(COPY + (uint32_t)sizeof(struct quire_command_copy))
#define SRC		(COPY + (uint32_t)offsetof(struct quire_command_copy, src))
#define DST		(COPY + (uint32_t)offsetof(struct quire_command_copy, dst))

/**
 * struct attempt - a submission: nothing, then a copy from one page to another one
 * @nop: the command buffer begins with it
 * @rest: of the command buffer
 * @allocations: the allocation list
 * @patches: the patch-location list
 * @submit: the argument; its arrays are those above
 */
struct attempt {
	struct quire_packet_header nop;
	char rest[248];
	struct drm_quire_allocation allocations[4];
	struct drm_quire_patch_location patches[4];
	struct drm_quire_submit submit;
};

/**
 * struct scene - who is asked, and what with
 * @subject: must not notice anything
 * @work: the device
 * @context: that executes nothing
 * @apart: handle of an object that is never in VRAM
 * @system: handle of one that is in system memory only
 */
struct scene {
	struct subject subject;
	struct work work;
	uint32_t context;
	uint32_t apart;
	uint32_t system;
};

static struct quire_packet_header header(uint16_t opcode, uint16_t flags, uint32_t size)
{
	return (struct quire_packet_header){ .opcode = opcode, .flags = flags, .size = size };
}

static void *command(struct attempt *attempt)
{
	return attempt->rest;
}

static struct quire_command_copy *copy(struct attempt *attempt)
{
	return command(attempt);
}

static void attempt_init(struct attempt *attempt, const struct scene *scene)
{
	uint32_t handle = scene->subject.object.handle;

	memset(attempt, 0, sizeof(*attempt));
	attempt->nop = header(QUIRE_COMMAND_NOP, 0, NOP);
	*copy(attempt) = (struct quire_command_copy){
		.header = header(QUIRE_COMMAND_COPY, 0, sizeof(*copy(attempt))),
		.size = QUIRE_PAGE,
	};
	attempt->allocations[0] = (struct drm_quire_allocation){
		.handle = handle, .offset = QUIRE_PAGE, .size = QUIRE_PAGE,
	};
	attempt->allocations[1] = (struct drm_quire_allocation){
		.handle = handle, .flags = DRM_QUIRE_ALLOCATION_WRITE,
		.offset = 2 * QUIRE_PAGE, .size = QUIRE_PAGE,
	};
	attempt->patches[0] = (struct drm_quire_patch_location){
		.allocation = 0, .slot = 0, .driver_id = DRM_QUIRE_PATCH_SRC,
		.split_offset = COPY, .allocation_offset = QUIRE_PAGE, .patch_offset = SRC,
	};
	attempt->patches[1] = (struct drm_quire_patch_location){
		.allocation = 1, .slot = 1, .driver_id = DRM_QUIRE_PATCH_DST,
		.split_offset = COPY, .allocation_offset = 2 * QUIRE_PAGE, .patch_offset = DST,
	};
	attempt->submit = (struct drm_quire_submit){
		.context = scene->context,
		.commands = (uintptr_t)&attempt->nop,
		.commands_size = COPY_END,
		.allocations = DRM_QUIRE_ARRAY(2, attempt->allocations),
		.patches = DRM_QUIRE_ARRAY(2, attempt->patches),
	};
}

/* Another command is put behind the copy. Returns it. */
static void *append(struct attempt *attempt, struct quire_packet_header what)
{
	void *at = attempt->rest + attempt->submit.commands_size - COPY;

	*(struct quire_packet_header *)at = what;
	attempt->submit.commands_size += what.size;
	return at;
}

/* Only a command without addresses is left of it; returns it. */
static void *alone(struct attempt *attempt, struct quire_packet_header what)
{
	memset(copy(attempt), 0, sizeof(*copy(attempt)));
	attempt->submit.allocations.count = 0;
	attempt->submit.patches.count = 0;
	attempt->submit.commands_size = COPY;
	return append(attempt, what);
}

/* Only a command that writes the second allocation, whose address is at @field of it. */
static void *writes(struct attempt *attempt, struct quire_packet_header what, uint32_t field)
{
	void *at = alone(attempt, what);

	attempt->submit.allocations.count = 2;
	attempt->submit.patches.count = 1;
	attempt->patches[0] = attempt->patches[1];
	attempt->patches[0].patch_offset = COPY + field;
	return at;
}

static void attempt_refused(struct scene *scene, struct attempt *attempt, int expected,
			    uint32_t where, uint32_t entry, uint32_t offset, const char *name)
{
	struct drm_quire_submit *submit = &attempt->submit;

	refused(&scene->subject, DRM_IOCTL_QUIRE_SUBMIT, submit, expected, name);
	if (submit->refused_where != where || submit->refused_entry != entry ||
	    submit->refused_offset != offset)
		tap_ok(false, "%s: refused at %u, %u, %u instead of %u, %u, %u", name,
		       submit->refused_where, submit->refused_entry, submit->refused_offset,
		       where, entry, offset);
	if (submit->submission || submit->parts || submit->bytes_in || submit->bytes_out)
		tap_ok(false, "%s: something else is returned", name);
}

#define REFUSED_AT(expected, where, entry, offset, name, ...) \
	do {						\
		struct attempt a;			\
							\
		attempt_init(&a, s);			\
		__VA_ARGS__;				\
		attempt_refused(s, &a, expected, DRM_QUIRE_REFUSAL_##where, entry, offset, name); \
	} while (0)

#define SUBMIT(expected, name, ...) \
	REFUSED_AT(expected, SUBMIT, 0, 0, "submit: " name, __VA_ARGS__)
#define ALLOCATION(expected, entry, name, ...) \
	REFUSED_AT(expected, ALLOCATIONS, entry, 0, "allocation: " name, __VA_ARGS__)
#define COMMAND(expected, offset, name, ...) \
	REFUSED_AT(expected, COMMANDS, 0, offset, "command: " name, __VA_ARGS__)
#define PATCH(expected, entry, offset, name, ...) \
	REFUSED_AT(expected, PATCHES, entry, offset, "patch: " name, __VA_ARGS__)

static void test_submit(struct scene *s)
{
	const struct drm_quire_device_info *info = &s->work.fixture.info;

	SUBMIT(-EINVAL, "flag 0", a.submit.flags = 1);
	SUBMIT(-EINVAL, "flag 31", a.submit.flags = 1u << 31);
	SUBMIT(-EINVAL, "pad", a.submit.pad = 1);
	SUBMIT(-EINVAL, "second pad", a.submit.pad2 = 1);
	SUBMIT(-EINVAL, "a ring more than there are", a.submit.ring = info->execution_rings);
	SUBMIT(-EINVAL, "ring -1", a.submit.ring = UINT32_MAX);
	SUBMIT(-ENOENT, "context 0", a.submit.context = 0);
	SUBMIT(-ENOENT, "unknown context", a.submit.context = NO_HANDLE);
	SUBMIT(-EINVAL, "no commands", a.submit.commands_size = 0);
	SUBMIT(-EINVAL, "half a word of commands", a.submit.commands_size = COPY_END + 4);
	SUBMIT(-E2BIG, "a word too many", a.submit.commands_size = info->max_commands + 8);
	SUBMIT(-E2BIG, "as many as there are numbers", a.submit.commands_size = -8u);
	SUBMIT(-EFAULT, "no commands there", a.submit.commands = BAD_POINTER);
	SUBMIT(-EFAULT, "commands of the kernel", a.submit.commands = 1ull << 63);
}

/* The array is @name of the argument, of at most @most elements. */
#define ARRAYS(name, most) \
	do {						\
		SUBMIT(-EINVAL, #name ": stride 0", a.submit.name.stride = 0);	\
		SUBMIT(-EINVAL, #name ": short stride", a.submit.name.stride -= 8);	\
		SUBMIT(-EINVAL, #name ": odd stride", a.submit.name.stride += 4);	\
		SUBMIT(-E2BIG, #name ": long stride", a.submit.name.stride = 4104);	\
		SUBMIT(-E2BIG, #name ": one too many", a.submit.name.count = (most) + 1);	\
		SUBMIT(-E2BIG, #name ": all numbers", a.submit.name.count = UINT32_MAX);	\
		SUBMIT(-EFAULT, #name ": nowhere", a.submit.name.array = BAD_POINTER);	\
	} while (0)

static void test_arrays(struct scene *s)
{
	struct drm_quire_sync syncs[1] = { { 0 } };
	const struct drm_quire_array array = DRM_QUIRE_ARRAY(1, syncs);

	ARRAYS(allocations, DRM_QUIRE_MAX_ALLOCATIONS);
	ARRAYS(patches, DRM_QUIRE_MAX_PATCHES);
	SUBMIT(-EINVAL, "syncs: short stride", a.submit.syncs = array; a.submit.syncs.stride = 8);
	SUBMIT(-E2BIG, "syncs: too many", a.submit.syncs = array; a.submit.syncs.count = 65);
	SUBMIT(-EFAULT, "syncs: nowhere", a.submit.syncs = array; a.submit.syncs.array = 8);
}

#define SYNC(expected, name, ...) \
	do {						\
		struct drm_quire_sync syncs[1] = { { __VA_ARGS__ } };	\
		const struct drm_quire_array array = DRM_QUIRE_ARRAY(1, syncs);	\
							\
		SUBMIT(expected, "syncs: " name, a.submit.syncs = array);	\
	} while (0)

static void test_syncs(struct scene *s)
{
	uint32_t syncobj = sync_create(&s->work.fixture);

	SYNC(-EINVAL, "no flag", .handle = syncobj);
	SYNC(-EINVAL, "both flags", .handle = syncobj,
	     .flags = DRM_QUIRE_SYNC_WAIT | DRM_QUIRE_SYNC_SIGNAL);
	SYNC(-EINVAL, "flag 2", .handle = syncobj, .flags = 1u << 2);
	SYNC(-EINVAL, "flag 31", .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT | 1u << 31);
	SYNC(-ENOENT, "signal handle 0", .flags = DRM_QUIRE_SYNC_SIGNAL);
	SYNC(-ENOENT, "wait for handle 0", .flags = DRM_QUIRE_SYNC_WAIT);
	SYNC(-ENOENT, "signal an unknown handle", .handle = NO_HANDLE,
	     .flags = DRM_QUIRE_SYNC_SIGNAL);
	SYNC(-ENOENT, "wait for an unknown handle", .handle = NO_HANDLE,
	     .flags = DRM_QUIRE_SYNC_WAIT);
	SYNC(-ENOENT, "wait for no fence", .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT);
	SYNC(-ENOENT, "wait for a point without a fence", .handle = syncobj, .point = 3,
	     .flags = DRM_QUIRE_SYNC_WAIT);
	tap_ok(sync_is_untouched(&s->work.fixture, syncobj), "the syncobj is untouched");
}

static void test_allocations(struct scene *s)
{
	uint64_t size = s->subject.object.size;

	ALLOCATION(-EINVAL, 1, "flag 1", a.allocations[1].flags = 1u << 1);
	ALLOCATION(-EINVAL, 0, "flag 31", a.allocations[0].flags = 1u << 31);
	ALLOCATION(-ENOENT, 1, "unknown handle", a.allocations[1].handle = NO_HANDLE);
	ALLOCATION(-EINVAL, 0, "none, but it may be written",
		   a.allocations[0] = (struct drm_quire_allocation){ .flags = 1 });
	ALLOCATION(-EINVAL, 0, "none, but an offset",
		   a.allocations[0] = (struct drm_quire_allocation){ .offset = 1 });
	ALLOCATION(-EINVAL, 0, "none, but bytes",
		   a.allocations[0] = (struct drm_quire_allocation){ .size = 1 });
	ALLOCATION(-EINVAL, 1, "neither in VRAM nor in the aperture",
		   a.allocations[1].handle = s->system);
	ALLOCATION(-ERANGE, 1, "no bytes", a.allocations[1].size = 0);
	ALLOCATION(-ERANGE, 1, "a byte too many", a.allocations[1].size = size - QUIRE_PAGE * 2 + 1);
	ALLOCATION(-ERANGE, 0, "behind the end", a.allocations[0].offset = size);
	ALLOCATION(-ERANGE, 0, "far behind the end", a.allocations[0].offset = -QUIRE_PAGE);
	ALLOCATION(-ERANGE, 1, "as many bytes as there are numbers",
		   a.allocations[1].size = UINT64_MAX);
}

static void test_forms(struct scene *s)
{
	COMMAND(-EMSGSIZE, COPY, "size 0", copy(&a)->header.size = 0);
	COMMAND(-EMSGSIZE, COPY, "half a word", copy(&a)->header.size += 4);
	COMMAND(-EMSGSIZE, COPY, "a word too many", copy(&a)->header.size += 8);
	COMMAND(-EMSGSIZE, COPY, "a word too few", copy(&a)->header.size -= 8);
	COMMAND(-EMSGSIZE, COPY, "size -8", copy(&a)->header.size = -8);
	COMMAND(-EMSGSIZE, COPY, "longer than its kind",
		copy(&a)->header.size += 8; a.submit.commands_size += 8);
	COMMAND(-EOPNOTSUPP, COPY, "opcode 0", copy(&a)->header.opcode = 0);
	COMMAND(-EOPNOTSUPP, COPY, "of the paging ring", copy(&a)->header.opcode = 1);
	COMMAND(-EOPNOTSUPP, COPY, "before the first",
		copy(&a)->header.opcode = QUIRE_COMMAND_FIRST - 1);
	COMMAND(-EOPNOTSUPP, COPY, "behind the last",
		copy(&a)->header.opcode = QUIRE_COMMAND_LAST + 1);
	COMMAND(-EINVAL, COPY, "a copy with a flag", copy(&a)->header.flags = 1);
	COMMAND(-EINVAL, COPY, "a copy of nothing", copy(&a)->size = 0);
	COMMAND(-EADDRINUSE, SRC, "an address of its own", copy(&a)->src = 8);
	COMMAND(-EADDRINUSE, DST, "another one", copy(&a)->dst = 1ull << 63);
	COMMAND(-EINVAL, 0, "a NOP with a flag", a.nop.flags = 1);
	COMMAND(-EINVAL, COPY, "a delay with a flag",
		alone(&a, header(QUIRE_COMMAND_DELAY, 1, sizeof(struct quire_command_delay))));
}

#define FORM(type, opcode, flags) \
	header(QUIRE_COMMAND_##opcode, flags, sizeof(struct quire_command_##type))

static void test_fields(struct scene *s)
{
	struct quire_command_fill *fill;
	struct quire_command_arithmetic *arithmetic;

	COMMAND(-EINVAL, COPY, "fill nothing", alone(&a, FORM(fill, FILL, 0)));
	COMMAND(-EINVAL, COPY, "fill half a number",
		fill = alone(&a, FORM(fill, FILL, 0)); fill->size = 6);
	COMMAND(-EINVAL, COPY, "fill with more",
		fill = alone(&a, FORM(fill, FILL, 0)); fill->size = 8; fill->reserved = 1);
	COMMAND(-EINVAL, COPY, "arithmetic of no kind",
		arithmetic = alone(&a, FORM(arithmetic, ARITHMETIC, 0)); arithmetic->size = 8);
	COMMAND(-EINVAL, COPY, "arithmetic of both kinds",
		arithmetic = alone(&a, FORM(arithmetic, ARITHMETIC, 3)); arithmetic->size = 8);
	COMMAND(-EINVAL, COPY, "arithmetic of a third kind",
		arithmetic = alone(&a, FORM(arithmetic, ARITHMETIC, 4)); arithmetic->size = 8);
	COMMAND(-EINVAL, COPY, "arithmetic of half a number",
		arithmetic = alone(&a, FORM(arithmetic, ARITHMETIC, 1)); arithmetic->size = 2);
	COMMAND(-EINVAL, COPY, "hash nothing", alone(&a, FORM(checksum, CHECKSUM, 0)));
	COMMAND(-EINVAL, COPY, "compare nothing", alone(&a, FORM(compare, COMPARE, 0)));
	COMMAND(-EINVAL, COPY, "wait for nothing", alone(&a, FORM(wait_value, WAIT_VALUE, 0)));
	COMMAND(-EINVAL, COPY, "wait for both", alone(&a, FORM(wait_value, WAIT_VALUE, 3)));
	COMMAND(-EINVAL, COPY, "write a value with a flag",
		alone(&a, FORM(write_value, WRITE_VALUE, 1)));
}

static struct quire_command_2d *surfaces(struct attempt *attempt, uint16_t opcode)
{
	const struct quire_command_surface surface = {
		.layout = DRM_QUIRE_LAYOUT_LINEAR, .pitch = 64, .width = 16, .height = 16,
		.levels = 1, .array_size = 1,
	};
	struct quire_command_2d *rectangle =
		alone(attempt, header(opcode, 0, sizeof(struct quire_command_2d)));

	rectangle->src = surface;
	rectangle->dst = surface;
	rectangle->element_shift = 2;
	rectangle->columns = 16;
	rectangle->rows = 16;
	return rectangle;
}

#define SURFACE(name, ...) \
	COMMAND(-EINVAL, COPY, name, r = surfaces(&a, QUIRE_COMMAND_COPY_2D); __VA_ARGS__)

static void test_surfaces(struct scene *s)
{
	struct quire_command_2d *r;

	SURFACE("something reserved", r->reserved = 1);
	SURFACE("elements of 32 bytes", r->element_shift = 5);
	SURFACE("layout 3", r->dst.layout = 3);
	SURFACE("no width", r->src.width = 0);
	SURFACE("too wide", r->src.width = 16385; r->src.pitch = 65540);
	SURFACE("no height", r->dst.height = 0);
	SURFACE("too high", r->dst.height = 16385);
	SURFACE("no level", r->src.levels = 0);
	SURFACE("linear with levels", r->src.levels = 2);
	SURFACE("linear with slices", r->src.array_size = 2);
	SURFACE("a level that is not there", r->src.level = 1);
	SURFACE("a slice that is not there", r->src.slice = 1);
	SURFACE("less than a row", r->dst.pitch = 60);
	SURFACE("rows that are not aligned", r->dst.pitch = 66);
	SURFACE("tiled with a pitch", r->dst.layout = DRM_QUIRE_LAYOUT_TILE_4K);
	COMMAND(-EINVAL, COPY, "blend elements of 8 bytes",
		r = surfaces(&a, QUIRE_COMMAND_BLEND);
		r->element_shift = 3; r->src.pitch = 128; r->dst.pitch = 128);
	COMMAND(-EDESTADDRREQ, COPY + 8, "surfaces of nobody",
		surfaces(&a, QUIRE_COMMAND_COPY_2D));
}

static void test_patches(struct scene *s)
{
	const uint32_t slots = s->work.fixture.info.slots;

	PATCH(-EINVAL, 1, 0, "pad", a.patches[1].pad = 1);
	PATCH(-EBADSLT, 1, DST, "no such allocation", a.patches[1].allocation = 2);
	PATCH(-EBADSLT, 0, SRC, "allocation -1", a.patches[0].allocation = UINT32_MAX);
	PATCH(-ECHRNG, 1, DST, "no such slot", a.patches[1].slot = slots);
	PATCH(-ECHRNG, 1, DST, "slot -1", a.patches[1].slot = UINT32_MAX);
	PATCH(-EILSEQ, 1, 0, "not in order", a.patches[1].split_offset = 0);
	PATCH(-EBADMSG, 0, SRC, "split within a command", a.patches[0].split_offset = SRC);
	PATCH(-EBADMSG, 1, COPY + 4, "split within a word", a.patches[1].split_offset = COPY + 4);
	PATCH(-EBADMSG, 1, COPY_END, "split at the end", a.patches[1].split_offset = COPY_END);
	PATCH(-EBADMSG, 1, -8u, "split far behind", a.patches[1].split_offset = -8u);
	PATCH(-ENXIO, 0, COPY, "patch a header", a.patches[0].patch_offset = COPY);
	PATCH(-ENXIO, 0, DST + 8, "patch a size", a.patches[0].patch_offset = DST + 8);
	PATCH(-ENXIO, 0, SRC + 4, "patch half an address", a.patches[0].patch_offset = SRC + 4);
	PATCH(-ENXIO, 1, COPY_END, "patch the end", a.patches[1].patch_offset = COPY_END);
	PATCH(-ENXIO, 1, -8u, "patch far behind", a.patches[1].patch_offset = -8u);
	PATCH(-EEXIST, 1, SRC, "patch twice", a.patches[1] = a.patches[0]);
	PATCH(-EPROTOTYPE, 0, SRC, "another field", a.patches[0].driver_id = DRM_QUIRE_PATCH_DST);
	PATCH(-EPROTOTYPE, 1, DST, "no field", a.patches[1].driver_id = 3);
}

/* The third element binds or unbinds a slot at another command. */
static void test_bindings(struct scene *s)
{
#define BINDING(expected, entry, offset, name, ...) \
	PATCH(expected, entry, offset, name, append(&a, header(QUIRE_COMMAND_NOP, 0, NOP));	\
	      a.allocations[2].handle = 0; a.submit.allocations.count = 3;	\
	      a.submit.patches.count = 3; a.patches[2].allocation = 2;	\
	      a.patches[2].split_offset = COPY; __VA_ARGS__)

	BINDING(-ESTALE, 0, SRC, "unbound before", a.patches[2].slot = 0);
	BINDING(-ESTALE, 1, DST, "unbound before, another one", a.patches[2].slot = 1);
	BINDING(-EINVAL, 2, COPY, "unbind a field", a.patches[2].driver_id = 1);
	BINDING(-EINVAL, 2, COPY, "unbind with an offset", a.patches[2].allocation_offset = 8);
	BINDING(-EINVAL, 2, COPY, "unbind with a place", a.patches[2].patch_offset = SRC);
	PATCH(-ESTALE, 0, SRC, "one slot for both", a.patches[1].slot = 0);
	PATCH(-ESTALE, 1, DST, "bound too late", append(&a, header(QUIRE_COMMAND_NOP, 0, NOP));
	      a.patches[1].split_offset = COPY_END);
}

static void test_uses(struct scene *s)
{
	struct quire_command_fill *fill;
	struct quire_command_2d *r;

	COMMAND(-EDESTADDRREQ, DST, "an address of nobody", a.submit.patches.count = 1);
	COMMAND(-EDESTADDRREQ, SRC, "two of them", a.submit.patches.count = 0);
	PATCH(-EADDRNOTAVAIL, 0, COPY + 8, "fill not aligned",
	      fill = writes(&a, FORM(fill, FILL, 0), 8); fill->size = 4;
	      a.patches[0].allocation_offset += 2);
	PATCH(-EADDRNOTAVAIL, 0, COPY + 8, "value not aligned",
	      writes(&a, FORM(write_value, WRITE_VALUE, 0), 8);
	      a.patches[0].allocation_offset += 4);
	PATCH(-EADDRNOTAVAIL, 0, COPY + 8, "surface not aligned",
	      r = surfaces(&a, QUIRE_COMMAND_COPY_2D); a.submit.allocations.count = 2;
	      a.submit.patches.count = 2; a.patches[0].allocation_offset += 2;
	      a.patches[0].patch_offset = COPY + 8;
	      a.patches[1].patch_offset = COPY + 8 + sizeof(r->src));
	PATCH(-EMEDIUMTYPE, 0, COPY + 8, "tiles in the aperture",
	      r = surfaces(&a, QUIRE_COMMAND_COPY_2D); r->src.layout = DRM_QUIRE_LAYOUT_TILE_4K;
	      r->src.pitch = 0; a.submit.allocations.count = 2; a.submit.patches.count = 2;
	      a.allocations[0] = (struct drm_quire_allocation){ s->apart, 0, 0, QUIRE_PAGE };
	      a.patches[0].allocation_offset = 0; a.patches[0].patch_offset = COPY + 8;
	      a.patches[1].patch_offset = COPY + 8 + sizeof(r->src));
	PATCH(-ERANGE, 0, SRC, "a byte too many", copy(&a)->size++; a.allocations[1].size++);
	PATCH(-ERANGE, 1, DST, "a byte too far", a.patches[1].allocation_offset++);
	PATCH(-ERANGE, 1, DST, "a byte too early", a.patches[1].allocation_offset--);
	PATCH(-ERANGE, 0, SRC, "no byte of the object", a.patches[0].allocation_offset = -8ull);
	PATCH(-ERANGE, 0, SRC, "as many bytes as there are numbers", copy(&a)->size = UINT64_MAX);
	PATCH(-EACCES, 1, DST, "write what is read", a.allocations[1].flags = 0);
}

/* Its second page is its third page, too. */
static void expect_copied(const struct fixture *fixture, const struct object *object)
{
	void *map;
	int ret = quire_bo_map(fixture->fd, object->handle, object->size, &map);

	tap_ok(!ret && !memcmp((char *)map + QUIRE_PAGE, (char *)map + 2 * QUIRE_PAGE, QUIRE_PAGE),
	       "it was executed");
	munmap(map, object->size);
}

/* What all of these are made of is good. */
static void test_good(struct scene *scene)
{
	const struct fixture *fixture = &scene->work.fixture;
	struct attempt attempt;
	struct object object;

	tap_ret(object_create(fixture, &object, 4 * QUIRE_PAGE, 5), 0, "create another");
	attempt_init(&attempt, scene);
	attempt.allocations[0].handle = object.handle;
	attempt.allocations[1].handle = object.handle;
	attempt.submit.refused_where = 7;
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_SUBMIT, &attempt.submit), 0, "submit");
	tap_ok(attempt.submit.submission == 1, "no other one has a number (%llu)",
	       attempt.submit.submission);
	tap_ok(attempt.submit.parts == 1 && !attempt.submit.refused_where, "all is answered");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "wait for it");
	expect_copied(fixture, &object);
	object_close(fixture, &object);
}

static uint32_t context_create(int fd)
{
	struct drm_quire_context_create create = { 0 };

	if (quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create))
		tap_bail("no context");
	return create.context;
}

static void scene_open(struct scene *scene)
{
	const uint32_t system_memory = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM);
	const uint32_t aperture = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE);
	int fd = scene->work.fixture.fd;

	subject_make(&scene->subject, &scene->work.fixture);
	scene->context = context_create(fd);
	tap_ret(quire_bo_create_in(fd, QUIRE_PAGE, system_memory, &scene->system), 0,
		"in system memory only");
	tap_ret(quire_bo_create_in(fd, QUIRE_PAGE, system_memory | aperture, &scene->apart), 0,
		"never in VRAM");
}

static void scene_close(struct scene *scene)
{
	quire_bo_close(scene->work.fixture.fd, scene->system);
	quire_bo_close(scene->work.fixture.fd, scene->apart);
	subject_close(&scene->subject);
}

int main(void)
{
	struct scene scene;

	tap_start(60);
	work_begin(&scene.work);
	scene_open(&scene);
	test_submit(&scene);
	test_arrays(&scene);
	test_syncs(&scene);
	test_allocations(&scene);
	test_forms(&scene);
	test_fields(&scene);
	test_surfaces(&scene);
	test_patches(&scene);
	test_bindings(&scene);
	test_uses(&scene);
	test_good(&scene);
	scene_close(&scene);
	work_end(&scene.work);
	return tap_done();
}
