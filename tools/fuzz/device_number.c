// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Numbers that are likely to be on an edge. */
#include <linux/array_size.h>

#include "device_guest.h"

void put(uint8_t *to, uint64_t value, unsigned int size)
{
	while (size--) {
		*to++ = value;
		value >>= 8;
	}
}

/* Numbers that are likely to be on an edge. */
uint64_t take_edge(struct fuzz_input *input)
{
	static const uint64_t edges[] = {
		0, 1, 7, 8, FUZZ_PAGE - 1, FUZZ_PAGE, FUZZ_PAGE + 1, VRAM_SIZE, VRAM_SIZE - 8,
		APERTURE_SIZE, APERTURE_SIZE - FUZZ_PAGE, RAM_BASE, RAM_BASE + RAM_SIZE,
		RAM_BASE + RAM_SIZE - 8, 1ull << 12, 1ull << 31, 1ull << 32, 1ull << 52,
		1ull << 63, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX - FUZZ_PAGE + 1,
		UINT32_MAX, QUIRE_MAX_SUBMISSION, (1ull << 52) - 1, ROM_BASE, 2u << 20,
		4u << 20, VRAM_LARGE,
	};
	uint32_t choice = fuzz_take(input, 1);

	if (choice < 100)
		return fuzz_below(input, 16) * FUZZ_PAGE;
	if (choice < 200)
		return edges[choice % ARRAY_SIZE(edges)];
	if (choice < 230)
		return fuzz_take(input, 2);

	return fuzz_take(input, 8);
}

uint64_t take_run(struct fuzz_input *input)
{
	uint32_t choice = fuzz_take(input, 1);
	uint64_t page = RAM_BASE / FUZZ_PAGE + choice % 128;

	if (choice == 255)
		return fuzz_take(input, 8);
	if (choice >= 250)
		page = (UINT64_MAX / FUZZ_PAGE) - (choice - 250);
	else if (choice >= 240)
		page = ROM_BASE / FUZZ_PAGE + choice - 240;

	return page << QUIRE_RUN_COUNT_BITS | fuzz_below(input, choice < 200 ? 2 : 4096);
}
