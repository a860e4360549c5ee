// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Commands, as recorders write them; what belongs to them is in libquire_table.c. */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "libquire_private.h"

int quire_recorder_create(struct quire_device *device, struct quire_recorder **recorder)
{
	struct quire_recorder *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	new->device = device;
	ret = libquire_table_init(&new->table, device->info.slots);
	if (ret)
		free(new);
	else
		*recorder = new;
	return ret;
}

void quire_recorder_destroy(struct quire_recorder *recorder)
{
	if (!recorder)
		return;
	libquire_table_free(&recorder->table);
	free(recorder->commands.data);
	free(recorder);
}

void quire_recorder_reset(struct quire_recorder *recorder)
{
	recorder->error = 0;
	recorder->commands.count = 0;
	libquire_table_reset(&recorder->table);
}

uint32_t quire_recorder_offset(const struct quire_recorder *recorder)
{
	return recorder->commands.count;
}

/* What is bound at the same point: slots that are unbound first, then fields as they stand. */
static int compare_patches(const void *a, const void *b)
{
	const struct drm_quire_patch_location *first = a, *second = b;

	if (first->split_offset != second->split_offset)
		return first->split_offset < second->split_offset ? -1 : 1;
	if (first->patch_offset != second->patch_offset)
		return first->patch_offset < second->patch_offset ? -1 : 1;
	return first->slot < second->slot ? -1 : first->slot > second->slot;
}

int quire_recorder_finish(struct quire_recorder *recorder, struct quire_lists *lists)
{
	struct libquire_table *table = &recorder->table;

	if (recorder->error)
		return recorder->error;
	/* what is kept was bound before what was recorded last */
	if (table->patches.count)
		qsort(table->patches.data, table->patches.count,
		      sizeof(struct drm_quire_patch_location), compare_patches);
	*lists = (struct quire_lists){
		.commands = recorder->commands.data,
		.commands_size = recorder->commands.count,
		.nr_allocations = table->allocations.count,
		.nr_patches = table->patches.count,
		.allocations = table->allocations.data,
		.patches = table->patches.data,
	};
	return 0;
}

static int check_operand(const struct libquire_operand *operand)
{
	if (!operand->at.object)
		return -EINVAL;
	return operand->size > UINT64_MAX - operand->at.offset ? -ERANGE : 0;
}

/* Adds a command with its size, and what belongs to it. */
static int add(struct quire_recorder *recorder, const void *command, uint32_t size,
	       uint32_t whole_size, const struct libquire_operand *operands, uint32_t count)
{
	uint32_t offset = recorder->commands.count;
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++)
		ret = check_operand(&operands[i]);
	if (!ret && whole_size > UINT32_MAX - offset)
		ret = -ERANGE;
	if (!ret)
		ret = libquire_array_grow(&recorder->commands, 1, offset + whole_size);
	if (ret)
		return ret;
	memset((char *)recorder->commands.data + offset, 0, whole_size);
	memcpy((char *)recorder->commands.data + offset, command, size);
	return libquire_table_command(&recorder->table, offset, operands, count);
}

static void record(struct quire_recorder *recorder, const void *command, uint32_t size,
		   const struct libquire_operand *operands, uint32_t count)
{
	if (!recorder->error)
		recorder->error = add(recorder, command, size, size, operands, count);
}

static struct quire_packet_header header(uint16_t opcode, uint16_t flags, uint32_t size)
{
	return (struct quire_packet_header){ htole16(opcode), htole16(flags), htole32(size) };
}

#define HEADER(opcode, flags, command)	header(opcode, flags, sizeof(command))

#define SRC(command, location, bytes) \
	{ (location), (bytes), false, DRM_QUIRE_PATCH_SRC, offsetof(struct command, src) }
#define DST(command, location, bytes, written) \
	{ (location), (bytes), (written), DRM_QUIRE_PATCH_DST, offsetof(struct command, dst) }
#define RESULT(command, location, bytes) \
	{ (location), (bytes), true, DRM_QUIRE_PATCH_RESULT, offsetof(struct command, result) }

static void keep(struct quire_recorder *recorder, int ret)
{
	if (!recorder->error)
		recorder->error = ret;
}

void quire_recorder_bind(struct quire_recorder *recorder, uint32_t slot, struct quire_location at,
			 uint64_t size, bool writable)
{
	const struct libquire_operand operand = { .at = at, .size = size, .write = writable };
	int ret = check_operand(&operand);

	if (!recorder->error && !ret)
		ret = libquire_table_bind(&recorder->table, slot, &operand);
	keep(recorder, ret);
}

void quire_recorder_unbind(struct quire_recorder *recorder, uint32_t slot)
{
	if (!recorder->error)
		keep(recorder, libquire_table_unbind(&recorder->table, slot));
}

void quire_recorder_nop(struct quire_recorder *recorder, uint32_t size)
{
	const struct quire_command_nop command = { header(QUIRE_COMMAND_NOP, 0, size) };

	if (size < sizeof(command) || size % 8)
		keep(recorder, -EINVAL);
	if (!recorder->error)
		recorder->error = add(recorder, &command, sizeof(command), size, NULL, 0);
}

void quire_recorder_copy(struct quire_recorder *recorder, struct quire_location src,
			 struct quire_location dst, uint64_t size)
{
	const struct quire_command_copy command = {
		.header = HEADER(QUIRE_COMMAND_COPY, 0, command),
		.size = htole64(size),
	};
	const struct libquire_operand operands[] = {
		SRC(quire_command_copy, src, size),
		DST(quire_command_copy, dst, size, true),
	};

