// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * While a part is executed the next one is paged in: what it needs is in VRAM before the part
 * before it ends.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "eighths.h"
#include "vram.h"

/**
 * struct scene - a submission that goes on when the test lets it
 * @work: the device
 * @eighths: its objects
 * @context: its context
 * @ret: what it returned
 */
struct scene {
	struct work work;
	struct eighths eighths;
	struct quire_context *context;
	int ret;
};

static void *submit(void *data)
{
	struct scene *scene = data;

	scene->ret = work_submit(&scene->work, scene->context, 0, NULL, NULL);
	return NULL;
}

/* Until the commands of object @number, from 1, are at work. */
static bool gets_to(const struct scene *scene, unsigned int number)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;

	while (eighths_at_work(&scene->eighths) != number && quire_now_ns() < end)
		test_sleep_ms(5);
	return eighths_at_work(&scene->eighths) == number;
}

/* As the device sees VRAM, not as the driver means it to be. */
static bool comes_to_vram(const struct scene *scene, unsigned int index)
{
	int64_t end = quire_now_ns() + WAIT_MS * 1000000ll;
	int fd = vram_open(&scene->work.fixture, O_RDONLY);
	uint8_t page[QUIRE_PAGE];
	bool found;

	eighths_page(index, page);
	do {
		found = vram_find(fd, page) >= 0;
	} while (!found && quire_now_ns() < end);
	close(fd);
	return found;
}

static unsigned int count_in_vram(const struct scene *scene)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < EIGHTHS; i++)
		count += quire_object_class(scene->eighths.objects[i]) == DRM_QUIRE_SEGMENT_VRAM;
	return count;
}

/* Part by part: the last one that may end is that of object @number, from 1. */
static bool look_ahead(const struct scene *scene, unsigned int number)
{
	bool ahead;

	work_gate_raise(&scene->eighths.gate, number);
	if (!gets_to(scene, number + 1)) {
		tap_ok(false, "the part with object %u is executed", number + 1);
		return false;
	}
	ahead = comes_to_vram(scene, number + 1);
	tap_ok(ahead && eighths_at_work(&scene->eighths) == number + 1,
	       "while that with object %u is at work, object %u comes", number + 1, number + 2);
	return ahead;
}

static void expect_done(struct scene *scene, pthread_t submitting, unsigned int first)
{
	work_gate_raise(&scene->eighths.gate, UINT64_MAX);
	pthread_join(submitting, NULL);
	tap_ret(scene->ret, 0, "all is queued");
	tap_ret(eighths_first(&scene->work.result), first, "each later part has one object");
	tap_ok(eighths_are_right(&scene->eighths, EIGHTHS), "all of it was executed");
	tap_ret(work_context_status(scene->context), DRM_QUIRE_CONTEXT_GOOD,
		"the context is good");
}

static void test_ahead(struct scene *scene)
{
	pthread_t submitting;
	unsigned int first;

	scene->context = work_context(&scene->work);
	eighths_open(&scene->eighths, &scene->work);
	eighths_record(&scene->eighths);
	if (pthread_create(&submitting, NULL, submit, scene))
		tap_bail("thread");
	tap_ok(gets_to(scene, 1), "the first part is at work");
	first = count_in_vram(scene);
	tap_ok(first > 1 && first < EIGHTHS - 1, "it uses %u objects", first);
	for (unsigned int number = first; number < EIGHTHS - 1; number++)
		if (!look_ahead(scene, number))
			break;
	expect_done(scene, submitting, first);
	eighths_close(&scene->eighths);
	quire_context_destroy(scene->context);
}

int main(void)
{
	struct scene scene;

	tap_start(250);
	work_begin(&scene.work);
	if (getuid())
		tap_skip_all("not root");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	test_ahead(&scene);
	test_parameter("hang_period", 3000);
	work_end(&scene.work);
	return tap_done();
}
