// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The operations of the builder: their arguments, their packets, and the table of them. */

#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "quire_paging_internal.h"

/* Bytes of an operation of @size in a packet of whole pages, but for the last one of all. */
static u64 piece_bytes(const struct quire_paging_packet *packet, u64 size)
{
	return min(size - (packet->first << QUIRE_PAGE_SHIFT), packet->count << QUIRE_PAGE_SHIFT);
}

/* TRANSFER, FILL and DISCARD_CONTENT: content of segments, by page runs. */

static bool is_list(const struct quire_paging_location *location)
{
	return location->segment == QUIRE_SEGMENT_SYSTEM;
}

/* The byte offset is for a segment, the page offset for a page list. */
static u64 transfer_first_page(const struct quire_paging_transfer *transfer,
			       const struct quire_paging_location *location)
{
	return is_list(location) ? transfer->mdl_offset :
				   transfer->transfer_offset >> QUIRE_PAGE_SHIFT;
}

int quire_paging_transfer_check(const struct quire_paging_caps *caps,
				const struct quire_paging_args *args)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_location *source = &transfer->source;
	const struct quire_paging_location *destination = &transfer->destination;
	u64 pages = quire_paging_bytes_to_pages(transfer->transfer_size);

	return quire_paging_check_sides(transfer) ?:
	       quire_paging_check_location(caps, source, transfer_first_page(transfer, source),
					   pages) ?:
	       quire_paging_check_location(caps, destination,
					   transfer_first_page(transfer, destination), pages);
}

/*
 * Inside of one segment the sides may overlap. No packet may overwrite its own source, since it
 * may be executed a second time after a part of it was, nor what a later one reads: upwards the
 * packets begin at the last page, where the cursors are not.
 */
static void transfer_keep_source(const struct quire_paging_args *args,
				 struct quire_paging_packet *packet)
{
	const struct quire_paging_location *source = &args->u.transfer.source;
	const struct quire_paging_location *destination = &args->u.transfer.destination;
	u64 from, to;

	if (source->segment != destination->segment ||
	    source->nr_runs != 1 || destination->nr_runs != 1)
		return;

	from = source->runs->first;
	to = destination->runs->first;
	if (from != to)
		packet->count = min(packet->count, max(from, to) - min(from, to));
	if (to > from)
		packet->first = args->progress.pages - packet->first - packet->count;
}

void quire_paging_transfer_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_transfer *transfer = &args->u.transfer;
	const struct quire_paging_location *source = &transfer->source;
	const struct quire_paging_location *destination = &transfer->destination;
	struct quire_page_cursor *from = &args->progress.source;
	struct quire_page_cursor *to = &args->progress.destination;
	struct quire_packet_transfer *body = packet->at;
	u64 src_address = 0, dst_address = 0;

	transfer_keep_source(args, packet);
	quire_page_cursor_seek(from, source,
			       packet->first + transfer_first_page(transfer, source));
	quire_page_cursor_seek(to, destination,
			       packet->first + transfer_first_page(transfer, destination));

	/* A packet is contiguous on a segment side; a list is as long as there is room. */
	if (!is_list(source)) {
		packet->count = min(packet->count, quire_page_cursor_left(from, source));
		src_address = quire_page_cursor_number(from, source) << QUIRE_PAGE_SHIFT;
	}
	if (!is_list(destination)) {
		packet->count = min(packet->count, quire_page_cursor_left(to, destination));
		dst_address = quire_page_cursor_number(to, destination) << QUIRE_PAGE_SHIFT;
	}
	if (is_list(source))
		quire_paging_write_runs(packet, body->runs, source, from);
	else if (is_list(destination))
		quire_paging_write_runs(packet, body->runs, destination, to);
	if (!packet->count)
		return;

	if (!is_list(source))
		quire_page_cursor_advance(from, source, packet->count);
	if (!is_list(destination))
		quire_page_cursor_advance(to, destination, packet->count);
	packet->bytes = piece_bytes(packet, transfer->transfer_size);
	body->src_segment = cpu_to_le32(source->segment);
	body->dst_segment = cpu_to_le32(destination->segment);
	body->src_address = cpu_to_le64(src_address);
	body->dst_address = cpu_to_le64(dst_address);
	body->size = cpu_to_le64(packet->bytes);
}

