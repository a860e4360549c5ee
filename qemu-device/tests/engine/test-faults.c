// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: every mistake ends in its fault, with code, offset, opcode,
 * address and fence latched, nothing changed, and a ring that works again
 * after it was disabled and enabled.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "address-space.h"
#include "image.h"
#include "notice.h"
#include "tap.h"

#define VRAM		(2 * MIB)
#define APERTURE	(1 * MIB)
#define APERTURE_PAGES	(APERTURE / PAGE)
#define FENCE		0x1122334455667788ull
#define PACKET		(~0ull) /* the address is that of the packet */

/* What a bad packet is expected to latch; the address of @bad replaces PACKET. */
struct bad {
	const char *name;
	enum quire_fault code;
	uint64_t addr;
	void (*build)(struct packets *p);
};

#define BAD(id, fault, address, ...) \
	static void bad_##id(struct packets *p) { __VA_ARGS__; }
#include "bad-packets.h"
#undef BAD

static const struct bad bad_packets[] = {
#define BAD(id, fault, address, ...) { #id, QUIRE_FAULT_##fault, address, bad_##id },
#include "bad-packets.h"
#undef BAD
};

static uint64_t add_words(uint64_t sum, const void *memory, uint64_t size)
{
	uint64_t i, word;

	for (i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, (const uint8_t *)memory + i, sizeof(word));
		sum = (sum ^ word) * 1099511628211ull;
		sum ^= sum >> 32;
	}
	return sum;
}

static uint64_t checksum(const struct host *host)
{
	uint64_t sum = 14695981039346656037ull;

	sum = add_words(sum, host->memory.vram, VRAM);
	sum = add_words(sum, host->memory.regions[0].bytes, DATA_SIZE);
	return add_words(sum, host->memory.engine.aperture, APERTURE_PAGES * sizeof(uint64_t));
}

static struct host *faults_host(void)
{
	struct host *host = host_new(VRAM, APERTURE, 0, 0);

	test_scramble(host->memory.vram, VRAM);
	test_scramble(host_ram(host, RAM_BASE, DATA_SIZE), DATA_SIZE);
	host_ring_setup(host, 4);
	host_set_reg(host, 0x38, 3);
	host_ring_enable(host);
	return host;
}

/* Does the ring execute a good submission, after a restart? */
static bool lives(struct host *host)
{
	static struct packets p;
	uint32_t old = host_get32(host, RAM_BASE);
	uint32_t reg;

	p.size = 0;
	packet_signal(&p, RAM_BASE, 0x600df00d);
	host_ring_restart(host);
	for (reg = 0x24; reg < 0x40; reg += 4)
		if (host_ring_reg(host, reg))
			return false;
	host_submit(host, &p, 77);
	if (!host_run(host) || host_ring_reg(host, 0x18) || host_get64(host, FENCE_PAGE) != 77)
		return false;
	if (host_get32(host, RAM_BASE) != 0x600df00d)
		return false;
	host_put32(host, RAM_BASE, old);
	return true;
}

static bool latched(struct host *host, uint32_t code, uint32_t offset, uint32_t opcode,
		    uint64_t addr, uint64_t fence)
{
	bool good = host_ring_reg(host, 0x24) == code && host_ring_reg(host, 0x28) == offset &&
		    host_ring_reg(host, 0x2c) == opcode && host_ring_reg64(host, 0x30) == addr &&
		    host_ring_reg64(host, 0x38) == fence &&
		    host_ring_reg(host, 0x18) == QUIRE_RING_STATUS_FAULT &&
		    host_reg(host, 0x34) & QUIRE_INT_FAULT &&
		    host->memory.interrupts[QUIRE_VECTOR_FAULT] == 1 && host->memory.errors == 1;

	if (!good)
		printf("#   code %u (%u) offset 0x%x (0x%x) opcode 0x%x (0x%x) addr 0x%" PRIx64
		       " (0x%" PRIx64 ") fence 0x%" PRIx64 " status %u interrupts %u errors %u\n",
		       host_ring_reg(host, 0x24), code, host_ring_reg(host, 0x28), offset,
		       host_ring_reg(host, 0x2c), opcode, host_ring_reg64(host, 0x30), addr,
		       host_ring_reg64(host, 0x38), host_ring_reg(host, 0x18),
		       host->memory.interrupts[QUIRE_VECTOR_FAULT], host->memory.errors);
	return good;
}

