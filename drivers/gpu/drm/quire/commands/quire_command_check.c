// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What is checked
 *
 * A submission is checked whole before anything of it runs, for programs are not trusted.
 * The first rule that is broken decides, in the order of this table; of the same step the
 * first element, command or entry does, and of these the first row. Each has an errno of its
 * own:
 *
 * ====  ==================  =============================================================
 * step  errno               rule
 * ====  ==================  =============================================================
 * 1     ``EINVAL``          there are bytes of commands, a multiple of 8
 * 1     ``E2BIG``           the patch-location list has less than 2^31 entries
 * 2     ``EBADR``           an allocation that is none has no other field
 * 2     ``ERANGE``          an allocation has bytes, and they are in its object
 * 3     ``EMSGSIZE``        a command ends in the buffer, its size is a multiple of 8, and not
 *                           above %QUIRE_COMMAND_MAX_SIZE
 * 3     ``EOPNOTSUPP``      there is such a command
 * 3     ``EPROTO``          it has the size of such commands
 * 3     ``EDOM``            its flags and other fields can be
 * 3     ``EADDRINUSE``      its address fields are zero
 * 4     ``EBADSLT``         an entry names an allocation of the list
 * 4     ``ECHRNG``          its slot is below %QUIRE_SLOTS
 * 4     ``EILSEQ``          its split offset is not below that of the entry before
 * 4     ``EBADMSG``         a command begins at its split offset
 * 4     ``EBADE``           an entry that unbinds has no other field
 * 4     ``ENXIO``           its patch offset is that of an address field
 * 4     ``EEXIST``          no entry before it has the same field
 * 4     ``EPROTOTYPE``      its driver id is that of the field
 * 5     ``ESTALE``          its field is used while its slot holds what it binds
 * 6     ``EDESTADDRREQ``    each address field has an entry
 * 6     ``EADDRNOTAVAIL``   the address is aligned as the command says
 * 6     ``EMEDIUMTYPE``     what has tiles is in VRAM
 * 6     ``EOVERFLOW``       bytes that a command touches are those of the allocation
 * 6     ``EXDEV``           all of an image that has tiles is in the object
 * 6     ``EACCES``          bytes that it writes are of one that may be written
 * ====  ==================  =============================================================
 *
 * Step 1 is for other callers: the ioctl has looked at its argument before. What it refuses with
 * ``EINVAL`` or ``E2BIG`` is no matter of the commands.
 *
 * An entry binds its slot from its split offset on, until a later entry of the list has the
 * same slot. One that says the same of it, the same allocation from the same split offset
 * on, binds nothing new: so one binding has many fields. What is used before it is bound, or
 * after its slot has been unbound or taken, would be used while it is somewhere else.
 *
 * Pure, as the builder (quire_paging.c). The time is that of the commands and entries, what
 * is needed besides is what the caller gives and less than 1 KiB of stack.
 *
 * Source: D3DDDI_PATCHLOCATIONLIST; "Splitting a DMA Buffer" in the Windows driver
 * documentation.
 */
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include <asm/byteorder.h>
#include <kunit/visibility.h>

#include "quire_command_check.h"
#include "quire_command_form.h"

/*
 * What a word of the buffer is while no entry is known to have it as its field; else it has
 * 1 + the entry's index.
 */
#define WORD_NO_ENTRY	0x80000000u
#define WORD_COMMAND	WORD_NO_ENTRY /* the header of a command */
#define WORD_FIELD	(WORD_NO_ENTRY + 1) /* and enum quire_patch_field */

/* A submission that is checked: the arguments of quire_command_check(). */
struct command_check {
	const struct quire_command_list *list;
	u32 *fields;
	struct quire_command_error *error;
};

/**
 * struct slot_binding - what a slot holds for a while
 * @allocation: the allocation
 * @start: byte of the buffer from which it does
 * @end: byte of the buffer up to which it does
 */
struct slot_binding {
	u32 allocation;
	u32 start;
	u32 end;
};

