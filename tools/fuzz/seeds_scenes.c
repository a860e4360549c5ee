// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Seeds: what a guest can do with rings, memory, interrupts, resets and the PCI function.
 */
#include "quire_internal.h"
#include "seeds.h"

static struct packets packets;

/* One fill of VRAM, as work. */
static struct packets *fill(void)
{
	packets.size = 0;
	packet_fill(&packets, QUIRE_SEGMENT_VRAM, 0, 4096, 0x11223344);
	return &packets;
}

static void start_work(struct seed *seed, uint64_t entries, uint64_t fence_page)
{
	seed_ring(seed, entries, fence_page, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, fill());
	seed_idle(seed, 1);
	seed_enable(seed);
}

/* The ring works, whatever was before. */
static void work(struct seed *seed)
{
	seed_forget(seed);
	seed_disable(seed);
	start_work(seed, ENTRIES, FENCE_PAGE);
	seed_reach_done(seed);
}

void seed_stop_thread(struct seed *seed)
{
	seed_reach(seed, "quire_thread_start ring 0");
	seed_reach(seed, "quire_thread_end ring 0");
	work(seed);
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
	work(seed);
}

static void enable_with(struct seed *seed, uint64_t entries, uint64_t fence_page, uint32_t order,
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

	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		enable_with(seed, ENTRIES, FENCE_PAGE, orders[i], QUIRE_FAULT_BAD_RING);
	work(seed);
}

static void ring_addresses(struct seed *seed)
{
	enable_with(seed, ENTRIES + 8, FENCE_PAGE, 0, QUIRE_FAULT_BAD_RING);
	enable_with(seed, ENTRIES, FENCE_PAGE + 4, 0, QUIRE_FAULT_BAD_RING);
	enable_with(seed, ~0xfffull, FENCE_PAGE, QUIRE_RING_ORDER_MAX, QUIRE_FAULT_BAD_RING);
	enable_with(seed, ENTRIES, HOLE, 0, QUIRE_FAULT_RING_DMA);
	enable_with(seed, ENTRIES, ~0xfffull, 0, QUIRE_FAULT_RING_DMA);
	enable_with(seed, ENTRIES, SEED_BAR_REGS, 0, QUIRE_FAULT_RING_DMA);
	work(seed);
}

static void ring_no_entries(struct seed *seed)
{
	seed_ring(seed, HOLE, FENCE_PAGE, QUIRE_RING_ORDER_MAX);
	seed_wptr(seed, 1 << QUIRE_RING_ORDER_MAX);
	seed_enable(seed);
	seed_reach_fault(seed, QUIRE_FAULT_RING_DMA);
	work(seed);
}

static void ring_wptr(struct seed *seed)
{
	seed_ring(seed, ENTRIES, FENCE_PAGE, 0);
	seed_wptr(seed, 2);
	seed_enable(seed);
	seed_reach_fault(seed, QUIRE_FAULT_BAD_WPTR);
	work(seed);
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
	work(seed);
}

static void entries_elsewhere(struct seed *seed)
{
	bad_entry(seed, HOLE, 8, 0, 0, QUIRE_FAULT_BUFFER_DMA);
	bad_entry(seed, ~7ull, 8, 0, 0, QUIRE_FAULT_BUFFER_DMA);
	bad_entry(seed, SEED_BAR_REGS, 64, 0, 0, QUIRE_FAULT_BUFFER_DMA);
	/* as long as may be, and zeros: no packet */
	bad_entry(seed, BUFFER, QUIRE_MAX_SUBMISSION, 0, 0, QUIRE_FAULT_BAD_PACKET);
	work(seed);
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
	work(seed);
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

	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		one_run(QUIRE_SEGMENT_SYSTEM, QUIRE_SEGMENT_VRAM, RAM_BASE, none[i]);
		dma_fault(seed, 1, QUIRE_FAULT_DMA);
		one_run(QUIRE_SEGMENT_VRAM, QUIRE_SEGMENT_SYSTEM, RAM_BASE, none[i]);
		dma_fault(seed, 1, QUIRE_FAULT_DMA);
	}
	work(seed);
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
	work(seed);
}