/* A good packet, the bad one, and a good one that must not be executed. */
static void test_bad_packet(const struct bad *bad)
{
	static struct packets p;
	struct host *host = faults_host();
	uint32_t offset, opcode, i;
	uint64_t before, addr;

	p.size = 0;
	packet_physical(&p, 5, 1, 16, 1, host->memory.vram[16]);
	offset = p.size;
	p.start = p.size;
	bad->build(&p);
	opcode = p.bytes[offset] | p.bytes[offset + 1] << 8 | p.bytes[offset + 2] << 16 |
		 (uint32_t)p.bytes[offset + 3] << 24;
	packet_fill(&p, 1, 0, VRAM, 0xbadbad);
	before = checksum(host);
	host_submit(host, &p, FENCE);
	addr = bad->addr == PACKET ? BUFFER + offset : bad->addr;
	host_run(host);
	ok(latched(host, bad->code, offset, opcode, addr, FENCE), "%s: latched", bad->name);
	ok(checksum(host) == before, "%s: nothing changed", bad->name);
	ok(host_ring_reg(host, 0x1c) == 0 && host_ring_reg(host, 0x20) == offset &&
	   !host_get64(host, FENCE_PAGE) && !host_get32(host, FENCE_PAGE + 8),
	   "%s: stopped at the packet", bad->name);
	for (i = 0; i < 3; i++)
		host_ring_doorbell(host);
	ok(!memory_host_run(&host->memory) && host->memory.interrupts[QUIRE_VECTOR_FAULT] == 1 &&
	   checksum(host) == before, "%s: stays stopped", bad->name);
	ok(lives(host), "%s: lives", bad->name);
	host_free(host);
}

/* Faults of system memory in the middle of good packets. */
static void test_dma(const char *name, uint32_t code, uint64_t addr,
		     void (*build)(struct packets *p))
{
	static struct packets p;
	struct host *host = faults_host();
	uint32_t opcode;

	p.size = 0;
	build(&p);
	opcode = p.bytes[0] | p.bytes[1] << 8;
	host_submit(host, &p, FENCE);
	host_run(host);
	ok(latched(host, code, 0, opcode, addr, FENCE), "%s: latched", name);
	ok(lives(host), "%s: lives", name);
	host_free(host);
}

static void dma_read(struct packets *p)
{
	packet_transfer(p, 0, 0, 1, 0, 2 * PAGE);
	packet_run(p, RAM_BASE, 1);
	packet_run(p, HOLE, 1);
	packet_end(p);
}

static void dma_write(struct packets *p)
{
	packet_transfer(p, 1, 0, 0, 0, 2 * PAGE);
	packet_run(p, RAM_BASE, 1);
	packet_run(p, ROM_BASE, 1);
	packet_end(p);
}

static void dma_end(struct packets *p)
{
	packet_transfer(p, 1, 0, 0, 0, 2 * PAGE);
	packet_run(p, RAM_BASE + RAM_SIZE - PAGE, 2);
	packet_end(p);
}

/* What stands before the page that is no memory was copied, nothing after it. */
static void test_dma_part(unsigned int pages, unsigned int hole)
{
	static struct packets p;
	struct host *host = faults_host();
	uint8_t *vram = host->memory.vram;
	unsigned int i;
	bool good;

	p.size = 0;
	packet_transfer(&p, 0, 0, 1, 0, pages * PAGE);
	for (i = 0; i < pages; i++)
		packet_run(&p, i == hole ? HOLE : RAM_BASE + 2 * i * PAGE, 1);
	packet_end(&p);
	memset(vram, 0xee, pages * PAGE);
	host_submit(host, &p, FENCE);
	host_run(host);
	good = host_ring_reg64(host, 0x40) == hole * PAGE;
	for (i = 0; i < hole; i++)
		good &= !memcmp(vram + i * PAGE, host_ram(host, RAM_BASE + 2 * i * PAGE, PAGE),
				PAGE);
	for (i = hole * PAGE; i < pages * PAGE; i++)
		good &= vram[i] == 0xee && !host->dirty[i];
	ok(good, "transfer of %u pages, page %u is no memory: the others before it", pages, hole);
	ok(latched(host, QUIRE_FAULT_DMA, 0, 1, HOLE, FENCE), "and the fault");
	host_free(host);
}

