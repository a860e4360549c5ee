// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Seeds: what a guest can do with rings, their entries, and memory that is none.
 */
#include "runner.h"
#include "seeds.h"

static struct packets packets;

/* One fill of VRAM, as work. */
static struct packets *fill(void)
{
	packets.size = 0;
	packet_fill(&packets, QUIRE_SEGMENT_VRAM, 0, 4096, 0x11223344);
	return &packets;
}

/* The same for an execution ring. */
static struct packets *command_of_fill(void)
{
	packets.size = 0;
	command_fill(&packets, IN_VRAM(0), 4096, 0x11223344);
	return &packets;
}

void seed_start_work(struct seed *seed, uint64_t entries, uint64_t fence_page)
{
	seed_ring(seed, entries, fence_page, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, seed->ring ? command_of_fill() : fill());
	seed_idle(seed, 1);
	seed_enable(seed);
}

/* The ring works, whatever was before. */
void seed_work(struct seed *seed)
{
	seed_forget(seed);
	seed_disable(seed);
	seed_start_work(seed, ENTRIES, FENCE_PAGE);
	seed_reach_done(seed);
}

void seed_stop_thread(struct seed *seed)
{
	seed_reach(seed, "quire_thread_start ring %u", seed->ring);
	seed_reach(seed, "quire_thread_end ring %u", seed->ring);
	seed_work(seed);
}

/* A long copy is at work in another thread when the function is reset, or its DMA ends. */
static void thread_and_config(struct seed *seed, uint8_t offset, uint32_t value)
{
	packets.size = 0;
	packet_transfer(&packets, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_VRAM, 0, VRAM);
	packet_run(&packets, RAM_BASE, VRAM / PAGE);
	packet_end(&packets);
	seed_forget(seed);
	seed_disable(seed);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &packets);
	seed_mappings(seed, 1);
	seed_idle(seed, 1);
	seed_enable(seed);
	seed_config(seed, offset, 2, value);
	seed_config(seed, SEED_PCI_BAR_REGS, 4, SEED_BAR_REGS);
	seed_config(seed, SEED_PCI_COMMAND, 2, 6);
	seed_stop_thread(seed);
}

static void thread_function_reset(struct seed *seed)
{
	thread_and_config(seed, SEED_PCI_DEVCTL, 0x8000);
}

static void thread_no_master(struct seed *seed)
{
	thread_and_config(seed, SEED_PCI_COMMAND, 2);
}

static void thread_control_reset(struct seed *seed)
{
	thread_and_config(seed, SEED_PCI_COMMAND, 6);
	seed_register(seed, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	seed_work(seed);
}

void seed_enable_with(struct seed *seed, uint64_t entries, uint64_t fence_page, uint32_t order,
		      enum quire_fault fault)
{
	seed_forget(seed);
	seed_disable(seed);
	seed_ring(seed, entries, fence_page, order);
	seed_enable(seed);
	seed_reach_fault(seed, fault);
}

static void ring_orders(struct seed *seed)
{
	static const uint32_t orders[] = { QUIRE_RING_ORDER_MAX + 1, 31, 32, 63, 64, UINT32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(orders); i++)
		seed_enable_with(seed, ENTRIES, FENCE_PAGE, orders[i], QUIRE_FAULT_BAD_RING);
	seed_work(seed);
}

static void ring_addresses(struct seed *seed)
{
	seed_enable_with(seed, ENTRIES + 8, FENCE_PAGE, 0, QUIRE_FAULT_BAD_RING);
	seed_enable_with(seed, ENTRIES, FENCE_PAGE + 4, 0, QUIRE_FAULT_BAD_RING);
	seed_enable_with(seed, ~0xfffull, FENCE_PAGE, QUIRE_RING_ORDER_MAX, QUIRE_FAULT_BAD_RING);
	seed_enable_with(seed, ENTRIES, HOLE, 0, QUIRE_FAULT_RING_DMA);
	seed_enable_with(seed, ENTRIES, ~0xfffull, 0, QUIRE_FAULT_RING_DMA);
	seed_enable_with(seed, ENTRIES, SEED_BAR_REGS, 0, QUIRE_FAULT_RING_DMA);
	seed_work(seed);
}

static void ring_no_entries(struct seed *seed)
{
	seed_ring(seed, HOLE, FENCE_PAGE, QUIRE_RING_ORDER_MAX);
	seed_wptr(seed, 1 << QUIRE_RING_ORDER_MAX);
	seed_enable(seed);
	seed_reach_fault(seed, QUIRE_FAULT_RING_DMA);
	seed_work(seed);
}

static void ring_wptr(struct seed *seed)
{
	seed_ring(seed, ENTRIES, FENCE_PAGE, 0);
	seed_wptr(seed, 2);
	seed_enable(seed);
	seed_reach_fault(seed, QUIRE_FAULT_BAD_WPTR);
	seed_work(seed);
}

/* The write pointer moves back between two looks. */
static void ring_wptr_back(struct seed *seed)
{
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, fill());
	seed_mappings(seed, 2);
	seed_wptr(seed, 0);
	seed_enable(seed);
	seed_reach_done(seed);
	seed_reach_fault(seed, QUIRE_FAULT_BAD_WPTR);
}

