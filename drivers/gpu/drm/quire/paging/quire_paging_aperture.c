// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * MAP_APERTURE_SEGMENT and UNMAP_APERTURE_SEGMENT: point aperture pages at
 * system pages, or all of them at the dummy page.
 */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static u64 map_pages(const struct quire_paging_args *args)
{
	return args->u.map.number_of_pages;
}

static int map_check(const struct quire_paging_caps *caps,
		     const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_map *map = &args->u.map;
	int err;

	if (map->mdl.segment != QUIRE_SEGMENT_SYSTEM)
		return -EINVAL;
	if (map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT)
		return -EINVAL;

	*pages = map_pages(args);
	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE,
					 map->offset_in_pages, *pages);
	if (err)
		return err;

	return quire_paging_check_location(caps, &map->mdl, map->mdl_offset, *pages);
}

/* A list that does not fit makes the packet shorter than @pages. */
static void map_emit(struct quire_paging_args *args, u64 first, u64 pages)
{
	const struct quire_paging_map *map = &args->u.map;
	u16 flags = map->flags & QUIRE_MAPAPERTURE_CACHE_COHERENT ? QUIRE_MAP_CACHE_COHERENT : 0;
	struct quire_packet_map *packet = args->dma_buffer;
	u32 nr = quire_paging_write_runs(args, packet->runs, &map->mdl,
					 &args->progress.source, &pages);

	packet->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
	packet->pages = cpu_to_le32(pages);
	packet->first_page = cpu_to_le64(map->offset_in_pages + first);
	quire_paging_commit(args, flags, sizeof(*packet) + nr * sizeof(*packet->runs),
			    pages << QUIRE_PAGE_SHIFT, pages);
}

static enum quire_build_status
map_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_map *map = &args->u.map;

	quire_page_cursor_seek(&args->progress.source, &map->mdl,
			       map->mdl_offset + args->multipass_offset);
	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, sizeof(struct quire_packet_map) + sizeof(__le64)))
			return QUIRE_BUILD_FULL;

		map_emit(args, first, min(pages - first, caps->max_packet_pages));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_map_ops = {
	.name = "MAP_APERTURE_SEGMENT",
	.opcode = QUIRE_OP_MAP_APERTURE,
	.check = map_check,
	.pages = map_pages,
	.build = map_build,
};

static u64 unmap_pages(const struct quire_paging_args *args)
{
	return args->u.unmap.number_of_pages;
}

static int unmap_check(const struct quire_paging_caps *caps,
		       const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_unmap *unmap = &args->u.unmap;
	int err;

	if (!IS_ALIGNED(unmap->dummy_page, QUIRE_PAGE_SIZE))
		return -EINVAL;

	*pages = unmap_pages(args);
	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_SYSTEM,
					 unmap->dummy_page >> QUIRE_PAGE_SHIFT, 1);
	if (err)
		return err;

	return quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE,
					  unmap->offset_in_pages, *pages);
}

static enum quire_build_status
unmap_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_unmap *unmap = &args->u.unmap;

	while (args->multipass_offset < pages) {
		struct quire_packet_unmap *packet = args->dma_buffer;
		u64 first = args->multipass_offset;
		u64 count = min(pages - first, caps->max_packet_pages);

		if (!quire_paging_fits(args, sizeof(*packet)))
			return QUIRE_BUILD_FULL;

		packet->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
		packet->pages = cpu_to_le32(count);
		packet->first_page = cpu_to_le64(unmap->offset_in_pages + first);
		packet->dummy_page = cpu_to_le64(unmap->dummy_page);
		quire_paging_commit(args, 0, sizeof(*packet), count << QUIRE_PAGE_SHIFT, count);
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_unmap_ops = {
	.name = "UNMAP_APERTURE_SEGMENT",
	.opcode = QUIRE_OP_UNMAP_APERTURE,
	.check = unmap_check,
	.pages = unmap_pages,
	.build = unmap_build,
};