/* Both sides are system memory, and only the destination fails: the source is let go. */
static void dma_both(struct packets *p)
{
	packet_map(p, 0, 1, 0);
	packet_run(p, RAM_BASE, 1);
	packet_end(p);
	packet_transfer(p, 2, 0, 0, 0, PAGE);
	packet_run(p, ROM_BASE, 1);
	packet_end(p);
}

static void dma_both_backward(struct packets *p)
{
	packet_map(p, 0, 2, 0);
	packet_run(p, ROM_BASE, 1);
	packet_run(p, ROM_BASE, 1);
	packet_end(p);
	packet_transfer(p, 2, 0, 2, 8, PAGE);
}

static void test_dma_both(const char *name, void (*build)(struct packets *p))
{
	static struct packets p;
	struct host *host = faults_host();
	uint32_t map;

	p.size = 0;
	build(&p);
	map = p.bytes[4];
	host_submit(host, &p, FENCE);
	host_run(host);
	ok(latched(host, QUIRE_FAULT_DMA, map, 1, ROM_BASE, FENCE), "%s: latched", name);
	ok(!host->memory.mapped, "%s: nothing stays mapped", name);
	host_free(host);
}

static void dma_physical_read(struct packets *p)
{
	packet_physical(p, 4, 0, HOLE + 5, 3, 0);
}

static void dma_physical_write(struct packets *p)
{
	packet_physical(p, 5, 0, ROM_BASE + 5, 3, 1);
}

static void dma_signal(struct packets *p)
{
	packet_signal(p, ROM_BASE + 8, 1);
}

/* @mistake spoils what the driver prepared; then the ring is started. */
static void test_ring_mistake(const char *name, uint32_t code, uint64_t addr, uint64_t fence,
			      void (*mistake)(struct host *host))
{
	static struct packets p;
	struct host *host = faults_host();
	uint64_t before = checksum(host);

	p.size = 0;
	packet_signal(&p, RAM_BASE, host_get64(host, RAM_BASE));
	host_queue(host, &p, FENCE, 0);
	host_ring_disable(host);
	mistake(host);
	host_set_reg(host, 0x1014, 1);
	host_run(host);
	ok(latched(host, code, 0, 0, addr, fence), "%s: latched", name);
	ok(checksum(host) == before, "%s: nothing changed", name);
	host_ring_disable(host);
	ok(host_ring_reg(host, 0x24) == code, "%s: still latched when disabled", name);
	host_ring_setup(host, 4);
	ok(lives(host), "%s: lives", name);
	host_free(host);
}

#define MISTAKE(id, ...) static void mistake_##id(struct host *host) { __VA_ARGS__; }
MISTAKE(order, host_set_reg(host, 0x1010, 13))
MISTAKE(order_huge, host_set_reg(host, 0x1010, ~0u))
MISTAKE(entries, host_set_reg64(host, 0x1000, ENTRIES + 8))
MISTAKE(entries_wrap, host_set_reg64(host, 0x1000, ~0xfffull); host_set_reg(host, 0x1010, 8))
MISTAKE(fence, host_set_reg64(host, 0x1008, FENCE_PAGE + 64))
MISTAKE(entries_hole, host_set_reg64(host, 0x1000, HOLE))
MISTAKE(fence_hole, host_set_reg64(host, 0x1008, HOLE))
MISTAKE(fence_zero, host_set_reg64(host, 0x1008, 0))
MISTAKE(wptr_far, host_put32(host, FENCE_PAGE + 64, 17))
MISTAKE(wptr_behind, host_put32(host, FENCE_PAGE + 64, ~0u))
MISTAKE(entry_flags, host_entry(host, 0, BUFFER, 24, 8, FENCE, 0))
MISTAKE(entry_reserved, host_entry(host, 0, BUFFER, 24, 0, FENCE, 1ull << 63))
MISTAKE(entry_addr, host_entry(host, 0, BUFFER + 4, 24, 0, FENCE, 0))
MISTAKE(entry_size, host_entry(host, 0, BUFFER, 20, 0, FENCE, 0))
MISTAKE(entry_long, host_entry(host, 0, BUFFER, QUIRE_MAX_SUBMISSION + 8, 0, FENCE, 0))
MISTAKE(entry_huge, host_entry(host, 0, BUFFER, ~7u, 0, FENCE, 0))
MISTAKE(entry_wrap, host_entry(host, 0, ~7ull, 16, 0, FENCE, 0))
MISTAKE(buffer_hole, host_entry(host, 0, HOLE, 24, 0, FENCE, 0))
MISTAKE(buffer_end, host_entry(host, 0, RAM_BASE + RAM_SIZE - 16, 24, 0, FENCE, 0))