static int fill_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_fill *fill = &args->u.fill;

	if (fill->destination.segment != QUIRE_SEGMENT_VRAM ||
	    !IS_ALIGNED(fill->fill_size, sizeof(fill->fill_pattern)))
		return -EINVAL;

	return quire_paging_check_location(caps, &fill->destination, 0,
					   quire_paging_bytes_to_pages(fill->fill_size));
}

/* Take the next pages of a run for a packet; returns the address of the first. */
static u64 take_run(struct quire_paging_args *args, const struct quire_paging_location *location,
		    struct quire_paging_packet *packet)
{
	struct quire_page_cursor *cursor = &args->progress.destination;
	u64 number;

	quire_page_cursor_seek(cursor, location, packet->first);
	number = quire_page_cursor_number(cursor, location);
	packet->count = min(packet->count, quire_page_cursor_left(cursor, location));
	quire_page_cursor_advance(cursor, location, packet->count);

	return number << QUIRE_PAGE_SHIFT;
}

/* A packet starts at a page, and so with the whole pattern. */
static void fill_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_fill *fill = &args->u.fill;
	struct quire_packet_fill *body = packet->at;

	body->segment = cpu_to_le32(fill->destination.segment);
	body->pattern = cpu_to_le32(fill->fill_pattern);
	body->address = cpu_to_le64(take_run(args, &fill->destination, packet));
	packet->bytes = piece_bytes(packet, fill->fill_size);
	body->size = cpu_to_le64(packet->bytes);
}

static int discard_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_location *location = &args->u.discard.location;

	if (location->segment != QUIRE_SEGMENT_VRAM)
		return -EINVAL;

	return location->start ? -ERANGE : quire_paging_check_location(caps, location, 0, 0);
}

static void discard_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_location *location = &args->u.discard.location;
	struct quire_packet_discard *body = packet->at;

	body->segment = cpu_to_le32(location->segment);
	body->reserved = 0;
	body->address = cpu_to_le64(take_run(args, location, packet));
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
	body->size = cpu_to_le64(packet->bytes);
}

/* VIRTUAL_TRANSFER and VIRTUAL_FILL: content at virtual addresses. */

static int virtual_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_transfer_virtual *transfer = &args->u.transfer_virtual;

	if (transfer->transfer_direction > QUIRE_DIRECTION_LOCAL_TO_LOCAL ||
	    transfer->flags & ~(QUIRE_TRANSFER_SRC_64K | QUIRE_TRANSFER_DST_64K))
		return -EINVAL;

	return quire_paging_check_virtual(transfer->source_virtual_address,
					  transfer->transfer_size) ?:
	       quire_paging_check_virtual(transfer->destination_virtual_address,
					  transfer->transfer_size);
}

/* The sides may overlap: packets are cut and ordered as those of TRANSFER in one segment. */
static void virtual_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_transfer_virtual *transfer = &args->u.transfer_virtual;
	u64 source = transfer->source_virtual_address;
	u64 destination = transfer->destination_virtual_address;
	u64 apart = max(source, destination) - min(source, destination);
	struct quire_packet_transfer_virtual *body = packet->at;
	u64 skip;

	if (apart)
		packet->count = min(packet->count, apart >> QUIRE_PAGE_SHIFT);
	if (destination > source && apart < transfer->transfer_size)
		packet->first = args->progress.pages - packet->first - packet->count;

	skip = packet->first << QUIRE_PAGE_SHIFT;
	packet->flags = transfer->flags;
	packet->bytes = piece_bytes(packet, transfer->transfer_size);
	body->direction = cpu_to_le32(transfer->transfer_direction);
	body->reserved = 0;
	body->src = cpu_to_le64(source + skip);
	body->dst = cpu_to_le64(destination + skip);
	body->size = cpu_to_le64(packet->bytes);
}

static int fill_virtual_check(const struct quire_paging_caps *caps,
			      const struct quire_paging_args *args)
{
	const struct quire_paging_fill_virtual *fill = &args->u.fill_virtual;

	if (!IS_ALIGNED(fill->fill_size, sizeof(fill->fill_pattern)))
		return -EINVAL;

	return quire_paging_check_virtual(fill->destination_virtual_address, fill->fill_size);
}

