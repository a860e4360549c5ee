// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Seeds: what a guest can do with messages, faults on demand, the PCI function and registers.
 */
#include "image.h"
#include "seeds.h"

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

	for (i = 0; i < ARRAY_SIZE(aims); i++) {
		aim(seed, aims[i].addr, aims[i].data);
		seed_register(seed, QUIRE_REG_INT_STATUS, QUIRE_INT_ALL);
		seed_work(seed);
		seed_reach(seed, "quire_interrupt vector 0");
	}
}

/* A register write sends the message that is pending: to the register of a reset. */
static void message_in_write(struct seed *seed)
{
	seed_work(seed);
	seed_register(seed, QUIRE_REG_INT_ENABLE, 0);
	aim(seed, SEED_BAR_REGS + QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	seed_register(seed, QUIRE_REG_INT_ENABLE, QUIRE_INT_ALL);
	seed_reach(seed, "quire_interrupt vector 0");
	seed_work(seed);
}

static void message_of_fault(struct seed *seed)
{
	aim(seed, SEED_BAR_REGS + QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	seed_enable_with(seed, ENTRIES, FENCE_PAGE, 99, QUIRE_FAULT_BAD_RING);
	seed_reach(seed, "quire_interrupt vector 1");
	seed_work(seed);
}

/* Masked by the vector, then by the function; both find it pending. */
static void message_pending(struct seed *seed)
{
	aim(seed, RAM_BASE, 1);
	seed_write(seed, SEED_MSIX_TABLE, 12, 4, 1);
	seed_work(seed);
	seed_read(seed, SEED_MSIX_PBA, 0, 8);
	seed_write(seed, SEED_MSIX_PBA, 0, 8, ~0ull);
	seed_write(seed, SEED_MSIX_TABLE, 12, 4, 0);
	seed_config(seed, SEED_PCI_MSIX, 2, 0xc000);
	seed_work(seed);
	seed_config(seed, SEED_PCI_MSIX, 2, 0x8000);
	seed_config(seed, SEED_PCI_MSIX, 2, 0);
	seed_work(seed);
}

static void inject(struct seed *seed, uint32_t reg, uint32_t count)
{
	seed_register(seed, reg, count);
	seed_forget(seed);
	seed_disable(seed);
	seed_start_work(seed, ENTRIES, FENCE_PAGE);
}

static void injected_fault(struct seed *seed)
{
	inject(seed, QUIRE_REG_RING(0, QUIRE_RING_INJECT_FAULT), 1);
	seed_reach_fault(seed, QUIRE_FAULT_INJECTED);
	seed_work(seed);
}

/* A ring that hangs is disabled, reset, and reset again with its function. */
static void injected_hang(struct seed *seed)
{
	inject(seed, QUIRE_REG_RING(0, QUIRE_RING_INJECT_HANG), 1);
	seed_reach(seed, "quire_err_hang ring 0");
	seed_doorbell(seed);
	seed_work(seed);
	inject(seed, QUIRE_REG_RING(0, QUIRE_RING_INJECT_HANG), 1);
	seed_reach(seed, "quire_err_hang ring 0");
	seed_register(seed, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	seed_work(seed);
}

static void injected_drop(struct seed *seed)
{
	seed_register(seed, QUIRE_REG_INJECT_DROP_IRQ, 1);
	seed_work(seed);
	seed_reach(seed, "quire_err_drop_irq vector 0 left 0");
	seed_work(seed);
}

/* It takes the BARs, too. Without PCI Express that register is none, and nothing happens. */
static void function_reset(struct seed *seed)
{
	inject(seed, QUIRE_REG_RING(0, QUIRE_RING_INJECT_HANG), 1);
	seed_reach(seed, "quire_err_hang ring 0");
	seed_config(seed, SEED_PCI_DEVCTL, 2, 0x8000);
	seed_config(seed, SEED_PCI_BAR_REGS, 4, SEED_BAR_REGS);
	seed_config(seed, SEED_PCI_COMMAND, 2, 6);
	seed_work(seed);
}

/* No bus master: all DMA fails. No memory space: no register is there. */
static void function_disabled(struct seed *seed)
{
	seed_config(seed, SEED_PCI_COMMAND, 2, 2);
	seed_enable_with(seed, ENTRIES, FENCE_PAGE, 4, QUIRE_FAULT_RING_DMA);
	seed_config(seed, SEED_PCI_COMMAND, 2, 4);
	seed_doorbell(seed);
	seed_config(seed, SEED_PCI_COMMAND, 2, 6);
	seed_work(seed);
}

/* The registers lie in RAM for a while, above it, and where VRAM is. */
static void function_moved(struct seed *seed)
{
	static const uint32_t places[] = { RAM_BASE, 0xfffe0000, SEED_BAR_VRAM, SEED_BAR_REGS };
	unsigned int i;

	seed_work(seed);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		seed_config(seed, SEED_PCI_BAR_REGS, 4, places[i]);
		seed_doorbell(seed);
	}
	seed_work(seed);
}

/* All of what is there, what is between, and each size of access. */
static void registers_read(struct seed *seed)
{
	uint32_t offset;

	for (offset = 0; offset <= 0xb8; offset += 4)
		seed_read(seed, SEED_REGS, offset, 4);
	for (offset = 0; offset < QUIRE_REG_RING_STRIDE; offset += 4)
		seed_read(seed, SEED_REGS, QUIRE_REG_RING(0, offset), 4);
	for (offset = 0; offset < QUIRE_REG_RING_STRIDE; offset += 8)
		seed_read(seed, SEED_REGS, QUIRE_REG_RING(0, offset), 8);
	for (offset = 1; offset <= 8; offset *= 2)
		seed_read(seed, SEED_REGS, QUIRE_REG_RING(QUIRE_RING_MAX - 1, 0), offset);
	seed_read(seed, SEED_MSIX_TABLE, 4, 4);
	seed_read(seed, SEED_REGS, QUIRE_DOORBELL(0), 4);
	seed_read(seed, SEED_REGS, QUIRE_BAR_REGS_SIZE - 8, 8);
	seed_reach(seed, "quire_mmio_read addr 0x1fff8");
}

/* What the device held and did, by any number: those that are there, and all others. */
static void registers_index(struct seed *seed)
{
	static const uint32_t numbers[] = {
		0, APERTURE_PAGES - 1, APERTURE_PAGES, 1, QUIRE_RING_HISTORY_PACKETS - 1,
		QUIRE_RING_HISTORY_PACKETS, QUIRE_RING_HISTORY_PACKETS + 1, 1u << 31, UINT32_MAX,
	};
	unsigned int i;

	seed_work(seed);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		seed_register(seed, QUIRE_REG_APERTURE_INDEX, numbers[i]);
		seed_read(seed, SEED_REGS, QUIRE_REG_APERTURE_ENTRY_LO, 8);
		seed_register(seed, QUIRE_REG_RING(0, QUIRE_RING_HISTORY_INDEX), numbers[i]);
		seed_read(seed, SEED_REGS, QUIRE_REG_RING(0, QUIRE_RING_HISTORY_HEADER), 4);
		seed_read(seed, SEED_REGS, QUIRE_REG_RING(0, QUIRE_RING_HISTORY_ADDR_LO), 8);
	}
	/* of the one packet, its header: a fill */
	seed_reach(seed, "quire_mmio_read addr 0x1054 data 0x2 ");
}

static void registers_ones(struct seed *seed)
{
	uint32_t offset;

	for (offset = 0; offset <= 0xa0; offset += 4)
		seed_write(seed, SEED_REGS, offset, 4, ~0ull);
	for (offset = 0; offset < QUIRE_REG_RING_STRIDE; offset += 4)
		seed_write(seed, SEED_REGS, QUIRE_REG_RING(0, offset), offset % 8 ? 4 : 8, ~0ull);
	seed_reach_fault(seed, QUIRE_FAULT_BAD_RING);
	/* both halves of one that spans two */
	seed_write(seed, SEED_REGS, QUIRE_REG_INT_STATUS, 8, ~0ull);
	seed_write(seed, SEED_REGS, QUIRE_REG_RING(0, QUIRE_REG_RING_STRIDE - 4), 8, ~0ull);
	seed_write(seed, SEED_REGS, QUIRE_DOORBELL_BASE - 4, 8, ~0ull);
	seed_write(seed, SEED_REGS, QUIRE_DOORBELL(QUIRE_RING_MAX), 4, ~0ull);
	seed_write(seed, SEED_REGS, QUIRE_BAR_REGS_SIZE - 4, 4, ~0ull);
	seed_reach(seed, "quire_mmio_write addr 0x1fffc");
}

/* A range with an image of 32 x 32 elements of four bytes, as many times as it has slices. */
static void enable_range(struct seed *seed, unsigned int range, uint64_t addr, uint32_t slices)
{
	seed_write(seed, SEED_REGS, QUIRE_RANGE(range, QUIRE_RANGE_ADDR_LO), 8, addr);
	seed_register(seed, QUIRE_RANGE(range, QUIRE_RANGE_LAYOUT),
		      QUIRE_RANGE_LAYOUT_OF(QUIRE_LAYOUT_TILE_4K, 2));
	seed_register(seed, QUIRE_RANGE(range, QUIRE_RANGE_WIDTH), 32);
	seed_register(seed, QUIRE_RANGE(range, QUIRE_RANGE_HEIGHT), 32);
	seed_register(seed, QUIRE_RANGE(range, QUIRE_RANGE_LEVELS),
		      QUIRE_RANGE_LEVELS_OF(1, slices));
	seed_register(seed, QUIRE_RANGE(range, QUIRE_RANGE_CONTROL), QUIRE_RANGE_CONTROL_ENABLE);
}

/* What is written to a window is there, and nothing behind the image. */
static void range_window(struct seed *seed)
{
	enable_range(seed, 0, VRAM - PAGE, 1);
	seed_reach(seed, "quire_range_enable range 0");
	seed_write(seed, SEED_RANGES, 124, 8, 0x0807060504030201);
	seed_read(seed, SEED_RANGES, 126, 4);
	seed_reach(seed, "quire_range_read addr 0x7e data 0x6050403 ");
	seed_read(seed, SEED_RANGES, PAGE - 4, 8);
	seed_reach(seed, "quire_err_range_miss range 0 offset 0xffc bytes 4");
	seed_write(seed, SEED_RANGES, RANGE_SIZE, 4, 1);
	seed_reach(seed, "quire_err_range_miss range 1 offset 0x0 bytes 4");
	seed_register(seed, QUIRE_RANGE(0, QUIRE_RANGE_CONTROL), 0);
	seed_reach(seed, "quire_range_disable range 0");
}

/* Too large for the window, and for VRAM; then one that fits, and whose image moves. */
static void range_refused(struct seed *seed)
{
	enable_range(seed, 1, 0, 257);
	enable_range(seed, 1, VRAM - PAGE, 2);
	enable_range(seed, 1, 0, 256);
	seed_reach(seed, "quire_range_enable range 1 addr 0x0 ");
	enable_range(seed, 1, PAGE, 1);
	seed_write(seed, SEED_RANGES, 2 * RANGE_SIZE - 4, 4, ~0ull);
	seed_read(seed, SEED_RANGES, 2 * RANGE_SIZE - 4, 4);
	seed_reach(seed, "quire_range_read addr 0x1ffffc data 0xffffffff ");
}

/* A special lock takes the range it names, as it is, and lets be what it was. */
static void range_locked(struct seed *seed)
{
	static struct packets p;

	enable_range(seed, 0, 0, 1);
	enable_range(seed, 1, 0, 1);
	p.size = 0;
	packet_lock(&p, 2, 0);
	packet_lock(&p, 2, QUIRE_SPECIAL_LOCK_RANGE(1, 1));
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &p);
	seed_idle(seed, 1);
	seed_enable(seed);
	seed_reach(seed, "quire_range_disable range 1");
	seed_reach_done(seed);
	seed_read(seed, SEED_RANGES, 0, 8);
	seed_read(seed, SEED_RANGES, RANGE_SIZE, 8);
	seed_reach(seed, "quire_err_range_miss range 1 offset 0x0 bytes 8");
}

