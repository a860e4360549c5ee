/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Commands and their lists, written by hand, as no recorder would write them. */
#ifndef QUIRE_TEST_SCRIPT_H
#define QUIRE_TEST_SCRIPT_H

#include "fixture.h"
#include "mirror.h"

#define SCRIPT_WORDS		1024
#define SCRIPT_ALLOCATIONS	72
#define SCRIPT_PATCHES		144

/**
 * struct script - a command buffer and its lists
 * @words: of the command buffer
 * @size: bytes of it; the next command begins there
 * @allocations: of it
 * @nr_allocations: number of @allocations
 * @patches: of it, in the order of their split offsets
 * @nr_patches: number of @patches
 */
struct script {
	uint64_t words[SCRIPT_WORDS];
	uint32_t size;
	struct drm_quire_allocation allocations[SCRIPT_ALLOCATIONS];
	uint32_t nr_allocations;
	struct drm_quire_patch_location patches[SCRIPT_PATCHES];
	uint32_t nr_patches;
};

/**
 * struct binding - what a slot holds
 * @allocation: the allocation; commands use its first bytes
 * @slot: the slot
 * @from: byte of the command buffer where that begins
 */
struct binding {
	uint32_t allocation;
	uint32_t slot;
	uint32_t from;
};

static inline struct binding bound(uint32_t allocation, uint32_t slot, uint32_t from)
{
	return (struct binding){ allocation, slot, from };
}

/* It begins with the next command. */
static inline struct binding bound_here(const struct script *script, uint32_t allocation,
					uint32_t slot)
{
	return bound(allocation, slot, script->size);
}

uint32_t script_allocation(struct script *script, const struct quire_object *object,
			   uint64_t offset, uint64_t size);
uint32_t script_object(struct script *script, const struct quire_object *object);
uint32_t script_none(struct script *script);

void script_unbind(struct script *script, uint32_t slot, uint32_t none);
struct binding script_bind_anew(struct script *script, uint32_t allocation, uint32_t slot,
				uint32_t none);
void script_nop(struct script *script, uint32_t size);
void script_fill(struct script *script, struct binding dst, uint32_t pattern);
void script_add(struct script *script, struct binding src, struct binding dst);
void script_write(struct script *script, struct binding dst, uint64_t number);
void script_wait(struct script *script, struct binding src, uint64_t number);

int script_submit(const struct script *script, struct gpu *gpu);
int script_run(const struct script *script, struct gpu *gpu);
bool page_is(struct quire_object *object, uint64_t offset, uint32_t pattern);

#endif