static void test_ring_mistakes(void)
{
	test_ring_mistake("order", QUIRE_FAULT_BAD_RING, 13, 0, mistake_order);
	test_ring_mistake("order huge", QUIRE_FAULT_BAD_RING, ~0u, 0, mistake_order_huge);
	test_ring_mistake("entries", QUIRE_FAULT_BAD_RING, ENTRIES + 8, 0, mistake_entries);
	test_ring_mistake("entries wrap", QUIRE_FAULT_BAD_RING, ~0xfffull, 0,
			  mistake_entries_wrap);
	test_ring_mistake("fence page", QUIRE_FAULT_BAD_RING, FENCE_PAGE + 64, 0, mistake_fence);
	test_ring_mistake("entries hole", QUIRE_FAULT_RING_DMA, HOLE, 0, mistake_entries_hole);
	test_ring_mistake("fence page hole", QUIRE_FAULT_RING_DMA, HOLE + 64, 0,
			  mistake_fence_hole);
	test_ring_mistake("fence page 0", QUIRE_FAULT_RING_DMA, 64, 0, mistake_fence_zero);
	test_ring_mistake("wptr far", QUIRE_FAULT_BAD_WPTR, 17, 0, mistake_wptr_far);
	test_ring_mistake("wptr behind", QUIRE_FAULT_BAD_WPTR, ~0u, 0, mistake_wptr_behind);
	test_ring_mistake("entry flags", QUIRE_FAULT_BAD_ENTRY, ENTRIES, FENCE,
			  mistake_entry_flags);
	test_ring_mistake("entry reserved", QUIRE_FAULT_BAD_ENTRY, ENTRIES, FENCE,
			  mistake_entry_reserved);
	test_ring_mistake("entry addr", QUIRE_FAULT_BAD_ENTRY, ENTRIES, FENCE,
			  mistake_entry_addr);
	test_ring_mistake("entry size", QUIRE_FAULT_BAD_ENTRY, ENTRIES, FENCE,
			  mistake_entry_size);
	test_ring_mistake("entry long", QUIRE_FAULT_BAD_ENTRY, ENTRIES, FENCE,
			  mistake_entry_long);
	test_ring_mistake("entry huge", QUIRE_FAULT_BAD_ENTRY, ENTRIES, FENCE,
			  mistake_entry_huge);
	test_ring_mistake("entry wrap", QUIRE_FAULT_BAD_ENTRY, ENTRIES, FENCE,
			  mistake_entry_wrap);
	test_ring_mistake("buffer hole", QUIRE_FAULT_BUFFER_DMA, HOLE, FENCE,
			  mistake_buffer_hole);
	test_ring_mistake("buffer end", QUIRE_FAULT_BUFFER_DMA, RAM_BASE + RAM_SIZE, FENCE,
			  mistake_buffer_end);
}

