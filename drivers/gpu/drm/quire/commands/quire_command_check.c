// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: What is checked
 *
 * A submission is checked whole before anything of it runs, for programs are not trusted. The first
 * rule that is broken decides, in the order of this table; of the same step the first element,
 * command or entry does, and of these the first row:
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
 * An entry binds its slot from its split offset on, until a later entry of the list has the
 * same slot. One that says the same of it, the same allocation from the same split offset
 * on, binds nothing new: so one binding has many fields. What is used before it is bound, or
 * after its slot has been unbound or taken, would be used while it is somewhere else.
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

/* What a word of the buffer is, until it is the field of an entry: then 1 + its index. */
#define WORD_NO_ENTRY	0x80000000u
#define WORD_COMMAND	WORD_NO_ENTRY /* the header of a command */
#define WORD_FIELD	(WORD_NO_ENTRY + 1) /* and enum quire_patch_field */

/* The arguments of quire_command_check(). */
struct command_check {
	const struct quire_command_list *list;
	u32 *fields;
	struct quire_command_error *error;
};

/* What a slot holds, and from which byte of the buffer up to which. */
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

static int refuse_patch(struct command_check *check, int err, u32 entry, u32 offset,
			const char *why)
{
	return refuse(check, err, QUIRE_COMMAND_PATCHES, entry, offset, why);
}

/* NULL: no word is at an offset that a program gave. */
static u32 *word_at(struct command_check *check, u32 offset)
{
	if (offset % sizeof(u64) || offset >= check->list->size)
		return NULL;
	return &check->fields[offset / sizeof(u64)];
}

static int check_allocations(struct command_check *check)
{
	const struct quire_command_list *list = check->list;
	u32 entry;

	for (entry = 0; entry < list->nr_allocations; entry++) {
		const struct quire_command_allocation *allocation = &list->allocations[entry];
		u64 size;

		if (allocation->object == QUIRE_NO_OBJECT) {
			if (allocation->writable || allocation->offset || allocation->size)
				return refuse(check, -EBADR, QUIRE_COMMAND_ALLOCATIONS, entry, 0,
					      "allocation is none, but has other fields");
			continue;
		}
		size = list->objects[allocation->object].size;
		if (!allocation->size || allocation->offset > size ||
		    allocation->size > size - allocation->offset)
			return refuse(check, -ERANGE, QUIRE_COMMAND_ALLOCATIONS, entry, 0,
				      "allocation has no bytes, or is not inside of its object");
	}
	return 0;
}

static int check_patches(struct command_check *check)
{
	const struct quire_command_list *list = check->list;
	u32 entry, before = 0, *word;

	for (entry = 0; entry < list->nr_patches; entry++) {
		const struct quire_patch_location *patch = &list->patches[entry];
		u32 field = patch->patch_offset, split = patch->split_offset;

		if (patch->allocation >= list->nr_allocations)
			return refuse_patch(check, -EBADSLT, entry, field,
					    "there is no such allocation");
		if (patch->slot >= QUIRE_SLOTS)
			return refuse_patch(check, -ECHRNG, entry, field,
					    "there is no such slot");
		if (split < before)
			return refuse_patch(check, -EILSEQ, entry, split,
					    "split offset is below that of the entry before");
		before = split;
		word = word_at(check, split);
		if (!word || *word != WORD_COMMAND)
			return refuse_patch(check, -EBADMSG, entry, split,
					    "no command begins at the split offset");
		if (quire_patch_object(list, entry) == QUIRE_NO_OBJECT) {
			if (patch->driver_id || patch->allocation_offset || field)
				return refuse_patch(check, -EBADE, entry, split,
						    "entry unbinds its slot, but has other fields");
			continue;
		}
		word = word_at(check, field);
		if (!word || !*word || *word == WORD_COMMAND)
			return refuse_patch(check, -ENXIO, entry, field,
					    "no address field is at the patch offset");
		if (*word < WORD_NO_ENTRY)
			return refuse_patch(check, -EEXIST, entry, field,
					    "another entry patches the same field");
		if (*word - WORD_FIELD != patch->driver_id)
			return refuse_patch(check, -EPROTOTYPE, entry, field,
					    "driver id is not that of the field");
		*word = 1 + entry;
	}
	return 0;
}

/* From the last entry to the first one: then it is known where a binding ends. */
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
		if (quire_patch_object(list, entry) != QUIRE_NO_OBJECT &&
		    (patch->patch_offset < slot->start || patch->patch_offset >= slot->end))
			stale = entry;
	}
	if (stale == list->nr_patches)
		return 0;
	return refuse_patch(check, -ESTALE, stale, list->patches[stale].patch_offset,
			    "slot of the field holds something else there");
}

