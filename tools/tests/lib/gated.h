/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A submission in parts, each of which waits until the test lets it go on. */
#ifndef QUIRE_TEST_GATED_H
#define QUIRE_TEST_GATED_H

#include <pthread.h>
#include <stdatomic.h>

#include "work.h"

#define GATED_LARGE	3u
#define GATED_PARTS	6u

/**
 * struct gated - a submission in parts, each of which waits at a gate
 * @work: the device
 * @context: of the submission
 * @canvas: bound all the time, or NULL
 * @large: one after the other; all of them and the canvas do not fit
 * @gate: part number i ends when the number there is at least i
 * @number: it
 * @after: what the submission waits for, or NULL
 * @thread: that submits
 * @ret: what the submission returned
 * @done: it did
 * @share_ret: what another submission returned meanwhile
 * @other: what another thread does meanwhile
 * @other_ret: what came of it
 * @other_done: that has ended
 */
struct gated {
	struct work work;
	struct quire_context *context;
	struct quire_object *canvas;
	struct quire_object *large[GATED_LARGE];
	struct quire_object *gate;
	uint64_t *number;
	struct quire_fence *after;
	atomic_int thread;
	int ret;
	atomic_bool done;
	int share_ret;
	struct work other;
	int other_ret;
	atomic_bool other_done;
};

/**
 * struct busy - an object that fences of vgem keep busy
 * @vgem: another driver, of which the fences are
 * @fd: file of the object
 * @handle: of the object
 * @begun: it is busy
 * @ends: it is to be idle
 * @ret: what became of it
 */
struct busy {
	int vgem;
	int fd;
	uint32_t handle;
	atomic_bool begun;
	atomic_bool ends;
	int ret;
};

void gated_open_in(struct gated *gated, uint64_t canvas, uint64_t large, uint32_t classes);
void gated_open(struct gated *gated, uint64_t canvas, uint64_t large);
void gated_close(struct gated *gated);
void *gated_map(struct quire_object *object);

void gated_record(struct gated *gated);
void gated_record_kept(struct gated *gated);
void *gated_submit(void *data);
pthread_t gated_start(void *(*function)(void *data), void *data);
void *gated_keep_busy(void *data);
bool gated_thread_gets_within(const atomic_int *thread, const char *function);
bool gated_gets_within(const struct gated *gated, const char *function);
void gated_expect_done(struct gated *gated, pthread_t thread);

void gated_raise_to(const struct gated *gated, uint64_t number);
bool gated_comes_true(const atomic_bool *what, unsigned int milliseconds);
bool gated_settles_within(struct quire_object *object, bool in_vram, unsigned int milliseconds);
bool gated_settles(struct quire_object *object, bool in_vram);
int gated_touch_at_once(uint32_t *word);

#endif
