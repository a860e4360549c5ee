/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notices of residency for engine tests: their packets, and a model of what they say.
 */
#ifndef QUIRE_TEST_NOTICE_H
#define QUIRE_TEST_NOTICE_H

#include "host.h"

/* A page of the table. */
struct known {
	uint32_t allocation;
	uint32_t offset;
};

/*
 * struct notice - what a packet says
 * @opcode: 19 or 20
 * @resident: it comes
 * @allocation: whose
 * @segment: 1 or 2
 * @offset: first page in the allocation
 * @pages: how many
 * @list: page numbers of the segment, of one that comes
 */
struct notice {
	unsigned int opcode;
	bool resident;
	uint32_t allocation;
	uint32_t segment;
	uint32_t offset;
	uint32_t pages;
	const uint32_t *list;
};

/*
 * struct notices - the table as it should be
 * @host: whose
 * @pages: pages of segment 1 and 2
 * @known: for each of them
 */
struct notices {
	struct host *host;
	uint32_t pages[3];
	struct known *known[3];
};

void packet_residency(struct packets *p, uint16_t flags, uint32_t allocation, uint32_t pages,
		      uint64_t address);
void packet_residency2(struct packets *p, uint16_t flags, uint32_t allocation, uint32_t segment,
		       uint32_t offset, uint32_t pages);
void packet_notice(struct packets *p, const struct notice *notice);

void notices_init(struct notices *table, struct host *host);
void notices_fini(struct notices *table);
void notices_clear(struct notices *table);
bool notices_tell(struct notices *table, const struct notice *notice, uint64_t *addr);
bool notices_same(const struct notices *table);

#endif