/* @field: byte of the buffer where the address field of @operand is; it is that of @entry */
static int check_use(struct command_check *check, u32 entry, u32 field,
		     const struct quire_command_operand *operand)
{
	const struct quire_patch_location *patch = &check->list->patches[entry];
	const struct quire_command_allocation *allocation =
		&check->list->allocations[patch->allocation];
	const struct quire_command_object *object = &check->list->objects[allocation->object];
	u64 first, end, offset = patch->allocation_offset;

	if (!IS_ALIGNED(offset, operand->align) ||
	    operand->align > max_t(u32, object->align, QUIRE_PAGE_SIZE))
		return refuse_patch(check, -EADDRNOTAVAIL, entry, field,
				    "address is not aligned as the command wants it");
	if (operand->tiled && object->segment != QUIRE_SEGMENT_VRAM)
		return refuse_patch(check, -EMEDIUMTYPE, entry, field,
				    "surface with tiles is not in VRAM");
	if (operand->tiled && object->linear)
		return refuse_patch(check, -EMEDIUMTYPE, entry, field,
				    "surface with tiles is seen through an MMU");
	if (check_add_overflow(offset, operand->first, &first) ||
	    check_add_overflow(first, operand->size, &end) ||
	    first < allocation->offset || end > allocation->offset + allocation->size)
		return refuse_patch(check, -EOVERFLOW, entry, field,
				    "command touches bytes that are not of the allocation");
	if (operand->image > object->size || offset > object->size - operand->image)
		return refuse_patch(check, -EXDEV, entry, field,
				    "image is not inside of its object");
	if (operand->writes && !allocation->writable)
		return refuse_patch(check, -EACCES, entry, field,
				    "command writes what is listed for reading");
	return 0;
}

/* Notes where commands and fields are; with @uses, later, only fields keep their entries. */
static int check_commands(struct command_check *check, bool uses)
{
	const struct quire_command_list *list = check->list;
	struct quire_command_form form;
	u32 at, field, i, *word;
	const char *why;
	int err;

	for (at = 0; at < list->size; at += form.size) {
		err = quire_command_form(list->commands + at, list->size - at, &form, &why);
		if (err)
			return refuse(check, err, QUIRE_COMMAND_BUFFER, 0, at, why);
		*word_at(check, at) = uses ? 0 : WORD_COMMAND;
		for (i = 0; i < form.nr_operands; i++) {
			field = at + form.operands[i].at;
			word = word_at(check, field);
			if (!uses && *(const __le64 *)(list->commands + field))
				return refuse(check, -EADDRINUSE, QUIRE_COMMAND_BUFFER, 0, field,
					      "address field is not 0");
			if (uses && *word >= WORD_NO_ENTRY)
				return refuse(check, -EDESTADDRREQ, QUIRE_COMMAND_BUFFER, 0, field,
					      "no entry patches the address field");
			if (!uses)
				*word = WORD_FIELD + form.operands[i].id;
			else
				err = check_use(check, *word - 1, field, &form.operands[i]);
			if (err)
				return err;
		}
	}
	return 0;
}

/**
 * quire_command_check - may this submission run?
 * @list: in memory that does not change, aligned to 8; only its indices of objects are trusted
 * @fields: array of a word for each 8 bytes of commands; set to 1 + the index of the entry
 *          that patches them, or to 0; undefined after an error
 * @error: set after an error: what is wrong, and where
 *
 * What passes touches only bytes of its allocations, whatever runs between its parts.
 *
 * Returns: 0, or the errno of the first rule that is broken, see "What is checked".
 * Source: DXGKDDI_RENDER, which has to validate what user mode wrote.
 */
int quire_command_check(const struct quire_command_list *list, u32 *fields,
			struct quire_command_error *error)
{
	struct command_check check = { .list = list, .fields = fields, .error = error };
	int err;

	if (!list->size || list->size % sizeof(u64))
		return refuse(&check, -EINVAL, QUIRE_COMMAND_WHOLE, 0, 0,
			      "size of the command buffer is 0, or no multiple of 8");
	if (list->nr_patches >= WORD_NO_ENTRY)
		return refuse(&check, -E2BIG, QUIRE_COMMAND_WHOLE, 0, 0,
			      "too many entries in the patch-location list");
	err = check_allocations(&check);
	if (err)
		return err;

	memset(fields, 0, list->size / sizeof(u64) * sizeof(*fields));
	return check_commands(&check, false) ?: check_patches(&check) ?:
	       check_bindings(&check) ?: check_commands(&check, true);
}
EXPORT_SYMBOL_IF_KUNIT(quire_command_check);

static u64 field_address(const struct quire_command_list *list, u32 entry, const u64 *addresses)
{
	return addresses[quire_patch_object(list, entry)] + list->patches[entry].allocation_offset;
}

/**
 * quire_command_patch - write a part of a command buffer with its addresses
 * @to: where to, aligned to 8; @end - @start bytes, each word of it is written once
 * @list: the submission, which stays as it is
 * @fields: of the whole submission, from quire_command_check()
 * @start: first byte of the part, where a command begins
 * @end: behind its last byte, where a command ends
 * @addresses: QUIRE_ADDRESS() of the first byte of each object that the part uses
 *
 * Source: DXGKDDI_PATCH.
 */
void quire_command_patch(void *to, const struct quire_command_list *list, const u32 *fields,
			 u32 start, u32 end, const u64 *addresses)
{
	const __le64 *from = list->commands + start;
	u32 i, words = (end - start) / sizeof(u64);
	__le64 *word = to;

	fields += start / sizeof(u64);
	for (i = 0; i < words; i++)
		word[i] = fields[i] ? cpu_to_le64(field_address(list, fields[i] - 1, addresses)) :
				      from[i];
}
EXPORT_SYMBOL_IF_KUNIT(quire_command_patch);
