// SPDX-License-Identifier: GPL-2.0 OR MIT
/* libquire on a device: each command does what its function says, fences and refusals too. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define SIZE		65536
#define SECOND		1000000000ll
#define LONG		(60 * SECOND)
#define DELAY		(SECOND / 5)

static struct quire_device *device;
static struct quire_context *context;
static struct quire_recorder *recorder;

static struct quire_object *create(uint64_t size, uint32_t classes, void **bytes)
{
	const struct quire_object_options options = { .size = size, .classes = classes };
	struct quire_object *object;

	if (quire_object_create(device, &options, &object) || quire_object_map(object, bytes))
		tap_bail("no object");
	return object;
}

/* Until it is executed. */
static void run(struct quire_object *written)
{
	struct quire_result result = { 0 };
	int ret = quire_recorder_submit(recorder, context, NULL, &result);

	if (ret)
		tap_diag("%s", result.message);
	if (ret || quire_object_wait(written, LONG))
		tap_bail("it is not executed");
	quire_recorder_reset(recorder);
}

static void test_numbers(void)
{
	void *left, *right, *results;
	struct quire_object *a = create(SIZE, 0, &left), *b = create(SIZE, 0, &right);
	struct quire_object *c = create(SIZE, 0, &results);
	const struct quire_compare_report *report = results;
	const uint64_t *values = results;

	quire_recorder_fill(recorder, quire_at(a, 0), SIZE, 3);
	quire_recorder_fill(recorder, quire_at(b, 0), SIZE, 5);
	quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_ADD, quire_at(a, 0), quire_at(b, 8),
				  4);
	quire_recorder_arithmetic(recorder, QUIRE_ARITHMETIC_XOR, quire_at(a, 0),
				  quire_at(b, 12), 4);
	quire_recorder_copy(recorder, quire_at(b, 0), quire_at(a, 4), 16);
	quire_recorder_compare(recorder, quire_at(a, 4), quire_at(b, 0), SIZE - 4, quire_at(c, 0));
	quire_recorder_checksum(recorder, quire_at(a, 32), 4, quire_at(c, 16));
	quire_recorder_write_value(recorder, quire_at(c, 24), 7);
	quire_recorder_wait_value(recorder, QUIRE_WAIT_GREATER_EQUAL, quire_at(c, 24), 6);
	quire_recorder_nop(recorder, 64);
	run(c);
	tap_ok(((uint32_t *)right)[2] == 8 && ((uint32_t *)right)[3] == 6, "add and xor");
	tap_ok(!memcmp((char *)left + 4, right, 16), "copy");
	tap_ok(report->first == 16 && report->count == (SIZE - 4) / 4 - 4, "compare: %llu, %llu",
	       (unsigned long long)report->first, (unsigned long long)report->count);
	tap_ok(values[2] == 0xb96bf0ae1e7fb2bf, "checksum: %#llx", (unsigned long long)values[2]);
	tap_ok(values[3] == 7, "a value");
	quire_object_close(a);
	quire_object_close(b);
	quire_object_close(c);
}

/* There and back, then a pixel of each kind over white. */
static void test_images(void)
{
	const struct quire_object_options tiles = {
		.size = SIZE, .layout = DRM_QUIRE_LAYOUT_TILE_4K, .element_size = 4,
		.width = 128, .height = 128, .levels = 1, .array_size = 1,
	};
	const struct quire_rectangle all = { .columns = 128, .rows = 128 };
	const struct quire_rectangle moved = { 0, 0, 1, -1, 128, 128 };
	struct quire_object *tiled, *from, *to;
	struct quire_image image = { .pitch = 512, .width = 128, .height = 128 }, there, back;
	void *left, *right;

	if (quire_object_create(device, &tiles, &tiled))
		tap_bail("no image");
	from = create(SIZE, 0, &left);
	to = create(SIZE, 0, &right);
	for (uint32_t i = 0; i < SIZE / 4; i++)
		((uint32_t *)left)[i] = i & 1 ? 0x80402010 : i;
	there = quire_object_image(tiled, 0, 0);
	back = image;
	image.at = quire_at(from, 0);
	back.at = quire_at(to, 0);
	quire_recorder_copy_2d(recorder, &image, &there, &all, 4);
	quire_recorder_copy_2d(recorder, &there, &back, &all, 4);
	run(to);
	tap_ok(!memcmp(left, right, SIZE), "an image in tiles, and back");
	tap_ok(quire_object_class(tiled) == DRM_QUIRE_SEGMENT_VRAM, "it is in video memory");
	quire_recorder_fill(recorder, quire_at(to, 0), SIZE, 0xffffffff);
	quire_recorder_blend(recorder, &image, &back, &moved);
	run(to);
	tap_ok(((uint32_t *)right)[2] == 0xffbf9f8f, "blended: %#x", ((uint32_t *)right)[2]);
	tap_ok(((uint32_t *)right)[0] == 0xffffffff && ((uint32_t *)right)[127 * 128] == 0xffffffff,
	       "what is outside of the rectangle stays");
	quire_object_close(tiled);
	quire_object_close(from);
	quire_object_close(to);
}