static int refuse(struct command_check *check, int err, enum quire_command_part where, u32 entry,
		  u32 offset, const char *why)
{
	*check->error = (struct quire_command_error) {
		.where = where, .entry = entry, .offset = offset, .why = why,
	};
	return err;
}

static u32 *word_at(struct command_check *check, u32 offset)
{
	return &check->fields[offset / sizeof(u64)];
}

/* Is there a word at an offset that a program gave? */
static bool is_word(struct command_check *check, u32 offset)
{
	return offset % sizeof(u64) == 0 && offset < check->list->size;
}

static int check_whole(struct command_check *check)
{
	const struct quire_command_list *list = check->list;

	if (!list->size || list->size % sizeof(u64))
		return refuse(check, -EINVAL, QUIRE_COMMAND_WHOLE, 0, 0,
			      "size of the command buffer is 0, or no multiple of 8");
	if (list->nr_patches >= WORD_NO_ENTRY)
		return refuse(check, -E2BIG, QUIRE_COMMAND_WHOLE, 0, 0,
			      "too many entries in the patch-location list");
	return 0;
}

static int check_allocation(struct command_check *check, u32 entry)
{
	const struct quire_command_allocation *allocation = &check->list->allocations[entry];
	const struct quire_command_object *object;

	if (allocation->object == QUIRE_NO_OBJECT) {
		if (!allocation->writable && !allocation->offset && !allocation->size)
			return 0;
		return refuse(check, -EBADR, QUIRE_COMMAND_ALLOCATIONS, entry, 0,
			      "allocation is none, but has other fields");
	}
	object = &check->list->objects[allocation->object];
	if (allocation->size && allocation->offset <= object->size &&
	    allocation->size <= object->size - allocation->offset)
		return 0;
	return refuse(check, -ERANGE, QUIRE_COMMAND_ALLOCATIONS, entry, 0,
		      "allocation has no bytes, or is not inside of its object");
}

static int check_allocations(struct command_check *check)
{
	u32 entry;
	int err;

	for (entry = 0; entry < check->list->nr_allocations; entry++) {
		err = check_allocation(check, entry);
		if (err)
			return err;
	}
	return 0;
}

/* Looks at the command that begins at @at. */
typedef int (*command_look)(struct command_check *check, u32 at,
			    const struct quire_command_form *form);

static int walk_commands(struct command_check *check, command_look look)
{
	const struct quire_command_list *list = check->list;
	struct quire_command_form form;
	const char *why;
	u32 at;
	int err;

	for (at = 0; at < list->size; at += form.size) {
		err = quire_command_form(list->commands + at, list->size - at, &form, &why);
		if (err)
			return refuse(check, err, QUIRE_COMMAND_BUFFER, 0, at, why);
		err = look(check, at, &form);
		if (err)
			return err;
	}
	return 0;
}

/* Notes where the command and its fields are. */
static int note_fields(struct command_check *check, u32 at, const struct quire_command_form *form)
{
	u32 i;

	*word_at(check, at) = WORD_COMMAND;
	for (i = 0; i < form->nr_operands; i++) {
		u32 field = at + form->operands[i].at;

		if (*(const __le64 *)(check->list->commands + field))
			return refuse(check, -EADDRINUSE, QUIRE_COMMAND_BUFFER, 0, field,
				      "address field is not 0");
		*word_at(check, field) = WORD_FIELD + form->operands[i].id;
	}
	return 0;
}

/* @before: split offset of the entry before, or 0 */
static int check_split(struct command_check *check, u32 entry, u32 before)
{
	u32 split = check->list->patches[entry].split_offset;

	if (split < before)
		return refuse(check, -EILSEQ, QUIRE_COMMAND_PATCHES, entry, split,
			      "split offset is below that of the entry before");
	if (!is_word(check, split) || *word_at(check, split) != WORD_COMMAND)
		return refuse(check, -EBADMSG, QUIRE_COMMAND_PATCHES, entry, split,
			      "no command begins at the split offset");
	return 0;
}