	record(recorder, &command, sizeof(command), operands, 2);
}

void quire_recorder_fill(struct quire_recorder *recorder, struct quire_location dst,
			 uint64_t size, uint32_t pattern)
{
	const struct quire_command_fill command = {
		.header = HEADER(QUIRE_COMMAND_FILL, 0, command),
		.size = htole64(size),
		.pattern = htole32(pattern),
	};
	const struct libquire_operand operands[] = {
		DST(quire_command_fill, dst, size, true),
	};

	record(recorder, &command, sizeof(command), operands, 1);
}

static void record_2d(struct quire_recorder *recorder, uint16_t opcode,
		      const struct quire_image *src, const struct quire_image *dst,
		      const struct quire_rectangle *rectangle, uint32_t element_shift)
{
	struct quire_command_2d command = libquire_command_2d(src, dst, rectangle, element_shift);
	const struct libquire_operand operands[] = {
		SRC(quire_command_2d, src->at, libquire_image_size(src, element_shift)),
		DST(quire_command_2d, dst->at, libquire_image_size(dst, element_shift), true),
	};

	command.header = HEADER(opcode, 0, command);
	record(recorder, &command, sizeof(command), operands, 2);
}

void quire_recorder_copy_2d(struct quire_recorder *recorder, const struct quire_image *src,
			    const struct quire_image *dst,
			    const struct quire_rectangle *rectangle, uint32_t element_size)
{
	if (!element_size || element_size & (element_size - 1))
		keep(recorder, -EINVAL);
	else
		record_2d(recorder, QUIRE_COMMAND_COPY_2D, src, dst, rectangle,
			  __builtin_ctz(element_size));
}

void quire_recorder_blend(struct quire_recorder *recorder, const struct quire_image *src,
			  const struct quire_image *dst,
			  const struct quire_rectangle *rectangle)
{
	record_2d(recorder, QUIRE_COMMAND_BLEND, src, dst, rectangle, 2);
}

void quire_recorder_arithmetic(struct quire_recorder *recorder, uint16_t operation,
			       struct quire_location src, struct quire_location dst,
			       uint64_t size)
{
	const struct quire_command_arithmetic command = {
		.header = HEADER(QUIRE_COMMAND_ARITHMETIC, operation, command),
		.size = htole64(size),
	};
	const struct libquire_operand operands[] = {
		SRC(quire_command_arithmetic, src, size),
		DST(quire_command_arithmetic, dst, size, true),
	};

	record(recorder, &command, sizeof(command), operands, 2);
}

void quire_recorder_checksum(struct quire_recorder *recorder, struct quire_location src,
			     uint64_t size, struct quire_location result)
{
	const struct quire_command_checksum command = {
		.header = HEADER(QUIRE_COMMAND_CHECKSUM, 0, command),
		.size = htole64(size),
	};
	const struct libquire_operand operands[] = {
		SRC(quire_command_checksum, src, size),
		RESULT(quire_command_checksum, result, sizeof(uint64_t)),
	};

	record(recorder, &command, sizeof(command), operands, 2);
}

void quire_recorder_compare(struct quire_recorder *recorder, struct quire_location src,
			    struct quire_location dst, uint64_t size,
			    struct quire_location result)
{
	const struct quire_command_compare command = {
		.header = HEADER(QUIRE_COMMAND_COMPARE, 0, command),
		.size = htole64(size),
	};
	const struct libquire_operand operands[] = {
		SRC(quire_command_compare, src, size),
		DST(quire_command_compare, dst, size, false),
		RESULT(quire_command_compare, result, sizeof(struct quire_compare_report)),
	};

	record(recorder, &command, sizeof(command), operands, 3);
}

void quire_recorder_write_value(struct quire_recorder *recorder, struct quire_location dst,
				uint64_t value)
{
	const struct quire_command_write_value command = {
		.header = HEADER(QUIRE_COMMAND_WRITE_VALUE, 0, command),
		.value = htole64(value),
	};
	const struct libquire_operand operands[] = {
		DST(quire_command_write_value, dst, sizeof(uint64_t), true),
	};

	record(recorder, &command, sizeof(command), operands, 1);
}

void quire_recorder_wait_value(struct quire_recorder *recorder, uint16_t condition,
			       struct quire_location src, uint64_t value)
{
	const struct quire_command_wait_value command = {
		.header = HEADER(QUIRE_COMMAND_WAIT_VALUE, condition, command),
		.value = htole64(value),
	};
	const struct libquire_operand operands[] = {
		SRC(quire_command_wait_value, src, sizeof(uint64_t)),
	};

	record(recorder, &command, sizeof(command), operands, 1);
}

void quire_recorder_delay(struct quire_recorder *recorder, uint64_t time)
{
	const struct quire_command_delay command = {
		.header = HEADER(QUIRE_COMMAND_DELAY, 0, command),
		.ns = htole64(time),
	};

	record(recorder, &command, sizeof(command), NULL, 0);
}

int quire_recorder_submit(struct quire_recorder *recorder, struct quire_context *context,
			  const struct quire_submission *submission,
			  struct quire_result *result)
{
	struct quire_lists lists;
	int ret = quire_recorder_finish(recorder, &lists);

	if (!ret)
		return quire_submit(context, &lists, submission, result);
	if (result) {
		*result = (struct quire_result){ 0 };
		libquire_explain(NULL, ret, result);
	}
	return ret;
}
