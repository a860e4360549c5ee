/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMAND_LIST_H
#define QUIRE_COMMAND_LIST_H

/**
 * DOC: Command buffers
 *
 * The folder commands/ checks command buffers of programs, divides those whose objects do not fit
 * into memory together, and writes addresses into them. It uses nothing of the rest of the
 * driver, only include/quire and a few headers of the kernel, and compiles in user space as
 * paging/ does. It allocates nothing, takes no lock and reads no clock; only the callbacks of
 * &struct quire_split_memory_ops may sleep.
 *
 * In: a command buffer with its lists, &struct quire_command_list, that the caller has copied
 * from the program, so that it does not change any more. Out: an error with its place,
 * &struct quire_command_error; calls of the allocator, and parts, &struct quire_split_part; the
 * bytes of a part with its addresses.
 *
 * ======================================  =======================================
 * files                                   what
 * ======================================  =======================================
 * quire_command_check, _form              check of a submission; table of commands
 * quire_command_patch                     addresses
 * quire_split_check, _init, _forecast     the planner: check, memory, policy
 * quire_split_parts, _table, _pages,      group by group; resource table; what is
 * _repack                                 paged in and evicted; last resort
 * quire_split_victim, _window, _place,    choice of victims and of places, on heaps
 * _heap, _map                             and on a map of memory
 * ======================================  =======================================
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
 *
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
 * @object: index in &quire_command_list.objects, or %QUIRE_NO_OBJECT: a slot that holds it is
 *          unbound; several may be of one object
 * @writable: commands may write it
 * @offset: of the bytes of the object that commands may touch
 * @size: their number, not 0; they are in the object
 *
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
 * @split_offset: byte of the command buffer before which the allocation is not needed: where
 *                a command begins
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

/**
 * quire_patch_object - which object does an entry bind?
 * @list: the lists, whose indices were checked
 * @entry: index of the entry of the patch-location list
 *
 * Returns: index of the object, or %QUIRE_NO_OBJECT.
 */
static inline u32 quire_patch_object(const struct quire_command_list *list, u32 entry)
{
	return list->allocations[list->patches[entry].allocation].object;
}

#endif
