// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is wrong with the argument of a submission, its arrays, syncobjs and allocations: each
 * has its errno, and nothing changes.
 */
#include <string.h>
#include <sys/mman.h>

#include <xf86drm.h>

#include "attempt.h"
#include "syncs.h"

static void test_submit(struct scene *s)
{
	const struct drm_quire_device_info *info = &s->work.fixture.info;

	SUBMIT(-EINVAL, "flag 0", a.submit.flags = 1);
	SUBMIT(-EINVAL, "flag 31", a.submit.flags = 1u << 31);
	SUBMIT(-EINVAL, "pad", a.submit.pad = 1);
	SUBMIT(-EINVAL, "second pad", a.submit.pad2 = 1);
	SUBMIT(-EINVAL, "a ring more than there are", a.submit.ring = info->execution_rings);
	SUBMIT(-EINVAL, "ring -1", a.submit.ring = UINT32_MAX);
	SUBMIT(-ENOENT, "context 0", a.submit.context = 0);
	SUBMIT(-ENOENT, "unknown context", a.submit.context = NO_HANDLE);
	SUBMIT(-EINVAL, "no commands", a.submit.commands_size = 0);
	SUBMIT(-EINVAL, "half a word of commands", a.submit.commands_size = COPY_END + 4);
	SUBMIT(-E2BIG, "a word too many", a.submit.commands_size = info->max_commands + 8);
	SUBMIT(-E2BIG, "as many as there are numbers", a.submit.commands_size = -8u);
	SUBMIT(-EFAULT, "no commands there", a.submit.commands = BAD_POINTER);
	SUBMIT(-EFAULT, "commands of the kernel", a.submit.commands = 1ull << 63);
}

#define ARRAY(expected, name, ...) \
	do {						\
		struct drm_quire_array bad = *array;	\
							\
		__VA_ARGS__;				\
		SUBMIT(expected, "array: " name,	\
		       memcpy((char *)&a.submit + at, &bad, sizeof(bad))); \
	} while (0)

/* @at: of the array in the argument; @array: one element that is good */
static void test_array(struct scene *s, size_t at, const struct drm_quire_array *array,
		       uint32_t most)
{
	ARRAY(-EINVAL, "stride 0", bad.stride = 0);
	ARRAY(-EINVAL, "short stride", bad.stride -= 8);
	ARRAY(-EINVAL, "odd stride", bad.stride += 4);
	ARRAY(-E2BIG, "long stride", bad.stride = 4104);
	ARRAY(-E2BIG, "one too many", bad.count = most + 1);
	ARRAY(-E2BIG, "all numbers", bad.count = UINT32_MAX);
	ARRAY(-EFAULT, "nowhere", bad.array = BAD_POINTER);
	ARRAY(-EFAULT, "of the kernel", bad.array = 1ull << 63);
}

static void test_arrays(struct scene *s)
{
	const struct drm_quire_allocation allocation = { 0 };
	const struct drm_quire_patch_location patch = { 0 };
	const struct drm_quire_sync sync = { 0 };

	test_array(s, offsetof(struct drm_quire_submit, allocations),
		   &(struct drm_quire_array)DRM_QUIRE_ARRAY(1, &allocation),
		   DRM_QUIRE_MAX_ALLOCATIONS);
	test_array(s, offsetof(struct drm_quire_submit, patches),
		   &(struct drm_quire_array)DRM_QUIRE_ARRAY(1, &patch), DRM_QUIRE_MAX_PATCHES);
	test_array(s, offsetof(struct drm_quire_submit, syncs),
		   &(struct drm_quire_array)DRM_QUIRE_ARRAY(1, &sync), DRM_QUIRE_MAX_SYNCS);
}

#define SYNC(expected, name, ...) \
	do {						\
		struct drm_quire_sync syncs[2] = {	\
			{ .handle = syncobj, .flags = DRM_QUIRE_SYNC_SIGNAL }, { __VA_ARGS__ } \
		};					\
		const struct drm_quire_array array = DRM_QUIRE_ARRAY(2, syncs);	\
							\
		REFUSED_AT(expected, SYNCS, 1, 0, "syncs: " name, a.submit.syncs = array); \
	} while (0)

