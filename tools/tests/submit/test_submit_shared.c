// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Threads whose commands write one object, on all rings at once: none of them waits for
 * another by itself, and no sum is lost. They meet at the object's lock, with those of others.
 */
#include <pthread.h>

#include "fixture.h"
#include "libquire.h"

#define THREADS		4
#define OWN		8
#define ROUNDS		1500
#define WORDS		(QUIRE_PAGE / sizeof(uint32_t))

/**
 * struct adder - one thread
 * @device: all have the same one
 * @ring: that executes its commands
 * @sum: all write it
 * @own: what it adds, one after the other: pages of a number each
 * @thread: it
 * @error: what went wrong
 */
struct adder {
	struct quire_device *device;
	uint32_t ring;
	struct quire_object *sum;
	struct quire_object *own[OWN];
	pthread_t thread;
	int error;
};

static int add(struct adder *adder, struct quire_context *context,
	       struct quire_recorder *recorder, const struct quire_fence *fence)
{
	const struct quire_fence_point point = { .fence = fence };
	const struct quire_submission how = {
		.ring = adder->ring, .nr_signals = 1, .signals = &point,
	};
	int ret = 0;

	for (unsigned int i = 0; i < ROUNDS && !ret; i++) {
		quire_recorder_reset(recorder);
		quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_ADD,
					  quire_at(adder->own[i % OWN], 0),
					  quire_at(adder->sum, 0), QUIRE_PAGE);
		ret = quire_recorder_submit(recorder, context, &how, NULL);
	}
	return ret ? ret : quire_fence_wait(fence, 0, WAIT_MS * 1000000ll);
}

static void *run(void *data)
{
	struct adder *adder = data;
	struct quire_context *context = NULL;
	struct quire_recorder *recorder = NULL;
	struct quire_fence *fence = NULL;
	int ret = quire_context_create(adder->device, DRM_QUIRE_PRIORITY_NORMAL, &context);

	if (!ret)
		ret = quire_recorder_create(adder->device, &recorder);
	if (!ret)
		ret = quire_fence_create(adder->device, &fence);
	adder->error = ret ? ret : add(adder, context, recorder, fence);
	quire_fence_close(fence);
	quire_recorder_destroy(recorder);
	quire_context_destroy(context);
	return NULL;
}

/* Of a page; each word is @number. */
static int create(struct quire_device *device, uint32_t number, struct quire_object **object)
{
	const struct quire_object_options options = { .size = QUIRE_PAGE };
	uint32_t *numbers;
	void *map;
	int ret = quire_object_create(device, &options, object);

	if (!ret)
		ret = quire_object_map(*object, &map);
	if (ret)
		return ret;
	numbers = map;
	for (unsigned int i = 0; i < WORDS; i++)
		numbers[i] = number;
	return 0;
}

static bool all_are(struct quire_object *object, uint32_t number)
{
	uint32_t *numbers;
	void *map;

	if (quire_object_map(object, &map))
		return false;
	numbers = map;
	for (unsigned int i = 0; i < WORDS; i++) {
		if (numbers[i] == number)
			continue;
		tap_diag("number %u is %u, not %u", i, numbers[i], number);
		return false;
	}
	return true;
}

static void test_sum(struct quire_device *device, uint32_t rings)
{
	struct adder adders[THREADS] = { 0 };
	struct quire_object *sum = NULL;
	uint32_t expected = 0;
	int ret = 0;

	for (unsigned int i = 0; i < THREADS; i++) {
		/* some are locked before it, others behind */
		if (i == THREADS / 2 && !ret)
			ret = create(device, 0, &sum);
		adders[i].device = device;
		adders[i].ring = i % rings;
		for (unsigned int j = 0; j < OWN && !ret; j++)
			ret = create(device, i * OWN + j, &adders[i].own[j]);
		for (unsigned int j = 0; j < ROUNDS; j++)
			expected += i * OWN + j % OWN;
	}
	tap_ret(ret, 0, "create");
	for (unsigned int i = 0; i < THREADS; i++) {
		adders[i].sum = sum;
		if (pthread_create(&adders[i].thread, NULL, run, &adders[i]))
			tap_bail("pthread_create");
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(adders[i].thread, NULL);
		tap_ret(adders[i].error, 0, "thread %u, ring %u: %u sums", i, adders[i].ring,
			ROUNDS);
	}
	tap_ok(all_are(sum, expected), "none was lost");
	for (unsigned int i = 0; i < THREADS; i++)
		for (unsigned int j = 0; j < OWN; j++)
			quire_object_close(adders[i].own[j]);
	quire_object_close(sum);
}

int main(void)
{
	struct quire_device *device;
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	if (!fixture.info.execution_rings)
		tap_skip_all("no execution rings");
	if (!tap_ret(quire_device_open(NULL, &device), 0, "open"))
		return tap_done();
	test_sum(device, fixture.info.execution_rings);
	quire_device_close(device);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
