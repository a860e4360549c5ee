// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What inputs of submit_fuzz reach, so that nothing is left out unseen. */
#include <stdio.h>

#include "submit_world.h"

static const char *const names[NR_REACH] = {
	[REACH_REFUSED] = "refused by the check",
	[REACH_LARGE] = "refused: an object does not fit",
	[REACH_TOGETHER] = "refused: what is bound does not fit",
	[REACH_WHOLE] = "runs as a whole",
	[REACH_SPLIT] = "runs in parts",
	[REACH_PIECES] = "ends as memory is in pieces",
	[REACH_REPACK] = "what should stay is moved",
	[REACH_HANG] = "hangs",
	[REACH_STOLEN] = "objects are taken away by others",
	[REACH_AGAIN] = "objects are there from before",
	[REACH_VRAM_IN] = "into VRAM",
	[REACH_VRAM_OUT] = "out of VRAM",
	[REACH_APERTURE_IN] = "into the aperture",
	[REACH_APERTURE_OUT] = "out of the aperture",
	[REACH_BUSY] = "the builder is told to wait",
/* Those that need an address space have no name: no submission with patches has them. */
#define COMMAND(name) \
	[REACH_COMMANDS + QUIRE_COMMAND_##name - QUIRE_COMMAND_FIRST] = "runs " #name
	COMMAND(NOP), COMMAND(COPY), COMMAND(FILL), COMMAND(COPY_2D), COMMAND(BLEND),
	COMMAND(ARITHMETIC), COMMAND(CHECKSUM), COMMAND(COMPARE), COMMAND(WRITE_VALUE),
	COMMAND(WAIT_VALUE), COMMAND(DELAY),
};

static unsigned long count[NR_REACH];
static uint8_t now[NR_REACH] FUZZ_EXTRA_COUNTERS;

void reached(enum reach what)
{
	count[what]++;
	now[what] = 1;
}

void reach_tell(void)
{
	unsigned int i;

	for (i = 0; i < NR_REACH; i++)
		if (names[i])
			fprintf(stderr, "reach: %lu %s\n", count[i], names[i]);
}