static void bad_entry(struct seed *seed, uint64_t addr, uint32_t size, uint32_t flags,
		      uint64_t reserved, enum quire_fault fault)
{
	seed_forget(seed);
	seed_disable(seed);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_entry(seed, addr, size, flags, reserved);
	seed_enable(seed);
	seed_reach_fault(seed, fault);
}

static void entries_bad(struct seed *seed)
{
	bad_entry(seed, BUFFER + 4, 8, 0, 0, QUIRE_FAULT_BAD_ENTRY);
	bad_entry(seed, BUFFER, 12, 0, 0, QUIRE_FAULT_BAD_ENTRY);
	bad_entry(seed, BUFFER, QUIRE_MAX_SUBMISSION + 8, 0, 0, QUIRE_FAULT_BAD_ENTRY);
	bad_entry(seed, BUFFER, ~7u, 0, 0, QUIRE_FAULT_BAD_ENTRY);
	bad_entry(seed, ~7ull, 16, 0, 0, QUIRE_FAULT_BAD_ENTRY);
	bad_entry(seed, BUFFER, 8, ~QUIRE_ENTRY_IRQ, 0, QUIRE_FAULT_BAD_ENTRY);
	bad_entry(seed, BUFFER, 8, 0, 1, QUIRE_FAULT_BAD_ENTRY);
	seed_work(seed);
}

static void entries_elsewhere(struct seed *seed)
{
	bad_entry(seed, HOLE, 8, 0, 0, QUIRE_FAULT_BUFFER_DMA);
	bad_entry(seed, ~7ull, 8, 0, 0, QUIRE_FAULT_BUFFER_DMA);
	bad_entry(seed, SEED_BAR_REGS, 64, 0, 0, QUIRE_FAULT_BUFFER_DMA);
	/* as long as may be, and zeros: no packet */
	bad_entry(seed, BUFFER, QUIRE_MAX_SUBMISSION, 0, 0, QUIRE_FAULT_BAD_PACKET);
	seed_slices(seed);
	seed_work(seed);
}

/* More entries than the ring has, each with work: the pointers go round. */
static void entries_round(struct seed *seed)
{
	unsigned int i, j;

	seed_ring(seed, ENTRIES, FENCE_PAGE, 1);
	for (i = 1; i <= 3; i++) {
		seed_wptr(seed, 2 * i);
		for (j = 0; j < 2; j++) {
			seed_submission(seed, fill());
			seed_mappings(seed, 2);
		}
	}
	seed_wptr(seed, 6);
	seed_mappings(seed, 1);
	seed_wptr(seed, 6);
	seed_enable(seed);
	seed_reach(seed, "quire_complete ring 0 fence 7 rptr 6");
}

