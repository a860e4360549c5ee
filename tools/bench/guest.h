/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the measurements of bench-guest and bench-submit share: the device, sets of
 * objects, and figures.
 *
 * Whatever fails ends the program: a figure is either measured or not there.
 */
#ifndef QUIRE_BENCH_GUEST_H
#define QUIRE_BENCH_GUEST_H

#include <stddef.h>
#include <stdint.h>

#include "quire_client.h"

#define GUEST_ROUNDS	5	/* of which the median is taken */
#define GUEST_WAIT_MS	600000

/**
 * struct guest - the device
 * @fd: render node
 * @vram: bytes
 * @debugfs: the driver's directory
 */
struct guest {
	int fd;
	uint64_t vram;
	char debugfs[64];
};

/**
 * struct guest_set - objects of one size
 * @fd: render node
 * @size: bytes of each
 * @count: of them
 * @handles: of them
 */
struct guest_set {
	int fd;
	uint64_t size;
	size_t count;
	uint32_t *handles;
};

/**
 * struct guest_measurement - something that is measured
 * @name: on the command line
 * @run: does it, and prints figures
 */
struct guest_measurement {
	const char *name;
	void (*run)(struct guest *guest);
};

void guest_run(const struct guest_measurement *measurements, char **argv);

void guest_must(int ret, const char *what);
void guest_open(struct guest *guest);
uint64_t guest_usage(const struct guest *guest, uint32_t segment);

void guest_set_create(struct guest_set *set, int fd, size_t count, uint64_t size);
void guest_set_grow(struct guest_set *set, size_t count);
void guest_set_place(const struct guest_set *set, uint32_t segment);
void guest_set_wait(const struct guest_set *set);
void guest_set_close(struct guest_set *set);

void guest_paging(struct guest *guest);
void guest_submissions(struct guest *guest);
void guest_latency(struct guest *guest);
void guest_free(struct guest *guest);
void guest_eviction(struct guest *guest);
void guest_plug(struct guest *guest);
void guest_allocations(struct guest *guest);
void guest_fair(struct guest *guest);
void guest_ranges(struct guest *guest);
void guest_generations(struct guest *guest);
void guest_wait(struct guest *guest);
void guest_objects(struct guest *guest);
void guest_pages(struct guest *guest);

void guest_submit(struct guest *guest);
void guest_rings(struct guest *guest);
void guest_split(struct guest *guest);
void guest_hidden(struct guest *guest);
void guest_curve(struct guest *guest);
void guest_bind(struct guest *guest);

#endif
