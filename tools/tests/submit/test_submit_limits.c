// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The most that a submission takes, elements that are longer than the driver knows, a shorter
 * argument, and what can never fit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "refuse.h"
#include "work.h"

static int submit(const struct work *work, struct drm_quire_submit *argument)
{
	return quire_ioctl(work->fixture.fd, DRM_IOCTL_QUIRE_SUBMIT, argument);
}

static uint32_t context_create(const struct work *work)
{
	struct drm_quire_context_create create = { 0 };

	if (quire_ioctl(work->fixture.fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create))
		tap_bail("no context");
	return create.context;
}

static void expect_number(struct quire_object *object, uint64_t offset, uint64_t number)
{
	uint64_t found = work_number(object, offset);

	tap_ok(found == number, "it was executed (%llu)", (unsigned long long)found);
}

/**
 * struct writing - the arguments of a command that writes a number
 * @command: the command
 * @allocation: what it writes
 * @patch: where the address goes
 * @submit: the argument
 */
struct writing {
	struct quire_command_write_value command;
	struct drm_quire_allocation allocation;
	struct drm_quire_patch_location patch;
	struct drm_quire_submit submit;
};

static void writing_init(struct writing *writing, uint32_t context,
			 const struct quire_object *object, uint64_t number)
{
	*writing = (struct writing){
		.command.header.opcode = QUIRE_COMMAND_WRITE_VALUE,
		.command.header.size = sizeof(writing->command),
		.command.value = number,
		.allocation.handle = quire_object_handle(object),
		.allocation.flags = DRM_QUIRE_ALLOCATION_WRITE,
		.allocation.size = QUIRE_PAGE,
		.patch.driver_id = DRM_QUIRE_PATCH_DST,
		.patch.patch_offset = offsetof(struct quire_command_write_value, dst),
	};
	writing->submit = (struct drm_quire_submit){
		.context = context,
		.commands = (uintptr_t)&writing->command,
		.commands_size = sizeof(writing->command),
		.allocations = DRM_QUIRE_ARRAY(1, &writing->allocation),
		.patches = DRM_QUIRE_ARRAY(1, &writing->patch),
	};
}

/* As a later program may have them. */
struct long_allocation {
	struct drm_quire_allocation known;
	uint64_t unknown;
};

struct long_patch {
	struct drm_quire_patch_location known;
	uint64_t unknown[4];
};

static void test_strides(struct work *work, uint32_t context)
{
	struct quire_object *object = work_object(work, QUIRE_PAGE);
	struct long_allocation allocations[2] = { 0 };
	struct long_patch patches[1] = { 0 };
	struct writing writing;

	writing_init(&writing, context, object, 21);
	allocations[1].known = writing.allocation;
	patches[0].known = writing.patch;
	patches[0].known.allocation = 1;
	writing.submit.allocations = (struct drm_quire_array)DRM_QUIRE_ARRAY(2, allocations);
	writing.submit.patches = (struct drm_quire_array)DRM_QUIRE_ARRAY(1, patches);
	allocations[1].unknown = 1;
	tap_ret(submit(work, &writing.submit), -E2BIG, "an allocation with more");
	allocations[1].unknown = 0;
	patches[0].unknown[3] = 1ull << 63;
	tap_ret(submit(work, &writing.submit), -E2BIG, "a patch with more");
	patches[0].unknown[3] = 0;
	tap_ret(submit(work, &writing.submit), 0, "longer, but nothing there");
	expect_number(object, 0, 21);
	quire_object_close(object);
}

/* The tail is zero: no arrays, and no answer. */
static void test_short(const struct work *work, uint32_t context)
{
	struct quire_packet_header nop = {
		.opcode = QUIRE_COMMAND_NOP, .size = sizeof(nop),
	};
	struct drm_quire_submit argument = {
		.context = context, .commands = (uintptr_t)&nop, .commands_size = sizeof(nop),
		.allocations.stride = 3, .allocations.count = 3, .submission = 77,
	};
	size_t size = offsetof(struct drm_quire_submit, allocations);
	unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
				     DRM_COMMAND_BASE + DRM_QUIRE_SUBMIT, size);

	tap_ret(quire_ioctl(work->fixture.fd, request, &argument), 0, "a structure of %zu bytes",
		size);
	tap_ok(argument.submission == 77, "nothing behind it is written");
}

