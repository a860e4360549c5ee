/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SUBMIT_H
#define QUIRE_SUBMIT_H

/**
 * DOC: Layer submit
 *
 * SUBMIT: a command buffer with lists of allocations and of patch locations. The objects are
 * brought where commands can use them; the planner in commands splits what does not fit at once.
 *
 * In: &struct drm_quire_submit. Out: jobs of the folder exec, one or several a part. May use: all
 * before it.
 */

#include <linux/types.h>

#include "commands/quire_split.h"
#include "bo/quire_validation.h"
#include "exec/quire_execution.h"

struct drm_device;
struct drm_file;
struct drm_quire_submit;

/**
 * struct quire_submit_object - an object that commands use
 * @bo: the object, with a reference
 * @writes: commands may write it
 * @planned: this submission has set &quire_bo.planned
 */
struct quire_submit_object {
	struct quire_bo *bo;
	bool writes;
	bool planned;
};

/**
 * struct quire_submit - a submission, on its way from the program to the rings
 * @commands: base
 * @qdev: the device
 * @list: commands and lists; all arrays belong to the submission
 * @fields: of quire_command_check()
 * @objects: by the indices of @list
 * @addresses: of them, for @part
 * @nr_claimed: so many are one of &quire_bo.claims
 * @part: that is queued now
 * @options: of tests, that want it to be split
 * @error: the element that is wrong; its @where is also enum drm_quire_refusal_where
 * @validation: how its objects get their places
 * @in_turn: it has its turn, see quire_turn.c
 * @patience: jiffies that it still waits in its turn until an object can come, or go
 * @busy: after -EBUSY: index of the object that has to move, and is in use
 * @comes: index of the object that it has last tried to bring in, in its turn
 * @bytes_in: brought to where commands can use it
 * @bytes_out: taken away for that
 */
struct quire_submit {
	struct quire_commands commands;
	struct quire_device *qdev;
	struct quire_command_list list;
	u32 *fields;
	struct quire_submit_object *objects;
	u64 *addresses;
	u32 nr_claimed;
	const struct quire_split_part *part;
	struct quire_split_options options;
	struct quire_command_error error;
	struct quire_validation validation;
	bool in_turn;
	long patience;
	u32 busy;
	u32 comes;
	u64 bytes_in;
	u64 bytes_out;
};

int quire_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* quire_submit_read.c */
int quire_submit_read(struct quire_submit *submit, struct drm_file *file,
		      const struct drm_quire_submit *args);
void quire_submit_free(struct quire_submit *submit);
int quire_submit_refuse_object(struct quire_submit *submit, u32 index, int error,
			       const char *why);

/* quire_submit_object.c */
bool quire_submit_object_is_placed(struct quire_submit *submit, u32 index);
bool quire_submit_object_must_move(struct quire_submit *submit, u32 index);
int quire_submit_object_place(struct quire_submit *submit, u32 index, u64 address, bool must);
int quire_submit_object_leave(struct quire_bo *bo, struct ttm_operation_ctx *ctx);
int quire_submit_claim(struct quire_submit *submit);
int quire_submit_wait_before(struct quire_submit *submit);
extern const struct quire_commands_ops quire_submit_ops;
int quire_submit_part(struct quire_submit *submit, const struct quire_split_part *part,
		      bool interruptible, int (*place)(struct quire_submit *submit, u32 index));

/* quire_submit_split.c */
int quire_submit_split(struct quire_submit *submit);

#endif