static void test_aperture(void)
{
	void *left, *right;
	struct quire_object *a = create(SIZE, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE),
					&left);
	struct quire_object *b = create(SIZE, 0, &right);

	memset(left, 'a', SIZE);
	quire_recorder_copy(recorder, quire_at(a, 0), quire_at(b, 0), SIZE);
	run(b);
	tap_ok(quire_object_class(a) == DRM_QUIRE_SEGMENT_APERTURE, "one is in the aperture");
	tap_ok(!memcmp(left, right, SIZE), "and copied");
	quire_object_close(a);
	quire_object_close(b);
}

static int submit_delay(struct quire_context *where, uint32_t ring,
			const struct quire_fence_point *wait,
			const struct quire_fence_point *signal)
{
	const struct quire_submission submission = {
		.ring = ring, .nr_waits = !!wait, .waits = wait, .nr_signals = 1, .signals = signal,
	};
	int ret;

	quire_recorder_delay(recorder, DELAY);
	ret = quire_recorder_submit(recorder, where, &submission, NULL);
	quire_recorder_reset(recorder);
	return ret;
}

static bool is_ready(int file, int milliseconds)
{
	struct pollfd fd = { .fd = file, .events = POLLIN };

	return poll(&fd, 1, milliseconds) == 1;
}

/* One waits for the other, on another ring, and somebody else for both. */
static void test_fences(void)
{
	uint32_t last = quire_device_info(device)->execution_rings - 1;
	struct quire_fence *timeline, *single, *imported;
	struct quire_object *gate;
	struct quire_context *other;
	int64_t start = quire_now_ns();
	void *open;
	int file;

	if (quire_fence_create(device, &timeline) || quire_fence_create(device, &single) ||
	    quire_context_create(device, DRM_QUIRE_PRIORITY_LOW, &other))
		tap_bail("no fences");
	gate = create(QUIRE_PAGE, DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_APERTURE), &open);
	__atomic_store_n((uint64_t *)open, 0, __ATOMIC_SEQ_CST);
	test_parameter("hang_period", WORK_PATIENCE_MS);
	tap_ret(quire_fence_wait(single, 0, 0), -EINVAL, "a fence that nobody has");
	quire_recorder_wait_value(recorder, QUIRE_WAIT_EQUAL, quire_at(gate, 0), 1);
	tap_ret(submit_delay(context, 0, NULL, &(struct quire_fence_point){ timeline, 1 }), 0,
		"one signals point 1");
	tap_ret(submit_delay(other, last, &(struct quire_fence_point){ timeline, 1 },
			     &(struct quire_fence_point){ single, 0 }), 0, "another one waits");
	tap_ret(quire_fence_wait(single, 0, 0), -ETIME, "which takes a while");
	file = quire_fence_export(single, 0);
	tap_ok(file >= 0, "its end is a file");
	tap_ret(quire_fence_from_file(device, file, &imported), 0, "and a fence again");
	__atomic_store_n((uint64_t *)open, 1, __ATOMIC_SEQ_CST);
	tap_ok(is_ready(file, 60000), "the file says when");
	test_parameter("hang_period", 3000);
	tap_ok(quire_now_ns() - start >= 2 * DELAY, "both have waited");
	tap_ret(quire_fence_wait(timeline, 1, LONG), 0, "so has the point");
	tap_ret(quire_fence_wait(imported, 0, LONG), 0, "so have all who wait");
	close(file);
	file = quire_fence_export(timeline, 1);
	tap_ok(file >= 0 && is_ready(file, 0), "a point is a file as well");
	close(file);
	quire_fence_close(imported);
	quire_fence_close(single);
	tap_ret(quire_fence_signal(timeline, 2), 0, "the CPU signals a point");
	tap_ret(quire_fence_wait(timeline, 2, 0), 0, "which is seen");
	quire_fence_close(timeline);
	quire_object_close(gate);
	quire_context_destroy(other);
}

