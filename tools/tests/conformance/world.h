/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What rules of splitting are tested with: objects that do not fit together. */
#ifndef QUIRE_TEST_WORLD_H
#define QUIRE_TEST_WORLD_H

#include "rules.h"
#include "script.h"
#include "work.h"

#define WORLD_OBJECTS	8

/**
 * struct world - what a rule is tested with
 * @work: the device
 * @gpu: the same device, with a context and a fence for one rule
 * @objects: for one rule
 * @nr_objects: number of @objects
 */
struct world {
	struct work work;
	struct gpu gpu;
	struct quire_object *objects[WORLD_OBJECTS];
	unsigned int nr_objects;
};

struct world *world_begin(void *context);
bool world_end(struct world *world, bool ok);
int world_check(const struct rule *rules, size_t count);

uint64_t world_eighth(const struct world *world);
struct quire_object *world_make(struct world *world, uint64_t size);
struct quire_object *world_make_large(struct world *world);

bool world_runs(struct world *world, const struct script *script, uint32_t parts,
		const char *what);
bool world_refuses(struct world *world, const struct script *script, int error,
		   uint32_t entry, const char *what);

#endif
