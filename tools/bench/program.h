/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What measurements of submissions share: a program, as far as the driver sees it, with one
 * context on one ring.
 *
 * Whatever fails ends the measurement, as guest_must().
 */
#ifndef QUIRE_BENCH_PROGRAM_H
#define QUIRE_BENCH_PROGRAM_H

#include "libquire.h"

struct guest;

/**
 * struct program - who submits
 * @device: opened once more
 * @context: the context
 * @recorder: what program_submit() submits
 * @done: a timeline; its point N is the end of submission N
 * @ring: that executes it
 * @submitted: submissions so far
 */
struct program {
	struct quire_device *device;
	struct quire_context *context;
	struct quire_recorder *recorder;
	struct quire_fence *done;
	uint32_t ring;
	uint64_t submitted;
};

void program_open(struct program *program, uint32_t ring);
void program_close(struct program *program);

struct quire_object *program_object(const struct program *program, uint64_t size);

struct quire_result program_submit(struct program *program);
void program_wait(const struct program *program, uint64_t submission);
double program_run(struct program *program, struct quire_result *result);

void program_set_parameter(const char *name, uint64_t value);
void program_set_option(const char *name, uint64_t value);
void program_limit(const struct guest *guest, uint64_t room);

#endif
