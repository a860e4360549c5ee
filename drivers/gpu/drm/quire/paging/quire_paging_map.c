// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * MAP_APERTURE_SEGMENT, MAP_APERTURE_SEGMENT2 and UNMAP_APERTURE_SEGMENT: what pages of the
 * aperture lead to. MAP_MMU and UNMAP_MMU: what the MMUs of the device show.
 */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/overflow.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

u64 quire_paging_map_units(const struct quire_paging_args *args)
{
	return args->u.map.number_of_pages;
}

int quire_paging_map_check(const struct quire_paging_caps *caps,
			   const struct quire_paging_args *args)
{
	const struct quire_paging_map *map = &args->u.map;
	int err;

	if (map->mdl.segment != QUIRE_SEGMENT_SYSTEM ||
	    map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT)
		return -EINVAL;

	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE, map->offset_in_pages,
					 map->number_of_pages);
	if (err)
		return err;

	return quire_paging_check_location(caps, &map->mdl, map->mdl_offset,
					   map->number_of_pages);
}

void quire_paging_map_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_map *map = &args->u.map;
	struct quire_page_cursor *cursor = &args->progress.source;
	struct quire_packet_map *body = packet->at;

	if (packet->seek)
		quire_page_cursor_seek(cursor, &map->mdl, map->mdl_offset + packet->first);
	quire_paging_write_runs(packet, body->runs, &map->mdl, cursor);
	if (!packet->count)
		return;

	body->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
	body->pages = cpu_to_le32(packet->count);
	body->first_page = cpu_to_le64(map->offset_in_pages + packet->first);
	packet->flags = map->flags & QUIRE_MAPAPERTURE_CACHE_COHERENT ?
			QUIRE_MAP_CACHE_COHERENT : 0;
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
}

u64 quire_paging_unmap_units(const struct quire_paging_args *args)
{
	return args->u.unmap.number_of_pages;
}

int quire_paging_unmap_check(const struct quire_paging_caps *caps,
			     const struct quire_paging_args *args)
{
	const struct quire_paging_unmap *unmap = &args->u.unmap;
	int err;

	if (!IS_ALIGNED(unmap->dummy_page, QUIRE_PAGE_SIZE))
		return -EINVAL;

	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_SYSTEM,
					 unmap->dummy_page >> QUIRE_PAGE_SHIFT, 1);
	if (err)
		return err;

	return quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE,
					  unmap->offset_in_pages, unmap->number_of_pages);
}

void quire_paging_unmap_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_unmap *unmap = &args->u.unmap;
	struct quire_packet_unmap *body = packet->at;

	body->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
	body->pages = cpu_to_le32(packet->count);
	body->first_page = cpu_to_le64(unmap->offset_in_pages + packet->first);
	body->dummy_page = cpu_to_le64(unmap->dummy_page);
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
}

/* The packet has the page numbers itself: the caller's are not needed any more. */
static void write_numbers(struct quire_paging_packet *packet, __le64 *numbers,
			  const struct quire_paging_adl *adl, u64 skip)
{
	u32 i;

	packet->count = min(packet->count, packet->room / sizeof(*numbers));
	packet->list = packet->count * sizeof(*numbers);
	for (i = 0; i < packet->count; i++)
		numbers[i] = cpu_to_le64(adl->pages[skip + i]);
}

static u16 adl_flags(const struct quire_paging_adl *adl, u32 flags)
{
	return (flags & QUIRE_MAPAPERTURE_CACHE_COHERENT ? QUIRE_MAP_CACHE_COHERENT : 0) |
	       (adl->contiguous ? QUIRE_MAP_CONTIGUOUS : 0);
}

u64 quire_paging_map2_units(const struct quire_paging_args *args)
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

int quire_paging_map2_check(const struct quire_paging_caps *caps,
			    const struct quire_paging_args *args)
{
	const struct quire_paging_map2 *map = &args->u.map2;
	int err;

	if (map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT)
		return -EINVAL;

	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE, map->offset_in_pages,
					 map->number_of_pages);
	if (!err)
		err = map2_check_list(caps, map);
	if (err || !map->cpu_visible_address)
		return err;

	if (!IS_ALIGNED(map->cpu_visible_address, QUIRE_PAGE_SIZE))
		return -EINVAL;
	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_SYSTEM,
					 map->cpu_visible_address >> QUIRE_PAGE_SHIFT,
					 map->number_of_pages);
	if (err)
		return err;

	return map->offset_in_pages + map->number_of_pages > caps->window_pages ? -ERANGE : 0;
}