/* Notes the entry at its field. */
static int note_patch(struct command_check *check, u32 entry)
{
	const struct quire_patch_location *patch = &check->list->patches[entry];
	u32 field = patch->patch_offset;
	u32 word = is_word(check, field) ? *word_at(check, field) : 0;

	if (!word || word == WORD_COMMAND)
		return refuse(check, -ENXIO, QUIRE_COMMAND_PATCHES, entry, field,
			      "no address field is at the patch offset");
	if (word < WORD_NO_ENTRY)
		return refuse(check, -EEXIST, QUIRE_COMMAND_PATCHES, entry, field,
			      "another entry patches the same field");
	if (word - WORD_FIELD != patch->driver_id)
		return refuse(check, -EPROTOTYPE, QUIRE_COMMAND_PATCHES, entry, field,
			      "driver id is not that of the field");
	*word_at(check, field) = 1 + entry;
	return 0;
}

static bool unbinds(const struct quire_command_list *list, u32 entry)
{
	return quire_patch_object(list, entry) == QUIRE_NO_OBJECT;
}

static int check_patch(struct command_check *check, u32 entry, u32 before)
{
	const struct quire_patch_location *patch = &check->list->patches[entry];
	int err;

	if (patch->allocation >= check->list->nr_allocations)
		return refuse(check, -EBADSLT, QUIRE_COMMAND_PATCHES, entry, patch->patch_offset,
			      "there is no such allocation");
	if (patch->slot >= QUIRE_SLOTS)
		return refuse(check, -ECHRNG, QUIRE_COMMAND_PATCHES, entry, patch->patch_offset,
			      "there is no such slot");
	err = check_split(check, entry, before);
	if (err)
		return err;
	if (!unbinds(check->list, entry))
		return note_patch(check, entry);
	if (patch->driver_id || patch->allocation_offset || patch->patch_offset)
		return refuse(check, -EBADE, QUIRE_COMMAND_PATCHES, entry, patch->split_offset,
			      "entry unbinds its slot, but has other fields");
	return 0;
}

static int check_patches(struct command_check *check)
{
	u32 entry, before = 0;
	int err;

	for (entry = 0; entry < check->list->nr_patches; entry++) {
		err = check_patch(check, entry, before);
		if (err)
			return err;
		before = check->list->patches[entry].split_offset;
	}
	return 0;
}

/*
 * From the last entry to the first one: then it is known where a binding ends. What comes
 * later is noted in slots[], up to the end of the buffer.
 */
static int check_bindings(struct command_check *check)
{
	const struct quire_command_list *list = check->list;
	struct slot_binding slots[QUIRE_SLOTS];
	u32 entry, i, stale = list->nr_patches;

	for (i = 0; i < ARRAY_SIZE(slots); i++)
		slots[i].start = list->size;
	for (entry = list->nr_patches; entry--;) {
		const struct quire_patch_location *patch = &list->patches[entry];
		struct slot_binding *slot = &slots[patch->slot];

		if (slot->start != patch->split_offset || slot->allocation != patch->allocation)
			*slot = (struct slot_binding) {
				patch->allocation, patch->split_offset, slot->start,
			};
		if (!unbinds(list, entry) &&
		    (patch->patch_offset < slot->start || patch->patch_offset >= slot->end))
			stale = entry;
	}
	if (stale == list->nr_patches)
		return 0;
	return refuse(check, -ESTALE, QUIRE_COMMAND_PATCHES, stale,
		      list->patches[stale].patch_offset,
		      "slot of the field holds something else there");
}

static bool is_aligned(const struct quire_command_object *object, u64 offset, u32 align)
{
	return IS_ALIGNED(offset, align) && align <= max_t(u32, object->align, QUIRE_PAGE_SIZE);
}

/* @offset: of the address in the object */
static bool is_inside(const struct quire_command_allocation *allocation, u64 offset,
		      const struct quire_command_operand *operand)
{
	u64 first, end;

	if (check_add_overflow(offset, operand->first, &first) ||
	    check_add_overflow(first, operand->size, &end))
		return false;
	return first >= allocation->offset && end <= allocation->offset + allocation->size;
}

