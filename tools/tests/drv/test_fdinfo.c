// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Memory statistics of /proc/self/fdinfo say where the objects are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dmabuf.h"
#include "fdinfo.h"
#include "work.h"

static void expect(int fd, const char *what, uint32_t segment, uint64_t expected)
{
	uint64_t got = fdinfo_region(fd, what, segment);

	if (!tap_ok(got == expected, "drm-%s-%s is %" PRIu64, what, quire_segment_name(segment),
		    expected))
		tap_diag("it is %" PRId64, (int64_t)got);
}

static void expect_all(int fd, const uint64_t expected[QUIRE_SEGMENTS])
{
	for (uint32_t i = 0; i < QUIRE_SEGMENTS; i++) {
		expect(fd, "total", i, expected[i]);
		expect(fd, "resident", i, expected[i]);
		/* everybody waited for their moves */
		expect(fd, "active", i, 0);
	}
}

static void test_keys(int fd)
{
	char text[4096] = "";
	const char *value;

	tap_ok(fdinfo_read(fd, text, sizeof(text)), "fdinfo can be read");
	value = fdinfo_find(text, "drm-driver");
	tap_ok(value && strstr(value, "quire"), "drm-driver is quire");
	tap_ok(fdinfo_find(text, "drm-client-id"), "drm-client-id is there");
	tap_ok(fdinfo_find(text, "drm-pdev"), "drm-pdev is there");
}

static void test_places(const struct fixture *fixture, struct object objects[QUIRE_SEGMENTS])
{
	uint64_t expected[QUIRE_SEGMENTS];

	for (uint32_t i = 0; i < QUIRE_SEGMENTS; i++) {
		struct place place = { .segment = i };

		expected[i] = (i + 1) * QUIRE_MIB + (i + 1) * QUIRE_PAGE;
		tap_ret(object_create(fixture, &objects[i], expected[i], i), 0, "create");
		tap_ret(object_place_and_wait(fixture, &objects[i], &place), 0, "place it in %s",
			quire_segment_name(i));
	}
	expect_all(fixture->fd, expected);
}

static void test_move(const struct fixture *fixture, struct object objects[QUIRE_SEGMENTS])
{
	struct place aperture = { .segment = DRM_QUIRE_SEGMENT_APERTURE };
	uint64_t expected[QUIRE_SEGMENTS] = {
		[DRM_QUIRE_SEGMENT_SYSTEM] = objects[DRM_QUIRE_SEGMENT_SYSTEM].size,
		[DRM_QUIRE_SEGMENT_APERTURE] = objects[DRM_QUIRE_SEGMENT_VRAM].size +
					       objects[DRM_QUIRE_SEGMENT_APERTURE].size,
	};

	tap_ret(object_place_and_wait(fixture, &objects[DRM_QUIRE_SEGMENT_VRAM], &aperture), 0,
		"move one from VRAM to the aperture");
	expect_all(fixture->fd, expected);
}

/* Room in VRAM that can be had without a loss. */
static void test_purgeable(const struct fixture *fixture, const struct object *object)
{
	uint32_t segment = DRM_QUIRE_SEGMENT_VRAM;

	expect(fixture->fd, "purgeable", segment, 0);
	tap_ret(quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_DONTNEED, NULL), 0,
		"DONTNEED");
	expect(fixture->fd, "purgeable", segment, object->size);
	tap_ret(quire_bo_madvise(fixture->fd, object->handle, DRM_QUIRE_MADV_WILLNEED, NULL), 0,
		"WILLNEED");
	expect(fixture->fd, "purgeable", segment, 0);
}

/* What is offered cannot be had while commands are at work with it. */
static void test_offered_at_work(struct work *work, uint32_t segment)
{
	struct quire_object *object = work_object_in(work, QUIRE_MIB,
						     DRM_QUIRE_SEGMENT_BIT(segment));
	uint64_t gates = segment == DRM_QUIRE_SEGMENT_APERTURE ? QUIRE_PAGE : 0;
	struct quire_context *context = work_context(work);
	struct quire_fence *fence = work_fence(work);
	const int fd = work->fixture.fd;
	struct gate gate;

	work_gate_open_apart(work, &gate);
	tap_ret(quire_bo_madvise(fd, quire_object_handle(object), DRM_QUIRE_MADV_DONTNEED, NULL),
		0, "DONTNEED");
	work_wait_at(work, &gate, 1);
	quire_recorder_fill(work->recorder, quire_at(object, 0), QUIRE_PAGE, 7);
	tap_ret(work_submit(work, context, 0, NULL, fence), 0, "commands wait and write it");
	tap_ret(quire_fence_wait(fence, 0, 0), -ETIME, "they are at work");
	expect(fd, "active", segment, QUIRE_MIB + gates);
	expect(fd, "purgeable", segment, 0);
	work_gate_raise(&gate, 1);
	tap_ret(work_fence_wait(fence), 0, "they end");
	expect(fd, "active", segment, 0);
	expect(fd, "purgeable", segment, QUIRE_MIB);
	work_gate_close(&gate);
	quire_fence_close(fence);
	quire_context_destroy(context);
	quire_object_close(object);
}

