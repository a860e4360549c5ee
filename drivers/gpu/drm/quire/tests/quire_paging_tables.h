/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A model of what the device keeps of fences and notices, and of its MMUs. */
#ifndef QUIRE_PAGING_TABLES_H
#define QUIRE_PAGING_TABLES_H

#include <linux/types.h>

#include "quire_paging_model.h"

#define QUIRE_TABLES_VA		0xfffffffff000ull /* the last page there is */
#define QUIRE_TABLES_FENCES	512

/**
 * struct quire_tables - what packets change
 * @fences: values at QUIRE_TABLES_VA
 * @interrupts: that signals caused
 */
struct quire_tables {
	u64 fences[QUIRE_TABLES_FENCES];
	u32 interrupts;
};

void quire_tables_reset(struct quire_tables *tables);
const char *quire_tables_decode(const u8 *bytes, struct quire_model_packet *packet);
const char *quire_tables_execute(struct quire_tables *tables, const u8 *bytes, u32 size);

#endif