/* A command that can not be: a flag that it does not have. */
static void test_refused_command(struct quire_lists lists)
{
	uint64_t words[8];
	struct quire_packet_header *copy = (struct quire_packet_header *)&words[1];
	struct quire_result result;

	memcpy(words, lists.commands, lists.commands_size);
	copy->flags = 1;
	lists.commands = words;
	tap_ret(quire_submit(context, &lists, NULL, &result), -EDOM, "a flag that is not there");
	tap_ok(strstr(result.message, "byte 8 of the commands, in COPY: "), "in words: %s",
	       result.message);
}

/* What a recorder makes, spoilt by hand. */
static void test_refused(void)
{
	void *left, *right;
	struct quire_object *a = create(SIZE, 0, &left), *b = create(SIZE, 0, &right);
	struct drm_quire_context_state state = { .status = DRM_QUIRE_CONTEXT_HUNG };
	struct drm_quire_allocation allocations[2];
	struct quire_result result;
	struct quire_lists lists;

	quire_recorder_nop(recorder, 8);
	quire_recorder_copy(recorder, quire_at(a, 0), quire_at(b, 0), SIZE);
	quire_recorder_finish(recorder, &lists);
	test_refused_command(lists);
	memcpy(allocations, lists.allocations, sizeof(allocations));
	allocations[1].flags = 0;
	lists.allocations = allocations;
	tap_ret(quire_submit(context, &lists, NULL, &result), -EACCES, "it writes what it reads");
	tap_ok(result.refused_where == DRM_QUIRE_REFUSAL_PATCHES && result.refused_entry == 1 &&
	       result.refused_offset == 24 && !result.submission, "it is told where");
	tap_ok(strstr(result.message, "patch location 1, for byte 24 of the commands, in COPY: ") &&
	       strstr(result.message, "(EACCES)"), "in words: %s", result.message);
	lists.commands_size = 12;
	tap_ret(quire_submit(context, &lists, NULL, &result), -EINVAL, "half a command");
	tap_ret(quire_context_state(context, &state), 0, "the context");
	tap_ok(state.status == DRM_QUIRE_CONTEXT_GOOD, "is as good as before");
	quire_recorder_reset(recorder);
	quire_object_close(a);
	quire_object_close(b);
}

int main(void)
{
	struct drm_quire_segment_info segments[QUIRE_CLASSES];
	struct fixture fixture;

	tap_start(120);
	fixture_open(&fixture);
	tap_ret(quire_device_open("/dev/null", &device), -ENODEV, "what is no device");
	tap_ret(quire_device_open("/dev/nowhere", &device), -ENOENT, "what is nothing");
	if (quire_device_open(NULL, &device) || quire_recorder_create(device, &recorder) ||
	    quire_context_create(device, DRM_QUIRE_PRIORITY_NORMAL, &context))
		tap_bail("no device, or no context");
	tap_ret(quire_device_segments(device, segments), 0, "segments");
	tap_ok(segments[DRM_QUIRE_SEGMENT_VRAM].size == fixture_vram(&fixture), "video memory");
	test_numbers();
	test_images();
	test_aperture();
	test_fences();
	test_refused();
	quire_recorder_destroy(recorder);
	quire_context_destroy(context);
	quire_device_close(device);
	tap_ok(fixture_settles(&fixture, fixture.segments), "usage is what it was");
	return tap_done();
}
