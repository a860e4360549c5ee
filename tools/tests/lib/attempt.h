/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A submission, of which tests change a field so that it is bad. */
#ifndef QUIRE_TEST_ATTEMPT_H
#define QUIRE_TEST_ATTEMPT_H

#include "refuse.h"
#include "work.h"

#define NOP		8u	/* bytes of the command that begins each of them */
#define COPY		NOP	/* where the copy begins */
#define COPY_END	(COPY + (uint32_t)sizeof(struct quire_command_copy))
#define SRC		(COPY + (uint32_t)offsetof(struct quire_command_copy, src))
#define DST		(COPY + (uint32_t)offsetof(struct quire_command_copy, dst))

/**
 * struct attempt - a submission: nothing, then a copy from one page to another one
 * @nop: the command buffer begins with it
 * @rest: of the command buffer
 * @allocations: the allocation list
 * @patches: the patch-location list
 * @submit: the argument; its arrays are those above
 */
struct attempt {
	struct quire_packet_header nop;
	char rest[248];
	struct drm_quire_allocation allocations[4];
	struct drm_quire_patch_location patches[4];
	struct drm_quire_submit submit;
};

/**
 * struct scene - who is asked, and what with
 * @subject: must not notice anything
 * @work: the device
 * @context: that executes nothing
 * @apart: handle of an object that is never in VRAM
 * @system: handle of one that is in system memory only
 */
struct scene {
	struct subject subject;
	struct work work;
	uint32_t context;
	uint32_t apart;
	uint32_t system;
};

struct quire_packet_header header(uint16_t opcode, uint16_t flags, uint32_t size);
void scene_open(struct scene *scene);
void scene_close(struct scene *scene);

void attempt_init(struct attempt *attempt, const struct scene *scene);
struct quire_command_copy *copy(struct attempt *attempt);
void *append(struct attempt *attempt, struct quire_packet_header what);
void *alone(struct attempt *attempt, struct quire_packet_header what);
void *writes(struct attempt *attempt, struct quire_packet_header what, uint32_t field);
void attempt_refused(struct scene *scene, struct attempt *attempt, int expected, uint32_t where,
		     uint32_t entry, uint32_t offset, const char *name);

#define REFUSED_AT(expected, where, entry, offset, name, ...) \
	do {						\
		struct attempt a;			\
							\
		attempt_init(&a, s);			\
		__VA_ARGS__;				\
		attempt_refused(s, &a, expected, DRM_QUIRE_REFUSAL_##where, entry, offset, name); \
	} while (0)

#define SUBMIT(expected, name, ...) \
	REFUSED_AT(expected, SUBMIT, 0, 0, "submit: " name, __VA_ARGS__)
#define ALLOCATION(expected, entry, name, ...) \
	REFUSED_AT(expected, ALLOCATIONS, entry, 0, "allocation: " name, __VA_ARGS__)
#define COMMAND(expected, offset, name, ...) \
	REFUSED_AT(expected, COMMANDS, 0, offset, "command: " name, __VA_ARGS__)
#define PATCH(expected, entry, offset, name, ...) \
	REFUSED_AT(expected, PATCHES, entry, offset, "patch: " name, __VA_ARGS__)

#endif