/* The command buffer becomes @size bytes of commands that do nothing, of @each bytes. */
static void fill_with_nops(char *commands, uint32_t size, uint32_t each)
{
	for (uint32_t at = 0; at < size; at += each) {
		struct quire_packet_header nop = {
			.opcode = QUIRE_COMMAND_NOP, .size = size - at < each ? size - at : each,
		};

		memcpy(commands + at, &nop, sizeof(nop));
	}
}

/* A command buffer of the largest size: it is executed to its end, in order. */
static void test_commands(struct work *work, uint32_t context, uint32_t each)
{
	const uint32_t size = work->fixture.info.max_commands;
	struct quire_object *object = work_object(work, QUIRE_PAGE);
	char *commands = calloc(1, size);
	struct writing writing;
	uint32_t last;

	if (!commands)
		tap_bail("no memory");
	writing_init(&writing, context, object, each);
	last = size - sizeof(writing.command);
	fill_with_nops(commands, last, each);
	memcpy(commands + last, &writing.command, sizeof(writing.command));
	writing.patch.patch_offset += last;
	writing.submit.commands = (uintptr_t)commands;
	writing.submit.commands_size = size;
	tap_ret(submit(work, &writing.submit), 0, "%u bytes, commands of %u", size, each);
	expect_number(object, 0, each);
	free(commands);
	quire_object_close(object);
}

/* Longer than any command is: so long that no job of the driver has room for it. */
static void test_long_command(const struct work *work, uint32_t context)
{
	const uint32_t size = QUIRE_COMMAND_MAX_SIZE + 8;
	struct drm_quire_submit argument = { .context = context, .commands_size = size };
	char *commands = calloc(1, size);

	if (!commands)
		tap_bail("no memory");
	argument.commands = (uintptr_t)commands;
	fill_with_nops(commands, size, size);
	tap_ret(submit(work, &argument), -EMSGSIZE, "a command of %u bytes", size);
	tap_ok(argument.refused_where == DRM_QUIRE_REFUSAL_COMMANDS, "it says where");
	free(commands);
}

/* The longest lists. Only the last elements are used. */
static void test_lists(struct work *work, uint32_t context)
{
	const uint32_t allocations = DRM_QUIRE_MAX_ALLOCATIONS, patches = DRM_QUIRE_MAX_PATCHES;
	struct quire_object *object = work_object(work, QUIRE_PAGE);
	struct drm_quire_allocation *a = calloc(allocations, sizeof(*a));
	struct drm_quire_patch_location *p = calloc(patches, sizeof(*p));
	struct writing writing;

	if (!a || !p)
		tap_bail("no memory");
	writing_init(&writing, context, object, 23);
	for (uint32_t i = 1; i < allocations; i++)
		a[i] = writing.allocation;
	for (uint32_t i = 0; i < patches; i++)
		p[i].slot = i % work->fixture.info.slots;
	p[patches - 1] = writing.patch;
	p[patches - 1].allocation = allocations - 1;
	writing.submit.allocations = (struct drm_quire_array)DRM_QUIRE_ARRAY(allocations, a);
	writing.submit.patches = (struct drm_quire_array)DRM_QUIRE_ARRAY(patches, p);
	tap_ret(submit(work, &writing.submit), 0, "%u allocations, %u patches", allocations,
		patches);
	expect_number(object, 0, 23);
	free(a);
	free(p);
	quire_object_close(object);
}

/* As refused() has it: with an errno, and a message. Nothing is executed. */
static void expect_never(struct work *work, struct quire_context *context, int expected,
			 uint32_t entry, const char *name)
{
	int log = refusals_open();
	char place[64];

	snprintf(place, sizeof(place), "list %u, element %u, byte 0x0: ", DRM_QUIRE_REFUSAL_PATCHES,
		 entry);
	tap_ret(work_submit(work, context, 0, NULL, NULL), expected, "%s", name);
	if (log >= 0)
		tap_ok(refusals_say(log, expected, place), "the log says where");
	refusals_close(log);
	tap_ok(work->result.refused_where == DRM_QUIRE_REFUSAL_PATCHES &&
	       work->result.refused_entry == entry && !work->result.submission,
	       "it says where: %u, %u", work->result.refused_where, work->result.refused_entry);
}

