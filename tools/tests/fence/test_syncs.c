// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The fence of a move: in binary and timeline syncobjs, sync_files and eventfds. */
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include "refuse.h"
#include "syncs.h"
#include "vgem.h"
#include "work.h"

static const struct place vram = { "vram", DRM_QUIRE_SEGMENT_VRAM, 0 };
static const struct place aperture = { "aperture", DRM_QUIRE_SEGMENT_APERTURE, 0 };
static const struct place system_memory = { "system", DRM_QUIRE_SEGMENT_SYSTEM, 0 };

/* After the fence nothing of the move is left to wait for. */
static void test_move(const struct fixture *fixture, const struct object *object,
		      const struct place *place)
{
	uint32_t syncobj = sync_create(fixture);

	tap_ret(object_place_signal(fixture, object, place, syncobj, 0), 0, "place it in %s",
		place->name);
	tap_ret(sync_wait(fixture, syncobj, 0, WAIT_MS), 0, "its fence signals");
	tap_ret(quire_bo_wait(fixture->fd, object->handle, 0), 0, "and the move is done");
	tap_ok(object_is_at(fixture, object, place), "it is in %s", place->name);
	drmSyncobjDestroy(fixture->fd, syncobj);
}

static void test_moves(const struct fixture *fixture)
{
	struct object object;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 1), 0, "create");
	test_move(fixture, &object, &vram);
	test_move(fixture, &object, &vram);
	test_move(fixture, &object, &aperture);
	test_move(fixture, &object, &system_memory);
	test_move(fixture, &object, &system_memory);
	test_move(fixture, &object, &aperture);
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	object_close(fixture, &object);
}

/* While the device hangs, none of the ways to wait says that the move is done. */
static void test_pending(const struct fixture *fixture)
{
	uint32_t syncobj = sync_create(fixture);
	struct fence_state state = { .status = 7 };
	struct object object;
	int event, file;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 2), 0, "create");
	test_parameter("hang_period", WORK_PATIENCE_MS);
	tap_ret(debugfs_write(fixture->debugfs, "inject", "hang 1"), 0, "the device hangs");
	tap_ret(object_place_signal(fixture, &object, &vram, syncobj, 0), 0, "queue a move");
	file = sync_export(fixture, syncobj);
	event = sync_eventfd(fixture, syncobj, 0);
	tap_ret(sync_wait(fixture, syncobj, 0, 0), -ETIME, "syncobj: not yet");
	tap_ok(!fd_is_ready(file, 0), "sync_file: not yet");
	tap_ok(!fd_is_ready(event, 0), "eventfd: not yet");
	tap_ok(!fence_query(file, &state) && state.status == 0, "its status: not yet");
	tap_ok(!strcmp(state.driver, "quire"), "it is ours (%s)", state.driver);
	test_parameter("hang_period", 3000);
	tap_ok(fd_is_ready(event, WAIT_MS), "eventfd: now, after the ring was restarted");
	tap_ok(fd_is_ready(file, WAIT_MS), "sync_file: now");
	tap_ret(sync_wait(fixture, syncobj, 0, WAIT_MS), 0, "syncobj: now");
	tap_ok(!fence_query(file, &state) && state.status == 1, "its status: done, no error");
	tap_ret(object_check(fixture, &object), 0, "its content is whole");
	close(event);
	close(file);
	drmSyncobjDestroy(fixture->fd, syncobj);
	object_close(fixture, &object);
}

/* The fence is that of moves; what somebody else does with the object is none. */
static void test_foreign(const struct fixture *fixture)
{
	uint32_t syncobj = sync_create(fixture), fence;
	struct object object;
	int vgem = vgem_open();

	if (vgem < 0) {
		tap_skip("no vgem here", "others' fences are no moves");
		return;
	}
	tap_ret(object_create(fixture, &object, QUIRE_MIB, 5), 0, "create");
	tap_ret(object_place_and_wait(fixture, &object, &vram), 0, "place it in VRAM");
	tap_ret(vgem_attach_fence(vgem, fixture->fd, object.handle, &fence), 0,
		"somebody else uses it");
	tap_ret(object_place_signal(fixture, &object, &vram, syncobj, 0), 0, "it is there already");
	tap_ret(sync_wait(fixture, syncobj, 0, 0), 0, "no move is left to wait for");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, 0), -ETIME, "but it is in use");
	tap_ret(vgem_signal_fence(vgem, fence), 0, "the other one is done");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "it is not in use");
	close(vgem);
	drmSyncobjDestroy(fixture->fd, syncobj);
	object_close(fixture, &object);
}

static uint64_t timeline_value(const struct fixture *fixture, uint32_t syncobj)
{
	uint64_t value = UINT64_MAX;

	return drmSyncobjQuery(fixture->fd, &syncobj, &value, 1) ? UINT64_MAX : value;
}

