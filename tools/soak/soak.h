/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Processes that use the device at random, each against a model of its own. */
#ifndef QUIRE_SOAK_H
#define QUIRE_SOAK_H

#include <stdbool.h>
#include <stdint.h>

#include "quire_client.h"

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
 */
struct soak_counts {
	uint64_t steps;
	uint64_t bytes;
	uint64_t kinds[SOAK_KINDS];
	uint64_t differ;
	uint64_t refused;
};

/**
 * struct soak_object - a buffer object, and what it should hold
 * @handle: of it; 0 if there is none
 * @kind: of it
 * @size: bytes that it holds
 * @map_size: bytes of its mapping: whole pages, which are more than an image holds
 * @vram_size: bytes that it takes in VRAM
 * @segments: set of classes where it may be
 * @map: its mapping; NULL while there is none
 * @model: @size bytes that @map should show
 * @unneeded: it was given up by madvise, and the model is only what it may hold
 */
struct soak_object {
	uint32_t handle;
	enum soak_kind kind;
	uint64_t size;
	uint64_t map_size;
	uint64_t vram_size;
	uint32_t segments;
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
 * @info: of the device
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
	struct drm_quire_device_info info;
	struct drm_quire_segment_info segments[QUIRE_SEGMENTS];
	char debugfs[64];
};

int soak_work(struct soak_worker *worker);

const char *kind_name(enum soak_kind kind);
bool kind_is_there(const struct drm_quire_device_info *info, enum soak_kind kind);
int kind_create(struct soak_worker *worker, struct soak_object *object, enum soak_kind kind,
		uint64_t size);

int object_create(struct soak_worker *worker, struct soak_object *object, enum soak_kind kind,
		  uint64_t size);
void object_close(struct soak_worker *worker, struct soak_object *object);
int object_write(struct soak_worker *worker, struct soak_object *object);
int object_read(struct soak_worker *worker, struct soak_object *object);
int object_check(struct soak_worker *worker, struct soak_object *object);
int object_advise(struct soak_worker *worker, struct soak_object *object);
int object_place(struct soak_worker *worker, struct soak_object *object);

#endif
