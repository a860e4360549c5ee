// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notices of residency for engine tests: see notice.h. The model has no slices, and searches
 * page by page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "notice.h"

void packet_residency(struct packets *p, uint16_t flags, uint32_t allocation, uint32_t pages,
		      uint64_t address)
{
	packet_start(p, 19, flags);
	packet_u32(p, allocation);
	packet_u32(p, pages);
	packet_u64(p, address);
	packet_end(p);
}

/* Without runs: they may follow. */
void packet_residency2(struct packets *p, uint16_t flags, uint32_t allocation, uint32_t segment,
		       uint32_t offset, uint32_t pages)
{
	packet_start(p, 20, flags);
	packet_u32(p, allocation);
	packet_u32(p, segment);
	packet_u32(p, offset);
	packet_u32(p, pages);
	packet_end(p);
}

/* Runs that are as long as they can be. */
static void packet_list(struct packets *p, const uint32_t *list, uint32_t pages)
{
	uint32_t i, n;

	for (i = 0; i < pages; i += n) {
		for (n = 1; i + n < pages && n < 4096 && list[i + n] == list[i] + n; n++)
			;
		packet_run(p, list[i] * PAGE, n);
	}
	packet_end(p);
}

void packet_notice(struct packets *p, const struct notice *notice)
{
	bool comes = notice->resident;

	if (notice->opcode == 19) {
		packet_residency(p, comes, notice->allocation, comes ? notice->pages : 0,
				 comes ? (uint64_t)notice->segment << 56 | notice->list[0] * PAGE :
					 0);
		return;
	}
	packet_residency2(p, comes, notice->allocation, notice->segment, notice->offset,
			  notice->pages);
	if (comes)
		packet_list(p, notice->list, notice->pages);
}

void notices_init(struct notices *table, struct host *host)
{
	unsigned int i;

	table->host = host;
	table->pages[1] = host->memory.vram_size / PAGE;
	table->pages[2] = host->memory.config.aperture_size / PAGE;
	for (i = 1; i <= 2; i++) {
		table->known[i] = calloc(table->pages[i], sizeof(struct known));
		if (!table->known[i])
			abort();
	}
}

void notices_fini(struct notices *table)
{
	free(table->known[1]);
	free(table->known[2]);
}

void notices_clear(struct notices *table)
{
	memset(table->known[1], 0, table->pages[1] * sizeof(struct known));
	memset(table->known[2], 0, table->pages[2] * sizeof(struct known));
}

static bool come(struct notices *table, const struct notice *notice, uint64_t *addr)
{
	struct known *known = table->known[notice->segment];
	uint32_t i, n;

	for (i = 0; i < notice->pages; i++) {
		*addr = (uint64_t)notice->segment << 56 | notice->list[i] * PAGE;
		if (known[notice->list[i]].allocation)
			return false;
		for (n = 0; n < i; n++)
			if (notice->list[n] == notice->list[i])
				return false;
	}
	for (i = 0; i < notice->pages; i++)
		known[notice->list[i]] = (struct known){ notice->allocation, notice->offset + i };
	return true;
}

/* Take what has this offset, or any one, out of a segment; returns how many pages had it. */
static unsigned int take(struct notices *table, uint32_t segment, const struct notice *notice,
			 bool any, uint32_t offset, bool dry)
{
	unsigned int count = 0;
	uint32_t i;

	for (i = 0; i < table->pages[segment]; i++) {
		struct known *known = &table->known[segment][i];

		if (known->allocation != notice->allocation || (!any && known->offset != offset))
			continue;
		count++;
		if (!dry)
			*known = (struct known){ 0 };
	}
	return count;
}

static bool leave(struct notices *table, const struct notice *notice, uint64_t *addr)
{
	uint64_t i;

	if (notice->opcode == 19) {
		*addr = notice->allocation;
		return take(table, 1, notice, true, 0, false) +
		       take(table, 2, notice, true, 0, false);
	}
	for (i = 0; i < notice->pages; i++) {
		*addr = notice->offset + i;
		if (!take(table, notice->segment, notice, false, *addr, true))
			return false;
	}
	for (i = 0; i < notice->pages; i++)
		take(table, notice->segment, notice, false, notice->offset + i, false);
	return true;
}

/* False with the address of the fault if it contradicts. */
bool notices_tell(struct notices *table, const struct notice *notice, uint64_t *addr)
{
	return notice->resident ? come(table, notice, addr) : leave(table, notice, addr);
}

/* So many pages from here go on so, up to 65536. */
static uint32_t goes_on(const struct known *known, uint32_t page, uint32_t pages)
{
	uint32_t n = 1;

	while (n < 65536 && page + n < pages &&
	       known[page + n].allocation == known[page].allocation &&
	       (!known[page].allocation || known[page + n].offset == known[page].offset + n))
		n++;
	return n;
}

static bool page_same(const struct notices *table, uint32_t segment, uint32_t page, bool count)
{
	const struct known *known = &table->known[segment][page];
	struct host *host = table->host;

	memory_host_write(&host->memory, 0xc0, 8, (uint64_t)segment << 56 | page * PAGE);
	if (host_reg(host, 0xc8) == known->allocation && host_reg(host, 0xcc) == known->offset &&
	    (!count || host_reg(host, 0xd0) == goes_on(table->known[segment], page,
						       table->pages[segment])))
		return true;
	printf("#   page %u of segment %u: allocation %u, page %u, %u\n", page, segment,
	       host_reg(host, 0xc8), host_reg(host, 0xcc), host_reg(host, 0xd0));
	return false;
}

/* All of the table, and of some pages how far they go on. */
bool notices_same(const struct notices *table)
{
	bool unchecked = table->host->memory.unchecked, same = true;
	uint32_t segment, page;

	/* Registers are written so often that nothing else is looked at. */
	table->host->memory.unchecked = true;
	for (segment = 1; segment <= 2; segment++)
		for (page = 0; same && page < table->pages[segment]; page++)
			same = page_same(table, segment, page, !(test_random() % 16));
	table->host->memory.unchecked = unchecked;
	return same;
}
