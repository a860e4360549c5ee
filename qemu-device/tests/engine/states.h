/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States that a ring can be in, and which bits of them make another such state.
 */
#ifndef QUIRE_TEST_STATES_H
#define QUIRE_TEST_STATES_H

#include "host.h"

/* What states of different kinds have in common, see states.c. */
#define STATES_ON		1u
#define STATES_AT_WORK		4u
#define STATES_AT_FAULT		8u
#define STATES_MAPPED		16u
#define STATES_COMMAND		64u

/* The ring that is in the state, of states with commands. */
#define STATES_RING		1u

#define STATES_VRAM	(1024 * PAGE)
#define STATES_APERTURE	(16 * PAGE)

/**
 * struct mask - bits of a field that may be turned over
 * @field: its name
 * @bits: which
 */
struct mask {
	const char *field;
	uint64_t bits;
};

/**
 * struct state - a state that the engine reaches
 * @name: for the test point
 * @make: brings a fresh host to it
 * @arg: for @make
 * @groups: what it has in common with others
 * @loads: fields, and their bits that may be turned over; PROGRESS, WALKS, RESIDENCY_PAGE,
 *         NATIVE_FENCE, NATIVE_INTERRUPTS, INT_STATUS, INT_ENABLE, what is left of injections and
 *         the indices always have theirs
 */
struct state {
	const char *name;
	void (*make)(struct host *host, uint32_t arg);
	uint32_t arg;
	unsigned int groups;
	struct mask loads[8];
};

extern const struct state states[];
extern const unsigned int state_count;
extern const struct state command_states[];
extern const unsigned int command_state_count;
extern const struct state virtual_states[];
extern const unsigned int virtual_state_count;

uint64_t state_loads(const struct state *state, const char *field);

#endif
