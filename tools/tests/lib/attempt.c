// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdio.h>
#include <string.h>

#include "attempt.h"

struct quire_packet_header header(uint16_t opcode, uint16_t flags, uint32_t size)
{
	return (struct quire_packet_header){ .opcode = opcode, .flags = flags, .size = size };
}

struct quire_command_copy *copy(struct attempt *attempt)
{
	void *at = attempt->rest;

	return at;
}

void attempt_init(struct attempt *attempt, const struct scene *scene)
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
		/* not looked at, and answered whatever comes of it */
		.submission = 77, .parts = 77, .bytes_in = 77, .bytes_out = 77,
		.refused_where = 77, .refused_entry = 77, .refused_offset = 77,
	};
}

/* Another command is put behind the copy. Returns it. */
void *append(struct attempt *attempt, struct quire_packet_header what)
{
	void *at = attempt->rest + attempt->submit.commands_size - COPY;

	*(struct quire_packet_header *)at = what;
	attempt->submit.commands_size += what.size;
	return at;
}

/* Only a command without addresses is left of it; returns it. */
void *alone(struct attempt *attempt, struct quire_packet_header what)
{
	memset(copy(attempt), 0, sizeof(*copy(attempt)));
	attempt->submit.allocations.count = 0;
	attempt->submit.patches.count = 0;
	attempt->submit.commands_size = COPY;
	return append(attempt, what);
}

/* Only a command that writes the second allocation, whose address is at @field of it. */
void *writes(struct attempt *attempt, struct quire_packet_header what, uint32_t field)
{
	void *at = alone(attempt, what);

	attempt->submit.allocations.count = 2;
	attempt->submit.patches.count = 1;
	attempt->patches[0] = attempt->patches[1];
	attempt->patches[0].patch_offset = COPY + field;
	return at;
}

/* What the log has to say of the commands, or of an element of their lists or syncobjs. */
static void print_place(char *text, size_t size, uint32_t where, uint32_t entry, uint32_t offset)
{
	if (where == DRM_QUIRE_REFUSAL_SUBMIT)
		text[0] = '\0';
	else if (where == DRM_QUIRE_REFUSAL_SYNCS)
		snprintf(text, size, "syncs: element %u: ", entry);
	else
		snprintf(text, size, "list %u, element %u, byte 0x%x: ", where, entry, offset);
}

/**
 * attempt_refused - a submission must be refused, and change nothing
 * @scene: who is asked
 * @attempt: what is submitted
 * @expected: negative errno
 * @where: enum drm_quire_refusal_where, as the answer has it
 * @entry: index of the element, likewise
 * @offset: byte of the command buffer, likewise
 * @name: of the check
 */
void attempt_refused(struct scene *scene, struct attempt *attempt, int expected, uint32_t where,
		     uint32_t entry, uint32_t offset, const char *name)
{
	struct drm_quire_submit *submit = &attempt->submit;
	char place[64];

	print_place(place, sizeof(place), where, entry, offset);
	refused_saying(&scene->subject, DRM_IOCTL_QUIRE_SUBMIT, submit, expected, place, name);
	if (submit->refused_where != where || submit->refused_entry != entry ||
	    submit->refused_offset != offset)
		tap_ok(false, "%s: refused at %u, %u, %u instead of %u, %u, %u", name,
		       submit->refused_where, submit->refused_entry, submit->refused_offset,
		       where, entry, offset);
	if (submit->submission || submit->parts || submit->bytes_in || submit->bytes_out)
		tap_ok(false, "%s: something else is returned", name);
}

static uint32_t context_create(int fd)
{
	struct drm_quire_context_create create = { 0 };

	if (quire_ioctl(fd, DRM_IOCTL_QUIRE_CONTEXT_CREATE, &create))
		tap_bail("no context");
	return create.context;
}

void scene_open(struct scene *scene)
{
	const uint32_t system_memory = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM);
	const uint32_t aperture = DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE);
	int fd;

	work_begin(&scene->work);
	subject_make(&scene->subject, &scene->work.fixture);
	fd = scene->work.fixture.fd;
	scene->context = context_create(fd);
	tap_ret(quire_bo_create_in(fd, QUIRE_PAGE, system_memory, &scene->system), 0,
		"in system memory only");
	tap_ret(quire_bo_create_in(fd, QUIRE_PAGE, system_memory | aperture, &scene->apart), 0,
		"never in VRAM");
}

void scene_close(struct scene *scene)
{
	quire_bo_close(scene->work.fixture.fd, scene->system);
	quire_bo_close(scene->work.fixture.fd, scene->apart);
	subject_close(&scene->subject);
	work_end(&scene->work);
}