/* The fence page can be read but not written: the data is done, then a fault. */
static void test_fence_dma(void)
{
	static struct packets p;
	struct host *host = faults_host();

	p.size = 0;
	packet_signal(&p, RAM_BASE, 42);
	host_queue(host, &p, FENCE, QUIRE_ENTRY_IRQ);
	host_ring_disable(host);
	host_set_reg64(host, 0x1008, ROM_BASE);
	memcpy(host_ram(host, ROM_BASE, PAGE), host_ram(host, FENCE_PAGE, PAGE), PAGE);
	host_set_reg(host, 0x1014, 1);
	host_run(host);
	ok(latched(host, QUIRE_FAULT_FENCE_DMA, 24, 0, ROM_BASE, FENCE), "fence page: latched");
	is(host_get64(host, RAM_BASE), 42, "fence page: the packet was executed");
	is(host->memory.interrupts[QUIRE_VECTOR_FENCE], 0, "fence page: no fence interrupt");
	is(host_ring_reg(host, 0x1c), 0, "fence page: not completed");
	host_ring_disable(host);
	host_ring_setup(host, 4);
	ok(lives(host), "fence page: lives");
	host_free(host);
}

/* A copy of which one end is mapped, the other never was: none of it is done. */
static void test_aperture_part(uint64_t address, uint64_t missing)
{
	static struct packets p;
	struct host *host = faults_host();
	uint64_t before;

	p.size = 0;
	packet_map(&p, 1, 2, 0);
	packet_run(&p, RAM_BASE, 2);
	packet_end(&p);
	host_submit(host, &p, 1);
	host_run(host);
	before = checksum(host);
	p.size = 0;
	packet_transfer(&p, 2, address, 1, 0, 2 * PAGE);
	host_submit(host, &p, FENCE);
	host_run(host);
	ok(latched(host, QUIRE_FAULT_APERTURE, 0, QUIRE_OP_TRANSFER, missing, FENCE),
	   "aperture, no page at 0x%" PRIx64 ": latched", missing);
	ok(checksum(host) == before, "aperture, no page at 0x%" PRIx64 ": nothing changed",
	   missing);
	host_free(host);
}

/* The same where pages are counted by chunks of 512: one is missing among many. */
static void test_aperture_chunks(uint32_t missing)
{
	static struct packets p;
	struct host *host = host_new(8 * MIB, 8 * MIB, 0, 0);
	uint32_t pages = 2048, at;
	bool changed = false;

	p.size = 0;
	host_ring_setup(host, 4);
	host_ring_enable(host);
	if (missing)
		packet_unmap(&p, 0, missing, RAM_BASE);
	if (missing + 1 < pages)
		packet_unmap(&p, missing + 1, pages - missing - 1, RAM_BASE);
	packet_transfer(&p, 2, 0, 1, 0, pages * PAGE);
	host_submit(host, &p, FENCE);
	host_run(host);
	is(host_ring_reg(host, 0x24), QUIRE_FAULT_APERTURE, "aperture, a page of 2048: fault");
	is(host_ring_reg64(host, 0x30), missing * PAGE, "aperture, a page of 2048: which");
	for (at = 0; at < pages; at++)
		changed |= host->dirty[at * PAGE];
	ok(!changed, "aperture, a page of 2048: nothing changed");
	host_free(host);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_packets); i++)
		test_bad_packet(&bad_packets[i]);
	test_dma("transfer from a hole", QUIRE_FAULT_DMA, HOLE, dma_read);
	test_dma("transfer to a ROM", QUIRE_FAULT_DMA, ROM_BASE, dma_write);
	test_dma("transfer past the end of memory", QUIRE_FAULT_DMA, RAM_BASE + RAM_SIZE,
		 dma_end);
	test_dma("physical read from a hole", QUIRE_FAULT_DMA, HOLE + 5, dma_physical_read);
	test_dma("physical write to a ROM", QUIRE_FAULT_DMA, ROM_BASE + 5, dma_physical_write);
	test_dma("signal to a ROM", QUIRE_FAULT_FENCE_DMA, ROM_BASE + 8, dma_signal);
	test_dma_both("copy to a ROM", dma_both);
	test_dma_both("copy to a ROM from the end", dma_both_backward);
	test_dma_part(40, 0);
	test_dma_part(40, 15);
	test_dma_part(40, 16);
	test_dma_part(40, 39);
	test_aperture_part(PAGE + 1, 3 * PAGE);
	test_aperture_part(8, 0);
	test_aperture_chunks(0);
	test_aperture_chunks(511);
	test_aperture_chunks(512);
	test_aperture_chunks(1800);
	test_aperture_chunks(2047);
	test_ring_mistakes();
	test_fence_dma();
	return tap_done();
}
