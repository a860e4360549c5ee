/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMAND_CHECK_H
#define QUIRE_COMMAND_CHECK_H

/**
 * DOC: Command buffers
 *
 * The folder commands/ checks command buffers of programs, divides those whose objects do not fit
 * into memory together, and writes addresses into them. It uses only include/quire and a few
 * headers of the kernel, and compiles in user space. It allocates nothing, takes no lock and reads
 * no clock; only the callbacks of &struct quire_split_memory_ops may sleep.
 *
 * ============================  =======================================================
 * files                         what
 * ============================  =======================================================
 * quire_command_check, _form    check of a submission, and addresses; table of commands
 * quire_split                   the planner: check, memory, policy
 * quire_split_parts             group by group; what is paged in and evicted
 * quire_split_table             resource table; objects that may be evicted
 * quire_split_victim, _map      choice of victims and of places
 * ============================  =======================================================
 */

#include <linux/types.h>

#include <quire/quire_command.h>

/* Rows of the resource table: slots are below it. */
#define QUIRE_SLOTS		64u

/* An allocation that is none: its slot is unbound. */
#define QUIRE_NO_OBJECT		((u32)~0u)

/**
 * struct quire_command_object - what allocations are of
 * @size: bytes that it needs, in one run of addresses, to be used by commands
 * @segment: %QUIRE_SEGMENT_VRAM or %QUIRE_SEGMENT_APERTURE: where it is then
 * @align: its address is a multiple of it, a power of two, and of %QUIRE_PAGE_SIZE
 * @linear: an MMU may show it: there are no tiles in it then
 * Source: DXGK_ALLOCATIONINFO, Size, SupportedReadSegmentSet.
 */
struct quire_command_object {
	u64 size;
	u32 segment;
	u32 align;
	bool linear;
};

/**
 * struct quire_command_allocation - one element of the allocation list
 * @object: index in &quire_command_list.objects, or %QUIRE_NO_OBJECT: its slot is unbound then
 * @writable: commands may write it
 * @offset: of the bytes of the object that commands may touch
 * @size: their number
 * Source: DXGK_ALLOCATIONLIST, hDeviceSpecificAllocation, WriteOperation.
 */
struct quire_command_allocation {
	u32 object;
	bool writable;
	u64 offset;
	u64 size;
};

/**
 * enum quire_patch_field - which address field of a command
 * @QUIRE_PATCH_SRC: src, or src.address
 * @QUIRE_PATCH_DST: dst, or dst.address
 * @QUIRE_PATCH_RESULT: result
 */
enum quire_patch_field {
	QUIRE_PATCH_SRC,
	QUIRE_PATCH_DST,
	QUIRE_PATCH_RESULT,
};

/**
 * struct quire_patch_location - one element of the patch-location list
 * @allocation: index of the allocation
 * @slot: row of the resource table that holds it from @split_offset on
 * @driver_id: enum quire_patch_field of the field at @patch_offset
 * @split_offset: byte where a command begins, before which the allocation is not needed
 * @allocation_offset: byte of the object whose address is written into the field
 * @patch_offset: byte of the command buffer where the field is
 *
 * If the allocation is none, all but @allocation, @slot and @split_offset is zero.
 *
 * Source: D3DDDI_PATCHLOCATIONLIST.
 */
struct quire_patch_location {
	u32 allocation;
	u32 slot;
	u32 driver_id;
	u32 split_offset;
	u64 allocation_offset;
	u32 patch_offset;
};

/**
 * struct quire_command_list - a command buffer with its lists
 * @commands: the command buffer
 * @size: bytes of it, a multiple of 8
 * @nr_objects: number of @objects
 * @nr_allocations: number of @allocations
 * @nr_patches: number of @patches
 * @objects: what allocations are of, each once
 * @allocations: the allocation list
 * @patches: the patch-location list
 */
struct quire_command_list {
	const void *commands;
	u32 size;
	u32 nr_objects;
	u32 nr_allocations;
	u32 nr_patches;
	const struct quire_command_object *objects;
	const struct quire_command_allocation *allocations;
	const struct quire_patch_location *patches;
};

/* The object that an entry binds, or QUIRE_NO_OBJECT. */
static inline u32 quire_patch_object(const struct quire_command_list *list, u32 entry)
{
	return list->allocations[list->patches[entry].allocation].object;
}

/**
 * enum quire_command_part - where in a submission something is wrong
 * @QUIRE_COMMAND_WHOLE: in none of the following
 * @QUIRE_COMMAND_BUFFER: in the command buffer
 * @QUIRE_COMMAND_ALLOCATIONS: in an element of the allocation list
 * @QUIRE_COMMAND_PATCHES: in an element of the patch-location list
 */
enum quire_command_part {
	QUIRE_COMMAND_WHOLE,
	QUIRE_COMMAND_BUFFER,
	QUIRE_COMMAND_ALLOCATIONS,
	QUIRE_COMMAND_PATCHES,
};

/**
 * struct quire_command_error - what is wrong
 * @where: enum quire_command_part
 * @entry: index of the element, if @where is a list
 * @offset: byte of the command, the address field or the split point that it is about
 * @why: for messages, without a full stop; constant
 */
struct quire_command_error {
	u32 where;
	u32 entry;
	u32 offset;
	const char *why;
};

/* Operands of a command, at most. */
#define QUIRE_COMMAND_OPERANDS	3u

/**
 * struct quire_command_operand - memory that a command names
 * @at: byte of the command where the address field is
 * @id: enum quire_patch_field of it
 * @align: the address is a multiple of it, a power of two
 * @writes: it is written; else it is only read
 * @tiled: it has tiles, so it is in %QUIRE_SEGMENT_VRAM
 * @image: bytes of all of its tiles, from the address; 0 if it has none
 * @first: first byte that is touched, from the address; of an image all of the surface is
 * @size: bytes from there to the last one that is touched, not 0
 */
struct quire_command_operand {
	u32 at;
	u32 id;
	u32 align;
	bool writes;
	bool tiled;
	u64 image;
	u64 first;
	u64 size;
};

/**
 * struct quire_command_form - what a command is
 * @size: bytes of it
 * @nr_operands: number of @operands
 * @operands: what it touches, in the order of their fields
 * Source: "Commands" in Documentation/gpu/quire/device.rst.
 */
struct quire_command_form {
	u32 size;
	u32 nr_operands;
	struct quire_command_operand operands[QUIRE_COMMAND_OPERANDS];
};

int quire_command_form(const struct quire_packet_header *command, u32 room,
		       struct quire_command_form *form, const char **why);
int quire_command_check(const struct quire_command_list *list, u32 *fields,
			struct quire_command_error *error);
void quire_command_patch(void *to, const struct quire_command_list *list, const u32 *fields,
			 u32 start, u32 end, const u64 *addresses);

#endif
