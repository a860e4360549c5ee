/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_SUBMIT_H
#define QUIRE_SUBMIT_H

/**
 * DOC: Layer submit
 *
 * SUBMIT: a command buffer with a list of allocations and a list of patch locations. The objects
 * are brought where commands can use them; what does not fit at once is split into parts by the
 * planner in commands.
 *
 * In: &struct drm_quire_submit. Out: jobs of the folder exec, one or several a part. May use: all
 * before it.
 */

#include <linux/types.h>

#include "commands/quire_command_check.h"
#include "commands/quire_command_list.h"
#include "bo/quire_validation.h"
#include "exec/quire_commands.h"

struct drm_device;
struct drm_file;
struct drm_quire_submit;
struct quire_bo;
struct quire_device;

struct quire_submit_part;

/**
 * struct quire_submit_object - an object that commands use
 * @bo: the object, with a reference
 * @writes: commands may write it
 * @planned: this submission has set &quire_bo.planned
 * @claimed: it is one of &quire_bo.claims
 */
struct quire_submit_object {
	struct quire_bo *bo;
	bool writes;
	bool planned;
	bool claimed;
};

/**
 * struct quire_submit - a submission, on its way from the program to the rings
 * @commands: base
 * @qdev: the device
 * @list: commands and lists; all arrays belong to the submission
 * @fields: of quire_command_check()
 * @objects: by the indices of @list
 * @addresses: of them, for @part
 * @part: that is queued now
 * @error: the element that is wrong; its @where is also enum drm_quire_refusal_where
 * @validation: how its objects get their places
 * @in_turn: it has its turn, see quire_turn.c
 * @patience: jiffies that it still waits in its turn, until there is room for an object, or until
 *            one can be evicted
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
	const struct quire_submit_part *part;
	struct quire_command_error error;
	struct quire_validation validation;
	bool in_turn;
	long patience;
	u32 busy;
	u32 comes;
	u64 bytes_in;
	u64 bytes_out;
};

/**
 * struct quire_submit_part - bytes of the command buffer that are executed without paging
 * @start: first byte
 * @end: behind the last one
 * @nr_objects: number of @objects
 * @objects: indices of those that are used; NULL: all that there are
 */
struct quire_submit_part {
	u32 start;
	u32 end;
	u32 nr_objects;
	const u32 *objects;
};

int quire_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/* quire_submit_read.c */
int quire_submit_read(struct quire_submit *submit, struct drm_file *file,
		      const struct drm_quire_submit *args);
void quire_submit_free(struct quire_submit *submit);
int quire_submit_refuse(const struct quire_submit *submit, int error);
int quire_submit_refuse_allocation(struct quire_submit *submit, u32 allocation, int error,
				   const char *why);

/* quire_submit_part.c */
extern const struct quire_commands_ops quire_submit_ops;
int quire_submit_part(struct quire_submit *submit, const struct quire_submit_part *part);

/* quire_submit_split.c */
bool quire_submit_split_is_forced(void);
int quire_submit_split_check(struct quire_submit *submit);
int quire_submit_split(struct quire_submit *submit);

/* quire_submit_whole.c */
bool quire_submit_may_fit(const struct quire_submit *submit);
int quire_submit_whole(struct quire_validation *validation);

#endif
