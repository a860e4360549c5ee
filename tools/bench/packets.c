// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <stdlib.h>

#include "packets.h"
#include "quire_paging.h"

#define MAX_RECORDS	(PACKETS_BUFFER / 32)

/* Runs of consecutive numbers; NULL without memory. */
static struct quire_page_run *make_runs(const uint64_t *pages, size_t count, uint32_t *nr_runs)
{
	struct quire_page_run *runs = calloc(count, sizeof(*runs));
	size_t used = 0;

	for (size_t i = 0; runs && i < count; i++) {
		if (used && runs[used - 1].first + runs[used - 1].count == pages[i])
			runs[used - 1].count++;
		else
			runs[used++] = (struct quire_page_run){ .first = pages[i], .count = 1 };
	}
	*nr_runs = used;
	return runs;
}

/**
 * packets_prepare - make room, and the runs that the driver would have
 * @packets: to fill
 * @shape: the transfer
 *
 * Returns false without memory.
 */
bool packets_prepare(struct packets *packets, const struct packets_shape *shape)
{
	*packets = (struct packets){
		.max_buffers = 2 + shape->pages * 64 / PACKETS_BUFFER,
	};
	packets->memory = aligned_alloc(4096, packets->max_buffers * PACKETS_BUFFER);
	packets->sizes = calloc(packets->max_buffers, sizeof(*packets->sizes));
	packets->system_runs = make_runs(shape->system, shape->pages, &packets->nr_system_runs);
	packets->vram_runs = make_runs(shape->vram, shape->pages, &packets->nr_vram_runs);
	return packets->memory && packets->sizes && packets->system_runs && packets->vram_runs;
}

static void fill_args(struct quire_paging_args *args, const struct packets *packets,
		      const struct packets_shape *shape)
{
	struct quire_paging_location system = {
		.segment = QUIRE_SEGMENT_SYSTEM,
		.nr_runs = packets->nr_system_runs,
		.runs = packets->system_runs,
	};
	struct quire_paging_location vram = {
		.segment = QUIRE_SEGMENT_VRAM,
		.nr_runs = packets->nr_vram_runs,
		.runs = packets->vram_runs,
	};

	*args = (struct quire_paging_args){ .operation = QUIRE_PAGING_TRANSFER };
	args->u.transfer = (struct quire_paging_transfer){
		.source = shape->to_vram ? system : vram,
		.destination = shape->to_vram ? vram : system,
		.transfer_size = shape->pages * QUIRE_PAGE_SIZE,
		.flags = QUIRE_TRANSFER_START | QUIRE_TRANSFER_END,
	};
}

static struct quire_paging_record records[MAX_RECORDS];

static struct quire_paging_caps caps_for(const struct packets_shape *shape)
{
	return (struct quire_paging_caps){
		.vram_pages = shape->vram_pages,
		.aperture_pages = 1,
		.max_packet_pages = 1u << 18,
		.min_buffer_size = PACKETS_BUFFER,
		.min_private_data_size = sizeof(records),
	};
}

/**
 * packets_check - check the arguments, as is done once for an operation
 * @packets: after packets_prepare()
 * @shape: the same
 *
 * Returns false if they are refused.
 */
bool packets_check(const struct packets *packets, const struct packets_shape *shape)
{
	const struct quire_paging_caps caps = caps_for(shape);
	struct quire_paging_args args;

	fill_args(&args, packets, shape);
	return !quire_paging_check_args(&caps, &args);
}

/**
 * packets_build - call the builder until it is done
 * @packets: after packets_prepare()
 * @shape: the same
 *
 * Returns false if it does not come to an end.
 */
bool packets_build(struct packets *packets, const struct packets_shape *shape)
{
	const struct quire_paging_caps caps = caps_for(shape);
	struct quire_paging_args args;
	enum quire_build_status status = QUIRE_BUILD_FULL;

	fill_args(&args, packets, shape);
	packets->nr_buffers = 0;
	while (status == QUIRE_BUILD_FULL && packets->nr_buffers < packets->max_buffers) {
		args.dma_buffer = packets->memory + packets->nr_buffers * PACKETS_BUFFER;
		args.dma_size = PACKETS_BUFFER;
		args.dma_buffer_write_offset = 0;
		args.private_data = records;
		args.private_data_size = sizeof(records);
		status = quire_build_paging_buffer(&caps, &args);
		packets->sizes[packets->nr_buffers++] = args.dma_buffer_write_offset;
	}
	return status == QUIRE_BUILD_DONE;
}