/* A packet starts at a page, and so with the whole pattern. */
static void fill_virtual_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_fill_virtual *fill = &args->u.fill_virtual;
	struct quire_packet_fill_virtual *body = packet->at;

	packet->bytes = piece_bytes(packet, fill->fill_size);
	body->dst = cpu_to_le64(fill->destination_virtual_address +
				(packet->first << QUIRE_PAGE_SHIFT));
	body->size = cpu_to_le64(packet->bytes);
	body->pattern = cpu_to_le32(fill->fill_pattern);
	body->reserved = 0;
}

/* Operations of a few bytes. */

static int init_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_init_context *init = &args->u.init_context;

	if (init->is_virtual)
		return init->segment ? -EINVAL :
			quire_paging_check_virtual(init->address, QUIRE_PAGE_SIZE);

	return quire_paging_check_address(caps, init->segment, init->address, 1);
}

static void init_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_init_context *init = &args->u.init_context;
	struct quire_packet_init_context *body = packet->at;

	body->segment = cpu_to_le32(init->segment);
	body->reserved = 0;
	body->address = cpu_to_le64(init->address);
	packet->flags = (init->is_virtual ? QUIRE_ADDRESS_VIRTUAL : 0) |
			(init->save_area ? QUIRE_INIT_SAVE_AREA : 0);
	packet->bytes = QUIRE_PAGE_SIZE;
}

static int context_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_update_context *update = &args->u.update_context;
	u64 size = min(update->context_allocation_size, QUIRE_PAGE_SIZE);
	u64 end = (u64)update->offset + update->driver_private_data_size;

	if (!IS_ALIGNED(update->driver_private_data_size, sizeof(__le64)) ||
	    !IS_ALIGNED(update->offset, sizeof(__le64)) ||
	    (update->driver_private_data_size && !update->driver_private_data))
		return -EINVAL;

	return quire_paging_check_virtual(update->context_allocation,
					  update->context_allocation_size) ?:
	       (end > size ? -ERANGE : 0);
}

static void context_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_update_context *update = &args->u.update_context;
	u32 skip = packet->first * sizeof(__le64);
	struct quire_packet_update_context *body = packet->at;

	packet->count = min(packet->count, packet->room / sizeof(*body->data));
	if (!packet->count)
		return;

	packet->list = packet->count * sizeof(*body->data);
	packet->bytes = packet->list;
	body->context = cpu_to_le64(update->context_allocation);
	body->offset = cpu_to_le32(update->offset + skip);
	body->bytes = cpu_to_le32(packet->bytes);
	memcpy(body->data, update->driver_private_data + skip, packet->bytes);
}

/* The value is in one page, as it is aligned. */
static int signal_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	u64 address = args->u.signal_fence.monitored_fence_gpu_va;

	if (!IS_ALIGNED(address, sizeof(__le64)))
		return -EINVAL;

	return quire_paging_check_virtual(ALIGN_DOWN(address, QUIRE_PAGE_SIZE), QUIRE_PAGE_SIZE);
}

static void signal_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_signal_fence *signal = &args->u.signal_fence;
	struct quire_packet_signal_monitored *body = packet->at;

	body->address = cpu_to_le64(signal->monitored_fence_gpu_va);
	body->value = cpu_to_le64(signal->monitored_fence_value);
	packet->flags = QUIRE_SIGNAL_IRQ;
	packet->bytes = sizeof(body->value);
}

static int physical_check(const struct quire_paging_caps *caps,
			  const struct quire_paging_args *args)
{
	const struct quire_paging_physical *physical = &args->u.physical;
	u64 address = physical->physical_address;

	if ((args->operation == QUIRE_PAGING_READ_PHYSICAL && physical->value) ||
	    physical->segment > QUIRE_SEGMENT_APERTURE ||
	    physical->size < 1 || physical->size > sizeof(physical->value) ||
	    (address & (QUIRE_PAGE_SIZE - 1)) + physical->size > QUIRE_PAGE_SIZE)
		return -EINVAL;

	return quire_paging_check_segment(caps, physical->segment, address >> QUIRE_PAGE_SHIFT, 1);
}

