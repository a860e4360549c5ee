/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Processes that use the device at random, each against a model of its own. */
#ifndef QUIRE_SOAK_H
#define QUIRE_SOAK_H

#include <stdbool.h>
#include <stdint.h>

#include "mirror.h"
#include "quire_client.h"

#define SOAK_OBJECTS	24	/* of a process */

/**
 * enum soak_kind - kinds of objects
 * @SOAK_PLAIN: cached bytes
 * @SOAK_IMAGE: an image, in tiles in VRAM; of any caching
 * @SOAK_VIEW: an image with an alternate view
 * @SOAK_COMBINED: write-combined bytes
 * @SOAK_WINDOW: bytes that are seen through the window of the aperture; of any caching
 * @SOAK_KINDS: number of kinds
 */
enum soak_kind {
	SOAK_PLAIN = 0,
	SOAK_IMAGE,
	SOAK_VIEW,
	SOAK_COMBINED,
	SOAK_WINDOW,
	SOAK_KINDS,
};

/**
 * struct soak_counts - what a process did, in memory that all of them see
 * @steps: operations
 * @bytes: compared
 * @kinds: the same, of each kind
 * @differ: comparisons that found something else than the model
 * @refused: operations for which there was no room (ENOSPC) or memory (ENOMEM)
 * @submitted: submissions of commands
 * @divided: those that were executed in parts
 * @ended: contexts that ended with commands that hung, failed or were lost
 */
struct soak_counts {
	uint64_t steps;
	uint64_t bytes;
	uint64_t kinds[SOAK_KINDS];
	uint64_t differ;
	uint64_t refused;
	uint64_t submitted;
	uint64_t divided;
	uint64_t ended;
};

/**
 * struct soak_object - a buffer object, and what it should hold
 * @object: it; NULL if there is none
 * @handle: of it
 * @kind: of it
 * @size: bytes that it holds
 * @map_size: bytes of its mapping: whole pages, which are more than an image holds
 * @vram_size: bytes that it takes in VRAM
 * @segments: set of classes where it may be
 * @map: its mapping; NULL while there is none
 * @model: @size bytes that @map should show
 * @unneeded: it was given up by madvise, and the model is only what it may hold
 * @queued: commands use it, and nobody has asked since whether all went well
 * @lost: they were not all executed: nobody knows what it holds
 */
struct soak_object {
	struct quire_object *object;
	uint32_t handle;
	enum soak_kind kind;
	uint64_t size;
	uint64_t map_size;
	uint64_t vram_size;
	uint32_t segments;
	uint8_t *map;
	uint8_t *model;
	bool unneeded;
	bool queued;
	bool lost;
};

/**
 * struct soak_worker - a process
 * @number: of it, from 1
 * @bytes: of all its objects together, about
 * @random: state
 * @stop: set when it is to end
 * @counts: of it
 * @faults: the device misbehaves
 * @gpu: who executes commands, with a file of its own
 * @fd: that file
 * @info: of the device
 * @segments: of the device
 * @debugfs: the driver's directory, "" if there is none
 * @objects: all of them
 */
struct soak_worker {
	unsigned int number;
	uint64_t bytes;
	uint64_t random;
	const volatile bool *stop;
	struct soak_counts *counts;
	bool faults;
	struct gpu gpu;
	int fd;
	struct drm_quire_device_info info;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	char debugfs[64];
	struct soak_object objects[SOAK_OBJECTS];
};

int soak_work(struct soak_worker *worker);

const char *kind_name(enum soak_kind kind);
bool kind_is_there(const struct drm_quire_device_info *info, enum soak_kind kind);
int kind_create(struct soak_worker *worker, struct soak_object *object, enum soak_kind kind,
		uint64_t size);

int worker_submit(struct soak_worker *worker);
int worker_look(struct soak_worker *worker);

int object_create(struct soak_worker *worker, struct soak_object *object, enum soak_kind kind,
		  uint64_t size);
void object_close(struct soak_worker *worker, struct soak_object *object);
int object_write(struct soak_worker *worker, struct soak_object *object);
int object_read(struct soak_worker *worker, struct soak_object *object);
int object_check(struct soak_worker *worker, struct soak_object *object);
int object_advise(struct soak_worker *worker, struct soak_object *object);
int object_place(struct soak_worker *worker, struct soak_object *object);
int object_need(struct soak_worker *worker, struct soak_object *object);

#endif
