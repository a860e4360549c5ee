// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: Patching
 *
 * The last step before a ring takes a paging buffer: writes into its packets, in place,
 * what is known only now:
 *
 * ======================  ==========================================================
 * packet                  what is written
 * ======================  ==========================================================
 * UNMAP_APERTURE          the address of the dummy page
 * MAP_APERTURE2           the address of the page numbers in the packet itself, if it
 *                         has any
 * WRITE_PHYSICAL          the value of the submission in its ring, if it goes to the mark
 * ======================  ==========================================================
 *
 * The records of a buffer say where its packets are: one after the other, from its first
 * byte to its last. A buffer in which one is not so is refused before anything is written,
 * for whatever is at such a place is no packet. No size changes, so what was patched may be
 * patched again, with other values.
 *
 * Pure, as the builder (quire_paging.c).
 *
 * Source: DXGKDDI_PATCH.
 */
#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/module.h>

#include <asm/byteorder.h>
#include <kunit/visibility.h>

#include "quire_paging_list.h"
#include "quire_paging_patch.h"

/**
 * struct packet_form - what packets of an operation look like
 * @opcode: enum quire_opcode; 0: there is no such operation
 * @size: bytes without a list at the end
 * @exact: there is no list
 */
struct packet_form {
	u16 opcode;
	u16 size;
	bool exact;
};

static const struct packet_form packet_forms[QUIRE_PAGING_OPERATIONS] = {
	[QUIRE_PAGING_TRANSFER] = {
		QUIRE_OP_TRANSFER, sizeof(struct quire_packet_transfer), false },
	[QUIRE_PAGING_FILL] = {
		QUIRE_OP_FILL, sizeof(struct quire_packet_fill), true },
	[QUIRE_PAGING_DISCARD_CONTENT] = {
		QUIRE_OP_DISCARD_CONTENT, sizeof(struct quire_packet_discard), true },
	[QUIRE_PAGING_READ_PHYSICAL] = {
		QUIRE_OP_READ_PHYSICAL, sizeof(struct quire_packet_physical), true },
	[QUIRE_PAGING_WRITE_PHYSICAL] = {
		QUIRE_OP_WRITE_PHYSICAL, sizeof(struct quire_packet_physical), true },
	[QUIRE_PAGING_MAP_APERTURE_SEGMENT] = {
		QUIRE_OP_MAP_APERTURE, sizeof(struct quire_packet_map), false },
	[QUIRE_PAGING_UNMAP_APERTURE_SEGMENT] = {
		QUIRE_OP_UNMAP_APERTURE, sizeof(struct quire_packet_unmap), true },
	[QUIRE_PAGING_SPECIAL_LOCK_TRANSFER] = {
		QUIRE_OP_SPECIAL_LOCK, sizeof(struct quire_packet_special_lock), false },
	[QUIRE_PAGING_VIRTUAL_TRANSFER] = {
		QUIRE_OP_TRANSFER_VIRTUAL, sizeof(struct quire_packet_transfer_virtual), true },
	[QUIRE_PAGING_VIRTUAL_FILL] = {
		QUIRE_OP_FILL_VIRTUAL, sizeof(struct quire_packet_fill_virtual), true },
	[QUIRE_PAGING_INIT_CONTEXT_RESOURCE] = {
		QUIRE_OP_INIT_CONTEXT, sizeof(struct quire_packet_init_context), true },
	[QUIRE_PAGING_UPDATE_PAGE_TABLE] = {
		QUIRE_OP_UPDATE_PAGE_TABLE, sizeof(struct quire_packet_update_page_table), false },
	[QUIRE_PAGING_FLUSH_TLB] = {
		QUIRE_OP_FLUSH_TLB, sizeof(struct quire_packet_flush_tlb), true },
	[QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION] = {
		QUIRE_OP_UPDATE_CONTEXT, sizeof(struct quire_packet_update_context), false },
	[QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES] = {
		QUIRE_OP_COPY_PAGE_TABLE, sizeof(struct quire_packet_copy_page_table), false },
	[QUIRE_PAGING_NOTIFY_RESIDENCY] = {
		QUIRE_OP_NOTIFY_RESIDENCY, sizeof(struct quire_packet_notify_residency), true },
	[QUIRE_PAGING_SIGNAL_MONITORED_FENCE] = {
		QUIRE_OP_SIGNAL_MONITORED, sizeof(struct quire_packet_signal_monitored), true },
	[QUIRE_PAGING_MAP_APERTURE_SEGMENT2] = {
		QUIRE_OP_MAP_APERTURE2, sizeof(struct quire_packet_map2), false },
	[QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY] = {
		QUIRE_OP_NOTIFY_FENCES, sizeof(struct quire_packet_notify_fences), false },
	[QUIRE_PAGING_MAP_MMU] = {
		QUIRE_OP_MAP_MMU, sizeof(struct quire_packet_map_mmu), false },
	[QUIRE_PAGING_UNMAP_MMU] = {
		QUIRE_OP_UNMAP_MMU, sizeof(struct quire_packet_unmap_mmu), true },
	[QUIRE_PAGING_NOTIFY_RESIDENCY2] = {
		QUIRE_OP_NOTIFY_RESIDENCY2, sizeof(struct quire_packet_notify_residency2), false },
	[QUIRE_PAGING_NOTIFY_ALLOC] = {
		QUIRE_OP_NOTIFY_ALLOCATION, sizeof(struct quire_packet_notify_allocation), true },
};