static bool is_whole(const struct quire_command_object *object, u64 offset,
		     const struct quire_command_operand *operand)
{
	return operand->image <= object->size && offset <= object->size - operand->image;
}

/* @field: byte of the buffer where the address field of @operand is; it is that of @entry */
static int check_use(struct command_check *check, u32 entry, u32 field,
		     const struct quire_command_operand *operand)
{
	const struct quire_patch_location *patch = &check->list->patches[entry];
	const struct quire_command_allocation *allocation =
		&check->list->allocations[patch->allocation];
	const struct quire_command_object *object = &check->list->objects[allocation->object];

	if (!is_aligned(object, patch->allocation_offset, operand->align))
		return refuse(check, -EADDRNOTAVAIL, QUIRE_COMMAND_PATCHES, entry, field,
			      "address is not aligned as the command wants it");
	if (operand->tiled && object->segment != QUIRE_SEGMENT_VRAM)
		return refuse(check, -EMEDIUMTYPE, QUIRE_COMMAND_PATCHES, entry, field,
			      "surface with tiles is not in VRAM");
	if (operand->tiled && object->linear)
		return refuse(check, -EMEDIUMTYPE, QUIRE_COMMAND_PATCHES, entry, field,
			      "surface with tiles is seen through an MMU");
	if (!is_inside(allocation, patch->allocation_offset, operand))
		return refuse(check, -EOVERFLOW, QUIRE_COMMAND_PATCHES, entry, field,
			      "command touches bytes that are not of the allocation");
	if (!is_whole(object, patch->allocation_offset, operand))
		return refuse(check, -EXDEV, QUIRE_COMMAND_PATCHES, entry, field,
			      "image is not inside of its object");
	if (operand->writes && !allocation->writable)
		return refuse(check, -EACCES, QUIRE_COMMAND_PATCHES, entry, field,
			      "command writes what is listed for reading");
	return 0;
}

/* Of the words only those of fields keep something: their entries. */
static int check_uses(struct command_check *check, u32 at, const struct quire_command_form *form)
{
	int err;
	u32 i;

	*word_at(check, at) = 0;
	for (i = 0; i < form->nr_operands; i++) {
		u32 field = at + form->operands[i].at;
		u32 word = *word_at(check, field);

		if (word >= WORD_NO_ENTRY)
			return refuse(check, -EDESTADDRREQ, QUIRE_COMMAND_BUFFER, 0, field,
				      "no entry patches the address field");
		err = check_use(check, word - 1, field, &form->operands[i]);
		if (err)
			return err;
	}
	return 0;
}

/**
 * quire_command_check - may this submission run?
 * @list: the submission, in memory that does not change, the commands aligned to 8; the
 *        indices of objects are those of @list, of nothing else anything is expected
 * @fields: array of a word for each 8 bytes of commands; set to 1 + the index of the entry
 *          that patches them, or to 0 where nothing is patched; undefined after an error
 * @error: after an error what is wrong, and where; else not changed
 *
 * What passes touches only bytes of its allocations, however it is split, and
 * whatever runs between its parts. Any context; nothing but @fields and @error is written.
 *
 * Returns: 0, or the errno of the first rule that is broken, see "What is checked".
 *
 * Source: DXGKDDI_RENDER, which has to validate what user mode wrote.
 */
int quire_command_check(const struct quire_command_list *list, u32 *fields,
			struct quire_command_error *error)
{
	struct command_check check = { .list = list, .fields = fields, .error = error };
	int err;

	err = check_whole(&check);
	if (!err)
		err = check_allocations(&check);
	if (err)
		return err;

	memset(fields, 0, list->size / sizeof(u64) * sizeof(*fields));
	err = walk_commands(&check, note_fields);
	if (!err)
		err = check_patches(&check);
	if (!err)
		err = check_bindings(&check);
	return err ?: walk_commands(&check, check_uses);
}
EXPORT_SYMBOL_IF_KUNIT(quire_command_check);