/* Do the pages of a window make pages of @step each? */
static bool is_made_of(const uint64_t *pages, size_t count, size_t step)
{
	for (size_t i = 0; i < count; i++)
		if (pages[i] % step != i % step || (i % step && pages[i] != pages[i - 1] + 1))
			return false;
	return count % step == 0;
}

/* The largest pages that a window can have. */
static uint32_t window_step(const uint64_t *pages, size_t count)
{
	if (is_made_of(pages, count, QUIRE_PT_ENTRIES))
		return QUIRE_PT_ENTRIES;
	return is_made_of(pages, count, QUIRE_PT_ENTRIES_64K) ? QUIRE_PT_ENTRIES_64K : 1;
}

/* Those of source and destination; then these with large pages. */
static uint64_t window_address(const struct packets_windows *windows, int side, uint32_t step)
{
	uint64_t window = side + (step == QUIRE_PT_ENTRIES ? PACKETS_LARGE : 0);

	return windows->address + window * QUIRE_PT_ENTRIES * QUIRE_PAGE_SIZE;
}

/* As the driver maps a window. */
static struct quire_paging_args map_window(struct quire_paging_pte *entries,
					   const uint64_t *pages, size_t count, uint32_t segment,
					   const struct packets_windows *windows, int side)
{
	uint32_t step = window_step(pages, count);
	bool large = step == QUIRE_PT_ENTRIES;
	uint64_t flags = QUIRE_PTE(segment, 0, QUIRE_PTE_VALID | QUIRE_PTE_NO_EXECUTE);
	uint64_t table = large ? windows->table : windows->tables[side];

	if (segment == QUIRE_SEGMENT_SYSTEM)
		flags |= QUIRE_PTE_CACHE_COHERENT;
	if (large)
		flags |= QUIRE_PTE_LARGE;
	for (size_t i = 0; i < count / step; i++)
		entries[i] = (struct quire_paging_pte){ flags, pages[i * step] };
	return (struct quire_paging_args){
		.operation = QUIRE_PAGING_UPDATE_PAGE_TABLE,
		.u.update_page_table = {
			.page_table_level = large ? 1 : 0,
			.update_mode = QUIRE_PAGE_TABLE_GPU_PHYSICAL,
			.page_table_address.gpu_physical = {
				QUIRE_SEGMENT_SYSTEM, table * QUIRE_PAGE_SIZE,
			},
			.page_table_entries = entries,
			.start_index = large ? PACKETS_LARGE + side : 0,
			.num_page_table_entries = count / step,
			.flags = step == QUIRE_PT_ENTRIES_64K ? QUIRE_UPDATE_64K : 0,
		},
	};
}

static struct quire_paging_args flush_windows(const struct packets_windows *windows)
{
	return (struct quire_paging_args){
		.operation = QUIRE_PAGING_FLUSH_TLB,
		.u.flush_tlb = {
			.root = {
				.flags = windows->root & ~QUIRE_PTE_ADDRESS_MASK,
				.page = windows->root >> QUIRE_PAGE_SHIFT,
			},
			.start_virtual_address = windows->address,
			.end_virtual_address = windows->address + PACKETS_WINDOWS *
					       QUIRE_PT_ENTRIES * QUIRE_PAGE_SIZE,
		},
	};
}

/* Behind what is in the last buffer, which has room. */
static bool append(struct packets *packets, const struct quire_paging_caps *caps,
		   struct quire_paging_args *args)
{
	uint32_t *used = &packets->sizes[packets->nr_buffers - 1];

	args->dma_buffer = packets->memory + (packets->nr_buffers - 1) * PACKETS_BUFFER + *used;
	args->dma_size = PACKETS_BUFFER - *used;
	args->dma_buffer_write_offset = *used;
	args->private_data = records;
	args->private_data_size = sizeof(records);
	if (quire_paging_check_args(caps, args) ||
	    quire_build_paging_buffer(caps, args) != QUIRE_BUILD_DONE)
		return false;
	*used = args->dma_buffer_write_offset;
	return true;
}

