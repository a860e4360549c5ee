/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A model of the device for packets with virtual addresses, page tables and contexts. */
#ifndef QUIRE_PAGING_SPACE_H
#define QUIRE_PAGING_SPACE_H

#include <linux/types.h>

#include "quire_paging_model.h"

#define QUIRE_SPACE_PAGES	24 /* as many as the model's aperture has */
#define QUIRE_SPACE_VA		0xfffffff8000ull /* the last of them are above 44 bits */
#define QUIRE_SPACE_VIRTUAL	3 /* beside the numbers of segments */

/**
 * struct quire_space - memory that packets are executed on
 * @bytes: of its pages: at QUIRE_SPACE_VA, at the first page of the model's VRAM, at the
 *         first of its system memory and of its aperture
 * @flushes: of the TLB
 *
 * Tables and contexts are pages of it.
 */
struct quire_space {
	u8 bytes[QUIRE_SPACE_PAGES * QUIRE_MODEL_PAGE];
	u32 flushes;
};

void quire_space_reset(struct quire_space *space);
u8 *quire_space_at(struct quire_space *space, u32 segment, u64 address, u64 bytes);
u64 quire_space_entry(const u8 *table, u32 nr);
void quire_space_set(u8 *table, u32 nr, u64 entry);
const char *quire_space_decode(const u8 *bytes, struct quire_model_packet *packet);
const char *quire_space_execute(struct quire_space *space, const u8 *bytes, u32 size, u32 times);

#endif
