// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include <linux/futex.h>

#include "gated.h"
#include "vgem.h"

#define RENEW_MS	2000

/* Or the test ends. */
void *gated_map(struct quire_object *object)
{
	void *bytes;

	if (quire_object_map(object, &bytes))
		tap_bail("map");
	return bytes;
}

static uint64_t whole_pages(uint64_t bytes)
{
	return bytes & ~(QUIRE_PAGE - 1);
}

/**
 * gated_open_in - make the objects of a submission in parts
 * @gated: to fill
 * @canvas: eighths of VRAM that it has; 0: there is none
 * @large: eighths of VRAM that each of the others has; 0: one page
 * @classes: of these, as of struct quire_object_options
 */
void gated_open_in(struct gated *gated, uint64_t canvas, uint64_t large, uint32_t classes)
{
	uint64_t eighth;

	memset(gated, 0, sizeof(*gated));
	work_begin(&gated->work);
	eighth = fixture_vram(&gated->work.fixture) / 8;
	gated->context = work_context(&gated->work);
	if (canvas)
		gated->canvas = work_object(&gated->work, whole_pages(canvas * eighth));
	for (unsigned int i = 0; i < GATED_LARGE; i++)
		gated->large[i] = work_object_in(&gated->work,
						 large ? whole_pages(large * eighth) : QUIRE_PAGE,
						 classes);
	gated->gate = work_object_in(&gated->work, QUIRE_PAGE,
				     DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM) |
				     DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE));
	gated->number = gated_map(gated->gate);
}

/* As gated_open_in(), wherever they may be. */
void gated_open(struct gated *gated, uint64_t canvas, uint64_t large)
{
	gated_open_in(gated, canvas, large, 0);
}

/* The other end: nothing is left, and the device works. */
void gated_close(struct gated *gated)
{
	quire_object_close(gated->gate);
	for (unsigned int i = 0; i < GATED_LARGE; i++)
		quire_object_close(gated->large[i]);
	quire_object_close(gated->canvas);
	quire_context_destroy(gated->context);
	work_end(&gated->work);
}

/* As gated_record(); the canvas is bound already. */
void gated_record_kept(struct gated *gated)
{
	struct quire_recorder *recorder = gated->work.recorder;

	for (unsigned int i = 1; i <= GATED_PARTS; i++) {
		quire_recorder_write_value(recorder,
					   quire_at(gated->large[(i - 1) % GATED_LARGE], 0), i);
		if (gated->canvas)
			quire_recorder_write_value(recorder, quire_at(gated->canvas, 8 * i), i);
		quire_recorder_wait_value(recorder, QUIRE_WAIT_GREATER_EQUAL,
					  quire_at(gated->gate, 0), i);
	}
}

/*
 * What is i-th, from 1, is written to one of the large objects and to the canvas; then the gate
 * has to be at i. The canvas comes behind the first of them.
 */
void gated_record(struct gated *gated)
{
	if (gated->canvas)
		quire_recorder_bind(gated->work.recorder, 0, quire_at(gated->canvas, 0),
				    quire_object_size(gated->canvas), true);
	gated_record_kept(gated);
}

/* To be a thread; @data: struct gated, recorded. */
void *gated_submit(void *data)
{
	struct gated *gated = data;

	gated->thread = gettid();
	gated->ret = work_submit(&gated->work, gated->context, 0, gated->after, NULL);
	gated->done = true;
	return NULL;
}

/* Another thread; @data: its argument. */
pthread_t gated_start(void *(*function)(void *data), void *data)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, data))
		tap_bail("thread");
	return thread;
}

/*
 * To be a thread, @data: struct busy. A fence of vgem ends by itself in ten seconds, and a slow
 * machine needs more for what comes meanwhile: another one takes its place in time. One of our
 * rings would last, but submissions have these.
 */
void *gated_keep_busy(void *data)
{
	struct busy *busy = data;
	uint32_t last = 0, next;

	while (!busy->ret && !busy->ends) {
		busy->ret = vgem_attach_fence(busy->vgem, busy->fd, busy->handle, &next);
		if (!busy->ret && busy->begun)
			busy->ret = vgem_signal_fence(busy->vgem, last);
		last = next;
		busy->begun = true;
		for (unsigned int i = 0; i < RENEW_MS / 10 && !busy->ends; i++)
			test_sleep_ms(10);
	}
	if (!busy->ret)
		busy->ret = vgem_signal_fence(busy->vgem, last);
	return NULL;
}

/* @thread: of anybody, as soon as there is one: does it come to wait in a kernel function? */
bool gated_thread_gets_within(const atomic_int *thread, const char *function)
{
	while (!*thread)
		test_sleep_ms(1);
	return child_gets_within(*thread, function, WAIT_MS);
}

/* Does gated_submit()? */
bool gated_gets_within(const struct gated *gated, const char *function)
{
	return gated_thread_gets_within(&gated->thread, function);
}

/* The CPU lets what waits for @number or less go on. */
void gated_raise_to(const struct gated *gated, uint64_t number)
{
	__atomic_store_n(gated->number, number, __ATOMIC_SEQ_CST);
}

/* In so many milliseconds. */
bool gated_comes_true(const atomic_bool *what, unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;

	while (!*what && quire_now_ns() < end)
		test_sleep_ms(5);
	return *what;
}

/* Until the object is in VRAM, or not there any more. */
bool gated_settles_within(struct quire_object *object, bool in_vram, unsigned int milliseconds)
{
	int64_t end = quire_now_ns() + milliseconds * 1000000ll;

	while ((quire_object_class(object) == DRM_QUIRE_SEGMENT_VRAM) != in_vram) {
		if (quire_now_ns() > end)
			return false;
		test_sleep_ms(5);
	}
	return true;
}

/* The same, as usual. */
bool gated_settles(struct quire_object *object, bool in_vram)
{
	return gated_settles_within(object, in_vram, WAIT_MS);
}

/* Each number is that of the last part that wrote it. */
static bool is_right(struct gated *gated)
{
	bool right = true;

	for (unsigned int i = 0; i < GATED_LARGE; i++)
		right &= work_number(gated->large[i], 0) == GATED_PARTS - GATED_LARGE + 1 + i;
	for (unsigned int i = 1; gated->canvas && i <= GATED_PARTS; i++)
		right &= work_number(gated->canvas, 8 * i) == i;
	return right;
}

/* All gates are open; @thread: of gated_submit(). */
void gated_expect_done(struct gated *gated, pthread_t thread)
{
	gated_raise_to(gated, UINT64_MAX);
	pthread_join(thread, NULL);
	tap_ret(gated->ret, 0, "the submission is queued");
	tap_ok(gated->work.result.parts > 1, "in %u parts", gated->work.result.parts);
	tap_ok(is_right(gated), "all of it was executed");
	tap_ret(work_context_status(gated->context), DRM_QUIRE_CONTEXT_GOOD,
		"the context is good");
}

/*
 * The kernel writes to a mapping: a fault that may not be tried again, and so can not wait.
 * Returns 0, or a negative errno.
 */
int gated_touch_at_once(uint32_t *word)
{
	uint32_t none = 0;
	long ret = syscall(SYS_futex, &none, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, word,
			   FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0));

	return ret < 0 ? -errno : 0;
}
