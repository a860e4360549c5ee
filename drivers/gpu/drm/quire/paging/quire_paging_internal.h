/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the files of the builder share. */
#ifndef QUIRE_PAGING_INTERNAL_H
#define QUIRE_PAGING_INTERNAL_H

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging.h"

/* A page number up to this one has a 64-bit byte address. */
#define QUIRE_PAGING_MAX_PAGES	(U64_MAX >> QUIRE_PAGE_SHIFT)

/**
 * struct quire_paging_packet - a packet while an operation writes it
 * @at: where it begins in the window; there is room for its fixed part
 * @first: first unit of the operation that it covers
 * @count: most units that it may cover; set to those that it covers, 0 if its list does not fit:
 *         then nothing is written
 * @bytes: set to &quire_paging_record.bytes; 0 before
 * @room: bytes that its list may have
 * @max_pages: &quire_paging_caps.max_packet_pages
 * @list: set to the bytes of its list; 0 before
 * @flags: set to those of its header; 0 before
 */
struct quire_paging_packet {
	void *at;
	u64 first;
	u64 count;
	u64 bytes;
	u32 room;
	u32 max_pages;
	u32 list;
	u16 flags;
};

typedef int (quire_paging_check_fn)(const struct quire_paging_caps *caps,
				    const struct quire_paging_args *args);
typedef void (quire_paging_emit_fn)(struct quire_paging_args *args,
				    struct quire_paging_packet *packet);

/**
 * struct quire_paging_operation_ops - one operation of the builder
 * @name: as in the original, without its prefix
 * @opcode: enum quire_opcode of its packets
 * @size: bytes of the fixed part of a packet
 * @has_list: there is a list behind it
 * @may_be_busy: %QUIRE_BUILD_BUSY is an answer
 * @unlimited: a packet may cover more units than &quire_paging_caps.max_packet_pages
 * @check: check the arguments, but not the window; errors as of quire_paging_check_args()
 * @emit: write a packet behind its header, for at least one unit if there is room for that
 *
 * To add one: its number, its arguments, its row, units and functions in quire_paging_operations.c,
 * and, if its packets have a list, how long that is in quire_paging_patch.c.
 */
struct quire_paging_operation_ops {
	const char *name;
	u16 opcode;
	u16 size;
	bool has_list;
	bool may_be_busy;
	bool unlimited;
	quire_paging_check_fn *check;
	quire_paging_emit_fn *emit;
};

quire_paging_check_fn quire_paging_transfer_check, quire_paging_conversion_check,
	quire_paging_update_check, quire_paging_copy_entries_check, quire_paging_flush_tlb_check;
quire_paging_emit_fn quire_paging_transfer_emit, quire_paging_conversion_emit,
	quire_paging_update_emit, quire_paging_copy_entries_emit, quire_paging_flush_tlb_emit;

bool quire_paging_update_by_cpu(const struct quire_paging_args *args);
u64 quire_paging_conversion_units(const struct quire_paging_args *args);

const struct quire_paging_operation_ops *
quire_paging_find_operation(enum quire_paging_operation operation);
const struct quire_paging_operation_ops *
quire_paging_find_form(const struct quire_paging_args *args);
u64 quire_paging_count_units(const struct quire_paging_args *args);

int quire_paging_check_segment(const struct quire_paging_caps *caps, u32 segment,
			       u64 first, u64 pages);
int quire_paging_check_address(const struct quire_paging_caps *caps, u32 segment, u64 address,
			       u64 pages);
int quire_paging_check_location(const struct quire_paging_caps *caps,
				const struct quire_paging_location *location,
				u64 first, u64 pages);
int quire_paging_check_sides(const struct quire_paging_transfer *transfer);
int quire_paging_check_virtual(u64 address, u64 bytes);
void quire_paging_write_runs(struct quire_paging_packet *packet, __le64 *runs,
			     const struct quire_paging_location *location,
			     struct quire_page_cursor *cursor);

/* Pages that @bytes touch, from the start of a page on. */
static inline u64 quire_paging_bytes_to_pages(u64 bytes)
{
	return (bytes >> QUIRE_PAGE_SHIFT) + !!(bytes & (QUIRE_PAGE_SIZE - 1));
}

#endif
