// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * MAP_APERTURE_SEGMENT2: point aperture pages at pages that an address list names. The CPU
 * may see them there, too.
 */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/overflow.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static u64 map2_pages(const struct quire_paging_args *args)
{
	return args->u.map2.number_of_pages;
}

static int map2_check_list(const struct quire_paging_caps *caps,
			   const struct quire_paging_map2 *map)
{
	int err = quire_paging_check_adl(caps, QUIRE_SEGMENT_SYSTEM, &map->adl);
	u64 end;

	if (err)
		return err;
	if (map->adl_offset < map->adl.start)
		return -ERANGE;
	if (check_add_overflow(map->adl_offset - map->adl.start, map->number_of_pages, &end))
		return -EOVERFLOW;

	return end > map->adl.page_count ? -ERANGE : 0;
}

/* The pages are in the aperture. */
static int map2_check_cpu_visible(const struct quire_paging_caps *caps,
				  const struct quire_paging_map2 *map)
{
	int err;

	if (!map->cpu_visible_address)
		return 0;
	if (!IS_ALIGNED(map->cpu_visible_address, QUIRE_PAGE_SIZE))
		return -EINVAL;
	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_SYSTEM,
					 map->cpu_visible_address >> QUIRE_PAGE_SHIFT,
					 map->number_of_pages);
	if (err)
		return err;

	return map->offset_in_pages + map->number_of_pages > caps->window_pages ? -ERANGE : 0;
}

static int map2_check(const struct quire_paging_caps *caps,
		      const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_map2 *map = &args->u.map2;
	int err;

	if (map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT)
		return -EINVAL;

	*pages = map2_pages(args);
	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE,
					 map->offset_in_pages, *pages);
	if (!err)
		err = map2_check_list(caps, map);
	if (!err)
		err = map2_check_cpu_visible(caps, map);

	return err;
}

static u16 map2_flags(const struct quire_paging_map2 *map)
{
	u16 flags = 0;

	if (map->flags & QUIRE_MAPAPERTURE_CACHE_COHERENT)
		flags |= QUIRE_MAP_CACHE_COHERENT;
	if (map->adl.contiguous)
		flags |= QUIRE_MAP_CONTIGUOUS;
	if (map->cpu_visible_address)
		flags |= QUIRE_MAP_CPU_VISIBLE;

	return flags;
}

/* Bytes of a packet of @pages pages. */
static u64 map2_size(const struct quire_paging_map2 *map, u64 pages)
{
	u64 size = sizeof(struct quire_packet_map2);

	return map->adl.contiguous ? size : size + pages * sizeof(__le64);
}

/* Pages that a packet in the window has room for. */
static u64 map2_room(const struct quire_paging_args *args)
{
	if (args->u.map2.adl.contiguous)
		return U64_MAX;

	return (args->dma_size - sizeof(struct quire_packet_map2)) / sizeof(__le64);
}

/*
 * One packet, from page @first of the operation on. The list stands in it: nobody has to keep
 * the caller's.
 */
static void map2_emit(struct quire_paging_args *args, u64 first, u32 pages)
{
	const struct quire_paging_map2 *map = &args->u.map2;
	u64 skip = map->adl_offset - map->adl.start + first;
	struct quire_packet_map2 *packet = args->dma_buffer;
	u64 adl = map->adl.base_page_number + skip;
	u32 i;

	if (!map->adl.contiguous) {
		adl = args->dma_buffer_gpu_address + args->dma_buffer_write_offset +
		      sizeof(*packet);
		for (i = 0; i < pages; i++)
			packet->page_numbers[i] = cpu_to_le64(map->adl.pages[skip + i]);
	}
	packet->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
	packet->pages = cpu_to_le32(pages);
	packet->first_page = cpu_to_le64(map->offset_in_pages + first);
	packet->adl = cpu_to_le64(adl);
	quire_paging_commit(args, map2_flags(map), map2_size(map, pages),
			    (u64)pages << QUIRE_PAGE_SHIFT, pages);
}

static enum quire_build_status
map2_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	u64 smallest = map2_size(&args->u.map2, 1);

	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, smallest))
			return QUIRE_BUILD_FULL;

		map2_emit(args, first, min3(pages - first, caps->max_packet_pages,
					    map2_room(args)));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_map2_ops = {
	.name = "MAP_APERTURE_SEGMENT2",
	.opcode = QUIRE_OP_MAP_APERTURE2,
	.check = map2_check,
	.pages = map2_pages,
	.build = map2_build,
};
