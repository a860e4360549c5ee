// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Fields that the check has no rule for, as any value may run: they are chosen so that
 * commands do something, and what they do is specified.
 */
#include <string.h>

#include <asm/byteorder.h>

#include "../../drivers/gpu/drm/quire/commands/quire_command_check.h"

#include "submit_world.h"

#define MOST_NS		65535u
#define MOST_ELEMENTS	64u /* of a row or a column */

static __le32 some_offset(struct world *world)
{
	return cpu_to_le32(world_below(world, 96) - 32);
}

/* The bytes that a command may touch through its operand @i. */
static const uint8_t *operand(const struct world *world, uint32_t at,
			      const struct quire_command_form *form, uint32_t i)
{
	return reference_field(world, at + form->operands[i].at) + form->operands[i].first;
}

static bool surfaces_share(const struct world *world, uint32_t at)
{
	const struct quire_packet_header *command = (void *)((uint8_t *)world->scene.commands + at);
	struct quire_command_form form;
	const uint8_t *src, *dst;
	const char *why;

	FINDING_IF(quire_command_form(command, sizeof(struct quire_command_2d), &form, &why));
	src = operand(world, at, &form, QUIRE_PATCH_SRC);
	dst = operand(world, at, &form, QUIRE_PATCH_DST);
	return src < dst + form.operands[QUIRE_PATCH_DST].size &&
	       dst < src + form.operands[QUIRE_PATCH_SRC].size;
}

/* Rectangles that share bytes are the same, or there are none: all else is not specified. */
static void choose_2d(struct world *world, uint32_t at)
{
	struct quire_command_2d *command = (void *)((uint8_t *)world->scene.commands + at);

	command->src_x = some_offset(world);
	command->src_y = some_offset(world);
	command->dst_x = some_offset(world);
	command->dst_y = some_offset(world);
	command->columns = cpu_to_le32(world_below(world, MOST_ELEMENTS));
	command->rows = cpu_to_le32(world_below(world, MOST_ELEMENTS));
	if (!surfaces_share(world, at))
		return;
	if (reference_field(world, at + 8) == reference_field(world, at + 40) &&
	    !memcmp(&command->src, &command->dst, sizeof(command->src))) {
		command->dst_x = command->src_x;
		command->dst_y = command->src_y;
	} else {
		command->rows = 0;
	}
}

static void choose(struct world *world, uint32_t at)
{
	void *command = (uint8_t *)world->scene.commands + at;
	const struct quire_packet_header *header = command;

	switch (le16_to_cpu(header->opcode)) {
	case QUIRE_COMMAND_FILL:
		((struct quire_command_fill *)command)->pattern =
			cpu_to_le32(world_take(world, 4));
		break;
	case QUIRE_COMMAND_COPY_2D:
	case QUIRE_COMMAND_BLEND:
		choose_2d(world, at);
		break;
	case QUIRE_COMMAND_WRITE_VALUE:
		((struct quire_command_write_value *)command)->value =
			cpu_to_le64(world_take(world, 8));
		break;
	case QUIRE_COMMAND_DELAY:
		((struct quire_command_delay *)command)->ns =
			cpu_to_le64(world_below(world, MOST_NS));
		break;
	}
}

/* Of all commands, which were accepted. */
void values_choose(struct world *world)
{
	uint32_t at;

	for (at = 0; at < world->scene.list.size;) {
		const struct quire_packet_header *header =
			(void *)((uint8_t *)world->scene.commands + at);

		choose(world, at);
		at += le32_to_cpu(header->size);
	}
}

/* What a command waits for, where there is @value: mostly that, or less. */
void values_wait(struct world *world, struct quire_command_wait_value *command, uint64_t value)
{
	uint32_t choice = world_below(world, 32);

	if (!choice)
		command->value = cpu_to_le64(value + 1);
	else if (le16_to_cpu(command->header.flags) == QUIRE_WAIT_EQUAL || choice & 1)
		command->value = cpu_to_le64(value);
	else
		command->value = choice & 2 ? cpu_to_le64(value / 2) : 0;
}