/* What one command uses has to be there at once. */
static void test_never(struct work *work)
{
	struct quire_context *context = work_context(work);
	uint64_t vram = fixture_vram(&work->fixture);
	struct quire_object *half[2] = {
		work_object(work, vram / 2), work_object(work, vram / 2 + QUIRE_PAGE),
	};
	struct quire_object *large;

	quire_recorder_copy(work->recorder, quire_at(half[0], 0), quire_at(half[1], 0), 8);
	expect_never(work, context, -EXFULL, 1, "two objects that do not fit together");
	if (vram + QUIRE_PAGE > work->fixture.info.max_bo_size) {
		tap_skip("there is no such object", "one that does not fit alone");
	} else {
		large = work_object(work, vram + QUIRE_PAGE);
		quire_recorder_fill(work->recorder, quire_at(large, 0), 8, 1);
		expect_never(work, context, -EFBIG, 0, "one that does not fit alone");
		tap_ok(strstr(work->result.message, "(EFBIG)"), "in words: %s",
		       work->result.message);
		quire_object_close(large);
	}
	tap_ok(quire_object_class(half[0]) == DRM_QUIRE_SEGMENT_SYSTEM, "nothing was moved");
	quire_object_close(half[0]);
	quire_object_close(half[1]);
	quire_context_destroy(context);
}

/* An object whose content is gone, as if for want of memory. */
static void test_purged(struct work *work)
{
	const struct fixture *fixture = &work->fixture;
	struct quire_context *context = work_context(work);
	struct quire_object *object = work_object(work, QUIRE_PAGE);
	uint32_t handle = quire_object_handle(object);
	bool retained;

	if (!*fixture->debugfs) {
		tap_skip("no debugfs, or not root", "an object that is purged");
		return;
	}
	tap_ret(quire_bo_place(fixture->fd, handle, DRM_QUIRE_SEGMENT_VRAM, 0), 0, "place it");
	tap_ret(quire_bo_wait(fixture->fd, handle, WAIT_MS), 0, "wait for it");
	quire_bo_madvise(fixture->fd, handle, DRM_QUIRE_MADV_DONTNEED, NULL);
	tap_ret(debugfs_write(fixture->debugfs, "evict_all", "1"), 0, "purge it");
	quire_recorder_fill(work->recorder, quire_at(object, 0), 8, 5);
	tap_ret(work_submit(work, context, 0, NULL, NULL), -ENODATA, "it is purged");
	tap_ok(!work->result.submission && !work->result.parts, "it has no number");
	tap_ok(work->result.refused_where == DRM_QUIRE_REFUSAL_ALLOCATIONS &&
	       !work->result.refused_entry, "it says which");
	tap_ret(quire_bo_madvise(fixture->fd, handle, DRM_QUIRE_MADV_WILLNEED, &retained), 0,
		"it is needed");
	quire_recorder_fill(work->recorder, quire_at(object, 0), 8, 5);
	tap_ret(work_submit(work, context, 0, NULL, NULL), 0, "then it is taken");
	tap_ok(work->result.submission == 1, "it is the first one");
	expect_number(object, 0, 0x500000005);
	quire_object_close(object);
	quire_context_destroy(context);
}

int main(void)
{
	struct work work;
	uint32_t context;

	tap_start(60);
	work_begin(&work);
	context = context_create(&work);
	test_strides(&work, context);
	test_short(&work, context);
	test_commands(&work, context, QUIRE_COMMAND_MAX_SIZE);
	test_commands(&work, context, 24);
	test_commands(&work, context, 8);
	test_long_command(&work, context);
	test_lists(&work, context);
	test_never(&work);
	test_purged(&work);
	work_end(&work);
	return tap_done();
}
