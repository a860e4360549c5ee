// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Operations that are a few bytes: INIT_CONTEXT_RESOURCE and UPDATE_CONTEXT_ALLOCATION, of a
 * context or its save area, a page each; SIGNAL_MONITORED_FENCE; READ_PHYSICAL and
 * WRITE_PHYSICAL.
 */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

int quire_paging_init_context_check(const struct quire_paging_caps *caps,
				    const struct quire_paging_args *args)
{
	const struct quire_paging_init_context *init = &args->u.init_context;

	if (init->is_virtual)
		return init->segment ? -EINVAL :
			quire_paging_check_virtual(init->address, QUIRE_PAGE_SIZE);
	if (init->segment > QUIRE_SEGMENT_APERTURE ||
	    !IS_ALIGNED(init->address, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return quire_paging_check_segment(caps, init->segment,
					  init->address >> QUIRE_PAGE_SHIFT, 1);
}

void quire_paging_init_context_emit(struct quire_paging_args *args,
				    struct quire_paging_packet *packet)
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

/* Words of 8 bytes. */
u64 quire_paging_update_context_units(const struct quire_paging_args *args)
{
	return args->u.update_context.driver_private_data_size / sizeof(__le64);
}

int quire_paging_update_context_check(const struct quire_paging_caps *caps,
				      const struct quire_paging_args *args)
{
	const struct quire_paging_update_context *update = &args->u.update_context;
	u64 size = min(update->context_allocation_size, QUIRE_PAGE_SIZE);
	u64 end = (u64)update->offset + update->driver_private_data_size;
	int err;

	if (!IS_ALIGNED(update->driver_private_data_size, sizeof(__le64)) ||
	    !IS_ALIGNED(update->offset, sizeof(__le64)))
		return -EINVAL;
	if (update->driver_private_data_size && !update->driver_private_data)
		return -EINVAL;

	err = quire_paging_check_virtual(update->context_allocation,
					 update->context_allocation_size);
	if (err)
		return err;

	return end > size ? -ERANGE : 0;
}

void quire_paging_update_context_emit(struct quire_paging_args *args,
				      struct quire_paging_packet *packet)
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
int quire_paging_signal_fence_check(const struct quire_paging_caps *caps,
				    const struct quire_paging_args *args)
{
	u64 address = args->u.signal_fence.monitored_fence_gpu_va;

	if (!IS_ALIGNED(address, sizeof(__le64)))
		return -EINVAL;

	return quire_paging_check_virtual(ALIGN_DOWN(address, QUIRE_PAGE_SIZE), QUIRE_PAGE_SIZE);
}

void quire_paging_signal_fence_emit(struct quire_paging_args *args,
				    struct quire_paging_packet *packet)
{
	const struct quire_paging_signal_fence *signal = &args->u.signal_fence;
	struct quire_packet_signal_monitored *body = packet->at;

	body->address = cpu_to_le64(signal->monitored_fence_gpu_va);
	body->value = cpu_to_le64(signal->monitored_fence_value);
	packet->flags = QUIRE_SIGNAL_IRQ;
	packet->bytes = sizeof(body->value);
}

int quire_paging_physical_check(const struct quire_paging_caps *caps,
				const struct quire_paging_args *args)
{
	const struct quire_paging_physical *physical = &args->u.physical;
	u64 address = physical->physical_address;

	if (args->operation == QUIRE_PAGING_READ_PHYSICAL && physical->value)
		return -EINVAL;
	if (physical->segment > QUIRE_SEGMENT_APERTURE)
		return -EINVAL;
	if (physical->size < 1 || physical->size > sizeof(physical->value))
		return -EINVAL;
	if ((address & (QUIRE_PAGE_SIZE - 1)) + physical->size > QUIRE_PAGE_SIZE)
		return -EINVAL;

	return quire_paging_check_segment(caps, physical->segment, address >> QUIRE_PAGE_SHIFT, 1);
}

void quire_paging_physical_emit(struct quire_paging_args *args, struct quire_paging_packet *packet)
{
	const struct quire_paging_physical *physical = &args->u.physical;
	struct quire_packet_physical *body = packet->at;

	body->segment = cpu_to_le32(physical->segment);
	body->size = cpu_to_le32(physical->size);
	body->address = cpu_to_le64(physical->physical_address);
	body->value = cpu_to_le64(physical->value);
	packet->bytes = physical->size;
}
