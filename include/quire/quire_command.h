/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Quire virtual GPU: commands, what programs write and execution rings execute.
 *
 * The only definition of their form, shared by programs, the driver and the device.
 * "Commands" in Documentation/gpu/quire/device.rst is the specification; this file is its
 * table of numbers.
 *
 * A command is a packet: it begins with struct quire_packet_header. All fields are little
 * endian; what is named reserved, and flags that have no name, are zero, and are checked.
 *
 * Where a command names memory there is an address field. Programs leave it zero and name it
 * in the patch-location list; the driver writes the address there right before the command
 * is executed: QUIRE_ADDRESS() in %QUIRE_SEGMENT_VRAM, %QUIRE_SEGMENT_APERTURE or
 * QUIRE_SEGMENT_MMU(). What is executed in a context names virtual addresses there, which programs
 * write themselves.
 */
#ifndef QUIRE_COMMAND_H
#define QUIRE_COMMAND_H

#include "quire_hw.h"

/*
 * enum quire_command_opcode - of the header; numbers above those of all paging operations, so
 * that a ring can refuse what is not for it
 */
enum quire_command_opcode {
	QUIRE_COMMAND_NOP		= 0x0020,
	QUIRE_COMMAND_COPY		= 0x0021,
	QUIRE_COMMAND_FILL		= 0x0022,
	QUIRE_COMMAND_COPY_2D		= 0x0023,
	QUIRE_COMMAND_BLEND		= 0x0024,
	QUIRE_COMMAND_ARITHMETIC	= 0x0025,
	QUIRE_COMMAND_CHECKSUM		= 0x0026,
	QUIRE_COMMAND_COMPARE		= 0x0027,
	QUIRE_COMMAND_WRITE_VALUE	= 0x0028,
	QUIRE_COMMAND_WAIT_VALUE	= 0x0029,
	QUIRE_COMMAND_DELAY		= 0x002a,
	QUIRE_COMMAND_SIGNAL_NATIVE	= 0x002b,
	QUIRE_COMMAND_SET_REGISTER	= 0x002c,
	QUIRE_COMMAND_STORE_REGISTER	= 0x002d,
	QUIRE_COMMAND_LOAD_REGISTER	= 0x002e,
};

/* Bytes of the longest command that the driver takes. */
#define QUIRE_COMMAND_MAX_SIZE		4096u

#define QUIRE_COMMAND_FIRST		QUIRE_COMMAND_NOP
#define QUIRE_COMMAND_LAST		QUIRE_COMMAND_LOAD_REGISTER

/**
 * struct quire_command_nop - do nothing
 * @header: %QUIRE_COMMAND_NOP, no flags; of any size up to %QUIRE_COMMAND_MAX_SIZE
 *
 * What follows the header is ignored.
 */
struct quire_command_nop {
	struct quire_packet_header header;
};

/**
 * struct quire_command_copy - copy bytes, with the meaning of memmove
 * @header: %QUIRE_COMMAND_COPY, no flags
 * @src: address
 * @dst: address
 * @size: bytes, not 0
 */
struct quire_command_copy {
	struct quire_packet_header header;
	__le64 src;
	__le64 dst;
	__le64 size;
};

/**
 * struct quire_command_fill - repeat a 32-bit pattern
 * @header: %QUIRE_COMMAND_FILL, no flags
 * @dst: address, multiple of 4
 * @size: bytes, not 0, multiple of 4
 * @pattern: its first byte (little endian) goes to @dst
 * @reserved: zero
 */
struct quire_command_fill {
	struct quire_packet_header header;
	__le64 dst;
	__le64 size;
	__le32 pattern;
	__le32 reserved;
};

/**
 * struct quire_command_surface - an image, or one level of one slice of it
 * @address: of the first byte of the image; a multiple of the element, or of the tile of a
 *           tiled @layout, which is in %QUIRE_SEGMENT_VRAM
 * @layout: QUIRE_LAYOUT_*
 * @pitch: linear: bytes from one row to the next, a multiple of the element, at least a row;
 *         tiled: zero
 * @width: elements of a row of level 0, 1 to 16384
 * @height: rows of level 0, 1 to 16384
 * @levels: of the image; linear: 1
 * @array_size: slices of the image; linear: 1
 * @level: of the surface
 * @slice: of the surface
 *
 * Where elements are says quire_layout.h; in a linear one row follows row at @pitch. From its
 * first to its last byte it is inside of the segment, whatever part of it is named; so is all
 * of the image of a tiled one.
 */
