// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/container_of.h>

#include "fuzz_choices.h"

static uint32_t choose_below(struct quire_choices *choices, uint32_t limit)
{
	struct fuzz_input *input = &container_of(choices, struct fuzz_choices, choices)->input;

	return limit <= 65536 ? fuzz_below(input, limit) : fuzz_take(input, 4) % limit;
}

/**
 * fuzz_choices_start - begin an input
 * @choices: set
 * @bytes: the input
 * @size: bytes of it
 */
void fuzz_choices_start(struct fuzz_choices *choices, const uint8_t *bytes, size_t size)
{
	choices->choices.below = choose_below;
	fuzz_input_start(&choices->input, bytes, size);
}
