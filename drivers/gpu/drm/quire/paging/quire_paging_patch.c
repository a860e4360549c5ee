// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Patching
 *
 * The last step before a ring takes a paging buffer: writes into its packets, in place, what is
 * known only now:
 *
 * ======================  ==========================================================
 * packet                  what is written
 * ======================  ==========================================================
 * UNMAP_APERTURE          the address of the dummy page
 * MAP_APERTURE2           the address of the page numbers in the packet itself, if it
 *                         has any
 * WRITE_PHYSICAL          the value of the submission in its ring, if it is a paging barrier
 * ======================  ==========================================================
 *
 * The records of a buffer say where its packets are, one after the other. A buffer in which one is
 * not so is refused before anything is written, for whatever is at such a place is no packet. What
 * was patched may be patched again, with other values. Pure, as the builder. The original is
 * DXGKDDI_PATCH.
 */
#include <linux/module.h>

#include <kunit/visibility.h>

#include "quire_paging_internal.h"
#include "quire_paging_list.h"

/* Has the list of a packet as many bytes as the packet says? */
static bool is_whole(const struct quire_packet_header *header,
		     enum quire_paging_operation operation, bool has_list, u32 bytes)
{
	const struct quire_packet_update_page_table *update = (const void *)header;
	const struct quire_packet_update_context *context = (const void *)header;
	const struct quire_packet_map_mmu *map_mmu = (const void *)header;
	const struct quire_packet_map2 *map2 = (const void *)header;
	u16 flags = le16_to_cpu(header->flags);
	u64 numbers;

	switch (operation) {
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		numbers = flags & QUIRE_MAP_CONTIGUOUS ? 0 : le32_to_cpu(map2->pages);
		break;
	case QUIRE_PAGING_UPDATE_PAGE_TABLE:
		numbers = flags & (QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_CONTIGUOUS) ?
			  1 : le32_to_cpu(update->count);
		break;
	case QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION:
		return bytes == le32_to_cpu(context->bytes);
	case QUIRE_PAGING_MAP_MMU:
		numbers = flags & QUIRE_MAP_CONTIGUOUS ? 1 : le32_to_cpu(map_mmu->pages);
		break;
	case QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES:
		return bytes && bytes % sizeof(struct quire_copy_range) == 0;
	case QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY:
		return bytes && bytes % sizeof(struct quire_fence_place) == 0;
	case QUIRE_PAGING_NOTIFY_RESIDENCY2:
		return !bytes == !(flags & QUIRE_NOTIFY_RESIDENT);
	default:
		return has_list || !bytes;
	}
	return bytes == numbers * sizeof(__le64);
}

static int patch_check(const struct quire_paging_buffer *buffer)
{
	u32 i, end = 0;

	for (i = 0; i < buffer->nr_records; i++) {
		const struct quire_paging_record *record = &buffer->records[i];
		const struct quire_paging_operation_ops *ops =
			quire_paging_find_operation(record->operation);
		const struct quire_packet_header *header = buffer->cpu + end;
		u32 size, room = buffer->used - end;

		if (record->offset != end || !ops || room < sizeof(*header))
			return -EINVAL;
		size = le32_to_cpu(header->size);
		if (le16_to_cpu(header->opcode) != ops->opcode || size > room ||
		    size % sizeof(u64) || size < ops->size ||
		    !is_whole(header, record->operation, ops->has_list, size - ops->size))
			return -EINVAL;
		end += size;
	}
	return end == buffer->used ? 0 : -EINVAL;
}

/**
 * quire_paging_patch - write into a buffer what is known right before it is submitted
 * @buffer: written; not being executed
 * @values: what to write
 *
 * Returns: 0; -EINVAL if the records are not the packets of the buffer, then nothing has changed,
 * and nothing of it may be executed.
 */
int quire_paging_patch(const struct quire_paging_buffer *buffer,
		       struct quire_paging_patch *values)
{
	int ret = patch_check(buffer);
	u32 i;

	values->marks = 0;
	for (i = 0; i < buffer->nr_records && !ret; i++) {
		const struct quire_paging_record *record = &buffer->records[i];
		void *packet = buffer->cpu + record->offset;
		struct quire_packet_unmap *unmap = packet;
		struct quire_packet_map2 *map2 = packet;
		struct quire_packet_physical *write = packet;

		switch (record->operation) {
		case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
			unmap->dummy_page = cpu_to_le64(values->dummy_page);
			break;
		case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
			if (!(le16_to_cpu(map2->header.flags) & QUIRE_MAP_CONTIGUOUS))
				map2->adl = cpu_to_le64(buffer->gpu_address + record->offset +
							sizeof(*map2));
			break;
		case QUIRE_PAGING_WRITE_PHYSICAL:
			if (!values->mark || le32_to_cpu(write->segment) != QUIRE_SEGMENT_SYSTEM ||
			    le64_to_cpu(write->address) != values->mark ||
			    le32_to_cpu(write->size) != sizeof(write->value))
				break;
			write->value = cpu_to_le64(values->fence);
			values->marks++;
			break;
		}
	}
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_patch);
