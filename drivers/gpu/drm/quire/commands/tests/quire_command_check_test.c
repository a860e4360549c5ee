// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Each rule of the check, where it is just kept and where it is just broken: one field of
 * the good submission, or a few, get another value.
 */
#include <asm/byteorder.h>
#include <kunit/test.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "quire_command_scene.h"

#define CHANGES	4u

/* What is changed, beside what enum quire_command_part names. */
#define IN_OBJECTS	(QUIRE_COMMAND_PATCHES + 1)
#define IN_LIST		(QUIRE_COMMAND_PATCHES + 2)

/**
 * struct change - another value for a field
 * @where: enum quire_command_part, or one of those above
 * @at: byte there
 * @size: of the field; 0: no change
 * @value: of the field
 */
struct change {
	u32 where;
	u32 at;
	u32 size;
	u64 value;
};

struct rule_case {
	const char *name;
	int err;
	u32 where;
	u32 entry;
	u32 offset;
	struct change changes[CHANGES];
};

#define AT(field)		offsetof(struct quire_scene_buffer, field)

#define BYTES(at, size, to)	{ QUIRE_COMMAND_BUFFER, at, size, to }
#define BUFFER(field, to) \
	{ QUIRE_COMMAND_BUFFER, AT(field), sizeof_field(struct quire_scene_buffer, field), to }
#define ALLOCATION(index, field, to)						\
	{ QUIRE_COMMAND_ALLOCATIONS, A_##index * sizeof(struct quire_command_allocation) + \
	  offsetof(struct quire_command_allocation, field),			\
	  sizeof_field(struct quire_command_allocation, field), to }
#define ENTRY(index, field, to)							\
	{ QUIRE_COMMAND_PATCHES, E_##index * sizeof(struct quire_patch_location) + \
	  offsetof(struct quire_patch_location, field),				\
	  sizeof_field(struct quire_patch_location, field), to }
#define OBJECT(index, field, to)						\
	{ IN_OBJECTS, O_##index * sizeof(struct quire_command_object) +		\
	  offsetof(struct quire_command_object, field),				\
	  sizeof_field(struct quire_command_object, field), to }
#define LIST(field, to) { IN_LIST, offsetof(struct quire_command_list, field), \
	sizeof_field(struct quire_command_list, field), to }

#define GOOD(text, ...) { text, 0, 0, 0, 0, { __VA_ARGS__ } }
#define BAD_WHOLE(text, errno, ...) \
	{ text, -(errno), QUIRE_COMMAND_WHOLE, 0, 0, { __VA_ARGS__ } }
#define BAD_BUFFER(text, errno, offset, ...) \
	{ text, -(errno), QUIRE_COMMAND_BUFFER, 0, AT(offset), { __VA_ARGS__ } }