static void physical_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_physical *physical = &args->u.physical;
	struct quire_packet_physical *body = packet->at;

	body->segment = cpu_to_le32(physical->segment);
	body->size = cpu_to_le32(physical->size);
	body->address = cpu_to_le64(physical->physical_address);
	body->value = cpu_to_le64(physical->value);
	packet->bytes = physical->size;
}

/* What pages of the aperture and of the MMUs lead to. */

static u16 map_flags(u32 flags, bool contiguous)
{
	return (flags & QUIRE_MAPAPERTURE_CACHE_COHERENT ? QUIRE_MAP_CACHE_COHERENT : 0) |
	       (contiguous ? QUIRE_MAP_CONTIGUOUS : 0);
}

static int map_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_map *map = &args->u.map;

	if (map->mdl.segment != QUIRE_SEGMENT_SYSTEM ||
	    map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT)
		return -EINVAL;

	return quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE, map->offset_in_pages,
					  map->number_of_pages) ?:
	       quire_paging_check_location(caps, &map->mdl, map->mdl_offset,
					   map->number_of_pages);
}

static void map_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_map *map = &args->u.map;
	struct quire_page_cursor *cursor = &args->progress.source;
	struct quire_packet_map *body = packet->at;

	quire_page_cursor_seek(cursor, &map->mdl, map->mdl_offset + packet->first);
	quire_paging_write_runs(packet, body->runs, &map->mdl, cursor);
	if (!packet->count)
		return;

	body->segment = cpu_to_le32(QUIRE_SEGMENT_APERTURE);
	body->pages = cpu_to_le32(packet->count);
	body->first_page = cpu_to_le64(map->offset_in_pages + packet->first);
	packet->flags = map_flags(map->flags, false);
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
}

static int unmap_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_unmap *unmap = &args->u.unmap;

	return quire_paging_check_address(caps, QUIRE_SEGMENT_SYSTEM, unmap->dummy_page, 1) ?:
	       quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE,
					  unmap->offset_in_pages, unmap->number_of_pages);
}

static void unmap_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
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

/* Are all pages of the list in their segment, and those in the list that an operation needs? */
static int check_adl(const struct quire_paging_caps *caps, u32 segment,
		     const struct quire_paging_adl *adl, u64 first, u64 pages)
{
	int err = 0;
	u64 end;
	u32 i;

	if (adl->contiguous)
		err = quire_paging_check_segment(caps, segment, adl->base_page_number,
						 adl->page_count);
	else if (adl->page_count && !adl->pages)
		err = -EINVAL;
	else
		for (i = 0; i < adl->page_count && !err; i++)
			err = quire_paging_check_segment(caps, segment, adl->pages[i], 1);
	if (err)
		return err;
	if (first < adl->start)
		return -ERANGE;
	if (check_add_overflow(first - adl->start, pages, &end))
		return -EOVERFLOW;

	return end > adl->page_count ? -ERANGE : 0;
}

static int map2_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_map2 *map = &args->u.map2;
	int err;

	if (map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT)
		return -EINVAL;

	err = quire_paging_check_segment(caps, QUIRE_SEGMENT_APERTURE, map->offset_in_pages,
					 map->number_of_pages) ?:
	      check_adl(caps, QUIRE_SEGMENT_SYSTEM, &map->adl, map->adl_offset,
			map->number_of_pages);
	if (err || !map->cpu_visible_address)
		return err;

	return quire_paging_check_address(caps, QUIRE_SEGMENT_SYSTEM, map->cpu_visible_address,
					  map->number_of_pages) ?:
	       (map->offset_in_pages + map->number_of_pages > caps->window_pages ? -ERANGE : 0);
}

static void map2_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
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
	packet->flags = map_flags(map->flags, map->adl.contiguous) |
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

static int map_mmu_check(const struct quire_paging_caps *caps, const struct quire_paging_args *args)
{
	const struct quire_paging_map_mmu *map = &args->u.map_mmu;
	u64 offset = map->allocation_offset_in_pages;

	if (map->flags & ~QUIRE_MAPAPERTURE_CACHE_COHERENT || map->segment > QUIRE_SEGMENT_VRAM)
		return -EINVAL;

	return check_adl(caps, map->segment, &map->adl, offset, 0) ?:
	       mmu_check_place(caps, map->mmu_id, map->virtual_address,
			       map->adl.page_count - (offset - map->adl.start));
}

