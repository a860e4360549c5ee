// SPDX-License-Identifier: GPL-2.0 OR MIT
/* FLUSH_TLB: forget translations of an address space. */

#include <linux/errno.h>

#include <asm/byteorder.h>

#include "quire_paging_internal.h"
#include "quire_paging_pte.h"

static u64 flush_pages(const struct quire_paging_args *args)
{
	return 1;
}

static int flush_check(const struct quire_paging_caps *caps,
		       const struct quire_paging_args *args, u64 *pages)
{
	const struct quire_paging_flush_tlb *flush = &args->u.flush_tlb;
	u64 start = flush->start_virtual_address;
	u64 end = flush->end_virtual_address;
	int err;

	if (!(flush->root.flags & QUIRE_PTE_VALID))
		return -EINVAL;
	err = quire_paging_pte_check(caps, &flush->root, QUIRE_PT_LEVELS - 1, false);
	if (!err)
		err = quire_paging_check_virtual(start, 0);
	if (!err)
		err = quire_paging_check_virtual(end, 0);
	if (err)
		return err;

	*pages = flush_pages(args);
	return start < end || (!start && !end) ? 0 : -EINVAL;
}

static enum quire_build_status
flush_build(const struct quire_paging_caps *caps, struct quire_paging_args *args, u64 pages)
{
	const struct quire_paging_flush_tlb *flush = &args->u.flush_tlb;
	struct quire_packet_flush_tlb *packet = args->dma_buffer;

	if (!quire_paging_fits(args, sizeof(*packet)))
		return QUIRE_BUILD_FULL;

	packet->root = cpu_to_le64(quire_paging_pte_word(&flush->root));
	packet->start = cpu_to_le64(flush->start_virtual_address);
	packet->end = cpu_to_le64(flush->end_virtual_address);
	quire_paging_commit(args, 0, sizeof(*packet), 0, pages);

	return QUIRE_BUILD_DONE;
}

const struct quire_paging_operation_ops quire_paging_flush_tlb_ops = {
	.name = "FLUSH_TLB",
	.opcode = QUIRE_OP_FLUSH_TLB,
	.check = flush_check,
	.pages = flush_pages,
	.build = flush_build,
};
