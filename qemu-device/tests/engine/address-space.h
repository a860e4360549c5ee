/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces for engine tests: page tables and contexts that the CPU writes where they
 * are, packets about them, and submissions of a context. All numbers are those of the
 * specification, none is from quire_hw.h.
 */
#ifndef QUIRE_TEST_ADDRESS_SPACE_H
#define QUIRE_TEST_ADDRESS_SPACE_H

#include "runner.h"

/* Bits of an entry. */
#define PTE_VALID	0x1ull
#define PTE_ZERO	0x2ull
#define PTE_COHERENT	0x4ull
#define PTE_READ_ONLY	0x8ull
#define PTE_NO_EXECUTE	0x10ull
#define PTE_SEGMENT(n)	((uint64_t)(n) << 5)
#define PTE_LARGE	0x400ull
#define PTE_64K		0x800ull
#define PTE_ADDRESS	(~0xfffull)

#define SIZE_64K	0x10000ull
#define SIZE_2M		0x200000ull
#define VA_END		0x1000000000000ull

/* Flags of an entry of a ring. */
#define IN_CONTEXT	2u
#define AT_VIRTUAL	4u

/* What FAULT_ACCESS says, without the level. */
#define ACCESS_READ	1u
#define ACCESS_WRITE	2u
#define ACCESS_EXECUTE	4u

#define CONTEXT_MAGIC	0x58544351u
#define ROOT_LEVEL	4u

/* Members of a context, as offsets. */
#define CONTEXT_STATUS	4u
#define CONTEXT_ROOT	8u
#define CONTEXT_ADDRESS	16u
#define CONTEXT_ENTRY	24u
#define CONTEXT_CODE	32u
#define CONTEXT_ACCESS	36u

/*
 * struct pool - memory that tables are taken from, one page after the other
 * @next: address of the next one
 * @end: behind the last one
 */
struct pool {
	uint64_t next;
	uint64_t end;
};

/*
 * struct space - an address space, and how it grows
 * @host: whose memory it is in
 * @pools: of the system segment and of VRAM
 * @segment: where the next table goes: 0 or 1; 2 for either, at random
 * @root: the entry of its root
 */
struct space {
	struct host *host;
	struct pool *pools;
	unsigned int segment;
	uint64_t root;
};

/*
 * struct copied - a range of COPY_PAGE_TABLE
 * @src: virtual address
 * @dst: virtual address
 * @src_start: first entry
 * @dst_start: first entry
 * @count: entries
 */
struct copied {
	uint64_t src;
	uint64_t dst;
	uint32_t src_start;
	uint32_t dst_start;
	uint32_t count;
};

struct host *host_with_tlb(uint64_t vram_size, uint64_t aperture_size, uint64_t slice_looks,
			   uint64_t look_bytes, uint32_t tlb_entries);

uint8_t *place_bytes(struct host *host, unsigned int segment, uint64_t address);
uint64_t place_get(struct host *host, unsigned int segment, uint64_t address);
void place_put(struct host *host, unsigned int segment, uint64_t address, uint64_t value);

void space_init(struct space *space, struct host *host, struct pool *pools,
		unsigned int segment);
uint64_t space_table(struct space *space, uint64_t va, unsigned int level,
		     unsigned int *segment);
uint64_t space_get(struct space *space, uint64_t va, unsigned int level);
void space_set(struct space *space, uint64_t va, unsigned int level, uint64_t entry);
void space_page(struct space *space, uint64_t va, uint64_t entry);
void space_64k(struct space *space, uint64_t va, uint64_t entry);
void space_large(struct space *space, uint64_t va, uint64_t entry);
void space_pages(struct space *space, uint64_t va, uint64_t entry, unsigned int pages);

void context_make(struct host *host, uint64_t context, uint64_t root);
uint32_t context_get32(struct host *host, uint64_t context, unsigned int offset);
uint64_t context_get64(struct host *host, uint64_t context, unsigned int offset);

void host_queue_in(struct host *host, const struct packets *p, uint64_t fence,
		   uint64_t context);
void host_submit_in(struct host *host, const struct packets *p, uint64_t fence,
		    uint64_t context);
void host_submit_at(struct host *host, uint64_t va, uint32_t size, uint64_t fence,
		    uint64_t context);
uint64_t runner_queue_in(struct runner *r, const struct packets *p, uint64_t fence,
			 uint64_t context);
uint64_t runner_submit_in(struct runner *r, const struct packets *p, uint64_t fence,
			  uint64_t context);
void runner_submit_at(struct runner *r, uint64_t va, uint32_t size, uint64_t fence,
		      uint64_t context);

void packet_transfer_virtual(struct packets *p, uint16_t flags, uint32_t direction,
			     uint64_t src, uint64_t dst, uint64_t size);
void packet_fill_virtual(struct packets *p, uint64_t dst, uint64_t size, uint32_t pattern);
void packet_init_context(struct packets *p, uint16_t flags, uint32_t segment,
			 uint64_t address);
void packet_update_table(struct packets *p, uint16_t flags, uint32_t segment, uint32_t level,
			 uint64_t table, uint32_t start, uint32_t count,
			 const uint64_t *entries, unsigned int given);
void packet_table(struct packets *p, uint16_t flags, uint32_t segment, uint32_t level,
		  uint64_t table, uint32_t start, uint32_t count, unsigned int given);
void packet_flush_tlb(struct packets *p, uint64_t root, uint64_t start, uint64_t end);
void packet_update_context(struct packets *p, uint64_t context, uint32_t offset,
			   const uint64_t *data, uint32_t bytes);
void packet_copy_table(struct packets *p, const struct copied *ranges, unsigned int count);
void packet_signal_monitored(struct packets *p, uint16_t flags, uint64_t va, uint64_t value);
void packet_allocation(struct packets *p, uint16_t flags, uint64_t offset, uint64_t size,
		       uint64_t va);
void packet_member(struct packets *p, uint64_t context, uint32_t offset);
void packet_copied(struct packets *p, uint64_t src, uint64_t dst, uint32_t count);

#endif