void quire_paging_map2_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_map2 *map = &args->u.map2;
	u64 skip = map->adl_offset - map->adl.start + packet->first;
	struct quire_packet_map2 *body = packet->at;
	u64 adl = map->adl.base_page_number + skip;

	if (!map->adl.contiguous) {
		adl = args->dma_buffer_gpu_address + args->dma_buffer_write_offset +
		      sizeof(*body);
		write_numbers(packet, body->page_numbers, &map->adl, skip);
	}
	if (!packet->count)
		return;

	body->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
	body->pages = cpu_to_le32(packet->count);
	body->first_page = cpu_to_le64(map->offset_in_pages + packet->first);
	body->adl = cpu_to_le64(adl);
	packet->flags = adl_flags(&map->adl, map->flags) |
			(map->cpu_visible_address ? QUIRE_MAP_CPU_VISIBLE : 0);
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
}

static int mmu_check_place(const struct quire_paging_caps *caps, u32 mmu, u64 address, u64 pages)
{
	u64 first = address >> QUIRE_PAGE_SHIFT;

	if (mmu >= QUIRE_MMU_COUNT || !IS_ALIGNED(address, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return pages > caps->mmu_pages || first > caps->mmu_pages - pages ? -ERANGE : 0;
}

/* Page of the list that is mapped first. */
static u32 map_mmu_skip(const struct quire_paging_map_mmu *map)
{
	return map->allocation_offset_in_pages - map->adl.start;
}

u64 quire_paging_map_mmu_units(const struct quire_paging_args *args)
{
	const struct quire_paging_map_mmu *map = &args->u.map_mmu;

	return map->adl.page_count - map_mmu_skip(map);
}

int quire_paging_map_mmu_check(const struct quire_paging_caps *caps,
			       const struct quire_paging_args *args)
{
	const struct quire_paging_map_mmu *map = &args->u.map_mmu;
	int err;

	if (map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT || map->segment > QUIRE_SEGMENT_VRAM)
		return -EINVAL;

	err = quire_paging_check_adl(caps, map->segment, &map->adl);
	if (err)
		return err;
	if (map->allocation_offset_in_pages < map->adl.start ||
	    map_mmu_skip(map) > map->adl.page_count)
		return -ERANGE;

	return mmu_check_place(caps, map->mmu_id, map->virtual_address,
			       quire_paging_map_mmu_units(args));
}

void quire_paging_map_mmu_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_map_mmu *map = &args->u.map_mmu;
	u64 skip = map_mmu_skip(map) + packet->first;
	struct quire_packet_map_mmu *body = packet->at;

	if (!map->adl.contiguous) {
		write_numbers(packet, body->page_numbers, &map->adl, skip);
	} else if (packet->room >= sizeof(*body->page_numbers)) {
		body->page_numbers[0] = cpu_to_le64(map->adl.base_page_number + skip);
		packet->list = sizeof(*body->page_numbers);
	} else {
		packet->count = 0;
	}
	if (!packet->count)
		return;

	body->mmu = cpu_to_le32(map->mmu_id);
	body->segment = cpu_to_le32(map->segment);
	body->address = cpu_to_le64(map->virtual_address + (packet->first << QUIRE_PAGE_SHIFT));
	body->pages = cpu_to_le32(packet->count);
	body->reserved = 0;
	packet->flags = adl_flags(&map->adl, map->flags);
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
}

u64 quire_paging_unmap_mmu_units(const struct quire_paging_args *args)
{
	return args->u.unmap_mmu.number_of_pages;
}

int quire_paging_unmap_mmu_check(const struct quire_paging_caps *caps,
				 const struct quire_paging_args *args)
{
	const struct quire_paging_unmap_mmu *unmap = &args->u.unmap_mmu;

	return mmu_check_place(caps, unmap->mmu_id, unmap->virtual_address,
			       unmap->number_of_pages);
}

/* One packet, however many pages there are. */
void quire_paging_unmap_mmu_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_unmap_mmu *unmap = &args->u.unmap_mmu;
	struct quire_packet_unmap_mmu *body = packet->at;

	body->mmu = cpu_to_le32(unmap->mmu_id);
	body->pages = cpu_to_le32(packet->count);
	body->address = cpu_to_le64(unmap->virtual_address);
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
}