/* More than a slice does. All packets are the same: a pattern is repeated. */
static void slices(struct seed *seed)
{
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	packets.size = 0;
	packet_fill(&packets, QUIRE_SEGMENT_VRAM, 0, 128 * 1024, 0x11223344);
	seed_wptr(seed, 1);
	seed_entry(seed, BUFFER, QUIRE_MAX_SUBMISSION, QUIRE_ENTRY_IRQ, 0);
	seed_pattern(seed, packets.bytes, packets.size);
	seed_enable(seed);
	seed_reach(seed, "quire_slice more 1");
	seed_doorbell(seed);
	seed_reach(seed, "quire_slice more 1");
	seed_disable(seed);
	seed_gap(seed, 200);
	seed_work(seed);
}

static void idle_doorbell(struct seed *seed)
{
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 0);
	seed_mappings(seed, 1);
	seed_wptr(seed, 0);
	seed_enable(seed);
	seed_forget(seed);
	seed_wptr(seed, 1);
	seed_submission(seed, fill());
	seed_idle(seed, 1);
	seed_doorbell(seed);
	seed_reach(seed, "quire_slice more 0");
	seed_reach(seed, "quire_doorbell ring 0");
	seed_reach_done(seed);
}

/* Bytes of VRAM that can be a fence page, the entries and a submission, all in one page. */
static void ring_in_vram(struct seed *seed)
{
	static struct packets ring, transfer;

	ring.size = 0;
	packet_u64(&ring, SEED_BAR_VRAM + 128);
	packet_u32(&ring, 24);
	packet_u32(&ring, QUIRE_ENTRY_IRQ);
	packet_u64(&ring, 9);
	packet_u64(&ring, 0);
	while (ring.size < 128)
		packet_u32(&ring, ring.size == 64 ? 1 : 0);
	packet_signal(&ring, SEED_BAR_VRAM + 192, ~0ull);

	transfer.size = 0;
	packet_transfer(&transfer, QUIRE_SEGMENT_SYSTEM, 0, QUIRE_SEGMENT_VRAM, 0, ring.size);
	packet_run(&transfer, RAM_BASE, 1);
	packet_end(&transfer);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &transfer);
	seed_pattern(seed, ring.bytes, ring.size);
	seed_idle(seed, 1);
	seed_enable(seed);
	seed_reach_done(seed);

	seed_disable(seed);
	seed_ring(seed, SEED_BAR_VRAM, SEED_BAR_VRAM, 0);
	seed_enable(seed);
	seed_reach(seed, "quire_complete ring 0 fence 9 rptr 1");
}

static void dma_fault(struct seed *seed, unsigned int mappings, enum quire_fault fault)
{
	seed_forget(seed);
	seed_disable(seed);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &packets);
	seed_mappings(seed, mappings);
	seed_enable(seed);
	seed_reach_fault(seed, fault);
}

static void one_run(uint32_t from, uint32_t to, uint64_t first, uint64_t second)
{
	packets.size = 0;
	packet_transfer(&packets, from, 0, to, 0, 2 * PAGE);
	packet_run(&packets, first, 1);
	packet_run(&packets, second, 1);
	packet_end(&packets);
}

/* Memory that is none: a hole, the top of the address space, registers, ROM. */
static void dma_transfer(struct seed *seed)
{
	static const uint64_t none[] = { HOLE, ~0xfffull, SEED_BAR_REGS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		one_run(QUIRE_SEGMENT_SYSTEM, QUIRE_SEGMENT_VRAM, RAM_BASE, none[i]);
		dma_fault(seed, 1, QUIRE_FAULT_DMA);
		one_run(QUIRE_SEGMENT_VRAM, QUIRE_SEGMENT_SYSTEM, RAM_BASE, none[i]);
		dma_fault(seed, 1, QUIRE_FAULT_DMA);
	}
	seed_work(seed);
}