static void map_mmu_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_map_mmu *map = &args->u.map_mmu;
	u64 skip = map->allocation_offset_in_pages - map->adl.start + packet->first;
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
	packet->flags = map_flags(map->flags, map->adl.contiguous);
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
}

static int unmap_mmu_check(const struct quire_paging_caps *caps,
			   const struct quire_paging_args *args)
{
	const struct quire_paging_unmap_mmu *unmap = &args->u.unmap_mmu;

	return mmu_check_place(caps, unmap->mmu_id, unmap->virtual_address,
			       unmap->number_of_pages);
}

/* One packet, however many pages there are. */
static void unmap_mmu_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_unmap_mmu *unmap = &args->u.unmap_mmu;
	struct quire_packet_unmap_mmu *body = packet->at;

	body->mmu = cpu_to_le32(unmap->mmu_id);
	body->pages = cpu_to_le32(packet->count);
	body->address = cpu_to_le64(unmap->virtual_address);
	packet->bytes = packet->count << QUIRE_PAGE_SHIFT;
}

/* Notices. */

static bool is_named(const struct quire_paging_args *args)
{
	return args->allocation && args->allocation->id;
}

static bool is_place(u32 segment)
{
	return segment == QUIRE_SEGMENT_VRAM || segment == QUIRE_SEGMENT_APERTURE;
}

/* Pages of the whole allocation in a segment: the aperture shows its backing. */
static u64 allocation_pages(const struct quire_paging_allocation *allocation, u32 segment)
{
	return quire_paging_bytes_to_pages(segment == QUIRE_SEGMENT_VRAM ?
					   allocation->pitch_aligned_size : allocation->size);
}

static int notify_residency_check(const struct quire_paging_caps *caps,
				  const struct quire_paging_args *args)
{
	const struct quire_paging_notify_residency *notify = &args->u.notify_residency;
	u64 pages;

	if (!is_named(args))
		return -EINVAL;
	if (!notify->resident)
		return notify->segment || notify->physical_address ? -EINVAL : 0;

	pages = allocation_pages(args->allocation, notify->segment);
	if (!is_place(notify->segment) || !pages)
		return -EINVAL;
	if (pages > U32_MAX)
		return -E2BIG;

	/* The number of the segment stands above the offset. */
	return quire_paging_check_address(caps, notify->segment, notify->physical_address, pages) ?:
	       (notify->physical_address >> QUIRE_ADDRESS_SEGMENT_SHIFT ? -ERANGE : 0);
}

static void notify_residency_emit(struct quire_paging_args *args,
				  struct quire_paging_packet *packet)
{
	const struct quire_paging_notify_residency *notify = &args->u.notify_residency;
	struct quire_packet_notify_residency *body = packet->at;
	u32 pages = 0;

	if (notify->resident) {
		pages = allocation_pages(args->allocation, notify->segment);
		packet->flags = QUIRE_NOTIFY_RESIDENT;
	}
	body->allocation = cpu_to_le32(args->allocation->id);
	body->pages = cpu_to_le32(pages);
	body->address = cpu_to_le64(QUIRE_ADDRESS(notify->segment, notify->physical_address));
}

static int notify_residency2_check(const struct quire_paging_caps *caps,
				   const struct quire_paging_args *args)
{
	const struct quire_paging_notify_residency2 *notify = &args->u.notify_residency2;
	u64 end = (u64)notify->allocation_offset_in_pages + notify->size_in_pages;

	if (!is_named(args) || !is_place(notify->segment))
		return -EINVAL;
	if (end > allocation_pages(args->allocation, notify->segment))
		return -ERANGE;
	if (end > U32_MAX)
		return -E2BIG;

	if (!notify->resident)
		return notify->contiguous || notify->mdl.nr_runs ? -EINVAL : 0;
	if (notify->contiguous)
		return quire_paging_check_address(caps, notify->segment, notify->physical_address,
						  notify->size_in_pages);
	if (notify->mdl.segment != notify->segment)
		return -EINVAL;

	return quire_paging_check_location(caps, &notify->mdl, notify->allocation_offset_in_pages,
					   notify->size_in_pages);
}