/* Two moves, two points; the second one may be waited for before it is there. */
static void test_timeline(const struct fixture *fixture)
{
	uint32_t timeline = sync_create(fixture);
	struct object object;
	int event;

	tap_ret(object_create(fixture, &object, QUIRE_MIB, 3), 0, "create");
	event = sync_eventfd(fixture, timeline, 20);
	tap_ret(object_place_signal(fixture, &object, &vram, timeline, 10), 0, "move, point 10");
	tap_ret(sync_wait(fixture, timeline, 10, WAIT_MS), 0, "point 10 signals");
	tap_ok(timeline_value(fixture, timeline) == 10, "the timeline is at 10");
	tap_ok(!fd_is_ready(event, 0), "point 20 has not signalled");
	tap_ret(object_place_signal(fixture, &object, &system_memory, timeline, 20), 0,
		"move, point 20");
	tap_ok(fd_is_ready(event, WAIT_MS), "point 20 signals");
	tap_ok(timeline_value(fixture, timeline) == 20, "the timeline is at 20");
	close(event);
	drmSyncobjDestroy(fixture->fd, timeline);
	object_close(fixture, &object);
}

/* The most syncobjs that one move takes: all of them get its fence. */
static void test_many(const struct fixture *fixture)
{
	struct drm_quire_sync syncs[DRM_QUIRE_MAX_SYNCS];
	struct object object;
	unsigned int wrong = 0;

	tap_ret(object_create(fixture, &object, QUIRE_PAGE, 4), 0, "create");
	for (size_t i = 0; i < ARRAY_SIZE(syncs); i++)
		syncs[i] = (struct drm_quire_sync){
			.handle = sync_create(fixture),
			.flags = DRM_QUIRE_SYNC_SIGNAL,
			.point = i % 2 ? i : 0,
		};
	tap_ret(quire_bo_place_syncs(fixture->fd, object.handle, DRM_QUIRE_SEGMENT_VRAM, 0, syncs,
				     ARRAY_SIZE(syncs)), 0, "a move with %zu syncobjs",
		ARRAY_SIZE(syncs));
	for (size_t i = 0; i < ARRAY_SIZE(syncs); i++) {
		wrong += !!sync_wait(fixture, syncs[i].handle, syncs[i].point, WAIT_MS);
		drmSyncobjDestroy(fixture->fd, syncs[i].handle);
	}
	tap_ok(!wrong, "all of them signal");
	object_close(fixture, &object);
}

/* A longer element, as a later program may have it. */
struct long_sync {
	struct drm_quire_sync known;
	uint64_t unknown;
};

static void test_long_stride(struct subject *s)
{
	const struct fixture *fixture = s->fixture;
	struct long_sync syncs[2] = {
		{ .known = { sync_create(fixture), DRM_QUIRE_SYNC_SIGNAL, 0 } },
		{ .known = { sync_create(fixture), DRM_QUIRE_SYNC_SIGNAL, 0 } },
	};
	struct drm_quire_bo_place place = {
		.handle = s->object.handle,
		.segment = fixture->segments[DRM_QUIRE_SEGMENT_VRAM].instance,
		.syncs = DRM_QUIRE_ARRAY(2, syncs),
	};

	syncs[1].unknown = 1ull << 63;
	refused(s, DRM_IOCTL_QUIRE_BO_PLACE, &place, -E2BIG, "the tail of the second is not zero");
	tap_ok(sync_is_untouched(fixture, syncs[0].known.handle), "the first is untouched");
	syncs[1].unknown = 0;
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_BO_PLACE, &place), 0, "long stride");
	for (int i = 0; i < 2; i++) {
		tap_ret(sync_wait(fixture, syncs[i].known.handle, 0, WAIT_MS), 0,
			"element %d was found", i);
		drmSyncobjDestroy(fixture->fd, syncs[i].known.handle);
	}
}

/* To system memory, if the move were made. */
#define PLACE(expected, name, ...) \
	REFUSED(s, DRM_IOCTL_QUIRE_BO_PLACE, struct drm_quire_bo_place, expected, \
		"syncs: " name, .handle = s->object.handle, __VA_ARGS__)

static void test_bad_arrays(struct subject *s)
{
	const uint32_t most = DRM_QUIRE_MAX_SYNCS, size = sizeof(struct drm_quire_sync);
	struct drm_quire_sync syncs[DRM_QUIRE_MAX_SYNCS + 1] = { 0 };
	uint64_t array = (uintptr_t)syncs;

	PLACE(0, "none, whatever the rest says", .syncs = { 3, 0, BAD_POINTER },
	      .segment = s->fixture->segments[DRM_QUIRE_SEGMENT_VRAM].instance);
	PLACE(-EINVAL, "stride 0", .syncs = { 0, 1, array });
	PLACE(-EINVAL, "short stride", .syncs = { size - 8, 1, array });
	PLACE(-EINVAL, "odd stride", .syncs = { size + 1, 1, array });
	PLACE(-E2BIG, "stride above 4096", .syncs = { 4104, 1, array });
	PLACE(-E2BIG, "one too many", .syncs = { size, most + 1, array });
	PLACE(-E2BIG, "as many as there are numbers", .syncs = { size, UINT32_MAX, array });
	PLACE(-EFAULT, "no pointer", .syncs = { size, 1, 0 });
	PLACE(-EFAULT, "bad pointer", .syncs = { size, 1, BAD_POINTER });
	PLACE(-EFAULT, "pointer of the kernel", .syncs = { size, 1, 1ull << 63 });
}

