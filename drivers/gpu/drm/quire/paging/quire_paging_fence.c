// SPDX-License-Identifier: GPL-2.0 OR MIT
/* SIGNAL_MONITORED_FENCE: write the value that somebody waits for. */

#include <linux/align.h>
#include <linux/errno.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"

static u64 signal_pages(const struct quire_paging_args *args)
{
	return 1;
}

/* The value is in one page, as it is aligned. */
static int signal_check(const struct quire_paging_caps *caps,
			const struct quire_paging_args *args, u64 *pages)
{
	u64 address = args->u.signal_fence.monitored_fence_gpu_va;

	if (!IS_ALIGNED(address, sizeof(__le64)))
		return -EINVAL;

	*pages = signal_pages(args);
	return quire_paging_check_virtual(ALIGN_DOWN(address, QUIRE_PAGE_SIZE), QUIRE_PAGE_SIZE);
}

static enum quire_build_status
signal_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_signal_fence *signal = &args->u.signal_fence;
	struct quire_packet_signal_monitored *packet = args->dma_buffer;

	if (!quire_paging_fits(args, sizeof(*packet)))
		return QUIRE_BUILD_FULL;

	packet->address = cpu_to_le64(signal->monitored_fence_gpu_va);
	packet->value = cpu_to_le64(signal->monitored_fence_value);
	quire_paging_commit(args, QUIRE_SIGNAL_IRQ, sizeof(*packet), sizeof(packet->value), pages);

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_signal_fence_ops = {
	.name = "SIGNAL_MONITORED_FENCE",
	.opcode = QUIRE_OP_SIGNAL_MONITORED,
	.check = signal_check,
	.pages = signal_pages,
	.build = signal_build,
};