/* All bits of all registers of a range, and of one that there is not. */
static void range_ones(struct seed *seed)
{
	uint32_t offset;

	for (offset = 0; offset < QUIRE_REG_RANGE_STRIDE; offset += 4) {
		seed_register(seed, QUIRE_RANGE(1, offset), ~0u);
		seed_register(seed, QUIRE_RANGE(2, offset), ~0u);
		seed_read(seed, SEED_REGS, QUIRE_RANGE(1, offset), 4);
		seed_read(seed, SEED_REGS, QUIRE_RANGE(2, offset), 4);
	}
	/* of 16 bits the upper ones are not there */
	seed_reach(seed, "quire_mmio_read addr 0x2048 data 0xffff ");
}

/* Nothing is mapped; then one page is, and the next leads to the window itself. */
static void window(struct seed *seed)
{
	static struct packets p;

	seed_read(seed, SEED_WINDOW, HOST_WINDOW - 4, 4);
	seed_reach(seed, "quire_err_window_miss offset 0x7ffc bytes 4");
	p.size = 0;
	packet_map2(&p, 0, 1, 4 | 2, RAM_BASE / PAGE);
	packet_map2(&p, 1, 1, 4 | 2, SEED_BAR_WINDOW / PAGE);
	seed_forget(seed);
	seed_ring(seed, ENTRIES, FENCE_PAGE, 4);
	seed_wptr(seed, 1);
	seed_submission(seed, &p);
	seed_idle(seed, 1);
	seed_enable(seed);
	seed_reach_done(seed);
	seed_write(seed, SEED_WINDOW, 8, 8, 1);
	seed_read(seed, SEED_WINDOW, 5, 2);
	seed_reach(seed, "quire_window_read addr 0x5 ");
	seed_write(seed, SEED_WINDOW, PAGE, 4, 1);
	seed_reach(seed, "quire_err_window_miss offset 0x1000 bytes 4");
	seed_read(seed, SEED_WINDOW, PAGE - 3, 8);
	seed_reach(seed, "quire_err_window_miss offset 0xffd bytes 5");
	seed_register(seed, QUIRE_REG_CONTROL, QUIRE_CONTROL_RESET);
	seed_read(seed, SEED_WINDOW, 8, 8);
	seed_reach(seed, "quire_err_window_miss offset 0x8 bytes 8");
}

const struct scene seeds_function[] = {
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
	{ "registers_index", registers_index },
	{ "registers_ones", registers_ones },
	{ "range_window", range_window },
	{ "range_refused", range_refused },
	{ "range_locked", range_locked },
	{ "range_ones", range_ones },
	{ "window", window },
	{ 0 },
};
