// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What must hold for each call that the loop makes of the builder. */
#include <string.h>

#include "paging_world.h"

static bool may_wait(const struct quire_paging_args *args)
{
	return args->allocation && args->allocation->needs_idle && !args->allocation_is_idle &&
	       (args->operation == QUIRE_PAGING_TRANSFER ||
		args->operation == QUIRE_PAGING_DISCARD_CONTENT ||
		args->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER);
}

static void check_records(const struct quire_paging_args *before,
			  const struct quire_paging_args *args)
{
	const struct quire_paging_record *record = before->private_data;
	uint32_t offset = before->dma_buffer_write_offset;
	uint32_t least = args->operation == QUIRE_PAGING_INIT_CONTEXT_RESOURCE ? 24 : 32;
	const uint8_t *packet = before->dma_buffer;

	for (; packet < (uint8_t *)args->dma_buffer; record++) {
		uint32_t size = get_le64(packet) >> 32;

		FINDING_IF(record->offset != offset);
		FINDING_IF(!record->bytes != (args->operation == QUIRE_PAGING_FLUSH_TLB));
		FINDING_IF(record->operation != args->operation || record->reserved);
		FINDING_IF(size < least);
		packet += size;
		offset += size;
	}
	FINDING_IF(packet != args->dma_buffer || record != args->private_data);
}

/* Nothing but the window, the token and the builder's own has changed. */
static void check_args(const struct quire_paging_args *before,
		       const struct quire_paging_args *args)
{
	const uint8_t *slot = (uint8_t *)args->dma_buffer - args->dma_buffer_write_offset;
	uint32_t used = before->dma_size - args->dma_size;
	struct quire_paging_args same;
	uint32_t i;

	FINDING_IF(used > before->dma_size || used % 8);
	FINDING_IF((uint8_t *)args->dma_buffer != (uint8_t *)before->dma_buffer + used);
	FINDING_IF(args->dma_buffer_write_offset != before->dma_buffer_write_offset + used);
	for (i = args->dma_buffer_write_offset; i < SLOT_SIZE; i++)
		FINDING_IF(slot[i] != GUARD);

	memcpy(&same, args, sizeof(same));
	same.dma_buffer = before->dma_buffer;
	same.dma_size = before->dma_size;
	same.private_data = before->private_data;
	same.private_data_size = before->private_data_size;
	same.dma_buffer_write_offset = before->dma_buffer_write_offset;
	same.multipass_offset = before->multipass_offset;
	same.progress = before->progress;
	FINDING_IF(memcmp(&same, before, sizeof(same)));
}

/* The builder itself writes a table that the CPU sees, all of it, and needs no window. */
static bool needs_no_window(const struct quire_paging_args *args)
{
	return args->operation == QUIRE_PAGING_UPDATE_PAGE_TABLE &&
	       args->u.update_page_table.update_mode == QUIRE_PAGE_TABLE_CPU_VIRTUAL;
}

/* With what it takes to name one page, and one tile. */
static uint32_t smallest_packet(const struct quire_paging_args *args)
{
	bool converts = args->operation == QUIRE_PAGING_SPECIAL_LOCK_TRANSFER ||
			(args->operation == QUIRE_PAGING_TRANSFER && args->u.transfer.flags & 3);

	return converts ? 96 : 48;
}

enum quire_build_status __wrap_quire_build_paging_buffer(const struct quire_paging_caps *caps,
							 struct quire_paging_args *args)
{
	struct quire_paging_args before;
	enum quire_build_status status;
	bool wrote;

	memcpy(&before, args, sizeof(before));
	status = __real_quire_build_paging_buffer(caps, args);
	check_args(&before, args);
	check_records(&before, args);

	wrote = args->dma_size != before.dma_size;
	FINDING_IF((args->multipass_offset > before.multipass_offset) != wrote &&
		   !needs_no_window(args));
	FINDING_IF(needs_no_window(args) && (wrote || status != QUIRE_BUILD_DONE));
	FINDING_IF(status == QUIRE_BUILD_FULL && !wrote &&
		   before.dma_size >= smallest_packet(args) && before.private_data_size >= 16);
	FINDING_IF(status == QUIRE_BUILD_BUSY && (wrote || !may_wait(&before)));

	return status;
}