static bool has_array(const struct quire_packet_map2 *packet)
{
	return !(le16_to_cpu(packet->header.flags) & QUIRE_MAP_CONTIGUOUS);
}

/* Is it a packet of that operation, in whole, in @room bytes? Sets its size. */
static bool is_packet(const struct quire_packet_header *header, u32 room,
		      enum quire_paging_operation operation, u32 *size)
{
	const struct packet_form *form;

	if ((u32)operation >= ARRAY_SIZE(packet_forms) || room < sizeof(*header))
		return false;
	form = &packet_forms[operation];
	*size = le32_to_cpu(header->size);
	if (!form->opcode || le16_to_cpu(header->opcode) != form->opcode)
		return false;
	if (*size > room || *size % sizeof(u64))
		return false;
	return form->exact ? *size == form->size : *size >= form->size;
}

static bool is_whole_map2(const struct quire_packet_map2 *map, u32 size)
{
	u64 numbers = has_array(map) ? le32_to_cpu(map->pages) : 0;

	return size == sizeof(*map) + numbers * sizeof(*map->page_numbers);
}

static bool is_whole_update(const struct quire_packet_update_page_table *update, u32 size)
{
	const u16 rules = QUIRE_UPDATE_REPEAT | QUIRE_UPDATE_CONTIGUOUS;
	u64 entries = le16_to_cpu(update->header.flags) & rules ? 1 : le32_to_cpu(update->count);

	return size == sizeof(*update) + entries * sizeof(*update->entries);
}

static bool is_whole_context(const struct quire_packet_update_context *update, u32 size)
{
	return size == sizeof(*update) + (u64)le32_to_cpu(update->bytes);
}

static bool is_whole_copy(const struct quire_packet_copy_page_table *copy, u32 size)
{
	return size > sizeof(*copy) && !((size - sizeof(*copy)) % sizeof(*copy->ranges));
}

static bool is_whole_fences(const struct quire_packet_notify_fences *notice, u32 size)
{
	return size > sizeof(*notice) && !((size - sizeof(*notice)) % sizeof(*notice->fences));
}

static bool is_whole_map_mmu(const struct quire_packet_map_mmu *map, u32 size)
{
	bool contiguous = le16_to_cpu(map->header.flags) & QUIRE_MAP_CONTIGUOUS;
	u64 numbers = contiguous ? 1 : le32_to_cpu(map->pages);

	return size == sizeof(*map) + numbers * sizeof(*map->page_numbers);
}

