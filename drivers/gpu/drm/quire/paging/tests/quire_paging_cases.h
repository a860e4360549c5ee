/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Operations on the memory of the model, for tests of what packets do to it. */
#ifndef QUIRE_PAGING_CASES_H
#define QUIRE_PAGING_CASES_H

#include <linux/array_size.h>

#include "../quire_paging.h"
#include "quire_paging_model.h"

#define V	QUIRE_MODEL_VRAM_BASE
#define S	QUIRE_MODEL_SYSTEM_BASE
#define PAGE	QUIRE_MODEL_PAGE

#define LOCATION(number, list) \
	{ .segment = QUIRE_SEGMENT_##number, .nr_runs = ARRAY_SIZE(list), .runs = list }

#define LOCATION_AT(number, list, first)					\
	{ .segment = QUIRE_SEGMENT_##number, .nr_runs = ARRAY_SIZE(list),	\
	  .start = first, .runs = list }

#define TRANSFER(from, from_list, to, to_list, bytes, offset, mdl)		\
	{ .operation = QUIRE_PAGING_TRANSFER, .u.transfer = {			\
		.source = LOCATION(from, from_list),				\
		.destination = LOCATION(to, to_list),				\
		.transfer_size = bytes, .transfer_offset = offset,		\
		.mdl_offset = mdl,						\
		.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_END } }
#define CONVERT(how, from, from_list, to, to_list, bytes, offset, mdl, first_tile, image)	\
	{ .operation = QUIRE_PAGING_TRANSFER, .allocation = image,		\
	  .u.transfer = {							\
		.source = LOCATION_AT(from, from_list,				\
				      QUIRE_TRANSFER_##how == 2 ? first_tile : 0),	\
		.destination = LOCATION_AT(to, to_list,				\
					   QUIRE_TRANSFER_##how == 1 ? first_tile : 0),	\
		.transfer_size = bytes, .transfer_offset = offset,		\
		.mdl_offset = mdl, .flags = QUIRE_TRANSFER_##how } }
#define SPECIAL_LOCK(how, from, from_list, to, to_list, bytes, offset, first_tile, range, data, \
		     image)							\
	{ .operation = QUIRE_PAGING_SPECIAL_LOCK_TRANSFER, .allocation = image,	\
	  .u.special_lock = {							\
		.source = LOCATION_AT(from, from_list,				\
				      QUIRE_TRANSFER_##how == 2 ? first_tile : 0),	\
		.destination = LOCATION_AT(to, to_list,				\
					   QUIRE_TRANSFER_##how == 1 ? first_tile : 0),	\
		.transfer_size = bytes, .transfer_offset = offset,		\
		.flags = QUIRE_TRANSFER_##how, .swizzling_range_id = range,	\
		.swizzling_range_data = data } }
#define FILL(list, bytes, value)						\
	{ .operation = QUIRE_PAGING_FILL, .u.fill = {				\
		.destination = LOCATION(VRAM, list),				\
		.fill_size = bytes, .fill_pattern = value } }
#define DISCARD(list)								\
	{ .operation = QUIRE_PAGING_DISCARD_CONTENT,				\
	  .u.discard.location = LOCATION(VRAM, list) }
#define PHYSICAL(what, number, where, bytes, data)				\
	{ .operation = QUIRE_PAGING_##what##_PHYSICAL, .u.physical = {		\
		.segment = QUIRE_SEGMENT_##number, .physical_address = where,	\
		.size = bytes, .value = data } }
#define MAP(first, pages, list, skip, coherent)					\
	{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT, .u.map = {		\
		.offset_in_pages = first, .number_of_pages = pages,		\
		.mdl = LOCATION(SYSTEM, list), .mdl_offset = skip,		\
		.flags = coherent } }
#define MAP2(first, pages, skip, coherent, seen_at, ...)			\
	{ .operation = QUIRE_PAGING_MAP_APERTURE_SEGMENT2, .u.map2 = {		\
		.offset_in_pages = first, .number_of_pages = pages,		\
		.adl = { __VA_ARGS__ }, .adl_offset = skip,			\
		.flags = coherent, .cpu_visible_address = seen_at } }
#define UNMAP(first, pages)							\
	{ .operation = QUIRE_PAGING_UNMAP_APERTURE_SEGMENT, .u.unmap = {	\
		.offset_in_pages = first, .number_of_pages = pages,		\
		.dummy_page = (S + 4) * PAGE } }

/**
 * struct quire_paging_case - one operation
 * @name: for messages
 * @max_packet_pages: of the device
 * @args: the operation
 */
struct quire_paging_case {
	const char *name;
	u32 max_packet_pages;
	struct quire_paging_args args;
};

#define QUIRE_PAGING_OPERATION_CASES	64

/* For KUNIT_ARRAY_PARAM_DESC(), which needs to know how many there are. */
extern const struct quire_paging_case quire_paging_operation_cases[QUIRE_PAGING_OPERATION_CASES];

#endif
