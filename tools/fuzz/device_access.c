// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What a processor does: registers, ranges, windows and memory. */
#include <linux/array_size.h>

#include "device_guest.h"

void write_register(struct guest *guest)
{
	static const uint16_t registers[] = {
		QUIRE_REG_CONTROL, QUIRE_REG_INT_STATUS, QUIRE_REG_INT_ENABLE,
		QUIRE_REG_RING(0, QUIRE_RING_INJECT_HANG),
		QUIRE_REG_RING(0, QUIRE_RING_INJECT_FAULT), QUIRE_REG_INJECT_DROP_IRQ,
		QUIRE_REG_APERTURE_INDEX, QUIRE_REG_RING(0, QUIRE_RING_HISTORY_INDEX),
		QUIRE_REG_RING(0, QUIRE_RING_ENTRIES_LO),
		QUIRE_REG_RING(0, QUIRE_RING_FENCE_PAGE_LO),
		QUIRE_REG_RING(0, QUIRE_RING_ORDER), QUIRE_REG_RING(0, QUIRE_RING_CONTROL),
		QUIRE_REG_RING(1, QUIRE_RING_CONTROL), QUIRE_REG_RING(2, QUIRE_RING_CONTROL),
		QUIRE_REG_RING(1, QUIRE_RING_INJECT_HANG),
		QUIRE_REG_RING(2, QUIRE_RING_INJECT_FAULT),
	};
	uint32_t choice = fuzz_take(&guest->input, 1), how = fuzz_take(&guest->input, 1);
	uint32_t offset = choice < 200 ? registers[choice % ARRAY_SIZE(registers)] :
					 fuzz_take(&guest->input, 3) % QUIRE_BAR_REGS_SIZE;

	memory_host_write(&guest->host, offset, how < 192 ? 4 : 1u << how % 4,
			  how & 4 ? fuzz_below(&guest->input, 4) : take_edge(&guest->input));
}

void read_registers(struct guest *guest)
{
	uint32_t offset = fuzz_take(&guest->input, 3) % QUIRE_BAR_REGS_SIZE, i;

	for (i = 1; i <= 8; i *= 2)
		quire_regs_read(&guest->host.engine, offset, i);
	for (i = 0; i < QUIRE_REG_RING_STRIDE; i += 4) {
		quire_regs_read(&guest->host.engine, i, 4);
		quire_regs_read(&guest->host.engine, QUIRE_REG_RING(offset % RINGS, i), 4);
		quire_regs_read(&guest->host.engine, QUIRE_RANGE(0, i), 4);
	}
}

/* A range with an image that is mostly one. */
void start_range(struct guest *guest)
{
	struct fuzz_input *input = &guest->input;
	uint32_t n = fuzz_below(input, RANGES), odd = fuzz_take(input, 1), i;
	uint32_t values[][2] = {
		{ QUIRE_RANGE_CONTROL, 0 },
		{ QUIRE_RANGE_ADDR_LO, fuzz_below(input, 16) * FUZZ_PAGE },
		{ QUIRE_RANGE_LAYOUT,
		  QUIRE_RANGE_LAYOUT_OF(1 + fuzz_below(input, 2), fuzz_below(input, 5)) },
		{ QUIRE_RANGE_WIDTH, 1 + fuzz_below(input, 100) },
		{ QUIRE_RANGE_HEIGHT, 1 + fuzz_below(input, 100) },
		{ QUIRE_RANGE_LEVELS,
		  QUIRE_RANGE_LEVELS_OF(1 + fuzz_below(input, 4), 1 + fuzz_below(input, 4)) },
		{ QUIRE_RANGE_CONTROL, QUIRE_RANGE_CONTROL_ENABLE },
	};

	if (odd < ARRAY_SIZE(values))
		values[odd][1] = fuzz_take(input, 4);
	for (i = 0; i < ARRAY_SIZE(values); i++)
		memory_host_write(&guest->host, QUIRE_RANGE(n, values[i][0]), 4, values[i][1]);
}

/* What a window has is what was written to it, or it has nothing there. */
void access_window(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	uint64_t value = fuzz_take(&guest->input, 4) * 0x100000001ull, got;
	uint32_t offset = fuzz_take(&guest->input, 3) % (2 * RANGES * RANGE_SIZE);
	uint32_t size = 1 + fuzz_below(&guest->input, 8), i;

	quire_ranges_write(engine, offset, size, value);
	got = quire_ranges_read(engine, offset, size);
	/* two windows may show the same bytes */
	if (offset % RANGE_SIZE + size > RANGE_SIZE)
		return;
	for (i = 0; i < 8; i++)
		FINDING_IF(got >> 8 * i & 0xff &&
			   (i >= size || ((got ^ value) >> 8 * i & 0xff)));
}

/* What all of a write reaches is read again. */
void access_aperture(struct guest *guest)
{
	struct quire_engine *engine = &guest->host.engine;
	uint64_t value = fuzz_take(&guest->input, 4) * 0x100000001ull, got;
	uint32_t offset = fuzz_take(&guest->input, 2) % (WINDOW_SIZE + FUZZ_PAGE);
	uint32_t size = 1 + fuzz_below(&guest->input, 8);
	unsigned int misses = guest->host.misses;

	quire_window_write(engine, offset, size, value);
	got = quire_window_read(engine, offset, size);
	if (size < 8)
		value &= (1ull << 8 * size) - 1;
	FINDING_IF(guest->host.misses == misses && got != value);
	FINDING_IF(guest->host.misses == misses && offset + size > WINDOW_SIZE);
	FINDING_IF(size < 8 && got >> 8 * size);
}

void write_memory(struct guest *guest)
{
	uint32_t offset = fuzz_take(&guest->input, 3) % RAM_SIZE;
	uint32_t size = fuzz_below(&guest->input, 64);

	for (; size && offset < RAM_SIZE; size--)
		guest->ram[offset++] = fuzz_take(&guest->input, 1);
}
