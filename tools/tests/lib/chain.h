/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Running numbers in registers of contexts: each step depends on all before, so that one that is
 * lost, done twice or done by another context shows in all that follow. The CPU counts, too.
 */
#ifndef QUIRE_TEST_CHAIN_H
#define QUIRE_TEST_CHAIN_H

#include "space.h"

/* Numbers that are counted with are in the second half of the results of a space. */
#define CHAIN_INPUTS	64u
#define CHAIN_RESULTS	512u

/**
 * struct chain - a running number
 * @space: where results are
 * @context: that has it, of @space
 * @ring: on which it is
 * @number: of the register
 * @result: index of @results of @space where each step writes it
 * @steps: how many there were
 * @value: what it is
 */
struct chain {
	struct space *space;
	struct quire_context *context;
	uint32_t ring;
	uint32_t number;
	uint32_t result;
	uint64_t steps;
	uint64_t value;
};

void chain_inputs(struct space *space, uint64_t key);
void chain_write(struct chain *chain);
int chain_exec(struct chain *chain);
bool chain_is_right(const struct chain *chain);
bool chain_goes_on(struct chain *chain);

#endif