static void dma_physical(struct seed *seed)
{
	packets.size = 0;
	packet_physical(&packets, QUIRE_OP_READ_PHYSICAL, QUIRE_SEGMENT_SYSTEM, HOLE, 8, 0);
	dma_fault(seed, 0, QUIRE_FAULT_DMA);
	packets.size = 0;
	packet_physical(&packets, QUIRE_OP_WRITE_PHYSICAL, QUIRE_SEGMENT_SYSTEM, ~7ull, 8, 1);
	dma_fault(seed, 0, QUIRE_FAULT_DMA);
	packets.size = 0;
	packet_signal(&packets, SEED_BAR_REGS + QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	dma_fault(seed, 0, QUIRE_FAULT_FENCE_DMA);
	seed_work(seed);
}

static void dma_aperture(struct seed *seed)
{
	packets.size = 0;
	packet_map(&packets, 0, 2, 0);
	packet_run(&packets, HOLE, 2);
	packet_end(&packets);
	packet_transfer(&packets, QUIRE_SEGMENT_APERTURE, 0, QUIRE_SEGMENT_APERTURE, 8, PAGE);
	dma_fault(seed, 0, QUIRE_FAULT_DMA);
	seed_work(seed);
}

/* A copy that begins in a mapped page, and ends in one that never was. */
static void aperture_part(struct seed *seed)
{
	packets.size = 0;
	packet_map(&packets, 0, 1, 0);
	packet_run(&packets, RAM_BASE, 1);
	packet_end(&packets);
	packet_transfer(&packets, QUIRE_SEGMENT_APERTURE, 8, QUIRE_SEGMENT_VRAM, 0, PAGE);
	dma_fault(seed, 0, QUIRE_FAULT_APERTURE);
	packets.size = 0;
	packet_transfer(&packets, QUIRE_SEGMENT_VRAM, 0, QUIRE_SEGMENT_APERTURE, 8, PAGE);
	dma_fault(seed, 0, QUIRE_FAULT_APERTURE);
	seed_work(seed);
}

/* Pages that were unmapped, on both sides of a copy; and what the device says of it. */
static void dummy_pages(struct seed *seed)
{
	packets.size = 0;
	packet_unmap(&packets, 1, 3, RAM_BASE);
	packet_transfer(&packets, QUIRE_SEGMENT_APERTURE, PAGE, QUIRE_SEGMENT_APERTURE, 3 * PAGE,
			PAGE);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &packets);
	seed_mappings(seed, 2);
	seed_idle(seed, 1);
	seed_enable(seed);
	seed_reach(seed, "quire_err_dummy_page ring 0 offset 0x1000 pages 1");
	seed_reach(seed, "quire_err_dummy_page ring 0 offset 0x3000 pages 1");
	seed_reach_done(seed);
	seed_read(seed, SEED_REGS, QUIRE_REG_DUMMY_PAGES_LO, 8);
	seed_read(seed, SEED_REGS, QUIRE_REG_DUMMY_OFFSET_LO, 8);
	seed_read(seed, SEED_REGS, QUIRE_REG_POSTED, 4);
	seed_reach(seed, "quire_mmio_read addr 0xa8 data 0x2 ");
	seed_reach(seed, "quire_mmio_read addr 0xb0 data 0x3000 ");
}

/* A transfer whose system side is the device's own VRAM. */
static void dma_own_vram(struct seed *seed)
{
	one_run(QUIRE_SEGMENT_SYSTEM, QUIRE_SEGMENT_VRAM, SEED_BAR_VRAM, SEED_BAR_VRAM);
	packet_transfer(&packets, QUIRE_SEGMENT_VRAM, 8, QUIRE_SEGMENT_SYSTEM, 0, PAGE);
	packet_run(&packets, SEED_BAR_VRAM, 1);
	packet_end(&packets);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &packets);
	seed_idle(seed, 1);
	seed_enable(seed);
	seed_reach_done(seed);
}

