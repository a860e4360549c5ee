/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An address space with calls of every kind that wait for work. */
#ifndef QUIRE_TEST_PENDING_H
#define QUIRE_TEST_PENDING_H

#include "monitored.h"
#include "space.h"

#define PENDING_PAGES	16u

/**
 * struct pending - what is queued
 * @work: the device
 * @space: the address space
 * @objects: bound at PENDING_PAGES pages each; the second one is private
 * @gate: where the work waits that all else waits for
 * @holding: context of that work
 * @waiting: context of commands that wait for a value
 * @held: end of the work
 * @bound: ends of binds, one of each queue
 * @executed: end of commands that read what is bound
 * @waited: end of those that wait for the last value
 * @fence: has value 1 after them, and then 2
 */
struct pending {
	struct work *work;
	struct space space;
	struct quire_object *objects[2];
	struct gate gate;
	struct quire_context *holding;
	struct quire_context *waiting;
	struct quire_fence *held;
	struct quire_fence *bound[DRM_QUIRE_BIND_QUEUES];
	struct quire_fence *executed;
	struct quire_fence *waited;
	struct monitored fence;
};

void pending_open(struct pending *pending, struct work *work);
void pending_queue(struct pending *pending, uint64_t delay_ns);
void pending_let_go(const struct pending *pending);
void pending_finish(struct pending *pending);
void pending_close(struct pending *pending);

#endif
