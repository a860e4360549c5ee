/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* How tests without the driver write operations down. */
#ifndef QUIRE_TEST_BARE_ARGS_H
#define QUIRE_TEST_BARE_ARGS_H

#include "bare.h"

#define ONE_SHOT	(QUIRE_TRANSFER_START | QUIRE_TRANSFER_END)

/* A side of one run of a segment. */
#define SIDE(number, run)	\
	{ .segment = QUIRE_SEGMENT_##number, .nr_runs = 1, .runs = run }
/* A side of several runs, all of an array. */
#define SIDES(number, list)						\
	{ .segment = QUIRE_SEGMENT_##number,				\
	  .nr_runs = sizeof(list) / sizeof(struct quire_page_run), .runs = list }

#define TRANSFER(from, to, bytes, ...)					\
	{ .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {		\
		.source = from, .destination = to,			\
		.transfer_size = bytes, __VA_ARGS__ } }
#define FILL(to, bytes, pattern)					\
	{ .operation = QUIRE_PAGING_FILL, .u.fill = {			\
		.destination = to, .fill_size = bytes, .fill_pattern = pattern } }
#define DISCARD(where)							\
	{ .operation = QUIRE_PAGING_DISCARD_CONTENT, .u.discard.location = where }
#define PHYSICAL(what, number, address, bytes, data)			\
	{ .operation = QUIRE_PAGING_##what##_PHYSICAL, .u.physical = {	\
		.segment = QUIRE_SEGMENT_##number, .size = bytes,	\
		.physical_address = address, .value = data } }
#define MAP(page, count, list, ...)					\
	{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .u.map = {	\
		.offset_in_pages = page, .number_of_pages = count,	\
		.mdl = list, __VA_ARGS__ } }
#define UNMAP(page, count, dummy)					\
	{ .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT, .u.unmap = {\
		.offset_in_pages = page, .number_of_pages = count,	\
		.dummy_page = dummy } }

#endif
