// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debugfs.h"
#include "guest.h"
#include "measure.h"
#include "program.h"

/**
 * program_open - begin a program
 * @program: filled in; for program_close()
 * @ring: that is to execute what it submits
 */
void program_open(struct program *program, uint32_t ring)
{
	*program = (struct program){ .ring = ring };
	guest_must(quire_device_open(NULL, &program->device), "open");
	guest_must(quire_context_create(program->device, DRM_QUIRE_PRIORITY_NORMAL,
					&program->context), "context");
	guest_must(quire_recorder_create(program->device, &program->recorder), "recorder");
	guest_must(quire_fence_create(program->device, &program->done), "fence");
}

void program_close(struct program *program)
{
	quire_fence_close(program->done);
	quire_recorder_destroy(program->recorder);
	quire_context_destroy(program->context);
	quire_device_close(program->device);
}

/* With content, so that all of it has to be moved. */
struct quire_object *program_object(const struct program *program, uint64_t size)
{
	const struct quire_object_options options = { .size = size };
	struct quire_object *object;
	void *bytes;

	guest_must(quire_object_create(program->device, &options, &object), "create");
	guest_must(quire_object_map(object, &bytes), "map");
	memset(bytes, 0x5a, size);
	quire_object_unmap(object);
	return object;
}

/* Does not wait for it. */
struct quire_result program_submit(struct program *program)
{
	const struct quire_fence_point done = { program->done, ++program->submitted };
	const struct quire_submission submission = {
		.ring = program->ring, .nr_signals = 1, .signals = &done,
	};
	struct quire_result result;
	int ret = quire_recorder_submit(program->recorder, program->context, &submission,
					&result);

	guest_must(ret, result.message[0] ? result.message : "submit");
	return result;
}

/* @submission: its number, from 1 */
void program_wait(const struct program *program, uint64_t submission)
{
	guest_must(quire_fence_wait(program->done, submission, QUIRE_FOREVER), "wait");
}

/**
 * program_run - submit, and wait for the end
 * @program: whose recorder has the commands
 * @result: returned, unless NULL
 *
 * Returns seconds.
 */
double program_run(struct program *program, struct quire_result *result)
{
	double begin = measure_now();
	struct quire_result now = program_submit(program);

	program_wait(program, program->submitted);
	begin = measure_now() - begin;
	if (result)
		*result = now;
	return begin;
}

/* Of the module, for all programs. */
void program_set_parameter(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	guest_must(sysfs_parameter_write(name, text), name);
}

/* Of the driver, for all programs. */
void program_set_option(const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	guest_must(debugfs_option_write(name, text), name);
}

/**
 * program_limit - let submissions have so much VRAM and no more
 * @guest: the device
 * @room: bytes of the objects of one submission; 0: all that there is
 *
 * What is in VRAM already would be used where it is: so all goes.
 */
void program_limit(const struct guest *guest, uint64_t room)
{
	program_set_option("split_max_bytes", room);
	guest_must(debugfs_write(guest->debugfs, "evict_all", "1"), "evict");
}