/* What the windows show at a time: in one buffer. */
static bool append_chunk(struct packets *packets, const struct packets_shape *shape,
			 const struct packets_windows *windows, size_t first, size_t count)
{
	static struct quire_paging_pte entries[2][512];
	const struct quire_paging_caps caps = caps_for(shape);
	const uint64_t *from = shape->to_vram ? shape->system : shape->vram;
	const uint64_t *to = shape->to_vram ? shape->vram : shape->system;
	uint32_t from_step = window_step(from + first, count);
	uint32_t to_step = window_step(to + first, count);
	struct quire_paging_args args[4] = {
		map_window(entries[0], from + first, count,
			   shape->to_vram ? QUIRE_SEGMENT_SYSTEM : QUIRE_SEGMENT_VRAM,
			   windows, 0),
		map_window(entries[1], to + first, count,
			   shape->to_vram ? QUIRE_SEGMENT_VRAM : QUIRE_SEGMENT_SYSTEM,
			   windows, 1),
		flush_windows(windows),
		{
			.operation = QUIRE_PAGING_VIRTUAL_TRANSFER,
			.u.transfer_virtual = {
				.transfer_size = count * QUIRE_PAGE_SIZE,
				.source_virtual_address =
					window_address(windows, 0, from_step),
				.destination_virtual_address =
					window_address(windows, 1, to_step),
				.transfer_direction = shape->to_vram ?
					QUIRE_DIRECTION_SYSTEM_TO_LOCAL :
					QUIRE_DIRECTION_LOCAL_TO_SYSTEM,
				.flags = (from_step > 1 ? QUIRE_TRANSFER_SRC_64K : 0) |
					 (to_step > 1 ? QUIRE_TRANSFER_DST_64K : 0),
			},
		},
	};

	for (size_t i = 0; i < 4; i++)
		if (!append(packets, &caps, &args[i]))
			return false;
	return true;
}

/**
 * packets_build_virtual - build the same transfer in virtual addresses, as the driver does
 * @packets: after packets_prepare()
 * @shape: the same
 * @windows: to be executed with their address space
 *
 * Returns false if it does not come to an end.
 */
bool packets_build_virtual(struct packets *packets, const struct packets_shape *shape,
			   const struct packets_windows *windows)
{
	const uint32_t most = 2 * (QUIRE_PT_ENTRIES * 8 + 64) + 128;

	packets->nr_buffers = 0;
	for (size_t i = 0; i < shape->pages; i += QUIRE_PT_ENTRIES) {
		size_t left = shape->pages - i;

		if (!packets->nr_buffers ||
		    PACKETS_BUFFER - packets->sizes[packets->nr_buffers - 1] < most)
			packets->sizes[packets->nr_buffers++] = 0;
		if (packets->nr_buffers > packets->max_buffers ||
		    !append_chunk(packets, shape, windows, i,
				  left < QUIRE_PT_ENTRIES ? left : QUIRE_PT_ENTRIES))
			return false;
	}
	return true;
}

/**
 * packets_entry_bytes - what the entries of a window take
 * @pages: of VRAM
 * @count: of them, up to 512
 */
uint32_t packets_entry_bytes(const uint64_t *pages, uint32_t count)
{
	const struct quire_paging_caps caps = { .max_packet_pages = 1u << 18 };
	static const struct packets_windows windows = { .tables = { 1, 1 } };
	static struct quire_paging_pte entries[512];
	struct quire_paging_args args = map_window(entries, pages, count, QUIRE_SEGMENT_VRAM,
						   &windows, 0);

	return quire_paging_update_bytes(&caps, &args.u.update_page_table);
}

uint64_t packets_bytes(const struct packets *packets)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < packets->nr_buffers; i++)
		bytes += packets->sizes[i];
	return bytes;
}

void packets_free(struct packets *packets)
{
	free(packets->memory);
	free(packets->sizes);
	free(packets->system_runs);
	free(packets->vram_runs);
}
