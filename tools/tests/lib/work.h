/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Commands, as tests have them executed. Whatever should not fail and does ends the test. */
#ifndef QUIRE_TEST_WORK_H
#define QUIRE_TEST_WORK_H

#include "fixture.h"
#include "libquire.h"

/* No hang is that long, in no guest. */
#define WORK_PATIENCE_MS	600000u

/**
 * struct work - the device, and what is recorded for it
 * @fixture: the device; its file is that of @device
 * @device: the same, for libquire
 * @recorder: what work_submit() submits
 * @result: of the last submission
 */
struct work {
	struct fixture fixture;
	struct quire_device *device;
	struct quire_recorder *recorder;
	struct quire_result result;
};

/**
 * struct gate - a number at which commands wait, and which the CPU raises
 * @object: of one page, where the CPU sees it whoever uses it
 * @number: what it is now
 */
struct gate {
	struct quire_object *object;
	uint64_t *number;
};

void work_begin(struct work *work);
void work_end(struct work *work);
void work_open(struct work *work);
void work_close(struct work *work);

struct quire_context *work_context(const struct work *work);
uint32_t work_context_status(const struct quire_context *context);
struct quire_object *work_object(const struct work *work, uint64_t size);
struct quire_object *work_object_in(const struct work *work, uint64_t size, uint32_t classes);
uint64_t work_number(struct quire_object *object, uint64_t offset);
void work_set_number(struct quire_object *object, uint64_t offset, uint64_t number);

struct quire_fence *work_fence(const struct work *work);
int work_fence_wait(struct quire_fence *fence);
int work_submit(struct work *work, struct quire_context *context, uint32_t ring,
		const struct quire_fence *wait, const struct quire_fence *signal);

void work_gate_open(const struct work *work, struct gate *gate);
void work_gate_open_apart(const struct work *work, struct gate *gate);
void work_gate_close(struct gate *gate);
uint64_t work_gate_number(const struct gate *gate);
void work_gate_raise(const struct gate *gate, uint64_t number);
void work_wait_at(struct work *work, const struct gate *gate, uint64_t number);

bool work_inject(const struct work *work, uint32_t ring, const char *what, uint32_t command);

#endif