static void test_syncs(struct scene *s)
{
	uint32_t syncobj = sync_create(&s->work.fixture);
	uint32_t timeline = sync_create(&s->work.fixture);
	uint64_t point = 2;

	SYNC(-EINVAL, "no flag", .handle = syncobj);
	SYNC(-EINVAL, "both flags", .handle = syncobj,
	     .flags = DRM_QUIRE_SYNC_WAIT | DRM_QUIRE_SYNC_SIGNAL);
	SYNC(-EINVAL, "flag 2", .handle = syncobj, .flags = 1u << 2);
	SYNC(-EINVAL, "flag 31", .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT | 1u << 31);
	SYNC(-ENOENT, "signal handle 0", .flags = DRM_QUIRE_SYNC_SIGNAL);
	SYNC(-ENOENT, "wait for handle 0", .flags = DRM_QUIRE_SYNC_WAIT);
	SYNC(-ENOENT, "signal an unknown handle", .handle = NO_HANDLE,
	     .flags = DRM_QUIRE_SYNC_SIGNAL);
	SYNC(-ENOENT, "wait for an unknown handle", .handle = NO_HANDLE,
	     .flags = DRM_QUIRE_SYNC_WAIT);
	SYNC(-ENOENT, "wait for no fence", .handle = syncobj, .flags = DRM_QUIRE_SYNC_WAIT);
	SYNC(-ENOENT, "wait for a point without a fence", .handle = syncobj, .point = 3,
	     .flags = DRM_QUIRE_SYNC_WAIT);
	tap_ok(sync_is_untouched(&s->work.fixture, syncobj), "the syncobj is untouched");
	tap_ret(drmSyncobjTimelineSignal(s->work.fixture.fd, &timeline, &point, 1), 0,
		"a timeline has a point");
	for (unsigned int i = 0; i < 3; i++)
		SYNC(-ENOENT, "wait for a later one", .handle = timeline, .point = 3,
		     .flags = DRM_QUIRE_SYNC_WAIT);
	tap_ret(drmSyncobjTimelineWait(s->work.fixture.fd, &timeline, &point, 1, 0, 0, NULL), 0,
		"that it still has");
}

static void test_allocations(struct scene *s)
{
	uint64_t size = s->subject.object.size;

	ALLOCATION(-EINVAL, 1, "flag 1", a.allocations[1].flags = 1u << 1);
	ALLOCATION(-EINVAL, 0, "flag 31", a.allocations[0].flags = 1u << 31);
	ALLOCATION(-ENOENT, 1, "unknown handle", a.allocations[1].handle = NO_HANDLE);
	ALLOCATION(-EBADR, 0, "none, but it may be written",
		   a.allocations[0] = (struct drm_quire_allocation){ .flags = 1 });
	ALLOCATION(-EBADR, 0, "none, but an offset",
		   a.allocations[0] = (struct drm_quire_allocation){ .offset = 1 });
	ALLOCATION(-EBADR, 0, "none, but bytes",
		   a.allocations[0] = (struct drm_quire_allocation){ .size = 1 });
	ALLOCATION(-ENOMEDIUM, 1, "neither in VRAM nor in the aperture",
		   a.allocations[1].handle = s->system);
	ALLOCATION(-ENOMEDIUM, 0, "the same, before one that is none",
		   a.allocations[0].handle = s->system;
		   a.allocations[1] = (struct drm_quire_allocation){ 0 });
	ALLOCATION(-ERANGE, 1, "no bytes", a.allocations[1].size = 0);
	ALLOCATION(-ERANGE, 1, "a byte too many",
		   a.allocations[1].size = size - 2 * QUIRE_PAGE + 1);
	ALLOCATION(-ERANGE, 0, "behind the end", a.allocations[0].offset = size);
	ALLOCATION(-ERANGE, 0, "far behind the end", a.allocations[0].offset = -QUIRE_PAGE);
	ALLOCATION(-ERANGE, 1, "as many bytes as there are numbers",
		   a.allocations[1].size = UINT64_MAX);
}

/* Its second page is its third page, too. */
static void expect_copied(const struct fixture *fixture, const struct object *object)
{
	void *map;
	int ret = quire_bo_map(fixture->fd, object->handle, object->size, &map);

	tap_ok(!ret && !memcmp((char *)map + QUIRE_PAGE, (char *)map + 2 * QUIRE_PAGE, QUIRE_PAGE),
	       "it was executed");
	munmap(map, object->size);
}

/* What all of these are made of is good, and so is an allocation behind it that is none. */
static void test_good(struct scene *scene)
{
	const struct fixture *fixture = &scene->work.fixture;
	struct attempt attempt;
	struct object object;

	tap_ret(object_create(fixture, &object, 4 * QUIRE_PAGE, 5), 0, "create another");
	attempt_init(&attempt, scene);
	attempt.allocations[0].handle = object.handle;
	attempt.allocations[1].handle = object.handle;
	attempt.submit.allocations.count = 3;
	tap_ret(quire_ioctl(fixture->fd, DRM_IOCTL_QUIRE_SUBMIT, &attempt.submit), 0, "submit");
	tap_ok(attempt.submit.submission == 1, "no other one has a number (%llu)",
	       attempt.submit.submission);
	tap_ok(attempt.submit.parts == 1 && !attempt.submit.refused_where, "all is answered");
	tap_ret(quire_bo_wait(fixture->fd, object.handle, WAIT_MS), 0, "wait for it");
	expect_copied(fixture, &object);
	object_close(fixture, &object);
}

int main(void)
{
	struct scene scene;

	tap_start(60);
	scene_open(&scene);
	test_submit(&scene);
	test_arrays(&scene);
	test_syncs(&scene);
	test_allocations(&scene);
	test_good(&scene);
	scene_close(&scene);
	return tap_done();
}