struct quire_command_surface {
	__le64 address;
	__le32 layout;
	__le32 pitch;
	__le32 width;
	__le32 height;
	__le16 levels;
	__le16 array_size;
	__le16 level;
	__le16 slice;
};

/**
 * struct quire_command_2d - copy or blend a rectangle of one surface into another one
 * @header: %QUIRE_COMMAND_COPY_2D or %QUIRE_COMMAND_BLEND, no flags
 * @src: surface that is read
 * @dst: surface that is written; blended: read as well
 * @element_shift: log2 of the bytes of an element, 0 to 4; blended: 2
 * @reserved: zero
 * @src_x: first column of the rectangle in the source; signed, as the following three
 * @src_y: first row there
 * @dst_x: first column in the destination
 * @dst_y: first row there
 * @columns: of the rectangle, in elements
 * @rows: of the rectangle
 *
 * The rectangle is clipped: what is outside of either surface is not touched, and nothing
 * may be left of it. If the rectangles share bytes, and are not the same, it is not
 * specified which of them are read before they are written.
 *
 * Blended elements are four channels of 8 bits, premultiplied with the last one, alpha. Each
 * becomes min(255, s + div255(d * (255 - a))), with div255(v) = (w + (w >> 8)) >> 8 of
 * w = v + 128, which is v / 255 to the nearest.
 */
struct quire_command_2d {
	struct quire_packet_header header;
	struct quire_command_surface src;
	struct quire_command_surface dst;
	__le32 element_shift;
	__le32 reserved;
	__le32 src_x;
	__le32 src_y;
	__le32 dst_x;
	__le32 dst_y;
	__le32 columns;
	__le32 rows;
};

/* header.flags of %QUIRE_COMMAND_ARITHMETIC: exactly one. */
#define QUIRE_ARITHMETIC_ADD		0x1u /* modulo 2^32 */
#define QUIRE_ARITHMETIC_XOR		0x2u

/**
 * struct quire_command_arithmetic - combine two ranges of 32-bit numbers
 * @header: %QUIRE_COMMAND_ARITHMETIC, QUIRE_ARITHMETIC_*
 * @src: address, multiple of 4
 * @dst: address, multiple of 4; read and written
 * @size: bytes, not 0, multiple of 4
 *
 * Each number at @dst becomes that number and the one at @src added, or xored, one after
 * the other from the first to the last.
 */
struct quire_command_arithmetic {
	struct quire_packet_header header;
	__le64 src;
	__le64 dst;
	__le64 size;
};

/* Ranges that are hashed begin at a multiple of it. */
#define QUIRE_CHECKSUM_ALIGN		32u

/**
 * struct quire_command_checksum - hash a range
 * @header: %QUIRE_COMMAND_CHECKSUM, no flags
 * @src: address, multiple of %QUIRE_CHECKSUM_ALIGN
 * @result: address, multiple of 8, of a 64-bit little endian number
 * @size: bytes, not 0
 *
 * The hash is XXH64 of the bytes with a seed of 0.
 */
struct quire_command_checksum {
	struct quire_packet_header header;
	__le64 src;
	__le64 result;
	__le64 size;
};

/**
 * struct quire_compare_report - what a comparison found
 * @first: offset of the first byte that differs; if there is none, the bytes compared
 * @count: bytes that differ
 */
struct quire_compare_report {
	__le64 first;
	__le64 count;
};

/**
 * struct quire_command_compare - compare two ranges
 * @header: %QUIRE_COMMAND_COMPARE, no flags
 * @src: address of the one
 * @dst: address of the other one, which is not written
 * @result: address, multiple of 8, of a struct quire_compare_report
 * @size: bytes, not 0
 *
 * The report is written when all is compared.
 */
