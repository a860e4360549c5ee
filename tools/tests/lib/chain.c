// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <inttypes.h>
#include <string.h>

#include "chain.h"

#define FACTOR	0x5851f42d4c957f2dull

/* Before anything of the space is executed. */
void chain_inputs(struct space *space, uint64_t key)
{
	for (uint32_t i = 0; i < CHAIN_INPUTS; i++)
		space->results[CHAIN_RESULTS + i] = random_next(&key);
}

/* One step more, to be executed in its context on its ring. */
void chain_write(struct chain *chain)
{
	struct quire_writer *writer = &chain->space->writer;
	uint32_t input = CHAIN_RESULTS + chain->steps % CHAIN_INPUTS;

	quire_write_load_register(writer, chain->number, QUIRE_REGISTER_XOR,
				  SPACE_RESULTS + 8 * input);
	quire_write_set_register(writer, chain->number, QUIRE_REGISTER_MULTIPLY, FACTOR);
	quire_write_set_register(writer, chain->number, QUIRE_REGISTER_ADD, chain->steps);
	quire_write_store_register(writer, chain->number, SPACE_RESULTS + 8 * chain->result);
	chain->value = (chain->value ^ chain->space->results[input]) * FACTOR + chain->steps++;
}

/* What was written, without waiting. Returns 0 or a negative errno. */
int chain_exec(struct chain *chain)
{
	struct space *space = chain->space;
	struct quire_context *context = space->context;
	uint32_t ring = space->ring;
	int ret;

	space->context = chain->context;
	space->ring = chain->ring;
	ret = space_exec(space, NULL, space->fence);
	space->context = context;
	space->ring = ring;
	return ret;
}

/* All is executed. */
bool chain_is_right(const struct chain *chain)
{
	uint64_t found = chain->space->results[chain->result];

	if (found == chain->value)
		return true;
	tap_diag("register %u on ring %u is %#" PRIx64 " after %" PRIu64 " steps, not %#" PRIx64,
		 chain->number, chain->ring, found, chain->steps, chain->value);
	return false;
}

/* One step, to its end, and it is right. */
bool chain_goes_on(struct chain *chain)
{
	int ret;

	chain_write(chain);
	ret = chain_exec(chain) ?: work_fence_wait(chain->space->fence);
	space_rewind(chain->space);
	if (ret)
		tap_diag("step: %s", strerror(-ret));
	return !ret && chain_is_right(chain);
}
