/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMAND_MEMORY_H
#define QUIRE_COMMAND_MEMORY_H

#include <linux/kref.h>
#include <linux/types.h>

struct quire_context;

/**
 * struct quire_command_memory - the commands of a submission, with their addresses
 * @refs: of the call that queues it, and of its jobs; each has a reference to @context, too
 * @context: whose it is
 * @ring: number of the execution ring
 * @size: bytes of @words
 * @words: of each part what quire_command_patch() wrote; no more changes once a job has it
 */
struct quire_command_memory {
	struct kref refs;
	struct quire_context *context;
	u32 ring;
	u32 size;
	__le64 words[];
};

struct quire_command_memory *quire_command_memory_create(struct quire_context *context, u32 ring,
							 u32 size);
struct quire_command_memory *quire_command_memory_get(struct quire_command_memory *memory);
void quire_command_memory_put(struct quire_command_memory *memory);

#endif
