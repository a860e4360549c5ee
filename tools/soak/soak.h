/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Processes that use the device at random, each against a model of its own. */
#ifndef QUIRE_SOAK_H
#define QUIRE_SOAK_H

#include <stdbool.h>
#include <stdint.h>

#include "quire_client.h"

/**
 * struct soak_counts - what a process did, in memory that all of them see
 * @steps: operations
 * @bytes: compared
 * @differ: comparisons that found something else than the model
 * @refused: operations for which there was no room (ENOSPC) or memory (ENOMEM)
 */
struct soak_counts {
	uint64_t steps;
	uint64_t bytes;
	uint64_t differ;
	uint64_t refused;
};

/**
 * struct soak_object - a buffer object, and what it should hold
 * @handle: of it; 0 if there is none
 * @size: bytes
 * @map: its mapping
 * @model: @size bytes that @map should show
 * @unneeded: it was given up by madvise, and the model is only what it may hold
 */
struct soak_object {
	uint32_t handle;
	uint64_t size;
	uint8_t *map;
	uint8_t *model;
	bool unneeded;
};

/**
 * struct soak_worker - a process
 * @number: of it, from 1
 * @bytes: of all its objects together, about
 * @random: state
 * @stop: set when it is to end
 * @counts: of it
 * @fd: render node, its own
 * @segments: of the device
 * @debugfs: the driver's directory, "" if there is none
 */
struct soak_worker {
	unsigned int number;
	uint64_t bytes;
	uint64_t random;
	const volatile bool *stop;
	struct soak_counts *counts;
	int fd;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	char debugfs[64];
};

int soak_work(struct soak_worker *worker);

int object_create(struct soak_worker *worker, struct soak_object *object, uint64_t size);
void object_close(struct soak_worker *worker, struct soak_object *object);
int object_write(struct soak_worker *worker, struct soak_object *object);
int object_read(struct soak_worker *worker, struct soak_object *object);
int object_check(struct soak_worker *worker, struct soak_object *object);
int object_advise(struct soak_worker *worker, struct soak_object *object);
int object_place(struct soak_worker *worker, struct soak_object *object);

#endif