static void notify_residency2_emit(struct quire_paging_args *args,
				   struct quire_paging_packet *packet)
{
	const struct quire_paging_notify_residency2 *notify = &args->u.notify_residency2;
	u64 offset = notify->allocation_offset_in_pages + packet->first;
	struct quire_packet_notify_residency2 *body = packet->at;

	if (notify->resident) {
		const struct quire_page_run run = {
			.first = notify->physical_address >> QUIRE_PAGE_SHIFT,
			.count = notify->size_in_pages,
		};
		const struct quire_paging_location contiguous = {
			.nr_runs = 1,
			.start = notify->allocation_offset_in_pages,
			.runs = &run,
		};
		const struct quire_paging_location *pages =
			notify->contiguous ? &contiguous : &notify->mdl;

		quire_page_cursor_seek(&args->progress.source, pages, offset);
		quire_paging_write_runs(packet, body->runs, pages, &args->progress.source);
		packet->flags = QUIRE_NOTIFY_RESIDENT;
	}
	if (!packet->count)
		return;

	body->allocation = cpu_to_le32(args->allocation->id);
	body->segment = cpu_to_le32(notify->segment);
	body->offset = cpu_to_le32(offset);
	body->pages = cpu_to_le32(packet->count);
}

static int notify_alloc_check(const struct quire_paging_caps *caps,
			      const struct quire_paging_args *args)
{
	const struct quire_paging_notify_alloc *notify = &args->u.notify_alloc;
	u64 first = notify->offset_in_bytes >> QUIRE_PAGE_SHIFT;
	u64 count = notify->size_in_bytes >> QUIRE_PAGE_SHIFT;
	u64 pages;

	if (!is_named(args) ||
	    (notify->flags != QUIRE_NOTIFY_EVICTION && notify->flags != QUIRE_NOTIFY_IOMMU_UNMAP) ||
	    !IS_ALIGNED(notify->offset_in_bytes | notify->size_in_bytes, QUIRE_PAGE_SIZE))
		return -EINVAL;

	/* The backing is what can be mapped and evicted. */
	pages = quire_paging_bytes_to_pages(args->allocation->size);
	if (first > pages || count > pages - first)
		return -ERANGE;

	return quire_paging_check_virtual(notify->gpu_virtual_address_at_offset,
					  notify->size_in_bytes);
}

static void notify_alloc_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_notify_alloc *notify = &args->u.notify_alloc;
	struct quire_packet_notify_allocation *body = packet->at;

	body->allocation = cpu_to_le32(args->allocation->id);
	body->reserved = 0;
	body->offset = cpu_to_le64(notify->offset_in_bytes);
	body->size = cpu_to_le64(notify->size_in_bytes);
	body->address = cpu_to_le64(notify->gpu_virtual_address_at_offset);
	packet->flags = notify->flags;
}

/* The value is in one page, as it is aligned. */
static int check_value(const struct quire_paging_caps *caps, u64 address)
{
	u32 segment = QUIRE_ADDRESS_SEGMENT(address);

	if (segment > QUIRE_SEGMENT_APERTURE || !IS_ALIGNED(address, sizeof(__le64)))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment,
					  QUIRE_ADDRESS_OFFSET(address) >> QUIRE_PAGE_SHIFT, 1);
}

static int notify_fences_check(const struct quire_paging_caps *caps,
			       const struct quire_paging_args *args)
{
	const struct quire_paging_notify_fences *notify = &args->u.notify_fences;
	int err = 0;
	u32 i;

	if (notify->num_fences && !notify->fences)
		return -EINVAL;

	for (i = 0; i < notify->num_fences && !err; i++) {
		const struct quire_paging_fence_residency *fence = &notify->fences[i];
		u64 current_value = fence->current_value_address;
		u64 monitored_value = fence->monitored_value_address;

		if (fence->native_fence >= QUIRE_NATIVE_FENCES)
			return -ERANGE;
		if (!fence->owner != !current_value || !current_value != !monitored_value ||
		    (fence->owner && !(fence->owner & QUIRE_PTE_VALID)))
			return -EINVAL;
		if (fence->owner)
			err = check_value(caps, current_value) ?:
			      check_value(caps, monitored_value);
	}

	return err;
}

