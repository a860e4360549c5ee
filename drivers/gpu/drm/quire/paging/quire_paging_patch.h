/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_PAGING_PATCH_H
#define QUIRE_PAGING_PATCH_H

#include <linux/types.h>

struct quire_paging_buffer;

/**
 * struct quire_paging_patch - what the builder can not know
 * @dummy_page: DMA address, page aligned; what is unmapped points there
 * @mark: DMA address; what WRITE_PHYSICAL writes there, with 8 bytes, is @fence; 0: none
 * @fence: value of the submission in its ring
 * @marks: returned: packets that write @fence
 *
 * Source: DXGKDDI_PATCH.
 */
struct quire_paging_patch {
	u64 dummy_page;
	u64 mark;
	u64 fence;
	u32 marks;
};

int quire_paging_patch(const struct quire_paging_buffer *buffer,
		       struct quire_paging_patch *values);

#endif
