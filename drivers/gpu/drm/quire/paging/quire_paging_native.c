// SPDX-License-Identifier: GPL-2.0 OR MIT
/* NOTIFY_FENCE_RESIDENCY: where the storage of native fences is. */

#include <linux/align.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static u64 notify_count(const struct quire_paging_args *args)
{
	return args->u.notify_fences.num_fences;
}

/* In one page, as it is aligned. */
static int value_check(const struct quire_paging_caps *caps, u64 address)
{
	u32 segment = QUIRE_ADDRESS_SEGMENT(address);

	if (segment > QUIRE_SEGMENT_APERTURE || !IS_ALIGNED(address, sizeof(__le64)))
		return -EINVAL;

	return quire_paging_check_segment(caps, segment,
					  QUIRE_ADDRESS_OFFSET(address) >> QUIRE_PAGE_SHIFT, 1);
}

static int fence_check(const struct quire_paging_caps *caps,
		       const struct quire_paging_fence_residency *fence)
{
	u64 current_value = fence->current_value_address;
	u64 monitored_value = fence->monitored_value_address;

	if (fence->native_fence >= QUIRE_NATIVE_FENCES)
		return -ERANGE;
	if (!fence->owner != !current_value || !current_value != !monitored_value)
		return -EINVAL;
	if (!fence->owner)
		return 0;
	if (!(fence->owner & QUIRE_PTE_VALID))
		return -EINVAL;

	return value_check(caps, current_value) ?: value_check(caps, monitored_value);
}

static int notify_check(const struct quire_paging_caps *caps,
			const struct quire_paging_args *args, u64 *count)
{
	const struct quire_paging_notify_fences *notify = &args->u.notify_fences;
	int err = 0;
	u32 i;

	*count = notify_count(args);
	if (*count && !notify->fences)
		return -EINVAL;
	for (i = 0; i < *count && !err; i++)
		err = fence_check(caps, &notify->fences[i]);

	return err;
}

static void notify_emit(struct quire_paging_args *args, u32 first, u32 count)
{
	const struct quire_paging_fence_residency *from = &args->u.notify_fences.fences[first];
	struct quire_packet_notify_fences *packet = args->dma_buffer;
	u32 i;

	for (i = 0; i < count; i++)
		packet->fences[i] = (struct quire_fence_place) {
			.fence = cpu_to_le32(from[i].native_fence),
			.owner = cpu_to_le64(from[i].owner),
			.current_value = cpu_to_le64(from[i].current_value_address),
			.monitored_value = cpu_to_le64(from[i].monitored_value_address),
		};
	quire_paging_commit(args, 0, sizeof(*packet) + count * sizeof(*packet->fences), 0, count);
}

static enum quire_build_status
notify_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 count)
{
	const size_t fixed = sizeof(struct quire_packet_notify_fences);
	const size_t each = sizeof(struct quire_fence_place);

	while (args->multipass_offset < count) {
		u64 first = args->multipass_offset;

		if (!quire_paging_fits(args, fixed + each))
			return QUIRE_BUILD_FULL;

		notify_emit(args, first, min3(count - first, (u64)caps->max_packet_pages,
					      (u64)(args->dma_size - fixed) / each));
	}

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_notify_fences_ops = {
	.name = "NOTIFY_FENCE_RESIDENCY",
	.opcode = QUIRE_OP_NOTIFY_FENCES,
	.check = notify_check,
	.pages = notify_count,
	.build = notify_build,
};
