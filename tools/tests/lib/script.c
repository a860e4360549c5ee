// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <endian.h>
#include <stddef.h>
#include <string.h>

#include "script.h"

/* Returns the index of an allocation of @size bytes from @offset on. */
uint32_t script_allocation(struct script *script, const struct quire_object *object,
			   uint64_t offset, uint64_t size)
{
	if (script->nr_allocations == SCRIPT_ALLOCATIONS)
		tap_bail("too many allocations");
	script->allocations[script->nr_allocations] = (struct drm_quire_allocation){
		.handle = object ? quire_object_handle(object) : 0,
		.flags = object ? DRM_QUIRE_ALLOCATION_WRITE : 0,
		.offset = offset,
		.size = size,
	};
	return script->nr_allocations++;
}

/* All of it. */
uint32_t script_object(struct script *script, const struct quire_object *object)
{
	return script_allocation(script, object, 0, quire_object_size(object));
}

/* One that is none. */
uint32_t script_none(struct script *script)
{
	return script_allocation(script, NULL, 0, 0);
}

/* Behind those that have the same split offset. */
static void script_patch(struct script *script, const struct drm_quire_patch_location *patch)
{
	uint32_t i = script->nr_patches++;

	if (i == SCRIPT_PATCHES)
		tap_bail("too many patch locations");
	for (; i && script->patches[i - 1].split_offset > patch->split_offset; i--)
		script->patches[i] = script->patches[i - 1];
	script->patches[i] = *patch;
}

/* The slot holds @none from the next command on. */
void script_unbind(struct script *script, uint32_t slot, uint32_t none)
{
	const struct drm_quire_patch_location patch = {
		.allocation = none,
		.slot = slot,
		.split_offset = script->size,
	};

	script_patch(script, &patch);
}

/* What the slot had is unbound right there. */
struct binding script_bind_anew(struct script *script, uint32_t allocation, uint32_t slot,
				uint32_t none)
{
	script_unbind(script, slot, none);
	return bound_here(script, allocation, slot);
}

/* The field at @offset of the next command is of what is bound. */
static void script_use(struct script *script, struct binding binding, uint32_t driver_id,
		       size_t offset)
{
	const struct drm_quire_patch_location patch = {
		.allocation = binding.allocation,
		.slot = binding.slot,
		.driver_id = driver_id,
		.split_offset = binding.from,
		.allocation_offset = script->allocations[binding.allocation].offset,
		.patch_offset = script->size + offset,
	};

	script_patch(script, &patch);
}

static struct quire_packet_header header(uint16_t opcode, uint16_t flags, uint32_t size)
{
	return (struct quire_packet_header){
		.opcode = htole16(opcode), .flags = htole16(flags), .size = htole32(size),
	};
}

static void script_append(struct script *script, const void *command, uint32_t size)
{
	if (script->size + size > sizeof(script->words))
		tap_bail("too many commands");
	memcpy((char *)script->words + script->size, command, size);
	script->size += size;
}

/* Of 8 bytes or more. */
void script_nop(struct script *script, uint32_t size)
{
	const struct quire_packet_header nop = header(QUIRE_COMMAND_NOP, 0, size);
	uint32_t end = script->size + size;

	script_append(script, &nop, sizeof(nop));
	while (script->size < end)
		script_append(script, &(uint64_t){ 0 }, sizeof(uint64_t));
}

/* A page of it gets @pattern. */
void script_fill(struct script *script, struct binding dst, uint32_t pattern)
{
	const struct quire_command_fill fill = {
		.header = header(QUIRE_COMMAND_FILL, 0, sizeof(fill)),
		.size = htole64(QUIRE_PAGE),
		.pattern = htole32(pattern),
	};

	script_use(script, dst, DRM_QUIRE_PATCH_DST, offsetof(struct quire_command_fill, dst));
	script_append(script, &fill, sizeof(fill));
}

/* The numbers of a page are added to those of another one. */
void script_add(struct script *script, struct binding src, struct binding dst)
{
	const struct quire_command_arithmetic add = {
		.header = header(QUIRE_COMMAND_ARITHMETIC, QUIRE_ARITHMETIC_ADD, sizeof(add)),
		.size = htole64(QUIRE_PAGE),
	};

	script_use(script, src, DRM_QUIRE_PATCH_SRC,
		   offsetof(struct quire_command_arithmetic, src));
	script_use(script, dst, DRM_QUIRE_PATCH_DST,
		   offsetof(struct quire_command_arithmetic, dst));
	script_append(script, &add, sizeof(add));
}

void script_write(struct script *script, struct binding dst, uint64_t number)
{
	const struct quire_command_write_value write = {
		.header = header(QUIRE_COMMAND_WRITE_VALUE, 0, sizeof(write)),
		.value = htole64(number),
	};

	script_use(script, dst, DRM_QUIRE_PATCH_DST,
		   offsetof(struct quire_command_write_value, dst));
	script_append(script, &write, sizeof(write));
}

/* Until the number there is not less than @number. */
void script_wait(struct script *script, struct binding src, uint64_t number)
{
	const struct quire_command_wait_value wait = {
		.header = header(QUIRE_COMMAND_WAIT_VALUE, QUIRE_WAIT_GREATER_EQUAL, sizeof(wait)),
		.value = htole64(number),
	};

	script_use(script, src, DRM_QUIRE_PATCH_SRC,
		   offsetof(struct quire_command_wait_value, src));
	script_append(script, &wait, sizeof(wait));
}

/* &gpu.fence gets its end. */
int script_submit(const struct script *script, struct gpu *gpu)
{
	const struct quire_fence_point point = { .fence = gpu->fence };
	const struct quire_submission how = {
		.ring = gpu->ring, .nr_signals = 1, .signals = &point,
	};
	const struct quire_lists lists = {
		.commands = script->words,
		.commands_size = script->size,
		.nr_allocations = script->nr_allocations,
		.nr_patches = script->nr_patches,
		.allocations = script->allocations,
		.patches = script->patches,
	};

	return quire_submit(gpu->context, &lists, &how, &gpu->result);
}

/* And wait for its end. */
int script_run(const struct script *script, struct gpu *gpu)
{
	int ret = script_submit(script, gpu);

	if (ret)
		tap_diag("%s", gpu->result.message);
	return ret ? ret : quire_fence_wait(gpu->fence, 0, WAIT_MS * 1000000ll);
}

/* Has the page at @offset nothing but @pattern? What uses it is done. */
bool page_is(struct quire_object *object, uint64_t offset, uint32_t pattern)
{
	uint32_t *numbers;
	void *map;

	if (quire_object_map(object, &map))
		return false;
	numbers = (uint32_t *)((uint8_t *)map + offset);
	for (unsigned int i = 0; i < QUIRE_PAGE / sizeof(*numbers); i++)
		if (numbers[i] != pattern)
			return false;
	return true;
}
