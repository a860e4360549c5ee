/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef QUIRE_VALIDATION_H
#define QUIRE_VALIDATION_H

#include <linux/ktime.h>
#include <linux/types.h>

#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_placement.h>

#include "core/quire_device_types.h"
#include "core/quire_patience.h"
#include "queue/quire_paging_queue.h"
#include "quire_ctx.h"
#include "quire_turn.h"

struct dma_fence;
struct quire_bo;
struct quire_device;
struct quire_gate;

/**
 * struct quire_position - of an object, address space or context, between interrupted calls
 * @ticket: its place in the queue for the turn (quire_turn.c)
 * @patience: the rest of its time (quire_patience.c)
 */
struct quire_position {
	struct quire_ticket ticket;
	struct quire_patience patience;
};

/**
 * enum quire_validation_mode - what may a try move?
 * @QUIRE_VALIDATION_STAYS: nothing: another caller has the turn, or waits for it
 * @QUIRE_VALIDATION_SHARED: objects; other callers take room at the same time
 * @QUIRE_VALIDATION_ALONE: objects; the caller has the turn, and errors are exact
 */
enum quire_validation_mode {
	QUIRE_VALIDATION_STAYS,
	QUIRE_VALIDATION_SHARED,
	QUIRE_VALIDATION_ALONE,
};

/* VRAM and the aperture. */
#define QUIRE_VALIDATION_PLACES	2

/**
 * struct quire_validation - a call that needs objects to be where the device can access them
 * @qdev: the device
 * @batch: its paging work
 * @position: kept between calls; protected by the locks of its members; or NULL
 * @try: makes one try, with nothing reserved before and after; or NULL. After an error nothing but
 *       places has changed: -ENOSPC there was no room, -EBUSY @busy has to move
 * @gate: entered for tries, but not for waits; before the turn; or NULL
 * @divides: a caller that finds no room divides its work, and does not wait for room
 *
 * @mode: of the try
 * @ctx: of the try, for TTM
 * @deaf: a signal has ended an earlier try of this position: none ends the tries in the turn
 *
 * @busy: after -EBUSY: the object that is in use, with a reference; or NULL
 * @hopeless: after -ENOSPC: neither another try nor a wait is of use
 * @full: places that had no room in the last try: of VRAM, and of the aperture
 * @in_use: of the last look, as the two below: fence of an object in the way, with a reference
 * @released: such a fence has signalled since the try
 * @locked: another caller had locked an object
 *
 * @began: when the last try began
 * @died: quire_free_list_died() when the call began; 0: dying objects are not waited for
 * @least: bytes that were in use in the segments of @full, the least of this turn
 * @still: number of tries in a row, in this turn, that made no room
 */
struct quire_validation {
	struct quire_device *qdev;
	struct quire_batch batch;
	struct quire_position *position;
	int (*try)(struct quire_validation *validation);
	struct quire_gate *gate;
	bool divides;

	enum quire_validation_mode mode;
	struct quire_operation_ctx ctx;
	bool deaf;

	struct quire_bo *busy;
	bool hopeless;
	struct ttm_place full[QUIRE_VALIDATION_PLACES];
	struct dma_fence *in_use;
	bool released;
	bool locked;

	ktime_t began;
	u64 died;
	u64 least[QUIRE_VALIDATION_PLACES];
	unsigned int still;
};

/* TTM of 6.12 calls a full segment -ENOMEM; quire_bo_validate() also means memory by that. */
static inline bool quire_is_no_room(int error)
{
	return error == -ENOSPC || error == -ENOMEM;
}

int quire_validation_run(struct quire_validation *validation);

/* For tries. */
int quire_validation_place(struct quire_validation *validation, struct quire_bo *bo,
			   const struct ttm_place *places, unsigned int count);
int quire_validation_take_free(struct quire_validation *validation, struct quire_bo *bo,
			       const struct ttm_place *place);
int quire_validation_busy(struct quire_validation *validation, struct quire_bo *bo);

/* For a caller with tries of its own. */
void quire_validation_enter(struct quire_validation *validation);
int quire_validation_begin_turn(struct quire_validation *validation);
void quire_validation_begin_tries(struct quire_validation *validation);
void quire_validation_begin_try(struct quire_validation *validation);
void quire_validation_look(struct quire_validation *validation);
bool quire_validation_try_again(struct quire_validation *validation);
long quire_validation_wait(struct quire_validation *validation, bool interruptible, long timeout);
void quire_validation_forget(struct quire_validation *validation);

/* Without a position, its call is never interrupted, or not made again. */
static inline struct quire_ticket *quire_validation_ticket(struct quire_validation *validation)
{
	return validation->position ? &validation->position->ticket : NULL;
}

/* End what quire_validation_enter() began; after -ERESTARTSYS it gets a place in the queue. */
static inline void quire_validation_leave(struct quire_validation *validation, int error)
{
	if (validation->mode == QUIRE_VALIDATION_SHARED)
		quire_turn_exit(validation->qdev->turn, quire_validation_ticket(validation),
				error == -ERESTARTSYS);
}

/* Let the next caller have the turn; after -ERESTARTSYS the place in the queue is kept. */
static inline void quire_validation_end_turn(struct quire_validation *validation, int error)
{
	quire_turn_end(validation->qdev->turn, quire_validation_ticket(validation),
		       error == -ERESTARTSYS);
}

#endif
