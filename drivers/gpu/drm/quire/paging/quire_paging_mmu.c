// SPDX-License-Identifier: GPL-2.0 OR MIT
/* MAP_MMU and UNMAP_MMU: what the MMUs of the device show. */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

/* Are @pages pages from @address on shown by that MMU? */
static int mmu_check_place(const struct quire_paging_caps *caps, u32 mmu, u64 address, u64 pages)
{
	u64 first = address >> QUIRE_PAGE_SHIFT;

	if (mmu >= QUIRE_MMU_COUNT || !IS_ALIGNED(address, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return pages > caps->mmu_pages || first > caps->mmu_pages - pages ? -ERANGE : 0;
}

/* Page of the list that is mapped first. */
static u32 map_first(const struct quire_paging_map_mmu *map)
{
	return map->allocation_offset_in_pages - map->adl.start;
}

static u64 map_pages(const struct quire_paging_args *args)
{
	const struct quire_paging_map_mmu *map = &args->u.map_mmu;

	return map->adl.page_count - map_first(map);
}

static int map_check(const struct quire_paging_caps *caps,
		     const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_map_mmu *map = &args->u.map_mmu;
	int err;

	if (map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT || map->segment > QUIRE_SEGMENT_VRAM)
		return -EINVAL;

	err = quire_paging_check_adl(caps, map->segment, &map->adl);
	if (err)
		return err;
	if (map->allocation_offset_in_pages < map->adl.start ||
	    map_first(map) > map->adl.page_count)
		return -ERANGE;

	*pages = map_pages(args);
	return mmu_check_place(caps, map->mmu_id, map->virtual_address, *pages);
}

static u16 map_flags(const struct quire_paging_map_mmu *map)
{
	u16 flags = 0;

	if (map->flags & QUIRE_MAPAPERTURE_CACHE_COHERENT)
		flags |= QUIRE_MAP_CACHE_COHERENT;
	if (map->adl.contiguous)
		flags |= QUIRE_MAP_CONTIGUOUS;

	return flags;
}

/* Pages that a packet in the window has room for. */
static u64 map_room(const struct quire_paging_args *args)
{
	if (args->u.map_mmu.adl.contiguous)
		return U64_MAX;

	return (args->dma_size - sizeof(struct quire_packet_map_mmu)) / sizeof(__le64);
}

/* One packet, from page @first of the operation on. */
static void map_emit(struct quire_paging_args *args, u64 first, u32 pages)
{
	const struct quire_paging_map_mmu *map = &args->u.map_mmu;
	struct quire_packet_map_mmu *packet = args->dma_buffer;
	u32 numbers = map->adl.contiguous ? 1 : pages;
	u64 skip = map_first(map) + first;
	u32 i;

	packet->mmu = cpu_to_le32(map->mmu_id);
	packet->segment = cpu_to_le32(map->segment);
	packet->address = cpu_to_le64(map->virtual_address + (first << QUIRE_PAGE_SHIFT));
	packet->pages = cpu_to_le32(pages);
	packet->reserved = 0;
	for (i = 0; i < numbers; i++)
		packet->page_numbers[i] = cpu_to_le64(map->adl.contiguous ?
						      map->adl.base_page_number + skip :
						      map->adl.pages[skip + i]);
	quire_paging_commit(args, map_flags(map),
			    sizeof(*packet) + numbers * sizeof(*packet->page_numbers),
			    (u64)pages << QUIRE_PAGE_SHIFT, pages);
}

static enum quire_build_status
map_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const size_t smallest = sizeof(struct quire_packet_map_mmu) + sizeof(__le64);

	while (args->multipass_offset < pages) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, smallest))
			return QUIRE_BUILD_FULL;

		map_emit(args, first, min3(pages - first, caps->max_packet_pages,
					   map_room(args)));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_map_mmu_ops = {
	.name = "MAP_MMU",
	.opcode = QUIRE_OP_MAP_MMU,
	.check = map_check,
	.pages = map_pages,
	.build = map_build,
};

static u64 unmap_pages(const struct quire_paging_args *args)
{
	return args->u.unmap_mmu.number_of_pages;
}

static int unmap_check(const struct quire_paging_caps *caps,
		       const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_unmap_mmu *unmap = &args->u.unmap_mmu;

	*pages = unmap_pages(args);
	return mmu_check_place(caps, unmap->mmu_id, unmap->virtual_address, *pages);
}

/* All in one packet: nothing is moved, however many they are. */
static enum quire_build_status
unmap_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_unmap_mmu *unmap = &args->u.unmap_mmu;
	struct quire_packet_unmap_mmu *packet = args->dma_buffer;

	if (!quire_paging_fits(args, sizeof(*packet)))
		return QUIRE_BUILD_FULL;

	packet->mmu = cpu_to_le32(unmap->mmu_id);
	packet->pages = cpu_to_le32(pages);
	packet->address = cpu_to_le64(unmap->virtual_address);
	quire_paging_commit(args, 0, sizeof(*packet), pages << QUIRE_PAGE_SHIFT, pages);

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_unmap_mmu_ops = {
	.name = "UNMAP_MMU",
	.opcode = QUIRE_OP_UNMAP_MMU,
	.check = unmap_check,
	.pages = unmap_pages,
	.build = unmap_build,
};
