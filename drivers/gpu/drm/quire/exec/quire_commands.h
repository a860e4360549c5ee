/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_COMMANDS_H
#define QUIRE_COMMANDS_H

#include <linux/types.h>

#include "core/quire_sync.h"

struct dma_fence;
struct drm_file;
struct drm_quire_array;
struct drm_sched_job;
struct quire_command_memory;
struct quire_commands;
struct quire_context;
struct quire_device;
struct quire_execution;

/**
 * struct quire_commands_ops - what EXEC and SUBMIT do each in its own way
 * @depend: let a job wait for what the objects of a part wait for, and reserve a fence in each;
 *          0, or -ENOMEM
 * @patch: write the commands from @start to @end to &quire_commands.memory; NULL: they stand at a
 *         virtual address
 * @publish: give &quire_commands.fence to the objects of the part; never fails
 */
struct quire_commands_ops {
	int (*depend)(struct quire_commands *commands, struct drm_sched_job *job);
	void (*patch)(struct quire_commands *commands, u32 start, u32 end);
	void (*publish)(struct quire_commands *commands);
};

/**
 * struct quire_commands - the commands of one call, on their way to a ring
 * @ops: of the call
 * @name: of the call, for messages
 * @qdev: the device
 * @execution: the ring
 * @context: whose commands they are, with a reference
 * @memory: of the commands that have to be patched, and charged for all
 * @packets: the commands as the program gave them; NULL: they stand at a virtual address
 * @syncs: fences in and out
 * @splits: they may be queued in several parts
 * @submission: number in the context, once a part was queued
 * @parts: number of parts that were queued
 * @fence: of the last of them, or NULL
 * @finished: the scheduler's fence of that, or NULL
 */
struct quire_commands {
	const struct quire_commands_ops *ops;
	const char *name;
	struct quire_device *qdev;
	struct quire_execution *execution;
	struct quire_context *context;
	struct quire_command_memory *memory;
	const void *packets;
	struct quire_syncs syncs;
	bool splits;
	u64 submission;
	u32 parts;
	struct dma_fence *fence;
	struct dma_fence *finished;
};

int quire_commands_begin(struct quire_commands *commands, struct drm_file *file, u32 context,
			 u32 ring, const struct drm_quire_array *syncs);
int quire_commands_check_context(const struct quire_commands *commands);
int quire_commands_execute(struct quire_commands *commands, struct drm_file *file, u32 size,
			   int (*queue)(struct quire_commands *commands));
int quire_commands_queue(struct quire_commands *commands, u64 address, u32 start, u32 end);
void quire_commands_end(struct quire_commands *commands);

#endif