static void dma_aperture(struct seed *seed)
{
	packets.size = 0;
	packet_map(&packets, 0, 2, 0);
	packet_run(&packets, HOLE, 2);
	packet_end(&packets);
	packet_transfer(&packets, QUIRE_SEGMENT_APERTURE, 0, QUIRE_SEGMENT_APERTURE, 8, PAGE);
	dma_fault(seed, 0, QUIRE_FAULT_DMA);
	work(seed);
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

/* Both vectors send @data to @addr. */
static void aim(struct seed *seed, uint64_t addr, uint32_t data)
{
	unsigned int vector;

	for (vector = 0; vector < QUIRE_VECTOR_COUNT; vector++) {
		seed_write(seed, SEED_MSIX_TABLE, 16 * vector, 8, addr);
		seed_write(seed, SEED_MSIX_TABLE, 16 * vector + 8, 8, data);
	}
	seed_config(seed, SEED_PCI_MSIX, 2, 0x8000);
}

/* Messages to memory, the interrupt controller, and what the device itself has. */
static void messages(struct seed *seed)
{
	static const struct {
		uint64_t addr;
		uint32_t data;
	} aims[] = {
		{ RAM_BASE, 1 }, { 0xfee00000, 0x41 }, { HOLE, 1 }, { ~3ull, 1 },
		{ SEED_BAR_REGS + QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET },
		{ SEED_BAR_REGS + QUIRE_DOORBELL(0), 1 },
		{ SEED_BAR_REGS + QUIRE_REG_INT_ENABLE, 0 },
		{ SEED_BAR_REGS + QUIRE_REG_RING(0, QUIRE_RING_CONTROL), 0 },
		{ SEED_BAR_VRAM, 1 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(aims) / sizeof(aims[0]); i++) {
		aim(seed, aims[i].addr, aims[i].data);
		seed_register(seed, QUIRE_REG_INT_STATUS, QUIRE_INT_ALL);
		work(seed);
		seed_reach(seed, "quire_interrupt vector 0");
	}
}

/* A register write sends the message that is pending: to the register of a reset. */
static void message_in_write(struct seed *seed)
{
	work(seed);
	seed_register(seed, QUIRE_REG_INT_ENABLE, 0);
	aim(seed, SEED_BAR_REGS + QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	seed_register(seed, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
	seed_reach(seed, "quire_interrupt vector 0");
	work(seed);
}

static void message_of_fault(struct seed *seed)
{
	aim(seed, SEED_BAR_REGS + QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	enable_with(seed, ENTRIES, FENCE_PAGE, 99, QUIRE_FAULT_BAD_RING);
	seed_reach(seed, "quire_interrupt vector 1");
	work(seed);
}

/* Masked by the vector, then by the function; both find it pending. */
static void message_pending(struct seed *seed)
{
	aim(seed, RAM_BASE, 1);
	seed_write(seed, SEED_MSIX_TABLE, 12, 4, 1);
	work(seed);
	seed_read(seed, SEED_MSIX_PBA, 0, 8);
	seed_write(seed, SEED_MSIX_PBA, 0, 8, ~0ull);
	seed_write(seed, SEED_MSIX_TABLE, 12, 4, 0);
	seed_config(seed, SEED_PCI_MSIX, 2, 0xc000);
	work(seed);
	seed_config(seed, SEED_PCI_MSIX, 2, 0x8000);
	seed_config(seed, SEED_PCI_MSIX, 2, 0);
	work(seed);
}

static void inject(struct seed *seed, uint32_t reg, uint32_t count)
{
	seed_register(seed, reg, count);
	seed_forget(seed);
	seed_disable(seed);
	start_work(seed, ENTRIES, FENCE_PAGE);
}

static void injected_fault(struct seed *seed)
{
	inject(seed, QUIRE_REG_INJECT_FAULT, 1);
	seed_reach_fault(seed, QUIRE_FAULT_INJECTED);
	work(seed);
}

/* A ring that hangs is disabled, reset, and reset again with its function. */
static void injected_hang(struct seed *seed)
{
	inject(seed, QUIRE_REG_INJECT_HANG, 1);
	seed_reach(seed, "quire_err_hang ring 0");
	seed_doorbell(seed);
	work(seed);
	inject(seed, QUIRE_REG_INJECT_HANG, 1);
	seed_reach(seed, "quire_err_hang ring 0");
	seed_register(seed, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	work(seed);
}

static void injected_drop(struct seed *seed)
{
	seed_register(seed, QUIRE_REG_INJECT_DROP_IRQ, 1);
	work(seed);
	seed_reach(seed, "quire_err_drop_irq vector 0 left 0");
	work(seed);
}

/* It takes the BARs, too. Without PCI Express that register is none, and nothing happens. */
static void function_reset(struct seed *seed)
{
	inject(seed, QUIRE_REG_INJECT_HANG, 1);
	seed_reach(seed, "quire_err_hang ring 0");
	seed_config(seed, SEED_PCI_DEVCTL, 2, 0x8000);
	seed_config(seed, SEED_PCI_BAR_REGS, 4, SEED_BAR_REGS);
	seed_config(seed, SEED_PCI_COMMAND, 2, 6);
	work(seed);
}

/* No bus master: all DMA fails. No memory space: no register is there. */
static void function_disabled(struct seed *seed)
{
	seed_config(seed, SEED_PCI_COMMAND, 2, 2);
	enable_with(seed, ENTRIES, FENCE_PAGE, 4, QUIRE_FAULT_RING_DMA);
	seed_config(seed, SEED_PCI_COMMAND, 2, 4);
	seed_doorbell(seed);
	seed_config(seed, SEED_PCI_COMMAND, 2, 6);
	work(seed);
}

/* The registers lie in RAM for a while, above it, and where VRAM is. */
static void function_moved(struct seed *seed)
{
	static const uint32_t places[] = { RAM_BASE, 0xfffe0000, SEED_BAR_VRAM, SEED_BAR_REGS };
	unsigned int i;

	work(seed);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		seed_config(seed, SEED_PCI_BAR_REGS, 4, places[i]);
		seed_doorbell(seed);
	}
	work(seed);
}

/* All of what is there, what is between, and each size of access. */
static void registers_read(struct seed *seed)
{
	uint32_t offset;

	for (offset = 0; offset <= 0x8c; offset += 4)
		seed_read(seed, SEED_REGS, offset, 4);
	for (offset = 0; offset < 0x48; offset += 4)
		seed_read(seed, SEED_REGS, QUIRE_REG_RING(0, offset), 4);
	for (offset = 0; offset < 0x48; offset += 8)
		seed_read(seed, SEED_REGS, QUIRE_REG_RING(0, offset), 8);
	for (offset = 1; offset <= 8; offset *= 2)
		seed_read(seed, SEED_REGS, QUIRE_REG_RING(1, 0), offset);
	seed_read(seed, SEED_MSIX_TABLE, 4, 4);
	seed_read(seed, SEED_REGS, QUIRE_DOORBELL(0), 4);
	seed_read(seed, SEED_REGS, QUIRE_BAR_REGS_SIZE - 8, 8);
	seed_reach(seed, "quire_mmio_read addr 0x1fff8");
}

static void registers_ones(struct seed *seed)
{
	uint32_t offset;

	for (offset = 0; offset <= 0x8c; offset += 4)
		seed_write(seed, SEED_REGS, offset, 4, ~0ull);
	for (offset = 0; offset < 0x48; offset += 4)
		seed_write(seed, SEED_REGS, QUIRE_REG_RING(0, offset), offset % 8 ? 4 : 8, ~0ull);
	seed_reach_fault(seed, QUIRE_FAULT_BAD_RING);
	/* both halves of one that spans two */
	seed_write(seed, SEED_REGS, QUIRE_REG_INT_STATUS, 8, ~0ull);
	seed_write(seed, SEED_REGS, QUIRE_REG_RING(0, 0xfc), 8, ~0ull);
	seed_write(seed, SEED_REGS, QUIRE_DOORBELL_BASE - 4, 8, ~0ull);
	seed_write(seed, SEED_REGS, QUIRE_DOORBELL(QUIRE_RING_MAX), 4, ~0ull);
	seed_write(seed, SEED_REGS, QUIRE_BAR_REGS_SIZE - 4, 4, ~0ull);
	seed_reach(seed, "quire_mmio_write addr 0x1fffc");
}

const struct scene seeds_scenes[] = {
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
	{ "dma_own_vram", dma_own_vram },
	{ "messages", messages },
	{ "message_in_write", message_in_write },
	{ "message_of_fault", message_of_fault },
	{ "message_pending", message_pending },
	{ "injected_fault", injected_fault },
	{ "injected_hang", injected_hang },
	{ "injected_drop", injected_drop },
	{ "function_reset", function_reset },
	{ "function_disabled", function_disabled },
	{ "function_moved", function_moved },
	{ "registers_read", registers_read },
	{ "registers_ones", registers_ones },
	{ 0 },
};
