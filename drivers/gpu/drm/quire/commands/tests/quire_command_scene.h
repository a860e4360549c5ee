/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Submissions for the tests of commands/. */
#ifndef QUIRE_COMMAND_SCENE_H
#define QUIRE_COMMAND_SCENE_H

#include "../quire_command_check.h"

#define QUIRE_SCENE_OBJECTS	8u
#define QUIRE_SCENE_ALLOCATIONS	16u
#define QUIRE_SCENE_PATCHES	128u
#define QUIRE_SCENE_BINDINGS	64u
#define QUIRE_SCENE_WORDS	256u

/* What fields[] has behind the words of the buffer, and they have before a check. */
#define QUIRE_SCENE_GUARD	0xa5a5a5a5u

/**
 * struct quire_scene_binding - what a slot holds from a byte of the buffer on
 * @allocation: the allocation
 * @slot: the slot
 * @split: the byte
 */
struct quire_scene_binding {
	u32 allocation;
	u32 slot;
	u32 split;
};

/**
 * struct quire_scene_use - a field that is to be patched
 * @binding: index of the binding that it uses
 * @id: enum quire_patch_field
 * @at: byte of the buffer
 * @offset: byte of the object whose address goes there
 */
struct quire_scene_use {
	u32 binding;
	u32 id;
	u32 at;
	u64 offset;
};

/**
 * struct quire_scene - a submission with room for all of it
 * @list: the submission; points to what follows
 * @objects: its objects
 * @allocations: its allocation list
 * @patches: its patch-location list
 * @commands: its command buffer
 * @fields: for the check
 * @expected: what @fields should have after a good one
 * @error: of the check
 * @bindings: of quire_scene_random(), in their order
 * @uses: of quire_scene_random(), in any order
 */
struct quire_scene {
	struct quire_command_list list;
	struct quire_command_object objects[QUIRE_SCENE_OBJECTS];
	struct quire_command_allocation allocations[QUIRE_SCENE_ALLOCATIONS];
	struct quire_patch_location patches[QUIRE_SCENE_PATCHES];
	u64 commands[QUIRE_SCENE_WORDS];
	u32 fields[QUIRE_SCENE_WORDS + 1];
	u32 expected[QUIRE_SCENE_WORDS];
	struct quire_command_error error;
	struct quire_scene_binding bindings[QUIRE_SCENE_BINDINGS];
	struct quire_scene_use uses[QUIRE_SCENE_PATCHES];
};

/**
 * struct quire_choices - where numbers come from
 * @below: one below @limit, which is not 0
 */
struct quire_choices {
	u32 (*below)(struct quire_choices *choices, u32 limit);
};

/* The submission that has all commands: its buffer. */
struct quire_scene_buffer {
	struct quire_command_nop nop;
	__le64 ignored[2];
	struct quire_command_copy copy;
	struct quire_command_fill fill;
	struct quire_command_2d copy_2d;
	struct quire_command_2d blend;
	struct quire_command_arithmetic arithmetic;
	struct quire_command_checksum checksum;
	struct quire_command_compare compare;
	struct quire_command_write_value write_value;
	struct quire_command_wait_value wait_value;
	struct quire_command_delay delay;
};

/* Its objects. */
enum { O_IMAGE, O_DATA, O_SYSTEM, NR_OBJECTS };

/* Its allocations. */
enum { A_SOURCE, A_TARGET, A_SYSTEM, A_TILES, A_IMAGE, A_NONE, NR_ALLOCATIONS };

/* Its entries, in their order. */
enum {
	E_COPY_SRC, E_COPY_DST, E_FILL_DST,
	E_UNBIND_0, E_2D_SRC, E_BLEND_DST, E_CHECKSUM_SRC, E_COMPARE_RESULT, E_WRITE_DST,
	E_WAIT_SRC, E_2D_DST,
	E_BLEND_SRC,
	E_ARITHMETIC_SRC, E_COMPARE_SRC, E_ARITHMETIC_DST, E_CHECKSUM_RESULT, E_COMPARE_DST,
	E_UNBIND_63, NR_ENTRIES
};

void quire_scene_good(struct quire_scene *scene);
void quire_scene_random(struct quire_scene *scene, struct quire_choices *choices);
void quire_scene_spoil(struct quire_scene *scene, struct quire_choices *choices);
const char *quire_scene_check(struct quire_scene *scene, int *err);

#endif
