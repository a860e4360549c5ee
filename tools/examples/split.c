// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * One submission that uses twice as much memory as the device has. Each object is filled with
 * a number of its own and added to a sum: the driver divides the commands, and brings to video
 * memory what each part of them needs.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <libquire.h>

#define SIZE	(1024 * 1024)

static void check(int ret, const char *what)
{
	if (ret)
		errx(1, "%s: %s", what, strerror(-ret));
}

static struct quire_object *create(struct quire_device *device)
{
	const struct quire_object_options options = { .size = SIZE };
	struct quire_object *object;

	check(quire_object_create(device, &options, &object), "create");
	return object;
}

/* All of the object has to be this number. */
static void compare(struct quire_object *object, uint32_t number)
{
	uint32_t *numbers;
	void *bytes;

	check(quire_object_map(object, &bytes), "map");
	numbers = bytes;
	for (unsigned int i = 0; i < SIZE / sizeof(*numbers); i++)
		if (numbers[i] != number)
			errx(1, "a number is %u, not %u", numbers[i], number);
}

int main(void)
{
	struct drm_quire_segment_info segments[QUIRE_CLASSES];
	struct quire_object **objects, *sum;
	struct quire_recorder *recorder;
	struct quire_context *context;
	struct quire_device *device;
	struct quire_result result;
	uint32_t expected = 0, count;

	check(quire_device_open(NULL, &device), "open");
	check(quire_device_segments(device, segments), "segments");
	check(quire_context_create(device, DRM_QUIRE_PRIORITY_NORMAL, &context), "context");
	check(quire_recorder_create(device, &recorder), "recorder");

	count = 2 * segments[DRM_QUIRE_SEGMENT_VRAM].size / SIZE;
	objects = calloc(count, sizeof(*objects));
	sum = create(device);
	for (uint32_t i = 0; i < count; i++) {
		objects[i] = create(device);
		quire_recorder_fill(recorder, quire_at(objects[i], 0), SIZE, i);
		quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_ADD,
					  quire_at(objects[i], 0), quire_at(sum, 0), SIZE);
		expected += i;
	}

	if (quire_recorder_submit(recorder, context, NULL, &result))
		errx(1, "submit: %s", result.message);
	check(quire_object_wait(sum, QUIRE_FOREVER), "wait");
	compare(sum, expected);
	for (uint32_t i = 0; i < count; i++)
		compare(objects[i], i);
	warnx("%u objects in %u parts, %u MiB paged in, %u out: all are right", count,
	      result.parts, (uint32_t)(result.bytes_in / SIZE),
	      (uint32_t)(result.bytes_out / SIZE));

	quire_recorder_destroy(recorder);
	for (uint32_t i = 0; i < count; i++)
		quire_object_close(objects[i]);
	free(objects);
	quire_object_close(sum);
	quire_context_destroy(context);
	quire_device_close(device);
	return 0;
}
