// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * INIT_CONTEXT_RESOURCE and UPDATE_CONTEXT_ALLOCATION: what the device keeps of a context, a
 * page, and its save area, another one.
 */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static u64 init_pages(const struct quire_paging_args *args)
{
	return 1;
}

static int init_check(const struct quire_paging_caps *caps,
		      const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_init_context *init = &args->u.init_context;

	*pages = init_pages(args);
	if (init->is_virtual)
		return init->segment ? -EINVAL :
			quire_paging_check_virtual(init->address, QUIRE_PAGE_SIZE);
	if (init->segment > QUIRE_SEGMENT_APERTURE ||
	    !IS_ALIGNED(init->address, QUIRE_PAGE_SIZE))
		return -EINVAL;

	return quire_paging_check_segment(caps, init->segment,
					  init->address >> QUIRE_PAGE_SHIFT, *pages);
}

static u16 init_flags(const struct quire_paging_init_context *init)
{
	return (init->is_virtual ? QUIRE_ADDRESS_VIRTUAL : 0) |
	       (init->save_area ? QUIRE_INIT_SAVE_AREA : 0);
}

static enum quire_build_status
init_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_init_context *init = &args->u.init_context;
	struct quire_packet_init_context *packet = args->dma_buffer;

	if (!quire_paging_fits(args, sizeof(*packet)))
		return QUIRE_BUILD_FULL;

	packet->segment = cpu_to_le32(init->segment);
	packet->reserved = 0;
	packet->address = cpu_to_le64(init->address);
	quire_paging_commit(args, init_flags(init), sizeof(*packet), QUIRE_PAGE_SIZE, pages);

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_init_context_ops = {
	.name = "INIT_CONTEXT_RESOURCE",
	.opcode = QUIRE_OP_INIT_CONTEXT,
	.check = init_check,
	.pages = init_pages,
	.build = init_build,
};

/* Words of 8 bytes. */
static u64 update_words(const struct quire_paging_args *args)
{
	return args->u.update_context.driver_private_data_size / sizeof(__le64);
}

static int update_check(const struct quire_paging_caps *caps,
			const struct quire_paging_args *args, u64 *words)
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

	*words = update_words(args);
	return end > size ? -ERANGE : 0;
}

static void update_emit(struct quire_paging_args *args, u32 first, u32 words)
{
	const struct quire_paging_update_context *update = &args->u.update_context;
	struct quire_packet_update_context *packet = args->dma_buffer;
	u32 skip = first * sizeof(*packet->data);
	u32 bytes = words * sizeof(*packet->data);

	packet->context = cpu_to_le64(update->context_allocation);
	packet->offset = cpu_to_le32(update->offset + skip);
	packet->bytes = cpu_to_le32(bytes);
	memcpy(packet->data, update->driver_private_data + skip, bytes);
	quire_paging_commit(args, 0, sizeof(*packet) + bytes, bytes, words);
}

static enum quire_build_status
update_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 words)
{
	const size_t fixed = sizeof(struct quire_packet_update_context);

	while (args->multipass_offset < words) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, fixed + sizeof(__le64)))
			return QUIRE_BUILD_FULL;

		update_emit(args, first,
			    min(words - first, (args->dma_size - fixed) / sizeof(__le64)));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_update_context_ops = {
	.name = "UPDATE_CONTEXT_ALLOCATION",
	.opcode = QUIRE_OP_UPDATE_CONTEXT,
	.check = update_check,
	.pages = update_words,
	.build = update_build,
};
