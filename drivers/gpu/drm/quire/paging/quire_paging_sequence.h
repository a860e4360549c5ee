/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_SEQUENCE_H
#define QUIRE_PAGING_SEQUENCE_H

#include <linux/types.h>

#include "quire_paging.h"

/**
 * struct quire_paging_sequence - the sub-transfers of one allocation, so far
 * @pending: there was a START, and no END yet
 * @idle: the allocation was waited for since START
 * @operation: what the parts are
 * @converts: the parts are swizzled or unswizzled
 * @allocation: what is moved
 * @source: segment that it leaves
 * @destination: segment that it gets to
 * @transfer_offset: of the next sub-transfer
 * @mdl_offset: of the next sub-transfer
 *
 * All zero: nothing is pending.
 */
struct quire_paging_sequence {
	bool pending;
	bool idle;
	bool converts;
	enum quire_paging_operation operation;
	const struct quire_paging_allocation *allocation;
	u32 source;
	u32 destination;
	u64 transfer_offset;
	u64 mdl_offset;
};

int quire_paging_sequence_check(const struct quire_paging_sequence *sequence,
				const struct quire_paging_args *args);
void quire_paging_sequence_note(struct quire_paging_sequence *sequence,
				const struct quire_paging_args *args);

#endif
