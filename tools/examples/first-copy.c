// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Has the device copy one object to another, and compares them. What is waited for is the
 * object that is written: the device tells when all work with it is done.
 */
#include <err.h>
#include <string.h>
#include <libquire.h>

#define SIZE	(1024 * 1024)

static void check(int ret, const char *what)
{
	if (ret)
		errx(1, "%s: %s", what, strerror(-ret));
}

int main(void)
{
	const struct quire_object_options options = { .size = SIZE };
	struct quire_object *from, *to;
	struct quire_recorder *recorder;
	struct quire_context *context;
	struct quire_device *device;
	struct quire_result result;
	void *text, *copy;

	check(quire_device_open(NULL, &device), "open");
	check(quire_context_create(device, DRM_QUIRE_PRIORITY_NORMAL, &context), "context");
	check(quire_object_create(device, &options, &from), "create");
	check(quire_object_create(device, &options, &to), "create");
	check(quire_object_map(from, &text), "map");
	check(quire_object_map(to, &copy), "map");
	memset(text, 'q', SIZE); /* the CPU writes one */

	check(quire_recorder_create(device, &recorder), "recorder");
	quire_recorder_copy(recorder, quire_at(from, 0), quire_at(to, 0), SIZE);
	if (quire_recorder_submit(recorder, context, NULL, &result))
		errx(1, "submit: %s", result.message);
	check(quire_object_wait(to, QUIRE_FOREVER), "wait");

	if (memcmp(text, copy, SIZE))
		errx(1, "they differ");
	warnx("%d bytes copied", SIZE);

	quire_recorder_destroy(recorder);
	quire_object_close(to);
	quire_object_close(from);
	quire_context_destroy(context);
	quire_device_close(device);
	return 0;
}
