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