/* Of an execution ring, once the paging ring has mapped some of the aperture. */
static void start_commands(struct seed *seed, unsigned int ring)
{
	packets.size = 0;
	packet_map(&packets, 0, 4, 0);
	packet_run(&packets, RAM_BASE, 4);
	packet_end(&packets);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &packets);
	seed_idle(seed, 1);
	seed_enable(seed);
	seed_reach_done(seed);
	seed_forget(seed);
	seed->ring = ring;
	packets.size = 0;
}

static void submit_commands(struct seed *seed, unsigned int mappings)
{
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &packets);
	seed_mappings(seed, mappings);
	seed_idle(seed, 1);
	seed_enable(seed);
}

static void commands_aperture(struct seed *seed)
{
	start_commands(seed, 1);
	command_copy(&packets, IN_VRAM(0), IN_APERTURE(8), 2 * PAGE);
	command_fill(&packets, IN_APERTURE(PAGE), PAGE, 0x11223344);
	command_arithmetic(&packets, 1, IN_APERTURE(0), IN_APERTURE(4), PAGE);
	command_checksum(&packets, IN_APERTURE(PAGE), IN_APERTURE(0), PAGE);
	command_compare(&packets, IN_APERTURE(1), IN_VRAM(0), IN_APERTURE(16), PAGE);
	command_2d(&packets, QUIRE_COMMAND_BLEND, &aperture_area, &tiled_area, 2, &place);
	command_write_value(&packets, IN_APERTURE(8), 5);
	command_wait_value(&packets, QUIRE_WAIT_EQUAL, IN_APERTURE(8), 5);
	submit_commands(seed, 40);
	seed_reach_done(seed);
}

/* A ring waits; another one, and a reset, do not. */
static void commands_wait(struct seed *seed)
{
	start_commands(seed, 2);
	command_wait_value(&packets, QUIRE_WAIT_EQUAL, IN_VRAM(8), ~0ull);
	submit_commands(seed, 0);
	seed_reach(seed, "quire_wait ring 2 opcode 0x29 ");
	seed_forget(seed);
	seed->ring = 1;
	packets.size = 0;
	command_delay(&packets, ~0ull);
	submit_commands(seed, 0);
	seed_reach(seed, "quire_wait ring 1 opcode 0x2a ");
	seed->ring = 0;
	seed_work(seed);
	seed_register(seed, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
}

/* What a ring refuses that another one executes. */
static void commands_elsewhere(struct seed *seed)
{
	packets.size = 0;
	command_copy(&packets, IN_VRAM(0), IN_VRAM(64), 8);
	submit_commands(seed, 0);
	seed_reach_fault(seed, QUIRE_FAULT_BAD_OPCODE);
	seed_forget(seed);
	seed->ring = 1;
	fill();
	submit_commands(seed, 0);
	seed_reach_fault(seed, QUIRE_FAULT_BAD_OPCODE);
}

const struct scene seeds_rings[] = {
	{ "thread_function_reset", thread_function_reset },
	{ "thread_no_master", thread_no_master },
	{ "thread_control_reset", thread_control_reset },
	{ "ring_orders", ring_orders },
	{ "ring_addresses", ring_addresses },
	{ "ring_no_entries", ring_no_entries },
	{ "ring_wptr", ring_wptr },
	{ "ring_wptr_back", ring_wptr_back },
	{ "ring_in_vram", ring_in_vram },
	{ "entries_bad", entries_bad },
	{ "entries_elsewhere", entries_elsewhere },
	{ "entries_round", entries_round },
	{ "slices", slices },
	{ "idle_doorbell", idle_doorbell },
	{ "dma_transfer", dma_transfer },
	{ "dma_physical", dma_physical },
	{ "dma_aperture", dma_aperture },
	{ "aperture_part", aperture_part },
	{ "dummy_pages", dummy_pages },
	{ "dma_own_vram", dma_own_vram },
	{ "commands_aperture", commands_aperture },
	{ "commands_wait", commands_wait },
	{ "commands_elsewhere", commands_elsewhere },
	{ 0 },
};