/* Each of them has a good syncobj before it, which must not notice. */
static void test_bad_syncs(struct subject *s)
{
	uint32_t good = sync_create(s->fixture);
	const struct {
		const char *name;
		struct drm_quire_sync sync;
		int expected;
	} bad[] = {
		{ "no flag", { good, 0, 0 }, -EINVAL },
		{ "a fence to wait for", { good, DRM_QUIRE_SYNC_WAIT, 0 }, -EINVAL },
		{ "flag 1", { good, DRM_QUIRE_SYNC_SIGNAL | 2, 0 }, -EINVAL },
		{ "flag 31", { good, DRM_QUIRE_SYNC_SIGNAL | 1u << 31, 0 }, -EINVAL },
		{ "handle 0", { 0, DRM_QUIRE_SYNC_SIGNAL, 0 }, -ENOENT },
		{ "unknown handle", { NO_HANDLE, DRM_QUIRE_SYNC_SIGNAL, 0 }, -ENOENT },
		{ "unknown timeline", { NO_HANDLE, DRM_QUIRE_SYNC_SIGNAL, 1 }, -ENOENT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct drm_quire_sync syncs[] = {
			{ good, DRM_QUIRE_SYNC_SIGNAL, 0 }, bad[i].sync,
		};
		struct drm_quire_bo_place place = {
			.handle = s->object.handle, .syncs = DRM_QUIRE_ARRAY(2, syncs),
		};

		refused_saying(s, DRM_IOCTL_QUIRE_BO_PLACE, &place, bad[i].expected,
			       "syncs: element 1: ", bad[i].name);
		tap_ok(sync_is_untouched(s->fixture, good), "%s: the other is untouched",
		       bad[i].name);
	}
	drmSyncobjDestroy(s->fixture->fd, good);
}

/* A move that is refused, for a reason of its own, gives nobody a fence. */
static void test_refused_move(struct subject *s, const struct object *object,
			      const struct place *place, int expected, const char *name)
{
	const struct fixture *fixture = s->fixture;
	uint32_t binary = sync_create(fixture), timeline = sync_create(fixture);
	const struct drm_quire_sync syncs[] = {
		{ binary, DRM_QUIRE_SYNC_SIGNAL, 0 }, { timeline, DRM_QUIRE_SYNC_SIGNAL, 1 },
	};
	struct drm_quire_bo_place argument = {
		.handle = object->handle,
		.segment = fixture->segments[place->segment].instance,
		.flags = place->flags,
		.syncs = DRM_QUIRE_ARRAY(2, syncs),
	};

	refused(s, DRM_IOCTL_QUIRE_BO_PLACE, &argument, expected, name);
	tap_ok(sync_is_untouched(fixture, binary), "%s: binary syncobj is untouched", name);
	tap_ok(sync_is_untouched(fixture, timeline) && !timeline_value(fixture, timeline),
	       "%s: timeline is untouched", name);
	drmSyncobjDestroy(fixture->fd, binary);
	drmSyncobjDestroy(fixture->fd, timeline);
}

static void test_refused_moves(struct subject *s)
{
	static const struct place visible = {
		"visible vram", DRM_QUIRE_SEGMENT_VRAM, DRM_QUIRE_PLACE_VISIBLE
	};
	const struct fixture *fixture = s->fixture;
	struct object object = { .size = fixture_visible(fixture) + QUIRE_PAGE };
	const struct object none = { .handle = NO_HANDLE };

	test_refused_move(s, &none, &vram, -ENOENT, "no such object");
	tap_ret(quire_bo_create(fixture->fd, object.size, &object.handle), 0, "create");
	test_refused_move(s, &object, &visible, -ENOSPC, "more than is visible");
	object_close(fixture, &object);
	tap_ret(quire_bo_create_in(fixture->fd, QUIRE_PAGE,
				   DRM_QUIRE_SEGMENT_BIT(DRM_QUIRE_SEGMENT_SYSTEM),
				   &object.handle), 0, "create in system memory only");
	test_refused_move(s, &object, &vram, -EINVAL, "not in its set");
	object_close(fixture, &object);
}

int main(void)
{
	struct subject subject;
	struct fixture fixture;

	tap_start(60);
	fixture_open(&fixture);
	subject_make(&subject, &fixture);
	test_bad_arrays(&subject);
	test_bad_syncs(&subject);
	test_refused_moves(&subject);
	test_long_stride(&subject);
	test_moves(&fixture);
	test_timeline(&fixture);
	test_many(&fixture);
	test_foreign(&fixture);
	if (!*fixture.debugfs || !(fixture.info.caps & DRM_QUIRE_CAP_DEVICE_COPIES))
		tap_skip("no debugfs, or the CPU copies", "a fence that is pending");
	else
		test_pending(&fixture);
	subject_close(&subject);
	return tap_done();
}