static bool is_whole_notice(const struct quire_packet_notify_residency2 *notice, u32 size)
{
	bool resident = le16_to_cpu(notice->header.flags) & QUIRE_NOTIFY_RESIDENT;

	return resident == (size > sizeof(*notice));
}

/* The list at the end of a packet has as many numbers as it says. */
static bool is_whole(const void *packet, enum quire_paging_operation operation, u32 size)
{
	switch (operation) {
	case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
		return is_whole_map2(packet, size);
	case QUIRE_PAGING_UPDATE_PAGE_TABLE:
		return is_whole_update(packet, size);
	case QUIRE_PAGING_UPDATE_CONTEXT_ALLOCATION:
		return is_whole_context(packet, size);
	case QUIRE_PAGING_COPY_PAGE_TABLE_ENTRIES:
		return is_whole_copy(packet, size);
	case QUIRE_PAGING_NOTIFY_FENCE_RESIDENCY:
		return is_whole_fences(packet, size);
	case QUIRE_PAGING_MAP_MMU:
		return is_whole_map_mmu(packet, size);
	case QUIRE_PAGING_NOTIFY_RESIDENCY2:
		return is_whole_notice(packet, size);
	default:
		return true;
	}
}

static int patch_check(const struct quire_paging_buffer *buffer)
{
	u32 i, size, end = 0;

	for (i = 0; i < buffer->nr_records; i++) {
		const struct quire_paging_record *record = &buffer->records[i];
		const void *packet = buffer->cpu + end;

		if (record->offset != end ||
		    !is_packet(packet, buffer->used - end, record->operation, &size) ||
		    !is_whole(packet, record->operation, size))
			return -EINVAL;
		end += size;
	}
	return end == buffer->used ? 0 : -EINVAL;
}

static void patch_unmap(struct quire_packet_unmap *packet,
			const struct quire_paging_patch *values)
{
	packet->dummy_page = cpu_to_le64(values->dummy_page);
}

static void patch_map2(struct quire_packet_map2 *packet, u64 address)
{
	if (has_array(packet))
		packet->adl = cpu_to_le64(address + sizeof(*packet));
}

static void patch_write(struct quire_packet_physical *packet, struct quire_paging_patch *values)
{
	if (!values->mark || le32_to_cpu(packet->segment) != QUIRE_SEGMENT_SYSTEM ||
	    le64_to_cpu(packet->address) != values->mark ||
	    le32_to_cpu(packet->size) != sizeof(packet->value))
		return;
	packet->value = cpu_to_le64(values->fence);
	values->marks++;
}

/**
 * quire_paging_patch - write into a buffer what is known right before it is submitted
 * @buffer: written; nobody executes it
 * @values: what to write
 *
 * May be called again, also with other values. Any context.
 *
 * Returns: 0; -EINVAL if the records are not the packets of the buffer, then nothing has
 * changed, and nothing of it may be executed.
 *
 * Source: DXGKDDI_PATCH.
 */
int quire_paging_patch(const struct quire_paging_buffer *buffer,
		       struct quire_paging_patch *values)
{
	int ret = patch_check(buffer);
	u32 i;

	values->marks = 0;
	if (ret)
		return ret;

	for (i = 0; i < buffer->nr_records; i++) {
		const struct quire_paging_record *record = &buffer->records[i];
		void *packet = buffer->cpu + record->offset;

		switch (record->operation) {
		case QUIRE_PAGING_UNMAP_APERTURE_SEGMENT:
			patch_unmap(packet, values);
			break;
		case QUIRE_PAGING_MAP_APERTURE_SEGMENT2:
			patch_map2(packet, buffer->gpu_address + record->offset);
			break;
		case QUIRE_PAGING_WRITE_PHYSICAL:
			patch_write(packet, values);
			break;
		}
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(quire_paging_patch);