static void test_at_work(void)
{
	struct work work;

	work_open(&work);
	if (!work.fixture.info.execution_rings || !*work.fixture.debugfs) {
		tap_skip("no commands, or not root", "what is at work");
	} else {
		test_parameter("hang_period", WORK_PATIENCE_MS);
		test_offered_at_work(&work, DRM_QUIRE_SEGMENT_VRAM);
		test_offered_at_work(&work, DRM_QUIRE_SEGMENT_APERTURE);
		test_parameter("hang_period", 3000);
	}
	work_close(&work);
}

static void test_other_client(const struct fixture *fixture)
{
	int fd = quire_open();
	uint64_t ours = fdinfo_statistic(fixture->fd, "drm-client-id");
	uint64_t others = fdinfo_statistic(fd, "drm-client-id");

	tap_ok(ours != UINT64_MAX && others != UINT64_MAX && ours != others,
	       "another file is another client");
	expect(fd, "total", DRM_QUIRE_SEGMENT_APERTURE, 0);
	close(fd);
}

/* Exported or not, with one handle or several: one object is counted once in a file. */
static void test_shared(const struct fixture *fixture, const struct object *object)
{
	uint64_t total = fdinfo_region(fixture->fd, "total", DRM_QUIRE_SEGMENT_SYSTEM);
	int dmabuf = dmabuf_export(fixture->fd, object->handle), fd = quire_open();
	uint32_t segment = DRM_QUIRE_SEGMENT_SYSTEM, handle;

	expect(fixture->fd, "shared", segment, object->size);
	expect(fixture->fd, "total", segment, total);
	tap_ret(dmabuf_import(fd, dmabuf, &handle), 0, "another file has it, too");
	close(dmabuf);
	expect(fixture->fd, "shared", segment, object->size);
	expect(fd, "shared", segment, object->size);
	expect(fd, "total", segment, object->size);
	close(fd);
}

/* What is behind the aperture for us is not ours, and is shared. */
static void test_imported(void)
{
	struct place aperture = { .segment = DRM_QUIRE_SEGMENT_APERTURE };
	struct object object = { .size = QUIRE_MIB };
	int dmabuf = udmabuf_create(QUIRE_MIB);
	struct fixture fixture;

	if (dmabuf < 0) {
		tap_skip("no udmabuf here", "an imported object");
		return;
	}
	fixture_open(&fixture);
	tap_ret(dmabuf_import(fixture.fd, dmabuf, &object.handle), 0, "import");
	expect(fixture.fd, "shared", DRM_QUIRE_SEGMENT_SYSTEM, QUIRE_MIB);
	expect(fixture.fd, "resident", DRM_QUIRE_SEGMENT_SYSTEM, 0);
	tap_ret(object_place_and_wait(&fixture, &object, &aperture), 0, "to the aperture");
	expect(fixture.fd, "shared", DRM_QUIRE_SEGMENT_APERTURE, QUIRE_MIB);
	expect(fixture.fd, "resident", DRM_QUIRE_SEGMENT_APERTURE, QUIRE_MIB);
	expect(fixture.fd, "shared", DRM_QUIRE_SEGMENT_SYSTEM, 0);
	close(dmabuf);
	close(fixture.fd);
}

int main(void)
{
	static const uint64_t nothing[QUIRE_SEGMENTS];
	struct object objects[QUIRE_SEGMENTS];
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	test_keys(fixture.fd);
	expect_all(fixture.fd, nothing);
	test_places(&fixture, objects);
	test_purgeable(&fixture, &objects[DRM_QUIRE_SEGMENT_VRAM]);
	test_move(&fixture, objects);
	test_other_client(&fixture);
	expect(fixture.fd, "shared", DRM_QUIRE_SEGMENT_SYSTEM, 0);
	test_shared(&fixture, &objects[DRM_QUIRE_SEGMENT_SYSTEM]);
	for (uint32_t i = 0; i < QUIRE_SEGMENTS; i++)
		object_close(&fixture, &objects[i]);
	expect_all(fixture.fd, nothing);
	test_imported();
	test_at_work();
	return tap_done();
}
