// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Engine tests: each state that a ring can be in, with each bit of each field
 * turned over. A table says which of them make another state that can be; all
 * others are refused. What is accepted runs to its end: all of it in "make check-all", in
 * "make check" the lowest and the highest bit of each field.
 */
#include <stdlib.h>
#include <string.h>

#include "states.h"
#include "tap.h"

/**
 * struct field - a member of struct quire_ring or of struct quire_engine
 * @name: its name
 * @offset: where it is
 * @bits: how many it has; a bool has 1
 * @of_ring: of struct quire_ring
 */
struct field {
	const char *name;
	size_t offset;
	unsigned int bits;
	bool of_ring;
};

#define RING(name, bits) { #name, offsetof(struct quire_ring, name), bits, true }
#define GLOBAL(name, bits) { #name, offsetof(struct quire_engine, name), bits, false }

static const struct field fields[] = {
	RING(entries, 64), RING(fence_page, 64), RING(order, 32), RING(control, 32),
	RING(rptr, 32), RING(offset, 32), RING(fault_code, 32), RING(fault_offset, 32),
	RING(fault_opcode, 32), RING(fault_addr, 64), RING(fault_fence, 64), RING(progress, 64),
	RING(wptr, 32), RING(pending, 1), RING(active, 1), RING(started, 1), RING(hung, 1),
	RING(addr, 64), RING(fence, 64), RING(size, 32), RING(flags, 32), RING(done, 64),
	RING(context, 64), RING(root, 64), RING(save, 64), RING(registers[0], 64),
	RING(kept[0], 64), RING(kept[1], 64), RING(kept[2], 64), RING(kept[3], 64),
	RING(executed[0], 64), RING(executed[6], 64), RING(executed[0x22], 64),
	RING(history[0].addr, 64), RING(history[0].header, 32), RING(history[1].addr, 64),
	RING(history_index, 32), RING(inject_hang, 32), RING(inject_fault, 32),
	GLOBAL(int_status, 32), GLOBAL(int_enable, 32),
	GLOBAL(aperture_index, 32), GLOBAL(dummy_pages, 64), GLOBAL(dummy_offset, 64),
	GLOBAL(walks, 64), GLOBAL(residency_page, 64),
	GLOBAL(native_fence, 32), GLOBAL(native_interrupts, 64),
	GLOBAL(posted.next, 32), GLOBAL(posted.pages[0].addr, 64),
	GLOBAL(posted.pages[0].len, 32),
};

/* What a stream brings; the rest of the engine is its own. */
static void restore(struct quire_engine *engine, const struct quire_engine *saved,
		    const uint64_t *aperture, const uint64_t *residency)
{
	struct quire_table *table = &engine->residency;
	unsigned int i;

	for (i = 0; i < engine->ring_count; i++)
		host_load_ring(&engine->ring[i], &saved->ring[i]);
	memcpy(quire_engine_load_entries(engine, 0, STATES_APERTURE / PAGE), aperture,
	       STATES_APERTURE / PAGE * sizeof(*aperture));
	memcpy(quire_table_load(table, 0, table->pages), residency,
	       table->pages * sizeof(*residency));
	engine->int_status = saved->int_status;
	engine->int_enable = saved->int_enable;
	engine->aperture_index = saved->aperture_index;
	engine->dummy_pages = saved->dummy_pages;
	engine->dummy_offset = saved->dummy_offset;
	engine->walks = saved->walks;
	engine->residency_page = saved->residency_page;
	engine->native_fence = saved->native_fence;
	engine->native_interrupts = saved->native_interrupts;
	engine->posted = saved->posted;
	engine->messages = 0;
}

/* Turn one bit over; what loads must run to an end, if @run says so. */
static bool try_bit(struct host *host, const struct state *state, const struct field *field,
		    unsigned int bit, bool run)
{
	struct quire_engine *engine = &host->memory.engine;
	uint8_t *bytes = (uint8_t *)engine + field->offset;
	const char *why;

	if (field->of_ring)
		bytes = (uint8_t *)&engine->ring[state->groups & STATES_COMMAND ? STATES_RING : 0] +
			field->offset;
	bytes[bit / 8] ^= 1u << bit % 8;
	if (!quire_engine_post_load(engine, &why))
		return false;
	if (run && !host_run(host))
		ok(false, "%s, bit %u: ends", field->name, bit);
	return true;
}

static void test_field(struct host *host, const struct state *state, const struct field *field,
		       const struct quire_engine *saved, const uint64_t *aperture,
		       const uint64_t *residency)
{
	uint64_t loads = 0, wanted = state_loads(state, field->name);
	const char *check = getenv("QUIRE_CHECK");
	bool all = check && !strcmp(check, "all");
	unsigned int bit;

	for (bit = 0; bit < field->bits; bit++) {
		uint64_t below = (1ull << bit) - 1, above = ~below << 1;

		restore(&host->memory.engine, saved, aperture, residency);
		if (try_bit(host, state, field, bit, all || !(wanted & below) || !(wanted & above)))
			loads |= 1ull << bit;
	}
	if (loads != wanted)
		printf("#   %s: 0x%llx load, not 0x%llx\n", field->name,
		       (unsigned long long)loads, (unsigned long long)wanted);
	ok(loads == wanted, "%s: %s", state->name, field->name);
}

static void test_state(const struct state *state)
{
	struct host *host = host_new(STATES_VRAM, STATES_APERTURE, 0, 0);
	struct quire_engine *saved = malloc(sizeof(*saved));
	uint64_t aperture[STATES_APERTURE / PAGE];
	uint64_t residency[(STATES_VRAM + STATES_APERTURE) / PAGE];
	unsigned int i;

	state->make(host, state->arg);
	memcpy(saved, &host->memory.engine, sizeof(*saved));
	for (i = 0; i < saved->ring_count; i++) {
		saved->ring[i].submission = malloc(QUIRE_MAX_SUBMISSION);
		host_load_ring(&saved->ring[i], &host->memory.engine.ring[i]);
	}
	memcpy(aperture, host->memory.engine.aperture, sizeof(aperture));
	memcpy(residency, host->memory.engine.residency.entries, sizeof(residency));
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		test_field(host, state, &fields[i], saved, aperture, residency);
	for (i = 0; i < saved->ring_count; i++)
		free(saved->ring[i].submission);
	free(saved);
	host_free(host);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < state_count; i++)
		test_state(&states[i]);
	for (i = 0; i < command_state_count; i++)
		test_state(&command_states[i]);
	for (i = 0; i < virtual_state_count; i++)
		test_state(&virtual_states[i]);
	return tap_done();
}