#define BAD_ALLOCATION(text, errno, index, ...) \
	{ text, -(errno), QUIRE_COMMAND_ALLOCATIONS, A_##index, 0, { __VA_ARGS__ } }
#define BAD_ENTRY_AT(text, errno, index, offset, ...) \
	{ text, -(errno), QUIRE_COMMAND_PATCHES, E_##index, offset, { __VA_ARGS__ } }
#define BAD_ENTRY(text, errno, index, offset, ...) \
	BAD_ENTRY_AT(text, errno, index, AT(offset), __VA_ARGS__)

/* Header, surfaces and their fields, by their bytes. */
#define SRC(member)	copy_2d.src.member
#define DST(member)	copy_2d.dst.member
#define FLAGS(command, to)	BUFFER(command.header.flags, to)
#define LENGTH(command, to)	BUFFER(command.header.size, to)
#define END		sizeof(struct quire_scene_buffer)

static const struct rule_case rule_cases[] = {
	GOOD("the good one"),

	/* 1: the whole */
	BAD_WHOLE("no commands", EINVAL, LIST(size, 0)),
	BAD_WHOLE("half a word of commands", EINVAL, LIST(size, END - 4)),

	/* 2: allocations */
	BAD_ALLOCATION("none that is written", EBADR, NONE, ALLOCATION(NONE, writable, 1)),
	BAD_ALLOCATION("none from somewhere", EBADR, NONE, ALLOCATION(NONE, offset, 1)),
	BAD_ALLOCATION("none of a byte", EBADR, NONE, ALLOCATION(NONE, size, 1)),
	BAD_ALLOCATION("no bytes", ERANGE, SOURCE, ALLOCATION(SOURCE, size, 0)),
	BAD_ALLOCATION("a byte behind its object", ERANGE, TARGET,
		       ALLOCATION(TARGET, size, 0x8001)),
	BAD_ALLOCATION("a byte behind its object, all of it", ERANGE, IMAGE,
		       ALLOCATION(IMAGE, size, 0x60001)),
	BAD_ALLOCATION("from the end of its object", ERANGE, TARGET,
		       ALLOCATION(TARGET, offset, 0x10000)),
	BAD_ALLOCATION("from behind its object", ERANGE, TARGET,
		       ALLOCATION(TARGET, offset, 0x10001)),
	BAD_ALLOCATION("around the top", ERANGE, TARGET,
		       ALLOCATION(TARGET, offset, U64_MAX - 0xfff)),
	BAD_ALLOCATION("of all there is", ERANGE, TARGET, ALLOCATION(TARGET, size, U64_MAX)),
	BAD_ALLOCATION("first the lower one", ERANGE, SOURCE, ALLOCATION(NONE, size, 1),
		       ALLOCATION(SOURCE, size, 0)),

	/* 3: commands */
	BAD_BUFFER("a header that is none", EMSGSIZE, delay, LENGTH(delay, 0)),
	BAD_BUFFER("a command that goes on behind the buffer", EMSGSIZE, delay,
		   LENGTH(delay, 24)),
	BAD_BUFFER("a NOP that goes on behind the buffer", EMSGSIZE, nop, LENGTH(nop, END + 8)),
	BAD_BUFFER("a NOP of half a word", EMSGSIZE, nop, LENGTH(nop, 20)),
	BAD_BUFFER("a NOP that is no header", EMSGSIZE, nop, LENGTH(nop, 4)),
	BAD_BUFFER("a size that is all ones", EMSGSIZE, nop, LENGTH(nop, 0xfffffff8)),
	GOOD("a NOP that is only a header", LENGTH(nop, 8),
	     BYTES(8, 8, 16ull << 32 | QUIRE_COMMAND_NOP)),
	BAD_BUFFER("a copy that is too long", EPROTO, copy, LENGTH(copy, 40)),
	BAD_BUFFER("a copy that is too short", EPROTO, copy, LENGTH(copy, 24)),
	BAD_BUFFER("a delay of a header", EPROTO, delay, LENGTH(delay, 8)),
	BAD_BUFFER("an opcode before the first", EOPNOTSUPP, fill,
		   BUFFER(fill.header.opcode, QUIRE_COMMAND_FIRST - 1)),
	BAD_BUFFER("an opcode behind the last", EOPNOTSUPP, fill,
		   BUFFER(fill.header.opcode, QUIRE_COMMAND_LAST + 1)),
	BAD_BUFFER("a register, which only address spaces have", EOPNOTSUPP, write_value,
		   BUFFER(write_value.header.opcode, QUIRE_COMMAND_STORE_REGISTER)),
	BAD_BUFFER("an opcode of paging", EOPNOTSUPP, fill,
		   BUFFER(fill.header.opcode, QUIRE_OP_FILL)),
	BAD_BUFFER("a signal of a native fence", EDOM, write_value,
		   BUFFER(write_value.header.opcode, QUIRE_COMMAND_SIGNAL_NATIVE)),
	BAD_BUFFER("an opcode that is all ones", EOPNOTSUPP, fill,
		   BUFFER(fill.header.opcode, 0xffff)),
	BAD_BUFFER("a NOP with a flag", EDOM, nop, FLAGS(nop, 1)),
	BAD_BUFFER("a copy with a flag", EDOM, copy, FLAGS(copy, 1)),
	BAD_BUFFER("a fill with a flag", EDOM, fill, FLAGS(fill, 0x8000)),
	BAD_BUFFER("a 2D copy with a flag", EDOM, copy_2d, FLAGS(copy_2d, 1)),
	BAD_BUFFER("a blend with a flag", EDOM, blend, FLAGS(blend, 2)),
	BAD_BUFFER("a checksum with a flag", EDOM, checksum, FLAGS(checksum, 1)),
	BAD_BUFFER("a comparison with a flag", EDOM, compare, FLAGS(compare, 1)),
	BAD_BUFFER("a value with a flag", EDOM, write_value, FLAGS(write_value, 1)),
	BAD_BUFFER("a delay with a flag", EDOM, delay, FLAGS(delay, 1)),
	BAD_BUFFER("arithmetic without a flag", EDOM, arithmetic, FLAGS(arithmetic, 0)),
	BAD_BUFFER("arithmetic of both kinds", EDOM, arithmetic, FLAGS(arithmetic, 3)),
	BAD_BUFFER("arithmetic of an unknown kind", EDOM, arithmetic, FLAGS(arithmetic, 4)),
	GOOD("arithmetic of the other kind", FLAGS(arithmetic, QUIRE_ARITHMETIC_ADD)),
	BAD_BUFFER("a wait without a flag", EDOM, wait_value, FLAGS(wait_value, 0)),
	BAD_BUFFER("a wait of both kinds", EDOM, wait_value, FLAGS(wait_value, 3)),
	BAD_BUFFER("a wait with a flag too many", EDOM, wait_value, FLAGS(wait_value, 5)),
	GOOD("a wait of the other kind", FLAGS(wait_value, QUIRE_WAIT_GREATER_EQUAL)),
	BAD_BUFFER("a copy of nothing", EDOM, copy, BUFFER(copy.size, 0)),
	GOOD("a copy of a byte", BUFFER(copy.size, 1)),
	BAD_BUFFER("a fill of nothing", EDOM, fill, BUFFER(fill.size, 0)),
	BAD_BUFFER("a fill of half a number", EDOM, fill, BUFFER(fill.size, 0x7ffe)),
	BAD_BUFFER("a fill with what is reserved", EDOM, fill, BUFFER(fill.reserved, 1)),
	BAD_BUFFER("arithmetic of nothing", EDOM, arithmetic, BUFFER(arithmetic.size, 0)),
	BAD_BUFFER("arithmetic of half a number", EDOM, arithmetic,
		   BUFFER(arithmetic.size, 0xfe)),
	BAD_BUFFER("a checksum of nothing", EDOM, checksum, BUFFER(checksum.size, 0)),
	GOOD("a checksum of a byte", BUFFER(checksum.size, 1)),
	BAD_BUFFER("a comparison of nothing", EDOM, compare, BUFFER(compare.size, 0)),
	BAD_BUFFER("a 2D copy with what is reserved", EDOM, copy_2d,
		   BUFFER(copy_2d.reserved, 1)),
	BAD_BUFFER("a blend with what is reserved", EDOM, blend, BUFFER(blend.reserved, 1)),
	BAD_BUFFER("elements of 32 bytes", EDOM, copy_2d, BUFFER(copy_2d.element_shift, 5)),
	BAD_BUFFER("elements that are all ones", EDOM, copy_2d,
		   BUFFER(copy_2d.element_shift, U32_MAX)),
	BAD_BUFFER("a blend of elements of 2 bytes", EDOM, blend,
		   BUFFER(blend.element_shift, 1)),
	BAD_BUFFER("a blend of elements of 8 bytes", EDOM, blend,
		   BUFFER(blend.element_shift, 3)),
	BAD_BUFFER("an unknown layout", EDOM, copy_2d, BUFFER(SRC(layout), 3)),
	BAD_BUFFER("an unknown layout of what is written", EDOM, copy_2d,
		   BUFFER(DST(layout), 3)),
	BAD_BUFFER("no columns", EDOM, copy_2d, BUFFER(SRC(width), 0)),
	BAD_BUFFER("no rows", EDOM, copy_2d, BUFFER(SRC(height), 0)),
	BAD_BUFFER("too many rows", EDOM, copy_2d, BUFFER(SRC(height), 16385)),
	BAD_BUFFER("too many columns", EDOM, copy_2d, BUFFER(DST(width), 16385)),
	BAD_BUFFER("a linear surface of no levels", EDOM, copy_2d, BUFFER(SRC(levels), 0)),
	BAD_BUFFER("a linear surface of two levels", EDOM, copy_2d, BUFFER(SRC(levels), 2)),
	BAD_BUFFER("a linear surface of two slices", EDOM, copy_2d,
		   BUFFER(SRC(array_size), 2)),
	BAD_BUFFER("a linear surface of no slices", EDOM, copy_2d,
		   BUFFER(SRC(array_size), 0)),
	BAD_BUFFER("a linear surface's second level", EDOM, copy_2d, BUFFER(SRC(level), 1)),
	BAD_BUFFER("a linear surface's second slice", EDOM, copy_2d, BUFFER(SRC(slice), 1)),
	BAD_BUFFER("a pitch less than a row", EDOM, copy_2d, BUFFER(SRC(pitch), 252)),
	BAD_BUFFER("a pitch of half an element", EDOM, copy_2d, BUFFER(SRC(pitch), 258)),
	BAD_BUFFER("a tiled surface with a pitch", EDOM, copy_2d, BUFFER(DST(pitch), 256)),
	BAD_BUFFER("more levels than there can be", EDOM, copy_2d, BUFFER(DST(levels), 8)),
	BAD_BUFFER("too many slices", EDOM, copy_2d, BUFFER(DST(array_size), 2049)),
	BAD_BUFFER("a level behind the last", EDOM, copy_2d, BUFFER(DST(level), 3)),
	BAD_BUFFER("a slice behind the last", EDOM, copy_2d, BUFFER(DST(slice), 2)),
	BAD_ENTRY("as many slices as there can be", EXDEV, 2D_DST, copy_2d.dst.address,
		  BUFFER(DST(array_size), 2048)),
	BAD_BUFFER("an address that is there already", EADDRINUSE, copy.src,
		   BUFFER(copy.src, 1)),
	BAD_BUFFER("an address at its last byte", EADDRINUSE, blend.dst.address,
		   BUFFER(blend.dst.address, 1ull << 63)),
	BAD_BUFFER("the result's address", EADDRINUSE, compare.result,
		   BUFFER(compare.result, 0x100)),
	BAD_BUFFER("first the first command", EPROTO, copy, FLAGS(delay, 1), LENGTH(copy, 8)),
	BAD_BUFFER("first the size, then the flags", EPROTO, copy, FLAGS(copy, 1),
		   LENGTH(copy, 8)),
	BAD_BUFFER("first the fields, then the addresses", EDOM, copy, BUFFER(copy.src, 1),
		   BUFFER(copy.size, 0)),
	BAD_ALLOCATION("first the allocations, then the commands", ERANGE, SOURCE,
		       LENGTH(copy, 8), ALLOCATION(SOURCE, size, 0)),

	/* 4: entries */
	BAD_ENTRY("an allocation behind the list", EBADSLT, FILL_DST, fill.dst,
		  ENTRY(FILL_DST, allocation, NR_ALLOCATIONS)),
	BAD_ENTRY("an allocation that is all ones", EBADSLT, FILL_DST, fill.dst,
		  ENTRY(FILL_DST, allocation, U32_MAX)),
	BAD_ENTRY("no allocations at all", EBADSLT, COPY_SRC, copy.src, LIST(nr_allocations, 0)),
	BAD_ENTRY("a slot behind the last", ECHRNG, BLEND_SRC, blend.src.address,
		  ENTRY(BLEND_SRC, slot, QUIRE_SLOTS)),
	BAD_ENTRY_AT("a slot that is all ones", ECHRNG, UNBIND_63, 0,
		     ENTRY(UNBIND_63, slot, U32_MAX)),
	BAD_ENTRY("a split offset that goes back", EILSEQ, 2D_SRC, copy,
		  ENTRY(2D_SRC, split_offset, AT(copy))),
	BAD_ENTRY_AT("a split offset inside of a command", EBADMSG, BLEND_SRC, AT(blend) + 8,
		     ENTRY(BLEND_SRC, split_offset, AT(blend) + 8)),
	BAD_ENTRY_AT("a split offset at a field", EBADMSG, BLEND_SRC, AT(blend.dst.address),
		     ENTRY(BLEND_SRC, split_offset, AT(blend.dst.address))),
	BAD_ENTRY_AT("a split offset inside of a word", EBADMSG, BLEND_SRC, AT(blend) + 1,
		     ENTRY(BLEND_SRC, split_offset, AT(blend) + 1)),
	BAD_ENTRY_AT("a split offset inside of a NOP", EBADMSG, COPY_SRC, 8,
		     ENTRY(COPY_SRC, split_offset, 8)),
	BAD_ENTRY_AT("a split offset at the end", EBADMSG, UNBIND_63, END,
		     ENTRY(UNBIND_63, split_offset, END)),
	BAD_ENTRY_AT("a split offset behind the end", EBADMSG, UNBIND_63, U32_MAX - 7,
		     ENTRY(UNBIND_63, split_offset, U32_MAX - 7)),
	BAD_ENTRY("none, with a driver id", EBADE, UNBIND_0, copy_2d,
		  ENTRY(UNBIND_0, driver_id, QUIRE_PATCH_DST)),
	BAD_ENTRY("none, with an offset", EBADE, UNBIND_0, copy_2d,
		  ENTRY(UNBIND_0, allocation_offset, 0x1000)),
	BAD_ENTRY("none, with a field", EBADE, UNBIND_0, copy_2d,
		  ENTRY(UNBIND_0, patch_offset, AT(copy.src))),
	BAD_ENTRY_AT("a field that is a header", ENXIO, FILL_DST, AT(fill),
		     ENTRY(FILL_DST, patch_offset, AT(fill))),
	BAD_ENTRY_AT("a field that is a size", ENXIO, FILL_DST, AT(fill.size),
		     ENTRY(FILL_DST, patch_offset, AT(fill.size))),
	BAD_ENTRY_AT("a field between two words", ENXIO, FILL_DST, AT(fill.dst) + 4,
		     ENTRY(FILL_DST, patch_offset, AT(fill.dst) + 4)),
	BAD_ENTRY_AT("a field in a NOP", ENXIO, FILL_DST, 16, ENTRY(FILL_DST, patch_offset, 16)),
	BAD_ENTRY_AT("a field at the end", ENXIO, FILL_DST, END,
		     ENTRY(FILL_DST, patch_offset, END)),
	BAD_ENTRY_AT("a field behind the end", ENXIO, FILL_DST, U32_MAX - 7,
		     ENTRY(FILL_DST, patch_offset, U32_MAX - 7)),
	BAD_ENTRY("a field twice", EEXIST, FILL_DST, copy.dst,
		  ENTRY(FILL_DST, patch_offset, AT(copy.dst))),
	BAD_ENTRY("a field twice, as something else", EEXIST, COPY_DST, copy.src,
		  ENTRY(COPY_DST, patch_offset, AT(copy.src))),
	BAD_ENTRY("the driver id of the other field", EPROTOTYPE, COPY_SRC, copy.src,
		  ENTRY(COPY_SRC, driver_id, QUIRE_PATCH_DST)),
	BAD_ENTRY("the driver id of no field of it", EPROTOTYPE, COPY_DST, copy.dst,
		  ENTRY(COPY_DST, driver_id, QUIRE_PATCH_RESULT)),
	BAD_ENTRY("a driver id that is none", EPROTOTYPE, CHECKSUM_RESULT, checksum.result,
		  ENTRY(CHECKSUM_RESULT, driver_id, 3)),
	BAD_ENTRY("a driver id that wraps", EPROTOTYPE, COPY_SRC, copy.src,
		  ENTRY(COPY_SRC, driver_id, 0x80000000)),
	BAD_ENTRY("first the first entry", EPROTOTYPE, COPY_SRC, copy.src,
		  ENTRY(COPY_DST, slot, QUIRE_SLOTS), ENTRY(COPY_SRC, driver_id, 3)),
	BAD_ENTRY("first the slot, then the split", ECHRNG, COPY_DST, copy.dst,
		  ENTRY(COPY_DST, split_offset, 1), ENTRY(COPY_DST, slot, QUIRE_SLOTS)),
	BAD_BUFFER("first the commands, then the entries", EADDRINUSE, wait_value.src,
		   BUFFER(wait_value.src, 1), ENTRY(COPY_DST, slot, QUIRE_SLOTS)),

	/* 5: what slots hold */
	BAD_ENTRY("a field before its binding", ESTALE, FILL_DST, fill.dst,
		  ENTRY(FILL_DST, split_offset, AT(copy_2d))),
	GOOD("a binding from its command on", ENTRY(FILL_DST, split_offset, AT(fill))),
	BAD_ENTRY("a slot that was taken", ESTALE, CHECKSUM_SRC, checksum.src,
		  ENTRY(CHECKSUM_RESULT, slot, 2)),
	BAD_ENTRY("a slot that was taken at once", ESTALE, COPY_SRC, copy.src,
		  ENTRY(COPY_DST, slot, 0)),
	BAD_ENTRY("a slot that was taken for a while", ESTALE, ARITHMETIC_DST, arithmetic.dst,
		  ENTRY(CHECKSUM_RESULT, allocation, A_SYSTEM),
		  ENTRY(CHECKSUM_RESULT, allocation_offset, 0x7ff8)),
	BAD_ENTRY("a slot that was taken by another part of the same", ESTALE, 2D_DST,
		  copy_2d.dst.address, ENTRY(BLEND_SRC, split_offset, AT(copy_2d)),
		  ENTRY(BLEND_SRC, slot, 3)),
	GOOD("a slot that is taken behind the last use", ENTRY(BLEND_SRC, slot, 0)),
	BAD_ENTRY("a slot that was unbound", ESTALE, FILL_DST, fill.dst,
		  ENTRY(UNBIND_0, slot, 1), ENTRY(UNBIND_0, split_offset, AT(fill))),
	GOOD("a slot that is unbound behind the last use", ENTRY(UNBIND_0, slot, 1)),
	BAD_ENTRY("a binding that survives its slot", ESTALE, COMPARE_SRC, compare.src,
		  ENTRY(UNBIND_63, slot, 3), ENTRY(UNBIND_63, split_offset, AT(compare))),
	GOOD("a binding that ends with its slot", ENTRY(UNBIND_63, slot, 3),
	     ENTRY(UNBIND_63, split_offset, AT(write_value))),
	BAD_ENTRY("bound and unbound at once", ESTALE, ARITHMETIC_SRC, arithmetic.src,
		  ENTRY(UNBIND_63, slot, 3)),
	GOOD("unbound and bound at once", ENTRY(UNBIND_0, slot, 3)),
	BAD_ENTRY("first the lowest entry", ESTALE, COPY_SRC, copy.src,
		  ENTRY(COPY_DST, slot, 0), ENTRY(CHECKSUM_RESULT, slot, 2)),
	BAD_ENTRY("first the entries, then what slots hold", EPROTOTYPE, COMPARE_DST, compare.dst,
		  ENTRY(COPY_DST, slot, 0), ENTRY(COMPARE_DST, driver_id, QUIRE_PATCH_SRC)),

	/* 6: what is touched */
	BAD_BUFFER("a field that nothing patches", EDESTADDRREQ, compare.dst,
		   LIST(nr_patches, E_COMPARE_DST)),
	BAD_BUFFER("no entries", EDESTADDRREQ, copy.src, LIST(nr_patches, 0)),
	BAD_ENTRY("a fill at half a number", EADDRNOTAVAIL, FILL_DST, fill.dst,
		  ENTRY(FILL_DST, allocation_offset, 0x8002)),
	BAD_ENTRY("a source at half a number", EADDRNOTAVAIL, ARITHMETIC_SRC, arithmetic.src,
		  ENTRY(ARITHMETIC_SRC, allocation_offset, 0x7e02)),
	BAD_ENTRY("a sum at half a number", EADDRNOTAVAIL, ARITHMETIC_DST, arithmetic.dst,
		  ENTRY(ARITHMETIC_DST, allocation_offset, 0xfe02)),
	BAD_ENTRY("a hash from half a block", EADDRNOTAVAIL, CHECKSUM_SRC, checksum.src,
		  ENTRY(CHECKSUM_SRC, allocation_offset, 0x10)),
	BAD_ENTRY("a hash at half a number", EADDRNOTAVAIL, CHECKSUM_RESULT, checksum.result,
		  ENTRY(CHECKSUM_RESULT, allocation_offset, 0xfff4)),
	BAD_ENTRY("a report at half a number", EADDRNOTAVAIL, COMPARE_RESULT, compare.result,
		  ENTRY(COMPARE_RESULT, allocation_offset, 0x7fec)),
	BAD_ENTRY("a value at half of one", EADDRNOTAVAIL, WRITE_DST, write_value.dst,
		  ENTRY(WRITE_DST, allocation_offset, 0x7ff4)),
	BAD_ENTRY("a wait for half a value", EADDRNOTAVAIL, WAIT_SRC, wait_value.src,
		  ENTRY(WAIT_SRC, allocation_offset, 0x7ff4)),
	BAD_ENTRY("a surface at half an element", EADDRNOTAVAIL, 2D_SRC, copy_2d.src.address,
		  ENTRY(2D_SRC, allocation_offset, 0x5ffe)),
	BAD_ENTRY("a surface at half a tile of 4 KiB", EADDRNOTAVAIL, 2D_DST, copy_2d.dst.address,
		  ENTRY(2D_DST, allocation_offset, 0x20800)),
	BAD_ENTRY("a surface at half a tile of 64 KiB", EADDRNOTAVAIL, BLEND_SRC,
		  blend.src.address, ENTRY(BLEND_SRC, allocation_offset, 0x38000)),
	BAD_ENTRY("an object at half a tile of 64 KiB", EADDRNOTAVAIL, BLEND_SRC,
		  blend.src.address, OBJECT(IMAGE, align, 0x8000)),
	BAD_ENTRY("an object at any page", EADDRNOTAVAIL, BLEND_SRC, blend.src.address,
		  OBJECT(IMAGE, align, 0)),
	GOOD("an object at two tiles", OBJECT(IMAGE, align, 0x20000)),
	BAD_ENTRY("tiles in the aperture", EMEDIUMTYPE, 2D_DST, copy_2d.dst.address,
		  OBJECT(IMAGE, segment, QUIRE_SEGMENT_APERTURE)),
	BAD_ENTRY("tiles that an MMU would show", EMEDIUMTYPE, 2D_DST, copy_2d.dst.address,
		  OBJECT(IMAGE, linear, true)),
	GOOD("ranges that an MMU shows", OBJECT(DATA, linear, true)),
	GOOD("ranges in the aperture", OBJECT(DATA, segment, QUIRE_SEGMENT_APERTURE)),
	BAD_ENTRY("a copy of a byte too many", EOVERFLOW, COPY_SRC, copy.src,
		  BUFFER(copy.size, 0x7001)),
	BAD_ENTRY("a copy of a byte too early", EOVERFLOW, COPY_SRC, copy.src,
		  ENTRY(COPY_SRC, allocation_offset, 0xfff)),
	BAD_ENTRY("a copy to a byte too late", EOVERFLOW, COPY_DST, copy.dst,
		  ENTRY(COPY_DST, allocation_offset, 0x9001)),
	BAD_ENTRY("a copy of all there is", EOVERFLOW, COPY_SRC, copy.src,
		  BUFFER(copy.size, U64_MAX)),
	BAD_ENTRY("a copy around the top", EOVERFLOW, COPY_SRC, copy.src,
		  ENTRY(COPY_SRC, allocation_offset, U64_MAX - 0x6fff)),
	BAD_ENTRY("a surface around the top", EOVERFLOW, 2D_DST, copy_2d.dst.address,
		  ENTRY(2D_DST, allocation_offset, U64_MAX - 0xfff)),
	BAD_ENTRY("a fill of a number too many", EOVERFLOW, FILL_DST, fill.dst,
		  BUFFER(fill.size, 0x8004)),
	BAD_ENTRY("a fill of a number too early", EOVERFLOW, FILL_DST, fill.dst,
		  ENTRY(FILL_DST, allocation_offset, 0x7ffc)),
	BAD_ENTRY("a source of a number too many", EOVERFLOW, ARITHMETIC_SRC, arithmetic.src,
		  ENTRY(ARITHMETIC_SRC, allocation_offset, 0x7f04)),
	BAD_ENTRY("a sum of a number too many", EOVERFLOW, ARITHMETIC_DST, arithmetic.dst,
		  ENTRY(ARITHMETIC_DST, allocation_offset, 0xff04)),
	BAD_ENTRY("a hash of a byte too many", EOVERFLOW, CHECKSUM_SRC, checksum.src,
		  BUFFER(checksum.size, 0x7fe1)),
	BAD_ENTRY("a hash behind the end", EOVERFLOW, CHECKSUM_RESULT, checksum.result,
		  ENTRY(CHECKSUM_RESULT, allocation_offset, 0x10000)),
	BAD_ENTRY("a comparison of a byte too many", EOVERFLOW, COMPARE_SRC, compare.src,
		  BUFFER(compare.size, 0x7000)),
	BAD_ENTRY("a comparison with a byte too many", EOVERFLOW, COMPARE_DST, compare.dst,
		  ENTRY(COMPARE_DST, allocation_offset, 0x9002)),
	BAD_ENTRY("half a report", EOVERFLOW, COMPARE_RESULT, compare.result,
		  ENTRY(COMPARE_RESULT, allocation_offset, 0x7ff8)),
	BAD_ENTRY("a value behind the end", EOVERFLOW, WRITE_DST, write_value.dst,
		  ENTRY(WRITE_DST, allocation_offset, 0x8000)),
	BAD_ENTRY("a wait for what is behind the end", EOVERFLOW, WAIT_SRC, wait_value.src,
		  ENTRY(WAIT_SRC, allocation_offset, 0x8000)),
	BAD_ENTRY("an allocation of a byte less", EOVERFLOW, 2D_SRC, copy_2d.src.address,
		  ALLOCATION(SYSTEM, size, 0x7fff)),
	BAD_ENTRY("a row too many", EOVERFLOW, 2D_SRC, copy_2d.src.address,
		  BUFFER(SRC(height), 33)),
	BAD_ENTRY("rows too far apart", EOVERFLOW, 2D_SRC, copy_2d.src.address,
		  BUFFER(SRC(pitch), 260)),
	BAD_ENTRY("rows farther apart than all there is", EOVERFLOW, 2D_SRC, copy_2d.src.address,
		  BUFFER(SRC(pitch), 0xfffffffc)),
	BAD_ENTRY("a column too many", EOVERFLOW, 2D_SRC, copy_2d.src.address,
		  BUFFER(SRC(height), 1), BUFFER(SRC(width), 2049), BUFFER(SRC(pitch), 8196)),
	GOOD("what is between the rows is not touched behind the last", BUFFER(SRC(height), 1),
	     BUFFER(SRC(width), 2048), BUFFER(SRC(pitch), 16384)),
	BAD_ENTRY("a tile too late", EOVERFLOW, 2D_DST, copy_2d.dst.address,
		  ENTRY(2D_DST, allocation_offset, 0x21000)),
	BAD_ENTRY("a tile too early", EOVERFLOW, 2D_DST, copy_2d.dst.address,
		  ENTRY(2D_DST, allocation_offset, 0x1f000)),
	BAD_ENTRY("another level", EOVERFLOW, 2D_DST, copy_2d.dst.address, BUFFER(DST(level), 2)),
	BAD_ENTRY("another slice", EOVERFLOW, 2D_DST, copy_2d.dst.address, BUFFER(DST(slice), 0)),
	BAD_ENTRY("a slice of more levels", EOVERFLOW, 2D_DST, copy_2d.dst.address,
		  BUFFER(DST(levels), 4)),
	GOOD("all slices that are in the object", BUFFER(DST(array_size), 10)),
	BAD_ENTRY("a slice behind the object", EXDEV, 2D_DST, copy_2d.dst.address,
		  BUFFER(DST(array_size), 11)),
	BAD_ENTRY("as many columns as there can be", EOVERFLOW, 2D_DST, copy_2d.dst.address,
		  BUFFER(DST(width), 16384)),
	GOOD("as many columns as tiles have", BUFFER(blend.src.width, 256)),
	BAD_ENTRY("a column more than tiles have", EOVERFLOW, BLEND_SRC, blend.src.address,
		  BUFFER(blend.src.width, 257)),
	GOOD("as many rows as tiles have", BUFFER(blend.src.height, 128)),
	BAD_ENTRY("a row more than tiles have", EOVERFLOW, BLEND_SRC, blend.src.address,
		  BUFFER(blend.src.height, 129)),
	BAD_ENTRY("a large surface of which nothing is read", EOVERFLOW, BLEND_SRC,
		  blend.src.address, BUFFER(blend.src.width, 257), BUFFER(blend.columns, 0)),
	BAD_ENTRY("a copy to what is read", EACCES, COPY_DST, copy.dst,
		  ALLOCATION(TARGET, writable, 0)),
	BAD_ENTRY("a fill of what is read", EACCES, FILL_DST, fill.dst,
		  ENTRY(FILL_DST, allocation, A_SOURCE), ENTRY(FILL_DST, slot, 0),
		  ENTRY(FILL_DST, allocation_offset, 0x1000), BUFFER(fill.size, 4)),
	BAD_ENTRY("a 2D copy to what is read", EACCES, 2D_DST, copy_2d.dst.address,
		  ALLOCATION(TILES, writable, 0)),
	BAD_ENTRY("a blend with what is read", EACCES, BLEND_DST, blend.dst.address,
		  ALLOCATION(SYSTEM, writable, 0)),
	BAD_ENTRY("a sum to what is read", EACCES, ARITHMETIC_DST, arithmetic.dst,
		  ENTRY(ARITHMETIC_DST, allocation, A_SOURCE), ENTRY(ARITHMETIC_DST, slot, 3),
		  ENTRY(ARITHMETIC_DST, allocation_offset, 0x1000)),
	BAD_ENTRY("a hash to what is read", EACCES, CHECKSUM_RESULT, checksum.result,
		  ENTRY(CHECKSUM_RESULT, allocation, A_SOURCE), ENTRY(CHECKSUM_RESULT, slot, 3),
		  ENTRY(CHECKSUM_RESULT, allocation_offset, 0x1000)),
	BAD_ENTRY("a report to what is read", EACCES, COMPARE_RESULT, compare.result,
		  ENTRY(COMPARE_RESULT, allocation, A_SOURCE), ENTRY(COMPARE_RESULT, slot, 50),
		  ENTRY(COMPARE_RESULT, allocation_offset, 0x1000)),
	BAD_ENTRY("a value to what is read", EACCES, WRITE_DST, write_value.dst,
		  ENTRY(WRITE_DST, allocation, A_SOURCE), ENTRY(WRITE_DST, slot, 50),
		  ENTRY(WRITE_DST, allocation_offset, 0x1000)),
	GOOD("a comparison with what is read", ENTRY(COMPARE_DST, allocation, A_SOURCE),
	     ENTRY(COMPARE_DST, slot, 3), ENTRY(COMPARE_DST, allocation_offset, 0x1001)),
	GOOD("reading what may be written", ALLOCATION(SOURCE, writable, 1)),
	BAD_ENTRY("first the bytes, then who may write them", EOVERFLOW, COPY_DST, copy.dst,
		  ENTRY(COPY_DST, allocation_offset, 0x9001), ALLOCATION(TARGET, writable, 0)),
	BAD_ENTRY("first the alignment, then the bytes", EADDRNOTAVAIL, WAIT_SRC, wait_value.src,
		  ENTRY(WAIT_SRC, allocation_offset, 0x8004)),
	BAD_ENTRY("first the first field", EOVERFLOW, COPY_DST, copy.dst,
		  ENTRY(COPY_DST, allocation_offset, 0x9001), LIST(nr_patches, E_COMPARE_DST)),
	BAD_ENTRY("first what slots hold, then what is touched", ESTALE, CHECKSUM_SRC,
		  checksum.src, ENTRY(CHECKSUM_RESULT, slot, 2), BUFFER(copy.size, 0x7001)),
};

/* One of each rule, in the order of "What is checked", but for quire_command_too_many(). */
static const char * const rule_names[] = {
	"no commands",
	"none of a byte",
	"no bytes",
	"a header that is none",
	"an opcode before the first",
	"a copy that is too long",
	"a copy with a flag",
	"an address that is there already",
	"an allocation behind the list",
	"a slot behind the last",
	"a split offset that goes back",
	"a split offset inside of a command",
	"none, with an offset",
	"a field that is a header",
	"a field twice",
	"the driver id of the other field",
	"a field before its binding",
	"a field that nothing patches",
	"a fill at half a number",
	"tiles in the aperture",
	"a copy of a byte too many",
	"a slice behind the object",
	"a copy to what is read",
};

#define RULES	(1 + ARRAY_SIZE(rule_names))

KUNIT_ARRAY_PARAM_DESC(rule, rule_cases, name);

static u8 *place_of(struct quire_scene *scene, u32 where)
{
	switch (where) {
	case QUIRE_COMMAND_BUFFER:
		return (u8 *)scene->commands;
	case QUIRE_COMMAND_ALLOCATIONS:
		return (u8 *)scene->allocations;
	case QUIRE_COMMAND_PATCHES:
		return (u8 *)scene->patches;
	case IN_OBJECTS:
		return (u8 *)scene->objects;
	default:
		return (u8 *)&scene->list;
	}
}

/* The buffer is little endian, the lists are as the machine is. */
static void apply(struct quire_scene *scene, const struct change *change)
{
	u8 *to = place_of(scene, change->where) + change->at;
	u32 i;

	if (change->where == QUIRE_COMMAND_BUFFER)
		for (i = 0; i < change->size; i++)
			to[i] = change->value >> 8 * i;
	else if (change->size == sizeof(u64))
		*(u64 *)to = change->value;
	else if (change->size == sizeof(u32))
		*(u32 *)to = change->value;
	else if (change->size)
		*(bool *)to = change->value;
}

static struct quire_scene *create_scene(struct kunit *test)
{
	struct quire_scene *scene = kunit_kzalloc(test, sizeof(*scene), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, scene);
	quire_scene_good(scene);
	return scene;
}

static struct quire_scene *create_changed(struct kunit *test, const struct rule_case *c)
{
	struct quire_scene *scene = create_scene(test);
	u32 i;

	for (i = 0; i < CHANGES; i++)
		apply(scene, &c->changes[i]);
	return scene;
}

static void quire_command_rule(struct kunit *test)
{
	const struct rule_case *c = test->param_value;
	struct quire_scene *scene = create_changed(test, c);
	const char *wrong;
	int err;

	wrong = quire_scene_check(scene, &err);
	KUNIT_ASSERT_TRUE_MSG(test, !wrong, "%s", wrong);
	KUNIT_ASSERT_EQ(test, err, c->err);
	if (!err)
		return;
	KUNIT_EXPECT_EQ(test, scene->error.where, c->where);
	KUNIT_EXPECT_EQ(test, scene->error.entry, c->entry);
	KUNIT_EXPECT_EQ(test, scene->error.offset, c->offset);
}

static int check_too_many(struct quire_scene *scene)
{
	scene->list.nr_patches = 1u << 31;
	return quire_command_check(&scene->list, scene->fields, &scene->error);
}

/* What has no number in a word. */
static void quire_command_too_many(struct kunit *test)
{
	struct quire_scene *scene = create_scene(test);

	KUNIT_EXPECT_EQ(test, check_too_many(scene), -E2BIG);
	KUNIT_EXPECT_EQ(test, scene->error.where, (u32)QUIRE_COMMAND_WHOLE);
}

static int check_named(struct kunit *test, const char *name)
{
	const struct rule_case *c = rule_cases;
	struct quire_scene *scene;

	while (c < rule_cases + ARRAY_SIZE(rule_cases) && strcmp(c->name, name))
		c++;
	KUNIT_ASSERT_TRUE_MSG(test, c < rule_cases + ARRAY_SIZE(rule_cases), "%s", name);
	scene = create_changed(test, c);
	return quire_command_check(&scene->list, scene->fields, &scene->error);
}

static bool has_errno(const int *errs, u32 count, int err)
{
	while (count)
		if (errs[--count] == err)
			return true;
	return false;
}

/* An errno says which rule is broken: no two share one. All that the cases have are looked at. */
static void quire_command_own_errno(struct kunit *test)
{
	int errs[RULES] = { check_too_many(create_scene(test)) };
	u32 i;

	for (i = 1; i < RULES; i++) {
		errs[i] = check_named(test, rule_names[i - 1]);
		KUNIT_ASSERT_LT(test, errs[i], 0);
		KUNIT_ASSERT_TRUE_MSG(test, !has_errno(errs, i, errs[i]),
				      "%s: another rule has %d", rule_names[i - 1], errs[i]);
	}
	for (i = 0; i < ARRAY_SIZE(rule_cases); i++)
		KUNIT_ASSERT_TRUE_MSG(test, !rule_cases[i].err ||
				      has_errno(errs, RULES, rule_cases[i].err),
				      "%s: a rule that is not named", rule_cases[i].name);
}

/* Two NOPs that fill a buffer, the first one of @size bytes. */
static int check_long_nop(struct kunit *test, u32 size)
{
	u32 all = 2 * QUIRE_COMMAND_MAX_SIZE;
	struct quire_packet_header *nop = kunit_kzalloc(test, all, GFP_KERNEL);
	u32 *fields = kunit_kzalloc(test, all / 8 * sizeof(*fields), GFP_KERNEL);
	const struct quire_command_list list = { .commands = nop, .size = all };
	struct quire_command_error error;

	KUNIT_ASSERT_NOT_NULL(test, nop);
	KUNIT_ASSERT_NOT_NULL(test, fields);
	nop->opcode = cpu_to_le16(QUIRE_COMMAND_NOP);
	nop->size = cpu_to_le32(size);
	nop[size / sizeof(*nop)].opcode = cpu_to_le16(QUIRE_COMMAND_NOP);
	nop[size / sizeof(*nop)].size = cpu_to_le32(all - size);
	return quire_command_check(&list, fields, &error);
}

/* A command has to fit into what the ring gets at once. */
static void quire_command_longest(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, check_long_nop(test, QUIRE_COMMAND_MAX_SIZE), 0);
	KUNIT_EXPECT_EQ(test, check_long_nop(test, QUIRE_COMMAND_MAX_SIZE + 8), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, check_long_nop(test, QUIRE_COMMAND_MAX_SIZE - 8), -EMSGSIZE);
}

/* What is good says nothing. */
static void quire_command_no_error(struct kunit *test)
{
	struct quire_scene *scene = create_scene(test);
	const struct quire_command_error before = { 1, 2, 3, NULL };

	scene->error = before;
	KUNIT_EXPECT_EQ(test, quire_command_check(&scene->list, scene->fields, &scene->error), 0);
	KUNIT_EXPECT_EQ(test, memcmp(&scene->error, &before, sizeof(before)), 0);
}

static struct kunit_case quire_command_check_cases[] = {
	KUNIT_CASE_PARAM(quire_command_rule, rule_gen_params),
	KUNIT_CASE(quire_command_too_many),
	KUNIT_CASE(quire_command_own_errno),
	KUNIT_CASE(quire_command_longest),
	KUNIT_CASE(quire_command_no_error),
	{}
};

static struct kunit_suite quire_command_check_suite = {
	.name = "quire_command_check",
	.test_cases = quire_command_check_cases,
};

kunit_test_suite(quire_command_check_suite);