struct quire_command_compare {
	struct quire_packet_header header;
	__le64 src;
	__le64 dst;
	__le64 result;
	__le64 size;
};

/**
 * struct quire_command_write_value - write a 64-bit number, at once
 * @header: %QUIRE_COMMAND_WRITE_VALUE, no flags
 * @dst: address, multiple of 8
 * @value: what is written
 */
struct quire_command_write_value {
	struct quire_packet_header header;
	__le64 dst;
	__le64 value;
};

/* header.flags of %QUIRE_COMMAND_WAIT_VALUE: exactly one. */
#define QUIRE_WAIT_EQUAL		0x1u
#define QUIRE_WAIT_GREATER_EQUAL	0x2u /* without sign */

/**
 * struct quire_command_wait_value - wait for a 64-bit number
 * @header: %QUIRE_COMMAND_WAIT_VALUE, QUIRE_WAIT_*
 * @src: address, multiple of 8
 * @value: what the number at @src is compared with
 *
 * The ring stands still meanwhile; that it does not do so for ever is the driver's concern.
 */
struct quire_command_wait_value {
	struct quire_packet_header header;
	__le64 src;
	__le64 value;
};

/**
 * struct quire_command_delay - let time pass
 * @header: %QUIRE_COMMAND_DELAY, no flags
 * @ns: nanoseconds of the machine's time, which stands still while the machine does; 0 ends at
 *      once
 *
 * Work that takes long, for tests; to the driver the ring stands still meanwhile.
 */
struct quire_command_delay {
	struct quire_packet_header header;
	__le64 ns;
};

/**
 * struct quire_command_signal_native - let a native fence grow to a value
 * @header: %QUIRE_COMMAND_SIGNAL_NATIVE, no flags
 * @fence: its number, below %QUIRE_NATIVE_FENCES
 * @reserved: zero
 * @value: what its current value becomes, if that is less
 *
 * In a context with the address space of the fence only. All that stands before is in memory
 * then. If the current value is not less than the monitored value an interrupt is raised, and
 * else none.
 *
 * Source: "Native GPU fence objects" of the original's documentation.
 */
struct quire_command_signal_native {
	struct quire_packet_header header;
	__le32 fence;
	__le32 reserved;
	__le64 value;
};

/* header.flags of %QUIRE_COMMAND_SET_REGISTER and %QUIRE_COMMAND_LOAD_REGISTER: exactly one. */
#define QUIRE_REGISTER_SET		0x1u
#define QUIRE_REGISTER_ADD		0x2u /* modulo 2^64 */
#define QUIRE_REGISTER_MULTIPLY		0x4u /* modulo 2^64 */
#define QUIRE_REGISTER_XOR		0x8u

/**
 * struct quire_command_set_register - combine a register with a number
 * @header: %QUIRE_COMMAND_SET_REGISTER, QUIRE_REGISTER_*
 * @number: of the register, below %QUIRE_CONTEXT_REGISTERS
 * @reserved: zero
 * @operand: the number
 *
 * Registers are those that the context has on the ring. They keep their values from one
 * submission to the next, whatever else is executed in between.
 */
struct quire_command_set_register {
	struct quire_packet_header header;
	__le32 number;
	__le32 reserved;
	__le64 operand;
};

/**
 * struct quire_command_store_register - write a register to memory, at once
 * @header: %QUIRE_COMMAND_STORE_REGISTER, no flags
 * @number: of the register, below %QUIRE_CONTEXT_REGISTERS
 * @reserved: zero
 * @dst: virtual address, multiple of 8
 */
struct quire_command_store_register {
	struct quire_packet_header header;
	__le32 number;
	__le32 reserved;
	__le64 dst;
};

/**
 * struct quire_command_load_register - combine a register with a number in memory
 * @header: %QUIRE_COMMAND_LOAD_REGISTER, QUIRE_REGISTER_*
 * @number: of the register, below %QUIRE_CONTEXT_REGISTERS
 * @reserved: zero
 * @src: virtual address, multiple of 8
 */
struct quire_command_load_register {
	struct quire_packet_header header;
	__le32 number;
	__le32 reserved;
	__le64 src;
};

#endif