static void notify_fences_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_fence_residency *fences =
		&args->u.notify_fences.fences[packet->first];
	struct quire_packet_notify_fences *body = packet->at;
	u32 i;

	packet->count = min(packet->count, packet->room / sizeof(*body->fences));
	packet->list = packet->count * sizeof(*body->fences);
	for (i = 0; i < packet->count; i++)
		body->fences[i] = (struct quire_fence_place) {
			.fence = cpu_to_le32(fences[i].native_fence),
			.owner = cpu_to_le64(fences[i].owner),
			.current_value = cpu_to_le64(fences[i].current_value_address),
			.monitored_value = cpu_to_le64(fences[i].monitored_value_address),
		};
}

/* Its packets are struct quire_packet_PACKET, its functions FUNCTION_check(), FUNCTION_emit(). */
#define OPERATION(number, op, packet, function, ...)			\
	[QUIRE_PAGING_##number] = {					\
		.name = #number,					\
		.opcode = QUIRE_OP_##op,				\
		.size = sizeof(struct quire_packet_##packet),		\
		.check = function##_check,				\
		.emit = function##_emit,				\
		__VA_ARGS__						\
	}
#define LIST	.has_list = true

static const struct quire_paging_operation_ops operations[QUIRE_PAGING_OPERATIONS] = {
	OPERATION(TRANSFER, TRANSFER, transfer, quire_paging_transfer, LIST, .may_be_busy = true),
	OPERATION(FILL, FILL, fill, fill),
	OPERATION(DISCARD_CONTENT, DISCARD_CONTENT, discard, discard, .may_be_busy = true),
	OPERATION(READ_PHYSICAL, READ_PHYSICAL, physical, physical),
	OPERATION(WRITE_PHYSICAL, WRITE_PHYSICAL, physical, physical),
	OPERATION(MAP_APERTURE_SEGMENT, MAP_APERTURE, map, map, LIST),
	OPERATION(UNMAP_APERTURE_SEGMENT, UNMAP_APERTURE, unmap, unmap),
	OPERATION(SPECIAL_LOCK_TRANSFER, SPECIAL_LOCK, special_lock, quire_paging_conversion, LIST,
		  .may_be_busy = true, .unlimited = true),
	OPERATION(VIRTUAL_TRANSFER, TRANSFER_VIRTUAL, transfer_virtual, virtual),
	OPERATION(VIRTUAL_FILL, FILL_VIRTUAL, fill_virtual, fill_virtual),
	OPERATION(INIT_CONTEXT_RESOURCE, INIT_CONTEXT, init_context, init),
	OPERATION(UPDATE_PAGE_TABLE, UPDATE_PAGE_TABLE, update_page_table, quire_paging_update,
		  LIST),
	OPERATION(FLUSH_TLB, FLUSH_TLB, flush_tlb, quire_paging_flush_tlb),
	OPERATION(UPDATE_CONTEXT_ALLOCATION, UPDATE_CONTEXT, update_context, context, LIST,
		  .unlimited = true),
	OPERATION(COPY_PAGE_TABLE_ENTRIES, COPY_PAGE_TABLE, copy_page_table,
		  quire_paging_copy_entries, LIST),
	OPERATION(NOTIFY_RESIDENCY, NOTIFY_RESIDENCY, notify_residency, notify_residency),
	OPERATION(SIGNAL_MONITORED_FENCE, SIGNAL_MONITORED, signal_monitored, signal),
	OPERATION(MAP_APERTURE_SEGMENT2, MAP_APERTURE2, map2, map2, LIST),
	OPERATION(NOTIFY_FENCE_RESIDENCY, NOTIFY_FENCES, notify_fences, notify_fences, LIST),
	OPERATION(MAP_MMU, MAP_MMU, map_mmu, map_mmu, LIST),
	OPERATION(UNMAP_MMU, UNMAP_MMU, unmap_mmu, unmap_mmu, .unlimited = true),
	OPERATION(NOTIFY_RESIDENCY2, NOTIFY_RESIDENCY2, notify_residency2, notify_residency2, LIST),
	OPERATION(NOTIFY_ALLOC, NOTIFY_ALLOCATION, notify_allocation, notify_alloc),
};

/* TRANSFER with SWIZZLE or UNSWIZZLE. */
static const struct quire_paging_operation_ops conversion = {
	.opcode = QUIRE_OP_TRANSFER,
	.size = sizeof(struct quire_packet_swizzle),
	.check = quire_paging_conversion_check,
	.emit = quire_paging_conversion_emit,
	.unlimited = true,
};

/**
 * quire_paging_count_units - count what &quire_paging_args.multipass_offset counts up to
 * @args: an operation; the arguments are good
 *
 * Returns: units.
 */
u64 quire_paging_count_units(const struct quire_paging_args *args)
{
	const struct quire_paging_location *discard = &args->u.discard.location;
	const struct quire_paging_map_mmu *map_mmu = &args->u.map_mmu;
	u64 pages = 0;
	u32 i;

	switch (args->operation) {
	case QUIRE_PAGING_TRANSFER:
		return quire_paging_converts(&args->u.transfer) ?
		       quire_paging_conversion_units(args) :
		       quire_paging_bytes_to_pages(args->u.transfer.transfer_size);
	case QUIRE_PAGING_SPECIAL_LOCK_TRANSFER:
		return quire_paging_conversion_units(args);
	case QUIRE_PAGING_FILL:
		return quire_paging_bytes_to_pages(args->u.fill.fill_size);
	case QUIRE_PAGING_DISCARD_CONTENT:
		for (i = 0; i < discard->nr_runs; i++)
			pages += discard->runs[i].count;
		return pages;
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT:
		return args->u.map.number_of_pages;
	case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
		return args->u.unmap.number_of_pages;
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		return args->u.map2.number_of_pages;
	case QUIRE_PAGING_MAP_MMU:
		return map_mmu->adl.page_count -
		       (map_mmu->allocation_offset_in_pages - map_mmu->adl.start);
	case QUIRE_PAGING_UNMAP_MMU:
		return args->u.unmap_mmu.number_of_pages;
	case QUIRE_PAGING_VIRTUAL_TRANSFER:
		return quire_paging_bytes_to_pages(args->u.transfer_virtual.transfer_size);
	case QUIRE_PAGING_VIRTUAL_FILL:
		return quire_paging_bytes_to_pages(args->u.fill_virtual.fill_size);
	case QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION:
		return args->u.update_context.driver_private_data_size / sizeof(__le64);
	case QUIRE_PAGING_UPDATE_PAGE_TABLE:
		return args->u.update_page_table.num_page_table_entries;
	case QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES:
		return args->u.copy_entries.num_ranges;
	case QUIRE_PAGING_NOTIFY_RESIDENCY2:
		return args->u.notify_residency2.size_in_pages;
	case QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY:
		return args->u.notify_fences.num_fences;
	case QUIRE_PAGING_NOTIFY_ALLOC:
		/* One packet, however many pages there are. */
		return !!args->u.notify_alloc.size_in_bytes;
	default:
		return 1;
	}
}

/**
 * quire_paging_find_operation - look an operation up
 * @operation: any number
 *
 * Returns: the operation, or NULL if there is none of that number.
 */
const struct quire_paging_operation_ops *
quire_paging_find_operation(enum quire_paging_operation operation)
{
	return (u32)operation < QUIRE_PAGING_OPERATIONS ? &operations[operation] : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_find_operation);

/**
 * quire_paging_find_form - look up how an operation is described
 * @args: the operation
 *
 * Returns: as quire_paging_find_operation(), but what a TRANSFER has that converts.
 */
const struct quire_paging_operation_ops *
quire_paging_find_form(const struct quire_paging_args *args)
{
	if (args->operation == QUIRE_PAGING_TRANSFER && quire_paging_converts(&args->u.transfer))
		return &conversion;

	return quire_paging_find_operation(args->operation);
}

/**
 * quire_paging_operation_name - name an operation
 * @operation: any number
 *
 * Returns: a name in capitals, such as "FILL", or NULL if there is no operation of that number.
 */
const char *quire_paging_operation_name(enum quire_paging_operation operation)
{
	const struct quire_paging_operation_ops *ops = quire_paging_find_operation(operation);

	return ops ? ops->name : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_operation_name);
